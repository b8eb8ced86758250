//! Text that comes from a file or from standard input.

#![expect(clippy::disallowed_methods, reason = "this is the module that reads what the user hands over")]

use std::{
    fs::File,
    io::{self, IsTerminal as _, Read as _},
    path::Path,
};

use thiserror::Error;

/// Why a text cannot be had.
#[derive(Debug, Error)]
pub enum InputError {
    /// The system said no.
    #[error("cannot read {}: {source}", crate::core::text::visible(.name))]
    Read {
        /// The file, or "standard input".
        name: String,
        /// The system's answer.
        source: io::Error,
    },
    /// More than is allowed.
    #[error("{} has more than {limit} bytes", crate::core::text::visible(.name))]
    Large {
        /// The file, or "standard input".
        name: String,
        /// The bound in bytes.
        limit: usize,
    },
    /// A person sits there, and nothing was said about what to read.
    #[error("give the text as an argument, with --file, or on standard input")]
    Terminal,
}

/// Reads a file; `-` is standard input.
///
/// # Errors
/// [`InputError`] when it cannot be read or is larger than `limit` bytes.
pub fn file(path: &Path, limit: usize) -> Result<Vec<u8>, InputError> {
    if path == Path::new("-") {
        return standard(limit);
    }
    let name = path.to_string_lossy().into_owned();
    match File::open(path) {
        Ok(file) => all(file, name, limit),
        Err(source) => Err(InputError::Read { name, source }),
    }
}

/// Reads standard input to its end.
///
/// # Errors
/// [`InputError`] when it is a terminal, cannot be read or is larger than `limit` bytes.
pub fn standard(limit: usize) -> Result<Vec<u8>, InputError> {
    if io::stdin().is_terminal() {
        return Err(InputError::Terminal);
    }
    all(io::stdin().lock(), "standard input".to_owned(), limit)
}

fn all(reader: impl io::Read, name: String, limit: usize) -> Result<Vec<u8>, InputError> {
    let mut bytes = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    if let Err(source) = reader.take(most).read_to_end(&mut bytes) {
        return Err(InputError::Read { name, source });
    }
    if bytes.len() > limit { Err(InputError::Large { name, limit }) } else { Ok(bytes) }
}
