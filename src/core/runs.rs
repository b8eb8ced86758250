//! Which commands run under a claim, so that the last of them to end gives it back.
//!
//! The claim file itself says so, in one more field: `"runs": {"kept": …, "users": {mark: time}}`. Each `claim run` draws a
//! mark, enters it when it takes or joins the claim, renews it with every beat and strikes it out at its end. The one
//! that finds no other mark left releases, unless the session holds the claim for itself as well: `kept` says that, and
//! whether it was shared, so that a command that needs the target alone hands it back as it was.
//!
//! In the claim and nowhere else, because then the two can never disagree: they are written by one rename, they vanish
//! together when the claim is released or taken over, and a machine at rest has nothing left to tidy.
//!
//! A mark lives as long as the claim would live without its beats. So a run that was killed keeps the claim for one
//! time to live and not for ever, and a run that was only suspended has lost nothing that it would not have lost alone.
//!
//! # Limitations
//! When one of two runs is killed with SIGKILL, the other cannot know, and leaves the claim to its time to live: what is
//! promised for SIGKILL anyway.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::core::{
    claim::{Claim, State},
    entry::Entry,
    rule::{self, Decision, Effects, Refusal, Request, Verdict, Wish, Write},
    time::Timestamp,
};

const FIELD: &str = "runs";

/// How the session holds the claim beside its runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kept {
    Exclusive,
    Shared,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Runs {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kept: Option<Kept>,
    #[serde(default)]
    users: BTreeMap<String, Timestamp>,
}

impl Runs {
    /// What a claim says of its runs. One that says nothing, or nothing that can be understood, is the session's own.
    fn of(claim: &Claim) -> Self {
        // A struct would also be read from an array of its values.
        let field = claim.more.get(FIELD).filter(|field| field.is_object());
        let field = field.and_then(|field| serde_json::from_value(field.clone()).ok());
        field.unwrap_or_else(|| Self { kept: Some(kept(claim)), users: BTreeMap::new() })
    }

    /// Without the marks that nobody has renewed for a time to live.
    fn living(mut self, claim: &Claim, now: Timestamp) -> Self {
        self.users.retain(|_, renewed| State::of(*renewed, claim.time_to_live(), now).is_fresh());
        self
    }

    fn write(&self, claim: &mut Claim) {
        if self.users.is_empty() {
            claim.more.shift_remove(FIELD);
        } else {
            claim.more.insert(FIELD.to_owned(), serde_json::to_value(self).unwrap_or_default());
        }
    }
}

fn kept(claim: &Claim) -> Kept {
    if claim.shared { Kept::Shared } else { Kept::Exclusive }
}

/// What `claim run` wants.
#[derive(Debug, Clone, Default)]
pub struct RunWish<'a> {
    /// Why, if that was said.
    pub purpose: Option<&'a str>,
    /// Why, for a claim that has no purpose yet.
    pub otherwise: &'a str,
    /// Another time to live.
    pub ttl: Option<crate::core::duration::Ttl>,
    /// Whether others may share the target.
    pub shared: bool,
    /// What tells this run from every other.
    pub mark: &'a str,
}

/// How a run's part in a claim ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Left {
    /// It was the last: the claim is to be removed.
    Released(Claim),
    /// The session, or another run of it, still holds the claim.
    Kept(Claim),
    /// Another holds it.
    Refused(Refusal),
    /// There is no claim of this holder.
    NotHeld,
    /// The file belongs to another target.
    Misnamed(Entry),
}

/// A `take` by the session itself, of a claim that runs may be using: from now on the session holds it as well.
pub(super) fn keep(claim: &mut Claim) {
    if claim.more.contains_key(FIELD) {
        let runs = Runs { kept: Some(kept(claim)), ..Runs::of(claim) };
        runs.write(claim);
    }
}

/// Takes the claim for a run, or joins the one that the session has: its purpose stays unless another was given, and it
/// is never shared with others for a run's sake.
#[must_use]
pub fn enter(entries: &[Entry], request: &Request<'_>, wish: &RunWish<'_>, now: Timestamp) -> Decision {
    let own = rule::own(entries, request);
    let shared = wish.shared && own.is_none_or(|(_, claim)| claim.shared);
    let purpose = wish.purpose.or(own.map(|(_, claim)| &*claim.purpose)).unwrap_or(wish.otherwise);
    let mut decision = rule::take(entries, request, &Wish { purpose, ttl: wish.ttl, shared }, now);
    let before = own.map(|(_, claim)| Runs::of(claim).living(claim, now)).unwrap_or_default();
    mark(&mut decision, before, wish.mark, now);
    decision
}

/// The beat of a run: the claim's and its own. Its mark comes back if somebody removed it.
#[must_use]
pub fn beat(entries: &[Entry], request: &Request<'_>, own_mark: &str, now: Timestamp) -> Decision {
    let mut decision = rule::beat(entries, request, now);
    if let Some((_, claim)) = rule::own(entries, request) {
        mark(&mut decision, Runs::of(claim).living(claim, now), own_mark, now);
    }
    decision
}

/// Ends a run's part in the claim. The last of the runs releases it, unless the session holds it as well.
#[must_use]
pub fn leave(entries: &[Entry], request: &Request<'_>, mark: &str, now: Timestamp) -> (Left, Effects) {
    if let Some((entry, claim)) = rule::own(entries, request) {
        let mut runs = Runs::of(claim).living(claim, now);
        runs.users.remove(mark);
        if !runs.users.is_empty() || runs.kept == Some(kept(claim)) {
            let mut left = claim.clone();
            runs.write(&mut left);
            let mut effects = Effects::default();
            if left != *claim {
                let file = entry.file.clone();
                effects.write.push(Write { file, claim: left.clone(), replaces: true, durable: false });
            }
            return (Left::Kept(left), effects);
        }
        if let Some(kept) = runs.kept {
            // The session shared it before a run needed it alone.
            let wish = Wish { purpose: &claim.purpose, ttl: None, shared: kept == Kept::Shared };
            let Decision { verdict, mut effects } = rule::take(entries, request, &wish, now);
            if let Verdict::Renewed(mut left) = verdict {
                runs.write(&mut left);
                for write in &mut effects.write {
                    write.claim = left.clone();
                }
                return (Left::Kept(left), effects);
            }
            return (Left::Kept(claim.clone()), Effects::default());
        }
    }
    let Decision { verdict, effects } = rule::release(entries, request, now);
    let left = match verdict {
        Verdict::Released(claim) => Left::Released(claim),
        Verdict::Refused(refusal) => Left::Refused(refusal),
        Verdict::Misnamed(entry) => Left::Misnamed(entry),
        _ => Left::NotHeld,
    };
    (left, effects)
}

/// Enters a mark into the claim that a decision writes.
fn mark(decision: &mut Decision, mut runs: Runs, mark: &str, now: Timestamp) {
    let claim = match &mut decision.verdict {
        Verdict::Claimed(claim) | Verdict::Renewed(claim) | Verdict::Beat(claim) | Verdict::TakenOver(claim, _) => {
            claim
        }
        _ => return,
    };
    runs.users.insert(mark.to_owned(), now);
    runs.write(claim);
    for write in &mut decision.effects.write {
        write.claim = claim.clone();
    }
}

#[cfg(test)]
mod tests;
