//! What claim itself cannot do denies a write, and is silence at every other moment.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    process::{Child, Stdio},
};

use serde_json::{Value, json};

use crate::scene::{Scene, without_privileges};
use crate::support::{Run, need};

/// Payloads that write, in both forms and at home too.
fn writes(scene: &Scene) -> Vec<Value> {
    vec![
        scene.write_payload("1", "sibling/a.md"),
        scene.write_payload("1", "proj/a.md"),
        scene.call("1", "Bash", &json!({"command": "echo x > ../sibling/a.md"})),
        scene.call("1", "Bash", &json!({"command": "cd ../sibling && touch a.md"})),
    ]
}

/// Payloads of every other kind: all other moments, tools that do not write, commands that do not.
fn others(scene: &Scene) -> Vec<Value> {
    let mut others: Vec<Value> = [
        "SessionStart",
        "UserPromptSubmit",
        "Stop",
        "SessionEnd",
        "Notification",
        "SubagentStop",
    ]
    .iter()
    .map(|event| json!({"session_id": "1", "cwd": scene.path("proj"), "hook_event_name": event, "prompt_id": "p"}))
    .collect();
    for command in ["ls ../sibling", "cargo test 2>&1 | tail", "git status", "python3 -c 'print(1)'", "echo 'unclosed"]
    {
        others.push(scene.call("1", "Bash", &json!({"command": command})));
    }
    for tool in ["Read", "Grep", "Agent", "TodoWrite"] {
        others.push(scene.call("1", tool, &json!({"file_path": scene.path("sibling/a.md")})));
    }
    let mut after = scene.write_payload("1", "sibling/a.md");
    after["hook_event_name"] = json!("PostToolUse");
    others.push(after);
    others
}

/// Every write is denied with these words, and everything else is silence.
fn denied_and_silent<'s>(scene: &'s Scene, words: &str, fault: impl Fn(Run<'s>) -> Run<'s>) {
    for payload in writes(scene) {
        fault(scene.hook(&payload)).denied_because(words);
    }
    silent(scene, fault);
}

fn silent<'s>(scene: &'s Scene, fault: impl Fn(Run<'s>) -> Run<'s>) {
    for payload in others(scene) {
        let outcome = fault(scene.hook(&payload)).outcome();
        assert_eq!((outcome.exit, &*outcome.stdout, &*outcome.stderr), (0, "", ""), "{payload}: {outcome}");
    }
}

#[test]
fn a_place_that_is_no_directory() {
    let scene = Scene::new();
    scene.touch("a-file");
    denied_and_silent(&scene, "a-file is not a directory", |run| run.env("CLAIM_DIR", scene.path("a-file")));
    denied_and_silent(&scene, "a-file/below", |run| run.env("CLAIM_DIR", scene.path("a-file/below")));
    denied_and_silent(&scene, "not an absolute path", |run| run.env("CLAIM_DIR", "place"));
    fs::create_dir(scene.sandbox.place()).unwrap();
    fs::write(scene.sandbox.place().join("claims"), "").unwrap();
    denied_and_silent(&scene, "claims is not a directory", |run| run);
}

