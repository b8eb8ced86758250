//! `claim guard`: may these paths be written? For scripts, git hooks and people; `claim hook` asks the same for agents.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use crate::{
    core::{
        claim::Claim,
        duration::glance,
        holder::Holder,
        target::{PathStyle, Target},
        text::visible,
        write::{Link, Write},
    },
    face::{
        context::Context,
        exit::{Exit, RefusedCode},
        failure::Failure,
        guarding::{Guard, Leave, Said},
        notes,
        refusal::{self, quoted},
        report::Report,
    },
    host::{environment, git, identity, trees::Home},
};

#[derive(Debug, Args)]
#[command(after_help = "Example: claim guard --take ../other/notes.md && edit ../other/notes.md\n\
    Exit codes: 0 go on, 1 error, 2 usage, 75 REFUSED, 76 UNCLAIMED (a foreign write that nothing covers)")]
pub(crate) struct Arguments {
    /// What is about to be written
    #[arg(required_unless_present = "staged", value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Claim the foreign trees that nobody holds
    #[arg(long)]
    take: bool,
    /// The tree that the session was started in [default: the agent's project directory, else this directory's tree]
    #[arg(long, value_name = "DIR")]
    home: Option<PathBuf>,
    /// The paths that the git commit at hand changes, for a pre-commit hook
    #[arg(long, conflicts_with = "paths")]
    staged: bool,
    #[command(flatten)]
    refused: RefusedCode,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Result<Report, Failure> {
    let holder = if arguments.take { Some(context.holder()?) } else { context.holder_if_known()? };
    let directory = environment::directory()?;
    let home = match &arguments.home {
        Some(home) => {
            let home = directory.join(home);
            Some(Home::of(&home)?.ok_or_else(|| {
                Failure::usage(format!("--home: {} is no tree of anybody's", visible(&home.to_string_lossy())))
            })?)
        }
        None => Home::of(&identity::project_directory().unwrap_or_else(|| directory.clone()))?,
    };
    let (base, paths) = if arguments.staged { staged()? } else { (directory, arguments.paths.clone()) };
    let guard = Guard { context, holder: holder.as_ref(), home, take: arguments.take, presence: false };
    let mut report = Report::new(Exit::Done, "allowed");
    let mut told = Vec::new();
    // git takes a link itself out of its index and puts it there; a person names what is going to be written.
    let link = if arguments.staged { Link::Replaced } else { Link::Followed };
    let writes: Vec<Write> = paths.into_iter().map(|path| Write { path, link }).collect();
    for said in guard.check(&writes, &base) {
        let part = say(context, said, holder.as_ref());
        told.push(report.absorb(part));
    }
    let outcome = match report.exit() {
        Exit::Refused => "refused",
        Exit::Unclaimed => "unclaimed",
        Exit::Done => "allowed",
        _ => "error",
    };
    report.set("outcome", outcome);
    // The keys of the path that decided stand at the top as well, so that one path is read like any other answer.
    if let Some(Value::Object(deciding)) = told.iter().find(|part| part.get("outcome") == Some(&json!(outcome))) {
        for (key, value) in deciding {
            report.set(key, value.clone());
        }
    }
    report.set("paths", told);
    Ok(report.refused_as(&arguments.refused))
}

/// The paths of the commit at hand. A commit without any still writes into the repository.
fn staged() -> Result<(PathBuf, Vec<PathBuf>), Failure> {
    let (root, mut paths) = git::staged().map_err(|error| Failure::error("git", error.to_string()))?;
    if paths.is_empty() {
        paths.push(root.join(".git"));
    }
    Ok((root, paths))
}

/// A claim that comes of a guard is told like any other, or nobody would know what there is to release.
fn taken(context: &Context, claim: &Claim, report: &mut Report) {
    report.set("claim", serde_json::to_value(claim).unwrap_or_default());
    report.say(format!(
        "claimed: {} by {}; stale in {} without a beat",
        visible(&claim.target),
        visible(&claim.holder),
        glance(claim.time_to_live().seconds())
    ));
    if let Ok(tree) = Target::recorded(&claim.target, PathStyle::HERE) {
        notes::tell_holder(context, &tree, report);
    }
}

fn say(context: &Context, said: Said, holder: Option<&Holder>) -> Report {
    match said {
        Said::Allowed(leave, target) => {
            let mut report = Report::new(Exit::Done, "allowed");
            report.set("target", target.as_str());
            let because = match &leave {
                Leave::Home => "home",
                Leave::Covered => "own-claim",
                Leave::Free => "free",
                Leave::Taken(_) => "taken",
            };
            report.set("because", because);
            match &leave {
                Leave::Taken(claim) => taken(context, claim, &mut report),
                Leave::Covered => notes::tell_holder(context, &target, &mut report),
                Leave::Home | Leave::Free => {}
            }
            report
        }
        Said::Refused(refusal, target) => {
            let mut report = refusal::report(&refusal, &target, holder, context.now);
            notes::tell(context, Some(&target), &mut report);
            report
        }
        Said::Awaited(first, target) => refusal::awaited(&first, &target, context.now),
        Said::Unclaimed(target) => {
            let mut report = Report::new(Exit::Unclaimed, "unclaimed");
            report.set("target", target.as_str());
            report.complain(format!("UNCLAIMED: {target} is outside of your tree, and no claim of yours covers it."));
            report.complain(format!("  to claim it: claim take {} 'purpose'", quoted(target.as_str())));
            report
        }
        Said::Failed(failure, path) => {
            let mut report: Report = failure.into();
            report.set("target", Path::new(&path).to_string_lossy());
            report
        }
    }
}
