//! What holds after any sequence of requests, by any holders, at any clock, with any change cut short.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::{
    oracle::{Answer, File, Outcome, expected},
    *,
};

/// A claims directory without a disk: what the store would do with effects, step by step.
#[derive(Debug, Clone, Default, PartialEq)]
struct Directory(BTreeMap<String, (Vec<u8>, i64)>);

impl Directory {
    fn files(&self) -> Vec<File> {
        self.0.iter().map(|(file, (bytes, modified))| (file.clone(), bytes.clone(), *modified)).collect()
    }

    fn entries(&self) -> Vec<Entry> {
        self.0.iter().map(|(file, (bytes, modified))| entry(file, bytes, *modified)).collect()
    }

    /// As the store reads them: only what may concern the target.
    fn within(&self, reach: &Reach) -> Vec<Entry> {
        self.entries().into_iter().filter(|entry| stem_of(&entry.file).is_some_and(|stem| reach.has(stem))).collect()
    }

    fn claims(&self) -> impl Iterator<Item = (&String, Text)> {
        self.0.iter().filter_map(|(file, (bytes, _))| Some((file, Text::read(bytes)?)))
    }

    /// The first `steps` of the changes. Each names a file that is there, and a write replaces one if and only if it
    /// says so: the store would fail otherwise.
    fn perform(&mut self, effects: &Effects, now: i64, steps: usize, mut after_each: impl FnMut(&Self)) {
        let gone = effects.aside.iter().chain(&effects.clear).map(Err);
        let retired = effects.retire.iter().map(Err);
        for step in gone.chain(effects.write.iter().map(Ok)).chain(retired).take(steps) {
            match step {
                Ok(write) => {
                    let bytes = write.claim.to_bytes();
                    let before = self.0.insert(write.file.clone(), (bytes, now));
                    assert_eq!(before.is_some(), write.replaces, "{}", write.file);
                }
                Err(file) => assert!(self.0.remove(file).is_some(), "{file}"),
            }
            after_each(self);
        }
    }
}

/// Whether two claims exclude each other whenever both are fresh; written from the design, not with the rule's words.
fn exclude(one: &Text, other: &Text) -> bool {
    let below = |path: &str, tree: &str| {
        tree.starts_with('/') && path.strip_prefix(tree).is_some_and(|rest| tree == "/" || rest.starts_with('/'))
    };
    let overlap = stem(&one.target) == stem(&other.target)
        || below(&one.target, &other.target)
        || below(&other.target, &one.target);
    one.holder != other.holder && overlap && !(one.shared && other.shared)
}

/// No two claims of different holders that are both fresh at any moment there is. Freshness only changes at a
/// heartbeat's distance of one TTL, so these moments and their neighbours are all that need a look.
fn nothing_collides(directory: &Directory) {
    let claims: Vec<_> = directory.claims().map(|(_, text)| text).collect();
    let ttl = |text: &Text| text.ttl_s.unwrap_or(900);
    let moments: BTreeSet<_> = claims
        .iter()
        .flat_map(|text| [-ttl(text), 0, ttl(text)].map(|distance| text.heartbeat_at.saturating_add(distance)))
        .flat_map(|moment| [-1, 0, 1].map(|distance| moment.saturating_add(distance)))
        .collect();
    let fresh = |text: &Text, now: i64| now.abs_diff(text.heartbeat_at) <= ttl(text).unsigned_abs();
    for (number, one) in claims.iter().enumerate() {
        for other in claims.iter().skip(number + 1).filter(|other| exclude(one, other)) {
            for now in &moments {
                assert!(!(fresh(one, *now) && fresh(other, *now)), "both fresh at {now}:\n{one:?}\n{other:?}");
            }
        }
    }
    // Two that are never fresh together could be after a beat, so the rule keeps more than is asked for.
    let mut pairs = claims.iter().enumerate().flat_map(|(n, one)| claims.iter().skip(n + 1).map(move |two| (one, two)));
    assert_eq!(pairs.find(|(one, other)| exclude(one, other)), None, "a beat away from a collision");
}

#[derive(Debug, Clone)]
enum Act {
    Ask(Ask),
    ReleaseStale,
}

