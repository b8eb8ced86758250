//! The trace on the disk: `trace.jsonl`, and the files before it as `trace.1.jsonl` to `trace.4.jsonl`.
//!
//! Appended under the lock and never synced: the trace says what happened, and decides nothing. A line that cannot be
//! written is a warning, since the change that it tells of has been made and proved. A file that has reached
//! [`ROTATE_AT`] bytes is renamed, and the oldest is dropped, so that all of them together stay below 25 MiB.

use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

use crate::{
    core::trace::{self, Line, MAX_LINE_BYTES, TraceId},
    store::{error::Error, folder::Folder},
};

const CURRENT: &str = "trace.jsonl";
/// In bytes. About twenty thousand lines.
const ROTATE_AT: u64 = 4 * 1_024 * 1_024;
/// How many files are kept beside the current one.
const KEPT: usize = 4;
/// Enough for the last line of nearly every file; more is read where it is not.
const SHORT_TAIL: u64 = 2_048;
const LONG_TAIL: u64 = 2 * MAX_LINE_BYTES as u64 + 2;

/// Appends the lines in one write. Needs the lock.
pub(crate) fn append(place: &Folder, lines: &[Line]) -> Result<(), Error> {
    if lines.is_empty() {
        return Ok(());
    }
    let fail = |action| move |source| Error::Io { action, path: place.path_of(CURRENT), source };
    let mut file = place.append(CURRENT)?;
    let mut size = file.seek(SeekFrom::End(0)).map_err(fail("look at"))?;
    if size >= ROTATE_AT {
        rotate(place)?;
        file = place.append(CURRENT)?;
        size = 0;
    }
    let (last, torn) = last(&mut file, size).map_err(fail("read"))?;
    let mut bytes = String::new();
    if torn {
        bytes.push('\n');
    }
    let mut lines = lines.iter();
    let mut previous = match last {
        Some(last) => Some(last),
        None => {
            // A new file, or one with nothing whole in it, goes on from the one before it.
            let before = before(place)?;
            if let Some(line) = lines.next() {
                bytes.push_str(&trace::next_in_new_file(before.as_ref(), line));
            }
            trace::last_id(bytes.as_bytes())
        }
    };
    for line in lines {
        let text = trace::next(previous.as_ref(), line);
        previous = trace::last_id(text.as_bytes());
        bytes.push_str(&text);
    }
    file.write_all(bytes.as_bytes()).map_err(fail("write"))
}

/// The whole trace, the oldest file first: each file's name and bytes.
pub(crate) fn read(place: &Folder) -> Result<Vec<(String, Vec<u8>)>, Error> {
    // A file can pass the size at which it is rotated by the lines of one more change, such as the release of very many.
    let most = usize::try_from(ROTATE_AT).unwrap_or(usize::MAX).saturating_mul(16);
    let mut files = Vec::new();
    for name in (1..=KEPT).rev().map(kept).chain([CURRENT.to_owned()]) {
        if let Some(content) = place.read(&name, most)? {
            if content.bytes.len() > most {
                // Half a file would look like a trace that breaks off.
                let source = io::Error::other("it is far larger than claim lets it grow");
                return Err(Error::Io { action: "read", path: place.path_of(&name), source });
            }
            files.push((name, content.bytes));
        }
    }
    Ok(files)
}

fn kept(number: usize) -> String {
    format!("trace.{number}.jsonl")
}

fn rotate(place: &Folder) -> Result<(), Error> {
    for number in (1..KEPT).rev() {
        if place.kind(&kept(number))?.is_some() {
            place.replace(&kept(number), place, &kept(number + 1))?;
        }
    }
    place.replace(CURRENT, place, &kept(1))
}

/// The id of the last whole line, and whether the file ends in half a line.
fn last(file: &mut std::fs::File, size: u64) -> io::Result<(Option<TraceId>, bool)> {
    let mut torn = false;
    for tail in [SHORT_TAIL, LONG_TAIL] {
        let mut bytes = Vec::with_capacity(usize::try_from(tail).unwrap_or_default().saturating_add(1));
        file.seek(SeekFrom::Start(size.saturating_sub(tail)))?;
        file.take(tail).read_to_end(&mut bytes)?;
        torn = bytes.last().is_some_and(|byte| *byte != b'\n');
        let last = trace::last_id(&bytes);
        if last.is_some() || size <= tail {
            return Ok((last, torn));
        }
    }
    Ok((None, torn))
}

fn before(place: &Folder) -> Result<Option<TraceId>, Error> {
    let name = kept(1);
    if place.kind(&name)?.is_none() {
        return Ok(None);
    }
    let fail = |source| Error::Io { action: "read", path: place.path_of(&name), source };
    let mut file = place.append(&name)?;
    let size = file.seek(SeekFrom::End(0)).map_err(fail)?;
    Ok(last(&mut file, size).map_err(fail)?.0)
}
