//! What take, beat and release do to a claim.

use serde_json::json;

use crate::support::{AT_REST, Sandbox, ago, record};

#[test]
fn an_own_claim_is_renewed_with_a_new_purpose_and_its_first_time() {
    let sandbox = Sandbox::new();
    sandbox.by("a", ["take", "t", "first", "--ttl", "1h"]).stdout_any().check();
    sandbox.age("t", 600);
    let before = sandbox.claim("t");
    sandbox.by("a", ["take", "t", "second"]).stdout_has("renewed: t").check();
    let after = sandbox.claim("t");
    assert_eq!((&after["taken_at"], &after["purpose"]), (&before["taken_at"], &json!("second")));
    assert!(after["heartbeat_at"].as_str() > before["heartbeat_at"].as_str());

    // Also after it had gone stale: nobody had taken it.
    sandbox.age("t", 3_601);
    let before = sandbox.claim("t");
    sandbox.by("a", ["take", "t", "third"]).stdout_has("renewed: t").check();
    assert_eq!(sandbox.claim("t")["taken_at"], before["taken_at"]);
    assert!(sandbox.claim("t").get("taken_from").is_none());
}

#[test]
fn a_beat_renews_the_heartbeat_and_nothing_else_even_of_a_stale_claim() {
    let sandbox = Sandbox::new();
    for age in [0, 60, 901, 1_000_000, -60, -86_400] {
        sandbox.write("t", record("t", "a", age).to_string());
        let mut expected = sandbox.claim("t");
        let before = ago(0);
        sandbox.by("a", ["beat", "t"]).stdout_has("beat: t").check();
        let found = sandbox.claim("t");
        assert!(found["heartbeat_at"].as_str() >= Some(&before), "{age}: {found}");
        expected["heartbeat_at"] = found["heartbeat_at"].clone();
        assert_eq!(found, expected, "{age}");
    }
}

#[test]
fn beat_and_release_never_create_a_claim() {
    let sandbox = Sandbox::new();
    for verb in [&["beat", "t"][..], &["release", "t"], &["beat", "--all"]] {
        sandbox.by("a", verb).exit(3).stderr_has("NOT HELD").check();
        assert!(!sandbox.place().exists(), "{verb:?} made the place for nothing");
    }
    sandbox.take("b", "other");
    for verb in [&["beat", "t"][..], &["release", "t"], &["beat", "--all"]] {
        sandbox.by("a", verb).exit(3).stderr_has("NOT HELD").check();
        assert_eq!(sandbox.stems(), ["other"]);
    }
}

#[test]
fn a_release_removes_the_claim_and_leaves_the_directory_empty() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    sandbox.by("a", ["release", "t"]).stdout_has("released: t").check();
    assert_eq!(sandbox.files(), AT_REST);
    sandbox.by("a", ["release", "t"]).exit(3).stderr_has("NOT HELD").check();
    // Also a claim that had gone stale.
    sandbox.take("a", "t");
    sandbox.age("t", 100_000);
    sandbox.by("a", ["release", "t"]).stdout_has("released: t").check();
    assert_eq!(sandbox.files(), AT_REST);
}

#[test]
fn a_fresh_claim_refuses_every_verb_of_another_and_is_not_touched() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    let bytes = sandbox.bytes("t");
    for verb in [&["take", "t", "mine"][..], &["take", "t", "mine", "--shared"], &["beat", "t"], &["release", "t"]] {
        sandbox.by("b", verb).exit(75).stderr_has("REFUSED: t is claimed by a (").check();
        assert_eq!(sandbox.bytes("t"), bytes, "{verb:?}");
    }
    // A stale one can be taken over, and released by rule, but not be released as if it were one's own.
    sandbox.age("t", 901);
    let bytes = sandbox.bytes("t");
    sandbox.by("b", ["release", "t"]).exit(75).stderr_has("REFUSED: t is claimed by a (").check();
    sandbox.by("b", ["beat", "t"]).exit(3).stderr_has("NOT HELD").check();
    assert_eq!(sandbox.bytes("t"), bytes);
}

