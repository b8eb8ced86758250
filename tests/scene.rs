//! Two trees side by side, as `guard` and `hook` meet them: `proj`, where a session is at home, and `sibling` next door,
//! both in the user's home directory.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use crate::support::{Run, Sandbox, need};

/// The two trees, and the place.
pub(crate) struct Scene {
    pub(crate) sandbox: Sandbox,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let scene = Self { sandbox: Sandbox::new() };
        for tree in ["proj", "sibling"] {
            scene.tree(tree);
        }
        fs::create_dir(scene.path("sibling/sub")).unwrap();
        scene
    }

    /// A path in the user's home directory.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.sandbox.home().join(path)
    }

    /// Makes a tree: all that makes it one is its `.git`.
    pub(crate) fn tree(&self, path: &str) {
        fs::create_dir_all(self.path(path).join(".git")).unwrap();
    }

    /// Makes a file and what leads to it.
    pub(crate) fn touch(&self, path: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "text\n").unwrap();
    }

    /// `guard`, from the project, by a session. An argument that begins with `~` is in the home directory.
    pub(crate) fn guard(&self, holder: &str, arguments: &[&str]) -> Run<'_> {
        self.sandbox.by(holder, self.guarding(arguments)).within(self.path("proj"))
    }

    /// The same by nobody.
    pub(crate) fn guard_by_stranger(&self, arguments: &[&str]) -> Run<'_> {
        self.sandbox.run(self.guarding(arguments)).within(self.path("proj"))
    }

    fn guarding(&self, arguments: &[&str]) -> Vec<String> {
        let home = |argument: &&str| match argument.strip_prefix("~/") {
            Some(rest) => self.path(rest).to_str().unwrap().to_owned(),
            None => (*argument).to_owned(),
        };
        ["guard".to_owned()].into_iter().chain(arguments.iter().map(home)).collect()
    }

    /// A session claims a path in the home directory.
    pub(crate) fn take(&self, holder: &str, path: &str) {
        self.sandbox.take(holder, self.path(path).to_str().unwrap());
    }

    /// The same, sharing it.
    pub(crate) fn share(&self, holder: &str, path: &str) {
        let path = self.path(path);
        self.sandbox.by(holder, ["take", path.to_str().unwrap(), "testing", "--shared"]).stdout_any().check();
    }

    /// Every claim: its path as seen from the home directory, its holder, and whether it is shared. In order.
    pub(crate) fn held(&self) -> Vec<String> {
        let mut held: Vec<String> = self.claims().iter().map(|(_, claim)| self.described(claim)).collect();
        held.sort();
        held
    }

    fn described(&self, claim: &Value) -> String {
        let target = Path::new(claim["target"].as_str().unwrap());
        let target = target.strip_prefix(self.sandbox.home()).unwrap_or(target).to_str().unwrap();
        let shared = if claim["shared"] == true { ", shared" } else { "" };
        format!("{target} by {}{shared}", claim["holder"].as_str().unwrap())
    }

    /// The stem and the content of every claim file.
    pub(crate) fn claims(&self) -> Vec<(String, Value)> {
        let Ok(entries) = fs::read_dir(self.sandbox.place().join("claims")) else { return Vec::new() };
        let files = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
        files
            .map(|path| {
                let stem = path.file_name().unwrap().to_str().unwrap().strip_suffix(".json").unwrap().to_owned();
                (stem, serde_json::from_slice(&fs::read(&path).unwrap()).unwrap())
            })
            .collect()
    }

    /// The one claim on a path in the home directory: its stem and its content.
    pub(crate) fn claim(&self, path: &str) -> (String, Value) {
        let path = self.path(path);
        let mut claims = self.claims();
        claims.retain(|(_, claim)| claim["target"] == path.to_str().unwrap());
        assert_eq!(claims.len(), 1, "claims on {}", path.display());
        claims.remove(0)
    }

    /// Moves the times of the claim on a path back.
    pub(crate) fn age(&self, path: &str, seconds: i64) {
        self.sandbox.age(&self.claim(path).0, seconds);
    }

    /// The stem that claims on a path have.
    pub(crate) fn stem(&self, path: &str) -> String {
        self.take("stem", path);
        let (stem, _) = self.claim(path);
        self.sandbox.by("stem", ["release", "--all"]).stdout_any().check();
        stem
    }

    /// Runs git, as somebody whose configuration is empty.
    pub(crate) fn git(&self, directory: &str, arguments: &[&str]) {
        let output = self.git_command(directory, arguments).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// The git command, for tests that expect it to fail.
    pub(crate) fn git_command(&self, directory: &str, arguments: &[&str]) -> Command {
        need("git");
        let mut command = Command::new("git");
        command.args(["-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"]).args(arguments);
        command.current_dir(self.path(directory)).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", self.sandbox.home());
        command.env("CLAIM_DIR", self.sandbox.place()).env("GIT_CONFIG_NOSYSTEM", "1");
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "u").env(format!("GIT_{role}_EMAIL"), "u@example.invalid");
        }
        command
    }

    /// A repository with one commit.
    pub(crate) fn repository(&self, path: &str) {
        fs::create_dir_all(self.path(path)).unwrap();
        self.git(path, &["init", "-q"]);
        self.touch(&format!("{path}/seed.md"));
        self.git(path, &["add", "."]);
        self.git(path, &["commit", "-q", "-m", "seed"]);
    }
}

/// What makes the program run as a user who may not do everything: a test machine's user may be root.
pub(crate) fn without_privileges() -> Vec<&'static str> {
    if rustix::process::geteuid().is_root() {
        vec!["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
    } else {
        vec!["env"]
    }
}
