//! Reading and changing files that belong to somebody else: an agent's settings, a repository's hooks.
//!
//! A change keeps what a person would miss. The file is replaced as a whole (a temporary file beside it, renamed) with its
//! permissions, and read back; what was there before is kept beside it. A link is followed and the file that it leads to
//! is written, because managers of dotfiles put links there; a file with several names is written in place, so that it
//! stays one file. A file that changed since it was read is left alone: the agents write their settings too.
//!
//! Who is killed half-way can leave the temporary file, which no host reads, and nothing that is cut.
//!
//! Not kept: access control lists and extended attributes, and the owner when another user makes the change.

#![expect(clippy::disallowed_methods, reason = "this is the module that changes settings")]

use std::{
    fs, io,
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
};

use thiserror::Error;

use crate::host::paths;

/// What the name of a file that is kept ends in. No host reads such a file.
const BACKUP: &str = ".claim-backup";

/// No settings are larger.
const LARGEST: u64 = 8 << 20;

/// Why a file could not be read or changed. Nothing was changed then, but for [`SettingsError::Unverified`].
#[derive(Debug, Error)]
pub enum SettingsError {
    /// The system said no.
    #[error("cannot {action} {}: {source}", crate::core::text::visible(&.path.to_string_lossy()))]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// With which file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// A directory, a pipe, or far too large.
    #[error("{} is not a file of settings: move it away and try again", crate::core::text::visible(&.0.to_string_lossy()))]
    NotSettings(PathBuf),
    /// Bytes that no editor would show.
    #[error("{} is not UTF-8: it was left alone", crate::core::text::visible(&.0.to_string_lossy()))]
    NotText(PathBuf),
    /// Somebody else wrote it meanwhile.
    #[error("{} has just been changed by something else: try again", crate::core::text::visible(&.0.to_string_lossy()))]
    Changed(PathBuf),
    /// What was read back is not what was written.
    #[error("{} does not hold what was written to it: look at it", crate::core::text::visible(&.0.to_string_lossy()))]
    Unverified(PathBuf),
}

/// Where the state before a change is kept.
#[must_use]
pub fn backup_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(BACKUP);
    name.into()
}

/// The text of a file. `None` when it is absent.
///
/// # Errors
/// [`SettingsError`] when it is there and cannot be read as text.
pub fn read(path: &Path) -> Result<Option<String>, SettingsError> {
    let fail = |source| SettingsError::Io { action: "read", path: path.to_owned(), source };
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        // A parent that is a file: nothing can be there either.
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(fail(error)),
    };
    if !metadata.is_file() || metadata.len() > LARGEST {
        return Err(SettingsError::NotSettings(path.to_owned()));
    }
    let bytes = whole(path).map_err(fail)?;
    String::from_utf8(bytes).map(Some).map_err(|_| SettingsError::NotText(path.to_owned()))
}

