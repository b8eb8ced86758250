//! `--json`: one object for every outcome, with the same keys for ever.

use std::{collections::BTreeSet, fs, path::PathBuf};

use regex::Regex;
use serde_json::{Map, Value, json};

use crate::support::{Sandbox, record};

/// The keys that each outcome has. A later version may have more and never fewer.
const KEYS: [(&str, &[&str]); 9] = [
    ("claimed", &["target", "claim", "heartbeat_age_s", "stale_in_s"]),
    ("renewed", &["target", "claim", "heartbeat_age_s", "stale_in_s"]),
    ("taken-over", &["target", "claim", "heartbeat_age_s", "stale_in_s"]),
    ("beat", &["target", "claim", "heartbeat_age_s", "stale_in_s"]),
    ("released", &["target", "claim"]),
    ("refused", &["target", "claim", "heartbeat_age_s", "stale_in_s", "message"]),
    ("not-held", &["target"]),
    ("status", &["dir", "claims", "stale", "problems"]),
    ("error", &["error", "message"]),
];

#[track_caller]
fn outcome(object: &Map<String, Value>, expected: &str) {
    assert_eq!(object["outcome"], expected, "{object:?}");
    assert_eq!(object.keys().next().unwrap(), "outcome", "what decides stands first");
    let (_, keys) = KEYS.iter().find(|(outcome, _)| *outcome == expected).unwrap();
    for key in *keys {
        assert!(object.contains_key(*key), "{expected} has no {key}: {object:?}");
    }
}

#[test]
fn every_outcome_of_a_target_is_one_object() {
    let sandbox = Sandbox::new();
    let claimed = sandbox.by("a", ["take", "t", "why", "--ttl", "60"]).json();
    outcome(&claimed, "claimed");
    assert_eq!(claimed["claim"], sandbox.claim("t"), "as its file has it");
    assert_eq!((&claimed["heartbeat_age_s"], &claimed["stale_in_s"]), (&json!(0), &json!(60)));

    outcome(&sandbox.by("a", ["take", "t", "why"]).json(), "renewed");
    let beat = sandbox.by("a", ["beat", "t"]).json();
    outcome(&beat, "beat");
    assert_eq!(beat["claim"], sandbox.claim("t"));

    sandbox.age("t", 20);
    for verb in [&["take", "t", "mine"][..], &["beat", "t"], &["release", "t"]] {
        let refused = sandbox.by("b", verb).exit(75).json();
        outcome(&refused, "refused");
        assert_eq!((&refused["target"], &refused["claim"]), (&json!("t"), &sandbox.claim("t")));
        let (age, left) = (refused["heartbeat_age_s"].as_i64().unwrap(), refused["stale_in_s"].as_i64().unwrap());
        assert!((20..40).contains(&age) && age + left == 60, "{refused:?}");
        assert!(refused["message"].as_str().unwrap().starts_with("REFUSED: t is claimed by a (heartbeat "));
    }

    sandbox.age("t", 61);
    let taken = sandbox.by("b", ["take", "t", "mine"]).json();
    outcome(&taken, "taken-over");
    assert_eq!((&taken["claim"]["taken_from"], &taken["stale_in_s"]), (&json!("a"), &json!(900)));

    let before = sandbox.claim("t");
    let released = sandbox.by("b", ["release", "t"]).json();
    outcome(&released, "released");
    assert_eq!(released["claim"], before, "what was released");
    for verb in ["beat", "release"] {
        let none = sandbox.by("b", [verb, "t"]).exit(3).json();
        outcome(&none, "not-held");
        assert_eq!(none["target"], "t");
    }
}

#[test]
fn a_claim_is_told_with_its_fields_in_the_order_of_its_file() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    sandbox.age("t", 901);
    let object = sandbox.by("b", ["take", "t", "why", "--ttl", "60", "--shared"]).json();
    let keys: Vec<_> = object["claim"].as_object().unwrap().keys().collect();
    let expected = ["target", "holder", "purpose", "taken_at", "heartbeat_at", "taken_from", "ttl_s", "shared"];
    assert_eq!(keys, expected);
}

