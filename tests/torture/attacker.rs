//! Somebody who can write into the place: he can refuse you and lie to you. He cannot make claim write, follow or read
//! outside the place, execute anything, or send control sequences to your terminal.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::json;

use crate::support::{Outcome, Sandbox, need, record};

/// What must never be shown: it stands only in files outside the place.
const SECRET: &str = "SECRET-SENTENCE";
const SECRET_NOTE: &str = "SECRET-NOTE";

/// Every part that the place has, and what each is.
const DIRECTORIES: [&str; 9] = [
    "claims",
    "unreadable",
    "handovers",
    "handovers/t",
    "handovers/t/inbox",
    "handovers/t/claimed",
    "handovers/t/done",
    "waiting",
    "waiting/t",
];
const FILES: [&str; 8] =
    ["lock", "claims/t.json", "claims/u.json", "trace.jsonl", "trace.1.jsonl", "pending", "handovers/t/target", "note"];

/// What a victim may type. `~` is the home directory.
const VERBS: [&[&str]; 19] = [
    &["status"],
    &["status", "t"],
    &["log"],
    &["audit"],
    &["beat", "t"],
    &["beat", "--all"],
    &["take", "t", "why"],
    &["take", "t", "why", "--shared"],
    &["take", "u", "why"],
    &["take", "v", "why"],
    &["take", "new", "why"],
    &["guard", "--take", "~/tree/file"],
    &["handover", "add", "t", "text"],
    &["handover", "list"],
    &["handover", "next", "t"],
    &["handover", "done", "1", "result"],
    &["run", "w", "--", "true"],
    &["release", "--stale"],
    &["release", "--all"],
];

/// The exit codes that the program documents.
const CODES: [i32; 7] = [0, 1, 2, 3, 4, 75, 76];

/// A place at work: a claim of mine on `t` with a note behind it, a stale one of another on `u`, and old damage on `v`.
fn at_work() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.by("me", ["take", "t", SECRET]).stdout_any().check();
    sandbox.by("other", ["handover", "add", "t", SECRET_NOTE]).stdout_any().check();
    sandbox.write("u", record("u", "other", 901).to_string());
    sandbox.write("v", "{");
    sandbox.age_bytes("v", 901);
    fs::create_dir(sandbox.work().join("outside")).unwrap();
    sandbox
}

fn note(sandbox: &Sandbox) -> PathBuf {
    let inbox = sandbox.place().join("handovers/t/inbox");
    fs::read_dir(inbox).unwrap().next().unwrap().unwrap().path()
}

fn ask(sandbox: &Sandbox, verb: &[&str]) -> Outcome {
    let home = sandbox.home();
    let words: Vec<_> = verb.iter().map(|word| word.replace('~', home.to_str().unwrap())).collect();
    let outcome = sandbox.by("me", words).outcome();
    assert!(CODES.contains(&outcome.exit) && !outcome.stderr.contains("panicked"), "{verb:?}: {outcome}");
    outcome
}

/// What is outside, with everything about it that a write would change.
fn outside(sandbox: &Sandbox) -> BTreeMap<PathBuf, (u32, i64, i64, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut open = vec![sandbox.work()];
    while let Some(path) = open.pop() {
        let status = fs::symlink_metadata(&path).unwrap();
        let mut bytes = Vec::new();
        if status.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if status.is_file() {
            bytes = fs::read(&path).unwrap();
        }
        found.insert(path, (status.mode(), status.mtime(), status.mtime_nsec(), bytes));
    }
    found
}

