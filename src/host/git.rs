//! What git is about to commit, and where it looks for its hooks: the only things that git itself is asked.

#![expect(clippy::disallowed_methods, reason = "this is the module that starts git")]

use std::{
    io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use thiserror::Error;

/// Why the index could not be read.
#[derive(Debug, Error)]
pub enum GitError {
    /// Git cannot be started.
    #[error("cannot start git: {0}")]
    Start(io::Error),
    /// Git said no.
    #[error("git {arguments} failed: {message}")]
    Failed {
        /// What was asked.
        arguments: String,
        /// What git said.
        message: String,
    },
    /// A path in the index is not UTF-8.
    #[error("a staged path is not UTF-8: '{0}'")]
    NotText(String),
}

/// The root of the worktree and the paths in it that the commit at hand changes: new, changed and deleted ones, both
/// names of a renamed one. The environment that git gave its hook (`GIT_INDEX_FILE`, `GIT_DIR`) says which commit.
///
/// # Errors
/// [`GitError`] when this is no worktree, or git cannot be asked.
pub fn staged() -> Result<(PathBuf, Vec<PathBuf>), GitError> {
    let root = ask(&["rev-parse", "--show-toplevel"])?;
    let root = PathBuf::from(text(root.strip_suffix(b"\n").unwrap_or(&root))?);
    // Each option keeps the user's configuration from leaving a path out.
    let list = ask(&[
        "diff",
        "--cached",
        "--name-only",
        "--no-relative",
        "--no-renames",
        "--no-ext-diff",
        "--ignore-submodules=none",
        "-z",
    ])?;
    let paths = list
        .split(|byte| *byte == 0)
        .filter(|path| !path.is_empty())
        .map(|path| Ok(root.join(text(path)?)))
        .collect::<Result<_, GitError>>()?;
    Ok((root, paths))
}

/// The directory that git takes this repository's hooks from, whether it is there or not: `core.hooksPath`, else the
/// one that all worktrees share.
///
/// # Errors
/// [`GitError`] when this is no repository, or git cannot be asked.
pub fn hooks(directory: &Path) -> Result<PathBuf, GitError> {
    let path = ask(&["rev-parse", "--git-path", "hooks"])?;
    Ok(directory.join(text(path.strip_suffix(b"\n").unwrap_or(&path))?))
}

/// The git directory that all worktrees of this repository share.
///
/// # Errors
/// As [`hooks`].
pub fn common() -> Result<PathBuf, GitError> {
    let path = ask(&["rev-parse", "--path-format=absolute", "--git-common-dir"])?;
    Ok(PathBuf::from(text(path.strip_suffix(b"\n").unwrap_or(&path))?))
}

fn ask(arguments: &[&str]) -> Result<Vec<u8>, GitError> {
    let output = Command::new("git").args(arguments).stdin(Stdio::null()).output().map_err(GitError::Start)?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let message = crate::core::text::visible(String::from_utf8_lossy(&output.stderr).trim());
    Err(GitError::Failed { arguments: arguments.join(" "), message })
}

fn text(bytes: &[u8]) -> Result<&str, GitError> {
    std::str::from_utf8(bytes)
        .map_err(|_| GitError::NotText(crate::core::text::visible(&String::from_utf8_lossy(bytes))))
}
