//! What the machine says: its clock, its environment, who is asking, what a path really is.
//!
//! Read once by the face and passed down, so that everything below can be tested without them.

pub mod clock;
pub mod environment;
pub mod git;
pub mod identity;
pub mod input;
pub mod paths;
pub mod programs;
pub mod settings;
pub mod trees;
