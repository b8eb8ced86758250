//! Adding an item to a JSON text and taking one out, so that it looks as if it had been typed there, and so that taking
//! out what was added gives the text back to the byte.
//!
//! One exception: an object or an array that was empty loses the white space between its brackets.

use serde_json::Value;

use super::json::{Item, Node};

/// How a text is laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Style {
    newline: &'static str,
    /// One step of indentation; `None` where everything stands in one line.
    unit: Option<String>,
    /// Whether a space follows a colon and a comma in one line.
    spaced: bool,
}

/// For a text of our own.
pub(super) fn pretty(value: &Value) -> String {
    let style = Style { newline: "\n", unit: Some("  ".to_owned()), spaced: true };
    let mut text = String::new();
    render(&mut text, value, &style, "");
    text.push('\n');
    text
}

/// Adds an item behind the last one of `container`, which stands in `text` below `root`.
pub(super) fn append(text: &str, root: &Node, container: &Node, key: Option<&str>, value: &Value) -> String {
    let mut style = style_of(text, root);
    let outer = indent_at(text, container.start).unwrap_or_default().to_owned();
    let last = container.items().last();
    let close = container.end.saturating_sub(1);
    let from = last.map_or(container.start + 1, |last| last.comma.map_or(last.value.end, |comma| comma + 1));
    // Comments behind the last item stay with it.
    let between = text.get(from..close).unwrap_or_default();
    let kept = from + between.trim_end_matches([' ', '\t', '\r', '\n']).len();
    let inner = match (last, &style.unit) {
        (_, None) => None,
        // Where the items of a container share a line, a new one joins them.
        (Some(last), _) => own_indent(text, last.start).map(str::to_owned),
        (None, Some(unit)) => Some(format!("{outer}{unit}")),
    };
    if inner.is_none() {
        style.unit = None;
    }
    // Behind a comment that takes the rest of its line nothing can stand.
    let inner = inner.or_else(|| between.contains("//").then(|| outer.clone()));

    let mut item = String::new();
    if let Some(key) = key {
        item.push_str(&Value::from(key).to_string());
        item.push_str(if style.unit.is_some() || style.spaced { ": " } else { ":" });
    }
    render(&mut item, value, &style, inner.as_deref().unwrap_or_default());

    let lead = match &inner {
        Some(indent) => format!("{}{indent}", style.newline),
        None if last.is_some() && style.spaced => " ".to_owned(),
        None => String::new(),
    };
    match last {
        None => {
            let tail = if inner.is_some() { format!("{}{outer}", style.newline) } else { String::new() };
            splice(text, &[(kept..close, &format!("{lead}{item}{tail}"))])
        }
        Some(last) if last.comma.is_none() => {
            splice(text, &[(last.value.end..last.value.end, ","), (kept..kept, &format!("{lead}{item}"))])
        }
        Some(_) => splice(text, &[(kept..kept, &format!("{lead}{item},"))]),
    }
}

/// Takes an item out, with the comma and the white space that came with it.
pub(super) fn remove(text: &str, container: &Node, index: usize) -> String {
    let items = container.items();
    let Some(item) = items.get(index) else { return text.to_owned() };
    let before = text.get(..item.start).unwrap_or_default();
    let begin = before.trim_end_matches([' ', '\t', '\r', '\n']).len();
    if items.len() == 1 {
        let inner = container.start + 1..container.end.saturating_sub(1);
        let left = format!(
            "{}{}",
            text.get(inner.start..begin).unwrap_or_default(),
            text.get(item.comma.map_or(item.value.end, |comma| comma + 1)..inner.end).unwrap_or_default()
        );
        let left = if left.trim().is_empty() { String::new() } else { left };
        return splice(text, &[(inner, &left)]);
    }
    match (item.comma, index.checked_sub(1).and_then(|previous| items.get(previous))) {
        (Some(comma), Some(_)) => splice(text, &[(begin..comma + 1, "")]),
        // The first of several: what stood before it now stands before the next.
        (Some(comma), None) => {
            let after = text.get(comma + 1..).unwrap_or_default();
            let space = after.len() - after.trim_start_matches([' ', '\t', '\r', '\n']).len();
            splice(text, &[(item.start..comma + 1 + space, "")])
        }
        (None, Some(Item { comma: Some(comma), .. })) => {
            splice(text, &[(*comma..comma + 1, ""), (begin.max(comma + 1)..item.value.end, "")])
        }
        (None, _) => text.to_owned(),
    }
}

/// Replaces ranges, given in order and apart from each other.
fn splice(text: &str, changes: &[(std::ops::Range<usize>, &str)]) -> String {
    let mut result = String::with_capacity(text.len());
    let mut from = 0;
    for (range, new) in changes {
        result.push_str(text.get(from..range.start).unwrap_or_default());
        result.push_str(new);
        from = range.end;
    }
    result.push_str(text.get(from..).unwrap_or_default());
    result
}

fn style_of(text: &str, root: &Node) -> Style {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let first = root.items().first();
    let whole = text.get(root.start..root.end).unwrap_or_default();
    let unit = match first {
        Some(_) if !whole.contains('\n') => None,
        Some(first) => Some(own_indent(text, first.start).filter(|unit| !unit.is_empty()).unwrap_or("  ").to_owned()),
        None => Some("  ".to_owned()),
    };
    let spaced = whole.contains("\": ") || first.is_none();
    Style { newline, unit, spaced }
}

/// The white space that the line of a position begins with.
fn indent_at(text: &str, at: usize) -> Option<&str> {
    let line = text.get(..at)?.rsplit('\n').next()?;
    line.get(..line.len() - line.trim_start_matches([' ', '\t']).len())
}

/// The same, when nothing but white space stands before the position in its line.
fn own_indent(text: &str, at: usize) -> Option<&str> {
    let before = text.get(..at)?;
    let line = before.rsplit('\n').next()?;
    (line.len() < before.len() && line.trim_matches([' ', '\t']).is_empty()).then_some(line)
}

fn render(text: &mut String, value: &Value, style: &Style, indent: &str) {
    let (open, close, entries): (char, char, Vec<(Option<&String>, &Value)>) = match value {
        Value::Object(map) if !map.is_empty() => {
            ('{', '}', map.iter().map(|(key, value)| (Some(key), value)).collect())
        }
        Value::Array(list) if !list.is_empty() => ('[', ']', list.iter().map(|value| (None, value)).collect()),
        other => return text.push_str(&other.to_string()),
    };
    let deeper = style.unit.as_ref().map(|unit| format!("{indent}{unit}"));
    text.push(open);
    for (index, (key, value)) in entries.into_iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        match &deeper {
            Some(deeper) => {
                text.push_str(style.newline);
                text.push_str(deeper);
            }
            None if index > 0 && style.spaced => text.push(' '),
            None => {}
        }
        if let Some(key) = key {
            text.push_str(&Value::from(key.as_str()).to_string());
            text.push_str(if deeper.is_some() || style.spaced { ": " } else { ":" });
        }
        render(text, value, style, deeper.as_deref().unwrap_or_default());
    }
    if deeper.is_some() {
        text.push_str(style.newline);
        text.push_str(indent);
    }
    text.push(close);
}
