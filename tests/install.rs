//! `install` through the program: every host's files, other people's files, and the commands in real shells.

use std::{
    fs,
    io::Write as _,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    process::Stdio,
};

use claim::core::install::{Content, HOSTS};
use predicates::prelude::*;
use serde_json::{Value, json};

use crate::{
    machine::{Machine, executable, files, found, said},
    support::need,
};

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("hooks")
}

/// A configuration as people have them.
const SETTINGS: &str = "{\n    \"model\": \"opus\",\n    \"hooks\": {\n        \"PreToolUse\": [\n            {\n                \"matcher\": \"Bash\",\n                \"hooks\": [{ \"type\": \"command\", \"command\": \"mine\" }]\n            }\n        ]\n    },\n    \"env\": { \"TOKEN\": \"x\" }\n}\n";

/// The user's settings of Claude Code with something in them.
fn with_settings(machine: &Machine, text: &str) -> PathBuf {
    let path = machine.sandbox.home().join(".claude/settings.json");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn every_host_gets_the_files_that_hooks_shows() {
    for host in HOSTS {
        let machine = Machine::new();
        let work = machine.sandbox.work();
        machine.run(["install", host.name, "--project"]).stdout_any().check();
        for file in host.files {
            let path = work.join(file.project);
            let written = fs::read_to_string(&path).unwrap();
            let sample = samples().join(file.sample);
            if std::env::var_os("CLAIM_BLESS").is_some() {
                fs::create_dir_all(sample.parent().unwrap()).unwrap();
                fs::write(&sample, &written).unwrap();
            }
            let sample = fs::read_to_string(&sample).unwrap_or_default();
            assert_eq!(written, sample, "hooks/{}: run this test with CLAIM_BLESS=1 to renew it", file.sample);
            let is_executable = fs::metadata(&path).unwrap().permissions().mode() & 0o111 != 0;
            assert_eq!(is_executable, matches!(file.content, Content::Whole { executable: true, .. }));
        }
        let before = files(&work);
        machine
            .run(["install", host.name, "--project"])
            .stdout(format!("already installed for {}: nothing to change\n", host.title))
            .check();
        assert_eq!(files(&work), before);
        machine.run(["install", host.name, "--project", "--uninstall"]).stdout_any().check();
        assert_eq!(files(&work), [""; 0], "{}", host.name);
        machine
            .run(["install", host.name, "--project", "--uninstall"])
            .stdout(format!("not installed for {}: nothing to remove\n", host.title))
            .check();
    }
}

#[test]
fn the_users_own_directory_is_where_the_host_looks() {
    for host in HOSTS {
        let machine = Machine::new();
        let home = machine.sandbox.home();
        machine.run(["install", host.name]).stdout_any().check();
        for file in host.files {
            assert!(home.join(host.user.home).join(file.user).is_file(), "{}", host.name);
        }
        assert_eq!(files(&machine.sandbox.work()), [""; 0]);
        machine.run(["install", host.name, "--user", "--uninstall"]).stdout_any().check();
        assert_eq!(files(&home), ["bin/", "bin/claim", "bin/git", "tmp/"], "{}", host.name);

        let Some((variable, below)) = host.user.variable else { continue };
        let moved = home.join("elsewhere");
        machine.run(["install", host.name]).env(variable, &moved).stdout_any().check();
        assert!(moved.join(below).join(host.files[0].user).is_file(), "{}", host.name);
        assert!(!home.join(host.user.home).exists(), "{}", host.name);
    }
}

#[test]
fn the_plugin_has_the_hooks_that_install_writes() {
    let root = samples().parent().unwrap().to_owned();
    let read = |path: &str| -> Value { serde_json::from_str(&fs::read_to_string(root.join(path)).unwrap()).unwrap() };
    assert_eq!(read("hooks/hooks.json")["hooks"], read("hooks/claude/settings.json")["hooks"]);
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(read(".claude-plugin/plugin.json")["version"], version);
    assert_eq!(read(".claude-plugin/plugin.json")["name"], "claim");
    assert_eq!(read(".claude-plugin/marketplace.json")["plugins"][0]["name"], "claim");
    assert_eq!(read("hooks/goose/plugin.json")["version"], version);
    let manifest = fs::read_to_string(root.join(".pre-commit-hooks.yaml")).unwrap();
    assert!(manifest.contains("entry: claim guard --staged\n"), "{manifest}");
}

#[test]
fn other_peoples_settings_stay_and_come_back_to_the_byte() {
    for text in [SETTINGS, "{}\n", "{\"hooks\":{}}", "{\r\n\t\"a\": 1, // one\r\n}\r\n", ""] {
        let machine = Machine::new();
        let path = with_settings(&machine, text);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        machine
            .run(["install", "claude"])
            .stdout(
                "installed for Claude Code:\n  [HOME]/.claude/settings.json (changed; before: \
                 [HOME]/.claude/settings.json.claim-backup)\n  next: start new sessions: running ones have read their \
                 hooks already\n",
            )
            .check();
        let backup = path.with_file_name("settings.json.claim-backup");
        assert_eq!(fs::read_to_string(&backup).unwrap(), text);
        for file in [&path, &backup] {
            assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600, "a token may be in it");
        }
        machine.run(["install", "claude"]).stdout_any().check();
        assert_eq!(fs::read_to_string(&backup).unwrap(), text, "a run that changes nothing keeps the backup");
        machine
            .run(["install", "claude", "--uninstall"])
            .stdout("removed from Claude Code:\n  [HOME]/.claude/settings.json (changed)\n")
            .check();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert_eq!(files(path.parent().unwrap()), ["settings.json"]);
    }
}

