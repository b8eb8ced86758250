//! How a refusal is told, and that nothing from a claim file reaches a terminal as it is.

use std::fs;

use predicates::prelude::*;
use serde_json::{Value, json};

use crate::support::{Sandbox, ago, record};

#[test]
fn a_refusal_is_one_line_of_one_shape_and_then_why_until_when_and_what_to_do() {
    let sandbox = Sandbox::new();
    sandbox.by("session-a41", ["take", "shared-config", "align the lint rule"]).stdout_any().check();
    sandbox.age("shared-config", 41);
    sandbox
        .by("b", ["take", "shared-config", "mine"])
        .exit(75)
        .stderr(
            "REFUSED: shared-config is claimed by session-a41 (heartbeat [41s] ago).\n  purpose: align the lint rule\n  \
             goes stale in 14m without a beat\n  \
             leave the work for later: claim handover add shared-config 'what is to be done'\n",
        )
        .check();
}

#[test]
fn a_refusal_counts_in_whole_seconds_however_old_and_never_below_nought() {
    for (age, ttl, shown) in
        [(0, "15m", "[0s]"), (899 - 20, "15m", "[879s]"), (100_000, "7d", "[100000s]"), (-300, "15m", "0s")]
    {
        let sandbox = Sandbox::new();
        sandbox.by("a", ["take", "t", "why", "--ttl", ttl]).stdout_any().check();
        sandbox.age("t", age);
        let told = sandbox.by("b", ["take", "t", "mine"]).exit(75).stderr_some().check().stderr;
        let first = told.lines().next().unwrap();
        assert!(sandbox.fits(&format!("REFUSED: t is claimed by a (heartbeat {shown} ago)."), first), "{told}");
        assert_eq!(age < 0, told.contains("ahead of this machine's clock"), "{told}");
    }
}

#[test]
fn a_refusal_says_which_claim_is_in_the_way_and_how_many_more() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "./tree/x");
    sandbox.take("b", "./tree/y");
    sandbox.take("c", "./tree/z");
    let told = sandbox.by("d", ["take", "./tree", "mine"]).exit(75).stderr_some().check().stderr;
    assert!(told.starts_with(&format!("REFUSED: {}/tree/x is claimed by a (", sandbox.work().display())), "{told}");
    assert!(told.contains("and 2 more"), "{told}");
    // The command that is offered names what was asked for, as a shell reads it.
    sandbox.take("a", "it's");
    let told = sandbox.by("d", ["take", "it's", "mine"]).exit(75).stderr_some().check().stderr;
    assert!(told.contains(r"claim handover add 'it'\''s' "), "{told}");
    let long = format!("./with space/{}/{}", "l".repeat(200), "m".repeat(100));
    sandbox.take("a", &long);
    let told = sandbox.by("d", ["take", &long, "mine"]).exit(75).stderr_some().check().stderr;
    assert!(told.contains(&format!("{}' ", "m".repeat(100))), "the command is whole: {told}");
}

/// Moves the cursor, retypes the prompt, hides, reorders, and is long.
fn hostile() -> String {
    format!("\u{1b}[2J\u{1b}]0;x\u{7}\r\n$ rm\t\u{9b}31m\u{202e}\u{2066}\u{200b}\u{7f}\0{}", "h".repeat(3_000))
}

/// Whether a terminal shows the text as text: no controls but the end of a line, nothing that reorders, nothing long.
fn is_harmless(text: &str) -> bool {
    let control = |c: char| c != '\n' && (c.is_control() || "\u{202e}\u{2066}\u{200b}\u{2028}".contains(c));
    !text.chars().any(control) && !text.contains(&"h".repeat(201))
}

