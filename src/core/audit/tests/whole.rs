//! True histories are clean, however they are cut into files and however much of the old ones is gone.

use std::fmt::Write as _;

use super::history::history;
use super::model::could_have_happened;
use super::{check, words, write};
use crate::core::audit::{Directory, Kind};
use crate::core::time::Timestamp;
use crate::core::trace::{self, Act, Action, Line, Terms};

#[test]
fn true_histories_are_clean_and_show_every_action() {
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..40 {
        let (lines, directory, now) = history(seed, 200);
        assert!(could_have_happened(&lines, &directory), "seed {seed}");
        seen.extend(lines.iter().map(|line| (line.action.word(), line.rule)));
        let report = check(&write(&lines, &[70, 71, 150]), &directory, now);
        assert!(report.is_clean(), "seed {seed}: {:#?}", report.findings);
        assert_eq!(report.counts.files, 4);
        assert_eq!(report.counts.held, u64::try_from(directory.claims.len()).unwrap());
    }
    let pairs =
        trace::rules::RULES.iter().flat_map(|rule| rule.actions.iter().map(|action| (action.word(), rule.number)));
    assert_eq!(seen, pairs.collect(), "the histories use every action under every rule that it may cite");
}

#[test]
fn what_is_gone_with_old_files_is_no_problem() {
    for seed in [3, 4, 5] {
        let (lines, directory, now) = history(seed, 200);
        for cut in 1..lines.len() {
            let written = write(&lines, &[cut]);
            let report = check(&written[cut..], &directory, now);
            assert!(report.is_clean(), "seed {seed}, cut {cut}: {:#?}", report.findings);
            assert!(report.remarks().any(|finding| finding.kind == Kind::BeginsLater));
        }
    }
}

#[test]
fn lines_gone_from_the_beginning_of_a_file_are_missed() {
    let (lines, directory, now) = history(6, 60);
    let written = write(&lines, &[20, 40]);
    for gone in 1..20 {
        assert!(words(&check(&written[gone..], &directory, now)).contains(&"missing-lines"));
        assert!(words(&check(&written[20 + gone..], &directory, now)).contains(&"missing-lines"));
    }
}

#[test]
fn a_trace_that_was_lost_is_missed_while_claims_exist() {
    let (lines, directory, now) = history(7, 200);
    assert!(!directory.claims.is_empty());
    let claims_only = Directory { notes: None, ..directory.clone() };
    let lost = check(&[], &claims_only, now);
    assert_eq!(words(&lost), vec!["unexplained-claim"; directory.claims.len()]);
    let anew = write(&lines[150..], &[]);
    assert!(!check(&anew, &directory, now).is_clean());
    assert!(check(&[], &Directory::default(), now).is_clean());
}

#[test]
fn a_torn_line_is_one_problem_and_the_chain_goes_on() {
    let (lines, directory, now) = history(8, 30);
    let written = write(&lines, &[]);
    for (position, (_, _, text)) in written.iter().enumerate() {
        for length in [0, 1, 30, text.len() / 2, text.len() - 1] {
            let mut torn = written.clone();
            torn.insert(position, ("trace.0".into(), 0, text[..length].to_owned()));
            let mut file = String::new();
            for (_, _, text) in &torn[..=position] {
                writeln!(file, "{text}").unwrap();
            }
            // As the appender sees the file: its last line has no newline.
            let previous = trace::last_id(file.trim_end_matches('\n').as_bytes());
            assert_eq!(trace::next(previous.as_ref(), &lines[position]).trim_end(), *text);
            assert_eq!(words(&check(&torn, &directory, now)), ["torn-line"], "{length} of {text}");
        }
    }
}

/// Ten thousand targets side by side in one tree, one of them above others, and five holders.
#[test]
fn a_long_trace_takes_work_in_proportion() {
    let mut lines = Vec::new();
    let terms = Terms { ttl_s: 900, shared: false };
    for round in 0..5_i64 {
        for place in 0..10_000_i64 {
            let task = format!("/srv/tree/{}/{place}", place % 100);
            let agent = format!("session-{}", place % 5);
            let ts = Timestamp::from_seconds(round * 50_000 + place);
            let act = Act { ts, agent: &agent, task: &task };
            lines.push(if round == 0 { Line::claim(act, terms, None) } else { Line::beat(act, 50_000, terms) });
        }
    }
    for place in (0..10_000_i64).rev() {
        let task = format!("/srv/tree/{}/{place}", place % 100);
        let agent = format!("session-{}", place % 5);
        for beats in [0, 7, 9, 11, 13] {
            let act = Act { ts: Timestamp::from_seconds(300_000 + beats), agent: &agent, task: &task };
            let idle_s = match beats {
                0 => 100_000 - place,
                7 => 7,
                _ => 2,
            };
            let last = beats == 13;
            lines.push(if last { Line::release(act, 2, terms) } else { Line::beat(act, idle_s, terms) });
        }
    }
    assert_eq!(lines.len(), 100_000);
    let written = write(&lines, &[20_000, 40_000, 60_000, 80_000]);
    let report = check(&written, &Directory::default(), 300_020);
    assert!(report.is_clean(), "{:?}", &report.findings[..3.min(report.findings.len())]);
    assert_eq!(report.counts.actions.get(Action::Beat.word()), Some(&80_000));
}

proptest::proptest! {
    /// Any lines in any order, from any files: an answer, and nothing accepted in silence that is out of order.
    #[test]
    fn a_heap_of_lines_gives_an_answer(picks in proptest::collection::vec((0_usize..120, 0_usize..4), 1..60)) {
        let (lines, directory, now) = history(9, 120);
        let written = write(&lines, &[30, 60, 90]);
        let heap: Vec<_> = picks.iter().map(|(pick, file)| {
            let (_, number, text) = &written[*pick];
            (format!("trace.{file}"), *number, text.clone())
        }).collect();
        let report = check(&heap, &directory, now);
        let in_order = picks.windows(2).all(|pair| pair[1].0 == pair[0].0 + 1);
        proptest::prop_assert!(!report.is_clean() || in_order);
    }
}
