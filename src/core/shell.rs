//! The writes that a shell command plainly makes.

mod command;
mod git;
mod options;
mod parse;
mod scope;
mod special;
mod tools;
mod walk;
mod word;

use std::path::{Path, PathBuf};

use scope::Scope;
use walk::Walk;

/// The files and directories that `command` plainly writes when a shell starts it in `cwd`: absolute, in the order in
/// which they appear, each once.
#[must_use]
pub fn writes(command: &str, cwd: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    parse::with_stack(command, |parser| {
        let mut walk = Walk::new(parser);
        walk.text(command, &Scope::new(cwd, home));
        walk.into_found()
    })
    .unwrap_or_default()
}

#[cfg(test)]
mod tests;
