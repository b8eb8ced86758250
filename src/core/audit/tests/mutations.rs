//! A trace of 200 random actions by five holders, spoilt in one place at a time.
//!
//! Twice: as it is, where the chain has to show it, and sealed again by a forger who knows how, where what the lines
//! say has to show it. What is not found must be a history that could as well have happened: the model, asked for
//! the same things in the same order, writes the same lines and leaves the same directory. Then no rule can tell, and
//! the other way round: a history that could have happened is never accused.

use std::collections::BTreeMap;

use super::history::history;
use super::model::{HOLDERS, Model, TARGETS, could_have_happened};
use super::{Writer, Written, check, first_problems, write};
use crate::core::audit::{Auditor, Directory, Kind};
use crate::core::time::Timestamp;
use crate::core::trace::{self, Action, Line};

const ROTATIONS: [usize; 2] = [80, 150];

/// What is done to the line at one position.
enum Change {
    Delete,
    Swap,
    Repeat,
    Replace(Box<Line>),
}

fn changes(line: &Line) -> Vec<(&'static str, Change)> {
    let mut changes = vec![("delete", Change::Delete), ("swap", Change::Swap), ("repeat", Change::Repeat)];
    let mut replace = |kind, change: &dyn Fn(&mut Line)| {
        let mut other = line.clone();
        change(&mut other);
        if other != *line {
            changes.push((kind, Change::Replace(Box::new(other))));
        }
    };
    for holder in HOLDERS.into_iter().chain(["fox"]) {
        replace("agent", &|line| holder.clone_into(&mut line.agent));
        if line.taken_from.is_some() {
            replace("taken_from", &|line| line.taken_from = Some(holder.to_owned()));
        }
        if line.held_by.is_some() {
            replace("held_by", &|line| line.held_by = Some(holder.to_owned()));
        }
    }
    for seconds in [1, -1, 45, -45, 2000, -100_000] {
        replace("ts", &|line| line.ts = Timestamp::from_seconds(line.ts.seconds() + seconds));
        replace("idle_s", &|line| line.idle_s = line.idle_s.map(|idle_s| idle_s + seconds));
    }
    for rule in trace::rules::RULES {
        replace("rule", &|line| line.rule = rule.number);
    }
    for action in Action::ALL {
        replace("action", &|line| line.action = action);
    }
    for target in TARGETS {
        replace("task", &|line| target.clone_into(&mut line.task));
    }
    for ttl_s in [59, 60, 300, 900] {
        replace("ttl_s", &|line| line.ttl_s = line.ttl_s.and(Some(ttl_s)));
    }
    replace("shared", &|line| line.shared = !line.shared);
    replace("note", &|line| line.note = line.note.map(|note| note + 1));
    replace("note", &|line| line.note = line.note.map(|note| note.max(2) - 1));
    replace("waited_s", &|line| line.waited_s = line.waited_s.map(|waited_s| waited_s + 1));
    replace("taken_from", &|line| line.taken_from = None);
    replace("held_by", &|line| line.held_by = None);
    replace("waited_s", &|line| line.waited_s = None);
    changes
}

fn applied<T: Clone>(all: &[T], position: usize, change: &Change, replaced: impl Fn(&Line) -> T) -> Vec<T> {
    let mut all = all.to_vec();
    match change {
        Change::Delete => drop(all.remove(position)),
        Change::Swap if position + 1 < all.len() => all.swap(position, position + 1),
        Change::Swap => {}
        Change::Repeat => all.insert(position, all[position].clone()),
        Change::Replace(line) => all[position] = replaced(line),
    }
    all
}

/// The audit and the model as they are before the line that is changed, so that each change costs only its sequel.
#[derive(Default)]
struct Before {
    auditor: Auditor,
    model: Model,
    /// How many lines the audit has seen, and the model: it takes a takeover in one piece.
    audited: usize,
    modelled: usize,
}

impl Before {
    fn pass(&mut self, lines: &[Line], (file, number, text): &Written) {
        self.auditor.line(file, *number, text.as_bytes());
        let line = &lines[self.audited];
        self.audited += 1;
        if !(line.action == Action::BreakClaim && line.rule == trace::rules::TAKEOVER) {
            assert!(self.model.explains(&lines[self.modelled..self.audited]));
            self.modelled = self.audited;
        }
    }

    fn explain(&self, forged: &[Line], directory: &Directory) -> bool {
        let mut model = self.model.clone();
        model.explains(&forged[self.modelled..]) && model.directory() == *directory
    }
}

/// Found, and not found but explained.
type Tally = BTreeMap<&'static str, (u32, BTreeMap<&'static str, u32>)>;

fn tell(what: &str, tally: &Tally) {
    let (mut all_found, mut all_explained) = (0, 0);
    for (kind, (found, explained)) in tally {
        println!("{what:8} {kind:10} found {found:5}   could as well have happened {explained:?}");
        all_found += found;
        all_explained += explained.values().sum::<u32>();
    }
    println!("{what:8} {:10} found {all_found:5}   could as well have happened {all_explained}", "ALL");
}

