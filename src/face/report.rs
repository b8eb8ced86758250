//! What a command says: a text for people and one JSON object, both made, one printed.
//!
//! Answers go to standard output, refusals and errors to standard error; with `--json` the object goes to standard
//! output whatever it says. An answer that cannot be printed makes the command fail, even after a change was made: the
//! caller has not heard it.

use std::io;

use serde_json::{Map, Value};

use crate::{
    core::{
        claim::State,
        duration::glance,
        entry::{Entry, Record},
        time::Timestamp,
    },
    face::exit::{Exit, RefusedCode},
};

/// The outcome of a command.
#[must_use = "a report is nothing until it is printed"]
#[derive(Debug)]
pub(crate) struct Report {
    exit: Exit,
    answer: String,
    complaint: String,
    json: Map<String, Value>,
}

impl Report {
    /// A report with this outcome and nothing to say yet.
    pub(crate) fn new(exit: Exit, outcome: &str) -> Self {
        let mut json = Map::new();
        json.insert("outcome".to_owned(), outcome.into());
        Self { exit, answer: String::new(), complaint: String::new(), json }
    }

    /// A report of a text that is complete as it is.
    pub(crate) fn text(exit: Exit, outcome: &str, text: String) -> Self {
        Self { answer: text, ..Self::new(exit, outcome) }
    }

    /// A report whose two texts are complete as they are: a hook's answer in its host's own form.
    pub(crate) fn raw(exit: Exit, answer: String, complaint: String) -> Self {
        Self { answer, complaint, ..Self::new(exit, "hook") }
    }

    /// Adds a line to the answer.
    pub(crate) fn say(&mut self, line: impl AsRef<str>) {
        self.answer.push_str(line.as_ref());
        self.answer.push('\n');
    }

    /// Adds a line to what goes to standard error.
    pub(crate) fn complain(&mut self, line: impl AsRef<str>) {
        self.complaint.push_str(line.as_ref());
        self.complaint.push('\n');
    }

    /// Sets a key of the object.
    pub(crate) fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.json.insert(key.to_owned(), value.into());
    }

    /// Sets the keys that describe a claim file.
    pub(crate) fn describe(&mut self, entry: &Entry, now: Timestamp) {
        self.json.extend(described(entry, now));
    }

    /// Takes over what another report says; the graver code counts.
    pub(crate) fn absorb(&mut self, other: Self) -> Value {
        self.exit = self.exit.or_worse(other.exit);
        self.answer.push_str(&other.answer);
        self.complaint.push_str(&other.complaint);
        Value::Object(other.json)
    }

    /// Lets a refusal end with the code that was asked for.
    pub(crate) fn refused_as(mut self, code: &RefusedCode) -> Self {
        self.exit = code.applied(self.exit);
        self
    }

    /// Something beside the answer could not be done: no success is left of it, but a code that says more stays.
    pub(crate) fn fail(&mut self) {
        if self.exit.code() == 0 {
            self.exit = Exit::Error;
        }
    }

    /// How the command ends if all is printed.
    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    /// All of the text, for a screen of its own.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.answer.lines().chain(self.complaint.lines()).map(str::to_owned).collect()
    }

    /// Prints the report and returns how the command ends.
    pub(crate) fn print(mut self, json: bool) -> Exit {
        if json {
            self.answer = format!("{:#}\n", Value::Object(self.json));
            self.complaint.clear();
        }
        // Nobody is left to hear that standard error is closed; the code still says it.
        let complained = write(&mut io::stderr().lock(), &self.complaint);
        match write(&mut io::stdout().lock(), &self.answer) {
            Ok(()) if complained.is_ok() || self.exit != Exit::Done => self.exit,
            Ok(()) => Exit::Error,
            Err(error) => {
                if error.kind() != io::ErrorKind::BrokenPipe {
                    drop(write(&mut io::stderr().lock(), &format!("claim: cannot write the answer: {error}\n")));
                }
                self.exit.or_worse(Exit::Error)
            }
        }
    }
}

/// Says something while a command is still at work. Nobody need hear it.
pub(crate) fn tell(text: &str) {
    drop(write(&mut io::stderr().lock(), text));
}

fn write(stream: &mut impl io::Write, text: &str) -> io::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    stream.write_all(text.as_bytes())?;
    stream.flush()
}

/// The keys that describe a claim file: the claim as its file has it, and its ages in whole seconds.
pub(crate) fn described(entry: &Entry, now: Timestamp) -> Map<String, Value> {
    let mut map = Map::new();
    let mut set = |key: &str, value: Value| {
        map.insert(key.to_owned(), value);
    };
    let age = now.since(entry.heartbeat());
    let claim = entry.claim();
    set("claim", claim.and_then(|claim| serde_json::to_value(claim).ok()).unwrap_or_default());
    set("file", entry.file.clone().into());
    set("state", state_word(entry, now).into());
    set("heartbeat_age_s", age.into());
    set("stale_in_s", stale_in(entry, now).into());
    if let Some(claim) = claim {
        set("held_s", now.since(claim.taken_at).into());
    }
    if let Record::Unreadable { reason, .. } = &entry.record {
        set("holder", crate::core::holder::UNKNOWN.into());
        set("unreadable", reason.clone().into());
    }
    map
}

/// The stable word for the state of a claim file.
pub(crate) fn state_word(entry: &Entry, now: Timestamp) -> &'static str {
    match (&entry.record, entry.state(now)) {
        (Record::Misnamed(..), _) => "misnamed",
        (Record::Unreadable { .. }, State::Fresh) => "unreadable",
        (Record::Unreadable { .. }, _) => "unreadable-stale",
        (_, State::Fresh) => "fresh",
        (_, State::Stale) => "stale",
        (_, State::Future) => "future",
    }
}

/// Seconds until the claim goes stale if nobody beats it; negative since it did, and for a claim of the future by how much
/// it is too far ahead.
pub(crate) fn stale_in(entry: &Entry, now: Timestamp) -> i64 {
    let ttl = i64::try_from(entry.time_to_live().seconds()).unwrap_or(i64::MAX);
    let age = now.since(entry.heartbeat());
    match entry.state(now) {
        State::Future => ttl.saturating_sub(age.saturating_abs()),
        State::Fresh | State::Stale => ttl.saturating_sub(age),
    }
}

/// How long ago, for people; or how far ahead, where a clock is wrong.
pub(crate) fn ago(age: i64) -> String {
    if age < 0 { format!("{} ahead", span(age.saturating_neg())) } else { format!("{} ago", span(age)) }
}

/// A time span for people. What lies ahead, because a clock is wrong, counts as no time.
pub(crate) fn span(seconds: i64) -> String {
    glance(u64::try_from(seconds).unwrap_or(0))
}
