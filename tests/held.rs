//! `run` while the command runs: signals, beats, loss, suspension, failing disks, and two runs at once. All with real
//! processes; what would take long is brought about by ageing the record.

use std::{
    fs,
    os::unix::fs::symlink,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    live::{self, Live, is_alive, number, signal, state, text, until},
    support::{AT_REST, Sandbox, ago},
};

/// Announces itself, then waits for the file `go`.
const WAITS: &str = "echo $$ >pid; while [ ! -e go ]; do sleep 0.05; done";

fn run(sandbox: &Sandbox, holder: &str, options: &[&str], script: &str) -> Live {
    live::start(&sandbox.by(holder, [&["run", "t"], options, &["--", "sh", "-c", script]].concat()))
}

fn touch(sandbox: &Sandbox, name: &str) {
    fs::write(sandbox.work().join(name), "").unwrap();
}

/// Ages the record of a claim that is being beaten. Under the lock, since a beat finds out whatever else writes with it.
fn age(sandbox: &Sandbox, seconds: i64) {
    let lock = fs::File::options().write(true).open(sandbox.place().join("lock")).unwrap();
    lock.lock().unwrap();
    sandbox.age("t", seconds);
    lock.unlock().unwrap();
}

/// `holder` takes over what is being beaten: the record is aged until it gets in between two beats.
fn steal(sandbox: &Sandbox, holder: &str) {
    until("a moment between two beats", || {
        age(sandbox, 100_000);
        sandbox.by(holder, ["take", "t", "stolen"]).outcome().exit == 0
    });
}

fn heartbeat(sandbox: &Sandbox) -> Value {
    sandbox.claim("t")["heartbeat_at"].clone()
}

/// Waits until the claim is beaten after its record was aged.
#[track_caller]
fn beaten(sandbox: &Sandbox) {
    age(sandbox, 1_000);
    let aged = |time: &Value| time.as_str().unwrap() < &*ago(500);
    until("a beat", || !aged(&heartbeat(sandbox)));
}

#[test]
fn a_signal_to_the_wrapper_reaches_the_command_and_ends_both() {
    let sandbox = Sandbox::new();
    for (name, code) in [("INT", 130), ("TERM", 143), ("HUP", 129), ("QUIT", 131), ("USR1", 138), ("ALRM", 142)] {
        let mut wrapper = run(&sandbox, "a", &[], "ulimit -c 0; echo $$ >pid; exec sleep 300");
        let pid = number(&sandbox, "pid");
        wrapper.signal(name);
        assert_eq!(wrapper.code(), code, "{name}: {}", wrapper.stderr());
        assert!(!is_alive(pid), "{name}");
        assert_eq!(sandbox.files(), AT_REST, "{name}");
        assert_eq!(wrapper.stderr(), "", "{name}");
        fs::remove_file(sandbox.work().join("pid")).unwrap();
    }
}

#[test]
fn a_command_that_handles_a_signal_gets_it_once_and_ends_as_it_likes() {
    let sandbox = Sandbox::new();
    for (name, number_of) in [("INT", 2), ("TERM", 15), ("HUP", 1), ("QUIT", 3), ("USR2", 12)] {
        let script = format!("trap 'echo {name} >>got' {name}; {WAITS}; exit 5");
        let mut wrapper = run(&sandbox, "a", &[], &script);
        number(&sandbox, "pid");
        wrapper.signal(name);
        until(name, || !text(&sandbox, "got").is_empty());
        // It goes on, and so does its claim.
        assert!(!wrapper.is_over(), "{name} {number_of}");
        assert_eq!(sandbox.stems(), ["t"]);
        touch(&sandbox, "go");
        assert_eq!(wrapper.code(), 5, "{name}");
        assert_eq!(text(&sandbox, "got"), format!("{name}\n"));
        for file in ["got", "go", "pid"] {
            fs::remove_file(sandbox.work().join(file)).unwrap();
        }
    }
    assert_eq!(sandbox.files(), AT_REST);
}

#[test]
fn a_killed_wrapper_leaves_its_claim_to_the_time_to_live() {
    let sandbox = Sandbox::new();
    let wrapper = run(&sandbox, "a", &[], WAITS);
    let pid = number(&sandbox, "pid");
    wrapper.signal("KILL");
    until("the end of the wrapper", || !is_alive(wrapper.pid()));
    signal(pid, "KILL");
    sandbox.by("b", ["take", "t", "p"]).exit(75).stderr_some().check();
    sandbox.age("t", 901);
    sandbox.by("b", ["take", "t", "p"]).stdout_any().check();
    let claim = sandbox.claim("t");
    assert_eq!((&claim["holder"], &claim["taken_from"], claim.get("runs")), (&json!("b"), &json!("a"), None));
}

