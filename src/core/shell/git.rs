//! Which git commands write, and where.
//!
//! A verb that changes the index, the working tree, the branches or the configuration writes the directory it works
//! in. `push` and `fetch` do not count: they touch nothing that a session at work in that directory sees, only objects
//! and the refs that follow a remote. A verb that is not listed, an alias say, is let through.

use super::options::{Parsed, parse, parse_leading};
use super::scope::Base;
use super::word::Word;
use crate::core::write::{Link, Write};

/// When a verb writes.
enum When {
    Always,
    /// Unless one of these options is there.
    Unless(&'static [&'static str]),
    /// With one of these as its first operand; an empty one stands for no operand at all.
    Doing(&'static [&'static str]),
    /// With one of the first options; else without one of the others, when it has an operand.
    Naming(&'static [&'static str], &'static [&'static str]),
    /// With one of these options; else with more than one operand, of which the first alone is asked about.
    Setting(&'static [&'static str]),
}

/// What git is told by its surroundings.
pub(super) struct Surroundings {
    pub(super) home: Option<Word>,
    /// `$GIT_DIR` and `$GIT_WORK_TREE`, where they are set.
    pub(super) git_directory: Option<Word>,
    pub(super) work_tree: Option<Word>,
}

const HELP: &[&str] = &["-h", "--help"];

const VERBS: &[(&str, When)] = &[
    ("add", When::Unless(&["-n", "--dry-run"])),
    ("stage", When::Unless(&["-n", "--dry-run"])),
    ("am", When::Unless(&["--show-current-patch"])),
    ("apply", When::Unless(&["--check", "--stat", "--numstat", "--summary"])),
    ("bisect", When::Doing(&["start", "good", "bad", "new", "old", "next", "skip", "reset", "run", "replay"])),
    (
        "branch",
        When::Naming(
            &[
                "-d",
                "-D",
                "-m",
                "-M",
                "-c",
                "-C",
                "-u",
                "--delete",
                "--move",
                "--copy",
                "--set-upstream-to",
                "--unset-upstream",
                "--edit-description",
            ],
            &[
                "-l",
                "-a",
                "-r",
                "--list",
                "--all",
                "--remotes",
                "--contains",
                "--no-contains",
                "--merged",
                "--no-merged",
                "--points-at",
                "--show-current",
            ],
        ),
    ),
    ("checkout", When::Always),
    ("checkout-index", When::Always),
    ("cherry-pick", When::Always),
    ("clean", When::Unless(&["-n", "--dry-run"])),
    ("commit", When::Unless(&["--dry-run", "--short", "--porcelain", "--long"])),
    ("filter-branch", When::Always),
    ("filter-repo", When::Unless(&["--dry-run"])),
    ("gc", When::Always),
    ("merge", When::Always),
    ("mv", When::Unless(&["-n", "--dry-run"])),
    ("notes", When::Doing(&["add", "append", "copy", "edit", "merge", "remove", "prune"])),
    ("prune", When::Unless(&["-n", "--dry-run"])),
    ("pull", When::Unless(&["--dry-run"])),
    ("read-tree", When::Unless(&["-n", "--dry-run"])),
    ("rebase", When::Unless(&["--show-current-patch"])),
    ("reflog", When::Doing(&["expire", "delete"])),
    ("remote", When::Doing(&["add", "rename", "remove", "rm", "set-url", "set-head", "set-branches", "prune"])),
    ("repack", When::Always),
    ("replace", When::Naming(&["-d", "--delete"], &["-l", "--list"])),
    ("reset", When::Always),
    ("restore", When::Always),
    ("revert", When::Always),
    ("rm", When::Unless(&["-n", "--dry-run"])),
    ("sparse-checkout", When::Doing(&["init", "set", "add", "reapply", "disable", "clean"])),
    ("stash", When::Doing(&["", "push", "save", "pop", "apply", "drop", "clear", "branch", "store"])),
    ("submodule", When::Doing(&["add", "init", "deinit", "update", "set-branch", "set-url", "sync", "absorbgitdirs"])),
    ("subtree", When::Doing(&["add", "merge", "pull", "split"])),
    ("switch", When::Always),
    ("symbolic-ref", When::Setting(&["-d", "--delete"])),
    (
        "tag",
        When::Naming(
            &["-d", "--delete"],
            &[
                "-l",
                "-n",
                "-v",
                "--list",
                "--verify",
                "--contains",
                "--no-contains",
                "--merged",
                "--no-merged",
                "--points-at",
            ],
        ),
    ),
    ("update-index", When::Always),
    ("update-ref", When::Always),
];

