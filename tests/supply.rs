//! What the program is made of that others wrote: under which licences, from where, in how many versions.
//!
//! This reads `deny.toml`, the policy of cargo-deny, and asks Cargo about the crates of this host, so that it holds in
//! every run of the tests and without a network. What only cargo-deny can tell, which is known vulnerabilities and the
//! crates of other systems, is asked by hand: CONTRIBUTING.md.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::Command,
};

use regex::Regex;
use serde_json::Value;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn text(file: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(file)).unwrap()
}

/// All quoted words of a list in `deny.toml`; of a list of tables, those that have this key.
fn policy(list: &str, key: &str) -> BTreeSet<String> {
    let policy = text("deny.toml");
    let list = Regex::new(&format!(r"(?ms)^{list} = \[(.*?)^?\]$")).unwrap().captures(&policy).unwrap()[1].to_owned();
    let word = if key.is_empty() { r#""([^"]+)""#.to_owned() } else { format!(r#"{key} = "([^"]+)""#) };
    Regex::new(&word).unwrap().captures_iter(&list).map(|word| word[1].to_owned()).collect()
}

/// The crates that are built here, for the tests too.
fn crates() -> Vec<Value> {
    let version = Command::new("rustc").arg("-vV").output().unwrap().stdout;
    let host = String::from_utf8(version).unwrap();
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--locked", "--format-version", "1", "--filter-platform", host])
        .current_dir(ROOT)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let crates = metadata["packages"].as_array().unwrap().clone();
    assert!(crates.len() > 40, "only {} crates", crates.len());
    crates
}

/// Whether the policy allows an expression of licences: one of several that one may choose from, all of several that
/// hold together.
fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let expression = expression.replace('/', " OR ");
    let parts = |expression: &str, word: &str| {
        let (mut depth, mut parts) = (0_i32, vec![String::new()]);
        for token in expression.replace('(', " ( ").replace(')', " ) ").split_whitespace() {
            depth += i32::from(token == "(") - i32::from(token == ")");
            if depth == 0 && token == word {
                parts.push(String::new());
            } else {
                let part = parts.last_mut().unwrap();
                part.push_str(if part.is_empty() { "" } else { " " });
                part.push_str(token);
            }
        }
        parts
    };
    // OR binds less than AND.
    let (either, all) = (parts(&expression, "OR"), parts(&expression, "AND"));
    if either.len() > 1 {
        return either.iter().any(|part| is_allowed(part, allowed));
    }
    if all.len() > 1 {
        return all.iter().all(|part| is_allowed(part, allowed));
    }
    match expression.trim().strip_prefix('(').and_then(|inside| inside.strip_suffix(')')) {
        Some(inside) => is_allowed(inside, allowed),
        None => allowed.contains(expression.trim()),
    }
}

#[test]
fn an_expression_of_licences_is_understood() {
    let allowed = ["MIT", "Zlib"].map(String::from).into();
    for expression in
        ["MIT", "Apache-2.0 OR MIT", "GPL-3.0/MIT", "(GPL-3.0 OR MIT) AND Zlib", "MIT AND Zlib OR GPL-3.0"]
    {
        assert!(is_allowed(expression, &allowed), "{expression}");
    }
    for expression in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR Zlib) AND GPL-3.0", "MIT-0", "GPL-3.0 OR Apache-2.0"]
    {
        assert!(!is_allowed(expression, &allowed), "{expression}");
    }
}

#[test]
fn every_crate_is_licensed_as_the_policy_allows() {
    let allowed = policy("allow", "");
    assert!(allowed.contains("MIT"), "{allowed:?}");
    for package in crates() {
        let licence = package["license"].as_str().unwrap_or_default();
        assert!(is_allowed(licence, &allowed), "{} is licensed under '{licence}': see deny.toml", package["name"]);
    }
}

#[test]
fn every_crate_comes_from_the_registry_and_none_is_banned() {
    let banned = policy("deny", "name");
    assert!(banned.contains("tokio"), "{banned:?}");
    // Of every system, not of this one alone.
    let lock = text("Cargo.lock");
    for name in Regex::new(r#"(?m)^name = "(.+)"$"#).unwrap().captures_iter(&lock) {
        assert!(!banned.contains(&name[1]), "{} is banned: see deny.toml", &name[1]);
    }
    let sources = Regex::new(r#"(?m)^source = "(.+)"$"#).unwrap();
    for source in sources.captures_iter(&lock) {
        assert_eq!(&source[1], "registry+https://github.com/rust-lang/crates.io-index");
    }
}

#[test]
fn no_crate_is_there_in_two_versions() {
    let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in crates() {
        let text = |key: &str| package[key].as_str().unwrap().to_owned();
        versions.entry(text("name")).or_default().push(text("version"));
    }
    versions.retain(|_, versions| versions.len() > 1);
    assert!(versions.is_empty(), "{versions:?}");
}

#[test]
fn nothing_here_is_unsafe() {
    // Forbidden, and not merely denied: no attribute can allow it again.
    assert!(text("Cargo.toml").contains("\nunsafe_code = \"forbid\"\n"));
}
