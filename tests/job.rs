//! `run` and `--wait` on a terminal, in the hands of an interactive shell.

use std::fs;

use crate::{
    live::{Terminal, is_alive, number, state, text, until},
    support::{AT_REST, Sandbox, need},
};

#[test]
fn ctrl_c_reaches_the_command_once() {
    let sandbox = Sandbox::new();
    let terminal = Terminal::new(&sandbox, "a");
    let script = "trap 'echo INT >>got' INT; echo $$ >pid; while [ ! -e go ]; do sleep 0.05; done; exit 5";
    fs::write(sandbox.work().join("script"), script).unwrap();
    // A shell may count two signals as one; strace does not. With -D it is the shell that claim has started.
    need("strace");
    terminal.enters("$C run t -- strace -D -qq -e trace=none -o signals sh script; echo code=$?");
    number(&sandbox, "pid");
    terminal.presses("C-c");
    until("the signal", || !text(&sandbox, "got").is_empty());
    terminal.presses("C-c");
    until("the second signal", || text(&sandbox, "got").lines().count() >= 2);
    fs::write(sandbox.work().join("go"), "").unwrap();
    terminal.shows("code=5");
    assert_eq!(text(&sandbox, "signals").matches("--- SIGINT").count(), 2, "{}", text(&sandbox, "signals"));
    assert_eq!(text(&sandbox, "got"), "INT\nINT\n");
    assert_eq!(sandbox.files(), AT_REST);
}

#[test]
fn ctrl_c_ends_a_command_that_does_not_handle_it() {
    let sandbox = Sandbox::new();
    let terminal = Terminal::new(&sandbox, "a");
    for (key, code) in [("C-c", 130), ("C-\\", 131)] {
        terminal.enters("$C run t -- sh -c 'ulimit -c 0; echo $$ >pid; exec sleep 300'; echo code=$?");
        let pid = number(&sandbox, "pid");
        terminal.presses(key);
        terminal.shows(&format!("code={code}"));
        assert!(!is_alive(pid));
        assert_eq!(sandbox.files(), AT_REST);
        fs::remove_file(sandbox.work().join("pid")).unwrap();
    }
}

#[test]
fn ctrl_z_stops_both_and_fg_continues_both() {
    let sandbox = Sandbox::new();
    let terminal = Terminal::new(&sandbox, "a");
    let script = "echo $$ >pid; echo $PPID >wrapper; while [ ! -e go ]; do sleep 0.05; done; exit 6";
    fs::write(sandbox.work().join("script"), script).unwrap();
    terminal.enters("$C run t -- sh script; echo code=$?");
    let (pid, wrapper) = (number(&sandbox, "pid"), number(&sandbox, "wrapper"));
    for round in 0..3 {
        terminal.presses("C-z");
        for pid in [pid, wrapper] {
            until("the stop", || state(pid) == Some('T'));
        }
        terminal.enters(&format!("echo shell{round}"));
        terminal.shows(&format!("\nshell{round}"));
        // Meanwhile nothing is beaten; when it goes on, the claim is looked at long before the next beat would be due.
        sandbox.age("t", 100_000);
        let aged = sandbox.bytes("t");
        terminal.enters("fg");
        for pid in [pid, wrapper] {
            until("the continuation", || state(pid).is_some_and(|state| state != 'T'));
        }
        until("a beat", || sandbox.bytes("t") != aged);
    }
    fs::write(sandbox.work().join("go"), "").unwrap();
    // The first stop had ended the line that would have said the code.
    terminal.shows("ready> ");
    until("the end", || !is_alive(wrapper));
    terminal.enters("echo code=$?");
    terminal.shows("code=6");
    assert_eq!(sandbox.files(), AT_REST);
}