/// One act, when, and how many steps of its changes are done before the machine stops.
type Step = (Act, i64, usize);

fn any_target() -> impl Strategy<Value = &'static str> {
    prop::sample::select(PATHS.iter().chain(&NAMES).map(|(text, _)| *text).collect::<Vec<_>>())
}

fn any_holder() -> impl Strategy<Value = &'static str> {
    prop::sample::select(HOLDERS.map(|(name, _)| name).to_vec())
}

/// Mostly within a few times to live of each other, sometimes anywhere that can be written.
fn any_clock() -> impl Strategy<Value = i64> {
    prop_oneof![
        8 => 0_i64..4_000,
        2 => prop::sample::select(vec![0, 60, 61, 120, 900, 901, 1_800, -60, -900]),
        1 => Timestamp::FIRST.0..Timestamp::LAST.0,
    ]
}

fn any_ask() -> impl Strategy<Value = Ask> {
    let verb = prop_oneof![4 => Just(Verb::Take), 2 => Just(Verb::Beat), 1 => Just(Verb::Release)];
    let purpose = prop::sample::select(vec!["", "one", "another \"quoted\""]);
    let ttl = prop::option::of(prop::sample::select(vec![1, 60, 900, 604_800]));
    (verb, any_target(), any_holder(), purpose, ttl, any::<bool>())
        .prop_map(|(verb, target, holder, purpose, ttl, shared)| Ask { verb, target, holder, purpose, ttl, shared })
}

fn any_step() -> impl Strategy<Value = Step> {
    let act = prop_oneof![20 => any_ask().prop_map(Act::Ask), 1 => Just(Act::ReleaseStale)];
    (act, any_clock(), prop_oneof![6 => Just(usize::MAX), 1 => 0_usize..4])
}

/// Files as other tools, other versions and accidents leave them, beside claims that contradict each other.
fn any_directory() -> impl Strategy<Value = Directory> {
    let name = (any_target(), any_holder(), 0..4).prop_map(|(target, holder, kind)| match kind {
        0 => beside(target, holder),
        1 => format!("{}+x.json", stem(target)),
        _ => plain(target),
    });
    let claimed = prop_oneof![6 => any_target().prop_map(Some), 1 => Just(None)];
    let broken = prop::sample::select(vec!["", "{", "[]", "null", "{\"target\":\"config\"}", "\u{0}"]);
    let text = (claimed, any_holder(), any_clock(), any_clock(), any::<bool>(), prop::option::of(any_holder()));
    let content = prop_oneof![
        1 => broken.prop_map(|broken| (None, broken.as_bytes().to_vec())),
        1 => Just((None, vec![0xff, 0xfe, b'{'])),
        12 => text.prop_map(|(target, holder, heartbeat, taken_at, shared, taken_from)| {
            let mut text = held(target.unwrap_or("..."), holder, heartbeat);
            (text.taken_at, text.shared, text.taken_from) = (taken_at, shared, taken_from.map(str::to_owned));
            (target.map(str::to_owned), text.json().into_bytes())
        }),
    ];
    let right = any::<bool>();
    prop::collection::vec((name, content, any_clock(), right), 0..6).prop_map(|files| {
        let files = files.into_iter().map(|(name, (target, bytes), modified, right)| {
            // Half of the claims stand under a name of their own target: otherwise almost all were misnamed.
            let name = match target {
                Some(target) if right => plain(&target),
                _ => name,
            };
            (name, (bytes, modified))
        });
        Directory(files.collect())
    })
}

