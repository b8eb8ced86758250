//! Traces that somebody wrote who knows how: every seal fits, and what the lines say breaks a rule. One for each rule
//! that the design says is checked, at its line.

use std::fs;

use claim::core::{
    time::Timestamp,
    trace::{self, Act, Blocker, Line, Terms},
};

use crate::support::Sandbox;

const TERMS: Terms = Terms { ttl_s: 900, shared: false };

fn act<'a>(ts: i64, agent: &'a str, task: &'a str) -> Act<'a> {
    Act { ts: Timestamp::from_seconds(ts), agent, task }
}

fn by(holder: &str, idle_s: i64) -> Blocker<'_> {
    Blocker { holder, idle_s }
}

/// The problems of a sealed trace, without what the empty place says of it.
fn problems(lines: &[Line]) -> Vec<String> {
    let sandbox = Sandbox::new();
    let (mut text, mut previous) = (String::new(), None);
    for line in lines {
        let next = trace::next(previous.as_ref(), line);
        previous = trace::last_id(next.as_bytes());
        text.push_str(&next);
    }
    fs::create_dir_all(sandbox.place()).unwrap();
    fs::write(sandbox.place().join("trace.jsonl"), text).unwrap();
    let answer = sandbox.run(["audit"]).outcome();
    if answer.exit == 0 {
        return Vec::new();
    }
    let in_trace = |problem: &String| problem.contains("trace.jsonl:");
    sandbox.problems().into_iter().filter(in_trace).collect()
}

#[test]
fn each_broken_rule_is_found_at_its_line() {
    let take = |ts, agent| Line::claim(act(ts, agent, "t"), TERMS, None);
    let broken = |ts, from, idle_s| Line::break_for_take(act(ts, "b", "t"), by(from, idle_s), TERMS);
    let over = |ts, from| Line::claim(act(ts, "b", "t"), TERMS, Some(from));
    let table: Vec<(&str, Vec<Line>)> = vec![
        ("", vec![take(0, "a"), Line::release(act(5, "a", "t"), 5, TERMS)]),
        ("two-holders trace.jsonl:2", vec![take(0, "a"), take(900, "b")]),
        (
            "two-holders trace.jsonl:2",
            vec![
                Line::claim(act(0, "a", "/p"), TERMS, None),
                Line::claim(act(1, "b", "/p/q"), Terms { shared: true, ..TERMS }, None),
            ],
        ),
        ("takeover-unrecorded trace.jsonl:2", vec![take(0, "a"), take(901, "b")]),
        ("", vec![take(0, "a"), broken(901, "a", 901), over(901, "a")]),
        ("takeover-too-early trace.jsonl:2", vec![take(0, "a"), broken(900, "a", 900), over(900, "a")]),
        ("wrong-taken-from trace.jsonl:3", vec![take(0, "a"), broken(901, "a", 901), over(901, "c")]),
        ("takeover-unfinished trace.jsonl:2", vec![take(0, "a"), broken(901, "a", 901)]),
        ("already-held trace.jsonl:2", vec![take(0, "a"), take(1, "a")]),
        ("not-held trace.jsonl:1", vec![Line::beat(act(0, "a", "t"), 0, TERMS)]),
        ("not-held trace.jsonl:2", vec![take(0, "a"), Line::release(act(1, "b", "t"), 1, TERMS)]),
        ("wrong-idle trace.jsonl:2", vec![take(0, "a"), Line::beat(act(5, "a", "t"), 4, TERMS)]),
        (
            "wrong-terms trace.jsonl:2",
            vec![take(0, "a"), Line::beat(act(5, "a", "t"), 5, Terms { ttl_s: 901, ..TERMS })],
        ),
        ("unfounded trace.jsonl:1", vec![Line::skip(act(0, "b", "t"), by("a", 0), false)]),
        ("unfounded trace.jsonl:2", vec![take(0, "a"), Line::skip(act(901, "b", "t"), by("a", 901), false)]),
        ("not-held trace.jsonl:2", vec![Line::handover(act(0, "b", "t"), 1), Line::start(act(1, "a", "t"), 1, 0)]),
        (
            "not-held trace.jsonl:5",
            vec![
                take(0, "a"),
                Line::handover(act(0, "b", "t"), 1),
                Line::start(act(0, "a", "t"), 1, 0),
                Line::release(act(0, "a", "t"), 0, TERMS),
                Line::finish(act(1, "a", "t"), 1, 1),
            ],
        ),
        ("note-number trace.jsonl:2", vec![Line::handover(act(0, "b", "t"), 1), Line::handover(act(0, "b", "t"), 3)]),
        (
            "note-order trace.jsonl:4",
            vec![
                take(0, "a"),
                Line::handover(act(0, "b", "t"), 1),
                Line::handover(act(0, "b", "t"), 2),
                Line::start(act(0, "a", "t"), 2, 0),
            ],
        ),
        (
            "note-not-started trace.jsonl:3",
            vec![take(0, "a"), Line::handover(act(0, "b", "t"), 1), Line::finish(act(0, "a", "t"), 1, 0)],
        ),
        ("note-unknown trace.jsonl:2", vec![take(0, "a"), Line::start(act(0, "a", "t"), 1, 0)]),
        ("wrong-rule trace.jsonl:1", vec![Line { rule: 2, ..take(0, "a") }]),
    ];
    for (expected, lines) in table {
        let problems = problems(&lines);
        let found = if expected.is_empty() { problems.is_empty() } else { problems.contains(&expected.to_owned()) };
        assert!(found, "{expected:?} in {problems:?} of {lines:#?}");
    }
}
