//! Who holds what, from a session's start to its end: presence at home, trees taken abroad, beats, and release.

use std::fs;

use serde_json::{Value, json};

use crate::scene::Scene;

#[test]
fn who_writes_at_home_is_seen_to_be_at_work_there() {
    let scene = Scene::new();
    scene.write("1", "proj/a.md").check();
    assert_eq!(scene.held(), ["proj by claude:1, shared"]);
    assert_eq!(scene.claim("proj").1["purpose"], "at work here");
    // Reading is no work to be protected.
    let scene = Scene::new();
    scene.shell("1", "cat a.md | grep x").check();
    scene.hook(&scene.call("1", "Read", &json!({"file_path": scene.path("proj/a.md")}))).check();
    assert_eq!(scene.held(), [""; 0]);
}

#[test]
fn the_sessions_of_one_project_do_not_block_each_other() {
    let scene = Scene::new();
    for session in ["1", "2", "3", "1", "2"] {
        scene.write(session, "proj/a.md").check();
    }
    let all = ["proj by claude:1, shared", "proj by claude:2, shared", "proj by claude:3, shared"];
    assert_eq!(scene.held(), all);
    // Until the last of them is done, nobody else gets in.
    for session in ["1", "2", "3"] {
        from_sibling(&scene, "4").denied_because("REFUSED: ");
        scene.claude(session, "SessionEnd").check();
    }
    from_sibling(&scene, "4").check();
    assert_eq!(scene.held(), ["proj by claude:4"]);
}

/// A session that was started next door is about to write in the project.
fn from_sibling<'s>(scene: &'s Scene, session: &str) -> crate::support::Run<'s> {
    scene.write(session, "proj/a.md").within(scene.path("sibling"))
}

#[test]
fn a_foreign_writer_is_refused_while_the_owner_is_at_work() {
    let scene = Scene::new();
    scene.write("1", "proj/a.md").check();
    let told = from_sibling(&scene, "2").denied_because("REFUSED: ");
    assert!(told.contains("is claimed by claude:1") && told.contains("at work here"), "{told}");
    assert!(told.contains("claim handover add"), "{told}");
    assert_eq!(scene.held(), ["proj by claude:1, shared"]);
    // Nor does the owner get in where a foreign writer was first.
    scene.claude("1", "SessionEnd").check();
    from_sibling(&scene, "2").check();
    scene.write("1", "proj/a.md").denied_because("is claimed by claude:2");
}

#[test]
fn where_a_part_of_home_is_held_presence_is_on_the_file() {
    let scene = Scene::new();
    scene.take("b", "proj/sub");
    scene.age("proj/sub", 30);
    scene.write("1", "proj/a.md").check();
    scene.write("1", "proj/b.md").check();
    assert_eq!(scene.held(), ["proj/a.md by claude:1, shared", "proj/b.md by claude:1, shared", "proj/sub by b"]);
    scene.write("1", "proj/sub/a.md").denied(Scene::refusal("proj/sub", "proj/sub/a.md") + super::ADVICE);
}

#[test]
fn an_own_claim_on_home_needs_no_presence_beside_it() {
    let scene = Scene::new();
    scene.take("claude:1", "proj");
    scene.write("1", "proj/a.md").check();
    assert_eq!(scene.held(), ["proj by claude:1"]);
    scene.write("2", "proj/a.md").denied_because("is claimed by claude:1");
}

#[test]
fn in_a_linked_worktree_presence_is_on_the_worktree_that_is_written() {
    let scene = Scene::new();
    scene.repository("main");
    scene.git("main", &["worktree", "add", "-q", "../linked"]);
    scene.write("1", "linked/a.md").within(scene.path("main")).check();
    assert_eq!(scene.held(), ["linked by claude:1, shared"]);
    scene.write("2", "main/a.md").within(scene.path("linked")).check();
    assert_eq!(scene.held(), ["linked by claude:1, shared", "main by claude:2, shared"]);
}