/// Performs one act and checks what every single act promises.
fn perform(directory: &mut Directory, told: &mut BTreeMap<(&str, &str), bool>, (act, now, steps): &Step) {
    let before = directory.clone();
    let Act::Ask(ask) = act else {
        let (_, effects) = release_stale(&directory.entries(), &operator(), Timestamp(*now));
        assert!(effects.write.is_empty() && effects.retire.is_empty());
        directory.perform(&effects, *now, *steps, nothing_collides);
        return;
    };
    let decision = ask.of(&directory.within(&target(ask.target).reach()), *now);
    let effects = decision.effects.clone();
    directory.perform(&effects, *now, *steps, nothing_collides);

    let own = |directory: &Directory| {
        let own = |text: &Text| text.holder == ask.holder && stem(&text.target) == stem(ask.target);
        directory.claims().filter(|(_, text)| own(text)).map(|(file, text)| (file.clone(), text)).collect::<Vec<_>>()
    };
    let had = own(&before);
    for write in &effects.write {
        assert_eq!(stem_of(&write.file), Some(stem(ask.target)), "in a file of its target");
        assert_eq!(write.claim.holder, ask.holder, "nobody writes another's claim");
        let found = entry(&write.file, write.claim.to_bytes(), *now);
        assert!(matches!(found.record, Record::Claim(claim, _) if claim == write.claim), "read back as it was meant");
    }
    for file in effects.clear.iter().chain(&effects.retire) {
        let text = Text::read(&before.0[file].0).unwrap();
        let stale = now.abs_diff(text.heartbeat_at) > text.ttl_s.unwrap_or(900).unsigned_abs();
        assert!(text.holder == ask.holder || ask.verb == Verb::Take && stale, "somebody was at work: {text:?}");
    }
    match &decision.verdict {
        Verdict::Refused(_) | Verdict::NotHeld(_) | Verdict::Misnamed(_) => {
            assert_eq!(unlogged(&effects), Effects::default());
            assert_eq!(*directory, before, "a refusal changes nothing");
        }
        Verdict::Renewed(claim) | Verdict::Beat(claim) => {
            assert!(had.iter().any(|(_, text)| text.taken_at == claim.taken_at.0), "taken_at stays");
        }
        Verdict::Claimed(claim) | Verdict::TakenOver(claim, _) => {
            assert_eq!((had.len(), ask.verb, claim.taken_at), (0, Verb::Take, Timestamp(*now)));
        }
        Verdict::Released(_) => {
            let cleared: Vec<_> = had.iter().map(|(file, _)| file.clone()).collect();
            let mut clear = effects.clear.clone();
            clear.sort();
            assert_eq!(Effects { clear, ..unlogged(&effects) }, Effects { clear: cleared, ..Effects::default() });
        }
    }
    if ask.verb != Verb::Take {
        assert!(directory.0.keys().all(|file| before.0.contains_key(file)), "{:?} never creates", ask.verb);
    }
    if *steps < usize::MAX {
        // The answer was a failure: whatever is there now, nothing was promised.
        told.remove(&(ask.holder, stem(ask.target)));
        return;
    }
    match &decision.verdict {
        Verdict::Claimed(claim) | Verdict::Renewed(claim) | Verdict::TakenOver(claim, _) => {
            let (now_own, mine) = (own(directory), claim.to_bytes());
            assert_eq!(now_own.len(), 1, "one claim of this holder on this target");
            assert_eq!(now_own[0].1.json().into_bytes(), mine, "and it is the one that was answered");
            told.insert((ask.holder, stem(ask.target)), claim.shared);
            let again = ask.of(&directory.within(&target(ask.target).reach()), *now);
            assert!(matches!(&again.verdict, Verdict::Renewed(same) if same == claim), "the same again is a renewal");
        }
        Verdict::Beat(claim) => {
            let believed = told.insert((ask.holder, stem(ask.target)), claim.shared);
            assert!(believed.is_none_or(|shared| shared == claim.shared), "a beat renews what the holder was told");
        }
        Verdict::Released(_) => {
            assert_eq!(own(directory), vec![], "nothing of it is left");
            told.remove(&(ask.holder, stem(ask.target)));
        }
        Verdict::Refused(_) | Verdict::NotHeld(_) => {
            if ask.verb == Verb::Beat {
                told.remove(&(ask.holder, stem(ask.target)));
            }
        }
        Verdict::Misnamed(_) => panic!("no request ever leaves a claim under a wrong name"),
    }
}

