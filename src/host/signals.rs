//! Signals to this process, as messages on a channel, each with whether a process sent it.
//!
//! That matters for the ones that a terminal makes: the kernel gives those to the whole foreground group, so the command
//! that runs under claim has had its own, and handing ours on would make two of one Ctrl-C. What a process sends, it
//! sends to claim alone as far as anybody can tell. (Whoever signals the whole group by hand makes the command hear it
//! twice.)
//!
//! A signal that was ignored when claim was started stays ignored, as `nohup` and a shell's `&` want it. Outside of
//! Linux that cannot be asked without unsafe code, and there everything that is listened for is heard.

#[cfg(unix)]
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use std::{io, sync::mpsc};

/// A signal that came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Received {
    /// Its number.
    pub signal: i32,
    /// Whether a process sent it, to this process as far as can be told, rather than the terminal to all of its group.
    pub sent: bool,
}

/// What listens. It does so until the process ends.
#[derive(Debug)]
pub struct Signals {
    #[cfg(unix)]
    handle: signal_hook::iterator::Handle,
    /// The last of the signals that ask to end; 0 when none came. Set by the handler itself, before anything else runs.
    #[cfg(unix)]
    came: Arc<AtomicUsize>,
}

#[cfg(unix)]
impl Signals {
    /// Listens for the signals that ask to end, and passes them on to `sender`. Those that were ignored stay so.
    ///
    /// # Errors
    /// When the system says no.
    pub fn listen<T: Send + 'static>(
        sender: mpsc::Sender<T>,
        message: impl Fn(Received) -> T + Send + 'static,
    ) -> io::Result<Self> {
        use signal_hook::iterator::{SignalsInfo, exfiltrator::WithOrigin};
        let came = Arc::new(AtomicUsize::new(0));
        let heeded = heeded(&ENDING);
        for signal in &heeded {
            let number = usize::try_from(*signal).unwrap_or_default();
            signal_hook::flag::register_usize(*signal, Arc::clone(&came), number)?;
        }
        let mut signals = SignalsInfo::<WithOrigin>::new(heeded)?;
        let handle = signals.handle();
        std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
            for origin in signals.forever() {
                let received = Received { signal: origin.signal, sent: origin.process.is_some() };
                if sender.send(message(received)).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self { handle, came })
    }

    /// The last signal that asked to end, also if its message is still on the way.
    #[must_use]
    pub fn came(&self) -> Option<i32> {
        i32::try_from(self.came.load(Ordering::SeqCst)).ok().filter(|signal| *signal != 0)
    }

    /// Listens also for what else could end this process, or stop it, or tells of a child.
    ///
    /// # Errors
    /// When the system says no.
    pub fn listen_for_child(&self) -> io::Result<()> {
        for signal in heeded(&OTHERS) {
            self.handle.add_signal(signal)?;
        }
        // Ignored, it would make the system forget how the child ended.
        self.handle.add_signal(signal_hook::consts::SIGCHLD)
    }
}

/// What is sent to end a process.
#[cfg(unix)]
const ENDING: [i32; 4] = {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    [SIGHUP, SIGINT, SIGQUIT, SIGTERM]
};

/// What would end this process though it is meant for the command, and what stops and continues a job.
#[cfg(unix)]
const OTHERS: [i32; 10] = {
    use signal_hook::consts as signal;
    [
        signal::SIGUSR1,
        signal::SIGUSR2,
        signal::SIGALRM,
        signal::SIGVTALRM,
        signal::SIGPROF,
        signal::SIGXCPU,
        signal::SIGXFSZ,
        signal::SIGIO,
        signal::SIGTSTP,
        signal::SIGCONT,
    ]
};

/// The ones that this process was not started to ignore.
#[cfg(unix)]
fn heeded(signals: &[i32]) -> Vec<i32> {
    let ignored = ignored();
    signals.iter().copied().filter(|signal| ignored & bit(*signal) == 0).collect()
}

#[cfg(unix)]
fn bit(signal: i32) -> u64 {
    u32::try_from(signal.saturating_sub(1)).ok().and_then(|shift| 1_u64.checked_shl(shift)).unwrap_or(0)
}

/// The set of ignored signals, one bit each.
#[cfg(unix)]
fn ignored() -> u64 {
    #![expect(clippy::disallowed_methods, reason = "only the system's own file says this")]
    if !cfg!(target_os = "linux") {
        return 0;
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let field = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    field.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(not(unix))]
impl Signals {
    /// There is nothing to listen for here: Ctrl-C ends the process, and its ticket dies.
    pub fn listen<T: Send + 'static>(
        _sender: mpsc::Sender<T>,
        _message: impl Fn(Received) -> T + Send + 'static,
    ) -> io::Result<Self> {
        Ok(Self {})
    }

    /// See the Unix form.
    #[must_use]
    pub fn came(&self) -> Option<i32> {
        None
    }

    /// See the Unix form.
    pub fn listen_for_child(&self) -> io::Result<()> {
        Ok(())
    }
}
