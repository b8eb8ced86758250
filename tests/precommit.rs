//! The git hook in real git: every way to commit, every place that git takes hooks from.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Output,
};

use claim::core::install::{GIT_HOOK, GIT_HOOKS};

use crate::machine::{Machine, executable, found, said};

const SESSION: &str = "session-a41";

/// A repository with claim's hook.
fn hooked(machine: &Machine) -> PathBuf {
    machine.add("sh", &found("sh"));
    let repository = machine.repository("repository");
    machine.run(["install", "git"]).within(&repository).stdout_any().check();
    repository
}

/// Lets another session hold a tree, alone.
fn hold(machine: &Machine, tree: &Path) {
    machine.by("other", ["take", tree.to_str().unwrap(), "busy"]).stdout_any().check();
}

fn head(machine: &Machine, repository: &Path) -> String {
    machine.git_done(repository, &["rev-parse", "HEAD"])
}

fn write(path: PathBuf, text: &str) {
    fs::write(path, text).unwrap();
}

#[track_caller]
fn assert_refused(output: &Output) {
    let text = said(output);
    assert!(!output.status.success(), "{text}");
    assert!(text.contains("REFUSED: ") && text.contains("is claimed by other"), "{text}");
    assert!(text.contains("claim: nothing was committed.\n"), "{text}");
}

#[test]
fn every_way_to_commit_is_refused_in_a_held_tree_and_done_in_a_free_one() {
    let machine = Machine::new();
    let repository = hooked(&machine);
    let change = |name: &str| write(repository.join(name), &format!("{name}\n"));
    machine.git_done(&repository, &["mv", "-k", "nothing", "else"]);

    type Step<'a> = (&'a str, &'a dyn Fn(), &'a [&'a str]);
    let add = |name: &'static str| {
        change(name);
        machine.git_done(&repository, &["add", name]);
    };
    let steps: &[Step<'_>] = &[
        ("staged", &|| add("b.txt"), &["commit", "-m", "x"]),
        ("commit -a", &|| change("a.txt"), &["commit", "-a", "-m", "x"]),
        ("commit -- path", &|| add("c.txt"), &["commit", "-m", "x", "--", "c.txt"]),
        ("amend", &|| add("d.txt"), &["commit", "--amend", "-m", "y"]),
        ("amend of a message alone", &|| {}, &["commit", "--amend", "-m", "z"]),
        ("rename", &|| drop(machine.git_done(&repository, &["mv", "b.txt", "e.txt"])), &["commit", "-m", "x"]),
        ("deletion", &|| drop(machine.git_done(&repository, &["rm", "-q", "c.txt"])), &["commit", "-m", "x"]),
        ("empty", &|| {}, &["commit", "--allow-empty", "-m", "x"]),
    ];
    for (name, prepare, arguments) in steps {
        prepare();
        let before = head(&machine, &repository);
        hold(&machine, &repository);
        let output = machine.git(SESSION, &repository, arguments);
        assert_refused(&output);
        assert_eq!(head(&machine, &repository), before, "{name}");
        machine.by("other", ["release", "--all"]).stdout_any().check();
        let output = machine.git(SESSION, &repository, arguments);
        assert!(output.status.success(), "{name}: {}", said(&output));
        assert_ne!(head(&machine, &repository), before, "{name}");
    }
}

#[test]
fn only_what_the_commit_changes_counts() {
    let machine = Machine::new();
    let repository = hooked(&machine);
    for name in ["b.txt", "c.txt"] {
        write(repository.join(name), "x\n");
        machine.git_done(&repository, &["add", name]);
    }
    hold(&machine, &repository.join("b.txt"));
    assert_refused(&machine.git(SESSION, &repository, &["commit", "-m", "both"]));
    let output = machine.git(SESSION, &repository, &["commit", "-m", "one", "--", "c.txt"]);
    assert!(output.status.success(), "{}", said(&output));
    // The old name of a renamed file is written as well.
    machine.by("other", ["release", "--all"]).stdout_any().check();
    machine.git_done(&repository, &["commit", "-m", "b"]);
    machine.git_done(&repository, &["mv", "b.txt", "d.txt"]);
    hold(&machine, &repository.join("b.txt"));
    assert_refused(&machine.git(SESSION, &repository, &["commit", "-m", "renamed"]));
}

