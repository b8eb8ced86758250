//! Walks the syntax tree in the order in which a shell would run it.

use rable::{ListItem, ListOperator, Node, NodeKind};

use super::parse::Parser;
use super::scope::Scope;
use super::word::{Position, UNKNOWN, Word, is_name};
use crate::core::write::{Link, Write, Writes};

/// How many constructs are looked at: far above any real text, and an end to loops within loops.
const STEPS: usize = 100_000;

/// How deep one construct may stand in another.
const DEPTH: usize = 100;

/// How many words of a `for` are gone through one by one.
const ROUNDS: usize = 1000;

/// Where a command reads from, as its own redirections say.
enum Input {
    Inherited,
    Text(String),
    File,
}

pub(super) struct Walk {
    parser: Parser,
    found: Writes,
    steps: usize,
    depth: usize,
}

impl Walk {
    pub(super) fn new(parser: Parser) -> Self {
        Self { parser, found: Writes::default(), steps: STEPS, depth: 0 }
    }

    pub(super) fn into_found(self) -> Vec<Write> {
        self.found.into_list()
    }

    pub(super) fn write(&mut self, writes: impl IntoIterator<Item = Write>) {
        for write in writes {
            // Devices belong to nobody.
            if !write.path.starts_with("/dev") {
                self.found.add(write);
            }
        }
    }

    /// Goes one level deeper, unless that is too deep; every success needs an `ascend`.
    pub(super) fn descend(&mut self) -> bool {
        let fits = self.depth < DEPTH;
        self.depth += usize::from(fits);
        fits
    }

    pub(super) fn ascend(&mut self) {
        self.depth -= 1;
    }

    /// Walks a text that a shell will run, in the scope given.
    pub(super) fn text(&mut self, text: &str, scope: &Scope<'_>) -> Option<String> {
        self.here(text, &mut scope.clone())
    }

    /// Walks a text that this shell itself will run: what it sets stays, but for its functions, whose tree does not.
    pub(super) fn here(&mut self, text: &str, scope: &mut Scope<'_>) -> Option<String> {
        if !self.descend() {
            return None;
        }
        let nodes = self.parser.parse(text);
        let mut inner = scope.clone();
        let mut output = None;
        for node in &nodes {
            if self.steps == 0 {
                break;
            }
            output = self.node(node, None, &mut inner);
        }
        scope.adopt(inner);
        self.ascend();
        output.filter(|_| nodes.len() == 1)
    }

