//! The directory by its descriptor, with the system calls that Linux, macOS and the BSDs share.

use std::{
    borrow::Cow,
    fs::File,
    io::{self, Read as _},
    os::{
        fd::{AsFd as _, OwnedFd},
        unix::ffi::OsStrExt as _,
    },
    path::{Path, PathBuf},
};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RawMode};

use super::{Content, Kind};
use crate::{core::time::Timestamp, store::error::Error};

/// A directory that is open.
#[derive(Debug)]
pub(crate) struct Folder {
    descriptor: OwnedFd,
    path: PathBuf,
    /// The permission bits that directories in here get.
    permissions: RawMode,
}

/// Only the permission bits, set-id and sticky bits of a mode.
const PERMISSIONS: RawMode = 0o7777;

impl Folder {
    /// Opens a directory by its path, following links in it: the user says where the place is. `None` when it is absent.
    pub(crate) fn open(path: &Path) -> Result<Option<Self>, Error> {
        match rustix::fs::openat(CWD, path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()) {
            Ok(descriptor) => Self::of(descriptor, path.to_owned()).map(Some),
            Err(rustix::io::Errno::NOENT) => Ok(None),
            Err(rustix::io::Errno::NOTDIR) => Err(Error::NotDirectory { path: path.to_owned() }),
            Err(error) => Err(failed("open", path, error)),
        }
    }

    /// Opens a directory by its path and makes it, and what leads to it, if it is absent: for its owner alone.
    pub(crate) fn make(path: &Path) -> Result<Self, Error> {
        if let Some(folder) = Self::open(path)? {
            return Ok(folder);
        }
        make_with_parents(path)?;
        Self::open(path)?.ok_or_else(|| failed("open", path, rustix::io::Errno::NOENT))
    }

    /// Opens a directory in this one. A link is not followed. `None` when it is absent.
    pub(crate) fn sub(&self, name: &str) -> Result<Option<Self>, Error> {
        let path = self.path.join(name);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match rustix::fs::openat(&self.descriptor, name, flags, Mode::empty()) {
            Ok(descriptor) => Ok(Some(Self { descriptor, path, permissions: self.permissions })),
            Err(rustix::io::Errno::NOENT) => Ok(None),
            Err(rustix::io::Errno::NOTDIR | rustix::io::Errno::LOOP | rustix::io::Errno::MLINK) => {
                Err(Error::NotDirectory { path })
            }
            Err(error) => Err(failed("open", &path, error)),
        }
    }

    /// Opens a directory in this one and makes it if it is absent, with the permissions of this one. Whoever was stopped
    /// between making it and setting those left a directory that others cannot enter: its owner repairs that here.
    pub(crate) fn make_sub(&self, name: &str) -> Result<Self, Error> {
        let path = self.path.join(name);
        let found = match self.sub(name)? {
            Some(found) => found,
            None => {
                match rustix::fs::mkdirat(&self.descriptor, name, Mode::from_raw_mode(0o700)) {
                    Ok(()) | Err(rustix::io::Errno::EXIST) => {}
                    Err(error) => return Err(failed("create", &path, error)),
                }
                self.sub(name)?.ok_or_else(|| failed("open", &path, rustix::io::Errno::NOENT))?
            }
        };
        let status = rustix::fs::fstat(&found.descriptor).map_err(|error| failed("look at", &path, error))?;
        // Set whatever the umask says: a directory that a group shares must not get parts that it cannot enter.
        let differs = status.st_mode & PERMISSIONS != self.permissions;
        if differs && status.st_uid == rustix::process::geteuid().as_raw() {
            rustix::fs::fchmod(&found.descriptor, Mode::from_raw_mode(self.permissions))
                .map_err(|error| failed("set the permissions of", &path, error))?;
        }
        Ok(found)
    }

