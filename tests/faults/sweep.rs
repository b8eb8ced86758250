//! The sweep: learn which system calls a command makes, then run it once for every fault of every call, and judge what
//! is on the disk, what was said, and whether the next command works.
//!
//! What is right after a fault is not written down anywhere: it follows from the disk before the command and after an
//! un-faulted run of it. Every file is as it was or as it was to be, and the command says that it is done only if
//! every file is as it was to be.

use std::{collections::BTreeSet, path::PathBuf, sync::LazyLock};

use chrono::{DateTime, DurationRound as _, TimeDelta, Utc};
use regex::Regex;
use serde_json::Value;

use super::{
    kinds,
    strace::{self, Call},
    tree::{Node, Tree, now},
};
use crate::support::{Outcome, Run, Sandbox};

/// Who runs the commands of a scenario.
pub(crate) const ME: &str = "me";

/// The one file that a fault may leave behind; the next change removes it.
const STAGE: &str = "place/pending";

/// A command on a prepared place.
#[derive(Clone, Copy)]
pub(crate) struct Scenario {
    /// Fills the sandbox. Times in claim files are to be aged, so that what the command writes can be told from them.
    pub(crate) prepare: fn(&Sandbox),
    /// The command line, run by [`ME`] in the sandbox's working directory.
    pub(crate) command: &'static [&'static str],
    /// What its environment has besides.
    pub(crate) environment: &'static [(&'static str, &'static str)],
    /// How it ends without a fault.
    pub(crate) exit: i32,
    /// What strace injects besides, in every run: a system that lacks something.
    pub(crate) always: &'static [&'static str],
    /// The command after the fault, by the same holder, and how it ends.
    pub(crate) next: &'static [&'static str],
    pub(crate) next_exit: i32,
    /// The lock is held when the command starts, and given back once it waits.
    pub(crate) contended: bool,
}

impl Scenario {
    /// A command that succeeds, after which `t` can be taken.
    pub(crate) const fn of(command: &'static [&'static str], prepare: fn(&Sandbox)) -> Self {
        let next = &["take", "t", "again"];
        Self { prepare, command, environment: &[], exit: 0, always: &[], next, next_exit: 0, contended: false }
    }

    /// Injects every fault and fails if anything was wrong after one of them.
    pub(crate) fn sweep(&self, name: &str) {
        let sweep = Sweep::new(self);
        let mut complaints = Vec::new();
        let mut tally = 0_usize;
        let faults = sweep.faults();
        for fault in &faults {
            let (injected, found) = sweep.inject(fault);
            tally += usize::from(injected);
            complaints.extend(found.iter().map(|complaint| format!("{fault}: {complaint}")));
        }
        // Past the capture of the test harness: the number is worth seeing in every run.
        let line = format!("faults: {name}: {tally} injected at {} system calls\n", sweep.calls.len());
        drop(std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes()));
        assert!(complaints.is_empty(), "{} of {tally} faults:\n{}", complaints.len(), complaints.join("\n"));
        // A sweep that has shrunk proves nothing: as many faults as there are calls, and half as many again.
        let least = sweep.calls.iter().filter(|call| !kinds::of(call).is_empty()).count() * 3 / 2;
        assert!(tally >= least && least >= 12, "only {tally} faults, and {least} are the least");
        let calls: BTreeSet<&str> = sweep.calls.iter().map(|call| call.name.as_str()).collect();
        if sweep.before.nodes != sweep.after.nodes {
            assert!(calls.contains("flock"), "the place was changed without the lock: {calls:?}");
        }
    }
}

struct Fault<'a> {
    call: &'a Call,
    kind: String,
}

impl std::fmt::Display for Fault<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} at {} {}({})", self.kind, self.call.name, self.call.number, self.call.arguments)
    }
}

