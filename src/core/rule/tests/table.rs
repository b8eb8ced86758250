//! The truth table: every combination of one claim, one request and one moment, for every verb; then the same with a
//! claim of one's own beside it.

use super::{
    oracle::{Answer, File, Outcome, expected},
    *,
};

const NOW: i64 = 1_786_741_331;

/// The target that is asked for, and where the claim is.
const ASKED: &str = "/srv/tree";
const PLACES: [(&str, &str); 4] =
    [("same", "/srv/tree"), ("above", "/srv"), ("below", "/srv/tree/leaf"), ("apart", "/opt")];

/// The columns: what the claim is, what the request is.
const MODES: [(bool, bool); 4] = [(false, false), (false, true), (true, false), (true, true)];

/// The letters of a cell: a fresh heartbeat, a stale one, one within a TTL ahead, one beyond, and a file that cannot be
/// read, changed lately or long ago. The claim's TTL is 60 s, an unreadable file's 900 s.
const MOMENTS: [(bool, i64); 6] = [(true, 60), (true, 61), (true, -60), (true, -61), (false, 900), (false, 901)];

/// C claimed, R renewed, T taken over, B beat, D released, X refused, N not held.
///
/// "Own" of a file that cannot be read means that it was one's own before: now it is held by `unknown`. What a request
/// would share does not matter to beat and release: the claim says it.
#[rustfmt::skip]
const TABLE: &[(Verb, &str, &str, [&str; 4])] = &[
    //                        the claim   exclusive exclusive shared    shared
    //                        the request exclusive shared    exclusive shared
    (Verb::Take,    "none",  "same",    ["CCCCCC", "CCCCCC", "CCCCCC", "CCCCCC"]),
    (Verb::Take,    "none",  "above",   ["CCCCCC", "CCCCCC", "CCCCCC", "CCCCCC"]),
    (Verb::Take,    "none",  "below",   ["CCCCCC", "CCCCCC", "CCCCCC", "CCCCCC"]),
    (Verb::Take,    "none",  "apart",   ["CCCCCC", "CCCCCC", "CCCCCC", "CCCCCC"]),
    (Verb::Take,    "own",   "same",    ["RRRRXT", "RRRRXT", "RRRRXT", "RRRRXT"]),
    (Verb::Take,    "own",   "above",   ["CCCCXC", "CCCCXC", "CCCCXC", "CCCCXC"]),
    (Verb::Take,    "own",   "below",   ["CCCCXC", "CCCCXC", "CCCCXC", "CCCCXC"]),
    (Verb::Take,    "own",   "apart",   ["CCCCCC", "CCCCCC", "CCCCCC", "CCCCCC"]),
    (Verb::Take,    "other", "same",    ["XTXTXT", "XTXTXT", "XTXTXT", "CCCCXT"]),
    (Verb::Take,    "other", "above",   ["XCXCXC", "XCXCXC", "XCXCXC", "CCCCXC"]),
    (Verb::Take,    "other", "below",   ["XCXCXC", "XCXCXC", "XCXCXC", "CCCCXC"]),
    (Verb::Take,    "other", "apart",   ["CCCCCC", "CCCCCC", "CCCCCC", "CCCCCC"]),
    (Verb::Beat,    "none",  "same",    ["NNNNNN", "NNNNNN", "NNNNNN", "NNNNNN"]),
    (Verb::Beat,    "none",  "above",   ["NNNNNN", "NNNNNN", "NNNNNN", "NNNNNN"]),
    (Verb::Beat,    "none",  "below",   ["NNNNNN", "NNNNNN", "NNNNNN", "NNNNNN"]),
    (Verb::Beat,    "none",  "apart",   ["NNNNNN", "NNNNNN", "NNNNNN", "NNNNNN"]),
    (Verb::Beat,    "own",   "same",    ["BBBBXN", "BBBBXN", "BBBBXN", "BBBBXN"]),
    (Verb::Beat,    "own",   "above",   ["NNNNXN", "NNNNXN", "NNNNXN", "NNNNXN"]),
    (Verb::Beat,    "own",   "below",   ["NNNNXN", "NNNNXN", "NNNNXN", "NNNNXN"]),
    (Verb::Beat,    "own",   "apart",   ["NNNNNN", "NNNNNN", "NNNNNN", "NNNNNN"]),
    (Verb::Beat,    "other", "same",    ["XNXNXN", "XNXNXN", "NNNNXN", "NNNNXN"]),
    (Verb::Beat,    "other", "above",   ["XNXNXN", "XNXNXN", "NNNNXN", "NNNNXN"]),
    (Verb::Beat,    "other", "below",   ["XNXNXN", "XNXNXN", "NNNNXN", "NNNNXN"]),
    (Verb::Beat,    "other", "apart",   ["NNNNNN", "NNNNNN", "NNNNNN", "NNNNNN"]),
    (Verb::Release, "none",  "same",    ["NNNNNN", "NNNNNN", "NNNNNN", "NNNNNN"]),
    (Verb::Release, "none",  "above",   ["NNNNNN", "NNNNNN", "NNNNNN", "NNNNNN"]),
    (Verb::Release, "none",  "below",   ["NNNNNN", "NNNNNN", "NNNNNN", "NNNNNN"]),
    (Verb::Release, "none",  "apart",   ["NNNNNN", "NNNNNN", "NNNNNN", "NNNNNN"]),
    (Verb::Release, "own",   "same",    ["DDDDXX", "DDDDXX", "DDDDXX", "DDDDXX"]),
    (Verb::Release, "own",   "above",   ["NNNNNN", "NNNNNN", "NNNNNN", "NNNNNN"]),
    (Verb::Release, "own",   "below",   ["NNNNNN", "NNNNNN", "NNNNNN", "NNNNNN"]),
    (Verb::Release, "own",   "apart",   ["NNNNNN", "NNNNNN", "NNNNNN", "NNNNNN"]),
    (Verb::Release, "other", "same",    ["XXXXXX", "XXXXXX", "XXXXXX", "XXXXXX"]),
    (Verb::Release, "other", "above",   ["NNNNNN", "NNNNNN", "NNNNNN", "NNNNNN"]),
    (Verb::Release, "other", "below",   ["NNNNNN", "NNNNNN", "NNNNNN", "NNNNNN"]),
    (Verb::Release, "other", "apart",   ["NNNNNN", "NNNNNN", "NNNNNN", "NNNNNN"]),
];

