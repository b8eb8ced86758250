//! `run` through the program: what the command gets, and how its end is passed on.

use std::{fs, os::unix::fs::PermissionsExt as _, process::Stdio};

use serde_json::json;

use crate::{
    live,
    support::{AT_REST, CLAIM, Sandbox},
};

#[test]
fn the_commands_own_code_is_passed_on_and_nothing_is_said() {
    let sandbox = Sandbox::new();
    for (script, code) in [
        ("exit 0", 0),
        ("exit 7", 7),
        ("exit 75", 75),
        ("exit 255", 255),
        ("kill -9 $$", 137),
        ("kill -TERM $$", 143),
        ("kill -SEGV $$", 139),
    ] {
        sandbox.by("a", ["run", "t", "--", "sh", "-c", script]).exit(code).check();
        assert_eq!(sandbox.files(), AT_REST, "{script}");
    }
    sandbox.run(["audit"]).stdout_any().check();
}

#[test]
fn what_cannot_be_started_is_126_or_127_like_in_a_shell() {
    let sandbox = Sandbox::new();
    let work = sandbox.work();
    fs::write(work.join("plain"), "no program").unwrap();
    fs::create_dir(work.join("folder")).unwrap();
    fs::write(work.join("lost"), "#!/no/such/interpreter\n").unwrap();
    fs::set_permissions(work.join("lost"), fs::Permissions::from_mode(0o755)).unwrap();
    for (program, code) in
        [("no-such-command", 127), ("./absent", 127), ("", 127), ("./plain", 126), ("./folder", 126), ("./lost", 126)]
    {
        let outcome = sandbox.by("a", ["run", "t", "--", program]).exit(code).stderr_has("cannot start").check();
        assert!(outcome.stderr.contains(&format!("'{program}'")), "{outcome}");
        assert_eq!(sandbox.files(), AT_REST, "{program}");
    }
    let said = sandbox.by("a", ["run", "t", "--", "no-such-command"]).exit(127).json();
    assert_eq!((&said["outcome"], &said["error"]), (&json!("error"), &json!("not-found")));
}

#[test]
fn a_refused_command_is_never_started() {
    let sandbox = Sandbox::new();
    sandbox.take("b", "t");
    let before = sandbox.bytes("t");
    let refusal = "REFUSED: t is claimed by b (heartbeat [0s] ago).\n";
    for (option, code) in [(&[][..], 75), (&["--refused-code", "2"], 2), (&["--refused-code", "255"], 255)] {
        for verb in [&["run", "t"][..], &["take", "t", "why"]] {
            let rest: &[&str] = if verb[0] == "run" { &["--", "touch", "started"] } else { &[] };
            let run = sandbox.by("a", [verb, option, rest].concat());
            let outcome = run.exit(code).stderr_some().check();
            let first = outcome.stderr.split_inclusive('\n').next().unwrap();
            assert!(sandbox.fits(refusal, first), "{outcome}");
        }
    }
    let said = sandbox.by("a", ["run", "t", "--", "touch", "started"]).exit(75).json();
    assert_eq!((&said["outcome"], &said["claim"]["holder"]), (&json!("refused"), &json!("b")));
    assert!(!sandbox.work().join("started").exists());
    assert_eq!(sandbox.bytes("t"), before);
}

#[test]
fn a_refused_code_is_for_refusals_only() {
    let sandbox = Sandbox::new();
    let path = sandbox.work().join("elsewhere/file");
    let path = path.to_str().unwrap();
    fs::create_dir_all(sandbox.home().join("own")).unwrap();
    let guard = ["guard", "--home", "../home/own", "--refused-code", "2", path];
    sandbox.by("a", guard).exit(76).stderr_some().check();
    sandbox.take("b", path);
    sandbox.by("a", guard).exit(2).stderr_has("REFUSED").check();
    sandbox.by("b", guard).stdout_any().check();
    sandbox.by("a", ["take", "--refused-code", "9", "", "why"]).exit(2).stderr_some().check();
    sandbox.by("a", ["run", "--refused-code", "9", "t", "--", "sh", "-c", "exit 75"]).exit(75).check();
    for bad in ["0", "256", "-1", "", "x", "7.5"] {
        for verb in [&["take", "t", "p"][..], &["run", "t"], &["guard", "x"]] {
            let option = format!("--refused-code={bad}");
            let rest: &[&str] = if verb[0] == "run" { &["--", "touch", "started"] } else { &[] };
            sandbox.by("a", [verb, &[&option], rest].concat()).exit(2).stderr_some().check();
        }
    }
    assert!(!sandbox.work().join("started").exists());
}

