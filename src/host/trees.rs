//! Which tree a path belongs to: the nearest directory around it with a `.git`, and which trees are one repository.
//!
//! Read from the file system alone, without starting git: a hook asks this before every write. The user's home directory
//! and `/` are never trees, even with a `.git` in them: a claim on one would stop everybody everywhere. Whether there is a
//! `.git` must be known: a tree that is not seen as one would be claimed file by file, by as many sessions.

#![expect(clippy::disallowed_methods, reason = "this module looks for .git")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::host::{
    environment,
    paths::{self, PathError},
    settings,
};

/// The tree that a session was started in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    /// Its root, canonical.
    pub root: PathBuf,
}

impl Home {
    /// The home tree of a session that was started in `directory`: the tree around it, else the directory itself.
    /// `None` when that would be the user's home directory or `/`, or when there is no such directory.
    ///
    /// # Errors
    /// When the system does not say what it is.
    pub fn of(directory: &Path) -> Result<Option<Self>, PathError> {
        let Some(directory) = paths::there(directory, paths::canonical(directory))? else { return Ok(None) };
        Ok(match root_of(&directory)? {
            Some(root) => Some(Self { root }),
            None if is_nobodys(&directory) => None,
            None => Some(Self { root: directory }),
        })
    }

    /// The root of the home tree that a canonical path is in: this tree, or a linked worktree of the same repository.
    ///
    /// # Errors
    /// When the system does not say what it is in.
    pub fn root_for(&self, path: &Path) -> Result<Option<PathBuf>, PathError> {
        if path.starts_with(&self.root) {
            return Ok(Some(self.root.clone()));
        }
        // The git directory that worktrees share is looked for only now: nearly every write is in this very tree.
        let Some(root) = root_of(path)? else { return Ok(None) };
        let Some(common) = common_directory(&self.root)? else { return Ok(None) };
        Ok((common_directory(&root)? == Some(common)).then_some(root))
    }
}

/// The root of the tree that a canonical path is in, if it is in one. Its last part may be a link all the same.
///
/// # Errors
/// When the system does not say whether a directory has a `.git`.
pub fn root_of(path: &Path) -> Result<Option<PathBuf>, PathError> {
    for directory in path.ancestors() {
        let git = directory.join(".git");
        if paths::there(&git, fs::symlink_metadata(&git))?.is_none() || is_nobodys(directory) {
            continue;
        }
        // The path itself may be a link that is to be replaced: what it leads to is no tree around it.
        if !paths::is_link(directory)? {
            return Ok(Some(directory.to_owned()));
        }
    }
    Ok(None)
}

/// Whether a path, as it is spelled, is a stream of the process that writes it: what this process would find there is
/// something else. On Windows so is what only a POSIX shell has there, and `nul` is in every directory.
#[must_use]
pub fn is_stream(path: &Path) -> bool {
    let within = |directory| path.parent() == Some(Path::new(directory));
    let named = ["/dev/stdin", "/dev/stdout", "/dev/stderr"].iter().any(|stream| path == Path::new(stream));
    let number = path.file_name().is_some_and(|name| name.as_encoded_bytes().iter().all(u8::is_ascii_digit));
    let null = path.file_name().is_some_and(|name| name.eq_ignore_ascii_case("nul"));
    named
        || number && (within("/dev/fd") || within("/proc/self/fd"))
        || cfg!(windows) && (null || path.starts_with("/dev"))
}

/// Whether a path needs no claim: devices, and what is in the temporary directory.
#[must_use]
pub fn is_free(path: &Path) -> bool {
    path.starts_with("/dev") || temporary().is_some_and(|temporary| path.starts_with(temporary))
}

/// The temporary directory, unless a variable makes it a directory that everybody's work is in.
fn temporary() -> Option<PathBuf> {
    let temporary = paths::canonical(&environment::temporary()).ok()?;
    let home = environment::home().and_then(|home| paths::canonical(&home).ok());
    let holds_home = home.is_some_and(|home| home.starts_with(&temporary));
    (temporary.parent().is_some() && !holds_home).then_some(temporary)
}

/// Whether a canonical path is the user's home directory or `/`, which no session may keep from all others.
#[must_use]
pub fn is_nobodys(directory: &Path) -> bool {
    directory.parent().is_none() || paths::is_home(directory)
}

/// The git directory that all worktrees of a repository share: `.git` itself, or where the file `.git` leads to.
fn common_directory(root: &Path) -> Result<Option<PathBuf>, PathError> {
    let git = root.join(".git");
    let canonical = |path: &Path| paths::there(path, paths::canonical(path));
    match paths::there(&git, fs::symlink_metadata(&git))? {
        None => Ok(None),
        Some(found) if found.is_file() => {
            let text = text_of(&git)?.unwrap_or_default();
            let Some(own) = text.strip_prefix("gitdir:").map(|own| root.join(own.trim())) else { return Ok(None) };
            // A linked worktree says there where the rest is; a submodule has no such file and is a repository of its own.
            match text_of(&own.join("commondir"))? {
                Some(common) => canonical(&own.join(common.trim())),
                None => canonical(&own),
            }
        }
        // A directory is what it is called, where it is that of a root without links.
        Some(found) if found.is_dir() => Ok(Some(git)),
        Some(_) => canonical(&git),
    }
}

/// The text of a file that git has written. `None` where there is no file, or it is no text.
fn text_of(path: &Path) -> Result<Option<String>, PathError> {
    Ok(paths::there(path, settings::whole(path))?.and_then(|bytes| String::from_utf8(bytes).ok()))
}
