//! How fast is it? Whole processes, in shuffled order, medians, and only as ratios in one run on one machine: absolute
//! times say more about the machine than about the program.
//!
//! `cargo bench` prints the table. It needs Linux with `/bin/true`, `flock` and `sh`. It judges what it measures against
//! the numbers that this project promises and says `ok` or `OVER`, and ends with 1 if anything is over; on a busy machine
//! run it again before believing that.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a benchmark runs processes and prints"
)]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    time::{Duration, Instant},
};

const CLAIM: &str = env!("CARGO_BIN_EXE_claim");
const BASELINE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/baseline.sh");
/// Runs of each command of one comparison.
const RUNS: usize = 200;

/// One command that is timed, with what has to be done before each run of it and is not timed.
struct Case {
    name: &'static str,
    command: Vec<String>,
    input: String,
    before: Option<Box<dyn Fn()>>,
    exit: i32,
    times: Vec<Duration>,
}

struct Bench {
    root: PathBuf,
    over: usize,
    seed: u64,
}

fn words(command: &[&str]) -> Vec<String> {
    command.iter().map(|&word| word.to_owned()).collect()
}

fn case(name: &'static str, command: &[&str]) -> Case {
    Case { name, command: words(command), input: String::new(), before: None, exit: 0, times: Vec::new() }
}

impl Case {
    fn after(mut self, before: impl Fn() + 'static) -> Self {
        self.before = Some(Box::new(before));
        self
    }

    fn exits(mut self, exit: i32) -> Self {
        self.exit = exit;
        self
    }

    fn reads(mut self, input: &str) -> Self {
        self.input = input.to_owned();
        self
    }

    fn median(&self) -> Duration {
        let mut times = self.times.clone();
        times.sort_unstable();
        times[times.len() / 2]
    }
}

