//! The README is run: every console block is a session of a real shell whose output must be what the README shows, and
//! every block of commands has an owner that runs it.

use std::{
    fmt::Write as _,
    fs,
    path::Path,
    process::{Command, Stdio},
};

use crate::support::{CLAIM, Sandbox, need};

/// What a block of commands without output is for, and who runs it.
const COMMANDS: &[(&str, &str)] = &[
    ("cargo install --path . --locked", ".ci/run"),
    ("cargo test --locked", ".ci/run"),
    ("claim install claude", "this test"),
];

/// What `sh` says to a script, standard error included, with the program first on its path.
fn shell(sandbox: &Sandbox, script: &str, directory: &Path) -> String {
    let program = Path::new(CLAIM).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{script}")])
        .current_dir(directory)
        .env_clear()
        .envs([("PATH", path.as_str()), ("HOME", &sandbox.home().to_string_lossy())])
        .env("CLAIM_DIR", sandbox.place())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

struct Block {
    language: String,
    lines: Vec<String>,
}

fn blocks(markdown: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for line in markdown.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(language), None) => open = Some(Block { language: language.to_owned(), lines: Vec::new() }),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some(block)) => block.lines.push(line.to_owned()),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

fn readme() -> Vec<Block> {
    blocks(&fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap())
}

/// A moment of a test is not a moment of the README: up to nine seconds count as none, hashes are not shown, and the
/// directories are the sandbox's.
fn normal(text: &str, sandbox: &Sandbox) -> String {
    let text = text.replace(&*sandbox.place().to_string_lossy(), "[DIR]");
    let text = text.replace(&*sandbox.home().to_string_lossy(), "[HOME]");
    // The second in which a claim is told of need not be the one in which it was taken.
    let text = text.replace("in 14m without", "in 15m without").replace("in 1h 59m without", "in 2h without");
    let mut normal = String::new();
    let mut word = String::new();
    for character in text.chars().chain(['\n']) {
        if character.is_ascii_alphanumeric() {
            word.push(character);
            continue;
        }
        let hash = word.len() == 16 && word.chars().all(|digit| digit.is_ascii_hexdigit());
        let moment = word.len() == 2 && word.ends_with('s') && word.starts_with(|digit: char| digit.is_ascii_digit());
        normal.push_str(if hash {
            "[HASH]"
        } else if moment {
            "0s"
        } else {
            &word
        });
        word.clear();
        normal.push(character);
    }
    normal.pop();
    normal
}

#[test]
fn every_console_block_of_the_readme_shows_what_a_shell_shows() {
    need("sh");
    let sandbox = Sandbox::new();
    let directory = sandbox.home().join("proj");
    fs::create_dir_all(directory.join("src")).unwrap();
    let mut shown = 0;
    for block in readme().iter().filter(|block| block.language == "console") {
        let mut script = String::from("status=0\n");
        for command in block.lines.iter().filter_map(|line| line.strip_prefix("$ ")) {
            writeln!(script, "printf '%s\\n' '$ {}'", command.replace('\'', r"'\''")).unwrap();
            writeln!(script, "(exit $status); {command}\nstatus=$?").unwrap();
            shown += 1;
        }
        let output = shell(&sandbox, &script, &directory);
        assert_eq!(normal(&output, &sandbox), format!("{}\n", block.lines.join("\n")));
    }
    assert!(shown >= 15, "only {shown} commands were found in the README");
}

#[test]
fn every_command_block_of_the_readme_has_an_owner_that_runs_it() {
    let blocks: Vec<Block> = readme().into_iter().filter(|block| block.language == "sh").collect();
    assert_eq!(blocks.len(), COMMANDS.len(), "a block without an owner");
    for (block, (begins, owner)) in blocks.iter().zip(COMMANDS) {
        let text = block.lines.join("\n");
        assert!(text.starts_with(begins), "{text}");
        match *owner {
            ".ci/run" => {
                // The script reads the blocks out of the README itself, so that the two cannot drift apart.
                let script = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/.ci/run")).unwrap();
                assert!(script.contains(&format!("readme_block '{begins}'")), "{begins}");
            }
            _ => installs(&block.lines),
        }
    }
}

fn installs(commands: &[String]) {
    let sandbox = Sandbox::new();
    let directory = sandbox.home().join("proj");
    fs::create_dir_all(&directory).unwrap();
    need("git");
    let mut script = String::from("git init -q . && set -e\n");
    for command in commands {
        // What is not well in a bare sandbox, such as an agent that is not there, is the doctor's to say.
        let well = if command == "claim doctor" { " || [ $? -eq 4 ]" } else { "" };
        writeln!(script, "{command}{well}").unwrap();
    }
    let output = shell(&sandbox, &format!("({script}\n) && echo all of it"), &directory);
    assert!(output.ends_with("all of it\n"), "{output}");
}

#[test]
fn a_block_is_found_with_its_language_and_its_lines() {
    let found = blocks("a\n```console\n$ x\ny\n```\nb\n```sh\nz\n```\n");
    let found: Vec<_> = found.iter().map(|block| (&*block.language, block.lines.join("|"))).collect();
    assert_eq!(found, [("console", "$ x|y".to_owned()), ("sh", "z".to_owned())]);
}
