//! `status --watch` at a real terminal, which tmux is: what it draws, and that nothing of it stays behind.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use regex::Regex;

use crate::support::{CLAIM, Sandbox, need};

/// Against a hang only.
const PATIENCE: Duration = Duration::from_secs(60);

/// A shell in a terminal of its own.
struct Terminal<'a> {
    sandbox: &'a Sandbox,
}

impl<'a> Terminal<'a> {
    fn new(sandbox: &'a Sandbox, columns: usize, rows: usize) -> Self {
        need("tmux");
        let terminal = Self { sandbox };
        let (columns, rows) = (columns.to_string(), rows.to_string());
        terminal.tmux(&["-f", "/dev/null", "new-session", "-d", "-x", &columns, "-y", &rows, "sh"]);
        terminal.until("prompt of a shell", |screen| !screen.trim().is_empty());
        terminal.type_line("PS1='% '; clear");
        terminal.until("prompt", |screen| screen.trim() == "%");
        terminal
    }

    fn command(&self, words: &[&str]) -> Command {
        let program = std::path::Path::new(CLAIM).parent().unwrap();
        let mut command = Command::new("tmux");
        command
            .arg("-S")
            .arg(self.sandbox.home().join("tmux"))
            .args(words)
            .current_dir(self.sandbox.work())
            .env_clear()
            .env("PATH", format!("{}:{}", program.display(), std::env::var("PATH").unwrap()))
            .env("HOME", self.sandbox.home())
            .env("CLAIM_DIR", self.sandbox.place())
            .env("CLAIM_HOLDER", "me")
            .env("LC_ALL", "C.UTF-8");
        command
    }

