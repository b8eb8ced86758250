//! Reads a trace line back, whatever the bytes are.
//!
//! A trace can be written to by anybody who can write into its directory, so nothing is believed: every name is
//! bounded and free of control characters, no key is accepted that this version does not write, and the line must
//! be spelled exactly as this version would spell it. Messages never repeat more than a short, cleaned piece of it.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde_json::Value;
use serde_json::error::Category;

use super::id::Digest;
use super::{Action, Line, MAX_HOLDER_CHARACTERS, MAX_LINE_BYTES, MAX_TASK_BYTES, TraceId, rules};
use crate::core::audit::MAX_TTL_S;
use crate::core::target::{PathStyle, Target};
use crate::core::text::{is_hidden, visible};
use crate::core::time::Timestamp;

/// What is wrong with a line taken by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// It breaks off, as when the machine or the disk stopped while it was written.
    Torn,
    /// It is no JSON object, or a value in it has the wrong type or is out of bounds.
    NotATraceLine,
    /// It holds something that may be content: an unknown key, a long text, control characters.
    Content,
    /// Its action is none of the known ones.
    UnknownAction,
    /// There is no rule of that number.
    UnknownRule,
    /// The rule is not one that this line can follow.
    WrongRule,
    /// A key that this action needs is missing, or one that it never has is there.
    WrongFields,
    /// It says something readable in another spelling than the program's.
    NotCanonical,
}

impl FaultKind {
    /// A stable word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Torn => "torn-line",
            Self::NotATraceLine => "not-a-trace-line",
            Self::Content => "content",
            Self::UnknownAction => "unknown-action",
            Self::UnknownRule => "unknown-rule",
            Self::WrongRule => "wrong-rule",
            Self::WrongFields => "wrong-fields",
            Self::NotCanonical => "not-canonical",
        }
    }
}

/// One thing that is wrong with a line, with a sentence that is safe to print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What kind.
    pub kind: FaultKind,
    /// One sentence.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.kind.word(), self.message)
    }
}

impl std::error::Error for Fault {}

fn fault(kind: FaultKind, message: impl Into<String>) -> Fault {
    Fault { kind, message: message.into() }
}

/// A line that could be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its id, as written.
    pub id: TraceId,
    /// What it says.
    pub line: Line,
    /// The target that `line.task` spells.
    pub target: Target,
    /// The last id of the file before, on the first line of a file.
    pub continues: Option<TraceId>,
    body: Digest,
}

impl Entry {
    /// Whether the seal fits the line and the id of the line before it (`None`: it is the first ever).
    pub fn follows(&self, previous: Option<&TraceId>) -> bool {
        self.id.seal == super::seal(self.body, previous)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire<'a> {
    #[serde(borrow)]
    ts: Cow<'a, str>,
    #[serde(borrow)]
    trace_id: Cow<'a, str>,
    agent: String,
    #[serde(borrow)]
    action: Cow<'a, str>,
    task: String,
    #[serde(borrow)]
    rule: Cow<'a, str>,
    idle_s: Option<i64>,
    taken_from: Option<String>,
    held_by: Option<String>,
    ttl_s: Option<u32>,
    #[serde(default)]
    shared: bool,
    note: Option<u64>,
    waited_s: Option<u64>,
    continues: Option<String>,
}

const KEYS: [&str; 14] = [
    "ts",
    "trace_id",
    "agent",
    "action",
    "task",
    "rule",
    "idle_s",
    "taken_from",
    "held_by",
    "ttl_s",
    "shared",
    "note",
    "waited_s",
    "continues",
];

/// Reads one line, without its newline. It is total: any bytes give an entry or the first fault found.
///
/// An entry may still be at odds with itself (`Line::check`) or with the lines before it (`core::audit`).
///
/// # Errors
/// A `Fault` that says why these bytes are no trace line.
pub fn parse(bytes: &[u8]) -> Result<Entry, Fault> {
    if bytes.len() > MAX_LINE_BYTES {
        return Err(fault(
            FaultKind::Content,
            format!("the line has {} bytes, {MAX_LINE_BYTES} are the most", bytes.len()),
        ));
    }
    // After a power cut some file systems fill what was never written with zeros.
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last.saturating_add(1));
    let text = match std::str::from_utf8(bytes.get(..end).unwrap_or_default()) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => return Err(torn()),
        Err(_) => return Err(fault(FaultKind::NotATraceLine, "the line is not UTF-8")),
    };
    let wire: Wire<'_> = serde_json::from_str(text).map_err(|error| diagnose(text, &error))?;
    let entry = read(wire)?;
    if end < bytes.len() || !entry.1.as_bytes().eq(bytes) {
        return Err(fault(FaultKind::NotCanonical, "the line is not spelled as claim spells it"));
    }
    Ok(entry.0)
}

