//! The command line: only what can be typed, not what it means.
//!
//! Only what the typed verb needs of it is described to the parser, and the description is never taken apart again:
//! one process parses one command line. That and [`Later`](crate::face::later::Later) take a guard from 596,000
//! instructions and 90 page faults to 364,000 and 68.

use std::{ffi::OsString, mem, path::PathBuf};

use clap::{Args, Command, CommandFactory as _, FromArgMatches as _, Parser, Subcommand as _};

use crate::face::verbs::Verb;

/// The whole of `claim --help` fits a screen of 24 lines, the prompt below it included, so the options that every verb
/// has and tells of stand in one line.
const SCREEN: &str = "\
{about}

Usage: claim VERB ... [--holder HOLDER] [--json] [--dir DIR]; claim VERB --help

{subcommands}{after-help}";

/// Keeps parallel agent sessions from colliding outside their own trees.
#[derive(Debug, Parser)]
#[command(
    name = "claim",
    version,
    subcommand_required = true,
    arg_required_else_help = true,
    infer_subcommands = false,
    help_template = SCREEN,
    after_help = "Exit codes: 0 done and verified, 1 error: treat as not claimed, 2 usage,\n\
                  3 NOT HELD, 4 leftovers or problems, 75 REFUSED: another session holds it:\n\
                  later, not never, 76 UNCLAIMED: a foreign write that nothing covers."
)]
struct Frame {
    #[command(flatten)]
    common: Common,
}

/// What was typed.
#[derive(Debug)]
pub(crate) struct Cli {
    pub(crate) common: Common,
    pub(crate) verb: Verb,
}

impl Cli {
    /// Reads the arguments, of which the first is the program; `typed` is the [`verb`] among them.
    ///
    /// # Errors
    /// What is wrong with them; also where help is asked for.
    pub(crate) fn parse(arguments: &[OsString], typed: Option<&OsString>) -> Result<Self, clap::Error> {
        let mut command = command(typed);
        let parsed = command.try_get_matches_from_mut(arguments).and_then(|matches| {
            let parsed = Frame::from_arg_matches(&matches)
                .and_then(|Frame { common }| Ok(Self { common, verb: Verb::from_arg_matches(&matches)? }));
            parsed.map_err(|error| error.format(&mut command))
        });
        mem::forget(command);
        parsed
    }
}

/// The command line as the parser knows it: with all verbs, or with this one alone if there is such a verb.
pub(crate) fn command(verb: Option<&OsString>) -> Command {
    let typed = verb.and_then(|verb| verb.to_str()).and_then(|verb| {
        let verbs = Verb::augment_subcommands(Command::new("verbs"));
        let found = verbs.find_subcommand(verb).cloned();
        mem::forget(verbs);
        found
    });
    match typed {
        Some(verb) => Frame::command().subcommand(verb),
        None => Verb::augment_subcommands(Frame::command()),
    }
}

/// The verb, found before parsing: the first word that is neither an option of every verb nor the value of one. None
/// behind any other option: what is answered to that, such as help, is about all verbs.
pub(crate) fn verb(arguments: &[OsString]) -> Option<&OsString> {
    let mut words = arguments.iter().skip(1);
    while let Some(word) = words.next() {
        let text = word.as_encoded_bytes();
        if text == b"--dir" || text == b"--holder" {
            words.next();
        } else if !text.starts_with(b"-") {
            return Some(word);
        } else if text != b"--json" && !text.starts_with(b"--dir=") && !text.starts_with(b"--holder=") {
            return None;
        }
    }
    None
}

/// The options that every verb has.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every verb")]
pub(crate) struct Common {
    /// Act as this session [default: $CLAIM_HOLDER, else the agent's session, else the terminal]
    #[arg(long, global = true, value_name = "HOLDER")]
    pub(crate) holder: Option<String>,
    /// Print one JSON object, whatever the outcome
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Keep the claims in this directory [default: $CLAIM_DIR, else ~/.local/state/claim]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}
