//! Tab, in real shells: bash and zsh at a terminal of their own, fish by its own question for completions.
//!
//! In bash and zsh Tab is made to insert everything that is offered, and `claim` is then a function that prints its
//! arguments. So it is also seen that what is inserted is quoted such that the shell reads it back as it was.

use std::{
    fs::{self, File},
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use regex::Regex;

use crate::support::{CLAIM, Sandbox, need};

const FILES: &[(&str, &str)] = &[
    ("bash", "claim.bash"),
    ("zsh", "_claim"),
    ("fish", "claim.fish"),
    ("powershell", "_claim.ps1"),
    ("elvish", "claim.elv"),
    ("nushell", "claim.nu"),
];

/// What is typed before Tab, and all words of the command afterwards.
const TYPED: &[(&str, &[&str])] = &[
    ("claim rele", &["release"]),
    ("claim take --sh", &["take", "--shared"]),
    ("claim release ", &["release", "it's mine", "shared-config", "team:config"]),
    ("claim beat s", &["beat", "shared-config"]),
    ("claim release team:c", &["release", "team:config"]),
    ("claim take ", &["take", "old", "queue"]),
    ("claim take ./", &["take", "./free.txt", "./two words.txt"]),
    ("claim handover next ", &["handover", "next", "queue"]),
    ("claim handover add th", &["handover", "add", "theirs"]),
    ("claim release --holder=yo", &["release", "--holder=you"]),
    ("claim --holder you beat t", &["--holder", "you", "beat", "theirs"]),
    ("claim completions p", &["completions", "powershell"]),
    ("claim guard ./fr", &["guard", "./free.txt"]),
];

fn script(file: &str) -> String {
    format!("{}/completions/{file}", env!("CARGO_MANIFEST_DIR"))
}

/// Claims and notes of all kinds, and files to take.
fn busy() -> Sandbox {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.work().join("held")).unwrap();
    for file in ["free.txt", "two words.txt", "held/inside.txt"] {
        fs::write(sandbox.work().join(file), "").unwrap();
    }
    for target in ["shared-config", "team:config", "it's mine"] {
        sandbox.take("me", target);
    }
    for target in ["theirs", "old", "./held"] {
        sandbox.take("you", target);
    }
    sandbox.age("old", 86_400);
    sandbox.by("you", ["handover", "add", "queue", "later"]).stdout_any().check();
    sandbox
}

fn shell(sandbox: &Sandbox, words: &[&str]) -> Command {
    for tool in words.iter().take(1) {
        need(tool);
    }
    let program = Path::new(CLAIM).parent().unwrap();
    let mut command = Command::new(words[0]);
    command
        .args(&words[1..])
        .current_dir(sandbox.work())
        .env_clear()
        .env("PATH", format!("{}:{}", program.display(), std::env::var("PATH").unwrap()))
        .env("HOME", sandbox.home())
        .env("CLAIM_DIR", sandbox.place())
        .env("CLAIM_HOLDER", "me")
        .env("TERM", "xterm");
    command
}

