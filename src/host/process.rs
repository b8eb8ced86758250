//! The command that `claim run` runs: started in this process's own group and terminal, with its streams, environment
//! and directory, so that an editor, a password prompt and job control find what they would find without claim.
//!
//! On Unix its state is asked for and never awaited, and it is only reaped here, by whom it is also signalled: its
//! number can belong to no other process before that.
//!
//! Signals go to the command, and what it has started is its own affair, as it would be without claim. Only when its claim
//! is lost is all of that ended with it.

#![expect(clippy::disallowed_methods, reason = "this is the module that starts commands")]

use std::{
    ffi::OsString,
    io,
    process::{Child, Command},
};

/// What a shell adds to a program's name when it finds none of that name, beside the `.exe` that the system adds. The
/// standard library starts such a script with its arguments quoted for the interpreter, or not at all.
const ENDINGS: &[&str] = if cfg!(windows) { &[".cmd", ".bat"] } else { &[] };

/// Why a command was not started.
#[derive(Debug)]
pub struct NotStarted {
    /// What a shell would exit with: 127 when there is no such command, else 126.
    pub code: u8,
    /// What the system said.
    pub error: io::Error,
}

/// What has become of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It runs.
    Running,
    /// The terminal's job control stopped it, with this signal.
    Suspended,
    /// It has ended, and this is what a shell would call its code: 128 and more for a signal.
    Ended(u8),
}

/// What is to be done about a signal to this process while the command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heed {
    /// The command has changed, or had its own: look at it.
    Look,
    /// The command shall have it as well.
    PassOn,
    /// The command shall have it as well, and time may have passed: look at the claim.
    Resumed,
}

/// A command that was started.
#[derive(Debug)]
pub struct Running {
    child: Child,
    ended: Option<u8>,
    /// What it had started when it was asked to end.
    #[cfg(unix)]
    family: Vec<super::family::Member>,
}

/// Starts a command with some variables set.
///
/// # Errors
/// [`NotStarted`], with the code that a shell would give it.
pub fn start(command: &[OsString], variables: &[(&str, OsString)]) -> Result<Running, NotStarted> {
    let missing = || NotStarted { code: 127, error: io::ErrorKind::NotFound.into() };
    let (program, arguments) = command.split_first().ok_or_else(missing)?;
    if program.is_empty() {
        return Err(missing());
    }
    let spawn = |program: &OsString| {
        Command::new(program).args(arguments).envs(variables.iter().map(|(name, value)| (name, value))).spawn()
    };
    let mut spawned = spawn(program);
    for ending in ENDINGS {
        if matches!(&spawned, Err(error) if error.kind() == io::ErrorKind::NotFound) {
            let mut name = program.clone();
            name.push(ending);
            spawned = spawn(&name);
        }
    }
    match spawned {
        Ok(child) => Ok(Running {
            child,
            ended: None,
            #[cfg(unix)]
            family: Vec::new(),
        }),
        Err(error) => {
            // A script that is there but whose interpreter is not: found, and not executable.
            let named_by_path = std::path::Path::new(program).components().count() > 1;
            let there = named_by_path && std::path::Path::new(program).symlink_metadata().is_ok();
            let code = if error.kind() == io::ErrorKind::NotFound && !there { 127 } else { 126 };
            Err(NotStarted { code, error })
        }
    }
}

#[cfg(unix)]
mod unix {
    use std::io;

    use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

    use super::{Heed, Running, State};
    use crate::host::family;

    impl Running {
        fn pid(&self) -> Pid {
            Pid::from_child(&self.child)
        }

        /// What has become of the command since the last time. A suspension is told once.
        ///
        /// # Errors
        /// When the system does not know the command any more.
        pub fn state(&mut self) -> io::Result<State> {
            if let Some(code) = self.ended {
                return Ok(State::Ended(code));
            }
            let status = match waitpid(Some(self.pid()), WaitOptions::NOHANG | WaitOptions::UNTRACED) {
                Ok(Some((_, status))) => status,
                Ok(None) | Err(rustix::io::Errno::INTR) => return Ok(State::Running),
                Err(error) => return Err(error.into()),
            };
            let job_control = [Signal::TSTP, Signal::TTIN, Signal::TTOU];
            match (status.exit_status(), status.terminating_signal(), status.stopping_signal()) {
                (Some(code), ..) => Ok(self.end(code & 0xff)),
                (_, Some(signal), _) => Ok(self.end(128_i32.saturating_add(signal))),
                // Stopped by anything else, it is somebody's who will continue it, and this process goes on beating.
                (.., Some(signal)) if job_control.iter().any(|known| known.as_raw() == signal) => Ok(State::Suspended),
                _ => Ok(State::Running),
            }
        }