#[test]
fn a_holder_that_lost_its_claim_cannot_act_as_if_it_had_not() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    sandbox.age("t", 901);
    sandbox.by("b", ["take", "t", "mine now"]).stdout_has("taken-over: t").check();
    assert_eq!(sandbox.claim("t")["taken_from"], "a");
    sandbox.age("t", 100);
    let bytes = sandbox.bytes("t");
    for verb in [&["beat", "t"][..], &["release", "t"], &["take", "t", "mine"], &["beat", "--all"]] {
        // Who took it, and when.
        let told = sandbox.by("a", verb).exit(75).stderr_has("REFUSED: t is claimed by b (").check().stderr;
        let line = told.lines().find(|line| line.contains("was yours")).unwrap_or_else(|| panic!("{verb:?}: {told}"));
        assert!(line.contains(" b ") && line.contains(sandbox.claim("t")["taken_at"].as_str().unwrap()), "{line}");
        assert_eq!(sandbox.bytes("t"), bytes, "{verb:?}");
    }
    // It is told also when the one who took it went away as well.
    sandbox.age("t", 901);
    sandbox.by("a", ["beat", "t"]).exit(3).stderr_has("was yours").check();
    assert_eq!(sandbox.claim("t")["holder"], "b");
    // `--all` gives back what is still one's own, and tells of the rest.
    sandbox.take("a", "u");
    sandbox.by("a", ["release", "--all"]).stdout_has("released: u").stderr_has("was yours").check();
    assert_eq!(sandbox.stems(), ["t"]);
}

#[test]
fn a_claim_outlives_the_process_that_took_it() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    let status = sandbox.run(["status"]).json();
    assert_eq!((&status["claims"][0]["state"], &status["stale"]), (&json!("fresh"), &json!(0)));
}

#[test]
fn nothing_is_inferred_from_process_ids() {
    let sandbox = Sandbox::new();
    // Process 1 lives, and surely no process has the other number: the heartbeat alone decides.
    for (holder, age, exit) in [("u@h:1", 901, 0), ("u@h:4194305", 60, 75)] {
        sandbox.write("t", record("t", holder, age).to_string());
        let run = sandbox.by("b", ["take", "t", "why"]).exit(exit);
        if exit == 0 {
            run.stdout_has("taken-over").check()
        } else {
            run.stderr_has("REFUSED").check()
        };
    }
}

#[test]
fn the_holder_sets_the_time_to_live_and_never_the_one_who_wants_the_target() {
    let sandbox = Sandbox::new();
    for (ttl, age, exit) in [
        (None, 880, 75),
        (None, 901, 0),
        (Some("1s"), 2, 0),
        (Some("60"), 30, 75),
        (Some("60"), 61, 0),
        (Some("2h"), 7_100, 75),
        (Some("2h"), 7_201, 0),
        (Some("7d"), 604_700, 75),
        (Some("7d"), 604_801, 0),
    ] {
        for wanted in ["1s", "7d"] {
            let sandbox_of_one = &sandbox;
            let taken = sandbox_of_one.by("a", ["take", "t", "why"]);
            let taken = if let Some(ttl) = ttl { taken.env("CLAIM_TTL", ttl) } else { taken };
            taken.stdout_any().check();
            sandbox.age("t", age);
            let outcome = sandbox.by("b", ["take", "t", "why", "--ttl", wanted]).outcome();
            assert_eq!(outcome.exit, exit, "{ttl:?} {age} {wanted}: {outcome}");
            std::fs::remove_file(sandbox.file("t")).unwrap();
        }
    }
    // The option goes before the variable.
    sandbox.by("a", ["take", "t", "why", "--ttl", "2h"]).env("CLAIM_TTL", "3h").stdout_any().check();
    assert_eq!(sandbox.claim("t")["ttl_s"], 7_200);
    // A renewal that asks for nothing keeps what its holder asked for.
    sandbox.by("a", ["take", "t", "why"]).stdout_any().check();
    assert_eq!(sandbox.claim("t")["ttl_s"], 7_200);
}

