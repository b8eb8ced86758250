//! `handover next` and `done`: only the holder of the target works its notes, oldest first, and nothing is lost.

use std::{
    fs,
    path::{Path, PathBuf},
};

use predicates::prelude::*;

use super::{add, next, standing};
use crate::support::{Run, Sandbox};

fn done<'a>(sandbox: &'a Sandbox, holder: &str, note: &str, result: &str) -> Run<'a> {
    sandbox.by(holder, ["handover", "done", note, result])
}

/// The result beside a finished note.
fn result_of(note: &Path) -> PathBuf {
    note.with_extension("result.md")
}

#[test]
fn notes_are_worked_oldest_first_by_the_holder_of_the_target() {
    let sandbox = Sandbox::new();
    for text in ["first", "second", "third"] {
        add(&sandbox, "b", "t", text);
    }
    sandbox.take("a", "t");
    for (text, number) in ["first", "second", "third"].into_iter().zip(1..) {
        let answer = sandbox.by("a", ["handover", "next", "t"]).json();
        assert_eq!((&answer["outcome"], &answer["note"]), (&"started".into(), &number.into()));
        let begun = answer["path"].as_str().unwrap();
        assert_eq!(fs::read_to_string(begun).unwrap(), text);
        assert!(begun.starts_with(sandbox.place().join("handovers/t/claimed").to_str().unwrap()));

        let answer = done(&sandbox, "a", begun, &format!("did the {text}")).json();
        assert_eq!((&answer["outcome"], &answer["note"]), (&"finished".into(), &number.into()));
        let finished = PathBuf::from(answer["path"].as_str().unwrap());
        assert_eq!(finished.parent().unwrap(), sandbox.place().join("handovers/t/done"));
        assert_eq!(fs::read_to_string(&finished).unwrap(), text);
        assert_eq!(fs::read_to_string(result_of(&finished)).unwrap(), format!("did the {text}"));
    }
    // An empty queue is an answer, and a script that reads the path reads none.
    sandbox.by("a", ["handover", "next", "t"]).stderr("No notes wait on t.\n").check();
    assert_eq!(standing(&sandbox), ["first done", "second done", "third done"]);
    assert_eq!(sandbox.acts()[4..6], ["a start t claim#8", "a finish t claim#8"]);
    sandbox.audit();
}

#[test]
fn without_the_claim_no_note_is_begun() {
    let sandbox = Sandbox::new();
    let not_held = "NOT HELD: a has no claim on t.\n  to claim it: claim take t 'purpose'\n";
    sandbox.by("a", ["handover", "next", "t"]).exit(3).stderr(not_held).check();
    add(&sandbox, "b", "t", "text");
    sandbox.by("a", ["handover", "next", "t"]).exit(3).stderr(not_held).check();
    // A claim on something else is none on this.
    sandbox.take("a", "other");
    sandbox.by("a", ["handover", "next", "t"]).exit(3).stderr(not_held).check();

    sandbox.take("c", "t");
    let refused = predicate::str::starts_with("REFUSED: t is claimed by c (");
    sandbox.by("a", ["handover", "next", "t"]).exit(75).stderr_is(refused).check();
    let line = sandbox.trace().pop().unwrap();
    assert_eq!(
        ["agent", "action", "task", "rule", "held_by"].map(|key| &line[key]),
        ["a", "skip", "t", "claim#8", "c"]
    );
    assert_eq!(standing(&sandbox), ["text inbox"]);
    sandbox.audit();
}

#[test]
fn what_a_lost_holder_left_comes_first() {
    let sandbox = Sandbox::new();
    for text in ["first", "second", "third"] {
        add(&sandbox, "b", "t", text);
    }
    sandbox.take("a", "t");
    let done_by_a = next(&sandbox, "a", "t");
    done(&sandbox, "a", done_by_a.to_str().unwrap(), "ok").stdout_any().check();
    next(&sandbox, "a", "t");
    sandbox.by("a", ["release", "t"]).stdout_any().check();

    sandbox.take("c", "t");
    for text in ["second", "third"] {
        let begun = next(&sandbox, "c", "t");
        assert_eq!(fs::read_to_string(&begun).unwrap(), text);
        done(&sandbox, "c", begun.to_str().unwrap(), "ok").stdout_any().check();
    }
    sandbox.audit();
}

