//! Which spellings are one target, which are none, and that no target reaches outside the place.

use std::{
    ffi::OsStr,
    fs,
    os::unix::{ffi::OsStrExt as _, fs::symlink},
};

use predicates::prelude::*;

use crate::support::{Sandbox, record};

#[test]
fn names_with_one_slug_are_one_target() {
    for spellings in [
        &["shared-config", "Shared Config", "shared/config", "shared.config", "SHARED_CONFIG!", " shared  config "][..],
        &["a b", "a-b", "A b!", "a/b", "a//b"],
        &["team/config", "team/../config", "team config"],
        &["Łódź", "lodz"],
    ] {
        for first in spellings {
            let sandbox = Sandbox::new();
            sandbox.take("a", first);
            for second in spellings {
                // Never treated as free, and the holder's own claim under every spelling.
                let refused = format!("REFUSED: {first} is claimed by a (");
                sandbox.by("b", ["take", second, "why"]).exit(75).stderr_has(&refused).check();
                sandbox.by("a", ["beat", second]).stdout_any().check();
            }
            assert_eq!(sandbox.stems().len(), 1, "{first}");
        }
    }
    let sandbox = Sandbox::new();
    sandbox.take("a", "Shared Config");
    assert_eq!(sandbox.stems(), ["shared-config"], "the stem of a name is its slug");
    assert_eq!(sandbox.claim("shared-config")["target"], "Shared Config", "and the claim says what was typed");
}

#[test]
fn a_claim_file_that_names_another_target_is_an_error_and_is_not_touched() {
    let sandbox = Sandbox::new();
    for (age, target) in [(0, "other"), (901, "other"), (0, "/t"), (0, "...")] {
        let bytes = record(target, "a", age).to_string();
        sandbox.write("t", &bytes);
        for holder in ["a", "b"] {
            for verb in [&["take", "t", "why"][..], &["beat", "t"], &["release", "t"]] {
                sandbox.by(holder, verb).exit(1).stderr_has("/claims/t.json").check();
                assert_eq!(sandbox.bytes("t"), bytes.as_bytes(), "{verb:?}");
            }
        }
        sandbox.run(["status"]).stdout_has("t.json").check();
    }
}

#[test]
fn two_paths_with_one_slug_are_two_targets() {
    let sandbox = Sandbox::new();
    for (holder, target) in
        [("a", "./x-y"), ("b", "./x y"), ("c", "./x/y"), ("d", "./x.y"), ("e", "./X-Y"), ("f", "x-y")]
    {
        sandbox.take(holder, target);
    }
    let stems = sandbox.stems();
    assert_eq!(stems.len(), 6, "{stems:?}");
    let stem = regex::Regex::new(r"^[a-z0-9-]+\.[0-9a-f]{16}$").unwrap();
    assert_eq!(
        stems.iter().filter(|name| stem.is_match(name)).count(),
        5,
        "a path's stem is a slug and a hash: {stems:?}"
    );
}

