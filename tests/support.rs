//! The one way in which tests run the program.
//!
//! A [`Sandbox`] is a place of its own with a home directory and a working directory, in an environment that holds
//! nothing but `PATH`, `HOME` and `CLAIM_DIR`. A [`Run`] is strict: exit code 0, nothing on stdout and nothing on stderr,
//! unless the test says otherwise, and what it says is the whole text. No test waits for time to pass: it ages the
//! record ([`Sandbox::age`]).
//!
//! Texts that a test expects may have placeholders, understood in [`Sandbox::pattern`] and nowhere else:
//! `[DIR]`, `[HOME]`, `[WORK]` are the sandbox's directories, `[TIME]` is any time as the claim file writes it, and
//! `[41s]` is 41 seconds or a few more, since the machine that runs the tests may be slow.

mod process;
mod trace;

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fs,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, SystemTime},
};

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use predicates::prelude::*;
use regex::Regex;
use serde_json::{Map, Value};

/// The program under test.
pub(crate) const CLAIM: &str = env!("CARGO_BIN_EXE_claim");

/// What [`Sandbox::files`] is on a machine at rest that has been at work.
pub(crate) const AT_REST: [&str; 3] = ["claims/", "lock", "trace.jsonl"];

/// By how many seconds an age may exceed what a test says.
const SLACK: i64 = 18;

/// Against a hang only; no test states how fast an answer must be.
const PATIENCE: Duration = Duration::from_secs(300);

/// A place, a home and a working directory that vanish with it. The place itself is not made: that is the program's.
pub(crate) struct Sandbox {
    root: PathBuf,
    _temporary: tempfile::TempDir,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let temporary = tempfile::tempdir().unwrap();
        // What tests compare with is what the program shows: without links.
        let root = temporary.path().canonicalize().unwrap();
        fs::create_dir(root.join("home")).unwrap();
        fs::create_dir(root.join("work")).unwrap();
        Self { root, _temporary: temporary }
    }

    /// `$CLAIM_DIR`.
    pub(crate) fn place(&self) -> PathBuf {
        self.root.join("place")
    }

    /// `$HOME`.
    pub(crate) fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// The directory that the program is run in.
    pub(crate) fn work(&self) -> PathBuf {
        self.root.join("work")
    }

    /// The claim file of a stem.
    pub(crate) fn file(&self, stem: &str) -> PathBuf {
        self.place().join("claims").join(format!("{stem}.json"))
    }

    /// A run of a session that nobody names.
    pub(crate) fn run<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Run<'_> {
        let arguments = arguments.into_iter().map(|argument| argument.as_ref().to_owned()).collect();
        let mut run = Run {
            sandbox: self,
            through: Vec::new(),
            arguments,
            environment: BTreeMap::new(),
            directory: self.work(),
            input: Vec::new(),
            exit: 0,
            stdout: Expected::Text(String::new()),
            stderr: Expected::Text(String::new()),
        };
        run.environment.extend(std::env::var_os("PATH").map(|path| ("PATH".into(), path)));
        run.env("HOME", self.home()).env("CLAIM_DIR", self.place())
    }

    /// A run of the session `holder`.
    pub(crate) fn by<S: AsRef<OsStr>>(&self, holder: &str, arguments: impl IntoIterator<Item = S>) -> Run<'_> {
        self.run(arguments).env("CLAIM_HOLDER", holder)
    }

    /// `holder` takes the target, whatever the program says of it.
    pub(crate) fn take(&self, holder: &str, target: &str) {
        self.by(holder, ["take", target, "testing"]).stdout_any().check();
    }

    /// Moves both times in a claim file back by so many seconds, or forward by a negative number, and changes no other
    /// byte of it.
    pub(crate) fn age(&self, stem: &str, seconds: i64) {
        let text = fs::read_to_string(self.file(stem)).unwrap();
        let times = Regex::new(r#"("(?:taken|heartbeat)_at": ")([^"]+)""#).unwrap();
        assert_eq!(times.find_iter(&text).count(), 2, "not a claim file: {text}");
        let aged = times.replace_all(&text, |time: &regex::Captures<'_>| {
            let moved = DateTime::parse_from_rfc3339(&time[2]).unwrap() - TimeDelta::seconds(seconds);
            format!("{}{}\"", &time[1], moved.to_utc().to_rfc3339_opts(SecondsFormat::Secs, true))
        });
        fs::write(self.file(stem), aged.as_bytes()).unwrap();
    }

    /// Moves a file's time of modification back: the heartbeat of a claim file that cannot be read.
    pub(crate) fn age_bytes(&self, stem: &str, seconds: u64) {
        let modified = SystemTime::now() - Duration::from_secs(seconds);
        fs::File::options().append(true).open(self.file(stem)).unwrap().set_modified(modified).unwrap();
    }

    /// Puts bytes where a claim file belongs.
    pub(crate) fn write(&self, stem: &str, bytes: impl AsRef<[u8]>) {
        fs::create_dir_all(self.place().join("claims")).unwrap();
        fs::write(self.file(stem), bytes).unwrap();
    }

    /// The bytes of a claim file.
    pub(crate) fn bytes(&self, stem: &str) -> Vec<u8> {
        fs::read(self.file(stem)).unwrap()
    }

    /// A claim file as JSON.
    pub(crate) fn claim(&self, stem: &str) -> Value {
        serde_json::from_slice(&self.bytes(stem)).unwrap()
    }

    /// The stems of all claim files, in order. Nothing else may be in the directory.
    pub(crate) fn stems(&self) -> Vec<String> {
        let files = self.files();
        let names = files.iter().filter_map(|file| file.strip_prefix("claims/")).filter(|name| !name.is_empty());
        names.map(|name| name.strip_suffix(".json").unwrap().to_owned()).collect()
    }

    /// Every file of the place, by its path in there, in order. Directories end in `/` and are listed when empty.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut found = Vec::new();
        walk(&self.place(), &mut found);
        let mut names: Vec<_> = found
            .iter()
            .filter_map(|path| Some(path.to_str()?.strip_prefix(self.place().to_str()?)?.strip_prefix('/')?.to_owned()))
            .filter(|name| !name.is_empty())
            .collect();
        names.sort();
        names
    }

    /// Whether the whole text is as expected; the expectation may have placeholders.
    pub(crate) fn fits(&self, expected: &str, found: &str) -> bool {
        Regex::new(&self.pattern(expected)).unwrap().is_match(found)
    }

    /// The regular expression of a whole text with placeholders.
    fn pattern(&self, text: &str) -> String {
        let places = [("[DIR]", self.place()), ("[HOME]", self.home()), ("[WORK]", self.work())];
        let mut pattern = regex::escape(text);
        for (name, path) in places {
            pattern = pattern.replace(&regex::escape(name), &regex::escape(path.to_str().unwrap()));
        }
        pattern = pattern.replace(r"\[TIME\]", r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ");
        let ages = Regex::new(r"\\\[(\d+)s\\\]").unwrap();
        let pattern = ages.replace_all(&pattern, |age: &regex::Captures<'_>| {
            let least: i64 = age[1].parse().unwrap();
            let ages: Vec<_> = (least..=least + SLACK).map(|age| age.to_string()).collect();
            format!("(?:{})s", ages.join("|"))
        });
        format!(r"\A{pattern}\z")
    }
}