#[test]
fn an_uninstall_after_other_changes_takes_out_only_its_own() {
    let machine = Machine::new();
    let path = with_settings(&machine, SETTINGS);
    machine.run(["install", "claude"]).stdout_any().check();
    let changed = fs::read_to_string(&path).unwrap().replace("opus", "sonnet");
    fs::write(&path, &changed).unwrap();
    machine.run(["install", "claude", "--uninstall"]).stdout_any().check();
    assert_eq!(fs::read_to_string(&path).unwrap(), SETTINGS.replace("opus", "sonnet"));
    let backup = path.with_file_name("settings.json.claim-backup");
    assert_eq!(fs::read_to_string(backup).unwrap(), changed);
}

#[test]
fn a_malformed_file_is_left_alone_and_named() {
    let machine = Machine::new();
    let path = with_settings(&machine, "{\n  \"model\": \"opus\"\n  \"env\": {}\n}\n");
    for arguments in [&["install", "claude"][..], &["install", "claude", "--uninstall"]] {
        machine
            .run(arguments)
            .exit(1)
            .stderr(
                "claim: [HOME]/.claude/settings.json was left alone, because it is malformed at line 3, column 3: a comma \
                 or a closing bracket is missing\n",
            )
            .check();
    }
    fs::write(&path, b"{\"a\": \"\xff\"}").unwrap();
    machine
        .run(["install", "claude"])
        .exit(1)
        .stderr("claim: [HOME]/.claude/settings.json is not UTF-8: it was left alone\n")
        .check();
    assert_eq!(files(path.parent().unwrap()), ["settings.json"]);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let object = machine.run(["install", "claude"]).exit(1).json();
    assert_eq!((&object["outcome"], &object["error"]), (&json!("error"), &json!("not-regular")));
}

#[test]
fn a_file_that_is_malformed_keeps_every_file_from_being_written() {
    let machine = Machine::new();
    let work = machine.sandbox.work();
    fs::create_dir_all(work.join(".agents/plugins/claim")).unwrap();
    fs::write(work.join(".agents/plugins/claim/plugin.json"), "{\"name\": \"other\"}\n").unwrap();
    let before = files(&work);
    machine
        .run(["install", "goose", "--project"])
        .exit(1)
        .stderr("claim: [WORK]/.agents/plugins/claim/plugin.json is not claim's: move it away and try again\n")
        .check();
    assert_eq!(files(&work), before);
}

