//! The parser, kept from doing harm on hostile input.
//!
//! `rable` descends recursively, and in two places without a limit of its own: `$(` within `$(`, where its time grows
//! with the cube of the depth too, and the operators of `[[ ]]` and `(( ))`. What a text may need at worst is
//! therefore counted before it is parsed, without understanding it: more than it really needs, never less. Little runs
//! on the caller's stack; more gets a thread with a stack of that size; an absurd amount is not parsed as a whole.
//!
//! The nesting of substitutions can only be estimated. A text that is made to mislead both estimates costs time, up to
//! what a thousand levels take, but no stack that was not counted.

use std::borrow::Cow;

use rable::Node;

/// Nested command substitutions: people stop at three.
const SUBSTITUTIONS: usize = 12;

/// The product of a text's length with the square of that nesting, which is what parsing costs.
const COST: usize = 1 << 24;

/// How often a text that does not parse is tried again with less of its end.
const RETRIES: usize = 24;

/// How many bytes are parsed in all for one command, nested texts and retries included.
const BYTES: usize = 1 << 23;

/// How many simple commands of a text that is too deep are read.
const PIECES: usize = 10_000;

/// The parser's own limit to compound commands within one another.
const COMPOUNDS: usize = 1000;

/// Bytes of stack per level of compounds, of conditions and arithmetic, and of lists, measured as 15 KiB, 14 KiB and
/// under 1 KiB in a debug build, an eighth of it in a release build, and rounded up.
const PER_COMPOUND: usize = if cfg!(debug_assertions) { 24 << 10 } else { 4 << 10 };
const PER_OPERATOR: usize = if cfg!(debug_assertions) { 16 << 10 } else { 3 << 10 };
const PER_LINK: usize = if cfg!(debug_assertions) { 1 << 10 } else { 256 };

/// What any thread has to spare.
pub(super) const SPARE_STACK: usize = 512 << 10;

/// What is worth asking for; it is address space, not memory, until it is used.
const MOST_STACK: usize = 1 << 30;

/// How much stack parsing this text may take at worst.
pub(super) fn stack_needed(text: &str) -> usize {
    let count = |wanted: &[char]| text.matches(wanted).count();
    let keywords = text
        .split(|character: char| !character.is_ascii_alphanumeric())
        .filter(|word| matches!(*word, "if" | "elif" | "while" | "until" | "for" | "case" | "select" | "function"))
        .count();
    let compounds = (count(&['(', '{']) + keywords).min(COMPOUNDS);
    let mut operators =
        ["${", "$(", "<(", ">(", "`"].iter().map(|opening| text.matches(opening).count()).sum::<usize>();
    if text.contains("[[") || text.contains("((") || text.contains("$[") {
        operators += count(&['!', '(', '-', '+', '~', '=', '*']);
    }
    let links = count(&['\n', ';', '&', '|']);
    (compounds * PER_COMPOUND)
        .saturating_add(operators.saturating_mul(PER_OPERATOR))
        .saturating_add(links.saturating_mul(PER_LINK))
}

/// The deepest nesting of substitutions, as far as that can be told without parsing: estimated twice, because quotes
/// hide brackets, and apostrophes in a here-document look like quotes.
fn substitution_depth(text: &str) -> usize {
    estimated_depth(text, false).max(estimated_depth(text, true)) + backquote_depth(text)
}

/// What a bracket or a quote stands for while it is open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Substitution,
    /// A substitution with a `case` in it, whose patterns end in brackets that close nothing.
    Cases,
    Group,
    Quote,
}

fn estimated_depth(text: &str, minds_quotes: bool) -> usize {
    let mut open: Vec<Open> = Vec::new();
    let mut depth = 0usize;
    let mut deepest = 0usize;
    let mut previous = ' ';
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        let quoted = open.last() == Some(&Open::Quote);
        match character {
            '\\' if minds_quotes => {
                rest.next();
            }
            '"' if minds_quotes && quoted => {
                open.pop();
            }
            '"' if minds_quotes => open.push(Open::Quote),
            '\'' if minds_quotes && !quoted => {
                rest.by_ref().find(|next| *next == '\'');
            }
            '#' if minds_quotes && !quoted && previous.is_whitespace() => {
                rest.by_ref().find(|next| *next == '\n');
            }
            '(' if matches!(previous, '$' | '<' | '>') => {
                depth += 1;
                open.push(Open::Substitution);
            }
            '(' if !quoted => open.push(Open::Group),
            ')' => match open.last() {
                Some(Open::Substitution) => {
                    depth -= 1;
                    open.pop();
                }
                Some(Open::Group) => {
                    open.pop();
                }
                Some(Open::Cases | Open::Quote) | None => {}
            },
            'c' if rest.as_str().starts_with("ase") => {
                if let Some(last) = open.last_mut().filter(|last| **last == Open::Substitution) {
                    *last = Open::Cases;
                }
            }
            'e' if rest.as_str().starts_with("sac") => {
                if let Some(last) = open.last_mut().filter(|last| **last == Open::Cases) {
                    *last = Open::Substitution;
                }
            }
            _ => {}
        }
        deepest = deepest.max(depth);
        previous = character;
    }
    deepest
}

/// Backquotes nest by being escaped, one level for every doubling of backslashes.
fn backquote_depth(text: &str) -> usize {
    let mut backslashes = 0usize;
    let mut deepest = 0;
    for character in text.chars() {
        if character == '`' {
            deepest = deepest.max(1 + (backslashes + 1).ilog2());
        }
        backslashes = if character == '\\' { backslashes + 1 } else { 0 };
    }
    usize::try_from(deepest).unwrap_or(usize::MAX)
}

