//! The commands that `install` writes, in real shells, with every way in which the program behind them can fail.

use std::{fs, io::Write as _, path::Path, process::Stdio};

use claim::core::install::{Content, HOSTS};
use serde_json::{Value, json};

use crate::{
    install::samples,
    machine::{Machine, found, said},
};

/// Every command of every host that is given to a shell: the host, the event, the command.
fn commands() -> Vec<(&'static str, String, String)> {
    let mut found = Vec::new();
    for host in HOSTS {
        for file in host.files.iter().filter(|file| matches!(file.content, Content::Hooks(_))) {
            let text = fs::read_to_string(samples().join(file.sample)).unwrap();
            let value: Value = serde_json::from_str(&text).unwrap();
            for (event, list) in value["hooks"].as_object().unwrap() {
                let element = &list[0];
                let handler = element.get("hooks").map_or(element, |hooks| &hooks[0]);
                let command = handler.get("command").or(handler.get("bash")).unwrap().as_str().unwrap();
                found.push((host.name, event.clone(), command.to_owned()));
            }
        }
    }
    assert!(found.len() > 30, "{}", found.len());
    found
}

/// Every way in which a program can go wrong: a name, what it is, and whether it is a refusal of its own.
const PROGRAMS: &[(&str, Option<&str>)] = &[
    ("missing", None),
    ("silent failure", Some("#!/bin/sh\nexit 1\n")),
    ("refusal in another code", Some("#!/bin/sh\nexit 75\n")),
    ("panic", Some("#!/bin/sh\necho panicked >&2\nexit 101\n")),
    ("killed", Some("#!/bin/sh\nkill -9 $$\n")),
    ("no program", Some("\u{1}")),
];

#[test]
fn before_a_write_every_failure_is_a_denial_that_says_something_and_elsewhere_nothing() {
    let machine = Machine::new();
    let work = machine.sandbox.work();
    machine.add("sh", &found("sh"));
    for (host, event, command) in commands() {
        let is_before = command.contains("exit 2");
        let shells: &[&str] =
            if command.starts_with("sh -c") { &["sh", "bash", "zsh", "fish"] } else { &["sh", "bash"] };
        for shell in shells {
            let run = |program: Option<&str>| {
                match program {
                    Some(text) => machine.script("claim", text),
                    None => drop(fs::remove_file(machine.bin().join("claim"))),
                }
                let output = machine.command("s", &work, found(shell)).args(["-c", &command]).output().unwrap();
                let texts = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
                (output.status.code(), texts)
            };
            for (name, program) in PROGRAMS {
                let (code, [stdout, stderr]) = run(*program);
                let case = format!("{host} {event} in {shell}: {name}: {stderr}");
                assert_eq!(stdout, "", "{case}");
                assert_eq!(code, Some(if is_before { 2 } else { 0 }), "{case}");
                let message = "claim: the hook failed, so this write was stopped; see: claim doctor\n";
                assert_eq!(stderr.ends_with(message), is_before, "{case}");
            }
            let refusal = "#!/bin/sh\necho '{}'\necho REFUSED >&2\nexit 2\n";
            let (code, texts) = run(Some(refusal));
            assert_eq!(code, Some(if is_before { 2 } else { 0 }), "{host} {event}");
            assert_eq!(texts, ["{}\n", "REFUSED\n"], "{host} {event}: a refusal's own words, once");
            let (code, texts) = run(Some("#!/bin/sh\nexit 0\n"));
            assert_eq!((code, texts), (Some(0), [String::new(), String::new()]), "{host} {event}");
        }
    }
}

#[test]
fn a_script_for_cline_makes_every_failure_a_cancel() {
    let machine = Machine::new();
    let work = machine.sandbox.work();
    for name in ["PreToolUse", "TaskStart", "TaskComplete"] {
        for (case, program) in PROGRAMS {
            match program {
                Some(text) => machine.script("claim", text),
                None => drop(fs::remove_file(machine.bin().join("claim"))),
            }
            let output = machine.command("s", &work, samples().join("cline").join(name)).output().unwrap();
            if name == "PreToolUse" {
                let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
                assert_eq!(answer["cancel"], true, "{case}");
                assert!(answer["errorMessage"].as_str().unwrap().starts_with("claim: the hook failed"), "{case}");
                assert_eq!(output.status.code(), Some(2), "{case}");
            } else {
                assert_eq!((output.status.code(), &output.stdout[..]), (Some(0), &b""[..]), "{case}");
            }
        }
    }
}

#[test]
fn the_installed_command_denies_and_allows_by_the_real_program() {
    let machine = Machine::new();
    let (held, home) = (machine.repository("held"), machine.repository("home"));
    machine.by("other", ["take", held.to_str().unwrap(), "busy"]).stdout_any().check();
    let command =
        commands().into_iter().find(|(host, event, _)| (*host, &**event) == ("claude", "PreToolUse")).unwrap().2;
    let ask = |path: &Path| {
        let payload = json!({"session_id": "s1", "cwd": home, "hook_event_name": "PreToolUse", "tool_name": "Write",
            "tool_input": {"file_path": path, "content": "x"}, "transcript_path": "/t.jsonl", "permission_mode": "default"});
        let mut child = machine
            .command("s", &home, found("sh"))
            .env_remove("CLAIM_HOLDER")
            .args(["-c", &command])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    };
    let allowed = ask(&home.join("b.txt"));
    assert_eq!((allowed.status.code(), said(&allowed)), (Some(0), String::new()));
    let denied = ask(&held.join("b.txt"));
    assert_eq!(denied.status.code(), Some(2));
    let stderr = String::from_utf8(denied.stderr).unwrap();
    assert!(stderr.starts_with("REFUSED: "), "{stderr}");
    assert!(!stderr.contains("the hook failed"), "{stderr}");
}
