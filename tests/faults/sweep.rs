//! The sweep: learn which system calls a command makes, then run it once for every fault of every call, and have judged
//! what is on the disk, what was said, and whether the next command works.

use std::{collections::BTreeSet, fs, path::PathBuf, thread, time::Duration};

use chrono::{DateTime, DurationRound as _, TimeDelta, Utc};

use super::{
    judge::is_warning,
    kinds,
    meanwhile::{Beside, Meanwhile, tickets},
    scenario::{ME, Scenario},
    strace::{self, Call},
    tree::{Node, Tree, now},
};
use crate::support::{Outcome, Run, Sandbox};

/// For how long a ticket outlives its waiter, and more.
const TICKET_IS_DEAD: Duration = Duration::from_secs(60);

impl Scenario {
    /// Injects every fault and fails if anything was wrong after one of them.
    pub(crate) fn sweep(&self, name: &str) {
        let sweep = Sweep::new(self);
        let faults = sweep.faults();
        let tried = thread::scope(|scope| {
            let share = |hand: usize| faults.iter().skip(hand).step_by(self.hands);
            let others: Vec<_> =
                (1..self.hands).map(|hand| scope.spawn(move || Sweep::new(self).inject_all(share(hand)))).collect();
            let mut tried = sweep.inject_all(share(0));
            for other in others {
                let (injected, complaints) = other.join().unwrap();
                tried.0 += injected;
                tried.1.extend(complaints);
            }
            tried
        });
        let (tally, complaints) = tried;
        // Past the capture of the test harness: the number is worth seeing in every run.
        let line = format!("faults: {name}: {tally} injected at {} system calls\n", sweep.calls.len());
        drop(std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes()));
        assert!(complaints.is_empty(), "{} of {tally} faults:\n{}", complaints.len(), complaints.join("\n"));
        // A sweep that has shrunk proves nothing: as many faults as there are calls, and half as many again.
        let least = sweep.calls.iter().filter(|call| !kinds::of(call).is_empty()).count() * 3 / 2;
        assert!(tally >= least && least >= 12, "only {tally} faults, and {least} are the least");
        let calls: BTreeSet<&str> = sweep.calls.iter().map(|call| call.name.as_str()).collect();
        if !sweep.before.within("place").eq(sweep.after.within("place")) {
            assert!(calls.contains("flock"), "the place was changed without the lock: {calls:?}");
        }
    }
}

pub(super) struct Fault<'a> {
    pub(super) call: &'a Call,
    pub(super) kind: String,
}

impl Fault<'_> {
    /// How a process ends that dies of it.
    pub(super) fn killed(&self) -> Option<i32> {
        match self.kind.as_str() {
            "signal=KILL" => Some(137),
            "signal=TERM" => Some(143),
            _ => None,
        }
    }
}

impl std::fmt::Display for Fault<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} at {} {}({})", self.kind, self.call.name, self.call.number, self.call.arguments)
    }
}

/// A scenario with everything that its un-faulted run has taught.
pub(super) struct Sweep<'a> {
    pub(super) scenario: &'a Scenario,
    sandbox: Sandbox,
    /// Outside the sandbox, so that the trace is not part of what is compared.
    traces: tempfile::TempDir,
    /// Times from here on were written by the command.
    pub(super) since: DateTime<Utc>,
    pub(super) before: Tree,
    /// Half-way, where the command has stages; timeless.
    pub(super) halfway: Tree,
    /// Timeless.
    pub(super) after: Tree,
    /// After the next command; timeless.
    pub(super) last: Tree,
    pub(super) outcome: Outcome,
    calls: Vec<Call>,
    starts_others: bool,
}

impl<'a> Sweep<'a> {
    fn new(scenario: &'a Scenario) -> Self {
        let sandbox = Sandbox::new();
        let since = now().duration_trunc(TimeDelta::seconds(1)).unwrap();
        (scenario.prepare)(&sandbox);
        let before = Tree::read(&root(&sandbox));
        let mut sweep = Self {
            scenario,
            sandbox,
            traces: tempfile::tempdir().unwrap(),
            since,
            before,
            halfway: Tree::default(),
            after: Tree::default(),
            last: Tree::default(),
            outcome: Outcome { exit: 0, stdout: String::new(), stderr: String::new() },
            calls: Vec::new(),
            starts_others: false,
        };
        assert_eq!(sweep.before.nodes, sweep.before.timeless(since).nodes, "age what you prepare");
        if let Some(command) = scenario.halfway {
            drop(Beside::new(scenario.meanwhile, &sweep.sandbox));
            let outcome = sweep.by_me(command).outcome();
            assert_eq!(outcome.exit, 0, "half-way: {outcome}");
            sweep.halfway = sweep.tree().timeless(since);
            sweep.before.restore(&root(&sweep.sandbox));
        }
        sweep.outcome = sweep.run(None);
        assert_eq!(sweep.outcome.exit, scenario.exit, "without a fault: {}", sweep.outcome);
        sweep.after = sweep.tree().timeless(since);
        sweep.calls = strace::calls(&sweep.trace(), &root(&sweep.sandbox));
        sweep.starts_others = sweep.calls.iter().any(|call| call.name == "wait4");
        let next = sweep.next();
        assert_eq!(next.exit, scenario.next_exit, "next, without a fault: {next}");
        sweep.last = sweep.tree().timeless(since);
        sweep
    }

    fn trace(&self) -> PathBuf {
        self.traces.path().join("trace")
    }

    fn tree(&self) -> Tree {
        Tree::read(&root(&self.sandbox))
    }