/// The directories and files that `git ARGUMENTS...` plainly writes.
pub(super) fn writes(arguments: &[Word], base: &Base, surroundings: &Surroundings) -> Vec<Write> {
    let values =
        ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source"];
    let (global, start) = parse_leading(arguments, &values, &[]);
    let mut directory = base.clone();
    for word in global.values(&["-C"]) {
        directory = directory.enter(word);
    }
    let Some((verb, rest)) = arguments.get(start..).and_then(<[Word]>::split_first) else {
        return Vec::new();
    };
    let Some(verb) = verb.exact() else {
        return Vec::new();
    };
    if global.has(&["-h", "--help", "--version", "-v"])
        || rest.first().is_some_and(|word| HELP.contains(&word.text.as_str()))
    {
        return Vec::new();
    }
    if let Some(paths) = elsewhere(verb, rest, &directory, surroundings.home.as_ref()) {
        return paths;
    }
    if !VERBS.iter().any(|(name, when)| *name == verb && applies(when, rest)) {
        return Vec::new();
    }
    let named = |option: &'static str, variable: &Option<Word>| global.value(&[option]).or(variable.as_ref()).cloned();
    let tree =
        named("--work-tree", &surroundings.work_tree).map_or_else(|| directory.clone(), |word| directory.enter(&word));
    let mut writes = tree.into_list();
    let repository = named("--git-dir", &surroundings.git_directory);
    writes.extend(repository.and_then(|word| directory.write(&word, Link::Followed)));
    writes
}

fn applies(when: &When, rest: &[Word]) -> bool {
    let parsed = parse(rest, &["-m", "--message", "--ref", "--sort", "--format"], &[]);
    match when {
        When::Always => true,
        When::Unless(idle) => !parsed.has(idle),
        When::Doing(actions) => {
            let operand = parsed.operands.first().map_or("", |word| word.text.as_str());
            // `git stash -u`, whatever follows, is `git stash push -u`.
            let leads = rest.first().is_some_and(|word| word.text.starts_with('-'));
            if leads && actions.contains(&"") { true } else { actions.contains(&operand) }
        }
        When::Naming(writing, reading) => parsed.has(writing) || (!parsed.has(reading) && !parsed.operands.is_empty()),
        When::Setting(writing) => parsed.has(writing) || parsed.operands.len() > 1,
    }
}

/// Verbs that write somewhere else than in the directory they work in.
fn elsewhere(verb: &str, rest: &[Word], directory: &Base, home: Option<&Word>) -> Option<Vec<Write>> {
    match verb {
        "clone" => Some(clone(rest, directory)),
        "init" => {
            let parsed =
                parse(rest, &["-b", "--initial-branch", "--template", "--separate-git-dir", "--object-format"], &[]);
            let target = parsed.operands.first();
            Some(target.map_or_else(|| directory.clone(), |word| directory.enter(word)).into_list())
        }
        "worktree" => Some(worktree(rest, directory)),
        "config" => Some(config(rest, directory, home)),
        "archive" => {
            Some(directory.writes(parse(rest, &["-o", "--output"], &[]).values(&["-o", "--output"]), Link::Followed))
        }
        "bundle" => {
            let creates = rest.first().is_some_and(|word| word.text == "create");
            let parsed = parse(rest.get(1..).unwrap_or_default(), &[], &[]);
            Some(directory.writes(parsed.operands.into_iter().take(usize::from(creates)), Link::Followed))
        }
        "format-patch" => {
            let parsed = parse(rest, &["-o", "--output-directory", "-v", "--subject-prefix"], &[]);
            let target = parsed.value(&["-o", "--output-directory"]);
            let target = target.map_or_else(|| directory.clone(), |word| directory.enter(word));
            Some(if parsed.has(&["--stdout"]) { Vec::new() } else { target.into_list() })
        }
        "diff" | "log" | "show" => {
            Some(directory.writes(parse(rest, &["--output"], &[]).values(&["--output"]), Link::Followed))
        }
        _ => None,
    }
}

