//! Reads a command's options the way getopt does, knowing only which of them take a value.

use super::word::Word;

#[derive(Debug, Default)]
pub(super) struct Parsed<'word> {
    options: Vec<(String, Option<Word>)>,
    pub(super) operands: Vec<&'word Word>,
}

impl Parsed<'_> {
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|(name, _)| names.contains(&name.as_str()))
    }

    /// The value of the last of these options.
    pub(super) fn value(&self, names: &[&str]) -> Option<&Word> {
        self.values(names).into_iter().next_back()
    }

    pub(super) fn values(&self, names: &[&str]) -> Vec<&Word> {
        self.options
            .iter()
            .filter(|(name, _)| names.contains(&name.as_str()))
            .filter_map(|(_, value)| value.as_ref())
            .collect()
    }
}

/// How a program spells its options.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// `-rf`, `-ofile` and `--force`, as getopt reads them.
    Cluster,
    /// `-write` and `--write` are one option, as in programs written in Go.
    Word,
    /// `-ofile`, and whatever follows any other letter is its own business, as in compilers.
    Letter,
}

/// Options anywhere among the operands, as GNU programs take them. `attached` are short options whose value, if any,
/// is in the same word.
pub(super) fn parse<'word>(words: &'word [Word], values: &[&str], attached: &[&str]) -> Parsed<'word> {
    parse_styled(words, values, attached, Style::Cluster)
}

pub(super) fn parse_styled<'word>(
    words: &'word [Word],
    values: &[&str],
    attached: &[&str],
    style: Style,
) -> Parsed<'word> {
    read(words, values, attached, style, false).0
}

/// Options before the first operand only; the number says how many words they take.
pub(super) fn parse_leading<'word>(words: &'word [Word], values: &[&str], attached: &[&str]) -> (Parsed<'word>, usize) {
    read(words, values, attached, Style::Cluster, true)
}

fn read<'word>(
    words: &'word [Word],
    values: &[&str],
    attached: &[&str],
    style: Style,
    leading: bool,
) -> (Parsed<'word>, usize) {
    let mut parsed = Parsed::default();
    let mut index = 0;
    while let Some(word) = words.get(index) {
        let text = word.text.as_str();
        if text == "--" {
            index += 1;
            break;
        }
        let plus = leading && text.starts_with('+') && values.iter().any(|value| value.starts_with('+'));
        if !(text.starts_with('-') || plus) || text == "-" {
            if leading {
                return (parsed, index);
            }
            parsed.operands.push(word);
            index += 1;
            continue;
        }
        index += 1;
        let takes_next = match (style, text.strip_prefix("--")) {
            (Style::Word, Some(_)) => word.strip("-").is_some_and(|word| long(&word, values, &mut parsed)),
            (Style::Word, None) | (_, Some(_)) => long(word, values, &mut parsed),
            (Style::Letter, None) if !values.iter().any(|value| text.starts_with(value)) => false,
            _ => short(word, values, attached, &mut parsed),
        };
        if takes_next {
            if let Some((_, value)) = parsed.options.last_mut() {
                *value = words.get(index).cloned();
            }
            index += 1;
        }
    }
    let index = index.min(words.len());
    if !leading {
        parsed.operands.extend(words.get(index..).unwrap_or_default());
    }
    (parsed, index)
}

fn long(word: &Word, values: &[&str], parsed: &mut Parsed<'_>) -> bool {
    if let Some((name, _)) = word.text.split_once('=') {
        let value = word.strip(name).and_then(|rest| rest.strip("="));
        parsed.options.push((name.to_owned(), value));
        return false;
    }
    parsed.options.push((word.text.clone(), None));
    values.contains(&word.text.as_str())
}

/// A cluster such as `-rf` or `-ofile`. Whether the last one wants the next word is the result.
fn short(word: &Word, values: &[&str], attached: &[&str], parsed: &mut Parsed<'_>) -> bool {
    let sign = if word.text.starts_with('+') { '+' } else { '-' };
    let mut seen = 1;
    for character in word.text.chars().skip(1) {
        seen += character.len_utf8();
        let name = format!("{sign}{character}");
        let rest = word.text.get(..seen).and_then(|prefix| word.strip(prefix)).filter(|rest| !rest.text.is_empty());
        let takes_value = values.contains(&name.as_str());
        if takes_value || attached.contains(&name.as_str()) {
            let wants_next = takes_value && rest.is_none();
            parsed.options.push((name, rest));
            return wants_next;
        }
        parsed.options.push((name, None));
    }
    false
}
