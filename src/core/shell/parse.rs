//! The parser, kept from doing harm on hostile input.
//!
//! `rable` descends recursively, and in two places without a limit of its own: `$(` within `$(`, where its time grows
//! with the cube of the depth too, and the operators of `[[ ]]` and `(( ))`. What a text may need at worst is
//! therefore counted before it is parsed, without understanding it: more than it really needs, never less. Little runs
//! on the caller's stack; more gets a thread with a stack of that size; an absurd amount is not parsed at all.
//!
//! The nesting of substitutions can only be estimated. A text that is made to mislead both estimates costs time, up to
//! what a thousand levels take, but no stack that was not counted.

use rable::Node;

/// Nested command substitutions: people stop at three.
const SUBSTITUTIONS: usize = 12;

/// The product of a text's length with the square of that nesting, which is what parsing costs.
const COST: usize = 1 << 24;

/// How often a text that does not parse is tried again with less of its end.
const RETRIES: usize = 24;

/// How many bytes are parsed in all for one command, nested texts and retries included.
const BYTES: usize = 1 << 23;

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

/// Runs `work` where there is stack enough for parsing `text`; `None` when that cannot be had.
pub(super) fn with_stack<T: Send>(text: &str, work: impl FnOnce(Parser) -> T + Send) -> Option<T> {
    let stack = stack_needed(text);
    if stack <= SPARE_STACK {
        return Some(work(Parser { stack: SPARE_STACK, bytes: BYTES }));
    }
    if stack > MOST_STACK {
        return None;
    }
    let parser = Parser { stack, bytes: BYTES };
    std::thread::scope(|threads| {
        std::thread::Builder::new()
            .stack_size(stack.saturating_mul(2).saturating_add(8 * SPARE_STACK))
            .spawn_scoped(threads, || work(parser))
            .ok()?
            .join()
            .ok()
    })
}

pub(super) struct Parser {
    stack: usize,
    bytes: usize,
}

impl Parser {
    /// The commands of a text. Of one that does not parse, those of the longest run of lines from its start that does:
    /// a shell runs these before it comes to the error.
    pub(super) fn parse(&mut self, text: &str) -> Vec<Node> {
        let mut text = text;
        for _ in 0..RETRIES {
            let line = match self.attempt(text) {
                Ok(nodes) => return nodes,
                Err(line) => line,
            };
            let lines = text.lines().count();
            let kept = line.saturating_sub(1).min(lines - (lines / 16).max(1).min(lines));
            if kept == 0 {
                break;
            }
            let end = text.match_indices('\n').nth(kept - 1).map_or(text.len(), |(index, _)| index);
            text = text.get(..end).unwrap_or_default();
        }
        Vec::new()
    }

    /// The commands, or the line at which they went wrong.
    fn attempt(&mut self, text: &str) -> Result<Vec<Node>, usize> {
        let depth = substitution_depth(text);
        let cost = text.len().saturating_mul(depth.saturating_mul(depth));
        if depth > SUBSTITUTIONS || cost > COST || brace_cost(text) > COST || stack_needed(text) > self.stack {
            return Err(usize::MAX);
        }
        self.bytes = self.bytes.checked_sub(text.len()).ok_or(0usize)?;
        // Extended globs are off unless asked for, and `!(command)` means something else then.
        rable::parse(text, false).or_else(|error| rable::parse(text, true).map_err(|_| error.line()))
    }
}
