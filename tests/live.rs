//! Processes that run while a test does other things to them, and a terminal that it types into.

use std::{
    fs,
    os::unix::process::ExitStatusExt as _,
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::support::{CLAIM, Run, Sandbox, need};

/// Against a hang only.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until something is so.
#[track_caller]
pub(crate) fn until(what: &str, so: impl Fn() -> bool) {
    let began = Instant::now();
    while !so() {
        assert!(began.elapsed() < PATIENCE, "never came: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// A run of the program that goes on while the test does. It is killed when the test is over.
pub(crate) struct Live {
    child: Child,
    directory: tempfile::TempDir,
}

/// Starts a run.
pub(crate) fn start(run: &Run<'_>) -> Live {
    // Whoever runs the tests may ignore signals, as `nohup` and a shell's `&` do, and what is ignored stays so.
    spawn(run.command_behind(&["env", "--default-signal=HUP,INT,QUIT,TERM,TSTP,USR1,USR2,ALRM"]))
}

/// Starts a command.
pub(crate) fn spawn(mut command: Command) -> Live {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| fs::File::create(directory.path().join(name)).unwrap();
    let child = command.stdin(Stdio::null()).stdout(file("stdout")).stderr(file("stderr")).spawn().unwrap();
    Live { child, directory }
}

impl Live {
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal, by its name.
    pub(crate) fn signal(&self, name: &str) {
        signal(self.pid(), name);
    }

    pub(crate) fn stdout(&self) -> String {
        fs::read_to_string(self.directory.path().join("stdout")).unwrap()
    }

    pub(crate) fn stderr(&self) -> String {
        fs::read_to_string(self.directory.path().join("stderr")).unwrap()
    }

    pub(crate) fn is_over(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits for its end and returns its code as a shell would.
    #[track_caller]
    pub(crate) fn code(&mut self) -> i32 {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code().unwrap_or_else(|| 128 + status.signal().unwrap());
            }
            assert!(began.elapsed() < PATIENCE, "it does not end\n{}", self.stderr());
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Sends a process a signal, by its name.
pub(crate) fn signal(pid: u32, name: &str) {
    let sent = Command::new("/bin/kill").args(["-s", name, &pid.to_string()]).status().unwrap();
    assert!(sent.success(), "kill -{name} {pid}");
}

/// Whether a process is there and is no zombie.
pub(crate) fn is_alive(pid: u32) -> bool {
    state(pid).is_some_and(|state| state != 'Z')
}

/// The letter of a process's state, such as `T` for stopped.
pub(crate) fn state(pid: u32) -> Option<char> {
    let status = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    status.rsplit_once(") ")?.1.chars().next()
}

/// The number that a command wrote into a file in the sandbox's working directory.
#[track_caller]
pub(crate) fn number(sandbox: &Sandbox, file: &str) -> u32 {
    let path = sandbox.work().join(file);
    let read = || fs::read_to_string(&path).ok().filter(|text| text.ends_with('\n'));
    until(file, || read().is_some());
    read().unwrap().trim().parse().unwrap()
}

/// The text of a file in the sandbox's working directory; empty when it is not there.
pub(crate) fn text(sandbox: &Sandbox, file: &str) -> String {
    fs::read_to_string(sandbox.work().join(file)).unwrap_or_default()
}

/// A terminal with a shell in it, and keys to press.
pub(crate) struct Terminal {
    socket: PathBuf,
}

impl Terminal {
    /// A terminal whose shell is a session of its own, in the sandbox's working directory, as the session `holder`.
    pub(crate) fn new(sandbox: &Sandbox, holder: &str) -> Self {
        need("tmux");
        need("bash");
        let terminal = Self { socket: sandbox.home().join("tmux") };
        let mut command = terminal.command(["-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30"]);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", sandbox.home());
        command.env("CLAIM_DIR", sandbox.place()).env("CLAIM_HOLDER", holder).env("PS1", "ready> ");
        command.env("TERM", "screen").env("C", CLAIM).current_dir(sandbox.work());
        command.args(["bash", "--noprofile", "--norc", "-i"]);
        let started = command.status().unwrap();
        assert!(started.success(), "tmux does not start");
        terminal.shows("ready> ");
        terminal
    }

    fn command<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Command {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(&self.socket).args(arguments);
        command
    }

    /// Types a text.
    pub(crate) fn types(&self, text: &str) {
        assert!(self.command(["send-keys", "-l", text]).status().unwrap().success());
    }

    /// Presses a key, such as `C-c` or `Enter`.
    pub(crate) fn presses(&self, key: &str) {
        assert!(self.command(["send-keys", key]).status().unwrap().success());
    }

    /// Types a line.
    pub(crate) fn enters(&self, line: &str) {
        self.types(line);
        self.presses("Enter");
    }

    /// What can be read.
    pub(crate) fn screen(&self) -> String {
        let output = self.command(["capture-pane", "-p", "-J"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    /// Waits until a text can be read.
    #[track_caller]
    pub(crate) fn shows(&self, text: &str) {
        let began = Instant::now();
        while !self.screen().contains(text) {
            assert!(began.elapsed() < PATIENCE, "the terminal never showed {text:?}:\n{}", self.screen());
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Closes the window, as a person would.
    pub(crate) fn closes(&self) {
        assert!(self.command(["kill-pane"]).status().unwrap().success());
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        drop(self.command(["kill-server"]).stderr(Stdio::null()).status());
    }
}