#[test]
fn a_link_is_written_through_and_stays_a_link() {
    let machine = Machine::new();
    let (home, claude) = (machine.sandbox.home(), machine.sandbox.home().join(".claude"));
    fs::create_dir_all(home.join("dotfiles")).unwrap();
    fs::create_dir_all(&claude).unwrap();
    let real = home.join("dotfiles/claude.json");
    fs::write(&real, SETTINGS).unwrap();
    symlink("../dotfiles/claude.json", claude.join("settings.json")).unwrap();
    machine.run(["install", "claude"]).stdout_any().check();
    assert!(fs::symlink_metadata(claude.join("settings.json")).unwrap().is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains("claim hook"));
    assert_eq!(files(&home.join("dotfiles")), ["claude.json"], "the backup is not put into somebody's repository");
    machine.run(["install", "claude", "--uninstall"]).stdout_any().check();
    assert_eq!(fs::read_to_string(&real).unwrap(), SETTINGS);
    assert!(fs::symlink_metadata(claude.join("settings.json")).unwrap().is_symlink());

    fs::remove_file(&real).unwrap();
    machine.run(["install", "claude"]).stdout_any().check();
    assert!(fs::read_to_string(&real).unwrap().contains("claim hook"), "where the link leads, the file is made");
}

#[test]
fn a_file_with_two_names_stays_one_file() {
    let machine = Machine::new();
    let path = with_settings(&machine, SETTINGS);
    let other = machine.sandbox.home().join("other.json");
    fs::hard_link(&path, &other).unwrap();
    machine.run(["install", "claude"]).stdout_any().check();
    assert_eq!(fs::metadata(&path).unwrap().ino(), fs::metadata(&other).unwrap().ino());
    assert!(fs::read_to_string(&other).unwrap().contains("claim hook"));
}

#[test]
fn what_cannot_be_written_or_proved_is_an_error_and_leaves_nothing_behind() {
    need("strace");
    for (injection, complaint) in [
        ("/^rename:error=EROFS", "Read-only file system"),
        ("/^write:retval=1:when=1", "does not hold what was written to it"),
        ("/^fsync:error=EIO", "Input/output error"),
    ] {
        let machine = Machine::new();
        let path = with_settings(&machine, SETTINGS);
        machine
            .run(["install", "claude"])
            .through([
                found("strace").to_str().unwrap(),
                "-qq",
                "-o",
                "/dev/null",
                "-e",
                &format!("inject={injection}"),
            ])
            .exit(1)
            .stderr_is(predicate::str::contains(complaint))
            .check();
        assert_eq!(fs::read_to_string(&path).unwrap(), SETTINGS, "{injection}");
        assert_eq!(files(path.parent().unwrap()), ["settings.json"], "{injection}");
    }
}

#[test]
fn a_dry_run_shows_the_change_and_makes_none() {
    let machine = Machine::new();
    let path = with_settings(&machine, "{\n  \"model\": \"opus\"\n}\n");
    machine
        .run(["install", "claude", "--dry-run"])
        .stdout_is(
            predicate::str::starts_with("claim install claude would change:\n")
                .and(predicate::str::contains(
                    "\n      {\n    -   \"model\": \"opus\"\n    +   \"model\": \"opus\",\n    +   \"hooks\": {\n",
                ))
                .and(predicate::str::contains("\n    +   }\n      }\n")),
        )
        .check();
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\n  \"model\": \"opus\"\n}\n");
    let object = machine.run(["install", "opencode", "--dry-run"]).json();
    assert_eq!((&object["outcome"], &object["scope"]), (&json!("dry-run"), &json!("user")));
    assert_eq!(object["files"][0]["change"], "created");
    let object = machine.run(["install", "claude", "--uninstall", "--dry-run"]).json();
    assert_eq!(object["outcome"], "unchanged");
    assert_eq!(files(path.parent().unwrap()), ["settings.json"]);
    assert!(!machine.sandbox.home().join(".config").exists());
}