#[test]
fn a_time_to_live_outside_1_s_to_7_days_is_a_usage_error_that_says_so() {
    let sandbox = Sandbox::new();
    for bad in ["0", "0s", "8d", "604801", "-1", "1.5h", "x", "1w", "15 m", "99999999999999999999"] {
        sandbox.by("a", ["take", "t", "why", &format!("--ttl={bad}")]).exit(2).stderr_has("--ttl").check();
        sandbox.by("a", ["take", "t", "why"]).env("CLAIM_TTL", bad).exit(2).stderr_has("CLAIM_TTL").check();
    }
    assert!(!sandbox.place().exists());
    for good in ["1", "1s", "7d", "604800", "168h"] {
        sandbox.by("a", ["take", "t", "why", "--ttl", good]).stdout_any().check();
    }
}

#[test]
fn a_heartbeat_of_the_future_is_fresh_within_one_time_to_live_and_stale_beyond() {
    let sandbox = Sandbox::new();
    for (ahead, exit) in [(60, 75), (890, 75), (930, 0), (86_400, 0), (10_000_000_000, 0)] {
        sandbox.write("t", record("t", "a", -ahead).to_string());
        let outcome = sandbox.by("b", ["take", "t", "why"]).outcome();
        assert_eq!(outcome.exit, exit, "{ahead}: {outcome}");
    }
}

#[test]
fn shared_claims_stand_beside_each_other_and_against_exclusive_ones() {
    let sandbox = Sandbox::new();
    for holder in ["a", "b", "c"] {
        sandbox.by(holder, ["take", "t", holder, "--shared"]).stdout_has("claimed: t").check();
    }
    assert_eq!(sandbox.stems().len(), 3, "one file per claim");
    let status = sandbox.run(["status", "t"]).json();
    let claims = status["claims"].as_array().unwrap();
    let mut holders: Vec<_> = claims.iter().map(|claim| claim["claim"]["holder"].as_str().unwrap()).collect();
    holders.sort_unstable();
    assert_eq!(holders, ["a", "b", "c"]);

    // Neither a stranger nor one of them gets it alone while another is there.
    for holder in ["d", "a"] {
        sandbox.by(holder, ["take", "t", "alone"]).exit(75).stderr_has("REFUSED: t is claimed by ").check();
    }
    for holder in ["a", "b", "c"] {
        sandbox.by(holder, ["take", "t", "again", "--shared"]).stdout_has("renewed: t").check();
        sandbox.by(holder, ["beat", "t"]).stdout_has("beat: t").check();
    }
    for holder in ["a", "b"] {
        sandbox.by(holder, ["release", "t"]).stdout_has("released: t").check();
    }
    // Who is alone may change the kind, and then it refuses.
    sandbox.by("c", ["take", "t", "alone"]).stdout_has("renewed: t").check();
    assert_eq!(sandbox.stems().len(), 1);
    sandbox.by("a", ["take", "t", "beside", "--shared"]).exit(75).stderr_has("REFUSED: t is claimed by c (").check();
    // And back.
    sandbox.by("c", ["take", "t", "beside", "--shared"]).stdout_has("renewed: t").check();
    sandbox.by("a", ["take", "t", "beside", "--shared"]).stdout_has("claimed: t").check();
}

#[test]
fn an_exclusive_take_goes_past_stale_shared_claims() {
    let sandbox = Sandbox::new();
    for holder in ["a", "b"] {
        sandbox.by(holder, ["take", "t", "why", "--shared"]).stdout_any().check();
    }
    for stem in sandbox.stems() {
        sandbox.age(&stem, 901);
    }
    sandbox.by("c", ["take", "t", "alone"]).stdout_has("taken-over: t").check();
    assert_eq!(sandbox.stems(), ["t"]);
    assert_eq!(sandbox.claim("t")["holder"], "c");
}

