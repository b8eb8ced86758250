//! `handover list`: what waits, what was begun, and with `--all` what was done.

use std::fs;

use serde_json::Value;

use super::{add, next};
use crate::support::Sandbox;

/// A place with a note in each state.
fn worked() -> Sandbox {
    let sandbox = Sandbox::new();
    for text in ["\n  \nfinished\nsecond line", "begun", "waiting"] {
        add(&sandbox, "session b", "t", text);
    }
    add(&sandbox, "c", "other", "elsewhere");
    sandbox.take("a", "t");
    let done = next(&sandbox, "a", "t");
    sandbox.by("a", ["handover", "done", done.to_str().unwrap()]).stdout_any().check();
    next(&sandbox, "a", "t");
    sandbox
}

fn rows(sandbox: &Sandbox, arguments: &[&str]) -> Vec<Vec<String>> {
    let answer = sandbox.by("a", [&["handover", "list"], arguments].concat()).json();
    assert_eq!(answer["outcome"], "listed");
    let text = |note: &Value, key: &str| note[key].as_str().map_or_else(|| note[key].to_string(), str::to_owned);
    let row = |note: &Value| {
        assert_eq!(note["path"].as_str().map(|path| fs::exists(path).unwrap()), Some(true));
        assert!((0..60).contains(&note["age_s"].as_i64().unwrap()));
        ["note", "target", "from", "state", "yours", "first_line"].map(|key| text(note, key)).to_vec()
    };
    answer["notes"].as_array().unwrap().iter().map(row).collect()
}

#[test]
fn the_open_notes_are_listed_and_the_finished_ones_with_all() {
    let sandbox = worked();
    let begun = ["2", "t", "session-b", "begun", "true", "begun"];
    let waiting = ["3", "t", "session-b", "waiting", "false", "waiting"];
    let finished = ["1", "t", "session-b", "done", "false", "finished"];
    let other = ["1", "other", "c", "waiting", "false", "elsewhere"];
    assert_eq!(rows(&sandbox, &[]), [&other[..], &begun, &waiting]);
    assert_eq!(rows(&sandbox, &["--all"]), [&other[..], &begun, &waiting, &finished]);
    assert_eq!(rows(&sandbox, &["T"]), [&begun[..], &waiting]);
    assert_eq!(rows(&sandbox, &["t", "--all"]), [&begun[..], &waiting, &finished]);
    assert!(rows(&sandbox, &["nothing"]).is_empty());
    sandbox.audit();
}

#[test]
fn the_table_is_for_people() {
    let sandbox = worked();
    let table = sandbox.by("a", ["handover", "list", "t", "--all"]).stdout_any().check().stdout;
    let ages = regex::Regex::new(r" +\d+s +").unwrap();
    assert_eq!(
        ages.replace_all(&table, " AGE "),
        "NOTE  TARGET  FROM       AGE  STATE         TEXT\n\
         2     t       session-b AGE begun by you  begun\n\
         3     t       session-b AGE waiting       waiting\n\
         1     t       session-b AGE done          finished\n"
    );
    let others = sandbox.by("b", ["handover", "list", "t"]).stdout_any().check();
    assert!(others.stdout.contains("  begun    begun\n"), "{others}");
    sandbox.run(["handover", "list", "nothing"]).stdout("No notes wait on nothing in [DIR].\n").check();
    let empty = Sandbox::new();
    empty.run(["handover", "list"]).stdout("No notes wait in [DIR].\n").check();
    assert!(empty.files().is_empty());
}

#[test]
fn a_list_asked_of_a_tree_has_what_is_inside_and_around_it() {
    let sandbox = Sandbox::new();
    let at = |path: &str| sandbox.home().join(path).to_str().unwrap().to_owned();
    for path in ["tree", "tree/a", "tree/a/b", "tree-2", "other"] {
        add(&sandbox, "b", &at(path), path);
    }
    let listed = |path: &str| {
        let rows = rows(&sandbox, &[&at(path)]);
        rows.into_iter().map(|row| row[5].clone()).collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(listed("tree/a"), ["tree", "tree/a", "tree/a/b"].map(str::to_owned).into());
    assert_eq!(listed("tree/a/b/c"), ["tree", "tree/a", "tree/a/b"].map(str::to_owned).into());
    assert_eq!(listed("tree-2"), ["tree-2".to_owned()].into());
}

/// What a note says is for the file; on a terminal it is one line without anything that moves the cursor.
#[test]
fn no_control_character_of_a_note_reaches_the_terminal() {
    let sandbox = Sandbox::new();
    let texts =
        ["\u{1b}[2Jgone", "a\tb\rc", "\u{9b}31m", "\u{202e}txt.exe", "\u{7}\u{8}", "bad \u{0}", &"long ".repeat(300)];
    for text in texts {
        sandbox.by("b", ["handover", "add", "t"]).fed(text);
    }
    sandbox.by("b", ["handover", "add", "t"]).fed(b"\xff\xfe\x1b[2J");
    // Nor of a file's name that somebody else made.
    let name = "000099-\u{1b}[2J-0123456789abcdef-0123456789abcdef.md";
    fs::write(sandbox.place().join("handovers/t/inbox").join(name), "text").unwrap();
    sandbox.take("a", "t");
    for arguments in [&["handover", "list"][..], &["take", "t", "p"], &["status"], &["log"], &["release", "t"]] {
        let outcome = sandbox.by("a", arguments).stdout_any().check();
        let hidden = |c: char| c != '\n' && (c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c));
        assert!(!outcome.stdout.contains(hidden), "{:?}", outcome.stdout);
        assert!(outcome.stdout.lines().all(|line| line.chars().count() <= 200), "{outcome}");
    }
    // JSON has them as they are, escaped.
    let first = rows(&sandbox, &[]).into_iter().map(|row| row[5].clone()).collect::<Vec<_>>();
    assert_eq!(first[..4], ["\u{1b}[2Jgone", "a\tb\rc", "\u{9b}31m", "\u{202e}txt.exe"]);
}
