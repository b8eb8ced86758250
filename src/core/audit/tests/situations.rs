//! One small history for each thing that can be wrong, and for each that looks wrong and is right.

use super::{check, words, write};
use crate::core::audit::Record as Claim;
use crate::core::audit::{Directory, DirectoryEntry, Kind, NoteEntry, NoteState};
use crate::core::target::{PathStyle, Target};
use crate::core::time::Timestamp;
use crate::core::trace::{Act, Blocker, FaultKind, Line, Terms};

const OWN: Terms = Terms { ttl_s: 900, shared: false };
const SHARED: Terms = Terms { ttl_s: 900, shared: true };

fn act(ts: i64, agent: &'static str, task: &'static str) -> Act<'static> {
    Act { ts: Timestamp::from_seconds(ts), agent, task }
}

fn take(ts: i64, agent: &'static str, task: &'static str) -> Line {
    Line::claim(act(ts, agent, task), OWN, None)
}

fn share(ts: i64, agent: &'static str, task: &'static str) -> Line {
    Line::claim(act(ts, agent, task), SHARED, None)
}

fn beat(ts: i64, agent: &'static str, task: &'static str, idle_s: i64) -> Line {
    Line::beat(act(ts, agent, task), idle_s, OWN)
}

fn free(ts: i64, agent: &'static str, task: &'static str, idle_s: i64) -> Line {
    Line::release(act(ts, agent, task), idle_s, OWN)
}

fn skip(ts: i64, agent: &'static str, task: &'static str, holder: &str, idle_s: i64) -> Line {
    Line::skip(act(ts, agent, task), Blocker { holder, idle_s }, false)
}

fn broken(ts: i64, agent: &'static str, task: &'static str, holder: &str, idle_s: i64) -> Line {
    Line::break_for_take(act(ts, agent, task), Blocker { holder, idle_s }, OWN)
}

fn over(ts: i64, agent: &'static str, task: &'static str, from: &str) -> Line {
    Line::claim(act(ts, agent, task), OWN, Some(from))
}

/// The problems of a history, whatever is left on the disk.
fn problems(lines: &[Line]) -> Vec<&'static str> {
    let report = check(&write(lines, &[]), &Directory::default(), 100_000);
    words(&report).into_iter().filter(|word| *word != "missing-claim").collect()
}

