//! Payloads that are not quite what they should be: what can be understood is, and what cannot denies a write alone.

use std::fs;

use serde_json::{Value, json};

use crate::scene::Scene;

#[test]
fn a_byte_order_mark_and_half_a_character_are_understood() {
    let scene = Scene::new();
    scene.take("b", "sibling");
    for (path, code) in [("a.md", 0), ("../sibling/a.md", 2)] {
        let payload = scene.call("1", "Write", &json!({"file_path": path, "content": "HERE"})).to_string();
        let half = payload.replace("HERE", r"x \ud83d y \ude00");
        for text in [half.clone(), format!("\u{feff}{payload}"), format!("\u{feff}{half}")] {
            let outcome = scene.hook(&Value::Null).stdin(text).outcome();
            assert_eq!(outcome.exit, code, "{outcome}");
        }
    }
    let scene = Scene::new();
    // What the host makes of it in a name is what is judged.
    scene.touch("proj/\u{fffd}.md");
    scene.take("b", "proj/\u{fffd}.md");
    let text = scene.call("1", "Write", &json!({"file_path": "NAME.md"})).to_string().replace("NAME", r"\udc00");
    scene.hook(&Value::Null).stdin(text).denied_because("REFUSED");
}

#[test]
fn a_write_in_a_payload_that_breaks_off_is_denied_and_nothing_else_is() {
    let scene = Scene::new();
    let broken = |payload: &Value| {
        let text = payload.to_string();
        let at = text.find("\"tool_input\":{").map_or(text.len() - 1, |index| index + 16);
        text[..at].to_owned()
    };
    for tool in ["Write", "Edit", "Bash"] {
        let payload = scene.call("1", tool, &json!({"file_path": scene.path("proj/a.md"), "command": "ls"}));
        for text in [
            broken(&payload),
            broken(&payload) + "\u{1}\"}}",
            payload.to_string().replace("\"tool_input\":{", "\"tool_input\":{,"),
        ] {
            scene.hook(&Value::Null).stdin(text).denied_because("so it is denied: standard input is not JSON");
        }
    }
    let mut others = vec![scene.call("1", "Read", &json!({"file_path": "a"}))];
    let mut after = scene.write_payload("1", "proj/a.md");
    after["hook_event_name"] = json!("PostToolUse");
    others.push(after);
    for event in ["Stop", "SessionStart", "SessionEnd", "UserPromptSubmit", "Tomorrow"] {
        others.push(json!({"session_id": "1", "hook_event_name": event, "prompt_id": "p"}));
    }
    for payload in others {
        scene.hook(&Value::Null).stdin(broken(&payload)).exit(1).stderr_some().check();
    }
    assert_eq!(scene.held(), [""; 0]);
}

#[test]
fn a_shell_call_without_a_command_is_denied() {
    let scene = Scene::new();
    for input in
        [json!({}), json!(null), json!("ls"), json!({"command": 7}), json!({"command": null}), json!({"command": [7]})]
    {
        scene.hook(&scene.call("1", "Bash", &input)).denied_because("what Bash writes cannot be told");
    }
    for input in [json!({"command": ""}), json!({"command": []}), json!({"command": " "})] {
        scene.hook(&scene.call("1", "Bash", &input)).check();
    }
}

#[test]
fn a_name_with_control_characters_is_judged_as_the_directory_around_it() {
    let scene = Scene::new();
    scene.tree("third");
    fs::create_dir(scene.path("notes")).unwrap();
    scene.take("b", "sibling");
    for name in ["a\tb.md", "a\r", "line\nline/c.md"] {
        scene.hook(&scene.call("1", "Write", &json!({"file_path": name}))).check();
        let held = scene.call("1", "Write", &json!({"file_path": format!("../sibling/{name}")}));
        scene.hook(&held).denied_because("sibling is claimed by b");
        // What is claimed is the tree, and where there is none the directory.
        scene.hook(&scene.call("1", "Write", &json!({"file_path": format!("../third/{name}")}))).check();
        scene.hook(&scene.call("1", "Write", &json!({"file_path": format!("../notes/{name}")}))).check();
        scene
            .hook(&scene.call("1", "Bash", &json!({"command": format!("touch $'{}'", name.escape_default())})))
            .check();
    }
    let expected = ["notes by claude:1", "proj by claude:1, shared", "sibling by b", "third by claude:1"];
    assert_eq!(scene.held(), expected);
    // Nobody may claim the directory of a user, so a file in it needs a name.
    let told =
        scene.hook(&scene.call("1", "Write", &json!({"file_path": "../a\tb"}))).denied_because("control characters");
    assert_eq!(told.matches("claim: ").count(), 1, "{told}");
    assert_eq!(told.lines().count(), 2, "{told}");
}
