//! `hook` through the program: what an agent CLI is answered, and what the session comes to hold.
//!
//! What is expected of each host is what `tests/fixtures/payloads/README.md` and its row below `src/core/agents/` say was
//! seen of it.

use std::{
    fs,
    io::{Read as _, Write as _},
    path::PathBuf,
    process::{Child, Stdio},
    sync::mpsc,
    time::Duration,
};

use serde_json::{Value, json};

use crate::scene::Scene;
use crate::support::{Run, need};

mod faults;
mod fixtures;
mod links;
mod news;
mod payloads;
mod presence;
mod writes;

/// What a refused model is told at the end of each refusal.
const ADVICE: &str = "  This write was not done. Do not write there another way: go on with other work, or leave a \
                      handover.\n";

/// Against a hang only.
const PATIENCE: Duration = Duration::from_secs(60);

impl Scene {
    /// A payload of the fixtures, whose user's home is this scene's.
    fn payload(&self, fixture: &str) -> Value {
        let file = format!("{}/tests/fixtures/payloads/{fixture}.json", env!("CARGO_MANIFEST_DIR"));
        let text = fs::read_to_string(file).unwrap();
        serde_json::from_str(&text.replace("/home/u", self.sandbox.home().to_str().unwrap())).unwrap()
    }

    /// `hook` on a payload, in the environment of no agent, started in the project.
    fn hook(&self, payload: &Value) -> Run<'_> {
        self.sandbox.run(["hook"]).within(self.path("proj")).stdin(payload.to_string())
    }

    /// An event of a session of Claude Code.
    fn claude(&self, session: &str, event: &str) -> Run<'_> {
        self.hook(&json!({"session_id": session, "cwd": self.path("proj"), "hook_event_name": event, "prompt_id": "p"}))
    }

    /// A session of Claude Code is about to write a file.
    fn write(&self, session: &str, path: &str) -> Run<'_> {
        self.hook(&self.write_payload(session, path))
    }

    fn write_payload(&self, session: &str, path: &str) -> Value {
        self.call(session, "Write", &json!({"file_path": self.path(path), "content": "x\n"}))
    }

    /// A session of Claude Code is about to run a command.
    fn shell(&self, session: &str, command: &str) -> Run<'_> {
        self.hook(&self.call(session, "Bash", &json!({"command": command})))
    }

    fn call(&self, session: &str, tool: &str, input: &Value) -> Value {
        json!({
            "session_id": session, "cwd": self.path("proj"), "prompt_id": "p", "hook_event_name": "PreToolUse",
            "tool_name": tool, "tool_input": input,
        })
    }

    /// What a write to `path` is told that is stopped by a claim of `b` on `claimed`, half a minute old.
    fn refusal(claimed: &str, path: &str) -> String {
        let how = if claimed == path { String::new() } else { format!("  it covers [HOME]/{path}\n") };
        format!(
            "REFUSED: [HOME]/{claimed} is claimed by b (heartbeat [30s] ago).\n  purpose: testing\n{how}\
             \x20 goes stale in 14m without a beat\n\
             \x20 leave the work for later: claim handover add [HOME]/{claimed} 'what is to be done'\n"
        )
    }
}

impl Run<'_> {
    /// The write is denied: exit 2, this reason on stderr, and on stdout the document that Claude Code, Codex and Gemini
    /// all read as a denial.
    #[track_caller]
    fn denied(self, reason: impl Into<String>) -> String {
        checked_denial(self.stderr(reason))
    }

    /// The write is denied for a reason that has these words.
    #[track_caller]
    fn denied_because(self, words: &str) -> String {
        checked_denial(self.stderr_is(predicates::str::contains(words)))
    }
}

#[track_caller]
fn checked_denial(run: Run<'_>) -> String {
    let outcome = run.exit(2).stdout_any().check();
    let reason = outcome.stderr.strip_suffix('\n').unwrap();
    assert!(!reason.trim().is_empty(), "a denial without text lets the write through");
    let document: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(document, block("PreToolUse", reason));
    outcome.stderr
}

