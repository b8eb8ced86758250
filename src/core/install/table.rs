//! The hosts' configurations, one row each: where, in which shape, which moments, and what is left to a person.
//!
//! A new host is a row here and a folder in hooks/, which a test holds against what the row produces.
//!
//! # The command
//!
//! Every host lets a tool run when its hook crashes, is missing or is killed, and most when it fails without a word. So
//! the command before a write passes a refusal on as it is (exit 2, whose reason `claim hook` has written) and makes
//! every other failure a denial that says so. It uses no variable but `$?`, because Gemini CLI fills in its settings'
//! variables itself. At every other moment a failure is swallowed: exit 2 at a stop makes some hosts go on for ever.
//!
//! `claim` is named without a path and found on the PATH, as git-lfs and lefthook are. An absolute path would break with
//! every move and upgrade, and settings are shared: between machines by those who keep them in a repository, between
//! people in a project. What a PATH can do worse than a path, not finding it, is no silent failure here: it denies the
//! write and says why. `claim install` and `claim doctor` look whether the PATH has it.
//!
//! Hosts whose shell is not known to be a POSIX one (Codex takes the user's login shell) get it wrapped in `sh -c`.

use serde_json::Value;

use super::rows;

/// One host.
#[derive(Debug)]
pub struct Host {
    /// What is typed after `claim install`, and the agent's name in the table of payloads.
    pub name: &'static str,
    /// The name that its users know it by.
    pub title: &'static str,
    /// Programs that are on the PATH where it is installed.
    pub programs: &'static [&'static str],
    /// Directories below the home directory that are there where it is installed.
    pub directories: &'static [&'static str],
    /// The directory that the user's files are in.
    pub user: Root,
    /// What is installed.
    pub files: &'static [File],
    /// What a person still has to do.
    pub remains: &'static [Remains],
}

/// A directory that an environment variable may move.
#[derive(Debug, Clone, Copy)]
pub struct Root {
    /// The variable, and what the directory is called below its value.
    pub variable: Option<(&'static str, &'static str)>,
    /// Below the home directory, when the variable is not set.
    pub home: &'static str,
}

/// One file of a host's configuration.
#[derive(Debug)]
pub struct File {
    /// Below the user's directory.
    pub user: &'static str,
    /// Below the root of a project.
    pub project: &'static str,
    /// In hooks/ of claim's own repository.
    pub sample: &'static str,
    /// What is in it.
    pub content: Content,
}

/// What claim puts into a file.
#[derive(Debug)]
pub enum Content {
    /// Entries in a JSON file that belongs to the host and its user.
    Hooks(&'static Hooks),
    /// A file of its own.
    Whole {
        /// All of it.
        text: &'static str,
        /// What every version of it has, so that a file of somebody else's is known.
        mark: &'static str,
        /// Whether the host executes it.
        executable: bool,
    },
}

/// How a host writes its hooks down.
#[derive(Debug)]
pub struct Hooks {
    /// What a new file has besides the hooks.
    pub(super) document: &'static [(&'static str, u32)],
    pub(super) nesting: Nesting,
    /// Whether a handler says that it is a command.
    pub(super) has_type: bool,
    pub(super) command_key: &'static str,
    /// The key of a time limit, and how many of its units are a second.
    pub(super) timeout: Option<(&'static str, u32)>,
    /// What else a handler says.
    pub(super) extra: &'static [(&'static str, Extra)],
    pub(super) extra_before_writes: &'static [(&'static str, Extra)],
    pub(super) shell: Shell,
    pub(super) entries: &'static [Entry],
}

/// What the list of an event has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nesting {
    /// Groups of handlers with one matcher.
    Groups,
    /// Handlers.
    Flat,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Extra {
    Text(&'static str),
    Yes,
}

/// What starts the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shell {
    /// A POSIX one.
    Posix,
    /// Nobody knows, or none.
    Any,
}

/// A moment at which the host calls.
#[derive(Debug)]
pub struct Entry {
    pub(super) event: &'static str,
    pub(super) matcher: Option<&'static str>,
    pub(super) before_writes: bool,
    pub(super) seconds: u32,
}

/// Something left to do, and where it applies.
#[derive(Debug, Clone, Copy)]
pub enum Remains {
    /// Always.
    Always(&'static str),
    /// When it was installed for a project.
    InProject(&'static str),
}

/// Every host, in the order that people are likely to look for one.
pub static HOSTS: &[Host] = &[
    rows::CLAUDE,
    rows::CODEX,
    rows::GEMINI,
    rows::CURSOR,
    rows::COPILOT,
    rows::OPENCODE,
    rows::PI,
    rows::CRUSH,
    rows::GOOSE,
    rows::WINDSURF,
    rows::CLINE,
];

/// The host of that name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Host> {
    HOSTS.iter().find(|host| host.name == name)
}

/// Before a write: a failure is a denial that says something.
const DENYING: &str = "claim hook || { [ $? -eq 2 ] || echo 'claim: the hook failed, so this write was stopped; \
                       see: claim doctor' >&2; exit 2; }";
/// At every other moment: a failure is nothing.
const SILENT: &str = "claim hook || true";

impl Hooks {
    /// The command of an entry.
    pub(super) fn command(&self, entry: &Entry) -> String {
        let command = if entry.before_writes { DENYING } else { SILENT };
        match self.shell {
            Shell::Posix => command.to_owned(),
            Shell::Any => format!("sh -c '{}'", command.replace('\'', "\"")),
        }
    }

    /// The events at which the host is to call.
    pub fn events(&self) -> impl Iterator<Item = &'static str> {
        self.entries.iter().map(|entry| entry.event)
    }

    /// What a matcher must match, for a test to hold against the tools that are known to write.
    #[cfg(test)]
    pub(super) fn matchers_before_writes(&self) -> Vec<Option<&'static str>> {
        self.entries.iter().filter(|entry| entry.before_writes).map(|entry| entry.matcher).collect()
    }
}

impl Extra {
    pub(super) fn value(self) -> Value {
        match self {
            Self::Text(text) => text.into(),
            Self::Yes => true.into(),
        }
    }
}
