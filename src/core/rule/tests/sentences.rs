//! One literal example for each sentence of the rule, and for the corners that a sentence leaves open.

use super::*;

/// What a decision writes, if it writes one file: its name and its text.
fn written(decision: &Decision) -> (&str, String) {
    let [write] = &*decision.effects.write else { panic!("one file is written: {decision:?}") };
    (&write.file, String::from_utf8(write.claim.to_bytes()).unwrap())
}

fn refused_by(decision: &Decision) -> (&str, usize) {
    match &decision.verdict {
        Verdict::Refused(refusal) => {
            assert_eq!(unlogged(&decision.effects), Effects::default(), "a refusal changes nothing");
            (&refusal.by.file, refusal.more)
        }
        verdict => panic!("refused: {verdict:?}"),
    }
}

fn is_not_held(decision: &Decision) -> bool {
    matches!(decision.verdict, Verdict::NotHeld(_)) && unlogged(&decision.effects) == Effects::default()
}

#[test]
fn a_first_take_writes_the_five_fields_and_must_not_replace_a_file() {
    // 2026-08-14T21:02:11Z
    let decision = take_of("config", "ada").of(&[], 1_786_741_331);
    let text = r#"{
  "target": "config",
  "holder": "ada",
  "purpose": "anew",
  "taken_at": "2026-08-14T21:02:11Z",
  "heartbeat_at": "2026-08-14T21:02:11Z"
}
"#;
    assert_eq!(written(&decision), ("config.json", text.to_owned()));
    assert!(matches!(decision.verdict, Verdict::Claimed(_)));
    assert!(!decision.effects.write[0].replaces && decision.effects.write[0].durable);
}

#[test]
fn what_is_asked_for_beyond_the_target_is_recorded_when_it_says_something() {
    let entries = [];
    let (_, text) = written(&take_of("config", "ada").ttl(60).shared().of(&entries, 0)).to_owned();
    assert!(text.ends_with("00Z\",\n  \"ttl_s\": 60,\n  \"shared\": true\n}\n"), "{text}");
    let (_, text) = written(&take_of("config", "ada").ttl(900).of(&entries, 0)).to_owned();
    assert!(!text.contains("ttl_s"), "900 s is what a claim without ttl_s has: {text}");
}

#[test]
fn renewing_keeps_all_but_the_purpose_and_the_heartbeat() {
    let mut text = held("Config!", "ada", 100).taken_from("bob");
    text.more = vec![("room".to_owned(), Value::from(7))];
    let decision = take_of("config", "ada").of(&[plainly(&text)], 130);
    assert!(matches!(decision.verdict, Verdict::Renewed(_)));
    "anew".clone_into(&mut text.purpose);
    text.heartbeat_at = 130;
    assert_eq!(written(&decision), ("config.json", text.json()));
    assert!(decision.effects.write[0].replaces);
}

#[test]
fn renewing_with_another_ttl_changes_it_and_with_the_default_drops_it() {
    let own = [plainly(&held("config", "ada", 100))];
    for (asked, becomes) in [(None, Some(60)), (Some(7), Some(7)), (Some(900), None)] {
        let decision = Ask { ttl: asked, ..take_of("config", "ada") }.of(&own, 100);
        assert_eq!(Text::read(written(&decision).1.as_bytes()).unwrap().ttl_s, becomes, "{asked:?}");
    }
}

#[test]
fn taking_over_records_whose_claim_it_was_and_keeps_nothing_else_of_it() {
    let mut stale = held("config", "bob", 100).taken_from("cyd");
    stale.more = vec![("room".to_owned(), Value::from(7))];
    let decision = take_of("Config!", "ada").of(&[plainly(&stale)], 161);
    let mut text = held("Config!", "ada", 161).taken_from("bob");
    text.ttl_s = None;
    "anew".clone_into(&mut text.purpose);
    assert_eq!(written(&decision), ("config.json", text.json()));
    // One rename, so that there is no moment at which the target looks free.
    assert!(decision.effects.write[0].replaces);
    assert_eq!(decision.effects.clear, Vec::<String>::new());
    assert!(matches!(decision.verdict, Verdict::TakenOver(_, from) if from.holder() == "bob"));
}