#[test]
fn the_session_that_holds_the_tree_commits_and_a_shared_claim_stops_nobody() {
    let machine = Machine::new();
    let repository = hooked(&machine);
    hold(&machine, &repository);
    let output = machine.git("other", &repository, &["commit", "--allow-empty", "-m", "own"]);
    assert!(output.status.success(), "{}", said(&output));
    machine.by("other", ["release", "--all"]).stdout_any().check();
    machine.by("other", ["take", repository.to_str().unwrap(), "at work", "--shared"]).stdout_any().check();
    let output = machine.git(SESSION, &repository, &["commit", "--allow-empty", "-m", "at home"]);
    assert!(output.status.success(), "{}", said(&output));
}

#[test]
fn a_merge_is_asked_about_whether_git_commits_it_itself_or_not() {
    let machine = Machine::new();
    let repository = hooked(&machine);
    let commit = |name: &str, text: &str| {
        write(repository.join(name), text);
        machine.git_done(&repository, &["add", name]);
        machine.git_done(&repository, &["commit", "-q", "-m", name]);
    };
    machine.git_done(&repository, &["checkout", "-q", "-b", "side"]);
    commit("side.txt", "side\n");
    commit("a.txt", "side\n");
    machine.git_done(&repository, &["checkout", "-q", "main"]);
    commit("main.txt", "main\n");
    let before = head(&machine, &repository);

    hold(&machine, &repository);
    assert_refused(&machine.git(SESSION, &repository, &["merge", "-m", "clean", "side"]));
    assert_eq!(head(&machine, &repository), before);
    machine.by("other", ["release", "--all"]).stdout_any().check();
    machine.git_done(&repository, &["merge", "--abort"]);

    commit("a.txt", "main\n");
    let output = machine.git(SESSION, &repository, &["merge", "side"]);
    assert!(said(&output).contains("CONFLICT"), "{}", said(&output));
    write(repository.join("a.txt"), "both\n");
    hold(&machine, &repository);
    assert_refused(&machine.git(SESSION, &repository, &["commit", "-a", "-m", "resolved"]));
    machine.by("other", ["release", "--all"]).stdout_any().check();
    machine.git_done(&repository, &["commit", "-q", "-a", "-m", "resolved"]);
    assert_eq!(machine.git_done(&repository, &["rev-list", "--merges", "--count", "HEAD"]), "1\n");
}

#[test]
fn a_linked_worktree_has_the_hook_and_is_judged_by_its_own_paths() {
    let machine = Machine::new();
    let repository = hooked(&machine);
    let linked = machine.sandbox.work().join("linked");
    machine.git_done(&repository, &["worktree", "add", "-q", linked.to_str().unwrap(), "-b", "linked"]);
    for tree in [&repository, &linked] {
        write(tree.join("b.txt"), "x\n");
        machine.git_done(tree, &["add", "."]);
    }
    hold(&machine, &linked);
    assert_refused(&machine.git(SESSION, &linked, &["commit", "-m", "x"]));
    machine.git_done(&repository, &["commit", "-q", "-m", "x"]);
    machine.by("other", ["release", "--all"]).stdout_any().check();
    hold(&machine, &repository);
    // From a directory below, as git starts it there.
    fs::create_dir(linked.join("below")).unwrap();
    machine.git_done(&linked.join("below"), &["commit", "-q", "-m", "x"]);
}

#[test]
fn an_agent_that_commits_in_another_tree_than_its_own_has_to_hold_it() {
    let machine = Machine::new();
    let repository = hooked(&machine);
    let home = machine.repository("home");
    write(repository.join("b.txt"), "x\n");
    machine.git_done(&repository, &["add", "."]);
    let commit = || {
        machine
            .command("", &home, "git")
            .env_remove("CLAIM_HOLDER")
            .env("CLAUDE_CODE_SESSION_ID", "s1")
            .env("CLAUDE_PROJECT_DIR", &home)
            .args(["-C", repository.to_str().unwrap(), "commit", "-m", "x"])
            .output()
            .unwrap()
    };
    let output = commit();
    assert!(!output.status.success() && said(&output).contains("UNCLAIMED: "), "{}", said(&output));
    machine.by("claude:s1", ["take", repository.to_str().unwrap(), "a repair"]).stdout_any().check();
    let output = commit();
    assert!(output.status.success(), "{}", said(&output));
}

