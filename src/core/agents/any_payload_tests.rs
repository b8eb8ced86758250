//! Any JSON at all, and every fixture with something wrong in it: no panic, and no answer that its host would misread.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::fixture_tests::fixtures;
use super::{Answer, Event, Tool, answer, holder, recognise};

/// Every value in a tree, with a change made to each in turn.
fn changed(value: &Value, change: &dyn Fn(&Value) -> Option<Value>) -> Vec<Value> {
    let put = |container: &Value, key: &str, value: Option<Value>| {
        let mut map: Map<String, Value> = container.as_object().cloned().unwrap_or_default();
        match value {
            Some(value) => map.insert(key.into(), value),
            None => map.remove(key),
        };
        Value::Object(map)
    };
    let Some(map) = value.as_object() else {
        return Vec::new();
    };
    map.iter()
        .flat_map(|(key, inner)| {
            let deeper = changed(inner, change).into_iter().map(|inner| put(value, key, Some(inner)));
            std::iter::once(put(value, key, change(inner))).chain(deeper).collect::<Vec<_>>()
        })
        .collect()
}

fn every_answer_is_well_formed(payload: &Value) {
    let Some(call) = recognise(payload) else {
        return;
    };
    drop(holder(&call));
    let texts = || "\u{7}\"\\\u{1b}[31m\u{2028}".to_owned();
    for given in [Answer::NoObjection, Answer::Deny { reason: texts() }, Answer::Context { line: texts() }] {
        let output = answer(&call, &given);
        let denied = matches!(given, Answer::Deny { .. }) && call.event == Event::BeforeTool;
        assert_eq!(output.code, if denied { 2 } else { 0 }, "{payload}");
        assert_eq!(output.stderr.is_empty(), !denied, "{payload}");
        if call.event == Event::TurnEnd {
            assert_eq!(output.stdout, "", "{payload}");
        }
        let plain = matches!(given, Answer::Context { .. }) && matches!(call.agent.name, "opencode" | "pi");
        if !output.stdout.is_empty() && !plain {
            assert!(serde_json::from_str::<Value>(&output.stdout).unwrap().is_object(), "{payload}");
        }
    }
}

#[test]
fn fixtures_with_any_field_gone_or_of_another_type_are_answered() {
    let others = [Value::Null, json!(true), json!(7), json!(""), json!("text"), json!([]), json!([7, "a"]), json!({})];
    for (_, payload) in fixtures() {
        let mut payloads = changed(&payload, &|_| None);
        for other in &others {
            payloads.extend(changed(&payload, &|_| Some(other.clone())));
        }
        payloads.iter().for_each(every_answer_is_well_formed);
    }
}

#[test]
fn a_write_whose_path_is_no_text_is_never_let_through() {
    let mut tried = 0;
    for (file, payload) in fixtures() {
        let original = recognise(&payload).unwrap();
        let Tool::Write { paths, .. } = &original.tool else {
            continue;
        };
        let text = payload.to_string();
        let broken = paths.iter().fold(text.clone(), |text, path| text.replace(&format!("\"{path}\""), "7"));
        if broken == text {
            continue;
        }
        let call = recognise(&serde_json::from_str(&broken).unwrap()).unwrap();
        assert!(matches!(call.tool, Tool::Unreadable { .. }), "{file}: {:?}", call.tool);
        tried += 1;
    }
    assert!(tried > 30, "{tried}");
}

fn any_json() -> impl Strategy<Value = Value> {
    let words = prop::sample::select(vec![
        "PreToolUse",
        "preToolUse",
        "BeforeTool",
        "tool.execute.before",
        "tool_call",
        "Stop",
        "SessionStart",
        "fork",
        "Write",
        "Bash",
        "apply_patch",
        "*** Begin Patch",
        "{\"path\":7}",
        "create",
        "",
        "/s/a",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        words.prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    let keys = prop::sample::select(vec![
        "hook_event_name",
        "hookName",
        "event",
        "agent_action_name",
        "session_id",
        "sessionId",
        "root_session_id",
        "cwd",
        "tool_name",
        "toolName",
        "tool_input",
        "toolArgs",
        "tool_info",
        "preToolUse",
        "parameters",
        "path",
        "command",
        "edits",
        "files",
        "commands",
        "timestamp",
        "workspace_roots",
        "turn_id",
        "source",
        "reason",
        "content",
    ]);
    leaf.prop_recursive(4, 48, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((keys.clone(), inner), 0..8)
                .prop_map(|pairs| pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_json_is_answered(payload in any_json()) {
        every_answer_is_well_formed(&payload);
    }
}
