//! The merge against texts as people and programs write them: what was there stays, what was added goes.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Content, HOSTS, Hooks, installed, json::parse, missing, named, uninstalled};

fn hooks(host: &str) -> &'static Hooks {
    let content = &named(host).unwrap().files[0].content;
    let Content::Hooks(hooks) = content else { panic!("{host} has no hooks in JSON") };
    hooks
}

fn all() -> impl Iterator<Item = &'static Hooks> {
    HOSTS.iter().flat_map(|host| host.files).filter_map(|file| match &file.content {
        Content::Hooks(hooks) => Some(*hooks),
        Content::Whole { .. } => None,
    })
}

/// There and back without a backup to help, for every host.
#[track_caller]
fn assert_round_trip(text: &str) {
    for hooks in all() {
        let with = installed(Some(text), hooks).unwrap();
        assert_ne!(with, text);
        assert_eq!(missing(&with, hooks).unwrap(), [""; 0], "{with}");
        assert_eq!(installed(Some(&with), hooks).unwrap(), with, "a second run changes nothing");
        let left = uninstalled(&with, None, hooks).unwrap();
        assert_eq!(left.text, text, "{with}");
        assert_eq!(uninstalled(text, None, hooks).unwrap().text, text, "nothing to take out");
    }
}

#[test]
fn every_layout_is_kept() {
    for text in [
        "{\n  \"model\": \"opus\"\n}\n",
        "{\n    \"model\": \"opus\",\n    \"env\": {\"A\": \"1\"}\n}",
        "{\n\t\"model\": \"opus\"\n}\n",
        "{\r\n  \"model\": \"opus\"\r\n}\r\n",
        "{\"model\":\"opus\"}",
        "{\"model\": \"opus\", \"n\": [1, 2]}\n",
        "{ \"model\": \"opus\" }\n",
        "\u{feff}{\n  \"model\": \"opus\"\n}\n",
        "{\n  // which one\n  \"model\": \"opus\" // the large one\n}\n",
        "{\n  \"model\": \"opus\", /* more\n  to come */\n}\n",
        "{\n  \"model\": \"opus\",\n}\n",
        "{\"model\": \"opus\" // large\n}\n",
        "{\n  \"hooks\": {\n    \"Other\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}]\n  },\n  \"z\": 1\n}\n",
        "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": []\n      }\n    ]\n  }\n}\n",
        "{\n  \"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [{\"command\": \"mine\"}]}]}\n}\n",
        "{\n  \"hooks\": {\n    \"BeforeTool\": [\n      { \"command\": \"myclaim hook\" },\n      { \"command\": \"claim hooks\" },\n    ],\n  },\n}\n",
        "{\"hooks\":{\"stop\":[{\"command\":\"mine\"}],\"disabled\":[\"x\"],\"enabled\":true}}",
        "{\"a\":{},\"b\":[],\"hooks\":{\"Other\":[]}}",
    ] {
        assert_round_trip(text);
    }
}

#[test]
fn what_is_added_looks_as_if_typed_there() {
    let windsurf = hooks("crush");
    let entry = "{\n        \"matcher\": \"^(write|edit|multiedit|download|bash)$\",\n        \"command\": \"";
    let four = installed(Some("{\n    \"a\": 1\n}\n"), windsurf).unwrap();
    let start =
        "{\n    \"a\": 1,\n    \"hooks\": {\n        \"PreToolUse\": [\n            {\n                \"matcher\"";
    assert!(four.starts_with(start), "{four}");
    assert!(four.ends_with("            }\n        ]\n    }\n}\n"), "{four}");
    let tight = installed(Some("{\"a\":1}"), windsurf).unwrap();
    assert!(tight.starts_with("{\"a\":1,\"hooks\":{\"PreToolUse\":[{\"matcher\":\""), "{tight}");
    assert!(tight.ends_with("\"timeout\":30}]}}"), "{tight}");
    let new = installed(None, windsurf).unwrap();
    assert!(new.starts_with(&format!("{{\n  \"hooks\": {{\n    \"PreToolUse\": [\n      {entry}")), "{new}");
    assert_eq!(installed(Some(" \n"), windsurf).unwrap(), new);
}