        fn end(&mut self, code: i32) -> State {
            let code = u8::try_from(code).unwrap_or(u8::MAX);
            self.ended = Some(code);
            State::Ended(code)
        }

        /// Sends the command a signal. It may have ended just now, and then nothing is to be done.
        pub fn signal(&self, signal: i32) {
            if let (None, Some(signal)) = (self.ended, Signal::from_named_raw(signal)) {
                _ = kill_process(self.pid(), signal);
            }
        }

        /// Asks the command and all that it has started to end, also when they are suspended.
        pub fn terminate(&mut self) {
            self.family = family::below(self.pid());
            for signal in [Signal::TERM, Signal::CONT] {
                self.signal(signal.as_raw());
                self.family.iter().for_each(|member| member.signal(signal));
            }
        }

        /// Whether something that was asked to end is still there beside the command.
        #[must_use]
        pub fn leaves_family(&self) -> bool {
            self.family.iter().any(|member| member.lives())
        }

        /// Ends the command and all that it has started.
        pub fn kill(&mut self) {
            if self.ended.is_none() {
                self.family.extend(family::below(self.pid()));
            }
            self.signal(Signal::KILL.as_raw());
            self.family.iter().for_each(|member| member.signal(Signal::KILL));
        }
    }

    /// Stops this process, as the shell's job control expects of a job whose command has stopped, and returns when it
    /// is continued. Without a terminal there is no job control, and nobody would continue it.
    pub fn suspend_self() {
        if std::fs::File::open("/dev/tty").is_ok() {
            _ = kill_process(rustix::process::getpid(), Signal::STOP);
        }
    }

    /// Whether a signal that comes before there is a command means that there shall be none.
    #[must_use]
    pub fn asks_to_end(signal: i32) -> bool {
        heed(signal, true) == Heed::PassOn && signal != Signal::TSTP.as_raw()
    }

    /// What a signal asks for. `sent` by a process, or by the terminal to all of its group.
    #[must_use]
    pub fn heed(signal: i32, sent: bool) -> Heed {
        match Signal::from_named_raw(signal) {
            Some(Signal::CHILD) => Heed::Look,
            Some(Signal::CONT) => Heed::Resumed,
            // The terminal's own: Ctrl-C, Ctrl-\, Ctrl-Z. Everything in the group has had it. (Not so a hang-up, which
            // comes to the leader of the session first, and that may be this process alone.)
            Some(Signal::INT | Signal::QUIT | Signal::TSTP) if !sent => Heed::Look,
            // What only this process has earned, such as too much time on the processor.
            Some(Signal::XCPU | Signal::XFSZ | Signal::ALARM | Signal::VTALARM | Signal::PROF) if !sent => Heed::Look,
            _ => Heed::PassOn,
        }
    }
}
#[cfg(unix)]
pub use unix::{asks_to_end, heed, suspend_self};

#[cfg(not(unix))]
mod portable {
    use std::io;

    use super::{Heed, Running, State};

    impl Running {
        /// See the Unix form.
        pub fn state(&mut self) -> io::Result<State> {
            if let Some(code) = self.ended {
                return Ok(State::Ended(code));
            }
            let Some(status) = self.child.try_wait()? else { return Ok(State::Running) };
            let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX);
            self.ended = Some(code);
            Ok(State::Ended(code))
        }

        /// There are no signals here.
        pub fn signal(&self, _signal: i32) {}

        /// There is nothing gentler here than [`Running::kill`], which follows.
        pub fn terminate(&mut self) {}

        /// See the Unix form.
        #[must_use]
        pub fn leaves_family(&self) -> bool {
            false
        }

        /// See the Unix form.
        pub fn kill(&mut self) {
            drop(self.child.kill());
        }
    }

    /// See the Unix form.
    #[must_use]
    pub fn heed(_signal: i32, _sent: bool) -> Heed {
        Heed::Look
    }

    /// See the Unix form.
    #[must_use]
    pub fn asks_to_end(_signal: i32) -> bool {
        false
    }

    /// See the Unix form.
    pub fn suspend_self() {}
}
#[cfg(not(unix))]
pub use portable::{asks_to_end, heed, suspend_self};