fn torn() -> Fault {
    fault(FaultKind::Torn, "the line breaks off: its writer was interrupted, and what it did may be missing")
}

/// Finds the reason why a line does not have the form of `Wire`.
fn diagnose(text: &str, error: &serde_json::Error) -> Fault {
    if error.classify() == Category::Eof {
        return torn();
    }
    let not = |message: &str| fault(FaultKind::NotATraceLine, message);
    let fields = match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) => return not("the line is not a JSON object"),
        Err(_) => return not("the line is not JSON"),
    };
    if let Some(key) = fields.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return fault(FaultKind::Content, format!("the key `{}` does not belong in a trace", shown(key)));
    }
    if let Some(key) = KEYS.iter().take(6).find(|key| !fields.contains_key(**key)) {
        return fault(FaultKind::WrongFields, format!("the key `{key}` is missing"));
    }
    not("a value has the wrong type or is out of bounds, or a key stands twice")
}

/// A piece of foreign text, cut and without control characters, for a message.
pub(in crate::core) fn shown(text: &str) -> String {
    visible(text)
}

fn holder(key: &str, name: &str) -> Result<(), Fault> {
    if name.is_empty() {
        return Err(fault(FaultKind::NotATraceLine, format!("`{key}` is empty")));
    }
    if name.chars().take(MAX_HOLDER_CHARACTERS.saturating_add(1)).count() > MAX_HOLDER_CHARACTERS {
        return Err(fault(FaultKind::Content, format!("`{key}` is longer than {MAX_HOLDER_CHARACTERS} characters")));
    }
    uncontrolled(key, name)
}

fn uncontrolled(key: &str, value: &str) -> Result<(), Fault> {
    if value.chars().any(is_hidden) {
        return Err(fault(FaultKind::Content, format!("`{key}` holds control characters")));
    }
    Ok(())
}