#[test]
fn who_shares_the_target_and_is_at_work_has_not_left_its_note() {
    let sandbox = Sandbox::new();
    let tree = sandbox.home().join("tree");
    let (tree, file) = (tree.to_str().unwrap(), format!("{}/file", tree.display()));
    for text in ["first", "second", "third"] {
        add(&sandbox, "b", &file, text);
    }
    let share = |holder: &str, target: &str| {
        sandbox.by(holder, ["take", target, "p", "--shared"]).stdout_any().check();
    };
    share("a", &file);
    share("c", &file);
    assert_eq!(fs::read_to_string(next(&sandbox, "a", &file)).unwrap(), "first");
    let second = next(&sandbox, "c", &file);
    assert_eq!(fs::read_to_string(&second).unwrap(), "second");
    done(&sandbox, "c", second.to_str().unwrap(), "ok").stdout_any().check();
    // Who has gone from the target has left its note, also when it is still at work in the tree around it.
    share("a", tree);
    sandbox.by("a", ["release", &file]).stdout_any().check();
    let left = next(&sandbox, "c", &file);
    assert_eq!(fs::read_to_string(&left).unwrap(), "first");
    sandbox.audit();
}

/// The promise in one scene: whatever the slow session tries, it is told, and no byte changes.
#[test]
fn a_slow_session_that_lost_its_claim_can_neither_finish_nor_overwrite() {
    let sandbox = Sandbox::new();
    add(&sandbox, "b", "t", "text");
    add(&sandbox, "b", "t", "more");
    sandbox.take("slow", "t");
    let begun = next(&sandbox, "slow", "t");
    let begun = begun.to_str().unwrap();
    sandbox.age("t", 901);
    sandbox.take("fast", "t");

    let harmless = |code: i32, first: &str| {
        let files = || sandbox.files().into_iter().filter(|file| sandbox.place().join(file).is_file()).collect();
        let before: Vec<String> = files();
        let bytes: Vec<Vec<u8>> = before.iter().map(|file| fs::read(sandbox.place().join(file)).unwrap()).collect();
        for arguments in [&["done", begun, "mine"][..], &["done", begun], &["done", "1", "mine"], &["next", "t"]] {
            let run = sandbox.by("slow", [&["handover"], arguments].concat()).exit(code);
            run.stderr_is(predicate::str::starts_with(first.to_owned())).check();
        }
        assert_eq!(files(), before);
        for (file, bytes) in before.iter().zip(bytes).filter(|(file, _)| !file.starts_with("trace")) {
            assert_eq!(fs::read(sandbox.place().join(file)).unwrap(), bytes, "{file}");
        }
    };
    let refused = "REFUSED: t is claimed by fast (heartbeat ";
    harmless(75, refused);
    let taken = next(&sandbox, "fast", "t");
    assert_eq!(fs::read_to_string(&taken).unwrap(), "text");
    harmless(75, refused);
    done(&sandbox, "fast", taken.to_str().unwrap(), "ours").stdout_any().check();
    harmless(75, refused);
    let told = sandbox.by("slow", ["handover", "done", begun]).exit(75).stderr_some().check().stderr;
    assert!(told.contains("it was yours: fast took it over "), "{told}");
    sandbox.by("fast", ["release", "t"]).stdout_any().check();
    harmless(3, "NOT HELD: slow has no claim on t.\n");
    assert_eq!(standing(&sandbox), ["more inbox", "text done"]);
}

#[test]
fn a_note_is_finished_by_its_path_its_name_or_its_number_with_any_result() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.work().join("result"), b"\xff\n").unwrap();
    sandbox.take("a", "t");
    let finish = |text: &str, name: &dyn Fn(&Path) -> String, result: &[&str], expected: &[u8]| {
        add(&sandbox, "b", "t", text);
        let begun = next(&sandbox, "a", "t");
        let outcome = sandbox.by("a", [&["handover", "done", &name(&begun)], result].concat()).stdout_any().check();
        let found = fs::read(result_of(&super::path(&outcome))).unwrap();
        assert_eq!(found, expected, "{}", String::from_utf8_lossy(&found));
        assert!(!begun.exists());
    };
    let path = |path: &Path| path.to_str().unwrap().to_owned();
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    finish("1", &path, &["a result"], b"a result");
    finish("2", &name, &["--file", "result"], b"\xff\n");
    finish("3", &|_| "3".to_owned(), &[""], b"");
    // As it was printed when it was added.
    finish("4", &|begun| path(begun).replace("/claimed/", "/inbox/").replace("@af63dc4c8601ec8c", ""), &["x"], b"x");
    // There is a result beside every finished note, also when there was nothing to say.
    add(&sandbox, "b", "t", "5");
    let begun = next(&sandbox, "a", "t");
    let outcome = sandbox.by("a", ["handover", "done", &path(&begun)]).stdout_any().check();
    assert!(fs::read_to_string(result_of(&super::path(&outcome))).unwrap().starts_with("finished by a at "));
    sandbox.audit();
}

