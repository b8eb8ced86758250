//! `claim hook`: the same question as `guard`, in the protocol of the agent CLI that asks.
//!
//! A write that is refused, or that claim cannot judge, is denied: fail closed. Everything else is silence and exit 0, so
//! that a fault here never stops an agent from reading, stopping or talking. What the host says on standard input is one
//! JSON value; its end is not waited for, because some hosts never close it.

use std::{
    io::{self, IsTerminal as _},
    panic::{self, AssertUnwindSafe},
    path::{Path, PathBuf},
};

use clap::Args;

use crate::{
    core::{
        agents::{self, Answer, Call, Event, Tool},
        entry::{Entry, Record},
        holder::Holder,
        patch,
        rule::{self, Effects, Request},
        shell::{self, Start},
        text::visible,
        time::Timestamp,
        write::Write,
    },
    face::{
        cli::Common,
        context::Context,
        exit::Exit,
        failure::Failure,
        guarding::{Guard, Said},
        news,
        payload::{self, Payload},
        refusal,
        report::Report,
    },
    host::{environment, trees::Home},
    store::Absent,
};

#[derive(Debug, Args)]
#[command(after_help = "Example: claim hook < payload.json\n\
    An agent's own configuration calls it so: claim install AGENT writes that.\n\
    Exit codes: 0 no objection, 1 the hook itself failed, 2 denied, with the reason on standard error")]
pub(crate) struct Arguments {}

/// What to add to a refusal, for a model that looks for another way.
const ADVICE: &str =
    "  This write was not done. Do not write there another way: go on with other work, or leave a handover.";

/// Answers the payload on standard input.
pub(crate) fn run(common: Common) -> Report {
    if io::stdin().is_terminal() {
        return failed("claim hook reads an agent CLI's JSON on standard input: see claim install --help");
    }
    // A panic of this program becomes a denial or silence below; what it would print is no message for a person.
    panic::set_hook(Box::new(|_| {}));
    match payload::read(io::stdin().lock()) {
        Payload::Whole(value) => match agents::recognise(&value) {
            Some(call) => guarded(&call, || answer(&call, common)),
            // A host that is not known, or one of its events that claim has no part in.
            None => Report::raw(Exit::Done, String::new(), String::new()),
        },
        Payload::Part(value, error) => {
            let message = format!("standard input is not JSON: {error}");
            match agents::recognise(&value).filter(|call| call.event == Event::BeforeTool && call.tool != Tool::Other) {
                Some(call) => guarded(&call, || Err(Failure::error("payload", message))),
                None => failed(&format!("claim hook: {message}")),
            }
        }
    }
}

/// For a command line that is no hook's: an error, but never the code that denies.
pub(crate) fn misused(error: &clap::Error) -> Report {
    failed(error.render().to_string().trim())
}

fn failed(message: &str) -> Report {
    Report::raw(Exit::Error, String::new(), format!("{message}\n"))
}

/// Turns what went wrong into a denial of a write, and into silence at any other moment.
fn guarded(call: &Call, work: impl FnOnce() -> Result<Answer, Failure>) -> Report {
    let answer = match panic::catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(answer)) => answer,
        Ok(Err(failure)) => Answer::Deny {
            reason: format!(
                "claim: this write could not be checked, so it is denied: {}\n  to find out more: claim doctor",
                failure.message
            ),
        },
        Err(_) => {
            Answer::Deny { reason: "claim: this write could not be checked (a fault in claim itself)".to_owned() }
        }
    };
    let answer = match answer {
        // What writes nothing is never denied, whatever went wrong.
        Answer::Deny { .. } if call.tool == Tool::Other => Answer::NoObjection,
        answer => answer,
    };
    let output = agents::answer(call, &answer);
    let exit = match output.code {
        0 => Exit::Done,
        2 => Exit::Denied,
        _ => Exit::Error,
    };
    Report::raw(exit, output.stdout, line(output.stderr))
}

