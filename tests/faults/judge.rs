//! What is right after a fault. It is written down nowhere: it follows from the disk before the command and after an
//! un-faulted run of it. Every file is as it was or as it was to be, and the command says that it is done only if
//! every file is as it was to be.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;
use serde_json::Value;

use super::{
    meanwhile::Meanwhile,
    sweep::{Fault, Sweep, shown},
    tree::{Node, Tree},
};
use crate::support::Outcome;

/// The one file of the place that a fault may leave behind; the next change removes it.
const STAGE: &str = "place/pending";

/// What the bytes of a line in the trace have, as strace shows them.
const TRACED: &str = r#"{\"ts\":"#;

impl Sweep<'_> {
    /// Everything that stands on the disk.
    pub(super) fn judge(&self, fault: &Fault<'_>, outcome: &Outcome, found: &Tree, complaints: &mut Vec<String>) {
        self.judge_files(fault, found, complaints);
        if !found.trace.starts_with(&self.before.trace) {
            complaints.push(format!("the trace was rewritten: {:?}", String::from_utf8_lossy(&found.trace)));
        }
        if !self.scenario.promises {
            return;
        }
        self.judge_trace(fault, outcome, found, complaints);
        if outcome.exit == 0 || is_success(&outcome.stdout) {
            // Some file systems have no permissions, and say so or not: a claim is good there all the same.
            let has_modes = !fault.call.name.contains("chmod");
            self.judge_success(found, has_modes, complaints);
        }
    }

    /// An answer is the answer of the un-faulted command, or an error.
    pub(super) fn judge_outcome(&self, fault: &Fault<'_>, outcome: &Outcome, complaints: &mut Vec<String>) {
        let mut allowed = vec![1, self.scenario.exit];
        allowed.extend(self.scenario.noes.iter().copied().chain(fault.killed()));
        if !allowed.contains(&outcome.exit) {
            complaints.push(format!("exit {}, not one of {:?}: {outcome}", outcome.exit, allowed));
        }
        if outcome.stderr.contains("panicked") {
            complaints.push(format!("it panicked: {outcome}"));
        }
        let is_silent = outcome.stderr.is_empty() && outcome.stdout.is_empty();
        if [1, 2].contains(&outcome.exit) && is_silent && !fault.call.is_answer() {
            complaints.push("it failed and said nothing".to_owned());
        }
        if outcome.exit == 2 && !fault.call.is_answer() && !is_denial(outcome) {
            complaints.push(format!("not every host reads this as a denial: {outcome}"));
        }
        let silent = !self.scenario.warns && fault.call.arguments.contains(TRACED);
        let says_so = !self.scenario.promises || silent || is_warning(outcome);
        if outcome.exit == 0 && is_failure(fault, self.waits()) && !says_so {
            complaints.push("exit 0, though what it needed had failed".to_owned());
        }
        // A system that loses what is written to stdout cannot be noticed.
        let says_the_same = self.scenario.promises && self.scenario.exit != 2;
        if outcome.exit == self.scenario.exit && says_the_same && !fault.call.is_answer() {
            for (found, meant) in [(&outcome.stdout, &self.outcome.stdout), (&outcome.stderr, &self.outcome.stderr)] {
                let (found, meant) = (answer(found), answer(meant));
                if found != meant {
                    complaints.push(format!("exit {}, but it said\n{found}and not\n{meant}", outcome.exit));
                }
            }
        }
    }

    /// Whatever was said: every file is as it was or as it was to be.
    fn judge_files(&self, fault: &Fault<'_>, found: &Tree, complaints: &mut Vec<String>) {
        let timeless = found.timeless(self.since);
        for (name, node) in &found.nodes {
            let as_it_was = self.before.nodes.get(name) == Some(node);
            // Whatever is made exists before it has its permissions.
            let meant = self.after.nodes.get(name).map(Node::bytes);
            let as_meant = meant == timeless.nodes.get(name).map(Node::bytes);
            if !(as_it_was || as_meant || self.is_halfway(name, node) || self.is_left(fault, name, node)) {
                complaints.push(format!("{name} is neither as it was nor as it was to be: {}", shown(Some(node))));
            }
        }
        for (name, node) in &self.before.nodes {
            if !found.nodes.contains_key(name) && self.after.nodes.contains_key(name) && !self.is_moved(found, node) {
                complaints.push(format!("{name} is gone"));
            }
            // Not a claim: its bytes are all that there is of it. Of notes nothing is ever deleted.
            let is_in_claims = name.starts_with("place/claims/") && !is_claim(node);
            let kept = if is_in_claims { "place/unreadable" } else { "place/handovers" };
            if (is_in_claims || name.starts_with("place/handovers/"))
                && found.nodes.get(name) != Some(node)
                && !found.within(kept).any(|(_, kept)| kept.bytes() == node.bytes())
            {
                complaints.push(format!("the bytes of {name} are lost"));
            }
        }
    }

    /// Whoever did not write his line says so.
    fn judge_trace(&self, fault: &Fault<'_>, outcome: &Outcome, found: &Tree, complaints: &mut Vec<String>) {
        // Nothing reads the trace back: it decides nothing.
        let lies = fault.kind.starts_with("retval=");
        let says_so = !self.scenario.warns || is_warning(outcome);
        if outcome.exit == self.scenario.exit && !says_so && !lies && found.lines() != self.after.lines() {
            complaints.push(format!("no warning, and the trace is {:?}", String::from_utf8_lossy(&found.trace)));
        }
    }

    /// It was said that all is done.
    fn judge_success(&self, found: &Tree, has_modes: bool, complaints: &mut Vec<String>) {
        let mut found = found.timeless(self.since).nodes;
        if !self.after.nodes.contains_key(STAGE) {
            found.remove(STAGE);
        }
        // As is_failure() has it.
        found.retain(|name, node| !(self.waits() && name.starts_with("place/waiting") && node.bytes().is_none()));
        if self.scenario.exit != 0 {
            complaints.push("it was called done".to_owned());
        }
        for name in found.keys().chain(self.after.nodes.keys()).collect::<BTreeSet<_>>() {
            let (found, meant) = (found.get(name), self.after.nodes.get(name));
            if if has_modes { found != meant } else { found.map(Node::bytes) != meant.map(Node::bytes) } {
                complaints.push(format!("it was called done, but {name} is {}", shown(found)));
            }
        }
    }

    /// After the next command there is what there would be without the fault, and nothing else.
    pub(super) fn judge_last(&self, fault: &Fault<'_>, last: &Tree, complaints: &mut Vec<String>) {
        for (name, node) in &last.nodes {
            let known = [&self.before, &self.after, &self.last].iter().any(|tree| match (tree.nodes.get(name), node) {
                (Some(Node::File { mode, bytes }), Node::File { mode: found, bytes: written }) => {
                    mode == found
                        && (bytes == written || gist(bytes).is_some_and(|gist_of| Some(gist_of) == gist(written)))
                }
                _ => false,
            });
            let is_left = name != STAGE && self.is_left(fault, name, node);
            if !(known || is_left || self.last.nodes.get(name) == Some(node)) {
                complaints.push(format!("after the next command {name} is {}", shown(Some(node))));
            }
        }
        if self.scenario.next_exit == 0 && last.nodes.contains_key(STAGE) {
            complaints.push("the next command left the stage file".to_owned());
        }
        for (name, node) in &self.last.nodes {
            let Some(found) = last.nodes.get(name) else {
                // Only the same command again makes up for what the first one did not do elsewhere.
                if !name.starts_with("place/claims/") && self.scenario.next != self.scenario.command {
                    continue;
                }
                complaints.push(format!("after the next command {name} is missing"));
                continue;
            };
            if let (Some(gist_of), Some(bytes)) = (node.bytes().and_then(gist), found.bytes())
                && gist(bytes) != Some(gist_of)
            {
                complaints.push(format!("after the next command {name} is {}", shown(Some(found))));
            }
        }
    }

    /// What a fault may leave behind: the stage file, what was put aside for good, and the temporary file of a change to
    /// somebody's settings where the process was killed or could not remove it.
    fn is_left(&self, fault: &Fault<'_>, name: &str, node: &Node) -> bool {
        static TEMPORARY: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"/\.[^/]+\.claim-\d+$").unwrap());
        let stays = fault.killed().is_some() || fault.call.name.starts_with("unlink");
        name == STAGE || self.is_kept(name, node) || stays && !name.starts_with("place/") && TEMPORARY.is_match(name)
    }

    /// What stands there between two stages of the command: its claim, or its place in the line.
    fn is_halfway(&self, name: &str, node: &Node) -> bool {
        let stands = self.halfway.nodes.get(name).is_some_and(|halfway| match (halfway.bytes(), node.bytes()) {
            (Some(meant), Some(found)) => meant == found || gist(meant).is_some_and(|meant| Some(meant) == gist(found)),
            (meant, found) => meant == found,
        });
        stands || self.waits() && (name == "place/waiting" || name.starts_with("place/waiting/"))
    }

    fn waits(&self) -> bool {
        matches!(self.scenario.meanwhile, Meanwhile::Released)
    }

    /// A file that was put aside, whatever its number.
    fn is_kept(&self, name: &str, node: &Node) -> bool {
        let Some(name) = name.strip_prefix("place/unreadable/") else { return false };
        self.before.within("place/claims").any(|(old, before)| name.ends_with(old) && before.bytes() == node.bytes())
    }

    fn is_moved(&self, found: &Tree, node: &Node) -> bool {
        found.within("place/unreadable").any(|(_, kept)| kept.bytes() == node.bytes())
    }
}

