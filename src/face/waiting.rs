//! Taking in turn: what `take`, `run`, `guard` and `hook` have in common when they claim something new, and the waiting
//! of `--wait`.
//!
//! A waiter looks without the lock, five times a second, and takes the lock only when it is its turn and nothing is in
//! the way any more; then it is decided again. Its ticket and its claim change hands in one critical section, so it is
//! never both in line and served, nor neither.

use std::time::Duration;

use crate::{
    core::{
        entry::Entry,
        holder::Holder,
        queue::{self, Ask, Bid, Number, Ticket},
        rule::{self, Decision, Effects, Refusal, Verdict},
        target::Target,
        time::Timestamp,
    },
    face::{context::Context, exit::Exit, failure::Failure, progress::Progress, report::Report},
    host::{
        chance,
        clock::{self, Moment},
    },
    store::{Absent, Error, Moves, Slip},
};

/// How often a waiter looks.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// How often it says that it still waits.
const RENEW_EVERY: Duration = Duration::from_secs(1);
/// How long an interrupted waiter tries to tidy up behind its ticket, which is gone by then.
const TIDY_WITHIN: Duration = Duration::from_millis(300);

/// What is asked for.
pub(crate) struct Asking<'a> {
    pub(crate) context: &'a Context,
    pub(crate) target: &'a Target,
    pub(crate) holder: &'a Holder,
    /// Whether it would be a shared claim.
    pub(crate) shared: bool,
    /// What the rule says to it.
    pub(crate) decide: &'a dyn Fn(&[Entry], Timestamp) -> Decision,
    /// What takes back that verdict, for a waiter that was interrupted just as it was served.
    pub(crate) undo: &'a dyn Fn(&Verdict, &[Entry], Timestamp) -> Effects,
}

/// How long to wait, and how.
pub(crate) struct Wait<'a> {
    pub(crate) budget: Duration,
    /// Sleeps, and returns the signal that woke it before the time.
    pub(crate) pause: &'a dyn Fn(Duration) -> Option<i32>,
}

/// What came of it.
pub(crate) struct Answer {
    /// When that was so.
    pub(crate) now: Timestamp,
    /// For how many seconds it was waited, if it was.
    pub(crate) waited: Option<u64>,
    pub(crate) outcome: Outcome,
}

pub(crate) enum Outcome {
    /// What the rule said, and the stale claims that went for it.
    Decided(Verdict, Vec<Entry>),
    /// Nobody holds it, but somebody else comes first.
    Behind(Ticket),
    /// A signal came; nothing is claimed and no ticket is left.
    Interrupted(i32),
}

/// What stands in the way of a waiter.
pub(crate) enum Obstacle {
    Claim(Refusal),
    Ticket(Ticket),
}

enum Attempt {
    Granted(Verdict, Vec<Entry>),
    Not(Obstacle),
}

/// What a failed attempt leaves behind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leaves {
    /// Nothing: it was the only one.
    Nothing,
    /// A ticket.
    Ticket,
    /// Nothing any more: the time is over.
    NothingMore,
}

/// Asks once, or for as long as `wait` says.
pub(crate) fn ask(asking: &Asking<'_>, wait: Option<&Wait<'_>>) -> Result<Answer, Failure> {
    let mut waiter = Waiter { asking, number: None, since: asking.context.now };
    let Some(wait) = wait.filter(|wait| !wait.budget.is_zero()) else {
        let (attempt, now) = waiter.attempt(Leaves::Nothing)?;
        let outcome = match attempt {
            Attempt::Granted(verdict, cleared) => Outcome::Decided(verdict, cleared),
            Attempt::Not(Obstacle::Claim(refusal)) => Outcome::Decided(Verdict::Refused(refusal), Vec::new()),
            Attempt::Not(Obstacle::Ticket(ticket)) => Outcome::Behind(ticket),
        };
        return Ok(Answer { now, waited: None, outcome });
    };
    let answer = waiter.wait(wait);
    if answer.is_err() {
        // Whatever failed, the ticket should not hold up the others until it dies.
        drop(waiter.withdraw());
    }
    answer
}

/// The report for a waiter that a signal ended.
pub(crate) fn interrupted(signal: i32, target: &Target) -> Report {
    let code = u8::try_from(signal.saturating_add(128)).unwrap_or(u8::MAX);
    let mut report = Report::new(Exit::Command(code), "interrupted");
    report.set("target", target.as_str());
    report.set("signal", signal);
    report
}