#[test]
fn a_worktree_that_a_session_adds_is_home_to_the_one_that_is_started_in_it() {
    let scene = Scene::new();
    scene.repository("main");
    scene.shell("1", "cd ../main && git worktree add ../linked -b task").within(scene.path("main")).check();
    assert_eq!(scene.held(), ["main by claude:1, shared"]);
    scene.git("main", &["worktree", "add", "-q", "../linked", "-b", "task"]);
    scene.write("2", "linked/a.md").within(scene.path("linked")).check();
    scene.write("1", "linked/b.md").within(scene.path("main")).check();
    let shared = ["linked by claude:1, shared", "linked by claude:2, shared", "main by claude:1, shared"];
    assert_eq!(scene.held(), shared);
}

#[test]
fn home_is_where_the_session_was_started_and_not_where_its_shell_is() {
    let scene = Scene::new();
    let mut payload = scene.write_payload("1", "proj/a.md");
    payload["cwd"] = json!(scene.path("sibling/sub"));
    // The host names the project: the hook's own directory moves with the shell's.
    scene.hook(&payload).within(scene.path("sibling/sub")).env("CLAUDE_PROJECT_DIR", scene.path("proj")).check();
    assert_eq!(scene.held(), ["proj by claude:1, shared"]);
    // It names none: the hook's own directory is where the session was started.
    payload["tool_input"]["file_path"] = json!(scene.path("sibling/a.md"));
    scene.hook(&payload).check();
    assert_eq!(scene.held(), ["proj by claude:1, shared", "sibling by claude:1"]);
}

#[test]
fn started_in_the_home_directory_a_session_is_at_home_nowhere() {
    let scene = Scene::new();
    scene.tree("");
    for (path, held) in [("notes.md", "notes.md by claude:1"), ("proj/a.md", "proj by claude:1")] {
        scene.write("1", path).within(scene.sandbox.home()).check();
        assert_eq!(scene.held(), [held]);
        scene.claude("1", "SessionEnd").check();
    }
}

#[test]
fn a_foreign_write_takes_the_tree_for_the_session_that_the_shell_tool_speaks_for_too() {
    // (the fixture, the variable that its shell tool has, the variables that may be there as well)
    for (fixture, variable, others) in [
        ("claude/PreToolUse-Write", "CLAUDE_CODE_SESSION_ID", &[][..]),
        ("claude/PreToolUse-Write-subagent", "CLAUDE_CODE_SESSION_ID", &[]),
        ("codex/PreToolUse-apply_patch-subagent", "CODEX_SESSION_ID", &["CODEX_THREAD_ID"]),
        ("codex/PreToolUse-apply_patch", "CODEX_THREAD_ID", &[]),
        ("copilot/preToolUse-create", "COPILOT_AGENT_SESSION_ID", &[]),
        ("pi/tool_call-write", "PI_SESSION_ID", &[]),
    ] {
        let scene = Scene::new();
        let payload = scene.payload(fixture);
        scene.hook(&payload).check();
        let session = ["session_id", "sessionId"].iter().find_map(|key| payload[key].as_str()).unwrap();
        let shell = |words: &[&str]| {
            let run = scene.sandbox.run(words).env(variable, session);
            others.iter().fold(run, |run, other| run.env(other, "another"))
        };
        let mine = shell(&["status", "--mine"]).json();
        let holder = format!("{}:{session}", fixture.split('/').next().unwrap());
        assert_eq!(mine["claims"][0]["claim"]["holder"], json!(holder), "{fixture}");
        assert_eq!(mine["claims"][0]["claim"]["target"], json!(scene.path("sibling")), "{fixture}");
        let purpose = mine["claims"][0]["claim"]["purpose"].as_str().unwrap();
        assert!(purpose.starts_with("writes ") && purpose.contains("sibling/"), "{purpose}");
        shell(&["release", "--all"]).stdout_any().check();
        assert_eq!(scene.held(), [""; 0], "{fixture}");
    }
}

#[test]
fn the_session_of_the_payload_comes_before_what_the_environment_says() {
    let scene = Scene::new();
    let run = scene.hook(&scene.write_payload("1", "sibling/a.md")).env("CLAIM_HOLDER", "x");
    run.env("CODEX_SESSION_ID", "2").env("CLAUDE_CODE_SESSION_ID", "3").check();
    assert_eq!(scene.held(), ["sibling by claude:1"]);
    // A payload without one leaves it to the environment.
    let mut payload = scene.write_payload("1", "sibling/a.md");
    payload.as_object_mut().unwrap().remove("session_id");
    scene.hook(&payload).env("CLAIM_HOLDER", "x").denied_because("is claimed by claude:1");
    scene.hook(&payload).env("CLAUDE_CODE_SESSION_ID", "1").check();
    scene.hook(&payload).denied_because("CLAIM_HOLDER");
}

