//! `claim install`: puts the hook into an agent's own configuration, or into a git repository, and takes it out again.
//!
//! For the user by default: a hook that a session lacks is a session that writes anywhere, and one in a project's files
//! would be shared with people who may not have claim, whose agents could then not write at all. A git hook belongs to
//! one clone and is never shared.

use std::path::{Path, PathBuf};

use clap::{Args, builder::PossibleValuesParser};
use serde_json::{Value, json};

use crate::{
    core::{
        install::{self, Content, File, HOSTS, Host, Remains},
        text::{shortened, visible},
    },
    face::{context::Context, exit::Exit, failure::Failure, report::Report, verbs::install_git},
    host::{
        environment, programs,
        settings::{self, SettingsError, backup_of},
        trees,
    },
};

/// Lines of a dry run are shown up to this many characters.
const LINE: usize = 200;

#[derive(Debug, Args)]
#[command(after_help = "Example: claim install claude --dry-run\n\
    Exit codes: 0 done (or nothing to do), 1 error (the file was left alone), 2 usage")]
pub(crate) struct Arguments {
    /// The agent, or git
    #[arg(value_parser = PossibleValuesParser::new(names()), value_name = "AGENT")]
    pub(super) agent: String,
    /// For every project of this user [default for agents]
    #[arg(long, conflicts_with = "project")]
    pub(super) user: bool,
    /// For the project of this directory [default for git]
    #[arg(long)]
    pub(super) project: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Take it out again
    #[arg(long)]
    pub(super) uninstall: bool,
}

pub(crate) fn run(_: &Context, arguments: &Arguments) -> Result<Report, Failure> {
    let Some(host) = install::named(&arguments.agent) else { return install_git::run(arguments) };
    let root = root(host, arguments.project)?;
    // Everything is read and thought through before anything is written.
    let changes = host
        .files
        .iter()
        .map(|file| plan(&root, file, arguments))
        .filter_map(Result::transpose)
        .collect::<Result<Vec<_>, Failure>>()?;
    carry_out(&changes, &root, arguments, host.title, &remains(host, arguments))
}

/// What can be named.
pub(super) fn names() -> Vec<&'static str> {
    HOSTS.iter().map(|host| host.name).chain(["git"]).collect()
}

/// Where a host's files are, and up to where directories are claim's to remove when they are empty.
pub(crate) struct Place {
    directory: PathBuf,
    keep: PathBuf,
    is_project: bool,
}

impl Place {
    /// The hooks of a repository, whose directory stays when it is empty.
    pub(super) fn of_repository(directory: &Path) -> Self {
        Self { directory: directory.to_owned(), keep: directory.to_owned(), is_project: true }
    }

    /// A file in it.
    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Where a file of the host is.
    pub(crate) fn path_of(&self, file: &File) -> PathBuf {
        self.directory.join(if self.is_project { file.project } else { file.user })
    }
}

/// The directory of the user's configuration of a host, or the root of the project.
pub(crate) fn root(host: &Host, is_project: bool) -> Result<Place, Failure> {
    if is_project {
        let directory = environment::directory()?;
        let root = trees::root_of(&directory)?.unwrap_or(directory);
        return Ok(Place { directory: root.clone(), keep: root, is_project });
    }
    let moved = host.user.variable.and_then(|(variable, below)| {
        let value = PathBuf::from(environment::variable(variable)?);
        value.is_absolute().then_some((value, below))
    });
    let (keep, below) = match moved {
        Some(moved) => moved,
        None => (environment::home().ok_or(environment::EnvironmentError::NoHome)?, host.user.home),
    };
    Ok(Place { directory: keep.join(below), keep, is_project })
}

/// One file, as it is and as it is to be.
pub(super) struct Change {
    pub(super) path: PathBuf,
    pub(super) old: Option<String>,
    /// `None` for a file that is to go.
    pub(super) new: Option<String>,
    pub(super) executable: bool,
    /// Under which name somebody else's file, which belongs there, goes on meanwhile.
    pub(super) aside: Option<PathBuf>,
}

/// What has to change in a file. `None` when nothing has.
fn plan(place: &Place, file: &File, arguments: &Arguments) -> Result<Option<Change>, Failure> {
    let path = place.path_of(file);
    let old = settings::read(&path)?;
    let (new, executable) = match (&file.content, &old) {
        (Content::Whole { mark, .. }, Some(text)) if !text.contains(mark) => {
            if arguments.uninstall {
                return Ok(None);
            }
            return Err(Failure::error(
                "foreign-file",
                format!("{} is not claim's: move it away and try again", shown(&path)),
            ));
        }
        (Content::Whole { text, executable, .. }, _) => {
            ((!arguments.uninstall).then(|| (*text).to_owned()), *executable)
        }
        (Content::Hooks(_), None) if arguments.uninstall => (None, false),
        (Content::Hooks(hooks), _) => {
            let malformed = |error: install::Malformed| {
                Failure::error(
                    "malformed",
                    format!("{} was left alone, because it is malformed at {error}", shown(&path)),
                )
            };
            let new = match &old {
                Some(text) if arguments.uninstall => {
                    let backup = settings::read(&backup_of(&path)).unwrap_or_default();
                    let left = install::uninstalled(text, backup.as_deref(), hooks).map_err(malformed)?;
                    // What was there before claim may be there for a reason, even if it says nothing.
                    (!left.is_worthless || backup.is_some()).then_some(left.text)
                }
                _ => Some(install::installed(old.as_deref(), hooks).map_err(malformed)?),
            };
            (new, false)
        }
    };
    Ok((old != new).then_some(Change { path, old, new, executable, aside: None }))
}