#[test]
fn a_claim_is_beaten_from_the_side_also_with_the_shortest_time_to_live() {
    let sandbox = Sandbox::new();
    for ttl in ["1", "3"] {
        let mut wrapper = run(&sandbox, "a", &["--ttl", ttl], WAITS);
        number(&sandbox, "pid");
        beaten(&sandbox);
        beaten(&sandbox);
        touch(&sandbox, "go");
        assert_eq!((wrapper.code(), &*wrapper.stderr()), (0, ""));
        fs::remove_file(sandbox.work().join("go")).unwrap();
        fs::remove_file(sandbox.work().join("pid")).unwrap();
    }
    assert_eq!(sandbox.files(), AT_REST);
}

#[test]
fn a_command_whose_claim_is_in_other_hands_is_ended_and_they_are_left_alone() {
    let sandbox = Sandbox::new();
    let mut wrapper = run(&sandbox, "a", &["--ttl", "3", "--refused-code", "9"], WAITS);
    let pid = number(&sandbox, "pid");
    steal(&sandbox, "b");
    let theirs = sandbox.bytes("t");
    assert_eq!(wrapper.code(), 9);
    assert!(!is_alive(pid));
    assert_eq!(sandbox.bytes("t"), theirs);
    let said = wrapper.stderr();
    assert!(said.starts_with("REFUSED: t is claimed by b (heartbeat "), "{said}");
    let since =
        format!("  b has it since {}; the command was ended\n", sandbox.claim("t")["taken_at"].as_str().unwrap());
    assert!(said.contains(&since) && said.contains("it was yours: b took it over"), "{said}");
}

#[test]
fn a_command_that_does_not_heed_term_is_killed() {
    let sandbox = Sandbox::new();
    let script = format!("trap 'echo TERM >>got' TERM; {WAITS}");
    let mut wrapper = run(&sandbox, "a", &["--ttl", "3"], &script);
    let pid = number(&sandbox, "pid");
    steal(&sandbox, "b");
    let theirs = sandbox.bytes("t");
    until("TERM", || !text(&sandbox, "got").is_empty());
    assert!(is_alive(pid));
    assert_eq!(wrapper.code(), 75);
    assert!(!is_alive(pid));
    assert_eq!((text(&sandbox, "got"), sandbox.bytes("t")), ("TERM\n".to_owned(), theirs));
}

#[test]
fn what_the_command_has_started_ends_with_it_when_the_claim_is_lost() {
    let sandbox = Sandbox::new();
    // A shell that waits for another one, which does not heed TERM, and for a third that has stopped.
    let inner = r#"trap "echo TERM >>got" TERM; echo $$ >inner; while :; do sleep 0.05; done"#;
    let script = format!("sh -c '{inner}' & sh -c 'echo $$ >stopped; kill -STOP $$' & echo $$ >pid; wait; wait");
    let mut wrapper = run(&sandbox, "a", &["--ttl", "3"], &script);
    let family = ["pid", "inner", "stopped"].map(|name| number(&sandbox, name));
    steal(&sandbox, "b");
    assert_eq!(wrapper.code(), 75);
    assert_eq!(family.map(is_alive), [false; 3]);
    assert_eq!(text(&sandbox, "got"), "TERM\n");
}

#[test]
fn a_loss_that_no_beat_found_is_told_at_the_end() {
    let sandbox = Sandbox::new();
    let mut wrapper = run(&sandbox, "a", &[], WAITS);
    number(&sandbox, "pid");
    steal(&sandbox, "b");
    let theirs = sandbox.bytes("t");
    touch(&sandbox, "go");
    assert_eq!(wrapper.code(), 75);
    assert!(wrapper.stderr().contains("the command had ended by then"), "{}", wrapper.stderr());
    assert_eq!(sandbox.bytes("t"), theirs);
}

#[test]
fn a_claim_that_is_merely_gone_is_taken_again() {
    let sandbox = Sandbox::new();
    let mut wrapper = run(&sandbox, "a", &["--ttl", "3"], WAITS);
    number(&sandbox, "pid");
    sandbox.by("a", ["release", "t"]).stdout_any().check();
    until("the claim again", || sandbox.stems() == ["t"]);
    assert_eq!(sandbox.claim("t")["holder"], json!("a"));
    until("a line", || !wrapper.stderr().is_empty());
    assert_eq!(wrapper.stderr(), "claim: t was released elsewhere; it was free and is taken again\n");
    touch(&sandbox, "go");
    assert_eq!(wrapper.code(), 0);
    assert_eq!(sandbox.files(), AT_REST);
    sandbox.run(["audit"]).stdout_any().check();
}

