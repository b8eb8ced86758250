//! What the machine says: its clock, its environment, who is asking, what a path really is.
//!
//! Read once by the face and passed down, so that everything below can be tested without them.

pub mod chance;
pub mod clock;
pub mod environment;
#[cfg(unix)]
mod family;
pub mod folder;
pub mod git;
pub mod identity;
pub mod input;
pub mod paths;
pub mod process;
pub mod programs;
pub mod screen;
pub mod settings;
pub mod signals;
#[cfg(unix)]
mod spelling;
pub mod terminal;
pub mod trees;