#[test]
fn without_claim_nothing_is_committed_and_it_is_said() {
    let machine = Machine::new();
    let repository = hooked(&machine);
    machine.remove("claim");
    let output = machine.git(SESSION, &repository, &["commit", "--allow-empty", "-m", "x"]);
    assert!(!output.status.success());
    assert!(said(&output).contains("this hook needs claim, which is not on the PATH"), "{}", said(&output));
    assert!(said(&output).contains(".git/hooks/pre-commit"), "{}", said(&output));
    // Where programs with windows have a short PATH, the usual places are looked at.
    fs::create_dir_all(machine.sandbox.home().join(".local/bin")).unwrap();
    std::os::unix::fs::symlink(crate::support::CLAIM, machine.sandbox.home().join(".local/bin/claim")).unwrap();
    let output = machine.git(SESSION, &repository, &["commit", "--allow-empty", "-m", "x"]);
    assert!(output.status.success(), "{}", said(&output));
    for program in ["#!/bin/sh\nexit 1\n", "#!/bin/sh\nkill -9 $$\n", "#!/bin/sh\nexit 2\n"] {
        machine.script("claim", program);
        let output = machine.git(SESSION, &repository, &["commit", "--allow-empty", "-m", "x"]);
        assert!(!output.status.success() && said(&output).contains("could not check it"), "{}", said(&output));
    }
    machine.git_done(&repository, &["commit", "-q", "--no-verify", "--allow-empty", "-m", "x"]);
}

#[test]
fn a_hook_that_was_there_runs_after_and_can_still_say_no() {
    let machine = Machine::new();
    machine.add("sh", &found("sh"));
    let repository = machine.repository("repository");
    let hook = repository.join(".git/hooks/pre-commit");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    write(hook.clone(), "#!/bin/sh\necho \"before: $GIT_INDEX_FILE\" >&2\nexit 3\n");
    executable(&hook);
    machine.run(["install", "git"]).within(&repository).stdout_any().check();
    let output = machine.git(SESSION, &repository, &["commit", "--allow-empty", "-m", "x"]);
    assert!(!output.status.success() && said(&output).contains("before: "), "{}", said(&output));
    hold(&machine, &repository);
    let output = machine.git(SESSION, &repository, &["commit", "--allow-empty", "-m", "x"]);
    assert_refused(&output);
    assert!(!said(&output).contains("before: "), "{}", said(&output));
    machine.by("other", ["release", "--all"]).stdout_any().check();
    // As git does, one that cannot be executed is left out.
    fs::set_permissions(
        hook.with_file_name("pre-commit.before-claim"),
        std::os::unix::fs::PermissionsExt::from_mode(0o644),
    )
    .unwrap();
    machine.git_done(&repository, &["commit", "-q", "--allow-empty", "-m", "x"]);
}

#[test]
fn core_hooks_path_is_where_it_goes() {
    let machine = Machine::new();
    machine.add("sh", &found("sh"));
    let outside = machine.sandbox.home().join("git hooks");
    for (name, path) in [("relative", ".githooks"), ("absolute", outside.to_str().unwrap()), ("tilde", "~/git-hooks")] {
        let repository = machine.repository(name);
        machine.git_done(&repository, &["config", "core.hooksPath", path]);
        machine.run(["install", "git"]).within(&repository).stdout_any().check();
        hold(&machine, &repository);
        assert_refused(&machine.git(SESSION, &repository, &["commit", "--allow-empty", "-m", "x"]));
        machine.by("other", ["release", "--all"]).stdout_any().check();
        machine.git_done(&repository, &["commit", "-q", "--allow-empty", "-m", "x"]);
    }
}

#[test]
fn below_husky_the_line_in_its_own_file_does_the_same() {
    let machine = Machine::new();
    machine.add("sh", &found("sh"));
    let repository = machine.repository("repository");
    let husky = repository.join(".husky");
    fs::create_dir_all(husky.join("_")).unwrap();
    // As husky writes it: a script that runs the project's own file and passes its status on.
    write(husky.join("_/pre-commit"), "#!/bin/sh\nsh -e \"${0%/*}/../${0##*/}\" \"$@\"\n");
    executable(&husky.join("_/pre-commit"));
    write(husky.join("pre-commit"), "claim guard --staged\necho lint ran >&2\n");
    machine.git_done(&repository, &["config", "core.hooksPath", ".husky/_"]);
    hold(&machine, &repository);
    let output = machine.git(SESSION, &repository, &["commit", "--allow-empty", "-m", "x"]);
    assert!(!output.status.success() && said(&output).contains("REFUSED: "), "{}", said(&output));
    assert!(!said(&output).contains("lint ran"), "{}", said(&output));
    machine.by("other", ["release", "--all"]).stdout_any().check();
    let output = machine.git(SESSION, &repository, &["commit", "--allow-empty", "-m", "x"]);
    assert!(output.status.success() && said(&output).contains("lint ran"), "{}", said(&output));
}

#[test]
fn it_is_one_script_under_each_name() {
    let machine = Machine::new();
    let repository = hooked(&machine);
    for name in GIT_HOOKS {
        assert_eq!(fs::read_to_string(repository.join(".git/hooks").join(name)).unwrap(), GIT_HOOK);
    }
}
