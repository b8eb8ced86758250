//! Histories written by hand, good and bad: the checker has to tell them apart. Times are in tenths of a second.

use super::{
    checker::{Verdict, check},
    model::{Answer, Call, Held, Verb},
};

const ALPHA: usize = 0;
const TREE: usize = 2;
const BELOW: usize = 3;
const BESIDE: usize = 5;
const TAKE: Verb = Verb::Take { shared: false, ttl: 2 };
const SHARE: Verb = Verb::Take { shared: true, ttl: 2 };

fn held(holder: usize, target: usize, heartbeat: i64) -> Held {
    Held { target, holder, shared: false, taken: heartbeat, heartbeat, ttl: 2 }
}

fn beaten(held: Held, heartbeat: i64) -> Held {
    Held { heartbeat, ..held }
}

fn shared(held: Held) -> Held {
    Held { shared: true, ..held }
}

fn call(holder: usize, target: usize, verb: Verb, answer: Answer, start: u32, end: u32) -> Call {
    let (from, until) = (i64::from(start / 10), i64::from(end / 10));
    Call { holder, target, verb, answer, start: start.into(), end: end.into(), from, until }
}

#[track_caller]
fn accepted(calls: &[Call]) {
    let verdict = check(calls);
    assert!(verdict.is_explained(), "{verdict:?}");
}

/// The whole is impossible, and it is the last call that makes it so.
#[track_caller]
fn rejected(calls: &[Call]) {
    accepted(&calls[..calls.len() - 1]);
    let verdict = check(calls);
    assert!(matches!(verdict, Verdict::Impossible { .. }), "{verdict:?}");
}

fn claimed(holder: usize, target: usize, start: u32, end: u32, heartbeat: i64) -> Call {
    call(holder, target, TAKE, Answer::Claimed(held(holder, target, heartbeat)), start, end)
}

fn unknown(holder: usize, verb: Verb, start: u32, end: u32) -> Call {
    call(holder, ALPHA, verb, Answer::Unknown, start, end)
}

#[test]
fn nothing_explains_a_file_that_is_no_claim() {
    rejected(&[claimed(1, ALPHA, 0, 5, 0), call(2, ALPHA, TAKE, Answer::Damaged, 6, 9)]);
}

#[test]
fn a_life_of_a_claim_is_explained() {
    let first = held(1, ALPHA, 0);
    accepted(&[
        claimed(1, ALPHA, 0, 5, 0),
        call(2, ALPHA, TAKE, Answer::Refused(first, 0), 6, 9),
        call(1, ALPHA, Verb::Beat, Answer::Beat(beaten(first, 1)), 10, 12),
        call(3, ALPHA, Verb::Look, Answer::Seen(beaten(first, 1)), 13, 14),
        call(1, ALPHA, TAKE, Answer::Renewed(beaten(first, 2)), 20, 21),
        call(2, ALPHA, TAKE, Answer::TakenOver(held(2, ALPHA, 5), 1), 50, 52),
        call(1, ALPHA, Verb::Beat, Answer::Refused(held(2, ALPHA, 5), 5), 53, 55),
        call(1, ALPHA, Verb::Release, Answer::Refused(held(2, ALPHA, 5), 5), 56, 57),
        call(3, ALPHA, Verb::Sweep, Answer::Swept(vec![held(2, ALPHA, 5)], Some(8)), 80, 82),
        call(2, ALPHA, Verb::Beat, Answer::NotHeld, 83, 84),
        call(2, ALPHA, Verb::Guard { ttl: 2 }, Answer::Taken(held(2, ALPHA, 9)), 90, 91),
        call(2, ALPHA, Verb::Guard { ttl: 2 }, Answer::Covered, 92, 99),
        call(2, ALPHA, Verb::Release, Answer::Released(held(2, ALPHA, 9)), 100, 101),
        call(2, ALPHA, Verb::Release, Answer::NotHeld, 102, 103),
    ]);
}

#[test]
fn calls_at_the_same_time_may_have_been_in_any_order() {
    let loser = call(2, ALPHA, TAKE, Answer::Refused(held(1, ALPHA, 0), 0), 0, 5);
    accepted(&[loser.clone(), claimed(1, ALPHA, 1, 6, 0)]);
    accepted(&[claimed(1, ALPHA, 0, 6, 0), loser]);
    // Released and taken anew while both were under way.
    let release = call(1, ALPHA, Verb::Release, Answer::Released(held(1, ALPHA, 0)), 10, 20);
    accepted(&[claimed(1, ALPHA, 0, 5, 0), claimed(2, ALPHA, 11, 21, 2), release]);
}

#[test]
fn two_winners_are_impossible_whether_at_once_or_one_after_the_other() {
    rejected(&[claimed(1, ALPHA, 0, 9, 0), claimed(2, ALPHA, 1, 8, 0)]);
    rejected(&[claimed(1, ALPHA, 0, 5, 0), claimed(2, ALPHA, 10, 15, 1)]);
    rejected(&[claimed(1, TREE, 0, 5, 0), claimed(2, BELOW, 1, 6, 0)]);
    rejected(&[claimed(1, BELOW, 0, 5, 0), claimed(2, TREE, 1, 6, 0)]);
    // Two successors of one stale claim.
    rejected(&[
        claimed(1, ALPHA, 0, 5, 0),
        call(2, ALPHA, TAKE, Answer::TakenOver(held(2, ALPHA, 4), 1), 40, 48),
        call(3, ALPHA, TAKE, Answer::TakenOver(held(3, ALPHA, 4), 1), 41, 49),
    ]);
    accepted(&[claimed(1, BELOW, 0, 5, 0), claimed(2, BESIDE, 1, 6, 0)]);
}

