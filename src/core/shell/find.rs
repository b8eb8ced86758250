//! `find`, which writes by `-delete` and `-fprint`, and by the commands that it runs on what it finds.

use super::scope::Base;
use super::word::Word;
use crate::core::write::{Link, Write};

/// A `find` taken apart: where it starts, and what it does there.
pub(super) struct Search {
    pub(super) starts: Vec<Word>,
    /// Whether a start that is a link is entered, as it is when it is spelled `link/`.
    enters: bool,
    expression: Vec<Word>,
}

impl Search {
    pub(super) fn new(arguments: &[Word]) -> Self {
        let is_expression = |word: &Word| word.text.starts_with(['-', '(', '!']);
        let skipped = arguments
            .iter()
            .take_while(|word| matches!(word.text.as_str(), "-H" | "-L" | "-P" | "-E" | "-X" | "-s"))
            .count();
        let (flags, rest) = arguments.split_at(skipped);
        let enters = flags.iter().any(|word| matches!(word.text.as_str(), "-H" | "-L"));
        let length = rest.iter().position(is_expression).unwrap_or(rest.len());
        let (starts, expression) = rest.split_at(length);
        let starts = if starts.is_empty() { vec![Word::literal(".")] } else { starts.to_vec() };
        Self { starts, enters, expression: expression.to_vec() }
    }

    pub(super) fn writes(&self, base: &Base) -> Vec<Write> {
        let mut writes = Vec::new();
        for pair in self.expression.windows(2) {
            if let [action, file] = pair
                && matches!(action.text.as_str(), "-fprint" | "-fprint0" | "-fprintf" | "-fls")
            {
                writes.extend(base.write(file, Link::Followed));
            }
        }
        if self.expression.iter().any(|word| word.text == "-delete") {
            let link = if self.enters { Link::Followed } else { Link::Replaced };
            writes.extend(base.writes(&self.starts, link));
        }
        writes
    }

    /// The commands that it runs on what it finds.
    pub(super) fn commands(&self) -> Vec<&[Word]> {
        let mut commands = Vec::new();
        let mut rest = self.expression.as_slice();
        let runs = |word: &Word| matches!(word.text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir");
        while let Some(start) = rest.iter().position(runs) {
            rest = rest.get(start + 1..).unwrap_or_default();
            let end = rest.iter().position(|word| matches!(word.text.as_str(), ";" | "+")).unwrap_or(rest.len());
            let (command, others) = rest.split_at(end);
            commands.push(command);
            rest = others;
        }
        commands
    }
}
