//! What git is about to commit, and where it looks for its hooks: the only things that git itself is asked.

#![expect(clippy::disallowed_methods, reason = "this is the module that starts git")]

use std::{
    io::{self, Read},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
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
    /// Git said yes, and nothing else.
    #[error("git {0} gave no answer")]
    NoAnswer(String),
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
    let root = ask_for_line(&["rev-parse", "--show-toplevel"])?;
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
    Ok(directory.join(ask_for_line(&["rev-parse", "--git-path", "hooks"])?))
}

/// The git directory that all worktrees of this repository share.
///
/// # Errors
/// As [`hooks`].
pub fn common() -> Result<PathBuf, GitError> {
    ask_for_line(&["rev-parse", "--path-format=absolute", "--git-common-dir"])
}

/// The one line that git answers.
fn ask_for_line(arguments: &[&str]) -> Result<PathBuf, GitError> {
    let answer = ask(arguments)?;
    match answer.strip_suffix(b"\n") {
        Some(line) if !line.is_empty() => Ok(PathBuf::from(text(line)?)),
        // An empty path would be the directory that this was asked in.
        _ => Err(GitError::NoAnswer(arguments.join(" "))),
    }
}

fn ask(arguments: &[&str]) -> Result<Vec<u8>, GitError> {
    let (success, answer, complaint) = run(arguments).map_err(GitError::Start)?;
    if success {
        return Ok(answer);
    }
    let message = crate::core::text::visible(String::from_utf8_lossy(&complaint).trim());
    Err(GitError::Failed { arguments: arguments.join(" "), message })
}

/// Runs git to its end: whether it said yes, and all that it wrote. (The standard library's own way to do this panics
/// where a pipe cannot be read.)
fn run(arguments: &[&str]) -> io::Result<(bool, Vec<u8>, Vec<u8>)> {
    let mut command = Command::new("git");
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let complaints = child.stderr.take().map(|stderr| thread::Builder::new().spawn(move || all(stderr)));
    let answer = child.stdout.take().map_or_else(|| Ok(Vec::new()), all);
    // Whatever could not be read: with its pipes closed it ends, and nothing of it is left behind.
    let status = child.wait()?;
    let complaint = match complaints.transpose()? {
        Some(reading) => reading.join().unwrap_or_else(|_| Err(io::ErrorKind::Other.into()))?,
        None => Vec::new(),
    };
    Ok((status.success(), answer?, complaint))
}

fn all(mut stream: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).map(|_| bytes)
}

fn text(bytes: &[u8]) -> Result<&str, GitError> {
    std::str::from_utf8(bytes)
        .map_err(|_| GitError::NotText(crate::core::text::visible(&String::from_utf8_lossy(bytes))))
}
