//! Does the trace obey the rules, and is the claims directory what the trace says it should be?
//!
//! The audit believes nothing. It reads every line as if a stranger had written it, checks that none is missing or
//! altered, and plays the whole history again by the rules, so that a forged line has to fit everything before and
//! after it. After a broken rule it goes on with what the line claims to be true, so that one cause gives one
//! finding as far as possible.
//!
//! # Limitations
//! The line follows the change, so that the trace never tells of what did not happen. Between the two a process can be
//! killed, and a full disk or an unwritable trace can refuse the line (then the verb warns, and stands). Such a change
//! has no line, and the audit cannot tell it from one that somebody made by hand or whose line was cut off the end: it
//! reports it, as `unexplained-claim`, `missing-claim`, `wrong-claim` or the like for notes while it can be seen in the
//! directory, and as `not-held`, `two-holders` or the like at the next line that builds on it. One lost line gives one
//! cause of findings; they stay for as long as the trace is kept, since nothing in it is ever rewritten. The claims
//! themselves are right all the while: no decision is ever taken from the trace.
//!
//! The caller has to read the trace and the directory under the lock, or they are not of the same moment. A trace
//! whose every line was made up consistently, together with the directory, is not told from a true one. Whether
//! waiters were served in their order cannot be seen in the trace, which does not know who had died: claim#6 is
//! checked only as far as a wait that ends must have begun. What happened before the oldest line is unknown, and is
//! not judged until a line speaks of it.

mod acts;
mod directory;
mod finding;
mod holdings;
mod notes;
mod record;
mod replay;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

pub use directory::{Directory, DirectoryEntry, NoteEntry};
pub use finding::{Counts, Finding, Kind, Report};
pub use notes::NoteState;
pub use record::{MAX_TTL_S, Record};

use super::time::Timestamp;
use super::trace::{self, Entry, FaultKind, TraceId};
use replay::Replay;

/// How far a line may be behind the one before it, in seconds, without a remark: a verb reads the clock before it
/// waits for the lock.
const ORDINARY_DELAY_S: i64 = 10;

/// A trace line and where it stands: the file, the number of the line in it from 1, its bytes without the newline.
pub type Source<'a> = (&'a str, u64, &'a [u8]);

/// Audits a whole trace, the oldest file first, against the directory as it is `now`.
pub fn audit<'a>(lines: impl IntoIterator<Item = Source<'a>>, directory: &Directory, now: Timestamp) -> Report {
    let mut auditor = Auditor::default();
    for (file, number, bytes) in lines {
        auditor.line(file, number, bytes);
    }
    auditor.finish(directory, now)
}

/// An audit under way, for a caller that reads the trace line by line.
#[derive(Clone, Default)]
pub struct Auditor {
    report: Report,
    holders: HashSet<String>,
    replay: Replay,
    file: String,
    number: u64,
    /// No whole line of this file has been seen.
    at_file_start: bool,
    previous: Option<TraceId>,
    /// Lines since `previous` that took a number in the sequence, as far as one can tell, but cannot be read.
    unread: u64,
    last_ts: Option<Timestamp>,
    /// The latest time of all, and where it stands.
    latest: Option<(Timestamp, String, u64)>,
}

impl Auditor {
    /// Takes the next line: its file, its number in it from 1, its bytes without the newline.
    pub fn line(&mut self, file: &str, number: u64, bytes: &[u8]) {
        let counts = &mut self.report.counts;
        if counts.lines == 0 || self.file != file {
            file.clone_into(&mut self.file);
            self.at_file_start = true;
            counts.files = counts.files.saturating_add(1);
        }
        counts.lines = counts.lines.saturating_add(1);
        self.number = number;
        let entry = match trace::parse(bytes) {
            Ok(entry) => entry,
            Err(fault) => {
                // A torn line never became part of the chain: the next writer used its number again.
                if fault.kind != FaultKind::Torn {
                    self.unread = self.unread.saturating_add(1);
                }
                return self.found(Kind::Fault(fault.kind), fault.message);
            }
        };
        if let Err(fault) = entry.line.check() {
            self.found(Kind::Fault(fault.kind), fault.message);
        }
        self.check_sequence(&entry);
        self.check_clock(entry.line.ts);
        self.count(&entry);
        let mut complaints = Vec::new();
        self.replay.apply(&entry.line, &entry.target, &mut complaints);
        for (kind, message) in complaints {
            self.found(kind, message);
        }
    }

