//! How wide the terminal on standard error is.

/// The columns of the terminal on standard error; `None` when it is none, or one that cannot move its cursor back.
#[cfg(unix)]
#[must_use]
pub fn columns() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stderr()).ok()?;
    if crate::host::environment::variable("TERM").is_none_or(|term| term == "dumb") {
        return None;
    }
    // A terminal that does not know its size says 0.
    Some(if size.ws_col == 0 { 80 } else { usize::from(size.ws_col) })
}

/// As on a stream that is no terminal.
#[cfg(not(unix))]
#[must_use]
pub fn columns() -> Option<usize> {
    None
}
