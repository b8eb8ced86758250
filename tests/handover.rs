//! The queue behind a refusal: notes are added by whoever is refused, and worked by whoever has the target.

mod adding;
mod begun;
mod faults;
mod listing;
mod races;
mod told;

use std::{fs, path::PathBuf};

use crate::support::{Outcome, Sandbox};

/// Adds a note and returns its path, which is all that is printed.
#[track_caller]
fn add(sandbox: &Sandbox, holder: &str, target: &str, text: &str) -> PathBuf {
    path(&sandbox.by(holder, ["handover", "add", target, text]).stdout_any().check())
}

/// Begins the next note and returns its path.
#[track_caller]
fn next(sandbox: &Sandbox, holder: &str, target: &str) -> PathBuf {
    path(&sandbox.by(holder, ["handover", "next", target]).stdout_any().check())
}

/// The one line of the answer, which is the path of a file that is there.
#[track_caller]
fn path(outcome: &Outcome) -> PathBuf {
    let line = outcome.stdout.strip_suffix('\n').unwrap();
    let path = PathBuf::from(line);
    assert!(!line.contains('\n') && path.is_absolute() && path.is_file(), "{outcome}");
    path
}

/// Every file of the queues but the results and the names of their targets: where it is and what it says.
fn notes(sandbox: &Sandbox) -> Vec<(String, String)> {
    let is_note = |file: &String| {
        file.starts_with("handovers/")
            && file.ends_with(".md")
            && !file.contains(".result.")
            && !file.contains("/told/")
    };
    let text = |file: &str| String::from_utf8_lossy(&fs::read(sandbox.place().join(file)).unwrap()).into_owned();
    sandbox.files().into_iter().filter(is_note).map(|file| (stand(&file), text(&file))).collect()
}

/// `inbox`, `claimed` or `done`.
fn stand(file: &str) -> String {
    file.split('/').nth_back(1).unwrap().to_owned()
}

/// The same, as pairs that can be compared at a glance.
fn standing(sandbox: &Sandbox) -> Vec<String> {
    let mut all: Vec<String> = notes(sandbox).into_iter().map(|(stand, text)| format!("{text} {stand}")).collect();
    all.sort();
    all
}