#[test]
fn what_came_of_it_is_one_object() {
    let machine = Machine::new();
    let path = with_settings(&machine, SETTINGS);
    let object = machine.run(["install", "claude"]).json();
    assert_eq!(object["outcome"], "installed");
    assert_eq!(object["agent"], "claude");
    assert_eq!(object["files"][0]["path"], path.to_str().unwrap());
    assert_eq!(object["files"][0]["backup"], format!("{}.claim-backup", path.to_str().unwrap()));
    assert_eq!(object["next"].as_array().unwrap().len(), 1);
    assert_eq!(object.get("warning"), None);
    assert_eq!(machine.run(["install", "claude"]).json()["outcome"], "unchanged");
    assert_eq!(machine.run(["install", "claude", "--uninstall"]).json()["outcome"], "uninstalled");
    machine.remove("claim");
    assert!(machine.run(["install", "codex"]).json()["warning"].as_str().unwrap().contains("PATH"));
    machine.run(["install", "emacs"]).exit(2).stderr_some().check();
    machine.run(["install", "claude", "--user", "--project"]).exit(2).stderr_some().check();
}

/// Every command of every host that is given to a shell: the host, the event, the command.
fn commands() -> Vec<(&'static str, String, String)> {
    let mut found = Vec::new();
    for host in HOSTS {
        for file in host.files.iter().filter(|file| matches!(file.content, Content::Hooks(_))) {
            let text = fs::read_to_string(samples().join(file.sample)).unwrap();
            let value: Value = serde_json::from_str(&text).unwrap();
            for (event, list) in value["hooks"].as_object().unwrap() {
                let element = &list[0];
                let handler = element.get("hooks").map_or(element, |hooks| &hooks[0]);
                let command = handler.get("command").or(handler.get("bash")).unwrap().as_str().unwrap();
                found.push((host.name, event.clone(), command.to_owned()));
            }
        }
    }
    assert!(found.len() > 30, "{}", found.len());
    found
}

/// Every way in which a program can go wrong: a name, what it is, and whether it is a refusal of its own.
const PROGRAMS: &[(&str, Option<&str>)] = &[
    ("missing", None),
    ("silent failure", Some("#!/bin/sh\nexit 1\n")),
    ("refusal in another code", Some("#!/bin/sh\nexit 75\n")),
    ("panic", Some("#!/bin/sh\necho panicked >&2\nexit 101\n")),
    ("killed", Some("#!/bin/sh\nkill -9 $$\n")),
    ("no program", Some("\u{1}")),
];

#[test]
fn before_a_write_every_failure_is_a_denial_that_says_something_and_elsewhere_nothing() {
    let machine = Machine::new();
    let work = machine.sandbox.work();
    machine.add("sh", &found("sh"));
    for (host, event, command) in commands() {
        let is_before = command.contains("exit 2");
        let shells: &[&str] =
            if command.starts_with("sh -c") { &["sh", "bash", "zsh", "fish"] } else { &["sh", "bash"] };
        for shell in shells {
            let run = |program: Option<&str>| {
                match program {
                    Some(text) => machine.script("claim", text),
                    None => drop(fs::remove_file(machine.bin().join("claim"))),
                }
                let output = machine.command("s", &work, found(shell)).args(["-c", &command]).output().unwrap();
                let texts = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
                (output.status.code(), texts)
            };
            for (name, program) in PROGRAMS {
                let (code, [stdout, stderr]) = run(*program);
                let case = format!("{host} {event} in {shell}: {name}: {stderr}");
                assert_eq!(stdout, "", "{case}");
                assert_eq!(code, Some(if is_before { 2 } else { 0 }), "{case}");
                let message = "claim: the hook failed, so this write was stopped; see: claim doctor\n";
                assert_eq!(stderr.ends_with(message), is_before, "{case}");
            }
            let refusal = "#!/bin/sh\necho '{}'\necho REFUSED >&2\nexit 2\n";
            let (code, texts) = run(Some(refusal));
            assert_eq!(code, Some(if is_before { 2 } else { 0 }), "{host} {event}");
            assert_eq!(texts, ["{}\n", "REFUSED\n"], "{host} {event}: a refusal's own words, once");
            let (code, texts) = run(Some("#!/bin/sh\nexit 0\n"));
            assert_eq!((code, texts), (Some(0), [String::new(), String::new()]), "{host} {event}");
        }
    }
}