#[test]
fn every_outcome_of_all_is_one_object_with_a_list() {
    let sandbox = Sandbox::new();
    let none = sandbox.by("a", ["beat", "--all"]).exit(3).json();
    assert_eq!((&none["outcome"], &none["claims"]), (&json!("not-held"), &json!([])));
    let none = sandbox.by("a", ["release", "--all"]).json();
    assert_eq!((&none["outcome"], &none["claims"]), (&json!("released"), &json!([])));

    for target in ["t", "u"] {
        sandbox.take("a", target);
    }
    let all = sandbox.by("a", ["beat", "--all"]).json();
    assert_eq!(all["outcome"], "beat");
    let claims: Vec<_> = all["claims"].as_array().unwrap().iter().map(|entry| &entry["claim"]).collect();
    assert_eq!(claims, [&sandbox.claim("t"), &sandbox.claim("u")]);

    sandbox.age("t", 901);
    sandbox.by("b", ["take", "t", "mine"]).stdout_any().check();
    let mixed = sandbox.by("a", ["beat", "--all"]).exit(75).json();
    assert_eq!(mixed["outcome"], "refused", "the worst of them");
    let mut outcomes: Vec<_> =
        mixed["claims"].as_array().unwrap().iter().map(|entry| entry["outcome"].as_str().unwrap()).collect();
    outcomes.sort_unstable();
    assert_eq!(outcomes, ["beat", "refused"]);

    sandbox.age("t", 901);
    let stale = sandbox.by("a", ["release", "--stale"]).json();
    assert_eq!((&stale["outcome"], &stale["claims"][0]["claim"]["holder"]), (&json!("released"), &json!("b")));
    let all = sandbox.by("a", ["release", "--all"]).json();
    assert_eq!((&all["outcome"], &all["claims"][0]["claim"]["target"]), (&json!("released"), &json!("u")));
}

