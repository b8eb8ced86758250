//! The directory by its path, for systems without descriptors of directories (Windows).
//!
//! Weaker than the Unix form: between a look and the step after it another process could put a link in the way.
//! Permissions are the directory's own (`%LOCALAPPDATA%` belongs to its user); directories are not synced, since
//! Windows offers no such call.

#![expect(clippy::disallowed_methods, reason = "this is the module that touches files on systems other than Unix")]

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read as _},
    path::{Path, PathBuf},
    time::{Duration, UNIX_EPOCH},
};

use super::{Content, Kind};
use crate::{core::time::Timestamp, store::error::Error};

/// A directory by its path.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// See the Unix form.
    pub(crate) fn open(path: &Path) -> Result<Option<Self>, Error> {
        match fs::metadata(path) {
            Ok(status) if status.is_dir() => Ok(Some(Self { path: path.to_owned() })),
            Ok(_) => Err(Error::NotDirectory { path: path.to_owned() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(failed("open", path, source)),
        }
    }

    /// See the Unix form.
    pub(crate) fn make(path: &Path) -> Result<Self, Error> {
        fs::create_dir_all(path).map_err(|source| failed("create", path, source))?;
        Self::open(path)?.ok_or_else(|| failed("open", path, io::ErrorKind::NotFound.into()))
    }

    /// See the Unix form.
    pub(crate) fn sub(&self, name: &str) -> Result<Option<Self>, Error> {
        let path = self.path.join(name);
        match self.kind(name)? {
            None => Ok(None),
            Some(Kind::Directory) => Ok(Some(Self { path })),
            Some(_) => Err(Error::NotDirectory { path }),
        }
    }

    /// See the Unix form.
    pub(crate) fn make_sub(&self, name: &str) -> Result<Self, Error> {
        if let Some(folder) = self.sub(name)? {
            return Ok(folder);
        }
        let path = self.path.join(name);
        match fs::create_dir(&path) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(source) => return Err(failed("create", &path, source)),
        }
        self.sub(name)?.ok_or_else(|| failed("open", &path, io::ErrorKind::NotFound.into()))
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
        let entries = fs::read_dir(&self.path).map_err(fail)?;
        let names = entries.map(|entry| Ok(entry.map_err(fail)?.file_name().to_string_lossy().into_owned()));
        names.filter(|name| name.as_ref().map_or(true, |name: &String| wanted(name))).collect()
    }

    /// See the Unix form.
    pub(crate) fn kind(&self, name: &str) -> Result<Option<Kind>, Error> {
        let path = self.path.join(name);
        match fs::symlink_metadata(&path) {
            Ok(status) if status.file_type().is_symlink() => Ok(Some(Kind::Link)),
            Ok(status) if status.is_dir() => Ok(Some(Kind::Directory)),
            Ok(status) if status.is_file() => Ok(Some(Kind::Regular)),
            Ok(_) => Ok(Some(Kind::Other)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(failed("look at", &path, source)),
        }
    }

    /// See the Unix form.
    pub(crate) fn read(&self, name: &str, most: usize) -> Result<Option<Content>, Error> {
        let path = self.path.join(name);
        match self.kind(name)? {
            None => return Ok(None),
            Some(Kind::Regular) => {}
            Some(kind) => return Err(Error::NotRegular { path, what: kind.name() }),
        }
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(failed("open", &path, source)),
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
        let path = self.path.join(name);
        let made = OpenOptions::new().read(true).write(true).create_new(true).open(&path);
        made.map_err(|source| failed("create", &path, source))
    }

    /// See the Unix form.
    pub(crate) fn append(&self, name: &str) -> Result<File, Error> {
        self.regular(name, OpenOptions::new().read(true).append(true).create(true))
    }

    /// See the Unix form.
    pub(crate) fn lockable(&self, name: &str) -> Result<File, Error> {
        self.regular(name, OpenOptions::new().read(true).write(true).create(true).truncate(false))
    }

    fn regular(&self, name: &str, options: &OpenOptions) -> Result<File, Error> {
        let path = self.path.join(name);
        match self.kind(name)? {
            None | Some(Kind::Regular) => options.open(&path).map_err(|source| failed("open", &path, source)),
            Some(kind) => Err(Error::NotRegular { path, what: kind.name() }),
        }
    }

    /// See the Unix form.
    pub(crate) fn replace(&self, name: &str, into: &Self, new: &str) -> Result<(), Error> {
        let to = into.path.join(new);
        fs::rename(self.path.join(name), &to).map_err(|source| failed("rename into place", &to, source))
    }

    /// See the Unix form.
    pub(crate) fn put(&self, name: &str, into: &Self, new: &str) -> Result<(), Error> {
        let to = into.path.join(new);
        fs::hard_link(self.path.join(name), &to).map_err(|source| failed("link into place", &to, source))?;
        self.remove(name)
    }

    /// See the Unix form.
    pub(crate) fn remove(&self, name: &str) -> Result<(), Error> {
        let path = self.path.join(name);
        fs::remove_file(&path).map_err(|source| failed("remove", &path, source))
    }

    /// See the Unix form.
    pub(crate) fn touch(&self, name: &str, modified: Timestamp) -> Result<bool, Error> {
        let path = self.path.join(name);
        let time = UNIX_EPOCH + Duration::from_secs(u64::try_from(modified.0).unwrap_or(0));
        match OpenOptions::new().write(true).open(&path).and_then(|file| file.set_modified(time)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(failed("renew", &path, source)),
        }
    }

    /// See the Unix form.
    pub(crate) fn remove_empty(&self, name: &str) -> Result<(), Error> {
        let path = self.path.join(name);
        match fs::remove_dir(&path) {
            Ok(()) => Ok(()),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::DirectoryNotEmpty) => Ok(()),
            Err(source) => Err(failed("remove", &path, source)),
        }
    }

    /// See the Unix form.
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the Unix form needs both")]
    pub(crate) fn sync(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Always so: a file that is open cannot be exchanged on Windows.
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the Unix form needs both")]
    pub(crate) fn is_same(&self, _name: &str, _file: &File) -> Result<bool, Error> {
        Ok(true)
    }
}

fn failed(action: &'static str, path: &Path, source: io::Error) -> Error {
    Error::Io { action, path: path.to_owned(), source }
}
