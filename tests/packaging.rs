//! What is handed out: the crate's files, the Debian package's, the formula's, and the picture that the README opens with.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::support::{CLAIM, need};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn text(file: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(file)).unwrap()
}

/// What Cargo understands of the manifest.
fn manifest() -> serde_json::Value {
    need("cargo");
    let output = Command::new("cargo")
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(ROOT)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"][0].clone()
}

#[test]
fn the_crate_has_what_it_is_built_from_and_what_people_read() {
    let output = Command::new("cargo")
        .args(["package", "--list", "--allow-dirty", "--offline", "--locked"])
        .current_dir(ROOT)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let files: BTreeSet<String> = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    let mut needed: Vec<PathBuf> = Vec::new();
    for directory in ["src", "completions", "hooks"] {
        walk(&Path::new(ROOT).join(directory), &mut needed);
    }
    let needed = needed.iter().map(|path| path.strip_prefix(ROOT).unwrap().to_string_lossy().into_owned());
    let read = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE", ".github/claim.svg"].map(str::to_owned);
    for file in needed.chain(read) {
        assert!(files.contains(&file), "{file} is not in the crate");
    }
    for file in &files {
        let inside = ["src/", "completions/", "hooks/", "skills/"].iter().any(|part| file.starts_with(part));
        let known = [
            "Cargo.toml",
            "Cargo.toml.orig",
            "Cargo.lock",
            ".cargo_vcs_info.json",
            "README.md",
            "CHANGELOG.md",
            "LICENSE-MIT",
            "LICENSE-APACHE",
            ".github/claim.svg",
        ];
        assert!(inside || known.contains(&file.as_str()), "{file} should not be in the crate");
    }
}

fn walk(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { walk(&path, found) } else { found.push(path) }
    }
}

#[test]
fn the_manifest_says_what_a_registry_wants_to_know() {
    let manifest = manifest();
    for key in ["description", "license", "readme", "rust_version"] {
        assert!(manifest[key].as_str().is_some_and(|value| !value.is_empty()), "{key}");
    }
    for (key, most) in [("keywords", 5), ("categories", 5)] {
        let values = manifest[key].as_array().unwrap();
        assert!((1..=most).contains(&values.len()), "{key}: {values:?}");
    }
    assert!(manifest["description"].as_str().unwrap().len() < 200);
}

#[test]
fn the_debian_package_takes_files_that_are_there() {
    let deb = &manifest()["metadata"]["deb"];
    let assets: Vec<(String, String)> = deb["assets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|asset| (asset[0].as_str().unwrap().to_owned(), asset[1].as_str().unwrap().to_owned()))
        .collect();
    for (source, _) in &assets {
        let built = source.starts_with("target/");
        assert!(built || Path::new(ROOT).join(source).is_file(), "{source}");
    }
    // Where the shells of Debian, man and people look.
    for (source, place) in [
        ("target/release/claim", "usr/bin/"),
        ("target/man/*.1", "usr/share/man/man1/"),
        ("completions/claim.bash", "usr/share/bash-completion/completions/claim"),
        ("completions/_claim", "usr/share/zsh/vendor-completions/"),
        ("completions/claim.fish", "usr/share/fish/vendor_completions.d/"),
        ("LICENSE-MIT", "usr/share/doc/claim/"),
        ("LICENSE-APACHE", "usr/share/doc/claim/"),
    ] {
        assert!(assets.contains(&(source.to_owned(), place.to_owned())), "{source}");
    }
}

#[test]
fn the_formula_installs_files_that_are_there() {
    let formula = text(".ci/homebrew/claim.rb");
    for file in ["completions/claim.bash", "completions/_claim", "completions/claim.fish"] {
        assert!(formula.contains(file) && Path::new(ROOT).join(file).is_file(), "{file}");
    }
    let workflow = text(".github/workflows/release.yml");
    for placeholder in ["@HOMEPAGE@", "@URL@", "@SHA256@"] {
        assert!(formula.contains(placeholder) && workflow.contains(placeholder), "{placeholder}");
    }
}

#[test]
fn the_archives_of_a_release_are_where_binstall_looks() {
    let binstall = &manifest()["metadata"]["binstall"];
    assert_eq!(binstall["bin-dir"], "claim-v{ version }-{ target }/{ bin }{ binary-ext }");
    assert!(
        binstall["pkg-url"]
            .as_str()
            .unwrap()
            .ends_with("/v{ version }/claim-v{ version }-{ target }{ archive-suffix }")
    );
    let script = text(".ci/package");
    assert!(script.contains("name=claim-v$version-$target") && script.contains("archive=$name.tar.gz"), "{script}");
}

#[test]
fn the_picture_shows_what_the_program_prints() {
    need("bash");
    let output = Command::new("bash").args([".ci/picture", CLAIM]).current_dir(ROOT).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let drawn = String::from_utf8(output.stdout).unwrap();
    assert_eq!(drawn, text(".github/claim.svg"), "draw it again: .ci/picture {CLAIM} > .github/claim.svg");
    // For those who cannot see it, and those who look at it on a telephone.
    for part in
        ["<title id=\"title\">", "<desc id=\"description\">", "role=\"img\"", "viewBox=", "REFUSED: shared-config"]
    {
        assert!(drawn.contains(part), "{part}");
    }
}