fn clone(rest: &[Word], directory: &Base) -> Vec<Write> {
    let values = [
        "-b",
        "-o",
        "-u",
        "-c",
        "-j",
        "--branch",
        "--origin",
        "--upload-pack",
        "--config",
        "--jobs",
        "--depth",
        "--reference",
        "--reference-if-able",
        "--template",
        "--separate-git-dir",
        "--filter",
        "--shallow-since",
        "--shallow-exclude",
        "--server-option",
        "--revision",
        "--bundle-uri",
    ];
    let parsed = parse(rest, &values, &[]);
    match parsed.operands.as_slice() {
        [_, target, ..] => directory.enter(target).into_list(),
        [source] => {
            let name =
                source.exact().map(|text| text.trim_end_matches('/')).and_then(|text| text.rsplit(['/', ':']).next());
            let name = name.map(|name| name.strip_suffix(".git").unwrap_or(name));
            let name = name
                .map(|name| if parsed.has(&["--bare", "--mirror"]) { format!("{name}.git") } else { name.to_owned() });
            name.and_then(|name| directory.join(&name)).map(Write::through).into_iter().collect()
        }
        [] => Vec::new(),
    }
}

/// The repository gets an entry for a worktree, and one that is moved or removed is a directory of its own. One that is
/// added is of this repository, so that it is home to whoever is at home here, but only once it is there: claimed before, as
/// a path abroad, it would be kept from the sessions that are started in it. Git makes it only where nothing is.
fn worktree(rest: &[Word], directory: &Base) -> Vec<Write> {
    let Some((action, rest)) = rest.split_first() else {
        return Vec::new();
    };
    let parsed: Parsed<'_> = parse(rest, &["-b", "-B", "--reason", "--expire"], &[]);
    let operands = match action.text.as_str() {
        "remove" | "repair" => 1,
        "move" => 2,
        "add" | "prune" | "lock" | "unlock" => 0,
        _ => return Vec::new(),
    };
    if parsed.has(&["-n", "--dry-run"]) {
        return Vec::new();
    }
    let mut writes = directory.writes(parsed.operands.iter().copied().take(operands), Link::Followed);
    writes.extend(directory.clone().into_list());
    writes
}

fn config(rest: &[Word], directory: &Base, home: Option<&Word>) -> Vec<Write> {
    let parsed = parse(rest, &["-f", "--file", "--blob", "--type", "--default", "--comment", "--value"], &[]);
    let reads =
        ["-l", "--list", "--get", "--get-all", "--get-regexp", "--get-urlmatch", "--get-color", "--get-colorbool"];
    let changes = [
        "--add",
        "--replace-all",
        "--unset",
        "--unset-all",
        "--rename-section",
        "--remove-section",
        "-e",
        "--edit",
        "--unset-pattern",
    ];
    let action = parsed.operands.first().map_or("", |word| word.text.as_str());
    let writes = parsed.has(&changes)
        || matches!(action, "set" | "unset" | "rename-section" | "remove-section" | "edit")
        || (parsed.operands.len() > 1 && !matches!(action, "get" | "list"));
    if parsed.has(&reads) || !writes {
        return Vec::new();
    }
    if let Some(file) = parsed.value(&["-f", "--file"]) {
        return directory.writes(Some(file), Link::Followed);
    }
    if parsed.has(&["--global"]) {
        let file = home.and_then(Word::exact).map(|home| format!("{home}/.gitconfig"));
        return file.and_then(|file| directory.join(&file)).map(Write::through).into_iter().collect();
    }
    if parsed.has(&["--system"]) {
        directory.join("/etc/gitconfig").map(Write::through).into_iter().collect()
    } else {
        directory.clone().into_list()
    }
}
