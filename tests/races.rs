//! Races between real processes: they start together from a barrier, and whatever the scheduler does there is exactly
//! one winner, everybody else is refused, and nothing is ever an error.
//!
//! What is asserted is who won and what is on the disk; never how long it took.

use std::{
    fs,
    io::{self, Read as _},
    os::{fd::OwnedFd, unix::fs::MetadataExt as _},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
};

use serde_json::Value;

use crate::support::{AT_REST, Outcome, Run, Sandbox};

/// A process that is ready and waits for the others.
struct Waiting {
    child: Child,
}

/// Starts the commands together, and returns what came of each in their order.
fn race(runs: &[Run<'_>]) -> Vec<Outcome> {
    let (start, go) = io::pipe().unwrap();
    let mut waiting: Vec<Waiting> = runs.iter().map(|run| Waiting::at(&start, run)).collect();
    drop(start);
    for racer in &mut waiting {
        racer.await_ready();
    }
    // The end of input reaches all of them at once.
    drop(go);
    waiting.into_iter().map(Waiting::finish).collect()
}

impl Waiting {
    fn at(start: &io::PipeReader, run: &Run<'_>) -> Self {
        let program = run.command();
        // A shell says that it is there, waits for the barrier to open, and becomes the program.
        let mut command = Command::new("sh");
        command.args(["-c", r#"echo; read -r _; exec "$0" "$@""#]).arg(program.get_program()).args(program.get_args());
        command.env_clear().envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.current_dir(program.get_current_dir().unwrap());
        command.stdin(OwnedFd::from(start.try_clone().unwrap())).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self { child: command.spawn().unwrap() }
    }

    fn await_ready(&mut self) {
        let mut ready = [0];
        self.child.stdout.as_mut().unwrap().read_exact(&mut ready).unwrap();
    }

    fn finish(self) -> Outcome {
        let output = self.child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Outcome { exit: output.status.code().unwrap_or(-1), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

/// Who races, by number.
fn racer(number: usize) -> String {
    format!("racer-{number}")
}

/// The number of the only one that has won; all others were refused, and by the winner.
#[track_caller]
fn only_winner(outcomes: &[Outcome]) -> usize {
    let winners: Vec<usize> = (0..outcomes.len()).filter(|number| outcomes[*number].exit == 0).collect();
    let [winner] = winners[..] else { panic!("the winners are {winners:?}: {outcomes:?}") };
    for outcome in outcomes.iter().enumerate().filter(|(number, _)| *number != winner).map(|(_, outcome)| outcome) {
        assert_eq!((outcome.exit, &*outcome.stdout), (75, ""), "{outcome}");
        let refusal = format!(" is claimed by {} (heartbeat ", racer(winner));
        assert!(outcome.stderr.starts_with("REFUSED: ") && outcome.stderr.contains(&refusal), "{outcome}");
    }
    winner
}

/// As many rounds with each number of processes: one target, prepared anew.
fn rounds(counts: &[(usize, usize)], word: &str, prepare: impl Fn(&Sandbox)) {
    for (processes, rounds) in counts {
        let sandbox = Sandbox::new();
        for round in 0..*rounds {
            drop(fs::remove_file(sandbox.file("t")));
            prepare(&sandbox);
            let runs: Vec<_> =
                (0..*processes).map(|number| sandbox.by(&racer(number), ["take", "t", "race"])).collect();
            let outcomes = race(&runs);
            let winner = only_winner(&outcomes);
            let said = &outcomes[winner].stdout;
            assert!(said.trim_start().starts_with(word), "round {round} of {processes}: {said}");
            assert_eq!(sandbox.files(), ["claims/t.json", "lock", "trace.jsonl"], "round {round} of {processes}");
            assert_eq!(sandbox.claim("t")["holder"], racer(winner), "round {round} of {processes}");
        }
    }
}

#[test]
fn an_absent_claim_has_one_taker() {
    rounds(&[(2, 60), (3, 40), (8, 40), (32, 10)], "claimed: t", |_| {});
}

#[test]
fn a_place_that_is_absent_is_made_once() {
    for _ in 0..30 {
        let sandbox = Sandbox::new();
        let runs: Vec<_> = (0..8).map(|number| sandbox.by(&racer(number), ["take", "t", "race"])).collect();
        let winner = only_winner(&race(&runs));
        assert_eq!(sandbox.claim("t")["holder"], racer(winner));
        assert_eq!(sandbox.files(), ["claims/t.json", "lock", "trace.jsonl"]);
    }
}

#[test]
fn a_stale_claim_has_one_successor() {
    rounds(&[(2, 60), (3, 40), (8, 40), (32, 200)], "taken-over: t from old", |sandbox| {
        let text = r#"{"target":"t","holder":"old","purpose":"p","taken_at":"2020-01-01T00:00:00Z","heartbeat_at":"2020-01-01T00:00:00Z"}"#;
        sandbox.write("t", text);
    });
}

#[test]
fn an_unreadable_claim_has_one_successor() {
    for round in 0..20 {
        let sandbox = Sandbox::new();
        sandbox.write("t", "");
        sandbox.age_bytes("t", 3_600);
        let runs: Vec<_> = (0..8).map(|number| sandbox.by(&racer(number), ["take", "t", "race"])).collect();
        let winner = only_winner(&race(&runs));
        assert_eq!(sandbox.claim("t")["holder"], racer(winner), "round {round}");
        assert_eq!(
            sandbox.files(),
            ["claims/t.json", "lock", "trace.jsonl", "unreadable/0001-t.json"],
            "round {round}"
        );
    }
}

#[test]
fn a_tree_and_what_is_in_it_have_one_taker() {
    let targets = ["./tree", "./tree/a", "./tree/a/b"];
    for (processes, rounds) in [(2, 40), (3, 40), (8, 30)] {
        for round in 0..rounds {
            let sandbox = Sandbox::new();
            // Two neighbours below do not overlap, so that everybody below the top is at the same path.
            let runs: Vec<_> = (0..processes)
                .map(|number| sandbox.by(&racer(number), ["take", targets[number % targets.len()], "race"]))
                .collect();
            let winner = only_winner(&race(&runs));
            let stems = sandbox.stems();
            assert_eq!(stems.len(), 1, "round {round} of {processes}: {stems:?}");
            assert_eq!(sandbox.claim(&stems[0])["holder"], racer(winner), "round {round} of {processes}");
        }
    }
}

#[test]
fn a_stale_descendant_is_cleared_by_one_taker() {
    for round in 0..30 {
        let sandbox = Sandbox::new();
        sandbox.take("old", "./tree/inner");
        let inner = sandbox.stems().remove(0);
        sandbox.age(&inner, 3_600);
        let runs: Vec<_> = (0..6)
            .map(|number| sandbox.by(&racer(number), ["take", ["./tree", "./tree/inner"][number % 2], "race"]))
            .collect();
        let winner = only_winner(&race(&runs));
        let stems = sandbox.stems();
        assert_eq!(stems.len(), 1, "round {round}: {stems:?}");
        assert_eq!(sandbox.claim(&stems[0])["holder"], racer(winner), "round {round}");
    }
}

#[test]
fn either_all_share_or_one_has_it_alone() {
    for (processes, rounds) in [(2, 40), (3, 40), (8, 40)] {
        for round in 0..rounds {
            let sandbox = Sandbox::new();
            let shares = |number: usize| number.is_multiple_of(2);
            let runs: Vec<_> = (0..processes)
                .map(|number| {
                    let arguments = ["take", "t", "race", "--shared"];
                    sandbox.by(&racer(number), &arguments[..if shares(number) { 4 } else { 3 }])
                })
                .collect();
            let outcomes = race(&runs);
            let winners: Vec<usize> = (0..processes).filter(|number| outcomes[*number].exit == 0).collect();
            let is_alone = winners.len() == 1 && !shares(winners[0]);
            let all_share = winners == (0..processes).filter(|number| shares(*number)).collect::<Vec<_>>();
            assert!(is_alone || all_share, "round {round} of {processes}: {winners:?} of {outcomes:?}");
            assert!(outcomes.iter().all(|outcome| [0, 75].contains(&outcome.exit)), "{outcomes:?}");
            let mut holders: Vec<_> =
                sandbox.stems().iter().map(|stem| sandbox.claim(stem)["holder"].clone()).collect();
            holders.sort_by_key(Value::to_string);
            assert_eq!(holders, winners.iter().map(|winner| racer(*winner)).collect::<Vec<_>>(), "round {round}");
        }
    }
}

#[test]
fn beat_and_takeover_of_a_stale_claim_have_one_winner() {
    for round in 0..60 {
        let sandbox = Sandbox::new();
        sandbox.take(&racer(0), "t");
        sandbox.age("t", 3_600);
        let runs = [sandbox.by(&racer(0), ["beat", "t"]), sandbox.by(&racer(1), ["take", "t", "race"])];
        let winner = only_winner(&race(&runs));
        assert_eq!(sandbox.claim("t")["holder"], racer(winner), "round {round}");
    }
}

#[test]
fn a_claim_that_comes_and_goes_is_never_an_error() {
    let sandbox = Sandbox::new();
    sandbox.take("steady", "steady");
    let over = AtomicBool::new(false);
    let reads = AtomicUsize::new(0);
    thread::scope(|scope| {
        let looped = |holder: &'static str, arguments: &'static [&'static str], exits: &'static [i32]| {
            let (sandbox, over, reads) = (&sandbox, &over, &reads);
            scope.spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    let outcome = sandbox.by(holder, arguments).outcome();
                    reads.fetch_add(1, Ordering::Relaxed);
                    assert!(exits.contains(&outcome.exit), "{arguments:?}: {outcome}");
                }
            });
        };
        looped("reader", &["status"], &[0]);
        looped("reader", &["status", "t", "--exit-code"], &[0, 4]);
        looped("reader", &["--json", "status"], &[0]);
        looped("steady", &["beat", "--all"], &[0]);
        // It is refused while the other has it, and holds nothing when not.
        looped("stranger", &["beat", "t"], &[3, 75]);
        let _stop = Stop(&over);
        for _ in 0..200 {
            sandbox.by("writer", ["take", "t", "come"]).stdout_any().check();
            sandbox.by("writer", ["release", "t"]).stdout_any().check();
        }
    });
    assert!(reads.into_inner() > 20);
    sandbox.run(["audit"]).stdout_any().check();
    assert_eq!(sandbox.files(), ["claims/steady.json", "lock", "trace.jsonl"]);
}

/// Ends the loops also when the test fails, which otherwise would wait for them for ever.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn the_lock_is_one_file_for_ever() {
    let sandbox = Sandbox::new();
    sandbox.take("a", "t");
    let lock = fs::metadata(sandbox.place().join("lock")).unwrap().ino();
    for _ in 0..1_000 {
        sandbox.by("a", ["take", "t", "again"]).stdout_any().check();
        sandbox.by("a", ["release", "t"]).stdout_any().check();
    }
    assert_eq!(fs::metadata(sandbox.place().join("lock")).unwrap().ino(), lock);
    assert_eq!(sandbox.files(), AT_REST);
}

#[test]
fn a_crowd_on_targets_of_their_own_is_served() {
    let sandbox = Sandbox::new();
    let targets: Vec<String> = (0..64).map(|number| format!("target-{number:02}")).collect();
    let runs: Vec<_> = targets.iter().map(|target| sandbox.by(target, ["take", target, "crowd"])).collect();
    for outcome in race(&runs) {
        assert_eq!((outcome.exit, &*outcome.stderr), (0, ""), "{outcome}");
    }
    assert_eq!(sandbox.stems(), targets);
    for target in &targets {
        assert_eq!(sandbox.claim(target)["holder"], **target);
    }
    sandbox.run(["audit"]).stdout_any().check();
}