    /// The path of something in here, for messages.
    pub(crate) fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The path of this directory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The names in here that are wanted, in no order.
    pub(crate) fn names(&self, wanted: impl Fn(&str) -> bool) -> Result<Vec<String>, Error> {
        let fail = |error| failed("list", &self.path, error);
        // A descriptor of its own, since reading moves it. A large buffer, since ten thousand claims that a crashed
        // machine left behind must not be felt before every write; and names that are not wanted are never copied: 400
        // instructions a name, the kernel's apart.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let descriptor = retry(|| rustix::fs::openat(&self.descriptor, ".", flags, Mode::empty())).map_err(fail)?;
        let mut names = Vec::new();
        each_name(&descriptor, |name| {
            // A name that is no text was not written by this program, and stays invisible to it but for this mark.
            let name = str::from_utf8(name).map_or_else(|_| String::from_utf8_lossy(name), Cow::Borrowed);
            if name != "." && name != ".." && wanted(&name) {
                names.push(name.into_owned());
            }
        })
        .map_err(fail)?;
        Ok(names)
    }

    /// What stands under a name, without following it. `None` when nothing does.
    pub(crate) fn kind(&self, name: &str) -> Result<Option<Kind>, Error> {
        Ok(self.status(name)?.map(|status| kind_of(&status)))
    }

