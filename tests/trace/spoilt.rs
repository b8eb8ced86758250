//! What becomes of the trace when its file cannot be written, breaks off, or has grown: the change stands, the verb
//! says so, and the audit tells what is missing.

use std::{fs, os::unix::fs::symlink, path::Path};

use claim::core::trace::{self, Act, Line, Terms};
use predicates::prelude::*;

use crate::support::{Outcome, Run, Sandbox};

const WARNING: &str = "claim: the trace was not written: ";

/// A change of every kind, with the trace as it is: done, told, and warned of.
fn changes_stand(sandbox: &Sandbox, why: &str) {
    let warned = |run: Run<'_>| {
        let why = why.to_owned();
        let outcome = run.stdout_is(predicate::str::is_empty().not()).stderr_is(predicate::always()).check();
        assert!(outcome.stderr.starts_with(WARNING) && outcome.stderr.contains(&why), "{outcome}");
        assert_eq!(outcome.stderr.lines().count(), 1, "{outcome}");
    };
    warned(sandbox.by("a", ["take", "t", "p"]));
    assert_eq!(sandbox.claim("t")["holder"], "a");
    warned(sandbox.by("a", ["beat", "t"]));
    warned(sandbox.by("b", ["handover", "add", "t", "x"]));
    warned(sandbox.by("a", ["handover", "next", "t"]));
    warned(sandbox.by("a", ["handover", "done", "1"]));
    let answer = sandbox.by("a", ["take", "t", "p"]).json();
    assert_eq!(answer["outcome"], "renewed");
    assert!(answer["warnings"][0].as_str().unwrap().starts_with("the trace was not written: "));
    // A refusal is a refusal.
    let refused = sandbox.by("b", ["take", "t", "p"]).exit(75).stderr_is(predicate::str::contains(WARNING)).check();
    assert!(refused.stderr.starts_with("REFUSED: t is claimed by a ("), "{refused}");
    warned(sandbox.by("a", ["release", "t"]));
    assert!(sandbox.stems().is_empty());
}

#[test]
fn a_directory_in_place_of_the_trace_is_told_and_stops_nothing() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.place().join("trace.jsonl")).unwrap();
    changes_stand(&sandbox, "trace.jsonl is a directory, not a regular file");
    for verb in ["audit", "log"] {
        sandbox.run([verb]).exit(1).stderr_is(predicate::str::contains("trace.jsonl is a directory")).check();
    }
}

#[test]
fn a_link_in_place_of_the_trace_is_told_and_its_victim_is_untouched() {
    for victim in ["present", "absent"] {
        let sandbox = Sandbox::new();
        let target = sandbox.home().join(victim);
        if victim == "present" {
            fs::write(&target, "precious").unwrap();
        }
        fs::create_dir_all(sandbox.place()).unwrap();
        symlink(&target, sandbox.place().join("trace.jsonl")).unwrap();
        changes_stand(&sandbox, "trace.jsonl is a symbolic link, not a regular file");
        assert_eq!(fs::read_to_string(&target).ok().as_deref(), (victim == "present").then_some("precious"));
        sandbox.run(["audit"]).exit(1).stderr_is(predicate::str::contains("trace.jsonl is a symbolic link")).check();
    }
}

/// Runs under strace with a fault at the first write to the trace.
fn faulted(run: Run<'_>, sandbox: &Sandbox, fault: &str) -> Outcome {
    let trace = sandbox.place().join("trace.jsonl");
    let inject = format!("inject=write:{fault}:when=1");
    let strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-P", trace.to_str().unwrap(), "-e", &inject];
    run.through(strace).outcome()
}

/// The whole life of a claim; at `at` the trace line is lost in the way that `fault` says.
fn life_with_a_lost_line(at: usize, fault: &str) -> (Sandbox, Vec<String>) {
    let sandbox = Sandbox::new();
    sandbox.take("a", "before");
    let life: [(&str, &[&str]); 7] = [
        ("a", &["take", "t", "p"]),
        ("b", &["handover", "add", "t", "x"]),
        ("a", &["handover", "next", "t"]),
        ("a", &["handover", "done", "1"]),
        ("a", &["take", "t", "p", "--ttl", "1h"]),
        ("a", &["release", "t"]),
        ("a", &["take", "last", "p"]),
    ];
    for (number, (holder, arguments)) in life.iter().enumerate() {
        let run = sandbox.by(holder, *arguments);
        if number != at {
            run.stdout_any().check();
            continue;
        }
        let outcome = faulted(run, &sandbox, fault);
        match fault {
            "signal=KILL" => assert_eq!(outcome.exit, 137, "{outcome}"),
            _ => assert!(outcome.exit == 0 && outcome.stderr.starts_with(WARNING), "{outcome}"),
        }
    }
    let problems = sandbox.problems();
    (sandbox, problems)
}

