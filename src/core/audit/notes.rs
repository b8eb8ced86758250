//! The life of the handover notes of one target: added, started, finished, in that order and oldest first.

use std::collections::{BTreeMap, BTreeSet};

use super::finding::Kind;

/// How somebody who once started a note stands now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// He has no claim on the target any more.
    Lost,
    /// His claim went stale, but is there.
    Stale,
    /// He is at work.
    Fresh,
}

/// Where a note is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoteState {
    /// In `inbox/`.
    Queued,
    /// In `claimed/`.
    Started,
    /// In `done/`.
    Finished,
}

impl NoteState {
    /// A word for messages.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Started => "started",
            Self::Finished => "finished",
        }
    }
}

/// The notes of one target.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    /// The number that the next note gets; `None` until it is known.
    next: Option<u64>,
    /// Notes below this number were added before the trace begins, and are unknown until a line names them.
    known_from: u64,
    queued: BTreeSet<u64>,
    started: BTreeMap<u64, String>,
    finished: BTreeSet<u64>,
}

/// What does not fit, and a sentence about it.
pub(super) type Complaint = (Kind, String);

impl Queue {
    /// A queue at its first mention; `whole` when the trace reaches back to its first note.
    pub(super) fn new(whole: bool) -> Self {
        let (next, known_from) = if whole { (Some(1), 1) } else { (None, u64::MAX) };
        Self { next, known_from, queued: BTreeSet::new(), started: BTreeMap::new(), finished: BTreeSet::new() }
    }

    pub(super) fn add(&mut self, note: u64) -> Result<(), Complaint> {
        let expected = self.next.replace(note.saturating_add(1));
        self.known_from = self.known_from.min(note);
        let fits = expected.is_none_or(|expected| expected == note);
        // A number given twice must not bring a finished note back.
        if !self.finished.contains(&note) && !self.started.contains_key(&note) {
            self.queued.insert(note);
        }
        if fits {
            return Ok(());
        }
        let expected = expected.unwrap_or_default();
        Err((Kind::NoteNumber, format!("the note has number {note}, the next one is {expected}")))
    }

    pub(super) fn start(
        &mut self,
        note: u64,
        agent: &str,
        standing: impl Fn(&str) -> Standing,
    ) -> Result<(), Complaint> {
        self.meet(note);
        if self.finished.contains(&note) {
            return Err((Kind::NoteUnknown, format!("note {note} was already finished")));
        }
        let left = self.started.iter().find(|(_, by)| *by != agent && standing(by) == Standing::Lost);
        let left = left.map(|(left, _)| *left);
        let order = |first: u64| Err((Kind::NoteOrder, format!("note {note} was started before note {first}")));
        let verdict = match self.started.get(&note) {
            Some(by) if by == agent => Ok(()),
            Some(by) => match (standing(by), left) {
                (Standing::Fresh, _) => Err((Kind::NoteOrder, format!("{by} is still at work on note {note}"))),
                (Standing::Lost, Some(first)) if first < note => order(first),
                _ => Ok(()),
            },
            None if self.queued.contains(&note) => match left.or(self.queued.first().copied()) {
                Some(first) if first != note => order(first),
                _ => Ok(()),
            },
            None => return Err((Kind::NoteUnknown, format!("note {note} was never added"))),
        };
        self.queued.remove(&note);
        self.started.insert(note, agent.to_owned());
        verdict
    }

    pub(super) fn finish(
        &mut self,
        note: u64,
        agent: &str,
        standing: impl Fn(&str) -> Standing,
    ) -> Result<(), Complaint> {
        self.meet(note);
        let verdict = match self.started.remove(&note) {
            Some(by) if by != agent && standing(&by) == Standing::Fresh => {
                Err((Kind::NoteNotStarted, format!("{by} is at work on note {note}")))
            }
            Some(_) => Ok(()),
            None if self.finished.contains(&note) => {
                Err((Kind::NoteUnknown, format!("note {note} was already finished")))
            }
            None if self.queued.remove(&note) => {
                Err((Kind::NoteNotStarted, format!("note {note} was finished before it was started")))
            }
            None => return Err((Kind::NoteUnknown, format!("note {note} was never added"))),
        };
        self.finished.insert(note);
        verdict
    }

    /// Takes note of a note that is older than the trace when a line first names it.
    fn meet(&mut self, note: u64) {
        if self.may_be_older(note) && self.state(note).is_none() {
            self.started.insert(note, String::new());
        }
    }

    /// Where a note is, if the trace knows of it.
    pub(super) fn state(&self, note: u64) -> Option<NoteState> {
        if self.queued.contains(&note) {
            Some(NoteState::Queued)
        } else if self.started.contains_key(&note) {
            Some(NoteState::Started)
        } else {
            self.finished.contains(&note).then_some(NoteState::Finished)
        }
    }

    /// Every note that the trace knows of.
    pub(super) fn states(&self) -> impl Iterator<Item = (u64, NoteState)> {
        let queued = self.queued.iter().map(|note| (*note, NoteState::Queued));
        let started = self.started.keys().map(|note| (*note, NoteState::Started));
        let finished = self.finished.iter().map(|note| (*note, NoteState::Finished));
        queued.chain(started).chain(finished)
    }

    /// Whether a note of this number may have been added before the trace begins.
    pub(super) fn may_be_older(&self, note: u64) -> bool {
        note < self.known_from && self.next.is_none_or(|next| note < next)
    }
}