#[test]
fn beat_all_renews_what_is_ones_own_and_nothing_else() {
    let sandbox = Sandbox::new();
    for (holder, target) in [("a", "t"), ("a", "u"), ("b", "v")] {
        sandbox.take(holder, target);
        sandbox.age(target, 300);
    }
    let other = sandbox.bytes("v");
    let before = ago(0);
    sandbox.by("a", ["beat", "--all"]).stdout_any().check();
    for stem in ["t", "u"] {
        assert!(sandbox.claim(stem)["heartbeat_at"].as_str() >= Some(&before));
    }
    assert_eq!(sandbox.bytes("v"), other);
}

#[test]
fn release_all_gives_back_what_is_ones_own_and_nothing_else() {
    let sandbox = Sandbox::new();
    for (holder, target) in [("a", "t"), ("a", "u"), ("b", "v")] {
        sandbox.take(holder, target);
    }
    sandbox.age("u", 901);
    sandbox.by("a", ["take", "v2", "why", "--shared"]).stdout_any().check();
    sandbox.by("a", ["release", "--all"]).stdout_any().check();
    assert_eq!(sandbox.stems(), ["v"]);
    // Nothing to give back is no failure: a session's end may always say it.
    sandbox.by("a", ["release", "--all"]).stdout_has("No claims of a").check();
}

#[test]
fn release_stale_removes_by_the_rule_whoever_held_it_and_never_a_fresh_claim() {
    let sandbox = Sandbox::new();
    sandbox.write("fresh", record("fresh", "a", 60).to_string());
    sandbox.write("ahead", record("ahead", "a", -60).to_string());
    sandbox.write("own-stale", record("own-stale", "b", 901).to_string());
    sandbox.write("stale", record("stale", "a", 901).to_string());
    sandbox.write("future", record("future", "a", -86_400).to_string());
    sandbox.write("broken-fresh", "{");
    sandbox.write("broken-stale", "{");
    sandbox.age_bytes("broken-stale", 901);
    let report = sandbox.by("b", ["release", "--stale"]).json();
    assert_eq!(report["outcome"], "released");
    let mut named: Vec<_> = report["claims"].as_array().unwrap().iter().map(|c| c["file"].as_str().unwrap()).collect();
    named.sort_unstable();
    assert_eq!(named, ["broken-stale.json", "future.json", "own-stale.json", "stale.json"]);
    assert_eq!(sandbox.stems(), ["ahead", "broken-fresh", "fresh"]);
    // Nothing is lost: what could not be read is kept.
    let kept: Vec<_> = sandbox.files().into_iter().filter(|file| file.starts_with("unreadable/")).collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!(std::fs::read(sandbox.place().join(&kept[0])).unwrap(), b"{");
    sandbox.by("b", ["release", "--stale"]).stdout_has("No stale claims").check();
}

#[test]
fn the_lock_is_the_same_file_after_a_thousand_releases() {
    use std::os::unix::fs::MetadataExt as _;
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    // Held open, so that its number cannot be given to another file.
    let before = std::fs::File::open(sandbox.place().join("lock")).unwrap();
    let both = r#"i=0; while [ $i -lt 1000 ]; do "$1" take t p && "$1" release t || exit; i=$((i+1)); done"#;
    sandbox.by("a", [""; 0]).through(["sh", "-c", both, "sh"]).stdout_any().check();
    let after = std::fs::metadata(sandbox.place().join("lock")).unwrap();
    let before = before.metadata().unwrap();
    assert_eq!((after.dev(), after.ino(), before.nlink()), (before.dev(), before.ino(), 1));
    assert_eq!(sandbox.files(), AT_REST);
}

#[test]
fn a_claim_can_be_renewed_and_released_after_the_host_was_renamed() {
    let sandbox = Sandbox::new();
    sandbox.take("u@old-name:77", "t");
    for verb in [["beat", "t"], ["release", "t"]] {
        // A host name of its own, for this process alone.
        let renamed =
            ["unshare", "--uts", "sh", "-c", r#"echo another-name >/proc/sys/kernel/hostname && exec "$@""#, "sh"];
        sandbox.by("u@old-name:77", verb).through(renamed).stdout_any().check();
    }
    assert_eq!(sandbox.files(), AT_REST);
}
