//! What is in a directory of the user's, and files that are written into one: completions and man pages. What is kept
//! in claim's own place goes through the store.

#![expect(clippy::disallowed_methods, reason = "this is the module that touches the user's directories")]

use std::{fs, io, path::Path};

/// The names in a directory that are text, in order, each with whether it is a directory itself. Nothing where it cannot
/// be read.
#[must_use]
pub fn names(directory: &Path) -> Vec<(String, bool)> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let mut names: Vec<_> = entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            // A link is what it leads to.
            Some((name, entry.path().is_dir()))
        })
        .collect();
    names.sort_unstable();
    names
}

/// Makes the directory if it is not there, and writes a file into it; an older one of that name is replaced.
///
/// # Errors
/// What the system says.
pub fn write(directory: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    fs::write(directory.join(name), bytes)
}
