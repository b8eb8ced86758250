//! The trace: one JSON object per line for every action, so that afterwards anybody can tell who did what, and
//! whether the rules held.
//!
//! A line holds names and numbers only, never a purpose, a note or a prompt. Its keys stand in a fixed order and it
//! has one spelling, so that a seal over its bytes (`TraceId`) means something. Lines say more than is needed to
//! read them: the age, the time to live and the mode of the claim they act on. That is what lets the audit check
//! each line against those before it.
//!
//! # Limitations
//! The trace is a record and takes no part in any decision. A crash between a change and its line leaves a change
//! without a line, as a full disk does, and the audit reports it as such (`core::audit`, limitations).

mod id;
mod parse;
pub mod rules;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

pub use id::TraceId;
pub(in crate::core) use parse::shown;
pub use parse::{Entry, Fault, FaultKind, parse};

use super::{holder::UNKNOWN, text::visible, time::Timestamp};
use id::Digest;

/// No line is longer, in bytes, without its newline.
pub const MAX_LINE_BYTES: usize = 16 * 1024;
/// No target in a line is longer, in bytes.
pub const MAX_TASK_BYTES: usize = 4096;
/// No holder in a line is longer, in characters.
pub const MAX_HOLDER_CHARACTERS: usize = 200;

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// A claim was put down.
    Claim,
    /// The holder took again what it held: new heartbeat, perhaps another time to live or mode.
    Renew,
    /// Refused.
    Skip,
    /// Began to wait in the queue.
    Wait,
    /// A stale claim of another was cleared away.
    BreakClaim,
    /// The heartbeat was renewed and nothing else.
    Beat,
    /// The holder gave its claim back.
    Release,
    /// A note was queued.
    Handover,
    /// A note was taken to be worked on.
    Start,
    /// A note was done.
    Finish,
}

impl Action {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Claim,
        Self::Renew,
        Self::Skip,
        Self::Wait,
        Self::BreakClaim,
        Self::Beat,
        Self::Release,
        Self::Handover,
        Self::Start,
        Self::Finish,
    ];

    /// How the trace spells it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::Renew => "renew",
            Self::Skip => "skip",
            Self::Wait => "wait",
            Self::BreakClaim => "break-claim",
            Self::Beat => "beat",
            Self::Release => "release",
            Self::Handover => "handover",
            Self::Start => "start",
            Self::Finish => "finish",
        }
    }

    /// The action of that spelling.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.word() == word)
    }
}

/// On what terms a claim is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The effective time to live, in seconds.
    pub ttl_s: u32,
    /// Whether others may share the target.
    pub shared: bool,
}

/// Who acts on what, and when.
#[derive(Clone, Copy, Debug)]
pub struct Act<'a> {
    /// The one reading of the clock that the verb decides with and writes into the claim file.
    pub ts: Timestamp,
    /// Who acts.
    pub agent: &'a str,
    /// The target, spelled as in its claim file.
    pub task: &'a str,
}

/// Who stands in the way.
#[derive(Clone, Copy, Debug)]
pub struct Blocker<'a> {
    /// The holder.
    pub holder: &'a str,
    /// The age of that claim's heartbeat, in seconds; negative when it is ahead of the clock.
    pub idle_s: i64,
}

/// One line of the trace without its id. Use the constructors: they know what each action has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// When, by the clock of the acting process.
    pub ts: Timestamp,
    /// Who acted.
    pub agent: String,
    /// What was done.
    pub action: Action,
    /// The target.
    pub task: String,
    /// The number of the rule that this follows.
    pub rule: u8,
    /// The age in seconds that the heartbeat of the claim concerned had before this line.
    pub idle_s: Option<i64>,
    /// Whose stale claim this was.
    pub taken_from: Option<String>,
    /// Who refused, or is waited for.
    pub held_by: Option<String>,
    /// The effective time to live of the claim concerned, in seconds.
    pub ttl_s: Option<u32>,
    /// The mode of the claim concerned, or of the request that was refused.
    pub shared: bool,
    /// The number of the note among those of its target, from 1.
    pub note: Option<u64>,
    /// Seconds by the clock from this waiter's `wait` line to this line, 0 if the clock went back.
    pub waited_s: Option<u64>,
}

impl Line {
    fn new(act: Act<'_>, action: Action, rule: u8) -> Self {
        Self {
            ts: act.ts,
            agent: act.agent.to_owned(),
            action,
            task: act.task.to_owned(),
            rule,
            idle_s: None,
            taken_from: None,
            held_by: None,
            ttl_s: None,
            shared: false,
            note: None,
            waited_s: None,
        }
    }

