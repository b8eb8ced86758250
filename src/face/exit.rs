//! The exit codes, in one place. A refusal is an answer and has a code of its own.

use std::process::ExitCode;

/// How a command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: done, and verified.
    Done,
    /// 1: could not be done or could not be verified; to be treated as not claimed.
    Error,
    /// 2: the command line is wrong.
    Usage,
    /// 3: beat or release of a claim that this holder does not have.
    NotHeld,
    /// 4: `status --exit-code` listed something, `audit` or `doctor` found something.
    Leftovers,
    /// 75: another session holds it. `EX_TEMPFAIL` of sysexits.h: later, not never.
    Refused,
    /// A refusal, with the code that `--refused-code` asked for.
    RefusedAs(u8),
    /// 76: a foreign write that no claim covers.
    Unclaimed,
    /// 2, from the hook alone: the host must not let the tool run.
    Denied,
    /// From `run`: the command's own code. Also of what a signal ended, as 128 and its number.
    Command(u8),
}

impl Exit {
    /// The number.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Error => 1,
            Self::Usage => 2,
            Self::NotHeld => 3,
            Self::Leftovers => 4,
            Self::Refused => 75,
            Self::Unclaimed => 76,
            Self::Denied => 2,
            Self::RefusedAs(code) | Self::Command(code) => code,
        }
    }

    /// The graver of two: an error before a refusal before a lack of a claim.
    pub(crate) fn or_worse(self, other: Self) -> Self {
        let gravity = |exit| match exit {
            Self::Done | Self::Command(_) => 0,
            Self::Leftovers => 1,
            Self::NotHeld => 2,
            Self::Unclaimed => 3,
            Self::Refused | Self::RefusedAs(_) => 4,
            Self::Usage => 5,
            Self::Error => 6,
            Self::Denied => 7,
        };
        if gravity(other) > gravity(self) { other } else { self }
    }
}

// The option of the verbs that can be refused. (A documentation comment would become the help of the verb.)
#[derive(Debug, clap::Args)]
pub(crate) struct RefusedCode {
    /// End a refusal with this code, 1 to 255, instead of 75: for a caller with a convention of its own
    #[arg(long = "refused-code", value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    code: Option<u8>,
}

impl RefusedCode {
    /// The code for what ended like this.
    pub(crate) fn applied(&self, exit: Exit) -> Exit {
        match (exit, self.code) {
            (Exit::Refused, Some(code)) => Exit::RefusedAs(code),
            _ => exit,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}
