//! Histories of real processes, checked for being explainable by the rule, as databases are checked.
//!
//! Several processes at once do random verbs on a few targets, with times to live of one to three seconds. Some are
//! stopped past that and continued, some are killed, some wait for a lock that is kept from them, some work on a disk that is full every other moment. When each call
//! began and ended, its exit code and the claim that it printed are written down, and `checker` looks for an order of the
//! calls that respects their times and in which every answer follows from the rule (`model`, which knows nothing of the
//! program). What was killed or failed may have been done, in part too, or not, but not after its process was gone.
//! Time does not run backwards in that order: a claim that was made meanwhile is never taken for one of the future.
//!
//! `CLAIM_TORTURE=N` makes N times as many histories as the few that are made otherwise.
//!
//! Not covered: two machines on one file system, and a clock that jumps; the rule's own tests have the latter.

#[path = "torture/attacker.rs"]
mod attacker;
#[path = "torture/checker.rs"]
mod checker;
#[path = "torture/environments.rs"]
mod environments;
#[path = "torture/histories.rs"]
mod histories;
#[path = "torture/model.rs"]
mod model;
#[path = "torture/sequences.rs"]
mod sequences;
#[path = "torture/workload.rs"]
mod workload;

use std::{
    fs,
    process::Stdio,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use self::{
    checker::{Verdict, check},
    model::{Answer, Call, group},
    workload::{Dice, Plan},
};
use crate::{
    disk::Mounts,
    support::{Run, Sandbox, need, record},
};

/// How many times as many histories as usual.
fn more() -> u64 {
    std::env::var("CLAIM_TORTURE").map_or(1, |times| times.parse().unwrap())
}

/// What is said of each group of a history.
fn verdicts(history: &[Call]) -> Vec<(usize, Verdict)> {
    (0..3)
        .map(|number| {
            let calls: Vec<_> = history.iter().filter(|call| group(call.target) == number).cloned().collect();
            (number, check(&calls))
        })
        .collect()
}

#[track_caller]
fn explained(seed: u64, history: &[Call]) {
    for (group, verdict) in verdicts(history) {
        assert!(verdict.is_explained(), "seed {seed}, group {group}, {} calls: {verdict:#?}", history.len());
    }
}

/// How many calls there were, and how many of them nobody saw the end of.
fn counted(histories: u64, calls: &[Call]) -> String {
    let unknown = calls.iter().filter(|call| call.answer == Answer::Unknown).count();
    format!("{histories} histories, {} calls, {unknown} of them killed or failed", calls.len())
}

fn plainly(run: Run<'_>) -> Run<'_> {
    run
}

#[test]
fn what_processes_do_that_are_stopped_and_killed_is_explained_by_the_rule() {
    let histories = 5 * more();
    let mut all = Vec::new();
    for seed in 1..=histories {
        let sandbox = Sandbox::new();
        let plan = Plan {
            sandbox: &sandbox,
            holders: &[0, 0, 1, 2, 3, 4],
            calls: 30,
            targets: &[0, 1, 2, 3, 4, 5],
            pause: 200,
            stopped: 8,
            killed: 12,
            blocked: true,
            crowded: false,
            through: &plainly,
        };
        let history = plan.run(seed);
        explained(seed, &history);
        all.extend(history);
    }
    println!("{}", counted(histories, &all));
}

#[test]
fn what_processes_do_all_at_once_on_one_target_is_explained_by_the_rule() {
    let histories = 5 * more();
    let mut all = Vec::new();
    for seed in 1..=histories {
        let sandbox = Sandbox::new();
        let plan = Plan {
            sandbox: &sandbox,
            holders: &[0, 1, 2, 3, 4, 5],
            calls: 40,
            targets: &[[0, 0, 0], [2, 3, 4]][usize::try_from(seed % 2).unwrap()],
            pause: 20,
            stopped: 3,
            killed: 5,
            blocked: false,
            crowded: true,
            through: &plainly,
        };
        let history = plan.run(seed);
        explained(seed, &history);
        all.extend(history);
    }
    println!("{}", counted(histories, &all));
}

#[test]
fn what_processes_do_on_a_disk_that_is_full_at_times_is_explained_by_the_rule() {
    let histories = 2 * more();
    let mut all = Vec::new();
    for seed in 1..=histories {
        let sandbox = Sandbox::new();
        let mounts = Mounts::new(&sandbox, r#"mount -t tmpfs -o size=64k tmpfs "$place""#);
        let through = |run| mounts.run(run);
        let plan = Plan {
            sandbox: &sandbox,
            holders: &[0, 0, 1, 2, 3],
            calls: 30,
            targets: &[0, 2, 3],
            pause: 150,
            stopped: 3,
            killed: 5,
            blocked: false,
            crowded: false,
            through: &through,
        };
        let over = AtomicBool::new(false);
        let history = thread::scope(|scope| {
            let filling = mounts.seen(sandbox.place().join("filling"));
            let over = &over;
            let filler = scope.spawn(move || {
                let mut dice = Dice(seed);
                while !over.load(Ordering::Relaxed) {
                    drop(fs::write(&filling, vec![0; 100_000]));
                    thread::sleep(Duration::from_millis(dice.roll(100)));
                    drop(fs::remove_file(&filling));
                    thread::sleep(Duration::from_millis(dice.roll(150)));
                }
            });
            let history = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| plan.run(seed)));
            over.store(true, Ordering::Relaxed);
            filler.join().unwrap();
            history.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        explained(seed, &history);
        all.extend(history);
    }
    assert!(all.iter().any(|call| call.answer == Answer::Unknown), "the disk was never full");
    println!("{}", counted(histories, &all));
}

/// The checker is worth something only if it finds the fault that everything here is about: no lock.
#[test]
fn without_the_lock_a_history_is_found_that_the_rule_does_not_explain() {
    need("strace");
    // Every flock says that the lock was had, and asks for none. What is between deciding and writing takes longer.
    let inject = ["inject=flock:retval=0", "inject=/^rename:delay_enter=20000"];
    let strace =
        ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=flock,/^rename", "-e", inject[0], "-e", inject[1]];
    let found = (1..=20).find_map(|seed| {
        let sandbox = Sandbox::new();
        let plan = Plan {
            sandbox: &sandbox,
            holders: &[0, 1, 2, 3],
            calls: 15,
            targets: &[0],
            pause: 30,
            stopped: 0,
            killed: 0,
            blocked: false,
            crowded: true,
            through: &|run| run.through(strace),
        };
        let history = plan.run(seed);
        let impossible = |(_, verdict)| match verdict {
            Verdict::Impossible { explained, state, next } => Some((seed, explained, state, next)),
            _ => None,
        };
        verdicts(&history).into_iter().find_map(impossible)
    });
    let Some((seed, explained, state, next)) = found else { panic!("the checker did not miss the lock") };
    println!("history {seed} cannot be explained after {explained} calls: {state:?} {next:?}");
}

/// A take that waits for the lock is decided by the time at which it has it. No age of a record can stand in for the
/// waiting: it is what happens meanwhile that matters.
#[test]
fn what_is_claimed_while_a_take_waits_for_the_lock_is_not_of_the_future() {
    let sandbox = Sandbox::new();
    sandbox.take("other", "elsewhere");
    let lock = fs::File::open(sandbox.place().join("lock")).unwrap();
    fs2::FileExt::lock_exclusive(&lock).unwrap();
    let mut command = sandbox.by("late", ["take", "t", "why"]).command();
    let mut late = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Longer than the time to live of what is claimed then, and shorter than the lock is waited for.
    thread::sleep(Duration::from_millis(3_500));
    let mut claim = record("t", "early", 0);
    claim["ttl_s"] = 1.into();
    sandbox.write("t", claim.to_string());
    fs2::FileExt::unlock(&lock).unwrap();
    assert_eq!(late.wait().unwrap().code(), Some(75), "{}", sandbox.claim("t"));
    assert_eq!(sandbox.claim("t"), claim);
}