#[test]
fn every_spelling_of_a_file_is_one_target_before_and_after_it_exists() {
    let sandbox = Sandbox::new();
    let work = sandbox.work();
    fs::create_dir_all(work.join("real/sub")).unwrap();
    symlink("real", work.join("link")).unwrap();
    symlink(&work, sandbox.home().join("door")).unwrap();
    symlink("link/notes", work.join("dangling")).unwrap();
    let absolute = work.join("real/notes");
    sandbox.take("a", absolute.to_str().unwrap());
    let stems = sandbox.stems();
    let spellings = [
        ("", "./real/notes"),
        ("", "./link/notes"),
        ("", "./real/../real/notes"),
        ("", "./link/../link/notes"),
        ("", "../work/real/notes"),
        ("", "./absent/../real/notes"),
        ("", "./real/absent/../notes"),
        ("", "./real/./notes"),
        ("", ".//real//notes"),
        ("", "./real/notes/"),
        ("", "./link/notes//"),
        ("", "./dangling"),
        ("", "~/door/link/notes"),
        ("real", "./notes"),
        ("link", "./notes"),
        ("real/sub", "../notes"),
    ];
    let check = |when: &str| {
        for (directory, spelling) in spellings {
            let object = sandbox.by("a", ["beat", spelling]).within(work.join(directory)).json();
            assert_eq!(object["target"], absolute.to_str().unwrap(), "{spelling} {when}");
            sandbox
                .by("b", ["take", spelling, "why"])
                .within(work.join(directory))
                .exit(75)
                .stderr_has("REFUSED: [WORK]/real/notes".replace("[WORK]", work.to_str().unwrap()).as_str())
                .check();
        }
        assert_eq!(sandbox.stems(), stems);
    };
    check("before it exists");
    fs::write(&absolute, "notes").unwrap();
    check("as a file");
    fs::remove_file(&absolute).unwrap();
    fs::create_dir(&absolute).unwrap();
    check("as a directory");
    // A directory's own name for itself.
    let object = sandbox.by("a", ["beat", "."]).within(&absolute).json();
    assert_eq!(object["target"], absolute.to_str().unwrap());
    sandbox.by("b", ["take", "..", "why"]).within(absolute.join("..").join("sub")).exit(75).stderr_some().check();
}

#[test]
fn a_directory_that_is_reached_by_a_link_is_one_target_for_all_sessions() {
    // As /tmp is a link on macOS: the link is above everything that is claimed.
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.work().join("private")).unwrap();
    symlink("private", sandbox.work().join("tmp")).unwrap();
    let (link, real) = (sandbox.work().join("tmp/x/new"), sandbox.work().join("private/x/new"));
    sandbox.take("a", link.to_str().unwrap());
    sandbox.by("b", ["take", real.to_str().unwrap(), "why"]).exit(75).stderr_some().check();
    assert_eq!(sandbox.claim(&sandbox.stems()[0])["target"], real.to_str().unwrap());
}

#[test]
fn dots_behind_a_link_lead_where_the_system_goes() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.work().join("far/deep")).unwrap();
    symlink("far/deep", sandbox.work().join("link")).unwrap();
    sandbox.take("a", "./link/../x");
    let claim = sandbox.claim(&sandbox.stems()[0]);
    assert_eq!(claim["target"], sandbox.work().join("far/x").to_str().unwrap());
}

#[test]
fn a_claim_on_a_tree_covers_what_is_below_and_nothing_beside() {
    let sandbox = Sandbox::new();
    for (held, wanted, exit) in [
        ("./tree", "./tree/a/b", 75),
        ("./tree/a/b", "./tree", 75),
        ("./tree", ".", 75),
        ("./tree", "/", 75),
        ("/", "./tree", 75),
        ("./tree", "./tree2", 0),
        ("./tree", "./tre", 0),
        ("./tree/a", "./tree/b", 0),
        // A name is no path.
        ("./tree", "tree", 0),
    ] {
        let run = sandbox.by("a", ["take", held, "why"]);
        run.stdout_any().check();
        let outcome = sandbox.by("b", ["take", wanted, "why"]).outcome();
        assert_eq!(outcome.exit, exit, "{held} {wanted}: {outcome}");
        for holder in ["a", "b"] {
            sandbox.by(holder, ["release", "--all"]).stdout_any().check();
        }
    }
    // One's own claims do not stand in one's way, and a release concerns the very target only.
    sandbox.take("a", "./tree");
    sandbox.take("a", "./tree/a");
    sandbox.by("b", ["release", "./tree/a/b"]).exit(3).stderr_some().check();
    sandbox.by("a", ["release", "./tree"]).stdout_any().check();
    sandbox.by("b", ["take", "./tree/b", "why"]).stdout_any().check();
    assert_eq!(sandbox.stems().len(), 2);
}

