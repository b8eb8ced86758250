//! What is expanded in a text that is no word: a here-document, the inside of `${...}`.

use super::scope::Scope;
use super::walk::Walk;
use super::word::UNKNOWN;

impl Walk {
    /// Walks the commands that are substituted somewhere in a text that is otherwise no command.
    pub(super) fn substitutions(&mut self, text: &str, scope: &Scope<'_>) {
        if (text.contains("$(") || text.contains('`')) && self.descend() {
            self.expand(text, scope);
            self.ascend();
        }
    }

    /// Expands the body of a here-document, in which quotes mean nothing.
    pub(super) fn expand(&mut self, text: &str, scope: &Scope<'_>) -> String {
        let mut expanded = String::new();
        let mut rest = text;
        while let Some(index) = rest.find(['$', '`', '\\']) {
            let (before, from) = rest.split_at(index);
            expanded.push_str(before);
            let (output, length) = self.expansion(from, scope);
            expanded.push_str(&output);
            rest = from.get(length..).unwrap_or_default();
        }
        expanded.push_str(rest);
        expanded
    }

    /// What stands at the start of `from`, expanded, and how long it is.
    fn expansion(&mut self, from: &str, scope: &Scope<'_>) -> (String, usize) {
        let after = from.get(1..).unwrap_or_default();
        let unknown = UNKNOWN.to_string();
        if from.starts_with('\\') {
            return match after.chars().next() {
                Some('\n') => (String::new(), 2),
                Some(escaped @ ('$' | '`' | '\\')) => (escaped.to_string(), 2),
                _ => ("\\".to_owned(), 1),
            };
        }
        if from.starts_with('`') {
            // Without an end, the shell would not run it either.
            let Some(end) = closing_quote(after) else {
                return (unknown, from.len());
            };
            let inner = after.get(..end).unwrap_or_default();
            let inner = inner.replace("\\`", "`").replace("\\$", "$").replace("\\\\", "\\");
            self.text(&inner, scope);
            return (unknown, end + 2);
        }
        if let Some(inside) = after.strip_prefix('(') {
            let Some(end) = closing_bracket(inside, '(', ')') else {
                return (unknown, from.len());
            };
            let inner = inside.get(..end).unwrap_or_default();
            if !inner.starts_with('(') {
                self.text(inner, scope);
            }
            return (unknown, end + 3);
        }
        if let Some(inside) = after.strip_prefix('{') {
            let Some(end) = closing_bracket(inside, '{', '}') else {
                return (unknown, from.len());
            };
            let inner = inside.get(..end).unwrap_or_default();
            let value = scope.get(inner).and_then(|word| word.exact().map(str::to_owned));
            if value.is_none() {
                self.substitutions(inner, scope);
            }
            return (value.unwrap_or(unknown), end + 3);
        }
        let length = after.find(|next: char| next != '_' && !next.is_ascii_alphanumeric()).unwrap_or(after.len());
        let name = after.get(..length).unwrap_or_default();
        if name.is_empty() {
            let special = after.starts_with(['?', '#', '@', '*', '!', '-', '$']);
            return if special { (unknown, 2) } else { ("$".to_owned(), 1) };
        }
        let value = scope.get(name).and_then(|word| word.exact().map(str::to_owned));
        (value.unwrap_or(unknown), length + 1)
    }
}

fn closing_quote(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (index, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '`' => return Some(index),
            _ => {}
        }
    }
    None
}

/// Where the bracket that is open at the start of `text` closes, quotes and nested brackets minded.
fn closing_bracket(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 1usize;
    let mut quote = None;
    let mut escaped = false;
    for (index, character) in text.char_indices() {
        match (quote, character) {
            _ if escaped => escaped = false,
            (None | Some('"'), '\\') => escaped = true,
            (Some(open_quote), _) if open_quote == character => quote = None,
            (None, '\'' | '"') => quote = Some(character),
            (None, _) if character == open => depth += 1,
            (None, _) if character == close => {
                depth -= 1;
                if depth == 0 {
                    return Some(index);
                }
            }
            _ => {}
        }
    }
    None
}