    fn on(mut self, idle_s: i64, terms: Terms) -> Self {
        self.idle_s = Some(idle_s);
        self.ttl_s = Some(terms.ttl_s);
        self.shared = terms.shared;
        self
    }

    fn behind(mut self, blocker: Option<Blocker<'_>>, shared: bool) -> Self {
        self.held_by = blocker.map(|blocker| name(blocker.holder));
        self.idle_s = blocker.map(|blocker| blocker.idle_s);
        self.shared = shared;
        self
    }

    /// A new claim; `taken_from` when a stale claim on the same target was broken for it just before.
    pub fn claim(act: Act<'_>, terms: Terms, taken_from: Option<&str>) -> Self {
        let rule = if taken_from.is_some() { rules::TAKEOVER } else { rules::CLAIM_FIRST };
        let mut line = Self::new(act, Action::Claim, rule);
        line.ttl_s = Some(terms.ttl_s);
        line.shared = terms.shared;
        line.taken_from = taken_from.map(name);
        line
    }

    /// An own claim taken again: the age of the old heartbeat, the new terms.
    pub fn renew(act: Act<'_>, idle_s: i64, terms: Terms) -> Self {
        Self::new(act, Action::Renew, rules::KEEP_ALIVE).on(idle_s, terms)
    }

    /// A heartbeat: the age of the old one, the terms as they are.
    pub fn beat(act: Act<'_>, idle_s: i64, terms: Terms) -> Self {
        Self::new(act, Action::Beat, rules::KEEP_ALIVE).on(idle_s, terms)
    }

    /// An own claim given back.
    pub fn release(act: Act<'_>, idle_s: i64, terms: Terms) -> Self {
        Self::new(act, Action::Release, rules::RELEASE).on(idle_s, terms)
    }

    /// A stale claim of `from` cleared so that the agent can take its target or one that overlaps it. The `claim` or
    /// `renew` line of the same agent and second has to follow, with nothing but more of these in between.
    pub fn break_for_take(act: Act<'_>, from: Blocker<'_>, terms: Terms) -> Self {
        Self::broken(act, from, terms, rules::TAKEOVER)
    }

    /// A stale claim of `from` cleared and nothing taken: `release --stale`, or a take that failed after it.
    pub fn break_stale(act: Act<'_>, from: Blocker<'_>, terms: Terms) -> Self {
        Self::broken(act, from, terms, rules::RELEASE)
    }

    fn broken(act: Act<'_>, from: Blocker<'_>, terms: Terms, rule: u8) -> Self {
        let mut line = Self::new(act, Action::BreakClaim, rule).on(from.idle_s, terms);
        line.taken_from = Some(name(from.holder));
        line
    }

    /// A take, beat, guard or hook refused by a fresh claim; `shared` says how the request was judged.
    pub fn skip(act: Act<'_>, blocker: Blocker<'_>, shared: bool) -> Self {
        Self::new(act, Action::Skip, rules::REFUSED).behind(Some(blocker), shared)
    }

    /// A release refused because the claim, fresh or stale, is another's.
    pub fn skip_release(act: Act<'_>, blocker: Blocker<'_>) -> Self {
        Self::new(act, Action::Skip, rules::RELEASE).behind(Some(blocker), false)
    }

    /// Work on a note refused because the claim, fresh or stale, is another's.
    pub fn skip_note(act: Act<'_>, blocker: Blocker<'_>) -> Self {
        Self::new(act, Action::Skip, rules::NOTES).behind(Some(blocker), false)
    }

    /// A wait that ended while nobody held the target but others were still before it in the queue.
    pub fn skip_in_queue(act: Act<'_>, shared: bool, waited_s: u64) -> Self {
        Self::new(act, Action::Skip, rules::QUEUE).behind(None, shared).waited(waited_s)
    }

    /// Began to wait: for a fresh claim, or (no blocker) only for those who came before.
    pub fn wait(act: Act<'_>, blocker: Option<Blocker<'_>>, shared: bool) -> Self {
        Self::new(act, Action::Wait, rules::QUEUE).behind(blocker, shared)
    }

    /// A note was added.
    pub fn handover(act: Act<'_>, note: u64) -> Self {
        let mut line = Self::new(act, Action::Handover, rules::HAND_OVER);
        line.note = Some(note);
        line
    }

    /// A note was taken up; `idle_s` is the age of the own claim's heartbeat.
    pub fn start(act: Act<'_>, note: u64, idle_s: i64) -> Self {
        Self { idle_s: Some(idle_s), note: Some(note), ..Self::new(act, Action::Start, rules::NOTES) }
    }

    /// A note was finished; `idle_s` is the age of the own claim's heartbeat.
    pub fn finish(act: Act<'_>, note: u64, idle_s: i64) -> Self {
        Self { action: Action::Finish, ..Self::start(act, note, idle_s) }
    }

