//! The house is kept: the floors, the size of a file, what a file must say, and how much is stood upon.
//!
//! Clippy forbids the single calls (`clippy.toml`); this forbids the imports, also those that only bring in a type.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};

use regex::Regex;

/// Where the sources are: the program's, and those of what tests, measures and fuzzes it.
const SOURCES: [&str; 4] = ["src", "tests", "benches", "fuzz/fuzz_targets"];

/// The most lines of a source file.
const LONGEST: usize = 400;

/// The most crates that the program is made of, its own included.
const MOST_CRATES: usize = 60;

/// What each floor must not reach: the floors above it, and what touches the machine where nothing is to be touched.
const FORBIDDEN: [(&str, &[&str]); 3] = [
    (
        "core",
        &[
            "crate::store",
            "crate::host",
            "crate::face",
            "crate::*",
            "std::fs",
            "std::env",
            "std::time",
            "std::process",
            "std::net",
            "std::io::stdin",
            "std::io::stdout",
            "std::io::stderr",
            "std::os",
            "std::*",
            "rustix",
            "fs2",
            "clap",
            "chrono::Local",
            "chrono::Utc::now",
        ],
    ),
    ("store", &["crate::host", "crate::face", "crate::*", "std::env", "std::process", "std::net", "clap"]),
    ("host", &["crate::store", "crate::face", "crate::*", "std::net", "clap"]),
];

// At the start of a line, where an attribute stands: a test may have one in a string.
static ALLOW: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^\s*#!?\[\s*(?:cfg_attr\s*\([^\]]*,\s*)?allow\s*\(").unwrap());
static IMPORT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\buse\s+([^;]+);").unwrap());
static PATH: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b[[:alpha:]_][[:word:]]*(?:\s*::\s*[[:alpha:]_][[:word:]]*)+").unwrap());

/// What is wrong with a source file at this path: below `src`, or of the repository where it is not there.
fn flaws(path: &str, text: &str) -> Vec<String> {
    let mut flaws = Vec::new();
    let mut flaw = |what: String| flaws.push(format!("{path}: {what}"));
    if !text.starts_with("//!") {
        flaw("does not begin with what it is for (`//!`)".to_owned());
    }
    let lines = text.lines().count();
    if lines > LONGEST {
        flaw(format!("has {lines} lines, more than {LONGEST}"));
    }
    let code = without_comments(text);
    if ALLOW.is_match(&code) {
        flaw("has an `allow(…)`: `#[expect(…, reason = …)]` says why, and goes when it is no longer true".to_owned());
    }
    // Test modules read fixtures; the floors above they must not reach either.
    let is_test = path.ends_with("tests.rs") || path.contains("/tests/");
    for (floor, forbidden) in FORBIDDEN {
        if !path.starts_with(&format!("{floor}/")) && path != format!("{floor}.rs") {
            continue;
        }
        let reached = paths(&code);
        let forbidden: Vec<_> = forbidden.iter().filter(|path| !is_test || path.starts_with("crate::")).collect();
        for (forbidden, reached) in reached.iter().flat_map(|path| forbidden.iter().map(move |floor| (floor, path))) {
            if reached == **forbidden || reached.strip_prefix(**forbidden).is_some_and(|rest| rest.starts_with("::")) {
                flaw(format!("the floor `{floor}` must not reach {forbidden}, and here is {reached}"));
            }
        }
    }
    flaws
}

/// Without what follows `//`. A `//` in a string hides the rest of its line, which no line here suffers from.
fn without_comments(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// Every path that the code names, imports with braces spelled out.
fn paths(code: &str) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    for tree in IMPORT.captures_iter(code) {
        spell_out("", &tree[1], &mut paths);
    }
    let rest = IMPORT.replace_all(code, ";");
    paths.extend(PATH.find_iter(&rest).map(|path| path.as_str().replace(char::is_whitespace, "")));
    paths
}

/// `a::{b, c::{d, e}}` as `a::b`, `a::c::d`, `a::c::e`; `a::{self}` as `a`.
fn spell_out(above: &str, tree: &str, paths: &mut BTreeSet<String>) {
    let tree = tree.trim();
    let Some(brace) = tree.find('{') else {
        let path = tree.split(" as ").next().unwrap_or_default().trim().trim_start_matches("::");
        let path = format!("{above}{path}");
        paths.insert(path.strip_suffix("::self").unwrap_or(&path).to_owned());
        return;
    };
    let above = format!("{above}{}", tree[..brace].trim().trim_start_matches("::"));
    let inside = &tree[brace + 1..tree.rfind('}').unwrap()];
    let (mut depth, mut start) = (0, 0);
    for (place, character) in inside.char_indices().chain([(inside.len(), ',')]) {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !inside[start..place].trim().is_empty() {
                    spell_out(&above, &inside[start..place], paths);
                }
                start = place + 1;
            }
            _ => {}
        }
    }
}

/// Every source file and its text, named as [`flaws`] wants it.
fn source() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = root.join("src");
    let mut folders: Vec<PathBuf> = SOURCES.iter().map(|folder| root.join(folder)).collect();
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let name = path.strip_prefix(&program).or_else(|_| path.strip_prefix(root)).unwrap();
                files.push((name.to_str().unwrap().to_owned(), fs::read_to_string(path).unwrap()));
            }
        }
    }
    files
}

