//! Where the parts of a JSON text stand in it, so that a part can be added or taken out and every other byte stays.
//!
//! Read more loosely than JSON is: comments and a comma behind the last item are let stand, because some hosts read
//! them, and an edit by position keeps them. What is looser still is malformed, and the error says where.

use serde_json::Value;
use thiserror::Error;

/// How deep values may nest. No configuration comes near; a hostile one must not overflow the stack.
const DEEPEST: usize = 64;

/// Where and why a text is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {problem}")]
pub struct Malformed {
    /// Counted from one.
    pub line: usize,
    /// Counted from one, in characters.
    pub column: usize,
    /// What is wrong there.
    pub problem: String,
}

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) shape: Shape,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shape {
    Object(Vec<Item>),
    Array(Vec<Item>),
    Text(String),
    /// A number, a truth value or null.
    Scalar(Value),
}

/// A member of an object or an element of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    /// Of a member.
    pub(super) key: Option<String>,
    /// Where the key, or else the value, begins.
    pub(super) start: usize,
    pub(super) value: Node,
    /// Where the comma behind it stands.
    pub(super) comma: Option<usize>,
}

impl Node {
    /// What is in an object or an array; nothing is in anything else.
    pub(super) fn items(&self) -> &[Item] {
        match &self.shape {
            Shape::Object(items) | Shape::Array(items) => items,
            _ => &[],
        }
    }

    /// The value of a member. Of two with one key it is the later one, as every reader takes it.
    pub(super) fn member(&self, key: &str) -> Option<&Item> {
        match &self.shape {
            Shape::Object(items) => items.iter().rev().find(|item| item.key.as_deref() == Some(key)),
            _ => None,
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.member(key).map(|item| &item.value)
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.shape {
            Shape::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn flag(&self) -> Option<bool> {
        match &self.shape {
            Shape::Scalar(value) => value.as_bool(),
            _ => None,
        }
    }

    pub(super) fn is_object(&self) -> bool {
        matches!(self.shape, Shape::Object(_))
    }

    pub(super) fn is_array(&self) -> bool {
        matches!(self.shape, Shape::Array(_))
    }
}

/// Finds the parts of a text.
pub(super) fn parse(text: &str) -> Result<Node, Malformed> {
    let mut reader = Reader { text, at: 0 };
    if text.starts_with('\u{feff}') {
        reader.at = '\u{feff}'.len_utf8();
    }
    reader.skip()?;
    let node = reader.value(0)?;
    reader.skip()?;
    if reader.at < text.len() { Err(malformed(text, reader.at, "something follows the value")) } else { Ok(node) }
}

/// An error at a position.
pub(super) fn malformed(text: &str, at: usize, problem: impl Into<String>) -> Malformed {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Malformed { line, column, problem: problem.into() }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.rest().bytes().next()
    }

    fn fail<T>(&self, problem: &str) -> Result<T, Malformed> {
        Err(malformed(self.text, self.at, problem))
    }

    /// Goes past white space and comments.
    fn skip(&mut self) -> Result<(), Malformed> {
        loop {
            let rest = self.rest();
            let space = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            if space > 0 {
                self.at += space;
            } else if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                match rest.find("*/") {
                    Some(length) => self.at += length + 2,
                    None => return self.fail("this comment does not end"),
                }
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, Malformed> {
        if depth > DEEPEST {
            return self.fail("this is nested too deeply");
        }
        let start = self.at;
        let shape = match self.peek() {
            Some(b'{') => Shape::Object(self.list(b'}', depth)?),
            Some(b'[') => Shape::Array(self.list(b']', depth)?),
            Some(b'"') => Shape::Text(self.string()?),
            Some(_) => Shape::Scalar(self.scalar()?),
            None => return self.fail("a value is missing"),
        };
        Ok(Node { start, end: self.at, shape })
    }

    /// The items of an object or an array, whose opening bracket is next.
    fn list(&mut self, close: u8, depth: usize) -> Result<Vec<Item>, Malformed> {
        let mut items: Vec<Item> = Vec::new();
        self.at += 1;
        loop {
            self.skip()?;
            match self.peek() {
                Some(byte) if byte == close => {
                    self.at += 1;
                    return Ok(items);
                }
                Some(_) if items.last().is_none_or(|item| item.comma.is_some()) => {}
                Some(_) => return self.fail("a comma or a closing bracket is missing"),
                None => return self.fail("a closing bracket is missing"),
            }
            let start = self.at;
            let key = if close == b'}' { Some(self.key()?) } else { None };
            let value = self.value(depth + 1)?;
            self.skip()?;
            let comma = (self.peek() == Some(b',')).then_some(self.at);
            if comma.is_some() {
                self.at += 1;
            }
            items.push(Item { key, start, value, comma });
        }
    }

    fn key(&mut self) -> Result<String, Malformed> {
        if self.peek() != Some(b'"') {
            return self.fail("a key in quotes is missing");
        }
        let key = self.string()?;
        self.skip()?;
        if self.peek() != Some(b':') {
            return self.fail("a colon is missing");
        }
        self.at += 1;
        self.skip()?;
        Ok(key)
    }

    fn string(&mut self) -> Result<String, Malformed> {
        let mut escaped = false;
        for (index, byte) in self.rest().bytes().enumerate().skip(1) {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => {
                    let literal = self.rest().get(..=index).unwrap_or_default();
                    let Ok(text) = serde_json::from_str(literal) else {
                        return self.fail("this text has an escape or a control character that JSON does not have");
                    };
                    self.at += index + 1;
                    return Ok(text);
                }
                _ => {}
            }
        }
        self.fail("this text does not end")
    }

    fn scalar(&mut self) -> Result<Value, Malformed> {
        let rest = self.rest();
        let length = rest.find([',', ']', '}', ' ', '\t', '\r', '\n', '/', ':', '"']).unwrap_or(rest.len());
        match serde_json::from_str(rest.get(..length).unwrap_or_default()) {
            Ok(value) => {
                self.at += length;
                Ok(value)
            }
            Err(_) => self.fail("this is no value"),
        }
    }
}