/// What an interactive shell reads back after Tab, for every line.
fn at_a_terminal(sandbox: &Sandbox, interactive: &str, setup: &str) -> Vec<Vec<String>> {
    need(interactive.split(' ').next().unwrap());
    let mut input =
        format!("{setup}claim() {{ local a; printf 'GOT'; for a; do printf '<%s>' \"$a\"; done; printf 'END\\n'; }}\n");
    for (typed, _) in TYPED {
        input.push_str(&format!("{typed}\t\n"));
    }
    input.push_str("exit\n");
    let mut terminal = shell(sandbox, &["script", "-qec", interactive, "/dev/null"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    terminal.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = terminal.wait_with_output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    let (line, word) = (Regex::new("GOT((?:<[^>]*>)*)END").unwrap(), Regex::new("<([^>]*)>").unwrap());
    let lines: Vec<Vec<String>> = line
        .captures_iter(&shown)
        .map(|line| word.captures_iter(&line[1]).map(|word| word[1].to_owned()).collect())
        .collect();
    assert_eq!(lines.len(), TYPED.len(), "{shown}");
    lines
}

#[test]
fn bash_completes_verbs_options_and_targets() {
    let sandbox = busy();
    let setup = format!("source '{}'\nbind '\"\\t\": insert-completions'\n", script("claim.bash"));
    let lines = at_a_terminal(&sandbox, "bash --norc --noprofile -i", &setup);
    for ((typed, expected), line) in TYPED.iter().zip(lines) {
        assert_eq!(line, *expected, "{typed}");
    }
}

#[test]
fn zsh_completes_verbs_options_and_targets() {
    let sandbox = busy();
    let setup = format!(
        "autoload -U compinit; compinit -u -D; source '{}'\n\
         zstyle ':completion:*' completer _all_matches _complete; zstyle ':completion:*' insert true\n",
        script("_claim")
    );
    let lines = at_a_terminal(&sandbox, "zsh -f -i", &setup);
    for ((typed, expected), line) in TYPED.iter().zip(lines) {
        assert_eq!(line, *expected, "{typed}");
    }
}

#[test]
fn zsh_finds_the_completions_as_a_function_of_its_path() {
    let sandbox = busy();
    let check = format!(
        "fpath=('{}/completions' $fpath); autoload -U compinit; compinit -u -D; print $_comps[claim]",
        env!("CARGO_MANIFEST_DIR")
    );
    let output = shell(&sandbox, &["zsh", "-f", "-c", &check]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "_claim\n");
}

#[test]
fn fish_completes_verbs_options_and_targets() {
    let sandbox = busy();
    for (typed, expected) in TYPED {
        let ask = format!("source '{}'; complete -C '{typed}'", script("claim.fish"));
        let output = shell(&sandbox, &["fish", "--no-config", "-c", &ask]).output().unwrap();
        let shown = String::from_utf8(output.stdout).unwrap();
        let offered: Vec<&str> = shown.lines().map(|line| line.split('\t').next().unwrap()).collect();
        let begun = typed.rsplit(' ').next().unwrap();
        let expected: Vec<&str> = expected.iter().copied().skip(typed.split(' ').count() - 2).collect();
        assert_eq!(offered, expected, "{typed} ({begun})\n{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn the_files_are_what_the_program_prints() {
    let sandbox = Sandbox::new();
    for (shell, file) in FILES {
        let kept = fs::read_to_string(script(file)).unwrap();
        let printed = sandbox.run(["completions", shell]).stdout_any().check().stdout;
        assert_eq!(printed, kept, "{file}");
        assert_eq!(sandbox.run(["completions", shell]).json()["script"], *kept);
    }
    let names: Vec<_> = fs::read_dir(script("")).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(names.len(), FILES.len(), "a file without a shell: {names:?}");
}

#[test]
fn every_verb_option_and_value_of_the_command_line_is_offered() {
    let sandbox = Sandbox::new();
    covered(&sandbox, &claim::face::command(), &[]);
}

fn offered(sandbox: &Sandbox, before: &[&str], word: &str) -> Vec<String> {
    let word = format!("--word={word}");
    let words = ["complete", &word, "--"].into_iter().chain(before.iter().copied());
    let answer = sandbox.run(words).stdout_any().check().stdout;
    answer.lines().skip(1).map(|line| line.split('\t').next().unwrap().to_owned()).collect()
}

fn covered(sandbox: &Sandbox, command: &clap::Command, path: &[&str]) {
    let verbs = offered(sandbox, path, "");
    for verb in command.get_subcommands() {
        assert_eq!(verbs.iter().any(|name| name == verb.get_name()), !verb.is_hide_set(), "{path:?} {verbs:?}");
        if verb.get_name() != "help" && !verb.is_hide_set() {
            let path: Vec<_> = path.iter().copied().chain([verb.get_name()]).collect();
            covered(sandbox, verb, &path);
        }
    }
    let options = offered(sandbox, path, "--");
    for option in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
        let Some(long) = option.get_long() else { continue };
        let long = format!("--{long}");
        assert!(options.contains(&long), "{path:?} {long}");
        let values: Vec<_> = option.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
        if option.get_num_args().is_some_and(|number| number.takes_values()) && !values.is_empty() {
            let path: Vec<_> = path.iter().copied().chain([&*long]).collect();
            assert_eq!(offered(sandbox, &path, ""), values, "{path:?}");
        }
    }
    for positional in command.get_positionals().filter(|argument| argument.get_index() == Some(1)) {
        let values: Vec<_> = positional.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
        assert!(values.iter().all(|value| verbs.contains(value)), "{path:?} {values:?}");
    }
}

#[test]
fn completing_waits_for_no_lock_and_creates_nothing() {
    let sandbox = Sandbox::new();
    for before in [&["release"][..], &["take"], &["handover", "next"], &["handover", "done"], &["status"]] {
        offered(&sandbox, before, "");
    }
    assert!(!sandbox.place().exists());

    sandbox.take("me", "shared-config");
    let files = sandbox.files();
    let lock = File::open(sandbox.place().join("lock")).unwrap();
    lock.lock().unwrap();
    assert_eq!(offered(&sandbox, &["release", "--holder", "me"], ""), ["shared-config"]);
    lock.unlock().unwrap();
    assert_eq!(sandbox.files(), files);
}

#[test]
fn what_cannot_be_completed_is_not_offered_and_says_nothing() {
    let sandbox = Sandbox::new();
    // A target that another line of the answer, or an escape sequence, could hide in.
    let claim = r#"{"target":"a\nb","holder":"me","purpose":"p","taken_at":"2026-01-01T00:00:00Z","heartbeat_at":"2026-01-01T00:00:00Z"}"#;
    sandbox.write("a-b", claim);
    sandbox.write("broken", "{");
    for before in
        [&["nonsense"][..], &["release", "--holder", "me", "x"], &["status", "--dir"], &["release", "--", "a"]]
    {
        sandbox.run(["complete", "--word=", "--"].iter().chain(before)).stdout_any().check();
    }
    assert_eq!(offered(&sandbox, &["status"], ""), offered(&sandbox, &["status"], "--"), "only the options");
    sandbox.run(["complete", "--word=", "--", "status"]).env("CLAIM_DIR", "relative").stdout_any().check();
}
