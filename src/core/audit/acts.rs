//! What each action on a claim has to find, and what it leaves.

use super::finding::Kind;
use super::holdings::{Held, Origin};
use super::notes::Complaint;
use super::record::{DEFAULT_TTL_S, is_fresh};
use super::replay::{Broken, Replay};
use crate::core::holder::UNKNOWN as UNKNOWN_HOLDER;
use crate::core::target::Target;
use crate::core::trace::{Action, Line, Terms, rules};

fn terms(line: &Line) -> Terms {
    Terms { ttl_s: line.ttl_s.unwrap_or(DEFAULT_TTL_S), shared: line.shared }
}

/// A claim of which only this line is known.
fn first_seen(line: &Line) -> Held {
    Held { task: line.task.clone(), origin: None, heartbeat: line.ts, terms: terms(line) }
}

impl Replay {
    pub(super) fn claim(&mut self, line: &Line, target: &Target, broken: &[Broken], complaints: &mut Vec<Complaint>) {
        let rightly = match &line.taken_from {
            Some(from) => broken.iter().any(|broken| broken.taken_from == *from),
            None => broken.is_empty(),
        };
        if !rightly && !self.mid_take {
            let message = match &line.taken_from {
                Some(from) => format!("no claim of {from} on this target was broken for this"),
                None => "a claim on this target was broken for this, which does not say so".to_owned(),
            };
            complaints.push((Kind::WrongTakenFrom, message));
        }
        if self.holdings.get(target, &line.agent).is_some() {
            complaints.push((Kind::AlreadyHeld, format!("{} held this already", line.agent)));
        }
        self.make_room(line, target, complaints);
        let origin = Origin { taken_at: line.ts, taken_from: line.taken_from.clone() };
        let held = Held { origin: Some(origin), ..first_seen(line) };
        self.spoke_of(target, &line.agent);
        self.holdings.put(target, &line.agent, held);
    }

    pub(super) fn renew(&mut self, line: &Line, target: &Target, complaints: &mut Vec<Complaint>) {
        let own = self.own(line, target, complaints);
        self.make_room(line, target, complaints);
        let held = match own {
            Some(own) => Held { origin: own.origin, ..first_seen(line) },
            None => first_seen(line),
        };
        self.spoke_of(target, &line.agent);
        self.holdings.put(target, &line.agent, held);
    }

    pub(super) fn beat(&mut self, line: &Line, target: &Target, complaints: &mut Vec<Complaint>) {
        let own = self.own(line, target, complaints);
        check_terms(own.as_ref(), line, complaints);
        let held = match own {
            Some(own) => Held { heartbeat: line.ts, ..own },
            // Somebody else's claim is the better known one.
            None if self.holdings.against(target, &line.agent, line.shared).next().is_some() => return,
            None => first_seen(line),
        };
        self.spoke_of(target, &line.agent);
        self.holdings.put(target, &line.agent, held);
    }

    pub(super) fn release(&mut self, line: &Line, target: &Target, complaints: &mut Vec<Complaint>) {
        let own = self.own(line, target, complaints);
        check_terms(own.as_ref(), line, complaints);
        self.spoke_of(target, &line.agent);
        self.holdings.take(target.identity(), &line.agent);
    }

    pub(super) fn break_claim(&mut self, line: &Line, target: &Target, complaints: &mut Vec<Complaint>) {
        let Some(from) = line.taken_from.clone() else { return };
        if line.rule == rules::TAKEOVER && from == line.agent {
            complaints.push((Kind::WrongTakenFrom, format!("{from} cannot take over its own claim")));
        }
        let held = self.holdings.get(target, &from).cloned();
        let age = match &held {
            Some(held) => held.age(line.ts),
            None => line.idle_s.unwrap_or_default(),
        };
        if let Some(held) = &held {
            check_idle(held, line, complaints);
            check_terms(Some(held), line, complaints);
        } else if from == UNKNOWN_HOLDER {
            self.unreadable(line, target, complaints);
        } else if self.knows(target, &from) || self.holdings.against(target, &from, line.shared).next().is_some() {
            let holders = self.holders(target);
            complaints.push((Kind::WrongTakenFrom, format!("{from} held nothing here; {holders}")));
        }
        let ttl_s = held.as_ref().map_or(terms(line), |held| held.terms).ttl_s;
        if is_fresh(age, ttl_s) {
            let message = format!("the claim of {from} was broken {age} s after its heartbeat, with {ttl_s} s to live");
            complaints.push((Kind::TakeoverTooEarly, message));
        }
        self.spoke_of(target, &from);
        self.holdings.take(target.identity(), &from);
        self.broke(line, target);
    }

