//! A file system that takes several spellings for one name: a disk as Windows formats it, mounted as WSL and Linux mount
//! one, in a mount namespace of its own. One file must be one target, however it is typed.

use std::{fs, path::PathBuf};

use crate::{
    disk::Mounts,
    support::{Run, Sandbox, need},
};

/// A disk at `[HOME]/disk` on which case is folded, with a tree `Proj`, a file in it, and one with a long name.
struct Disk {
    sandbox: Sandbox,
    mounts: Mounts,
}

const MOUNT: &str = r#"
disk="$place/../home/disk"; image="$place/../image"
mkdir "$disk"
truncate -s 8M "$image"
mkntfs --quiet --fast --force --sector-size 512 --partition-start 0 --heads 16 --sectors-per-track 63 "$image" >&2
lowntfs-3g "$image" "$disk" -o ignore_case,windows_names >&2
# The program that is the file system is in the namespace too, and would keep it for ever.
trap 'umount --lazy "$disk"' EXIT
mkdir -p "$disk/Proj/.git" "$disk/Proj/Sub"
echo text >"$disk/Proj/File.md"
"#;

impl Disk {
    fn new() -> Self {
        for tool in ["mkntfs", "lowntfs-3g", "truncate"] {
            need(tool);
        }
        let sandbox = Sandbox::new();
        let mounts = Mounts::new(&sandbox, MOUNT);
        Self { sandbox, mounts }
    }

    fn path(&self, path: &str) -> String {
        self.sandbox.home().join("disk").join(path).to_str().unwrap().to_owned()
    }

    /// A run in which arguments that begin with `@` are paths on the disk.
    fn by(&self, holder: &str, arguments: &[&str]) -> Run<'_> {
        let words = arguments.iter().map(|word| match word.strip_prefix('@') {
            Some(path) => self.path(path),
            None => (*word).to_owned(),
        });
        self.mounts.run(self.sandbox.by(holder, words.collect::<Vec<_>>()))
    }

    /// What a directory lists, in order.
    fn names(&self, path: &str) -> Vec<String> {
        let names =
            fs::read_dir(self.seen(path)).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    fn seen(&self, path: &str) -> PathBuf {
        self.mounts.seen(PathBuf::from(self.path(path)))
    }
}

#[test]
fn it_folds() {
    let disk = Disk::new();
    assert_eq!(fs::read_to_string(disk.seen("pROJ/fILE.MD")).unwrap(), "text\n");
}

#[test]
fn two_spellings_of_what_is_there_are_one_target() {
    let disk = Disk::new();
    for (one, other) in [
        ("Proj/File.md", "proj/file.md"),
        ("proj/FILE.md", "PROJ/File.MD"),
        ("proj", "Proj"),
        ("PROJ", "proj/"),
        // The file is not there yet, and what it is in is.
        ("Proj/new.md", "proj/new.md"),
        ("pRoj/sub/deep/new.md", "proj/Sub/deep/new.md"),
        // The tree covers what is in it.
        ("proj", "Proj/Sub/new.md"),
        ("Proj/sub/new.md", "PROJ"),
    ] {
        let (one, other) = (format!("@{one}"), format!("@{other}"));
        disk.by("a", &["take", &one, "testing"]).stdout_any().check();
        for verb in [&["take", &*other, "why"][..], &["guard", &other], &["guard", "--take", &other]] {
            disk.by("b", verb).env("TMPDIR", "/nowhere").exit(75).stderr_has("is claimed by a").check();
        }
        // By its own holder it is beaten and released under any of its names.
        if one.eq_ignore_ascii_case(&other) {
            disk.by("a", &["beat", &other]).stdout_any().check();
            disk.by("a", &["release", &other]).stdout_any().check();
        }
        disk.by("a", &["release", "--all"]).stdout_any().check();
        assert_eq!(disk.sandbox.stems(), [""; 0], "{one} {other}");
    }
}