    fn tmux(&self, words: &[&str]) -> String {
        let output = self.command(words).output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn type_line(&self, line: &str) {
        self.tmux(&["send-keys", "-l", line]);
        self.tmux(&["send-keys", "Enter"]);
    }

    fn key(&self, key: &str) {
        self.tmux(&["send-keys", key]);
    }

    fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    /// Waits for a screen that is as described, and returns it.
    #[track_caller]
    fn until(&self, what: &str, is_it: impl Fn(&str) -> bool) -> String {
        let begun = Instant::now();
        loop {
            let screen = self.screen();
            if is_it(&screen) {
                return screen;
            }
            assert!(begun.elapsed() < PATIENCE, "no {what}:\n{screen}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Whether the other screen is shown, and the cursor.
    fn modes(&self) -> String {
        self.tmux(&["display-message", "-p", "#{alternate_on}#{cursor_flag}"]).trim().to_owned()
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        drop(self.command(&["kill-server"]).output());
    }
}

fn ends(by: impl Fn(&Terminal<'_>)) {
    let sandbox = Sandbox::new();
    sandbox.take("me", "first");
    let terminal = Terminal::new(&sandbox, 80, 24);
    terminal.type_line("stty -g > ../before; claim status --watch; echo ended $?; stty -g > ../after; echo restored");
    let screen = terminal.until("table", |screen| screen.contains("1 claim\n"));
    assert!(Regex::new(r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ  /").unwrap().is_match(&screen), "{screen}");
    assert_eq!(terminal.modes(), "10");

    sandbox.take("you", "second");
    terminal.until("second row", |screen| screen.contains("2 claims\n") && screen.contains("second"));
    sandbox.by("me", ["release", "first"]).stdout_any().check();
    terminal.until("row less", |screen| screen.contains("1 claim\n") && !screen.contains("first"));

    by(&terminal);
    let screen = terminal.until("end", |screen| screen.contains("\nrestored\n"));
    assert!(screen.starts_with("% stty") && screen.contains("\nended 0\nrestored\n%"), "{screen}");
    assert!(!screen.contains("second"), "{screen}");
    assert_eq!(terminal.modes(), "01");
    let settings = |name: &str| std::fs::read(sandbox.work().join(name)).unwrap();
    assert_eq!(settings("../before"), settings("../after"));
}

#[test]
fn q_ends_it_and_the_terminal_is_as_it_was() {
    ends(|terminal| terminal.key("q"));
}

#[test]
fn ctrl_c_ends_it_and_the_terminal_is_as_it_was() {
    ends(|terminal| terminal.key("C-c"));
}

#[test]
fn a_signal_ends_it_and_the_terminal_is_as_it_was() {
    ends(|terminal| {
        let shell = terminal.tmux(&["display-message", "-p", "#{pane_pid}"]);
        let children = std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", shell.trim())).unwrap();
        let status = Command::new("kill").args(["-TERM", children.trim()]).status().unwrap();
        assert!(status.success());
    });
}

#[test]
fn other_keys_and_ctrl_z_change_nothing() {
    ends(|terminal| {
        for key in ["x", "C-z", "Up"] {
            terminal.key(key);
        }
        terminal.until("table", |screen| screen.contains("1 claim\n"));
        assert_eq!(terminal.modes(), "10");
        terminal.key("q");
    });
}

#[test]
fn a_small_terminal_and_wide_characters_are_cut_to_fit() {
    let sandbox = Sandbox::new();
    for target in 1..=9 {
        sandbox.by("me", ["take", &format!("target-{target}"), "名前名前名前名前名前名前"]).stdout_any().check();
    }
    let terminal = Terminal::new(&sandbox, 48, 7);
    terminal.type_line("claim status --watch");
    let screen = terminal.until("table", |screen| screen.contains("more lines"));
    let lines: Vec<&str> = screen.lines().collect();
    assert_eq!(lines.len(), 7, "{screen}");
    assert!(lines[1].starts_with("TARGET    HOLDER  HEARTBEAT  HELD"), "{screen}");
    // As wide as the terminal, or one column less where a wide character did not fit.
    assert!(lines[2].starts_with("target-1  me") && lines[2].ends_with("名前…"), "{screen}");
    assert_eq!(lines[6], "… and 6 more lines");

    terminal.tmux(&["resize-window", "-x", "100", "-y", "20"]);
    let screen = terminal.until("whole table", |screen| screen.contains("9 claims\n"));
    assert!(screen.contains("名前名前名前名前名前名前\n"), "{screen}");
    terminal.key("q");
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    let sandbox = Sandbox::new();
    sandbox.take("me", "old");
    sandbox.age("old", 86_400);
    for (setting, coloured) in [("", true), ("NO_COLOR=1 ", false)] {
        let terminal = Terminal::new(&sandbox, 80, 24);
        terminal.type_line(&format!("{setting}claim status --watch"));
        terminal.until("table", |screen| screen.contains("1 claim, 1 stale"));
        let drawn = terminal.tmux(&["capture-pane", "-p", "-e"]);
        assert_eq!(drawn.contains('\u{1b}'), coloured, "{drawn:?}");
        terminal.key("q");
        terminal.until("end", |screen| screen.contains("watch\n%"));
    }
}

#[test]
fn without_a_terminal_it_says_so() {
    let sandbox = Sandbox::new();
    sandbox
        .run(["status", "--watch"])
        .exit(2)
        .stderr(
            "claim: --watch needs a terminal on standard input and output: without one, use claim status, or claim \
             status --json\n",
        )
        .check();
    let error = sandbox.run(["status", "--watch"]).exit(2).json();
    assert_eq!(error["error"], "usage");
    for other in ["--json", "--exit-code"] {
        sandbox
            .run(["status", "--watch", other])
            .exit(2)
            .stdout_any()
            .stderr_is(predicates::prelude::predicate::always())
            .check();
    }

    // A terminal that cannot move its cursor is none to draw on.
    let terminal = Terminal::new(&sandbox, 80, 24);
    terminal.type_line("TERM=dumb claim status --watch; echo ended $?");
    terminal.until("error", |screen| screen.contains("\nended 2\n"));
}
