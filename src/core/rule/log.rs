//! The trace lines that a verdict leaves. Written beside the rule, so that no change can be made without its line.

use super::Refusal;
use crate::core::{
    claim::Claim,
    entry::Entry,
    holder::Holder,
    target::Target,
    time::Timestamp,
    trace::{Act, Blocker, Line, Terms},
};

/// Who acts when.
pub(super) struct Log<'a> {
    pub(super) now: Timestamp,
    pub(super) holder: &'a Holder,
}

impl<'a> Log<'a> {
    fn act(&self, task: &'a str) -> Act<'a> {
        Act { ts: self.now, agent: self.holder.as_str(), task }
    }

    fn blocker<'b>(&self, entry: &'b Entry) -> Blocker<'b> {
        Blocker { holder: entry.holder(), idle_s: self.now.since(entry.heartbeat()) }
    }

    pub(super) fn claimed(&self, claim: &'a Claim, taken_from: Option<&str>) -> Line {
        Line::claim(self.act(&claim.target), of_claim(claim), taken_from)
    }

    pub(super) fn renewed(&self, claim: &'a Claim, before: &Claim) -> Line {
        Line::renew(self.act(&claim.target), self.now.since(before.heartbeat_at), of_claim(claim))
    }

    pub(super) fn beaten(&self, before: &'a Claim) -> Line {
        Line::beat(self.act(&before.target), self.now.since(before.heartbeat_at), of_claim(before))
    }

    pub(super) fn released(&self, claim: &'a Claim) -> Line {
        Line::release(self.act(&claim.target), self.now.since(claim.heartbeat_at), of_claim(claim))
    }

    /// A stale claim that goes so that another can come. What cannot be read is named by the target that was wanted.
    pub(super) fn broken_for(&self, entry: &'a Entry, wanted: &'a Target) -> Line {
        let task = entry.claim().map_or(wanted.as_str(), |claim| &claim.target);
        Line::break_for_take(self.act(task), self.blocker(entry), of_entry(entry))
    }

    /// A stale claim that goes for itself. What cannot be read has no target that a line could name.
    pub(super) fn broken(&self, entry: &'a Entry) -> Option<Line> {
        let claim = entry.claim()?;
        Some(Line::break_stale(self.act(&claim.target), self.blocker(entry), of_entry(entry)))
    }

    pub(super) fn refused(&self, refusal: &Refusal, target: &'a Target, shared: bool) -> Line {
        Line::skip(self.act(target.as_str()), self.blocker(&refusal.by), shared)
    }

    pub(super) fn release_refused(&self, by: &Entry, target: &'a Target) -> Line {
        Line::skip_release(self.act(target.as_str()), self.blocker(by))
    }
}

/// The line for a write that was refused without a change, as `guard` and `hook` do.
#[must_use]
pub fn refused_line(refusal: &Refusal, target: &Target, holder: &Holder, shared: bool, now: Timestamp) -> Line {
    Log { now, holder }.refused(refusal, target, shared)
}

/// The line for work on a note that was refused because another holds its target.
#[must_use]
pub fn note_refused_line(refusal: &Refusal, target: &Target, holder: &Holder, now: Timestamp) -> Line {
    let log = Log { now, holder };
    Line::skip_note(log.act(target.as_str()), log.blocker(&refusal.by))
}

/// The line for a wait that begins: for a claim, or only for those who came before.
#[must_use]
pub fn wait_line(by: Option<&Entry>, target: &Target, holder: &Holder, shared: bool, now: Timestamp) -> Line {
    let log = Log { now, holder };
    Line::wait(log.act(target.as_str()), by.map(|entry| log.blocker(entry)), shared)
}

/// The line for a wait that ended in vain, `waited` seconds after it began.
#[must_use]
pub fn waited_line(
    by: Option<&Entry>,
    target: &Target,
    holder: &Holder,
    shared: bool,
    now: Timestamp,
    waited: u64,
) -> Line {
    let log = Log { now, holder };
    let act = log.act(target.as_str());
    match by {
        Some(entry) => Line::skip(act, log.blocker(entry), shared).waited(waited),
        None => Line::skip_in_queue(act, shared, waited),
    }
}

fn of_claim(claim: &Claim) -> Terms {
    Terms { ttl_s: seconds(claim.time_to_live().seconds()), shared: claim.shared }
}

fn of_entry(entry: &Entry) -> Terms {
    Terms { ttl_s: seconds(entry.time_to_live().seconds()), shared: entry.is_shared() }
}

fn seconds(ttl: u64) -> u32 {
    u32::try_from(ttl).unwrap_or(u32::MAX)
}