/// The document of a denial that Claude Code, Codex and Gemini read.
fn block(event: &str, reason: &str) -> Value {
    json!({
        "decision": "block", "reason": reason,
        "hookSpecificOutput":
            {"hookEventName": event, "permissionDecision": "deny", "permissionDecisionReason": reason},
    })
}

/// A run whose standard input stays open after what is written to it. Returns the answer, which must come all the same.
fn answer_to_open_input(run: &Run<'_>, input: &str) -> (Option<i32>, String, String) {
    let mut command = run.command();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    stdin.flush().unwrap();
    let answer = answered(child);
    drop(stdin);
    answer
}

/// What a child says, before the test loses its patience.
fn answered(mut child: Child) -> (Option<i32>, String, String) {
    let (mut stdout, mut stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut texts = (String::new(), String::new());
        stdout.read_to_string(&mut texts.0).unwrap();
        stderr.read_to_string(&mut texts.1).unwrap();
        sender.send(texts).unwrap();
    });
    let Ok((stdout, stderr)) = receiver.recv_timeout(PATIENCE) else {
        child.kill().unwrap();
        panic!("no answer while standard input stays open");
    };
    (child.wait().unwrap().code(), stdout, stderr)
}

#[test]
fn the_end_of_standard_input_is_not_waited_for() {
    let scene = Scene::new();
    for (payload, code) in [
        (scene.write_payload("1", "sibling/a.md"), 0),
        (scene.write_payload("2", "sibling/a.md"), 2),
        (json!({"session_id": "1", "hook_event_name": "Stop"}), 0),
        (json!({"session_id": "1", "hook_event_name": "SessionEnd"}), 0),
        (json!({"what": "is this"}), 0),
    ] {
        let (exit, stdout, stderr) = answer_to_open_input(&scene.hook(&payload), &payload.to_string());
        assert_eq!(exit, Some(code), "{payload}: {stderr}");
        assert_eq!(stderr.is_empty() && stdout.is_empty(), code == 0, "{payload}: {stderr}");
    }
    // What cannot become JSON any more is not waited on either.
    let (exit, _, stderr) = answer_to_open_input(&scene.hook(&json!(null)), "{\"a\": nothing");
    assert_eq!(exit, Some(1));
    assert!(!stderr.is_empty());
}

#[test]
fn what_follows_the_first_json_value_is_not_read() {
    let scene = Scene::new();
    let first = scene.write_payload("1", "sibling/a.md").to_string();
    for more in ["\n", "{", "garbage \u{7}", &scene.write_payload("2", "sibling/b.md").to_string()] {
        scene.hook(&Value::Null).stdin(format!("  \n{first}{more}")).check();
    }
    assert_eq!(scene.held(), ["sibling by claude:1"]);
}

#[test]
fn a_terminal_on_standard_input_gets_a_hint_at_once() {
    need("script");
    let scene = Scene::new();
    // `script` makes the terminal. Its own input stays open, so that there is no end to pass on.
    let words = ["sh", "-c", "exec script -qefc \"$1 hook\" /dev/null", "sh"];
    let run = scene.sandbox.run([""; 0]).through(words);
    let (exit, stdout, _) = answer_to_open_input(&run, "");
    assert_eq!(exit, Some(1));
    assert!(stdout.contains("standard input") && stdout.contains("claim install"), "{stdout}");
}

#[test]
fn input_that_is_no_json_is_an_error_but_never_a_denial() {
    let scene = Scene::new();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let invalid = b"{\"a\": \"\xff\"}".to_vec();
    for input in [Vec::new(), b" \n\t".to_vec(), b"hello".to_vec(), b"{\"session_id\":".to_vec(), deep.into(), invalid]
    {
        scene.hook(&Value::Null).stdin(input).exit(1).stderr_some().check();
    }
    // No input at all, as when a host starts it in the background.
    let output = scene.hook(&Value::Null).command().output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(!output.stderr.is_empty());
}

