//! Every effect on the disk, and nothing decided: the place, the lock, the checked write, the claims.
//!
//! The promise kept here: a change is reported as done only after the file has been read back and is byte for byte what
//! was meant, or its absence has been looked up. Everything else is an [`Error`]. Not promised: anything against a
//! process that writes into the place without taking the lock, beyond noticing that what is read back is not what was
//! written.

mod checked;
mod claims;
mod error;
mod folder;
mod handovers;
mod lock;
mod place;
mod tickets;
mod trace;

pub use claims::{Flaw, Listing};
pub use error::Error;
pub use handovers::{Queue, Stand, stem_and_file};
pub use place::{Absent, Locked, Place};
pub use tickets::{Moves, Slip};
