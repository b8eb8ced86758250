//! What a name is really called, where a file system knows it by more than one spelling: Windows' disks as WSL and Linux
//! mount them, directories that fold case, shares of such machines. One file must be one target however it is typed.
//!
//! The system does not say it: `realpath` keeps what was typed. Where a name is there with its case swapped too, the
//! directory is read, and the name is the one that is listed; that is also what tells two files, or two hard links of
//! one, whose names differ in case from one file with two spellings. An ordinary file system is asked two questions, and
//! no directory of it is read: whether the last name is there with its case swapped, and what kind of file system it is.
//! A directory hands on to what is made in it whether it folds, so that the last name speaks for those above. Only the
//! kinds that stand for another system's disk ([`FOREIGN`]) can have directories that tell case apart inside of others
//! that do not, and there every name on the way is asked about.
//!
//! # Limitations
//! Two spellings of a file that is not there yet are two targets until it is. A file system that tells case apart and is
//! mounted inside of one that does not hides how the names above it are spelled.

#![expect(clippy::disallowed_methods, reason = "this module asks what names are there")]

use std::{
    ffi::{OsStr, OsString},
    fs, io,
    os::unix::{
        ffi::{OsStrExt as _, OsStringExt as _},
        fs::MetadataExt as _,
    },
    path::{Component, Path, PathBuf},
};

/// The kinds of file system, as `statfs` tells them, through which Linux sees the disk of a system that folds case, or
/// may: 9p (WSL 2, virtual machines), WSL 1's own, FUSE, SMB, FAT, exFAT, NTFS, `VirtualBox` and Apple's.
#[cfg(target_os = "linux")]
const FOREIGN: [u32; 13] = [
    0x0102_1997,
    0x5346_4846,
    0x6573_5546,
    0xff53_4d42,
    0xfe53_4d42,
    0x0000_517b,
    0x0000_4d44,
    0x2011_bab0,
    0x5346_544e,
    0x7366_746e,
    0x786f_4256,
    0x0000_482b,
    0x0000_4244,
];

/// The path with every name as its directory lists it. It has to be there, and be free of links.
///
/// # Errors
/// When the system does not say what is there.
pub(super) fn listed(path: PathBuf) -> io::Result<PathBuf> {
    if !folds(&path)? {
        return Ok(path);
    }
    let mut real = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => real.push(listed_in(&real, name)?),
            other => real.push(other),
        }
    }
    Ok(real)
}

/// Whether any name on the way may have another spelling.
fn folds(path: &Path) -> io::Result<bool> {
    let deepest = path.ancestors().find_map(|path| Some(path.with_file_name(swapped(path.file_name()?)?)));
    match deepest {
        Some(deepest) => Ok(is_there(&deepest)? || is_foreign(path)),
        // Nothing in it has a case.
        None => Ok(false),
    }
}

/// Whether it is on a file system that may mix both kinds of directory. One that does not say what it is may.
#[cfg(target_os = "linux")]
fn is_foreign(path: &Path) -> bool {
    // The numbers are of 32 bits, and the system's own type has a sign where it has no more.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "of 32 bits, whatever the type")]
    let kind = rustix::fs::statfs(path).map(|status| status.f_type as u32);
    kind.map_or(true, |kind| FOREIGN.contains(&kind))
}

/// Elsewhere the system's own canonical path has the real names.
#[cfg(not(target_os = "linux"))]
fn is_foreign(_: &Path) -> bool {
    false
}

/// What a directory calls a name that is in it.
fn listed_in(directory: &Path, name: &OsStr) -> io::Result<OsString> {
    match swapped(name) {
        Some(swapped) if is_there(&directory.join(&swapped))? => {}
        _ => return Ok(name.to_owned()),
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(directory)? {
        let listed = entry?.file_name();
        if listed == name {
            return Ok(listed);
        }
        names.push(listed);
    }
    if let Some(alike) = names.iter().find(|listed| folded(listed) == folded(name)) {
        return Ok(alike.clone());
    }
    // A short name of Windows, or the same letters in other characters.
    let own = fs::symlink_metadata(directory.join(name))?;
    let is_own = |listed: &&OsString| {
        fs::symlink_metadata(directory.join(listed))
            .is_ok_and(|found| (found.dev(), found.ino()) == (own.dev(), own.ino()))
    };
    // Where the directory does not list it at all, at least both spellings are one.
    Ok(names.iter().filter(is_own).min().cloned().unwrap_or_else(|| folded(name).into()))
}

fn is_there(path: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidFilename) => Ok(false),
        Err(error) => Err(error),
    }
}

fn folded(name: &OsStr) -> String {
    name.to_string_lossy().to_lowercase()
}

/// The name with upper and lower case swapped; `None` if it has neither. Letters that every file system folds are
/// enough, and the others are swapped where there are none of them.
fn swapped(name: &OsStr) -> Option<OsString> {
    if name.as_bytes().iter().any(u8::is_ascii_alphabetic) {
        let swap = |byte: &u8| if byte.is_ascii_alphabetic() { byte ^ 0x20 } else { *byte };
        return Some(OsString::from_vec(name.as_bytes().iter().map(swap).collect()));
    }
    let name = name.to_str()?;
    let swapped: String = name.chars().map(other_case).collect();
    (swapped != name).then(|| swapped.into())
}

/// The same letter in the other case, if that is one letter.
fn other_case(letter: char) -> char {
    let mut other: Box<dyn Iterator<Item = char>> =
        if letter.is_lowercase() { Box::new(letter.to_uppercase()) } else { Box::new(letter.to_lowercase()) };
    match (other.next(), other.next()) {
        (Some(other), None) => other,
        _ => letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_swapped_by_the_letters_that_every_file_system_folds() {
        for (name, other) in [
            ("File.md", Some("fILE.MD")),
            ("a", Some("A")),
            ("É1a", Some("É1A")),
            ("É1", Some("é1")),
            ("ß", None),
            ("2026-08", None),
            ("日本", None),
            ("", None),
        ] {
            assert_eq!(swapped(OsStr::new(name)), other.map(OsString::from), "{name}");
        }
        assert_eq!(swapped(OsStr::from_bytes(b"\xffa")), Some(OsString::from_vec(b"\xffA".to_vec())));
    }

    // Other systems fold by themselves.
    #[cfg(target_os = "linux")]
    #[test]
    fn what_tells_case_apart_keeps_its_names() {
        let directory = tempfile::tempdir().unwrap();
        let real = fs::canonicalize(directory.path()).unwrap();
        // Two files; two names of one; and one that has no counterpart.
        fs::write(real.join("File"), "").unwrap();
        fs::write(real.join("fILE"), "").unwrap();
        fs::write(real.join("Link"), "").unwrap();
        fs::hard_link(real.join("Link"), real.join("lINK")).unwrap();
        fs::create_dir(real.join("Alone")).unwrap();
        for name in ["File", "fILE", "Link", "lINK", "Alone"] {
            assert_eq!(listed(real.join(name)).unwrap(), real.join(name));
        }
    }
}
