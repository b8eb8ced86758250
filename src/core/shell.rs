//! The writes that a shell command plainly makes.
//!
//! An agent that may not use its editing tool on a file writes it with its shell tool instead, so a guard that only
//! reads the editing tool's input is walked around without anybody meaning to. This module reads the command as the
//! shell would, and names the files and directories that it is plain to write. It runs nothing and looks at nothing.
//!
//! # What is plain
//! A redirection's target, and the operands that a known program writes (the tables in `tools`, the rules in `special`,
//! `downloads`, `git` and `find`), when they are literal: written out, however quoted, or made of `~`, `$HOME`, `$PWD`,
//! `~+`, the host's variables for the project, variables that the same command sets to a literal, `$1` of a function or of
//! `bash -c`, the words of a `for`, a simple `{a,b}`, `$(pwd)`, or a here-document that `cat` prints. Of a word with a
//! glob, the directory before the glob. What `cd`, `pushd`, `env -C` and `git -C` do is followed, and where `GIT_DIR` and
//! `GIT_WORK_TREE` lead; after a `cd` to somewhere unknown only absolute paths count. Both branches of a condition count.
//! The body of a function counts where the function is called. The text given to `bash -c`, `eval`, `env -S` and `su -c`,
//! and a here-document or a plain `echo` that a shell reads, are commands; so are the words behind `xargs`, though not
//! what it reads. A verb of git that changes a repository writes the directory it works in; `push` and `fetch` change
//! nothing there that another session sees.
//!
//! Whether a link at the end of a path is followed (`>`) or replaced (`rm`, `mv`, `sed -i`) is said of each, see
//! [`crate::core::write`]; `..` stays in a path for the system to resolve.
//!
//! # What is let through
//! Whatever takes more than reading to know: other programs (`python -c`, `make`, `npm install`, scripts, aliases), words
//! with other variables or substitutions in them, commands on another host or in a container, `w` in a sed script, `>` in
//! an awk program, the siblings that a program makes beside its file (`f.bak`, `f.gz`), PowerShell. What does not parse
//! is let through from the line on where it goes wrong, as a shell would not run it either. A text that is deeper or
//! longer than what `parse` allows is read in pieces, see there; hardly any comes to the limits that `walk` sets to loops
//! within loops, but what lies beyond them is let through.
//!
//! # The parser
//! `rable`, chosen by measuring a static release binary (`opt-level = "s"`, fat LTO, one codegen unit, stripped) on
//! x86-64 Linux that does nothing else, with a command of 182 bytes that has a here-document, a pipe and a substitution:
//!
//! | | rable 0.2.2 | brush-parser 0.4.0 | tree-sitter 0.27.1 with tree-sitter-bash 0.25.1 |
//! |---|---|---|---|
//! | added to the binary | 171 KiB | 205 KiB | 1 366 KiB |
//! | crates added, build-time ones included | 7, of them 1 besides thiserror's | 68 | 9 |
//! | to parse that command | 13 us | 25 us | 137 us |
//! | C compiler | no | no | yes |
//! | licence | MIT | MIT | MIT |
//! | `cat <<'EOF' > f; echo done` | parsed | parsed | an error node among the redirection's targets |
//! | seven bytes `<<E$[` and two tabs | an error | takes all memory, never returns | an error node |
//! | 5 000 times `{ ` | an error | stack overflow | an error node |
//! | 5 000 times `$(` | stack overflow | an error | an error node |
//!
//! tree-sitter is the sturdiest and goes on after an error, but it misreads what agents write most, a here-document with
//! something after it on its line, and makes the binary more than twice as large. brush-parser cannot be guarded
//! against its hang from outside. What overflows in `rable` depends on nesting alone, so `parse` guards it. Others were
//! passed over unmeasured: yash-syntax for its licence (GPL), conch-parser as unmaintained and without bash's syntax.

mod command;
mod downloads;
mod expansion;
mod find;
mod git;
mod options;
mod parse;
mod scope;
mod special;
mod tools;
mod walk;
mod word;
mod wrappers;

use std::path::{Path, PathBuf};

use scope::Scope;
use walk::Walk;

use crate::core::write::Write;

/// What is known of the shell that a command is given to.
#[derive(Debug, Clone, Copy)]
pub struct Start<'a> {
    /// The directory that it starts in.
    pub directory: &'a Path,
    /// The user's home directory.
    pub home: Option<&'a Path>,
    /// Variables of its environment that name a directory.
    pub variables: &'a [(&'static str, PathBuf)],
}

/// The files and directories that `command` plainly writes: absolute, in the order in which they appear, each once.
#[must_use]
pub fn writes(command: &str, start: &Start<'_>) -> Vec<Write> {
    parse::with_stack(command, |parser| {
        let mut walk = Walk::new(parser);
        walk.text(command, &Scope::new(start));
        walk.into_found()
    })
}

#[cfg(all(test, unix))]
mod tests;
