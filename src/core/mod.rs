//! The ground floor: what a claim is and what the rule says of it. Pure and total: nothing here reads a file, a clock,
//! an environment variable or a process, and nothing panics, so everything can be tested by tables and properties.

pub mod agents;
pub mod audit;
pub mod claim;
pub mod duration;
pub mod entry;
pub mod holder;
pub mod install;
pub mod note;
pub mod patch;
pub mod queue;
pub mod rhythm;
pub mod rule;
pub mod runs;
pub mod shell;
pub mod target;
pub mod text;
pub mod time;
pub mod trace;
pub mod write;
