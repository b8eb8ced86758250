//! When a run beats its claim, and when it has to give up: pure arithmetic on the time to live.
//!
//! A claim that is not beaten goes stale one time to live after its last beat, and from then on somebody else may be at
//! work. So a command whose claim cannot be beaten has to be gone before that: asked to end at `limit`, made to end
//! `grace` later, and even an answer that never comes noticed within [`PATIENCE`] ticks.

use crate::core::duration::Ttl;

/// The longest time between two beats.
const LONGEST: u64 = 30_000;
/// What a command gets between being asked to end and being made to.
pub const GRACE: u64 = 5_000;
/// For how many ticks a beat may hang once the limit has passed.
pub const PATIENCE: u32 = 3;

/// The times of a run in milliseconds, the first three counted from the last beat that went well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rhythm {
    /// When the next beat is due.
    pub interval: u64,
    /// How soon a beat that failed is tried again.
    pub retry: u64,
    /// When a command whose claim cannot be beaten is asked to end.
    pub limit: u64,
    /// How long it then has.
    pub grace: u64,
    /// How often the clocks are looked at, since they may have been set or have stood still.
    pub tick: u64,
}

impl Rhythm {
    /// The times for a claim with this time to live.
    #[must_use]
    pub fn of(ttl: Ttl) -> Self {
        let ttl = ttl.seconds().saturating_mul(1_000);
        let interval = LONGEST.min(ttl / 3);
        let grace = GRACE.min(ttl / 4);
        let margin = 5_000.min(ttl / 8);
        Self {
            interval,
            retry: 1_000.min(interval / 3),
            limit: ttl.saturating_sub(grace).saturating_sub(margin),
            grace,
            tick: 1_000.min(ttl / 48),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_of_the_time_to_live_and_at_most_half_a_minute() {
        for (ttl, interval) in [(1, 333), (3, 1_000), (30, 10_000), (90, 30_000), (900, 30_000), (604_800, 30_000)] {
            assert_eq!(Rhythm::of(Ttl::new(ttl).unwrap()).interval, interval, "{ttl}");
        }
        assert_eq!(Rhythm::of(Ttl::DEFAULT).grace, GRACE);
    }

    #[test]
    fn a_command_without_beats_is_gone_before_its_claim_is_stale() {
        for ttl in (1..2_000).chain([86_400, Ttl::MOST]) {
            let Rhythm { interval, retry, limit, grace, tick } = Rhythm::of(Ttl::new(ttl).unwrap());
            // Asked at the first tick after the limit, or after the ticks for which a beat hung.
            assert!(limit + grace + tick * u64::from(PATIENCE + 1) < ttl * 1_000, "{ttl}");
            // A beat that fails is tried again at least twice before that.
            assert!(interval + retry * 2 < limit, "{ttl}");
            assert!(retry > 0 && tick > 0, "{ttl}");
        }
    }
}
