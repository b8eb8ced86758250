//! What `claim doctor` says of one agent: whether it is here, whether its hook would be found and run, and whether its
//! sandbox would keep its shell from the place.
//!
//! The hook itself is not in a sandbox, so a shell that cannot reach the place breaks no promise of the hook's; what an
//! agent types, `claim take` or `claim handover`, would fail.

use std::path::{Path, PathBuf};

use crate::{
    core::install::{self, Content, Host, Sandbox},
    face::{
        failure::Failure,
        verbs::{
            doctor::Check,
            install::{root, shown},
        },
    },
    host::{environment, programs, settings},
};

/// What the files of one scope have of the hook.
enum Found {
    Nothing,
    Whole { file: PathBuf, is_current: bool },
    Parts { file: PathBuf, missing: String },
    Bad(String),
}

/// The checks of a host. None when it is not on this machine and nobody asked for it.
pub(super) fn checks(host: &Host, asked: bool, place: &Path) -> Result<Vec<Check>, Failure> {
    let has_program = host.programs.iter().any(|name| programs::find(name).is_some());
    let home = environment::home();
    let has_directory =
        host.directories.iter().any(|name| home.as_ref().is_some_and(|home| settings::is_directory(&home.join(name))));
    let found = [look(host, false)?, look(host, true)?];
    if !asked && !has_program && !has_directory && found.iter().all(|found| matches!(found, Found::Nothing)) {
        return Ok(Vec::new());
    }
    let install = format!("claim install {}", host.name);

    let mut checks = Vec::new();
    let mut whole = None;
    for found in found {
        match found {
            Found::Nothing => {}
            Found::Whole { file, is_current } => whole = whole.or(Some((file, is_current))),
            Found::Parts { file, missing } => checks.push(
                Check::problem(host.name, format!("the hook in {} does not call at {missing}", shown(&file)))
                    .remedied_by(&install),
            ),
            Found::Bad(message) => {
                checks.push(Check::problem(host.name, message).remedied_by("mend that file, then: claim doctor"));
            }
        }
    }
    if let Some(switch) = switched_off(host)? {
        checks.push(
            Check::problem(host.name, format!("its hooks are switched off by {}", switch.1))
                .remedied_by(format!("take that out of {}", shown(&switch.0))),
        );
    }
    if !checks.is_empty() {
        return Ok(checks);
    }
    let Some((file, is_current)) = whole.or_else(|| plugin(host).map(|file| (file, true))) else {
        let message = format!("{} is on this machine and would write without asking claim", host.title);
        // Settings may outlive the program; a program is one that somebody runs.
        return Ok(vec![Check::problem(host.name, message).graver_if(asked || has_program).remedied_by(install)]);
    };
    if is_current {
        let caveat = if host.name == "codex" { " (whether it is trusted, only /hooks in Codex shows)" } else { "" };
        checks.push(Check::ok(host.name, format!("{} asks claim, by {}{caveat}", host.title, shown(&file))));
    } else {
        checks.push(
            // It may ask about fewer tools than it should, or let a write pass when claim is missing: nobody can say.
            Check::problem(
                host.name,
                format!("{} has a hook of another version, or a changed one, in {}", host.title, shown(&file)),
            )
            .remedied_by(install),
        );
    }
    checks.extend(sandbox(host, place)?);
    Ok(checks)
}

fn look(host: &Host, is_project: bool) -> Result<Found, Failure> {
    let place = root(host, is_project)?;
    let mut state = None;
    for file in host.files {
        let path = place.path_of(file);
        let text = match settings::read(&path) {
            Ok(Some(text)) => text,
            Ok(None) => continue,
            Err(error) => return Ok(Found::Bad(error.to_string())),
        };
        let is_current = match &file.content {
            Content::Whole { text: ours, mark, .. } if text.contains(mark) => text == *ours,
            Content::Whole { .. } => continue,
            Content::Hooks(hooks) => match install::missing(&text, hooks) {
                Ok(missing) if missing.len() == hooks.events().count() => continue,
                Ok(missing) if missing.is_empty() => install::is_current(&text, hooks),
                Ok(missing) => return Ok(Found::Parts { file: path, missing: missing.join(", ") }),
                Err(error) => return Ok(Found::Bad(format!("{} is malformed at {error}", shown(&path)))),
            },
        };
        state.get_or_insert((path, true)).1 &= is_current;
    }
    Ok(state.map_or(Found::Nothing, |(file, is_current)| Found::Whole { file, is_current }))
}

