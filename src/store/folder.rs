//! One directory of the place and the few things that are done in it.
//!
//! On Unix everything goes through the directory's own descriptor, so that nobody who can write into the place can turn
//! a part of it into a link and have claim read or write elsewhere. Elsewhere the same is done by path; see there what
//! keeps the path the same, and what is weaker.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub(crate) use unix::Folder;

#[cfg(any(not(unix), test))]
#[cfg_attr(unix, expect(dead_code, reason = "compiled on Unix only to be checked and tested there"))]
mod portable;
#[cfg(not(unix))]
pub(crate) use portable::Folder;

use crate::core::time::Timestamp;

/// What stands under a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Regular,
    Directory,
    Link,
    #[cfg_attr(windows, expect(dead_code, reason = "pipes have no names in a directory there"))]
    Fifo,
    Other,
}

impl Kind {
    /// With an article, for a message.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Regular => "a regular file",
            Self::Directory => "a directory",
            Self::Link => "a symbolic link",
            Self::Fifo => "a named pipe",
            Self::Other => "a device or a socket",
        }
    }
}

/// A regular file's content and when it last changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) bytes: Vec<u8>,
    pub(crate) modified: Timestamp,
}

#[cfg(test)]
mod tests;
