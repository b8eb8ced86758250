//! `claim status`: who is at work where, and what was left behind. Takes no lock and changes nothing.

use std::io;

use clap::Args;
use serde_json::Value;

use crate::{
    core::{
        entry::{Entry, Record, stem_of},
        target::Target,
        text::{shortened, visible},
        time::Timestamp,
    },
    face::{
        context::Context,
        exit::Exit,
        failure::Failure,
        notes,
        refusal::quoted,
        report::{Report, described, span, stale_in, state_word},
        table::aligned,
        watching,
    },
    host::environment,
    store::Listing,
};

/// The most characters of a target, and of a purpose, in the table. JSON has them whole.
const CELL: usize = 60;

#[derive(Debug, Args)]
#[command(after_help = "Example: claim status --stale --exit-code\n\
    Exit codes: 0 listed (or nothing to list), 1 error, 2 usage, 4 with --exit-code: something was listed")]
pub(crate) struct Arguments {
    /// Only claims on this target, on a tree around it or on something inside it
    target: Option<String>,
    /// Only your own claims
    #[arg(long)]
    mine: bool,
    /// Only claims that have gone stale
    #[arg(long)]
    stale: bool,
    /// End with code 4 if anything is listed
    #[arg(long)]
    exit_code: bool,
    /// Show it again every second, on a terminal; q ends it
    #[arg(long, conflicts_with_all = ["json", "exit_code"])]
    watch: bool,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Result<Report, Failure> {
    if arguments.watch { watching::watch(context, arguments) } else { once(context, arguments) }
}

/// The status of this moment.
pub(crate) fn once(context: &Context, arguments: &Arguments) -> Result<Report, Failure> {
    let target = arguments.target.as_deref().map(|text| context.target(text)).transpose()?;
    let mine = if arguments.mine { Some(context.holder()?) } else { None };
    let now = context.now;
    let Listing { mut entries, mut flaws } = context.place.listing()?;
    if let Some(target) = &target {
        entries.retain(|entry| concerns(entry, target));
    }
    if let Some(holder) = &mine {
        entries.retain(|entry| entry.claim().is_some_and(|claim| claim.holder == holder.as_str()));
    }
    if arguments.stale {
        entries.retain(|entry| !entry.state(now).is_fresh());
    }
    if target.is_some() || mine.is_some() || arguments.stale {
        // A narrower question was asked than "is everything in order?"; but what cannot be read may be the answer to it.
        let reach = target.as_ref().map(Target::reach);
        flaws.retain(|flaw| stem_of(&flaw.file).is_some_and(|stem| reach.as_ref().is_none_or(|reach| reach.has(stem))));
    }

    let listed = !entries.is_empty() || !flaws.is_empty();
    // What could not be read may be a claim: then nobody can say that everything was listed.
    let exit = if flaws.iter().any(|flaw| flaw.word != "not-a-claim") {
        Exit::Error
    } else if listed && arguments.exit_code {
        Exit::Leftovers
    } else {
        Exit::Done
    };
    let mut report = Report::new(exit, "status");
    let place = context.place.path().to_string_lossy().into_owned();
    report.set("dir", &*place);
    report.set("claims", entries.iter().map(|entry| Value::Object(described(entry, now))).collect::<Vec<_>>());
    report.set("stale", entries.iter().filter(|entry| is_stale(entry, now)).count());
    report.set(
        "problems",
        flaws
            .iter()
            .map(|flaw| serde_json::json!({"file": flaw.file, "error": flaw.word, "message": flaw.problem}))
            .collect::<Vec<_>>(),
    );

    if entries.is_empty() {
        let kind = match (&target, arguments.stale, &mine) {
            (Some(target), _, _) => format!("No claims on {target}"),
            (None, true, _) => "No stale claims".to_owned(),
            (None, false, Some(holder)) => format!("No claims of {holder}"),
            (None, false, None) => "No claims".to_owned(),
        };
        report.say(format!("{kind} in {}.", visible(&place)));
    } else {
        table(context, &entries, &mut report);
    }
    notes::tell(context, target.as_ref(), &mut report);
    for flaw in &flaws {
        report.complain(format!("claim: {}", flaw.problem));
    }
    Ok(report)
}

fn table(context: &Context, entries: &[Entry], report: &mut Report) {
    let now = context.now;
    let mut rows = vec![["TARGET", "HOLDER", "HEARTBEAT", "HELD", "STATE", "PURPOSE"].map(str::to_owned).to_vec()];
    for entry in entries {
        let age = now.since(entry.heartbeat());
        let heartbeat =
            if age < 0 { format!("in {}", span(age.saturating_neg())) } else { format!("{} ago", span(age)) };
        let state = state_word(entry, now).replace('-', ", ");
        rows.push(vec![
            shortened(&entry.title(), CELL),
            shortened(entry.holder(), CELL),
            heartbeat,
            entry.claim().map_or_else(|| "-".to_owned(), |claim| span(now.since(claim.taken_at))),
            if entry.is_shared() { format!("{state}, shared") } else { state },
            entry.claim().map_or_else(String::new, |claim| shortened(&claim.purpose, CELL)),
        ]);
    }
    let colour = environment::shows_colour(&io::stdout());
    for (line, entry) in aligned(&rows).into_iter().zip(std::iter::once(None).chain(entries.iter().map(Some))) {
        report.say(match entry {
            None if colour => format!("\u{1b}[1m{line}\u{1b}[0m"),
            Some(entry) if colour && !entry.state(now).is_fresh() => format!("\u{1b}[33m{line}\u{1b}[0m"),
            Some(entry) if colour && entry.claim().is_none() => format!("\u{1b}[31m{line}\u{1b}[0m"),
            _ => line,
        });
    }
    for entry in entries {
        if let Some(line) = explained(context, entry) {
            report.say(line);
        }
    }
    let stale = entries.iter().filter(|entry| is_stale(entry, now)).count();
    let noun = if entries.len() == 1 { "claim" } else { "claims" };
    let stale = if stale == 0 { String::new() } else { format!(", {stale} stale: claim release --stale") };
    report.say(format!("{} {noun}{stale}", entries.len()));
}

/// One line for a row that is not simply somebody at work.
fn explained(context: &Context, entry: &Entry) -> Option<String> {
    let (now, title) = (context.now, entry.title());
    Some(match (&entry.record, state_word(entry, now)) {
        (_, "fresh") => return None,
        (Record::Unreadable { reason, .. }, _) => {
            let then = if entry.state(now).is_fresh() {
                format!("it refuses for another {}", span(stale_in(entry, now)))
            } else {
                format!("claim take {} may take it over; its bytes are kept in unreadable/", quoted(&title))
            };
            format!("  {title}: {} is no claim ({}): {then}", visible(&entry.file), visible(reason))
        }
        (Record::Misnamed(..), _) => {
            format!(
                "  {title}: {} is not the file of this target and claims nothing: move it away",
                visible(&entry.file)
            )
        }
        (_, "future") => format!(
            "  {title}: its heartbeat is further ahead than its time to live, so a clock was wrong: it counts as stale"
        ),
        _ => format!(
            "  {title}: stale for {}; whoever needs it may take it",
            span(stale_in(entry, now).saturating_neg())
        ),
    })
}

/// Whether `release --stale` would remove it. A misnamed file claims nothing, and is moved away by hand.
fn is_stale(entry: &Entry, now: Timestamp) -> bool {
    !matches!(entry.record, Record::Misnamed(..)) && !entry.state(now).is_fresh()
}

fn concerns(entry: &Entry, target: &Target) -> bool {
    match &entry.record {
        Record::Claim(_, other) | Record::Misnamed(_, Some(other)) => other.overlaps(target),
        Record::Unreadable { .. } | Record::Misnamed(_, None) => {
            stem_of(&entry.file).is_some_and(|stem| target.reach().has(stem))
        }
    }
}
