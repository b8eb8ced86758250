//! `status`: the table for people, what it explains, and what it leaves out.

use serde_json::json;

use crate::support::{Sandbox, record};

fn put(sandbox: &Sandbox, stem: &str, holder: &str, age: i64, purpose: &str) {
    let mut claim = record(stem, holder, age);
    claim["purpose"] = json!(purpose);
    sandbox.write(stem, claim.to_string());
}

#[test]
fn nothing_is_a_calm_line() {
    let sandbox = Sandbox::new();
    sandbox.run(["status"]).stdout("No claims in [DIR].\n").check();
    sandbox.run(["status", "--exit-code"]).stdout("No claims in [DIR].\n").check();
    assert!(!sandbox.place().exists(), "looking makes nothing");
    sandbox.take("a", "t");
    sandbox.by("a", ["release", "t"]).stdout_any().check();
    sandbox.run(["status"]).stdout("No claims in [DIR].\n").check();
}

#[test]
fn the_table_is_aligned_and_counted() {
    let sandbox = Sandbox::new();
    put(&sandbox, "api", "session-a41", 41, "align the lint rule");
    put(&sandbox, "shared-config", "b", 600, "new preset");
    // Columns as wide as their widest cell, two spaces between them, nothing behind the last.
    sandbox
        .run(["status"])
        .stdout(
            "TARGET         HOLDER       HEARTBEAT  HELD  STATE  PURPOSE\n\
             api            session-a41  [41s] ago    [41s]   fresh  align the lint rule\n\
             shared-config  b            10m ago    10m   fresh  new preset\n\
             2 claims\n",
        )
        .check();
    sandbox.by("b", ["release", "shared-config"]).stdout_any().check();
    sandbox.run(["status"]).stdout_has("\n1 claim\n").check();
}

#[test]
fn wide_letters_take_the_columns_that_a_terminal_gives_them() {
    let sandbox = Sandbox::new();
    put(&sandbox, "api", "名前", 600, "日本語の目的");
    put(&sandbox, "build", "ünïcode", 600, "narrow");
    put(&sandbox, "cache", "👍👍", 600, "");
    sandbox
        .run(["status"])
        .stdout(
            "TARGET  HOLDER   HEARTBEAT  HELD  STATE  PURPOSE\n\
             api     名前     10m ago    10m   fresh  日本語の目的\n\
             build   ünïcode  10m ago    10m   fresh  narrow\n\
             cache   👍👍     10m ago    10m   fresh\n\
             3 claims\n",
        )
        .check();
}

#[test]
fn rows_that_are_not_simply_fresh_are_explained() {
    let sandbox = Sandbox::new();
    put(&sandbox, "fresh", "a", 60, "at work");
    put(&sandbox, "future", "b", -86_400, "a wrong clock");
    put(&sandbox, "soon", "b", -60, "a clock that is a little wrong");
    put(&sandbox, "stale", "c", 7_200, "forgotten");
    sandbox.write("misnamed", record("elsewhere", "d", 60).to_string());
    sandbox.write("torn", "{\"target\": ");
    sandbox.write("torn-old", "");
    sandbox.age_bytes("torn-old", 7_200);
    let text = sandbox.run(["status"]).stdout_any().check().stdout;
    let row =
        |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("{start}: {text}"));
    for (start, state) in [
        ("fresh ", "fresh"),
        ("future ", "future"),
        ("soon ", "fresh"),
        ("stale ", "stale"),
        ("elsewhere ", "misnamed"),
        ("torn ", "unreadable"),
        ("torn-old ", "unreadable, stale"),
    ] {
        assert!(row(start).contains(&format!("  {state}  ")) || row(start).ends_with(state), "{start}: {text}");
    }
    assert!(row("torn ").contains("  unknown  "), "a file that cannot be read is held by unknown: {text}");
    // Each explanation stands behind the table, indented, and says what is the matter.
    for (start, what) in [
        ("  future: ", "clock"),
        ("  stale: ", "stale for 1h 45m"),
        ("  elsewhere: ", "misnamed.json"),
        ("  torn: ", "torn.json"),
        ("  torn-old: ", "empty"),
    ] {
        assert!(row(start).contains(what), "{start}: {text}");
    }
    assert!(!text.contains("  fresh: ") && !text.contains("  soon: "), "{text}");
    assert!(row("7 claims").contains("3 stale") && row("7 claims").contains("claim release --stale"), "{text}");
}

