//! The options of a verb, described to the parser only once that verb was typed.
//!
//! Describing every option of every verb was a quarter of what a guard did: 164,000 of 596,000 instructions, 19 of
//! 90 page faults. One process runs one verb.

use std::ops::Deref;

use clap::{ArgMatches, Args, Command, FromArgMatches};

/// `A`, described when the parser comes to it.
#[derive(Debug)]
pub(crate) struct Later<A>(A);

impl<A> Deref for Later<A> {
    type Target = A;

    fn deref(&self) -> &A {
        &self.0
    }
}

impl<A: Args> Args for Later<A> {
    fn augment_args(command: Command) -> Command {
        command.defer(A::augment_args)
    }

    fn augment_args_for_update(command: Command) -> Command {
        command.defer(A::augment_args_for_update)
    }
}

impl<A: FromArgMatches> FromArgMatches for Later<A> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        A::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}
