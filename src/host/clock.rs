//! The wall clock, read once per command. Claims are compared across processes and restarts, so no monotonic clock will
//! do; what a jump of the wall clock may do is answered by the rule.

#![expect(clippy::disallowed_methods, reason = "this is the module that reads the clock")]

use std::time::{SystemTime, UNIX_EPOCH};

use crate::core::time::Timestamp;

/// The current second, also before 1970.
#[must_use]
pub fn now() -> Timestamp {
    let seconds = match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
        // Rounded down, so that half a second before 1970 is second -1.
        Err(error) => {
            let before = error.duration();
            -i64::try_from(before.as_secs()).unwrap_or(i64::MAX) - i64::from(before.subsec_nanos() > 0)
        }
    };
    Timestamp(seconds).clamped()
}
