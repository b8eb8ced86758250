//! Where claim may find itself: directories of others, users of a machine, no environment, times of another century,
//! crowds.
//!
//! Not covered: a clock of the machine that is itself before 1970 or after 2038. Time namespaces do not shift the wall
//! clock, a library that fakes it cannot be loaded into a static program, and tests set no clocks. Records of such times
//! stand for it here; `store::place` is tested with a clock that says so, and `host::clock` with such times.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, chown},
    path::PathBuf,
};

use claim::core::{
    time::Timestamp,
    trace::{self, Act, Line, Terms},
};

use crate::{
    disk::Mounts,
    support::{AT_REST, CLAIM, Outcome, Run, Sandbox, ago, need, record},
};

const ALICE: &str = "4301";
const BOB: &str = "4302";

/// The program at a path that every user can reach.
fn reachable(sandbox: &Sandbox) -> PathBuf {
    let copy = sandbox.home().parent().unwrap().join("claim");
    if !copy.exists() {
        fs::copy(CLAIM, &copy).unwrap();
        for directory in [copy.parent().unwrap().to_owned(), sandbox.home(), sandbox.work()] {
            fs::set_permissions(directory, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
    copy
}

/// The run by another user, who cannot reach the build directory.
fn as_user<'a>(sandbox: &'a Sandbox, user: &str, group: &str, run: Run<'a>) -> Run<'a> {
    need("setpriv");
    let (copy, shell) = (
        reachable(sandbox),
        format!(r#"shift; umask 022; exec setpriv --reuid {user} --regid {group} --clear-groups "$0" "$@""#),
    );
    run.within("/").through(["sh", "-c", &shell, copy.to_str().unwrap()])
}

fn mode(sandbox: &Sandbox, owner: u32, mode: u32) {
    fs::create_dir_all(sandbox.place()).unwrap();
    chown(sandbox.place(), Some(owner), Some(owner)).unwrap();
    fs::set_permissions(sandbox.place(), fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn in_a_directory_that_is_everybodys_but_sticky_nobody_loses_a_claim_to_another() {
    let sandbox = Sandbox::new();
    mode(&sandbox, 0, 0o1777);
    let by = |user: &str, words: &[&str]| as_user(&sandbox, user, user, sandbox.by(user, words));
    by(ALICE, &["take", "t", "why"]).stdout_any().check();
    let bytes = sandbox.bytes("t");
    // A kernel may forbid opening the other's lock there at all: then nothing can be done, and that is said.
    for verb in [&["take", "t", "why"][..], &["beat", "t"], &["release", "t"]] {
        let outcome = by(BOB, verb).outcome();
        assert!([1, 75].contains(&outcome.exit), "{verb:?}: {outcome}");
        assert_eq!(sandbox.bytes("t"), bytes, "{verb:?}");
    }
    by(BOB, &["status"]).stdout_has(ALICE).check();
    // Stale, it still is a file of Alice's: whoever may not remove it may not have it.
    sandbox.age("t", 901);
    let aged = sandbox.bytes("t");
    for verb in [&["take", "t", "why"][..], &["release", "--stale"]] {
        by(BOB, verb).exit(1).stdout_any().stderr_some().check();
        assert_eq!(sandbox.bytes("t"), aged, "{verb:?}");
    }
    by(ALICE, &["beat", "t"]).stdout_any().check();
    by(ALICE, &["release", "t"]).stdout_any().check();
}

#[test]
fn a_directory_of_somebody_else_is_read_where_it_may_be_and_else_an_error() {
    for (permissions, readable) in [(0o755, true), (0o700, false)] {
        let sandbox = Sandbox::new();
        mode(&sandbox, ALICE.parse().unwrap(), permissions);
        as_user(&sandbox, ALICE, ALICE, sandbox.by("alice", ["take", "t", "why"])).stdout_any().check();
        let before = sandbox.files();
        let bob = |words: &[&str]| as_user(&sandbox, BOB, BOB, sandbox.by("bob", words));
        for verb in [&["take", "u", "why"][..], &["take", "t", "why"], &["release", "--stale"], &["beat", "t"]] {
            let Outcome { exit, stdout, stderr } = bob(verb).outcome();
            assert!(exit == 1 && stdout.is_empty(), "{permissions:o} {verb:?}: {exit} {stdout}{stderr}");
            assert!(stderr.contains(sandbox.place().to_str().unwrap()), "{stderr}");
        }
        let status = bob(&["status"]);
        // What cannot be read is never called empty.
        if readable {
            status.stdout_has("alice").check()
        } else {
            status.exit(1).stderr_some().check()
        };
        assert_eq!(sandbox.files(), before);
    }
}

/// Users that the machine knows by name, in its own list of them as far as this test can see.
#[test]
fn two_users_of_one_group_share_a_place_and_each_is_known_by_name() {
    let sandbox = Sandbox::new();
    let copy = reachable(&sandbox);
    mode(&sandbox, 0, 0o2770);
    chown(sandbox.place(), None, Some(4_300)).unwrap();
    fs::set_permissions(sandbox.place(), fs::Permissions::from_mode(0o2770)).unwrap();
    let home = sandbox.home();
    for (name, user) in [("alice", ALICE), ("bob", BOB)] {
        let own = home.join(name);
        fs::create_dir(&own).unwrap();
        chown(&own, Some(user.parse().unwrap()), None).unwrap();
    }
    let (passwd, group) = (sandbox.work().join("passwd"), sandbox.work().join("group"));
    let line = |name: &str, user: &str| format!("{name}:x:{user}:{user}::{}:/bin/sh\n", home.join(name).display());
    fs::write(&passwd, format!("root:x:0:0::/root:/bin/sh\n{}{}", line("alice", ALICE), line("bob", BOB))).unwrap();
    fs::write(&group, "root:x:0:\nagents:x:4300:alice,bob\n").unwrap();
    let script = format!("mount --bind {} /etc/passwd; mount --bind {} /etc/group", passwd.display(), group.display());
    let mounts = Mounts::new(&sandbox, &script);
    let by = |user: &str, words: &[&str]| {
        let keeper = mounts.keeper().to_string();
        let shell = format!(
            r#"shift; umask 077; exec nsenter --mount --target {keeper} setpriv --reuid {user} --regid agents --init-groups "$0" "$@""#
        );
        sandbox.by(user, words).within("/").through(["sh", "-c", &shell, copy.to_str().unwrap()])
    };
    by("alice", &["take", "t", "why"]).stdout_any().check();
    by("bob", &["take", "t", "why"]).exit(75).stderr_has("claimed by alice (").check();
    by("bob", &["handover", "add", "t", "a note"]).stdout_any().check();
    by("alice", &["handover", "next", "t"]).stdout_any().check();
    by("alice", &["handover", "done", "1"]).stdout_any().check();
    by("bob", &["audit"]).stdout_any().check();
    sandbox.age("t", 901);
    by("bob", &["take", "t", "why"]).stdout_has("taken-over").check();
    by("alice", &["beat", "t"]).exit(75).stderr_some().check();
    by("bob", &["release", "t"]).stdout_any().check();
    // Without variables each has a place of their own, where the list of users says that they live.
    for user in ["alice", "bob"] {
        let status = by(user, &["--json", "status"]).env_remove("HOME").env_remove("CLAIM_DIR").stdout_any().check();
        let expected = format!("\"dir\": \"{}\"", home.join(user).join(".local/state/claim").display());
        assert!(status.stdout.contains(&expected), "{}", status.stdout);
    }
}

#[test]
fn without_any_environment_all_that_is_needed_can_be_said() {
    let sandbox = Sandbox::new();
    let place = sandbox.place();
    let place = place.to_str().unwrap();
    let bare = |words: &[&str]| sandbox.run([words, &["--dir", place]].concat()).through(["env", "-i"]);
    bare(&["take", "t", "why", "--holder", "a"]).stdout_any().check();
    bare(&["take", "t", "why", "--holder", "b"]).exit(75).stderr_has("claimed by a").check();
    bare(&["take", "u", "why"]).exit(1).stderr_has("CLAIM_HOLDER").check();
    bare(&["status"]).stdout_has("1 claim").check();
    bare(&["release", "t", "--holder", "a"]).stdout_any().check();
    assert_eq!(sandbox.files(), AT_REST);
}

#[test]
fn a_home_that_cannot_be_read_is_an_error_and_never_an_empty_place() {
    let sandbox = Sandbox::new();
    reachable(&sandbox);
    fs::set_permissions(sandbox.home(), fs::Permissions::from_mode(0o000)).unwrap();
    for verb in [&["status"][..], &["take", "t", "why"], &["beat", "t"], &["release", "--all"]] {
        let run = sandbox.by("a", verb).env_remove("CLAIM_DIR");
        let told = as_user(&sandbox, ALICE, ALICE, run).exit(1).stderr_some().check().stderr;
        assert!(told.contains(".local"), "{verb:?}: {told}");
    }
}

#[test]
fn records_of_another_century_are_judged_by_their_age() {
    for (time, word) in [
        ("0000-01-01T00:00:00Z", "stale"),
        ("1901-12-13T20:45:51Z", "stale"),
        ("1969-12-31T23:59:59Z", "stale"),
        ("1970-01-01T00:00:00Z", "stale"),
        ("2106-02-07T06:28:16Z", "future"),
        ("9999-12-31T23:59:59Z", "future"),
    ] {
        let sandbox = Sandbox::new();
        let mut claim = record("t", "old", 0);
        (claim["taken_at"], claim["heartbeat_at"]) = (time.into(), time.into());
        sandbox.write("t", claim.to_string());
        assert_eq!(sandbox.run(["status"]).json()["claims"][0]["state"], word, "{time}");
        // Whoever holds it is still the one, and puts the clock right.
        sandbox.by("old", ["beat", "t"]).stdout_any().check();
        assert_eq!(sandbox.run(["status"]).json()["claims"][0]["state"], "fresh", "{time}");
        sandbox.write("t", claim.to_string());
        assert_eq!(sandbox.by("new", ["take", "t", "why"]).json()["outcome"], "taken-over", "{time}");
        sandbox.write("t", claim.to_string());
        sandbox.by("new", ["release", "--stale"]).stdout_has("t").check();
        assert_eq!(sandbox.stems(), [""; 0], "{time}");
    }
}

#[test]
fn the_time_zone_is_nobodys_business() {
    let sandbox = Sandbox::new();
    sandbox.write("t", record("t", "a", 100).to_string());
    let plain = sandbox.run(["status"]).json()["claims"][0]["heartbeat_age_s"].as_i64().unwrap();
    for zone in ["Pacific/Kiritimati", "America/Los_Angeles", "UTC+12", "XYZ-14:30", ":nowhere", ""] {
        let zoned = sandbox.run(["status"]).env("TZ", zone).json();
        assert!((plain..plain + 60).contains(&zoned["claims"][0]["heartbeat_age_s"].as_i64().unwrap()), "{zone}");
        let before = ago(0);
        sandbox.by("b", ["take", "u", "why"]).env("TZ", zone).stdout_any().check();
        let claim = sandbox.claim("u");
        let heartbeat = claim["heartbeat_at"].as_str().unwrap();
        assert!((before.as_str()..=ago(0).as_str()).contains(&heartbeat), "{zone}: {heartbeat}");
    }
}

#[test]
fn ten_thousand_claims_are_listed_judged_and_cleared_away() {
    let sandbox = Sandbox::new();
    for number in 0..10_000 {
        let name = format!("left-{number:05}");
        sandbox.write(&name, record(&name, "crashed", if number == 5_000 { 0 } else { 901 }).to_string());
    }
    let status = sandbox.run(["status"]).json();
    assert_eq!((status["claims"].as_array().unwrap().len(), &status["stale"]), (10_000, &9_999.into()));
    sandbox.by("a", ["take", "new", "why"]).stdout_any().check();
    sandbox.by("a", ["take", "left-05000", "why"]).exit(75).stderr_has("claimed by crashed").check();
    sandbox.by("a", ["take", "left-00007", "why"]).stdout_has("taken-over").check();
    sandbox.by("a", ["beat", "--all"]).stdout_has("left-00007").check();
    sandbox.by("a", ["release", "--stale"]).stdout_has("left-09999").check();
    assert_eq!(sandbox.stems(), ["left-00007", "left-05000", "new"]);
}

#[test]
fn a_hundred_thousand_trace_lines_are_audited_and_gone_on_from() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.place()).unwrap();
    let start = Timestamp::from_seconds(1_600_000_000);
    let terms = Terms { ttl_s: 900, shared: false };
    let mut previous = None;
    // As the program would have left them: five files of twenty thousand lines, the oldest with the highest number.
    for file in ["trace.4.jsonl", "trace.3.jsonl", "trace.2.jsonl", "trace.1.jsonl", "trace.jsonl"] {
        let mut text = String::new();
        for number in 0..20_000_i64 {
            let act = Act { ts: Timestamp::from_seconds(start.seconds() + number / 2), agent: "a", task: "t" };
            let line = if number % 2 == 0 { Line::claim(act, terms, None) } else { Line::release(act, 0, terms) };
            let new = if number == 0 {
                trace::next_in_new_file(previous.as_ref(), &line)
            } else {
                trace::next(previous.as_ref(), &line)
            };
            previous = trace::last_id(new.as_bytes());
            text.push_str(&new);
        }
        fs::write(sandbox.place().join(file), text).unwrap();
    }
    let audit = sandbox.run(["audit"]).stdout_any().outcome();
    assert!(audit.stdout.contains("100000 lines"), "{audit}");
    assert!(!audit.stderr.contains("seal") && !audit.stderr.contains("missing"), "{audit}");
    sandbox.take("b", "u");
    let after = sandbox.run(["audit"]).outcome();
    assert!(after.stdout.contains("100001 lines"), "{after}");
    assert_eq!((audit.exit, audit.stderr), (after.exit, after.stderr), "the new line follows from the ones before");
    sandbox.run(["log", "u"]).stdout_has("claim").check();
}
