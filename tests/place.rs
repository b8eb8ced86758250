//! Where the place is, who may read it, and that nothing but regular files is ever opened in it.

use std::{
    fs,
    os::unix::{
        fs::{MetadataExt as _, PermissionsExt as _, chown, symlink},
        net::UnixListener,
    },
    path::Path,
};

use crate::support::{CLAIM, Sandbox, need, record};

#[test]
fn the_place_is_claim_dir_else_in_the_home_directory() {
    let sandbox = Sandbox::new();
    let default = sandbox.home().join(".local/state/claim");
    // An empty variable counts as none.
    for run in [sandbox.run(["status"]).env_remove("CLAIM_DIR"), sandbox.run(["status"]).env("CLAIM_DIR", "")] {
        run.stdout("No claims in [HOME]/.local/state/claim.\n").check();
    }
    assert!(!sandbox.home().join(".local").exists(), "status makes nothing");
    sandbox.by("a", ["take", "t", "why"]).env_remove("CLAIM_DIR").stdout_any().check();
    assert!(default.join("claims/t.json").is_file());
    assert!(!sandbox.place().exists());

    sandbox.take("a", "u");
    assert_eq!(sandbox.stems(), ["u"]);

    // The option goes before the variable, and is relative to where it is typed.
    sandbox.by("a", ["take", "v", "why", "--dir", "here"]).stdout_any().check();
    assert!(sandbox.work().join("here/claims/v.json").is_file());
    sandbox.by("a", ["--dir", default.to_str().unwrap(), "beat", "t"]).stdout_any().check();
}

#[test]
fn xdg_variables_are_not_read() {
    let sandbox = Sandbox::new();
    let elsewhere = sandbox.work().join("xdg");
    let mut run = sandbox.by("a", ["take", "t", "why"]).env_remove("CLAIM_DIR");
    for name in ["XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME"] {
        run = run.env(name, &elsewhere);
    }
    run.stdout_any().check();
    assert!(sandbox.home().join(".local/state/claim/claims/t.json").is_file());
    assert!(!elsewhere.exists());
}

#[test]
fn a_relative_place_in_the_environment_is_a_usage_error() {
    let sandbox = Sandbox::new();
    for place in ["here", "./here", "../here", "~/here"] {
        sandbox.by("a", ["take", "t", "why"]).env("CLAIM_DIR", place).exit(2).stderr_has("CLAIM_DIR").check();
    }
    sandbox.by("a", ["take", "t", "why", "--dir", ""]).exit(2).stderr_has("--dir").check();
    assert_eq!(fs::read_dir(sandbox.work()).unwrap().count(), 0);
}

