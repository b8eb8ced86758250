//! What tests of `install`, `doctor` and the git hook share: a machine with a known PATH, and git.

use std::{
    ffi::OsStr,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use crate::support::{CLAIM, Run, Sandbox};

/// A sandbox whose PATH has `claim`, `git`, and nothing else unless a test puts it there.
pub(crate) struct Machine {
    pub(crate) sandbox: Sandbox,
}

impl Machine {
    pub(crate) fn new() -> Self {
        let machine = Self { sandbox: Sandbox::new() };
        fs::create_dir(machine.bin()).unwrap();
        fs::create_dir(machine.sandbox.home().join("tmp")).unwrap();
        machine.add("claim", Path::new(CLAIM));
        machine.add("git", &found("git"));
        machine
    }

    /// The only directory on the PATH.
    pub(crate) fn bin(&self) -> PathBuf {
        self.sandbox.home().join("bin")
    }

    /// Makes a program of another one's.
    pub(crate) fn add(&self, name: &str, program: &Path) {
        symlink(program, self.bin().join(name)).unwrap();
    }

    /// Makes a program of a text, in place of what has the name.
    pub(crate) fn script(&self, name: &str, text: &str) {
        let path = self.bin().join(name);
        drop(fs::remove_file(&path));
        fs::write(&path, text).unwrap();
        executable(&path);
    }

    pub(crate) fn remove(&self, name: &str) {
        fs::remove_file(self.bin().join(name)).unwrap();
    }

    /// A run of `claim` by the session `holder`, with this machine's PATH.
    pub(crate) fn by<S: AsRef<OsStr>>(&self, holder: &str, arguments: impl IntoIterator<Item = S>) -> Run<'_> {
        self.sandbox.by(holder, arguments).env("PATH", self.bin()).env("TMPDIR", self.sandbox.home().join("tmp"))
    }

    pub(crate) fn run<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Run<'_> {
        self.by("session-a41", arguments)
    }

    /// Any command, in the environment of the session `holder`.
    pub(crate) fn command(&self, holder: &str, directory: &Path, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", self.bin())
            .env("HOME", self.sandbox.home())
            .env("TMPDIR", self.sandbox.home().join("tmp"))
            .env("CLAIM_DIR", self.sandbox.place())
            .env("CLAIM_HOLDER", holder)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .current_dir(directory)
            .stdin(std::process::Stdio::null());
        for part in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{part}_NAME"), "test").env(format!("GIT_{part}_EMAIL"), "test@localhost");
        }
        command
    }

    /// Runs git as the session `holder`.
    pub(crate) fn git(&self, holder: &str, directory: &Path, arguments: &[&str]) -> Output {
        self.command(holder, directory, "git").args(arguments).output().unwrap()
    }

    /// Runs git, which must succeed.
    #[track_caller]
    pub(crate) fn git_done(&self, directory: &Path, arguments: &[&str]) -> String {
        let output = self.git("session-a41", directory, arguments);
        assert!(output.status.success(), "git {arguments:?}: {}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// A repository with one commit.
    pub(crate) fn repository(&self, name: &str) -> PathBuf {
        let path = self.sandbox.work().join(name);
        fs::create_dir_all(&path).unwrap();
        self.git_done(&path, &["init", "-q", "-b", "main", "."]);
        fs::write(path.join("a.txt"), "a\n").unwrap();
        self.git_done(&path, &["add", "."]);
        self.git_done(&path, &["commit", "-q", "-m", "start"]);
        path
    }
}

pub(crate) fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

pub(crate) fn executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A program of the machine that runs the tests.
#[track_caller]
pub(crate) fn found(program: &str) -> PathBuf {
    crate::support::need(program);
    let path = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&path).map(|directory| directory.join(program)).find(|path| path.is_file()).unwrap()
}

/// Every file and link below a directory, by its path in there.
pub(crate) fn files(directory: &Path) -> Vec<String> {
    fn walk(directory: &Path, below: &str, names: &mut Vec<String>) {
        for entry in fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{below}{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                names.push(format!("{name}/"));
                walk(&entry.path(), &format!("{name}/"), names);
            } else {
                names.push(name);
            }
        }
    }
    let mut names = Vec::new();
    walk(directory, "", &mut names);
    names.sort();
    names
}