#[test]
fn a_command_that_stops_itself_is_a_stopped_job() {
    let sandbox = Sandbox::new();
    let terminal = Terminal::new(&sandbox, "a");
    // As an editor does on Ctrl-Z, which it reads as a key: it tidies the screen and stops itself.
    terminal.enters("$C run t -- bash -c 'echo $$ >pid; kill -TSTP $$; echo back >got; exit 3'; echo code=$?");
    let pid = number(&sandbox, "pid");
    until("the stop", || state(pid) == Some('T'));
    terminal.shows("Stopped");
    assert_eq!(text(&sandbox, "got"), "");
    terminal.enters("fg >/dev/null; echo after=$?");
    terminal.shows("after=3");
    assert_eq!(text(&sandbox, "got"), "back\n");
    assert_eq!(sandbox.files(), AT_REST);
}

#[test]
fn a_password_is_asked_for_and_typed_unseen() {
    let sandbox = Sandbox::new();
    let terminal = Terminal::new(&sandbox, "a");
    let script = r#"read -r -s -p "Password: " word </dev/tty; echo "$word" >got"#;
    fs::write(sandbox.work().join("ask"), script).unwrap();
    terminal.enters("$C run t -- bash ask; echo code=$?");
    terminal.shows("Password: ");
    terminal.enters("open sesame");
    terminal.shows("code=0");
    assert_eq!(text(&sandbox, "got"), "open sesame\n");
    assert!(!terminal.screen().contains("sesame"), "{}", terminal.screen());
}

#[test]
fn a_full_screen_program_has_the_whole_terminal() {
    let sandbox = Sandbox::new();
    let terminal = Terminal::new(&sandbox, "a");
    // What every editor does: ask the size, use the other screen, read single keys unechoed, and put all back.
    let script = r"test -t 0 && test -t 1 && test -t 2 || exit 9
stty size >size; saved=$(stty -g); printf '\033[?1049h\033[2J\033[Hin full'; stty raw -echo
keys=$(dd bs=1 count=3 2>/dev/null); stty $saved; printf '\033[?1049l'; printf %s $keys >got";
    fs::write(sandbox.work().join("editor"), script).unwrap();
    terminal.enters("$C run t -- sh editor; echo code=$?");
    terminal.shows("in full");
    assert!(!terminal.screen().contains("editor"), "{}", terminal.screen());
    terminal.types("abc");
    terminal.shows("code=0");
    assert_eq!((text(&sandbox, "got"), text(&sandbox, "size")), ("abc".to_owned(), "30 100\n".to_owned()));
}

#[test]
fn a_window_that_is_closed_ends_the_command_and_releases_the_claim() {
    let sandbox = Sandbox::new();
    for wrapped in ["$C run t", "exec $C run t"] {
        let terminal = Terminal::new(&sandbox, "a");
        terminal.enters(&format!("{wrapped} -- sh -c 'echo $$ >pid; exec sleep 300'"));
        let pid = number(&sandbox, "pid");
        terminal.closes();
        until("the end of the command", || !is_alive(pid));
        until("the release", || sandbox.files() == AT_REST);
        fs::remove_file(sandbox.work().join("pid")).unwrap();
    }
}

#[test]
fn on_a_terminal_a_waiter_rewrites_one_line_and_clears_it() {
    let sandbox = Sandbox::new();
    sandbox.take("b", "t");
    let terminal = Terminal::new(&sandbox, "a");
    terminal.enters("clear; $C take t why --wait 10m; echo code=$?");
    terminal.shows("claim: waiting for t: claimed by b (heartbeat ");
    terminal.shows("; 2s of 10m");
    assert_eq!(terminal.screen().matches("waiting for").count(), 1, "{}", terminal.screen());
    sandbox.by("b", ["release", "t"]).stdout_any().check();
    terminal.shows("code=0");
    assert!(terminal.screen().contains("claimed: t by a"), "{}", terminal.screen());
    assert!(!terminal.screen().contains("waiting for"), "{}", terminal.screen());
    // And Ctrl-C leaves the line as clean.
    sandbox.by("a", ["release", "t"]).stdout_any().check();
    sandbox.take("b", "t");
    terminal.enters("clear; $C run t --wait 10m -- true; echo code=$?");
    terminal.shows("claim: waiting for t");
    terminal.presses("C-c");
    terminal.shows("code=130");
    assert!(!terminal.screen().contains("waiting for"), "{}", terminal.screen());
    assert_eq!(sandbox.files(), ["claims/t.json", "lock", "trace.jsonl"]);
}