#[test]
fn what_the_rules_allow_is_no_problem() {
    let histories: &[(&str, Vec<Line>)] = &[
        ("a full life", vec![take(0, "a", "x"), beat(5, "a", "x", 5), free(9, "a", "x", 4)]),
        ("a beat of a stale claim", vec![take(0, "a", "x"), beat(9000, "a", "x", 9000)]),
        ("two targets", vec![take(0, "a", "x"), take(0, "b", "y"), take(0, "b", "/x"), take(0, "c", "/y")]),
        ("neighbours", vec![take(0, "a", "/p/a"), take(0, "b", "/p/ab"), take(0, "c", "/p/a-b"), take(0, "d", "/p/b")]),
        ("own claims overlap", vec![take(0, "a", "/p"), take(0, "a", "/p/q"), take(0, "a", "/")]),
        ("shared by three", vec![share(0, "a", "/p"), share(0, "b", "/p"), share(0, "c", "/p/q")]),
        ("one spelling or another", vec![take(0, "a", "Shared Config"), free(1, "a", "shared/config", 1)]),
        ("refused", vec![take(0, "a", "x"), skip(900, "b", "x", "a", 900)]),
        (
            "refused above and below",
            vec![
                take(0, "a", "/p/q"),
                skip(1, "b", "/p", "a", 1),
                skip(1, "b", "/", "a", 1),
                skip(2, "b", "/p/q/r", "a", 2),
            ],
        ),
        ("a heartbeat ahead of the clock", vec![take(900, "a", "x"), skip(0, "b", "x", "a", -900)]),
        ("too far ahead", vec![take(901, "a", "x"), broken(0, "b", "x", "a", -901), over(0, "b", "x", "a")]),
        ("takeover", vec![take(0, "a", "x"), broken(901, "b", "x", "a", 901), over(901, "b", "x", "a")]),
        (
            "takeover of what lies below",
            vec![
                take(0, "a", "/p/q"),
                take(0, "c", "/p/r"),
                broken(901, "b", "/p/q", "a", 901),
                broken(901, "b", "/p/r", "c", 901),
                take(901, "b", "/p"),
            ],
        ),
        (
            "takeover of several on one target",
            vec![
                share(0, "a", "x"),
                share(0, "c", "x"),
                Line { shared: true, ..broken(901, "b", "x", "a", 901) },
                Line { shared: true, ..broken(901, "b", "x", "c", 901) },
                over(901, "b", "x", "a"),
            ],
        ),
        (
            "cleared, then claimed in the same second",
            vec![
                take(0, "a", "x"),
                Line::break_stale(act(901, "b", "x"), Blocker { holder: "a", idle_s: 901 }, OWN),
                take(901, "b", "x"),
            ],
        ),
        (
            "an unreadable file taken over",
            vec![
                skip(0, "b", "x", "unknown", 3),
                broken(901, "b", "x", "unknown", 901),
                over(901, "b", "x", "unknown"),
            ],
        ),
        ("a holder called unknown", vec![take(0, "unknown", "x"), skip(1, "b", "x", "unknown", 1)]),
        (
            "release of another's",
            vec![take(0, "a", "x"), Line::skip_release(act(9999, "b", "x"), Blocker { holder: "a", idle_s: 9999 })],
        ),
        (
            "waited",
            vec![
                take(0, "a", "x"),
                Line::wait(act(3, "b", "x"), Some(Blocker { holder: "a", idle_s: 3 }), false),
                free(9, "a", "x", 9),
                take(10, "b", "x").waited(7),
            ],
        ),
        (
            "waited while the clock went back",
            vec![Line::wait(act(500, "b", "x"), None, false), take(100, "b", "x").waited(0)],
        ),
        (
            "waited in vain",
            vec![Line::wait(act(3, "b", "x"), None, false), Line::skip_in_queue(act(5, "b", "x"), false, 2)],
        ),
        (
            "a note",
            vec![
                Line::handover(act(0, "b", "x"), 1),
                take(0, "a", "x"),
                Line::start(act(1, "a", "x"), 1, 1),
                Line::finish(act(2, "a", "x"), 1, 2),
            ],
        ),
        (
            "a note of the lost",
            vec![
                Line::handover(act(0, "b", "x"), 1),
                Line::handover(act(0, "b", "x"), 2),
                take(0, "a", "x"),
                Line::start(act(1, "a", "x"), 1, 1),
                broken(901, "b", "x", "a", 901),
                over(901, "b", "x", "a"),
                Line::start(act(902, "b", "x"), 1, 1),
                Line::finish(act(903, "b", "x"), 1, 2),
                Line::start(act(903, "b", "x"), 2, 2),
            ],
        ),
    ];
    for (name, lines) in histories {
        assert_eq!(problems(lines), Vec::<&str>::new(), "{name}");
    }
}