#[test]
fn a_claim_that_is_gone_and_anothers_counts_as_lost() {
    let sandbox = Sandbox::new();
    let mut wrapper = run(&sandbox, "a", &["--ttl", "3"], WAITS);
    let pid = number(&sandbox, "pid");
    // A waiter takes it as soon as it is free; should the run be sooner, it is released once more.
    let waiter = live::start(&sandbox.by("b", ["take", "t", "p", "--wait", "10m"]));
    until("the waiter's turn", || {
        sandbox.by("a", ["release", "t"]).outcome();
        waiter.stdout().starts_with("claimed")
    });
    let theirs = sandbox.bytes("t");
    assert_eq!(wrapper.code(), 75);
    assert!(!is_alive(pid));
    assert_eq!(sandbox.bytes("t"), theirs);
    assert!(wrapper.stderr().contains("b has it since "), "{}", wrapper.stderr());
}

/// Makes every change in the place fail.
fn breaks(sandbox: &Sandbox) {
    fs::rename(sandbox.place().join("lock"), sandbox.home().join("lock")).unwrap();
    symlink(sandbox.home().join("lock"), sandbox.place().join("lock")).unwrap();
}

fn mends(sandbox: &Sandbox) {
    fs::remove_file(sandbox.place().join("lock")).unwrap();
    fs::rename(sandbox.home().join("lock"), sandbox.place().join("lock")).unwrap();
}

#[test]
fn a_beat_that_fails_is_told_once_and_tried_again() {
    let sandbox = Sandbox::new();
    let mut wrapper = run(&sandbox, "a", &["--ttl", "30"], WAITS);
    number(&sandbox, "pid");
    breaks(&sandbox);
    // The next beat is due at once by the clock that says longer.
    until("a complaint", || !wrapper.stderr().is_empty());
    thread::sleep(Duration::from_millis(2_500));
    mends(&sandbox);
    until("the all-clear", || wrapper.stderr().lines().count() > 1);
    touch(&sandbox, "go");
    assert_eq!(wrapper.code(), 0);
    let said = wrapper.stderr();
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines.len(), 2, "{said}");
    assert!(lines[0].starts_with("claim: t could not be beaten, trying again: "), "{said}");
    assert_eq!(lines[1], "claim: t is beaten again");
    assert_eq!(sandbox.files(), AT_REST);
}

#[test]
fn a_command_whose_claim_cannot_be_beaten_is_gone_before_that_is_stale() {
    let sandbox = Sandbox::new();
    // The command notes when it was asked to end, and does not heed it.
    let script = format!("trap 'date +%s >asked' TERM; {WAITS}");
    let mut wrapper = run(&sandbox, "a", &["--ttl", "9"], &script);
    let pid = number(&sandbox, "pid");
    breaks(&sandbox);
    until("the end of the command", || !is_alive(pid));
    let ended = sandbox.by("z", ["status", "--json"]).outcome();
    let status: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(status["claims"][0]["state"], json!("fresh"), "{ended}");
    assert_eq!(wrapper.code(), 1);
    assert!(text(&sandbox, "asked").trim().parse::<u64>().is_ok());
    let said = wrapper.stderr();
    assert!(said.contains("the command was ended before the claim could go stale"), "{said}");
    assert!(said.contains("claim: t was not released: "), "{said}");
    assert_eq!(sandbox.stems(), ["t"]);
}

#[test]
fn a_claim_that_cannot_be_released_is_no_success() {
    let sandbox = Sandbox::new();
    for (script, code) in [(WAITS.to_owned(), 1), (format!("{WAITS}; exit 7"), 7)] {
        let mut wrapper = run(&sandbox, "a", &[], &script);
        number(&sandbox, "pid");
        breaks(&sandbox);
        touch(&sandbox, "go");
        assert_eq!(wrapper.code(), code);
        assert!(wrapper.stderr().contains("claim: t was not released: "), "{}", wrapper.stderr());
        assert_eq!(sandbox.stems(), ["t"]);
        mends(&sandbox);
        sandbox.by("a", ["release", "t"]).stdout_any().check();
        fs::remove_file(sandbox.work().join("go")).unwrap();
        fs::remove_file(sandbox.work().join("pid")).unwrap();
    }
}

/// A run that was stopped, wrapper and command, with a record that is a day old.
fn suspended(sandbox: &Sandbox) -> (Live, u32) {
    let wrapper = run(sandbox, "a", &[], WAITS);
    let pid = number(sandbox, "pid");
    for pid in [wrapper.pid(), pid] {
        signal(pid, "STOP");
        until("the stop", || state(pid) == Some('T'));
    }
    sandbox.age("t", 86_400);
    (wrapper, pid)
}

