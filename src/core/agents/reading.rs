//! Payload in: which host, which session, which moment, which tool call.
//!
//! Total over every JSON value. Keys are JSON pointers (RFC 6901), and what is not a non-empty string counts as absent.

use serde_json::Value;

use super::tools::{file_server_kind, nameless, read};
use super::{AGENTS, Agent, Call, Event, Tool};

/// A sign of a host in a payload.
#[derive(Debug)]
pub(super) enum Mark {
    /// The key is there and not null.
    Has(&'static str),
    /// The key is absent or null.
    Lacks(&'static str),
    /// The key is there and null.
    Null(&'static str),
    /// The event's name is one of these, to the letter.
    Event(&'static [&'static str]),
    /// The text at the key contains this.
    Contains(&'static str, &'static str),
    /// The text at the key is a path whose last part begins with this.
    FileName(&'static str, &'static str),
}

/// Where a host's payload says what.
#[derive(Debug)]
pub(super) struct Keys {
    pub(super) event: &'static [&'static str],
    /// The session's id, the root session's first.
    pub(super) session: &'static [&'static str],
    /// The id of the session that made the call, where it may differ from the root's.
    pub(super) own_session: Option<&'static str>,
    /// Set in a sub-agent's calls only.
    pub(super) subagent: &'static [&'static str],
    pub(super) cwd: &'static [&'static str],
    pub(super) workspace_root: &'static [&'static str],
    /// Where a tool's name stands, and its arguments.
    pub(super) calls: &'static [(&'static str, &'static str)],
}

/// What a payload is about. `None` when it is no known host's.
pub fn recognise(payload: &Value) -> Option<Call> {
    payload.as_object()?;
    let agent = AGENTS
        .iter()
        .find(|agent| agent.marks.iter().any(|group| group.iter().all(|mark| mark.holds(agent, payload))))?;
    let keys = &agent.keys;
    let session = first_text(payload, keys.session);
    let own = keys.own_session.and_then(|key| text(payload, key));
    let subagent = first_text(payload, keys.subagent).is_some() || (own.is_some() && own != session);
    let event_name = first_text(payload, keys.event);
    let event = moment(agent, payload, event_name, subagent);
    let (tool_name, tool) = match event {
        Event::BeforeTool | Event::AfterTool => tool_call(agent, payload, event, event_name),
        _ => (None, Tool::Other),
    };
    Some(Call {
        agent,
        session: session.map(String::from),
        subagent,
        cwd: first_text(payload, keys.cwd).map(String::from),
        workspace_root: first_text(payload, keys.workspace_root).map(String::from),
        event,
        event_name: event_name.map(String::from),
        tool_name,
        tool,
    })
}

impl Mark {
    fn holds(&self, agent: &Agent, payload: &Value) -> bool {
        match *self {
            Mark::Has(key) => payload.pointer(key).is_some_and(|value| !value.is_null()),
            Mark::Lacks(key) => payload.pointer(key).is_none_or(Value::is_null),
            Mark::Null(key) => payload.pointer(key).is_some_and(Value::is_null),
            Mark::Event(names) => first_text(payload, agent.keys.event).is_some_and(|event| names.contains(&event)),
            Mark::Contains(key, part) => text(payload, key).is_some_and(|text| text.contains(part)),
            Mark::FileName(key, start) => text(payload, key)
                .and_then(|path| path.rsplit(['/', '\\']).next())
                .is_some_and(|name| name.starts_with(start)),
        }
    }
}

fn moment(agent: &Agent, payload: &Value, name: Option<&str>, subagent: bool) -> Event {
    let listed = match name {
        Some(name) => find(agent.events, name),
        None => agent.unnamed.iter().find(|(key, _)| payload.pointer(key).is_some()).map(|(_, event)| *event),
    };
    match listed.unwrap_or(Event::Other) {
        // A sub-agent that is done must not end the session that it works for.
        Event::SessionStart { .. } | Event::SessionEnd if subagent => Event::Other,
        Event::SessionStart { continues } => {
            let origin = first_text(payload, &["/source", "/reason"]);
            Event::SessionStart { continues: continues || matches!(origin, Some("fork" | "resume")) }
        }
        // pi tears its extensions down to load them anew; the session goes on.
        Event::SessionEnd if text(payload, "/reason") == Some("reload") => Event::Other,
        event => event,
    }
}

fn tool_call(agent: &Agent, payload: &Value, event: Event, event_name: Option<&str>) -> (Option<String>, Tool) {
    let mut first_name = None;
    let mut without_input = None;
    for (name_key, input_key) in agent.keys.calls {
        let Some(name) = text(payload, name_key) else {
            continue;
        };
        let input = payload.pointer(input_key);
        if let Some(kind) = find(agent.tools, name).or_else(|| file_server_kind(name)) {
            if input.is_some() {
                return (Some(name.into()), read(name, kind, input));
            }
            without_input.get_or_insert((name, kind));
        }
        // Where an event may be the tool itself, one that is not is no tool's name.
        if Some(name) != event_name {
            first_name.get_or_insert(name);
        }
    }
    if let Some((name, kind)) = without_input {
        return (Some(name.into()), read(name, kind, None));
    }
    let tool = match first_name {
        Some(_) => Tool::Other,
        None if event == Event::BeforeTool => nameless(agent, payload),
        None => Tool::Other,
    };
    (first_name.map(String::from), tool)
}

fn first_text<'a>(payload: &'a Value, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| text(payload, key))
}

fn text<'a>(payload: &'a Value, key: &str) -> Option<&'a str> {
    payload.pointer(key)?.as_str().filter(|text| !text.is_empty())
}

fn find<T: Copy>(rows: &[(&[&str], T)], name: &str) -> Option<T> {
    rows.iter().find(|(names, _)| names.iter().any(|listed| same_name(listed, name))).map(|(_, row)| *row)
}

/// Whether two names differ at most in case and in what joins their words: `PreToolUse` and `pre_tool_use`.
pub(super) fn same_name(one: &str, other: &str) -> bool {
    fn letters(name: &str) -> impl Iterator<Item = u8> {
        name.bytes().filter(|byte| !b"_.-".contains(byte)).map(|byte| byte.to_ascii_lowercase())
    }
    letters(one).eq(letters(other))
}
