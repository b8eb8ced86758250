//! Real processes that do random verbs, some of them stopped or killed, and what came of each call.

use std::{
    fs,
    os::unix::process::ExitStatusExt as _,
    process::{Child, Output, Stdio},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant, SystemTime},
};

use chrono::DateTime;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::model::{Answer, Call, Held, TARGETS, Verb, group};
use crate::support::{Run, Sandbox};

/// Numbers that look random and are the same for the same seed (splitmix64).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ (bits >> 31)) % sides
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[usize::try_from(self.roll(choices.len() as u64)).unwrap()]
    }
}

/// What a history is made of.
pub(crate) struct Plan<'a> {
    pub(crate) sandbox: &'a Sandbox,
    /// Who the threads are: two with one number are one session's.
    pub(crate) holders: &'a [usize],
    /// How many calls each thread makes.
    pub(crate) calls: usize,
    pub(crate) targets: &'a [usize],
    /// Milliseconds between two calls of a thread, at most.
    pub(crate) pause: u64,
    /// Of a hundred calls, how many are stopped past the longest time to live, and how many are killed.
    pub(crate) stopped: u64,
    pub(crate) killed: u64,
    /// Whether somebody keeps the lock for up to three seconds every now and then, as a process does that was stopped
    /// with it.
    pub(crate) blocked: bool,
    /// Only takes, beats and releases, and a time to live of one second.
    pub(crate) crowded: bool,
    /// What the program is run through.
    pub(crate) through: &'a (dyn Fn(Run<'a>) -> Run<'a> + Sync),
}

/// What happens to a process while it works.
enum Fate {
    Undisturbed,
    Stopped(Duration, Duration),
    Killed(Duration),
}

impl<'a> Plan<'a> {
    /// Makes the history.
    pub(crate) fn run(&self, seed: u64) -> Vec<Call> {
        let history = Mutex::new(Vec::new());
        let began = Instant::now();
        let working = AtomicUsize::new(self.holders.len());
        thread::scope(|scope| {
            if self.blocked {
                scope.spawn(|| self.block(&working, Dice(seed)));
            }
            let working = &working;
            for (number, holder) in self.holders.iter().enumerate() {
                let history = &history;
                scope.spawn(move || {
                    let mut dice = Dice(seed * 1_000 + number as u64);
                    let _done = Done(working);
                    for _ in 0..self.calls {
                        thread::sleep(Duration::from_millis(dice.roll(self.pause + 1)));
                        let calls = self.call(*holder, &mut dice, began);
                        history.lock().unwrap().extend(calls);
                    }
                });
            }
        });
        history.into_inner().unwrap()
    }

    fn block(&self, working: &AtomicUsize, mut dice: Dice) {
        while working.load(Ordering::Relaxed) > 0 {
            if let Ok(lock) = fs::File::open(self.sandbox.place().join("lock")) {
                fs2::FileExt::lock_exclusive(&lock).unwrap();
                thread::sleep(Duration::from_millis(dice.roll(3_000)));
                fs2::FileExt::unlock(&lock).unwrap();
            }
            thread::sleep(Duration::from_millis(dice.roll(1_500)));
        }
    }

    fn verb(&self, target: usize, dice: &mut Dice) -> Verb {
        let ttl = 1 + i64::try_from(dice.roll(if self.crowded { 1 } else { 3 })).unwrap();
        match dice.roll(if self.crowded { 70 } else { 100 }) {
            0..35 => Verb::Take { shared: dice.roll(4) == 0, ttl },
            35..50 => Verb::Beat,
            50..70 => Verb::Release,
            70..77 => Verb::Sweep,
            77..87 => Verb::Look,
            // Only paths can be written.
            _ if group(target) == 2 => Verb::Guard { ttl },
            _ => Verb::Take { shared: false, ttl },
        }
    }

    fn call(&self, holder: usize, dice: &mut Dice, began: Instant) -> Vec<Call> {
        let target = dice.of(self.targets);
        let verb = self.verb(target, dice);
        let run = self.command(holder, target, verb);
        let fate = self.fate(dice);
        let (from, start) = (wall(), nanoseconds(began));
        let mut command = (self.through)(run).command();
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let output = suffered(child, &fate);
        let (end, until) = (nanoseconds(began), wall());
        let call = Call { holder, target, verb, answer: Answer::Unknown, start, end, from, until };
        self.answered(&call, &output)
    }

    fn fate(&self, dice: &mut Dice) -> Fate {
        // Somewhere within its short life, or after it: how long that is depends on the machine.
        let delay = Duration::from_micros(dice.of(&[500, 1_000, 2_000, 3_000, 5_000, 8_000, 15_000, 30_000]));
        match dice.roll(100) {
            chance if chance < self.stopped => Fate::Stopped(delay, Duration::from_millis(1_200 + dice.roll(2_500))),
            chance if chance < self.stopped + self.killed => Fate::Killed(delay),
            _ => Fate::Undisturbed,
        }
    }

