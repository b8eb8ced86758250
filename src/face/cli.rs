//! The command line: only what can be typed, not what it means.

use std::path::PathBuf;

use clap::{Args, Parser};

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
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// The options that every verb has.
#[derive(Debug, Args)]
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
