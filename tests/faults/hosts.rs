//! The same for what an agent CLI calls, what is put into its configuration and into a repository, what runs a command
//! and what waits in line.
//!
//! A file of somebody's settings is its old bytes or its new ones after every fault. A write that a hook lets through in
//! silence is one that its session's claims cover.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, process::Command};

use serde_json::{Value, json};

use super::{NOT_TEMPORARY, age_all, bystander, meanwhile::Meanwhile, mine, others, scenario::Scenario};
use crate::support::{Sandbox, need};

scenarios! {
    hook_at_home_leaves_presence: hook(write_at_home, trees);
    hook_at_home_that_beats: hook(write_at_home, |sandbox| {
        trees(sandbox);
        share(sandbox, "claude:1");
        age_all(sandbox, 600);
    });
    hook_at_home_that_is_refused: refused(hook(write_at_home, |sandbox| {
        trees(sandbox);
        sandbox.take("other", ".");
        age_all(sandbox, 60);
    }));
    hook_in_a_linked_worktree: hook(|sandbox| call(sandbox, "Write", &json!({"file_path": "../linked/a.md"})), |sandbox| {
        trees(sandbox);
        let (linked, git) = (sandbox.work().join("../linked"), sandbox.work().join(".git/worktrees/linked"));
        fs::create_dir(&linked).unwrap();
        fs::create_dir_all(&git).unwrap();
        fs::write(linked.join(".git"), "gitdir: ../work/.git/worktrees/linked\n").unwrap();
        fs::write(git.join("commondir"), "../..\n").unwrap();
    });
    hook_abroad_claims_the_tree: hook(write_abroad, trees);
    hook_abroad_that_is_refused: refused(hook(write_abroad, |sandbox| {
        trees(sandbox);
        sandbox.take("other", "../outside/inner");
        age_all(sandbox, 60);
    }));
    hook_at_a_sessions_start: Scenario { promises: false, ..hook(|sandbox| event(sandbox, "SessionStart"), |sandbox| {
        trees(sandbox);
        sandbox.by("claude:1", ["handover", "add", "./inner", "what is to be done"]).stdout_any().check();
        share(sandbox, "other");
    }) };
    hook_at_a_turns_end_beats: Scenario { promises: false, ..hook(|sandbox| event(sandbox, "Stop"), at_work) };
    hook_at_a_sessions_end_releases: Scenario {
        promises: false,
        ..hook(|sandbox| event(sandbox, "SessionEnd"), at_work)
    };

    run_of_a_command: Scenario { halfway: Some(RUNS), ..run(bystander) };
    run_under_a_claim_that_stays: Scenario { halfway: Some(&["beat", "t"]), ..run(mine) };
    run_that_is_refused: Scenario { exit: 75, next_exit: 75, ..run(others) };
    run_that_waits: Scenario {
        halfway: Some(&["take", "./tree/inner", "runs true"]),
        ..waits(&["run", "./tree/inner", "--wait", "1h", "--", "true"])
    };
    take_that_waits: waits(&["take", "./tree/inner", "why", "--wait", "1h"]);

    install_into_settings: install(&["install", "claude"], settings);
    install_where_there_are_no_settings: install(&["install", "claude"], |_| {});
    install_once_more: install(&["install", "claude"], |sandbox| {
        settings(sandbox);
        sandbox.run(["install", "claude"]).outcome();
    });
    install_of_several_files: install(&["install", "goose"], |_| {});
    uninstall_from_settings: install(&["install", "claude", "--uninstall"], |sandbox| {
        settings(sandbox);
        sandbox.run(["install", "claude"]).outcome();
    });
    install_into_a_repository: install(&["install", "git"], repository);
    install_into_a_repository_beside_a_hook: install(&["install", "git"], hooked);
    uninstall_from_a_repository_beside_a_hook: install(&["install", "git", "--uninstall"], |sandbox| {
        hooked(sandbox);
        sandbox.run(["install", "git"]).outcome();
    });
}

const RUN: &[&str] = &["run", "t", "--", "true"];

/// What stands while it runs.
const RUNS: &[&str] = &["take", "t", "runs true"];