/// A scenario with everything that its un-faulted run has taught.
struct Sweep<'a> {
    scenario: &'a Scenario,
    sandbox: Sandbox,
    /// Outside the sandbox, so that the trace is not part of what is compared.
    traces: tempfile::TempDir,
    /// Times from here on were written by the command.
    since: DateTime<Utc>,
    before: Tree,
    /// Timeless.
    after: Tree,
    /// After the next command; timeless.
    last: Tree,
    outcome: Outcome,
    calls: Vec<Call>,
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
            after: Tree::default(),
            last: Tree::default(),
            outcome: Outcome { exit: 0, stdout: String::new(), stderr: String::new() },
            calls: Vec::new(),
        };
        assert_eq!(sweep.before.nodes, sweep.before.timeless(since).nodes, "age what you prepare");
        sweep.outcome = sweep.run(None);
        assert_eq!(sweep.outcome.exit, scenario.exit, "without a fault: {}", sweep.outcome);
        sweep.after = sweep.tree().timeless(since);
        sweep.calls = strace::calls(&sweep.trace(), &root(&sweep.sandbox));
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
        for call in &self.calls {
            // Two threads may each make their first call of a name; strace strikes both.
            if !seen.insert((&call.name, call.number)) || self.is_always(&call.name) {
                continue;
            }
            faults.extend(kinds::of(call).into_iter().map(|kind| Fault { call, kind }));
        }
        faults
    }

    fn is_always(&self, name: &str) -> bool {
        self.scenario.always.iter().any(|injection| injection.split(':').next() == Some(name))
    }

    /// Runs the command under strace: all of its calls are told without a fault, else only the one that has it.
    fn run(&self, fault: Option<&Fault<'_>>) -> Outcome {
        let trace = self.trace();
        let mut strace: Vec<String> = ["strace", "-f", "-qq", "-o", trace.to_str().unwrap()].map(String::from).into();
        if let Some(fault) = fault {
            let Call { name, number, .. } = fault.call;
            let names: Vec<_> =
                self.scenario.always.iter().map(|injection| injection.split(':').next().unwrap()).collect();
            strace.push(format!("--trace={}", [&[&**name], &*names].concat().join(",")));
            strace.push(format!("--inject={name}:{}:when={number}", fault.kind));
        }
        strace.extend(self.scenario.always.iter().map(|injection| format!("--inject={injection}")));
        let held = self.scenario.contended.then(|| contention::Held::until_awaited(&self.sandbox.place().join("lock")));
        let outcome = self.by_me(self.scenario.command).through(strace).outcome();
        drop(held);
        outcome
    }

    fn next(&self) -> Outcome {
        self.by_me(self.scenario.next).outcome()
    }

    fn by_me(&self, arguments: &[&str]) -> Run<'_> {
        let run = self.sandbox.by(ME, arguments);
        self.scenario.environment.iter().fold(run, |run, (name, value)| run.env(name, value))
    }

    /// Runs the command with a fault. Whether it was injected, and all that was wrong.
    fn inject(&self, fault: &Fault<'_>) -> (bool, Vec<String>) {
        self.before.restore(&root(&self.sandbox));
        let outcome = self.run(Some(fault));
        let injected = strace::injected(&self.trace());
        let mut complaints = Vec::new();
        // Whether a contended lock is still held when the command comes to it depends on the scheduler.
        if !injected && !self.scenario.contended {
            complaints.push("not injected".to_owned());
        }
        let has_failed = fault.call.name == "flock" && fault.kind.starts_with("error=");
        let went_on = outcome.exit == self.scenario.exit && !is_warning(&outcome);
        if has_failed && went_on && !strace::locked(&self.trace()) {
            complaints.push(format!("it went on without the lock: {outcome}"));
        }
        self.judge_outcome(fault, &outcome, &mut complaints);
        let found = self.tree();
        let mut wrong = Vec::new();
        self.judge_files(&found, &mut wrong);
        self.judge_trace(fault, &outcome, &found, &mut wrong);
        if outcome.exit == 0 || is_success(&outcome.stdout) {
            // Some file systems have no permissions, and say so or not: a claim is good there all the same.
            let has_modes = !fault.call.name.contains("chmod");
            self.judge_success(&found, has_modes, &mut wrong);
        }
        let next = self.next();
        if next.exit != self.scenario.next_exit {
            wrong.push(format!("the next command: {next}"));
        }
        self.judge_last(&self.tree(), &mut wrong);
        complaints.extend(wrong.into_iter().map(|text| format!("exit {}: {text}", outcome.exit)));
        (injected, complaints)
    }

    /// An answer is the answer of the un-faulted command, or an error.
    fn judge_outcome(&self, fault: &Fault<'_>, outcome: &Outcome, complaints: &mut Vec<String>) {
        let killed = match fault.kind.as_str() {
            "signal=KILL" => Some(137),
            "signal=TERM" => Some(143),
            _ => None,
        };
        let allowed = [Some(1), Some(self.scenario.exit), killed];
        if !allowed.contains(&Some(outcome.exit)) {
            complaints.push(format!("exit {}, not one of {:?}: {outcome}", outcome.exit, allowed));
        }
        if outcome.stderr.contains("panicked") {
            complaints.push(format!("it panicked: {outcome}"));
        }
        let is_silent = outcome.stderr.is_empty() && outcome.stdout.is_empty();
        if outcome.exit == 1 && is_silent && !fault.call.is_answer() {
            complaints.push("it failed and said nothing".to_owned());
        }
        if outcome.exit == 0 && is_failure(fault) && !is_warning(outcome) {
            complaints.push("exit 0, though what it needed had failed".to_owned());
        }
        // A system that loses what is written to stdout cannot be noticed.
        if outcome.exit == self.scenario.exit && !fault.call.is_answer() {
            for (found, meant) in [(&outcome.stdout, &self.outcome.stdout), (&outcome.stderr, &self.outcome.stderr)] {
                let (found, meant) = (answer(found), answer(meant));
                if found != meant {
                    complaints.push(format!("exit {}, but it said\n{found}and not\n{meant}", outcome.exit));
                }
            }
        }
    }

    /// Whatever was said: every file is as it was or as it was to be.
    fn judge_files(&self, found: &Tree, complaints: &mut Vec<String>) {
        let timeless = found.timeless(self.since);
        for (name, node) in &found.nodes {
            let as_it_was = self.before.nodes.get(name) == Some(node);
            // Whatever is made exists before it has its permissions.
            let meant = self.after.nodes.get(name).map(Node::bytes);
            let as_meant = meant == timeless.nodes.get(name).map(Node::bytes);
            if !(as_it_was || as_meant || name == STAGE || self.is_kept(name, node)) {
                complaints.push(format!("{name} is neither as it was nor as it was to be: {}", shown(Some(node))));
            }
        }
        for (name, node) in &self.before.nodes {
            if !found.nodes.contains_key(name) && self.after.nodes.contains_key(name) && !self.is_moved(found, node) {
                complaints.push(format!("{name} is gone"));
            }
            // Not a claim: its bytes are all that there is of it. Of notes nothing is ever deleted.
            let is_in_claims = name.starts_with("place/claims/") && !is_claim(node);
            let kept = if is_in_claims { "place/unreadable" } else { "place/handovers" };
            if (is_in_claims || name.starts_with("place/handovers/"))
                && found.nodes.get(name) != Some(node)
                && !found.within(kept).any(|(_, kept)| kept.bytes() == node.bytes())
            {
                complaints.push(format!("the bytes of {name} are lost"));
            }
        }
    }

    /// The trace only grows, and whoever did not write his line says so.
    fn judge_trace(&self, fault: &Fault<'_>, outcome: &Outcome, found: &Tree, complaints: &mut Vec<String>) {
        if !found.trace.starts_with(&self.before.trace) {
            complaints.push(format!("the trace was rewritten: {:?}", String::from_utf8_lossy(&found.trace)));
        }
        // Nothing reads the trace back: it decides nothing.
        let lies = fault.kind.starts_with("retval=");
        if outcome.exit == self.scenario.exit && !is_warning(outcome) && !lies && found.lines() != self.after.lines() {
            complaints.push(format!("no warning, and the trace is {:?}", String::from_utf8_lossy(&found.trace)));
        }
    }

    /// It was said that all is done.
    fn judge_success(&self, found: &Tree, has_modes: bool, complaints: &mut Vec<String>) {
        let mut found = found.timeless(self.since).nodes;
        if !self.after.nodes.contains_key(STAGE) {
            found.remove(STAGE);
        }
        if self.scenario.exit != 0 {
            complaints.push("it was called done".to_owned());
        }
        for name in found.keys().chain(self.after.nodes.keys()).collect::<BTreeSet<_>>() {
            let (found, meant) = (found.get(name), self.after.nodes.get(name));
            if if has_modes { found != meant } else { found.map(Node::bytes) != meant.map(Node::bytes) } {
                complaints.push(format!("it was called done, but {name} is {}", shown(found)));
            }
        }
    }

    /// After the next command there is what there would be without the fault, and nothing else.
    fn judge_last(&self, last: &Tree, complaints: &mut Vec<String>) {
        for (name, node) in &last.nodes {
            let known = [&self.before, &self.after, &self.last].iter().any(|tree| match (tree.nodes.get(name), node) {
                (Some(Node::File { mode, bytes }), Node::File { mode: found, bytes: written }) => {
                    mode == found
                        && (bytes == written || gist(bytes).is_some_and(|gist_of| Some(gist_of) == gist(written)))
                }
                _ => false,
            });
            let is_kept = self.is_kept(name, node);
            if !(known || is_kept || self.last.nodes.get(name) == Some(node)) {
                complaints.push(format!("after the next command {name} is {}", shown(Some(node))));
            }
        }
        if self.scenario.next_exit == 0 && last.nodes.contains_key(STAGE) {
            complaints.push("the next command left the stage file".to_owned());
        }
        for (name, node) in &self.last.nodes {
            let Some(found) = last.nodes.get(name) else {
                // Only the same command again makes up for what the first one did not do elsewhere.
                if !name.starts_with("place/claims/") && self.scenario.next != self.scenario.command {
                    continue;
                }
                complaints.push(format!("after the next command {name} is missing"));
                continue;
            };
            if let (Some(gist_of), Some(bytes)) = (node.bytes().and_then(gist), found.bytes())
                && gist(bytes) != Some(gist_of)
            {
                complaints.push(format!("after the next command {name} is {}", shown(Some(found))));
            }
        }
    }

    /// A file that was put aside, whatever its number.
    fn is_kept(&self, name: &str, node: &Node) -> bool {
        let Some(name) = name.strip_prefix("place/unreadable/") else { return false };
        self.before.within("place/claims").any(|(old, before)| name.ends_with(old) && before.bytes() == node.bytes())
    }

    fn is_moved(&self, found: &Tree, node: &Node) -> bool {
        found.within("place/unreadable").any(|(_, kept)| kept.bytes() == node.bytes())
    }
}

