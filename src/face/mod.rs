//! What was typed and what is shown. One file per verb; each resolves its arguments, lets the floors below do the work,
//! and turns what came of it into a report.

mod cli;
mod completing;
mod context;
mod exit;
mod failure;
mod guarding;
mod keeper;
mod later;
mod news;
mod notes;
mod payload;
mod progress;
mod refusal;
mod report;
mod running;
mod table;
mod verbs;
mod waiting;
mod watching;

use std::{ffi::OsString, process::ExitCode};

use self::{cli::Cli, context::Context, exit::Exit, failure::Failure, report::Report, verbs::Verb};

/// Runs the program on the arguments of this process.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "this is where arguments are read")]
pub fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    // Known before parsing, because also a command line that cannot be parsed is answered in the form asked for.
    let json = arguments.iter().take_while(|argument| *argument != "--").any(|argument| argument == "--json");
    // Every host takes a hook's exit code 2 for a denial, and some go on for ever when it comes at a stop.
    let typed = cli::verb(&arguments);
    let is_hook = typed.is_some_and(|verb| verb == "hook");
    let (report, json) = match Cli::parse(&arguments, typed) {
        Ok(Cli { common, verb: Verb::Hook(_) }) => (verbs::hook::run(common), false),
        Ok(Cli { verb: Verb::Complete(arguments), .. }) => (verbs::complete::run(&arguments), false),
        Ok(cli) => {
            let json = cli.common.json;
            (run(cli).unwrap_or_else(Report::from), json)
        }
        Err(error) if error.use_stderr() && is_hook => (verbs::hook::misused(&error), false),
        Err(error) if error.use_stderr() => (Failure::from(error).into(), json),
        Err(help) => (Report::text(Exit::Done, "help", format!("{}", help.render())), false),
    };
    report.print(json).into()
}

/// The command line as a tree of verbs and options, for completions, manual pages and the tests of both.
#[must_use]
pub fn command() -> clap::Command {
    let mut command = cli::command(None);
    command.build();
    command
}

fn run(cli: Cli) -> Result<Report, Failure> {
    let context = Context::new(cli.common)?;
    let mut report = verbs::run(&context, cli.verb)?;
    let warnings = context.place.warnings();
    if !warnings.is_empty() {
        for warning in &warnings {
            report.complain(format!("claim: {warning}"));
        }
        report.set("warnings", warnings);
    }
    Ok(report)
}
