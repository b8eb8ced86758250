//! Claim files that are no claims, whatever made them so: an answer at once, by the rule, and nothing is lost.

use std::fs;

use serde_json::json;

use crate::support::{AT_REST, Sandbox, record};

/// Bytes that are no claim, each with a name for messages. All of them would be a claim of `a` on `t` if they were whole.
fn damaged() -> Vec<(&'static str, Vec<u8>)> {
    let whole = record("t", "a", 0);
    let text = serde_json::to_string_pretty(&whole).unwrap() + "\n";
    let without = |field: &str| {
        let mut claim = whole.clone();
        claim.as_object_mut().unwrap().remove(field);
        claim.to_string().into_bytes()
    };
    let with = |field: &str, value: serde_json::Value| {
        let mut claim = whole.clone();
        claim[field] = value;
        claim.to_string().into_bytes()
    };
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    vec![
        ("empty", Vec::new()),
        ("a newline", b"\n".to_vec()),
        ("cut in the middle", text.as_bytes()[..text.len() / 2].to_vec()),
        ("cut by one byte", text.trim_end().as_bytes()[..text.trim_end().len() - 1].to_vec()),
        ("zeros, as a loss of power leaves them", vec![0; 4_096]),
        ("a list", b"[]".to_vec()),
        (
            "a list of the right values",
            json!(["t", "a", "p", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"]).to_string().into_bytes(),
        ),
        ("a number", b"1".to_vec()),
        ("null", b"null".to_vec()),
        ("a string", b"\"t\"".to_vec()),
        ("an empty object", b"{}".to_vec()),
        ("no target", without("target")),
        ("no holder", without("holder")),
        ("no purpose", without("purpose")),
        ("no taken_at", without("taken_at")),
        ("no heartbeat_at", without("heartbeat_at")),
        ("a number as holder", with("holder", json!(7))),
        ("null as holder", with("holder", json!(null))),
        ("an empty holder", with("holder", json!(""))),
        ("a list as purpose", with("purpose", json!(["p"]))),
        ("a number as time", with("heartbeat_at", json!(1_786_741_331))),
        ("a day as time", with("heartbeat_at", json!("2026-08-14"))),
        ("a text as shared", with("shared", json!("yes"))),
        ("a time to live of nought", with("ttl_s", json!(0))),
        ("a time to live beyond 7 days", with("ttl_s", json!(604_801))),
        ("a negative time to live", with("ttl_s", json!(-1))),
        ("two claims", format!("{text}{text}").into_bytes()),
        ("bytes behind it", format!("{text}x").into_bytes()),
        ("a field twice", text.replacen('{', "{ \"holder\": \"b\",", 1).into_bytes()),
        ("not UTF-8", b"{\"target\": \"t\xff\"}".to_vec()),
        ("a byte order mark", format!("\u{feff}{text}").into_bytes()),
        ("a conflict of two merges", format!("<<<<<<< ours\n{text}=======\n{text}>>>>>>> theirs\n").into_bytes()),
        ("100,000 levels deep", deep(100_000).into_bytes()),
        (
            "100,000 levels deep in a field",
            text.replacen('{', &format!("{{ \"later\": {},", deep(100_000)), 1).into_bytes(),
        ),
        ("10 MB", vec![b' '; 10_000_000]),
        ("10 MB of a claim", with("purpose", json!("p".repeat(10_000_000)))),
    ]
}

#[test]
fn a_fresh_file_that_is_no_claim_refuses_everybody_and_a_stale_one_can_be_taken_over() {
    let sandbox = Sandbox::new();
    for (name, bytes) in damaged() {
        sandbox.write("t", &bytes);
        // Also the one who may have written it: nobody can say so.
        for holder in ["a", "b"] {
            for verb in [&["take", "t", "why"][..], &["beat", "t"], &["release", "t"]] {
                let outcome = sandbox.by(holder, verb).outcome();
                assert_eq!(outcome.exit, 75, "{name} {verb:?}: {outcome}");
                let first = outcome.stderr.lines().next().unwrap();
                assert!(
                    sandbox.fits("REFUSED: t is claimed by unknown (heartbeat [0s] ago).", first),
                    "{name}: {outcome}"
                );
            }
        }
        assert!(sandbox.bytes("t") == bytes, "{name} was touched");

        sandbox.age_bytes("t", 901);
        for verb in [["release", "t"], ["beat", "t"]] {
            let outcome = sandbox.by("b", verb).outcome();
            assert!([3, 75].contains(&outcome.exit), "{name} {verb:?}: {outcome}");
        }
        let taken = sandbox.by("b", ["take", "t", "why"]).json();
        assert_eq!(
            (&taken["outcome"], &taken["claim"]["taken_from"]),
            (&json!("taken-over"), &json!("unknown")),
            "{name}"
        );
        assert_eq!(sandbox.claim("t")["holder"], "b");
        let kept: Vec<_> =
            fs::read_dir(sandbox.place().join("unreadable")).unwrap().map(|file| file.unwrap().path()).collect();
        assert_eq!(kept.len(), 1, "{name}");
        assert!(fs::read(&kept[0]).unwrap() == bytes, "{name} was not kept as it was");
        fs::remove_file(&kept[0]).unwrap();
        sandbox.by("b", ["release", "t"]).stdout_any().check();
    }
}

#[test]
fn a_file_that_is_no_claim_is_flagged_and_the_other_rows_are_shown() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "first");
    sandbox.take("b", "zebra");
    let damaged = damaged();
    for (number, (_, bytes)) in damaged.iter().enumerate() {
        sandbox.write(&format!("t{number}"), bytes);
    }
    let status = sandbox.run(["status"]).json();
    let claims = status["claims"].as_array().unwrap();
    assert_eq!(claims.len(), damaged.len() + 2);
    for (number, (name, _)) in damaged.iter().enumerate() {
        let file = format!("t{number}.json");
        let row = claims.iter().find(|claim| claim["file"] == file).unwrap();
        assert_eq!((&row["state"], &row["holder"]), (&json!("unreadable"), &json!("unknown")), "{name}");
        // What is too large is not read, so it is not called broken either.
        assert_eq!(row["unreadable"].as_str().unwrap().contains("larger"), name.starts_with("10 MB"), "{name}: {row}");
    }
    let text = sandbox.run(["status"]).stdout_any().check().stdout;
    assert!(text.contains("\nfirst ") && text.contains("\nzebra "), "{text}");
    assert_eq!(text.matches("  unreadable").count(), damaged.len(), "{text}");
    // The other targets are not affected.
    sandbox.by("a", ["beat", "--all"]).stdout_has("first").check();
    sandbox.by("a", ["take", "new", "why"]).stdout_any().check();
    sandbox.by("a", ["release", "--all"]).stdout_has("first").check();
}