/// Whether the call has failed beyond doubt, and is one that a success stands on.
fn is_failure(fault: &Fault<'_>) -> bool {
    let Fault { call, kind } = fault;
    let first = |prefix| call.arguments.starts_with(prefix);
    let repeated = kind == "error=EINTR";
    let otherwise = match call.name.as_str() {
        // Done by a link instead.
        "renameat2" => ["error=EINVAL", "error=ENOSYS"].contains(&kind.as_str()),
        // Somebody else has it: it is waited for. And giving it back can fail; it ends with the process.
        "flock" => kind == "error=EAGAIN" || call.arguments.contains("LOCK_UN"),
        "write" => first("2, "),
        "fsync" | "rename" | "renameat" | "link" | "linkat" | "unlink" | "unlinkat" | "mkdir" | "mkdirat"
        | "getdents64" => false,
        _ => true,
    };
    let lost = call.name == "write" && kind == "retval=0";
    (kind.starts_with("error=") || lost) && !repeated && !otherwise
}

fn root(sandbox: &Sandbox) -> PathBuf {
    sandbox.place().parent().unwrap().to_owned()
}

/// Whether an answer says that something was done.
fn is_success(stdout: &str) -> bool {
    static WORDS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r#"(?m)(^|"outcome": ")(claimed|renewed|taken-over|beat|released)\b"#).unwrap());
    WORDS.is_match(stdout)
}