#[test]
fn a_takeover_before_its_time_is_impossible_also_by_an_old_clock() {
    rejected(&[claimed(1, ALPHA, 0, 5, 0), call(2, ALPHA, TAKE, Answer::TakenOver(held(2, ALPHA, 2), 1), 20, 29)]);
    // The second read the clock at 0, was stopped, and took the first one's claim for one of the future.
    rejected(&[claimed(1, ALPHA, 40, 45, 4), call(2, ALPHA, TAKE, Answer::TakenOver(held(2, ALPHA, 0), 1), 0, 50)]);
}

#[test]
fn a_beat_after_a_loss_and_a_resurrection_are_impossible() {
    let lost = [claimed(1, ALPHA, 0, 5, 0), call(2, ALPHA, TAKE, Answer::TakenOver(held(2, ALPHA, 5), 1), 50, 55)];
    let mut beat = lost.to_vec();
    beat.push(call(1, ALPHA, Verb::Beat, Answer::Beat(beaten(held(1, ALPHA, 0), 5)), 56, 59));
    rejected(&beat);
    let mut renewed = lost.to_vec();
    renewed.push(call(1, ALPHA, TAKE, Answer::Renewed(beaten(held(1, ALPHA, 0), 9)), 90, 95));
    rejected(&renewed);
    rejected(&[
        claimed(1, ALPHA, 0, 5, 0),
        call(1, ALPHA, Verb::Release, Answer::Released(held(1, ALPHA, 0)), 6, 7),
        call(3, ALPHA, Verb::Look, Answer::Seen(held(1, ALPHA, 0)), 8, 9),
    ]);
    rejected(&[call(1, ALPHA, Verb::Beat, Answer::Beat(held(1, ALPHA, 0)), 0, 5)]);
}

#[test]
fn a_release_of_anothers_claim_is_impossible_and_so_is_one_that_left_it() {
    rejected(&[claimed(1, ALPHA, 0, 5, 0), call(2, ALPHA, Verb::Release, Answer::Released(held(1, ALPHA, 0)), 6, 9)]);
    rejected(&[claimed(1, ALPHA, 0, 5, 0), call(2, ALPHA, Verb::Release, Answer::NotHeld, 6, 9)]);
    rejected(&[
        claimed(1, ALPHA, 0, 5, 0),
        call(1, ALPHA, Verb::Release, Answer::Released(held(1, ALPHA, 0)), 6, 7),
        call(2, ALPHA, TAKE, Answer::Refused(held(1, ALPHA, 0), 0), 8, 9),
    ]);
}

#[test]
fn a_sweep_takes_all_that_is_stale_and_nothing_else() {
    let fresh = vec![held(1, ALPHA, 0)];
    rejected(&[claimed(1, ALPHA, 0, 5, 0), call(2, ALPHA, Verb::Sweep, Answer::Swept(fresh, Some(2)), 20, 25)]);
    rejected(&[claimed(1, ALPHA, 0, 5, 0), call(2, ALPHA, Verb::Sweep, Answer::Swept(vec![], None), 40, 45)]);
    accepted(&[claimed(1, ALPHA, 0, 5, 0), call(2, ALPHA, Verb::Sweep, Answer::Swept(vec![], None), 20, 25)]);
}

#[test]
fn shared_claims_stand_together_and_against_an_exclusive_one() {
    let share = |holder, start: u32| {
        call(holder, ALPHA, SHARE, Answer::Claimed(shared(held(holder, ALPHA, 0))), start, start + 2)
    };
    accepted(&[share(1, 0), share(2, 3), call(3, ALPHA, TAKE, Answer::Refused(shared(held(2, ALPHA, 0)), 0), 6, 9)]);
    rejected(&[share(1, 0), share(2, 3), claimed(3, ALPHA, 6, 9, 0)]);
    rejected(&[claimed(3, ALPHA, 0, 2, 0), share(1, 3)]);
}

#[test]
fn what_was_killed_may_have_happened_once_or_not_at_all_and_not_later() {
    let refused = call(2, ALPHA, TAKE, Answer::Refused(held(1, ALPHA, 0), 0), 6, 9);
    accepted(&[unknown(1, TAKE, 0, 5), refused.clone()]);
    accepted(&[unknown(1, TAKE, 0, 5), claimed(2, ALPHA, 6, 9, 0)]);
    rejected(&[unknown(1, TAKE, 0, 5), refused, claimed(3, ALPHA, 10, 12, 1)]);
    accepted(&[claimed(1, ALPHA, 0, 5, 0), unknown(1, Verb::Release, 6, 7), claimed(2, ALPHA, 8, 9, 0)]);
    // It was dead before.
    let late = call(2, ALPHA, TAKE, Answer::Refused(held(1, ALPHA, 1), 1), 10, 15);
    rejected(&[unknown(1, TAKE, 0, 5), late]);
}

#[test]
fn a_guard_that_was_let_through_had_a_claim() {
    let guard = Verb::Guard { ttl: 2 };
    rejected(&[call(1, BELOW, guard, Answer::Covered, 0, 5)]);
    rejected(&[claimed(2, TREE, 0, 5, 0), call(1, BELOW, guard, Answer::Covered, 6, 9)]);
    accepted(&[claimed(1, TREE, 0, 5, 0), call(1, BELOW, guard, Answer::Covered, 6, 9)]);
    rejected(&[claimed(2, TREE, 0, 5, 0), call(1, BELOW, guard, Answer::Taken(held(1, BELOW, 0)), 6, 9)]);
}
