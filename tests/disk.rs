//! Disks that are full, without inodes, read-only, or that will not let go of a file: real mounts, each in a mount
//! namespace of its own, so that nothing of them is left when the test ends.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use crate::support::{Run, Sandbox, need, record};

/// A mount namespace that lives as long as this.
pub(crate) struct Mounts {
    keeper: Child,
}

impl Mounts {
    /// Runs a shell script in a namespace of its own, with `$place` in its environment. What it traps at its exit is done
    /// when the test ends.
    pub(crate) fn new(sandbox: &Sandbox, script: &str) -> Self {
        for tool in ["unshare", "nsenter", "mount", "sh"] {
            need(tool);
        }
        fs::create_dir_all(sandbox.place()).unwrap();
        let mut keeper = Command::new("unshare")
            .args(["--mount", "--propagation", "private", "sh", "-ec", &format!("{script}\necho ready\ncat")])
            .env("place", sandbox.place())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(keeper.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n", "this test needs to mount: run it as root, where mount namespaces are allowed");
        Self { keeper }
    }

    /// The process whose namespace it is.
    pub(crate) fn keeper(&self) -> u32 {
        self.keeper.id()
    }

    /// The run, in this namespace.
    pub(crate) fn run<'a>(&self, run: Run<'a>) -> Run<'a> {
        run.through(["nsenter", "--mount", "--target", &self.keeper.id().to_string()])
    }

    /// Runs a shell script in this namespace; it may fail.
    fn shell(&self, sandbox: &Sandbox, script: &str) {
        let target = self.keeper.id().to_string();
        let mut shell = Command::new("nsenter");
        shell.args(["--mount", "--target", &target, "sh", "-c", script]).env("place", sandbox.place());
        shell.stderr(Stdio::null()).status().unwrap();
    }

    /// A path as this namespace sees it.
    pub(crate) fn seen(&self, path: PathBuf) -> PathBuf {
        PathBuf::from(format!("/proc/{}/root{}", self.keeper.id(), path.display()))
    }
}

impl Drop for Mounts {
    fn drop(&mut self) {
        // `cat` ends with its input, and the namespace with its last process.
        drop(self.keeper.stdin.take());
        drop(self.keeper.wait());
    }
}

const FILL: &str = r#"head -c 10000000 /dev/zero >"$place/filling""#;
const USE_UP: &str = r#"i=0; while : >"$place/inode$i"; do i=$((i + 1)); done"#;

/// With a claim of `a` on `own`, a stale one of `c` on `stale`, and damage that is stale: a disk on which nothing can be
/// written answers every change with an error, never with a refusal or success, and leaves what it had.
fn nothing_can_be_written(mount: &str, spoil: &str) {
    let sandbox = Sandbox::new();
    let mounts = Mounts::new(&sandbox, mount);
    let by = |holder: &str, arguments: &[&str]| mounts.run(sandbox.by(holder, arguments));
    by("a", &["take", "own", "testing"]).stdout_any().check();
    let claims = mounts.seen(sandbox.place().join("claims"));
    fs::write(claims.join("stale.json"), record("stale", "c", 901).to_string()).unwrap();
    fs::write(claims.join("torn.json"), "{").unwrap();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(901);
    fs::File::options().append(true).open(claims.join("torn.json")).unwrap().set_modified(old).unwrap();
    let snapshot = || {
        let mut files: Vec<_> = fs::read_dir(&claims).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        files.into_iter().map(|file| (file.clone(), fs::read(file).unwrap())).collect::<Vec<_>>()
    };
    mounts.shell(&sandbox, spoil);
    let before = snapshot();
    assert_eq!(before.len(), 3);

    for (holder, verb) in [
        ("b", &["take", "new", "why"][..]),
        ("a", &["take", "own", "another purpose"]),
        ("b", &["take", "stale", "why"]),
        ("b", &["take", "torn", "why"]),
        ("a", &["beat", "own"]),
        ("a", &["beat", "--all"]),
    ] {
        let told = by(holder, verb).exit(1).stderr_some().check().stderr;
        assert!(told.contains(sandbox.place().to_str().unwrap()), "{verb:?} names the file: {told}");
        assert!(!told.contains("REFUSED"), "{verb:?}: {told}");
        assert_eq!(snapshot(), before, "{verb:?}");
        let object = by(holder, verb).exit(1).json();
        assert_eq!((&object["outcome"], &object["error"]), (&"error".into(), &"io".into()), "{verb:?}");
    }
    // Whoever looks still sees them, and a refusal is still an answer.
    by("a", &["status"]).stdout_has("own").check();
    assert_eq!(snapshot(), before);
}

