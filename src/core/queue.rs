//! The queue: who waits for what, and whose turn it is. Pure, like the rule; the tickets come in with the claims.
//!
//! A waiter leaves a ticket and keeps it alive; one that has not been renewed for [`LIFE`] seconds is dead and in
//! nobody's way, so that nothing has to be known about the waiter's process. Tickets have one order over all targets,
//! given out under the lock: a tree and a file in it queue in one line, and since a ticket only ever waits for earlier
//! ones, tickets alone cannot wait in a circle.
//!
//! Who claims something new is told to wait for every earlier living ticket that wants an overlapping target, also when
//! nobody holds it at the moment. That includes a take that does not wait: it has no place in the line, and if it could
//! slip in between a release and the waiter's waking, a session that asks often enough would starve the ones that queue.
//! Two things are never held up by a ticket: a session's own claim, which it renews, and whoever already holds what the
//! ticket waits for, itself or behind another, since those would wait for each other.
//!
//! # Limitations
//! Two sessions that each hold what the other waits for wait until the time of one is over, as with any lock. A waiter
//! behind a tree waits for the tree's waiter even if its own file is free: that is the price of nobody starving.

use serde::{Deserialize, Serialize};

use crate::core::{
    claim::State,
    duration::Ttl,
    entry::{ENDING, Entry, Record},
    holder::Holder,
    rule::{Decision, Verdict},
    target::{PathStyle, Reach, Target},
    time::Timestamp,
};

/// How long a ticket lives without being renewed, in seconds. A waiter renews it every second; a machine so busy that a
/// living waiter misses this costs nothing but a moment: it comes back with its old number.
pub const LIFE: u64 = 5;

/// The most bytes of a ticket: a target and a holder, each at its longest and escaped.
pub const LARGEST: usize = 32 * 1_024;

/// A place in the line: first by arrival, then by a mark that makes it one of a kind.
///
/// Arrivals are counted from the tickets that are there, so a number can come twice when the line was empty between;
/// the mark keeps two waiters from ever taking one file for their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Number {
    /// One more than the latest ticket had when this one was given out.
    pub arrival: u64,
    /// Drawn at random by the waiter.
    pub mark: u64,
}

impl Number {
    /// The name of the ticket's file.
    #[must_use]
    pub fn file(self) -> String {
        format!("{:010}-{:016x}{ENDING}", self.arrival, self.mark)
    }

    /// The number in a file's name; `None` for a file that is no ticket.
    #[must_use]
    pub fn of(file: &str) -> Option<Self> {
        let (arrival, mark) = file.strip_suffix(ENDING)?.split_once('-')?;
        let number = Self { arrival: arrival.parse().ok()?, mark: u64::from_str_radix(mark, 16).ok()? };
        (number.file() == file).then_some(number)
    }
}

/// What is in a ticket's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bid {
    /// What is waited for, as a claim file would have it.
    pub target: String,
    /// Who waits.
    pub holder: String,
    /// Whether it would be a shared claim.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shared: bool,
    /// When the waiter came.
    pub since: Timestamp,
}

impl Bid {
    /// The bytes of the file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }
}

/// A file among the tickets.
#[derive(Debug, Clone, PartialEq)]
pub struct Ticket {
    /// The directory that it is in: the stem of its target.
    pub stem: String,
    /// Its name.
    pub file: String,
    /// When its waiter last said that it still waits.
    pub renewed: Timestamp,
    /// What it asks for. `None` when that cannot be read: then it is in nobody's way, and is cleared once it is dead.
    pub asks: Option<Asked>,
}

/// What a readable ticket asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// Its place in the line.
    pub number: Number,
    /// Its content.
    pub bid: Bid,
    /// The target in it.
    pub target: Target,
}

impl Ticket {
    /// Understands a file among the tickets.
    #[must_use]
    pub fn read(stem: &str, file: &str, bytes: &[u8], renewed: Timestamp, style: PathStyle) -> Self {
        let asks = Number::of(file).and_then(|number| {
            let bid: Bid = serde_json::from_slice(bytes.get(..bytes.len().min(LARGEST))?).ok()?;
            let target = Target::recorded(&bid.target, style).ok().filter(|target| target.stem() == stem)?;
            Holder::new(&bid.holder).ok()?;
            Some(Asked { number, bid, target })
        });
        Self { stem: stem.to_owned(), file: file.to_owned(), renewed, asks }
    }

