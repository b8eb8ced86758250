//! Lengths of time as people type and read them: `90`, `90s`, `15m`, `2h`, `1d`.
//!
//! One grammar for every option and variable of the program. Deliberately small: no fractions, no sums, no months.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use thiserror::Error;

/// Why a text is not a duration. Each says what to type instead.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DurationError {
    /// Not digits with at most one unit behind them.
    #[error("'{0}' is not a duration: write 90, 90s, 15m, 2h or 1d")]
    Shape(String),
    /// More seconds than can be counted, or outside the range that the option allows.
    #[error("'{text}' is out of range: from {least} to {most}")]
    Range {
        /// What was typed.
        text: String,
        /// The smallest duration allowed here.
        least: String,
        /// The largest duration allowed here.
        most: String,
    },
}

/// Reads a duration in whole seconds between `least` and `most`, both included.
///
/// # Errors
/// [`DurationError::Shape`] for anything but ASCII digits with an optional `s`, `m`, `h` or `d`;
/// [`DurationError::Range`] for an overflow or a value outside the bounds.
pub fn parse(text: &str, least: u64, most: u64) -> Result<u64, DurationError> {
    let (digits, unit) = match text.strip_suffix(['s', 'm', 'h', 'd']) {
        Some(digits) => (digits, text.as_bytes().last().copied()),
        None => (text, None),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(DurationError::Shape(crate::core::text::visible(text)));
    }
    let factor = match unit {
        Some(b'm') => 60,
        Some(b'h') => 3_600,
        Some(b'd') => 86_400,
        _ => 1,
    };
    digits
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(factor))
        .filter(|seconds| (least..=most).contains(seconds))
        .ok_or_else(|| DurationError::Range {
            text: crate::core::text::visible(text),
            least: exact(least),
            most: exact(most),
        })
}

/// A duration that [`parse`] reads back as the same number of seconds: the largest unit that divides it.
#[must_use]
pub fn exact(seconds: u64) -> String {
    for (unit, name) in [(86_400, 'd'), (3_600, 'h'), (60, 'm')] {
        if seconds > 0 && seconds.is_multiple_of(unit) {
            return format!("{}{name}", seconds / unit);
        }
    }
    format!("{seconds}s")
}

/// A duration at a glance, in at most two units: `41s`, `8m`, `2h 5m`, `3d 4h`. Rounded down.
#[must_use]
pub fn glance(seconds: u64) -> String {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    match seconds {
        0..120 => format!("{seconds}s"),
        120..3_600 => format!("{minutes}m"),
        3_600..86_400 if minutes == 0 => format!("{hours}h"),
        3_600..86_400 => format!("{hours}h {minutes}m"),
        _ if hours == 0 => format!("{days}d"),
        _ => format!("{days}d {hours}h"),
    }
}

/// A claim's time to live in seconds, 1 s to 7 days.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ttl(u64);

impl Ttl {
    /// The shortest time to live: one second, the resolution of the claim file.
    pub const LEAST: u64 = 1;
    /// The longest: seven days.
    pub const MOST: u64 = 7 * 86_400;
    /// What a claim without `ttl_s` has: 15 minutes.
    pub const DEFAULT: Self = Self(900);

    /// The time to live of that many seconds, `None` outside 1 s to 7 days.
    #[must_use]
    pub fn new(seconds: u64) -> Option<Self> {
        (Self::LEAST..=Self::MOST).contains(&seconds).then_some(Self(seconds))
    }

    /// Reads what was typed, such as `2h`.
    ///
    /// # Errors
    /// As [`parse`], with the bounds of a time to live.
    pub fn parse(text: &str) -> Result<Self, DurationError> {
        parse(text, Self::LEAST, Self::MOST).map(Self)
    }

    /// In seconds.
    #[must_use]
    pub fn seconds(self) -> u64 {
        self.0
    }
}

impl Serialize for Ttl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

impl<'de> Deserialize<'de> for Ttl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let seconds = u64::deserialize(deserializer)?;
        Self::new(seconds).ok_or_else(|| D::Error::custom("ttl_s is outside 1 s to 7 days"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_five_spellings_are_read() {
        for (text, seconds) in [("90", 90), ("90s", 90), ("15m", 900), ("2h", 7_200), ("1d", 86_400), ("007", 7)] {
            assert_eq!(parse(text, 0, u64::MAX), Ok(seconds), "{text}");
        }
    }

    #[test]
    fn what_is_no_duration_is_refused_by_shape() {
        for text in
            ["", "s", "-1", "+1", "1.5h", "1e3", "NaN", "inf", " 1", "1 s", "1ms", "1h30m", "½", "٣", "0x10", "1S"]
        {
            assert!(matches!(parse(text, 0, u64::MAX), Err(DurationError::Shape(_))), "{text}");
        }
    }

    #[test]
    fn overflow_and_bounds_are_out_of_range() {
        for text in ["0", "0s", "604801", "8d", "18446744073709551616", "9999999999999999999d", "18446744073709551615d"]
        {
            assert!(matches!(Ttl::parse(text), Err(DurationError::Range { .. })), "{text}");
        }
        assert_eq!(Ttl::parse("1").map(Ttl::seconds), Ok(1));
        assert_eq!(Ttl::parse("7d").map(Ttl::seconds), Ok(604_800));
        assert_eq!(Ttl::parse("8d").unwrap_err().to_string(), "'8d' is out of range: from 1s to 7d");
    }

    #[test]
    fn a_glance_has_at_most_two_units() {
        for (seconds, text) in [
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (3_599, "59m"),
            (3_600, "1h"),
            (7_500, "2h 5m"),
            (86_400, "1d"),
            (273_600, "3d 4h"),
        ] {
            assert_eq!(glance(seconds), text);
        }
    }

    proptest! {
        #[test]
        fn what_is_written_exactly_is_read_back(seconds in 0_u64..10_000_000) {
            prop_assert_eq!(parse(&exact(seconds), 0, u64::MAX), Ok(seconds));
        }

        #[test]
        fn no_text_panics(text in ".*") {
            let _total = parse(&text, 0, u64::MAX).is_ok();
        }
    }
}
