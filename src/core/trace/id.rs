//! The id of a trace line: its place in the sequence, and a seal over it and over everything before it.
//!
//! The seal makes an edited, dropped or swapped line visible to anybody who reads the trace, at the price of one
//! hash per line. It is **not** a signature: whoever knows the recipe can seal a forged trace again. What such a
//! forger changed has to be found by what the lines say (`core::audit`).

use std::fmt;

/// `<sequence>-<seal>`, the sequence in decimal from 1, the seal as 16 lower-case hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TraceId {
    /// The place of the line in the whole trace, over all its files; the first line ever has 1.
    pub sequence: u64,
    /// The hash over the previous line's id and this line's other bytes.
    pub seal: u64,
}

impl TraceId {
    /// Reads an id exactly as `Display` writes it; `None` for any other spelling.
    pub fn parse(text: &str) -> Option<Self> {
        let (sequence, seal) = text.split_once('-')?;
        let id = Self { sequence: sequence.parse().ok()?, seal: u64::from_str_radix(seal, 16).ok()? };
        (id.sequence > 0 && id.to_string() == text).then_some(id)
    }
}

impl fmt::Display for TraceId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}-{:016x}", self.sequence, self.seal)
    }
}

/// A running 64-bit FNV-1a hash: the same on every machine and in every version, which `std`'s hasher is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Digest(u64);

impl Digest {
    pub(super) const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(super) fn with(self, bytes: &[u8]) -> Self {
        Self(bytes.iter().fold(self.0, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)))
    }

    /// Ends the hash. FNV leaves the last bytes' influence in few bits, so they are spread over all of them.
    pub(super) const fn finish(self) -> u64 {
        let first = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let second = (first ^ (first >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        second ^ (second >> 31)
    }
}