    /// Ends the audit: compares the directory, and counts what is held.
    pub fn finish(mut self, directory: &Directory, now: Timestamp) -> Report {
        let mut complaints = Vec::new();
        self.replay.end(&mut complaints);
        for (kind, message) in complaints {
            self.found(kind, message);
        }
        if let Some((latest, file, line)) = self.latest.take()
            && latest.since(now) > ORDINARY_DELAY_S
        {
            let message = format!("the line is of {latest}, {} s from now", latest.since(now));
            let line = Some(line);
            self.report.findings.push(Finding { kind: Kind::AheadOfClock, file, line, message });
        }
        self.report.findings.extend(directory::compare(&self.replay, directory));
        let counts = &mut self.report.counts;
        counts.holders = self.holders.len().try_into().unwrap_or(u64::MAX);
        for (_, _, held) in self.replay.holdings.all() {
            counts.held = counts.held.saturating_add(1);
            counts.stale = counts.stale.saturating_add(u64::from(!held.is_fresh(now)));
        }
        self.report
    }

    fn found(&mut self, kind: Kind, message: String) {
        let file = trace::shown(&self.file);
        self.report.findings.push(Finding { kind, file, line: Some(self.number), message });
    }

    fn count(&mut self, entry: &Entry) {
        let count = self.report.counts.actions.entry(entry.line.action.word()).or_default();
        *count = count.saturating_add(1);
        if !self.holders.contains(&entry.line.agent) {
            self.holders.insert(entry.line.agent.clone());
        }
    }

    /// Is this the line that follows the one before it? If lines are missing, what was held is no longer known.
    fn check_sequence(&mut self, entry: &Entry) {
        let at_file_start = std::mem::replace(&mut self.at_file_start, false);
        let unread = std::mem::take(&mut self.unread);
        let sequence = entry.id.sequence;
        let previous = self.previous.replace(entry.id);
        let first_ever = previous.is_none() && sequence == 1;
        let expected = previous.map_or(1, |previous| previous.sequence.saturating_add(1));
        if sequence == expected {
            self.check_seal(entry, previous.as_ref(), at_file_start && !first_ever);
        } else if expected.checked_add(unread).is_some_and(|last| (expected..=last).contains(&sequence)) {
            // The missing ones are the lines that could not be read, and were reported.
            self.replay.forget();
        } else if previous.is_none()
            && entry.continues.is_some_and(|before| before.sequence.checked_add(1) == Some(sequence))
        {
            self.replay.forget();
            self.check_seal(entry, entry.continues.as_ref(), true);
            self.found(Kind::BeginsLater, format!("the {} lines before this one are gone", expected_gap(1, sequence)));
        } else {
            self.replay.forget();
            let message = match (previous, expected_gap(expected, sequence)) {
                (Some(previous), 0) => {
                    format!("number {sequence} after {}: a line stands twice, or elsewhere", previous.sequence)
                }
                (_, gap) => format!("{gap} lines are missing before this one"),
            };
            self.found(Kind::MissingLines, message);
        }
    }

    fn check_seal(&mut self, entry: &Entry, previous: Option<&TraceId>, starts_file: bool) {
        let expected = if starts_file { previous } else { None };
        if !entry.follows(previous) {
            let message = "the seal does not fit: this line or the id before it was altered".to_owned();
            self.found(Kind::BrokenChain, message);
        } else if entry.continues.as_ref() != expected {
            let message = "`continues` is for the first line of a file, and names the last line before it".to_owned();
            self.found(Kind::MissingLines, message);
        }
    }

    fn check_clock(&mut self, ts: Timestamp) {
        let back = self.last_ts.map_or(0, |last| last.since(ts));
        if back > ORDINARY_DELAY_S {
            self.found(Kind::ClockWentBack, format!("the clock went back by {back} s"));
        }
        self.last_ts = Some(ts);
        if self.latest.as_ref().is_none_or(|(latest, ..)| ts > *latest) {
            self.latest = Some((ts, trace::shown(&self.file), self.number));
        }
    }
}

fn expected_gap(expected: u64, sequence: u64) -> u64 {
    sequence.saturating_sub(expected)
}