/// The claims are right, whoever was killed when. The trace lacks the line, nobody can tell it from a change made by
/// hand, and the audit says what does not fit: in the next line that builds on it, or in the directory.
#[test]
fn a_change_whose_line_was_lost_stands_and_is_reported_by_the_audit() {
    let table: [(usize, &[&str]); 7] = [
        // Each later line speaks of a claim that the trace does not know.
        (0, &["not-held trace.jsonl:3"]),
        (1, &["note-unknown trace.jsonl:3"]),
        (2, &["note-not-started trace.jsonl:4"]),
        (3, &["wrong-note t"]),
        (4, &["wrong-terms trace.jsonl:6"]),
        (5, &["missing-claim t"]),
        (6, &["unexplained-claim last.json"]),
    ];
    for (at, expected) in table {
        for fault in ["signal=KILL", "error=ENOSPC", "error=EIO"] {
            let (sandbox, problems) = life_with_a_lost_line(at, fault);
            for problem in expected {
                assert!(problems.contains(&(*problem).to_owned()), "line {at} lost by {fault}: {problems:?}");
            }
            assert_eq!(sandbox.stems(), ["before", "last"], "line {at} lost by {fault}");
            // What follows is written and read as ever, and the loss stays known.
            sandbox.by("a", ["beat", "--all"]).stdout_any().check();
            assert!(!sandbox.problems().is_empty());
        }
    }
}

