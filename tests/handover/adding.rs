//! `handover add`: what travels is the path, and the path is said only once the file is there.

use std::fs;

use predicates::prelude::*;

use super::{add, next, path, standing};
use crate::support::{CLAIM, Sandbox, need};

/// The most bytes of a note: a mebibyte.
const LARGEST: usize = 1 << 20;

#[test]
fn a_note_comes_from_an_argument_a_file_or_standard_input() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.work().join("note.md"), "from a file\n").unwrap();
    let by = |arguments: &[&str]| sandbox.by("b", [&["handover", "add", "t"], arguments].concat());
    let outcomes = [
        by(&["from an argument"]).outcome(),
        by(&["--file", "note.md"]).outcome(),
        by(&[]).fed("from standard input"),
        by(&["--file", "-"]).fed("from standard input too"),
        by(&["--", "--file"]).outcome(),
    ];
    let texts = ["from an argument", "from a file\n", "from standard input", "from standard input too", "--file"];
    for ((outcome, text), number) in outcomes.iter().zip(texts).zip(1..) {
        assert_eq!((outcome.exit, &*outcome.stderr), (0, ""), "{outcome}");
        let path = path(outcome);
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(name.starts_with(&format!("{number:06}-b-")) && name.ends_with(".md"), "{name}");
        assert_eq!(path.parent().unwrap(), sandbox.place().join("handovers/t/inbox"));
    }
    // A note is no claim, and needs none.
    assert!(sandbox.stems().is_empty());
    sandbox.audit();
}

#[test]
fn the_json_answer_has_the_path_and_the_number() {
    let sandbox = Sandbox::new();
    for outcome in ["added", "already-added"] {
        let answer = sandbox.by("b", ["handover", "add", "t", "text"]).json();
        assert_eq!((&answer["outcome"], &answer["target"], &answer["note"]), (&outcome.into(), &"t".into(), &1.into()));
        assert_eq!(fs::read_to_string(answer["path"].as_str().unwrap()).unwrap(), "text");
    }
}

#[test]
fn any_bytes_are_kept_as_they_are_up_to_a_mebibyte() {
    let sandbox = Sandbox::new();
    let bytes: Vec<u8> = (0..=255_u8).cycle().take(LARGEST).collect();
    for bytes in [&bytes[..], b"\0", b"\xff\xfe\n\n", b"a\r\nb", b"no newline", b"\x1b[2J"] {
        let outcome = sandbox.by("b", ["handover", "add", "t"]).fed(bytes);
        assert!(fs::read(path(&outcome)).unwrap() == bytes, "{outcome}");
        fs::write(sandbox.work().join("note"), bytes).unwrap();
        let run = sandbox.by("c", ["handover", "add", "t", "--file", "note"]).stdout_any();
        assert!(fs::read(path(&run.check())).unwrap() == bytes);
    }
}

#[test]
fn more_than_a_mebibyte_is_a_usage_error_and_leaves_nothing() {
    let sandbox = Sandbox::new();
    let large = vec![b'x'; LARGEST + 1];
    fs::write(sandbox.work().join("note"), &large).unwrap();
    let fed = sandbox.by("b", ["handover", "add", "t"]).fed(&large);
    let read = sandbox.by("b", ["handover", "add", "t", "--file", "note"]).outcome();
    for outcome in [fed, read] {
        assert_eq!((outcome.exit, &*outcome.stdout), (2, ""), "{outcome}");
        assert!(outcome.stderr.contains("1048576 bytes"), "{outcome}");
    }
    // An endless stream ends as soon as it is too long.
    let line = format!("yes | {CLAIM} handover add t");
    let endless = sandbox.by("b", [""; 0]).through(["sh", "-c", &line]).outcome();
    assert_eq!((endless.exit, &*endless.stdout), (2, ""), "{endless}");
    assert!(sandbox.files().is_empty(), "{:?}", sandbox.files());
}

#[test]
fn nothing_to_say_is_a_usage_error() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.work().join("empty"), "").unwrap();
    let by = |arguments: &[&str]| sandbox.by("b", [&["handover", "add", "t"], arguments].concat());
    let empty = "claim: a note cannot be empty\n";
    for run in [by(&[""]), by(&[" \n\t"]), by(&["--file", "empty"]), by(&[])] {
        run.exit(2).stderr(empty).check();
    }
    // What is to be read cannot be said twice, and must be there.
    by(&["text", "--file", "empty"]).exit(2).stderr_some().check();
    by(&["--file", "absent"])
        .exit(1)
        .stderr("claim: cannot read absent: No such file or directory (os error 2)\n")
        .check();
    by(&["--file", "."]).exit(1).stderr_is(predicate::str::starts_with("claim: cannot read .: ")).check();
    for target in ["", "!!!", "a\nb"] {
        sandbox.by("b", ["handover", "add", target, "text"]).exit(2).stderr_some().check();
    }
    sandbox.run(["handover", "add", "t", "text"]).exit(1).stderr_is(predicate::str::contains("CLAIM_HOLDER")).check();
    assert!(sandbox.files().is_empty(), "{:?}", sandbox.files());
}