#[test]
fn a_script_for_cline_makes_every_failure_a_cancel() {
    let machine = Machine::new();
    let work = machine.sandbox.work();
    for name in ["PreToolUse", "TaskStart", "TaskComplete"] {
        for (case, program) in PROGRAMS {
            match program {
                Some(text) => machine.script("claim", text),
                None => drop(fs::remove_file(machine.bin().join("claim"))),
            }
            let output = machine.command("s", &work, samples().join("cline").join(name)).output().unwrap();
            if name == "PreToolUse" {
                let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
                assert_eq!(answer["cancel"], true, "{case}");
                assert!(answer["errorMessage"].as_str().unwrap().starts_with("claim: the hook failed"), "{case}");
                assert_eq!(output.status.code(), Some(2), "{case}");
            } else {
                assert_eq!((output.status.code(), &output.stdout[..]), (Some(0), &b""[..]), "{case}");
            }
        }
    }
}

#[test]
fn the_installed_command_denies_and_allows_by_the_real_program() {
    let machine = Machine::new();
    let (held, home) = (machine.repository("held"), machine.repository("home"));
    machine.by("other", ["take", held.to_str().unwrap(), "busy"]).stdout_any().check();
    let command =
        commands().into_iter().find(|(host, event, _)| (*host, &**event) == ("claude", "PreToolUse")).unwrap().2;
    let ask = |path: &Path| {
        let payload = json!({"session_id": "s1", "cwd": home, "hook_event_name": "PreToolUse", "tool_name": "Write",
            "tool_input": {"file_path": path, "content": "x"}, "transcript_path": "/t.jsonl", "permission_mode": "default"});
        let mut child = machine
            .command("s", &home, found("sh"))
            .env_remove("CLAIM_HOLDER")
            .args(["-c", &command])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    };
    let allowed = ask(&home.join("b.txt"));
    assert_eq!((allowed.status.code(), said(&allowed)), (Some(0), String::new()));
    let denied = ask(&held.join("b.txt"));
    assert_eq!(denied.status.code(), Some(2));
    let stderr = String::from_utf8(denied.stderr).unwrap();
    assert!(stderr.starts_with("REFUSED: "), "{stderr}");
    assert!(!stderr.contains("the hook failed"), "{stderr}");
}

