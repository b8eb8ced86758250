//! Who is asking: what says it, in which order, and what happens when nobody does.

use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};

use crate::support::{Sandbox, need};

/// The variables that carry a session's id in an agent's shell tool, the root session's before a thread's.
const VARIABLES: [(&str, &str); 8] = [
    ("CLAUDE_CODE_SESSION_ID", "claude"),
    ("CODEX_SESSION_ID", "codex"),
    ("CODEX_THREAD_ID", "codex"),
    ("GEMINI_SESSION_ID", "gemini"),
    ("COPILOT_AGENT_SESSION_ID", "copilot"),
    ("CRUSH_SESSION_ID", "crush"),
    ("AMP_CURRENT_THREAD_ID", "amp"),
    ("PI_SESSION_ID", "pi"),
];

fn holder(sandbox: &Sandbox) -> String {
    sandbox.claim("t")["holder"].as_str().unwrap().to_owned()
}

#[test]
fn every_known_agent_is_recognised_by_its_session_variable() {
    for (variable, agent) in VARIABLES {
        let sandbox = Sandbox::new();
        for verb in [&["take", "t", "why"][..], &["beat", "t"], &["status", "--mine"]] {
            sandbox.run(verb).env(variable, "0f-1").stdout_any().check();
        }
        assert_eq!(holder(&sandbox), format!("{agent}:0f-1"), "{variable}");
        sandbox.run(["release", "t"]).env(variable, "0f-2").exit(75).stderr_some().check();
        sandbox.run(["release", "t"]).env(variable, "0f-1").stdout_any().check();
    }
}

#[test]
fn the_option_goes_before_the_variable_and_that_before_an_agents() {
    for (option, variable, agent, expected) in [
        (Some("o"), Some("v"), Some("s"), "o"),
        (None, Some("v"), Some("s"), "v"),
        (None, Some(""), Some("s"), "claude:s"),
        (Some("o"), None, Some("s"), "o"),
    ] {
        let sandbox = Sandbox::new();
        let arguments = ["take", "t", "why"].into_iter().chain(option.map(|_| "--holder")).chain(option);
        let mut run = sandbox.run(arguments);
        for (name, value) in [("CLAIM_HOLDER", variable), ("CLAUDE_CODE_SESSION_ID", agent)] {
            run = if let Some(value) = value { run.env(name, value) } else { run };
        }
        run.stdout_any().check();
        assert_eq!(holder(&sandbox), expected);
    }
}

#[test]
fn codex_is_its_root_session_and_not_its_thread() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(["take", "t", "why"]).env("CODEX_THREAD_ID", "thread").env("CODEX_SESSION_ID", "root");
    run.stdout_any().check();
    assert_eq!(holder(&sandbox), "codex:root");
}

#[test]
fn the_variables_of_two_agents_are_ambiguous_and_both_are_named() {
    let sandbox = Sandbox::new();
    for (one, agent) in VARIABLES {
        for (other, other_agent) in VARIABLES {
            if agent >= other_agent {
                continue;
            }
            let told =
                sandbox.run(["take", "t", "why"]).env(one, "1").env(other, "2").exit(1).stderr_some().check().stderr;
            assert!(told.contains(one) && told.contains(other) && told.contains("CLAIM_HOLDER"), "{told}");
        }
    }
    assert!(!sandbox.place().exists());
    // Who says it outright is not ambiguous, and status judges as a stranger would.
    let both = |arguments: &[&str]| sandbox.run(arguments).env("CLAUDE_CODE_SESSION_ID", "1").env("PI_SESSION_ID", "2");
    both(&["take", "t", "why"]).env("CLAIM_HOLDER", "a").stdout_any().check();
    both(&["status"]).stdout_has("1 claim").check();
}

#[test]
fn a_session_that_nobody_names_is_told_to_set_claim_holder() {
    let sandbox = Sandbox::new();
    for verb in [
        &["take", "t", "why"][..],
        &["beat", "t"],
        &["beat", "--all"],
        &["release", "t"],
        &["release", "--all"],
        &["status", "--mine"],
    ] {
        sandbox.run(verb).exit(1).stderr_has("CLAIM_HOLDER").check();
        // An empty variable names nobody.
        sandbox.by("", verb).env("CLAUDE_CODE_SESSION_ID", "").exit(1).stderr_has("CLAIM_HOLDER").check();
    }
    assert!(!sandbox.place().exists());
    sandbox.run(["status"]).stdout("No claims in [DIR].\n").check();
}

#[test]
fn a_holder_has_1_to_200_characters_and_no_control_characters() {
    let sandbox = Sandbox::new();
    for good in ["x", &"ü".repeat(200), "claude:58041c91", "u@host:12", "with space", "--odd"] {
        sandbox.by(good, ["take", "t", "why"]).stdout_any().check();
        sandbox.run(["release", "t", &format!("--holder={good}")]).stdout_any().check();
    }
    let long = "x".repeat(201);
    for (bad, condition) in [
        (long.as_str(), "200 characters"),
        ("a\nb", "control characters"),
        ("\u{1b}[31m", "control characters"),
        ("a\u{9b}", "control characters"),
        // It stands for files that cannot be read: nobody may own those.
        ("unknown", "unknown"),
    ] {
        let flag = format!("--holder={bad}");
        sandbox.run(["take", "t", "why", &flag]).exit(2).stderr_has(condition).check();
        sandbox.by(bad, ["take", "t", "why"]).exit(2).stderr_has("CLAIM_HOLDER").check();
    }
    sandbox.run(["take", "t", "why", "--holder="]).exit(2).stderr_has("--holder").check();
    let bad = OsStr::from_bytes(b"a\xff");
    sandbox.run(["take", "t", "why"]).env("CLAIM_HOLDER", bad).exit(2).stderr_has("CLAIM_HOLDER").check();
    for (variable, _) in VARIABLES {
        sandbox.run(["take", "t", "why"]).env(variable, bad).exit(2).stderr_has(variable).check();
        sandbox.run(["take", "t", "why"]).env(variable, &long).exit(2).stderr_has(variable).check();
    }
}

#[test]
fn on_a_terminal_the_session_is_the_terminals() {
    need("script");
    let sandbox = Sandbox::new();
    let terminal = |commands: &str| {
        let run = sandbox.run([""; 0]).env("USER", "ada").env("TERM", "xterm").stdout_any();
        let outcome = run.through(["sh", "-c", r#"exec script -qec "$0" /dev/null"#, commands]).check();
        outcome.stdout.replace("\r\n", "\n")
    };
    let commands =
        format!("{0} take t why && {0} beat t && cut -d' ' -f6 /proc/$$/stat && uname -n", crate::support::CLAIM);
    let text = terminal(&commands);
    let lines: Vec<_> = text.lines().collect();
    let [.., leader, host] = lines.as_slice() else { panic!("{text}") };
    assert_eq!(holder(&sandbox), format!("ada@{host}:{leader}"));

    // Another terminal is another session, and an agent's variable says more than a terminal.
    let other = format!("{0} release t; echo code $?; CLAUDE_CODE_SESSION_ID=s {0} take u why", crate::support::CLAIM);
    let text = terminal(&other);
    assert!(text.contains("REFUSED: t is claimed by ada@") && text.contains("code 75"), "{text}");
    assert_eq!(sandbox.claim("u")["holder"], "claude:s");
}