struct Waiter<'a> {
    asking: &'a Asking<'a>,
    /// Its place in the line, once it has one. It keeps it also when its ticket died while it was suspended.
    number: Option<Number>,
    /// When it came, once it has one.
    since: Timestamp,
}

impl Waiter<'_> {
    fn wait(&mut self, wait: &Wait<'_>) -> Result<Answer, Failure> {
        let began = Moment::now();
        let mut progress = Progress::new(self.asking.context.json, self.asking.target, wait.budget);
        let mut obstacle = match self.attempt(Leaves::Ticket)? {
            (Attempt::Granted(verdict, cleared), now) => return self.granted(wait, verdict, cleared, now, None),
            (Attempt::Not(obstacle), _) => obstacle,
        };
        let mut before = 0;
        let mut renewed = Moment::now();
        loop {
            progress.show(&obstacle, before, began.ago(), clock::now());
            let left = wait.budget.saturating_sub(began.ago());
            if left.is_zero() {
                break;
            }
            if let Some(signal) = (wait.pause)(left.min(LOOK_EVERY)) {
                self.withdraw()?;
                let waited = Some(self.waited(clock::now()));
                return Ok(Answer { now: clock::now(), waited, outcome: Outcome::Interrupted(signal) });
            }
            let now = clock::now();
            let mut in_line = true;
            if renewed.ago_at_most() >= RENEW_EVERY {
                in_line = self.renew(now)?;
                renewed = Moment::now();
            }
            match self.look(now)? {
                Some((found, ahead)) if in_line => (obstacle, before) = (found, ahead),
                _ => match self.attempt(Leaves::Ticket) {
                    Ok((Attempt::Granted(verdict, cleared), now)) => {
                        let waited = Some(self.waited(now));
                        return self.granted(wait, verdict, cleared, now, waited);
                    }
                    Ok((Attempt::Not(found), _)) => obstacle = found,
                    // Others are busy changing something: the budget says for how long that may go on.
                    Err(Error::LockTimeout { .. }) => {}
                    Err(error) => return Err(error.into()),
                },
            }
        }
        let (attempt, now) = self.attempt(Leaves::NothingMore)?;
        let outcome = match attempt {
            Attempt::Granted(verdict, cleared) => {
                let waited = Some(self.waited(now));
                return self.granted(wait, verdict, cleared, now, waited);
            }
            Attempt::Not(Obstacle::Claim(refusal)) => Outcome::Decided(Verdict::Refused(refusal), Vec::new()),
            Attempt::Not(Obstacle::Ticket(ticket)) => Outcome::Behind(ticket),
        };
        Ok(Answer { now, waited: Some(self.waited(now)), outcome })
    }

    /// Served; unless a signal came at the same moment, which must leave no claim.
    fn granted(
        &self,
        wait: &Wait<'_>,
        verdict: Verdict,
        cleared: Vec<Entry>,
        now: Timestamp,
        waited: Option<u64>,
    ) -> Result<Answer, Failure> {
        let outcome = match (wait.pause)(Duration::ZERO) {
            None => Outcome::Decided(verdict, cleared),
            Some(signal) => {
                let (place, reach) = (&self.asking.context.place, self.asking.target.reach());
                place.change(Absent::Empty, Some(&reach), |entries, now| {
                    ((), (self.asking.undo)(&verdict, entries, now))
                })?;
                Outcome::Interrupted(signal)
            }
        };
        Ok(Answer { now, waited, outcome })
    }

    /// Asks under the lock, and says at what time that was.
    fn attempt(&mut self, leaves: Leaves) -> Result<(Attempt, Timestamp), Error> {
        let Asking { context, target, holder, shared, decide, .. } = *self.asking;
        let (attempt, number, now) = context.place.change_in_turn(&target.reach(), |entries, tickets, now| {
            let mut moves = Moves { dead: self.dead(tickets, now), ..Moves::default() };
            let decision = queue::admit(entries, tickets, &self.as_ask(), decide(entries, now), now);
            let (obstacle, mut effects) = match decision {
                Ok(Decision { verdict: Verdict::Refused(refusal), effects }) => (Obstacle::Claim(refusal), effects),
                Ok(Decision { verdict, mut effects }) => {
                    moves.leave = self.number.map(|number| self.slip(number));
                    if self.number.is_some()
                        && let Some(line) = effects.log.pop()
                    {
                        effects.log.push(line.waited(self.waited(now)));
                    }
                    let gone = |entry: &&Entry| effects.clear.contains(&entry.file);
                    let cleared = entries.iter().filter(gone).cloned().collect();
                    return ((Attempt::Granted(verdict, cleared), self.number, now), effects, moves);
                }
                Err(ticket) => (Obstacle::Ticket(ticket), Effects::default()),
            };
            let by = match &obstacle {
                Obstacle::Claim(refusal) => Some(&refusal.by),
                Obstacle::Ticket(_) => None,
            };
            let mut number = self.number;
            match leaves {
                Leaves::Nothing => {
                    // A place in the line was to be had, and it was not waited for.
                    if by.is_none() {
                        effects.log.push(rule::wait_line(by, target, holder, shared, now));
                        effects.log.push(rule::waited_line(by, target, holder, shared, now, 0));
                    }
                }
                Leaves::Ticket => {
                    effects = Effects::default();
                    let since = number.map_or(now, |_| self.since);
                    if number.is_none() {
                        effects.log.push(rule::wait_line(by, target, holder, shared, now));
                    }
                    let own = number
                        .unwrap_or_else(|| Number { arrival: queue::next_arrival(tickets), mark: chance::draw() });
                    number = Some(own);
                    let slip = self.slip(own);
                    if !tickets.iter().any(|ticket| ticket.stem == slip.stem && ticket.file == slip.file) {
                        moves.enter = Some((slip, self.bid(since).to_bytes()));
                    }
                }
                Leaves::NothingMore => {
                    moves.leave = number.map(|number| self.slip(number));
                    effects = Effects::default();
                    if number.is_some() {
                        effects.log.push(rule::waited_line(by, target, holder, shared, now, self.waited(now)));
                    }
                }
            }
            ((Attempt::Not(obstacle), number, now), effects, moves)
        })?;
        if self.number.is_none() {
            // As its line in the trace says: getting the lock may have taken a while.
            self.since = now;
        }
        self.number = number;
        Ok((attempt, now))
    }

    /// What is in the way and how many come first, as far as can be seen without the lock.
    fn look(&self, now: Timestamp) -> Result<Option<(Obstacle, usize)>, Error> {
        let (entries, tickets) = self.asking.context.place.look_at_line(&self.asking.target.reach())?;
        let decision = (self.asking.decide)(&entries, now);
        let obstacle = match queue::admit(&entries, &tickets, &self.as_ask(), decision, now) {
            Ok(Decision { verdict: Verdict::Refused(refusal), .. }) => Obstacle::Claim(refusal),
            Ok(_) => return Ok(None),
            Err(ticket) => Obstacle::Ticket(ticket),
        };
        let before = queue::ahead(&entries, &tickets, &self.as_ask(), now).len();
        Ok(Some((obstacle, before)))
    }

    fn renew(&self, now: Timestamp) -> Result<bool, Error> {
        match self.number {
            Some(number) => self.asking.context.place.renew(&self.slip(number), now),
            None => Ok(false),
        }
    }

    fn withdraw(&self) -> Result<(), Error> {
        match self.number {
            Some(number) => self.asking.context.place.withdraw(&self.slip(number), TIDY_WITHIN),
            None => Ok(()),
        }
    }

    fn dead(&self, tickets: &[Ticket], now: Timestamp) -> Vec<Slip> {
        let own = self.number.map(|number| self.slip(number));
        tickets
            .iter()
            .filter(|ticket| !ticket.is_alive(now))
            .map(|ticket| Slip { stem: ticket.stem.clone(), file: ticket.file.clone() })
            .filter(|slip| own.as_ref() != Some(slip))
            .collect()
    }

    fn as_ask(&self) -> Ask<'_> {
        let Asking { target, holder, shared, .. } = *self.asking;
        Ask { target, holder, shared, number: self.number }
    }

    fn bid(&self, since: Timestamp) -> Bid {
        Bid {
            target: self.asking.target.as_str().to_owned(),
            holder: self.asking.holder.as_str().to_owned(),
            shared: self.asking.shared,
            since,
        }
    }

    fn slip(&self, number: Number) -> Slip {
        Slip { stem: self.asking.target.stem(), file: number.file() }
    }

    fn waited(&self, now: Timestamp) -> u64 {
        u64::try_from(now.since(self.since)).unwrap_or(0)
    }
}