fn letter(outcome: &Outcome) -> char {
    match outcome {
        Outcome::Claimed => 'C',
        Outcome::Renewed => 'R',
        Outcome::TakenOver(_) => 'T',
        Outcome::Beat => 'B',
        Outcome::Released(_) => 'D',
        Outcome::Refused { .. } => 'X',
        Outcome::NotHeld(_) => 'N',
        Outcome::Misnamed(_) => '!',
    }
}

/// The file of one claim, or of what is left of it.
fn file(target: &str, holder: &str, shared: bool, (readable, age): (bool, i64), name: String) -> File {
    let mut text = held(target, holder, NOW - age);
    text.taken_at = NOW - 5_000;
    text.shared = shared;
    text.more = vec![("room".to_owned(), Value::from(7))];
    if readable {
        (name, text.json().into_bytes(), 0)
    } else {
        (name, text.json().into_bytes()[..40].into(), NOW - age)
    }
}

fn entries(files: &[File]) -> Vec<Entry> {
    files.iter().map(|(file, bytes, modified)| entry(file, bytes, *modified)).collect()
}

fn ask(verb: Verb, target: &'static str, shared: bool) -> Ask {
    let ask = Ask::new(verb, target, "ada");
    if shared { ask.shared() } else { ask }
}

/// Answers the request, holds the answer against the oracle, and a refusal to its having no effect.
fn answered(files: &[File], ask: &Ask, row: &str) -> Answer {
    let answer = Answer::observed(ask.of(&entries(files), NOW));
    assert_eq!(answer, expected(files, ask, NOW), "{row}");
    let changes = (&answer.aside, &answer.clear, &answer.write, &answer.retire);
    match answer.outcome {
        Outcome::Refused { .. } | Outcome::NotHeld(_) | Outcome::Misnamed(_) => {
            assert_eq!(changes, (&vec![], &vec![], &None, &vec![]), "{row}");
        }
        Outcome::Released(_) => assert_eq!((changes.0, changes.2, changes.3), (&vec![], &None, &vec![]), "{row}"),
        Outcome::Claimed | Outcome::Renewed | Outcome::TakenOver(_) | Outcome::Beat => {}
    }
    answer
}

