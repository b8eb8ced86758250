//! The real program on whatever system this is: what a user does with it, from a claim to its audit.
//!
//! The tests of `main.rs` go much deeper and need Linux (strace, mounts, terminals, a POSIX shell). These need nothing but
//! the program, so that the same promises are looked at where those cannot run.

#![expect(clippy::disallowed_methods, reason = "tests touch files and processes")]
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, which is what is meant")]

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A place and a project, and nothing of the environment that says who asks.
struct Scene(TempDir);

impl Scene {
    fn new() -> Self {
        let scene = Self(tempfile::tempdir().unwrap());
        for directory in ["temporary", "home", "project/.git", "project/src", "other/.git"] {
            fs::create_dir_all(scene.path(directory)).unwrap();
        }
        scene
    }

    fn path(&self, below: &str) -> PathBuf {
        below.split('/').fold(self.0.path().to_owned(), |path, part| path.join(part))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_claim"));
        command.args(arguments).current_dir(self.path("project")).stdin(Stdio::null());
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().contains("SESSION") || name.to_string_lossy().starts_with("CLA") {
                command.env_remove(name);
            }
        }
        // What these tests write must not pass for temporary, which needs no claim.
        for name in ["TMPDIR", "TEMP", "TMP"] {
            command.env(name, self.path("temporary"));
        }
        command.env("HOME", self.path("home")).env("USERPROFILE", self.path("home"));
        command.env("CLAIM_DIR", self.path("place"));
        command
    }

    /// Exit code, standard output and standard error.
    fn claim(&self, arguments: &[&str]) -> (i32, String, String) {
        told(&self.command(arguments).output().unwrap())
    }

    /// The object that `--json` prints, and the exit code.
    fn json(&self, arguments: &[&str]) -> (i32, Value) {
        let (code, output, _) = self.claim(&[arguments, &["--json"]].concat());
        (code, serde_json::from_str(&output).unwrap())
    }

    fn hook(&self, payload: &Value) -> (i32, String, String) {
        let mut command = self.command(&["hook"]);
        let streams = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = streams.spawn().unwrap();
        child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
        told(&child.wait_with_output().unwrap())
    }

    /// A claim file is there for every claim, and the trace agrees with them.
    fn at_rest(&self) {
        assert_eq!(self.claim(&["status", "--exit-code"]).0, 0);
        assert_eq!(fs::read_dir(self.path("place/claims")).unwrap().count(), 0);
        let (code, output, errors) = self.claim(&["audit"]);
        assert_eq!((code, &*errors), (0, ""), "{output}");
    }
}