impl Bench {
    fn new() -> Self {
        let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("ratios");
        drop(fs::remove_dir_all(&root));
        for folder in ["home/proj/.git", "home/other/.git", "tmp"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        Self { root: root.canonicalize().unwrap(), over: 0, seed: 0x9e37_79b9_7f4a_7c15 }
    }

    fn place(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    fn path(&self, name: &str) -> String {
        self.root.join("home").join(name).to_str().unwrap().to_owned()
    }

    fn command(&self, place: &Path, words: &[String]) -> Command {
        let mut command = Command::new(&words[0]);
        command
            .args(&words[1..])
            .current_dir(self.root.join("home/proj"))
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.root.join("home"))
            .env("TMPDIR", self.root.join("tmp"))
            .env("CLAIM_DIR", place)
            .env("CLAIM_HOLDER", "bench")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    fn once(&self, place: &Path, words: &[String], input: &str) -> (Duration, i32) {
        let mut command = self.command(place, words);
        if input.is_empty() {
            command.stdin(Stdio::null());
        } else {
            let file = self.root.join("input");
            fs::write(&file, input).unwrap();
            command.stdin(fs::File::open(file).unwrap());
        }
        let begun = Instant::now();
        let status = command.status().unwrap();
        (begun.elapsed(), status.code().unwrap_or(-1))
    }

    /// A small generator is enough to shuffle, and needs no crate.
    fn random(&mut self, below: usize) -> usize {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        usize::try_from(self.seed % below as u64).unwrap()
    }

    fn measure(&mut self, place: &Path, mut cases: Vec<Case>) -> Vec<Case> {
        for round in 0..=RUNS {
            let mut order: Vec<usize> = (0..cases.len()).collect();
            for place in (1..order.len()).rev() {
                order.swap(place, self.random(place + 1));
            }
            for number in order {
                let case = &cases[number];
                if let Some(before) = &case.before {
                    before();
                }
                let (time, exit) = self.once(place, &case.command, &case.input);
                assert_eq!(exit, case.exit, "{} ended with another code", case.name);
                // The first round only warms up.
                if round > 0 {
                    cases[number].times.push(time);
                }
            }
        }
        cases
    }

    fn judge(&mut self, what: &str, value: f64, unit: &str, most: f64) {
        let word = if value <= most { "ok" } else { "OVER" };
        self.over += usize::from(value > most);
        println!("{what:<62} {value:>8.2} {unit:<4} at most {most:<6} {word}");
    }

    fn at_least(&mut self, what: &str, value: f64, unit: &str, least: f64) {
        let word = if value >= least { "ok" } else { "UNDER" };
        self.over += usize::from(value < least);
        println!("{what:<62} {value:>8.2} {unit:<4} at least {least:<5} {word}");
    }
}

fn quietly(place: &Path, arguments: &[&str]) {
    let run = Command::new(CLAIM)
        .args(arguments)
        .env("CLAIM_DIR", place)
        .env("CLAIM_HOLDER", "bench")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(run.unwrap().code().is_some());
}

fn ratio(cases: &[Case], one: &str, other: &str) -> f64 {
    let median = |name| cases.iter().find(|case| case.name == name).unwrap().median().as_secs_f64();
    median(one) / median(other)
}

fn difference_ms(cases: &[Case], other: &[Case], name: &str) -> f64 {
    let median = |cases: &[Case]| cases.iter().find(|case| case.name == name).unwrap().median().as_secs_f64();
    (median(cases) - median(other)) * 1_000.0
}

fn payload(bench: &Bench, file: &str) -> String {
    let project = bench.path("proj");
    format!(
        r#"{{"session_id":"bench","transcript_path":"/t/bench.jsonl","cwd":"{project}","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{{"file_path":"{file}","content":"x"}},"tool_use_id":"t"}}"#
    )
}

/// The verbs on a place, each in the situation in which it is used.
fn verbs(bench: &mut Bench, place: &Path) -> Vec<Case> {
    let home = bench.path("proj/a.rs");
    let foreign = bench.path("other/a.rs");
    let tree = bench.path("other");
    let at = |arguments: &'static [&'static str]| {
        let place = place.to_owned();
        move || quietly(&place, arguments)
    };
    quietly(place, &["take", "held", "p"]);
    quietly(place, &["take", "foreign", "p", "--holder", "other"]);
    quietly(place, &["take", &tree, "p", "--holder", "other"]);
    let write = payload(bench, &home);
    let refused = payload(bench, &foreign);
    let cases = vec![
        case("true", &["/bin/true"]),
        case("flock", &["flock", "-n", bench.root.join("flocked").to_str().unwrap(), "true"]),
        case("guard", &[CLAIM, "guard", &home]),
        case("status", &[CLAIM, "status"]),
        case("take", &[CLAIM, "take", "absent", "p"]).after(at(&["release", "absent"])),
        case("refused take", &[CLAIM, "take", "foreign", "p"]).exits(75),
        case("beat", &[CLAIM, "beat", "held"]),
        case("release", &[CLAIM, "release", "given"]).after(at(&["take", "given", "p"])),
        case("hook at home", &[CLAIM, "hook"]).reads(&write),
        case("hook refused", &[CLAIM, "hook"]).reads(&refused).exits(2),
    ];
    bench.measure(place, cases)
}

fn main() -> ExitCode {
    let mut bench = Bench::new();
    println!("medians of {RUNS} whole processes each, shuffled\n");

    let idle = bench.place("idle");
    let cases = verbs(&mut bench, &idle);
    for (name, against, most) in [
        ("guard", "true", 1.3),
        ("take", "flock", 1.0),
        ("beat", "flock", 1.0),
        ("release", "flock", 1.0),
        ("hook at home", "flock", 1.0),
    ] {
        bench.judge(&format!("{name} / {against}"), ratio(&cases, name, against), "x", most);
    }
    for (name, against) in [("refused take", "flock"), ("hook refused", "flock"), ("flock", "true")] {
        println!("{:<62} {:>8.2} x", format!("{name} / {against}"), ratio(&cases, name, against));
    }
    let empty = bench.place("empty");
    quietly(&empty, &["take", "x", "p"]);
    quietly(&empty, &["release", "x"]);
    let status = bench.measure(&empty, vec![case("true", &["/bin/true"]), case("status", &[CLAIM, "status"])]);
    bench.judge("status of an idle machine / true", ratio(&status, "status", "true"), "x", 1.4);

    against_the_shell(&mut bench);
    crowded(&mut bench, &cases);
    long_trace(&mut bench, &cases);
    long_queue(&mut bench);
    throughput(&mut bench);

    let size = fs::metadata(CLAIM).unwrap().len();
    bench.judge("size of the binary", size as f64 / 1_048_576.0, "MiB", 4.0);
    memory(&mut bench);
    ExitCode::from(u8::from(bench.over > 0))
}

fn against_the_shell(bench: &mut Bench) {
    let (ours, theirs) = (bench.place("ours"), bench.place("theirs"));
    let script = |place: &Path, verb: &'static str, target: &'static str| {
        let place = place.to_owned();
        move || {
            let mut run = Command::new(BASELINE);
            run.args([verb, target, "p"]).env("CLAIM_DIR", &place).env("CLAIM_HOLDER", "bench");
            assert!(run.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().code().is_some());
        }
    };
    for (verb, target) in [("take", "t"), ("beat", "b"), ("release", "r"), ("guard", "b")] {
        let mut medians = Vec::new();
        for (program, place) in [(CLAIM, &ours), (BASELINE, &theirs)] {
            script(place, "take", "b")();
            quietly(place, &["take", "b", "p"]);
            let mut timed = case("verb", &[program, verb, target]);
            if verb == "take" {
                timed.command.push("p".to_owned());
                timed = timed.after(script(place, "release", "t"));
            } else if verb == "release" {
                timed = timed.after(script(place, "take", "r"));
            } else if verb == "guard" && program == CLAIM {
                // A path at home, which is what a guard is asked about nearly always.
                timed.command[2] = bench.path("proj/a.rs");
            }
            medians.push(bench.measure(place, vec![timed])[0].median().as_secs_f64());
        }
        bench.at_least(&format!("{verb}: the same as a shell script / claim"), medians[1] / medians[0], "x", 8.0);
    }
}

fn crowded(bench: &mut Bench, idle: &[Case]) {
    let place = bench.place("crowded");
    quietly(&place, &["take", "held", "p"]);
    for number in 0..10_000 {
        let target = format!("left over {number}");
        let claim = format!(
            "{{\n  \"target\": \"{target}\",\n  \"holder\": \"gone\",\n  \"purpose\": \"p\",\n  \"taken_at\": \"2026-01-01T00:00:00Z\",\n  \"heartbeat_at\": \"2026-01-01T00:00:00Z\"\n}}\n"
        );
        fs::write(place.join(format!("claims/left-over-{number}.json")), claim).unwrap();
    }
    let cases = verbs(bench, &place);
    for name in ["take", "guard", "beat", "refused take"] {
        bench.judge(
            &format!("{name}: more with 10,000 claims left over"),
            difference_ms(&cases, idle, name),
            "ms",
            10.0,
        );
    }
    let (time, _) = bench.once(&place, &words(&[CLAIM, "status", "--json"]), "");
    bench.judge("status --json of 10,000 claims", time.as_secs_f64() * 1_000.0, "ms", 1_000.0);
}

fn long_trace(bench: &mut Bench, idle: &[Case]) {
    let place = bench.place("traced");
    quietly(&place, &["take", "x", "p"]);
    quietly(&place, &["release", "x"]);
    let line = fs::read(place.join("trace.jsonl")).unwrap();
    // Just below the size at which it is rotated, so that every run reads and appends to a file of that size.
    let times = (4 * 1_024 * 1_024 - 512 * 1_024) / line.len();
    fs::write(place.join("trace.jsonl"), line.repeat(times)).unwrap();
    let release = place.clone();
    let cases = bench.measure(
        &place,
        vec![case("take", &[CLAIM, "take", "absent", "p"]).after(move || quietly(&release, &["release", "absent"]))],
    );
    let took = cases[0].median().as_secs_f64();
    let before = idle.iter().find(|case| case.name == "take").unwrap().median().as_secs_f64();
    bench.judge("take with a trace at its rotation size / with a short one", took / before, "x", 1.1);
}

fn long_queue(bench: &mut Bench) {
    let mut medians = Vec::new();
    for (name, notes) in [("short", 1), ("long", 1_000)] {
        let place = bench.place(name);
        quietly(&place, &["take", "t", "p"]);
        quietly(&place, &["handover", "add", "t", "first"]);
        let inbox = place.join("handovers/t/inbox");
        let first = fs::read_dir(&inbox).unwrap().next().unwrap().unwrap().file_name().into_string().unwrap();
        for number in 2..=notes + RUNS + 1 {
            fs::write(inbox.join(first.replace("000001", &format!("{number:06}"))), "more").unwrap();
        }
        let cases = bench.measure(&place, vec![case("next", &[CLAIM, "handover", "next", "t"])]);
        medians.push(cases[0].median().as_secs_f64() * 1_000.0);
    }
    bench.judge("handover next: more with 1,000 notes", medians[1] - medians[0], "ms", 10.0);
}

fn throughput(bench: &mut Bench) {
    let many = 64;
    let mut times = Vec::new();
    for together in [false, true] {
        let place = bench.place(if together { "together" } else { "in-turn" });
        quietly(&place, &["status"]);
        let begun = Instant::now();
        let mut running = Vec::new();
        for number in 0..many {
            let target = format!("t{number}");
            let mut child = bench.command(&place, &words(&[CLAIM, "take", &target, "p"])).spawn().unwrap();
            if together { running.push(child) } else { assert!(child.wait().unwrap().success()) }
        }
        for mut child in running {
            assert!(child.wait().unwrap().success(), "one of them timed out");
        }
        times.push(begun.elapsed().as_secs_f64());
    }
    bench.at_least("64 processes at once: throughput / one after another", times[0] / times[1] * 100.0, "%", 60.0);
}

/// Address space bounds memory from above, and the shell can limit it.
fn memory(bench: &mut Bench) {
    let place = bench.place("memory");
    let mut most = 0;
    for arguments in ["take t p", "beat t", "status", "guard a.rs", "release t"] {
        for megabytes in 1..=64 {
            let limited = format!("ulimit -v {}; exec {CLAIM} {arguments}", megabytes * 1_024);
            if bench.once(&place, &words(&["sh", "-c", &limited]), "").1 == 0 {
                most = most.max(megabytes);
                break;
            }
        }
    }
    bench.judge("peak memory (address space, the most of any verb)", f64::from(most), "MiB", 6.0);
}
