//! One write to the file system, as far as reading tells: a path, and what becomes of a link that stands at its end.
//!
//! `>` writes what a link leads to; `rm` takes the link away, and what it leads to is none of its business. Which of the two
//! a path names is known to whoever knows the program, and asked of the system only where it is needed: nothing here looks
//! whether there is a link at all.

use std::{collections::HashMap, path::PathBuf};

/// What a write does where the last part of its path is a link. A separator at the end of a path is no part of it: whoever
/// writes `link/` means where it leads, and says [`Link::Followed`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Link {
    /// What it leads to is written.
    Followed,
    /// The link itself is removed or replaced.
    Replaced,
    /// Where it leads to a directory, something in there is written; else the link itself is replaced.
    Entered,
    /// A directory is made, and one that is there, by a link or not, is left as it is: nothing is written.
    Made,
    /// Either, and reading does not tell which: both count.
    Either,
}

impl Link {
    /// What becomes of a link that two writes meet.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        if self == other { self } else { Self::Either }
    }
}

/// A path that is written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Write {
    /// Absolute or not, with its `..` as they were.
    pub path: PathBuf,
    /// What becomes of a link at its end.
    pub link: Link,
}

impl Write {
    /// A write that goes through a link, as nearly all do.
    pub fn through(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), link: Link::Followed }
    }
}

/// Writes in the order in which they are found, each path once. What several of them do to a link is told together.
#[derive(Debug, Default)]
pub struct Writes {
    found: Vec<Write>,
    /// Where in what was found each path stands.
    places: HashMap<PathBuf, usize>,
}

impl Writes {
    /// Adds a write, and says where it stands.
    pub fn add(&mut self, write: Write) -> usize {
        let place = self.places.get(&write.path).copied();
        match place.and_then(|place| Some((place, self.found.get_mut(place)?))) {
            Some((place, before)) => {
                before.link = before.link.and(write.link);
                place
            }
            None => {
                self.places.insert(write.path.clone(), self.found.len());
                self.found.push(write);
                self.found.len() - 1
            }
        }
    }

    /// The write that stands there.
    pub fn at(&mut self, place: usize) -> Option<&mut Write> {
        self.found.get_mut(place)
    }

    /// All of them.
    #[must_use]
    pub fn into_list(self) -> Vec<Write> {
        self.found
    }
}
