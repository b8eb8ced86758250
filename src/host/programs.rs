//! Which programs a PATH has, and which one this is.

use std::{
    env,
    path::{Path, PathBuf},
};

use crate::host::{environment, paths, settings};

/// The program that a name would start, by this process's PATH.
#[must_use]
pub fn find(name: &str) -> Option<PathBuf> {
    let path = environment::variable("PATH")?;
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&path)
        // A relative part would mean another program in every directory.
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(&file))
        .find(|program| settings::is_program(program))
}

/// The program that runs now.
#[must_use]
pub fn this() -> Option<PathBuf> {
    env::current_exe().ok()
}

/// Whether two paths lead to one file.
#[must_use]
pub fn is_same(one: &Path, other: &Path) -> bool {
    paths::canonical(one).is_ok_and(|one| paths::canonical(other).is_ok_and(|other| one == other))
}