#[test]
fn of_several_stale_sharers_the_one_who_lived_last_is_named_and_all_go() {
    for (ada, bob, last) in [(10, 20, "bob"), (20, 10, "ada")] {
        let entries = [aside_of(&held("config", "ada", ada).shared()), plainly(&held("config", "bob", bob).shared())];
        let decision = take_of("config", "cyd").of(&entries, 1_000);
        assert_eq!(Text::read(written(&decision).1.as_bytes()).unwrap().taken_from.as_deref(), Some(last));
        assert_eq!(decision.effects.clear, [beside("config", "ada")]);
        assert_eq!(written(&decision).0, "config.json");
    }
}

#[test]
fn stale_claims_above_and_below_are_cleared_without_a_takeover() {
    let entries = [
        plainly(&held("/", "bob", 0)),
        plainly(&held("/srv/tree/leaf", "cyd", 0)),
        plainly(&held("/opt", "cyd", 0)),
        plainly(&held("/srv/tree-two", "cyd", 0)),
    ];
    let decision = take_of("/srv/tree", "ada").of(&entries, 1_000);
    assert!(matches!(&decision.verdict, Verdict::Claimed(claim) if claim.taken_from.is_none()));
    assert_eq!(decision.effects.clear, [plain("/"), plain("/srv/tree/leaf")]);
    assert!(!decision.effects.write[0].replaces);
}

#[test]
fn one_fresh_claim_in_the_way_leaves_the_stale_ones_alone() {
    let entries = [plainly(&held("/srv", "bob", 0)), plainly(&held("/srv/tree/leaf", "cyd", 1_000))];
    assert_eq!(refused_by(&take_of("/srv/tree", "ada").of(&entries, 1_000)), (&*plain("/srv/tree/leaf"), 0));
}

#[test]
fn a_refusal_names_the_claim_on_the_target_itself_first_and_counts_the_others() {
    let entries = [
        plainly(&held("/srv", "bob", 0).shared()),
        plainly(&held("/srv/tree", "cyd", 0).shared()),
        plainly(&held("/srv/tree/leaf", "dan", 0).shared()),
    ];
    assert_eq!(refused_by(&take_of("/srv/tree", "ada").of(&entries, 0)), (&*plain("/srv/tree"), 2));
    // Of claims that are equally near, the first in the order of the files, whatever the order of the listing.
    for entries in [entries.to_vec(), entries.into_iter().rev().collect()] {
        assert_eq!(refused_by(&take_of("/", "ada").of(&entries, 0)), (&*plain("/srv/tree/leaf"), 2));
    }
}

#[test]
fn a_holder_works_above_and_below_its_own_claims() {
    let entries = [plainly(&held("/srv", "ada", 0)), plainly(&held("/srv/tree/leaf", "ada", 0).shared())];
    for ask in [take_of("/srv/tree", "ada"), take_of("/srv/tree", "ada").shared()] {
        let decision = ask.of(&entries, 1_000);
        assert!(matches!(decision.verdict, Verdict::Claimed(_)));
        assert_eq!(decision.effects.clear, Vec::<String>::new());
    }
}

#[test]
fn sharers_have_a_file_each_and_the_first_to_come_after_has_the_plain_one() {
    let bob = held("config", "bob", 0).shared();
    let ada = take_of("config", "ada").shared();
    assert_eq!(written(&ada.of(&[plainly(&bob)], 0)).0, beside("config", "ada"));
    // A stale sharer is in nobody's way and keeps its claim: sharing takes nothing over.
    let decision = ada.of(&[plainly(&bob)], 1_000);
    assert!(matches!(decision.verdict, Verdict::Claimed(_)));
    assert_eq!((written(&decision).0, &*decision.effects.clear), (&*beside("config", "ada"), &[][..]));
    assert_eq!(written(&ada.of(&[aside_of(&bob)], 0)).0, "config.json");
}

#[test]
fn a_sharer_that_wants_the_target_alone_waits_for_the_fresh_and_clears_the_stale() {
    let entries = [aside_of(&held("config", "ada", 0).shared()), plainly(&held("config", "bob", 0).shared())];
    assert_eq!(refused_by(&take_of("config", "ada").of(&entries, 60)), ("config.json", 0));
    let decision = take_of("config", "ada").of(&entries, 61);
    assert!(matches!(&decision.verdict, Verdict::Renewed(claim) if !claim.shared && claim.taken_at.0 == 0));
    // Only an exclusive claim under the plain name keeps out the others that share: nobody else gets that file then.
    assert_eq!(written(&decision).0, "config.json");
    assert!(decision.effects.write[0].replaces);
    assert_eq!((&*decision.effects.clear, &*decision.effects.retire), (&[][..], &[beside("config", "ada")][..]));
}

