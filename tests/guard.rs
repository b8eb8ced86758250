//! `guard` through the program: what it says of a path, and what it leaves behind.

use std::fs;

use regex::Regex;
use serde_json::json;

use crate::scene::Scene;
use crate::support::CLAIM;

mod paths;
mod staged;
mod trees;

/// What is said of `~/sibling/a.md` when `b` claimed `claimed` half a minute ago.
fn refused(claimed: &str, how: &str) -> String {
    format!(
        "REFUSED: [HOME]/{claimed} is claimed by b (heartbeat [30s] ago).\n  purpose: testing\n{how}\
         \x20 goes stale in 14m without a beat\n\
         \x20 leave the work for later: claim handover add [HOME]/{claimed} 'what is to be done'\n"
    )
}

const UNCLAIMED: &str = "UNCLAIMED: [HOME]/sibling/a.md is outside of your tree, and no claim of yours covers it.\n  \
    to claim it: claim take [HOME]/sibling/a.md 'purpose'\n";

#[test]
fn a_write_at_home_is_fine_and_needs_no_place() {
    let scene = Scene::new();
    for path in ["a.md", "./a.md", "~/proj/sub/new.md", "../proj", ".git/config"] {
        scene.guard("a", &[path]).check();
        scene.guard_by_stranger(&[path]).check();
        scene.guard("a", &["--take", path]).check();
    }
    assert!(!scene.sandbox.place().exists());
}

#[test]
fn a_foreign_write_that_nothing_covers_is_unclaimed() {
    let scene = Scene::new();
    scene.guard("a", &["../sibling/a.md"]).exit(76).stderr(UNCLAIMED).check();
    scene.guard_by_stranger(&["../sibling/a.md"]).exit(76).stderr(UNCLAIMED).check();
    assert!(!scene.sandbox.place().exists());
}

#[test]
fn a_claim_of_anothers_that_touches_the_path_refuses_it() {
    for (claimed, how) in [
        ("sibling", "  it covers [HOME]/sibling/a.md\n"),
        ("sibling/a.md", ""),
        ("sibling/a.md/inside", "  it is inside [HOME]/sibling/a.md\n"),
    ] {
        let scene = Scene::new();
        scene.take("b", claimed);
        scene.age(claimed, 30);
        for take in [&[][..], &["--take"]] {
            let arguments = [take, &["../sibling/a.md"]].concat();
            scene.guard("a", &arguments).exit(75).stderr(refused(claimed, how)).check();
        }
        scene.guard_by_stranger(&["../sibling/a.md"]).exit(75).stderr(refused(claimed, how)).check();
        assert_eq!(scene.held(), [format!("{claimed} by b")]);
    }
}

#[test]
fn only_an_exclusive_claim_of_anothers_stops_a_write_at_home() {
    let scene = Scene::new();
    scene.share("b", "proj");
    scene.guard("a", &["a.md"]).check();
    scene.guard_by_stranger(&["a.md"]).check();
    scene.sandbox.by("b", ["release", "--all"]).stdout_any().check();
    scene.take("b", "proj/sub");
    scene.guard("a", &["a.md"]).check();
    scene.guard("a", &["sub/a.md"]).exit(75).stderr_some().check();
    scene.guard_by_stranger(&["sub/a.md"]).exit(75).stderr_some().check();
}

#[test]
fn the_owner_at_work_stops_a_foreign_write() {
    let scene = Scene::new();
    scene.share("b", "sibling");
    scene.guard("a", &["--take", "../sibling/a.md"]).exit(75).stderr_some().check();
    assert_eq!(scene.held(), ["sibling by b, shared"]);
}

#[test]
fn an_own_claim_covers_what_is_below_it_and_nothing_else() {
    let scene = Scene::new();
    scene.take("a", "sibling/sub");
    for (path, exit) in [("sub", 0), ("sub/a.md", 0), ("sub/b/c.md", 0), ("sub.md", 76), ("a.md", 76), (".", 76)] {
        scene.guard("a", &[&format!("~/sibling/{path}")]).exit(exit).stderr_is(silent_only_if(exit == 0)).check();
    }
}

fn silent_only_if(silent: bool) -> impl predicates::Predicate<str> + Send + Sync {
    predicates::function::function(move |text: &str| text.is_empty() == silent)
}

