//! `claim audit`: does the trace obey the rules, and is the place what the trace says it should be?

use clap::Args;
use serde_json::{Value, json};

use crate::{
    core::{
        audit::{self, Directory, DirectoryEntry, Finding, NoteEntry, NoteState, Record},
        entry::Entry,
        text::{shortened, visible},
    },
    face::{context::Context, exit::Exit, failure::Failure, report::Report},
    store::{Absent, Locked},
};

/// The most characters of a finding that are shown. JSON has it whole.
const LONGEST: usize = 1_000;

#[derive(Debug, Args)]
#[command(after_help = "Example: claim audit --json\n\
    A change whose line could not be written (the verb warned), or whose process was killed just before it wrote it, is\n\
    reported too: the claims and notes are as they should be, and the trace does not say why. It stays reported.\n\
    Exit codes: 0 no problem, 1 error, 2 usage, 4 problems were found")]
pub(crate) struct Arguments {}

pub(crate) fn run(context: &Context) -> Result<Report, Failure> {
    let Some(locked) = context.place.locked(Absent::Empty)? else {
        let mut report = Report::new(Exit::Done, "audited");
        report.set("problems", Vec::<Value>::new());
        report.say(format!("No trace in {}.", visible(&context.place.path().to_string_lossy())));
        return Ok(report);
    };
    // All of one moment: between reading the trace and the claims nobody may change either.
    let files = locked.trace()?;
    let directory = Directory { claims: claims(&locked)?, notes: Some(notes(context)?) };
    let now = locked.now();
    drop(locked);

    let lines = files.iter().flat_map(|(name, bytes)| {
        let whole = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let lines = whole.split(|byte| *byte == b'\n').filter(move |_| !bytes.is_empty());
        lines.zip(1..).map(move |(line, number)| (name.as_str(), number, line))
    });
    let found = audit::audit(lines, &directory, now);
    let exit = if found.is_clean() { Exit::Done } else { Exit::Leftovers };
    let mut report = Report::new(exit, if found.is_clean() { "audited" } else { "problems" });
    for problem in found.problems() {
        report.complain(format!("PROBLEM: {}", line(problem)));
    }
    for remark in found.remarks() {
        report.say(format!("note: {}", line(remark)));
    }
    let counts = &found.counts;
    report.say(format!(
        "{} lines by {} holders, {} claims held, {} of them stale: {}",
        counts.lines,
        counts.holders,
        counts.held,
        counts.stale,
        match found.problems().count() {
            0 => "no problem".to_owned(),
            1 => "1 problem".to_owned(),
            many => format!("{many} problems"),
        }
    ));
    report.set("problems", found.problems().map(described).collect::<Vec<_>>());
    report.set("remarks", found.remarks().map(described).collect::<Vec<_>>());
    report.set("lines", counts.lines);
    report.set("files", counts.files);
    report.set("holders", counts.holders);
    report.set("held", counts.held);
    report.set("stale", counts.stale);
    report.set("actions", json!(counts.actions));
    Ok(report)
}

fn claims(locked: &Locked) -> Result<Vec<DirectoryEntry>, Failure> {
    let listing = locked.listing()?;
    let of_entry = |entry: &Entry| DirectoryEntry { file: entry.file.clone(), claim: entry.claim().map(Record::from) };
    let flaws = listing.flaws.into_iter().map(|flaw| DirectoryEntry { file: flaw.file, claim: None });
    Ok(listing.entries.iter().map(of_entry).chain(flaws).collect())
}

fn notes(context: &Context) -> Result<Vec<NoteEntry>, Failure> {
    let mut entries = Vec::new();
    for queue in context.place.queues(None)? {
        let stem = queue.target.stem();
        let done = queue.done()?;
        let stands =
            [(NoteState::Queued, &queue.waiting), (NoteState::Started, &queue.claimed), (NoteState::Finished, &done)];
        for (state, notes) in stands {
            entries.extend(notes.iter().map(|note| NoteEntry { stem: stem.clone(), number: note.number, state }));
        }
    }
    Ok(entries)
}

fn line(finding: &Finding) -> String {
    let place = finding.line.map_or_else(|| finding.file.clone(), |line| format!("{}:{line}", finding.file));
    // The trace can be written to by anybody who can write into its directory.
    format!("{}: {} ({})", visible(&place), shortened(&finding.message, LONGEST), finding.kind.word())
}

fn described(finding: &Finding) -> Value {
    json!({"file": finding.file, "line": finding.line, "problem": finding.kind.word(), "message": finding.message})
}
