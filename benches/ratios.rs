//! How fast is it? Whole processes, in shuffled order, medians, and only as ratios in one run on one machine: absolute
//! times say more about the machine than about the program.
//!
//! `cargo bench` prints the table. It needs Linux with `/bin/true`, `flock` and `sh`. It judges what it measures against
//! the numbers that this project promises and says `ok` or `OVER`, and ends with 1 if anything is over; on a busy machine
//! run it again before believing that.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    reason = "a benchmark runs processes and prints"
)]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    sync::LazyLock,
    time::{Duration, Instant},
};

/// A copy of the program, as an installation is one. What the linker itself wrote lies in the page cache in smaller pieces
/// until it is read again from the disk, which costs eleven page faults and a quarter of `/bin/true` at every start.
static CLAIM: LazyLock<String> = LazyLock::new(|| {
    let copy = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("claim");
    drop(fs::remove_file(&copy));
    fs::copy(env!("CARGO_BIN_EXE_claim"), &copy).unwrap();
    copy.to_str().unwrap().to_owned()
});
const BASELINE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/baseline.sh");
/// Runs of each command of one comparison.
const RUNS: usize = 200;

/// One command that is timed, with what has to be done before each run of it and is not timed.
struct Case {
    name: String,
    place: PathBuf,
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

impl Case {
    fn new(name: &str, place: &Path, command: &[&str]) -> Self {
        Self {
            name: name.to_owned(),
            place: place.to_owned(),
            command: words(command),
            input: String::new(),
            before: None,
            exit: 0,
            times: Vec::new(),
        }
    }

