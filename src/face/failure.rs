//! Everything that is an error rather than an answer: its code, its stable word and its message.

use crate::{
    core::duration::DurationError,
    face::{exit::Exit, report::Report},
    host::{environment::EnvironmentError, identity::IdentityError, input::InputError, paths::PathError},
    store,
};

/// Why a command could not be carried out.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) word: &'static str,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, word: "usage", message: message.into() }
    }

    pub(crate) fn error(word: &'static str, message: impl Into<String>) -> Self {
        Self { exit: Exit::Error, word, message: message.into() }
    }
}

impl From<store::Error> for Failure {
    fn from(error: store::Error) -> Self {
        Self::error(error.word(), error.to_string())
    }
}

impl From<EnvironmentError> for Failure {
    fn from(error: EnvironmentError) -> Self {
        match error {
            EnvironmentError::RelativePlace(_) | EnvironmentError::NotText(_) => Self::usage(error.to_string()),
            EnvironmentError::NoHome => Self::error("no-home", error.to_string()),
            EnvironmentError::NoDirectory(_) => Self::error("no-directory", error.to_string()),
        }
    }
}

impl From<IdentityError> for Failure {
    fn from(error: IdentityError) -> Self {
        match error {
            IdentityError::Unknown => Self::error("no-identity", error.to_string()),
            IdentityError::Ambiguous(..) => Self::error("ambiguous-identity", error.to_string()),
            IdentityError::Invalid { .. } => Self::usage(error.to_string()),
            IdentityError::Environment(error) => error.into(),
        }
    }
}

impl From<PathError> for Failure {
    fn from(error: PathError) -> Self {
        match error {
            PathError::Target(_) | PathError::NotText(_) | PathError::NoSuchName { .. } => {
                Self::usage(error.to_string())
            }
            PathError::NoHome(_) => Self::error("no-home", error.to_string()),
            PathError::Unresolved { .. } => Self::error("unresolved", error.to_string()),
        }
    }
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Self {
        match error {
            InputError::Read { .. } => Self::error("io", error.to_string()),
            InputError::Large { .. } | InputError::Terminal => Self::usage(error.to_string()),
        }
    }
}

impl From<DurationError> for Failure {
    fn from(error: DurationError) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        // The parser writes a whole text for people, usage and hints included.
        let text = error.render().to_string();
        Self::usage(text.trim().trim_start_matches("error: "))
    }
}

impl From<Failure> for Report {
    fn from(failure: Failure) -> Self {
        let mut report = Self::new(failure.exit, "error");
        report.set("error", failure.word);
        report.set("message", &*failure.message);
        report.complain(format!("claim: {}", failure.message));
        report
    }
}