    fn faults(&self) -> Vec<Fault<'_>> {
        let mut seen = BTreeSet::new();
        let mut faults = Vec::new();
        // The system closes even where it reports an error, and strace keeps it from that: a pipe would never end.
        let has_pipes = self.calls.iter().any(|call| call.name == "pipe2");
        for call in &self.calls {
            // Two threads may each make their first call of a name; strace strikes both.
            if !seen.insert((&call.name, call.number)) || self.is_always(&call.name) {
                continue;
            }
            if has_pipes && call.name == "close" {
                continue;
            }
            faults.extend(kinds::of(call).into_iter().map(|kind| Fault { call, kind }));
        }
        faults
    }

    fn is_always(&self, name: &str) -> bool {
        self.scenario.always.iter().any(|injection| injection.split(':').next() == Some(name))
    }

    /// Runs the command under strace: all of its calls are told without a fault, else only the one that has it. What it
    /// starts is let go where it becomes another program.
    fn run(&self, fault: Option<&Fault<'_>>) -> Outcome {
        let trace = self.trace();
        // Stopping only at the calls that are asked for is faster, and cannot be had with letting go, nor with signals.
        let slow = self.starts_others || fault.is_none_or(|fault| fault.killed().is_some());
        let way = if slow { "--detach-on=execve" } else { "--seccomp-bpf" };
        let mut strace: Vec<String> =
            ["strace", "-f", way, "-qq", "-o", trace.to_str().unwrap()].map(String::from).into();
        if let Some(fault) = fault {
            let Call { name, number, .. } = fault.call;
            let names: Vec<_> =
                self.scenario.always.iter().map(|injection| injection.split(':').next().unwrap()).collect();
            strace.push(format!("--trace={}", [&[&**name], &*names].concat().join(",")));
            strace.push(format!("--inject={name}:{}:when={number}", fault.kind));
        }
        strace.extend(self.scenario.always.iter().map(|injection| format!("--inject={injection}")));
        let beside = Beside::new(self.scenario.meanwhile, &self.sandbox);
        let outcome = self.by_me(self.scenario.command).through(strace).outcome();
        drop(beside);
        outcome
    }

    fn next(&self) -> Outcome {
        // The ticket of a waiter that was killed dies by itself: this ages it instead of waiting for that.
        for ticket in tickets(self.sandbox.place()) {
            let file = fs::File::options().append(true).open(ticket).unwrap();
            file.set_modified(std::time::SystemTime::now() - TICKET_IS_DEAD).unwrap();
        }
        self.by_me(self.scenario.next).outcome()
    }

    fn by_me(&self, arguments: &[&str]) -> Run<'_> {
        let run = self.sandbox.by(ME, arguments).stdin((self.scenario.input)(&self.sandbox));
        self.scenario.environment.iter().fold(run, |run, (name, value)| run.env(name, value))
    }

    /// Runs the command with each of these faults. How many were injected, and all that was wrong.
    fn inject_all<'f>(&self, faults: impl Iterator<Item = &'f Fault<'f>>) -> (usize, Vec<String>) {
        let mut tally = 0;
        let mut complaints = Vec::new();
        for fault in faults {
            let (injected, found) = self.inject(fault);
            tally += usize::from(injected);
            complaints.extend(found.iter().map(|complaint| format!("{fault}: {complaint}")));
        }
        (tally, complaints)
    }

    /// Runs the command with a fault. Whether it was injected, and all that was wrong.
    fn inject(&self, fault: &Fault<'_>) -> (bool, Vec<String>) {
        self.before.restore(&root(&self.sandbox));
        let outcome = self.run(Some(fault));
        let injected = strace::injected(&self.trace());
        let mut complaints = Vec::new();
        // How often it looks at what others do meanwhile, its child among them, depends on the scheduler.
        let alone = matches!(self.scenario.meanwhile, Meanwhile::Nothing) && fault.call.name != "wait4";
        if !injected && alone {
            complaints.push("not injected".to_owned());
        }
        let found = self.tree();
        let has_failed = fault.call.name == "flock" && fault.kind.starts_with("error=");
        // A no needs no lock; whoever says nothing must at least have changed nothing.
        let went_on = if self.scenario.promises {
            outcome.exit == self.scenario.exit && outcome.exit != 2 && !is_warning(&outcome)
        } else {
            found.nodes != self.before.nodes
        };
        if has_failed && went_on && !strace::locked(&self.trace()) {
            complaints.push(format!("it went on without the lock: {outcome}"));
        }
        self.judge_outcome(fault, &outcome, &mut complaints);
        let mut wrong = Vec::new();
        self.judge(fault, &outcome, &found, &mut wrong);
        let next = self.next();
        if next.exit != self.scenario.next_exit {
            wrong.push(format!("the next command: {next}"));
        }
        self.judge_last(fault, &self.tree(), &mut wrong);
        complaints.extend(wrong.into_iter().map(|text| format!("exit {}: {text}", outcome.exit)));
        (injected, complaints)
    }
}

fn root(sandbox: &Sandbox) -> PathBuf {
    sandbox.place().parent().unwrap().to_owned()
}

/// Bytes and permissions, whatever stands there.
pub(super) fn shown(node: Option<&Node>) -> String {
    match node {
        None => "not there".to_owned(),
        Some(Node::Directory { mode }) => format!("a directory of mode {mode:o}"),
        Some(Node::File { mode, bytes }) => format!("a file of mode {mode:o}: {:?}", String::from_utf8_lossy(bytes)),
    }
}