#[test]
fn the_footer_counts_as_stale_what_its_command_would_remove() {
    let sandbox = Sandbox::new();
    put(&sandbox, "stale", "c", 7_200, "forgotten");
    sandbox.write("misnamed", record("elsewhere", "d", 7_200).to_string());
    let text = sandbox.run(["status"]).stdout_any().check().stdout;
    assert!(text.lines().last().unwrap().starts_with("2 claims, 1 stale"), "{text}");
    sandbox.by("a", ["release", "--stale"]).stdout_any().check();
    let text = sandbox.run(["status"]).stdout_any().check().stdout;
    assert_eq!(text.lines().last().unwrap(), "1 claim", "{text}");
    assert_eq!(sandbox.stems(), ["misnamed"]);
}

#[test]
fn what_does_not_belong_into_the_directory_is_named() {
    let sandbox = Sandbox::new();
    put(&sandbox, "t", "a", 60, "at work");
    for file in ["t.json.orig", ".t.json.swp", "notes"] {
        std::fs::write(sandbox.place().join("claims").join(file), "").unwrap();
        sandbox.run(["status"]).stdout_has("1 claim").stderr_has(file).check();
        sandbox.run(["status", "--exit-code"]).exit(4).stdout_has("1 claim").stderr_has(file).check();
        sandbox.run(["status", "--stale", "--exit-code"]).stdout_has("No stale claims").check();
        std::fs::remove_file(sandbox.place().join("claims").join(file)).unwrap();
    }
}

#[test]
fn exit_code_says_whether_anything_was_listed() {
    let sandbox = Sandbox::new();
    put(&sandbox, "t", "a", 60, "");
    put(&sandbox, "old", "b", 901, "");
    for (arguments, exit) in [
        (&["status"][..], 0),
        (&["status", "--exit-code"], 4),
        (&["status", "t", "--exit-code"], 4),
        (&["status", "u", "--exit-code"], 0),
        (&["status", "--mine", "--exit-code"], 4),
        (&["status", "--mine", "--stale", "--exit-code"], 0),
        (&["status", "--stale", "--exit-code"], 4),
        (&["status", "t", "--stale", "--exit-code"], 0),
    ] {
        sandbox.by("a", arguments).exit(exit).stdout_any().check();
    }
    assert_eq!(sandbox.by("c", ["status", "--mine", "--exit-code"]).json()["claims"], json!([]));
}

#[test]
fn narrower_questions_get_narrower_answers() {
    let sandbox = Sandbox::new();
    put(&sandbox, "t", "a", 60, "");
    put(&sandbox, "old", "a", 901, "");
    put(&sandbox, "u", "b", 60, "");
    sandbox.write("torn", "");
    let listed = |arguments: &[&str]| {
        let status = sandbox.by("a", arguments).json();
        let claims = status["claims"].as_array().unwrap();
        claims.iter().map(|claim| claim["file"].as_str().unwrap().replace(".json", "")).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(listed(&["status"]), "old t torn u");
    assert_eq!(listed(&["status", "--mine"]), "old t");
    assert_eq!(listed(&["status", "--stale"]), "old");
    assert_eq!(listed(&["status", "--mine", "--stale"]), "old");
    assert_eq!(listed(&["status", "T!"]), "t");
    assert_eq!(listed(&["status", "torn"]), "torn");
    assert_eq!(listed(&["status", "other"]), "");
    sandbox.run(["status", "other"]).stdout("No claims on other in [DIR].\n").check();
    sandbox.by("c", ["status", "--mine"]).stdout("No claims of c in [DIR].\n").check();

    // On a path: what is around it and what is inside it.
    let sandbox = Sandbox::new();
    for target in ["./tree", "./tree/a/b", "./tree2"] {
        sandbox.take("a", target);
    }
    let listed = |target: &str| sandbox.run(["status", target]).json()["claims"].as_array().unwrap().len();
    assert_eq!([listed("./tree/a"), listed("."), listed("./tree2/x"), listed("/"), listed("./other")], [2, 3, 1, 3, 0]);
}
