//! The system calls that a run makes, as strace tells them.

use std::{collections::HashMap, fs, path::Path};

use regex::Regex;

/// One system call of an un-faulted run.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) name: String,
    /// The how many-th of this name it is in its thread; strace counts by thread too.
    pub(super) number: usize,
    pub(super) arguments: String,
    /// What it returned, where that is a plain number and was told at once.
    pub(super) result: Option<i64>,
}

impl Call {
    /// Whether it writes the answer rather than a file.
    pub(super) fn is_answer(&self) -> bool {
        self.name.starts_with("write") && (self.arguments.starts_with("1, ") || self.arguments.starts_with("2, "))
    }
}

/// What strace wrote about a whole run, from the first call that names `root` to the last. What comes before it is
/// the loader's and the runtime's.
pub(super) fn calls(trace: &Path, root: &Path) -> Vec<Call> {
    let line =
        Regex::new(r"^(?<thread>\d+) +(?<name>\w+)\((?<arguments>.*?)(?: <unfinished \.\.\.>|\) += (?<result>.+))$")
            .unwrap();
    let mut numbers = HashMap::new();
    let mut calls: Vec<Call> = Vec::new();
    for text in fs::read_to_string(trace).unwrap().lines() {
        let Some(found) = line.captures(text) else { continue };
        let name = found["name"].to_owned();
        let number: &mut usize = numbers.entry((found["thread"].to_owned(), name.clone())).or_default();
        *number += 1;
        let arguments = found["arguments"].to_owned();
        // execve names the program and its arguments, and is the loader's.
        if name == "execve" || calls.is_empty() && !arguments.contains(root.to_str().unwrap()) {
            continue;
        }
        let result = found.name("result").and_then(|result| result.as_str().split(' ').next()?.parse().ok());
        calls.push(Call { name, number: *number, arguments, result });
    }
    calls
}

/// Whether strace says that it injected something. Not every build of it injects whatever it is asked to, and a sweep
/// that injects nothing finds nothing.
pub(super) fn injected(trace: &Path) -> bool {
    let trace = fs::read_to_string(trace).unwrap();
    ["(INJECTED)", "+++ killed by SIGKILL", "--- SIGTERM {"].iter().any(|mark| trace.contains(mark))
}

/// Whether a lock was really had, in a trace of locking.
pub(super) fn locked(trace: &Path) -> bool {
    let trace = fs::read_to_string(trace).unwrap();
    // A call that was waited in is told in two lines.
    trace.lines().any(|line| line.contains("LOCK_EX") && line.ends_with(" = 0"))
        || trace.lines().any(|line| line.contains("flock resumed") && line.ends_with(" = 0"))
}
