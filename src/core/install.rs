//! How claim gets into a host's own configuration and out of it again, and what a configuration says of it.
//!
//! Text in, text out: a table says where each host keeps its hooks and in which shape ([`HOSTS`]), a merge adds and
//! removes what is ours by position, so that everything else keeps its order, its spelling and its layout, and a few
//! readers answer what `claim doctor` wants to know. Nothing here touches a file.
//!
//! # Limitations
//!
//! The hooks are for POSIX shells. On Windows they run where the host finds `sh`, as Git for Windows brings it.

mod diff;
mod edit;
mod git;
mod inspect;
mod json;
mod merge;
mod rows;
mod table;
mod toml;

#[cfg(test)]
mod matcher_tests;
#[cfg(test)]
mod merge_tests;

pub use diff::lines as diff;
pub use git::{GIT_HOOK, GIT_HOOKS, Manager, is_our_git_hook, manager};
pub use inspect::{Sandbox, claude_plugin, codex_sandbox, settings_sandbox, switched_off, switched_off_in_codex};
pub use json::Malformed;
pub use merge::{Left, installed, is_current, missing, uninstalled};
pub use table::{Content, Entry, File, HOSTS, Hooks, Host, Remains, Root, named};