#[test]
fn the_subagents_of_a_session_share_its_claims() {
    let scene = Scene::new();
    scene.write("1", "sibling/a.md").check();
    let with = |key: &str, value: &str| {
        let mut payload = scene.write_payload("1", "sibling/b.md");
        payload[key] = json!(value);
        payload
    };
    scene.hook(&with("agent_id", "sub")).check();
    assert_eq!(scene.held(), ["sibling by claude:1"]);
    // Its end is not the session's.
    for event in ["SubagentStop", "SessionEnd"] {
        scene.hook(&json!({"session_id": "1", "agent_id": "sub", "hook_event_name": event, "prompt_id": "p"})).check();
        assert_eq!(scene.held(), ["sibling by claude:1"], "{event}");
    }
}

#[test]
fn in_opencode_a_subagent_has_a_session_of_its_own_and_the_roots_claims() {
    let scene = Scene::new();
    let call = |session: &str, root: Option<&str>| {
        let mut payload = scene.payload("opencode/tool_execute_before-write");
        payload["session_id"] = json!(session);
        if let Some(root) = root {
            payload["root_session_id"] = json!(root);
        }
        payload
    };
    scene.hook(&call("root", None)).check();
    scene.hook(&call("sub", Some("root"))).check();
    scene.hook(&call("sub-of-sub", Some("root"))).check();
    assert_eq!(scene.held(), ["sibling by opencode:root"]);
    let outcome = scene.hook(&call("sub", None)).exit(2).stderr_some().check();
    assert!(outcome.stderr.contains("is claimed by opencode:root"), "{outcome}");
    let deleted = |session: &str| json!({"hook_event_name": "session.deleted", "session_id": session, "root_session_id": "root", "cwd": "/"});
    scene.hook(&deleted("sub")).check();
    assert_eq!(scene.held(), ["sibling by opencode:root"]);
    scene.hook(&deleted("root")).check();
    assert_eq!(scene.held(), [""; 0]);
}

#[test]
fn the_end_of_a_session_releases_all_of_its_claims_and_no_others() {
    let scene = Scene::new();
    scene.tree("third");
    for path in ["proj/a.md", "sibling/a.md"] {
        scene.write("1", path).check();
    }
    scene.sandbox.by("claude:1", ["take", "shared-config", "testing"]).stdout_any().check();
    scene.write("2", "proj/a.md").check();
    scene.write("2", "third/a.md").check();
    scene.write("11", "proj/a.md").check();
    scene.claude("1", "SessionEnd").check();
    let others = ["proj by claude:11, shared", "proj by claude:2, shared", "third by claude:2"];
    assert_eq!(scene.held(), others);
    // Of a session that holds nothing, or of a place that is not there, it is nothing.
    scene.claude("1", "SessionEnd").check();
    assert_eq!(scene.held(), others);
    let none = Scene::new();
    none.claude("1", "SessionEnd").check();
    assert!(!none.sandbox.place().exists());
}