proptest! {
    #[test]
    fn no_sequence_of_requests_leaves_two_claims_that_collide_at_any_clock(
        steps in prop::collection::vec(any_step(), 1..40)
    ) {
        let (mut directory, mut told) = (Directory::default(), BTreeMap::new());
        for step in &steps {
            perform(&mut directory, &mut told, step);
        }
        // Whatever happened, the rule alone brings the machine to rest.
        for (text, _) in PATHS.iter().chain(&NAMES) {
            for (holder, _) in HOLDERS {
                let ask = Ask::new(Verb::Release, text, holder);
                perform(&mut directory, &mut told, &(Act::Ask(ask), 0, usize::MAX));
            }
        }
        prop_assert_eq!(directory, Directory::default());
    }

    /// The same in a corner where everything meets: two holders, one target, hardly ever a fresh claim, and every third
    /// change cut short once one or two files are done.
    #[test]
    fn no_change_that_was_cut_short_leaves_a_holder_with_a_wrong_belief(
        steps in prop::collection::vec((any_ask(), 0..2_usize, 0..4_i64, 0..6_usize), 1..200)
    ) {
        let (mut directory, mut told) = (Directory::default(), BTreeMap::new());
        for (ask, who, now, cut) in steps {
            let ask = Ask { target: "config", holder: HOLDERS[who].0, ttl: None, ..ask };
            let steps = if cut < 2 { cut + 1 } else { usize::MAX };
            perform(&mut directory, &mut told, &(Act::Ask(ask), now * 1_000, steps));
        }
    }

    #[test]
    fn whatever_is_in_the_directory_the_answer_is_what_the_design_says(
        directory in any_directory(), asks in prop::collection::vec((any_ask(), any_clock(), any::<bool>()), 1..12)
    ) {
        let mut directory = directory;
        for (ask, now, whole) in &asks {
            // Also when the listing holds what is beyond the request's reach, as `--all` reads it.
            let entries = if *whole { directory.entries() } else { directory.within(&target(ask.target).reach()) };
            let decision = ask.of(&entries, *now);
            let mut files = directory.files();
            files.retain(|(file, ..)| entries.iter().any(|entry| entry.file == *file));
            prop_assert_eq!(Answer::observed(decision.clone()), expected(&files, ask, *now));
            let before = directory.clone();
            directory.perform(&decision.effects, *now, usize::MAX, |_| {});
            if matches!(decision.verdict, Verdict::Refused(_) | Verdict::NotHeld(_) | Verdict::Misnamed(_)) {
                prop_assert_eq!(&directory, &before);
            }
        }
    }

    /// The holder sets the TTL, never the one who wants the target.
    #[test]
    fn the_time_to_live_that_is_asked_for_never_changes_when_a_target_is_free(
        directory in any_directory(), ask in any_ask(), now in any_clock(), other in 1_u64..604_800
    ) {
        let answer = |ttl| {
            let entries = directory.entries();
            let mut answer = Answer::observed(Ask { verb: Verb::Take, ttl, ..ask.clone() }.of(&entries, now));
            if let Some((_, text, ..)) = &mut answer.write {
                let mut claim = Text::read(text.as_bytes()).unwrap();
                claim.ttl_s = None;
                *text = claim.json();
            }
            answer
        };
        prop_assert_eq!(answer(None), answer(Some(other)));
        prop_assert_eq!(answer(Some(1)), answer(Some(604_800)));
    }

    #[test]
    fn no_entry_and_no_moment_is_beyond_the_rule(
        directory in any_directory(), odd in prop::collection::vec((".{0,12}", ".{0,60}"), 0..4),
        ask in any_ask(), now in prop_oneof![Just(i64::MIN), Just(i64::MAX), any::<i64>()]
    ) {
        let mut entries = directory.entries();
        entries.extend(odd.iter().map(|(file, bytes)| entry(file, bytes, now)));
        let answer = Answer::observed(ask.of(&entries, now));
        let changes = answer.write.is_some() || !answer.clear.is_empty();
        let refused = matches!(answer.outcome, Outcome::Refused { .. } | Outcome::NotHeld(_) | Outcome::Misnamed(_));
        prop_assert_eq!(changes, !refused);
        let (stale, effects) = release_stale(&entries, &operator(), Timestamp(now));
        prop_assert_eq!(stale.len(), effects.clear.len() + effects.aside.len());
        let holder = holder(ask.holder);
        prop_assert!(held_by(&entries, &holder).len() + lost_by(&entries, &holder).len() <= entries.len());
    }
}