fn told(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A command that ends with this code.
fn ending(code: u8) -> Vec<String> {
    let command = format!("exit {code}");
    let shell = if cfg!(windows) { ["cmd", "/c"] } else { ["sh", "-c"] };
    [shell[0].to_owned(), shell[1].to_owned(), command].into()
}

#[test]
fn a_claim_is_made_refused_renewed_and_released() {
    let scene = Scene::new();
    // Also by the name that some systems have a device for.
    for name in ["shared-config", "con", "nul"] {
        assert_eq!(scene.claim(&["take", name, "mine", "--holder", "one"]).0, 0);
        let (code, output, errors) = scene.claim(&["take", name, "mine too", "--holder", "two"]);
        assert_eq!((code, &*output), (75, ""));
        assert!(errors.starts_with(&format!("REFUSED: {name} is claimed by one (heartbeat ")), "{errors}");
        assert_eq!(scene.claim(&["beat", name, "--holder", "one"]).0, 0);
        assert_eq!(scene.claim(&["beat", name, "--holder", "two"]).0, 75);
        assert_eq!(scene.claim(&["release", name, "--holder", "two"]).0, 75);
        assert_eq!(scene.json(&["status", name]).1["claims"][0]["claim"]["holder"], "one");
        assert_eq!(scene.claim(&["release", name, "--holder", "one"]).0, 0);
        assert_eq!(scene.claim(&["release", name, "--holder", "one"]).0, 3);
    }
    scene.at_rest();
}

#[test]
fn a_tree_is_claimed_with_all_that_is_below_however_it_is_spelled() {
    let scene = Scene::new();
    assert_eq!(scene.claim(&["take", "./src", "mine", "--holder", "one"]).0, 0);
    let mut spellings = vec!["./src".to_owned(), "./src/deep/new.rs".to_owned(), "../project/src/a".to_owned()];
    spellings.push(text(&scene.path("project/src/new.rs")).to_owned());
    if cfg!(windows) {
        let absolute = text(&scene.path("project/src/new.rs")).to_owned();
        spellings.extend([absolute.to_uppercase(), absolute.replace('\\', "/"), format!(r"\\?\{absolute}")]);
        spellings.extend([r".\src\new.rs.".to_owned(), r".\src\new.rs:stream".to_owned()]);
    }
    for path in &spellings {
        assert_eq!(scene.claim(&["take", path, "mine too", "--holder", "two"]).0, 75, "{path}");
        assert_eq!(scene.claim(&["guard", path, "--holder", "two"]).0, 75, "{path}");
        assert_eq!(scene.claim(&["guard", path, "--holder", "one"]).0, 0, "{path}");
    }
    assert_eq!(scene.claim(&["take", "./srcs", "beside", "--holder", "two"]).0, 0);
    assert_eq!(scene.claim(&["release", "--all", "--holder", "one"]).0, 0);
    assert_eq!(scene.claim(&["release", "--all", "--holder", "two"]).0, 0);
    scene.at_rest();
}

#[test]
fn guard_tells_home_foreign_temporary_and_the_place_apart() {
    let scene = Scene::new();
    let because = |path: &str| {
        let (code, value) = scene.json(&["guard", path, "--holder", "one"]);
        (code, value["because"].as_str().map(str::to_owned))
    };
    assert_eq!(because("./src/new.rs"), (0, Some("home".to_owned())));
    assert_eq!(because("../other/new.rs"), (76, None));
    assert_eq!(because(text(&scene.path("temporary/new"))), (0, Some("free".to_owned())));
    assert_eq!(because(text(&scene.path("place/claims/x.json"))).0, 1);
    assert_eq!(because("/dev/null"), (0, Some("free".to_owned())));
    assert_eq!(scene.claim(&["guard", "--take", "../other/new.rs", "--holder", "one"]).0, 0);
    assert_eq!(because("../other/else.rs"), (0, Some("own-claim".to_owned())));
    assert_eq!(scene.claim(&["release", "../other", "--holder", "one"]).0, 0);
    scene.at_rest();
}

#[test]
fn a_hook_claims_foreign_trees_denies_the_second_session_and_gives_back() {
    let scene = Scene::new();
    let payload = |session: &str, event: &str, tool: &str, input: Value| {
        json!({
            "session_id": session, "transcript_path": "x", "cwd": scene.path("project"), "prompt_id": "p",
            "permission_mode": "default", "hook_event_name": event, "tool_name": tool, "tool_input": input,
        })
    };
    let write = |session: &str, path: &str| {
        let path = scene.path(path);
        scene.hook(&payload(session, "PreToolUse", "Write", json!({"file_path": path, "content": "x"})))
    };
    let shell =
        |session: &str, command: &str| scene.hook(&payload(session, "PreToolUse", "Bash", json!({"command": command})));
    let nothing = || (0, String::new(), String::new());
    assert_eq!(write("a", "other/new.rs"), nothing());
    let (code, _, errors) = write("b", "other/else.rs");
    assert!(code == 2 && errors.contains("is claimed by claude:a"), "{code} {errors}");
    let (code, _, errors) = shell("b", "echo x > ../other/else.rs");
    assert!(code == 2 && errors.contains("is claimed by claude:a"), "{code} {errors}");
    if cfg!(windows) {
        // As a POSIX shell spells it there.
        let path = text(&scene.path("other/else.rs")).replace('\\', "/").replacen(':', "", 1);
        assert_eq!(shell("b", &format!("echo x > '/{path}'")).0, 2, "{path}");
    }
    assert_eq!(shell("b", "echo x > /dev/null 2>&1; cat ../other/else.rs"), nothing());
    assert_eq!(write("b", "project/src/new.rs"), nothing());
    for session in ["a", "b"] {
        assert_eq!(scene.hook(&payload(session, "SessionEnd", "", json!({}))), nothing());
    }
    scene.at_rest();
}

#[test]
fn run_holds_the_target_and_passes_the_code_on() {
    let scene = Scene::new();
    let run = |holder: &str, command: &[String]| {
        let mut arguments = vec!["run", "thing", "--holder", holder, "--"];
        arguments.extend(command.iter().map(String::as_str));
        scene.claim(&arguments).0
    };
    for code in [0, 1, 7, 255] {
        assert_eq!(run("one", &ending(code)), i32::from(code));
    }
    assert_eq!(run("one", &["no-such-program-anywhere".to_owned()]), 127);
    let file = scene.path("project/plain.txt");
    fs::write(&file, "plain").unwrap();
    assert_eq!(run("one", &[text(&file).to_owned()]), 126);
    if cfg!(windows) {
        fs::write(scene.path("project/script.cmd"), "@exit /b 9\r\n").unwrap();
        assert_eq!(run("one", &[text(&scene.path("project/script")).to_owned()]), 9);
    }
    assert_eq!(scene.claim(&["take", "thing", "mine", "--holder", "two"]).0, 0);
    assert_eq!(run("one", &ending(0)), 75);
    assert_eq!(scene.claim(&["release", "thing", "--holder", "two"]).0, 0);
    scene.at_rest();
}

#[test]
fn a_note_is_left_begun_and_finished() {
    let scene = Scene::new();
    assert_eq!(scene.claim(&["take", "notes", "mine", "--holder", "one"]).0, 0);
    let (code, path, _) = scene.claim(&["handover", "add", "notes", "the text", "--holder", "two"]);
    assert_eq!((code, fs::read_to_string(path.trim_end()).unwrap().contains("the text")), (0, true));
    assert_eq!(scene.claim(&["handover", "next", "notes", "--holder", "two"]).0, 75);
    let (code, path, _) = scene.claim(&["handover", "next", "notes", "--holder", "one"]);
    assert_eq!((code, fs::metadata(path.trim_end()).unwrap().is_file()), (0, true));
    assert_eq!(scene.claim(&["handover", "done", "1", "done so", "--holder", "one"]).0, 0);
    assert_eq!(scene.claim(&["release", "notes", "--holder", "one"]).0, 0);
    scene.at_rest();
}

#[test]
fn of_several_processes_one_wins_and_no_reader_is_in_the_way() {
    let scene = Scene::new();
    for round in 0..3 {
        let target = format!("round-{round}");
        let start = |arguments: &[&str]| {
            scene.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        };
        let holders: Vec<_> = (0..6).map(|number| format!("holder-{number}")).collect();
        let takes: Vec<_> =
            holders.iter().map(|holder| start(&["take", &target, "mine", "--holder", holder])).collect();
        let codes: Vec<_> = takes.into_iter().map(|child| told(&child.wait_with_output().unwrap())).collect();
        let winners: Vec<_> = (0..holders.len()).filter(|index| codes[*index].0 == 0).collect();
        assert_eq!(winners.len(), 1, "{codes:?}");
        assert!(codes.iter().all(|(code, ..)| matches!(code, 0 | 75)), "{codes:?}");
        let winner = &holders[winners[0]];
        let beats: Vec<_> = (0..3).map(|_| start(&["beat", &target, "--holder", winner])).collect();
        let looks: Vec<_> = (0..3).map(|_| start(&["status", &target])).collect();
        for child in beats.into_iter().chain(looks) {
            let (code, output, errors) = told(&child.wait_with_output().unwrap());
            assert_eq!(code, 0, "{output}{errors}");
        }
        assert_eq!(scene.claim(&["release", &target, "--holder", winner]).0, 0);
    }
    scene.at_rest();
}
