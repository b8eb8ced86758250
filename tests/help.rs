//! What is said to somebody who does not know what to type: help, manual pages, and errors that name the next command.

use std::{fs, process::Command};

use regex::Regex;

use crate::support::{CLAIM, Sandbox, need};

/// Every verb, with its steps as verbs of their own: `handover add`.
fn verbs() -> Vec<(Vec<String>, clap::Command)> {
    fn collect(command: &clap::Command, path: &[String], verbs: &mut Vec<(Vec<String>, clap::Command)>) {
        for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set() && verb.get_name() != "help") {
            let path: Vec<String> = path.iter().cloned().chain([verb.get_name().to_owned()]).collect();
            verbs.push((path.clone(), verb.clone()));
            collect(verb, &path, verbs);
        }
    }
    let mut verbs = Vec::new();
    collect(&claim::face::command(), &[], &mut verbs);
    verbs
}

fn help(sandbox: &Sandbox, path: &[String]) -> String {
    sandbox.run(path.iter().map(String::as_str).chain(["--help"])).stdout_any().check().stdout
}

#[test]
fn the_help_of_claim_fits_a_screen_and_shows_the_code_of_a_refusal() {
    let sandbox = Sandbox::new();
    let help = help(&sandbox, &[]);
    // One line is the prompt's.
    assert!(help.lines().count() < 24, "{} lines\n{help}", help.lines().count());
    for line in help.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert!(help.starts_with("Keeps parallel agent sessions from colliding"), "{help}");
    assert!(help.contains("75 REFUSED"), "{help}");
    for (path, _) in verbs().iter().filter(|(path, _)| path.len() == 1) {
        assert!(help.contains(&format!("\n  {} ", path[0])), "{path:?}");
    }
    for option in claim::face::command().get_arguments().filter_map(|option| option.get_long()) {
        assert!(help.contains(&format!("--{option}")) || option == "version", "{option}");
    }
    for typed in [&["-h"][..], &["-h", "take"], &["--help", "take"], &["--json", "--help", "guard", "x"]] {
        assert_eq!(sandbox.run(typed).stdout_any().check().stdout, help, "{typed:?}");
    }
    // Without a verb the same is said, and that it was wrong.
    let outcome = sandbox.run([""; 0]).exit(2).stderr_some().check();
    assert!(outcome.stderr.contains("75 REFUSED"), "{outcome}");
}

#[test]
fn the_help_of_every_verb_has_its_exit_codes_and_an_example() {
    let sandbox = Sandbox::new();
    // Each of them says what it answers, and 1 and 2 are never left out.
    let codes = Regex::new(r"(?ms)^Exit codes: .*\b1 \w.*\b2 \w").unwrap();
    let verbs = verbs();
    assert!(verbs.len() >= 14, "{}", verbs.len());
    for (path, verb) in &verbs {
        let help = help(&sandbox, path);
        assert!(codes.is_match(&help), "{path:?}\n{help}");
        // It begins with what the list of verbs says of it.
        let (_, above) = path.split_last().unwrap();
        let first = help.lines().next().unwrap();
        assert_eq!(first, verb.get_about().unwrap().to_string(), "{path:?}");
        let listed = in_one_line(&self::help(&sandbox, above));
        assert!(listed.contains(&format!(" {} {first}", path.last().unwrap())), "{path:?}\n{listed}");
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
        let example = example(&help).unwrap_or_else(|| panic!("{path:?} has no example\n{help}"));
        assert!(example.contains(&format!("claim {}", path.join(" "))), "{path:?}: {example}");
        for argument in verb.get_arguments().filter(|argument| !argument.is_hide_set()) {
            assert!(argument.get_help().is_some(), "{path:?} {}", argument.get_id());
        }
    }
    // Whoever can be refused says so.
    for verb in ["take", "beat", "release", "guard", "handover"] {
        assert!(in_one_line(&help(&sandbox, &[verb.to_owned()])).contains("75 REFUSED"), "{verb}");
    }
}

/// However it was broken into lines.
fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The example of a help text.
fn example(help: &str) -> Option<&str> {
    help.lines().find_map(|line| line.strip_prefix("Example: "))
}