/// Makes the changes, or shows them, and says what came of it.
pub(super) fn carry_out(
    changes: &[Change],
    place: &Place,
    arguments: &Arguments,
    title: &str,
    remains: &[&str],
) -> Result<Report, Failure> {
    let verb = if arguments.uninstall { "uninstall" } else { "install" };
    let outcome = match (changes.is_empty(), arguments.dry_run, arguments.uninstall) {
        (true, ..) => "unchanged",
        (_, true, _) => "dry-run",
        (_, _, true) => "uninstalled",
        (_, _, false) => "installed",
    };
    let mut report = Report::new(Exit::Done, outcome);
    report.set("agent", &*arguments.agent);
    report.set("scope", if place.is_project { "project" } else { "user" });
    match (changes.is_empty(), arguments.uninstall) {
        (true, true) => report.say(format!("not installed for {title}: nothing to remove")),
        (true, false) => report.say(format!("already installed for {title}: nothing to change")),
        (false, _) if arguments.dry_run => report.say(format!("claim {verb} {} would change:", arguments.agent)),
        (false, true) => report.say(format!("removed from {title}:")),
        (false, false) => report.say(format!("installed for {title}:")),
    }
    let mut files = Vec::new();
    for change in changes {
        files.push(if arguments.dry_run { preview(change, &mut report) } else { apply(change, place, &mut report)? });
    }
    report.set("files", files);
    if !arguments.uninstall && !changes.is_empty() {
        for line in remains {
            report.say(format!("  next: {line}"));
        }
        report.set("next", remains.to_vec());
    }
    if !arguments.uninstall && programs::find("claim").is_none() {
        let warning = "claim is not on the PATH of this shell: until it is on the agent's, every write is denied";
        report.complain(format!("claim: {warning}"));
        report.set("warnings", [warning]);
    }
    Ok(report)
}

fn word(change: &Change) -> &'static str {
    match (&change.old, &change.new) {
        (None, _) => "created",
        (_, None) => "removed",
        _ => "changed",
    }
}

fn preview(change: &Change, report: &mut Report) -> Value {
    report.say(format!("  {} ({})", shown(&change.path), word(change)));
    let lines = install::diff(change.old.as_deref().unwrap_or_default(), change.new.as_deref().unwrap_or_default());
    for line in &lines {
        report.say(format!("    {}", shortened(&line.replace('\t', "    "), LINE)));
    }
    json!({"path": change.path.to_string_lossy(), "change": word(change), "diff": lines})
}

fn apply(change: &Change, place: &Place, report: &mut Report) -> Result<Value, Failure> {
    let backup = match (&change.old, &change.new, &change.aside) {
        (_, Some(new), Some(aside)) => {
            settings::stand_before(&change.path, aside, new)?;
            None
        }
        (Some(old), None, Some(aside)) => {
            settings::give_back(&change.path, old, aside)?;
            None
        }
        (Some(old), None, None) => {
            settings::remove(&change.path, old, &place.keep)?;
            None
        }
        (old, Some(new), None) => settings::write(&change.path, old.as_deref(), new, change.executable)?,
        (None, None, _) => None,
    };
    let kept = backup.as_ref().map(|backup| format!("; before: {}", shown(backup))).unwrap_or_default();
    report.say(format!("  {} ({}{kept})", shown(&change.path), word(change)));
    let backup = backup.map(|backup| backup.to_string_lossy().into_owned());
    Ok(json!({"path": change.path.to_string_lossy(), "change": word(change), "backup": backup}))
}

fn remains(host: &Host, arguments: &Arguments) -> Vec<&'static str> {
    let applies = |remains: &Remains| match remains {
        Remains::Always(text) => Some(*text),
        Remains::InProject(text) => arguments.project.then_some(*text),
    };
    host.remains.iter().filter_map(applies).collect()
}

pub(super) fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy())
}

impl From<SettingsError> for Failure {
    fn from(error: SettingsError) -> Self {
        let word = match error {
            SettingsError::Io { .. } => "io",
            SettingsError::NotSettings(_) => "not-regular",
            SettingsError::NotText(_) => "malformed",
            SettingsError::Changed(_) => "changed-meanwhile",
            SettingsError::Unverified(_) => "unverified",
        };
        Self::error(word, error.to_string())
    }
}
