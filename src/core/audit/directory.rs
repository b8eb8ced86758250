//! Compares what is on the disk with what the trace says should be there.

use std::collections::{HashMap, HashSet};

use super::finding::{Finding, Kind};
use super::holdings::Held;
use super::notes::{NoteState, Queue};
use super::record::Record as Claim;
use super::replay::Replay;
use crate::core::target::{PathStyle, Target};
use crate::core::trace::shown;

/// A file in the claims directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectoryEntry {
    /// Its name, without the directory.
    pub file: String,
    /// What it says; `None` when it cannot be understood.
    pub claim: Option<Claim>,
}

/// A note in the queue of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteEntry {
    /// The stem of the target.
    pub stem: String,
    /// Its number among the notes of that target, from 1.
    pub number: u64,
    /// Where it is.
    pub state: NoteState,
}

/// What is on the disk, read in one go under the lock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directory {
    /// Every file in the claims directory.
    pub claims: Vec<DirectoryEntry>,
    /// Every note; `None` when the queues were not looked at.
    pub notes: Option<Vec<NoteEntry>>,
}

fn finding(kind: Kind, file: &str, message: String) -> Finding {
    Finding { kind, file: shown(file), line: None, message }
}

pub(super) fn compare(replay: &Replay, directory: &Directory) -> Vec<Finding> {
    let mut findings = Vec::new();
    compare_claims(replay, &directory.claims, &mut findings);
    if let Some(notes) = &directory.notes {
        compare_notes(replay, notes, &mut findings);
    }
    findings
}

/// The stem in the name of a claim file, and whether it is the file of a further sharer, with `+` in its name.
fn stem_of(file: &str) -> Option<(&str, bool)> {
    let name = file.strip_suffix(".json")?;
    Some(name.split_once('+').map_or((name, false), |(stem, _)| (stem, true)))
}

fn compare_claims(replay: &Replay, entries: &[DirectoryEntry], findings: &mut Vec<Finding>) {
    let mut present = HashSet::new();
    let mut unreadable = HashSet::new();
    for DirectoryEntry { file, claim } in entries {
        let mut add = |kind, message: String| findings.push(finding(kind, file, message));
        let Some(claim) = claim else {
            unreadable.extend(stem_of(file).map(|(stem, _)| stem.to_owned()));
            add(Kind::UnreadableClaim, "the claim file cannot be understood".to_owned());
            continue;
        };
        let Some(target) = Target::recorded(&claim.target, PathStyle::HERE).ok() else {
            add(Kind::WrongClaim, "the claim file names no target".to_owned());
            continue;
        };
        let holder = shown(&claim.holder);
        // The first to share a target has the plain file.
        let placed = stem_of(file).is_some_and(|(stem, sharer)| stem == target.stem() && (claim.shared || !sharer));
        let first = present.insert((target.identity().to_owned(), claim.holder.clone()));
        if !placed || !first {
            let what = if placed { "another file has it too" } else { "it belongs in another file" };
            add(Kind::MisplacedClaim, format!("a claim of {holder}: {what}"));
        }
        match replay.holdings.get(&target, &claim.holder) {
            Some(held) => {
                for message in differences(held, claim) {
                    add(Kind::WrongClaim, message);
                }
            }
            None if replay.knows(&target, &claim.holder) => {
                add(Kind::UnexplainedClaim, format!("the trace does not know that {holder} holds this"));
            }
            None => {}
        }
    }
    for (identity, holder, held) in replay.holdings.all() {
        if present.contains(&(identity.to_owned(), holder.to_owned())) {
            continue;
        }
        let stem = Target::recorded(&held.task, PathStyle::HERE).ok().map(|target| target.stem()).unwrap_or_default();
        if !unreadable.contains(&stem) {
            let message = format!("{holder} holds {} by the trace, and there is no file", held.task);
            findings.push(finding(Kind::MissingClaim, &stem, message));
        }
    }
}

fn differences(held: &Held, claim: &Claim) -> Vec<String> {
    let mut messages = Vec::new();
    let mut differ = |what: &str, file: String, trace: String| {
        if file != trace {
            messages.push(format!("{what} is {file}, and {trace} by the trace"));
        }
    };
    differ("heartbeat_at", claim.heartbeat_at.to_string(), held.heartbeat.to_string());
    if let Some(origin) = &held.origin {
        let word = |from: &Option<String>| from.as_deref().map_or_else(|| "absent".to_owned(), shown);
        differ("taken_at", claim.taken_at.to_string(), origin.taken_at.to_string());
        differ("taken_from", word(&claim.taken_from), word(&origin.taken_from));
    }
    differ("ttl_s", claim.ttl_s.to_string(), held.terms.ttl_s.to_string());
    differ("shared", claim.shared.to_string(), held.terms.shared.to_string());
    messages
}

fn compare_notes(replay: &Replay, entries: &[NoteEntry], findings: &mut Vec<Finding>) {
    let queues: HashMap<String, &Queue> =
        replay.queues.values().map(|(target, queue)| (target.stem(), queue)).collect();
    let mut on_disk = HashSet::new();
    for NoteEntry { stem, number, state } in entries {
        on_disk.insert((stem.as_str(), *number));
        let known = match queues.get(stem) {
            Some(queue) => queue.state(*number).ok_or(queue.may_be_older(*number)),
            None => Err(!replay.whole),
        };
        let (kind, message) = match known {
            Ok(known) if known != *state => {
                (Kind::WrongNote, format!("note {number} is {}, and {} by the trace", state.word(), known.word()))
            }
            Err(false) => {
                (Kind::UnexplainedNote, format!("the trace does not know the {} note {number}", state.word()))
            }
            Ok(_) | Err(true) => continue,
        };
        findings.push(finding(kind, stem, message));
    }
    let mut missing = Vec::new();
    for (stem, queue) in &queues {
        // People tidy up; nothing depends on a note that is done.
        let open = queue.states().filter(|(_, state)| *state != NoteState::Finished);
        let gone = open.filter(|(number, _)| !on_disk.contains(&(stem.as_str(), *number)));
        missing.extend(gone.map(|(number, state)| (stem, number, state)));
    }
    missing.sort();
    for (stem, number, state) in missing {
        let message = format!("note {number} is {} by the trace, and there is no file", state.word());
        findings.push(finding(Kind::MissingNote, stem, message));
    }
}
