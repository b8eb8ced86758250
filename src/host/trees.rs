//! Which tree a path belongs to: the nearest directory around it with a `.git`, and which trees are one repository.
//!
//! Read from the file system alone, without starting git: a hook asks this before every write. The user's home directory
//! and `/` are never trees, even with a `.git` in them: a claim on one would stop everybody everywhere.

#![expect(clippy::disallowed_methods, reason = "this module looks for .git")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::host::{environment, paths};

/// The tree that a session was started in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    /// Its root, canonical.
    pub root: PathBuf,
}

impl Home {
    /// The home tree of a session that was started in `directory`: the tree around it, else the directory itself.
    /// `None` when that would be the user's home directory or `/`, or when the directory cannot be resolved.
    #[must_use]
    pub fn of(directory: &Path) -> Option<Self> {
        let directory = paths::canonical(directory).ok()?;
        let root = match root_of(&directory) {
            Some(root) => root,
            None if is_nobodys(&directory) => return None,
            None => directory,
        };
        Some(Self { root })
    }

    /// The root of the home tree that a canonical path is in: this tree, or a linked worktree of the same repository.
    #[must_use]
    pub fn root_for(&self, path: &Path) -> Option<PathBuf> {
        if path.starts_with(&self.root) {
            return Some(self.root.clone());
        }
        // The git directory that worktrees share is looked for only now: nearly every write is in this very tree.
        let root = root_of(path)?;
        let common = common_directory(&self.root)?;
        (common_directory(&root) == Some(common)).then_some(root)
    }
}

/// The root of the tree that a canonical path is in, if it is in one. Its last part may be a link all the same.
#[must_use]
pub fn root_of(path: &Path) -> Option<PathBuf> {
    // The path itself may be a link that is to be replaced: what it leads to is no tree around it.
    let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|data| data.is_symlink());
    path.ancestors()
        .find(|directory| {
            fs::symlink_metadata(directory.join(".git")).is_ok() && !is_nobodys(directory) && !is_link(directory)
        })
        .map(Path::to_owned)
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
fn common_directory(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if fs::symlink_metadata(&git).ok()?.is_file() {
        let text = fs::read_to_string(&git).ok()?;
        let own = root.join(text.strip_prefix("gitdir:")?.trim());
        // A linked worktree says there where the rest is; a submodule has no such file and is a repository of its own.
        return match fs::read_to_string(own.join("commondir")) {
            Ok(common) => paths::canonical(&own.join(common.trim())).ok(),
            Err(_) => paths::canonical(&own).ok(),
        };
    }
    paths::canonical(&git).ok()
}
