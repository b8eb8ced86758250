//! `claim log`: the trace for people, newest last.

use std::{fs, thread, time::Duration};

use predicates::prelude::*;

use crate::support::Sandbox;

/// Somebody's whole visit, somebody's refusal, and something elsewhere.
fn history() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    sandbox.by("b", ["take", "t", "p", "--shared"]).exit(75).stderr_some().check();
    sandbox.by("b", ["handover", "add", "t", "x"]).stdout_any().check();
    sandbox.by("a", ["release", "t"]).stdout_any().check();
    sandbox.take("c", "other");
    sandbox
}

/// Holder and action of each line.
fn logged(sandbox: &Sandbox, arguments: &[&str]) -> Vec<String> {
    // The environment's holder is who asks, and says nothing about who is asked for.
    let answer = sandbox.by("b", [&["log"], arguments].concat()).json();
    assert_eq!(answer["outcome"], "listed");
    let text = |line: &serde_json::Value, key: &str| line[key].as_str().unwrap().to_owned();
    let lines = answer["lines"].as_array().unwrap();
    lines.iter().map(|line| format!("{} {}", text(line, "agent"), text(line, "action"))).collect()
}

#[test]
fn the_log_has_a_row_for_every_line_newest_last() {
    let sandbox = history();
    let log = sandbox.run(["log"]).stdout_any().check().stdout;
    let row = regex::Regex::new(r"^(?<ts>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)  (?<rest>.*)$").unwrap();
    let rows: Vec<_> = log.lines().map(|line| row.captures(line).unwrap()).collect();
    let ages = regex::Regex::new(r"\d+s ago").unwrap();
    let rest: Vec<_> = rows.iter().map(|row| ages.replace_all(&row["rest"], "Ns ago").into_owned()).collect();
    assert_eq!(
        rest,
        [
            "a  claim     t      claim#1",
            "b  skip      t      claim#3  held by a, heartbeat Ns ago, shared",
            "b  handover  t      claim#7  note 1",
            "a  release   t      claim#5",
            "c  claim     other  claim#1",
        ]
    );
    assert!(rows.windows(2).all(|pair| pair[0]["ts"] <= pair[1]["ts"]), "{log}");
}

#[test]
fn the_log_is_narrowed_by_target_holder_and_time() {
    let sandbox = history();
    let all = ["a claim", "b skip", "b handover", "a release", "c claim"];
    assert_eq!(logged(&sandbox, &[]), all);
    assert_eq!(logged(&sandbox, &["T"]), all[..4]);
    assert_eq!(logged(&sandbox, &["other"]), ["c claim"]);
    assert_eq!(logged(&sandbox, &["--holder", "a"]), ["a claim", "a release"]);
    assert_eq!(logged(&sandbox, &["t", "--holder", "b"]), ["b skip", "b handover"]);
    assert_eq!(logged(&sandbox, &["--since", "1h"]), all);
    assert!(logged(&sandbox, &["--holder", "nobody"]).is_empty());

    let tree = sandbox.home().join("tree");
    let file = tree.join("file");
    let elsewhere = sandbox.home().join("tree-2");
    for path in [&file, &elsewhere] {
        sandbox.take("d", path.to_str().unwrap());
    }
    assert_eq!(logged(&sandbox, &[tree.to_str().unwrap()]), ["d claim"], "a tree has what is inside it");

    thread::sleep(Duration::from_millis(2_100));
    sandbox.by("c", ["beat", "other"]).stdout_any().check();
    assert_eq!(logged(&sandbox, &["--since", "1s"]), ["c beat"]);
}

#[test]
fn nothing_to_log_is_said_and_a_wrong_time_is_a_usage_error() {
    let sandbox = Sandbox::new();
    sandbox.run(["log"]).stdout("Nothing is in the trace in [DIR].\n").check();
    assert!(sandbox.files().is_empty());
    sandbox.take("a", "t");
    for arguments in [&["log", "u"][..], &["log", "--holder", "b"]] {
        sandbox.run(arguments).stdout("Nothing like that is in the trace in [DIR].\n").check();
    }
    for since in ["", "x", "-1s", "1y"] {
        sandbox.run(["log", "--since", since]).exit(2).stderr_is(predicate::str::starts_with("claim: ")).check();
    }
}

/// Who can write into the place can write anything into the trace.
#[test]
fn what_is_no_trace_line_does_not_reach_the_terminal() {
    let sandbox = history();
    let file = sandbox.place().join("trace.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    let forged = text.lines().next().unwrap().replace("\"agent\":\"a\"", "\"agent\":\"\u{1b}[2Jx\"");
    let hidden = text.lines().next().unwrap().replace("\"agent\":\"a\"", "\"agent\":\"\u{202e}x\"");
    let escaped = text.lines().next().unwrap().replace("\"agent\":\"a\"", r#""agent":"\u001b[2Jx""#);
    fs::write(&file, format!("{text}{forged}\n{escaped}\n{hidden}\n\u{1b}[2J\n\0\0\n")).unwrap();
    let log = sandbox.run(["log"]).stdout_any().check().stdout;
    let audit = sandbox.run(["audit"]).exit(4).stdout_any().stderr_some().check();
    for shown in [log, audit.stdout, audit.stderr] {
        let hidden = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
        assert!(!shown.contains(hidden), "{shown:?}");
    }
}