/// The bytes of a file, and never a part of them: what was cut would be written back as the whole.
///
/// # Errors
/// What the system says, or that it gave another number of bytes than the file has.
pub(super) fn whole(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = fs::File::open(path)?;
    let length = file.metadata()?.len();
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    if bytes.len() as u64 == length { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// Writes `new` where `old` was read. Returns where what was there before is kept; a file that is new has no such thing,
/// and one that is again as it was kept needs none.
///
/// # Errors
/// [`SettingsError`] when it cannot be done or proved.
pub fn write(path: &Path, old: Option<&str>, new: &str, executable: bool) -> Result<Option<PathBuf>, SettingsError> {
    let real = paths::resolve(path).map_err(|error| SettingsError::Io {
        action: "resolve",
        path: path.to_owned(),
        source: io::Error::other(error),
    })?;
    let directory = real.parent().unwrap_or(&real);
    fs::create_dir_all(directory).map_err(|source| SettingsError::Io {
        action: "create",
        path: directory.to_owned(),
        source,
    })?;
    if read(path)?.as_deref() != old {
        return Err(SettingsError::Changed(path.to_owned()));
    }
    let backup = backup_of(path);
    let mut kept = None;
    if let Some(old) = old
        && read(&backup)?.as_deref() != Some(new)
    {
        put(&backup, Some(&real), old, false)?;
        kept = Some(backup.clone());
    }
    let written = if old.is_some() && links(&real) > 1 {
        fs::write(&real, new)
            .map_err(|source| SettingsError::Io { action: "write", path: real.clone(), source })
            .and_then(|()| verify(&real, new))
    } else {
        put(&real, Some(&real), new, executable).inspect_err(|_| {
            // Where the file is as it was, nothing has to be kept of it; where that cannot be said, it has.
            if read(path).is_ok_and(|found| found.as_deref() == old) {
                drop(kept.as_deref().map(remove_file));
            }
        })
    };
    written?;
    if old.is_some() && kept.is_none() {
        remove_file(&backup)?;
    }
    Ok(kept)
}

/// Removes a file that was read as `old`, what is kept of it, and the directories that this leaves empty, up to `root`.
///
/// # Errors
/// [`SettingsError`] when it cannot be done.
pub fn remove(path: &Path, old: &str, root: &Path) -> Result<(), SettingsError> {
    if read(path)?.as_deref() != Some(old) {
        return Err(SettingsError::Changed(path.to_owned()));
    }
    remove_file(path)?;
    remove_file(&backup_of(path))?;
    let above = path.ancestors().skip(1).take_while(|directory| directory.starts_with(root) && *directory != root);
    for directory in above {
        // Not empty, or a link to one: then it stays, and so does what is above it.
        if fs::remove_dir(directory).is_err() {
            break;
        }
    }
    Ok(())
}

/// Puts a program where another stands, which goes on under the name `aside`. At no moment is there neither, so that
/// whoever is stopped half-way leaves what was there at work; the next try goes on from there.
///
/// # Errors
/// [`SettingsError`] when it cannot be done or proved. What stood there stands there then.
pub fn stand_before(path: &Path, aside: &Path, new: &str) -> Result<(), SettingsError> {
    let fail = |source| SettingsError::Io { action: "move", path: path.to_owned(), source };
    if !is_one(path, aside) {
        // Not every file system has files of two names.
        fs::hard_link(path, aside)
            .or_else(|error| match error.kind() {
                io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied => fs::rename(path, aside),
                _ => Err(error),
            })
            .map_err(fail)?;
    }
    if !is_there(aside)? {
        return Err(SettingsError::Unverified(aside.to_owned()));
    }
    put(path, None, new, true).inspect_err(|_| drop(rename_back(path, aside)))
}

/// Puts what was kept as `aside` at its path again, in place of what stands there and was read as `old`.
///
/// # Errors
/// [`SettingsError`] when it cannot be done or proved.
pub fn give_back(path: &Path, old: &str, aside: &Path) -> Result<(), SettingsError> {
    if read(path)?.as_deref() != Some(old) {
        return Err(SettingsError::Changed(path.to_owned()));
    }
    rename_back(path, aside)?;
    remove_file(&backup_of(path))
}

fn rename_back(path: &Path, aside: &Path) -> Result<(), SettingsError> {
    if is_one(path, aside) {
        // Renaming one name of a file to another does nothing.
        return remove_file(aside);
    }
    fs::rename(aside, path).map_err(|source| SettingsError::Io { action: "rename", path: aside.to_owned(), source })?;
    if is_there(aside)? { Err(SettingsError::Unverified(path.to_owned())) } else { Ok(()) }
}

/// Whether two names are one file. What cannot be asked is two.
#[cfg(unix)]
#[must_use]
pub fn is_one(path: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let file = |path| fs::symlink_metadata(path).map(|metadata| (metadata.dev(), metadata.ino()));
    file(path).is_ok_and(|one| file(other).is_ok_and(|other| one == other))
}

/// See the Unix form. There is no number of a file here, and what they hold has to do.
#[cfg(not(unix))]
#[must_use]
pub fn is_one(path: &Path, other: &Path) -> bool {
    fs::read(path).is_ok_and(|one| fs::read(other).is_ok_and(|other| one == other))
}

/// Whether anything stands at a path, be it a link that leads nowhere.
///
/// # Errors
/// [`SettingsError`] when the system does not say.
pub fn is_there(path: &Path) -> Result<bool, SettingsError> {
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(false),
        Err(source) => Err(SettingsError::Io { action: "find", path: path.to_owned(), source }),
    }
}

/// Whether a directory is there.
#[must_use]
pub fn is_directory(path: &Path) -> bool {
    path.is_dir()
}

/// Whether a file is there that the system would start.
#[must_use]
pub fn is_program(path: &Path) -> bool {
    #[cfg(unix)]
    let starts =
        |metadata: &fs::Metadata| std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let starts = |_: &fs::Metadata| true;
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && starts(&metadata))
}

