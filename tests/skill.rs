//! The skill that teaches an agent the protocol: it says what the program does, and every command in it works.

use std::{fs, path::Path};

use claim::core::trace::rules::{Means, RULES};
use regex::Regex;

use crate::support::{CLAIM, Sandbox};

fn skill() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("skills/claim/SKILL.md")).unwrap()
}

/// The value of a key in the front matter.
fn front(text: &str, key: &str) -> String {
    let (front, _) = text.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
    let values: Vec<_> = front.lines().filter_map(|line| line.split_once(": ")).collect();
    values.iter().find(|(name, _)| *name == key).unwrap().1.to_owned()
}

#[test]
fn the_front_matter_keeps_the_rules_for_skills() {
    let text = skill();
    assert_eq!(front(&text, "name"), "claim", "the name is that of the directory");
    let description = front(&text, "description");
    assert!((1..=1_024).contains(&description.chars().count()), "{}", description.chars().count());
    // Plain YAML: neither a mapping nor markup in it.
    assert!(!description.contains(": ") && !description.contains(['<', '>', '#']), "{description}");
    assert!(description.contains("Use before writing"), "it says when it is of use");
    assert!(text.lines().count() < 150, "{}", text.lines().count());
    assert!(text.lines().filter(|line| !line.starts_with("description")).all(|line| line.chars().count() <= 150));
}

#[test]
fn the_rules_and_their_numbers_and_marks_are_those_of_the_program() {
    let expected: Vec<String> = RULES
        .iter()
        .map(|rule| {
            let by: Vec<_> = rule
                .enforced_by
                .iter()
                .map(|means| match means {
                    Means::Lock => "the lock",
                    Means::Rename => "a rename",
                    Means::Hook => "the hook",
                })
                .collect();
            let mark = if rule.enforced_by.is_empty() {
                "*advisory*".to_owned()
            } else {
                format!("*enforced* by {}", by.join(" and "))
            };
            format!("{}. {} {mark}", rule.number, rule.statement)
        })
        .collect();
    let text = skill();
    let (_, section) = text.split_once("\n## The rules\n").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let numbered: Vec<_> = section.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).collect();
    assert_eq!(numbered, expected);
}

/// The commands of the skill in their order, the session that gives each, and how each ends. A scene: `other` is at work
/// on what `me` wants, goes away, and `me` works, stops and comes back.
const SCENE: [(&str, &str, i32); 22] = [
    ("me", "claim take ../other-project 'align the lint rule with the new preset'", 0),
    ("me", "claim take shared-config 'align the lint rule with the new preset'", 0),
    ("me", "claim status", 0),
    ("me", "claim beat shared-config", 0),
    ("me", "claim take shared-config 'run the long migration' --ttl 2h", 0),
    ("me", "claim run shared-config -- make lint", 0),
    ("me", "claim guard ../other-project/notes.md", 0),
    ("me", "claim guard --take ../other-project/notes.md", 0),
    ("other", "claim handover add shared-config 'add the rule no-unused to lint.toml; done when make lint passes'", 0),
    ("other", "claim handover add shared-config --file note.md", 0),
    ("me", "claim take shared-config 'add the rule no-unused' --wait 10m", 0),
    ("me", "claim handover list shared-config", 0),
    ("me", "claim handover next shared-config", 0),
    ("me", "claim handover done NOTE 'added no-unused; make lint passes'", 0),
    ("me", "claim handover add shared-config 'next safe action: run make lint in ../other-project, then commit'", 0),
    ("me", "claim release shared-config", 0),
    ("me", "claim release --all", 0),
    ("me", "claim status --mine", 0),
    // It has released everything, so there is nothing to resume.
    ("me", "claim beat --all", 3),
    ("me", "claim handover list", 0),
    ("me", "claim log shared-config --since 1d", 0),
    ("me", "claim release --stale", 0),
];

#[test]
fn every_command_in_the_skill_works_as_it_says() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.work().join("../other-project")).unwrap();
    fs::write(sandbox.work().join("note.md"), "a longer note\n").unwrap();
    // A `make` of its own: whatever it does, its code is what `run` ends with.
    let bin = sandbox.home().join("bin");
    fs::create_dir(&bin).unwrap();
    std::os::unix::fs::symlink("/bin/true", bin.join("make")).unwrap();
    let path = format!(
        "{}:{}:{}",
        bin.display(),
        Path::new(CLAIM).parent().unwrap().display(),
        std::env::var("PATH").unwrap()
    );
    let mut note = String::new();
    for (holder, command, exit) in SCENE {
        let line = command.replace("NOTE", &format!("'{note}'"));
        let run = sandbox.by(holder, [""; 0]).env("PATH", &path);
        let outcome = run.through(["sh", "-c", &format!("{line} #")]).outcome();
        assert_eq!(outcome.exit, exit, "{line}: {outcome}");
        if command.contains("handover next") {
            outcome.stdout.trim_end().clone_into(&mut note);
        }
    }
    assert!(sandbox.stems().is_empty(), "how to stop leaves nothing claimed");
    sandbox.audit();
}

#[test]
fn no_command_stands_in_the_skill_that_is_not_in_the_scene() {
    let text = skill();
    let block = Regex::new(r"(?s)```sh\n(.*?)```").unwrap();
    let in_blocks: Vec<String> =
        block.captures_iter(&text).flat_map(|block| block[1].lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    let scene: Vec<&str> = SCENE.iter().map(|(_, command, _)| *command).collect();
    // The last of the scene stands in a rule and not in a block.
    assert_eq!(in_blocks, scene[..scene.len() - 1]);
    let prose = block.replace_all(&text, "");
    for span in Regex::new("`(claim [^`]+)`").unwrap().captures_iter(&prose) {
        assert!(scene.contains(&&span[1]) || ["claim#N", "claim audit"].contains(&&span[1]), "{}", &span[1]);
    }
}

/// What an agent is to do is also what the program tells it at that moment.
#[test]
fn a_refusal_is_answered_as_the_skill_says() {
    let sandbox = Sandbox::new();
    sandbox.take("other", "shared-config");
    let refused = sandbox.by("me", ["take", "shared-config", "p"]).exit(75).stderr_some().check().stderr;
    assert!(refused.starts_with("REFUSED: ") && refused.contains("claim handover add shared-config "), "{refused}");
    sandbox.by("me", ["handover", "add", "shared-config", "later"]).stdout_any().check();
    sandbox.audit();
}
