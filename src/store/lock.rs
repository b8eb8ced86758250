//! The machine-wide lock: one exclusive advisory lock on one file that is never deleted.
//!
//! Under it every change is made, one after another. Waiting is bounded. First the lock is tried, which costs one system
//! call when nobody else changes anything; then a thread waits for it, so that the kernel wakes the process at once and
//! in order of arrival instead of it asking again and again. A file system that cannot lock is an error, never an
//! unlocked success.
//!
//! Not promised: that two machines which share a network file system exclude each other; that depends on its `flock`.

use std::{fs::File, io, sync::mpsc, thread, time::Duration};

use crate::store::{error::Error, folder::Folder};

/// The name of the lock in the place.
pub(crate) const NAME: &str = "lock";

/// How long a change waits for the ones before it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// How often a lock that was exchanged under our hands is opened anew.
const ATTEMPTS: usize = 10;

/// Held until it is dropped.
#[must_use = "the lock is released when this is dropped"]
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
}

impl Lock {
    /// Waits for the lock in `folder`.
    pub(crate) fn acquire(folder: &Folder, patience: Duration) -> Result<Self, Error> {
        for _ in 0..ATTEMPTS {
            let lock = Self { file: locked(folder, folder.lockable(NAME)?, patience)? };
            // Between opening and locking somebody may have put another file there: then this lock excludes nobody.
            if folder.is_same(NAME, &lock.file)? {
                return Ok(lock);
            }
        }
        Err(Error::LockReplaced { path: folder.path_of(NAME) })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing alone would leave the lock with any child that was being started at this moment. An error cannot be
        // acted on, and closing follows.
        drop(fs2::FileExt::unlock(&self.file));
    }
}

fn locked(folder: &Folder, file: File, patience: Duration) -> Result<File, Error> {
    let fail = |source| Error::Io { action: "lock", path: folder.path_of(NAME), source };
    match uninterrupted(|| fs2::FileExt::try_lock_exclusive(&file)) {
        Ok(()) => return Ok(file),
        Err(error) if error.kind() == fs2::lock_contended_error().kind() => {}
        Err(error) => return Err(fail(error)),
    }
    let (sender, receiver) = mpsc::channel();
    thread::Builder::new()
        .spawn(move || {
            let locked = uninterrupted(|| fs2::FileExt::lock_exclusive(&file));
            if let Err(mpsc::SendError((file, Ok(())))) = sender.send((file, locked)) {
                // Nobody waits any more.
                drop(fs2::FileExt::unlock(&file));
            }
        })
        .map_err(fail)?;
    match receiver.recv_timeout(patience) {
        Ok((file, Ok(()))) => Ok(file),
        Ok((_, Err(error))) => Err(fail(error)),
        Err(_) => Err(Error::LockTimeout { path: folder.path_of(NAME), seconds: patience.as_secs() }),
    }
}

fn uninterrupted(mut call: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    loop {
        match call() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}
