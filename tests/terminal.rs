//! Where the answer goes: terminals, with and without colour, and streams that take nothing.

use std::{
    io,
    process::{Command, Stdio},
};

use crate::support::{CLAIM, Run, Sandbox, need, record};

/// Runs a shell line on a terminal of its own and returns what that shows.
fn on_a_terminal(run: Run<'_>, line: &str) -> String {
    need("script");
    run.through(["sh", "-c", r#"exec script -qec "$0" /dev/null"#, line]).stdout_any().check().stdout
}

#[test]
fn colour_is_for_terminals_only_and_no_color_turns_it_off() {
    let sandbox = Sandbox::new();
    sandbox.write("stale", record("stale", "a", 901).to_string());
    sandbox.write("torn", "{");
    sandbox.take("a", "t");
    let status = format!("{CLAIM} status");
    let shown = on_a_terminal(sandbox.run([""; 0]).env("TERM", "xterm"), &status);
    assert!(shown.contains("\u{1b}["), "{shown:?}");
    let plain = sandbox.run(["status"]).stdout_any().check().stdout;
    assert!(!plain.contains('\u{1b}'), "{plain:?}");
    // Colour is all that differs.
    let codes = regex::Regex::new("\u{1b}\\[[0-9;]*m").unwrap();
    let ages = regex::Regex::new(r"\b\d+[sm]\b").unwrap();
    let text = |shown: &str| ages.replace_all(&codes.replace_all(shown, "").replace('\r', ""), "…").into_owned();
    assert_eq!(text(&shown), text(&plain));

    for (name, value) in [("NO_COLOR", "1"), ("NO_COLOR", "0"), ("TERM", "dumb")] {
        let run = sandbox.run([""; 0]).env("TERM", "xterm").env(name, value);
        let shown = on_a_terminal(run, &status);
        assert!(!shown.contains('\u{1b}'), "{name}={value}: {shown:?}");
    }
    // An empty NO_COLOR is none, as its convention says.
    let shown = on_a_terminal(sandbox.run([""; 0]).env("TERM", "xterm").env("NO_COLOR", ""), &status);
    assert!(shown.contains("\u{1b}["), "{shown:?}");
    // JSON is for programs, and a pipe is no terminal even when a terminal is near.
    for line in [format!("{status} --json"), format!("{status} | cat")] {
        let shown = on_a_terminal(sandbox.run([""; 0]).env("TERM", "xterm"), &line);
        assert!(!shown.contains('\u{1b}') && shown.contains("stale"), "{line}: {shown:?}");
    }
}

/// Every kind of answer, by who asks, and what the program would say if it could: in order, since each changes things.
const ANSWERS: [(&str, &[&str], i32); 14] = [
    ("a", &["take", "t", "why"], 0),
    ("a", &["take", "t", "again"], 0),
    ("a", &["beat", "t"], 0),
    ("a", &["beat", "--all"], 0),
    ("a", &["status"], 0),
    ("a", &["status", "--exit-code"], 4),
    ("b", &["take", "t", "why"], 75),
    ("b", &["release", "t"], 75),
    ("a", &["release", "t"], 0),
    ("a", &["release", "t"], 3),
    ("a", &["release", "--all"], 0),
    ("a", &["--help"], 0),
    ("a", &["--version"], 0),
    ("a", &["take"], 2),
];

#[test]
fn an_answer_that_cannot_be_printed_is_an_error_and_the_change_is_whole() {
    let heard = Sandbox::new();
    let deaf = Sandbox::new();
    for (holder, arguments, exit) in ANSWERS {
        let outcome = heard.by(holder, arguments).outcome();
        assert_eq!(outcome.exit, exit, "{arguments:?}: {outcome}");
        // Only an answer is lost on stdout; refusals and errors go to stderr and are heard.
        let exit = if outcome.stdout.is_empty() { exit } else { 1 };
        let full = ["sh", "-c", r#"exec "$@" >/dev/full"#, "sh"];
        let told = deaf.by(holder, arguments).through(full).exit(exit).stderr_some().check().stderr;
        assert!(!told.contains("panicked"), "{arguments:?}: {told}");
        assert_eq!(deaf.stems(), heard.stems(), "{arguments:?}");
    }
    // In JSON everything is an answer.
    for (holder, arguments, _) in ANSWERS.into_iter().filter(|(_, arguments, _)| !arguments[0].starts_with("--")) {
        let full = ["sh", "-c", r#"exec "$@" --json >/dev/full"#, "sh"];
        let told = deaf.by(holder, arguments).through(full).exit(1).stderr_some().check().stderr;
        assert!(!told.contains("panicked"), "{arguments:?}: {told}");
    }
    assert_eq!(deaf.stems(), heard.stems());
}

/// A stream whose reader is gone.
fn closed() -> Stdio {
    let (reader, writer) = io::pipe().unwrap();
    drop(reader);
    writer.into()
}

fn code(mut command: Command, stdout: Stdio, stderr: Stdio) -> (Option<i32>, String) {
    let output = command.stdout(stdout).stderr(stderr).spawn().unwrap().wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_closed_pipe_is_an_error_without_a_panic_and_the_change_is_whole() {
    let heard = Sandbox::new();
    let deaf = Sandbox::new();
    for (holder, arguments, exit) in ANSWERS {
        let outcome = heard.by(holder, arguments).outcome();
        let exit = if outcome.stdout.is_empty() { exit } else { 1 };
        let (found, told) = code(deaf.by(holder, arguments).command(), closed(), Stdio::piped());
        assert_eq!(found, Some(exit), "{arguments:?}: {told}");
        assert!(!told.contains("panicked"), "{arguments:?}: {told}");
        assert_eq!(deaf.stems(), heard.stems(), "{arguments:?}");
    }
}

#[test]
fn a_refusal_stays_one_when_nobody_hears_its_text() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    for (holder, arguments, exit) in
        [("b", &["take", "t", "why"][..], 75), ("b", &["beat", "u"], 3), ("b", &["take"], 2), ("a", &["beat", "t"], 0)]
    {
        let (found, _) = code(sandbox.by(holder, arguments).command(), Stdio::null(), closed());
        assert_eq!(found, Some(exit), "{arguments:?}");
    }
}
