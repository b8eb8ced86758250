//! A host's own configuration in, the same with or without claim's hook out.
//!
//! What is ours is known by its command, `claim hook`, whatever stands around it: so an entry of an older version, or
//! one that a person typed, is renewed instead of doubled, and goes with an uninstall. Nothing else is touched.

use serde_json::{Map, Value};

use super::{
    edit,
    json::{self, Malformed, Node, Shape},
    table::{Entry, Hooks, Nesting},
};

/// The key that every host keeps its hooks under.
const HOOKS: &str = "hooks";

/// The configuration with the hook. The same text when it is there already.
///
/// # Errors
/// [`Malformed`] when the text is no such configuration.
pub fn installed(text: Option<&str>, hooks: &Hooks) -> Result<String, Malformed> {
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else {
        let mut document: Map<String, Value> =
            hooks.document.iter().map(|(key, value)| ((*key).to_owned(), Value::from(*value))).collect();
        document.insert(HOOKS.to_owned(), all(hooks));
        return Ok(edit::pretty(&Value::Object(document)));
    };
    if is_complete(&checked(text, hooks)?, hooks) {
        return Ok(text.to_owned());
    }
    let mut text = without(text, hooks)?;
    let root = checked(&text, hooks)?;
    if root.get(HOOKS).is_none() {
        return Ok(edit::append(&text, &root, &root, Some(HOOKS), &all(hooks)));
    }
    for entry in hooks.entries {
        let root = checked(&text, hooks)?;
        let Some(events) = root.get(HOOKS) else { continue };
        let value = element(hooks, entry);
        text = match events.get(entry.event) {
            Some(list) => edit::append(&text, &root, list, None, &value),
            None => edit::append(&text, &root, events, Some(entry.event), &Value::Array(vec![value])),
        };
    }
    Ok(text)
}

/// What an uninstall leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// The configuration without the hook, and without the containers that held nothing else.
    pub text: String,
    /// Whether it says nothing any more. Whether the file may go then is for the caller, who knows what was there before.
    pub is_worthless: bool,
}

/// Takes the hook out of a configuration. When installing into `backup` gives this very text, the backup is what it was
/// before, to the byte.
///
/// # Errors
/// [`Malformed`] when the text is no such configuration.
pub fn uninstalled(text: &str, backup: Option<&str>, hooks: &Hooks) -> Result<Left, Malformed> {
    checked(text, hooks)?;
    if let Some(backup) = backup
        && checked(backup, hooks).is_ok_and(|root| lacking(&root, hooks).len() == hooks.entries.len())
        && installed(Some(backup), hooks).is_ok_and(|again| again == text)
    {
        return Ok(Left { text: backup.to_owned(), is_worthless: false });
    }
    let left = without(text, hooks)?;
    let root = checked(&left, hooks)?;
    let says = |item: &json::Item| {
        !hooks.document.iter().any(|(key, value)| {
            item.key.as_deref() == Some(key) && item.value.shape == Shape::Scalar(Value::from(*value))
        })
    };
    let is_worthless = left != text && !root.items().iter().any(says);
    Ok(Left { text: left, is_worthless })
}

/// The events of the table that lack an entry of ours.
///
/// # Errors
/// [`Malformed`] when the text is no such configuration.
pub fn missing(text: &str, hooks: &Hooks) -> Result<Vec<&'static str>, Malformed> {
    Ok(lacking(&checked(text, hooks)?, hooks))
}

/// Whether installing would change nothing.
#[must_use]
pub fn is_current(text: &str, hooks: &Hooks) -> bool {
    checked(text, hooks).is_ok_and(|root| is_complete(&root, hooks))
}

/// The root, if the text is a configuration that the hook can be put into.
fn checked(text: &str, hooks: &Hooks) -> Result<Node, Malformed> {
    if text.trim().is_empty() {
        // As the hosts take a file without a word in it.
        return Ok(Node { start: 0, end: 0, shape: Shape::Object(Vec::new()) });
    }
    let root = json::parse(text)?;
    let fail = |node: &Node, problem: String| Err(json::malformed(text, node.start, problem));
    if !root.is_object() {
        return fail(&root, "this is no JSON object".to_owned());
    }
    let Some(events) = root.get(HOOKS) else { return Ok(root) };
    if !events.is_object() {
        return fail(events, "\"hooks\" is no JSON object".to_owned());
    }
    let lists = hooks.entries.iter().filter_map(|entry| Some((entry.event, events.get(entry.event)?)));
    for (event, list) in lists {
        if !list.is_array() {
            return fail(list, format!("\"{event}\" is no list"));
        }
    }
    Ok(root)
}

fn lacking(root: &Node, hooks: &Hooks) -> Vec<&'static str> {
    let events = root.get(HOOKS);
    let has = |event: &str| {
        events
            .and_then(|events| events.get(event))
            .is_some_and(|list| list.items().iter().any(|item| handlers(&item.value).any(is_ours)))
    };
    hooks.entries.iter().map(|entry| entry.event).filter(|event| !has(event)).collect()
}

fn is_complete(root: &Node, hooks: &Hooks) -> bool {
    let Some(events) = root.get(HOOKS) else { return false };
    let ours = |list: &Node| list.items().iter().flat_map(|item| handlers(&item.value)).filter(|h| is_ours(h)).count();
    let stray = events.items().iter().any(|item| {
        !hooks.entries.iter().any(|entry| item.key.as_deref() == Some(entry.event)) && ours(&item.value) > 0
    });
    !stray
        && hooks.entries.iter().all(|entry| {
            events.get(entry.event).is_some_and(|list| {
                ours(list) == 1 && list.items().iter().any(|item| is_current_element(&item.value, hooks, entry))
            })
        })
}

