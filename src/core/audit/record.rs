//! A claim file as the audit compares it with the trace: without its purpose, which the trace never holds.

use crate::core::{
    claim::{Claim, State},
    duration::Ttl,
    time::Timestamp,
};

/// The time to live of a claim whose holder asked for none, in seconds.
pub(super) const DEFAULT_TTL_S: u32 = 900;
/// The longest time to live, in seconds.
pub const MAX_TTL_S: u32 = 604_800;

/// A claim file, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// What is claimed.
    pub target: String,
    /// Who claimed it.
    pub holder: String,
    /// When it was first taken.
    pub taken_at: Timestamp,
    /// The last sign of life.
    pub heartbeat_at: Timestamp,
    /// Whom it was taken over from.
    pub taken_from: Option<String>,
    /// Seconds a heartbeat is good for.
    pub ttl_s: u32,
    /// Whether others may share the target.
    pub shared: bool,
}

impl From<&Claim> for Record {
    fn from(claim: &Claim) -> Self {
        Self {
            target: claim.target.clone(),
            holder: claim.holder.clone(),
            taken_at: claim.taken_at,
            heartbeat_at: claim.heartbeat_at,
            taken_from: claim.taken_from.clone(),
            ttl_s: u32::try_from(claim.time_to_live().seconds()).unwrap_or(MAX_TTL_S),
            shared: claim.shared,
        }
    }
}

/// Whether a heartbeat of that age (seconds, negative: ahead of the clock) is fresh.
pub(super) fn is_fresh(age_s: i64, ttl_s: u32) -> bool {
    Ttl::new(u64::from(ttl_s)).is_some_and(|ttl| State::of_age(age_s, ttl).is_fresh())
}