#[test]
fn status_is_one_object_with_ages_in_whole_seconds() {
    let sandbox = Sandbox::new();
    let empty = sandbox.run(["status"]).json();
    outcome(&empty, "status");
    assert_eq!((&empty["claims"], &empty["stale"], &empty["problems"]), (&json!([]), &json!(0), &json!([])));
    assert_eq!(empty["dir"], sandbox.place().to_str().unwrap());

    sandbox.write("fresh", record("fresh", "a", 100).to_string());
    sandbox.write("future", record("future", "a", -86_400).to_string());
    sandbox.write("misnamed", record("other", "a", 0).to_string());
    sandbox.write("stale", record("stale", "a", 1_000).to_string());
    sandbox.write("torn", "{\"target\": ");
    std::fs::create_dir(sandbox.file("z")).unwrap();
    let status = sandbox.run(["status"]).exit(1).json();
    let claims = status["claims"].as_array().unwrap();
    let states: Vec<_> = claims.iter().map(|claim| claim["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["fresh", "future", "misnamed", "stale", "unreadable"]);
    for claim in claims {
        let (age, left) = (claim["heartbeat_age_s"].as_i64().unwrap(), claim["stale_in_s"].as_i64().unwrap());
        // One of the future is stale as well, by as much as it is too far ahead.
        let age = if claim["state"] == "future" { -age } else { age };
        assert_eq!(age + left, 900, "{claim}");
    }
    assert!((100..120).contains(&claims[0]["heartbeat_age_s"].as_i64().unwrap()));
    assert_eq!(claims[0]["claim"], sandbox.claim("fresh"));
    assert_eq!((&claims[4]["claim"], &claims[4]["holder"]), (&Value::Null, &json!("unknown")));
    assert!(claims[4]["unreadable"].is_string());
    assert_eq!(
        (&status["problems"][0]["file"], &status["problems"][0]["error"]),
        (&json!("z.json"), &json!("not-regular"))
    );
}

#[test]
fn every_error_is_one_object_with_a_stable_word() {
    let sandbox = Sandbox::new();
    sandbox.write("misnamed", record("other", "a", 0).to_string());
    std::fs::create_dir(sandbox.file("folder")).unwrap();
    for (arguments, exit, word) in [
        (&["take"][..], 2, "usage"),
        (&["take", "t"], 2, "usage"),
        (&["take", "", "why"], 2, "usage"),
        (&["take", "t", "why", "--ttl", "0"], 2, "usage"),
        (&["take", "t", "why", "--holder", ""], 2, "usage"),
        (&["take", "t", "why", "extra"], 2, "usage"),
        (&["take", "t", "why", "--force"], 2, "usage"),
        (&["beat"], 2, "usage"),
        (&["beat", "t", "--all"], 2, "usage"),
        (&["release"], 2, "usage"),
        (&["release", "--all", "--stale"], 2, "usage"),
        (&["status", "t", "u"], 2, "usage"),
        (&["steal", "t"], 2, "usage"),
        (&[], 2, "usage"),
        (&["take", "misnamed", "why"], 1, "misnamed"),
        (&["take", "folder", "why"], 1, "not-regular"),
        (&["beat", "folder"], 1, "not-regular"),
        (&["release", "folder"], 1, "not-regular"),
    ] {
        let object = sandbox.by("a", arguments).exit(exit).json();
        outcome(&object, "error");
        assert_eq!(object["error"], word, "{arguments:?}");
        assert!(!object["message"].as_str().unwrap().is_empty());
    }
    let object = sandbox.run(["take", "t", "why"]).exit(1).json();
    assert_eq!(object["error"], "no-identity");
    let object =
        sandbox.run(["take", "t", "why"]).env("PI_SESSION_ID", "1").env("CRUSH_SESSION_ID", "2").exit(1).json();
    assert_eq!(object["error"], "ambiguous-identity");
    let object = sandbox.by("a", ["take", "t", "why"]).env("CLAIM_DIR", "relative").exit(2).json();
    assert_eq!(object["error"], "usage");
    assert_eq!(sandbox.files(), ["claims/folder.json/", "claims/misnamed.json", "lock"]);
}

#[test]
fn the_option_is_understood_before_and_behind_the_verb_and_not_behind_two_dashes() {
    let sandbox = Sandbox::new();
    for arguments in [&["--json", "status"][..], &["status", "--json"]] {
        let text = sandbox.run(arguments).stdout_any().check().stdout;
        assert!(serde_json::from_str::<Value>(&text).is_ok(), "{text}");
    }
    // Also when the rest cannot be understood.
    for arguments in [&["--json"][..], &["take", "--json"], &["--json", "steal"], &["take", "t", "--json", "--what"]] {
        let text = sandbox.run(arguments).exit(2).stdout_any().check().stdout;
        assert!(serde_json::from_str::<Value>(&text).is_ok(), "{text}");
    }
    sandbox.by("a", ["take", "t", "--", "--json"]).stdout_has("claimed: t").check();
    sandbox.by("a", ["status", "--what", "--", "--json"]).exit(2).stderr_some().check();
}

#[test]
fn a_hint_is_a_key_and_not_a_second_text() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.work().join("t"), "").unwrap();
    let object = sandbox.by("a", ["take", "t", "why"]).json();
    assert!(object["hint"].as_str().unwrap().contains("./t"));
}

/// Keys are only ever added, so each that a verb sets is one that somebody may rely on.
#[test]
fn every_key_is_in_the_readme() {
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let (_, table) = readme.split_once("| key | where | what |").unwrap();
    let (table, _) = table.split_once("\n\n").unwrap();
    let key = Regex::new(r#"\bset\(\s*"([a-z_]+)""#).unwrap();
    let mut keys = BTreeSet::new();
    let mut folders = vec![PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src/face"))];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else {
                let text = fs::read_to_string(entry).unwrap();
                keys.extend(key.captures_iter(&text).map(|found| found[1].to_owned()));
            }
        }
    }
    assert!(keys.len() > 30, "{keys:?}");
    let missing: Vec<_> = keys.iter().filter(|key| !table.contains(&format!("`{key}`"))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
