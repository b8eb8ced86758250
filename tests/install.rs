//! `install` through the program: every host's files, other people's files, and the commands in real shells.

use std::{
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink},
    path::{Path, PathBuf},
};

use claim::core::install::{Content, HOSTS};
use predicates::prelude::*;
use serde_json::{Value, json};

use crate::{
    machine::{Machine, files, found},
    support::need,
};

pub(crate) fn samples() -> PathBuf {
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
        ("/^rename:error=EBUSY:when=2", "Device or resource busy"),
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
    assert_eq!(object.get("warnings"), None);
    assert_eq!(machine.run(["install", "claude"]).json()["outcome"], "unchanged");
    assert_eq!(machine.run(["install", "claude", "--uninstall"]).json()["outcome"], "uninstalled");
    machine.remove("claim");
    assert!(machine.run(["install", "codex"]).json()["warnings"][0].as_str().unwrap().contains("PATH"));
    machine.run(["install", "emacs"]).exit(2).stderr_some().check();
    machine.run(["install", "claude", "--user", "--project"]).exit(2).stderr_some().check();
}

#[test]
fn a_file_that_somebody_else_has_just_changed_is_left_to_them() {
    use claim::host::settings::{self, SettingsError};
    let machine = Machine::new();
    let path = with_settings(&machine, SETTINGS);
    let new = "{}\n";
    assert!(matches!(settings::write(&path, Some("read before"), new, false), Err(SettingsError::Changed(_))));
    assert!(matches!(settings::write(&path, None, new, false), Err(SettingsError::Changed(_))));
    let home = machine.sandbox.home();
    assert!(matches!(settings::remove(&path, "read before", &home), Err(SettingsError::Changed(_))));
    assert_eq!(fs::read_to_string(&path).unwrap(), SETTINGS);
    assert_eq!(files(path.parent().unwrap()), ["settings.json"]);
}
