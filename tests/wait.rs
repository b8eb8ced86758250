//! `--wait`: in line, in order, and out of it again.

use std::{
    fs,
    time::{Duration, Instant, SystemTime},
};

use serde_json::{Value, json};

use crate::{
    live::{self, Live, state, text, until},
    support::{AT_REST, CLAIM, Sandbox},
};

fn waiting(sandbox: &Sandbox, holder: &str, target: &str, budget: &str) -> Live {
    let live = live::start(&sandbox.by(holder, ["take", target, "waited", "--wait", budget]));
    until("a ticket", || has_ticket(sandbox, holder));
    live
}

fn has_ticket(sandbox: &Sandbox, holder: &str) -> bool {
    let holder = format!("\"holder\": \"{holder}\"");
    let read = |ticket: &String| fs::read_to_string(sandbox.place().join(ticket)).unwrap_or_default();
    tickets(sandbox).iter().any(|ticket| read(ticket).contains(&holder))
}

fn tickets(sandbox: &Sandbox) -> Vec<String> {
    sandbox.files().into_iter().filter(|file| file.starts_with("waiting/")).collect()
}

fn holder(sandbox: &Sandbox, stem: &str) -> Option<String> {
    let bytes = fs::read(sandbox.file(stem)).ok()?;
    serde_json::from_slice::<Value>(&bytes).ok()?["holder"].as_str().map(str::to_owned)
}

fn release(sandbox: &Sandbox, name: &str, target: &str) {
    sandbox.by(name, ["release", target]).stdout_any().check();
}

#[test]
fn a_waiter_wakes_soon_after_a_release_and_leaves_no_ticket() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    let mut waiter = waiting(&sandbox, "b", "t", "10m");
    until("a line", || !waiter.stderr().is_empty());
    let line = waiter.stderr();
    assert!(sandbox.fits("claim: waiting for t: claimed by a (heartbeat [0s] ago)\n", &line), "{line}");
    release(&sandbox, "a", "t");
    let released = Instant::now();
    until("the waiter's claim", || holder(&sandbox, "t").as_deref() == Some("b"));
    // Promised is one second; the rest is for a machine that is busy with other tests.
    assert!(released.elapsed() < Duration::from_secs(10), "{:?}", released.elapsed());
    assert_eq!(waiter.code(), 0);
    assert!(waiter.stdout().starts_with("claimed: t by b; "), "{}", waiter.stdout());
    assert_eq!(sandbox.files(), ["claims/t.json", "lock", "trace.jsonl"]);
    sandbox.run(["audit"]).stdout_any().check();
}

#[test]
fn a_waiter_wakes_when_the_claim_goes_stale() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    let mut waiter = waiting(&sandbox, "b", "t", "10m");
    sandbox.age("t", 901);
    assert_eq!(waiter.code(), 0);
    assert!(waiter.stdout().starts_with("taken-over: t from a "), "{}", waiter.stdout());
    assert_eq!(tickets(&sandbox), [""; 0]);
}

#[test]
fn when_the_time_is_over_it_is_refused_and_no_ticket_is_left() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    let before = sandbox.bytes("t");
    for (verb, rest) in [(["take", "t", "p"].as_slice(), [].as_slice()), (&["run", "t"], &["--", "touch", "started"])] {
        let run = sandbox.by("b", [verb, &["--wait", "1"], rest].concat()).exit(75);
        let refused = run.stderr_has("REFUSED: t is claimed by a (heartbeat ").check();
        assert!(refused.stderr.starts_with("claim: waiting for t: claimed by a (heartbeat "), "{refused}");
        let none = sandbox.by("b", [verb, &["--wait", "0", "--refused-code", "9"], rest].concat()).exit(9);
        assert!(none.stderr_some().check().stderr.starts_with("REFUSED"));
        let said = sandbox.by("b", [verb, &["--wait", "1s"], rest].concat()).exit(75).json();
        assert_eq!(said["outcome"], json!("refused"));
        assert!(said["waited_s"].as_u64().unwrap() >= 1, "{said:?}");
    }
    assert!(!sandbox.work().join("started").exists());
    assert_eq!(sandbox.bytes("t"), before);
    assert_eq!(sandbox.files(), ["claims/t.json", "lock", "trace.jsonl"]);
    sandbox.run(["audit"]).stdout_any().check();
}

