//! A number that nobody else has drawn: what tells one run, or one waiter, from all others.
//!
//! From the randomness that the standard library seeds its hash tables with, which is the system's own. Nothing secret
//! depends on it: it only has to be different every time.

use std::hash::{BuildHasher as _, RandomState};

/// Draws a number.
#[must_use]
pub fn draw() -> u64 {
    RandomState::new().hash_one(0)
}
