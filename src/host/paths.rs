//! What a path really is: absolute, without `..`, its existing part free of links.
//!
//! A target that does not exist yet is named by the deepest ancestor that does, so that a file has one name before and
//! after it is written, and from every directory. A path that cannot be resolved for any other reason than absence is an
//! error: whoever asks about it must not be told yes.

#![expect(clippy::disallowed_methods, reason = "this is the module that resolves paths")]

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

use thiserror::Error;

#[cfg(unix)]
use crate::host::spelling;
use crate::{
    core::{
        target::{PathStyle, Target, TargetError},
        write::{Link, Write},
    },
    host::environment,
};

/// Why a text is no usable target.
#[derive(Debug, Error)]
pub enum PathError {
    /// The text itself is wrong.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// Not UTF-8, so that no claim file can name it.
    #[error("a target must be UTF-8: '{}'", crate::core::text::visible(.0))]
    NotText(String),
    /// It begins with `~`, and no home directory is known.
    #[error("no home directory is known for '{}'", crate::core::text::visible(.0))]
    NoHome(String),
    /// The file system has no such name, mostly because it is too long.
    #[error("no file can be called '{}': {source}", crate::core::text::visible(&.path.to_string_lossy()))]
    NoSuchName {
        /// The path as far as it got.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// The system cannot say what it is.
    #[error("cannot resolve {}: {source}", crate::core::text::visible(&.path.to_string_lossy()))]
    Unresolved {
        /// The path as far as it got.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
}

/// The target that was typed: a path if it is spelled like one, else a name. Relative paths are below `directory`.
///
/// # Errors
/// [`PathError`] says what is wrong with it.
pub fn target(text: &str, directory: &Path) -> Result<Target, PathError> {
    if PathStyle::HERE.is_path(text) { path_target(Path::new(text), directory) } else { Ok(Target::name(text)?) }
}

/// The target of a path, whatever it is spelled like: `a` is the file `a` in `directory`.
///
/// # Errors
/// As [`target`].
pub fn path_target(path: &Path, directory: &Path) -> Result<Target, PathError> {
    let text = path.to_str().ok_or_else(|| PathError::NotText(path.to_string_lossy().into_owned()))?;
    // Checked as typed: an unusable character must be named before the system is asked about it.
    Target::path(text, PathStyle::HERE)?;
    resolved_target(&resolve(&directory.join(at_home(path)?))?)
}

/// The target of a path that is resolved already.
///
/// # Errors
/// When no claim file can name it.
pub fn resolved_target(path: &Path) -> Result<Target, PathError> {
    let text = path.to_str().ok_or_else(|| PathError::NotText(path.to_string_lossy().into_owned()))?;
    Ok(Target::path(text, PathStyle::HERE)?)
}

/// What a write really changes: where its path leads, the link at its end, or both, which are one wherever there is no
/// link. Nothing, where a directory is to be made that is there.
///
/// # Errors
/// [`PathError`] says what is wrong with it.
pub fn written(write: &Write, directory: &Path) -> Result<Vec<PathBuf>, PathError> {
    let path = directory.join(at_home(&write.path)?);
    let itself = || match (path.parent(), path.components().next_back()) {
        (Some(above), Some(Component::Normal(name))) => Ok(resolve(above)?.join(name)),
        _ => resolve(&path),
    };
    Ok(match write.link {
        Link::Made if path.is_dir() => Vec::new(),
        Link::Followed | Link::Made => vec![resolve(&path)?],
        _ if !is_link(&path)? => vec![resolve(&path)?],
        Link::Entered if path.is_dir() => vec![resolve(&path)?],
        Link::Replaced | Link::Entered => vec![itself()?],
        Link::Either => vec![itself()?, resolve(&path)?],
    })
}

/// Whether a link stands at a path.
///
/// # Errors
/// When the system does not say.
pub(super) fn is_link(path: &Path) -> Result<bool, PathError> {
    Ok(there(path, fs::symlink_metadata(path))?.is_some_and(|found| found.is_symlink()))
}

/// What the system found. `None` when it is sure that there is nothing.
pub(super) fn there<T>(path: &Path, found: io::Result<T>) -> Result<Option<T>, PathError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename => Ok(None),
            _ => Err(unresolved(path, error)),
        },
    }
}

