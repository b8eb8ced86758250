//! `doctor` through the program: what is well is one calm line, what is not says what to type.

use std::{fs, path::Path};

use predicates::prelude::*;
use serde_json::Value;

use crate::machine::{Machine, executable, found};

/// The checks of one topic: state, message, remedy.
fn checks(machine: &Machine, topic: &str) -> Vec<(String, String, String)> {
    let outcome = machine.run(["--json", "doctor"]).stdout_any().exit(if well(machine) { 0 } else { 4 }).check();
    let object: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let text = |check: &Value, key: &str| check[key].as_str().unwrap_or_default().to_owned();
    object["checks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|check| check["check"] == topic)
        .map(|check| (text(check, "state"), text(check, "message"), text(check, "remedy")))
        .collect()
}

fn well(machine: &Machine) -> bool {
    machine.run(["doctor"]).outcome().exit == 0
}

#[track_caller]
fn assert_one(machine: &Machine, topic: &str, state: &str, message: &str, remedy: &str) {
    let found = checks(machine, topic);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, state, "{found:?}");
    assert!(found[0].1.contains(message), "{found:?}");
    assert!(found[0].2.contains(remedy), "{found:?}");
    assert_eq!(well(machine), state != "problem");
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn what_is_well_is_one_calm_line_each() {
    let machine = Machine::new();
    fs::create_dir(machine.sandbox.home().join(".claude")).unwrap();
    machine.run(["install", "claude"]).stdout_any().check();
    machine
        .run(["doctor"])
        .stdout(format!(
            "ok    program  {}, on the PATH as [HOME]/bin/claim\n\
             ok    place    [DIR]: written, read back and locked\n\
             ok    holder   session-a41, from CLAIM_HOLDER\n\
             ok    claude   Claude Code asks claim, by [HOME]/.claude/settings.json\n\
             note  git      there is no repository here\n",
            env!("CARGO_PKG_VERSION")
        ))
        .check();
    assert_eq!(machine.sandbox.files(), ["claims/", "lock"], "the proof leaves nothing behind");
}

#[test]
fn a_place_that_cannot_be_used_is_a_problem_with_its_cause() {
    let machine = Machine::new();
    let file = machine.sandbox.home().join("file");
    write(&file, "");
    machine
        .run(["doctor"])
        .env("CLAIM_DIR", &file)
        .exit(4)
        .stdout_is(
            predicate::str::contains("problem  place    [HOME]").not().and(
                predicate::str::contains("problem  place")
                    .and(predicate::str::contains("set CLAIM_DIR for every session alike")),
            ),
        )
        .check();
    for (injection, cause) in [
        ("flock:error=ENOLCK", "No locks available"),
        ("/^write:retval=12:when=1", "could not be verified"),
        ("/^(mkdir|mkdirat)$:error=EROFS", "Read-only file system"),
    ] {
        machine
            .run(["doctor"])
            .env("CLAIM_DIR", machine.sandbox.home().join(cause))
            .through([
                found("strace").to_str().unwrap(),
                "-f",
                "-qq",
                "-o",
                "/dev/null",
                "-e",
                &format!("inject={injection}"),
            ])
            .exit(4)
            .stdout_is(predicate::str::contains("problem  place").and(predicate::str::contains(cause)))
            .check();
    }
}

#[test]
fn a_program_that_hooks_would_not_find_is_a_problem() {
    let machine = Machine::new();
    assert_one(&machine, "program", "ok", "on the PATH as", "");
    machine.script("claim", "#!/bin/sh\n");
    assert_one(&machine, "program", "note", "hooks find", "");
    machine.remove("claim");
    assert_one(&machine, "program", "problem", "every hook denies every write", "ln -s ");
}

#[test]
fn who_asks_is_said_with_its_source() {
    let machine = Machine::new();
    assert_one(&machine, "holder", "ok", "session-a41, from CLAIM_HOLDER", "");
    let run = || machine.run(["doctor"]).env_remove("CLAIM_HOLDER");
    run().stdout_is(predicate::str::contains("note  holder   nobody says which session this is")).check();
    run()
        .env("CODEX_SESSION_ID", "c1")
        .stdout_is(predicate::str::contains("ok    holder   codex:c1, from CODEX_SESSION_ID"))
        .check();
    // The shell would act as one session and the hook as another; the same one said twice is well.
    machine
        .run(["doctor"])
        .env("CODEX_SESSION_ID", "c1")
        .exit(4)
        .stdout_is(predicate::str::contains("problem  holder").and(predicate::str::contains("unset CLAIM_HOLDER")))
        .check();
    run()
        .env("CLAIM_HOLDER", "codex:c1")
        .env("CODEX_SESSION_ID", "c1")
        .stdout_is(predicate::str::contains("ok    holder   codex:c1, from CLAIM_HOLDER"))
        .check();
    run()
        .env("CODEX_SESSION_ID", "c1")
        .env("CLAUDE_CODE_SESSION_ID", "c2")
        .exit(4)
        .stdout_is(predicate::str::contains("problem  holder").and(predicate::str::contains("are both set")))
        .check();
}

#[test]
fn an_agent_without_the_hook_is_a_note_and_one_that_is_run_a_problem() {
    let machine = Machine::new();
    assert_eq!(checks(&machine, "gemini"), []);
    fs::create_dir(machine.sandbox.home().join(".gemini")).unwrap();
    assert_one(&machine, "gemini", "note", "would write without asking claim", "claim install gemini");
    machine.run(["doctor", "gemini"]).exit(4).stdout_any().check();
    machine.script("gemini", "#!/bin/sh\n");
    assert_one(&machine, "gemini", "problem", "would write without asking claim", "claim install gemini");
    machine.run(["install", "gemini"]).stdout_any().check();
    assert_one(&machine, "gemini", "ok", "/.gemini/settings.json", "");
    machine.run(["doctor", "claude"]).exit(4).stdout_any().check();
    machine.run(["doctor", "emacs"]).exit(2).stderr_some().check();
}

#[test]
fn the_hook_is_found_where_each_host_would_find_it() {
    for host in claim::core::install::HOSTS {
        for scope in ["--user", "--project"] {
            let machine = Machine::new();
            machine.run(["install", host.name, scope]).stdout_any().check();
            let found = checks(&machine, host.name);
            assert_eq!(found[0].0, "ok", "{found:?}");
        }
    }
}

#[test]
fn a_hook_that_is_incomplete_old_malformed_or_switched_off_is_told() {
    let machine = Machine::new();
    let settings = machine.sandbox.home().join(".claude/settings.json");
    machine.run(["install", "claude"]).stdout_any().check();
    let whole = fs::read_to_string(&settings).unwrap();

    write(&settings, &whole.replace("\"Stop\"", "\"Other\""));
    assert_one(&machine, "claude", "problem", "does not call at Stop", "claim install claude");
    write(&settings, &whole.replace("claim hook || true", "claim hook"));
    assert_one(&machine, "claude", "problem", "a hook of another version", "claim install claude");
    write(&settings, &whole.replace("\"matcher\": \"", "\"matcher\": \"Read|"));
    assert_one(&machine, "claude", "problem", "or a changed one", "claim install claude");
    write(&settings, &whole.replacen(',', "", 1));
    assert_one(&machine, "claude", "problem", "settings.json is malformed at line ", "mend that file");
    write(&settings, &whole.replacen('{', "{\"disableAllHooks\": true,", 1));
    assert_one(&machine, "claude", "problem", "switched off by disableAllHooks: true", "take that out of");
    write(&settings, "{\"enabledPlugins\": {\"claim@claim\": true}}");
    assert_one(&machine, "claude", "ok", "Claude Code asks claim", "");

    machine.run(["install", "opencode"]).stdout_any().check();
    let plugin = machine.sandbox.home().join(".config/opencode/plugins/claim.js");
    write(&plugin, "// claim for opencode: older\n");
    assert_one(&machine, "opencode", "problem", "a hook of another version", "claim install opencode");
    write(&plugin, "// mine\n");
    assert_one(&machine, "opencode", "note", "would write without asking", "claim install opencode");
}

#[test]
fn codex_without_its_hooks_or_with_a_closed_sandbox_is_told() {
    let machine = Machine::new();
    let config = machine.sandbox.home().join(".codex/config.toml");
    machine.run(["install", "codex"]).stdout_any().check();
    write(&config, "sandbox_mode = \"danger-full-access\"\n");
    assert_one(&machine, "codex", "ok", "/hooks in Codex", "");
    write(&config, "[features]\nhooks = false\n");
    assert_one(&machine, "codex", "problem", "[features] hooks = false", "take that out of");
    for closed in
        ["", "sandbox_mode = \"workspace-write\"\n", "[sandbox_workspace_write]\nwritable_roots = [\"/other\"]\n"]
    {
        write(&config, closed);
        let found = checks(&machine, "codex");
        assert_eq!((found[0].0.as_str(), found[1].0.as_str()), ("ok", "problem"), "{found:?}");
        let place = machine.sandbox.place();
        assert!(found[1].2.contains(&format!("writable_roots = [\"{}\"]", place.display())), "{found:?}");
        assert!(!well(&machine));
    }
    for open in [machine.sandbox.place(), machine.sandbox.place().parent().unwrap().to_owned()] {
        write(&config, &format!("[sandbox_workspace_write]\nwritable_roots = [\"{}\"]\n", open.display()));
        assert_one(&machine, "codex", "ok", "/hooks in Codex", "");
    }
}

#[test]
fn a_sandbox_of_claude_code_is_told() {
    let machine = Machine::new();
    let local = machine.sandbox.work().join(".claude/settings.local.json");
    machine.run(["install", "claude"]).stdout_any().check();
    write(&local, "{\"sandbox\": {\"enabled\": true}}");
    let found = checks(&machine, "claude");
    assert_eq!((found[0].0.as_str(), found[1].0.as_str()), ("ok", "problem"), "{found:?}");
    assert!(found[1].2.contains("allowWrite"), "{found:?}");
    for open in ["~/claim", &format!("//{}", machine.sandbox.home().display().to_string().trim_start_matches('/'))] {
        write(
            &local,
            &format!("{{\"sandbox\": {{\"enabled\": true, \"filesystem\": {{\"allowWrite\": [\"{open}\"]}}}}}}"),
        );
        machine
            .run(["doctor", "claude"])
            .env("CLAIM_DIR", machine.sandbox.home().join("claim"))
            .stdout_is(predicate::str::contains("problem").not())
            .check();
    }
}

#[test]
fn the_git_hook_is_looked_for_where_git_would_look() {
    let machine = Machine::new();
    let repository = machine.repository("repository");
    let look = |state: &str, text: &str, exit: i32| {
        machine
            .run(["doctor"])
            .within(&repository)
            .exit(exit)
            .stdout_is(predicate::str::is_match(format!("(?m)^{state} +git +.*{text}")).unwrap())
            .check();
    };
    look("note", "commits here are not checked", 0);
    machine.run(["doctor", "git"]).within(&repository).exit(4).stdout_any().check();
    machine.run(["install", "git"]).within(&repository).stdout_any().check();
    look("ok", "commits here are checked, by .*/repository/.git/hooks/pre-commit", 0);
    let hook = repository.join(".git/hooks/pre-commit");
    fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    look("problem", "not executable", 4);
    executable(&hook);
    machine.git_done(&repository, &["config", "core.hooksPath", "elsewhere"]);
    look("problem", "core.hooksPath is .*/elsewhere, so .* never runs", 4);
    fs::create_dir_all(repository.join(".husky/_")).unwrap();
    machine.git_done(&repository, &["config", "core.hooksPath", ".husky/_"]);
    look("note", "husky looks after the hooks", 0);
    write(&repository.join(".husky/pre-commit"), "claim guard --staged\n");
    look("ok", "husky runs claim, by .*/.husky/pre-commit", 0);
}
