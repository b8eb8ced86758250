//! A trace of 200 actions by five holders, made by the real program with real processes and real time, then spoilt in
//! one place at a time. Each spoilt trace is given to the real program.

use std::{fs, thread, time::Duration};

use claim::core::trace::{self, Action, Line};
use predicates::prelude::*;
use serde_json::Value;

use crate::support::{Run, Sandbox};

const HOLDERS: [&str; 5] = ["ant", "bee", "cat", "dog", "elk"];

/// The same choices in every run: what differs is what time and the scheduler do.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }

    fn one_of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

/// A holder and what it does.
type Words = (String, Vec<String>);

/// An action: mostly something with a claim or a note that is there, so that much of it succeeds.
fn action(sandbox: &Sandbox, random: &mut Random, targets: &[&str], begun: &[(String, String)]) -> Words {
    let mut holder = random.one_of(&HOLDERS).to_owned();
    let mut target = random.one_of(targets).to_owned();
    let claims = sandbox.stems();
    if !claims.is_empty() && random.below(100) < 70 {
        let claim = sandbox.claim(&claims[random.below(claims.len())]);
        let text = |key: &str| claim[key].as_str().unwrap().to_owned();
        target = text("target");
        if random.below(100) < 80 {
            holder = text("holder");
        }
    }
    let text = random.below(1_000).to_string();
    let ttl = random.one_of(&["1s", "1s", "2s", "1m"]);
    let words: &[&str] = match random.below(100) {
        0..18 => &["take", &target, "p", "--ttl", ttl],
        18..28 => &["take", &target, "p", "--ttl", ttl, "--shared"],
        28..40 => &["beat", &target],
        40..54 => &["release", &target],
        54..56 => &["release", "--stale"],
        56..60 => &["release", "--all"],
        60..70 => &["handover", "add", &target, &text],
        70..80 => &["handover", "next", &target],
        80..82 => &["take", &target, "p", "--ttl", ttl, "--wait", "1s"],
        82..97 if begun.is_empty() => return action(sandbox, random, targets, begun),
        82..97 => {
            let (worker, note) = &begun[random.below(begun.len())];
            return (worker.clone(), ["handover", "done", note].map(str::to_owned).to_vec());
        }
        _ => &["guard", "--take", targets[4]],
    };
    (holder, words.iter().map(|word| (*word).to_owned()).collect())
}

/// Acts until the trace has 200 lines and more, by one process after another and by five at once, and ends with a
/// refusal.
fn history(sandbox: &Sandbox) {
    let mut random = Random(20_260_814);
    let at = |path: &str| sandbox.home().join(path).to_str().unwrap().to_owned();
    let paths = [at("tree"), at("tree/a"), at("tree/a/b")];
    let targets = ["notes", "settings", &*paths[0], &*paths[1], &*paths[2]];
    sandbox.take("ant", "notes");
    let mut begun = Vec::new();
    for turn in 0.. {
        let lines = sandbox.trace();
        let seen = |action: &Action| lines.iter().any(|line| line["action"] == action.word());
        if lines.len() >= 200 && Action::ALL.iter().all(seen) {
            break;
        }
        assert!(turn < 1_000, "{} lines after {turn} turns", lines.len());
        let at_once = if turn % 10 == 9 { 5 } else { 1 };
        let mut actions: Vec<Words> = (0..at_once).map(|_| action(sandbox, &mut random, &targets, &begun)).collect();
        if turn % 50 == 49 {
            // Everybody was away for a while, and whoever comes first takes what has gone stale.
            thread::sleep(Duration::from_millis(2_100));
            for stem in sandbox.stems() {
                let target = sandbox.claim(&stem)["target"].as_str().unwrap().to_owned();
                actions.push((random.one_of(&HOLDERS).to_owned(), ["take", &target, "p"].map(str::to_owned).to_vec()));
            }
            actions.push(("elk".to_owned(), ["release", "--stale"].map(str::to_owned).to_vec()));
        }
        let runs: Vec<Run<'_>> = actions.iter().map(|(holder, words)| sandbox.by(holder, words)).collect();
        for ((holder, words), outcome) in actions.iter().zip(sandbox.together(&runs)) {
            assert!([0, 1, 2, 3, 75].contains(&outcome.exit), "{outcome}");
            if words[1] == "next" && !outcome.stdout.is_empty() {
                begun.push((holder.clone(), outcome.stdout.trim_end().to_owned()));
            }
        }
    }
    sandbox.by("ant", ["take", "last", "p"]).stdout_any().check();
    sandbox.by("bee", ["take", "last", "p"]).exit(75).stderr_is(predicate::str::starts_with("REFUSED")).check();
}

