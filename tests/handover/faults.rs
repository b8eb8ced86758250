//! A step that is killed, or that the system refuses, at each of its system calls: afterwards no note is lost, doubled or
//! half there, no path was printed for what is not so, and the next call goes on.
//!
//! The trace may lack the line of the step that was cut short; `tests/trace.rs` shows that the audit says so.

use std::{fs, path::Path};

use super::{add, next, path, standing};
use crate::support::{Outcome, Sandbox};

/// Every call with which a step changes something, proves it, or makes it last.
const CALLS: [&str; 10] =
    ["mkdirat", "fchmodat", "openat", "write", "fsync", "read", "renameat2", "renameat", "unlinkat", "flock"];

/// Does the step once with each fault in place of each call that it makes, from the same beginning, and lets `judge`
/// look at what came of it.
fn each_fault(sandbox: &Sandbox, arguments: &[&str], judge: impl Fn(&Outcome, &str)) {
    let before = sandbox.home().join("before");
    copy(&sandbox.place(), &before);
    let log = sandbox.home().join("strace");
    let mut tried = 0;
    for call in CALLS {
        for fault in ["signal=KILL", "error=EIO"] {
            // Killed before it only looks, a step has changed nothing that killing it elsewhere does not show.
            if fault == "signal=KILL" && ["openat", "read"].contains(&call) {
                continue;
            }
            for number in 1.. {
                fs::remove_dir_all(sandbox.place()).unwrap();
                copy(&before, &sandbox.place());
                let inject = format!("inject={call}:{fault}:when={number}");
                let strace = ["strace", "-f", "-qq", "-o", log.to_str().unwrap(), "-e", &inject];
                let outcome = sandbox.by("a", arguments).through(strace).outcome();
                let told = fs::read_to_string(&log).unwrap();
                if !told.contains("(INJECTED)") && !told.contains("+++ killed by SIGKILL") {
                    assert_eq!(outcome.exit, 0, "{outcome}");
                    break;
                }
                tried += 1;
                let what = format!("{arguments:?} with {inject}");
                assert!(outcome.exit == 0 || outcome.stdout.is_empty(), "{what}: {outcome}");
                assert!(outcome.exit == 0 || outcome.exit == 137 || !outcome.stderr.is_empty(), "{what}: {outcome}");
                judge(&outcome, &what);
            }
        }
    }
    assert!(tried > 20, "only {tried} faults were injected");
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let new = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &new);
        } else {
            fs::copy(entry.path(), new).unwrap();
        }
    }
}

/// Results beside the finished notes.
fn results(sandbox: &Sandbox) -> Vec<String> {
    let files = sandbox.files().into_iter().filter(|file| file.contains(".result."));
    files.map(|file| fs::read_to_string(sandbox.place().join(file)).unwrap()).collect()
}

#[test]
fn an_add_that_was_cut_short_is_done_by_the_next_one() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    add(&sandbox, "b", "t", "first");
    each_fault(&sandbox, &["handover", "add", "t", "second"], |outcome, what| {
        let (without, with) = (["first inbox"].to_vec(), ["first inbox", "second inbox"].to_vec());
        let found = standing(&sandbox);
        assert!(found == with || outcome.exit != 0 && found == without, "{what}: {found:?}");
        assert_eq!(fs::read_to_string(add(&sandbox, "a", "t", "second")).unwrap(), "second", "{what}");
        assert_eq!(standing(&sandbox), with, "{what}");
        for text in ["first", "second"] {
            let begun = sandbox.by("a", ["handover", "next", "t"]).outcome();
            assert_eq!(fs::read_to_string(path(&begun)).unwrap(), text, "{what}");
        }
    });
}