#[test]
fn every_hosts_end_releases_and_its_stop_does_not() {
    for (write, stop, end) in [
        ("claude/PreToolUse-Write", "claude/Stop", "claude/SessionEnd"),
        ("codex/PreToolUse-apply_patch", "codex/Stop", "codex/SessionEnd"),
        ("gemini/BeforeTool-write_file", "gemini/AfterAgent", "gemini/SessionEnd"),
        ("opencode/tool_execute_before-write", "opencode/session_idle", ""),
        ("pi/tool_call-write", "", "pi/session_shutdown"),
        ("cursor/preToolUse-Write", "cursor/stop", "cursor/sessionEnd"),
        ("copilot/preToolUse-create", "copilot/agentStop", "copilot/sessionEnd"),
        ("copilot/PreToolUse-Write-pascal", "copilot/Stop-pascal", "copilot/SessionEnd-pascal"),
        ("crush/PreToolUse-write", "crush/TurnEnd", "crush/SessionEnd"),
        ("goose/PreToolUse-developer__write", "goose/Stop", "goose/SessionEnd"),
        ("windsurf/pre_write_code", "windsurf/post_cascade_response", ""),
        ("cline/PreToolUse-write_to_file", "", "cline/TaskComplete"),
        ("cline/tool_call-editor", "cline/agent_end", "cline/session_shutdown"),
    ] {
        let scene = Scene::new();
        scene.hook(&scene.payload(write)).stdout_any().check();
        assert_eq!(scene.held().len(), 1, "{write}");
        scene.age("sibling", 61);
        let before = scene.claim("sibling").1;
        if !stop.is_empty() {
            scene.hook(&scene.payload(stop)).check();
            let after = scene.claim("sibling").1;
            assert_ne!(after["heartbeat_at"], before["heartbeat_at"], "{stop}");
            assert_eq!(after["taken_at"], before["taken_at"], "{stop}");
        }
        if !end.is_empty() {
            scene.hook(&scene.payload(end)).check();
            assert_eq!(scene.held(), [""; 0], "{end}");
        }
    }
}

#[test]
fn the_end_of_a_turn_renews_the_heartbeats_that_are_due_and_no_others() {
    let scene = Scene::new();
    scene.write("1", "proj/a.md").check();
    scene.write("1", "sibling/a.md").check();
    scene.take("b", "third");
    for (age, due) in [(30, false), (61, true), (5_000, true)] {
        for path in ["proj", "sibling", "third"] {
            scene.age(path, age);
        }
        let before = ["proj", "sibling", "third"].map(|path| scene.claim(path).1["heartbeat_at"].clone());
        scene.claude("1", "Stop").check();
        let after = ["proj", "sibling", "third"].map(|path| scene.claim(path).1["heartbeat_at"].clone());
        assert_eq!(after[0] != before[0], due, "{age}");
        assert_eq!(after[1] != before[1], due, "{age}");
        assert_eq!(after[2], before[2]);
    }
}

#[test]
fn a_claim_that_was_taken_over_is_not_brought_back_by_the_end_of_a_turn() {
    let scene = Scene::new();
    scene.write("1", "sibling/a.md").check();
    scene.age("sibling", 901);
    scene.write("2", "sibling/a.md").check();
    scene.claude("1", "Stop").check();
    scene.claude("1", "SessionEnd").check();
    assert_eq!(scene.held(), ["sibling by claude:2"]);
    assert_eq!(scene.claim("sibling").1["taken_from"], "claude:1");
    let taken_at = scene.claim("sibling").1["taken_at"].as_str().unwrap().to_owned();
    let told = scene.write("1", "sibling/a.md").denied_because("it was yours: claude:2 took it over ");
    assert!(told.contains(&taken_at), "{told}");
}

#[test]
fn a_write_renews_the_heartbeat_of_the_claim_that_covers_it_once_that_is_due() {
    let scene = Scene::new();
    scene.write("1", "proj/a.md").check();
    scene.write("1", "sibling/a.md").check();
    for (path, file) in [("proj", "proj/b.md"), ("sibling", "sibling/b.md")] {
        for (age, due) in [(30, false), (61, true), (5_000, true)] {
            scene.age(path, age);
            let before = scene.claim(path).1;
            scene.write("1", file).check();
            assert_eq!(scene.claim(path).1["heartbeat_at"] != before["heartbeat_at"], due, "{path} {age}");
        }
    }
    assert_eq!(scene.held(), ["proj by claude:1, shared", "sibling by claude:1"]);
}

#[test]
fn a_damaged_file_of_somebodys_keeps_no_session_from_its_own() {
    let scene = Scene::new();
    scene.write("1", "sibling/a.md").check();
    scene.age("sibling", 61);
    let file = scene.sandbox.file(&scene.claim("sibling").0);
    fs::create_dir(scene.sandbox.file("a-directory")).unwrap();
    scene.sandbox.write("not-json", "{");
    scene.claude("1", "Stop").check();
    let claim: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_ne!(claim["heartbeat_at"], claim["taken_at"]);
    scene.claude("1", "SessionEnd").check();
    assert!(!file.exists());
    assert!(scene.sandbox.file("a-directory").exists() && scene.sandbox.file("not-json").exists());
}