fn walk(path: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(path) else { return };
    let mut empty = true;
    for entry in entries {
        let entry = entry.unwrap();
        empty = false;
        if entry.file_type().unwrap().is_dir() { walk(&entry.path(), found) } else { found.push(entry.path()) }
    }
    if empty {
        found.push(path.join(""));
    }
}

enum Expected {
    Text(String),
    Matching(predicates::BoxPredicate<str>),
}

/// What came of a run that was as expected.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) exit: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// One run of the program and everything that is expected of it.
#[must_use = "nothing is run before `check`, `json` or `outcome`"]
pub(crate) struct Run<'a> {
    sandbox: &'a Sandbox,
    through: Vec<OsString>,
    arguments: Vec<OsString>,
    environment: BTreeMap<OsString, OsString>,
    directory: PathBuf,
    input: Vec<u8>,
    exit: i32,
    stdout: Expected,
    stderr: Expected,
}

impl Run<'_> {
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.environment.insert(name.into(), value.as_ref().to_owned());
        self
    }

    pub(crate) fn env_remove(mut self, name: &str) -> Self {
        self.environment.remove(OsStr::new(name));
        self
    }

    /// Runs in another directory.
    pub(crate) fn within(mut self, directory: impl AsRef<Path>) -> Self {
        self.directory = directory.as_ref().to_owned();
        self
    }

    /// What comes on standard input, which ends there.
    pub(crate) fn stdin(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    /// Runs the program by another one, such as `strace -f`, which gets the program and its arguments as its last ones.
    pub(crate) fn through<S: AsRef<OsStr>>(mut self, prefix: impl IntoIterator<Item = S>) -> Self {
        self.through = prefix.into_iter().map(|word| word.as_ref().to_owned()).collect();
        need(self.through[0].to_str().unwrap());
        self
    }

    pub(crate) fn exit(mut self, code: i32) -> Self {
        self.exit = code;
        self
    }

    /// The whole of stdout, with placeholders.
    pub(crate) fn stdout(mut self, text: impl Into<String>) -> Self {
        self.stdout = Expected::Text(text.into());
        self
    }

    /// The whole of stderr, with placeholders.
    pub(crate) fn stderr(mut self, text: impl Into<String>) -> Self {
        self.stderr = Expected::Text(text.into());
        self
    }

    pub(crate) fn stdout_is(mut self, expected: impl Predicate<str> + Send + Sync + 'static) -> Self {
        self.stdout = Expected::Matching(expected.boxed());
        self
    }

    pub(crate) fn stderr_is(mut self, expected: impl Predicate<str> + Send + Sync + 'static) -> Self {
        self.stderr = Expected::Matching(expected.boxed());
        self
    }

    /// Something that stdout says among the rest, for texts that the design leaves open.
    pub(crate) fn stdout_has(self, text: &str) -> Self {
        self.stdout_is(predicate::str::contains(text))
    }

    /// As [`Run::stdout_has`].
    pub(crate) fn stderr_has(self, text: &str) -> Self {
        self.stderr_is(predicate::str::contains(text))
    }

    /// The test is not about what stdout says.
    pub(crate) fn stdout_any(self) -> Self {
        self.stdout_is(predicate::always())
    }

    /// The test is not about what stderr says, but a failure is never silent.
    pub(crate) fn stderr_some(self) -> Self {
        self.stderr_is(predicate::str::is_empty().not())
    }

    /// The command, for tests that start, feed or kill it themselves.
    pub(crate) fn command(&self) -> Command {
        self.command_behind(&[])
    }

    /// The same, started by another program.
    pub(crate) fn command_behind(&self, starter: &[&str]) -> Command {
        let starter = starter.iter().map(OsString::from);
        let mut words =
            starter.chain(self.through.iter().cloned()).chain([CLAIM.into()]).chain(self.arguments.iter().cloned());
        let mut command = Command::new(words.next().unwrap());
        command.args(words).env_clear().envs(&self.environment).current_dir(&self.directory);
        command.stdin(std::process::Stdio::null());
        command
    }

    /// Runs and expects nothing: for tests that draw their own conclusion from all three.
    pub(crate) fn outcome(&self) -> Outcome {
        // Stdin is a pipe, empty unless the test says otherwise, and the time is bounded.
        let mut command = assert_cmd::Command::from_std(self.command());
        let output = command.write_stdin(self.input.clone()).timeout(PATIENCE).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        // As a shell would say it, when a signal ended it.
        let exit = output
            .status
            .code()
            .unwrap_or_else(|| 128 + std::os::unix::process::ExitStatusExt::signal(&output.status).unwrap());
        Outcome { exit, stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Runs and compares exit code, stdout and stderr.
    #[track_caller]
    pub(crate) fn check(self) -> Outcome {
        let outcome = self.outcome();
        for (stream, expected, found) in
            [("stdout", &self.stdout, &outcome.stdout), ("stderr", &self.stderr, &outcome.stderr)]
        {
            let (matches, expected) = match expected {
                Expected::Text(text) => (self.sandbox.fits(text, found), text.clone()),
                Expected::Matching(predicate) => (predicate.eval(found), predicate.to_string()),
            };
            assert!(matches, "{}\n--- {stream}, expected\n{expected}\n--- all of it\n{outcome}", self.title());
        }
        assert_eq!(outcome.exit, self.exit, "{}\n{outcome}", self.title());
        outcome
    }

    /// Runs with `--json`, expects exactly one object on stdout and nothing on stderr, and returns the object.
    #[track_caller]
    pub(crate) fn json(mut self) -> Map<String, Value> {
        self.arguments.insert(0, "--json".into());
        self.stderr = Expected::Text(String::new());
        let title = self.title();
        let outcome = self.stdout_any().check();
        match serde_json::from_str(&outcome.stdout) {
            Ok(Value::Object(object)) if outcome.stdout.ends_with("}\n") => object,
            other => panic!("{title}\nnot one object and a newline: {other:?}\n{outcome}"),
        }
    }

    fn title(&self) -> String {
        let words: Vec<_> = self.arguments.iter().map(|word| String::from_utf8_lossy(word.as_bytes())).collect();
        format!("claim {}", words.join(" "))
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "exit {}\n--- stdout\n{}\n--- stderr\n{}", self.exit, self.stdout, self.stderr)
    }
}

/// Fails when a tool is missing. A test never skips itself: a skipped test is one that nobody misses.
#[track_caller]
pub(crate) fn need(tool: &str) {
    let path = std::env::var_os("PATH").unwrap_or_default();
    assert!(
        std::env::split_paths(&path).any(|directory| directory.join(tool).is_file()),
        "this test needs {tool}: install it"
    );
}

/// A time as the claim file writes it, so many seconds ago.
pub(crate) fn ago(seconds: i64) -> String {
    let now: DateTime<Utc> = SystemTime::now().into();
    (now - TimeDelta::seconds(seconds)).to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// The five fields of a claim file that was taken so many seconds ago and never renewed.
pub(crate) fn record(target: &str, holder: &str, age: i64) -> Value {
    let time = ago(age);
    serde_json::json!({"target": target, "holder": holder, "purpose": "testing", "taken_at": time, "heartbeat_at": time})
}