#[test]
fn each_broken_rule_has_its_word() {
    use Kind::*;
    let notes = |more: &[Line]| {
        let mut lines =
            vec![take(0, "a", "x"), Line::handover(act(0, "b", "x"), 1), Line::handover(act(0, "b", "x"), 2)];
        lines.extend_from_slice(more);
        lines
    };
    let (start, finish) =
        (|note| Line::start(act(0, "a", "x"), note, 0), |note| Line::finish(act(0, "a", "x"), note, 0));
    let histories: &[(Kind, Vec<Line>)] = &[
        (TwoHolders, vec![take(0, "a", "x"), take(900, "b", "x")]),
        (TwoHolders, vec![take(0, "a", "/p/q"), take(1, "b", "/p")]),
        (TwoHolders, vec![take(0, "a", "/"), share(1, "b", "/p")]),
        (TwoHolders, vec![share(0, "a", "x"), share(0, "b", "x"), Line::renew(act(1, "a", "x"), 1, OWN)]),
        (AlreadyHeld, vec![take(0, "a", "x"), take(1, "a", "x")]),
        (TakeoverTooEarly, vec![take(0, "a", "x"), broken(900, "b", "x", "a", 900), over(900, "b", "x", "a")]),
        (TakeoverTooEarly, vec![take(900, "a", "x"), broken(0, "b", "x", "a", -900), over(0, "b", "x", "a")]),
        (TakeoverTooEarly, vec![broken(0, "b", "x", "unknown", 900), over(0, "b", "x", "unknown")]),
        (TakeoverUnrecorded, vec![take(0, "a", "x"), take(901, "b", "x")]),
        (TakeoverUnfinished, vec![take(0, "a", "x"), broken(901, "b", "x", "a", 901)]),
        (TakeoverUnfinished, vec![take(0, "a", "x"), broken(901, "b", "x", "a", 901), take(901, "b", "y")]),
        (WrongTakenFrom, vec![take(0, "a", "x"), broken(901, "b", "x", "a", 901), take(901, "b", "x")]),
        (WrongTakenFrom, vec![over(901, "b", "x", "a")]),
        (
            WrongTakenFrom,
            vec![take(0, "a", "x"), Line::break_stale(act(901, "b", "x"), Blocker { holder: "c", idle_s: 901 }, OWN)],
        ),
        (WrongIdle, vec![take(0, "a", "x"), beat(5, "a", "x", 4)]),
        (WrongIdle, vec![take(0, "a", "x"), skip(5, "b", "x", "a", 6)]),
        (WrongTerms, vec![share(0, "a", "x"), beat(5, "a", "x", 5)]),
        (
            WrongTerms,
            vec![Line::claim(act(0, "a", "x"), Terms { ttl_s: 60, shared: false }, None), free(5, "a", "x", 5)],
        ),
        (NotHeld, vec![take(0, "a", "x"), beat(5, "b", "x", 5)]),
        (NotHeld, vec![take(0, "a", "x"), free(5, "a", "x", 5), free(6, "a", "x", 6)]),
        (
            NotHeld,
            vec![
                take(0, "a", "x"),
                broken(901, "b", "x", "a", 901),
                over(901, "b", "x", "a"),
                beat(902, "a", "x", 902),
            ],
        ),
        (Unfounded, vec![skip(5, "b", "x", "a", 5)]),
        (Unfounded, vec![take(0, "a", "x"), skip(901, "b", "x", "a", 901)]),
        (Unfounded, vec![take(0, "a", "/p/q"), skip(1, "b", "/p/r", "a", 1)]),
        (Unfounded, vec![take(0, "a", "x"), skip(1, "a", "x", "a", 1)]),
        (Unfounded, vec![share(0, "a", "x"), Line { shared: true, ..skip(1, "b", "x", "a", 1) }]),
        (Unfounded, vec![skip(0, "b", "x", "unknown", 901)]),
        (WrongWait, vec![take(9, "a", "x").waited(4)]),
        (WrongWait, vec![Line::wait(act(3, "a", "x"), None, false), take(9, "a", "x").waited(5)]),
        (DamagedClaim, vec![take(0, "a", "x"), skip(0, "b", "x", "unknown", 3)]),
        (NoteNumber, notes(&[Line::handover(act(0, "b", "x"), 4)])),
        (NoteNumber, notes(&[Line::handover(act(0, "b", "x"), 2)])),
        (NoteUnknown, notes(&[start(3)])),
        (NoteUnknown, notes(&[start(1), finish(1), finish(1)])),
        (NoteUnknown, notes(&[start(1), finish(1), start(1)])),
        (NoteOrder, notes(&[start(2)])),
        (NoteNotStarted, notes(&[finish(1)])),
        (NotHeld, vec![Line::handover(act(0, "b", "x"), 1), start(1)]),
        (Fault(FaultKind::WrongRule), vec![Line { rule: 5, ..take(0, "a", "x") }]),
        (Fault(FaultKind::WrongFields), vec![Line { note: Some(1), ..take(0, "a", "x") }]),
    ];
    for (kind, lines) in histories {
        assert_eq!(problems(lines), [kind.word()], "{lines:#?}");
    }
}