#[test]
fn nothing_is_lost_when_the_same_target_is_damaged_again_and_again() {
    let sandbox = Sandbox::new();
    for round in 0..3 {
        sandbox.write("t", format!("damage {round}"));
        sandbox.age_bytes("t", 901);
        sandbox.by("b", ["take", "t", "why"]).stdout_has("taken-over").check();
    }
    let mut kept: Vec<_> = fs::read_dir(sandbox.place().join("unreadable"))
        .unwrap()
        .map(|file| fs::read_to_string(file.unwrap().path()).unwrap())
        .collect();
    kept.sort();
    assert_eq!(kept, ["damage 0", "damage 1", "damage 2"]);
}

#[test]
fn a_damaged_file_that_may_be_on_an_overlapping_path_refuses_while_it_is_fresh() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "./tree");
    let stem = sandbox.stems().remove(0);
    sandbox.write(&stem, "");
    // Above, below and the same: each could be what the lost claim was on.
    for target in ["./tree", "./tree/below", "."] {
        sandbox.by("b", ["take", target, "why"]).exit(75).stderr_has("claimed by unknown").check();
    }
    sandbox.by("b", ["take", "./other", "why"]).stdout_any().check();
    sandbox.age_bytes(&stem, 901);
    sandbox.by("b", ["take", "./tree/below", "why"]).stdout_any().check();
}

#[test]
fn a_file_of_the_future_that_is_no_claim_is_stale_beyond_one_time_to_live() {
    let sandbox = Sandbox::new();
    for (ahead, exit) in [(60, 75), (86_400, 0)] {
        sandbox.write("t", "");
        let modified = std::time::SystemTime::now() + std::time::Duration::from_secs(ahead);
        fs::File::options().append(true).open(sandbox.file("t")).unwrap().set_modified(modified).unwrap();
        let outcome = sandbox.by("b", ["take", "t", "why"]).outcome();
        assert_eq!(outcome.exit, exit, "{ahead}: {outcome}");
    }
}

#[test]
fn the_largest_claim_that_can_be_taken_can_be_read_again() {
    let sandbox = Sandbox::new();
    // Each of these becomes six bytes in the file.
    let purpose = "\u{1}".repeat(4_096);
    let target = format!("/{}", vec!["d".repeat(255); 15].join("/"));
    sandbox.by(&"ü".repeat(200), ["take", &target, &purpose, "--shared", "--ttl", "7d"]).stdout_any().check();
    assert_eq!(sandbox.run(["status"]).json()["claims"][0]["claim"]["purpose"], purpose);
    sandbox.by(&"ü".repeat(200), ["release", &target]).stdout_any().check();
    // And one that is too long is a usage error, not a claim that nobody can read.
    sandbox.by("a", ["take", "t", &"p".repeat(100_000)]).exit(2).stderr_has("purpose").check();
    assert_eq!(sandbox.files(), AT_REST);
}