/// Every part of the place in turn is what `replace` makes of it, given where it was and a place outside where what it
/// was now lies. Then everything is tried, and nothing outside has changed or, if it is a link, has been shown.
fn every_part(parts: &[&str], hides: bool, replace: impl Fn(&Path, &Path)) -> usize {
    let mut runs = 0;
    for part in parts {
        for verb in VERBS {
            let sandbox = at_work();
            let path = if *part == "note" { note(&sandbox) } else { sandbox.place().join(part) };
            let aside = sandbox.work().join("outside/it");
            if path.exists() {
                fs::rename(&path, &aside).unwrap();
            } else if DIRECTORIES.contains(part) {
                fs::create_dir(&aside).unwrap();
            } else {
                fs::write(&aside, SECRET).unwrap();
            }
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            replace(&aside, &path);
            let before = outside(&sandbox);
            let outcome = ask(&sandbox, verb);
            assert!(outside(&sandbox) == before, "{part}, {verb:?}: something outside was changed: {outcome}");
            // What stays in the place may be shown, so that only what is outside now tells.
            let told = format!("{}{}", outcome.stdout, outcome.stderr);
            let parts: [(&str, &[&str]); 2] = [
                (SECRET, &["claims", "claims/t.json"]),
                (SECRET_NOTE, &["handovers", "handovers/t", "handovers/t/inbox", "note"]),
            ];
            for (_, parts) in parts.iter().filter(|(secret, _)| told.contains(secret)) {
                assert!(!hides || !parts.contains(part), "{part}, {verb:?}: {outcome}");
            }
            runs += 1;
        }
    }
    runs
}

#[test]
fn links_to_what_is_outside_are_not_followed() {
    let parts: Vec<_> = DIRECTORIES.iter().chain(&FILES).copied().collect();
    let runs = every_part(&parts, true, |aside, path| symlink(aside, path).unwrap());
    println!("{runs} runs");
}

#[test]
fn links_to_nothing_make_nothing_outside() {
    let parts: Vec<_> = DIRECTORIES.iter().chain(&FILES).copied().collect();
    let runs = every_part(&parts, true, |aside, path| symlink(aside.with_file_name("nobody"), path).unwrap());
    println!("{runs} runs");
}

#[test]
fn pipes_are_not_waited_for() {
    need("mkfifo");
    let parts: Vec<_> = DIRECTORIES.iter().chain(&FILES).copied().collect();
    let runs =
        every_part(&parts, true, |_, path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success()));
    println!("{runs} runs");
}

#[test]
fn files_that_have_another_name_outside_are_not_written_to() {
    let runs = every_part(&FILES, false, |aside, path| fs::hard_link(aside, path).unwrap());
    println!("{runs} runs");
    // Nor, where a group shares the place, are their permissions changed.
    let sandbox = at_work();
    fs::set_permissions(sandbox.place(), fs::Permissions::from_mode(0o770)).unwrap();
    for file in ["lock", "trace.jsonl"] {
        let aside = sandbox.work().join(file);
        fs::rename(sandbox.place().join(file), &aside).unwrap();
        fs::hard_link(&aside, sandbox.place().join(file)).unwrap();
    }
    let before = outside(&sandbox);
    for verb in VERBS {
        ask(&sandbox, verb);
    }
    assert!(outside(&sandbox) == before);
}

#[test]
fn he_can_refuse_you() {
    let sandbox = Sandbox::new();
    sandbox.write("t", record("t", "nobody-at-all", 0).to_string());
    sandbox.by("me", ["take", "t", "why"]).exit(75).stderr_has("nobody-at-all").check();
    // For as long as he likes, and for all targets, if he keeps the lock: also that is an answer.
    let lock = fs::File::create(sandbox.place().join("lock")).unwrap();
    fs2::FileExt::lock_exclusive(&lock).unwrap();
    sandbox.by("me", ["take", "u", "why"]).exit(1).stderr_some().check();
}

#[test]
fn he_can_lie_to_you() {
    let sandbox = Sandbox::new();
    sandbox.take("me", "t");
    sandbox.write("t", record("t", "me", 0).to_string().replace("testing", "never said"));
    sandbox.run(["status"]).stdout_has("never said").check();
    fs::remove_file(sandbox.file("t")).unwrap();
    sandbox.by("me", ["beat", "t"]).exit(3).stderr_some().check();
}