#[test]
fn no_text_of_a_claim_file_reaches_a_terminal_as_it_is() {
    let hostile = hostile();
    let with = |target: Value, holder: Value, purpose: Value, age: i64| {
        let mut claim = record("t", "a", age);
        (claim["target"], claim["holder"], claim["purpose"]) = (target, holder, purpose);
        claim["taken_from"] = json!(hostile);
        claim["later"] = json!(hostile);
        claim.to_string()
    };
    let mut broken = record("t", "a", 0);
    broken["shared"] = json!(hostile);
    let mut no_time = record("t", "a", 0);
    no_time["taken_at"] = json!(hostile);
    // A name that is spelled with all of it still has the slug of its file.
    let target = format!("t{}", "\u{1b}\u{7}\r\n\u{9b}\u{202e}");
    let contents = [
        with(json!("t"), json!(hostile), json!(hostile), 0),
        with(json!("t"), json!(hostile), json!(hostile), 901),
        with(json!(target), json!("a"), json!(hostile), 0),
        with(json!(hostile), json!(hostile), json!(hostile), 0),
        with(json!(hostile), json!("b"), json!(hostile), 901),
        with(json!(format!("/{hostile}")), json!("b"), json!(hostile), 901),
        broken.to_string(),
        no_time.to_string(),
        format!("{{\"{}\": 1}}", hostile.replace(char::is_control, "\u{9b}")),
        hostile.clone(),
    ];
    for (number, content) in contents.iter().enumerate() {
        for verb in [
            &["take", "t", "why"][..],
            &["beat", "t"],
            &["release", "t"],
            &["status"],
            &["status", "t"],
            &["release", "--stale"],
            &["release", "--all"],
            &["beat", "--all"],
        ] {
            for age in [0, 901] {
                let sandbox = Sandbox::new();
                sandbox.write("t", content);
                sandbox.age_bytes("t", age);
                let outcome = sandbox.by("b", verb).outcome();
                let harmless = is_harmless(&outcome.stdout) && is_harmless(&outcome.stderr);
                assert!(harmless, "content {number}, {verb:?}: {:?}", outcome.to_string());
                assert!([0, 1, 3, 75].contains(&outcome.exit), "content {number}, {verb:?}: {outcome}");
            }
        }
    }
}

#[test]
fn no_name_of_a_file_reaches_a_terminal_as_it_is() {
    let name = "\u{1b}[2J\r\n\u{9b}31m\u{202e}x";
    for file in [format!("claims/{name}.json"), format!("claims/{name}"), format!("claims/{name}+1.json")] {
        for content in ["", "{}", &record("t", "a", 0).to_string(), &record("t", "a", 901).to_string()] {
            let sandbox = Sandbox::new();
            sandbox.write("other", record("other", "b", 0).to_string());
            fs::write(sandbox.place().join(&file), content).unwrap();
            for verb in [&["status"][..], &["beat", "--all"], &["release", "--stale"], &["status", "--stale"]] {
                let outcome = sandbox.by("b", verb).outcome();
                assert!(
                    is_harmless(&outcome.stdout) && is_harmless(&outcome.stderr),
                    "{verb:?}: {:?}",
                    outcome.to_string()
                );
            }
        }
    }
}

#[test]
fn what_a_terminal_is_not_shown_is_exact_in_json() {
    let sandbox = Sandbox::new();
    let mut claim = record("t", &hostile(), 60);
    claim["purpose"] = json!(hostile());
    sandbox.write("t", claim.to_string());
    let refusal = sandbox.by("b", ["take", "t", "why"]).exit(75).json();
    assert_eq!(refusal["claim"], claim);
    assert_eq!(sandbox.run(["status"]).json()["claims"][0]["claim"], claim);
}

#[test]
fn a_purpose_of_several_lines_is_one_row_and_exact_in_the_file() {
    let sandbox = Sandbox::new();
    let purpose = "first\nsecond\tthird \u{1b}[31m \"quoted\" \\ ü 名前";
    sandbox.by("a", ["take", "t", purpose]).stdout_any().check();
    assert_eq!(sandbox.claim("t")["purpose"], purpose);
    let text = sandbox.run(["status"]).stdout_any().check().stdout;
    assert_eq!(text.lines().count(), 3, "{text}");
    let told = sandbox.by("b", ["take", "t", "mine"]).exit(75).stderr_some().check().stderr;
    assert_eq!(told.lines().filter(|line| line.contains("first")).count(), 1, "{told}");
    assert!(told.lines().any(|line| line.contains("first") && line.contains("third")), "{told}");
}

#[test]
fn a_purpose_is_cut_at_200_characters_and_not_in_the_middle_of_one() {
    let sandbox = Sandbox::new();
    for (length, whole) in [(200, true), (201, false), (1_000, false)] {
        let purpose = "ü".repeat(length);
        sandbox.by("a", ["take", "t", &purpose]).stdout_any().check();
        assert_eq!(sandbox.claim("t")["purpose"], purpose.as_str(), "the file has it whole");
        let told = sandbox.by("b", ["take", "t", "mine"]).exit(75).stderr_some().check().stderr;
        assert_eq!(told.contains(&purpose), whole, "{length}");
        let shown = told.lines().map(|line| line.matches('ü').count()).max();
        assert!(shown <= Some(200) && shown >= Some(199), "{length}: {shown:?}");
    }
}

#[test]
fn an_error_names_the_file_and_is_no_refusal() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.file("t")).unwrap();
    let told = predicate::str::contains("claims/t.json").and(predicate::str::contains("REFUSED").not());
    sandbox.by("a", ["take", "t", "why"]).exit(1).stderr_is(told).check();
    assert!(ago(0) > ago(1));
}