#[test]
fn the_target_is_called_what_the_directory_calls_it() {
    let disk = Disk::new();
    // This file system lists lower case, whatever was typed when the file was made.
    let listed = disk.path("proj/file.md");
    assert_eq!(disk.names("PROJ"), [".git", "file.md", "sub"]);
    for typed in ["Proj/File.md", "proj/file.md", "PROJ/FILE.MD", "Proj/SUB/../FILE.md"] {
        let claim = disk.by("a", &["take", &format!("@{typed}"), "testing"]).json();
        assert_eq!(claim["target"], listed, "{typed}");
    }
    // Through a link that says another of its names, and typed in a directory that was entered by one.
    let linked = disk.sandbox.home().join("link");
    std::os::unix::fs::symlink(disk.path("pROJ"), &linked).unwrap();
    let claim = disk.by("a", &["take", linked.join("File.md").to_str().unwrap(), "testing"]).json();
    assert_eq!(claim["target"], listed);
    let script = format!("cd '{}' && exec \"$@\"", disk.path("pROJ"));
    let keeper = disk.mounts.keeper().to_string();
    let within = ["nsenter", "--mount", "--target", &keeper, "sh", "-c", &script, "sh"];
    let claim = disk.sandbox.by("a", ["take", "./FILE.md", "testing"]).through(within).json();
    assert_eq!(claim["target"], listed);
}

#[test]
fn letters_beyond_ascii_and_names_without_any_are_one_target_too() {
    let disk = Disk::new();
    for (name, other) in [("Ärger", "äRGER"), ("ÄÖ", "äö"), ("2026", "2026"), ("日本", "日本"), ("É1", "é1")]
    {
        fs::write(disk.seen(&format!("Proj/{name}")), "").unwrap();
        let (one, other) = (format!("@Proj/{name}"), format!("@proj/{other}"));
        disk.by("a", &["take", &one, "testing"]).stdout_any().check();
        disk.by("b", &["take", &other, "why"]).exit(75).stderr_has("is claimed by a").check();
    }
}

#[test]
fn home_is_home_however_it_is_entered() {
    let disk = Disk::new();
    for (home, path) in [("Proj", "proj/sub/new.md"), ("proj", "Proj/New.md"), ("PROJ/sub", "proj/file.md")] {
        let run = disk.by("a", &["guard", "--home", &format!("@{home}"), &format!("@{path}")]);
        let answer = run.env("TMPDIR", "/nowhere").json();
        assert_eq!(answer["paths"][0]["because"], "home", "{home} {path}");
    }
}

#[test]
fn a_place_on_such_a_disk_is_one_place() {
    let disk = Disk::new();
    let by = |holder: &str, place: &str, words: &[&str]| disk.by(holder, words).env("CLAIM_DIR", disk.path(place));
    by("a", "State", &["take", "Shared Config", "testing"]).stdout_any().check();
    // No two stems differ in case only: all of them are lower case.
    by("b", "sTATE", &["take", "shared-config", "why"]).exit(75).stderr_has("is claimed by a").check();
    by("b", "state", &["handover", "add", "SHARED/config", "what is to be done"]).stdout_any().check();
    assert_eq!(disk.names("State/claims"), ["shared-config.json"]);
    by("a", "state", &["beat", "shared-config"]).stdout_any().check();
    // What is in the place is nobody's to write, by no spelling of it.
    let guard = by("a", "STATE", &["guard", "--take", "@state/claims/x"]).env("TMPDIR", "/nowhere");
    guard.exit(1).stderr_has("changed by the verbs of claim alone").check();
    by("a", "STATE", &["release", "--all"]).stdout_any().check();
    by("b", "state", &["take", "shared-config", "why"]).stdout_any().check();
    by("b", "State", &["handover", "next", "shared-config"]).stdout_any().check();
    by("b", "State", &["handover", "done", "1", "done"]).stdout_any().check();
    by("b", "State", &["release", "--all"]).stdout_any().check();
    assert_eq!(disk.names("State/claims"), [""; 0]);
    by("b", "State", &["audit"]).stdout_has("no problem").check();
}