#[test]
fn the_examples_do_what_they_say() {
    need("sh");
    need("git");
    for (path, _) in verbs() {
        let sandbox = Sandbox::new();
        let text = help(&sandbox, &path);
        let Some(example) = example(&text) else { continue };
        // What it takes for the example to make sense: a claim of one's own, a note on it that was begun, a tree next
        // door, the directory that a script goes to.
        let setup = match path.join(" ").as_str() {
            "beat" | "release" => "claim take shared-config 'testing'",
            "handover next" => "claim take shared-config 'testing' && claim handover add shared-config 'more'",
            "handover done" => {
                "claim take shared-config 'testing' && claim handover add shared-config 'more' && \
                 claim handover next shared-config"
            }
            "guard" => "mkdir ../other && : > ../other/notes.md && edit() { echo changed > \"$1\"; }",
            "run" => "mkdir -p ~/bin ~/notes && echo '#!/bin/sh' > ~/bin/make && chmod +x ~/bin/make",
            "completions" => "mkdir -p ~/.local/share/bash-completion/completions",
            "man" => "man() { ls ~/.local/share/man/man1/$1.1; }",
            "hook" => "cp \"$PAYLOADS/claude/SessionStart.json\" payload.json",
            _ => "true",
        };
        let program = std::path::Path::new(CLAIM).parent().unwrap();
        let output = Command::new("sh")
            .args(["-c", &format!("{{ {setup}; }} >/dev/null && {example}")])
            .current_dir(sandbox.work())
            .env_clear()
            .env(
                "PATH",
                format!("{0}/bin:{1}:{2}", sandbox.home().display(), program.display(), std::env::var("PATH").unwrap()),
            )
            .env("HOME", sandbox.home())
            .env("CLAIM_DIR", sandbox.place())
            .env("CLAIM_HOLDER", "me")
            .env("PAYLOADS", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/payloads"))
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        assert!(output.status.success(), "{example}\n{output:?}");
    }
}

#[test]
fn a_typing_error_is_answered_with_what_was_meant() {
    let sandbox = Sandbox::new();
    for (typed, meant) in [
        (&["relase", "x"][..], "'release'"),
        (&["stats"], "'status'"),
        (&["take", "x", "y", "--tll", "5m"], "'--ttl'"),
        (&["handover", "lst"], "'list'"),
        (&["completions", "fsh"], "'fish'"),
    ] {
        let outcome = sandbox.by("me", typed).exit(2).stderr_some().check();
        assert!(outcome.stderr.contains(meant), "{typed:?}\n{outcome}");
    }
}

#[test]
fn an_error_names_what_to_do_next() {
    let sandbox = Sandbox::new();
    sandbox.take("you", "theirs");
    for (holder, typed, exit, next) in [
        (None, &["take", "x", "y"][..], 1, "set CLAIM_HOLDER"),
        (Some("me"), &["take", "theirs", "y"], 75, "claim handover add theirs"),
        (Some("me"), &["release", "mine"], 3, "claim "),
        (Some("me"), &["beat", "mine"], 3, "claim take mine"),
        (Some("me"), &["handover", "next", "mine"], 3, "claim take mine"),
        (Some("me"), &["handover", "done", "7"], 1, "claim handover "),
        (Some("me"), &["take", "x"], 2, "--help"),
        (Some("me"), &["guard", "/elsewhere/x"], 76, "claim "),
    ] {
        let run = match holder {
            Some(holder) => sandbox.by(holder, typed),
            None => sandbox.run(typed),
        };
        let outcome = run.exit(exit).stderr_some().check();
        assert!(outcome.stderr.contains(next), "{typed:?}\n{outcome}");
    }
}

#[test]
fn every_verb_has_a_manual_page_that_man_can_show() {
    need("man");
    let sandbox = Sandbox::new();
    let expected: Vec<String> = {
        let mut names: Vec<_> = verbs().iter().map(|(path, _)| format!("claim-{}.1", path.join("-"))).collect();
        names.push("claim.1".to_owned());
        names.sort();
        names
    };
    sandbox.run(["man", "pages/man1"]).stdout(format!("{} manual pages are in pages/man1\n", expected.len())).check();
    let pages = sandbox.work().join("pages/man1");
    let mut names: Vec<_> =
        fs::read_dir(&pages).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, expected);
    for name in &names {
        let output = Command::new("man")
            .args(["--warnings=all", "-l"])
            .arg(pages.join(name))
            .env_clear()
            .envs([
                ("PATH", std::env::var("PATH").unwrap()),
                ("MANWIDTH", "80".to_owned()),
                ("LC_ALL", "C.UTF-8".to_owned()),
            ])
            .output()
            .unwrap();
        assert!(output.status.success(), "{name}");
        let (page, complaints) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(complaints, "", "{name}");
        for section in ["NAME\n", "SYNOPSIS\n", "OPTIONS\n", "EXIT STATUS\n       "] {
            assert!(page.contains(section), "{name} has no {section}{page}");
        }
        assert!(page.contains("EXAMPLES\n       claim ") || name == "claim.1", "{name} has no example{page}");
    }
    // Again, and once where no directory can be.
    sandbox.run(["man", "pages/man1"]).stdout_any().check();
    sandbox.run(["man", "pages/man1/claim.1"]).exit(1).stderr_some().check();
}
