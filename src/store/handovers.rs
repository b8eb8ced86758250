//! The queues behind the refusals: `handovers/<stem>/inbox`, `claimed` and `done`, and beside them the file `target`
//! that says whose queue it is.
//!
//! A note moves by one rename and is never deleted or rewritten. Reading needs no lock; a note that moves between
//! listing and looking is seen in one of its places or in none.

use std::path::{Path, PathBuf};

use crate::{
    core::{
        holder::Holder,
        note::{self, LARGEST, Note},
        target::{LONGEST_PATH, PathStyle, Reach, Target},
        time::Timestamp,
    },
    store::{
        Locked, Place, checked,
        error::Error,
        folder::{Content, Folder, Kind},
    },
};

const HANDOVERS: &str = "handovers";
const INBOX: &str = "inbox";
const CLAIMED: &str = "claimed";
const DONE: &str = "done";
/// Notes whose author was told that their target has become free: one empty file each.
const TOLD: &str = "told";
const TARGET: &str = "target";

/// The notes of one target.
#[derive(Debug)]
pub struct Queue {
    /// Whose they are.
    pub target: Target,
    /// The oldest first.
    pub waiting: Vec<Note>,
    /// The ones that somebody works on or has left.
    pub claimed: Vec<Note>,
    folder: Folder,
}

/// Where a note stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stand {
    /// In the inbox.
    Waiting,
    /// Somebody works on it, or has left it.
    Claimed,
    /// Finished.
    Done,
}

impl Stand {
    fn folder(self) -> &'static str {
        match self {
            Self::Waiting => INBOX,
            Self::Claimed => CLAIMED,
            Self::Done => DONE,
        }
    }
}

impl Queue {
    /// The path of a note.
    #[must_use]
    pub fn path_of(&self, stand: Stand, note: &Note) -> PathBuf {
        self.folder.path_of(stand.folder()).join(note.file())
    }

    /// The finished notes.
    ///
    /// # Errors
    /// When they cannot be listed.
    pub fn done(&self) -> Result<Vec<Note>, Error> {
        notes(self.folder.sub(DONE)?.as_ref())
    }

    /// The text of a note and when it was written. `None` when it has moved on.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn text(&self, stand: Stand, note: &Note) -> Result<Option<(Vec<u8>, Timestamp)>, Error> {
        let Some(folder) = self.folder.sub(stand.folder())? else { return Ok(None) };
        let content = folder.read(&note.file(), LARGEST)?;
        Ok(content.map(|Content { bytes, modified }| (bytes, modified)))
    }

    /// Whether a finished note has this result.
    ///
    /// # Errors
    /// When a result cannot be read.
    pub fn has_result(&self, note: &Note, result: &[u8]) -> Result<bool, Error> {
        let Some(done) = self.folder.sub(DONE)? else { return Ok(false) };
        for name in note.result_files() {
            match done.read(&name, LARGEST)? {
                Some(content) if content.bytes == result => return Ok(true),
                Some(_) => {}
                None => break,
            }
        }
        Ok(false)
    }

    /// Whether the author of a note was told already that its target is free.
    ///
    /// # Errors
    /// When that cannot be looked up.
    pub fn was_told(&self, note: &Note) -> Result<bool, Error> {
        match self.folder.sub(TOLD)? {
            Some(told) => Ok(told.kind(&note.unworked().file())?.is_some()),
            None => Ok(false),
        }
    }
}

impl Place {
    /// The queues of the targets that `reach` can concern; all of them without one. Without the lock.
    ///
    /// # Errors
    /// When a queue cannot be read.
    pub fn queues(&self, reach: Option<&Reach>) -> Result<Vec<Queue>, Error> {
        match self.sub(HANDOVERS)? {
            Some(handovers) => queues(&handovers, reach),
            None => Ok(Vec::new()),
        }
    }
}

impl Locked {
    /// Adds a note and returns where it is now and whether it is new. The same text by the same author that is not done
    /// yet is the same note.
    ///
    /// # Errors
    /// When it cannot be written or proved.
    pub fn add_note(&self, target: &Target, author: &Holder, text: &[u8]) -> Result<(PathBuf, Note, bool), Error> {
        let handovers = self.place.make_sub(HANDOVERS)?;
        let folder = handovers.make_sub(&target.stem())?;
        if folder.kind(TARGET)?.is_none() {
            let owner = format!("{}\n", target.as_str());
            checked::stage(&self.place, owner.as_bytes(), true)?.commit(&folder, TARGET, false)?;
        }
        let inbox = folder.make_sub(INBOX)?;
        let Some(queue) = queue(&handovers, &target.stem())? else {
            return Err(Error::Unverified { path: folder.path_of(TARGET), why: "it is not there" });
        };
        let done = queue.done()?;
        let number = note::next_number(queue.waiting.iter().chain(&queue.claimed).chain(&done));
        let new = Note::new(number, author, text);
        for (stand, notes) in [(Stand::Waiting, &queue.waiting), (Stand::Claimed, &queue.claimed)] {
            for same in notes.iter().filter(|note| note.is_again(&new)) {
                // The name has only a hash of the text, and only what is there and reads back is said to be there.
                if queue.text(stand, same)?.is_some_and(|(bytes, _)| bytes == text) {
                    return Ok((queue.path_of(stand, same), same.clone(), false));
                }
            }
        }
        checked::stage(&self.place, text, true)?.commit(&inbox, &new.file(), false)?;
        Ok((inbox.path_of(&new.file()), new, true))
    }

