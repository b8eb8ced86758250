//! The whole story with real processes: a refusal that leads somewhere.

use std::{fs, io::BufRead as _, path::PathBuf, process::Stdio, thread, time::Duration};

use predicates::prelude::*;

use crate::support::{CLAIM, Sandbox};

/// The one path that a run prints.
#[track_caller]
fn printed(sandbox: &Sandbox, holder: &str, arguments: &[&str]) -> PathBuf {
    let outcome = sandbox.by(holder, arguments).stdout_any().check();
    let path = PathBuf::from(outcome.stdout.trim_end());
    assert!(path.is_file(), "{outcome}");
    path
}

/// Every file but the trace, with its bytes.
fn bytes(sandbox: &Sandbox) -> Vec<(String, Vec<u8>)> {
    let files = sandbox.files().into_iter().filter(|file| !file.starts_with("trace"));
    files.filter_map(|file| Some((file.clone(), fs::read(sandbox.place().join(&file)).ok()?))).collect()
}

#[test]
fn a_refusal_leads_somewhere_and_a_dead_session_harms_nobody() {
    let sandbox = Sandbox::new();

    // A is a session: a shell that has claimed the target, begun a note, and is at work. It dies of SIGKILL, so nothing
    // of it can tidy up.
    printed(&sandbox, "C", &["handover", "add", "shared-config", "what C left before"]);
    let script = format!(
        "{CLAIM} take shared-config 'a long repair' --ttl 4s >&2 && {CLAIM} handover next shared-config || exit 1; \
         while :; do read -r _; done"
    );
    let mut session = sandbox.by("A", [""; 0]).through(["sh", "-c", &script]).command();
    session.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut session = session.spawn().unwrap();
    let mut begun = String::new();
    std::io::BufReader::new(session.stdout.take().unwrap()).read_line(&mut begun).unwrap();
    let begun = begun.trim_end().to_owned();
    assert_eq!(fs::read_to_string(&begun).unwrap(), "what C left before");

    // B is refused, queues its work and goes on with something else.
    let refused = "REFUSED: shared-config is claimed by A (heartbeat ";
    let take = ["take", "shared-config", "use the new preset"];
    let refusal = sandbox.by("B", take).exit(75).stderr_is(predicate::str::starts_with(refused)).check();
    assert!(refusal.stderr.contains("claim handover add shared-config 'what is to be done'"), "{refusal}");
    let first = printed(&sandbox, "B", &["handover", "add", "shared-config", "use the new preset"]);
    assert_eq!(printed(&sandbox, "B", &["handover", "add", "shared-config", "use the new preset"]), first);
    printed(&sandbox, "B", &["handover", "add", "shared-config", "and tell the others"]);
    sandbox.by("B", ["take", "something-else", "meanwhile"]).stdout_any().check();
    sandbox.by("B", ["release", "something-else"]).stdout_any().check();

    // A dies. Its claim stays until it is stale, and no longer.
    session.kill().unwrap();
    session.wait().unwrap();
    assert_eq!(sandbox.claim("shared-config")["holder"], "A");
    thread::sleep(Duration::from_millis(5_100));
    let taken = sandbox.by("B", take).stdout_any().check().stdout;
    assert!(taken.starts_with("taken-over: shared-config from A (its heartbeat was "), "{taken}");
    assert!(taken.contains("2 notes wait on shared-config, 1 begun: claim handover next shared-config"), "{taken}");

    // B works the queue in order: what A left first.
    let order = ["what C left before", "use the new preset", "and tell the others"];
    for (position, text) in order.into_iter().enumerate() {
        let note = printed(&sandbox, "B", &["handover", "next", "shared-config"]);
        assert_eq!(fs::read_to_string(&note).unwrap(), text);

        // A wakes up in the middle of it and can do no harm.
        if position == 1 {
            let before = bytes(&sandbox);
            let refused = "REFUSED: shared-config is claimed by B (heartbeat ";
            for arguments in [
                &["beat", "shared-config"][..],
                &["beat", "--all"],
                &["release", "shared-config"],
                &["take", "shared-config", "p"],
                &["handover", "next", "shared-config"],
                &["handover", "done", &begun, "A's result"],
                &["handover", "done", note.to_str().unwrap(), "A's result"],
            ] {
                let run = sandbox.by("A", arguments).exit(75).stderr_is(predicate::str::starts_with(refused));
                let told = run.check().stderr;
                assert!(told.contains("it was yours: B took it over "), "{arguments:?}: {told}");
            }
            sandbox.by("A", ["release", "--all"]).stdout_any().stderr_some().check();
            assert_eq!(bytes(&sandbox), before);
        }
        let done = printed(&sandbox, "B", &["handover", "done", note.to_str().unwrap(), &format!("did: {text}")]);
        assert_eq!(fs::read_to_string(done.with_extension("result.md")).unwrap(), format!("did: {text}"));
    }
    sandbox.by("B", ["handover", "next", "shared-config"]).stderr("No notes wait on shared-config.\n").check();
    sandbox.by("B", ["release", "shared-config"]).stdout("released: shared-config\n").check();

    // The machine is empty, the trace tells all of it, and the rules held.
    sandbox.run(["status", "--exit-code"]).stdout("No claims in [DIR].\n").check();
    assert!(sandbox.stems().is_empty());
    let acts = sandbox.acts();
    let told: Vec<&str> = acts.iter().map(String::as_str).filter(|act| !act.starts_with("A skip")).collect();
    let at = |act: &str| act.replace('@', "shared-config");
    let expected = [
        at("C handover @ claim#7"),
        at("A claim @ claim#1"),
        at("A start @ claim#8"),
        at("B skip @ claim#3"),
        at("B handover @ claim#7"),
        at("B handover @ claim#7"),
        "B claim something-else claim#1".to_owned(),
        "B release something-else claim#5".to_owned(),
        at("B break-claim @ claim#4"),
        at("B claim @ claim#4"),
        at("B start @ claim#8"),
        at("B finish @ claim#8"),
        at("B start @ claim#8"),
        at("B finish @ claim#8"),
        at("B start @ claim#8"),
        at("B finish @ claim#8"),
        at("B release @ claim#5"),
    ];
    assert_eq!(told, expected);
    assert!(acts.iter().filter(|act| act.starts_with("A skip")).count() >= 6, "{acts:?}");
    assert_eq!(sandbox.audit()["held"], 0);
}