#[test]
fn a_place_that_cannot_be_written() {
    // On a mount that is read-only, which holds for root as well.
    for tool in ["unshare", "mount"] {
        need(tool);
    }
    let scene = Scene::new();
    fs::create_dir_all(scene.sandbox.place().join("claims")).unwrap();
    let script =
        "mount --bind \"$CLAIM_DIR\" \"$CLAIM_DIR\" && mount -o remount,bind,ro \"$CLAIM_DIR\" || exit 99\nexec \"$@\"";
    let mounted = ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh"];
    denied_and_silent(&scene, "Read-only file system", |run| run.through(mounted));
    assert_eq!(scene.sandbox.files(), ["claims/"]);

    // By its permissions, for a user whom these bind.
    let scene = Scene::new();
    fs::set_permissions(scene.sandbox.home().parent().unwrap(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir_all(scene.sandbox.place().join("claims")).unwrap();
    for mode in [0o555, 0o000] {
        fs::set_permissions(scene.sandbox.place(), fs::Permissions::from_mode(mode)).unwrap();
        denied_and_silent(&scene, "Permission denied", |run| run.through(without_privileges()));
    }
    fs::set_permissions(scene.sandbox.place(), fs::Permissions::from_mode(0o755)).unwrap();
}

/// `flock(1)` on the machine-wide lock, until it is dropped.
struct Held(Child);

impl Held {
    fn on(scene: &Scene) -> Self {
        need("flock");
        fs::create_dir_all(scene.sandbox.place()).unwrap();
        let lock = scene.sandbox.place().join("lock");
        let mut child = std::process::Command::new("flock");
        child.arg(lock).args(["sh", "-c", "echo locked; exec cat"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = child.spawn().unwrap();
        let mut line = [0; 7];
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut line).unwrap();
        Self(child)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        drop(self.0.wait());
    }
}

#[test]
fn a_lock_that_another_process_does_not_give_back() {
    let scene = Scene::new();
    scene.tree("third");
    scene.write("2", "third/a.md").check();
    let held = Held::on(&scene);
    // Runs side by side, since each waits for the lock as long as it is ready to.
    let payloads: Vec<Value> = writes(&scene).into_iter().chain(others(&scene)).collect();
    let denied = writes(&scene).len();
    std::thread::scope(|scope| {
        for (index, payload) in payloads.iter().enumerate() {
            let scene = &scene;
            scope.spawn(move || {
                let run = scene.hook(payload);
                if index < denied { drop(run.denied_because("locked by another process")) } else { drop(run.check()) }
            });
        }
        // A write to several trees waits once: a hook that takes too long is one that lets the write through.
        scope.spawn(|| {
            let command = "touch ../sibling/a.md ../fourth.md ../sibling/b.md a.md";
            let told = scene.shell("1", command).denied_because("locked by another process");
            assert_eq!(told.matches("locked by another process").count(), 1, "{told}");
        });
        // What needs no change needs no lock.
        scope.spawn(|| drop(scene.write("2", "third/b.md").check()));
        scope.spawn(|| drop(scene.write("3", "third/b.md").denied_because("REFUSED: ")));
    });
    drop(held);
    assert_eq!(scene.held(), ["third by claude:2"]);
    scene.write("1", "sibling/a.md").check();
}

#[test]
fn no_home_directory_that_is_known() {
    need("strace");
    let scene = Scene::new();
    // The list of users says where home is, unless the user is not on it.
    let nobody = scene.path("strace");
    let nobody = [
        "strace",
        "-qq",
        "-f",
        "-e",
        "trace=getuid",
        "-e",
        "inject=getuid:retval=54321",
        "-o",
        nobody.to_str().unwrap(),
    ];
    denied_and_silent(&scene, "no home directory is known", |run| {
        run.through(nobody).env_remove("HOME").env_remove("CLAIM_DIR")
    });
    // Where the place is known no home directory is needed, but then nothing is taken for one.
    let elsewhere = scene.sandbox.work();
    scene.write("1", "sibling/a.md").env_remove("HOME").env("TMPDIR", elsewhere).check();
    assert_eq!(scene.held(), ["sibling by claude:1"]);
}

#[test]
fn a_time_to_live_that_is_none() {
    let scene = Scene::new();
    for ttl in ["soon", "0", "8d", "-1", "1e9"] {
        denied_and_silent(&scene, "CLAIM_TTL", |run| run.env("CLAIM_TTL", ttl));
    }
    assert_eq!(scene.held(), [""; 0]);
}

#[test]
fn a_session_that_is_no_holder() {
    let scene = Scene::new();
    for (session, words) in [(json!("a\nb"), "control"), (json!("x".repeat(300)), "200"), (json!(7), "CLAIM_HOLDER")] {
        let with = |mut payload: Value| {
            payload["session_id"] = session.clone();
            payload
        };
        for payload in writes(&scene) {
            scene.hook(&with(payload)).denied_because(words);
        }
        for payload in others(&scene) {
            scene.hook(&with(payload)).check();
        }
    }
}

#[test]
fn claims_that_cannot_be_read() {
    let scene = Scene::new();
    let stems = ["sibling", "proj", "sibling/a.md", "proj/a.md"].map(|path| scene.stem(path));
    for stem in &stems {
        fs::create_dir(scene.sandbox.file(stem)).unwrap();
    }
    denied_and_silent(&scene, "not a regular file", |run| run);
    for stem in &stems {
        fs::remove_dir(scene.sandbox.file(stem)).unwrap();
        scene.sandbox.write(stem, "{}");
    }
    denied_and_silent(&scene, "is claimed by unknown", |run| run);
}

#[test]
fn a_directory_of_the_hook_itself_that_is_gone() {
    let scene = Scene::new();
    let script = "mkdir gone && cd gone && rmdir ../gone && exec \"$@\"";
    // Home is not known then, unless the host says it.
    denied_and_silent(&scene, "current directory cannot be found", |run| run.through(["sh", "-c", script, "sh"]));
    let told = |payload: &Value| {
        scene.hook(payload).through(["sh", "-c", script, "sh"]).env("CLAUDE_PROJECT_DIR", scene.path("proj"))
    };
    told(&scene.write_payload("1", "sibling/a.md")).check();
}

#[test]
fn nothing_at_a_stop_a_prompt_or_a_sessions_end_is_ever_the_code_that_makes_a_host_go_on() {
    // The moments of every host, with payloads that are cut, empty or of the wrong kind in every part.
    let scene = Scene::new();
    scene.write("1", "proj/a.md").check();
    for fixture in [
        "claude/Stop",
        "claude/UserPromptSubmit",
        "claude/SessionEnd",
        "codex/Stop",
        "codex/UserPromptSubmit",
        "gemini/AfterAgent",
        "gemini/BeforeAgent",
        "cursor/stop",
        "copilot/agentStop",
        "crush/TurnEnd",
        "goose/Stop",
        "windsurf/post_cascade_response",
        "cline/agent_end",
        "opencode/session_idle",
    ] {
        let payload = scene.payload(fixture);
        let keys: Vec<String> = payload.as_object().unwrap().keys().cloned().collect();
        for key in keys {
            for value in [Value::Null, json!(""), json!([[]]), json!("a\nb")] {
                let mut payload = payload.clone();
                payload[&key] = value;
                let outcome = scene.hook(&payload).env("CLAIM_TTL", "soon").outcome();
                assert_eq!((outcome.exit, &*outcome.stdout, &*outcome.stderr), (0, "", ""), "{payload}: {outcome}");
            }
        }
    }
}