#[test]
fn every_combination_of_a_claim_a_request_and_a_moment_is_answered_as_the_table_says() {
    let mut rows = 0;
    for (verb, who, place, columns) in TABLE {
        let (_, claimed) = PLACES.iter().find(|(name, _)| name == place).unwrap();
        for (cells, (claim_shared, request_shared)) in columns.iter().zip(MODES) {
            for (cell, moment) in cells.chars().zip(MOMENTS) {
                let row = format!("{verb:?} {who} {place}, shared: {claim_shared} {request_shared}, {moment:?}");
                let files = match *who {
                    "none" => vec![],
                    "own" => vec![file(claimed, "ada", claim_shared, moment, plain(claimed))],
                    _ => vec![file(claimed, "bob", claim_shared, moment, plain(claimed))],
                };
                let answer = answered(&files, &ask(*verb, ASKED, request_shared), &row);
                assert_eq!(letter(&answer.outcome), cell, "{row}");
                rows += 1;
            }
        }
    }
    // {no claim, own, other} × six moments × two modes of the claim × two of the request × four places × three verbs.
    assert_eq!(rows, 3 * 6 * 2 * 2 * 4 * 3);
}

#[test]
fn names_are_answered_as_paths_are_and_have_nothing_above_or_below() {
    let mut rows = 0;
    for (verb, who, place, columns) in TABLE.iter().filter(|(_, _, place, _)| ["same", "apart"].contains(place)) {
        // Another spelling of the name that is asked for, or another name.
        let claimed = if *place == "same" { "Config!" } else { "notes" };
        for (cells, (claim_shared, request_shared)) in columns.iter().zip(MODES) {
            for (cell, moment) in cells.chars().zip(MOMENTS) {
                let row = format!("{verb:?} {who} {place}, shared: {claim_shared} {request_shared}, {moment:?}");
                let files = match *who {
                    "none" => vec![],
                    "own" => vec![file(claimed, "ada", claim_shared, moment, plain(claimed))],
                    _ => vec![file(claimed, "bob", claim_shared, moment, plain(claimed))],
                };
                let answer = answered(&files, &ask(*verb, "config", request_shared), &row);
                assert_eq!(letter(&answer.outcome), cell, "{row}");
                rows += 1;
            }
        }
    }
    assert_eq!(rows, 3 * 6 * 2 * 2 * 2 * 3);
}

/// Two claims at once, also such pairs as the rule itself never leaves behind: whatever is in the directory, the answer
/// follows from the design's sentences.
#[test]
fn an_own_claim_beside_anothers_is_answered_by_the_sentences_too() {
    let mut rows = 0;
    for verb in [Verb::Take, Verb::Beat, Verb::Release] {
        for (place, claimed) in PLACES {
            for (own_shared, other_shared, request_shared) in
                (0..8).map(|bits| (bits & 1 > 0, bits & 2 > 0, bits & 4 > 0))
            {
                for own_moment in MOMENTS {
                    for other_moment in MOMENTS {
                        for own_came_first in [true, false] {
                            let own_name = if own_came_first { plain(ASKED) } else { beside(ASKED, "ada") };
                            let other_name =
                                if own_came_first && place == "same" { beside(claimed, "bob") } else { plain(claimed) };
                            let files = [
                                file(ASKED, "ada", own_shared, own_moment, own_name),
                                file(claimed, "bob", other_shared, other_moment, other_name),
                            ];
                            let row = format!(
                                "{verb:?} own {own_moment:?} {own_shared} {own_came_first}, {place} {other_moment:?} {other_shared}, {request_shared}"
                            );
                            answered(&files, &ask(verb, ASKED, request_shared), &row);
                            rows += 1;
                        }
                    }
                }
            }
        }
    }
    assert_eq!(rows, 3 * 4 * 8 * 6 * 6 * 2);
}
