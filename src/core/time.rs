//! Points in time as the claim file has them: UTC, whole seconds.
//!
//! Whole seconds are enough because a time to live is at least one second, and rounding down both a heartbeat and `now`
//! can only make a claim look fresher than it is, by less than a second: never stale too early.
//!
//! Everything is UTC, and chrono is built without its clock, so that no time-zone file is looked for or read.

use std::fmt;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// Whole seconds since 1970-01-01T00:00:00Z; negative before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// The last second that RFC 3339 can write (its years have four digits): 9999-12-31T23:59:59Z.
    pub const LAST: Self = Self(253_402_300_799);
    /// The first second that RFC 3339 can write: 0000-01-01T00:00:00Z.
    pub const FIRST: Self = Self(-62_167_219_200);

    /// From whole seconds since 1970.
    #[must_use]
    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds)
    }

    /// Whole seconds since 1970.
    #[must_use]
    pub const fn seconds(self) -> i64 {
        self.0
    }

    /// Reads any RFC 3339 time, whatever its offset and fraction; the fraction is cut off. `None` when it is not one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let time = DateTime::parse_from_rfc3339(text).ok()?;
        Some(Self(time.timestamp()).clamped())
    }

    /// The same second, held within what RFC 3339 can write, so that what is written can always be read again.
    #[must_use]
    pub fn clamped(self) -> Self {
        self.clamp(Self::FIRST, Self::LAST)
    }

    /// Seconds from `earlier` to `self`; negative when `earlier` is later. Saturates.
    #[must_use]
    pub const fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = DateTime::<Utc>::from_timestamp(self.clamped().0, 0).unwrap_or(DateTime::<Utc>::UNIX_EPOCH);
        formatter.write_str(&time.to_rfc3339_opts(SecondsFormat::Secs, true))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| D::Error::custom("not an RFC 3339 time"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_rfc_3339_time_is_read_and_utc_whole_seconds_are_written() {
        for (read, written) in [
            ("2026-08-14T21:02:11Z", "2026-08-14T21:02:11Z"),
            ("2026-08-14T23:02:11+02:00", "2026-08-14T21:02:11Z"),
            ("2026-08-14t21:02:11.999999z", "2026-08-14T21:02:11Z"),
            ("1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z"),
            ("1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59Z"),
            ("2039-01-01T00:00:00-00:00", "2039-01-01T00:00:00Z"),
            ("9999-12-31T23:59:59-01:00", "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(Timestamp::parse(read).map(|time| time.to_string()).as_deref(), Some(written), "{read}");
        }
        for not_a_time in ["", "now", "2026-08-14", "2026-08-14T21:02:11", "2026-13-14T21:02:11Z", "1786741331"] {
            assert_eq!(Timestamp::parse(not_a_time), None, "{not_a_time}");
        }
    }

    #[test]
    fn every_second_that_can_be_held_is_read_back_as_itself() {
        for seconds in [i64::MIN, -62_167_219_201, -1, 0, 1, 2_147_483_648, 253_402_300_800, i64::MAX] {
            let time = Timestamp(seconds).clamped();
            assert_eq!(Timestamp::parse(&time.to_string()), Some(time), "{seconds}");
        }
    }
}