#[test]
fn after_a_suspension_with_nobody_in_between_it_beats_and_goes_on() {
    let sandbox = Sandbox::new();
    let (mut wrapper, pid) = suspended(&sandbox);
    let aged = heartbeat(&sandbox);
    signal(wrapper.pid(), "CONT");
    // The command is continued with it, and the claim is looked at long before the next beat is due, 30 s after the last.
    let continued = Instant::now();
    until("a beat", || heartbeat(&sandbox) != aged);
    assert!(continued.elapsed() < Duration::from_secs(15), "{:?}", continued.elapsed());
    until("the command", || state(pid) != Some('T'));
    touch(&sandbox, "go");
    assert_eq!((wrapper.code(), &*wrapper.stderr()), (0, ""));
    assert_eq!(sandbox.files(), AT_REST);
}

#[test]
fn after_a_suspension_in_which_another_took_it_the_command_is_ended() {
    let sandbox = Sandbox::new();
    let (mut wrapper, pid) = suspended(&sandbox);
    sandbox.by("b", ["take", "t", "p"]).stdout_any().check();
    let theirs = sandbox.bytes("t");
    signal(wrapper.pid(), "CONT");
    assert_eq!(wrapper.code(), 75);
    assert!(!is_alive(pid));
    assert_eq!(sandbox.bytes("t"), theirs);
}

#[test]
fn a_command_that_somebody_stops_keeps_its_claim() {
    let sandbox = Sandbox::new();
    let mut wrapper = run(&sandbox, "a", &["--ttl", "3"], WAITS);
    let pid = number(&sandbox, "pid");
    signal(pid, "STOP");
    until("the stop", || state(pid) == Some('T'));
    beaten(&sandbox);
    assert_ne!(state(wrapper.pid()), Some('T'));
    signal(pid, "CONT");
    touch(&sandbox, "go");
    assert_eq!(wrapper.code(), 0);
}

/// Two runs of one session on one target. Each waits for its own file.
fn two(sandbox: &Sandbox) -> [(Live, u32); 2] {
    ["1", "2"].map(|name| {
        let script = format!("echo $$ >pid{name}; while [ ! -e go{name} ]; do sleep 0.05; done; exit {name}");
        let wrapper = run(sandbox, "a", &["--ttl", "3"], &script);
        let pid = number(sandbox, &format!("pid{name}"));
        (wrapper, pid)
    })
}

#[test]
fn two_runs_of_one_session_release_when_the_last_has_ended_in_either_order() {
    for [first, last] in [[0, 1], [1, 0]] {
        let sandbox = Sandbox::new();
        let mut runs = two(&sandbox);
        touch(&sandbox, &format!("go{}", first + 1));
        assert_eq!(runs[first].0.code(), i32::try_from(first).unwrap() + 1);
        assert_eq!(sandbox.stems(), ["t"]);
        beaten(&sandbox);
        assert!(is_alive(runs[last].1));
        touch(&sandbox, &format!("go{}", last + 1));
        assert_eq!(runs[last].0.code(), i32::try_from(last).unwrap() + 1);
        assert_eq!(sandbox.files(), AT_REST);
        assert!(runs.iter().all(|(wrapper, _)| wrapper.stderr().is_empty()));
    }
}

#[test]
fn of_two_runs_of_which_one_was_killed_neither_leaves_the_other_unclaimed_nor_a_claim_for_ever() {
    let sandbox = Sandbox::new();
    let [(killed, orphan), (mut other, pid)] = two(&sandbox);
    killed.signal("KILL");
    signal(orphan, "KILL");
    beaten(&sandbox);
    assert!(is_alive(pid));
    // The dead run's mark lives for one time to live, 3 s here; then the other is the last.
    let marks = || sandbox.claim("t")["runs"]["users"].as_object().map(serde_json::Map::len);
    until("the end of the mark", || marks() == Some(1));
    touch(&sandbox, "go2");
    assert_eq!(other.code(), 2);
    assert_eq!(sandbox.files(), AT_REST);
}

#[test]
fn a_claim_that_the_session_takes_meanwhile_outlives_the_run() {
    let sandbox = Sandbox::new();
    let mut wrapper = run(&sandbox, "a", &["--ttl", "3"], WAITS);
    number(&sandbox, "pid");
    sandbox.by("a", ["take", "t", "for longer"]).stdout_any().check();
    touch(&sandbox, "go");
    assert_eq!(wrapper.code(), 0);
    let claim = sandbox.claim("t");
    assert_eq!((&claim["purpose"], claim.get("runs")), (&json!("for longer"), None));
}