#[test]
fn a_result_that_cannot_be_had_leaves_the_note_begun() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.work().join("large"), vec![b'x'; (1 << 20) + 1]).unwrap();
    add(&sandbox, "b", "t", "text");
    sandbox.take("a", "t");
    next(&sandbox, "a", "t");
    let done = |arguments: &[&str]| sandbox.by("a", [&["handover", "done", "1"], arguments].concat());
    done(&["--file", "large"]).exit(2).stderr("claim: large has more than 1048576 bytes\n").check();
    done(&["--file", "absent"]).exit(1).stderr_some().check();
    done(&["x", "--file", "large"]).exit(2).stderr_some().check();
    assert_eq!(standing(&sandbox), ["text claimed"]);
}

#[test]
fn only_a_note_that_was_begun_can_be_finished() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    for name in ["1", "x", "", "/etc/passwd", "000001-b-0000000000000000-0000000000000000.md"] {
        let message = format!("claim: no note is called {name}: claim handover list names them\n");
        sandbox.by("a", ["handover", "done", name]).exit(1).stderr(message).check();
    }
    let waiting = add(&sandbox, "b", "t", "text");
    for name in ["1", waiting.to_str().unwrap()] {
        let message = "claim: note 1 of t was not begun: claim handover next t\n";
        sandbox.by("a", ["handover", "done", name]).exit(1).stderr(message).check();
    }
    assert_eq!(standing(&sandbox), ["text inbox"]);

    // One number may be that of several notes; those that were begun come first.
    add(&sandbox, "b", "u", "text");
    add(&sandbox, "b", "v", "text");
    sandbox.take("a", "u");
    sandbox.take("a", "v");
    next(&sandbox, "a", "u");
    let v = next(&sandbox, "a", "v");
    let several = "claim: several notes are called 1: give the path\n";
    sandbox.by("a", ["handover", "done", "1"]).exit(2).stderr(several).check();
    sandbox.by("a", ["handover", "done", v.to_str().unwrap()]).stdout_any().check();
    let finished = sandbox.by("a", ["handover", "done", "1"]).stdout_any().check();
    assert!(finished.stdout.contains("/handovers/u/done/"), "{finished}");
    sandbox.audit();
}

#[test]
fn a_note_of_another_who_shares_the_target_is_not_mine_to_finish() {
    let sandbox = Sandbox::new();
    add(&sandbox, "b", "t", "text");
    for holder in ["a", "c"] {
        sandbox.by(holder, ["take", "t", "p", "--shared"]).stdout_any().check();
    }
    let begun = next(&sandbox, "a", "t");
    let message = "claim: another session works on note 1 of t\n";
    sandbox.by("c", ["handover", "done", begun.to_str().unwrap()]).exit(1).stderr(message).check();
    assert_eq!(standing(&sandbox), ["text claimed"]);
    sandbox.audit();
}

#[test]
fn finishing_again_is_the_same_answer_and_another_result_is_an_error() {
    let sandbox = Sandbox::new();
    add(&sandbox, "b", "t", "text");
    sandbox.take("a", "t");
    let begun = next(&sandbox, "a", "t");
    let begun = begun.to_str().unwrap();
    let first = done(&sandbox, "a", begun, "ok").stdout_any().check();
    assert_eq!(done(&sandbox, "a", begun, "ok").stdout_any().check().stdout, first.stdout);
    let again = sandbox.by("a", ["handover", "done", begun]).json();
    assert_eq!(again["outcome"], "already-finished");
    let finished = first.stdout.trim_end();
    let message = format!("claim: note 1 of t is finished, with another result: {finished}\n");
    done(&sandbox, "a", begun, "other").exit(1).stderr(message).check();
    assert_eq!(fs::read_to_string(result_of(Path::new(finished))).unwrap(), "ok");
    assert_eq!(sandbox.acts().iter().filter(|act| act.contains("finish")).count(), 1);
    sandbox.audit();
}