#[test]
fn json_that_is_deep_somewhere_inside_is_no_denial_at_a_stop() {
    let scene = Scene::new();
    let mut payload = json!({"session_id": "1", "hook_event_name": "Stop"}).to_string();
    payload.truncate(payload.len() - 1);
    for depth in [100, 1_000, 100_000] {
        let input = format!("{payload}, \"more\": {}{}}}", "[".repeat(depth), "]".repeat(depth));
        let outcome = scene.hook(&Value::Null).stdin(input).outcome();
        assert!(outcome.exit < 2, "{outcome}");
    }
}

#[test]
fn a_command_line_that_is_wrong_is_an_error_but_never_a_denial() {
    let scene = Scene::new();
    let dir = scene.sandbox.place();
    let dir = dir.to_str().unwrap();
    for words in [
        &["hook", "--bogus"][..],
        &["hook", "extra"],
        &["hook", "--holder"],
        &["--holder", "x", "hook", "--bogus"],
        &["--dir", dir, "hook", "--bogus"],
        &["--json", "hook", "--bogus"],
        &["--holder=x", "hook", "--json=1"],
    ] {
        scene.sandbox.run(words).exit(1).stderr_some().check();
    }
    // Any other verb keeps the code for it, also where a word of its own is `hook`.
    for words in
        [&["take", "hook", "--bogus"][..], &["--dir", "hook", "take"], &["--holder", "hook", "status", "--bogus"]]
    {
        scene.sandbox.run(words).exit(2).stderr_some().check();
    }
}

#[test]
fn what_is_not_known_is_silence() {
    let scene = Scene::new();
    scene.take("b", "sibling");
    let path = scene.path("sibling/a.md");
    let write = |event: &str, tool: &str| json!({"session_id": "1", "hook_event_name": event, "tool_name": tool, "tool_input": {"file_path": path}});
    for payload in [
        json!([]),
        json!(1),
        json!(null),
        json!("PreToolUse"),
        json!({}),
        json!({"hook_event_name": 1}),
        json!({"some": "host", "event_of": "its own"}),
        write("PreToolUseTomorrow", "Write"),
        write("PreToolUse", "WriteTomorrow"),
        write("PreToolUse", "Read"),
        write("PreToolUse", "mcp__elsewhere__write_file"),
        write("PostToolUse", "Write"),
        write("Notification", "Write"),
        write("PreCompact", "Write"),
    ] {
        scene.hook(&payload).check();
    }
}

#[test]
fn a_payload_of_two_megabytes_is_answered() {
    let scene = Scene::new();
    let content = "line of text\n".repeat(2 * 1024 * 1024 / 13);
    let payload = |session: &str| {
        scene.call(session, "Write", &json!({"file_path": scene.path("sibling/a.md"), "content": content}))
    };
    scene.hook(&payload("1")).check();
    scene.hook(&payload("2")).denied_because("REFUSED: ");
    // The text before the path.
    let heredoc = format!("cat > ../sibling/a.md <<'EOF'\n{content}EOF\n");
    scene.shell("1", &heredoc).check();
    scene.shell("2", &heredoc).denied_because("REFUSED: ");
}

#[test]
fn an_answer_that_cannot_be_printed_still_denies() {
    let scene = Scene::new();
    scene.take("b", "sibling");
    for redirection in [">&-", "2>&-", ">&- 2>&-", ">/dev/full", "2>/dev/full"] {
        let script = format!("exec \"$1\" hook {redirection}");
        let run = scene.hook(&scene.write_payload("1", "sibling/a.md")).through(["sh", "-c", &script, "sh"]);
        assert_eq!(run.outcome().exit, 2, "{redirection}");
    }
}

/// Where the host of a fixture starts its hooks.
fn started_in(scene: &Scene, agent: &str, payload: &Value) -> PathBuf {
    match agent {
        "claude" => PathBuf::from(payload["cwd"].as_str().unwrap()),
        // Cursor starts a user's own hooks here.
        "cursor" => scene.path(".cursor"),
        "cline" => scene.sandbox.home(),
        _ => scene.path("proj"),
    }
}
