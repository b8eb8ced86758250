//! Many processes at the queues at once: what is asserted is who got what and what is on the disk, never how fast.

use std::collections::BTreeSet;

use super::{add, next, notes, path, standing};
use crate::support::{Outcome, Run, Sandbox};

const ROUNDS: usize = 4;

/// The paths of those that got one.
fn got(outcomes: &[Outcome]) -> Vec<String> {
    let some = outcomes.iter().filter(|outcome| !outcome.stdout.is_empty());
    some.map(|outcome| path(outcome).to_str().unwrap().to_owned()).collect()
}

#[test]
fn no_two_processes_get_the_same_note() {
    for round in 0..ROUNDS {
        let sandbox = Sandbox::new();
        let texts: Vec<String> = (0..6).map(|number| format!("note {number}")).collect();
        for text in &texts {
            add(&sandbox, "b", "t", text);
        }
        // The sub-agents of one session, or the sessions that share the target.
        let workers: Vec<String> =
            (0..10).map(|number| format!("a{}", if round % 2 == 0 { 0 } else { number })).collect();
        for worker in &workers {
            sandbox.by(worker, ["take", "t", "p", "--shared"]).stdout_any().check();
        }
        let runs: Vec<Run<'_>> = workers.iter().map(|worker| sandbox.by(worker, ["handover", "next", "t"])).collect();
        let outcomes = sandbox.together(&runs);
        assert!(outcomes.iter().all(|outcome| outcome.exit == 0), "{outcomes:?}");
        let paths = got(&outcomes);
        assert_eq!(paths.len(), 6, "{outcomes:?}");
        assert_eq!(paths.iter().collect::<BTreeSet<_>>().len(), 6, "{outcomes:?}");
        assert_eq!(standing(&sandbox), texts.iter().map(|text| format!("{text} claimed")).collect::<Vec<_>>());
        sandbox.audit();
    }
}

#[test]
fn notes_added_at_once_all_get_there_under_their_own_number() {
    for _ in 0..ROUNDS {
        let sandbox = Sandbox::new();
        add(&sandbox, "b", "t", "before");
        let texts: Vec<String> = (0..10).map(|number| format!("note {number}")).collect();
        let runs: Vec<Run<'_>> = texts.iter().map(|text| sandbox.by("b", ["handover", "add", "t", text])).collect();
        let outcomes = sandbox.together(&runs);
        assert_eq!(got(&outcomes).into_iter().collect::<BTreeSet<_>>().len(), 10, "{outcomes:?}");
        for (outcome, text) in outcomes.iter().zip(&texts) {
            assert_eq!(std::fs::read_to_string(path(outcome)).unwrap(), *text);
        }
        let answer = sandbox.run(["handover", "list"]).json();
        let numbers: Vec<u64> =
            answer["notes"].as_array().unwrap().iter().map(|note| note["note"].as_u64().unwrap()).collect();
        assert_eq!(numbers, (1..=11).collect::<Vec<_>>());
        sandbox.audit();
    }
}

#[test]
fn the_same_note_added_at_once_is_there_once() {
    let sandbox = Sandbox::new();
    add(&sandbox, "b", "u", "before");
    let runs: Vec<Run<'_>> = (0..10).map(|_| sandbox.by("b", ["handover", "add", "t", "text"])).collect();
    let outcomes = sandbox.together(&runs);
    assert_eq!(got(&outcomes).into_iter().collect::<BTreeSet<_>>().len(), 1, "{outcomes:?}");
    assert_eq!(standing(&sandbox), ["before inbox", "text inbox"]);
    sandbox.audit();
}

#[test]
fn a_note_finished_at_once_by_many_is_finished_once() {
    let sandbox = Sandbox::new();
    add(&sandbox, "b", "t", "text");
    sandbox.take("a", "t");
    let begun = next(&sandbox, "a", "t");
    let results: Vec<String> = (0..6).map(|number| format!("result {number}")).collect();
    let finish = |result| sandbox.by("a", ["handover", "done", begun.to_str().unwrap(), result]);
    let runs: Vec<Run<'_>> = results.iter().map(|result| finish(result)).collect();
    let outcomes = sandbox.together(&runs);
    let winners: Vec<usize> = (0..6).filter(|number| outcomes[*number].exit == 0).collect();
    assert!(winners.len() == 1 && outcomes.iter().all(|outcome| [0, 1].contains(&outcome.exit)), "{outcomes:?}");
    let finished = path(&outcomes[winners[0]]);
    assert_eq!(std::fs::read_to_string(finished.with_extension("result.md")).unwrap(), results[winners[0]]);
    assert_eq!(standing(&sandbox), ["text done"]);
    sandbox.audit();
}

/// Everything at once: whoever gets through, no note is lost, doubled or in two hands, and the trace tells it all.
#[test]
fn adding_beginning_and_finishing_at_once_loses_nothing() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    let mut begun: Vec<String> = Vec::new();
    let mut expected = BTreeSet::new();
    for round in 0..6 {
        let texts: Vec<String> = (0..3).map(|number| format!("{round}-{number}")).collect();
        let mut runs: Vec<Run<'_>> = texts.iter().map(|text| sandbox.by("b", ["handover", "add", "t", text])).collect();
        runs.extend((0..3).map(|_| sandbox.by("a", ["handover", "next", "t"])));
        runs.extend(begun.drain(..).map(|note| sandbox.by("a", ["handover", "done", &note, "ok"])));
        runs.push(sandbox.by("c", ["handover", "next", "t"]));
        let outcomes = sandbox.together(&runs);
        expected.extend(texts);
        for (number, outcome) in outcomes.iter().enumerate() {
            let refused = number + 1 == outcomes.len();
            assert_eq!(outcome.exit, if refused { 75 } else { 0 }, "{outcome}");
        }
        begun = got(&outcomes[3..6]);
        assert_eq!(begun.iter().collect::<BTreeSet<_>>().len(), begun.len(), "{outcomes:?}");
    }
    let found = notes(&sandbox);
    assert_eq!(found.len(), expected.len(), "{found:?}");
    assert_eq!(found.into_iter().map(|(_, text)| text).collect::<BTreeSet<_>>(), expected);
    sandbox.audit();
}