    /// Checks that a refusal, or a wait, was for a reason.
    pub(super) fn refused(&self, line: &Line, target: &Target, complaints: &mut Vec<Complaint>) {
        let Some(by) = line.held_by.as_deref() else { return };
        let by_conflict = matches!(line.rule, rules::REFUSED | rules::QUEUE);
        if by == line.agent || (!by_conflict && self.holdings.get(target, &line.agent).is_some()) {
            let message = format!("{} was refused what it held itself", line.agent);
            return complaints.push((Kind::Unfounded, message));
        }
        let claims = || {
            let in_the_way = |held: &&Held| !(by_conflict && line.shared && held.terms.shared);
            self.holdings.of(by, target).filter(in_the_way)
        };
        let counts = |held: &Held| !by_conflict || held.is_fresh(line.ts);
        if claims().any(|held| counts(held) && line.idle_s == Some(held.age(line.ts))) {
            return;
        }
        let any = claims().next().is_some();
        if !any && by == UNKNOWN_HOLDER {
            return self.unreadable(line, target, complaints);
        }
        // An older claim of the same holder, on this or an overlapping target, may be the one that was in the way.
        if !self.whole && (target.is_path() || !self.knows(target, by)) {
            return;
        }
        let kind = if claims().any(counts) { Kind::WrongIdle } else { Kind::Unfounded };
        let message = match (any, kind) {
            (false, _) => format!("{by} had nothing that was in the way"),
            (true, Kind::WrongIdle) => format!("no heartbeat of {by} has that age"),
            (true, _) => format!("what {by} had was stale"),
        };
        complaints.push((kind, message));
    }

    /// The claim that the agent acts on. `None`: it has none, which is a complaint if that is certain.
    pub(super) fn own(&self, line: &Line, target: &Target, complaints: &mut Vec<Complaint>) -> Option<Held> {
        let own = self.holdings.get(target, &line.agent);
        if let Some(held) = own {
            check_idle(held, line, complaints);
            return own.cloned();
        }
        // Lines about notes do not tell the mode; beside a shared claim theirs may be shared too.
        let shared = line.shared || matches!(line.action, Action::Start | Action::Finish);
        let excluded = self.holdings.against(target, &line.agent, shared).next().is_some();
        if self.knows(target, &line.agent) || excluded {
            let holders = self.holders(target);
            complaints.push((Kind::NotHeld, format!("{} did not hold this; {holders}", line.agent)));
        }
        None
    }

    /// Nothing of another may be left that the claim of this line excludes.
    fn make_room(&mut self, line: &Line, target: &Target, complaints: &mut Vec<Complaint>) {
        let mut stale = Vec::new();
        for (identity, holder, held) in self.holdings.against(target, &line.agent, line.shared) {
            let task = &held.task;
            if held.is_fresh(line.ts) {
                let message = format!("{holder} held {task} and was alive {} s before", held.age(line.ts));
                complaints.push((Kind::TwoHolders, message));
            } else {
                let message = format!("the stale claim of {holder} on {task} was not broken first");
                complaints.push((Kind::TakeoverUnrecorded, message));
                stale.push((identity.to_owned(), holder.to_owned()));
            }
        }
        for (identity, holder) in stale {
            self.holdings.take(&identity, &holder);
        }
    }

    /// An unreadable file was in the way. The trace cannot know its age, but it can know that there was none.
    fn unreadable(&self, line: &Line, target: &Target, complaints: &mut Vec<Complaint>) {
        let fresh = line.idle_s.is_none_or(|idle_s| is_fresh(idle_s, DEFAULT_TTL_S));
        if line.action != Action::BreakClaim && line.rule == rules::REFUSED && !fresh {
            complaints.push((Kind::Unfounded, "the unreadable claim was stale".to_owned()));
        }
        complaints.push(match self.holdings.on(target).next() {
            Some((holder, _)) => {
                (Kind::DamagedClaim, format!("{holder} held this, but a claim file here could not be read"))
            }
            None => (Kind::UnreadableHolder, "a claim file that cannot be read stood here".to_owned()),
        });
    }

    fn holders(&self, target: &Target) -> String {
        let mut holders = self.holdings.on(target).map(|(holder, _)| holder);
        match (holders.next(), holders.count()) {
            (None, _) => "nobody did".to_owned(),
            (Some(holder), 0) => format!("{holder} did"),
            (Some(holder), others) => format!("{holder} and {others} more did"),
        }
    }
}

fn check_idle(held: &Held, line: &Line, complaints: &mut Vec<Complaint>) {
    let age = held.age(line.ts);
    if line.idle_s.is_some_and(|idle_s| idle_s != age) {
        complaints.push((Kind::WrongIdle, format!("the heartbeat was {age} s old")));
    }
}

fn check_terms(held: Option<&Held>, line: &Line, complaints: &mut Vec<Complaint>) {
    if let Some(held) = held
        && held.terms != terms(line)
    {
        let Terms { ttl_s, shared } = held.terms;
        let mode = if shared { "shared" } else { "exclusive" };
        complaints.push((Kind::WrongTerms, format!("the claim was {mode} with {ttl_s} s to live")));
    }
}
