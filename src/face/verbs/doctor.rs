//! `claim doctor`: would claim work here, and would every agent ask it? One line for each thing that was looked at.
//!
//! A problem is what makes a promise fail: a place that cannot be written, an agent on this machine that would write
//! without asking. It has something to type, and makes the exit code 4. A note is what a person may want to know.

use std::path::Path;

use clap::{Args, builder::PossibleValuesParser};
use serde_json::{Value, json};

use crate::{
    core::{
        install::{self, HOSTS, is_our_git_hook},
        text::visible,
    },
    face::{
        context::Context,
        exit::Exit,
        failure::Failure,
        refusal::quoted,
        report::Report,
        table::aligned,
        verbs::{
            doctor_hosts,
            install::{names, shown},
            install_git,
        },
    },
    host::{
        git,
        identity::{self, IdentityError, Source},
        programs, settings,
    },
};

#[derive(Debug, Args)]
#[command(after_help = "Example: claim doctor && echo well\n\
    Exit codes: 0 well, 1 error, 2 usage, 4 something is not well (what to type is said)")]
pub(crate) struct Arguments {
    /// Only these agents, or git; one that has no hook is then a problem [default: whatever is on this machine]
    #[arg(value_parser = PossibleValuesParser::new(names()), value_name = "AGENT")]
    only: Vec<String>,
}

/// How a thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Ok,
    Note,
    Problem,
}

/// What was looked at and what was found.
#[derive(Debug)]
pub(super) struct Check {
    topic: &'static str,
    state: State,
    message: String,
    /// What to type, or to write where.
    remedy: Option<String>,
}

impl Check {
    pub(super) fn ok(topic: &'static str, message: impl Into<String>) -> Self {
        Self { topic, state: State::Ok, message: message.into(), remedy: None }
    }

    pub(super) fn note(topic: &'static str, message: impl Into<String>) -> Self {
        Self { state: State::Note, ..Self::ok(topic, message) }
    }

    pub(super) fn problem(topic: &'static str, message: impl Into<String>) -> Self {
        Self { state: State::Problem, ..Self::ok(topic, message) }
    }

    pub(super) fn remedied_by(self, remedy: impl Into<String>) -> Self {
        Self { remedy: Some(remedy.into()), ..self }
    }

    /// As a problem when somebody asked for it by name, as a note when not.
    pub(super) fn graver_if(self, asked: bool) -> Self {
        Self { state: if asked { State::Problem } else { State::Note }, ..self }
    }
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Result<Report, Failure> {
    let mut checks = vec![program(), place(context), holder(context)];
    let asked = |name: &str| arguments.only.iter().any(|only| only == name);
    for host in HOSTS.iter().filter(|host| arguments.only.is_empty() || asked(host.name)) {
        checks.extend(doctor_hosts::checks(host, asked(host.name), context.place.path())?);
    }
    if arguments.only.is_empty() || asked("git") {
        checks.push(repository(asked("git")));
    }

    let problems = checks.iter().filter(|check| check.state == State::Problem).count();
    let (exit, outcome) = if problems > 0 { (Exit::Leftovers, "problems") } else { (Exit::Done, "well") };
    let mut report = Report::new(exit, outcome);
    report.set("dir", context.place.path().to_string_lossy());
    report.set("checks", checks.iter().map(described).collect::<Vec<_>>());
    let row = |check: &Check| vec![word(check.state).to_owned(), check.topic.to_owned(), check.message.clone()];
    let rows: Vec<Vec<String>> = checks.iter().map(row).collect();
    for (line, check) in aligned(&rows).into_iter().zip(&checks) {
        report.say(line);
        if let Some(remedy) = &check.remedy {
            report.say(format!("         {}", remedy.replace('\n', "\n         ")));
        }
    }
    Ok(report)
}

fn described(check: &Check) -> Value {
    json!({
        "check": check.topic,
        "state": word(check.state),
        "message": check.message,
        "remedy": check.remedy,
    })
}

fn word(state: State) -> &'static str {
    match state {
        State::Ok => "ok",
        State::Note => "note",
        State::Problem => "problem",
    }
}