#[test]
fn a_claim_is_shared_and_taken_back_in_its_own_file() {
    for (before, after) in [(false, true), (true, false), (true, true), (false, false)] {
        let mut own = held("config", "ada", 0);
        own.shared = before;
        let ask = Ask { shared: after, ..take_of("config", "ada") };
        let decision = ask.of(&[plainly(&own)], 0);
        assert!(matches!(&decision.verdict, Verdict::Renewed(claim) if claim.shared == after));
        assert_eq!(written(&decision).0, "config.json");
        assert!(decision.effects.write[0].replaces && decision.effects.retire.is_empty());
    }
}

#[test]
fn sharing_again_keeps_the_file_that_the_sharer_has() {
    let own = aside_of(&held("config", "ada", 0).shared());
    for others in [vec![], vec![plainly(&held("config", "bob", 0).shared())]] {
        let entries = [vec![own.clone()], others].concat();
        let decision = take_of("config", "ada").shared().of(&entries, 0);
        assert_eq!(written(&decision).0, beside("config", "ada"));
        assert!(decision.effects.write[0].replaces && decision.effects.retire.is_empty());
    }
}

/// A change from shared to exclusive that was cut short leaves both files: the old one and the new one, which is plain.
fn cut_short() -> [Entry; 2] {
    [aside_of(&held("config", "ada", 10).shared()), plainly(&held("config", "ada", 20))]
}

#[test]
fn of_two_own_files_the_plain_one_counts_and_the_next_change_leaves_one() {
    for entries in [cut_short().to_vec(), cut_short().into_iter().rev().collect()] {
        for ask in [take_of("config", "ada"), take_of("config", "ada").shared(), beat_of("config", "ada")] {
            let decision = ask.of(&entries, 30);
            let (file, text) = written(&decision);
            let text = Text::read(text.as_bytes()).unwrap();
            assert_eq!((file, text.taken_at, text.heartbeat_at), ("config.json", 20, 30), "{ask:?}");
            assert_eq!(text.shared, ask.shared);
            assert_eq!(decision.effects.retire, [beside("config", "ada")], "{ask:?}");
        }
        let decision = release_of("config", "ada").of(&entries, 30);
        assert!(matches!(&decision.verdict, Verdict::Released(claim) if !claim.shared));
        let mut cleared = decision.effects.clear;
        cleared.sort();
        assert_eq!(cleared, [beside("config", "ada"), plain("config")]);
    }
}

/// The old file of a change that was cut short must not keep a holder believing that it has the target alone.
#[test]
fn who_beat_an_exclusive_claim_is_told_when_another_takes_it_whatever_was_cut_short_before() {
    let beaten = beat_of("config", "ada").of(&cut_short(), 30);
    let mut left: Vec<_> =
        cut_short().into_iter().filter(|entry| !beaten.effects.retire.contains(&entry.file)).collect();
    left.retain(|entry| entry.file != beaten.effects.write[0].file);
    left.push(entry("config.json", beaten.effects.write[0].claim.to_bytes(), 0));
    let taken = take_of("config", "bob").shared().of(&left, 1_000);
    assert!(matches!(taken.verdict, Verdict::TakenOver(..)));
    left.retain(|entry| entry.file != "config.json");
    left.push(entry("config.json", taken.effects.write[0].claim.to_bytes(), 0));
    assert_eq!(refused_by(&beat_of("config", "ada").of(&left, 1_000)), ("config.json", 0));
}

#[test]
fn a_beat_renews_the_heartbeat_and_nothing_else_even_when_it_had_gone_stale() {
    for age in [0, 60, 61, 1_000_000, -1_000_000] {
        let mut text = held("config", "ada", 100).taken_from("bob");
        let decision = beat_of("config", "ada").of(&[plainly(&text)], 100 + age);
        text.heartbeat_at = 100 + age;
        assert!(matches!(decision.verdict, Verdict::Beat(_)));
        assert_eq!(written(&decision), ("config.json", text.json()));
        assert!(decision.effects.write[0].replaces && !decision.effects.write[0].durable);
    }
}

