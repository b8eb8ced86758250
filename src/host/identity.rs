//! Who is asking. The session is the unit: its sub-agents share its claims.
//!
//! In this order: `--holder`, `$CLAIM_HOLDER`, the session variable of an agent CLI, a terminal. (A hook's payload comes
//! before all of these, and is handled where the payload is.) Two agents' variables at once are ambiguous, because ids
//! leak into nested agents, and guessing could make one session of two.

use thiserror::Error;

use crate::{
    core::{
        agents::AGENTS,
        holder::{Holder, HolderError},
    },
    host::environment::{self, EnvironmentError},
};

/// Where a holder's name came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The option `--holder`.
    Option,
    /// An environment variable.
    Variable(&'static str),
    /// The terminal's user, host and session leader.
    Terminal,
}

/// Why it is not known who asks.
#[derive(Debug, Error)]
pub enum IdentityError {
    /// Nothing says it.
    #[error("nobody says which session this is: set CLAIM_HOLDER, or give --holder")]
    Unknown,
    /// Two agents say it.
    #[error("{0} and {1} are both set, so it is not clear which session this is: set CLAIM_HOLDER, or give --holder")]
    Ambiguous(&'static str, &'static str),
    /// What was given cannot be a holder.
    #[error("{origin}: {error}")]
    Invalid {
        /// The option or the variable.
        origin: &'static str,
        /// What is wrong with it.
        error: HolderError,
    },
    /// A variable is not text.
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
}

/// The holder, and what says so.
///
/// # Errors
/// [`IdentityError`] when nobody says it, two say different things, or what is said cannot be a holder.
pub fn holder(option: Option<&str>) -> Result<(Holder, Source), IdentityError> {
    if let Some(text) = option {
        return named(text, "--holder").map(|holder| (holder, Source::Option));
    }
    if let Some(text) = environment::text("CLAIM_HOLDER")? {
        return named(&text, "CLAIM_HOLDER").map(|holder| (holder, Source::Variable("CLAIM_HOLDER")));
    }
    let found = from_agents()?;
    if let Some((holder, variable)) = found {
        return Ok((holder, Source::Variable(variable)));
    }
    if environment::is_at_terminal()
        && let Some(name) = environment::terminal_name()
    {
        return named(&name, "the terminal").map(|holder| (holder, Source::Terminal));
    }
    Err(IdentityError::Unknown)
}

/// The holder that the session variable of an agent CLI gives, whatever else says another. `None` also when two agents
/// say different things.
#[must_use]
pub fn agent_holder() -> Option<Holder> {
    from_agents().ok().flatten().map(|(holder, _)| holder)
}

fn from_agents() -> Result<Option<(Holder, &'static str)>, IdentityError> {
    let mut found: Option<(Holder, &'static str)> = None;
    for agent in AGENTS {
        let Some(variable) = agent.session_variables.iter().find(|name| environment::variable(name).is_some()) else {
            continue;
        };
        if let Some((_, other)) = found {
            return Err(IdentityError::Ambiguous(other, variable));
        }
        let session = environment::text(variable)?.unwrap_or_default();
        found = Some((named(&format!("{}:{session}", agent.name), variable)?, variable));
    }
    Ok(found)
}

/// The project directory that the session's own agent names in the environment.
#[must_use]
pub fn project_directory() -> Option<std::path::PathBuf> {
    AGENTS
        .iter()
        .filter(|agent| agent.session_variables.iter().any(|name| environment::variable(name).is_some()))
        .flat_map(|agent| agent.project_variables)
        .find_map(|name| environment::variable(name))
        .map(std::path::PathBuf::from)
        .filter(|directory| directory.is_absolute())
}

fn named(text: &str, origin: &'static str) -> Result<Holder, IdentityError> {
    Holder::new(text).map_err(|error| IdentityError::Invalid { origin, error })
}