/// With a newline at the end, if there is anything.
fn line(mut text: String) -> String {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

fn answer(call: &Call, mut common: Common) -> Result<Answer, Failure> {
    // Looked at before anything else can fail: a command that writes nothing is never denied.
    let writes = match call.event {
        Event::BeforeTool => match writes(call)? {
            Some(writes) => writes,
            None => return Ok(Answer::NoObjection),
        },
        _ => Writes::default(),
    };
    // The payload's session comes before everything else: it is the host's own word, and what the shell tool has too.
    if let Some(holder) = agents::holder(call) {
        common.holder = Some(holder);
    }
    let context = Context::new(common)?;
    match call.event {
        Event::BeforeTool => before(&context, call, &writes),
        Event::TurnEnd => {
            beat_due(&context, &context.holder()?)?;
            Ok(Answer::NoObjection)
        }
        Event::SessionEnd => {
            release_all(&context, &context.holder()?)?;
            Ok(Answer::NoObjection)
        }
        // News are told once, so not where they would be lost.
        Event::SessionStart { .. } | Event::Prompt if !agents::hears(call) => Ok(Answer::NoObjection),
        Event::SessionStart { continues } => {
            let holder = context.holder()?;
            let named = !call.agent.shell_carries_session && !continues;
            Ok(said(news::at_start(&context, &holder, home(call)?, named)?))
        }
        Event::Prompt => Ok(said(news::at_prompt(&context, &context.holder()?)?)),
        Event::AfterTool | Event::Other => Ok(Answer::NoObjection),
    }
}

fn said(line: Option<String>) -> Answer {
    line.map_or(Answer::NoObjection, |line| Answer::Context { line })
}

/// What a tool call writes.
#[derive(Debug, Default)]
struct Writes {
    writes: Vec<Write>,
    /// What relative paths are relative to.
    base: PathBuf,
}

/// `None` if the call writes nothing that can be known.
fn writes(call: &Call) -> Result<Option<Writes>, Failure> {
    // Cursor starts a user's hook in the user's own directory, and tells no cwd with every call.
    let cwd = call.cwd.as_ref().or(call.workspace_root.as_ref()).map(PathBuf::from);
    let directory = match cwd {
        Some(cwd) if cwd.is_absolute() => Ok(cwd),
        cwd => environment::directory().map(|own| own.join(cwd.unwrap_or_default())),
    };
    let writes: Vec<Write> = match &call.tool {
        Tool::Other => return Ok(None),
        Tool::Unreadable { tool } => return Err(untold(tool)),
        Tool::Write { paths, link } => {
            paths.iter().map(|path| Write { path: PathBuf::from(path), link: *link }).collect()
        }
        Tool::Patch(text) => {
            let files = patch::files(text);
            if files.is_empty() {
                return Err(untold(call.tool_name.as_deref().unwrap_or("the patch")));
            }
            files
        }
        Tool::Shell { command, directory: own } => {
            // Where the directory is not known, a command is still known to write nothing.
            let base = directory.as_deref().unwrap_or(Path::new("/")).join(own.as_deref().unwrap_or_default());
            let home = environment::home();
            let variables: Vec<(&str, PathBuf)> = project_directories(call).collect();
            shell::writes(command, &Start { directory: &base, home: home.as_deref(), variables: &variables })
        }
    };
    if writes.is_empty() { Ok(None) } else { Ok(Some(Writes { writes, base: directory? })) }
}

fn untold(tool: &str) -> Failure {
    Failure::error("untold", format!("what {} writes cannot be told from its arguments", visible(tool)))
}

fn before(context: &Context, call: &Call, writes: &Writes) -> Result<Answer, Failure> {
    let holder = context.holder()?;
    let guard = Guard { context, holder: Some(&holder), home: home(call)?, take: true, presence: true };
    let said = guard.check(&writes.writes, &writes.base);
    let stopped = said.iter().any(Said::stops);
    let mut reasons = Vec::new();
    for said in said {
        match said {
            Said::Allowed(..) => {}
            // Nothing is wrong with it: it was not claimed because another path of the same write stopped all.
            Said::Unclaimed(_) if stopped => {}
            Said::Unclaimed(target) => reasons.push(format!("UNCLAIMED: {target} is not covered by any claim.")),
            Said::Refused(refusal, target) => {
                reasons.extend(refusal::lines(&refusal, &target, Some(&holder), context.now));
            }
            Said::Awaited(first, target) => reasons.extend(refusal::awaited_lines(&first, &target, context.now)),
            Said::Failed(failure, _) => reasons.push(format!("claim: {}", failure.message)),
        }
    }
    if reasons.is_empty() {
        return Ok(Answer::NoObjection);
    }
    reasons.push(ADVICE.to_owned());
    Ok(Answer::Deny { reason: reasons.join("\n") })
}

/// The tree that the session was started in: what the host says, else where the host started this process. The
/// payload's own `cwd` moves with the shell's `cd` and says nothing about it.
fn home(call: &Call) -> Result<Option<Home>, Failure> {
    let directory = project_directories(call)
        .next()
        .map(|(_, directory)| directory)
        .or_else(|| call.workspace_root.as_ref().map(PathBuf::from));
    match directory {
        Some(directory) if directory.is_absolute() => Ok(Home::of(&directory)?),
        _ => Ok(Home::of(&environment::directory()?)?),
    }
}

/// The host's variables that name the session's project, as this process finds them.
fn project_directories(call: &Call) -> impl Iterator<Item = (&'static str, PathBuf)> {
    let named = |name: &&'static str| Some((*name, PathBuf::from(environment::variable(name)?)));
    call.agent.project_variables.iter().filter_map(named)
}

fn beat_due(context: &Context, holder: &Holder) -> Result<(), Failure> {
    let now = context.now;
    let due = |entry: &Entry| match &entry.record {
        Record::Claim(claim, _) => claim.holder == holder.as_str() && rule::is_due(claim, now),
        _ => false,
    };
    if !context.place.listing()?.entries.iter().any(due) {
        return Ok(());
    }
    change_readable(context, |entries, now| {
        let mut effects = Effects::default();
        for target in rule::held_by(entries, holder) {
            effects.and(rule::beat(entries, &Request { target: &target, holder }, now).effects);
        }
        effects
    })
}

fn release_all(context: &Context, holder: &Holder) -> Result<(), Failure> {
    change_readable(context, |entries, now| rule::release_all(entries, holder, now).1)
}

/// A change to the session's own claims. One damaged file of somebody's must not keep every session from its own: nobody
/// is there to read the error.
fn change_readable(context: &Context, decide: impl FnOnce(&[Entry], Timestamp) -> Effects) -> Result<(), Failure> {
    if let Some(locked) = context.place.locked(Absent::Empty)? {
        let entries = locked.listing()?.entries;
        locked.perform(&decide(&entries, locked.now()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What a fault of this program itself comes to, at this event with this tool.
    fn panicked(event: &str, tool: &str) -> Report {
        let payload = json!({
            "session_id": "1", "hook_event_name": event, "prompt_id": "p", "tool_name": tool,
            "tool_input": {"file_path": "/a", "command": "ls"},
        });
        let call = agents::recognise(&payload).unwrap();
        guarded(&call, || panic!("on purpose"))
    }

    #[test]
    fn a_panic_denies_a_write_and_nothing_else() {
        for tool in ["Write", "Edit", "Bash"] {
            assert_eq!(panicked("PreToolUse", tool).exit(), Exit::Denied, "{tool}");
        }
        for (event, tool) in [("PreToolUse", "Read"), ("PostToolUse", "Write"), ("Stop", "Write"), ("SessionEnd", "")] {
            assert_eq!(panicked(event, tool).exit(), Exit::Done, "{event} {tool}");
        }
    }
}