/// Whether the call has failed beyond doubt, and is one that a success stands on.
fn is_failure(fault: &Fault<'_>, waits: bool) -> bool {
    let Fault { call, kind } = fault;
    let first = |prefix| call.arguments.starts_with(prefix);
    let repeated = kind == "error=EINTR";
    let otherwise = match call.name.as_str() {
        // Done by a link instead.
        "renameat2" => ["error=EINVAL", "error=ENOSYS"].contains(&kind.as_str()),
        // Somebody else has it: it is waited for. And giving it back can fail; it ends with the process.
        "flock" => kind == "error=EAGAIN" || call.arguments.contains("LOCK_UN"),
        "write" => first("2, "),
        // Directories of tickets that are left empty are the next one's to remove.
        "unlinkat" => call.arguments.contains("AT_REMOVEDIR"),
        "getdents64" => waits,
        // A hook that is kept under another name is renamed where it cannot have two.
        "linkat" => call.arguments.starts_with("AT_FDCWD") && kind == "error=EACCES",
        "fsync" | "rename" | "renameat" | "link" | "unlink" | "mkdir" | "mkdirat" => false,
        _ => true,
    };
    let lost = call.name == "write" && kind == "retval=0";
    (kind.starts_with("error=") || lost) && !repeated && !otherwise
}

