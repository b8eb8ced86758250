//! The clocks. Claims are compared across processes and restarts, so their times are the wall clock's, read once per
//! command; what a jump of it may do is answered by the rule. How long something has taken within one process is told
//! by the steady clock, which nobody can set but which stands still while the machine sleeps.

#![expect(clippy::disallowed_methods, reason = "this is the module that reads the clock")]

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::core::time::Timestamp;

/// The current second, also before 1970.
#[must_use]
pub fn now() -> Timestamp {
    second(SystemTime::now())
}

fn second(time: SystemTime) -> Timestamp {
    let seconds = match time.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
        // Rounded down, so that half a second before 1970 is second -1.
        Err(error) => {
            let before = error.duration();
            -i64::try_from(before.as_secs()).unwrap_or(i64::MAX) - i64::from(before.subsec_nanos() > 0)
        }
    };
    Timestamp(seconds).clamped()
}

/// A moment in this process.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    steady: Instant,
    wall: SystemTime,
}

impl Moment {
    /// This moment.
    #[must_use]
    pub fn now() -> Self {
        Self { steady: Instant::now(), wall: SystemTime::now() }
    }

    /// How long ago it was by the steady clock: without the time that the machine slept.
    #[must_use]
    pub fn ago(&self) -> Duration {
        self.steady.elapsed()
    }

    /// How long ago it was by whichever clock says longer, for what must not be too late by any of them.
    #[must_use]
    pub fn ago_at_most(&self) -> Duration {
        self.ago().max(self.wall.elapsed().unwrap_or_default())
    }

    /// Whether it is so many milliseconds ago by any of the clocks.
    #[must_use]
    pub fn was(&self, milliseconds: u64) -> bool {
        self.ago_at_most() >= Duration::from_millis(milliseconds)
    }

    /// Whether the wall clock was set back behind this moment.
    #[must_use]
    pub fn is_ahead(&self) -> bool {
        self.wall.elapsed().is_err()
    }
}

/// Waits, and does nothing.
pub fn sleep(time: Duration) {
    std::thread::sleep(time);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_is_rounded_down_on_either_side_of_1970() {
        let milliseconds = Duration::from_millis;
        for (time, expected) in [
            (UNIX_EPOCH, 0),
            (UNIX_EPOCH + milliseconds(1_999), 1),
            (UNIX_EPOCH - milliseconds(1), -1),
            (UNIX_EPOCH - milliseconds(1_000), -1),
            (UNIX_EPOCH - milliseconds(1_001), -2),
            // The seconds of 1960, and one beyond 32 bits.
            (UNIX_EPOCH - Duration::from_secs(315_619_200), -315_619_200),
            (UNIX_EPOCH + Duration::from_secs(1 << 32), 1 << 32),
        ] {
            assert_eq!(second(time), Timestamp(expected));
        }
    }
}