#[test]
fn empty_containers_come_back_by_the_backup() {
    for hooks in all() {
        for text in ["{}\n", "{ }", "{\n}\n", "{\"hooks\": {}}\n", "{\n  \"hooks\": { }\n}\n", "", "{\"version\": 1}\n"]
        {
            let with = installed(Some(text), hooks).unwrap();
            let left = uninstalled(&with, Some(text), hooks).unwrap();
            assert_eq!((left.text.as_str(), left.is_worthless), (text, false));
        }
        let new = installed(None, hooks).unwrap();
        assert!(uninstalled(&new, None, hooks).unwrap().is_worthless, "{new}");
        assert!(!uninstalled("{}", None, hooks).unwrap().is_worthless, "nothing of ours was there");
    }
}

#[test]
fn a_backup_from_before_other_changes_is_not_brought_back() {
    let claude = hooks("claude");
    let before = "{\n  \"model\": \"opus\"\n}\n";
    let with = installed(Some(before), claude).unwrap().replace("opus", "sonnet");
    assert_eq!(uninstalled(&with, Some(before), claude).unwrap().text, before.replace("opus", "sonnet"));
    let old = installed(Some(before), claude).unwrap();
    assert_eq!(uninstalled(&old, Some(&old), claude).unwrap().text, before, "a backup with the hook is none");
}

#[test]
fn an_entry_of_another_version_is_renewed_and_others_stay_where_they_are() {
    let claude = hooks("claude");
    for old in [
        r#"{"type": "command", "command": "claim hook", "timeout": 5}"#,
        r#"{"type": "command", "command": "/opt/bin/claim hook || exit 2"}"#,
        r#"{"type": "command", "command": "claim", "args": ["hook"]}"#,
        r#"{"type": "command", "command": "\"C:\\Program Files\\claim.exe\" hook"}"#,
    ] {
        let text = format!(
            "{{\n  \"hooks\": {{\n    \"PreToolUse\": [\n      {{\"matcher\": \"Bash\", \"hooks\": [{{\"command\": \"one\"}}, {old}]}},\n\
             \x20     {{\"hooks\": [{{\"command\": \"two\"}}]}}\n    ],\n    \"PreCompact\": [{{\"hooks\": [{old}]}}]\n  }}\n}}\n"
        );
        let with = installed(Some(&text), claude).unwrap();
        let value: Value = serde_json::from_str(&with).unwrap();
        let list = value["hooks"]["PreToolUse"].as_array().unwrap();
        assert_eq!(list[0], json!({"matcher": "Bash", "hooks": [{"command": "one"}]}));
        assert_eq!(list[1], json!({"hooks": [{"command": "two"}]}));
        assert_eq!(list.len(), 3);
        assert_eq!(value["hooks"].get("PreCompact"), None, "{with}");
        assert!(!with.contains(old), "{with}");
    }
}

#[test]
fn what_a_person_set_on_our_entry_stays() {
    let claude = hooks("claude");
    let with =
        installed(None, claude).unwrap().replace("\"timeout\": 30", "\"timeout\": 60, \"statusMessage\": \"asking\"");
    assert_eq!(installed(Some(&with), claude).unwrap(), with);
}

#[test]
fn what_is_malformed_is_said_with_its_place() {
    let claude = hooks("claude");
    for (text, place) in [
        ("{", "line 1, column 2: a closing bracket is missing"),
        ("{\n  \"a\": 1\n  \"b\": 2\n}", "line 3, column 3: a comma or a closing bracket is missing"),
        ("{\n  \"ä\": x\n}", "line 2, column 8: this is no value"),
        ("{'a': 1}", "line 1, column 2: a key in quotes is missing"),
        ("{\"a\" 1}", "line 1, column 6: a colon is missing"),
        ("{\"a\": \"\n\"}", "line 1, column 7: this text has an escape or a control character that JSON does not have"),
        ("{\"a\": \"x}", "line 1, column 7: this text does not end"),
        ("{} /* x", "line 1, column 4: this comment does not end"),
        ("{}}", "line 1, column 3: something follows the value"),
        ("{,}", "line 1, column 2: a key in quotes is missing"),
        ("[]", "line 1, column 1: this is no JSON object"),
        ("{\"hooks\": []}", "line 1, column 11: \"hooks\" is no JSON object"),
        ("{\"hooks\": {\"Stop\": {}}}", "line 1, column 20: \"Stop\" is no list"),
        (&format!("{{\"a\": {}", "[".repeat(10_000)), "line 1, column 71: this is nested too deeply"),
    ] {
        assert_eq!(installed(Some(text), claude).unwrap_err().to_string(), place);
        assert_eq!(uninstalled(text, None, claude).unwrap_err().to_string(), place);
    }
}

