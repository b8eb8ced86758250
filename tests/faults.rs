//! The checked write, proved from outside: every system call that a command makes on its place fails, lies or is where
//! the process is killed, one after another, and whatever happens the program never says yes when the disk says no.
//!
//! strace injects the faults into the real program, so that nothing in it knows of being tested. Not covered: two faults
//! at once; a lock, a sync or a listing that lies about success (nothing on the machine could tell); memory.
//!
//! A new verb is one more entry in the table below, or in that of what hosts and waiters call (`faults/hosts.rs`).

/// One test for each entry, so that they run side by side and can be run alone.
macro_rules! scenarios {
    ($($name:ident: $scenario:expr;)*) => {
        $(#[test]
        fn $name() {
            $scenario.sweep(stringify!($name));
        })*
    };
}

#[path = "faults/hosts.rs"]
mod hosts;
#[path = "faults/judge.rs"]
mod judge;
#[path = "faults/kinds.rs"]
mod kinds;
#[path = "faults/meanwhile.rs"]
mod meanwhile;
#[path = "faults/scenario.rs"]
mod scenario;
#[path = "faults/strace.rs"]
mod strace;
#[path = "faults/sweep.rs"]
mod sweep;
#[path = "faults/tree.rs"]
mod tree;

use std::fs;

use meanwhile::Meanwhile;
use scenario::{ME, Scenario};

use crate::support::Sandbox;

scenarios! {
    take_where_there_is_no_place: Scenario::of(TAKE, |_| {});
    take_of_an_absent_target: Scenario::of(TAKE, bystander);
    take_with_json: Scenario::of(&["--json", "take", "t", "why"], bystander);
    // What a file system or a kernel without RENAME_NOREPLACE is answered with.
    take_by_a_link: Scenario { always: &["renameat2:error=EINVAL"], ..Scenario::of(TAKE, bystander) };
    take_beside_a_leftover_stage: Scenario::of(TAKE, |sandbox| {
        bystander(sandbox);
        fs::write(sandbox.place().join("pending"), "{ \"target\": \"cut").unwrap();
    });
    take_in_a_place_of_a_group: Scenario::of(TAKE, |sandbox| {
        use std::os::unix::fs::PermissionsExt as _;
        fs::create_dir(sandbox.place()).unwrap();
        fs::set_permissions(sandbox.place(), fs::Permissions::from_mode(0o2770)).unwrap();
    });
    take_that_waits_for_the_lock: Scenario { meanwhile: Meanwhile::Locked, ..Scenario::of(TAKE, bystander) };
    takeover_of_a_stale_claim: Scenario::of(TAKE, |sandbox| {
        bystander(sandbox);
        stale(sandbox, "other", "t");
    });
    takeover_of_an_unreadable_claim: Scenario::of(TAKE, unreadable);
    takeover_of_an_unreadable_claim_by_a_link: Scenario {
        always: &["renameat2:error=EINVAL"],
        ..Scenario::of(TAKE, unreadable)
    };
    renewal: Scenario::of(TAKE, mine);
    renewal_that_ends_sharing: Scenario::of(TAKE, |sandbox| {
        sandbox.by("other", ["take", "t", "theirs", "--shared"]).stdout_any().check();
        sandbox.by(ME, ["take", "t", "mine", "--shared"]).stdout_any().check();
        sandbox.by("other", ["release", "t"]).stdout_any().check();
        age_all(sandbox, 60);
    });
    take_that_clears_a_stale_descendant: Scenario {
        next: &["take", "./tree", "again"],
        ..Scenario::of(&["take", "./tree", "why"], |sandbox| {
            bystander(sandbox);
            sandbox.take("other", "./tree/inner");
            age_all(sandbox, 3_600);
        })
    };
    shared_take_beside_another: Scenario {
        next: &["take", "t", "again", "--shared"],
        ..Scenario::of(&["take", "t", "why", "--shared"], |sandbox| {
            sandbox.by("other", ["take", "t", "theirs", "--shared"]).stdout_any().check();
            age_all(sandbox, 60);
        })
    };
    refused_take: Scenario { exit: 75, next_exit: 75, ..Scenario::of(TAKE, others) };
    beat: Scenario::of(&["beat", "t"], mine);
    beat_of_all: Scenario::of(&["beat", "--all"], several);
    beat_that_is_refused: Scenario { exit: 75, next_exit: 75, ..Scenario::of(&["beat", "t"], others) };
    beat_of_nothing: Scenario { exit: 3, ..Scenario::of(&["beat", "t"], bystander) };
    release: Scenario::of(&["release", "t"], mine);
    release_of_all: Scenario::of(&["release", "--all"], several);
    release_of_what_is_stale: Scenario::of(&["release", "--stale"], |sandbox| {
        unreadable(sandbox);
        stale(sandbox, "other", "old");
    });
    release_that_is_refused: Scenario { exit: 75, next_exit: 75, ..Scenario::of(&["release", "t"], others) };
    release_of_nothing: Scenario { exit: 3, ..Scenario::of(&["release", "t"], bystander) };
    status: Scenario::of(&["status"], several);
    guard_that_takes: Scenario { environment: NOT_TEMPORARY, next: GUARD, ..Scenario::of(GUARD, bystander) };
    guard_that_beats: Scenario {
        environment: NOT_TEMPORARY,
        next: GUARD,
        ..Scenario::of(GUARD, |sandbox| {
            bystander(sandbox);
            sandbox.take(ME, "../outside");
            age_all(sandbox, 60);
        })
    };
    guard_that_is_refused: Scenario {
        environment: NOT_TEMPORARY,
        exit: 75,
        next: GUARD,
        next_exit: 75,
        ..Scenario::of(GUARD, |sandbox| {
            bystander(sandbox);
            sandbox.take("other", "../outside");
            age_all(sandbox, 60);
        })
    };
    handover_add: Scenario { next: ADD, ..Scenario::of(ADD, noted) };
    handover_next: Scenario { next: NEXT, ..Scenario::of(NEXT, noted) };
    handover_done: Scenario::of(&["handover", "done", "1", "it is done"], |sandbox| {
        noted(sandbox);
        sandbox.by(ME, ["handover", "next", "t"]).stdout_any().check();
    });
}

