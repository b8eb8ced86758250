//! The one machine-wide place and its parts. What is in it can be changed only through [`Locked`], which exists only
//! while the lock is held.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};

use crate::{
    core::{entry::Entry, rule::Effects, target::Reach, time::Timestamp, trace::Line},
    store::{
        checked,
        claims::{self, Listing},
        error::Error,
        folder::Folder,
        lock::{self, Lock},
        trace,
    },
};

pub(crate) const CLAIMS: &str = "claims";

/// The directory that all sessions of this machine share. Making one touches nothing.
#[derive(Debug, Clone)]
pub struct Place {
    path: PathBuf,
    pub(crate) clock: fn() -> Timestamp,
    warnings: Arc<Mutex<Vec<String>>>,
}

/// Whether a change may make the place if it is absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absent {
    /// Make it.
    Make,
    /// Decide as on an empty one; nothing is created for a request that only needs what is there.
    Empty,
}

impl Place {
    /// The place at an absolute path, and what says the time there.
    #[must_use]
    pub fn at(path: PathBuf, clock: fn() -> Timestamp) -> Self {
        Self { path, clock, warnings: Arc::default() }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What went wrong beside the changes, such as a trace line that could not be written; each is told once.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.lock().map(|mut warnings| std::mem::take(&mut *warnings)).unwrap_or_default()
    }

    /// Writes trace lines that no change goes with, such as a refusal that was found without the lock. `lines` looks again
    /// under the lock, since what was found may be over: the trace tells what is so where its line stands. A failure is a
    /// warning.
    pub fn note(&self, lines: impl FnOnce(&Locked) -> Result<Vec<Line>, Error>) {
        match self.locked(Absent::Empty) {
            Ok(Some(locked)) => match lines(&locked) {
                Ok(lines) => locked.note(&lines),
                Err(error) => self.warn(&error),
            },
            Ok(None) => {}
            Err(error) => self.warn(&error),
        }
    }

    /// The whole trace, the oldest file first: each file's name and bytes.
    ///
    /// # Errors
    /// When a file of it cannot be read.
    pub fn trace(&self) -> Result<Vec<(String, Vec<u8>)>, Error> {
        match Folder::open(&self.path)? {
            Some(place) => trace::read(&place),
            None => Ok(Vec::new()),
        }
    }

    fn warn(&self, error: &Error) {
        if let Ok(mut warnings) = self.warnings.lock() {
            warnings.push(format!("the trace was not written: {error}"));
        }
    }

    /// Everything in the claims directory, without the lock.
    ///
    /// # Errors
    /// When the directory cannot be listed. What cannot be read in it is in the listing, as a flaw.
    pub fn listing(&self) -> Result<Listing, Error> {
        match self.sub(CLAIMS)? {
            Some(claims) => claims::list(&claims),
            None => Ok(Listing::default()),
        }
    }

    /// The claims that can concern a target, without the lock.
    ///
    /// # Errors
    /// When something there cannot be read, so that nothing can be said of the target.
    pub fn look(&self, reach: &Reach) -> Result<Vec<Entry>, Error> {
        match self.sub(CLAIMS)? {
            Some(claims) => claims::within(&claims, Some(reach)),
            None => Ok(Vec::new()),
        }
    }

    /// Lets `decide` see the claims within `reach` (all of them without one) and the time, and performs what it wants, all
    /// under the lock. What it returned comes back only when every change of it has been proved.
    ///
    /// # Errors
    /// When the lock cannot be had within 5 s, a claim cannot be read, or a change cannot be done or proved.
    pub fn change<T>(
        &self,
        absent: Absent,
        reach: Option<&Reach>,
        decide: impl FnOnce(&[Entry], Timestamp) -> (T, Effects),
    ) -> Result<T, Error> {
        let Some(locked) = self.locked(absent)? else { return Ok(decide(&[], (self.clock)()).0) };
        let (answer, effects) = decide(&locked.entries(reach)?, locked.now);
        locked.perform(&effects)?;
        Ok(answer)
    }

    /// The place under its lock; `None` where it is absent and shall stay so.
    ///
    /// # Errors
    /// When the lock cannot be had within 5 s, or the place cannot be made.
    pub fn locked(&self, absent: Absent) -> Result<Option<Locked>, Error> {
        self.locked_within(absent, lock::PATIENCE)
    }

