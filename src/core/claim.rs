//! The claim file: five fields in a fixed order, then the optional ones that say something, then whatever a later
//! version wrote. What is read is kept; what cannot be understood is never guessed at.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::core::{duration::Ttl, time::Timestamp};

/// The most bytes of a claim file that are read. A purpose of every character that fits a command line is far below.
pub const LARGEST: usize = 256 * 1_024;

/// The content of one claim file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// What is claimed: a name as it was typed, or an absolute path.
    pub target: String,
    /// The session that claims.
    pub holder: String,
    /// Why, in the holder's words.
    pub purpose: String,
    /// When this holder claimed it.
    pub taken_at: Timestamp,
    /// The holder's last sign of life.
    pub heartbeat_at: Timestamp,
    /// Whose stale claim was taken over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_from: Option<String>,
    /// The time to live in seconds, when the holder asked for another than the default.
    #[serde(default, rename = "ttl_s", skip_serializing_if = "Option::is_none")]
    pub ttl: Option<Ttl>,
    /// Whether others may share the target.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shared: bool,
    /// Fields of a later version, kept as they are.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Why the bytes of a file are not a claim.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ClaimError {
    /// Nothing in it, as a crash of another tool may leave it.
    #[error("the file is empty")]
    Empty,
    /// More than [`LARGEST`] bytes.
    #[error("the file is larger than {LARGEST} bytes")]
    Large,
    /// Not JSON of this shape; the text says where.
    #[error("{0}")]
    Shape(String),
    /// A claim of nobody.
    #[error("the holder is empty")]
    NoHolder,
}

impl Claim {
    /// Reads the bytes of a claim file.
    ///
    /// # Errors
    /// [`ClaimError`] when they are anything but one claim.
    pub fn parse(bytes: &[u8]) -> Result<Self, ClaimError> {
        if bytes.len() > LARGEST {
            return Err(ClaimError::Large);
        }
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Err(ClaimError::Empty);
        }
        // A struct would also be read from an array of its values in order; only an object is a claim.
        if !bytes.trim_ascii_start().starts_with(b"{") {
            return Err(ClaimError::Shape("not a JSON object".to_owned()));
        }
        let claim: Self = serde_json::from_slice(bytes).map_err(|error| ClaimError::Shape(error.to_string()))?;
        if claim.holder.is_empty() { Err(ClaimError::NoHolder) } else { Ok(claim) }
    }

    /// The bytes of the file: pretty-printed, with a newline at the end.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        // Strings, numbers and a map with string keys always have a JSON form, so the empty file below cannot happen;
        // if it did, reading back would not find a claim and nothing would be called claimed.
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// The time to live that applies.
    #[must_use]
    pub fn time_to_live(&self) -> Ttl {
        self.ttl.unwrap_or(Ttl::DEFAULT)
    }
}

/// What a heartbeat says at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Not older than the time to live, nor further ahead than that: somebody is at work.
    Fresh,
    /// Older than the time to live.
    Stale,
    /// More than one time to live ahead: some clock was wrong. Counts as stale.
    Future,
}

impl State {
    /// The state of a heartbeat at `now`. A heartbeat exactly one time to live old is still fresh.
    #[must_use]
    pub fn of(heartbeat: Timestamp, ttl: Ttl, now: Timestamp) -> Self {
        Self::of_age(now.since(heartbeat), ttl)
    }

    /// The state of a heartbeat that was `age` seconds old, negative if ahead of the clock.
    #[must_use]
    pub fn of_age(age: i64, ttl: Ttl) -> Self {
        let ttl = i64::try_from(ttl.seconds()).unwrap_or(i64::MAX);
        if age > ttl {
            Self::Stale
        } else if age < -ttl {
            Self::Future
        } else {
            Self::Fresh
        }
    }

    /// Whether a conflict with this claim refuses.
    #[must_use]
    pub fn is_fresh(self) -> bool {
        self == Self::Fresh
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DESIGN: &str = r#"{
  "target": "shared-config",
  "holder": "session-a41",
  "purpose": "align the lint rule with the new preset",
  "taken_at": "2026-08-14T21:02:11Z",
  "heartbeat_at": "2026-08-14T21:09:40Z"
}
"#;

    #[test]
    fn the_file_of_five_fields_is_written_byte_for_byte() {
        let claim = Claim {
            target: "shared-config".into(),
            holder: "session-a41".into(),
            purpose: "align the lint rule with the new preset".into(),
            taken_at: Timestamp::parse("2026-08-14T21:02:11Z").unwrap(),
            heartbeat_at: Timestamp::parse("2026-08-14T21:09:40Z").unwrap(),
            taken_from: None,
            ttl: None,
            shared: false,
            more: Map::new(),
        };
        assert_eq!(String::from_utf8(claim.to_bytes()).unwrap(), DESIGN);
        assert_eq!(Claim::parse(DESIGN.as_bytes()), Ok(claim));
    }

