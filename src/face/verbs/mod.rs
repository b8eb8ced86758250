//! The verbs, one file each.

mod audit;
mod beat;
pub(crate) mod complete;
mod completions;
mod doctor;
mod doctor_hosts;
mod guard;
mod handover;
pub(crate) mod hook;
mod install;
mod install_git;
mod log;
mod man;
mod release;
mod run;
pub(crate) mod status;
mod take;

use clap::Subcommand;

use crate::{
    core::{entry::Entry, target::Target, text::visible},
    face::{context::Context, failure::Failure, later::Later, report::Report},
};

// What to do. (A documentation comment would become the help of claim.)
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Claim a target, renew your claim, or take over a stale one
    Take(Later<take::Arguments>),
    /// Say that you are still at work on what you claimed
    Beat(Later<beat::Arguments>),
    /// Give back what you claimed
    Release(Later<release::Arguments>),
    /// Show who is at work where
    Status(Later<status::Arguments>),
    /// Hold a target while a command runs
    Run(Later<run::Arguments>),
    /// Ask whether paths may be written
    Guard(Later<guard::Arguments>),
    /// Answer an agent CLI's hook: reads its JSON on standard input
    Hook(Later<hook::Arguments>),
    /// Leave work for whoever has a target next, and work what was left
    Handover(Later<handover::Arguments>),
    /// Check the trace against the rules and against the place
    Audit(Later<audit::Arguments>),
    /// Show who did what, newest last
    Log(Later<log::Arguments>),
    /// Put claim's hook into an agent's configuration or a repository
    Install(Later<install::Arguments>),
    /// Check that claim works here and that every agent asks it
    Doctor(Later<doctor::Arguments>),
    /// Print what makes a shell complete the command line
    Completions(Later<completions::Arguments>),
    /// Write the manual pages into a directory
    Man(Later<man::Arguments>),
    /// Say what may be typed next, for the shells' completions
    #[command(hide = true)]
    Complete(Later<complete::Arguments>),
}

/// Carries a verb out.
pub(crate) fn run(context: &Context, verb: Verb) -> Result<Report, Failure> {
    match verb {
        Verb::Take(arguments) => take::run(context, &arguments),
        Verb::Beat(arguments) => beat::run(context, &arguments),
        Verb::Release(arguments) => release::run(context, &arguments),
        Verb::Status(arguments) => status::run(context, &arguments),
        Verb::Run(arguments) => run::run(context, &arguments),
        Verb::Guard(arguments) => guard::run(context, &arguments),
        Verb::Audit(_) => audit::run(context),
        Verb::Log(arguments) => log::run(context, &arguments),
        Verb::Install(arguments) => install::run(context, &arguments),
        Verb::Doctor(arguments) => doctor::run(context, &arguments),
        Verb::Handover(arguments) => handover::run(context, &arguments),
        Verb::Completions(arguments) => Ok(completions::run(&arguments)),
        Verb::Man(arguments) => man::run(&arguments),
        Verb::Hook(_) | Verb::Complete(_) => {
            Err(Failure::error("internal", "the hook and the completions answer in their callers' own form"))
        }
    }
}

/// The error for a file that stands where the target's claim belongs but is a claim on another target.
pub(crate) fn misnamed(context: &Context, entry: &Entry, target: &Target) -> Failure {
    let path = context.place.path().join("claims").join(&entry.file);
    Failure::error(
        "misnamed",
        format!(
            "{} belongs to {target} but holds a claim on {}: move it away and try again",
            visible(&path.to_string_lossy()),
            entry.title()
        ),
    )
}
