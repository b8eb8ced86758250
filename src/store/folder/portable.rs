//! The directory by its path, for systems without descriptors of directories (Windows).
//!
//! What stands in for the descriptors is that a directory, and the lock, are kept open in a way that Windows lets nobody
//! rename or remove them meanwhile; and that what is opened is never followed but looked at once it is open. Names are
//! used below the canonical path of the place, where Windows takes them as they are: a claim on `con` is a file, and no
//! path is too long.
//!
//! Not promised: permissions are the directory's own (`%LOCALAPPDATA%` belongs to its user). Directories are not synced,
//! since Windows offers no such call. Of a file that has another name elsewhere nothing is known, so that what is appended
//! to it is seen there too.

#![expect(clippy::disallowed_methods, reason = "this is the module that touches files on systems other than Unix")]

use std::{
    fs::{self, File, FileType, OpenOptions},
    io::{self, Read as _},
    path::{Path, PathBuf},
    time::{Duration, UNIX_EPOCH},
};

use super::{Content, Kind};
use crate::{core::time::Timestamp, store::error::Error};

/// A directory by its path.
#[derive(Debug)]
pub(crate) struct Folder {
    /// As it is told.
    path: PathBuf,
    /// As it is used.
    real: PathBuf,
    /// Keeps it where it is.
    _held: File,
}