const TAKE: &[&str] = &["take", "t", "why"];

const ADD: &[&str] = &["handover", "add", "t", "more to do"];

const NEXT: &[&str] = &["handover", "next", "t"];

const GUARD: &[&str] = &["guard", "--take", "../outside/file"];

/// The sandbox is in the directory for temporary files, which needs no claim.
const NOT_TEMPORARY: &[(&str, &str)] = &[("TMPDIR", "/nowhere")];

/// My claim, with a note that waits.
fn noted(sandbox: &Sandbox) {
    mine(sandbox);
    sandbox.by("other", ["handover", "add", "t", "what is to be done"]).stdout_any().check();
}

/// Somebody at work on something else.
fn bystander(sandbox: &Sandbox) {
    sandbox.take("bystander", "elsewhere");
    sandbox.age("elsewhere", 60);
}

fn stale(sandbox: &Sandbox, holder: &str, target: &str) {
    sandbox.take(holder, target);
    sandbox.age(target, 3_600);
}

fn mine(sandbox: &Sandbox) {
    bystander(sandbox);
    sandbox.take(ME, "t");
    sandbox.age("t", 60);
}

fn others(sandbox: &Sandbox) {
    bystander(sandbox);
    sandbox.take("other", "t");
    sandbox.age("t", 60);
}

fn several(sandbox: &Sandbox) {
    mine(sandbox);
    sandbox.take(ME, "u");
    sandbox.age("u", 60);
}

/// A file that was cut, an hour ago, where the claim belongs.
fn unreadable(sandbox: &Sandbox) {
    bystander(sandbox);
    sandbox.write("t", "{\n  \"target\": \"t\",\n  \"hol");
    sandbox.age_bytes("t", 3_600);
}

/// Ages every claim, whatever its file is called.
fn age_all(sandbox: &Sandbox, seconds: i64) {
    for stem in sandbox.stems() {
        sandbox.age(&stem, seconds);
    }
}
