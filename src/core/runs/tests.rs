//! Runs and the session's own verbs in every order, over a claims directory of one target.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::core::{
    entry::Record,
    holder::Holder,
    target::{PathStyle, Target},
};

const NOW: Timestamp = Timestamp(100_000);

/// A claims directory for one target and one session, changed only by what the rule says.
struct World {
    target: Target,
    holder: Holder,
    entries: Vec<Entry>,
}

impl World {
    fn new() -> Self {
        Self { target: Target::name("t").unwrap(), holder: Holder::new("me").unwrap(), entries: Vec::new() }
    }

    fn request(&self) -> Request<'_> {
        Request { target: &self.target, holder: &self.holder }
    }

    fn perform(&mut self, effects: &Effects) {
        let gone = |file: &String| effects.clear.contains(file) || effects.retire.contains(file);
        self.entries.retain(|entry| !gone(&entry.file) && !effects.write.iter().any(|write| write.file == entry.file));
        for write in &effects.write {
            // Through its bytes, as a file would.
            self.entries.push(Entry::read(&write.file, &write.claim.to_bytes(), NOW, PathStyle::Unix));
        }
    }

    fn take(&mut self, shared: bool, now: Timestamp) {
        let decision = rule::take(&self.entries, &self.request(), &Wish { purpose: "own", ttl: None, shared }, now);
        self.perform(&decision.effects);
    }

    fn enter(&mut self, mark: &str, shared: bool, now: Timestamp) -> Verdict {
        let wish = RunWish { otherwise: "runs x", mark, shared, ..RunWish::default() };
        let decision = enter(&self.entries, &self.request(), &wish, now);
        self.perform(&decision.effects);
        decision.verdict
    }

    fn beat(&mut self, mark: &str, now: Timestamp) -> Verdict {
        let decision = beat(&self.entries, &self.request(), mark, now);
        self.perform(&decision.effects);
        decision.verdict
    }

    fn leave(&mut self, mark: &str, now: Timestamp) -> Left {
        let (left, effects) = leave(&self.entries, &self.request(), mark, now);
        self.perform(&effects);
        left
    }

    fn release(&mut self, now: Timestamp) {
        let decision = rule::release(&self.entries, &self.request(), now);
        self.perform(&decision.effects);
    }

    fn claim(&self) -> Option<&Claim> {
        assert!(self.entries.len() < 2);
        self.entries.first().and_then(Entry::claim)
    }
}

fn later(seconds: i64) -> Timestamp {
    Timestamp(NOW.0 + seconds)
}

#[test]
fn a_run_alone_leaves_nothing() {
    let mut world = World::new();
    assert!(matches!(world.enter("1", false, NOW), Verdict::Claimed(claim) if claim.purpose == "runs x"));
    assert_eq!(world.claim().unwrap().more["runs"], json!({"users": {"1": NOW.to_string()}}));
    assert!(matches!(world.beat("1", later(30)), Verdict::Beat(_)));
    assert!(matches!(world.leave("1", later(31)), Left::Released(_)));
    assert!(world.claim().is_none());
}

#[test]
fn what_the_session_held_before_it_holds_after_unchanged() {
    for shared in [false, true] {
        let mut world = World::new();
        world.take(shared, NOW);
        assert!(matches!(world.enter("1", false, later(1)), Verdict::Renewed(_)));
        assert!(!world.claim().unwrap().shared);
        assert!(matches!(world.leave("1", later(2)), Left::Kept(_)));
        let claim = world.claim().unwrap();
        assert_eq!((claim.shared, &*claim.purpose, claim.taken_at), (shared, "own", NOW));
        assert!(claim.more.is_empty());
    }
}

#[test]
fn a_claim_that_is_taken_while_a_run_has_it_stays() {
    let mut world = World::new();
    world.enter("1", false, NOW);
    world.take(false, later(1));
    assert!(matches!(world.leave("1", later(2)), Left::Kept(_)));
    assert!(world.claim().unwrap().more.is_empty());
}

#[test]
fn the_last_of_two_runs_releases_whatever_order_they_end_in() {
    for order in [["1", "2"], ["2", "1"]] {
        let mut world = World::new();
        world.enter("1", false, NOW);
        world.enter("2", false, later(1));
        assert!(matches!(world.leave(order[0], later(2)), Left::Kept(_)));
        assert!(world.entries[0].state(later(2)).is_fresh());
        assert!(matches!(world.leave(order[1], later(3)), Left::Released(_)));
        assert!(world.claim().is_none());
    }
}

