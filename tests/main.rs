//! The tests that drive the real program, all in one binary and through one builder (`support`).

#![expect(
    clippy::disallowed_methods,
    reason = "tests touch files, processes and the clock; the program's floors are kept in src"
)]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that panics has failed, which is what is meant"
)]

mod audit;
mod claim_file;
mod completions;
mod damage;
mod disk;
mod doctor;
#[cfg(target_os = "linux")]
mod faults;
mod guard;
mod handover;
mod held;
mod help;
mod hook;
mod house;
mod identity;
mod install;
mod install_commands;
mod install_git;
mod job;
mod json;
mod live;
mod machine;
mod packaging;
mod place;
mod precommit;
mod races;
mod readme;
mod refusal;
mod run;
mod scene;
mod skill;
#[cfg(target_os = "linux")]
mod spelling;
mod status;
mod story;
mod supply;
mod support;
mod take;
mod target;
mod terminal;
mod torture;
mod trace;
mod wait;
mod watch;