#[test]
fn a_take_goes_past_stale_claims_around_and_inside() {
    for (held, wanted) in [("./tree", "./tree/a"), ("./tree/a", "./tree")] {
        let sandbox = Sandbox::new();
        sandbox.take("a", held);
        sandbox.age(&sandbox.stems()[0], 901);
        sandbox.by("b", ["take", wanted, "why"]).stdout_any().check();
        // What was in the way is gone: else its holder could renew it, and both would be at work.
        assert_eq!(sandbox.stems().len(), 1, "{held} {wanted}");
        let outcome = sandbox.by("a", ["beat", held]).outcome();
        assert_eq!(outcome.exit, 75, "{held} {wanted}: {outcome}");
    }
}

#[test]
fn whatever_the_target_nothing_is_written_outside_the_place() {
    let outside = |sandbox: &Sandbox| {
        let root = sandbox.work().parent().unwrap().to_owned();
        let mut found: Vec<_> = fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        found.retain(|name| name != "place");
        found.sort();
        let count = |folder| fs::read_dir(folder).unwrap().count();
        (found, count(sandbox.work()), count(sandbox.home()))
    };
    for target in [
        "/etc/claim-test-x",
        "../x",
        "a/../../x",
        ".",
        "..",
        "~",
        "/",
        "~/x",
        "./../../../../../x",
        "../../etc/x",
        "....//x",
        r"..\..\x",
        "%2e%2e%2fx",
        "claims/../../x",
        "../place/claims/x",
        "../place/lock",
        ".hidden",
        "con",
        "a.json",
        "x\u{2215}y",
    ] {
        let sandbox = Sandbox::new();
        let before = outside(&sandbox);
        sandbox.by("a", ["take", target, "why"]).stdout_any().stderr_is(predicate::always()).check();
        assert_eq!(outside(&sandbox), before, "{target}");
        let files = sandbox.files();
        assert!(files.len() == 3 && files[1..] == ["lock", "trace.jsonl"], "{target}: {files:?}");
        let name = files[0].strip_prefix("claims/").unwrap();
        assert!(!name.contains('/') && !name.starts_with('.'), "{target}: {name}");
        assert!(!fs::exists("/etc/claim-test-x").unwrap());
    }
}

#[test]
fn what_cannot_be_a_target_is_a_usage_error_that_says_which_condition_is_broken() {
    let sandbox = Sandbox::new();
    for (target, condition) in [
        ("", "empty"),
        (".-.", "no letter or digit"),
        ("!!!", "no letter or digit"),
        ("a\nb", "control characters"),
        ("a\tb", "control characters"),
        ("\u{1b}[31mred", "control characters"),
        ("a\u{7f}", "control characters"),
        ("a\u{9b}b", "control characters"),
        ("./a\nb", "control characters"),
        ("/a\rb", "control characters"),
    ] {
        for verb in [&["take", target, "why"][..], &["beat", target], &["release", target], &["status", target]] {
            let stderr = predicate::str::contains(condition).and(predicate::function(|text: &str| {
                text.chars().all(|character| character == '\n' || !character.is_control())
            }));
            sandbox.by("a", verb).exit(2).stderr_is(stderr).check();
        }
    }
    for target in [&b"a\xffb"[..], b"./a\xff", b"/\xc3"] {
        let target = OsStr::from_bytes(target);
        sandbox.by("a", [OsStr::new("take"), target, OsStr::new("why")]).exit(2).stderr_has("UTF-8").check();
    }
    // A directory above it that is not UTF-8 makes a path that no claim file can hold; a name does not care.
    let bad = sandbox.work().join(OsStr::from_bytes(b"bad\xff"));
    fs::create_dir(&bad).unwrap();
    sandbox.by("a", ["take", "./x", "why"]).within(&bad).exit(2).stderr_has("UTF-8").check();
    assert!(!sandbox.place().exists());
    sandbox.by("a", ["take", "x", "why"]).within(&bad).stdout_any().check();
}