#[test]
fn each_difference_on_the_disk_has_its_word() {
    let lines = [take(0, "a", "x"), beat(5, "a", "x", 5), Line::handover(act(6, "b", "x"), 1)];
    let stem = Target::recorded("x", PathStyle::HERE).ok().unwrap().stem();
    let claim = Claim {
        target: "x".into(),
        holder: "a".into(),
        taken_at: Timestamp::from_seconds(0),
        heartbeat_at: Timestamp::from_seconds(5),
        taken_from: None,
        ttl_s: 900,
        shared: false,
    };
    let file = |claim: &Claim| DirectoryEntry { file: format!("{stem}.json"), claim: Some(claim.clone()) };
    let note = NoteEntry { stem: stem.clone(), number: 1, state: NoteState::Queued };
    let disk = |claims: Vec<DirectoryEntry>| Directory { claims, notes: Some(vec![note.clone()]) };
    let audited = |directory: &Directory| {
        let report = check(&write(&lines, &[]), directory, 10);
        assert_eq!((report.counts.held, report.counts.stale, report.counts.holders), (1, 0, 2));
        words(&report)
    };
    assert_eq!(audited(&disk(vec![file(&claim)])), Vec::<&str>::new());
    assert_eq!(audited(&disk(vec![])), ["missing-claim"]);
    assert_eq!(audited(&disk(vec![DirectoryEntry { claim: None, ..file(&claim) }])), ["unreadable-claim"]);
    let misnamed = DirectoryEntry { file: "y.json".into(), ..file(&claim) };
    assert_eq!(audited(&disk(vec![misnamed.clone()])), ["misplaced-claim"]);
    assert_eq!(audited(&disk(vec![file(&claim), file(&claim)])), ["misplaced-claim"]);
    let later = |seconds| Timestamp::from_seconds(seconds);
    for wrong in [
        Claim { taken_at: later(1), ..claim.clone() },
        Claim { heartbeat_at: later(6), ..claim.clone() },
        Claim { taken_from: Some("b".into()), ..claim.clone() },
        Claim { ttl_s: 60, ..claim.clone() },
    ] {
        assert_eq!(audited(&disk(vec![file(&wrong)])), ["wrong-claim"], "{wrong:?}");
    }
    let other = Claim { holder: "\u{1b}[2Jb".into(), ..claim.clone() };
    assert_eq!(audited(&disk(vec![file(&other)])), ["unexplained-claim", "missing-claim"]);
    let notes = |notes: &[NoteEntry]| Directory { notes: Some(notes.to_vec()), ..disk(vec![file(&claim)]) };
    assert_eq!(audited(&notes(&[])), ["missing-note"]);
    assert_eq!(audited(&notes(&[NoteEntry { state: NoteState::Finished, ..note.clone() }])), ["wrong-note"]);
    let more = NoteEntry { number: 2, ..note.clone() };
    assert_eq!(audited(&notes(&[note.clone(), more])), ["unexplained-note"]);
    let elsewhere = NoteEntry { stem: "y".into(), ..note.clone() };
    assert_eq!(audited(&notes(&[note.clone(), elsewhere])), ["unexplained-note"]);
    assert_eq!(audited(&Directory { notes: None, ..notes(&[]) }), Vec::<&str>::new());
    let hostile = Directory { notes: None, ..disk(vec![file(&other)]) };
    for finding in check(&write(&lines, &[]), &hostile, 10).findings {
        assert!(!finding.message.chars().chain(finding.file.chars()).any(char::is_control), "{finding:?}");
    }
}

#[test]
fn a_jump_of_the_clock_is_remarked_and_no_problem() {
    let lines = [take(5000, "a", "x"), beat(4990, "a", "x", -10), beat(4000, "a", "x", -990), free(4001, "a", "x", 1)];
    let report = check(&write(&lines, &[]), &Directory::default(), 4002);
    assert!(report.is_clean());
    let remarks: Vec<_> = report.remarks().map(|finding| (finding.kind, finding.line)).collect();
    assert_eq!(remarks, [(Kind::ClockWentBack, Some(3)), (Kind::AheadOfClock, Some(1))]);
}
