//! What `release --stale`, `beat --all` and the notice of a loss go by.

use super::*;

const NOW: i64 = 10_000;

#[test]
fn release_stale_removes_claims_by_their_own_time_to_live_and_moves_what_cannot_be_read() {
    let minute = |age: i64| plainly(&held("config", "ada", NOW - age));
    let mut week = held("config", "ada", NOW - 604_800);
    week.ttl_s = Some(604_800);
    let mut default = held("config", "ada", NOW - 900);
    default.ttl_s = None;
    let mut older = default.clone();
    older.heartbeat_at -= 1;
    let named = |target: &str| entry("config.json", held(target, "ada", 0).json(), NOW);
    for (what, found, cleared, aside) in [
        ("a heartbeat of this moment", minute(0), false, false),
        ("a minute old with a minute to live", minute(60), false, false),
        ("a second older", minute(61), true, false),
        ("a minute ahead", minute(-60), false, false),
        ("further ahead: a clock was wrong", minute(-61), true, false),
        ("a week old with a week to live", plainly(&week), false, false),
        ("15 minutes old with the default", plainly(&default), false, false),
        ("a second older than that", plainly(&older), true, false),
        ("changed 15 minutes ago", garbage("config.json", NOW - 900), false, false),
        ("changed before that", garbage("config.json", NOW - 901), false, true),
        ("changed far ahead", garbage("config.json", NOW + 901), false, true),
        ("stale, but of another target", named("notes"), false, false),
        ("stale, but of no target", named("..."), false, false),
    ] {
        let (stale, effects) = release_stale(std::slice::from_ref(&found), &operator(), Timestamp(NOW));
        let listed = |yes: bool| if yes { vec!["config.json".to_owned()] } else { vec![] };
        assert_eq!((&effects.clear, &effects.aside), (&listed(cleared), &listed(aside)), "{what}");
        assert!(effects.write.is_empty() && effects.retire.is_empty(), "{what}");
        assert_eq!(stale, if cleared || aside { vec![found] } else { vec![] }, "{what}");
    }
}

#[test]
fn release_stale_takes_every_stale_claim_whoever_held_it_and_leaves_the_fresh() {
    let entries = [
        plainly(&held("/opt", "ada", 0)),
        plainly(&held("/srv", "bob", 0).shared()),
        aside_of(&held("/srv", "cyd", NOW).shared()),
        garbage("notes.json", 0),
        plainly(&held("config", "dan", NOW)),
    ];
    let (stale, effects) = release_stale(&entries, &operator(), Timestamp(NOW));
    assert_eq!(effects.clear, [plain("/opt"), plain("/srv")]);
    assert_eq!(effects.aside, ["notes.json"]);
    assert_eq!(stale, [&entries[0], &entries[1], &entries[3]].map(Clone::clone));
    assert_eq!(release_stale(&[], &operator(), Timestamp(NOW)), (vec![], Effects::default()));
}

fn held_texts(entries: &[Entry], name: &str) -> Vec<String> {
    held_by(entries, &holder(name)).iter().map(|target| target.as_str().to_owned()).collect()
}

#[test]
fn held_is_what_a_readable_claim_under_its_own_name_says_fresh_or_stale() {
    let own = held("config", "ada", 0);
    for (what, found, held) in [
        ("own", plainly(&own), vec!["config"]),
        ("own and shared", aside_of(&own.clone().shared()), vec!["config"]),
        ("own, ages ago", plainly(&held("config", "ada", -1_000_000)), vec!["config"]),
        ("another's", plainly(&held("config", "bob", 0)), vec![]),
        ("taken over by another", plainly(&held("config", "bob", 0).taken_from("ada")), vec![]),
        ("taken over from another", plainly(&own.clone().taken_from("bob")), vec!["config"]),
        ("not to be read", garbage("config.json", 0), vec![]),
        ("a copy under another name", entry("copy.json", own.json(), 0), vec![]),
        ("a holder that only begins alike", plainly(&held("config", "adam", 0)), vec![]),
    ] {
        assert_eq!(held_texts(&[found], "ada"), held, "{what}");
    }
}

#[test]
fn each_target_is_held_once_in_the_order_of_the_files() {
    let entries = [
        aside_of(&held("config", "ada", 0).shared()),
        plainly(&held("Config!", "ada", 0)),
        plainly(&held("notes", "bob", 0)),
        plainly(&held("/srv", "ada", 0)),
        plainly(&held("/srv/tree", "ada", 0)),
    ];
    assert_eq!(held_texts(&entries, "ada"), ["config", "/srv", "/srv/tree"]);
    assert_eq!(held_texts(&entries, "bob"), ["notes"]);
    assert_eq!(held_texts(&entries, "cyd"), Vec::<String>::new());
}

#[test]
fn lost_is_what_was_taken_over_and_is_not_held_again() {
    let taken = held("config", "bob", 0).taken_from("ada");
    let own = held("config", "ada", 0);
    for (what, entries, lost) in [
        ("taken over", vec![plainly(&taken)], 1),
        ("taken over by one who shares it", vec![plainly(&taken.clone().shared())], 1),
        ("taken over by one who is stale by now", vec![plainly(&held("config", "bob", -9_999).taken_from("ada"))], 1),
        ("taken over and shared again", vec![aside_of(&own.clone().shared()), plainly(&taken.clone().shared())], 0),
        ("another claim is held meanwhile", vec![plainly(&taken), plainly(&held("notes", "ada", 0))], 1),
        ("another's from the first", vec![plainly(&held("config", "bob", 0))], 0),
        ("taken over from somebody else", vec![plainly(&held("config", "bob", 0).taken_from("cyd"))], 0),
        ("one's own, taken over from oneself by hand", vec![plainly(&own.clone().taken_from("ada"))], 0),
        ("not to be read", vec![garbage("config.json", 0)], 0),
        ("a copy under another name", vec![entry("copy.json", taken.json(), 0)], 0),
        (
            "held again only above",
            vec![plainly(&held("/srv/tree", "bob", 0).taken_from("ada")), plainly(&held("/srv", "ada", 0))],
            1,
        ),
    ] {
        let found = lost_by(&entries, &holder("ada"));
        assert_eq!(found.len(), lost, "{what}");
        assert!(found.iter().all(|entry| entry.holder() == "bob"), "{what}");
    }
}