    /// The queue of one target, if it has one.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn queue(&self, target: &Target) -> Result<Option<Queue>, Error> {
        match self.place.sub(HANDOVERS)? {
            Some(handovers) => queue(&handovers, &target.stem()),
            None => Ok(None),
        }
    }

    /// Gives a note that waits, or that a lost holder left, to this holder. Returns its new path.
    ///
    /// # Errors
    /// When it cannot be moved or that cannot be proved.
    pub fn start_note(&self, queue: &Queue, note: &Note, worker: &Holder) -> Result<(PathBuf, Note), Error> {
        let claimed = queue.folder.make_sub(CLAIMED)?;
        let from = if queue.claimed.contains(note) {
            queue.folder.make_sub(CLAIMED)?
        } else {
            queue.folder.make_sub(INBOX)?
        };
        regular(&from, &note.file())?;
        let mine = note.worked_by(worker);
        checked::move_file(&from, &note.file(), &claimed, &mine.file())?;
        Ok((claimed.path_of(&mine.file()), mine))
    }

    /// Finishes a note: its result beside it, then the note itself. Returns its last path. What an attempt that was cut
    /// short left there stays: it is the result if none is given, or the same; else the result goes beside it under the
    /// next free name. Without any, `nothing` is written.
    ///
    /// # Errors
    /// When either cannot be written, moved or proved. Then the note is still being worked on.
    pub fn finish_note(
        &self,
        queue: &Queue,
        note: &Note,
        result: Option<&[u8]>,
        nothing: &[u8],
    ) -> Result<PathBuf, Error> {
        let (claimed, done) = (queue.folder.make_sub(CLAIMED)?, queue.folder.make_sub(DONE)?);
        regular(&claimed, &note.file())?;
        for name in note.result_files() {
            match done.read(&name, LARGEST)? {
                Some(content) if result.is_none_or(|result| content.bytes == result) => break,
                Some(_) => {}
                None => {
                    checked::stage(&self.place, result.unwrap_or(nothing), true)?.commit(&done, &name, false)?;
                    break;
                }
            }
        }
        let finished = note.unworked();
        checked::move_file(&claimed, &note.file(), &done, &finished.file())?;
        Ok(done.path_of(&finished.file()))
    }

    /// Notes down that the author of a note was told that its target is free.
    ///
    /// # Errors
    /// When that cannot be written.
    pub fn mark_told(&self, queue: &Queue, note: &Note) -> Result<(), Error> {
        let told = queue.folder.make_sub(TOLD)?;
        let name = note.unworked().file();
        if told.kind(&name)?.is_none() {
            checked::stage(&self.place, b"", false)?.commit(&told, &name, false)?;
        }
        Ok(())
    }
}

/// The stem and the file name of a note's path, if it is one in this place.
#[must_use]
pub fn stem_and_file(place: &Path, path: &Path) -> Option<(String, String)> {
    let mut parts = path.strip_prefix(place.join(HANDOVERS)).ok()?.components().map(|part| part.as_os_str().to_str());
    match (parts.next()??, parts.next()??, parts.next()??, parts.next()) {
        (stem, _stand, file, None) => Some((stem.to_owned(), file.to_owned())),
        _ => None,
    }
}

fn queues(handovers: &Folder, reach: Option<&Reach>) -> Result<Vec<Queue>, Error> {
    let mut stems = handovers.names(|stem| reach.is_none_or(|reach| reach.has(stem)))?;
    stems.sort_unstable();
    let mut queues = Vec::new();
    for stem in stems {
        // What some programs leave in every directory is no queue, and must not hide the ones that are.
        if handovers.kind(&stem)? == Some(Kind::Regular) {
            continue;
        }
        queues.extend(queue(handovers, &stem)?);
    }
    Ok(queues)
}

fn queue(handovers: &Folder, stem: &str) -> Result<Option<Queue>, Error> {
    let Some(folder) = handovers.sub(stem)? else { return Ok(None) };
    let Some(content) = folder.read(TARGET, LONGEST_PATH)? else { return Ok(None) };
    let text = String::from_utf8_lossy(&content.bytes);
    let target = match Target::recorded(text.trim_end_matches('\n'), PathStyle::HERE) {
        Ok(target) if target.stem() == stem => target,
        _ => {
            return Err(Error::Unverified {
                path: folder.path_of(TARGET),
                why: "it does not name this queue's target",
            });
        }
    };
    let waiting = notes(folder.sub(INBOX)?.as_ref())?;
    let claimed = notes(folder.sub(CLAIMED)?.as_ref())?;
    Ok(Some(Queue { target, waiting, claimed, folder }))
}

/// A note is a file: a link or a pipe under its name is never given to anybody to read.
fn regular(folder: &Folder, name: &str) -> Result<(), Error> {
    match folder.kind(name)? {
        None | Some(Kind::Regular) => Ok(()),
        Some(kind) => Err(Error::NotRegular { path: folder.path_of(name), what: kind.name() }),
    }
}

fn notes(folder: Option<&Folder>) -> Result<Vec<Note>, Error> {
    let Some(folder) = folder else { return Ok(Vec::new()) };
    let mut notes: Vec<Note> = folder.names(|_| true)?.iter().filter_map(|name| Note::parse(name)).collect();
    notes.sort_by_key(|note| note.number);
    Ok(notes)
}
