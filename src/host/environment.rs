//! Environment variables and what else comes with the process: its directory, its user, its terminal.
//!
//! An empty variable counts as unset, as POSIX shells hand on `X=`. XDG variables are deliberately not read: two sessions
//! with different environments must never look in two places.

#![expect(clippy::disallowed_methods, reason = "this is the module that reads the environment")]

use std::{
    env,
    ffi::OsString,
    io::{self, IsTerminal as _},
    path::PathBuf,
};

use thiserror::Error;

/// What the environment lacks or has wrong.
#[derive(Debug, Error)]
pub enum EnvironmentError {
    /// No variable says where the place is, and no home directory is known.
    #[error("no home directory is known: set CLAIM_DIR to an absolute path")]
    NoHome,
    /// Relative, the variable would mean another place in every directory.
    #[error("CLAIM_DIR is not an absolute path: '{}'", crate::core::text::visible(.0))]
    RelativePlace(String),
    /// A variable's bytes are not UTF-8.
    #[error("{0} is not UTF-8")]
    NotText(&'static str),
    /// The directory of this process is gone or closed to it.
    #[error("the current directory cannot be found: {0}")]
    NoDirectory(io::Error),
}

/// A variable that is set and not empty.
#[must_use]
pub fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// A variable that is set and not empty, as text.
///
/// # Errors
/// [`EnvironmentError::NotText`] when it is not UTF-8.
pub fn text(name: &'static str) -> Result<Option<String>, EnvironmentError> {
    variable(name).map(|value| value.into_string().map_err(|_| EnvironmentError::NotText(name))).transpose()
}

/// The directory of this process.
///
/// # Errors
/// [`EnvironmentError::NoDirectory`] when it was removed or cannot be reached.
pub fn directory() -> Result<PathBuf, EnvironmentError> {
    env::current_dir().map_err(EnvironmentError::NoDirectory)
}

/// The user's home directory: `$HOME`, else what the system's user list says. Nothing that is not absolute.
#[must_use]
pub fn home() -> Option<PathBuf> {
    let variable_name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    variable(variable_name).map(PathBuf::from).filter(|home| home.is_absolute()).or_else(listed_home)
}

/// The place: `$CLAIM_DIR`, else `.local/state/claim` at home (`%LOCALAPPDATA%\claim` on Windows).
///
/// # Errors
/// When neither is known, or the variable is relative.
pub fn place() -> Result<PathBuf, EnvironmentError> {
    if let Some(place) = variable("CLAIM_DIR") {
        let place = PathBuf::from(place);
        return if place.is_absolute() {
            Ok(place)
        } else {
            Err(EnvironmentError::RelativePlace(place.to_string_lossy().into_owned()))
        };
    }
    if cfg!(windows) {
        let data = variable("LOCALAPPDATA").map(PathBuf::from).filter(|data| data.is_absolute());
        return data.map(|data| data.join("claim")).ok_or(EnvironmentError::NoHome);
    }
    home().map(|home| home.join(".local/state/claim")).ok_or(EnvironmentError::NoHome)
}

/// The directory for temporary files: `$TMPDIR`, else the system's.
#[must_use]
pub fn temporary() -> PathBuf {
    env::temp_dir()
}

/// Whether standard output, or standard error, shows colours: a terminal that is not dumb, and no `NO_COLOR`. On Windows
/// an old console shows them as text, so there the terminal has to say what it is.
#[must_use]
pub fn shows_colour(stream: &impl io::IsTerminal) -> bool {
    let unnamed = !cfg!(windows) || variable("WT_SESSION").is_some();
    stream.is_terminal() && variable("NO_COLOR").is_none() && variable("TERM").map_or(unnamed, |term| term != "dumb")
}

/// Whether a person sits at this process: one of its standard streams is a terminal.
#[must_use]
pub fn is_at_terminal() -> bool {
    io::stdin().is_terminal() || io::stderr().is_terminal() || io::stdout().is_terminal()
}

/// `user@host:<session leader's pid>` for a person at a terminal. The number only tells terminals apart: nobody ever
/// asks whether that process lives.
#[cfg(unix)]
#[must_use]
pub fn terminal_name() -> Option<String> {
    let leader = rustix::process::getsid(None).ok()?.as_raw_nonzero();
    let user = ["USER", "LOGNAME"].into_iter().find_map(variable).map_or_else(
        || format!("uid{}", rustix::process::getuid().as_raw()),
        |user| user.to_string_lossy().into_owned(),
    );
    let system = rustix::system::uname();
    Some(format!("{user}@{}:{leader}", system.nodename().to_string_lossy()))
}

/// There are no sessions of a terminal here; `CLAIM_HOLDER` is needed.
#[cfg(not(unix))]
#[must_use]
pub fn terminal_name() -> Option<String> {
    None
}

/// The home directory in `/etc/passwd`, read here because the C library's own way cannot be linked statically.
#[cfg(unix)]
fn listed_home() -> Option<PathBuf> {
    let user = rustix::process::getuid().as_raw().to_string();
    let list = std::fs::read_to_string("/etc/passwd").ok()?;
    let mut lines = list.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let home = lines.find_map(|fields| match fields.as_slice() {
        [_, _, id, _, _, home, ..] if *id == user => Some(PathBuf::from(home)),
        _ => None,
    })?;
    home.is_absolute().then_some(home)
}

#[cfg(not(unix))]
fn listed_home() -> Option<PathBuf> {
    None
}