#[test]
fn a_signal_ends_a_waiter_at_once_with_no_claim_and_no_ticket() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    for (name, code) in [("INT", 130), ("TERM", 143), ("HUP", 129), ("QUIT", 131)] {
        for verb in [&["take", "t", "p", "--wait", "10m"][..], &["run", "t", "--wait", "10m", "--", "touch", "started"]]
        {
            let mut waiter = live::start(&sandbox.by("b", verb));
            until("a ticket", || !tickets(&sandbox).is_empty());
            waiter.signal(name);
            assert_eq!(waiter.code(), code, "{name}");
            assert_eq!(waiter.stdout(), "");
            assert_eq!(sandbox.files(), ["claims/t.json", "lock", "trace.jsonl"], "{name}");
        }
    }
    assert!(!sandbox.work().join("started").exists());
    release(&sandbox, "a", "t");
    assert_eq!(sandbox.files(), AT_REST);
    sandbox.run(["audit"]).stdout_any().check();
}

#[test]
fn a_signal_at_the_very_moment_of_the_turn_leaves_no_claim_either() {
    let sandbox = Sandbox::new();
    for verb in [&["take", "t", "p", "--wait", "10m"][..], &["run", "t", "--wait", "10m", "--", "touch", "started"]] {
        // The signal comes with the very rename that makes the claim.
        let strace = [
            "env",
            "--default-signal=INT",
            "strace",
            "-f",
            "-qq",
            "-o",
            "/dev/null",
            "-e",
            "inject=renameat2:signal=INT:when=1",
        ];
        sandbox.by("b", verb).through(strace).exit(130).check();
        assert_eq!(sandbox.files(), AT_REST);
        // What the session had before, it still has.
        sandbox.take("b", "t");
        let before = sandbox.claim("t")["taken_at"].clone();
        let strace = [
            "env",
            "--default-signal=INT",
            "strace",
            "-f",
            "-qq",
            "-o",
            "/dev/null",
            "-e",
            "inject=renameat:signal=INT:when=1",
        ];
        sandbox.by("b", verb).through(strace).exit(130).check();
        assert_eq!((sandbox.stems(), &sandbox.claim("t")["taken_at"]), (vec!["t".to_owned()], &before));
        release(&sandbox, "b", "t");
    }
    assert!(!sandbox.work().join("started").exists());
}

#[test]
fn twenty_waiters_with_different_budgets_are_served_in_order() {
    let sandbox = Sandbox::new();
    sandbox.take("first", "t");
    let mut waiters: Vec<Live> = (1..=20)
        .map(|number: u32| {
            let (holder, budget) = (format!("w{number}"), format!("{}s", 300 + (number * 7919) % 1_000));
            let script = format!("echo {number} >>order");
            let run = ["run", "t", "--wait", &budget, "--", "sh", "-c", &script];
            let live = live::start(&sandbox.by(&holder, run));
            until("a ticket", || has_ticket(&sandbox, &holder));
            live
        })
        .collect();
    release(&sandbox, "first", "t");
    assert!(waiters.iter_mut().all(|waiter| waiter.code() == 0));
    let order: Vec<u32> = text(&sandbox, "order").lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(order, (1..=20).collect::<Vec<_>>());
    assert_eq!(sandbox.files(), AT_REST);
    sandbox.run(["audit"]).stdout_any().check();
}

#[test]
fn a_waiter_that_was_killed_is_passed_over() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    let killed = waiting(&sandbox, "b", "t", "10m");
    let mut next = waiting(&sandbox, "c", "t", "10m");
    killed.signal("KILL");
    release(&sandbox, "a", "t");
    let released = Instant::now();
    assert_eq!(next.code(), 0);
    assert!(next.stdout().starts_with("claimed: t by c; "), "{}", next.stdout());
    // A ticket dies within six seconds of its last renewal; without that the wait would be its ten minutes.
    assert!(released.elapsed() < Duration::from_secs(30), "{:?}", released.elapsed());
    assert_eq!(tickets(&sandbox), [""; 0]);
}

#[test]
fn a_suspended_waiter_is_passed_over_and_comes_back_with_its_number() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    let mut sleeper = waiting(&sandbox, "b", "t", "10m");
    let number = tickets(&sandbox);
    sleeper.signal("STOP");
    until("the stop", || state(sleeper.pid()) == Some('T'));
    let mut next = waiting(&sandbox, "c", "t", "10m");
    let mut last = waiting(&sandbox, "d", "t", "10m");
    // Its ticket dies of age; the next in line clears it away when its turn has come.
    age(&sandbox, &number[0]);
    release(&sandbox, "a", "t");
    assert_eq!(next.code(), 0);
    assert!(!tickets(&sandbox).contains(&number[0]));
    sleeper.signal("CONT");
    until("the ticket again", || tickets(&sandbox).contains(&number[0]));
    release(&sandbox, "c", "t");
    assert_eq!(sleeper.code(), 0);
    assert!(!last.is_over());
    release(&sandbox, "b", "t");
    assert_eq!(last.code(), 0);
}