/// What braces within words cost: each is followed to its end, or in vain to the end of the word.
fn brace_cost(text: &str) -> usize {
    text.split_ascii_whitespace()
        .map(|word| {
            let mut depth = 0usize;
            let mut deepest = 0usize;
            for byte in word.bytes() {
                match byte {
                    b'{' => depth += 1,
                    b'}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                deepest = deepest.max(depth);
            }
            deepest.saturating_mul(word.len())
        })
        .fold(0, usize::saturating_add)
}

/// Whether parsing takes too long.
fn is_costly(text: &str) -> bool {
    let depth = substitution_depth(text);
    let cost = text.len().saturating_mul(depth.saturating_mul(depth));
    depth > SUBSTITUTIONS || cost > COST || brace_cost(text) > COST
}

/// The text without the bodies of its here-documents whose end is quoted: these are not parsed, and agents write whole
/// files in them. What only looks like one costs time, no stack.
fn without_documents(text: &str) -> Cow<'_, str> {
    if !text.contains("<<'") && !text.contains("<<\"") && !text.contains("<< ") && !text.contains("<<-") {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut lines = text.split_inclusive('\n');
    while let Some(line) = lines.next() {
        kept.push_str(line);
        for end in line.split("<<").skip(1).filter_map(quoted_end) {
            lines.by_ref().find(|line| line.trim() == end).into_iter().for_each(|line| kept.push_str(line));
        }
    }
    Cow::Owned(kept)
}

/// A piece without the words that only say when it runs.
fn without_keywords(piece: &str) -> &str {
    let mut rest = piece.trim();
    while let Some((word, after)) = rest.split_once(char::is_whitespace)
        && matches!(word, "if" | "then" | "elif" | "else" | "while" | "until" | "do" | "time" | "!")
    {
        rest = after.trim_start();
    }
    rest
}

/// The end of a here-document, from what stands behind its `<<`.
fn quoted_end(after: &str) -> Option<&str> {
    let after = after.strip_prefix('-').unwrap_or(after).trim_start_matches([' ', '\t']);
    let quote = after.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
    after.get(1..)?.split_once(quote).map(|(end, _)| end)
}

/// Runs `work` where there is stack enough for parsing `text`, as far as that can be had.
pub(super) fn with_stack<T: Send>(text: &str, work: impl Fn(Parser) -> T + Sync) -> T {
    let stack = stack_needed(text).min(MOST_STACK);
    let little = || work(Parser { stack: SPARE_STACK, bytes: BYTES });
    if stack <= SPARE_STACK {
        return little();
    }
    std::thread::scope(|threads| {
        let thread = std::thread::Builder::new()
            .stack_size(stack.saturating_mul(2).saturating_add(8 * SPARE_STACK))
            .spawn_scoped(threads, || work(Parser { stack, bytes: BYTES }));
        // A fault of the parser goes on as one.
        thread.map(|thread| thread.join().unwrap_or_else(|fault| std::panic::resume_unwind(fault)))
    })
    .unwrap_or_else(|_| little())
}

pub(super) struct Parser {
    stack: usize,
    bytes: usize,
}

/// Why a text was not parsed.
enum Misfit {
    /// It is no shell text from this line on.
    Wrong(usize),
    /// It is deeper or longer than what is parsed.
    Beyond,
}

impl Parser {
    /// The commands of a text. Of one that does not parse, those of the longest run of lines from its start that does:
    /// a shell runs these before it comes to the error. Where it is this parser that gives up, because the text is too
    /// deep or too long, the simple commands in what is left are read one by one.
    pub(super) fn parse(&mut self, text: &str) -> Vec<Node> {
        let mut kept = text;
        let mut beyond = false;
        for _ in 0..RETRIES {
            let line = match self.attempt(kept) {
                Ok(mut nodes) => {
                    if beyond {
                        nodes.extend(self.pieces(text.get(kept.len()..).unwrap_or_default()));
                    }
                    return nodes;
                }
                Err(Misfit::Wrong(line)) => line,
                Err(Misfit::Beyond) => {
                    beyond = true;
                    usize::MAX
                }
            };
            let lines = kept.lines().count();
            let fewer = line.saturating_sub(1).min(lines - (lines / 16).max(1).min(lines));
            if fewer == 0 {
                break;
            }
            let end = kept.match_indices('\n').nth(fewer - 1).map_or(kept.len(), |(index, _)| index);
            kept = kept.get(..end).unwrap_or_default();
        }
        if beyond { self.pieces(text) } else { Vec::new() }
    }

    /// What stands between the signs that join and nest commands, each piece by itself. Quotes are not minded: what is
    /// quoted may be taken for a command, but no command for what is quoted.
    fn pieces(&mut self, text: &str) -> Vec<Node> {
        let text = without_documents(text);
        let pieces = text.split(['\n', ';', '|', '&', '(', ')', '`', '{', '}']).map(without_keywords);
        pieces
            .filter(|piece| piece.contains(char::is_alphanumeric))
            .take(PIECES)
            .flat_map(|piece| self.attempt(piece).unwrap_or_default())
            .collect()
    }

    fn attempt(&mut self, text: &str) -> Result<Vec<Node>, Misfit> {
        if is_costly(&without_documents(text)) || stack_needed(text) > self.stack {
            return Err(Misfit::Beyond);
        }
        self.bytes = self.bytes.checked_sub(text.len()).ok_or(Misfit::Beyond)?;
        // Extended globs are off unless asked for, and `!(command)` means something else then.
        rable::parse(text, false).or_else(|error| rable::parse(text, true).map_err(|_| Misfit::Wrong(error.line())))
    }
}