/// Whether it says that the trace was not written.
fn is_warning(outcome: &Outcome) -> bool {
    outcome.stderr.contains("the trace was not written") || outcome.stdout.contains("\"warnings\"")
}

/// What was said without the ages in it, which go on while the test runs, and without warnings, which a fault in the
/// trace or in the notes is.
fn answer(text: &str) -> String {
    let text = match serde_json::from_str(text) {
        Ok(Value::Object(mut object)) => {
            object.remove("warnings");
            format!("{object:?}")
        }
        _ => {
            let warnings = ["claim: the trace was not written: ", "claim: the handover notes cannot be read: "];
            text.lines()
                .filter(|line| !warnings.iter().any(|warning| line.starts_with(warning)))
                .collect::<Vec<_>>()
                .join("\n")
        }
    };
    static NUMBERS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\d+").unwrap());
    NUMBERS.replace_all(&text, "N").into_owned()
}

fn is_claim(node: &Node) -> bool {
    node.bytes().is_some_and(|bytes| gist(bytes).is_some())
}

/// Whose claim it is, on what and why. When it was taken and from whom depends on what a fault left standing.
fn gist(bytes: &[u8]) -> Option<[Value; 4]> {
    let Ok(Value::Object(claim)) = serde_json::from_slice(bytes) else { return None };
    let shared = claim.get("shared").cloned().unwrap_or_default();
    Some([claim.get("target")?.clone(), claim.get("holder")?.clone(), claim.get("purpose")?.clone(), shared])
}