/// Whether an element of an event's list calls what the table says, for what it says. A person may have changed the rest.
fn is_current_element(element: &Node, hooks: &Hooks, entry: &Entry) -> bool {
    element.get("matcher").and_then(Node::text) == entry.matcher
        && handlers(element)
            .any(|handler| handler.get(hooks.command_key).and_then(Node::text) == Some(hooks.command(entry).as_str()))
}

/// The text without every entry of ours.
fn without(text: &str, hooks: &Hooks) -> Result<String, Malformed> {
    let mut text = text.to_owned();
    loop {
        let root = checked(&text, hooks)?;
        match first_of_ours(&root) {
            Some((container, index)) => text = edit::remove(&text, container, index),
            None => return Ok(text),
        }
    }
}

/// The largest thing that holds nothing but what is ours: where it stands, and which item of it.
fn first_of_ours(root: &Node) -> Option<(&Node, usize)> {
    let index_of = |node: &Node, key: &str| node.items().iter().rposition(|item| item.key.as_deref() == Some(key));
    let events = root.get(HOOKS)?;
    if is_all_ours(events, |list| is_all_ours(list, is_element_ours)) {
        return Some((root, index_of(root, HOOKS)?));
    }
    for (number, event) in events.items().iter().enumerate() {
        if is_all_ours(&event.value, is_element_ours) {
            return Some((events, number));
        }
        for (number, element) in event.value.items().iter().enumerate().filter(|_| event.value.is_array()) {
            if is_element_ours(&element.value) {
                return Some((&event.value, number));
            }
            let Some(list) = element.value.get(HOOKS) else { continue };
            if let Some(number) = list.items().iter().position(|handler| is_ours(&handler.value)) {
                return Some((list, number));
            }
        }
    }
    None
}

fn is_all_ours(node: &Node, is_ours: impl Fn(&Node) -> bool) -> bool {
    !node.items().is_empty() && node.items().iter().all(|item| is_ours(&item.value))
}

fn is_element_ours(element: &Node) -> bool {
    element.is_object() && handlers(element).count() > 0 && handlers(element).all(is_ours)
}

/// The handlers of an element: those in its list, else itself.
fn handlers(element: &Node) -> impl Iterator<Item = &Node> {
    let list = element.get(HOOKS);
    let own = if list.is_none() { Some(element) } else { None };
    list.map(Node::items).unwrap_or_default().iter().map(|item| &item.value).chain(own)
}

/// Whether a handler runs `claim hook`, by whatever path and in whatever shell, or in exec form.
fn is_ours(handler: &Node) -> bool {
    let arguments: Vec<_> = handler.get("args").map(Node::items).unwrap_or_default().iter().collect();
    let is_hook = arguments.first().is_some_and(|item| item.value.text() == Some("hook"));
    ["command", "bash", "powershell", "exec"]
        .into_iter()
        .filter_map(|key| handler.get(key)?.text())
        .any(|command| runs_claim(command, " hook") || (is_hook && runs_claim(&format!("{command} hook"), " hook")))
}

/// Whether `claim`, or a path that ends in it, stands in the command as a word of its own before `verb`.
pub(super) fn runs_claim(command: &str, verb: &str) -> bool {
    ["claim", "claim.exe", "claim\"", "claim'", "claim.exe\""].into_iter().any(|name| {
        let words = format!("{name}{verb}");
        command.match_indices(&words).any(|(at, _)| {
            let before = command.get(..at).and_then(|before| before.chars().next_back());
            let after = command.get(at + words.len()..).and_then(|after| after.chars().next());
            before.is_none_or(|before| !before.is_alphanumeric() && !matches!(before, '-' | '_' | '.'))
                && after.is_none_or(|after| !after.is_alphanumeric() && !matches!(after, '-' | '_'))
        })
    })
}

fn all(hooks: &Hooks) -> Value {
    let event = |entry: &Entry| (entry.event.to_owned(), Value::Array(vec![element(hooks, entry)]));
    Value::Object(hooks.entries.iter().map(event).collect())
}

/// One element of an event's list.
fn element(hooks: &Hooks, entry: &Entry) -> Value {
    let mut handler = Map::new();
    let set = |map: &mut Map<String, Value>, key: &str, value: Value| {
        map.insert(key.to_owned(), value);
    };
    let matcher = entry.matcher.map(Value::from);
    if hooks.has_type {
        set(&mut handler, "type", "command".into());
    }
    if let (Nesting::Flat, Some(matcher)) = (hooks.nesting, &matcher) {
        set(&mut handler, "matcher", matcher.clone());
    }
    set(&mut handler, hooks.command_key, hooks.command(entry).into());
    if let Some((key, scale)) = hooks.timeout {
        set(&mut handler, key, (entry.seconds * scale).into());
    }
    for (key, value) in hooks.extra {
        set(&mut handler, key, value.value());
    }
    for (key, value) in hooks.extra_before_writes.iter().filter(|_| entry.before_writes) {
        set(&mut handler, key, value.value());
    }
    if hooks.nesting == Nesting::Flat {
        return Value::Object(handler);
    }
    let mut group = Map::new();
    if let Some(matcher) = matcher {
        set(&mut group, "matcher", matcher);
    }
    set(&mut group, HOOKS, Value::Array(vec![Value::Object(handler)]));
    Value::Object(group)
}