#[test]
fn a_terminal_is_not_waited_for() {
    need("script");
    let sandbox = Sandbox::new();
    let line = format!("{CLAIM} handover add t");
    let run = sandbox.by("b", [""; 0]).through(["sh", "-c", r#"exec script -qec "$0" /dev/null"#, &line]);
    let hint = "give the text as an argument, with --file, or on standard input";
    run.exit(2).stdout_is(predicate::str::contains(hint)).check();
    assert!(sandbox.files().is_empty());
}

#[test]
fn adding_again_gives_the_same_path() {
    let sandbox = Sandbox::new();
    let first = add(&sandbox, "b", "Shared Config", "text");
    assert_eq!(add(&sandbox, "b", "Shared Config", "text"), first);
    // The same target in another spelling.
    assert_eq!(add(&sandbox, "b", "shared/config", "text"), first);
    assert_eq!(standing(&sandbox), ["text inbox"]);
    // Another author, another text, another target: another note.
    let others = [
        add(&sandbox, "c", "shared-config", "text"),
        add(&sandbox, "b", "shared-config", "text\n"),
        add(&sandbox, "b", "other", "text"),
    ];
    assert!(!others.contains(&first));
    assert_eq!(standing(&sandbox), ["text\n inbox", "text inbox", "text inbox", "text inbox"]);
    assert_eq!(sandbox.acts().len(), 4, "adding again does nothing, and says nothing in the trace");

    // While it is being worked on the path is where it is now; once it is done the same text is new work.
    sandbox.take("a", "shared-config");
    let begun = next(&sandbox, "a", "shared-config");
    assert_eq!(add(&sandbox, "b", "shared-config", "text"), begun);
    sandbox.by("a", ["handover", "done", begun.to_str().unwrap()]).stdout_any().check();
    let anew = add(&sandbox, "b", "shared-config", "text");
    assert!(anew != first && anew.starts_with(sandbox.place().join("handovers/shared-config/inbox")));
    sandbox.audit();
}

/// The name has a hash of the text; what is promised is the text.
#[test]
fn a_note_that_was_changed_is_not_the_one_that_was_added() {
    let sandbox = Sandbox::new();
    let first = add(&sandbox, "b", "t", "text");
    for spoilt in ["", "text and more"] {
        fs::write(&first, spoilt).unwrap();
        let second = add(&sandbox, "b", "t", "text");
        assert_ne!(second, first);
        assert_eq!(fs::read_to_string(&second).unwrap(), "text");
        assert_eq!(fs::read_to_string(&first).unwrap(), spoilt, "nothing is rewritten");
        assert_eq!(add(&sandbox, "b", "t", "text"), second);
    }
}

#[test]
fn what_lies_about_beside_the_queues_hides_none_of_them() {
    let sandbox = Sandbox::new();
    add(&sandbox, "b", "t", "text");
    fs::write(sandbox.place().join("handovers/.DS_Store"), "x").unwrap();
    fs::write(sandbox.place().join("handovers/t/inbox/.DS_Store"), "x").unwrap();
    fs::create_dir(sandbox.place().join("handovers/empty")).unwrap();
    add(&sandbox, "b", "t", "more");
    let answer = sandbox.run(["handover", "list"]).json();
    assert_eq!(answer["notes"].as_array().unwrap().len(), 2);
    sandbox.audit();
}

#[test]
fn a_queue_of_another_target_or_through_a_link_is_an_error_and_untouched() {
    let sandbox = Sandbox::new();
    let queue = sandbox.place().join("handovers/t");
    add(&sandbox, "b", "t", "text");
    fs::write(queue.join("target"), "other\n").unwrap();
    let named = predicate::str::contains("handovers/t/target");
    sandbox.by("b", ["handover", "add", "t", "more"]).exit(1).stderr_is(named).check();
    assert_eq!(standing(&sandbox), ["text inbox"]);

    let victim = sandbox.home().join("victim");
    fs::create_dir(&victim).unwrap();
    for inside in ["handovers/u/inbox", "handovers/u", "handovers"] {
        fs::remove_dir_all(sandbox.place().join("handovers")).unwrap();
        let link = sandbox.place().join(inside);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&victim, &link).unwrap();
        let named = predicate::str::contains(link.to_str().unwrap().to_owned());
        sandbox.by("b", ["handover", "add", "u", "text"]).exit(1).stderr_is(named).check();
        assert_eq!(fs::read_dir(&victim).unwrap().count(), 0);
        fs::remove_file(&link).unwrap();
        fs::create_dir_all(sandbox.place().join("handovers")).unwrap();
    }
}