#[test]
fn a_stale_claim_of_anothers_is_in_nobodys_way() {
    let scene = Scene::new();
    scene.take("b", "sibling");
    scene.age("sibling", 901);
    scene.guard("a", &["../sibling/a.md"]).exit(76).stderr(UNCLAIMED).check();
    let claimed = "claimed: [HOME]/sibling by a; stale in 15m without a beat\n";
    scene.guard("a", &["--take", "../sibling/a.md"]).stdout(claimed).check();
    assert_eq!(scene.claim("sibling").1["taken_from"], "b");
}

#[test]
fn a_claim_dated_in_the_future_refuses_for_as_long_as_a_clock_may_be_wrong() {
    let scene = Scene::new();
    scene.take("b", "sibling");
    for (ahead, exit) in [(60, 75), (86_400, 76)] {
        scene.age("sibling", -ahead);
        let outcome = scene.guard("a", &["../sibling/a.md"]).exit(exit).stderr_some().check();
        assert_eq!(outcome.stderr.contains("ahead of this machine's clock"), exit == 75, "{outcome}");
    }
}

#[test]
fn the_worst_verdict_of_several_paths_wins_and_all_are_told() {
    let scene = Scene::new();
    scene.tree("third");
    scene.take("b", "third");
    let looping = scene.path("loop");
    std::os::unix::fs::symlink(&looping, &looping).unwrap();
    let (home, unclaimed, refused, failed) = ("a.md", "~/sibling/a.md", "~/third/a.md", "~/loop");
    for (paths, exit, words) in [
        (&[home, home][..], 0, &[][..]),
        (&[home, unclaimed], 76, &["UNCLAIMED"]),
        (&[unclaimed, home], 76, &["UNCLAIMED"]),
        (&[refused, unclaimed, home], 75, &["REFUSED", "UNCLAIMED"]),
        (&[unclaimed, refused, unclaimed], 75, &["UNCLAIMED", "REFUSED", "UNCLAIMED"]),
        (&[refused, failed, unclaimed], 1, &["REFUSED", "claim", "UNCLAIMED"]),
    ] {
        let outcome = scene.guard("a", paths).exit(exit).stderr_is(predicates::constant::always()).check();
        let told: Vec<_> = outcome.stderr.lines().filter(|line| !line.starts_with(' ')).collect();
        let told: Vec<_> = told.iter().map(|line| line.split(':').next().unwrap()).collect();
        assert_eq!(told, words, "{paths:?}\n{outcome}");
    }
}

#[test]
fn a_write_that_is_refused_in_part_leaves_no_claim_on_the_rest() {
    let scene = Scene::new();
    scene.tree("third");
    scene.take("b", "third");
    for paths in [["~/sibling/a.md", "~/third/a.md"], ["~/third/a.md", "~/sibling/a.md"]] {
        let outcome = scene.guard("a", &["--take", paths[0], paths[1]]).exit(75).stderr_some().check();
        assert!(outcome.stderr.contains("UNCLAIMED: ") && outcome.stderr.contains("REFUSED: "), "{outcome}");
        assert_eq!(scene.held(), ["third by b"]);
    }
}