#[test]
fn options_of_the_command_are_the_commands() {
    let sandbox = Sandbox::new();
    let help = sandbox.by("a", ["run", "t", "--", "ls", "--help"]).stdout_any().check();
    assert!(help.stdout.contains("ls [OPTION]"), "{help}");
    let words = ["--json", "--wait", "-h", "--", "--holder", "x", "run"];
    let echoed = [&["run", "t", "--", "printf", "%s\\n"], &words[..]].concat();
    sandbox.by("a", echoed).stdout(words.map(|word| format!("{word}\n")).concat()).check();
    // A target that looks like an option; and `--`, which has no letter.
    sandbox.by("a", ["run", "--", "-x", "--", "sh", "-c", "echo $CLAIM_TARGET"]).stdout("-x\n").check();
    sandbox.by("a", ["run", "--", "--", "--", "true"]).exit(2).stderr_has("no letter or digit").check();
    for missing in [&["run"][..], &["run", "t"], &["run", "t", "--"], &["run", "--", "true"], &["run", "t", "true"]] {
        sandbox.by("a", missing).exit(2).stderr_some().check();
    }
    assert_eq!(sandbox.files(), AT_REST);
}

#[test]
fn streams_environment_and_directory_pass_through() {
    let sandbox = Sandbox::new();
    let script = r#"cat; echo "$OWN $(pwd)"; echo oops >&2"#;
    let run = sandbox.by("a", ["run", "t", "--", "sh", "-c", script]).env("OWN", "mine");
    let mut command = run.command();
    command.stdin(fs::File::open(env!("CARGO_MANIFEST_DIR").to_owned() + "/rustfmt.toml").unwrap());
    let output = command.stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
    let given = include_str!("../rustfmt.toml");
    let expected = format!("{given}mine {}\n", sandbox.work().display());
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "oops\n");
}

#[test]
fn the_command_sees_what_claim_commands_in_it_need() {
    let sandbox = Sandbox::new();
    let script = r#"echo "$CLAIM_HOLDER|$CLAIM_TARGET|$CLAIM_DIR"; cd /; "$C" beat "$CLAIM_TARGET" && "$C" take "$CLAIM_TARGET" more
"$C" run "$CLAIM_TARGET" -- true && "$C" release "$CLAIM_TARGET""#;
    let run = sandbox.run(["--holder", "me", "--dir", "../place", "run", "./f", "--", "sh", "-c", script]);
    let said = run.env_remove("CLAIM_DIR").env("C", CLAIM).stdout_any();
    let said = said.stderr("claim: [WORK]/f was released elsewhere before the command ended\n").check().stdout;
    let first = said.lines().next().unwrap();
    let [holder, target, place] = first.split('|').collect::<Vec<_>>().try_into().unwrap();
    assert_eq!((holder, target), ("me", sandbox.work().join("f").to_str().unwrap()));
    assert!(place.starts_with('/'), "{place}");
    let rest: Vec<_> = said.lines().skip(1).map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(rest, ["beat", "renewed", "released"], "{said}");
    assert_eq!(sandbox.files(), AT_REST);
}

#[test]
fn no_descriptor_of_the_place_leaks_into_the_command() {
    let sandbox = Sandbox::new();
    let script = "for f in /proc/$$/fd/*; do readlink $f; done; true";
    let open = sandbox.by("a", ["run", "t", "--", "sh", "-c", script]).stdout_any().check().stdout;
    assert!(open.lines().count() >= 3, "{open}");
    assert!(!open.contains(sandbox.place().to_str().unwrap()) && !open.contains("socket:"), "{open}");
    // Nor would one, at whatever moment the command is started: every one is closed when another program begins.
    let strace = ["strace", "-f", "-qq", "-e", "trace=openat,socketpair,pipe2,dup,fcntl", "-o", "opened"];
    sandbox.by("a", ["run", "t", "--", "true"]).through(strace).check();
    let opened = live::text(&sandbox, "opened");
    let of_the_place = |line: &&str| {
        ["place", "\"claims\"", "\"t.json\"", "\"lock\"", "AF_UNIX"].iter().any(|part| line.contains(part))
    };
    let ours: Vec<_> = opened.lines().filter(of_the_place).collect();
    assert!(ours.len() > 5, "{opened}");
    assert!(ours.iter().all(|line| line.contains("CLOEXEC")), "{ours:#?}");
}