/// The files besides the hook's own that say whether hooks run and what the shell may write.
fn settings_of(host: &Host) -> Result<Vec<PathBuf>, Failure> {
    let (user, project) = (root(host, false)?, root(host, true)?);
    Ok(match host.name {
        "claude" => vec![
            user.at("settings.json"),
            project.at(".claude/settings.json"),
            project.at(".claude/settings.local.json"),
        ],
        "gemini" => vec![user.at("settings.json"), project.at(".gemini/settings.json")],
        "copilot" => {
            vec![user.at("settings.json"), user.at("config.json"), project.at(".github/copilot/settings.json")]
        }
        "codex" => vec![user.at("config.toml"), project.at(".codex/config.toml")],
        _ => Vec::new(),
    })
}

fn switched_off(host: &Host) -> Result<Option<(PathBuf, String)>, Failure> {
    for path in settings_of(host)? {
        let Ok(Some(text)) = settings::read(&path) else { continue };
        let switch = if host.name == "codex" {
            install::switched_off_in_codex(&text)
        } else {
            install::switched_off(host.name, &text)
        };
        if let Some(switch) = switch {
            return Ok(Some((path, switch)));
        }
    }
    Ok(None)
}

/// The settings that switch claim's plugin on.
fn plugin(host: &Host) -> Option<PathBuf> {
    let has_plugin =
        |path: &PathBuf| settings::read(path).unwrap_or_default().is_some_and(|text| install::claude_plugin(&text));
    settings_of(host).ok()?.into_iter().filter(|_| host.name == "claude").find(has_plugin)
}

fn sandbox(host: &Host, place: &Path) -> Result<Option<Check>, Failure> {
    let paths = settings_of(host)?;
    let texts: Vec<String> = paths.iter().filter_map(|path| settings::read(path).unwrap_or_default()).collect();
    let found: Vec<Sandbox> = match host.name {
        "claude" => texts.iter().filter_map(|text| install::settings_sandbox(text)).collect(),
        // Its sandbox is on unless something says otherwise.
        "codex" if texts.is_empty() => vec![install::codex_sandbox("")],
        "codex" => texts.iter().map(|text| install::codex_sandbox(text)).collect(),
        _ => return Ok(None),
    };
    let home = environment::home();
    let covers = |root: &String| {
        let path = match root.strip_prefix('~') {
            Some(rest) => home.as_ref().map(|home| home.join(rest.trim_start_matches('/'))),
            None => Some(PathBuf::from(root.replacen("//", "/", 1))),
        };
        path.is_some_and(|path| path.is_absolute() && place.starts_with(path))
    };
    let is_open = |sandbox: &Sandbox| match sandbox {
        Sandbox::Open => host.name == "codex",
        Sandbox::Closed(roots) => roots.iter().any(covers),
    };
    let is_closed = found.iter().any(|sandbox| matches!(sandbox, Sandbox::Closed(_)));
    if !is_closed || found.iter().any(is_open) {
        return Ok(None);
    }
    let quoted = serde_json::Value::from(place.to_string_lossy());
    let line = if host.name == "codex" {
        format!("[sandbox_workspace_write]\nwritable_roots = [{quoted}]")
    } else {
        format!("\"sandbox\": {{\"filesystem\": {{\"allowWrite\": [{quoted}]}}}}")
    };
    let file = paths.first().map(|path| shown(path)).unwrap_or_default();
    Ok(Some(
        Check::problem(host.name, "its sandbox keeps what it types in its shell from the place; its hook is not in it")
            .remedied_by(format!("add to {file}:\n{line}")),
    ))
}
