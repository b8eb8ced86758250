//! Whoever looks at a target hears of the notes that wait there; and whoever was refused hears that it is free again.

use std::fs;

use predicates::prelude::*;
use serde_json::{Value, json};

use super::{add, next};
use crate::support::{Run, Sandbox};

const ONE: &str = "  1 note waits on t: claim handover";

#[test]
fn take_and_guard_name_the_notes_and_how_to_begin_them() {
    let sandbox = Sandbox::new();
    add(&sandbox, "b", "t", "text");
    sandbox
        .by("a", ["take", "t", "p"])
        .stdout(format!("claimed: t by a; stale in 15m without a beat\n{ONE} next t\n"))
        .check();
    let renewed = sandbox.by("a", ["take", "t", "p"]).json();
    assert_eq!(renewed["handovers"], json!([{"target": "t", "waiting": 1, "claimed": 0}]));
    next(&sandbox, "a", "t");
    let begun = sandbox.by("a", ["take", "t", "p"]).stdout_any().check();
    assert!(begun.stdout.ends_with("  1 note on t begun and not done: claim handover next t\n"), "{begun}");
    add(&sandbox, "b", "t", "more");
    add(&sandbox, "b", "t", "and more");
    let renewed = sandbox.by("a", ["take", "t", "p"]).stdout_any().check();
    assert!(renewed.stdout.ends_with("  2 notes wait on t, 1 begun: claim handover next t\n"), "{renewed}");

    let file = sandbox.home().join("project/file");
    let file = file.to_str().unwrap();
    add(&sandbox, "b", file, "text");
    let named = format!("  1 note waits on {file}: claim handover next {file}\n");
    let claimed = format!("claimed: {file} by a; stale in 15m without a beat\n{named}");
    sandbox.by("a", ["guard", "--take", file]).stdout(claimed).check();
    sandbox.by("a", ["guard", file]).stdout(named).check();
    let answer = sandbox.by("a", ["guard", file]).json();
    assert_eq!(answer["handovers"], json!([{"target": file, "waiting": 1, "claimed": 0}]));
    // A tree names the notes inside it, and a file those on the tree.
    let tree = sandbox.home().join("project");
    let taken = sandbox.by("a", ["take", tree.to_str().unwrap(), "p"]).stdout_any().check();
    assert!(taken.stdout.contains(&format!("  1 note waits on {file}: ")), "{taken}");
    sandbox.audit();
}

#[test]
fn release_and_status_name_the_notes_and_how_to_see_them() {
    let sandbox = Sandbox::new();
    add(&sandbox, "b", "t", "text");
    sandbox.take("a", "t");
    for arguments in [&["status"][..], &["status", "t"]] {
        sandbox.run(arguments).stdout_is(predicate::str::ends_with(format!("{ONE} list t\n"))).check();
    }
    assert_eq!(sandbox.run(["status"]).json()["handovers"], json!([{"target": "t", "waiting": 1, "claimed": 0}]));
    assert!(sandbox.run(["status", "other"]).json().get("handovers").is_none());
    sandbox.by("a", ["release", "t"]).stdout(format!("released: t\n{ONE} list t\n")).check();
    // A place without claims in which notes wait says so.
    sandbox.run(["status"]).stdout(format!("No claims in [DIR].\n{ONE} list t\n")).check();
    sandbox.by("a", ["release", "t"]).exit(3).stderr_is(predicate::str::ends_with(format!("{ONE} list t\n"))).check();
    // What is done waits no more.
    sandbox.take("a", "t");
    next(&sandbox, "a", "t");
    sandbox.by("a", ["handover", "done", "1"]).stdout_any().check();
    sandbox.by("a", ["release", "t"]).stdout("released: t\n").check();
    sandbox.audit();
}

#[test]
fn a_refusal_names_the_notes_as_well() {
    let sandbox = Sandbox::new();
    let file = sandbox.home().join("file");
    let file = file.to_str().unwrap();
    for target in ["t", file] {
        add(&sandbox, "b", target, "text");
        sandbox.take("a", target);
    }
    let named = |target: &str| format!("  1 note waits on {target}: claim handover list {target}\n");
    for arguments in [&["take", "t", "p"][..], &["release", "t"]] {
        sandbox.by("c", arguments).exit(75).stderr_is(predicate::str::ends_with(named("t"))).check();
    }
    sandbox.by("c", ["guard", file]).exit(75).stderr_is(predicate::str::ends_with(named(file))).check();
}