#[test]
fn json_says_every_verdict() {
    let scene = Scene::new();
    scene.tree("third");
    scene.take("b", "third");
    scene.take("a", "sibling/sub");
    let (sibling, third) = (scene.path("sibling/a.md"), scene.path("third/a.md"));
    let free = scene.path("tmp");
    fs::create_dir_all(&free).unwrap();
    let of = |arguments: &[&str], exit| scene.guard("a", arguments).env("TMPDIR", &free).exit(exit).json();

    let answer = of(&["a.md"], 0);
    assert_eq!((&answer["outcome"], &answer["because"]), (&json!("allowed"), &json!("home")));
    assert_eq!(answer["target"], json!(scene.path("proj/a.md")));
    let answer = of(&["~/sibling/sub/a.md"], 0);
    assert_eq!((&answer["outcome"], &answer["because"]), (&json!("allowed"), &json!("own-claim")));
    let answer = of(&["~/tmp/a.md"], 0);
    assert_eq!((&answer["outcome"], &answer["because"]), (&json!("allowed"), &json!("free")));
    let answer = of(&["~/sibling/a.md"], 76);
    assert_eq!((&answer["outcome"], &answer["target"]), (&json!("unclaimed"), &json!(sibling)));
    let answer = of(&["~/third/a.md"], 75);
    assert_eq!((&answer["outcome"], &answer["target"]), (&json!("refused"), &json!(third)));
    assert_eq!(answer["claim"], scene.claim("third").1);
    assert!(answer["heartbeat_age_s"].is_i64() && answer["stale_in_s"].is_i64(), "{answer:?}");
    scene.touch("file");
    let answer = of(&["~/file/below"], 1);
    assert_eq!((&answer["outcome"], &answer["error"]), (&json!("error"), &json!("unresolved")));
    assert!(answer["message"].as_str().unwrap().contains("file/below"), "{answer:?}");
    scene.tree("fourth");
    let answer = of(&["--take", "~/fourth/a.md"], 0);
    assert_eq!((&answer["outcome"], &answer["because"]), (&json!("allowed"), &json!("taken")));
    assert_eq!(answer["claim"], scene.claim("fourth").1);

    // Of several, the one that decided stands at the top, and each is listed in its place.
    let answer = of(&["a.md", "~/sibling/a.md", "~/third/a.md"], 75);
    assert_eq!((&answer["outcome"], &answer["target"]), (&json!("refused"), &json!(third)));
    let outcomes: Vec<_> = answer["paths"].as_array().unwrap().iter().map(|path| &path["outcome"]).collect();
    assert_eq!(outcomes, ["allowed", "unclaimed", "refused"]);
    let answer = scene.guard("a", &[]).exit(2).json();
    assert_eq!((&answer["outcome"], &answer["error"]), (&json!("error"), &json!("usage")));
}

#[test]
fn a_heartbeat_is_renewed_once_it_is_due() {
    // (the holder's time to live, the claim's age, whether it is due)
    for (ttl, age, due) in
        [("15m", 30, false), ("15m", 61, true), ("15m", 5_000, true), ("60s", 21, true), ("15m", -60, true)]
    {
        let scene = Scene::new();
        let path = scene.path("sibling");
        scene.sandbox.by("a", ["take", path.to_str().unwrap(), "testing", "--ttl", ttl]).stdout_any().check();
        scene.age("sibling", age);
        let before = scene.claim("sibling").1;
        scene.guard("a", &["../sibling/a.md"]).check();
        let after = scene.claim("sibling").1;
        assert_eq!(after["heartbeat_at"] != before["heartbeat_at"], due, "{ttl} {age}");
        assert_eq!(after["taken_at"], before["taken_at"]);
        assert_eq!(after["purpose"], before["purpose"]);
    }
}

#[test]
fn who_lost_a_claim_is_told_by_the_next_guard() {
    let scene = Scene::new();
    scene.take("a", "sibling");
    scene.age("sibling", 901);
    scene.take("b", "sibling");
    scene.age("sibling", 30);
    let taken_at = scene.claim("sibling").1["taken_at"].as_str().unwrap().to_owned();
    let how = format!("  it covers [HOME]/sibling/a.md\n  it was yours: b took it over [30s] ago, at {taken_at}\n");
    scene.guard("a", &["../sibling/a.md"]).exit(75).stderr(refused("sibling", &how)).check();
    // Others are not told that it was theirs.
    let how = "  it covers [HOME]/sibling/a.md\n";
    scene.guard("c", &["../sibling/a.md"]).exit(75).stderr(refused("sibling", how)).check();
}

#[test]
fn notes_that_wait_are_named_where_the_tree_is_taken_and_where_it_is_refused() {
    let scene = Scene::new();
    let note = |path: &str| {
        let path = scene.path(path);
        scene.sandbox.by("c", ["handover", "add", path.to_str().unwrap(), "use it"]).stdout_any().check();
    };
    note("sibling/other.md");
    let named = "  1 note waits on [HOME]/sibling/other.md: claim handover next [HOME]/sibling/other.md\n";
    let claimed = format!("claimed: [HOME]/sibling by a; stale in 15m without a beat\n{named}");
    scene.guard("a", &["--take", "../sibling/a.md"]).stdout(claimed).check();
    let answer = scene.guard("a", &["../sibling/other.md"]).json();
    assert_eq!(answer["handovers"], json!([{"target": scene.path("sibling/other.md"), "waiting": 1, "claimed": 0}]));
    let told = scene.guard("b", &["../sibling/other.md"]).exit(75).stderr_some().check().stderr;
    assert!(told.contains("REFUSED: ") && told.contains(" note waits on "), "{told}");
}