#[test]
fn a_long_target_works_or_is_a_usage_error() {
    let sandbox = Sandbox::new();
    for (length, exit) in [(1, 0), (200, 0), (201, 2), (255, 2), (256, 2), (4_096, 2), (100_000, 2)] {
        let outcome = sandbox.by("a", ["take", &"n".repeat(length), "why"]).outcome();
        assert_eq!(outcome.exit, exit, "a name of {length}: {outcome}");
        assert!(exit == 0 || outcome.stderr.contains("200 characters"), "{outcome}");
    }
    // Two bytes and one column each, and letters that become several when they are transliterated.
    for (letter, length, exits) in
        [("ü", 200, &[0][..]), ("ü", 201, &[2]), ("名", 60, &[0, 2]), ("名", 200, &[0, 2]), ("👍", 200, &[0, 2])]
    {
        let outcome = sandbox.by("a", ["take", &letter.repeat(length), "why"]).outcome();
        assert!(exits.contains(&outcome.exit), "{length} times {letter}: {outcome}");
    }
    // The file system has 255 bytes for one part, and 4,096 for a whole path.
    fs::create_dir(sandbox.work().join("real")).unwrap();
    symlink("real", sandbox.work().join("link")).unwrap();
    for (length, exit) in [(200, 0), (201, 0), (255, 0), (256, 2), (4_096, 2), (100_000, 2)] {
        for above in ["./", "./link/", "./absent/"] {
            let outcome = sandbox.by("a", ["take", &format!("{above}{}", "p".repeat(length)), "why"]).outcome();
            let exits = if above == "./absent/" && length == 256 { [0, 2] } else { [exit; 2] };
            assert!(exits.contains(&outcome.exit), "a part of {length} in {above}: {outcome}");
        }
    }
    for letters in ["ü".repeat(127), "名".repeat(85)] {
        sandbox.by("a", ["take", &format!("./{letters}"), "why"]).stdout_any().check();
    }
    // 16 parts are 4,096 bytes: just too many for some system calls.
    for (parts, exits) in [(10, [0, 0]), (15, [0, 0]), (16, [0, 2]), (17, [2, 2]), (40, [2, 2])] {
        let path = format!("/{}", vec!["p".repeat(255); parts].join("/"));
        let outcome = sandbox.by("a", ["take", &path, "why"]).outcome();
        assert!(exits.contains(&outcome.exit), "{parts} parts: {outcome}");
    }
    for stem in sandbox.stems() {
        assert!(stem.len() + ".json".len() <= 255);
    }
}

#[test]
fn a_relative_name_that_is_a_file_here_earns_a_hint_to_write_a_path() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.work().join("docs")).unwrap();
    for file in ["notes.md", "docs/notes.md"] {
        fs::write(sandbox.work().join(file), "").unwrap();
        sandbox.by("a", ["take", file, "why"]).stdout_any().stderr_has(&format!("./{file}")).check();
        sandbox.by("a", ["take", &format!("./{file}"), "why"]).stdout_any().check();
    }
    sandbox.by("a", ["take", "elsewhere.md", "why"]).stdout_any().check();
}

#[test]
fn targets_that_look_like_options_are_targets_behind_two_dashes() {
    let sandbox = Sandbox::new();
    for (target, stem) in [("-x", "x"), ("--all", "all"), ("--json", "json")] {
        sandbox.by("a", ["take", "--", target, "--ttl"]).stdout_has(&format!("claimed: {target}")).check();
        assert_eq!(sandbox.claim(stem)["purpose"], "--ttl");
        sandbox.by("a", ["beat", "--", target]).stdout_has(target).check();
        sandbox.by("a", ["release", "--", target]).stdout_has(target).check();
    }
    sandbox.by("a", ["take", "-x", "why"]).exit(2).stderr_some().check();
}