#[test]
fn a_beat_is_refused_while_another_is_at_work_there() {
    let own = held("/srv/tree", "ada", 0);
    for (other, refused) in [
        (held("/srv", "bob", 0), true),
        (held("/srv", "bob", -61), false),
        (held("/srv", "bob", 0).shared(), true),
        (held("/opt", "bob", 0), false),
    ] {
        let decision = beat_of("/srv/tree", "ada").of(&[plainly(&own), plainly(&other)], 0);
        assert_eq!(matches!(decision.verdict, Verdict::Refused(_)), refused, "{other:?}");
    }
    let decision =
        beat_of("/srv/tree", "ada").of(&[plainly(&own.shared()), plainly(&held("/srv", "bob", 0).shared())], 0);
    assert!(matches!(decision.verdict, Verdict::Beat(_)));
}

#[test]
fn who_lost_its_claim_is_told_by_the_next_beat_even_when_the_taker_shares_it() {
    let taker = held("config", "bob", 0).shared();
    assert!(is_not_held(&beat_of("config", "ada").of(&[plainly(&taker)], 0)));
    let taker = taker.taken_from("ada");
    assert_eq!(refused_by(&beat_of("config", "ada").of(&[plainly(&taker)], 0)), ("config.json", 0));
    assert!(is_not_held(&beat_of("config", "cyd").of(&[plainly(&taker)], 0)));
    // A stale taker refuses nobody, but it is named.
    let decision = beat_of("config", "ada").of(&[plainly(&taker)], 61);
    assert!(is_not_held(&decision));
    assert!(matches!(decision.verdict, Verdict::NotHeld(Some(entry)) if entry.holder() == "bob"));
}

#[test]
fn not_held_names_a_stale_claim_on_the_target_itself_only() {
    let decision = beat_of("/srv/tree", "ada").of(&[plainly(&held("/srv", "bob", 0))], 1_000);
    assert_eq!(decision.verdict, Verdict::NotHeld(None));
    let there = plainly(&held("/srv/tree", "bob", 0));
    let decision = beat_of("/srv/tree", "ada").of(&[plainly(&held("/srv", "bob", 0)), there.clone()], 1_000);
    assert_eq!(decision.verdict, Verdict::NotHeld(Some(there)));
}

#[test]
fn release_removes_the_own_claim_and_leaves_those_of_other_sharers() {
    let own = held("config", "ada", 0).shared();
    let entries = [aside_of(&own), plainly(&held("config", "bob", 0).shared())];
    let decision = release_of("config", "ada").of(&entries, 1_000_000);
    assert!(matches!(decision.verdict, Verdict::Released(claim) if claim.to_bytes() == own.json().into_bytes()));
    assert_eq!(unlogged(&decision.effects), Effects { clear: vec![beside("config", "ada")], ..Effects::default() });
}

#[test]
fn release_refuses_anothers_claim_and_names_who_is_at_work_before_a_leftover() {
    let entries = [aside_of(&held("config", "bob", 0).shared()), plainly(&held("config", "cyd", 500).shared())];
    assert_eq!(refused_by(&release_of("config", "ada").of(&entries, 500)), ("config.json", 1));
    // Of leftovers the first in the order of the files.
    assert_eq!(refused_by(&release_of("config", "ada").of(&entries, 5_000)), (&*beside("config", "bob"), 1));
    assert!(is_not_held(&release_of("/srv/tree", "ada").of(&[plainly(&held("/srv", "bob", 0))], 0)));
    assert!(is_not_held(&release_of("/srv/tree", "ada").of(&[plainly(&held("/srv", "ada", 0))], 0)));
}

#[test]
fn a_file_that_cannot_be_read_refuses_for_15_minutes_and_is_then_moved_aside() {
    let broken = [garbage("config.json", 0)];
    for ask in [take_of("config", "ada"), take_of("config", "ada").shared()] {
        assert_eq!(refused_by(&ask.of(&broken, 900)), ("config.json", 0));
        let decision = ask.of(&broken, 901);
        assert!(
            matches!(&decision.verdict, Verdict::TakenOver(claim, _) if claim.taken_from.as_deref() == Some("unknown"))
        );
        assert_eq!((&*decision.effects.aside, &*decision.effects.clear), (&["config.json".to_owned()][..], &[][..]));
        // It has been moved away by then, so a file that is there all the same is another's and must win.
        assert!(!decision.effects.write[0].replaces);
    }
    assert_eq!(refused_by(&beat_of("config", "ada").of(&broken, 900)), ("config.json", 0));
    assert!(is_not_held(&beat_of("config", "ada").of(&broken, 901)));
    assert_eq!(refused_by(&release_of("config", "ada").of(&broken, 901)), ("config.json", 0));
}