#[test]
fn a_full_disk_is_an_error_and_the_claims_stand() {
    nothing_can_be_written(r#"mount -t tmpfs -o size=64k tmpfs "$place""#, FILL);
}

#[test]
fn a_disk_without_inodes_is_an_error_and_the_claims_stand() {
    nothing_can_be_written(r#"mount -t tmpfs -o size=1m,nr_inodes=12 tmpfs "$place""#, USE_UP);
}

#[test]
fn a_read_only_disk_is_an_error_and_the_claims_stand() {
    let mount = r#"mount -t tmpfs -o size=1m tmpfs "$place""#;
    nothing_can_be_written(mount, r#"mount -o remount,ro "$place""#);
    let sandbox = Sandbox::new();
    let mounts = Mounts::new(&sandbox, mount);
    mounts.run(sandbox.by("a", ["take", "own", "testing"])).stdout_any().check();
    mounts.shell(&sandbox, r#"mount -o remount,ro "$place""#);
    for verb in [&["release", "own"][..], &["release", "--all"], &["take", "own", "why"]] {
        mounts
            .run(sandbox.by("a", verb))
            .exit(1)
            .stderr_has("[DIR]".replace("[DIR]", sandbox.place().to_str().unwrap()).as_str())
            .check();
    }
    mounts.run(sandbox.run(["status"])).stdout_has("1 claim").check();
    // A place that cannot even be made.
    let below = sandbox.place().join("below");
    mounts.run(sandbox.by("a", ["take", "t", "why"])).env("CLAIM_DIR", below).exit(1).stderr_has("/below").check();
}

#[test]
fn a_full_disk_still_lets_go_of_what_is_released() {
    for (mount, spoil) in [("size=64k", FILL), ("size=1m,nr_inodes=12", USE_UP)] {
        let sandbox = Sandbox::new();
        let mounts = Mounts::new(&sandbox, &format!(r#"mount -t tmpfs -o {mount} tmpfs "$place""#));
        for target in ["t", "u"] {
            mounts.run(sandbox.by("a", ["take", target, "testing"])).stdout_any().check();
        }
        fs::write(mounts.seen(sandbox.file("v")), record("v", "c", 901).to_string()).unwrap();
        mounts.shell(&sandbox, spoil);
        for (what, said) in [("t", "released: t"), ("--all", "released: u"), ("--stale", "released: v")] {
            // The trace may have no room for another line: that is warned of, and the release stands.
            let run = mounts.run(sandbox.by("a", ["release", what])).stdout_has(said);
            run.stderr_is(predicates::prelude::predicate::always()).check();
        }
        assert_eq!(fs::read_dir(mounts.seen(sandbox.place().join("claims"))).unwrap().count(), 0);
    }
}

#[test]
fn a_claim_that_cannot_be_removed_is_not_released() {
    for mount in [
        // A mount point is busy; a directory of another file system that is read-only lets nothing go.
        r#"mount --bind "$place/claims/t.json" "$place/claims/t.json""#,
        r#"mount --bind "$place/claims" "$place/claims"; mount -o remount,ro,bind "$place/claims""#,
    ] {
        let sandbox = Sandbox::new();
        sandbox.take("a", "t");
        sandbox.take("a", "u");
        let mounts = Mounts::new(&sandbox, mount);
        let bytes = sandbox.bytes("t");
        for verb in [&["release", "t"][..], &["release", "--all"]] {
            let told = mounts.run(sandbox.by("a", verb)).exit(1).stderr_has("/claims/t.json").check().stderr;
            assert!(!told.contains("released"), "{verb:?}: {told}");
        }
        mounts.run(sandbox.run(["status", "t", "--exit-code"])).exit(4).stdout_has("1 claim").check();
        assert_eq!(sandbox.bytes("t"), bytes);

        sandbox.age("t", 901);
        mounts.run(sandbox.by("b", ["release", "--stale"])).exit(1).stderr_has("/claims/t.json").check();
        mounts.run(sandbox.by("b", ["take", "t", "why"])).exit(1).stderr_has("/claims/t.json").check();
        assert_eq!(sandbox.claim("t")["holder"], "a");
        assert_eq!(sandbox.files().iter().filter(|file| file.starts_with("pending")).count(), 0);
    }
}