    /// The same line, ending a wait that began `waited_s` seconds ago.
    #[must_use]
    pub fn waited(mut self, waited_s: u64) -> Self {
        self.waited_s = Some(waited_s);
        self
    }

    /// What stands before and after the id, each with its own comma.
    fn around_id(&self, continues: Option<&TraceId>) -> (String, String) {
        let mut rest = String::with_capacity(160);
        text(&mut rest, "agent", &self.agent);
        text(&mut rest, "action", self.action.word());
        text(&mut rest, "task", &self.task);
        // Writing into a String cannot fail.
        _ = write!(rest, ",\"rule\":\"claim#{}\"", self.rule);
        number(&mut rest, "idle_s", self.idle_s);
        optional(&mut rest, "taken_from", self.taken_from.as_deref());
        optional(&mut rest, "held_by", self.held_by.as_deref());
        number(&mut rest, "ttl_s", self.ttl_s);
        if self.shared {
            rest.push_str(",\"shared\":true");
        }
        number(&mut rest, "note", self.note);
        number(&mut rest, "waited_s", self.waited_s);
        optional(&mut rest, "continues", continues.map(TraceId::to_string).as_deref());
        rest.push('}');
        (format!("{{\"ts\":\"{}\"", self.ts), rest)
    }
}

/// The holder that a claim file names. What stands there was not written by this program when it could not be a holder:
/// it is cut and cleaned, so that nobody gets content into the trace by way of a claim file, nor breaks its chain.
fn name(holder: &str) -> String {
    if holder.is_empty() { UNKNOWN.to_owned() } else { visible(holder) }
}

fn number(out: &mut String, key: &str, value: Option<impl std::fmt::Display>) {
    if let Some(value) = value {
        _ = write!(out, ",\"{key}\":{value}");
    }
}

fn optional(out: &mut String, key: &str, value: Option<&str>) {
    if let Some(value) = value {
        text(out, key, value);
    }
}

fn text(out: &mut String, key: &str, value: &str) {
    for piece in [",\"", key, "\":\""] {
        out.push_str(piece);
    }
    let special = |letter: char| matches!(letter, '"' | '\\' | '\0'..='\u{1f}');
    let mut rest = value;
    while let Some((plain, letter, after)) = rest.find(special).and_then(|at| {
        let (plain, from) = rest.split_at_checked(at)?;
        let letter = from.chars().next()?;
        Some((plain, letter, from.strip_prefix(letter)?))
    }) {
        out.push_str(plain);
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            _ => _ = write!(out, "\\u{:04x}", u32::from(letter)),
        }
        rest = after;
    }
    out.push_str(rest);
    out.push('"');
}

/// The hash over a line's own bytes, before the previous id is added to it.
fn body(before: &str, sequence: u64, after: &str) -> Digest {
    Digest::new().with(before.as_bytes()).with(sequence.to_string().as_bytes()).with(after.as_bytes())
}

fn seal(body: Digest, previous: Option<&TraceId>) -> u64 {
    previous.map_or(body, |previous| body.with(previous.to_string().as_bytes())).finish()
}

fn assemble(before: &str, id: &TraceId, after: &str) -> String {
    format!("{before},\"trace_id\":\"{id}\"{after}")
}

fn sealed(previous: Option<&TraceId>, line: &Line, continues: Option<&TraceId>) -> String {
    let (before, after) = line.around_id(continues);
    let sequence = previous.map_or(1, |previous| previous.sequence.saturating_add(1));
    let id = TraceId { sequence, seal: seal(body(&before, sequence, &after), previous) };
    let mut line = assemble(&before, &id, &after);
    line.push('\n');
    line
}

/// The bytes to append to a file that already has a line, newline included.
///
/// `previous` is the id of the last whole line (`last_id`); `None` only for the very first line of a trace.
pub fn next(previous: Option<&TraceId>, line: &Line) -> String {
    sealed(previous, line, None)
}

/// The bytes of the first whole line of a file. After a rotation, `previous` is the last id of the file before: the
/// line repeats it as `continues`, so that a reader who has lost the older files can still verify this one.
pub fn next_in_new_file(previous: Option<&TraceId>, line: &Line) -> String {
    sealed(previous, line, previous)
}

/// The id of the last whole line in the last bytes of a file, to chain the next line to.
///
/// Give it the whole file, or its last `2 * MAX_LINE_BYTES` and more; what is before the first newline of a part may
/// be half a line and is passed over like any other torn line. `None`: there is no whole line.
pub fn last_id(tail: &[u8]) -> Option<TraceId> {
    tail.rsplit(|byte| *byte == b'\n').find_map(|line| parse(line).ok()).map(|entry| entry.id)
}