    /// What runs before each run, in the same place.
    fn after(mut self, program: &'static str, arguments: &'static [&'static str]) -> Self {
        let place = self.place.clone();
        self.before = Some(Box::new(move || quietly(&place, program, arguments)));
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
}

/// The medians of what was measured together, in seconds.
struct Medians(Vec<(String, f64)>);

impl Medians {
    fn of(&self, name: &str) -> f64 {
        self.0.iter().find(|(other, _)| other == name).unwrap().1
    }

    fn ratio(&self, one: &str, other: &str) -> f64 {
        self.of(one) / self.of(other)
    }

    fn more_ms(&self, one: &str, other: &str) -> f64 {
        (self.of(one) - self.of(other)) * 1_000.0
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

    /// Everything that is compared is measured together: a machine's speed changes from one minute to the next.
    fn measure(&mut self, mut cases: Vec<Case>) -> Medians {
        // What was written for it must not reach the disk while it is measured.
        assert!(Command::new("sync").status().unwrap().success());
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
                let (time, exit) = self.once(&case.place, &case.command, &case.input);
                assert_eq!(exit, case.exit, "{} ended with another code", case.name);
                // The first round only warms up.
                if round > 0 {
                    cases[number].times.push(time);
                }
            }
        }
        let median = |mut times: Vec<Duration>| {
            times.sort_unstable();
            times[times.len() / 2].as_secs_f64()
        };
        Medians(cases.into_iter().map(|case| (case.name, median(case.times))).collect())
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

fn quietly(place: &Path, program: &str, arguments: &[&str]) {
    let run = Command::new(program)
        .args(arguments)
        .env("CLAIM_DIR", place)
        .env("CLAIM_HOLDER", "bench")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(run.unwrap().code().is_some());
}

fn payload(bench: &Bench, file: &str) -> String {
    let project = bench.path("proj");
    format!(
        r#"{{"session_id":"bench","transcript_path":"/t/bench.jsonl","cwd":"{project}","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{{"file_path":"{file}","content":"x"}},"tool_use_id":"t"}}"#
    )
}

/// The verbs on a place, each in the situation in which it is used, with claims of this session and another.
fn verbs(bench: &Bench, kind: &str) -> Vec<Case> {
    let (place, home, foreign) = (bench.place(kind), bench.path("proj/a.rs"), bench.path("other/a.rs"));
    for (target, holder) in [("held", "bench"), ("foreign", "other"), (&bench.path("other"), "other")] {
        quietly(&place, &CLAIM, &["take", target, "p", "--holder", holder]);
    }
    let case = |name: &str, words: &[&str]| Case::new(&format!("{name}, {kind}"), &place, words);
    vec![
        case("guard", &[&CLAIM, "guard", &home]),
        case("take", &[&CLAIM, "take", "absent", "p"]).after(&CLAIM, &["release", "absent"]),
        case("refused take", &[&CLAIM, "take", "foreign", "p"]).exits(75),
        case("beat", &[&CLAIM, "beat", "held"]),
        case("release", &[&CLAIM, "release", "given"]).after(&CLAIM, &["take", "given", "p"]),
        case("hook at home", &[&CLAIM, "hook"]).reads(&payload(bench, &home)),
        case("hook refused", &[&CLAIM, "hook"]).reads(&payload(bench, &foreign)).exits(2),
    ]
}

fn main() -> ExitCode {
    let mut bench = Bench::new();
    println!("medians of {RUNS} whole processes each, shuffled\n");
    start(&mut bench);
    against_the_shell(&mut bench);
    crowded(&mut bench);
    long_trace(&mut bench);
    long_queue(&mut bench);
    throughput(&mut bench);
    let size = fs::metadata(CLAIM.as_str()).unwrap().len();
    bench.judge("size of the binary", size as f64 / 1_048_576.0, "MiB", 4.0);
    memory(&mut bench);
    ExitCode::from(u8::from(bench.over > 0))
}

fn start(bench: &mut Bench) {
    let empty = bench.place("empty");
    quietly(&empty, &CLAIM, &["take", "x", "p"]);
    quietly(&empty, &CLAIM, &["release", "x"]);
    let mut cases = verbs(bench, "idle");
    let flocked = bench.place("flocked");
    cases.push(Case::new("true", &empty, &["/bin/true"]));
    cases.push(Case::new("flock", &empty, &["flock", "-n", flocked.to_str().unwrap(), "true"]));
    cases.push(Case::new("status", &empty, &[&CLAIM, "status"]));
    let medians = bench.measure(cases);
    bench.judge("guard of a path at home / true", medians.ratio("guard, idle", "true"), "x", 1.3);
    bench.judge("status of an idle machine / true", medians.ratio("status", "true"), "x", 1.4);
    for name in ["take", "beat", "release", "hook at home"] {
        bench.judge(&format!("{name} / flock"), medians.ratio(&format!("{name}, idle"), "flock"), "x", 1.0);
    }
    for (name, against) in [("refused take, idle", "flock"), ("hook refused, idle", "flock"), ("flock", "true")] {
        let what = format!("{} / {against}", name.trim_end_matches(", idle"));
        println!("{what:<62} {:>8.2} x", medians.ratio(name, against));
    }
}

fn against_the_shell(bench: &mut Bench) {
    let home = bench.path("proj/a.rs");
    let mut cases = Vec::new();
    for (name, program) in [("claim", CLAIM.as_str()), ("shell", BASELINE)] {
        let place = bench.place(name);
        quietly(&place, program, &["take", "b", "p"]);
        let case = |words: &[&str]| Case::new(&format!("{name} {}", words[1]), &place, words);
        cases.extend([
            case(&[program, "take", "t", "p"]).after(program, &["release", "t"]),
            case(&[program, "beat", "b"]),
            case(&[program, "release", "r"]).after(program, &["take", "r", "p"]),
            case(&[program, "guard", &home]),
        ]);
    }
    let medians = bench.measure(cases);
    for verb in ["take", "beat", "release", "guard"] {
        let ratio = medians.ratio(&format!("shell {verb}"), &format!("claim {verb}"));
        bench.at_least(&format!("{verb}: the same as a shell script / claim"), ratio, "x", 8.0);
    }
}

fn crowded(bench: &mut Bench) {
    let mut cases = verbs(bench, "few");
    cases.extend(verbs(bench, "many"));
    let place = bench.place("many");
    for number in 0..10_000 {
        let target = format!("left over {number}");
        let claim = format!(
            "{{\n  \"target\": \"{target}\",\n  \"holder\": \"gone\",\n  \"purpose\": \"p\",\n  \"taken_at\": \"2026-01-01T00:00:00Z\",\n  \"heartbeat_at\": \"2026-01-01T00:00:00Z\"\n}}\n"
        );
        fs::write(place.join(format!("claims/left-over-{number}.json")), claim).unwrap();
    }
    let medians = bench.measure(cases);
    for name in ["take", "guard", "beat", "refused take"] {
        let more = medians.more_ms(&format!("{name}, many"), &format!("{name}, few"));
        bench.judge(&format!("{name}: more with 10,000 claims left over"), more, "ms", 10.0);
    }
    let (time, _) = bench.once(&place, &words(&[&CLAIM, "status", "--json"]), "");
    bench.judge("status --json of 10,000 claims", time.as_secs_f64() * 1_000.0, "ms", 1_000.0);
}

fn long_trace(bench: &mut Bench) {
    let mut cases = Vec::new();
    for name in ["short", "long"] {
        let place = bench.place(&format!("trace-{name}"));
        quietly(&place, &CLAIM, &["take", "x", "p"]);
        quietly(&place, &CLAIM, &["release", "x"]);
        cases.push(Case::new(name, &place, &[&CLAIM, "take", "absent", "p"]).after(&CLAIM, &["release", "absent"]));
    }
    let trace = bench.place("trace-long").join("trace.jsonl");
    let line = fs::read(&trace).unwrap();
    // Just below the size at which it is rotated, so that every run reads and appends to a file of that size.
    fs::write(&trace, line.repeat((4 * 1_024 * 1_024 - 512 * 1_024) / line.len())).unwrap();
    let medians = bench.measure(cases);
    bench.judge("take with a trace at its rotation size / with a short one", medians.ratio("long", "short"), "x", 1.1);
}

fn long_queue(bench: &mut Bench) {
    let mut cases = Vec::new();
    for (name, notes) in [("short", 1), ("long", 1_000)] {
        let place = bench.place(&format!("queue-{name}"));
        quietly(&place, &CLAIM, &["take", "t", "p"]);
        quietly(&place, &CLAIM, &["handover", "add", "t", "first"]);
        let inbox = place.join("handovers/t/inbox");
        let first = fs::read_dir(&inbox).unwrap().next().unwrap().unwrap().file_name().into_string().unwrap();
        for number in 2..=notes + RUNS + 1 {
            fs::write(inbox.join(first.replace("000001", &format!("{number:06}"))), "more").unwrap();
        }
        cases.push(Case::new(name, &place, &[&CLAIM, "handover", "next", "t"]));
    }
    let more = bench.measure(cases).more_ms("long", "short");
    bench.judge("handover next: more with 1,000 notes", more, "ms", 10.0);
}

fn throughput(bench: &mut Bench) {
    let many = 64;
    let mut times = Vec::new();
    for together in [false, true] {
        let place = bench.place(if together { "together" } else { "in-turn" });
        quietly(&place, &CLAIM, &["status"]);
        let begun = Instant::now();
        let mut running = Vec::new();
        for number in 0..many {
            let target = format!("t{number}");
            let mut child = bench.command(&place, &words(&[&CLAIM, "take", &target, "p"])).spawn().unwrap();
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
            let limited = format!("ulimit -v {}; exec {} {arguments}", megabytes * 1_024, *CLAIM);
            if bench.once(&place, &words(&["sh", "-c", &limited]), "").1 == 0 {
                most = most.max(megabytes);
                break;
            }
        }
    }
    bench.judge("peak memory (address space, the most of any verb)", f64::from(most), "MiB", 6.0);
}