fn lines(sandbox: &Sandbox) -> Vec<String> {
    let text = fs::read_to_string(sandbox.place().join("trace.jsonl")).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// The lines in which the audit finds something when these lines are the trace; `None` when it is clean.
fn found(sandbox: &Sandbox, lines: &[String]) -> Option<Vec<Value>> {
    fs::write(sandbox.place().join("trace.jsonl"), lines.join("\n") + "\n").unwrap();
    let outcome = sandbox.run(["--json", "audit"]).outcome();
    let answer: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let problems = answer["problems"].as_array().unwrap();
    assert_eq!(outcome.exit, if problems.is_empty() { 0 } else { 4 }, "{outcome}");
    (!problems.is_empty()).then(|| problems.iter().map(|problem| problem["line"].clone()).collect())
}

#[test]
fn a_random_history_is_clean_and_every_change_of_it_is_found() {
    let sandbox = Sandbox::new();
    history(&sandbox);
    let original = lines(&sandbox);
    let answer = sandbox.audit();
    assert!(answer["lines"].as_u64().unwrap() >= 200 && answer["holders"] == 5, "{answer:?}");

    // As it is: the seal of a line is over all of it and over the line before, so the place of a change is known too.
    let last = original.len() - 1;
    for (position, line) in original.iter().enumerate() {
        let json: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| json[key].as_str().unwrap();
        let other = HOLDERS.iter().find(|holder| **holder != text("agent")).unwrap();
        let second = if text("ts").ends_with("0Z") { "1Z" } else { "0Z" };
        let time = format!("{}{second}", &text("ts")[..text("ts").len() - 2]);
        let rule = if text("rule") == "claim#1" { "claim#4" } else { "claim#1" };
        let changes = [
            ("agent", line.replacen(text("agent"), other, 1)),
            ("ts", line.replacen(text("ts"), &time, 1)),
            ("rule", line.replacen(text("rule"), rule, 1)),
        ];
        for (key, changed) in changes {
            let mut spoilt = original.clone();
            spoilt[position] = changed;
            assert_ne!(spoilt[position], *line);
            let found = found(&sandbox, &spoilt).unwrap_or_else(|| panic!("{key} of line {}: {line}", position + 1));
            let here = |line: &Value| line.as_u64() == Some(position as u64 + 1);
            assert!(found.iter().any(here), "{key} of line {}: {found:?}", position + 1);
        }
        let mut spoilt = original.clone();
        spoilt.remove(position);
        match found(&sandbox, &spoilt) {
            Some(found) => {
                let here = |line: &Value| line.as_u64() == Some(position as u64 + 1);
                assert!(position == last || found.iter().any(here), "line {}: {found:?}", position + 1);
            }
            // The only line whose loss cannot be seen: the last, and it tells of a refusal, which changed nothing.
            None => assert!(position == last && text("action") == "skip", "line {}: {line}", position + 1),
        }
    }
    forger(&sandbox, &original);
    fs::write(sandbox.place().join("trace.jsonl"), original.join("\n") + "\n").unwrap();
    sandbox.audit();
}

/// Sealed again by somebody who knows how, so that only what the lines say can give the change away. What gives, ends
/// or takes a claim, or finishes a note, cannot be left out or be another's. The whole table, with what is irrelevant
/// and why, is in `core::audit::tests::mutations`.
fn forger(sandbox: &Sandbox, original: &[String]) {
    let original: Vec<Line> = original.iter().map(|line| trace::parse(line.as_bytes()).unwrap().line).collect();
    let check = |what: &str, position: usize, forged: &[Line]| {
        let (mut sealed, mut previous) = (Vec::new(), None);
        for line in forged {
            let text = trace::next(previous.as_ref(), line);
            previous = trace::last_id(text.as_bytes());
            sealed.push(text.trim_end().to_owned());
        }
        let line = &original[position];
        assert!(found(sandbox, &sealed).is_some(), "{what} of line {}: {line:?}", position + 1);
    };
    for (position, line) in original.iter().enumerate() {
        let with = |change: &dyn Fn(&mut Line)| {
            let mut forged = original.clone();
            change(&mut forged[position]);
            forged
        };
        let word = line.action.word();
        if ["claim", "release", "break-claim", "finish"].contains(&word) {
            let mut forged = original.clone();
            forged.remove(position);
            check("the loss", position, &forged);
        }
        if ["claim", "release"].contains(&word) {
            let other = HOLDERS.iter().find(|holder| **holder != line.agent).unwrap();
            check("another holder", position, &with(&|line| (*other).clone_into(&mut line.agent)));
        }
        if ["claim", "release", "break-claim", "start", "finish", "beat", "renew"].contains(&word) {
            let later = |line: &mut Line| {
                line.ts = claim::core::time::Timestamp::from_seconds(line.ts.seconds() + 1);
            };
            check("another time", position, &with(&later));
        }
        if !["skip", "break-claim"].contains(&word) {
            check("another rule", position, &with(&|line| line.rule = if line.rule == 1 { 2 } else { 1 }));
        }
    }
}