/// Makes a ticket one that nobody has renewed for a minute.
fn age(sandbox: &Sandbox, ticket: &str) {
    let modified = SystemTime::now() - Duration::from_secs(60);
    fs::File::options().append(true).open(sandbox.place().join(ticket)).unwrap().set_modified(modified).unwrap();
}

#[test]
fn a_take_that_does_not_wait_cannot_slip_in_before_a_waiter() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    let mut waiter = waiting(&sandbox, "b", "t", "10m");
    // Stopped, it cannot take what is free, as if it had not woken yet.
    waiter.signal("STOP");
    until("the stop", || state(waiter.pid()) == Some('T'));
    release(&sandbox, "a", "t");
    renew(&sandbox);
    let refused = sandbox.by("c", ["take", "t", "p"]).exit(75).stderr_some().check();
    assert!(refused.stderr.starts_with("REFUSED: t is awaited by b (heartbeat "), "{refused}");
    renew(&sandbox);
    sandbox.by("c", ["run", "t", "--", "touch", "started"]).exit(75).stderr_has("is awaited by b").check();
    renew(&sandbox);
    let said = sandbox.by("c", ["take", "t", "p", "--wait", "1"]).exit(75).json();
    assert_eq!((&said["outcome"], &said["awaited_by"]["holder"]), (&json!("refused"), &json!("b")));
    // Its own session is not held up by its ticket.
    renew(&sandbox);
    sandbox.by("b", ["take", "t", "p"]).stdout_any().check();
    release(&sandbox, "b", "t");
    waiter.signal("CONT");
    assert_eq!(waiter.code(), 0);
    sandbox.run(["audit"]).stdout_any().check();
}

/// Keeps all tickets alive for a waiter that cannot.
fn renew(sandbox: &Sandbox) {
    for ticket in tickets(sandbox) {
        let file = fs::File::options().append(true).open(sandbox.place().join(ticket)).unwrap();
        file.set_modified(SystemTime::now()).unwrap();
    }
}

#[test]
fn a_foreign_write_does_not_slip_in_before_a_waiter_either() {
    let sandbox = Sandbox::new();
    let tree = sandbox.home().join("tree");
    fs::create_dir_all(tree.join(".git")).unwrap();
    let (tree, file) = (tree.to_str().unwrap().to_owned(), tree.join("file").to_str().unwrap().to_owned());
    sandbox.by("a", ["take", &tree, "p"]).stdout_any().check();
    let waiter = waiting(&sandbox, "b", &tree, "10m");
    waiter.signal("STOP");
    until("the stop", || state(waiter.pid()) == Some('T'));
    release(&sandbox, "a", &tree);
    renew(&sandbox);
    let guard = sandbox.by("c", ["guard", "--take", "--refused-code", "2", &file]).exit(2);
    guard.stderr_has("is awaited by b").check();
    waiter.signal("CONT");
}

#[test]
fn a_session_renews_what_it_has_whoever_waits() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    let _waiter = waiting(&sandbox, "b", "t", "10m");
    sandbox.by("a", ["take", "t", "again"]).stdout_any().check();
    sandbox.by("a", ["run", "t", "--", "true"]).check();
    sandbox.by("a", ["beat", "t"]).stdout_any().check();
    assert_eq!(holder(&sandbox, "t").as_deref(), Some("a"));
}

#[test]
fn a_ticket_that_nobody_renews_is_cleared_away() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    let waiter = waiting(&sandbox, "b", "t", "10m");
    waiter.signal("KILL");
    until("its end", || !live::is_alive(waiter.pid()));
    fs::write(sandbox.place().join("waiting/t/rubbish"), "x").unwrap();
    fs::create_dir(sandbox.place().join("waiting/empty")).unwrap();
    for ticket in tickets(&sandbox).iter().filter(|ticket| !ticket.ends_with('/')) {
        age(&sandbox, ticket);
    }
    release(&sandbox, "a", "t");
    sandbox.take("c", "t");
    assert_eq!(sandbox.files(), ["claims/t.json", "lock", "trace.jsonl"]);
}

