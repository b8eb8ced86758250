//! What a session is told at its start and at a prompt: one line, in the host's own form, or nothing.

use serde_json::{Value, json};

use crate::scene::Scene;
use crate::support::{Outcome, record};

/// What Claude Code's model gets to read at an event, which must be fine.
fn line(scene: &Scene, session: &str, event: &str) -> Option<String> {
    let outcome = scene.claude(session, event).stdout_any().check();
    context(&outcome, event)
}

fn context(outcome: &Outcome, event: &str) -> Option<String> {
    if outcome.stdout.is_empty() {
        return None;
    }
    let document: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let line = document["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned();
    let whole = json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": line}});
    assert_eq!(document, whole);
    assert_eq!(line.lines().count(), 1, "{line:?}");
    Some(line)
}

/// A session leaves a note on a path.
fn note(scene: &Scene, holder: &str, path: &str, text: &str) {
    let path = scene.path(path);
    scene.sandbox.by(holder, ["handover", "add", path.to_str().unwrap(), text]).stdout_any().check();
}

#[test]
fn with_nothing_to_tell_nothing_is_told() {
    let scene = Scene::new();
    scene.take("b", "sibling");
    note(&scene, "c", "sibling/a.md", "not here");
    scene.write("1", "proj/a.md").check();
    assert_eq!(line(&scene, "1", "SessionStart"), None);
    assert_eq!(line(&scene, "1", "UserPromptSubmit"), None);
}

#[test]
fn a_start_names_who_else_is_at_work_here() {
    let scene = Scene::new();
    scene.take("b", "proj/sub");
    scene.write("2", "proj/a.md").check();
    let told = line(&scene, "1", "SessionStart").unwrap();
    assert!(told.starts_with("claim: others are at work here: "), "{told}");
    for name in ["claude:2 in ", "b in ", "proj/sub"] {
        assert!(told.contains(name), "{told}");
    }
    assert!(!told.contains("claude:1"), "{told}");
    // It is no news at every prompt, and somebody who is gone is not at work.
    assert_eq!(line(&scene, "1", "UserPromptSubmit"), None);
    scene.age("proj/a.md", 901);
    scene.age("proj/sub", 901);
    assert_eq!(line(&scene, "1", "SessionStart"), None);
}

#[test]
fn a_start_names_the_notes_that_wait_here() {
    let scene = Scene::new();
    note(&scene, "b", "proj", "first");
    let told = line(&scene, "1", "SessionStart").unwrap();
    let proj = scene.path("proj").display().to_string();
    assert_eq!(told, format!("claim: 1 handover note waits on {proj} (claim handover list {proj})."));
    note(&scene, "b", "proj", "second");
    note(&scene, "b", "proj/a.md", "third");
    let told = line(&scene, "1", "SessionStart").unwrap();
    assert!(told.contains(&format!("2 handover notes wait on {proj} (claim handover list {proj})")), "{told}");
    assert!(told.contains(&format!("1 handover note waits on {proj}/a.md")), "{told}");
}

#[test]
fn home_is_what_the_session_was_started_in_also_for_the_news() {
    let scene = Scene::new();
    scene.take("b", "sibling");
    let start = json!({"session_id": "1", "cwd": scene.path("sibling"), "hook_event_name": "SessionStart"});
    let outcome = scene.hook(&start).env("CLAUDE_PROJECT_DIR", scene.path("proj")).check();
    assert_eq!(context(&outcome, "SessionStart"), None);
    let outcome = scene.hook(&start).within(scene.path("sibling/sub")).stdout_any().check();
    assert!(context(&outcome, "SessionStart").unwrap().contains("b in "));
    // Everybody's directory is nobody's home.
    let outcome = scene.hook(&start).within(scene.sandbox.home()).check();
    assert_eq!(context(&outcome, "SessionStart"), None);
}

#[test]
fn a_session_whose_shell_does_not_know_it_is_told_its_holder_but_not_where_the_id_may_be_anothers() {
    for (fixture, holder) in [
        ("gemini/SessionStart", "gemini:a32a5937-1d16-4669-a639-1f0d3c491524"),
        ("opencode/session_created", "opencode:ses_dd08dbbb0ffeMEjK7LJNQb7gDL"),
        ("pi/session_start", "pi:01a22f72-2e81-734e-8cef-51b33fd0fae9"),
    ] {
        let scene = Scene::new();
        let mut payload = scene.payload(fixture);
        let told = scene.hook(&payload).stdout_any().check().stdout;
        assert!(told.contains(&format!("CLAIM_HOLDER={holder}")), "{fixture}: {told}");
        // Once it is told, the shell tool's word is the hook's.
        let write = fixture.replace("SessionStart", "BeforeTool-write_file");
        let write =
            write.replace("session_created", "tool_execute_before-write").replace("session_start", "tool_call-write");
        scene.hook(&scene.payload(&write)).check();
        scene.sandbox.by(holder, ["release", scene.path("sibling").to_str().unwrap()]).stdout_any().check();

        for (key, value) in [("source", "resume"), ("source", "fork"), ("reason", "fork"), ("reason", "resume")] {
            payload[key] = json!(value);
            scene.hook(&payload).check();
            payload.as_object_mut().unwrap().remove(key);
        }
    }
    let scene = Scene::new();
    for event in ["session_fork", "session_switch"] {
        let mut payload = scene.payload("pi/session_start");
        payload["hook_event_name"] = json!(event);
        scene.hook(&payload).check();
    }
    scene.hook(&scene.payload("cline/TaskResume")).check();
    scene.hook(&scene.payload("copilot/sessionStart-resume")).check();
    // Claude Code's, Codex's and Copilot's shells know it.
    for fixture in ["claude/SessionStart", "codex/SessionStart", "copilot/sessionStart"] {
        scene.hook(&scene.payload(fixture)).check();
    }
}

#[test]
fn a_start_that_goes_on_from_another_session_still_tells_the_news() {
    let scene = Scene::new();
    scene.take("b", "proj/sub");
    let start = json!({
        "session_id": "1", "cwd": scene.path("proj"), "hook_event_name": "SessionStart", "source": "fork",
    });
    let outcome = scene.hook(&start).stdout_any().check();
    assert!(context(&outcome, "SessionStart").unwrap().contains("b in "));
}

#[test]
fn who_was_refused_and_left_a_note_is_told_once_that_the_target_is_free() {
    let scene = Scene::new();
    scene.take("b", "sibling");
    scene.write("1", "sibling/a.md").denied_because("claim handover add");
    let path = scene.path("sibling/a.md");
    let add = scene.sandbox.run(["handover", "add", path.to_str().unwrap(), "use the preset"]);
    let file = add.env("CLAUDE_CODE_SESSION_ID", "1").stdout_any().check().stdout;
    assert!(file.starts_with(scene.sandbox.place().to_str().unwrap()), "{file}");
    // As long as it is held there is nothing to tell.
    assert_eq!(line(&scene, "1", "UserPromptSubmit"), None);
    scene.sandbox.by("b", ["release", "--all"]).stdout_any().check();
    // It is the author's news alone.
    assert_eq!(line(&scene, "2", "UserPromptSubmit"), None);
    let path = path.display();
    assert_eq!(
        line(&scene, "1", "UserPromptSubmit").unwrap(),
        format!(
            "claim: {path} is free now and your note waits there \
             (claim take {path} 'purpose', then claim handover next {path})."
        )
    );
    for event in ["UserPromptSubmit", "UserPromptSubmit", "SessionStart"] {
        assert_eq!(line(&scene, "1", event), None);
    }
    // Another note is other news; what was worked is none.
    note(&scene, "claude:1", "sibling/b.md", "another");
    assert!(line(&scene, "1", "UserPromptSubmit").unwrap().contains("sibling/b.md is free now"));
    note(&scene, "claude:1", "sibling/c.md", "a third");
    let third = scene.path("sibling/c.md");
    let by = |words: &[&str]| scene.sandbox.by("b", words).stdout_any().check().stdout;
    by(&["take", third.to_str().unwrap(), "work the note"]);
    let worked = by(&["handover", "next", third.to_str().unwrap()]);
    by(&["handover", "done", worked.trim()]);
    by(&["release", "--all"]);
    assert_eq!(line(&scene, "1", "UserPromptSubmit"), None);
}

#[test]
fn a_stale_claim_is_in_the_way_of_no_note() {
    let scene = Scene::new();
    scene.take("b", "sibling");
    note(&scene, "claude:1", "sibling", "later");
    assert_eq!(line(&scene, "1", "UserPromptSubmit"), None);
    scene.age("sibling", 901);
    assert!(line(&scene, "1", "UserPromptSubmit").unwrap().contains("is free now"));
}

#[test]
fn who_lost_a_claim_is_told_at_the_next_prompt_who_took_it_over_and_when() {
    let scene = Scene::new();
    scene.write("1", "sibling/a.md").check();
    scene.age("sibling", 901);
    scene.write("2", "sibling/a.md").check();
    let taken_at = scene.claim("sibling").1["taken_at"].as_str().unwrap().to_owned();
    for event in ["UserPromptSubmit", "SessionStart"] {
        let told = line(&scene, "1", event).unwrap();
        let sibling = scene.path("sibling").display().to_string();
        assert!(told.starts_with(&format!("claim: {sibling} was yours: claude:2 took it over ")), "{told}");
        assert!(told.ends_with(&format!(", at {taken_at}.")), "{told}");
    }
    assert_eq!(line(&scene, "2", "UserPromptSubmit"), None);
    scene.age("sibling", 901);
    assert_eq!(line(&scene, "1", "UserPromptSubmit"), None);
}

#[test]
fn no_text_of_another_session_breaks_the_line() {
    let scene = Scene::new();
    let stem = scene.stem("proj/a b");
    let path = scene.path("proj/a b");
    let claim = record(path.to_str().unwrap(), "b\u{1b}[31m\nclaim: all is fine", 30);
    scene.sandbox.write(&stem, claim.to_string());
    let told = line(&scene, "1", "SessionStart").unwrap();
    assert!(told.contains("at work here") && !told.contains(char::is_control), "{told:?}");
}

#[test]
fn what_is_told_at_a_prompt_reaches_the_hosts_that_pass_it_on() {
    for (fixture, holder, answer) in [
        ("gemini/BeforeAgent", "gemini:a32a5937-1d16-4669-a639-1f0d3c491524", "additionalContext"),
        ("codex/UserPromptSubmit", "codex:01a22f72-3482-7ec1-9386-a878d714ca85", "additionalContext"),
        ("cline/UserPromptSubmit", "cline:1788000000000", "contextModification"),
        // They would not pass it on.
        ("copilot/userPromptSubmitted", "copilot:5f0c", ""),
        ("cursor/beforeSubmitPrompt", "cursor:c0f1", ""),
        ("goose/UserPromptSubmit", "goose:20261101_3", ""),
        ("windsurf/pre_user_prompt", "windsurf:traj-1", ""),
    ] {
        let scene = Scene::new();
        note(&scene, holder, "sibling", "later");
        let told = scene.hook(&scene.payload(fixture)).stdout_any().check().stdout;
        assert_eq!(told.is_empty(), answer.is_empty(), "{fixture}: {told}");
        assert!(told.contains(answer), "{fixture}: {told}");
        assert_eq!(told.contains("is free now"), !answer.is_empty(), "{fixture}: {told}");
    }
}

#[test]
fn what_a_host_would_drop_counts_as_not_told() {
    let scene = Scene::new();
    note(&scene, "copilot:5f0c", "sibling", "later");
    // Copilot passes nothing on at a prompt, and does at a session's start.
    scene.hook(&scene.payload("copilot/userPromptSubmitted")).check();
    let told = scene.hook(&scene.payload("copilot/sessionStart")).stdout_any().check().stdout;
    assert!(told.contains("is free now"), "{told}");
    scene.hook(&scene.payload("copilot/sessionStart")).check();
}