    #[test]
    fn numbers_of_a_later_version_do_not_drift_from_one_rewriting_to_the_next() {
        // Found by fuzzing: a float was read as its neighbour, so that every beat changed it a little.
        let float = format!("1{}e15", "6".repeat(118));
        let text =
            DESIGN.replace("40Z\"\n", &format!("40Z\",\n  \"later\": [{float}, 0.1, 1e-7, 18446744073709551615]\n"));
        let claim = Claim::parse(text.as_bytes()).unwrap();
        assert_eq!(Claim::parse(&claim.to_bytes()), Ok(claim));
    }

    #[test]
    fn optional_fields_follow_and_later_ones_are_kept_in_their_order() {
        let text = DESIGN.replace("40Z\"\n", "40Z\",\n  \"taken_from\": \"b\",\n  \"ttl_s\": 60,\n  \"shared\": true,\n  \"zeta\": [\n    1\n  ],\n  \"alpha\": null\n");
        let claim = Claim::parse(text.as_bytes()).unwrap();
        assert_eq!(
            (claim.taken_from.as_deref(), claim.ttl.map(Ttl::seconds), claim.shared),
            (Some("b"), Some(60), true)
        );
        assert_eq!(String::from_utf8(claim.to_bytes()).unwrap(), text);
    }

    #[test]
    fn what_is_not_exactly_a_claim_is_not_read_as_one() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        for bad in [
            "",
            " \n",
            "[]",
            "1",
            "null",
            "{}",
            "true",
            "\"x\"",
            "{",
            &DESIGN[..60],
            &DESIGN.replace("\"session-a41\"", "7"),
            &DESIGN.replace("\"session-a41\"", "\"\""),
            &DESIGN.replace("\"session-a41\"", "null"),
            &DESIGN.replace("2026-08-14T21:09:40Z", "yesterday"),
            &DESIGN.replace("\"holder\"", "\"owner\""),
            &DESIGN.replace("40Z\"\n", "40Z\", \"ttl_s\": 0\n"),
            &DESIGN.replace("40Z\"\n", "40Z\", \"ttl_s\": 604801\n"),
            &DESIGN.replace("40Z\"\n", "40Z\", \"ttl_s\": -1\n"),
            &DESIGN.replace("40Z\"\n", "40Z\", \"shared\": \"yes\"\n"),
            &DESIGN.replace("40Z\"\n", "40Z\", \"holder\": \"twice\"\n"),
            &format!("{DESIGN}{DESIGN}"),
            &format!("{DESIGN}x"),
            r#"["t","h","p","2026-08-14T21:02:11Z","2026-08-14T21:02:11Z",null,null,false,{}]"#,
            &deep,
            &DESIGN.replace("align", &"x".repeat(LARGEST)),
        ] {
            assert!(Claim::parse(bad.as_bytes()).is_err(), "{}", &bad[..bad.len().min(200)]);
        }
        assert!(Claim::parse(b"\xff\xfe{}").is_err());
    }

    #[test]
    fn fresh_is_within_one_time_to_live_on_either_side() {
        let ttl = Ttl::new(60).unwrap();
        for (age, state) in [
            (0, State::Fresh),
            (60, State::Fresh),
            (61, State::Stale),
            (-60, State::Fresh),
            (-61, State::Future),
            (i64::MAX, State::Stale),
            (i64::MIN, State::Future),
        ] {
            assert_eq!(State::of(Timestamp(0), ttl, Timestamp(age)), state, "{age}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_panic_and_what_is_read_is_written_back(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            if let Ok(claim) = Claim::parse(&bytes) {
                prop_assert_eq!(Claim::parse(&claim.to_bytes()), Ok(claim));
            }
        }

        #[test]
        fn any_claim_survives_its_file(target in any::<String>(), holder in ".+", purpose in any::<String>(),
                times in any::<(i64, i64)>(), ttl in prop::option::of(1_u64..604_800), shared in any::<bool>()) {
            let claim = Claim { target, holder, purpose, taken_at: Timestamp(times.0).clamped(), heartbeat_at: Timestamp(times.1).clamped(),
                taken_from: None, ttl: ttl.and_then(Ttl::new), shared, more: Map::new() };
            prop_assert_eq!(Claim::parse(&claim.to_bytes()), Ok(claim));
        }
    }
}