#[test]
fn without_a_home_variable_the_list_of_users_says_where_home_is() {
    let sandbox = Sandbox::new();
    let status = |home: Option<&str>| {
        let run = sandbox.run(["status"]).env_remove("CLAIM_DIR").env_remove("HOME");
        if let Some(home) = home { run.env("HOME", home) } else { run }
    };
    let user = fs::metadata(sandbox.work()).unwrap().uid().to_string();
    let list = fs::read_to_string("/etc/passwd").unwrap();
    let listed = list.lines().map(|line| line.split(':').collect::<Vec<_>>()).find(|fields| fields[2] == user).unwrap();
    for home in [None, Some(""), Some("relative")] {
        let answer = status(home).json();
        assert_eq!(answer["dir"], format!("{}/.local/state/claim", listed[5]), "{home:?}");
    }
    // Nobody knows where a user lives who is not listed.
    let copy = executable_copy(&sandbox);
    let unlisted = ["sh", "-c", r#"shift; exec setpriv --reuid 3999999 --clear-groups "$0" "$@""#, &copy];
    need("setpriv");
    status(None).through(unlisted).within("/").exit(1).stderr_has("CLAIM_DIR").check();
}

/// The program at a path that every user can reach, which the build directory need not be.
fn executable_copy(sandbox: &Sandbox) -> String {
    let copy = sandbox.work().parent().unwrap().join("claim");
    fs::copy(CLAIM, &copy).unwrap();
    fs::set_permissions(copy.parent().unwrap(), fs::Permissions::from_mode(0o755)).unwrap();
    copy.to_str().unwrap().to_owned()
}

fn mode(path: &Path) -> String {
    format!("{:o}", fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777)
}

#[test]
fn the_place_is_its_owners_alone_whatever_the_umask() {
    for umask in ["000", "002", "022", "077"] {
        let sandbox = Sandbox::new();
        sandbox.write("broken", "");
        sandbox.age_bytes("broken", 901);
        // Only the bytes were wanted: the place is to be made by the program, below a directory that is missing as well.
        let deep = sandbox.work().join("deep/place");
        let shell = format!(r#"umask {umask}; exec "$@""#);
        sandbox
            .by("a", ["take", "t", "why"])
            .env("CLAIM_DIR", &deep)
            .through(["sh", "-c", &shell, "sh"])
            .stdout_any()
            .check();
        fs::rename(sandbox.file("broken"), deep.join("claims/broken.json")).unwrap();
        for verb in
            [&["take", "t", "again"][..], &["take", "u", "s", "--shared"], &["take", "broken", "why"], &["beat", "t"]]
        {
            sandbox.by("a", verb).env("CLAIM_DIR", &deep).through(["sh", "-c", &shell, "sh"]).stdout_any().check();
        }
        for directory in ["", "claims", "unreadable"] {
            assert_eq!(mode(&deep.join(directory)), "700", "{umask} {directory}");
        }
        for file in ["lock", "trace.jsonl", "claims/t.json", "claims/u.json", "claims/broken.json"] {
            assert_eq!(mode(&deep.join(file)), "600", "{umask} {file}");
        }
        assert_eq!(mode(deep.parent().unwrap()), "700", "{umask}: what leads to it");
    }
}

#[test]
fn a_group_directory_shares_its_claims_with_the_group() {
    const GROUP: u32 = 4_002;
    need("setpriv");
    let sandbox = Sandbox::new();
    let copy = executable_copy(&sandbox);
    fs::create_dir(sandbox.place()).unwrap();
    chown(sandbox.place(), None, Some(GROUP)).unwrap();
    fs::set_permissions(sandbox.place(), fs::Permissions::from_mode(0o2770)).unwrap();
    let as_user = |user: &str, arguments: &[&str]| {
        let shell =
            format!(r#"shift; umask 077; exec setpriv --reuid {user} --regid {user} --groups {GROUP} "$0" "$@""#);
        sandbox.by(user, arguments).within("/").through(["sh", "-c", &shell, &copy])
    };
    as_user("4101", &["take", "t", "why"]).stdout_any().check();
    as_user("4102", &["take", "t", "why"]).exit(75).stderr_has("REFUSED: t is claimed by 4101 (").check();
    as_user("4102", &["status"]).stdout_has("4101").check();
    sandbox.age("t", 901);
    as_user("4102", &["take", "t", "why"]).stdout_has("taken-over").check();
    as_user("4101", &["beat", "t"]).exit(75).stderr_some().check();
    as_user("4102", &["release", "t"]).stdout_any().check();
    sandbox.write("broken", "");
    sandbox.age_bytes("broken", 901);
    as_user("4101", &["take", "broken", "why"]).stdout_any().check();

    for directory in ["claims", "unreadable"] {
        assert_eq!(mode(&sandbox.place().join(directory)), "2770", "{directory}");
    }
    for file in ["lock", "trace.jsonl", "claims/broken.json"] {
        assert_eq!(mode(&sandbox.place().join(file)), "660", "{file}");
    }
    for path in ["lock", "trace.jsonl", "claims", "unreadable", "claims/broken.json"] {
        assert_eq!(fs::metadata(sandbox.place().join(path)).unwrap().gid(), GROUP, "{path}");
    }
}

#[test]
fn reading_takes_no_lock_and_a_change_that_cannot_have_it_fails() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    let bytes = sandbox.bytes("t");
    let lock = fs::File::open(sandbox.place().join("lock")).unwrap();
    fs2::FileExt::lock_exclusive(&lock).unwrap();
    sandbox.run(["status"]).stdout_has("1 claim").check();
    // All at once, because each waits out its patience.
    std::thread::scope(|scope| {
        for verb in [&["take", "t", "mine"][..], &["take", "u", "mine"], &["beat", "t"], &["release", "t"]] {
            let sandbox = &sandbox;
            scope.spawn(move || {
                let object = sandbox.by("a", verb).exit(1).json();
                assert_eq!((&object["outcome"], &object["error"]), (&"error".into(), &"lock-timeout".into()));
            });
        }
    });
    assert_eq!((sandbox.stems(), sandbox.bytes("t")), (vec!["t".to_owned()], bytes));
    fs2::FileExt::unlock(&lock).unwrap();
    sandbox.by("a", ["beat", "t"]).stdout_any().check();
}

/// Puts something that is no regular file at a path, and returns what a message calls it.
fn irregular(path: &Path, kind: &str, victim: &Path) -> &'static str {
    match kind {
        "link" => {
            symlink(victim, path).unwrap();
            "link"
        }
        "dangling link" => {
            symlink(victim.with_file_name("nobody"), path).unwrap();
            "link"
        }
        "pipe" => {
            need("mkfifo");
            assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
            "pipe"
        }
        "socket" => {
            drop(UnixListener::bind(path).unwrap());
            "socket"
        }
        _ => {
            fs::create_dir(path).unwrap();
            "directory"
        }
    }
}

const KINDS: [&str; 5] = ["link", "dangling link", "pipe", "socket", "directory"];

#[test]
fn what_is_no_regular_file_at_a_claims_path_is_an_error_and_is_never_opened() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let victim = sandbox.work().join("victim");
        fs::write(&victim, record("t", "a", 901).to_string()).unwrap();
        sandbox.take("a", "other");
        let called = irregular(&sandbox.file("t"), kind, &victim);
        for verb in [
            &["take", "t", "why"][..],
            &["beat", "t"],
            &["release", "t"],
            &["release", "--all"],
            &["release", "--stale"],
        ] {
            let told = sandbox.by("a", verb).exit(1).stderr_has(called).check().stderr;
            assert!(told.contains("/claims/t.json"), "{kind} {verb:?}: {told}");
        }
        // Flagged, with the other rows; also when nothing but this target is asked about.
        let told = sandbox.run(["status"]).exit(1).stdout_has("other").stderr_has(called).check().stderr;
        assert!(told.contains("/claims/t.json"), "{kind}: {told}");
        for narrow in [&["status", "t"][..], &["status", "--mine"], &["status", "--stale"]] {
            sandbox.by("a", narrow).exit(1).stdout_any().stderr_has("/claims/t.json").check();
        }
        // Other targets are not affected.
        sandbox.by("b", ["take", "u", "why"]).stdout_any().check();
        sandbox.run(["status", "u"]).stdout_has("1 claim").check();
        assert_eq!(fs::read_to_string(&victim).unwrap(), fs::read_to_string(&victim).unwrap());
        assert!(fs::symlink_metadata(sandbox.file("t")).is_ok_and(|status| !status.is_file()), "{kind}");
        assert!(!sandbox.work().join("nobody").exists());
    }
}