    /// Reads a regular file of at most `most` bytes; of a larger one just more than that many. `None` when it is absent.
    /// Anything but a regular file is an error and is neither followed nor opened.
    pub(crate) fn read(&self, name: &str, most: usize) -> Result<Option<Content>, Error> {
        let path = self.path.join(name);
        match self.kind(name)? {
            None => return Ok(None),
            Some(Kind::Regular) => {}
            Some(kind) => return Err(Error::NotRegular { path, what: kind.name() }),
        }
        // NONBLOCK, in case it has become a pipe since: opening that would wait for a writer for ever.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let descriptor = match retry(|| rustix::fs::openat(&self.descriptor, name, flags, Mode::empty())) {
            Ok(descriptor) => descriptor,
            Err(rustix::io::Errno::NOENT) => return Ok(None),
            Err(rustix::io::Errno::LOOP) => return Err(Error::NotRegular { path, what: Kind::Link.name() }),
            Err(error) => return Err(failed("open", &path, error)),
        };
        // Of the file that was opened, which another may have put there since the look.
        let status = rustix::fs::fstat(&descriptor).map_err(|error| failed("look at", &path, error))?;
        let kind = kind_of(&status);
        if kind != Kind::Regular {
            return Err(Error::NotRegular { path, what: kind.name() });
        }
        let size = usize::try_from(status.st_size).unwrap_or(usize::MAX).min(most.saturating_add(1));
        let mut bytes = Vec::with_capacity(size.saturating_add(1));
        File::from(descriptor)
            .take(u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|source| Error::Io { action: "read", path: path.clone(), source })?;
        // Half of a claim must not pass for a file that is no claim: that one goes stale by another clock.
        if bytes.len() != size {
            return Err(Error::Unverified { path, why: "its size and what could be read of it differ" });
        }
        Ok(Some(Content { bytes, modified: Timestamp(status.st_mtime) }))
    }

    /// Makes a new file for writing and reading back; an error if something stands there.
    pub(crate) fn create(&self, name: &str) -> Result<File, Error> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        self.opened(name, flags, "create")
    }

    /// Opens a file to append to it, and makes it if it is absent. A link or anything else irregular is an error.
    pub(crate) fn append(&self, name: &str) -> Result<File, Error> {
        self.regular(name, OFlags::RDWR | OFlags::APPEND | OFlags::CREATE)
    }

    /// Opens a file to lock it, and makes it if it is absent.
    pub(crate) fn lockable(&self, name: &str) -> Result<File, Error> {
        self.regular(name, OFlags::RDWR | OFlags::CREATE)
    }

    fn regular(&self, name: &str, flags: OFlags) -> Result<File, Error> {
        match self.kind(name)? {
            None | Some(Kind::Regular) => {}
            Some(kind) => return Err(Error::NotRegular { path: self.path.join(name), what: kind.name() }),
        }
        self.opened(name, flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC, "open")
    }

    fn opened(&self, name: &str, flags: OFlags, action: &'static str) -> Result<File, Error> {
        let mode = Mode::from_raw_mode(self.file_mode());
        match retry(|| rustix::fs::openat(&self.descriptor, name, flags, mode)) {
            Ok(descriptor) => {
                // A file that somebody else linked here has another name elsewhere: nothing is written to that.
                if flags.contains(OFlags::APPEND) && self.has_other_names(name, &descriptor)? {
                    return Err(Error::NotRegular { path: self.path.join(name), what: "a file with other names too" });
                }
                // For the owner alone every umask leaves what is needed. What a group shares must not depend on the
                // umask of the one who happens to write first.
                if self.file_mode() & 0o077 != 0 && flags.contains(OFlags::CREATE) {
                    self.share(name, &descriptor, mode)?;
                }
                Ok(File::from(descriptor))
            }
            Err(rustix::io::Errno::LOOP) => {
                Err(Error::NotRegular { path: self.path.join(name), what: Kind::Link.name() })
            }
            Err(error) => Err(failed(action, &self.path.join(name), error)),
        }
    }

    fn has_other_names(&self, name: &str, descriptor: &OwnedFd) -> Result<bool, Error> {
        let status = rustix::fs::fstat(descriptor).map_err(|error| failed("look at", &self.path.join(name), error))?;
        Ok(status.st_nlink > 1)
    }

    fn share(&self, name: &str, descriptor: &OwnedFd, mode: Mode) -> Result<(), Error> {
        let fail = |error| failed("set the permissions of", &self.path.join(name), error);
        let status = rustix::fs::fstat(descriptor).map_err(fail)?;
        if status.st_mode & 0o777 == mode.as_raw_mode() || status.st_nlink > 1 {
            return Ok(());
        }
        match rustix::fs::fchmod(descriptor, mode) {
            // An existing file of another user: its owner has set what the directory says.
            Ok(()) | Err(rustix::io::Errno::PERM) => Ok(()),
            Err(error) => Err(fail(error)),
        }
    }

    /// Renames a file into another directory, in place of what stands there.
    pub(crate) fn replace(&self, name: &str, into: &Self, new: &str) -> Result<(), Error> {
        retry(|| rustix::fs::renameat(&self.descriptor, name, &into.descriptor, new))
            .map_err(|error| failed("rename into place", &into.path.join(new), error))
    }

    /// Renames a file into another directory; an error if something stands there.
    pub(crate) fn put(&self, name: &str, into: &Self, new: &str) -> Result<(), Error> {
        use rustix::io::Errno;
        let path = || into.path.join(new);
        #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
        {
            let flags = rustix::fs::RenameFlags::NOREPLACE;
            match retry(|| rustix::fs::renameat_with(&self.descriptor, name, &into.descriptor, new, flags)) {
                // The file system, or a kernel of long ago, does not know the flag.
                Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
                other => return other.map_err(|error| failed("rename into place", &path(), error)),
            }
        }
        retry(|| rustix::fs::linkat(&self.descriptor, name, &into.descriptor, new, AtFlags::empty()))
            .map_err(|error: Errno| failed("link into place", &path(), error))?;
        // Until it has arrived, the old name may be all that leads to these bytes.
        match (self.status(name)?, into.status(new)?) {
            (Some(old), Some(new)) if (old.st_dev, old.st_ino) == (new.st_dev, new.st_ino) => self.remove(name),
            _ => Err(Error::Unverified { path: path(), why: "it is not there" }),
        }
    }

    /// Removes a file.
    pub(crate) fn remove(&self, name: &str) -> Result<(), Error> {
        retry(|| rustix::fs::unlinkat(&self.descriptor, name, AtFlags::empty()))
            .map_err(|error| failed("remove", &self.path.join(name), error))
    }

    /// Sets a regular file's time of modification. False when the file is absent.
    pub(crate) fn touch(&self, name: &str, modified: Timestamp) -> Result<bool, Error> {
        let time = rustix::fs::Timespec { tv_sec: modified.0, tv_nsec: 0 };
        let times = rustix::fs::Timestamps { last_access: time, last_modification: time };
        match retry(|| rustix::fs::utimensat(&self.descriptor, name, &times, AtFlags::SYMLINK_NOFOLLOW)) {
            Ok(()) => Ok(true),
            Err(rustix::io::Errno::NOENT) => Ok(false),
            Err(error) => Err(failed("renew", &self.path.join(name), error)),
        }
    }

    /// Removes a directory in this one if nothing is in it.
    pub(crate) fn remove_empty(&self, name: &str) -> Result<(), Error> {
        use rustix::io::Errno;
        match retry(|| rustix::fs::unlinkat(&self.descriptor, name, AtFlags::REMOVEDIR)) {
            Ok(()) | Err(Errno::NOENT | Errno::NOTEMPTY | Errno::EXIST) => Ok(()),
            Err(error) => Err(failed("remove", &self.path.join(name), error)),
        }
    }

    /// Makes the names in here survive a loss of power.
    pub(crate) fn sync(&self) -> Result<(), Error> {
        match retry(|| rustix::fs::fsync(&self.descriptor)) {
            // Some file systems, network ones mostly, have nothing to sync for a directory.
            Ok(()) | Err(rustix::io::Errno::INVAL) => Ok(()),
            Err(error) => Err(failed("sync", &self.path, error)),
        }
    }

    /// Whether an open file is the one that stands under this name now.
    pub(crate) fn is_same(&self, name: &str, file: &File) -> Result<bool, Error> {
        let open = rustix::fs::fstat(file.as_fd()).map_err(|error| failed("look at", &self.path.join(name), error))?;
        Ok(self.status(name)?.is_some_and(|named| (named.st_dev, named.st_ino) == (open.st_dev, open.st_ino)))
    }

    fn of(descriptor: OwnedFd, path: PathBuf) -> Result<Self, Error> {
        let status = rustix::fs::fstat(&descriptor).map_err(|error| failed("look at", &path, error))?;
        Ok(Self { descriptor, path, permissions: status.st_mode & PERMISSIONS })
    }

    /// Files take the directory's permission bits without x, and their owner can always read and write them.
    fn file_mode(&self) -> RawMode {
        self.permissions & 0o666 | 0o600
    }

    fn status(&self, name: &str) -> Result<Option<rustix::fs::Stat>, Error> {
        match rustix::fs::statat(&self.descriptor, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(status) => Ok(Some(status)),
            Err(rustix::io::Errno::NOENT) => Ok(None),
            Err(error) => Err(failed("look at", &self.path.join(name), error)),
        }
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn each_name(directory: &OwnedFd, mut each: impl FnMut(&[u8])) -> rustix::io::Result<()> {
    let mut buffer = Vec::with_capacity(32 * 1_024);
    let mut entries = rustix::fs::RawDir::new(directory, buffer.spare_capacity_mut());
    while let Some(entry) = entries.next() {
        each(entry?.file_name().to_bytes());
    }
    Ok(())
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn each_name(directory: &OwnedFd, mut each: impl FnMut(&[u8])) -> rustix::io::Result<()> {
    for entry in rustix::fs::Dir::read_from(directory)? {
        each(entry?.file_name().to_bytes());
    }
    Ok(())
}

fn kind_of(status: &rustix::fs::Stat) -> Kind {
    match FileType::from_raw_mode(status.st_mode) {
        FileType::RegularFile => Kind::Regular,
        FileType::Directory => Kind::Directory,
        FileType::Symlink => Kind::Link,
        FileType::Fifo => Kind::Fifo,
        _ => Kind::Other,
    }
}

/// Makes a directory and what leads to it, for its owner alone.
fn make_with_parents(path: &Path) -> Result<(), Error> {
    let make = |path: &Path| match rustix::fs::mkdirat(CWD, path, Mode::from_raw_mode(0o700)) {
        Ok(()) | Err(rustix::io::Errno::EXIST) => Ok(()),
        Err(error) => Err(failed("create", path, error)),
    };
    let missing: Vec<&Path> = path
        .ancestors()
        .skip(1)
        .take_while(|above| !above.as_os_str().as_bytes().is_empty())
        .take_while(|above| rustix::fs::accessat(CWD, *above, rustix::fs::Access::EXISTS, AtFlags::empty()).is_err())
        .collect();
    for above in missing.into_iter().rev() {
        make(above)?;
    }
    make(path)
}

/// Once more for as long as a signal interrupts.
fn retry<T>(mut call: impl FnMut() -> rustix::io::Result<T>) -> rustix::io::Result<T> {
    loop {
        match call() {
            Err(rustix::io::Errno::INTR) => {}
            other => return other,
        }
    }
}

fn failed(action: &'static str, path: &Path, error: rustix::io::Errno) -> Error {
    Error::Io { action, path: path.to_owned(), source: io::Error::from(error) }
}