/// Whether an answer says that something was done.
fn is_success(stdout: &str) -> bool {
    static WORDS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?m)(^|"outcome": ")(claimed|renewed|taken-over|beat|released|installed)\b"#).unwrap()
    });
    WORDS.is_match(stdout)
}

/// Whether it says no in the two ways of which every host reads one.
fn is_denial(outcome: &Outcome) -> bool {
    let document: Value = serde_json::from_str(&outcome.stdout).unwrap_or_default();
    let denies = document["decision"] == "block" && document["hookSpecificOutput"]["permissionDecision"] == "deny";
    denies && !outcome.stderr.trim().is_empty() && document["reason"] == outcome.stderr.trim_end()
}

/// Whether it says that the trace was not written.
pub(super) fn is_warning(outcome: &Outcome) -> bool {
    outcome.stderr.contains("the trace was not written") || outcome.stdout.contains("\"warnings\"")
}

/// What was said without the ages in it, which go on while the test runs, and without warnings, which a fault in the
/// trace or in the notes is.
fn answer(text: &str) -> String {
    let text = match serde_json::from_str(text) {
        Ok(Value::Object(mut object)) => {
            object.remove("warnings");
            format!("{object:?}")
        }
        _ => {
            let warnings = ["claim: the trace was not written: ", "claim: the handover notes cannot be read: "];
            text.lines()
                .filter(|line| !warnings.iter().any(|warning| line.starts_with(warning)))
                .collect::<Vec<_>>()
                .join("\n")
        }
    };
    static NUMBERS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\d+").unwrap());
    NUMBERS.replace_all(&text, "N").into_owned()
}

fn is_claim(node: &Node) -> bool {
    node.bytes().is_some_and(|bytes| gist(bytes).is_some())
}

/// Whose claim it is, on what and why. When it was taken and from whom depends on what a fault left standing.
fn gist(bytes: &[u8]) -> Option<[Value; 4]> {
    let Ok(Value::Object(claim)) = serde_json::from_slice(bytes) else { return None };
    let shared = claim.get("shared").cloned().unwrap_or_default();
    Some([claim.get("target")?.clone(), claim.get("holder")?.clone(), claim.get("purpose")?.clone(), shared])
}