/// The target that a resolved path is judged as. One that no claim can name, because of a control character in it, is
/// judged as the directory around it, which a claim can; never as the user's home directory or `/`, which none may.
///
/// # Errors
/// [`PathError`] when nothing around it can be named either.
pub fn judged(real: &Path) -> Result<Target, PathError> {
    let whole = resolved_target(real);
    if !matches!(whole, Err(PathError::Target(TargetError::Control(_)))) {
        return whole;
    }
    let around = real.ancestors().find_map(|above| Some((above, resolved_target(above).ok()?)));
    match around {
        Some((above, target)) if above.parent().is_some() && !is_home(above) => Ok(target),
        _ => whole,
    }
}

/// Whether this resolved path is the user's home directory: asked at every `.git`, of files and not of their names.
#[cfg(unix)]
#[must_use]
pub fn is_home(real: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    static HOME: std::sync::OnceLock<Option<(u64, u64)>> = std::sync::OnceLock::new();
    let number = |path: &Path| fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()));
    let home = HOME.get_or_init(|| number(&environment::home()?));
    home.is_some() && number(real) == *home
}

/// See the Unix form.
#[cfg(not(unix))]
#[must_use]
pub fn is_home(real: &Path) -> bool {
    environment::home().is_some_and(|home| resolve(&home).is_ok_and(|home| home == real))
}

/// Whether a relative name stands for a file here, so that a path may have been meant.
#[must_use]
pub fn is_here(name: &str, directory: &Path) -> bool {
    fs::symlink_metadata(directory.join(name)).is_ok()
}

/// `~` and `~/…` as the shell would have written them.
fn at_home(path: &Path) -> Result<PathBuf, PathError> {
    match path.strip_prefix("~") {
        Ok(rest) => {
            let home = environment::home().ok_or_else(|| PathError::NoHome(path.to_string_lossy().into_owned()))?;
            Ok(home.join(rest))
        }
        Err(_) => Ok(path.to_owned()),
    }
}

/// The absolute path with its deepest existing ancestor canonicalised and the rest kept.
///
/// # Errors
/// [`PathError::Unresolved`] when the system answers anything but "it is not there".
pub fn resolve(path: &Path) -> Result<PathBuf, PathError> {
    // Without a separator at the end, which says nothing about a target: the system would ask for a directory there.
    let path: &Path = &path.components().collect::<PathBuf>();
    if let Some(real) = existing(path)? {
        return Ok(real);
    }
    // From the end, one part after the other: a file that is about to be written lacks only itself, and asking for each
    // directory on the way would cost the square of their number.
    match (path.parent(), path.components().next_back()) {
        (Some(above), Some(Component::Normal(name))) => {
            let next = resolve(above)?.join(name);
            // Where `..` led out of something that is not there, what is behind it may exist all the same.
            let found = if next == path { None } else { existing(&next)? };
            match found {
                Some(real) => Ok(real),
                None => Ok(dangling(&next)?.unwrap_or(next)),
            }
        }
        (Some(above), Some(Component::ParentDir)) => {
            let mut real = resolve(above)?;
            real.pop();
            Ok(real)
        }
        _ => Ok(path.to_owned()),
    }
}

/// The path of something that exists, free of links, and spelled as people and its directories spell it, so that it is the
/// path that a claim records.
///
/// # Errors
/// What the system says.
pub fn canonical(path: &Path) -> io::Result<PathBuf> {
    let real = fs::canonicalize(path)?;
    let plain = real.to_str().map(|text| PathStyle::HERE.plain(text).into()).unwrap_or(real);
    #[cfg(unix)]
    return spelling::listed(plain);
    // The system's own answer has the names as they are listed.
    #[cfg(not(unix))]
    return Ok(plain);
}

fn existing(path: &Path) -> Result<Option<PathBuf>, PathError> {
    match canonical(path) {
        Ok(real) => Ok(Some(real)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unresolved(path, error)),
    }
}

/// Where a link that leads to nothing yet would have its file made: writing through it creates that file.
fn dangling(path: &Path) -> Result<Option<PathBuf>, PathError> {
    match fs::read_link(path) {
        Ok(leads_to) => {
            let above = path.parent().unwrap_or(path);
            // The system gives up on a chain of 40 links, and canonicalising has just walked this one without that.
            resolve(&above.join(leads_to)).map(Some)
        }
        Err(_) => Ok(None),
    }
}

fn unresolved(path: &Path, source: io::Error) -> PathError {
    let path = path.to_owned();
    if source.kind() == io::ErrorKind::InvalidFilename {
        PathError::NoSuchName { path, source }
    } else {
        PathError::Unresolved { path, source }
    }
}