/// The result is written before the note moves. Who was killed in between leaves its result, which nobody rewrites, and
/// the next holder finishes all the same.
#[test]
fn the_result_of_an_attempt_that_was_cut_short_stays_beside_the_new_one() {
    let sandbox = Sandbox::new();
    add(&sandbox, "b", "t", "text");
    sandbox.take("a", "t");
    let begun = next(&sandbox, "a", "t");
    let killed = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=renameat:signal=KILL:when=1"];
    done(&sandbox, "a", begun.to_str().unwrap(), "half").through(killed).exit(137).check();
    assert_eq!(standing(&sandbox), ["text claimed"]);
    sandbox.by("a", ["release", "t"]).stdout_any().check();

    sandbox.take("c", "t");
    let begun = next(&sandbox, "c", "t");
    let finished = super::path(&done(&sandbox, "c", begun.to_str().unwrap(), "whole").stdout_any().check());
    assert_eq!(fs::read_to_string(result_of(&finished)).unwrap(), "half");
    assert_eq!(fs::read_to_string(finished.with_extension("result.2.md")).unwrap(), "whole");
    // That it is finished with this very result is known by either name.
    done(&sandbox, "c", begun.to_str().unwrap(), "whole").stdout_any().check();
    sandbox.audit();
}

#[test]
fn what_was_begun_and_not_finished_is_called_to_mind() {
    let sandbox = Sandbox::new();
    add(&sandbox, "b", "t", "first");
    add(&sandbox, "b", "t", "second");
    sandbox.take("a", "t");
    let first = next(&sandbox, "a", "t");
    let reminder = format!("  you have begun note 1: claim handover done {}\n", first.display());
    let second = sandbox.by("a", ["handover", "next", "t"]).stdout_any().stderr(reminder.clone()).check();
    let second = super::path(&second);
    assert_eq!(fs::read_to_string(&second).unwrap(), "second");
    done(&sandbox, "a", "2", "ok").stdout_any().check();
    sandbox.by("a", ["handover", "next", "t"]).stderr(format!("No notes wait on t.\n{reminder}")).check();
    let answer = sandbox.by("a", ["handover", "next", "t"]).json();
    assert_eq!((&answer["outcome"], &answer["begun"][0]), (&"empty".into(), &first.to_str().unwrap().into()));
    sandbox.audit();
}

#[test]
fn what_stands_in_the_way_of_a_note_is_never_replaced() {
    let sandbox = Sandbox::new();
    let waiting = add(&sandbox, "b", "t", "text");
    sandbox.take("a", "t");
    next(&sandbox, "a", "t");
    let name = waiting.file_name().unwrap();
    let in_the_way = sandbox.place().join("handovers/t/done").join(name);
    fs::create_dir_all(in_the_way.parent().unwrap()).unwrap();
    fs::write(&in_the_way, "precious").unwrap();
    let named = predicate::str::contains(in_the_way.to_str().unwrap().to_owned());
    sandbox.by("a", ["handover", "done", "1", "ok"]).exit(1).stderr_is(named).check();
    assert_eq!(fs::read_to_string(&in_the_way).unwrap(), "precious");
    assert_eq!(standing(&sandbox), ["precious done", "text claimed"]);
}

#[test]
fn a_link_or_a_pipe_under_a_notes_name_is_given_to_nobody_and_hides_no_other_note() {
    let sandbox = Sandbox::new();
    let note = add(&sandbox, "b", "t", "one");
    let name = Path::new(&note).file_name().unwrap().to_str().unwrap().replace("000001", "000000");
    let planted = sandbox.place().join("handovers/t/inbox").join(name);
    fs::write(sandbox.work().join("victim"), "secret").unwrap();
    std::os::unix::fs::symlink(sandbox.work().join("victim"), &planted).unwrap();
    sandbox.take("a", "t");
    let answer = sandbox.by("a", ["handover", "next", "t"]).exit(1).json();
    assert_eq!(answer["error"], "not-regular");
    assert!(planted.is_symlink());
    let listed = sandbox.by("a", ["handover", "list"]).exit(1).json();
    assert_eq!(listed["notes"].as_array().unwrap().len(), 1);
    fs::remove_file(planted).unwrap();
    next(&sandbox, "a", "t");
}