#[test]
fn notes_that_cannot_be_read_are_told_and_stand_in_the_way_of_nothing() {
    let sandbox = Sandbox::new();
    add(&sandbox, "b", "t", "text");
    fs::write(sandbox.place().join("handovers/t/target"), "other\n").unwrap();
    let told = "claim: the handover notes cannot be read: ";
    for arguments in [&["take", "t", "p"][..], &["status"], &["release", "t"]] {
        sandbox.by("a", arguments).stdout_any().stderr_is(predicate::str::starts_with(told)).check();
    }
    assert!(sandbox.stems().is_empty());
}

/// A hook event of the session `session`, answered: what its host is given as context, or nothing.
fn hook(sandbox: &Sandbox, session: &str, event: &str) -> Option<String> {
    let payload = json!({"session_id": session, "transcript_path": "/home/u/.claude/projects/p/s.jsonl",
        "cwd": sandbox.work(), "hook_event_name": event, "source": "startup", "prompt": "go on"});
    let outcome = run(sandbox).fed(payload.to_string());
    assert_eq!((outcome.exit, &*outcome.stderr), (0, ""), "{outcome}");
    if outcome.stdout.is_empty() {
        return None;
    }
    // Hosts take plain text or a document as context.
    let document = serde_json::from_str::<Value>(&outcome.stdout);
    let context = |document: Value| document["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned();
    Some(document.map_or(outcome.stdout, context))
}

fn run(sandbox: &Sandbox) -> Run<'_> {
    let project = sandbox.work();
    sandbox.run(["hook"]).env("CLAUDE_PROJECT_DIR", project)
}

#[test]
fn the_hook_tells_once_that_a_refused_target_is_free_and_the_note_waits() {
    for event in ["UserPromptSubmit", "SessionStart"] {
        let sandbox = Sandbox::new();
        sandbox.take("a", "t");
        sandbox.by("claude:s", ["take", "t", "p"]).exit(75).stderr_some().check();
        add(&sandbox, "claude:s", "t", "text");
        assert_eq!(hook(&sandbox, "s", event), None, "it is not free yet");
        sandbox.by("a", ["release", "t"]).stdout_any().check();
        assert_eq!(hook(&sandbox, "other", event), None, "it is another session's note");
        let told = hook(&sandbox, "s", event).unwrap();
        assert!(told.contains("t is free now and your note waits there"), "{told}");
        assert!(told.contains("claim take t 'purpose'") && !told.trim_end().contains('\n'), "{told}");
        for again in ["UserPromptSubmit", "SessionStart"] {
            assert_eq!(hook(&sandbox, "s", again), None, "once per note");
        }
        // Each further note is told of once.
        add(&sandbox, "claude:s", "t", "more");
        assert!(hook(&sandbox, "s", event).is_some());
        assert_eq!(hook(&sandbox, "s", event), None);
        sandbox.audit();
    }
}

#[test]
fn what_one_line_has_no_room_for_is_told_at_the_next_prompt() {
    let sandbox = Sandbox::new();
    let targets: Vec<String> = (10..17).map(|number| format!("target-{number}")).collect();
    for target in &targets {
        add(&sandbox, "claude:s", target, "text");
    }
    let mut told = String::new();
    for _ in 0..5 {
        let line = hook(&sandbox, "s", "UserPromptSubmit").unwrap_or_default();
        assert!(line.matches("is free now").count() <= 5, "one short line: {line}");
        told.push_str(&line);
    }
    for target in &targets {
        let named = told.matches(&format!("{target} is free now")).count();
        assert_eq!(named, 1, "{target} in {told}");
    }
}

#[test]
fn a_session_hears_at_its_start_which_notes_wait_in_its_tree() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.work().join(".git")).unwrap();
    let tree = sandbox.work();
    add(&sandbox, "b", tree.to_str().unwrap(), "text");
    add(&sandbox, "b", "elsewhere", "text");
    let told = hook(&sandbox, "s", "SessionStart").unwrap();
    assert!(told.contains("1 handover note") && told.contains(tree.to_str().unwrap()), "{told}");
    assert!(!told.contains("elsewhere"), "{told}");
    assert_eq!(hook(&sandbox, "s", "UserPromptSubmit"), None);
}
