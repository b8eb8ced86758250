//! The tickets of those who wait: `waiting/<stem>/<number>.json`, one file each.
//!
//! Numbers are given out and tickets are made and cleared under the lock. Two things take no lock, because each is one
//! system call on a file of one's own: renewing a ticket, which sets its time of modification, and taking it away. So a
//! waiter stays alive also while somebody else keeps the lock busy, and whoever interrupts it waits for nothing.
//!
//! Directories without a ticket are removed, `waiting` too: when nobody waits there is nothing.
//!
//! # Limitations
//! A ticket's life is told by its time of modification, so a waiter on another machine must have a clock that agrees
//! within a few seconds. If it does not, its ticket counts as dead and the order is lost, never a claim.

use std::time::Duration;

use crate::{
    core::{
        entry::Entry,
        queue::{self, Ticket},
        rule::Effects,
        target::{PathStyle, Reach},
        time::Timestamp,
    },
    store::{
        checked, claims,
        error::Error,
        folder::Folder,
        place::{Absent, CLAIMS, Place},
    },
};

const WAITING: &str = "waiting";

/// Where a ticket is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slip {
    /// The directory: the stem of the target.
    pub stem: String,
    /// The file.
    pub file: String,
}

/// What a change does to the tickets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Moves {
    /// The asker's own ticket, to be made, with its content.
    pub enter: Option<(Slip, Vec<u8>)>,
    /// The asker's own ticket, to be taken away. It may be gone already.
    pub leave: Option<Slip>,
    /// Tickets that nobody renewed. What cannot be removed stays for the next one to try: it is dead either way.
    pub dead: Vec<Slip>,
}

impl Place {
    /// As [`Place::change`], for what may have to wait its turn: `decide` sees the tickets too, and the claims that the
    /// tickets wait for, and says what becomes of its own ticket and of the dead ones.
    ///
    /// # Errors
    /// As [`Place::change`].
    pub fn change_in_turn<T>(
        &self,
        reach: &Reach,
        decide: impl FnOnce(&[Entry], &[Ticket], Timestamp) -> (T, Effects, Moves),
    ) -> Result<T, Error> {
        let Some(locked) = self.locked(Absent::Make)? else { return Ok(decide(&[], &[], (self.clock)()).0) };
        let waiting = list(&locked.place)?;
        let used = waiting.is_some();
        let tickets = waiting.unwrap_or_default();
        let entries = entries(&locked.claims, reach, &tickets)?;
        let (answer, effects, moves) = decide(&entries, &tickets, locked.now());
        // The own ticket goes first: should the claim then not come about, its waiter ends and needs it no more.
        perform(&locked.place, &moves)?;
        let done = locked.perform(&effects);
        if used {
            tidy(&locked.place, &moves);
        }
        done.map(|()| answer)
    }

    /// What [`Place::change_in_turn`] would see, without the lock.
    ///
    /// # Errors
    /// When something there cannot be read.
    pub fn look_at_line(&self, reach: &Reach) -> Result<(Vec<Entry>, Vec<Ticket>), Error> {
        let Some(place) = Folder::open(self.path())? else { return Ok((Vec::new(), Vec::new())) };
        let tickets = list(&place)?.unwrap_or_default();
        let entries = match place.sub(CLAIMS)? {
            Some(claims) => entries(&claims, reach, &tickets)?,
            None => Vec::new(),
        };
        Ok((entries, tickets))
    }

    /// Says that a ticket's waiter still waits. False when the ticket is gone.
    ///
    /// # Errors
    /// When the system says no.
    pub fn renew(&self, slip: &Slip, now: Timestamp) -> Result<bool, Error> {
        match self.sub(WAITING)? {
            Some(waiting) => match waiting.sub(&slip.stem)? {
                Some(folder) => folder.touch(&slip.file, now),
                None => Ok(false),
            },
            None => Ok(false),
        }
    }

    /// Takes a ticket away at once. What it leaves empty is tidied if the lock can be had within `patience`.
    ///
    /// # Errors
    /// When the ticket cannot be removed.
    pub fn withdraw(&self, slip: &Slip, patience: Duration) -> Result<(), Error> {
        let Some(place) = Folder::open(self.path())? else { return Ok(()) };
        let moves = Moves { leave: Some(slip.clone()), ..Moves::default() };
        perform(&place, &moves)?;
        if let Ok(Some(locked)) = self.locked_within(Absent::Empty, patience) {
            tidy(&locked.place, &moves);
        }
        Ok(())
    }
}

/// The claims that can matter to a request: that can be in its way, or that a ticket which is may be waiting for.
fn entries(claims: &Folder, reach: &Reach, tickets: &[Ticket]) -> Result<Vec<Entry>, Error> {
    let reaches = queue::reaches(tickets, reach);
    claims::reached(claims, |stem| reaches.iter().any(|reach| reach.has(stem)))
}

/// All tickets, in no order. `None` where nobody waits, nor anybody has left something behind.
fn list(place: &Folder) -> Result<Option<Vec<Ticket>>, Error> {
    let mut tickets = Vec::new();
    let Some(waiting) = place.sub(WAITING)? else { return Ok(None) };
    for stem in waiting.names(|_| true)? {
        // Removed between listing and opening, when its last waiter left.
        let Some(folder) = waiting.sub(&stem)? else { continue };
        for file in folder.names(|_| true)? {
            if let Some(content) = folder.read(&file, queue::LARGEST)? {
                tickets.push(Ticket::read(&stem, &file, &content.bytes, content.modified, PathStyle::HERE));
            }
        }
    }
    Ok(Some(tickets))
}

/// Makes or removes the asker's own ticket.
fn perform(place: &Folder, moves: &Moves) -> Result<(), Error> {
    if let Some(slip) = &moves.leave
        && let Some(folder) = folder_of(place, slip)?
    {
        checked::remove(&folder, &slip.file)?;
    }
    if let Some((slip, bytes)) = &moves.enter {
        let folder = place.make_sub(WAITING)?.make_sub(&slip.stem)?;
        checked::stage(place, bytes, false)?.commit(&folder, &slip.file, false)?;
    }
    Ok(())
}

/// Clears what is dead and what is empty. Needs the lock.
fn tidy(place: &Folder, moves: &Moves) {
    for slip in &moves.dead {
        if let Ok(Some(folder)) = folder_of(place, slip) {
            drop(folder.remove(&slip.file));
        }
    }
    if let Ok(Some(waiting)) = place.sub(WAITING) {
        // Also what a waiter left that was killed between making the directory and the ticket.
        for stem in waiting.names(|_| true).unwrap_or_default() {
            drop(waiting.remove_empty(&stem));
        }
        drop(place.remove_empty(WAITING));
    }
}

fn folder_of(place: &Folder, slip: &Slip) -> Result<Option<Folder>, Error> {
    match place.sub(WAITING)? {
        Some(waiting) => waiting.sub(&slip.stem),
        None => Ok(None),
    }
}