#[test]
fn a_clever_forger_is_found_or_changed_nothing_that_the_rules_know() {
    let mut tally = Tally::new();
    for seed in [11, 12] {
        let (lines, directory, now) = history(seed, 200);
        let mut before = Before::default();
        let mut writer = Writer::new(&ROTATIONS);
        for position in 0..lines.len() {
            for (kind, change) in changes(&lines[position]) {
                let forged = applied(&lines, position, &change, Line::clone);
                let mut writer = writer.clone();
                let rest = forged[position..].iter().map(|line| writer.write(line));
                let clean = first_problems(before.auditor.clone(), rest, &directory, now).is_empty();
                let possible = before.explain(&forged, &directory);
                let what = (kind, position, &lines[position], forged.get(position));
                assert_eq!(clean, possible, "not told from a true history, or a true one accused: {what:#?}");
                let (found, explained) = tally.entry(kind).or_default();
                if clean {
                    *explained.entry(lines[position].action.word()).or_default() += 1;
                } else {
                    *found += 1;
                }
            }
            before.pass(&lines, &writer.write(&lines[position]));
        }
    }
    tell("resealed", &tally);
    for kind in ["rule", "action", "agent", "ts", "delete"] {
        assert!(tally[kind].0 > 0);
    }
    // A line that gives or ends a claim or works a note can have no other holder, age or action, and cannot be left
    // out. Two exceptions say the same thing twice: a note taken up again by who has it, and a stale claim beside the
    // target cleared either for the take that follows or on its own.
    for kind in ["action", "delete", "taken_from", "held_by", "idle_s", "rule", "ts"] {
        for act in ["claim", "break-claim", "release", "start", "finish"] {
            let twice = [("delete", "start"), ("rule", "break-claim")].contains(&(kind, act));
            assert!(twice || !tally[kind].1.contains_key(act), "{kind} of {act}");
        }
    }
    for act in ["claim", "renew", "beat", "release", "start", "finish"] {
        assert!(!tally["agent"].1.contains_key(act), "{act}");
    }
}

/// The line as it would be spelled, with the id and continuation of the line that it replaces.
fn same_id(line: &Line, original: &str) -> String {
    let cut = |text: &str, key: &str| -> Option<(usize, usize)> {
        let from = text.find(&format!(",\"{key}\":\""))?;
        let to = from + text[from + key.len() + 5..].find('"')? + key.len() + 6;
        Some((from, to))
    };
    let mut text = trace::next(None, line).trim_end().to_owned();
    let (from, to) = cut(original, "trace_id").unwrap();
    let (own_from, own_to) = cut(&text, "trace_id").unwrap();
    text.replace_range(own_from..own_to, &original[from..to]);
    if let Some((from, to)) = cut(original, "continues") {
        text.insert_str(text.len() - 1, &original[from..to]);
    }
    text
}

#[test]
fn the_chain_shows_every_change_but_the_loss_of_the_last_line() {
    let mut tally = Tally::new();
    let (lines, directory, now) = history(13, 200);
    let written = write(&lines, &ROTATIONS);
    let mut auditor = Auditor::default();
    for position in 0..lines.len() {
        let (file, number, original) = &written[position];
        let last = position + 1 == lines.len();
        for (kind, change) in changes(&lines[position]) {
            let replaced = |line: &Line| -> Written { (file.clone(), *number, same_id(line, original)) };
            let spoilt = applied(&written, position, &change, replaced);
            if spoilt == written {
                continue;
            }
            let problems = first_problems(auditor.clone(), spoilt[position..].to_vec(), &directory, now);
            let (found, explained) = tally.entry(kind).or_default();
            if problems.is_empty() {
                assert!(last && matches!(change, Change::Delete), "{kind} {position}");
                assert!(could_have_happened(&lines[..position], &directory));
                *explained.entry(lines[position].action.word()).or_default() += 1;
            } else {
                let shown = ["missing-lines", "broken-chain"];
                assert!(last || problems.iter().any(|word| shown.contains(word)), "{problems:?}");
                *found += 1;
            }
        }
        auditor.line(file, *number, original.as_bytes());
    }
    tell("as is", &tally);
}

#[test]
fn every_changed_byte_is_seen() {
    let (lines, directory, now) = history(14, 30);
    let written = write(&lines, &[15]);
    let mut auditor = Auditor::default();
    for position in 0..written.len() {
        let (file, number, original) = &written[position];
        for byte in 0..original.len() {
            for other in [b'0', b'1', b'a', b'"', b' '] {
                let mut bytes = original.clone().into_bytes();
                if std::mem::replace(&mut bytes[byte], other) == other {
                    continue;
                }
                let mut spoilt = written[position..].to_vec();
                spoilt[0].2 = String::from_utf8(bytes).unwrap();
                let problems = first_problems(auditor.clone(), spoilt, &directory, now);
                assert!(!problems.is_empty(), "byte {byte} as {other} in {original}");
            }
        }
        auditor.line(file, *number, original.as_bytes());
    }
}

#[test]
fn an_unreadable_file_is_no_cheap_excuse() {
    let (lines, directory, now) = history(15, 200);
    for (position, line) in lines.iter().enumerate() {
        let mut forged = lines.clone();
        let name = Some("unknown".to_owned());
        match (&line.taken_from, &line.held_by) {
            (Some(_), _) => forged[position].taken_from = name,
            (None, Some(_)) => forged[position].held_by = name,
            (None, None) => continue,
        }
        let report = check(&write(&forged, &[]), &directory, now);
        let remarked = report.remarks().any(|finding| finding.kind == Kind::UnreadableHolder);
        assert!(!report.is_clean() || (remarked && line.action != Action::BreakClaim), "{line:?}");
    }
}