#[test]
fn he_cannot_make_claim_execute_anything() {
    need("strace");
    let sandbox = at_work();
    let marker = sandbox.work().join("executed");
    // In the place and in its parts, under every name that is looked for on a PATH or by git.
    for directory in ["", "claims", "handovers/t", "handovers/t/inbox"] {
        for name in ["claim", "git", "sh", "true", "config", "pre-commit", "core.fsmonitor"] {
            let path = sandbox.place().join(directory).join(name);
            fs::write(&path, format!("#!/bin/sh\n: >{}\n", marker.display())).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
    sandbox.write("t", json!({"target": "$(touch x)", "holder": "`touch x`", "purpose": "; touch x"}).to_string());
    let trace = sandbox.work().join("executions");
    for verb in VERBS.iter().filter(|verb| verb[0] != "run") {
        let strace = ["strace", "-f", "-qq", "-e", "trace=execve,execveat", "-o", trace.to_str().unwrap()];
        let words: Vec<_> = verb.iter().map(|word| word.replace('~', sandbox.home().to_str().unwrap())).collect();
        sandbox.by("me", words).within(sandbox.place()).through(strace).outcome();
        let executed = fs::read_to_string(&trace).unwrap();
        assert_eq!(executed.lines().filter(|line| line.contains("exec")).count(), 1, "{verb:?}: {executed}");
    }
    assert!(!marker.exists() && !sandbox.place().join("x").exists());
}

#[test]
fn he_cannot_send_control_sequences_to_the_terminal() {
    let hostile = "\u{1b}[2J\u{1b}]0;x\u{7}\r\n$ rm\t\u{9b}31m\u{202e}\u{2066}\u{200b}\u{7f}";
    let escaped = json!(hostile).to_string();
    let sandbox = at_work();
    let place = sandbox.place();
    let trace = fs::read_to_string(place.join("trace.jsonl")).unwrap();
    // Each line with the names replaced, escaped and as they are; and the text by itself.
    let mut lines = trace.replace("\"me\"", &escaped).replace("\"t\"", &escaped);
    lines.push_str(&trace.replace("me", hostile));
    lines.push_str(&format!("{hostile}\n{trace}{{\"{hostile}\":1}}\n"));
    fs::write(place.join("trace.jsonl"), lines).unwrap();
    fs::write(note(&sandbox), hostile).unwrap();
    let name = hostile.replace('/', "-");
    for directory in [
        "",
        "claims",
        "unreadable",
        "handovers",
        "handovers/t/inbox",
        "handovers/t/claimed",
        "handovers/t/done",
        "waiting",
    ] {
        let directory = place.join(directory);
        fs::create_dir_all(&directory).unwrap();
        for ending in ["", ".json", ".md"] {
            fs::write(directory.join(format!("{name}{ending}")), hostile).unwrap();
            fs::write(directory.join(format!("0001-{name}{ending}")), hostile).unwrap();
        }
        fs::create_dir(directory.join(format!("{name}.d"))).unwrap();
        fs::write(directory.join(format!("{name}.d/target")), hostile).unwrap();
    }
    let control = |c: char| c != '\n' && (c.is_control() || "\u{202e}\u{2066}\u{200b}\u{2028}".contains(c));
    for (holder, verb) in VERBS.iter().flat_map(|verb| [("me", verb), ("stranger", verb)]) {
        let words: Vec<_> = verb.iter().map(|word| word.replace('~', sandbox.home().to_str().unwrap())).collect();
        let outcome = sandbox.by(holder, words).outcome();
        let told = format!("{}{}", outcome.stdout, outcome.stderr);
        assert!(!told.contains(control), "{verb:?} by {holder}: {told:?}");
        assert!(CODES.contains(&outcome.exit), "{verb:?} by {holder}: {outcome}");
    }
}