    /// Walks a node. `input` is what it reads, and the result is what it prints, each where that is plain.
    pub(super) fn node<'tree>(
        &mut self,
        node: &'tree Node,
        input: Option<&str>,
        scope: &mut Scope<'tree>,
    ) -> Option<String> {
        self.steps = self.steps.checked_sub(1)?;
        if !self.descend() {
            return None;
        }
        let output = self.construct(node, input, scope);
        self.ascend();
        output
    }

    fn construct<'tree>(&mut self, node: &'tree Node, input: Option<&str>, scope: &mut Scope<'tree>) -> Option<String> {
        match &node.kind {
            NodeKind::Command { assignments, words, redirects } => {
                return self.command(assignments, words, redirects, input, scope);
            }
            NodeKind::List { items } => return self.list(items, scope),
            NodeKind::Pipeline { commands, .. } => {
                let mut carried = input.map(str::to_owned);
                for command in commands {
                    carried = self.node(command, carried.as_deref(), &mut scope.clone());
                }
                return carried;
            }
            NodeKind::Negation { pipeline } | NodeKind::Time { pipeline, .. } => {
                return self.node(pipeline, input, scope);
            }
            NodeKind::Coproc { command, .. } => {
                self.node(command, None, &mut scope.clone());
            }
            NodeKind::Function { name, body } => {
                scope.functions.insert(name.clone(), body);
            }
            NodeKind::Subshell { body, redirects } => {
                self.redirected(redirects, scope);
                return self.node(body, input, &mut scope.clone());
            }
            NodeKind::BraceGroup { body, redirects } => {
                self.redirected(redirects, scope);
                return self.node(body, input, scope);
            }
            NodeKind::If { condition, then_body, else_body, redirects } => {
                self.redirected(redirects, scope);
                self.node(condition, None, scope);
                let mut other = scope.clone();
                self.node(then_body, None, scope);
                if let Some(else_body) = else_body {
                    self.node(else_body, None, &mut other);
                }
                scope.merge(&other);
            }
            NodeKind::While { condition, body, redirects } | NodeKind::Until { condition, body, redirects } => {
                self.redirected(redirects, scope);
                self.node(condition, None, scope);
                self.perhaps(body, scope);
            }
            NodeKind::For { var, words, body, redirects } => {
                self.redirected(redirects, scope);
                self.for_each(var, words.as_deref(), body, scope);
            }
            NodeKind::ForArith { body, redirects, .. } => {
                self.redirected(redirects, scope);
                self.perhaps(body, scope);
            }
            NodeKind::Select { var, body, redirects, .. } => {
                self.redirected(redirects, scope);
                scope.set(var, None, false);
                self.perhaps(body, scope);
            }
            NodeKind::Case { word, patterns, redirects } => {
                self.redirected(redirects, scope);
                self.word(word, scope);
                let before = scope.clone();
                for pattern in patterns {
                    let mut branch = before.clone();
                    if let Some(body) = &pattern.body {
                        self.node(body, None, &mut branch);
                    }
                    scope.merge(&branch);
                }
            }
            NodeKind::ConditionalExpr { body, redirects } => {
                self.redirected(redirects, scope);
                self.condition(body, scope);
            }
            NodeKind::ArithmeticCommand { redirects, raw_content, .. } => {
                self.redirected(redirects, scope);
                self.substitutions(raw_content, scope);
            }
            _ => {}
        }
        None
    }

    /// A body that may run or not.
    fn perhaps<'tree>(&mut self, body: &'tree Node, scope: &mut Scope<'tree>) {
        let before = scope.clone();
        self.node(body, None, scope);
        scope.merge(&before);
    }

    fn for_each<'tree>(
        &mut self,
        variable: &str,
        words: Option<&'tree [Node]>,
        body: &'tree Node,
        scope: &mut Scope<'tree>,
    ) {
        let words: Vec<Word> =
            words.unwrap_or_default().iter().flat_map(|word| self.words(word, Position::Argument, scope)).collect();
        if words.is_empty() || words.len() > ROUNDS {
            scope.set(variable, None, false);
            self.perhaps(body, scope);
            return;
        }
        for word in words {
            scope.set(variable, Some(word), false);
            self.node(body, None, scope);
        }
    }

    /// A list is nested to the left as deep as it is long, so it is laid out flat without recursion.
    fn list<'tree>(&mut self, items: &'tree [ListItem], scope: &mut Scope<'tree>) -> Option<String> {
        let mut flat: Vec<(&Node, Option<ListOperator>)> = Vec::new();
        let mut waiting: Vec<(&Node, Option<ListOperator>)> =
            items.iter().rev().map(|item| (&item.command, item.operator)).collect();
        while let Some((node, operator)) = waiting.pop() {
            if let NodeKind::List { items } = &node.kind {
                for (index, item) in items.iter().enumerate().rev() {
                    let own = if index + 1 == items.len() { operator } else { item.operator };
                    waiting.push((&item.command, own));
                }
            } else {
                flat.push((node, operator));
            }
        }
        let mut output = None;
        let mut rest = flat.as_slice();
        while !rest.is_empty() && self.steps > 0 {
            let joined =
                |operator: Option<ListOperator>| matches!(operator, Some(ListOperator::And | ListOperator::Or));
            let length = rest.iter().position(|(_, operator)| !joined(*operator)).map_or(rest.len(), |end| end + 1);
            let (chain, others) = rest.split_at(length);
            if chain.last().is_some_and(|(_, operator)| *operator == Some(ListOperator::Background)) {
                self.chain(chain, &mut scope.clone());
            } else {
                output = self.chain(chain, scope);
            }
            rest = others;
        }
        output.filter(|_| flat.len() == 1)
    }

    /// Commands joined by `&&` and `||`.
    fn chain<'tree>(
        &mut self,
        chain: &[(&'tree Node, Option<ListOperator>)],
        scope: &mut Scope<'tree>,
    ) -> Option<String> {
        let mut output = None;
        let mut before = scope.clone();
        let mut joined_by = None;
        let mut previous = None;
        for (node, operator) in chain {
            if self.steps == 0 {
                break;
            }
            if joined_by == Some(ListOperator::Or) {
                // What follows `cd DIR ||` runs where one was. It changes what is known only where it moves on.
                let mut other = if changes_directory(previous) { before } else { scope.clone() };
                let start = other.base.clone();
                self.node(node, None, &mut other);
                if other.base != start && other.base != scope.base {
                    scope.base.0 = None;
                }
                before = scope.clone();
            } else {
                before = scope.clone();
                output = self.node(node, None, scope);
            }
            joined_by = *operator;
            previous = Some(*node);
        }
        output
    }

    fn condition(&mut self, node: &Node, scope: &Scope<'_>) {
        if !self.descend() {
            return;
        }
        match &node.kind {
            NodeKind::CondTerm { value, .. } | NodeKind::Word { value, .. } => self.substitutions(value, scope),
            NodeKind::UnaryTest { operand, .. } | NodeKind::CondNot { operand } => self.condition(operand, scope),
            NodeKind::CondParen { inner } => self.condition(inner, scope),
            NodeKind::BinaryTest { left, right, .. }
            | NodeKind::CondAnd { left, right }
            | NodeKind::CondOr { left, right } => {
                self.condition(left, scope);
                self.condition(right, scope);
            }
            _ => {}
        }
        self.ascend();
    }

    fn redirected(&mut self, redirects: &[Node], scope: &Scope<'_>) {
        let (targets, _) = self.redirections(redirects, scope);
        self.write(targets);
    }

    /// The files that redirections write, and the text they give as input.
    fn redirections(&mut self, redirects: &[Node], scope: &Scope<'_>) -> (Vec<Write>, Input) {
        let mut targets = Vec::new();
        let mut input = Input::Inherited;
        for redirect in redirects {
            match &redirect.kind {
                NodeKind::HereDoc { content, quoted, .. } => {
                    let text = if *quoted { content.clone() } else { self.expand(content, scope) };
                    input = Input::Text(text);
                }
                NodeKind::Redirect { op, target, .. } => {
                    let word = self.word(target, scope);
                    match op.as_str() {
                        ">" | ">>" | ">|" | "&>" | "&>>" | "<>" => {
                            targets.extend(scope.base.write(&word, Link::Followed))
                        }
                        ">&" if !is_descriptor(&word.text) => targets.extend(scope.base.write(&word, Link::Followed)),
                        "<<<" => input = Input::Text(format!("{}\n", word.text)),
                        "<" => input = Input::File,
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        (targets, input)
    }

    fn command<'tree>(
        &mut self,
        assignments: &'tree [Node],
        words: &'tree [Node],
        redirects: &'tree [Node],
        input: Option<&str>,
        scope: &mut Scope<'tree>,
    ) -> Option<String> {
        let mut values = Vec::new();
        for assignment in assignments {
            let word = self.word(assignment, scope);
            if let Some((name, value)) = assignment_of(&word, scope) {
                if words.is_empty() {
                    scope.set(&name, value, false);
                } else {
                    values.push((name, value));
                }
            }
        }
        let words: Vec<Word> = words.iter().flat_map(|word| self.words(word, Position::Argument, scope)).collect();
        let (targets, own_input) = self.redirections(redirects, scope);
        let input = match &own_input {
            Input::Inherited => input,
            Input::Text(text) => Some(text.as_str()),
            Input::File => None,
        };
        let output = self.run(&words, &values, input, scope);
        let output = output.filter(|_| targets.is_empty());
        self.write(targets);
        output
    }
}

/// `NAME=VALUE` or `NAME+=VALUE`, with `None` for a value that is not plain.
pub(super) fn assignment_of(word: &Word, scope: &Scope<'_>) -> Option<(String, Option<Word>)> {
    let (name, _) = word.text.split_once('=')?;
    let value = word.strip(name)?.strip("=")?;
    if let Some(name) = name.strip_suffix('+').filter(|name| is_name(name)) {
        let joined =
            scope.get(name).and_then(|old| Some(Word::literal(&format!("{}{}", old.exact()?, value.exact()?))));
        return Some((name.to_owned(), joined));
    }
    is_name(name).then(|| (name.to_owned(), Some(value).filter(|value| !value.text.contains(UNKNOWN))))
}

/// `2`, `-` and `2-` after `>&` are file descriptors.
fn is_descriptor(text: &str) -> bool {
    let digits = text.strip_suffix('-').unwrap_or(text);
    !text.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn changes_directory(node: Option<&Node>) -> bool {
    let Some(NodeKind::Command { words, .. }) = node.map(|node| &node.kind) else {
        return false;
    };
    matches!(words.first().map(|word| &word.kind), Some(NodeKind::Word { value, .. }) if value == "cd" || value == "pushd")
}
