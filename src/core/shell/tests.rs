//! What commands write, from knowledge of the shell and of the programs.

mod cases;
mod forms;
mod hostile;
mod properties;
mod real;

use std::path::{Path, PathBuf};

use super::writes;

/// The directory that every case starts in, and the home directory.
const CWD: &str = "/home/u/proj";
const HOME: &str = "/home/u";

fn found(command: &str) -> Vec<PathBuf> {
    writes(command, Path::new(CWD), Some(Path::new(HOME)))
}

/// Checks every case of a table, so that one run names all that are wrong.
fn check(cases: &[(&str, &[&str])]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(command, expected)| {
            let expected: Vec<PathBuf> = expected.iter().map(PathBuf::from).collect();
            let found = found(command);
            (found != expected).then(|| format!("{command}\n    expected {expected:?}\n    found    {found:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}