/// The first note of a target also makes its queue.
#[test]
fn a_first_add_that_was_cut_short_is_done_by_the_next_one() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    each_fault(&sandbox, &["handover", "add", "t", "text"], |outcome, what| {
        let found = standing(&sandbox);
        assert!(found == ["text inbox"] || outcome.exit != 0 && found.is_empty(), "{what}: {found:?}");
        // Half a queue is in nobody's way.
        for arguments in [&["handover", "list"][..], &["take", "t", "p"], &["status"]] {
            sandbox.by("a", arguments).stdout_any().check();
        }
        assert_eq!(fs::read_to_string(add(&sandbox, "a", "t", "text")).unwrap(), "text", "{what}");
        assert_eq!(standing(&sandbox), ["text inbox"], "{what}");
    });
}

#[test]
fn a_next_that_was_cut_short_loses_no_note_and_gives_none_twice() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    add(&sandbox, "b", "t", "first");
    add(&sandbox, "b", "t", "second");
    each_fault(&sandbox, &["handover", "next", "t"], |outcome, what| judge_next(&sandbox, outcome, what, "inbox"));
}

#[test]
fn a_next_of_what_a_lost_holder_left_is_no_different() {
    let sandbox = Sandbox::new();
    add(&sandbox, "b", "t", "first");
    add(&sandbox, "b", "t", "second");
    sandbox.take("lost", "t");
    next(&sandbox, "lost", "t");
    sandbox.by("lost", ["release", "t"]).stdout_any().check();
    sandbox.take("a", "t");
    each_fault(&sandbox, &["handover", "next", "t"], |outcome, what| judge_next(&sandbox, outcome, what, "claimed"));
}

fn judge_next(sandbox: &Sandbox, outcome: &Outcome, what: &str, first: &str) {
    let found = standing(sandbox);
    let untouched = [format!("first {first}"), "second inbox".to_owned()];
    let begun = ["first claimed", "second inbox"];
    assert!(found == begun || outcome.exit != 0 && found == untouched, "{what}: {found:?}");
    // Either it was not begun and is begun now; or it was, and the session is told of it.
    let mut seen = Vec::new();
    let mut told = String::new();
    for _ in 0..3 {
        let outcome = sandbox.by("a", ["handover", "next", "t"]).outcome();
        assert_eq!(outcome.exit, 0, "{what}: {outcome}");
        if !outcome.stdout.is_empty() {
            seen.push(fs::read_to_string(path(&outcome)).unwrap());
        }
        told = outcome.stderr;
    }
    assert!(seen == ["first", "second"] || seen == ["second"], "{what}: {seen:?}");
    assert!(["1", "2"].iter().all(|note| told.contains(&format!("you have begun note {note}: "))), "{what}: {told}");
    for note in ["1", "2"] {
        assert_eq!(sandbox.by("a", ["handover", "done", note, "ok"]).outcome().exit, 0, "{what}");
    }
    assert_eq!(standing(sandbox), ["first done", "second done"], "{what}");
}

#[test]
fn a_done_that_was_cut_short_is_done_by_the_next_one() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    add(&sandbox, "b", "t", "text");
    let begun = next(&sandbox, "a", "t");
    let begun = begun.to_str().unwrap();
    each_fault(&sandbox, &["handover", "done", begun, "ok"], |outcome, what| {
        let found = standing(&sandbox);
        let finished = found == ["text done"];
        assert!(finished || outcome.exit != 0 && found == ["text claimed"], "{what}: {found:?}");
        assert!(!finished || results(&sandbox) == ["ok"], "{what}: a finished note has its result");
        let again = sandbox.by("a", ["handover", "done", begun, "ok"]).outcome();
        assert_eq!((again.exit, standing(&sandbox)), (0, ["text done".to_owned()].to_vec()), "{what}: {again}");
        assert_eq!(results(&sandbox), ["ok"], "{what}");
    });
}

/// A device that loses bytes without a word: a write that says it wrote all and wrote nothing.
#[test]
fn no_path_is_printed_for_a_note_that_did_not_reach_the_disk() {
    let sandbox = Sandbox::new();
    add(&sandbox, "b", "t", "first");
    let lie = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=write:retval=6:when=1"];
    let run = sandbox.by("b", ["handover", "add", "t", "second"]).through(lie);
    run.exit(1).stderr_some().check();
    assert_eq!(standing(&sandbox), ["first inbox"]);
}
