//! `claim log`: the trace for people, newest last.

use clap::Args;
use serde_json::Value;

use crate::{
    core::{
        duration,
        text::visible,
        trace::{self, Action, Entry},
    },
    face::{
        context::Context,
        exit::Exit,
        failure::Failure,
        report::{Report, span},
        table::aligned,
    },
};

/// The longest time to look back, in seconds: a hundred years.
const LONGEST: u64 = 100 * 365 * 86_400;

#[derive(Debug, Args)]
#[command(after_help = "Example: claim log shared-config --since 2h\n\
    Exit codes: 0 listed (or nothing to list), 1 error, 2 usage")]
pub(crate) struct Arguments {
    /// Only what was done with this target, a tree around it or something inside it
    target: Option<String>,
    /// Only what was done in this time
    #[arg(long, value_name = "DURATION")]
    since: Option<String>,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Result<Report, Failure> {
    let target = arguments.target.as_deref().map(|text| context.target(text)).transpose()?;
    let since = arguments.since.as_deref().map(|text| duration::parse(text, 0, LONGEST)).transpose();
    let since = since.map_err(|error| Failure::usage(format!("--since: {error}")))?;
    let since = since.map(|seconds| i64::try_from(seconds).unwrap_or(i64::MAX));
    let files = context.place.trace()?;
    let mut report = Report::new(Exit::Done, "listed");
    let mut rows = Vec::new();
    let mut lines = Vec::new();
    for line in files.iter().flat_map(|(_, bytes)| bytes.split(|byte| *byte == b'\n')) {
        // A line that cannot be read is the audit's business.
        let Ok(entry) = trace::parse(line) else { continue };
        let wanted = target.as_ref().is_none_or(|target| target.overlaps(&entry.target))
            && context.holder_option().is_none_or(|holder| entry.line.agent == holder)
            && since.is_none_or(|since| context.now.since(entry.line.ts) <= since);
        if wanted {
            rows.push(row(&entry));
            lines.extend(serde_json::from_slice::<Value>(line));
        }
    }
    if rows.is_empty() {
        let chosen = target.is_some() || context.holder_option().is_some() || since.is_some();
        let what = if chosen { "Nothing like that" } else { "Nothing" };
        report.say(format!("{what} is in the trace in {}.", visible(&context.place.path().to_string_lossy())));
    }
    for line in aligned(&rows) {
        report.say(line);
    }
    report.set("lines", lines);
    Ok(report)
}

fn row(entry: &Entry) -> Vec<String> {
    let line = &entry.line;
    let mut more = Vec::new();
    if let Some(from) = &line.taken_from {
        more.push(format!("from {}", visible(from)));
    }
    if let Some(by) = &line.held_by {
        more.push(format!("held by {}", visible(by)));
    }
    if let Some(note) = line.note {
        more.push(format!("note {note}"));
    }
    if let Some(idle) = line.idle_s.filter(|_| matches!(line.action, Action::Skip | Action::BreakClaim)) {
        more.push(format!("heartbeat {} ago", span(idle)));
    }
    if let Some(waited) = line.waited_s {
        more.push(format!("waited {}", duration::glance(waited)));
    }
    if line.shared {
        more.push("shared".to_owned());
    }
    vec![
        line.ts.to_string(),
        visible(&line.agent),
        line.action.word().to_owned(),
        visible(&line.task),
        format!("claim#{}", line.rule),
        more.join(", "),
    ]
}