#[test]
fn every_source_file_keeps_the_house_rules() {
    let source = source();
    for known in ["core/rule.rs", "tests/house.rs", "benches/ratios.rs", "fuzz/fuzz_targets/shell.rs"] {
        assert!(source.iter().any(|(path, _)| path == known), "the walk has not found {known}");
    }
    let flaws: Vec<_> = source.iter().flat_map(|(path, text)| flaws(path, text)).collect();
    assert!(flaws.is_empty(), "{}", flaws.join("\n"));
}

#[test]
fn a_broken_rule_is_found_however_it_is_spelled() {
    for (path, text, expected) in [
        ("core/x.rs", "use crate::store::Place;", "crate::store"),
        ("core/x.rs", "use crate::{core::claim::Claim, host::clock};", "crate::host"),
        ("core/x.rs", "use crate::{\n    core::{claim, text},\n    face::{self, exit},\n};", "crate::face"),
        ("core/x.rs", "fn f() { crate::face::main(); }", "crate::face"),
        ("core/x.rs", "use crate::*;", "crate::*"),
        ("core/x.rs", "use std::{fmt, fs as files};", "std::fs"),
        ("core/x.rs", "use ::std::fs::File;", "std::fs"),
        ("core/x.rs", "fn f() { std::env::var(\"X\"); }", "std::env"),
        ("core/x.rs", "fn f(x: std :: time::Duration) {}", "std::time"),
        ("core/x.rs", "use std::process;", "std::process"),
        ("core/x.rs", "pub use std::net::{IpAddr};", "std::net"),
        ("core/a/b/x.rs", "use rustix::fs::openat;", "rustix"),
        ("core/tests.rs", "use crate::store::Place;", "crate::store"),
        ("store/x.rs", "use crate::{core::claim::Claim, host::{clock}};", "crate::host"),
        ("store/x.rs", "use crate::face::report::Report;", "crate::face"),
        ("host/x.rs", "use crate::face;", "crate::face"),
        ("host/x.rs", "use crate::store::Place;", "crate::store"),
        ("face/x.rs", "#[allow(dead_code)]", "allow"),
        ("face/x.rs", "#![allow(clippy::unwrap_used)]", "allow"),
        ("face/x.rs", "#[cfg_attr(unix, allow(dead_code))]", "allow"),
        ("face/x.rs", &"fn f() {}\n".repeat(LONGEST), "lines"),
        ("tests/x.rs", &"fn f() {}\n".repeat(LONGEST), "lines"),
        ("benches/x.rs", "#![allow(missing_docs)]", "allow"),
    ] {
        let found = flaws(path, &format!("//! Why.\n{text}"));
        assert!(!found.is_empty() && found.iter().all(|flaw| flaw.contains(expected)), "{path} {text}: {found:?}");
    }
    assert_eq!(flaws("face/x.rs", "fn f() {}").len(), 1, "a file that does not say what it is for");
}

#[test]
fn what_keeps_the_rules_is_left_alone() {
    for (path, text) in [
        ("core/x.rs", "use crate::core::{claim::Claim, time::Timestamp};\nuse std::fmt;"),
        ("core/x.rs", "// not std::fs, nor crate::store"),
        ("core/x.rs", "fn f(hosts: hosts::host) { fs::x(); environment::y(); }"),
        ("core/fixture_tests.rs", "use std::fs;"),
        ("store/x.rs", "use std::{fs::File, io};\nuse crate::core::rule;"),
        ("face/x.rs", "use crate::{core, host, store};"),
        ("face/x.rs", "#[expect(dead_code, reason = \"allow (this once)\")]"),
        ("tests/x.rs", "use std::{env, fs, process};\nuse claim::{core::claim, face, store};"),
    ] {
        assert_eq!(flaws(path, &format!("//! Why.\n{text}")), [""; 0], "{text}");
    }
}

#[test]
fn the_way_in_is_a_few_lines() {
    let (_, main) = source().into_iter().find(|(path, _)| path == "main.rs").unwrap();
    assert!(main.lines().count() <= 10, "{main}");
}

#[test]
fn the_program_stands_upon_few_crates() {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--locked", "--edges", "normal", "--prefix", "none", "--format", "{p}"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let crates: BTreeSet<_> = text.lines().map(|line| line.split(" (").next().unwrap_or(line)).collect();
    assert!(crates.iter().any(|name| name.starts_with("claim v")), "{crates:?}");
    assert!(crates.len() <= MOST_CRATES, "{} crates, more than {MOST_CRATES}: {crates:?}", crates.len());
    println!("{} crates", crates.len());
}

/// What lies beside the program's own folders is what the ecosystem expects there, and nothing that came by mistake.
#[test]
fn the_top_of_the_house_is_tidy() {
    let expected = [
        ".cargo",
        ".ci",
        ".claude-plugin",
        ".github",
        ".gitignore",
        ".pre-commit-hooks.yaml",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "Cargo.lock",
        "Cargo.toml",
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "README.md",
        "SECURITY.md",
        "benches",
        "clippy.toml",
        "completions",
        "deny.toml",
        "fuzz",
        "hooks",
        "rustfmt.toml",
        "skills",
        "src",
        "tests",
    ];
    let git = Command::new("git").args(["ls-files"]).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(git.status.success(), "{git:?}");
    let text = String::from_utf8(git.stdout).unwrap();
    let found: BTreeSet<&str> = text.lines().filter_map(|path| path.split('/').next()).collect();
    assert_eq!(found, BTreeSet::from(expected));
}
