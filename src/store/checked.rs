//! The checked write: nothing is at its path until it is whole, and nothing is called written until it is read back.
//!
//! A file is staged beside its directory under one fixed name, which only the holder of the lock uses: a crash leaves at
//! most one such file, and the next write removes it. Staged bytes are read back before the rename, because a device
//! that loses them without a word must not get them to the claim's path, over a claim that was good; and again after
//! it, because the rename is a promise of the system as well.
//!
//! What must survive a loss of power is synced, the file before its rename and the directory after it: together a sixth of
//! the time of a take on ext4. A beat is not synced, since what it would lose is an older heartbeat of the same claim. Of a
//! new file the size has to reach the disk too, so that `fdatasync` would save nothing.

use std::io::{self, Read as _, Seek as _, Write as _};

use crate::store::{error::Error, folder::Folder};

/// Where a file is staged.
pub(crate) const STAGE: &str = "pending";

/// Bytes that are on the disk, whole, but not yet at their path.
#[must_use = "staged bytes are removed again unless they are committed"]
#[derive(Debug)]
pub(crate) struct Staged<'a> {
    beside: &'a Folder,
    bytes: &'a [u8],
    durable: bool,
    moved: bool,
}

/// Writes the bytes beside their directory and reads them back. `durable` bytes also survive a loss of power.
pub(crate) fn stage<'a>(beside: &'a Folder, bytes: &'a [u8], durable: bool) -> Result<Staged<'a>, Error> {
    let path = || beside.path_of(STAGE);
    let mut file = match beside.create(STAGE) {
        Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::AlreadyExists => {
            beside.remove(STAGE)?;
            beside.create(STAGE)?
        }
        other => other?,
    };
    let staged = Staged { beside, bytes, durable, moved: false };
    file.write_all(bytes).map_err(|source| Error::Io { action: "write", path: path(), source })?;
    if durable {
        file.sync_all().map_err(|source| Error::Io { action: "sync", path: path(), source })?;
    }
    let mut found = Vec::with_capacity(bytes.len() + 1);
    file.rewind()
        .and_then(|()| file.take(bytes.len() as u64 + 1).read_to_end(&mut found))
        .map_err(|source| Error::Io { action: "read back", path: path(), source })?;
    if found == bytes { Ok(staged) } else { Err(Error::Unverified { path: path(), why: "other bytes were written" }) }
}

impl Staged<'_> {
    /// Brings the bytes to their path, in place of a file that is there if `replaces`, and reads them back from there.
    pub(crate) fn commit(mut self, into: &Folder, name: &str, replaces: bool) -> Result<(), Error> {
        if replaces {
            self.beside.replace(STAGE, into, name)?
        } else {
            self.beside.put(STAGE, into, name)?
        }
        if self.durable {
            into.sync()?;
        }
        let path = || into.path_of(name);
        match into.read(name, self.bytes.len())? {
            Some(content) if content.bytes == self.bytes => {
                self.moved = true;
                Ok(())
            }
            Some(_) => Err(Error::Unverified { path: path(), why: "it holds other bytes than were written" }),
            None => Err(Error::Unverified { path: path(), why: "it is not there" }),
        }
    }
}

impl Drop for Staged<'_> {
    fn drop(&mut self) {
        if !self.moved {
            // It may be gone already; if it cannot be removed the next write does it.
            drop(self.beside.remove(STAGE));
        }
    }
}

/// Removes a file and looks that it is gone. It may have been gone before.
pub(crate) fn remove(folder: &Folder, name: &str) -> Result<(), Error> {
    match folder.remove(name) {
        Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {}
        other => other?,
    }
    absent(folder, name)
}

/// Moves a file into another directory, under a name that is free there, and looks that it has left and arrived.
pub(crate) fn set_aside(folder: &Folder, name: &str, into: &Folder) -> Result<(), Error> {
    let short: String = name.chars().take(60).collect();
    for number in 1..10_000_u32 {
        let new = format!("{number:04}-{short}");
        match folder.put(name, into, &new) {
            Ok(()) if into.kind(&new)?.is_some() => return absent(folder, name),
            Ok(()) => return Err(Error::Unverified { path: into.path_of(&new), why: "it is not there" }),
            Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(Error::Unverified { path: into.path().to_owned(), why: "it is full" })
}

/// Moves a file to a name that must be free, durably, and looks that it has left and arrived. Needs the lock, under which
/// nobody else takes the name: so this can be the plain rename, which no file system does in two steps, and a crash
/// never leaves the file under both names or under none.
pub(crate) fn move_file(from: &Folder, name: &str, into: &Folder, new: &str) -> Result<(), Error> {
    if into.kind(new)?.is_some() {
        return Err(Error::Unverified { path: into.path_of(new), why: "something stands there already" });
    }
    from.replace(name, into, new)?;
    into.sync()?;
    if into.kind(new)?.is_none() {
        return Err(Error::Unverified { path: into.path_of(new), why: "it is not there" });
    }
    absent(from, name)
}

fn absent(folder: &Folder, name: &str) -> Result<(), Error> {
    match folder.kind(name)? {
        None => Ok(()),
        Some(_) => Err(Error::Unverified { path: folder.path_of(name), why: "it is still there" }),
    }
}
