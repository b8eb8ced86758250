//! What is swept: a command on a prepared place, and what may come of it.

use super::meanwhile::Meanwhile;
use crate::support::Sandbox;

/// Who runs the commands of a scenario.
pub(crate) const ME: &str = "me";

/// A command on a prepared place.
#[derive(Clone, Copy)]
pub(crate) struct Scenario {
    /// Fills the sandbox. Times in claim files are to be aged, so that what the command writes can be told from them.
    pub(crate) prepare: fn(&Sandbox),
    /// The command line, run by [`ME`] in the sandbox's working directory.
    pub(crate) command: &'static [&'static str],
    /// What both commands find on standard input.
    pub(crate) input: fn(&Sandbox) -> String,
    /// What their environment has besides.
    pub(crate) environment: &'static [(&'static str, &'static str)],
    /// How it ends without a fault.
    pub(crate) exit: i32,
    /// With what else it may end after one, beside 1: its other ways of saying no.
    pub(crate) noes: &'static [i32],
    /// Whether it says by exit 0 that it is done. A hook that has nothing to judge says nothing by it.
    pub(crate) promises: bool,
    /// Whether it warns of a line that could not be written to the trace. A hook's silence is its answer.
    pub(crate) warns: bool,
    /// What strace injects besides, in every run: a system that lacks something.
    pub(crate) always: &'static [&'static str],
    /// A command whose work is a stage on the way of this one, where that has stages: it may be found half-way.
    pub(crate) halfway: Option<&'static [&'static str]>,
    /// The command after the fault, by the same holder, and how it ends.
    pub(crate) next: &'static [&'static str],
    pub(crate) next_exit: i32,
    /// What happens while the command runs.
    pub(crate) meanwhile: Meanwhile,
    /// How many sandboxes share the faults. More than one for a command that waits more than it works.
    pub(crate) hands: usize,
}

impl Scenario {
    /// A command that succeeds, after which `t` can be taken.
    pub(crate) const fn of(command: &'static [&'static str], prepare: fn(&Sandbox)) -> Self {
        Self {
            prepare,
            command,
            input: |_| String::new(),
            environment: &[],
            exit: 0,
            noes: &[],
            promises: true,
            warns: true,
            always: &[],
            halfway: None,
            next: &["take", "t", "again"],
            next_exit: 0,
            meanwhile: Meanwhile::Nothing,
            hands: 1,
        }
    }
}
