//! The claim file, to the byte: its fields, their order, the times in it, and what of a later version is kept.

use serde_json::json;

use crate::support::{Sandbox, ago, record};

#[test]
fn a_claim_is_the_five_fields_byte_for_byte() {
    let sandbox = Sandbox::new();
    let before = ago(0);
    sandbox
        .by("session-a41", ["take", "shared-config", "align the lint rule with the new preset"])
        .stdout_has("claimed: shared-config")
        .check();
    let after = ago(0);
    let time = sandbox.claim("shared-config")["taken_at"].as_str().unwrap().to_owned();
    // This form of a time sorts as it passes.
    assert!(before <= time && time <= after, "{before} {time} {after}");
    let expected = format!(
        r#"{{
  "target": "shared-config",
  "holder": "session-a41",
  "purpose": "align the lint rule with the new preset",
  "taken_at": "{time}",
  "heartbeat_at": "{time}"
}}
"#
    );
    assert_eq!(String::from_utf8(sandbox.bytes("shared-config")).unwrap(), expected);
    assert_eq!(
        sandbox.files(),
        ["claims/shared-config.json", "lock", "trace.jsonl"],
        "one file per claim, and nothing left behind"
    );
}

#[test]
fn optional_fields_follow_in_their_order_when_they_say_something() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    sandbox.age("t", 901);
    sandbox.by("b", ["take", "t", "why", "--ttl", "2h", "--shared"]).stdout_has("taken-over: t").check();
    let time = sandbox.claim("t")["taken_at"].as_str().unwrap().to_owned();
    let expected = format!(
        r#"{{
  "target": "t",
  "holder": "b",
  "purpose": "why",
  "taken_at": "{time}",
  "heartbeat_at": "{time}",
  "taken_from": "a",
  "ttl_s": 7200,
  "shared": true
}}
"#
    );
    assert_eq!(String::from_utf8(sandbox.bytes("t")).unwrap(), expected);

    // The default says nothing, however it is asked for.
    sandbox.by("a", ["take", "u", "why", "--ttl", "15m"]).stdout_any().check();
    sandbox.by("a", ["take", "v", "why"]).env("CLAIM_TTL", "900s").stdout_any().check();
    for stem in ["u", "v"] {
        let keys: Vec<_> = sandbox.claim(stem).as_object().unwrap().keys().cloned().collect();
        assert_eq!(keys, ["target", "holder", "purpose", "taken_at", "heartbeat_at"]);
    }
}

#[test]
fn fields_of_a_later_version_survive_every_rewriting() {
    let sandbox = Sandbox::new();
    let mut claim = record("t", "a", 60);
    claim["zeta"] = json!([1, {"deep": null}, 2.5]);
    claim["alpha"] = json!("kept\u{1b}");
    sandbox.write("t", claim.to_string());
    for verb in
        [&["beat", "t"][..], &["take", "t", "testing"], &["take", "t", "testing", "--shared"], &["beat", "--all"]]
    {
        sandbox.by("a", verb).stdout_any().check();
        let found = sandbox.claim("t");
        assert_eq!((&found["zeta"], &found["alpha"]), (&claim["zeta"], &claim["alpha"]), "{verb:?}");
    }
    // They stand behind the known ones, in their own order.
    let keys: Vec<_> = sandbox.claim("t").as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys[5..], ["shared", "zeta", "alpha"]);
}

#[test]
fn any_rfc_3339_time_is_read_and_utc_whole_seconds_are_written() {
    let sandbox = Sandbox::new();
    for (written, rewritten) in [
        ("2026-08-14T23:02:11+02:00", "2026-08-14T21:02:11Z"),
        ("2026-08-14T21:02:11.987654321Z", "2026-08-14T21:02:11Z"),
        ("2026-08-14t21:02:11z", "2026-08-14T21:02:11Z"),
        ("2026-08-14T10:32:11-10:30", "2026-08-14T21:02:11Z"),
    ] {
        let mut claim = record("t", "a", 0);
        claim["taken_at"] = json!(written);
        sandbox.write("t", claim.to_string());
        sandbox.by("a", ["beat", "t"]).stdout_any().check();
        assert_eq!(sandbox.claim("t")["taken_at"], rewritten, "{written}");
    }
}