/// Any JSON value, with keys that matter among the others.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[ -~äß\\n\"]{0,8}".prop_map(Value::from),
        Just(Value::from("mine || true")),
    ];
    let key =
        prop_oneof!["[a-z/]{1,5}", Just("command".to_owned()), Just("matcher".to_owned()), Just("hooks".to_owned())];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 1..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// A configuration with hooks of somebody else's.
fn configuration() -> impl Strategy<Value = Value> {
    let event = prop_oneof![Just("PreToolUse"), Just("preToolUse"), Just("Stop"), Just("BeforeTool"), Just("Other")];
    let list = prop::collection::vec(value(), 1..3).prop_map(Value::from);
    let events = prop::collection::vec((event, list), 1..4)
        .prop_map(|events| Value::Object(events.into_iter().map(|(event, list)| (event.to_owned(), list)).collect()));
    (prop::collection::vec(("[a-g]{1,3}", value()), 0..4), prop::option::of(events), 0_usize..5).prop_map(
        |(members, events, position)| {
            let mut members = members;
            if let Some(events) = events {
                members.insert(position.min(members.len()), ("hooks".to_owned(), events));
            }
            let mut map: serde_json::Map<String, Value> = members.into_iter().collect();
            map.entry("x").or_insert(Value::Null);
            Value::Object(map)
        },
    )
}

/// The value as text, in one of several layouts.
fn laid_out(value: &Value, layout: u8) -> String {
    let indented = |unit: &[u8]| {
        let mut bytes = Vec::new();
        let formatter = serde_json::ser::PrettyFormatter::with_indent(unit);
        serde::Serialize::serialize(value, &mut serde_json::Serializer::with_formatter(&mut bytes, formatter)).unwrap();
        String::from_utf8(bytes).unwrap()
    };
    match layout {
        0 => indented(b"  ") + "\n",
        1 => indented(b"    "),
        2 => indented(b"\t") + "\n",
        3 => indented(b"  ").replace('\n', "\r\n"),
        4 => indented(b"  ").replace("[\n", "[ // a list\n").replace("\n}", "\n// end\n}"),
        _ => value.to_string(),
    }
}

proptest! {
    #[test]
    fn what_was_there_stays_in_its_order_and_comes_back(value in configuration(), layout in 0_u8..6, which in 0_usize..20) {
        let text = laid_out(&value, layout);
        let hooks = all().nth(which % all().count()).unwrap();
        let with = installed(Some(&text), hooks).unwrap();
        prop_assert_eq!(&installed(Some(&with), hooks).unwrap(), &with);
        prop_assert_eq!(&uninstalled(&with, None, hooks).unwrap().text, &text);
        if layout != 4 {
            // Without ours nothing but the original is left: keys, order, values.
            let merged: Value = serde_json::from_str(&with).unwrap();
            let mut merged = merged.as_object().unwrap().clone();
            let mut original = value.as_object().unwrap().clone();
            let (new, old) = (merged.shift_remove("hooks").unwrap(), original.shift_remove("hooks").unwrap_or_default());
            prop_assert_eq!(merged.into_iter().collect::<Vec<_>>(), original.into_iter().collect::<Vec<_>>());
            for (event, list) in old.as_object().into_iter().flatten() {
                let list = list.as_array().unwrap();
                prop_assert_eq!(&new[event].as_array().unwrap()[..list.len()], &list[..]);
            }
        }
    }

    #[test]
    fn what_json_is_is_read_and_nothing_panics(text in "[\\[\\]{}\",:0-9a-z/* \\n\\\\]{0,30}") {
        let strict = serde_json::from_str::<Value>(&text);
        match parse(&text) {
            Ok(_) if !text.contains('/') && !text.contains(',') => prop_assert!(strict.is_ok(), "{}", text),
            Ok(_) => {}
            Err(_) => prop_assert!(strict.is_err(), "{}", text),
        }
        for hooks in all() {
            drop(installed(Some(&text), hooks));
            drop(uninstalled(&text, None, hooks));
        }
    }

    #[test]
    fn any_value_is_read_as_json_reads_it(value in value(), layout in 0_u8..6) {
        prop_assert!(parse(&laid_out(&value, layout)).is_ok() || layout == 4);
    }
}