#[test]
fn a_lock_that_is_no_regular_file_is_an_error_and_what_it_leads_to_is_untouched() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let victim = sandbox.work().join("victim");
        fs::write(&victim, "precious").unwrap();
        fs::create_dir(sandbox.place()).unwrap();
        let called = irregular(&sandbox.place().join("lock"), kind, &victim);
        for verb in [&["take", "t", "why"][..], &["beat", "t"], &["release", "t"], &["release", "--stale"]] {
            let told = sandbox.by("a", verb).exit(1).stderr_has(called).check().stderr;
            assert!(told.contains("[DIR]/lock".replace("[DIR]", sandbox.place().to_str().unwrap()).as_str()), "{told}");
        }
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
        assert!(!sandbox.work().join("nobody").exists());
        assert_eq!(sandbox.stems(), [""; 0]);
    }
}

#[test]
fn a_trace_that_is_no_regular_file_is_warned_of_and_what_it_leads_to_is_untouched() {
    for kind in KINDS {
        let sandbox = Sandbox::new();
        let victim = sandbox.work().join("victim");
        fs::write(&victim, "precious").unwrap();
        fs::create_dir(sandbox.place()).unwrap();
        irregular(&sandbox.place().join("trace.jsonl"), kind, &victim);
        // The trace is a record of what was done, not a condition for it.
        for verb in [&["take", "t", "why"][..], &["beat", "t"], &["release", "t"]] {
            sandbox.by("a", verb).stdout_any().stderr_has("trace.jsonl").check();
        }
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
        assert!(!sandbox.work().join("nobody").exists());
    }
}

#[test]
fn a_part_of_the_place_that_is_a_link_leads_nowhere() {
    for part in ["claims", "unreadable"] {
        let sandbox = Sandbox::new();
        sandbox.write("t", "");
        sandbox.age_bytes("t", 901);
        let elsewhere = sandbox.work().join("elsewhere");
        if part == "claims" {
            fs::rename(sandbox.place().join(part), &elsewhere).unwrap();
        } else {
            fs::create_dir(&elsewhere).unwrap();
        }
        symlink(&elsewhere, sandbox.place().join(part)).unwrap();
        let before: Vec<_> = fs::read_dir(&elsewhere).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        sandbox.by("a", ["take", "t", "why"]).exit(1).stderr_has(part).check();
        let after: Vec<_> = fs::read_dir(&elsewhere).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(before, after);
        assert_eq!(sandbox.bytes("t"), b"", "nothing is lost");
    }
    // The place itself may be one: whoever sets it says where it is.
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.work().join("real")).unwrap();
    symlink("work/real", sandbox.place()).unwrap();
    sandbox.take("a", "t");
    assert!(sandbox.work().join("real/claims/t.json").is_file());
}

#[test]
fn what_a_crash_left_beside_the_claims_is_no_obstacle_and_is_not_followed() {
    for kind in ["file", "link", "dangling link", "pipe", "socket"] {
        let sandbox = Sandbox::new();
        let victim = sandbox.work().join("victim");
        fs::write(&victim, "precious").unwrap();
        fs::create_dir(sandbox.place()).unwrap();
        let leftover = sandbox.place().join("pending");
        if kind == "file" {
            fs::write(&leftover, "{\"target\": ").unwrap();
        } else {
            irregular(&leftover, kind, &victim);
        }
        sandbox.take("a", "t");
        assert_eq!(sandbox.files(), ["claims/t.json", "lock", "trace.jsonl"], "{kind}");
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
        assert!(!sandbox.work().join("nobody").exists());
    }
}

#[test]
fn a_place_that_is_no_directory_is_an_error() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.place(), "precious").unwrap();
    for place in [sandbox.place(), sandbox.place().join("below")] {
        for verb in [&["take", "t", "why"][..], &["beat", "t"], &["release", "t"], &["status"]] {
            sandbox.by("a", verb).env("CLAIM_DIR", &place).exit(1).stderr_has("/place").check();
        }
    }
    assert_eq!(fs::read_to_string(sandbox.place()).unwrap(), "precious");
}