fn read(wire: Wire<'_>) -> Result<(Entry, String), Fault> {
    let not = |message: &str| fault(FaultKind::NotATraceLine, message);
    let ts = Timestamp::parse(&wire.ts).ok_or_else(|| not("`ts` is not an RFC 3339 time"))?;
    let id = TraceId::parse(&wire.trace_id).ok_or_else(|| not("`trace_id` is not of the form NUMBER-HASH"))?;
    holder("agent", &wire.agent)?;
    for (key, name) in [("taken_from", &wire.taken_from), ("held_by", &wire.held_by)] {
        if let Some(name) = name {
            holder(key, name)?;
        }
    }
    if wire.task.len() > MAX_TASK_BYTES {
        return Err(fault(FaultKind::Content, format!("`task` is longer than {MAX_TASK_BYTES} bytes")));
    }
    uncontrolled("task", &wire.task)?;
    let target = Target::recorded(&wire.task, PathStyle::HERE).ok().ok_or_else(|| not("`task` is not a target"))?;
    let action = Action::from_word(&wire.action)
        .ok_or_else(|| fault(FaultKind::UnknownAction, format!("`{}` is not an action", shown(&wire.action))))?;
    let rule = (wire.rule.strip_prefix("claim#").and_then(|number| number.parse().ok()))
        .filter(|number| rules::rule(*number).is_some())
        .ok_or_else(|| fault(FaultKind::UnknownRule, format!("`{}` is not a rule", shown(&wire.rule))))?;
    if wire.ttl_s.is_some_and(|ttl| !(1..=MAX_TTL_S).contains(&ttl)) {
        return Err(not("`ttl_s` is out of bounds"));
    }
    if wire.note == Some(0) {
        return Err(not("notes are numbered from 1"));
    }
    let continues = match wire.continues {
        None => None,
        Some(text) => Some(TraceId::parse(&text).ok_or_else(|| not("`continues` is not a trace id"))?),
    };
    let line = Line {
        ts,
        agent: wire.agent,
        action,
        task: wire.task,
        rule,
        idle_s: wire.idle_s,
        taken_from: wire.taken_from,
        held_by: wire.held_by,
        ttl_s: wire.ttl_s,
        shared: wire.shared,
        note: wire.note,
        waited_s: wire.waited_s,
    };
    let (before, after) = line.around_id(continues.as_ref());
    let body = super::body(&before, id.sequence, &after);
    let spelled = super::assemble(&before, &id, &after);
    Ok((Entry { id, line, target, continues, body }, spelled))
}

use Need::{May, Must, Never};

/// Whether a key has to be there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    Must,
    May,
    Never,
}

impl Line {
    /// Whether the line agrees with itself: the rule fits what was done, and the keys are those of the action.
    ///
    /// # Errors
    /// The first thing that does not fit.
    pub fn check(&self) -> Result<(), Fault> {
        self.check_rule()?;
        let queued = self.rule == rules::QUEUE;
        let [idle, from, by, ttl, shared, note, waited] = match self.action {
            Action::Claim if self.rule == rules::TAKEOVER => [Never, Must, Never, Must, May, Never, May],
            Action::Claim => [Never, Never, Never, Must, May, Never, May],
            Action::Renew => [Must, Never, Never, Must, May, Never, May],
            Action::Beat | Action::Release => [Must, Never, Never, Must, May, Never, Never],
            Action::BreakClaim => [Must, Must, Never, Must, May, Never, Never],
            Action::Skip if queued => [Never, Never, Never, Never, May, Never, Must],
            Action::Skip if self.rule == rules::REFUSED => [Must, Never, Must, Never, May, Never, May],
            Action::Skip => [Must, Never, Must, Never, Never, Never, Never],
            Action::Wait if self.held_by.is_none() => [Never, Never, Never, Never, May, Never, Never],
            Action::Wait => [Must, Never, Must, Never, May, Never, Never],
            Action::Handover => [Never, Never, Never, Never, Never, Must, Never],
            Action::Start | Action::Finish => [Must, Never, Never, Never, Never, Must, Never],
        };
        for (key, need, there) in [
            ("idle_s", idle, self.idle_s.is_some()),
            ("taken_from", from, self.taken_from.is_some()),
            ("held_by", by, self.held_by.is_some()),
            ("ttl_s", ttl, self.ttl_s.is_some()),
            ("shared", shared, self.shared),
            ("note", note, self.note.is_some()),
            ("waited_s", waited, self.waited_s.is_some()),
        ] {
            let complaint = match (need, there) {
                (Must, false) => "misses",
                (Never, true) => "cannot have",
                _ => continue,
            };
            let action = self.action.word();
            let message = format!("a `{action}` line under claim#{} {complaint} `{key}`", self.rule);
            return Err(fault(FaultKind::WrongFields, message));
        }
        Ok(())
    }

    fn check_rule(&self) -> Result<(), Fault> {
        if rules::rule(self.rule).is_some_and(|rule| rule.actions.contains(&self.action)) {
            return Ok(());
        }
        let message = format!("a `{}` line does not follow claim#{}", self.action.word(), self.rule);
        Err(fault(FaultKind::WrongRule, message))
    }
}