/// Whether hooks would find the program.
fn program() -> Check {
    let version = env!("CARGO_PKG_VERSION");
    match (programs::find("claim"), programs::this()) {
        (Some(found), Some(this)) if !programs::is_same(&found, &this) => Check::note(
            "program",
            format!("hooks find {} on the PATH; this is {version} at {}", shown(&found), shown(&this)),
        ),
        (Some(found), _) => Check::ok("program", format!("{version}, on the PATH as {}", shown(&found))),
        (None, this) => {
            let this = this.unwrap_or_else(|| "claim".into());
            let remedy = if cfg!(windows) {
                format!("add {} to the PATH of your account", shown(this.parent().unwrap_or(&this)))
            } else {
                let this = quoted(&this.to_string_lossy());
                format!("ln -s {this} /usr/local/bin/claim   (or any other directory on the PATH)")
            };
            Check::problem("program", "claim is not on the PATH, so every hook denies every write").remedied_by(remedy)
        }
    }
}

fn place(context: &Context) -> Check {
    let path = shown(context.place.path());
    match context.place.prove() {
        Ok(()) => Check::ok("place", format!("{path}: written, read back and locked")),
        Err(error) => Check::problem("place", error.to_string()).remedied_by(format!(
            "let this user write there, or set CLAIM_DIR for every session alike; in an agent's sandbox, open {path}"
        )),
    }
}

fn holder(context: &Context) -> Check {
    match identity::holder(context.holder_option()) {
        Ok((holder, Source::Variable("CLAIM_HOLDER"))) if identity::agent_holder().is_some_and(|own| own != holder) => {
            let own = identity::agent_holder().map_or_else(String::new, |own| visible(own.as_str()));
            let message = format!(
                "CLAIM_HOLDER says {}, and the agent's own hook {own}: they refuse each other",
                visible(holder.as_str())
            );
            Check::problem("holder", message).remedied_by("unset CLAIM_HOLDER")
        }
        Ok((holder, source)) => {
            let source = match source {
                Source::Option => "--holder",
                Source::Variable(name) => name,
                Source::Terminal => "the terminal",
            };
            Check::ok("holder", format!("{}, from {source}", visible(holder.as_str())))
        }
        Err(IdentityError::Unknown) => Check::note("holder", "nobody says which session this is")
            .remedied_by("CLAIM_HOLDER=NAME claim ... (never in a profile: each session needs its own)"),
        Err(error) => Check::problem("holder", error.to_string()),
    }
}

/// Whether git asks before it commits here.
fn repository(asked: bool) -> Check {
    const TOPIC: &str = "git";
    let hooks = match install_git::hooks() {
        Ok(hooks) => hooks,
        Err(failure) if asked => return Check::problem(TOPIC, failure.message),
        Err(_) => return Check::note(TOPIC, "there is no repository here"),
    };
    if let Some(manager) = hooks.manager {
        return match hooks.managed_by(manager) {
            Some(file) => Check::ok(TOPIC, format!("{} runs claim, by {}", manager.name, shown(&file))),
            None => Check::note(TOPIC, format!("commits here are not checked; {} looks after the hooks", manager.name))
                .graver_if(asked)
                .remedied_by("claim install git   (says what to write where)"),
        };
    }
    let hook = hooks.directory.join("pre-commit");
    let text = settings::read(&hook).unwrap_or_default().unwrap_or_default();
    if is_our_git_hook(&text) || text.contains("claim guard --staged") {
        if settings::is_program(&hook) {
            return Check::ok(TOPIC, format!("commits here are checked, by {}", shown(&hook)));
        }
        return Check::problem(TOPIC, format!("git leaves {} out, because it is not executable", shown(&hook)))
            .remedied_by(format!("chmod +x {}", quoted(&hook.to_string_lossy())));
    }
    let usual = git::common().map(|common| common.join("hooks/pre-commit")).ok();
    if let Some(usual) = usual.filter(|usual| is_ours(usual) && !programs::is_same(usual, &hook)) {
        return Check::problem(
            TOPIC,
            format!("core.hooksPath is {}, so {} never runs", shown(&hooks.directory), shown(&usual)),
        )
        .remedied_by("claim install git");
    }
    Check::note(TOPIC, "commits here are not checked").graver_if(asked).remedied_by("claim install git")
}

fn is_ours(path: &Path) -> bool {
    settings::read(path).unwrap_or_default().is_some_and(|text| install::is_our_git_hook(&text))
}
