//! Who claims: one agent session, or a person at a terminal. A holder is only a name; nothing is inferred from a process.

use std::fmt;

use serde::{Serialize, Serializer};
use thiserror::Error;

/// The most characters that a holder may have.
pub const LONGEST: usize = 200;

/// The holder of a claim file that could not be understood.
pub const UNKNOWN: &str = "unknown";

/// Why a text cannot be a holder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum HolderError {
    /// The empty text.
    #[error("a holder cannot be empty")]
    Empty,
    /// More than [`LONGEST`] characters.
    #[error("a holder has at most {LONGEST} characters")]
    TooLong,
    /// A control character.
    #[error("a holder cannot have control characters")]
    Control,
    /// The word for a claim file that nobody can read, so that no session can own such a file.
    #[error("'{UNKNOWN}' cannot be a holder: it stands for claim files that cannot be read")]
    Reserved,
}

/// A session's name: 1 to 200 characters without control characters, and not `unknown`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Holder(String);

impl Holder {
    /// Checks the text.
    ///
    /// # Errors
    /// [`HolderError`] says which of the conditions is broken.
    pub fn new(text: &str) -> Result<Self, HolderError> {
        if text.is_empty() {
            Err(HolderError::Empty)
        } else if text.chars().count() > LONGEST {
            Err(HolderError::TooLong)
        } else if text.chars().any(char::is_control) {
            Err(HolderError::Control)
        } else if text == UNKNOWN {
            Err(HolderError::Reserved)
        } else {
            Ok(Self(text.to_owned()))
        }
    }

    /// As text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Serialize for Holder {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_holder_has_1_to_200_characters_and_no_control_characters() {
        for good in ["a", "session-a41", "claude:58041c91", "u@host:12", &"ü".repeat(200), " x "] {
            assert!(Holder::new(good).is_ok(), "{good}");
        }
        for (bad, why) in [
            ("", HolderError::Empty),
            (&*"ü".repeat(201), HolderError::TooLong),
            ("a\nb", HolderError::Control),
            ("\u{1b}[31m", HolderError::Control),
            ("unknown", HolderError::Reserved),
        ] {
            assert_eq!(Holder::new(bad), Err(why), "{bad:?}");
        }
    }
}
