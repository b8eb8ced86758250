//! The place must be what the trace says it is: whatever is changed there by hand is found.

use std::fs;

use predicates::prelude::*;
use serde_json::json;

use crate::support::Sandbox;

/// A claim, and a note in each state.
fn worked() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    for text in ["first", "second", "third"] {
        sandbox.by("b", ["handover", "add", "t", text]).stdout_any().check();
    }
    for _ in 0..2 {
        sandbox.by("a", ["handover", "next", "t"]).stdout_any().stderr_is(predicate::always()).check();
    }
    sandbox.by("a", ["handover", "done", "1", "ok"]).stdout_any().check();
    sandbox.audit();
    sandbox
}

/// The one note in a folder of the queue.
fn note(sandbox: &Sandbox, folder: &str) -> std::path::PathBuf {
    let folder = sandbox.place().join("handovers/t").join(folder);
    let notes = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    notes.filter(|note| !note.to_str().unwrap().contains(".result.")).last().unwrap()
}

#[test]
fn no_place_and_no_trace_are_no_problem() {
    let sandbox = Sandbox::new();
    sandbox.run(["audit"]).stdout("No trace in [DIR].\n").check();
    assert_eq!(sandbox.run(["audit"]).json()["problems"], json!([]));
    assert!(sandbox.files().is_empty(), "an audit makes nothing");
}

#[test]
fn a_clean_audit_says_how_much_it_has_seen() {
    let sandbox = worked();
    sandbox.run(["audit"]).stdout("7 lines by 2 holders, 1 claims held, 0 of them stale: no problem\n").check();
    let answer = sandbox.audit();
    let keys: Vec<_> = answer.keys().map(String::as_str).collect();
    let expected = ["outcome", "problems", "remarks", "lines", "files", "holders", "held", "stale", "actions"];
    assert_eq!(keys, expected);
    assert_eq!(answer["actions"], json!({"claim": 1, "finish": 1, "handover": 3, "start": 2}));
}

#[test]
fn whatever_is_changed_in_the_place_by_hand_is_a_problem() {
    type Change = fn(&Sandbox);
    let changes: [(&str, Change); 13] = [
        ("missing-claim t", |sandbox| fs::remove_file(sandbox.file("t")).unwrap()),
        ("wrong-claim t.json", |sandbox| sandbox.age("t", 1)),
        ("wrong-claim t.json", |sandbox| {
            let mut claim = sandbox.claim("t");
            claim["ttl_s"] = json!(60);
            sandbox.write("t", claim.to_string());
        }),
        ("unexplained-claim u.json", |sandbox| {
            let mut claim = sandbox.claim("t");
            claim["target"] = json!("u");
            sandbox.write("u", claim.to_string());
        }),
        ("unexplained-claim t.json", |sandbox| {
            let mut claim = sandbox.claim("t");
            claim["holder"] = json!("b");
            sandbox.write("t", claim.to_string());
        }),
        ("unreadable-claim t.json", |sandbox| sandbox.write("t", "{")),
        ("unreadable-claim note", |sandbox| fs::write(sandbox.place().join("claims/note"), "").unwrap()),
        ("missing-note t", |sandbox| fs::remove_file(note(sandbox, "inbox")).unwrap()),
        ("missing-note t", |sandbox| fs::remove_file(note(sandbox, "claimed")).unwrap()),
        ("wrong-note t", |sandbox| {
            let note = note(sandbox, "inbox");
            fs::rename(&note, sandbox.place().join("handovers/t/done").join(note.file_name().unwrap())).unwrap();
        }),
        ("wrong-note t", |sandbox| {
            let note = note(sandbox, "done");
            fs::rename(&note, sandbox.place().join("handovers/t/inbox").join(note.file_name().unwrap())).unwrap();
        }),
        ("unexplained-note t", |sandbox| {
            let note = note(sandbox, "inbox");
            fs::copy(&note, note.to_str().unwrap().replace("000003-", "000004-")).unwrap();
        }),
        ("unexplained-claim t.json", |sandbox| fs::remove_file(sandbox.place().join("trace.jsonl")).unwrap()),
    ];
    for (problem, change) in changes {
        let sandbox = worked();
        change(&sandbox);
        let problems = sandbox.problems();
        assert!(problems.contains(&problem.to_owned()), "{problem}: {problems:?}");
    }
}

#[test]
fn a_finished_note_may_be_tidied_away() {
    let sandbox = worked();
    fs::remove_file(note(&sandbox, "done")).unwrap();
    sandbox.audit();
}

#[test]
fn problems_go_to_stderr_with_their_place_and_the_count_to_stdout() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    sandbox.by("a", ["beat", "t"]).stdout_any().check();
    let file = sandbox.place().join("trace.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("claim#2", "claim#99", 1)).unwrap();
    fs::remove_file(sandbox.file("t")).unwrap();
    sandbox
        .run(["audit"])
        .exit(4)
        .stderr(
            "PROBLEM: trace.jsonl:2: `claim#99` is not a rule (unknown-rule)\n\
             PROBLEM: t: a holds t by the trace, and there is no file (missing-claim)\n",
        )
        .stdout("2 lines by 1 holders, 1 claims held, 0 of them stale: 2 problems\n")
        .check();
    let answer = sandbox.run(["audit"]).exit(4).json();
    let message = "`claim#99` is not a rule";
    let expected = json!({"file": "trace.jsonl", "line": 2, "problem": "unknown-rule", "message": message});
    assert_eq!((&answer["outcome"], &answer["problems"][0]), (&json!("problems"), &expected));
}
