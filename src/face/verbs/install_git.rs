//! `claim install git`: the hook that keeps a commit out of a tree that another session holds, whoever wrote the files.
//!
//! It goes where git looks for hooks in this repository, and calls the hook that was there. Where a program looks after
//! the hooks, its own file is the place for it, and this says what to write there.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::{
    core::install::{self, GIT_HOOK, GIT_HOOKS, Manager},
    face::{
        failure::Failure,
        report::Report,
        verbs::install::{self as verb, Arguments, Change, Place, shown},
    },
    host::{environment, git, settings, trees},
};

/// What the name of a hook that was there before ends in; the hook looks for it under this name.
const BEFORE: &str = ".before-claim";

const NEXT: &[&str] = &["nothing: the next commit in this repository asks claim, in every worktree of it"];

/// Where git takes this repository's hooks from, and who looks after them.
pub(crate) struct Hooks {
    /// The root of the worktree.
    pub(crate) root: PathBuf,
    /// The directory.
    pub(crate) directory: PathBuf,
    /// The program that writes them.
    pub(crate) manager: Option<&'static Manager>,
}

/// Looks for the hooks of the repository around the current directory.
pub(crate) fn hooks() -> Result<Hooks, Failure> {
    let here = environment::directory()?;
    let directory = git::hooks(&here).map_err(|error| Failure::error("git", error.to_string()))?;
    let first = GIT_HOOKS.first().copied().unwrap_or_default();
    let hook = settings::read(&directory.join(first)).unwrap_or_default();
    let manager = install::manager(&directory, hook.as_deref());
    Ok(Hooks { root: trees::root_of(&here)?.unwrap_or(here), directory, manager })
}

impl Hooks {
    /// The first file of the manager's that has claim called.
    pub(crate) fn managed_by(&self, manager: &Manager) -> Option<PathBuf> {
        manager
            .files
            .iter()
            .map(|file| self.root.join(file))
            .find(|file| settings::read(file).unwrap_or_default().is_some_and(|text| manager.calls_claim(&text)))
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<Report, Failure> {
    if arguments.user {
        return Err(Failure::usage(
            "git has no hooks of a user, only of a repository: leave --user out (or set core.hooksPath, and install there)",
        ));
    }
    let hooks = hooks()?;
    if let Some(manager) = hooks.manager {
        return managed(&hooks, manager, arguments);
    }
    let mut changes = Vec::new();
    for name in GIT_HOOKS {
        let path = hooks.directory.join(name);
        let before = before(&path);
        let old = settings::read(&path)?;
        let is_ours = old.as_deref().is_some_and(install::is_our_git_hook);
        let new = || Some(GIT_HOOK.to_owned());
        let aside = settings::is_there(&before)?.then(|| before.clone());
        if arguments.uninstall {
            if is_ours {
                changes.push(Change { path, old, new: None, executable: true, aside });
            }
        } else if is_ours || !settings::is_there(&path)? {
            if old.as_deref() != Some(GIT_HOOK) {
                changes.push(Change { path, old, new: new(), executable: true, aside: None });
            }
        } else if aside.is_some() && !settings::is_one(&path, &before) {
            return Err(Failure::error(
                "foreign-file",
                format!("{} would be moved to {}, which is there: move that away", shown(&path), shown(&before)),
            ));
        } else {
            changes.push(Change { path, old: None, new: new(), executable: true, aside: Some(before) });
        }
    }
    let place = Place::of_repository(&hooks.directory);
    let mut report = verb::carry_out(&changes, &place, arguments, "git", NEXT)?;
    let mut moved = Vec::new();
    for change in &changes {
        if let Some(aside) = &change.aside {
            let (from, to) = if arguments.uninstall { (aside, &change.path) } else { (&change.path, aside) };
            report.say(format!("  {} (moved to {})", shown(from), shown(to)));
            moved.push(json!({"from": from.to_string_lossy(), "to": to.to_string_lossy()}));
        }
    }
    report.set("moved", moved);
    Ok(report)
}

fn before(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(BEFORE);
    name.into()
}

fn managed(hooks: &Hooks, manager: &Manager, arguments: &Arguments) -> Result<Report, Failure> {
    let found = hooks.managed_by(manager);
    if found.is_some() != arguments.uninstall {
        let place = Place::of_repository(&hooks.directory);
        return verb::carry_out(&[], &place, arguments, &format!("git (by {})", manager.name), NEXT);
    }
    let there =
        manager.files.iter().map(|file| hooks.root.join(file)).find(|file| settings::is_there(file).unwrap_or(false));
    let file = found
        .or(there)
        .or_else(|| manager.files.first().map(|file| hooks.root.join(file)))
        .unwrap_or_else(|| hooks.directory.clone());
    let action = if arguments.uninstall { "take this out of" } else { "add this to" };
    Err(Failure::error(
        "managed-hooks",
        format!(
            "{} looks after the hooks of this repository, and would write over claim's: {action} {}:\n  {}",
            manager.name,
            shown(&file),
            manager.line
        ),
    ))
}