#[test]
fn a_tree_and_a_file_in_it_wait_in_one_line() {
    let sandbox = Sandbox::new();
    let (tree, file) = (sandbox.work().join("tree"), sandbox.work().join("tree/file"));
    let (tree, file) = (tree.to_str().unwrap(), file.to_str().unwrap());
    let taken = |live: &Live| live.stdout().starts_with("claimed");
    sandbox.by("a", ["take", file, "p"]).stdout_any().check();
    let for_tree = waiting(&sandbox, "b", tree, "10m");
    let for_file = waiting(&sandbox, "c", file, "10m");
    // A third one, for another file, waits for the tree's waiter, so that files cannot starve the tree for ever.
    let other = sandbox.work().join("tree/other");
    let for_other = waiting(&sandbox, "d", other.to_str().unwrap(), "10m");
    // Who holds what the tree's waiter waits for may have more of the tree: it would wait for itself otherwise.
    sandbox.by("a", ["take", other.to_str().unwrap(), "p"]).stdout_any().check();
    sandbox.by("a", ["release", "--all"]).stdout_any().check();
    until("the tree", || taken(&for_tree));
    assert!(!taken(&for_file) && !taken(&for_other));
    release(&sandbox, "b", tree);
    until("both files", || taken(&for_file) && taken(&for_other));
    assert_eq!(tickets(&sandbox), [""; 0]);
    sandbox.run(["audit"]).stdout_any().check();
}

#[test]
fn a_line_is_said_again_when_somebody_else_is_waited_for() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    let mut next = waiting(&sandbox, "b", "t", "10m");
    let mut last = waiting(&sandbox, "c", "t", "10m");
    until("a line", || !last.stderr().is_empty());
    let first = last.stderr();
    assert!(sandbox.fits("claim: waiting for t: claimed by a (heartbeat [0s] ago)\n", &first), "{first}");
    release(&sandbox, "a", "t");
    assert_eq!(next.code(), 0);
    until("a second line", || last.stderr().lines().count() == 2);
    let second = last.stderr().lines().nth(1).unwrap().to_owned();
    assert!(second.starts_with("claim: waiting for t: ") && second.contains('b'), "{second}");
    release(&sandbox, "b", "t");
    assert_eq!(last.code(), 0);
}

#[test]
fn json_is_one_object_and_nothing_else() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    let mut waiter = live::start(&sandbox.by("b", ["take", "t", "p", "--wait", "10m", "--json"]));
    until("a ticket", || !tickets(&sandbox).is_empty());
    release(&sandbox, "a", "t");
    assert_eq!(waiter.code(), 0);
    let said: Value = serde_json::from_str(&waiter.stdout()).unwrap();
    assert_eq!((&said["outcome"], &said["claim"]["holder"], &*waiter.stderr()), (&json!("claimed"), &json!("b"), ""));
    assert!(said["waited_s"].is_u64());
    // Interrupted, too.
    let mut waiter = live::start(&sandbox.by("c", ["take", "t", "p", "--wait", "10m", "--json"]));
    until("a ticket", || !tickets(&sandbox).is_empty());
    waiter.signal("INT");
    assert_eq!(waiter.code(), 130);
    let said: Value = serde_json::from_str(&waiter.stdout()).unwrap();
    assert_eq!((&said["outcome"], &said["signal"], &*waiter.stderr()), (&json!("interrupted"), &json!(2), ""));
}

#[test]
fn many_waiters_and_many_who_do_not_wait_never_hold_it_together() {
    let sandbox = Sandbox::new();
    // Each holds it for a moment and looks that it is alone.
    let script = "mkdir alone && echo x >>done && sleep 0.02 && rmdir alone";
    let mut waiters: Vec<Live> = (0..8)
        .map(|number| {
            let run = ["run", "t", "--wait", "10m", "--", "sh", "-c", script];
            live::start(&sandbox.by(&format!("w{number}"), run))
        })
        .collect();
    let pest = format!("while [ ! -e stop ]; do {CLAIM} --holder pest run t -- sh -c '{script}' 2>/dev/null; done");
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &pest]).env("CLAIM_DIR", sandbox.place()).current_dir(sandbox.work());
    let mut pest = live::spawn(command);
    assert!(waiters.iter_mut().all(|waiter| waiter.code() == 0));
    fs::write(sandbox.work().join("stop"), "").unwrap();
    pest.code();
    assert!(text(&sandbox, "done").lines().count() >= 8);
    assert!(!sandbox.work().join("alone").exists());
    assert_eq!(sandbox.files(), AT_REST);
}