    /// Whether its waiter still waits. A time further ahead than a life is a wrong clock's, and dead.
    #[must_use]
    pub fn is_alive(&self, now: Timestamp) -> bool {
        Ttl::new(LIFE).is_some_and(|life| State::of(self.renewed, life, now).is_fresh())
    }
}

/// Who asks for what, and from which place in the line.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// What is asked for.
    pub target: &'a Target,
    /// Who asks.
    pub holder: &'a Holder,
    /// Whether it would be a shared claim.
    pub shared: bool,
    /// The asker's own ticket, if it has one.
    pub number: Option<Number>,
}

/// The number for whoever comes now.
#[must_use]
pub fn next_arrival(tickets: &[Ticket]) -> u64 {
    let numbers = tickets.iter().filter_map(|ticket| Number::of(&ticket.file));
    numbers.map(|number| number.arrival).max().unwrap_or(0).saturating_add(1)
}

/// The living tickets that come before this request, the first in line first.
#[must_use]
pub fn ahead<'a>(entries: &[Entry], tickets: &'a [Ticket], ask: &Ask<'_>, now: Timestamp) -> Vec<&'a Ticket> {
    let mut living: Vec<(&Asked, &Ticket)> = tickets
        .iter()
        .filter(|ticket| ticket.is_alive(now))
        .filter_map(|ticket| Some((ticket.asks.as_ref()?, ticket)))
        .filter(|(asked, _)| ask.number.is_none_or(|own| asked.number < own))
        .collect();
    living.sort_unstable_by_key(|(asked, _)| asked.number);
    // Those that cannot be served before the asker has given back what it holds: they wait for that, or behind one that
    // does. In the order of the line, so that one pass finds them all.
    let mut behind_me: Vec<&Asked> = Vec::new();
    let mut ahead = Vec::new();
    for (asked, ticket) in living {
        if asked.bid.holder == ask.holder.as_str() {
            continue;
        }
        if waits_for(asked, ask.holder, entries) || behind_me.iter().any(|first| first.excludes(asked)) {
            behind_me.push(asked);
        } else if asked.target.overlaps(ask.target) && !(asked.bid.shared && ask.shared) {
            ahead.push(ticket);
        }
    }
    ahead
}

impl Asked {
    /// Whether another ticket cannot be served beside this one.
    fn excludes(&self, other: &Self) -> bool {
        self.bid.holder != other.bid.holder
            && self.target.overlaps(&other.target)
            && !(self.bid.shared && other.bid.shared)
    }
}

/// Whether this holder has what the ticket waits for.
fn waits_for(asked: &Asked, holder: &Holder, entries: &[Entry]) -> bool {
    entries.iter().any(|entry| match &entry.record {
        Record::Claim(claim, target) => {
            claim.holder == holder.as_str() && target.overlaps(&asked.target) && !(claim.shared && asked.bid.shared)
        }
        _ => false,
    })
}

/// Where the claims can be that matter to a request: in its own reach, and in that of every ticket that can be before
/// it, directly or by way of others.
#[must_use]
pub fn reaches(tickets: &[Ticket], reach: &Reach) -> Vec<Reach> {
    let mut left: Vec<&Target> = Vec::new();
    for target in tickets.iter().filter_map(|ticket| Some(&ticket.asks.as_ref()?.target)) {
        if !left.iter().any(|known| known.is(target)) {
            left.push(target);
        }
    }
    let mut reaches = vec![reach.clone()];
    let mut looked = 0;
    while let Some(reach) = reaches.get(looked).cloned() {
        looked = looked.saturating_add(1);
        left.retain(|target| {
            let connected = reach.has(&target.stem());
            if connected && target.stem() != reach.own() {
                reaches.push(target.reach());
            }
            !connected
        });
    }
    reaches
}

/// Lets the rule's decision stand, or says whose turn it is: nothing new is claimed before an earlier ticket.
///
/// # Errors
/// The first ticket in line, when it is not the asker's turn.
pub fn admit(
    entries: &[Entry],
    tickets: &[Ticket],
    ask: &Ask<'_>,
    decision: Decision,
    now: Timestamp,
) -> Result<Decision, Ticket> {
    if !matches!(decision.verdict, Verdict::Claimed(_) | Verdict::TakenOver(..)) {
        return Ok(decision);
    }
    match ahead(entries, tickets, ask, now).first() {
        Some(first) => Err((*first).clone()),
        None => Ok(decision),
    }
}

#[cfg(test)]
mod tests;