#[test]
fn a_file_that_cannot_be_read_refuses_where_its_name_says_that_it_may_be_in_the_way() {
    for (file, asked, refused) in [
        (plain("/srv"), "/srv/tree", true),
        (plain("/"), "/srv/tree", true),
        (plain("/srv/tree/leaf"), "/srv/tree", true),
        (beside("/srv/tree", "bob"), "/srv/tree", true),
        // Its slug begins with that of /srv/tree: a false refusal costs a wait, a missed one costs the work.
        (plain("/srv/tree-two"), "/srv/tree", true),
        (plain("/srv/tree"), "/srv/tree-two", false),
        (plain("/opt"), "/srv/tree", false),
        (plain("config"), "/srv/tree", false),
        (plain("notes"), "config", false),
        (plain("/opt"), "/", true),
    ] {
        let broken = [garbage(&file, 0)];
        let fresh = take_of(asked, "ada").of(&broken, 0);
        assert_eq!(matches!(fresh.verdict, Verdict::Refused(_)), refused, "{file} {asked}");
        let stale = take_of(asked, "ada").of(&broken, 901);
        let moved =
            file.split(['.', '+']).next() == asked.strip_prefix('/').map(|path| path.replace('/', "-")).as_deref();
        assert_eq!(!stale.effects.aside.is_empty(), moved, "only the target's own file goes: {file} {asked}");
    }
}

#[test]
fn a_file_of_the_targets_stem_that_names_another_target_stops_every_verb() {
    let (own, wrong) =
        (plainly(&held("config", "ada", 0)), entry(&beside("config", "bob"), held("notes", "bob", 0).json(), 0));
    for ask in [take_of("config", "ada"), beat_of("config", "ada"), release_of("config", "ada")] {
        for entries in [vec![wrong.clone()], vec![own.clone(), wrong.clone()]] {
            assert_eq!(ask.of(&entries, 1_000), Decision::only(Verdict::Misnamed(wrong.clone())), "{ask:?}");
        }
    }
}

/// Two paths with one hash: nobody has seen that, and the claim of the first must not be lost to it.
#[test]
fn a_claim_on_an_unrelated_target_under_the_same_stem_is_never_replaced() {
    let claim = Claim::parse(held("/opt", "bob", 0).json().as_bytes()).unwrap();
    let other = Entry { file: plain("/srv"), record: Record::Claim(claim, target("/opt")) };
    for (ask, file) in
        [(take_of("/srv", "ada"), plain("/srv")), (take_of("/srv", "ada").shared(), beside("/srv", "ada"))]
    {
        let decision = ask.of(std::slice::from_ref(&other), 1_000);
        // The store fails at the first, since a file is there; the second has a file of its own.
        assert_eq!((written(&decision).0, decision.effects.write[0].replaces), (&*file, false));
        assert_eq!(decision.effects.clear, Vec::<String>::new());
    }
}

#[test]
fn a_copy_under_another_name_refuses_while_it_is_fresh_and_is_nobodys_to_tidy() {
    let name = "srv-tree (copy).json";
    let copy = [entry(name, held("/srv/tree", "bob", 0).json(), 0)];
    assert_eq!(refused_by(&take_of("/srv", "ada").of(&copy, 60)), (name, 0));
    assert_eq!(refused_by(&take_of("/srv/tree", "ada").of(&copy, 60)), (name, 0));
    let decision = take_of("/srv/tree", "ada").of(&copy, 61);
    assert!(matches!(decision.verdict, Verdict::Claimed(_)));
    assert_eq!((&*decision.effects.aside, &*decision.effects.clear), (&[][..], &[][..]));
    // A copy of one's own claim is no claim: it neither stops its holder nor is it beaten or released.
    assert!(matches!(take_of("/srv/tree", "bob").of(&copy, 0).verdict, Verdict::Claimed(_)));
    assert!(is_not_held(&beat_of("/srv/tree", "bob").of(&copy, 0)));
    assert!(is_not_held(&release_of("/srv/tree", "bob").of(&copy, 0)));
}
