//! From a word of the syntax tree to the text that the command will see, as far as it is plain.

use rable::{Node, NodeKind};

use super::scope::Scope;
use super::walk::Walk;

/// Stands in a word's text for whatever cannot be known: a noncharacter, so no real path has it.
pub(super) const UNKNOWN: char = '\u{FDD0}';

/// How many words one brace expansion may become before it is treated as a glob.
const ALTERNATIVES: usize = 64;

/// One word after expansion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    /// Where in the text the first active glob character stands.
    pattern: Option<usize>,
}

impl Word {
    pub(super) fn literal(text: &str) -> Self {
        Self { text: text.to_owned(), pattern: None }
    }

    pub(super) fn unknown() -> Self {
        Self::literal(&UNKNOWN.to_string())
    }

    /// Something below this directory, but not which thing.
    pub(super) fn below(directory: &str) -> Self {
        let text = format!("{}/*", directory.trim_end_matches('/'));
        let pattern = Some(text.len().saturating_sub(1));
        Self { text, pattern }
    }

    /// The text, when all of it is known.
    pub(super) fn exact(&self) -> Option<&str> {
        (self.pattern.is_none() && !self.text.contains(UNKNOWN)).then_some(self.text.as_str())
    }

    /// The text before a glob, when the word has one and everything before it is known.
    pub(super) fn before_pattern(&self) -> Option<&str> {
        self.pattern.and_then(|index| self.text.get(..index))
    }

    /// The rest of the word after `prefix`.
    pub(super) fn strip(&self, prefix: &str) -> Option<Self> {
        let text = self.text.strip_prefix(prefix)?.to_owned();
        let pattern = self.pattern.map(|index| index.saturating_sub(prefix.len()));
        Some(Self { text, pattern })
    }

    /// The last component, when the word plainly names one.
    pub(super) fn file_name(&self) -> Option<&str> {
        let name = self.text.rsplit('/').next()?;
        let plain = !name.is_empty() && name != "." && name != ".." && !name.contains(UNKNOWN);
        (plain && self.pattern.is_none()).then_some(name)
    }

    fn push(&mut self, character: char) {
        self.text.push(character);
    }

    fn push_pattern(&mut self, character: char) {
        self.pattern.get_or_insert(self.text.len());
        self.text.push(character);
    }

    fn push_word(&mut self, other: &Self, quoted: bool) {
        let start = self.text.len();
        let glob = other.pattern.or_else(|| if quoted { None } else { other.text.find(['*', '?', '[']) });
        if let Some(index) = glob {
            self.pattern.get_or_insert(start + index);
        }
        if !quoted && other.pattern.is_none() && other.text.contains(char::is_whitespace) {
            // It would be split into several words; which of them is the path is not worth guessing.
            self.text.push(UNKNOWN);
        } else {
            self.text.push_str(&other.text);
        }
    }
}

/// Where a word stands decides what is expanded in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    Argument,
    /// The right side of `NAME=`, or a redirection's target: one word, whatever is in it.
    Single,
}

struct Builder {
    words: Vec<Word>,
    position: Position,
    quoted: bool,
    /// Nothing of the word has been seen yet, so a `~` is the home directory.
    fresh: bool,
}

impl Builder {
    fn each(&mut self, change: impl Fn(&mut Word)) {
        self.fresh = false;
        self.words.iter_mut().for_each(change);
    }

    fn push_unknown(&mut self) {
        self.each(|word| word.push(UNKNOWN));
    }

    fn push_value(&mut self, value: &Word) {
        let quoted = self.quoted || self.position == Position::Single;
        self.each(|word| word.push_word(value, quoted));
    }

    /// Reads raw text with its quotes; a double quote may stay open into the next part.
    fn read(&mut self, text: &str, last: bool, scope: &Scope<'_>) {
        let mut rest = text.chars();
        while let Some(character) = rest.next() {
            match character {
                '"' => {
                    self.quoted = !self.quoted;
                    self.fresh = false;
                }
                '\\' => self.escape(&mut rest),
                _ if self.quoted => self.each(|word| word.push(character)),
                '\'' => {
                    self.fresh = false;
                    rest.by_ref().take_while(|next| *next != '\'').for_each(|next| self.each(|word| word.push(next)));
                }
                '*' | '?' | '[' if self.position == Position::Argument => {
                    self.each(|word| word.push_pattern(character));
                }
                // An extended glob, an array: nothing that could be named.
                '(' => {
                    self.push_unknown();
                    return;
                }
                '~' if self.fresh || self.after_assignment() => {
                    let taken = self.tilde(rest.as_str(), last, scope);
                    rest.by_ref().take(taken).for_each(drop);
                }
                _ => self.each(|word| word.push(character)),
            }
        }
    }

    fn escape(&mut self, rest: &mut std::str::Chars<'_>) {
        let Some(next) = rest.next() else {
            return self.each(|word| word.push('\\'));
        };
        if next == '\n' {
            return;
        }
        let kept = self.quoted && !matches!(next, '$' | '`' | '"' | '\\');
        self.each(|word| {
            if kept {
                word.push('\\');
            }
            word.push(next);
        });
    }

