//! The state that the lines of a trace add up to, and what of it is known for certain.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::finding::Kind;
use super::holdings::Holdings;
use super::notes::{Complaint, Queue, Standing};
use crate::core::target::Target;
use crate::core::time::Timestamp;
use crate::core::trace::{Action, Line, rules};

/// A claim broken for a take whose own line has not come yet.
#[derive(Clone)]
pub(super) struct Broken {
    target: Target,
    pub taken_from: String,
    agent: String,
    ts: Timestamp,
    shared: bool,
}

/// Everything the replay knows between two lines.
#[derive(Clone)]
pub(super) struct Replay {
    /// The trace is known from its first line, so what it does not say did not happen.
    pub whole: bool,
    pub holdings: Holdings,
    /// Since history was lost there were only claims broken for a take, and more of them may be lost.
    pub mid_take: bool,
    /// Target and holder pairs of which a line has spoken since history was last lost.
    seen: HashSet<(String, String)>,
    broken: Vec<Broken>,
    /// When the unfinished waits of an agent on a target began, and how many began in that second.
    waits: HashMap<(String, String), BTreeMap<Timestamp, u32>>,
    /// The notes of each target, by its identity.
    pub queues: BTreeMap<String, (Target, Queue)>,
}

impl Default for Replay {
    fn default() -> Self {
        Self {
            whole: true,
            mid_take: false,
            holdings: Holdings::default(),
            seen: HashSet::new(),
            broken: Vec::new(),
            waits: HashMap::new(),
            queues: BTreeMap::new(),
        }
    }
}

impl Replay {
    /// History was lost: from here on, what no line has said is unknown.
    pub(super) fn forget(&mut self) {
        *self = Self { whole: false, mid_take: true, ..Self::default() };
    }

    /// Plays one line.
    pub(super) fn apply(&mut self, line: &Line, target: &Target, complaints: &mut Vec<Complaint>) {
        let broken = self.settle(line, target, complaints);
        match line.action {
            Action::Claim => self.claim(line, target, &broken, complaints),
            Action::Renew => self.renew(line, target, complaints),
            Action::Beat => self.beat(line, target, complaints),
            Action::Release => self.release(line, target, complaints),
            Action::BreakClaim => self.break_claim(line, target, complaints),
            Action::Skip => self.refused(line, target, complaints),
            Action::Wait => {
                self.refused(line, target, complaints);
                let began = self.waits.entry(waiter(line, target)).or_default().entry(line.ts).or_default();
                *began = began.saturating_add(1);
            }
            Action::Handover | Action::Start | Action::Finish => self.note(line, target, complaints),
        }
        self.mid_take &= line.action == Action::BreakClaim;
        if let Some(waited_s) = line.waited_s {
            self.end_wait(line, target, waited_s, complaints);
        }
    }

    /// The trace is over.
    pub(super) fn end(&mut self, complaints: &mut Vec<Complaint>) {
        complaints.extend(self.broken.drain(..).map(|broken| unfinished(&broken)));
    }

    /// Whether the trace can tell if `holder` has a claim on `target`.
    pub(super) fn knows(&self, target: &Target, holder: &str) -> bool {
        self.whole || self.seen.contains(&(target.identity().to_owned(), holder.to_owned()))
    }

    pub(super) fn spoke_of(&mut self, target: &Target, holder: &str) {
        if !self.knows(target, holder) {
            self.seen.insert((target.identity().to_owned(), holder.to_owned()));
        }
    }

    /// Remembers what was broken for a take.
    pub(super) fn broke(&mut self, line: &Line, target: &Target) {
        if line.rule == rules::TAKEOVER {
            self.broken.push(Broken {
                target: target.clone(),
                taken_from: line.taken_from.clone().unwrap_or_default(),
                agent: line.agent.clone(),
                ts: line.ts,
                shared: line.shared,
            });
        }
    }

    /// Holds the claims just broken against this line, which has to be what they were broken for, or one more of
    /// them. Gives those that stood on this very target.
    fn settle(&mut self, line: &Line, target: &Target, complaints: &mut Vec<Complaint>) -> Vec<Broken> {
        let Some(first) = self.broken.first() else { return Vec::new() };
        let together = first.agent == line.agent && first.ts == line.ts;
        if together && line.action == Action::BreakClaim && line.rule == rules::TAKEOVER {
            return Vec::new();
        }
        let takes = together && matches!(line.action, Action::Claim | Action::Renew);
        let mut here = std::mem::take(&mut self.broken);
        for broken in &here {
            let in_the_way = broken.target.overlaps(target) && !(broken.shared && line.shared);
            if !takes || !in_the_way {
                complaints.push(unfinished(broken));
            }
        }
        here.retain(|broken| takes && broken.target.identity() == target.identity());
        here
    }

    fn end_wait(&mut self, line: &Line, target: &Target, waited_s: u64, complaints: &mut Vec<Complaint>) {
        let key = waiter(line, target);
        let began = self.waits.get(&key).and_then(|waits| match i64::try_from(waited_s) {
            // The clock may have gone back meanwhile.
            Ok(0) => waits.range(line.ts..).next().map(|(began, _)| *began),
            Ok(waited) => {
                let began = Timestamp::from_seconds(line.ts.seconds().saturating_sub(waited));
                waits.contains_key(&began).then_some(began)
            }
            Err(_) => None,
        });
        let Some(began) = began else {
            if self.whole {
                let message = format!("{} began no wait {waited_s} s before this", line.agent);
                complaints.push((Kind::WrongWait, message));
            }
            return;
        };
        if let Some(waits) = self.waits.get_mut(&key) {
            match waits.get_mut(&began) {
                Some(count) if *count > 1 => *count = count.saturating_sub(1),
                _ => _ = waits.remove(&began),
            }
            if waits.is_empty() {
                self.waits.remove(&key);
            }
        }
    }

    fn note(&mut self, line: &Line, target: &Target, complaints: &mut Vec<Complaint>) {
        let works = line.action != Action::Handover;
        if works {
            self.own(line, target, complaints);
        }
        let Some(note) = line.note else { return };
        let mut queues = std::mem::take(&mut self.queues);
        let (_, queue) =
            queues.entry(target.identity().to_owned()).or_insert_with(|| (target.clone(), Queue::new(self.whole)));
        let standing = |holder: &str| match self.holdings.get(target, holder) {
            Some(held) if held.is_fresh(line.ts) => Standing::Fresh,
            Some(_) => Standing::Stale,
            // Of whom nothing is known, either may be true, and a stale claim allows both.
            None if !self.knows(target, holder) => Standing::Stale,
            None => Standing::Lost,
        };
        let verdict = match line.action {
            Action::Start => queue.start(note, &line.agent, standing),
            Action::Finish => queue.finish(note, &line.agent, standing),
            _ => queue.add(note),
        };
        self.queues = queues;
        complaints.extend(verdict.err());
    }
}

fn waiter(line: &Line, target: &Target) -> (String, String) {
    (line.agent.clone(), target.identity().to_owned())
}

fn unfinished(broken: &Broken) -> Complaint {
    let Broken { taken_from, agent, .. } = broken;
    let message = format!("the claim of {taken_from} was broken for {agent}, who then took nothing that it covered");
    (Kind::TakeoverUnfinished, message)
}
