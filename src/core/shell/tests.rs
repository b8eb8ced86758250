//! What commands write, from knowledge of the shell and of the programs.

mod cases;
mod forms;
mod hostile;
mod links;
mod more;
mod properties;
mod real;

use std::path::{Path, PathBuf};

use super::Start;
use crate::core::write::{Link, Write};

/// The directory that every case starts in, and the home directory.
const CWD: &str = "/home/u/proj";
const HOME: &str = "/home/u";

/// The variables that the host's hook is started with.
fn project() -> [(&'static str, PathBuf); 1] {
    [("CLAUDE_PROJECT_DIR", PathBuf::from(CWD))]
}

fn writes_in(command: &str, directory: &Path, home: Option<&Path>) -> Vec<Write> {
    super::writes(command, &Start { directory, home, variables: &project() })
}

/// The paths alone.
fn writes(command: &str, directory: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    writes_in(command, directory, home).into_iter().map(|write| write.path).collect()
}

/// What is found where no link is in the way, so that `..` can be taken out by the spelling.
fn found(command: &str) -> Vec<PathBuf> {
    writes(command, Path::new(CWD), Some(Path::new(HOME))).iter().map(|path| flat(path)).collect()
}

fn flat(path: &Path) -> PathBuf {
    let mut flat = PathBuf::new();
    for part in path.components() {
        if part == std::path::Component::ParentDir {
            flat.pop();
        } else {
            flat.push(part);
        }
    }
    flat
}

#[test]
fn a_way_up_is_left_to_the_system_except_after_cd() {
    for (command, path) in [
        ("touch s/../x", "/home/u/proj/s/../x"),
        ("cd s && touch ../x", "/home/u/proj/s/../x"),
        ("git -C s/.. commit -am x", "/home/u/proj/s/.."),
        ("cd s/.. && touch x", "/home/u/proj/x"),
        ("cd s && cd .. && touch x", "/home/u/proj/x"),
        ("pushd s/..; echo > x", "/home/u/proj/x"),
    ] {
        let found = writes(command, Path::new(CWD), Some(Path::new(HOME)));
        // Compared as text: paths compare by their parts.
        let found: Vec<_> = found.iter().map(|path| path.to_str().unwrap()).collect();
        assert_eq!(found, [path], "{command}");
    }
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