/// A hook, which also the next command is.
const fn hook(input: fn(&Sandbox) -> String, prepare: fn(&Sandbox)) -> Scenario {
    Scenario {
        input,
        environment: NOT_TEMPORARY,
        noes: &[2],
        warns: false,
        next: &["hook"],
        ..Scenario::of(&["hook"], prepare)
    }
}

/// Denied, before and after.
const fn refused(scenario: Scenario) -> Scenario {
    Scenario { exit: 2, next_exit: 2, ..scenario }
}

/// A command that cannot be started is 126.
const fn run(prepare: fn(&Sandbox)) -> Scenario {
    Scenario { noes: &[126], ..Scenario::of(RUN, prepare) }
}

/// For a file of a tree that `other` releases meanwhile.
const fn waits(command: &'static [&'static str]) -> Scenario {
    let prepare = |sandbox: &Sandbox| {
        bystander(sandbox);
        sandbox.take("other", "./tree");
        age_all(sandbox, 60);
    };
    Scenario {
        meanwhile: Meanwhile::Released,
        hands: 8,
        noes: &[126],
        next: &["take", "./tree/inner", "again"],
        ..Scenario::of(command, prepare)
    }
}

/// An installation, or its end, which also the next command is.
const fn install(command: &'static [&'static str], prepare: fn(&Sandbox)) -> Scenario {
    Scenario { next: command, ..Scenario::of(command, prepare) }
}

/// Where a session is at home, and two trees beside it.
fn trees(sandbox: &Sandbox) {
    bystander(sandbox);
    for tree in ["../work", "../outside", "../third"] {
        fs::create_dir_all(sandbox.work().join(tree).join(".git")).unwrap();
    }
}

/// Present at home, and with a claim abroad, for so long that both have to be beaten.
fn at_work(sandbox: &Sandbox) {
    trees(sandbox);
    share(sandbox, "claude:1");
    sandbox.take("claude:1", "../outside");
    age_all(sandbox, 600);
}

fn share(sandbox: &Sandbox, holder: &str) {
    sandbox.by(holder, ["take", ".", "at work here", "--shared"]).stdout_any().check();
    age_all(sandbox, 60);
}

fn write_at_home(sandbox: &Sandbox) -> String {
    call(sandbox, "Write", &json!({"file_path": "a.md", "content": "x"}))
}

fn write_abroad(sandbox: &Sandbox) -> String {
    call(sandbox, "Write", &json!({"file_path": "../outside/inner/a.md", "content": "x"}))
}

/// A payload of Claude Code, beginning with what has the sweep see that it is read.
fn call(sandbox: &Sandbox, tool: &str, input: &Value) -> String {
    json!({
        "cwd": sandbox.work(), "session_id": "1", "prompt_id": "p", "hook_event_name": "PreToolUse",
        "tool_name": tool, "tool_input": input,
    })
    .to_string()
}

fn event(sandbox: &Sandbox, event: &str) -> String {
    json!({"cwd": sandbox.work(), "session_id": "1", "prompt_id": "p", "hook_event_name": event}).to_string()
}

/// Somebody's own, for their eyes only.
fn settings(sandbox: &Sandbox) {
    let directory = sandbox.home().join(".claude");
    fs::create_dir(&directory).unwrap();
    let hook = json!({"matcher": "Bash", "hooks": [{"type": "command", "command": "mine"}]});
    write(&directory.join("settings.json"), &json!({"model": "x", "hooks": {"PreToolUse": [hook]}}).to_string(), 0o600);
}

fn repository(sandbox: &Sandbox) {
    need("git");
    let mut git = Command::new("git");
    git.args(["-c", "init.defaultBranch=main", "init", "--quiet", "--template="]).current_dir(sandbox.work());
    let output = git.env("HOME", sandbox.home()).env("GIT_CONFIG_NOSYSTEM", "1").output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// With a hook of somebody's own.
fn hooked(sandbox: &Sandbox) {
    repository(sandbox);
    let hooks = sandbox.work().join(".git/hooks");
    fs::create_dir(&hooks).unwrap();
    write(&hooks.join("pre-commit"), "#!/bin/sh\nexit 0\n", 0o755);
}

fn write(path: &Path, text: &str, mode: u32) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}
