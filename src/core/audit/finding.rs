//! What an audit reports: findings with a stable word, and counts.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::core::trace::FaultKind;

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A line is wrong by itself.
    Fault(FaultKind),
    /// Lines are missing, or stand twice or in another order.
    MissingLines,
    /// A line or the one before it is not what was once written.
    BrokenChain,
    /// A claim was put down beside a fresh one that excludes it.
    TwoHolders,
    /// Somebody claimed what he already held.
    AlreadyHeld,
    /// A claim was broken while it was fresh.
    TakeoverTooEarly,
    /// A stale claim gave way to a new one without a `break-claim` line.
    TakeoverUnrecorded,
    /// A claim was broken for a take that did not follow.
    TakeoverUnfinished,
    /// Another held the claim than the line says, or nobody did.
    WrongTakenFrom,
    /// The age in the line is not the one that the trace gives.
    WrongIdle,
    /// The time to live or the mode is not the one that the trace gives.
    WrongTerms,
    /// Somebody acted on a claim that he did not have.
    NotHeld,
    /// A refusal or wait names a holder who was not in the way.
    Unfounded,
    /// A line ends a wait that never began, or began at another time.
    WrongWait,
    /// A claim file could not be read although the trace knows who wrote it.
    DamagedClaim,
    /// A note has another number than the next one.
    NoteNumber,
    /// A note was worked on that was never added, or that was already finished.
    NoteUnknown,
    /// A note was started that was not the next one to do.
    NoteOrder,
    /// A note was finished that was not started, or that another is at work on.
    NoteNotStarted,
    /// The directory lacks a claim.
    MissingClaim,
    /// The directory has a claim that the trace does not know.
    UnexplainedClaim,
    /// A claim file says something else than the trace.
    WrongClaim,
    /// A claim file cannot be understood.
    UnreadableClaim,
    /// A claim file bears the wrong name, or two files hold one claim.
    MisplacedClaim,
    /// The queue lacks a note that is not done.
    MissingNote,
    /// The queue has a note that the trace does not know.
    UnexplainedNote,
    /// A note is in another state than the trace says.
    WrongNote,
    /// The clock went back: legal, but worth knowing.
    ClockWentBack,
    /// A line is ahead of the present time: legal, but worth knowing.
    AheadOfClock,
    /// The older history is gone, as after many rotations; what it held is not judged.
    BeginsLater,
    /// An unreadable claim file stood in the way or was taken over: legal, and the trace cannot know its age.
    UnreadableHolder,
}

impl Kind {
    /// A stable word in kebab-case.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Fault(fault) => fault.word(),
            Self::MissingLines => "missing-lines",
            Self::BrokenChain => "broken-chain",
            Self::TwoHolders => "two-holders",
            Self::AlreadyHeld => "already-held",
            Self::TakeoverTooEarly => "takeover-too-early",
            Self::TakeoverUnrecorded => "takeover-unrecorded",
            Self::TakeoverUnfinished => "takeover-unfinished",
            Self::WrongTakenFrom => "wrong-taken-from",
            Self::WrongIdle => "wrong-idle",
            Self::WrongTerms => "wrong-terms",
            Self::NotHeld => "not-held",
            Self::Unfounded => "unfounded",
            Self::WrongWait => "wrong-wait",
            Self::DamagedClaim => "damaged-claim",
            Self::NoteNumber => "note-number",
            Self::NoteUnknown => "note-unknown",
            Self::NoteOrder => "note-order",
            Self::NoteNotStarted => "note-not-started",
            Self::MissingClaim => "missing-claim",
            Self::UnexplainedClaim => "unexplained-claim",
            Self::WrongClaim => "wrong-claim",
            Self::UnreadableClaim => "unreadable-claim",
            Self::MisplacedClaim => "misplaced-claim",
            Self::MissingNote => "missing-note",
            Self::UnexplainedNote => "unexplained-note",
            Self::WrongNote => "wrong-note",
            Self::ClockWentBack => "clock-went-back",
            Self::AheadOfClock => "ahead-of-clock",
            Self::BeginsLater => "begins-later",
            Self::UnreadableHolder => "unreadable-holder",
        }
    }

    /// Whether it breaks a rule. What does not is a remark, and the audit is clean with it.
    pub const fn is_problem(self) -> bool {
        !matches!(self, Self::ClockWentBack | Self::AheadOfClock | Self::BeginsLater | Self::UnreadableHolder)
    }
}

/// One thing found, where, and what about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind.
    pub kind: Kind,
    /// The trace file, claim file or queue concerned, cleaned for printing.
    pub file: String,
    /// The line, counted from 1; `None` for what is not in a trace.
    pub line: Option<u64>,
    /// One sentence, free of control characters.
    pub message: String,
}

/// How much was looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Trace files with at least one line.
    pub files: u64,
    /// Lines, whole or not.
    pub lines: u64,
    /// Lines of each action.
    pub actions: BTreeMap<&'static str, u64>,
    /// Holders that acted.
    pub holders: u64,
    /// Claims that the trace says are held at the end.
    pub held: u64,
    /// How many of these are stale at the time of the audit.
    pub stale: u64,
}

/// The outcome of an audit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Everything found: the trace in its order, then the directory.
    pub findings: Vec<Finding>,
    /// How much was looked at.
    pub counts: Counts,
}

impl Report {
    /// Broken rules only.
    pub fn problems(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.kind.is_problem())
    }

    /// What is legal and worth knowing.
    pub fn remarks(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| !finding.kind.is_problem())
    }

    /// Whether no rule was broken.
    pub fn is_clean(&self) -> bool {
        self.problems().next().is_none()
    }
}