#[test]
fn a_purpose_names_the_command_and_none_of_its_arguments() {
    let sandbox = Sandbox::new();
    let script = r#"cat "$CLAIM_DIR/claims/t.json""#;
    let shown = sandbox.by("a", ["run", "t", "--", "/bin/sh", "-c", script, "secret"]).stdout_any().check().stdout;
    assert!(shown.contains(r#""purpose": "runs sh""#) && !shown.contains("secret"), "{shown}");
    let run =
        sandbox.by("a", ["run", "t", "--purpose", "why", "--ttl", "2h", "--shared", "--", "/bin/sh", "-c", script]);
    let shown = run.stdout_any().check().stdout;
    for part in [r#""purpose": "why""#, r#""ttl_s": 7200"#, r#""shared": true"#] {
        assert!(shown.contains(part), "{shown}");
    }
}

#[test]
fn json_is_one_object_after_what_the_command_says() {
    let sandbox = Sandbox::new();
    let said = sandbox.by("a", ["run", "t", "--", "sh", "-c", "exit 7"]).exit(7).json();
    assert_eq!((&said["outcome"], &said["command_exit"], &said["kept"]), (&json!("ran"), &json!(7), &json!(false)));
    assert_eq!((&said["claim"]["holder"], &said["joined"]), (&json!("a"), &json!(false)));
}

#[test]
fn a_closed_stdout_is_nobodys_fault() {
    let sandbox = Sandbox::new();
    for line in [r#"exec "$@" >&-"#, r#"exec "$@" >/dev/full"#] {
        sandbox.by("a", ["run", "t", "--", "true"]).through(["sh", "-c", line, "sh"]).check();
    }
    assert_eq!(sandbox.files(), AT_REST);
}

#[test]
fn a_claim_that_the_session_had_is_joined_and_stays() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    sandbox.age("t", 500);
    let had = sandbox.claim("t");
    let script = r#"cat "$CLAIM_DIR/claims/t.json""#;
    let during = sandbox.by("a", ["run", "t", "--", "sh", "-c", script]).stdout_any().check().stdout;
    let during: serde_json::Value = serde_json::from_str(&during).unwrap();
    let has = sandbox.claim("t");
    assert_eq!((&during["taken_at"], &during["purpose"]), (&had["taken_at"], &had["purpose"]));
    assert_ne!(during["heartbeat_at"], had["heartbeat_at"]);
    let but_the_beat = |claim: &serde_json::Value| {
        let mut claim = claim.clone();
        claim["heartbeat_at"] = json!(null);
        claim
    };
    assert_eq!(but_the_beat(&has), but_the_beat(&had));
    assert_eq!(sandbox.by("a", ["run", "t", "--", "true"]).json()["joined"], json!(true));
    assert_eq!(sandbox.stems(), ["t"]);
}

#[test]
fn a_claim_that_was_shared_is_shared_again_after_a_command_that_needed_it_alone() {
    let sandbox = Sandbox::new();
    sandbox.by("a", ["take", "t", "p", "--shared"]).stdout_any().check();
    let probe = [CLAIM, "--holder", "b", "take", "t", "p", "--shared"];
    sandbox.by("a", [&["run", "t", "--"], &probe[..]].concat()).exit(75).stderr_some().check();
    assert_eq!(sandbox.claim("t")["shared"], json!(true));
    sandbox.by("b", ["take", "t", "p", "--shared"]).stdout_any().check();
    // And while it cannot be had alone, the command is not started.
    sandbox.by("a", ["run", "t", "--", "touch", "started"]).exit(75).stderr_some().check();
    sandbox.by("a", ["run", "t", "--shared", "--", "true"]).check();
    assert!(!sandbox.work().join("started").exists());
    sandbox.run(["audit"]).stdout_any().check();
}

#[test]
fn durations_have_five_spellings_and_the_rest_is_usage() {
    let sandbox = Sandbox::new();
    for good in ["90", "90s", "15m", "2h", "1d", "7d"] {
        sandbox.by("a", ["run", "t", "--ttl", good, "--wait", good, "--", "true"]).check();
        sandbox.by("a", ["take", "t", "p", "--ttl", good, "--wait", good]).stdout_any().check();
        sandbox.by("a", ["release", "t"]).stdout_any().check();
    }
    for bad in ["-1", "-1s", "NaN", "", "1.5h", "1w", "8d", "99999999999999999999", "9999999999999999d", " 1", "1h30m"]
    {
        for name in ["--ttl", "--wait"] {
            let option = format!("{name}={bad}");
            sandbox.by("a", ["run", "t", &option, "--", "touch", "started"]).exit(2).stderr_some().check();
            sandbox.by("a", ["take", "t", "p", &option]).exit(2).stderr_some().check();
        }
    }
    sandbox.by("a", ["take", "t", "p", "--ttl", "0"]).exit(2).stderr_some().check();
    assert!(!sandbox.work().join("started").exists());
    assert_eq!(sandbox.files(), AT_REST);
}

#[test]
fn a_signal_that_is_ignored_stays_ignored_for_the_command() {
    let sandbox = Sandbox::new();
    let ignoring = ["sh", "-c", r#"trap "" HUP INT; exec "$@""#, "sh"];
    let run = sandbox.by("a", ["run", "t", "--", "sh", "-c", "grep SigIgn /proc/self/status"]).through(ignoring);
    let mask = run.stdout_any().check().stdout;
    let mask = u64::from_str_radix(mask.split_whitespace().nth(1).unwrap(), 16).unwrap();
    assert_eq!(mask & 0b11, 0b11, "{mask:b}");
    // And the wrapper is not ended by it either.
    let script = "echo $$ >pid; while [ ! -e go ]; do sleep 0.05; done";
    let mut wrapper = live::start(&sandbox.by("a", ["run", "t", "--", "sh", "-c", script]).through(ignoring));
    live::number(&sandbox, "pid");
    wrapper.signal("HUP");
    wrapper.signal("INT");
    fs::write(sandbox.work().join("go"), "").unwrap();
    assert_eq!(wrapper.code(), 0);
}