fn remove_file(path: &Path) -> Result<(), SettingsError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(SettingsError::Io { action: "remove", path: path.to_owned(), source: error })
        }
        _ if is_there(path)? => Err(SettingsError::Unverified(path.to_owned())),
        _ => Ok(()),
    }
}

/// Puts a text at a path in one step, with the permissions of `like` if that is there.
fn put(path: &Path, like: Option<&Path>, text: &str, executable: bool) -> Result<(), SettingsError> {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".claim-{}", std::process::id()));
    let temporary = path.with_file_name(name);
    let result = (|| {
        let fail = |source| SettingsError::Io { action: "write", path: path.to_owned(), source };
        let mut file = fs::File::create_new(&temporary).map_err(fail)?;
        let permissions = match like.map(fs::metadata) {
            Some(Ok(metadata)) => Some(metadata.permissions()),
            Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => return Err(fail(error)),
            _ if executable => executable_permissions(&file).map_err(fail)?,
            _ => None,
        };
        if let Some(permissions) = permissions {
            file.set_permissions(permissions.clone()).map_err(fail)?;
            // Settings can be for their owner's eyes only, and nobody starts a hook that is not executable.
            if file.metadata().map_err(fail)?.permissions() != permissions {
                return Err(SettingsError::Unverified(temporary.clone()));
            }
        }
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(fail)?;
        drop(file);
        verify(&temporary, text)?;
        fs::rename(&temporary, path).map_err(fail)?;
        verify(path, text)
    })();
    if result.is_err() {
        // It may not have been made, or have been renamed already.
        drop(fs::remove_file(&temporary));
    }
    result
}

fn verify(path: &Path, text: &str) -> Result<(), SettingsError> {
    match fs::read(path) {
        Ok(bytes) if bytes == text.as_bytes() => Ok(()),
        Ok(_) => Err(SettingsError::Unverified(path.to_owned())),
        Err(source) => Err(SettingsError::Io { action: "read back", path: path.to_owned(), source }),
    }
}

#[cfg(unix)]
fn links(path: &Path) -> u64 {
    fs::metadata(path).map_or(1, |metadata| std::os::unix::fs::MetadataExt::nlink(&metadata))
}

#[cfg(not(unix))]
fn links(_: &Path) -> u64 {
    1
}

/// What lets whoever may read a file start it.
#[cfg(unix)]
fn executable_permissions(file: &fs::File) -> io::Result<Option<fs::Permissions>> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut permissions = file.metadata()?.permissions();
    let mode = permissions.mode();
    permissions.set_mode(mode | (mode & 0o444) >> 2);
    Ok(Some(permissions))
}

#[cfg(not(unix))]
fn executable_permissions(_: &fs::File) -> io::Result<Option<fs::Permissions>> {
    Ok(None)
}