fn shown(node: Option<&Node>) -> String {
    match node {
        None => "not there".to_owned(),
        Some(Node::Directory { mode }) => format!("a directory of mode {mode:o}"),
        Some(Node::File { mode, bytes }) => format!("a file of mode {mode:o}: {:?}", String::from_utf8_lossy(bytes)),
    }
}

mod contention {
    //! The lock, held by the test until the program waits for it.

    use std::{
        fs,
        os::unix::fs::MetadataExt as _,
        path::Path,
        sync::{
            Arc,
            atomic::{AtomicBool, Ordering},
        },
        thread::{self, JoinHandle},
        time::Duration,
    };

    pub(super) struct Held {
        over: Arc<AtomicBool>,
        thread: Option<JoinHandle<()>>,
    }

    impl Held {
        pub(super) fn until_awaited(path: &Path) -> Self {
            let file = fs::File::options().read(true).write(true).open(path).unwrap();
            fs2::FileExt::lock_exclusive(&file).unwrap();
            let over = Arc::new(AtomicBool::new(false));
            let seen = Arc::clone(&over);
            let thread = thread::spawn(move || {
                let inode = format!(":{} ", file.metadata().unwrap().ino());
                // The kernel lists who waits for a lock behind an arrow.
                let awaited = || {
                    let locks = fs::read_to_string("/proc/locks").unwrap_or_default();
                    locks.lines().any(|line| line.contains("->") && line.contains(&inode))
                };
                while !seen.load(Ordering::Relaxed) && !awaited() {
                    thread::sleep(Duration::from_millis(1));
                }
                fs2::FileExt::unlock(&file).unwrap();
            });
            Self { over, thread: Some(thread) }
        }
    }

    impl Drop for Held {
        fn drop(&mut self) {
            self.over.store(true, Ordering::Relaxed);
            if let Some(thread) = self.thread.take() {
                thread.join().unwrap();
            }
        }
    }
}
