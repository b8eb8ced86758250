//! What can go wrong on the disk. Every error names the path and the cause; [`Error::word`] is its stable name in JSON.

use std::{io, path::PathBuf};

use thiserror::Error;

/// A change or a reading that could not be done or could not be verified. Never a refusal.
#[derive(Debug, Error)]
pub enum Error {
    /// The operating system said no.
    #[error("cannot {action} {path}: {source}", path = shown(.path))]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// With which file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// Something that is no regular file where a claim, the lock or the trace belongs. It is never followed or opened.
    #[error("{path} is {what}, not a regular file: move it away and try again", path = shown(.path))]
    NotRegular {
        /// Where.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// Something that is no directory where one belongs, such as a link to one.
    #[error("{path} is not a directory of its own: move it away and try again", path = shown(.path))]
    NotDirectory {
        /// Where.
        path: PathBuf,
    },
    /// Another process kept the lock for longer than is waited.
    #[error("{path} was locked by another process for {seconds} s: try again", path = shown(.path))]
    LockTimeout {
        /// The lock.
        path: PathBuf,
        /// How long was waited, in seconds.
        seconds: u64,
    },
    /// The lock file was exchanged while it was being locked, again and again.
    #[error("{path} is being replaced by something: find out by what, then try again", path = shown(.path))]
    LockReplaced {
        /// The lock.
        path: PathBuf,
    },
    /// What was read back is not what was written.
    #[error("{path} could not be verified: {why}; treat it as not claimed", path = shown(.path))]
    Unverified {
        /// The file.
        path: PathBuf,
        /// What was found instead.
        why: &'static str,
    },
    /// More than a claim file may hold.
    #[error("{path} would be larger than {limit} bytes", path = shown(.path))]
    Large {
        /// The file.
        path: PathBuf,
        /// The bound in bytes.
        limit: usize,
    },
}

impl Error {
    /// The stable word for this error in JSON output.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Io { .. } => "io",
            Self::NotRegular { .. } => "not-regular",
            Self::NotDirectory { .. } => "not-a-directory",
            Self::LockTimeout { .. } => "lock-timeout",
            Self::LockReplaced { .. } => "lock-replaced",
            Self::Unverified { .. } => "unverified",
            Self::Large { .. } => "too-large",
        }
    }
}

fn shown(path: &std::path::Path) -> String {
    crate::core::text::shortened(&path.to_string_lossy(), crate::core::target::LONGEST_PATH)
}