#[test]
fn a_line_that_breaks_off_is_reported_and_the_next_one_stands_by_itself() {
    // A place of its own for each, since the beat of one before would be missing from the trace that is cut.
    let fresh = || {
        let sandbox = Sandbox::new();
        sandbox.take("a", "t");
        sandbox.take("a", "u");
        let file = sandbox.place().join("trace.jsonl");
        let whole = fs::read(&file).unwrap();
        (sandbox, file, whole)
    };
    for place in [Ok(1), Ok(40), Err(3)] {
        let (sandbox, file, whole) = fresh();
        let second = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        let cut = place.map_or_else(|before_the_end: usize| whole.len() - before_the_end, |further| second + further);
        fs::write(&file, &whole[..cut]).unwrap();
        let broken = sandbox.problems();
        assert!(broken.contains(&"torn-line trace.jsonl:2".to_owned()), "{broken:?}");
        assert!(broken.contains(&"unexplained-claim u.json".to_owned()), "{broken:?}");
        sandbox.by("a", ["beat", "t"]).stdout_any().check();
        let text = fs::read_to_string(&file).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((lines.len(), lines[1].as_bytes()), (3, &whole[second..cut]), "the half line is left as it is");
        assert!(lines[2].contains(r#""trace_id":"2-"#) && lines[2].contains(r#""action":"beat""#), "{text}");
        assert_eq!(sandbox.problems(), broken, "no further problem comes of it");
        let logged = sandbox.run(["log"]).stdout_any().check();
        assert_eq!(logged.stdout.lines().count(), 2, "{logged}");
    }
    // Only the newline was lost: nothing is missing.
    let (sandbox, file, whole) = fresh();
    fs::write(&file, &whole[..whole.len() - 1]).unwrap();
    sandbox.audit();
    sandbox.by("a", ["take", "v", "p"]).stdout_any().check();
    sandbox.audit();
}

/// Lines as the program writes them, for as many bytes: `a` beats its claim on `t`, which was taken at the first of them.
fn long_history(bytes: usize, start: trace::TraceId, at: claim::core::time::Timestamp) -> String {
    let terms = Terms { ttl_s: 900, shared: false };
    let line = Line::beat(Act { ts: at, agent: "a", task: "t" }, 0, terms);
    let mut text = String::new();
    let mut previous = start;
    while text.len() < bytes {
        let next = trace::next(Some(&previous), &line);
        previous = trace::last_id(next.as_bytes()).unwrap();
        text.push_str(&next);
    }
    text
}

/// A place with a claim on `t` and a current trace of at least so many bytes.
fn grown(sandbox: &Sandbox, bytes: usize) {
    sandbox.take("a", "t");
    let file = sandbox.place().join("trace.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    let at = claim::core::time::Timestamp::parse(sandbox.claim("t")["heartbeat_at"].as_str().unwrap()).unwrap();
    let more = long_history(bytes, trace::last_id(text.as_bytes()).unwrap(), at);
    fs::write(&file, text + &more).unwrap();
}

const MEBIBYTE: usize = 1 << 20;

fn size(path: &Path) -> usize {
    fs::metadata(path).map_or(0, |file| usize::try_from(file.len()).unwrap())
}

#[test]
fn a_trace_that_has_grown_is_put_aside_and_goes_on_in_a_new_file() {
    let sandbox = Sandbox::new();
    grown(&sandbox, 4 * MEBIBYTE);
    let (current, aside) = (sandbox.place().join("trace.jsonl"), sandbox.place().join("trace.1.jsonl"));
    let before = fs::read(&current).unwrap();
    let lines = before.iter().filter(|byte| **byte == b'\n').count();
    sandbox.by("a", ["beat", "t"]).stdout_any().check();
    assert!(fs::read(&aside).unwrap() == before, "the old file is kept as it was");
    let trace = sandbox.trace();
    assert_eq!(trace.len(), 1);
    // The numbers go on, and the first line names the one before it.
    assert!(trace[0]["trace_id"].as_str().unwrap().starts_with(&format!("{}-", lines + 1)), "{}", trace[0]);
    let last: serde_json::Value =
        serde_json::from_slice(before[..before.len() - 1].rsplit(|byte| *byte == b'\n').next().unwrap()).unwrap();
    assert_eq!(trace[0]["continues"], last["trace_id"]);
    sandbox.by("a", ["release", "t"]).stdout_any().check();
    let answer = sandbox.audit();
    assert_eq!((&answer["files"], &answer["lines"]), (&2.into(), &(lines + 2).into()));
    // A line missing at the seam is missed.
    fs::write(&aside, &before[..before.len() - last.to_string().len()]).unwrap();
    assert!(sandbox.problems().iter().any(|problem| problem == "missing-lines trace.jsonl:1"));
}

#[test]
fn the_trace_cannot_grow_without_bound_and_what_is_left_of_it_is_still_checked() {
    let sandbox = Sandbox::new();
    for _ in 0..7 {
        let text = fs::read_to_string(sandbox.place().join("trace.jsonl")).unwrap_or_default();
        if text.is_empty() {
            grown(&sandbox, 4 * MEBIBYTE);
        } else {
            let at = claim::core::time::Timestamp::parse(sandbox.claim("t")["heartbeat_at"].as_str().unwrap()).unwrap();
            let more = long_history(4 * MEBIBYTE, trace::last_id(text.as_bytes()).unwrap(), at);
            fs::write(sandbox.place().join("trace.jsonl"), text + &more).unwrap();
        }
        sandbox.by("a", ["beat", "t"]).stdout_any().check();
    }
    let files: Vec<String> = sandbox.files().into_iter().filter(|file| file.starts_with("trace")).collect();
    let kept = ["trace.1.jsonl", "trace.2.jsonl", "trace.3.jsonl", "trace.4.jsonl", "trace.jsonl"];
    assert_eq!(files, kept);
    let total: usize = files.iter().map(|file| size(&sandbox.place().join(file))).sum();
    assert!(total < 25 * MEBIBYTE, "{total}");
    let answer = sandbox.audit();
    assert_eq!(answer["remarks"][0]["problem"], "begins-later", "that the beginning is gone is said, and no problem");
}

#[test]
fn a_file_larger_than_the_program_lets_it_grow_is_an_error_and_not_half_read() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    let file = fs::File::options().append(true).open(sandbox.place().join("trace.jsonl")).unwrap();
    file.set_len(65 << 20).unwrap();
    sandbox.run(["audit"]).exit(1).stderr_is(predicate::str::contains("far larger than claim lets it grow")).check();
}