#[test]
fn the_git_hook_calls_the_one_before_it_and_gives_its_name_back() {
    let machine = Machine::new();
    let repository = machine.repository("repository");
    let hooks = repository.join(".git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    let original = "#!/bin/sh\necho original ran\n";
    fs::write(hooks.join("pre-commit"), original).unwrap();
    executable(&hooks.join("pre-commit"));
    let before = files(&hooks);
    let run = |arguments: &[&str]| machine.run(arguments).within(&repository);

    run(&["install", "git", "--dry-run"])
        .stdout_is(predicate::str::contains("(moved to [WORK]").not().and(predicate::str::contains("(moved to ")))
        .check();
    assert_eq!(files(&hooks), before);
    run(&["install", "git"])
        .stdout(
            "installed for git:\n  [WORK]/repository/.git/hooks/pre-commit (created)\n  \
             [WORK]/repository/.git/hooks/pre-merge-commit (created)\n  next: nothing: the next commit in this repository \
             asks claim, in every worktree of it\n  [WORK]/repository/.git/hooks/pre-commit (moved to \
             [WORK]/repository/.git/hooks/pre-commit.before-claim)\n",
        )
        .check();
    run(&["install", "git"]).stdout("already installed for git: nothing to change\n").check();
    fs::write(repository.join("b.txt"), "b\n").unwrap();
    machine.git_done(&repository, &["add", "."]);
    let output = machine.git("session-a41", &repository, &["commit", "-m", "b"]);
    assert!(output.status.success() && said(&output).contains("original ran"), "{}", said(&output));

    // An older version of claim's own is renewed, and what it calls stays.
    fs::write(hooks.join("pre-commit"), "#!/bin/sh\n# claim's git hook: older\n").unwrap();
    run(&["install", "git"]).stdout_any().check();
    assert_eq!(fs::read_to_string(hooks.join("pre-commit")).unwrap(), claim::core::install::GIT_HOOK);
    run(&["install", "git", "--uninstall"]).stdout_any().check();
    assert_eq!(fs::read_to_string(hooks.join("pre-commit")).unwrap(), original);
    assert_eq!(files(&hooks), before);
    run(&["install", "git", "--uninstall"]).stdout("not installed for git: nothing to remove\n").check();
}

#[test]
fn a_git_hook_is_not_moved_over_another() {
    let machine = Machine::new();
    let repository = machine.repository("repository");
    let hooks = repository.join(".git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    for name in ["pre-commit", "pre-commit.before-claim"] {
        fs::write(hooks.join(name), name).unwrap();
    }
    machine
        .run(["install", "git"])
        .within(&repository)
        .exit(1)
        .stderr(
            "claim: [WORK]/repository/.git/hooks/pre-commit would be moved to \
             [WORK]/repository/.git/hooks/pre-commit.before-claim, which is there: move that away\n",
        )
        .check();
    assert_eq!(fs::read_to_string(hooks.join("pre-commit")).unwrap(), "pre-commit");
    machine.run(["install", "git", "--user"]).within(&repository).exit(2).stderr_some().check();
    machine.run(["install", "git"]).exit(1).stderr_some().check();
}

#[test]
fn a_git_hook_that_cannot_be_written_leaves_the_old_one_in_place() {
    let machine = Machine::new();
    let repository = machine.repository("repository");
    let hooks = repository.join(".git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    fs::write(hooks.join("pre-commit"), "#!/bin/sh\n").unwrap();
    let before = files(&hooks);
    machine
        .run(["install", "git"])
        .within(&repository)
        .through([found("strace").to_str().unwrap(), "-qq", "-o", "/dev/null", "-e", "inject=/^fsync:error=EIO"])
        .exit(1)
        .stderr_some()
        .check();
    assert_eq!(files(&hooks), before);
}

#[test]
fn hooks_that_a_program_looks_after_are_left_to_it() {
    let machine = Machine::new();
    for (name, hook, file) in [
        ("lefthook", "#!/bin/sh\n# LEFTHOOK\n", "lefthook.yml"),
        (
            "pre-commit",
            "#!/bin/sh\n# File generated by pre-commit: https://pre-commit.com\n",
            ".pre-commit-config.yaml",
        ),
        ("husky", "", ".husky/pre-commit"),
    ] {
        let repository = machine.repository(name);
        if name == "husky" {
            fs::create_dir_all(repository.join(".husky/_")).unwrap();
            machine.git_done(&repository, &["config", "core.hooksPath", ".husky/_"]);
        } else {
            fs::create_dir_all(repository.join(".git/hooks")).unwrap();
            fs::write(repository.join(".git/hooks/pre-commit"), hook).unwrap();
        }
        machine
            .run(["install", "git"])
            .within(&repository)
            .exit(1)
            .stderr_is(
                predicate::str::starts_with(format!("claim: {name} looks after the hooks of this repository"))
                    .and(predicate::str::contains(format!("add this to {}", repository.join(file).display())))
                    .and(predicate::str::contains("claim guard --staged")),
            )
            .check();
        fs::write(repository.join(file), "claim guard --staged\n").unwrap();
        machine
            .run(["install", "git"])
            .within(&repository)
            .stdout(format!("already installed for git (by {name}): nothing to change\n"))
            .check();
    }
}
