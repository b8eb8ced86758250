//! The one machine-wide place and its parts, as `Place`: every way to read or change what is in it.

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

const CLAIMS: &str = "claims";

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
        match self.claims()? {
            Some(claims) => claims::list(&claims),
            None => Ok(Listing::default()),
        }
    }

    /// The claims that can concern a target, without the lock.
    ///
    /// # Errors
    /// When something there cannot be read, so that nothing can be said of the target.
    pub fn look(&self, reach: &Reach) -> Result<Vec<Entry>, Error> {
        match self.claims()? {
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
        let place = match absent {
            Absent::Make => Folder::make(&self.path)?,
            Absent::Empty => match Folder::open(&self.path)? {
                Some(place) => place,
                None => return Ok(decide(&[]).0),
            },
        };
        let _lock = Lock::acquire(&place, lock::PATIENCE)?;
        let claims = place.make_sub(CLAIMS)?;
        let entries = claims::within(&claims, reach)?;
        let (answer, effects) = decide(&entries);
        claims::perform(&place, &claims, &effects)?;
        Ok(answer)
    }

    fn claims(&self) -> Result<Option<Folder>, Error> {
        match Folder::open(&self.path)? {
            Some(place) => place.sub(CLAIMS),
            None => Ok(None),
        }
    }
}