impl Folder {
    /// See the Unix form.
    pub(crate) fn open(path: &Path) -> Result<Option<Self>, Error> {
        match fs::metadata(path) {
            Ok(status) if status.is_dir() => {}
            Ok(_) => return Err(Error::NotDirectory { path: path.to_owned() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(failed("open", path, source)),
        }
        // Some file systems cannot say it; then the path is used as it was given.
        let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        Self::held(path.to_owned(), real)
    }

    /// See the Unix form.
    pub(crate) fn make(path: &Path) -> Result<Self, Error> {
        fs::create_dir_all(path).map_err(|source| failed("create", path, source))?;
        Self::open(path)?.ok_or_else(|| failed("open", path, io::ErrorKind::NotFound.into()))
    }

    /// See the Unix form.
    pub(crate) fn sub(&self, name: &str) -> Result<Option<Self>, Error> {
        match self.kind(name)? {
            None => Ok(None),
            Some(Kind::Directory) => Self::held(self.path.join(name), self.real.join(name)),
            Some(_) => Err(Error::NotDirectory { path: self.path.join(name) }),
        }
    }

    fn held(path: PathBuf, real: PathBuf) -> Result<Option<Self>, Error> {
        let held = match patiently(|| handle::of_directory().open(&real)) {
            Ok(held) => held,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(failed("open", &path, source)),
        };
        // Of what was opened, which another may have put there since the look.
        let status = held.metadata().map_err(|source| failed("look at", &path, source))?;
        match kind_of(status.file_type()) {
            Kind::Directory => Ok(Some(Self { path, real, _held: held })),
            _ => Err(Error::NotDirectory { path }),
        }
    }

    /// See the Unix form.
    pub(crate) fn make_sub(&self, name: &str) -> Result<Self, Error> {
        if let Some(folder) = self.sub(name)? {
            return Ok(folder);
        }
        match fs::create_dir(self.real.join(name)) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(source) => return Err(failed("create", &self.path.join(name), source)),
        }
        self.sub(name)?.ok_or_else(|| failed("open", &self.path.join(name), io::ErrorKind::NotFound.into()))
    }

    /// See the Unix form.
    pub(crate) fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// See the Unix form.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// See the Unix form.
    pub(crate) fn names(&self, wanted: impl Fn(&str) -> bool) -> Result<Vec<String>, Error> {
        let fail = |source| failed("list", &self.path, source);
        let entries = fs::read_dir(&self.real).map_err(fail)?;
        let names = entries.map(|entry| Ok(entry.map_err(fail)?.file_name().to_string_lossy().into_owned()));
        names.filter(|name| name.as_ref().map_or(true, |name: &String| wanted(name))).collect()
    }

    /// See the Unix form.
    pub(crate) fn kind(&self, name: &str) -> Result<Option<Kind>, Error> {
        match patiently(|| fs::symlink_metadata(self.real.join(name))) {
            Ok(status) => Ok(Some(kind_of(status.file_type()))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(failed("look at", &self.path.join(name), source)),
        }
    }

    /// See the Unix form.
    pub(crate) fn read(&self, name: &str, most: usize) -> Result<Option<Content>, Error> {
        let path = self.path.join(name);
        if self.kind(name)?.is_none() {
            return Ok(None);
        }
        let file = match self.regular(name, OpenOptions::new().read(true)) {
            Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other?,
        };
        let status = file.metadata().map_err(|source| failed("look at", &path, source))?;
        let modified = status.modified().map_err(|source| failed("look at", &path, source))?;
        let size = usize::try_from(status.len()).unwrap_or(usize::MAX).min(most.saturating_add(1));
        let mut bytes = Vec::new();
        file.take(u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|source| failed("read", &path, source))?;
        if bytes.len() != size {
            return Err(Error::Unverified { path, why: "its size and what could be read of it differ" });
        }
        let seconds = modified.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        Ok(Some(Content { bytes, modified: Timestamp(i64::try_from(seconds).unwrap_or(i64::MAX)) }))
    }

    /// See the Unix form.
    pub(crate) fn create(&self, name: &str) -> Result<File, Error> {
        let made = OpenOptions::new().read(true).write(true).create_new(true).open(self.real.join(name));
        made.map_err(|source| failed("create", &self.path.join(name), source))
    }

    /// See the Unix form.
    pub(crate) fn append(&self, name: &str) -> Result<File, Error> {
        self.regular(name, OpenOptions::new().read(true).append(true).create(true))
    }

    /// See the Unix form.
    pub(crate) fn lockable(&self, name: &str) -> Result<File, Error> {
        let mut options = OpenOptions::new();
        self.regular(name, handle::kept(options.read(true).write(true).create(true).truncate(false)))
    }

    fn regular(&self, name: &str, options: &mut OpenOptions) -> Result<File, Error> {
        let path = self.path.join(name);
        let irregular = |kind: Kind| Error::NotRegular { path: path.clone(), what: kind.name() };
        match self.kind(name)? {
            None | Some(Kind::Regular) => {}
            Some(kind) => return Err(irregular(kind)),
        }
        let options = handle::not_following(options);
        let file = patiently(|| options.open(self.real.join(name))).map_err(|source| failed("open", &path, source))?;
        let status = file.metadata().map_err(|source| failed("look at", &path, source))?;
        match kind_of(status.file_type()) {
            Kind::Regular => Ok(file),
            kind => Err(irregular(kind)),
        }
    }

    /// See the Unix form.
    pub(crate) fn replace(&self, name: &str, into: &Self, new: &str) -> Result<(), Error> {
        patiently(|| fs::rename(self.real.join(name), into.real.join(new)))
            .map_err(|source| failed("rename into place", &into.path.join(new), source))
    }

    /// See the Unix form.
    pub(crate) fn put(&self, name: &str, into: &Self, new: &str) -> Result<(), Error> {
        let path = || into.path.join(new);
        patiently(|| fs::hard_link(self.real.join(name), into.real.join(new)))
            .map_err(|source| failed("link into place", &path(), source))?;
        // Until it has arrived, the old name may be all that leads to these bytes.
        let length = |folder: &Self, name: &str| {
            let status = fs::symlink_metadata(folder.real.join(name)).ok().filter(fs::Metadata::is_file);
            status.map(|status| status.len())
        };
        match (length(self, name), length(into, new)) {
            (Some(old), Some(new)) if old == new => self.remove(name),
            _ => Err(Error::Unverified { path: path(), why: "it is not there" }),
        }
    }

    /// See the Unix form.
    pub(crate) fn remove(&self, name: &str) -> Result<(), Error> {
        patiently(|| fs::remove_file(self.real.join(name)))
            .map_err(|source| failed("remove", &self.path.join(name), source))
    }

    /// See the Unix form.
    pub(crate) fn touch(&self, name: &str, modified: Timestamp) -> Result<bool, Error> {
        if self.kind(name)?.is_none() {
            return Ok(false);
        }
        let time = UNIX_EPOCH + Duration::from_secs(u64::try_from(modified.0).unwrap_or(0));
        match self.regular(name, OpenOptions::new().write(true)) {
            Ok(file) => match file.set_modified(time) {
                Ok(()) => Ok(true),
                Err(source) => Err(failed("renew", &self.path.join(name), source)),
            },
            Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// See the Unix form. Another process that has the directory open is about to put something into it.
    pub(crate) fn remove_empty(&self, name: &str) -> Result<(), Error> {
        match fs::remove_dir(self.real.join(name)) {
            Ok(()) => Ok(()),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::DirectoryNotEmpty) => Ok(()),
            Err(error) if handle::is_in_use(&error) => Ok(()),
            Err(source) => Err(failed("remove", &self.path.join(name), source)),
        }
    }

    /// See the Unix form.
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the Unix form needs both")]
    pub(crate) fn sync(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Always so: while [`Folder::lockable`] keeps a file open, Windows lets nobody take its name away from it.
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the Unix form needs both")]
    pub(crate) fn is_same(&self, _name: &str, _file: &File) -> Result<bool, Error> {
        Ok(true)
    }
}

fn kind_of(status: FileType) -> Kind {
    // Windows counts a junction among the links.
    if status.is_symlink() {
        Kind::Link
    } else if status.is_dir() {
        Kind::Directory
    } else if status.is_file() {
        Kind::Regular
    } else {
        Kind::Other
    }
}

/// Once more for as long as something else has the file open, within a second: scanners open what has just been written,
/// and what they have open can neither be replaced nor removed.
fn patiently<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    for pause in [1, 2, 5, 10, 20, 50, 100, 200, 400] {
        match call() {
            Err(error) if handle::is_in_use(&error) => std::thread::sleep(Duration::from_millis(pause)),
            other => return other,
        }
    }
    call()
}

/// How files are opened where Windows lets one say more than the standard library does by itself.
#[cfg(windows)]
mod handle {
    use std::{fs::OpenOptions, io, os::windows::fs::OpenOptionsExt as _};

    const FILE_SHARE_READ: u32 = 1;
    const FILE_SHARE_WRITE: u32 = 2;
    const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;
    const FILE_FLAG_BACKUP_SEMANTICS: u32 = 0x0200_0000;
    const ERROR_ACCESS_DENIED: i32 = 5;
    const ERROR_SHARING_VIOLATION: i32 = 32;

    /// A link itself, instead of what it leads to.
    pub(super) fn not_following(options: &mut OpenOptions) -> &mut OpenOptions {
        options.custom_flags(FILE_FLAG_OPEN_REPARSE_POINT)
    }

    /// Nobody can rename or remove it until it is closed.
    pub(super) fn kept(options: &mut OpenOptions) -> &mut OpenOptions {
        options.share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE)
    }

    pub(super) fn of_directory() -> OpenOptions {
        let mut options = OpenOptions::new();
        kept(options.read(true)).custom_flags(FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT);
        options
    }

    pub(super) fn is_in_use(error: &io::Error) -> bool {
        matches!(error.raw_os_error(), Some(ERROR_ACCESS_DENIED | ERROR_SHARING_VIOLATION))
    }
}

#[cfg(not(windows))]
mod handle {
    use std::{fs::OpenOptions, io};

    pub(super) fn not_following(options: &mut OpenOptions) -> &mut OpenOptions {
        options
    }

    pub(super) fn kept(options: &mut OpenOptions) -> &mut OpenOptions {
        options
    }

    pub(super) fn of_directory() -> OpenOptions {
        let mut options = OpenOptions::new();
        options.read(true);
        options
    }

    pub(super) fn is_in_use(_: &io::Error) -> bool {
        false
    }
}

fn failed(action: &'static str, path: &Path, source: io::Error) -> Error {
    Error::Io { action, path: path.to_owned(), source }
}
