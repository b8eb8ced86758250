//! The one machine-wide place and its parts. What is in it can be changed only through [`Locked`], which exists only
//! while the lock is held.

use std::path::{Path, PathBuf};

use crate::{
    core::{entry::Entry, rule::Effects, target::Reach},
    store::{
        claims::{self, Listing},
        error::Error,
        folder::Folder,
        lock::{self, Lock},
    },
};

pub(crate) const CLAIMS: &str = "claims";

/// The directory that all sessions of this machine share. Making one touches nothing.
#[derive(Debug, Clone)]
pub struct Place {
    path: PathBuf,
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
    /// The place at an absolute path.
    #[must_use]
    pub fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
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

    /// Lets `decide` see the claims within `reach` (all of them without one) and performs what it wants, all under the
    /// lock. What it returned comes back only when every change of it has been proved.
    ///
    /// # Errors
    /// When the lock cannot be had within 5 s, a claim cannot be read, or a change cannot be done or proved.
    pub fn change<T>(
        &self,
        absent: Absent,
        reach: Option<&Reach>,
        decide: impl FnOnce(&[Entry]) -> (T, Effects),
    ) -> Result<T, Error> {
        let Some(locked) = self.locked(absent)? else { return Ok(decide(&[]).0) };
        let (answer, effects) = decide(&locked.entries(reach)?);
        locked.perform(&effects)?;
        Ok(answer)
    }

    /// The place under its lock; `None` where it is absent and shall stay so.
    ///
    /// # Errors
    /// When the lock cannot be had within 5 s, or the place cannot be made.
    pub fn locked(&self, absent: Absent) -> Result<Option<Locked>, Error> {
        let place = match absent {
            Absent::Make => Folder::make(&self.path)?,
            Absent::Empty => match Folder::open(&self.path)? {
                Some(place) => place,
                None => return Ok(None),
            },
        };
        let lock = Lock::acquire(&place, lock::PATIENCE)?;
        let claims = place.make_sub(CLAIMS)?;
        Ok(Some(Locked { place, claims, _lock: lock }))
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
    claims: Folder,
    _lock: Lock,
}

impl Locked {
    /// The claims that can concern a target; all of them without one.
    ///
    /// # Errors
    /// When something there cannot be read, so that nothing can be said of the target.
    pub fn entries(&self, reach: Option<&Reach>) -> Result<Vec<Entry>, Error> {
        claims::within(&self.claims, reach)
    }

    /// Performs what the rule wants, each change proved.
    ///
    /// # Errors
    /// When a change cannot be done or proved.
    pub fn perform(&self, effects: &Effects) -> Result<(), Error> {
        claims::perform(&self.place, &self.claims, effects)
    }
}
