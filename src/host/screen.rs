//! The whole screen of a terminal, borrowed: what was on it is there again when it is given back, and so are the
//! terminal's settings, also after a panic.
//!
//! Typed characters come at once and are not shown. Ctrl-C and Ctrl-Z arrive as characters like any other, so that
//! neither can end or stop this process while the screen is not its owner's.

use std::{
    io::{self, IsTerminal as _, Read as _, Write as _},
    sync::mpsc,
    time::Duration,
};

use crate::host::{environment, signals::Signals};

/// Ctrl-C, as the character that it is.
const INTERRUPT: u8 = 3;

/// What ends the waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A key that has no meaning here, or nothing within the time.
    Continue,
    /// `q`, Ctrl-C, the end of the input, or a signal that asks to end.
    Quit,
}

/// The borrowed screen.
#[derive(Debug)]
pub struct Screen {
    events: mpsc::Receiver<Event>,
    _signals: Signals,
    _settings: settings::Kept,
}

/// Whether somebody sits at a terminal that can be drawn on.
#[must_use]
pub fn is_there() -> bool {
    let dumb = environment::variable("TERM").is_none_or(|term| term == "dumb");
    cfg!(unix) && !dumb && io::stdin().is_terminal() && io::stdout().is_terminal()
}

impl Screen {
    /// Borrows the screen.
    ///
    /// # Errors
    /// When the system says no.
    pub fn borrow() -> io::Result<Self> {
        let (sender, events) = mpsc::channel();
        let signals = Signals::listen(sender.clone(), |_| Event::Quit)?;
        let settings = settings::Kept::change()?;
        std::thread::Builder::new().name("keys".to_owned()).spawn(move || {
            let mut keys = io::stdin().lock().bytes();
            loop {
                let event = match keys.next() {
                    Some(Ok(b'q' | b'Q' | INTERRUPT)) | None => Event::Quit,
                    Some(Ok(_)) => Event::Continue,
                    Some(Err(error)) if error.kind() == io::ErrorKind::Interrupted => Event::Continue,
                    Some(Err(_)) => Event::Quit,
                };
                if sender.send(event).is_err() || event == Event::Quit {
                    break;
                }
            }
        })?;
        let screen = Self { events, _signals: signals, _settings: settings };
        // The other screen, no cursor.
        write("\u{1b}[?1049h\u{1b}[?25l")?;
        Ok(screen)
    }

    /// Columns and rows.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        settings::size()
    }

    /// Shows these lines and nothing else. They must fit.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn show(&self, lines: &[String]) -> io::Result<()> {
        let mut frame = String::from("\u{1b}[H");
        for (index, line) in lines.iter().enumerate() {
            if index > 0 {
                frame.push_str("\r\n");
            }
            // Cleared before it is written: behind the last column, that would clear the last character.
            frame.push_str("\u{1b}[K");
            frame.push_str(line);
        }
        if lines.len() < self.size().1 {
            frame.push_str("\r\n\u{1b}[J");
        }
        write(&frame)
    }

    /// Waits for something to happen.
    #[must_use]
    pub fn wait(&self, time: Duration) -> Event {
        match self.events.recv_timeout(time) {
            Ok(event) => event,
            Err(mpsc::RecvTimeoutError::Timeout) => Event::Continue,
            Err(mpsc::RecvTimeoutError::Disconnected) => Event::Quit,
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // A terminal that is gone needs nothing back.
        drop(write("\u{1b}[?25h\u{1b}[?1049l"));
    }
}

fn write(text: &str) -> io::Result<()> {
    let mut stream = io::stdout().lock();
    stream.write_all(text.as_bytes())?;
    stream.flush()
}

#[cfg(unix)]
mod settings {
    use std::io;

    use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};

    /// The terminal's settings as they were.
    #[derive(Debug)]
    pub(super) struct Kept(Termios);

    impl Kept {
        /// Keeps them, and has the terminal hand over every key as it is typed.
        pub(super) fn change() -> io::Result<Self> {
            let kept = tcgetattr(io::stdin())?;
            let mut settings = kept.clone();
            settings.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG);
            tcsetattr(io::stdin(), OptionalActions::Now, &settings)?;
            Ok(Self(kept))
        }
    }

    impl Drop for Kept {
        fn drop(&mut self) {
            // Keys that nobody has read are not for the shell that follows.
            _ = tcsetattr(io::stdin(), OptionalActions::Flush, &self.0);
        }
    }

    pub(super) fn size() -> (usize, usize) {
        match tcgetwinsize(io::stdout()) {
            Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col.into(), size.ws_row.into()),
            // A terminal that does not know its size.
            _ => (80, 24),
        }
    }
}

#[cfg(not(unix))]
mod settings {
    use std::io;

    /// Nothing can be kept here.
    #[derive(Debug)]
    pub(super) struct Kept;

    impl Kept {
        pub(super) fn change() -> io::Result<Self> {
            Err(io::ErrorKind::Unsupported.into())
        }
    }

    pub(super) fn size() -> (usize, usize) {
        (80, 24)
    }
}