#[test]
fn the_mark_of_a_killed_run_lives_as_long_as_a_claim_would() {
    for (after, kept) in [(900, true), (901, false)] {
        let mut world = World::new();
        world.enter("killed", false, NOW);
        world.enter("2", false, NOW);
        world.beat("2", later(after));
        assert_eq!(matches!(world.leave("2", later(after)), Left::Kept(_)), kept, "{after}");
    }
    let mut world = World::new();
    world.enter("killed", false, NOW);
    world.enter("next", false, later(901));
    assert!(matches!(world.leave("next", later(902)), Left::Released(_)));
}

#[test]
fn a_mark_comes_back_with_the_next_beat() {
    let mut world = World::new();
    world.enter("1", false, NOW);
    world.release(later(1));
    assert!(matches!(world.beat("1", later(2)), Verdict::NotHeld(None)));
    assert!(matches!(world.enter("1", false, later(2)), Verdict::Claimed(_)));
    world.release(later(3));
    world.take(false, later(4));
    assert!(matches!(world.beat("1", later(5)), Verdict::Beat(_)));
    assert!(matches!(world.leave("1", later(6)), Left::Kept(_)));
    assert_eq!(world.claim().unwrap().purpose, "own");
}

#[test]
fn what_another_has_is_never_touched() {
    let mut world = World::new();
    world.enter("1", false, NOW);
    let Record::Claim(claim, _) = &mut world.entries[0].record else { unreachable!() };
    claim.holder = "other".into();
    let before = world.entries.clone();
    assert!(matches!(world.beat("1", later(1)), Verdict::Refused(_)));
    assert!(matches!(world.leave("1", later(1)), Left::Refused(_)));
    assert!(matches!(world.enter("1", false, later(1)), Verdict::Refused(_)));
    assert_eq!(world.entries, before);
}

#[test]
fn a_field_that_cannot_be_understood_means_the_session_keeps_it() {
    for field in [json!(null), json!(7), json!([]), json!({"users": 3}), json!({"kept": "maybe"})] {
        let mut world = World::new();
        world.take(false, NOW);
        let Record::Claim(claim, _) = &mut world.entries[0].record else { unreachable!() };
        claim.more.insert(FIELD.into(), field);
        world.enter("1", false, later(1));
        assert!(matches!(world.leave("1", later(2)), Left::Kept(_)));
        assert!(world.claim().unwrap().more.is_empty());
    }
}

#[test]
fn a_purpose_is_the_sessions_unless_the_run_has_one() {
    let mut world = World::new();
    world.take(false, NOW);
    let wish = RunWish { purpose: Some("mine"), otherwise: "x", mark: "1", ..RunWish::default() };
    let decision = enter(&world.entries, &world.request(), &wish, NOW);
    assert!(matches!(decision.verdict, Verdict::Renewed(claim) if claim.purpose == "mine"));
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Enter(usize, bool),
    Beat(usize),
    Leave(usize),
    Take(bool),
    Release,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => (0_usize..4, any::<bool>()).prop_map(|(run, shared)| Step::Enter(run, shared)),
        3 => (0_usize..4).prop_map(Step::Beat),
        3 => (0_usize..4).prop_map(Step::Leave),
        1 => any::<bool>().prop_map(Step::Take),
        1 => Just(Step::Release),
    ];
    prop::collection::vec(step, 1..40)
}

proptest! {
    /// Whatever a session's runs and own verbs do in whatever order: no run that lives is without a claim after its beat,
    /// and when all have ended, the claim is there exactly if the session holds it for itself.
    #[test]
    fn never_unclaimed_and_never_left_behind(steps in steps()) {
        let mut world = World::new();
        let (mut alive, mut own) = (BTreeSet::new(), false);
        for (step, second) in steps.into_iter().zip(1..) {
            let now = later(second);
            match step {
                Step::Enter(run, shared) if alive.insert(run) => drop(world.enter(&run.to_string(), shared, now)),
                Step::Beat(run) if alive.contains(&run) => {
                    if let Verdict::NotHeld(_) = world.beat(&run.to_string(), now) {
                        world.enter(&run.to_string(), false, now);
                    }
                    prop_assert!(world.claim().is_some());
                }
                Step::Leave(run) if alive.remove(&run) => {
                    let gone = world.claim().is_none();
                    world.leave(&run.to_string(), now);
                    let marked = world.claim().map(|claim| Runs::of(claim).users.len()).unwrap_or_default();
                    prop_assert!(gone || own || marked > 0 || world.claim().is_none());
                }
                Step::Take(shared) => {
                    world.take(shared, now);
                    own = true;
                }
                Step::Release => {
                    world.release(now);
                    own = false;
                }
                _ => {}
            }
        }
        for run in std::mem::take(&mut alive) {
            world.leave(&run.to_string(), later(100));
        }
        prop_assert_eq!(world.claim().is_some(), own);
        prop_assert!(world.claim().is_none_or(|claim| claim.more.is_empty()));
    }
}