    /// `NAME=~/x` is expanded like `~/x`.
    fn after_assignment(&self) -> bool {
        self.words.first().and_then(|word| word.text.strip_suffix('=')).is_some_and(is_name)
    }

    /// `~`, `~+` and `~-`; how many characters after the first are part of it is the result.
    fn tilde(&mut self, rest: &str, last: bool, scope: &Scope<'_>) -> usize {
        let (name, sign) = match rest.chars().next() {
            Some('+') => ("PWD", 1),
            Some('-') => ("OLDPWD", 1),
            _ => ("HOME", 0),
        };
        let after = rest.get(sign..).unwrap_or_default();
        let own = after.starts_with('/') || (after.is_empty() && last);
        match scope.get(name).filter(|_| own) {
            Some(directory) => self.each(|word| word.push_word(&directory, true)),
            None => self.push_unknown(),
        }
        sign
    }

    /// `{a,b}` becomes several words; anything less plain is treated as a glob.
    fn braces(&mut self, content: &str) {
        let inner = content.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or_default();
        let items: Vec<&str> = inner.split(',').collect();
        let simple = items.len() > 1 && !inner.contains(['{', '}', '$', '`', '"', '\'', '\\', '*', '?', '[', '~']);
        if !simple || self.words.len().saturating_mul(items.len()) > ALTERNATIVES {
            self.each(|word| word.push_pattern('*'));
            return;
        }
        let stems = std::mem::take(&mut self.words);
        for stem in stems {
            self.words.extend(items.iter().map(|item| {
                let mut word = stem.clone();
                word.text.push_str(item);
                word
            }));
        }
        self.fresh = false;
    }
}

pub(super) fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|first| first == '_' || first.is_ascii_alphabetic())
        && characters.all(|next| next == '_' || next.is_ascii_alphanumeric())
}

/// The text inside `$(...)`, `<(...)` or backquotes, of a part that the parser left as it was written.
fn unparsed(text: &str) -> Option<String> {
    for opening in ["$(", "<(", ">("] {
        if let Some(inner) = text.strip_prefix(opening).and_then(|rest| rest.strip_suffix(')')) {
            return Some(if inner.starts_with('(') { String::new() } else { inner.to_owned() });
        }
    }
    let inner = text.strip_prefix('`')?.strip_suffix('`')?;
    Some(inner.replace("\\`", "`").replace("\\$", "$").replace("\\\\", "\\"))
}

impl Walk {
    /// Expands a word; the commands inside it are walked on the way.
    pub(super) fn words(&mut self, node: &Node, position: Position, scope: &Scope<'_>) -> Vec<Word> {
        let NodeKind::Word { parts, .. } = &node.kind else {
            return vec![Word::unknown()];
        };
        let mut builder = Builder { words: vec![Word::default()], position, quoted: false, fresh: true };
        for (index, part) in parts.iter().enumerate() {
            self.part(part, index + 1 == parts.len(), &mut builder, scope);
        }
        builder.words
    }

    pub(super) fn word(&mut self, node: &Node, scope: &Scope<'_>) -> Word {
        let mut words = self.words(node, Position::Single, scope);
        if words.len() == 1 { words.pop().unwrap_or_default() } else { Word::unknown() }
    }

    fn part(&mut self, part: &Node, last: bool, builder: &mut Builder, scope: &Scope<'_>) {
        match &part.kind {
            NodeKind::WordLiteral { value } => {
                let process = value.starts_with(['<', '>']);
                if let Some(inner) = unparsed(value).filter(|_| !(process && builder.quoted)) {
                    self.text(&inner, scope);
                    builder.push_unknown();
                } else if value.starts_with("$[") {
                    builder.push_unknown();
                } else {
                    builder.read(value, last, scope);
                }
            }
            NodeKind::AnsiCQuote { decoded, .. } => builder.each(|word| word.text.push_str(decoded)),
            NodeKind::LocaleString { inner, .. } if !inner.contains(['$', '`', '\\']) => {
                builder.each(|word| word.text.push_str(inner));
            }
            NodeKind::ParamExpansion { param, op, arg } => {
                let value = scope.get(param).filter(|value| usable(op.as_deref(), value));
                self.substitutions(arg.as_deref().unwrap_or_default(), scope);
                match value {
                    Some(value) => builder.push_value(&value),
                    None => builder.push_unknown(),
                }
            }
            NodeKind::CommandSubstitution { command, .. } => {
                let output = self.node(command, None, &mut scope.clone());
                match output {
                    Some(text) => builder.push_value(&Word::literal(text.trim_end_matches('\n'))),
                    None => builder.push_unknown(),
                }
            }
            NodeKind::ProcessSubstitution { command, .. } => {
                self.node(command, None, &mut scope.clone());
                builder.push_unknown();
            }
            NodeKind::BraceExpansion { content } => {
                self.substitutions(content, scope);
                builder.braces(content);
            }
            _ => builder.push_unknown(),
        }
    }
}

/// Whether `${NAME op ...}` is still the variable's own value.
fn usable(operator: Option<&str>, value: &Word) -> bool {
    match operator {
        None | Some("-" | "=" | "?") => true,
        Some(":-" | ":=" | ":?") => !value.text.is_empty(),
        Some(_) => false,
    }
}