#[test]
fn who_asks_is_needed_only_to_take() {
    let scene = Scene::new();
    scene.guard_by_stranger(&["--take", "a.md"]).exit(1).stderr_is(predicates::str::contains("CLAIM_HOLDER")).check();
    // Two agents at once: nobody can say which session it is.
    let both = scene.guard_by_stranger(&["--take", "a.md"]).env("CLAUDE_CODE_SESSION_ID", "1");
    let both = both.env("CODEX_SESSION_ID", "2").exit(1).stderr_some().check();
    assert!(both.stderr.contains("CLAUDE_CODE_SESSION_ID") && both.stderr.contains("CODEX_SESSION_ID"), "{both}");
    // A stranger owns nothing, so a claim of anybody's is in its way.
    scene.take("a", "sibling");
    scene.guard_by_stranger(&["../sibling/a.md"]).exit(75).stderr_some().check();
    scene.guard("a", &["../sibling/a.md"]).check();
    scene.guard_by_stranger(&["--holder", "a", "../sibling/a.md"]).check();
}

#[test]
fn an_agents_own_project_directory_is_home() {
    let scene = Scene::new();
    let guard = |path: &str| {
        let run = scene.guard_by_stranger(&[path]).env("CLAUDE_PROJECT_DIR", scene.path("proj"));
        run.within(scene.path("sibling/sub"))
    };
    guard("~/proj/a.md").env("CLAUDE_CODE_SESSION_ID", "1").check();
    guard("~/sibling/a.md").env("CLAUDE_CODE_SESSION_ID", "1").exit(76).stderr_some().check();
    // Gemini sets that variable as well: it counts only for the agent whose session this is.
    guard("~/sibling/a.md").check();
}

/// The system calls of a run that could change anything, except writing to standard output.
fn changing_calls(scene: &Scene, arguments: &[&str]) -> Vec<String> {
    let trace = scene.path("strace");
    let through = ["strace", "-f", "-qq", "-e", "signal=none", "-o", trace.to_str().unwrap()];
    scene.guard("a", arguments).through(through).stdout_any().check();
    let call = Regex::new(
        r"(?x) \b(flock|mkdir(at)?|rename(at2?)?|unlink(at)?|rmdir|link(at)?|symlink(at)?|f?chmod(at2?)?|f?chown(at)?|
            f?truncate|f?utimens(at)?|f(data)?sync|mknod(at)?)\(
            | fcntl\(.*F_(OFD_)?SETLKW? | O_(WRONLY|RDWR|CREAT|TRUNC|APPEND) | \bp?write(v|64)?\((?<descriptor>\d+)",
    )
    .unwrap();
    let text = fs::read_to_string(trace).unwrap();
    assert!(text.contains(CLAIM.rsplit('/').next().unwrap()), "strace saw nothing");
    text.lines()
        .filter(|line| {
            call.captures(line)
                .is_some_and(|found| found.name("descriptor").is_none_or(|descriptor| descriptor.as_str() != "1"))
        })
        .map(str::to_owned)
        .collect()
}

#[test]
fn an_allowed_path_takes_no_lock_and_writes_nothing_unless_a_heartbeat_is_due() {
    let scene = Scene::new();
    scene.take("a", "sibling");
    scene.share("b", "proj");
    for arguments in [&["a.md"][..], &["../sibling/a.md"], &["--take", "../sibling/a.md", "a.md"], &["/dev/null"]] {
        assert_eq!(changing_calls(&scene, arguments), [""; 0], "{arguments:?}");
    }
    scene.age("sibling", 61);
    let due = changing_calls(&scene, &["../sibling/a.md"]);
    for call in ["flock(", "O_CREAT", "rename"] {
        assert!(due.iter().any(|line| line.contains(call)), "no {call} in {due:#?}");
    }
}