    /// As [`Place::locked`], waiting for the lock no longer than `patience`.
    pub(crate) fn locked_within(&self, absent: Absent, patience: Duration) -> Result<Option<Locked>, Error> {
        let place = match absent {
            Absent::Make => Folder::make(&self.path)?,
            Absent::Empty => match Folder::open(&self.path)? {
                Some(place) => place,
                None => return Ok(None),
            },
        };
        let lock = Lock::acquire(&place, patience)?;
        let claims = place.make_sub(CLAIMS)?;
        let now = (self.clock)();
        Ok(Some(Locked { place, claims, now, of: self.clone(), _lock: lock }))
    }

    /// Proves that claims can be made here: makes the place, takes its lock, writes a file, reads it back, and removes it.
    ///
    /// # Errors
    /// What stands in the way of the first claim.
    pub fn prove(&self) -> Result<(), Error> {
        if let Some(locked) = self.locked(Absent::Make)? {
            drop(checked::stage(&locked.place, b"claim doctor\n", true)?);
        }
        Ok(())
    }

    /// A part of the place, if it is there.
    pub(crate) fn sub(&self, name: &str) -> Result<Option<Folder>, Error> {
        match Folder::open(&self.path)? {
            Some(place) => place.sub(name),
            None => Ok(None),
        }
    }
}

/// The place while the lock is held: the only way to change anything in it.
#[must_use = "the lock is released when this is dropped"]
#[derive(Debug)]
pub struct Locked {
    pub(crate) place: Folder,
    pub(crate) claims: Folder,
    pub(crate) now: Timestamp,
    of: Place,
    _lock: Lock,
}

impl Locked {
    /// The time at which the lock was had. What is decided under the lock is decided by this: a command that waited for
    /// the lock, or was stopped before it had it, would else take what was claimed meanwhile for a claim of the future.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The claims that can concern a target; all of them without one.
    ///
    /// # Errors
    /// When something there cannot be read, so that nothing can be said of the target.
    pub fn entries(&self, reach: Option<&Reach>) -> Result<Vec<Entry>, Error> {
        claims::within(&self.claims, reach)
    }

    /// Everything in the claims directory.
    ///
    /// # Errors
    /// When the directory cannot be listed. What cannot be read in it is in the listing, as a flaw.
    pub fn listing(&self) -> Result<Listing, Error> {
        claims::list(&self.claims)
    }

    /// Performs what the rule wants, each change proved.
    ///
    /// # Errors
    /// When a change cannot be done or proved.
    pub fn perform(&self, effects: &Effects) -> Result<(), Error> {
        claims::perform(&self.place, &self.claims, effects)?;
        self.note(&effects.log);
        Ok(())
    }

    /// Writes trace lines. A failure is a warning: what they tell of has been made and proved.
    pub fn note(&self, lines: &[Line]) {
        if let Err(error) = trace::append(&self.place, lines) {
            self.of.warn(&error);
        }
    }

    /// The whole trace, at one moment with the rest of the place.
    ///
    /// # Errors
    /// When a file of it cannot be read.
    pub fn trace(&self) -> Result<Vec<(String, Vec<u8>)>, Error> {
        trace::read(&self.place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::{
        holder::Holder,
        rule::{self, Request, Verdict, Wish},
        target::Target,
    };

    /// No test can set the clock of the machine; the place is told another.
    #[test]
    fn a_clock_before_1970_or_after_2038_is_a_clock() {
        const CLOCKS: [fn() -> Timestamp; 2] = [|| Timestamp(-315_619_200), || Timestamp(4_102_444_800)];
        for (clock, year) in CLOCKS.into_iter().zip(["1960-", "2100-"]) {
            let directory = tempfile::tempdir().unwrap();
            let place = Place::at(directory.path().join("place"), clock);
            let (target, [one, other]) =
                (Target::name("t").unwrap(), ["one", "other"].map(|name| Holder::new(name).unwrap()));
            let take = |holder| {
                let request = Request { target: &target, holder };
                let wish = Wish { purpose: "p", ttl: None, shared: false };
                place.change(Absent::Make, Some(&target.reach()), |entries, now| {
                    let decision = rule::take(entries, &request, &wish, now);
                    (decision.verdict, decision.effects)
                })
            };
            assert!(matches!(take(&one), Ok(Verdict::Claimed(_))), "{year}");
            assert!(matches!(take(&other), Ok(Verdict::Refused(_))), "{year}");
            assert!(matches!(take(&one), Ok(Verdict::Renewed(_))), "{year}");
            let claim = place.look(&target.reach()).unwrap().remove(0);
            let text = String::from_utf8(claim.claim().unwrap().to_bytes()).unwrap();
            assert!(text.contains(&format!("\"heartbeat_at\": \"{year}")), "{text}");
        }
    }
}