    fn command(&self, holder: usize, target: usize, verb: Verb) -> Run<'a> {
        let path = self.sandbox.home().to_str().unwrap().to_owned();
        let target = if group(target) == 2 { format!("{path}{}", TARGETS[target]) } else { TARGETS[target].to_owned() };
        let words: Vec<&str> = match verb {
            Verb::Take { shared: true, .. } => vec!["take", &target, "torture", "--shared"],
            Verb::Take { .. } => vec!["take", &target, "torture"],
            Verb::Beat => vec!["beat", &target],
            Verb::Release => vec!["release", &target],
            Verb::Sweep => vec!["release", "--stale"],
            Verb::Guard { .. } => vec!["guard", "--take", &target],
            Verb::Look => vec!["status", &target],
        };
        let run = self.sandbox.by(&format!("h{holder}"), ["--json"].iter().chain(&words));
        match verb {
            Verb::Take { ttl, .. } | Verb::Guard { ttl } => run.env("CLAIM_TTL", ttl.to_string()),
            _ => run,
        }
    }

    /// The call, or one for each group that it concerned, or one for each claim that it showed.
    fn answered(&self, call: &Call, output: &Output) -> Vec<Call> {
        let with = |answer| Call { answer, ..call.clone() };
        let text = String::from_utf8(output.stdout.clone()).unwrap();
        let object: Value = serde_json::from_str(&text).unwrap_or_default();
        let everywhere = |answer: &dyn Fn(usize) -> Answer| {
            let mut groups: Vec<_> = self.targets.iter().map(|target| group(*target)).collect();
            groups.dedup();
            groups.into_iter().map(|group| Call { target: group, answer: answer(group), ..call.clone() }).collect()
        };
        let Some(exit @ (0 | 3 | 75)) = output.status.code() else {
            let told = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.code() != Some(101) && !told.contains("panicked"), "{call:?}: {told}");
            assert!(output.status.code().is_none_or(|code| code == 1), "{call:?}: {text}{told}");
            return match call.verb {
                Verb::Look => vec![],
                Verb::Sweep => everywhere(&|_| Answer::Unknown),
                _ => vec![with(Answer::Unknown)],
            };
        };
        let files = object["claims"].as_array().map_or(std::slice::from_ref(&object), Vec::as_slice);
        if files.iter().any(|file| file.get("unreadable").is_some()) {
            return vec![with(Answer::Damaged)];
        }
        let home = self.sandbox.home();
        let held = |object: &Value| {
            assert!(object["claim"].is_object(), "{call:?}: {text}");
            held(&object["claim"], home.to_str().unwrap())
        };
        let judged = |object: &Value| held(object).heartbeat + object["heartbeat_age_s"].as_i64().unwrap();
        let rows = || object["claims"].as_array().unwrap();
        match (call.verb, object["outcome"].as_str().unwrap_or_default()) {
            (Verb::Look, "status") => rows()
                .iter()
                .map(|row| Call { target: held(row).target, answer: Answer::Seen(held(row)), ..call.clone() })
                .collect(),
            (Verb::Sweep, "released") => {
                let now = rows().first().map(judged);
                let of = |group_: usize| rows().iter().map(held).filter(|held| group(held.target) == group_).collect();
                everywhere(&|group| Answer::Swept(of(group), now))
            }
            (_, "claimed") => vec![with(Answer::Claimed(held(&object)))],
            (_, "renewed") => vec![with(Answer::Renewed(held(&object)))],
            (_, "taken-over") => {
                vec![with(Answer::TakenOver(held(&object), holder(&object["claim"]["taken_from"])))]
            }
            (_, "beat") => vec![with(Answer::Beat(held(&object)))],
            (_, "released") => vec![with(Answer::Released(held(&object)))],
            (_, "refused") => vec![with(Answer::Refused(held(&object), judged(&object)))],
            (_, "not-held") => vec![with(Answer::NotHeld)],
            (_, "allowed") if object["because"] == "taken" => vec![with(Answer::Taken(held(&object)))],
            (_, "allowed") if object["because"] == "own-claim" => vec![with(Answer::Covered)],
            _ => panic!("{call:?}: exit {exit}, {text}"),
        }
    }
}

/// Counts a thread as done also when it fails, which the blocking one would else never hear of.
struct Done<'a>(&'a AtomicUsize);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Lets the process meet its fate and returns what it said.
fn suffered(child: Child, fate: &Fate) -> Output {
    let process = Pid::from_child(&child);
    // It may be over by now; until it is waited for, its number is nobody else's.
    let signal = |signal| _ = kill_process(process, signal);
    match fate {
        Fate::Undisturbed => {}
        Fate::Killed(delay) => {
            thread::sleep(*delay);
            signal(Signal::KILL);
        }
        Fate::Stopped(delay, length) => {
            thread::sleep(*delay);
            signal(Signal::STOP);
            thread::sleep(*length);
            signal(Signal::CONT);
        }
    }
    let output = child.wait_with_output().unwrap();
    assert!(output.status.signal().is_none_or(|number| number == 9), "{output:?}");
    output
}

/// Seconds since 1970, as a claim file counts them.
pub(super) fn wall() -> i64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs().try_into().unwrap()
}

fn nanoseconds(since: Instant) -> u64 {
    since.elapsed().as_nanos().try_into().unwrap()
}

fn holder(name: &Value) -> usize {
    name.as_str().unwrap().strip_prefix('h').unwrap().parse().unwrap()
}

fn held(claim: &Value, home: &str) -> Held {
    let target = claim["target"].as_str().unwrap();
    let target = target.strip_prefix(home).unwrap_or(target);
    let time = |key: &str| DateTime::parse_from_rfc3339(claim[key].as_str().unwrap()).unwrap().timestamp();
    Held {
        target: TARGETS.iter().position(|known| *known == target).unwrap(),
        holder: holder(&claim["holder"]),
        shared: claim["shared"] == true,
        taken: time("taken_at"),
        heartbeat: time("heartbeat_at"),
        ttl: claim["ttl_s"].as_i64().unwrap(),
    }
}
