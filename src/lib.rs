//! The parts of the `claim` program, in three floors: `core` decides and is pure, `store` and `host` touch the machine,
//! `face` reads what was typed and says what came of it. An import never goes up; `tests/house.rs` keeps it so.
//!
//! This library exists for the program, its tests and its fuzz targets. It promises no stable interface: the program's
//! verbs, codes, JSON keys and file format are the interface, and the README documents them.

pub mod core;
pub mod face;
pub mod host;
pub mod store;
