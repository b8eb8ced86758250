//! `claim handover`: the queue behind a refusal. Who is refused leaves a note; who has the target works the notes, the
//! oldest first.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::{
    core::{
        entry::Record,
        holder::Holder,
        note::{self, LARGEST, Note},
        rule::{self, Judgement, Standing},
        target::Target,
        text::{shortened, visible},
        trace::{Act, Line},
    },
    face::{
        context::Context,
        exit::Exit,
        failure::Failure,
        refusal::{self, quoted},
        report::{Report, span},
        table::aligned,
        verbs::beat::not_held,
    },
    host::{environment, input},
    store::{Absent, Locked, Queue, Stand, stem_and_file},
};

/// The most characters of a note's first line in the list.
const CELL: usize = 60;

#[derive(Debug, Args)]
#[command(after_help = "Example: claim handover add shared-config 'use the new preset'\n\
    Exit codes: 0 done and verified, 1 error, 2 usage, 3 NOT HELD (next and done need the claim), 75 REFUSED")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    step: Step,
}

#[derive(Debug, Subcommand)]
enum Step {
    /// Leave a note and print its path; the text is an argument, a file, or standard input
    #[command(after_help = "Example: claim handover add shared-config 'use the new preset'\n\
        Exit codes: 0 written and verified, 1 error, 2 usage")]
    Add {
        /// What the work is about
        target: String,
        /// What is to be done
        text: Option<String>,
        /// Read the text from this file
        #[arg(long, value_name = "FILE", conflicts_with = "text")]
        file: Option<PathBuf>,
    },
    /// Show the notes that wait and the ones that are being worked on
    #[command(after_help = "Example: claim handover list shared-config\n\
        Exit codes: 0 listed (or nothing to list), 1 error, 2 usage")]
    List {
        /// Only the notes of this target
        target: Option<String>,
        /// Show the finished ones too
        #[arg(long)]
        all: bool,
    },
    /// Begin the oldest note of a target that you hold, and print its path
    #[command(after_help = "Example: claim handover next shared-config\n\
        Exit codes: 0 begun and verified (or no note waits), 1 error, 2 usage, 3 NOT HELD, 75 REFUSED")]
    Next {
        /// What you claimed
        target: String,
    },
    /// Finish a note that you began
    #[command(after_help = "Example: claim handover done 1 'added as chapter 7'\n\
        Exit codes: 0 finished and verified, 1 error, 2 usage, 3 NOT HELD, 75 REFUSED")]
    Done {
        /// Its path, file name or number
        note: String,
        /// What came of it
        result: Option<String>,
        /// Read the result from this file
        #[arg(long, value_name = "FILE", conflicts_with = "result")]
        file: Option<PathBuf>,
    },
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Result<Report, Failure> {
    match &arguments.step {
        Step::Add { target, text, file } => add(context, target, text.as_deref(), file.as_deref()),
        Step::List { target, all } => list(context, target.as_deref(), *all),
        Step::Next { target } => next(context, target),
        Step::Done { note, result, file } => done(context, note, result.as_deref(), file.as_deref()),
    }
}

fn add(context: &Context, target: &str, text: Option<&str>, file: Option<&Path>) -> Result<Report, Failure> {
    let target = context.target(target)?;
    let holder = context.holder()?;
    let text = match (text, file) {
        (Some(text), _) => text.as_bytes().to_vec(),
        (None, Some(file)) => input::file(file, LARGEST)?,
        (None, None) => input::standard(LARGEST)?,
    };
    if text.trim_ascii().is_empty() {
        return Err(Failure::usage("a note cannot be empty"));
    }
    if text.len() > LARGEST {
        return Err(Failure::usage(format!("a note has at most {LARGEST} bytes")));
    }
    let Some(locked) = context.place.locked(Absent::Make)? else { return Err(no_place()) };
    let (path, note, new) = locked.add_note(&target, &holder, &text)?;
    if new {
        let act = Act { ts: locked.now(), agent: holder.as_str(), task: target.as_str() };
        locked.note(&[Line::handover(act, note.number)]);
    }
    drop(locked);
    let mut report = told(if new { "added" } else { "already-added" }, &target, &path, &note);
    context.hint(&target, &mut report);
    Ok(report)
}

fn next(context: &Context, target: &str) -> Result<Report, Failure> {
    let target = context.target(target)?;
    let holder = context.holder()?;
    let Some(locked) = context.place.locked(Absent::Empty)? else {
        return Ok(not_held(&target, &holder, None, context.now));
    };
    let hold = match holds(&locked, &target, &holder)? {
        Ok(hold) => hold,
        Err(report) => return Ok(report),
    };
    let queue = locked.queue(&target)?;
    let at_work: Vec<&str> = hold.at_work.iter().map(String::as_str).collect();
    let next = queue.as_ref().and_then(|queue| Some((queue, note::next(&queue.waiting, &queue.claimed, &at_work)?)));
    let Some((queue, note)) = next else {
        let mut report = Report::new(Exit::Done, "empty");
        report.set("target", target.as_str());
        report.complain(format!("No notes wait on {target}."));
        begun(queue.as_ref(), &holder, &mut report);
        return Ok(report);
    };
    let (path, mine) = locked.start_note(queue, note, &holder)?;
    let act = Act { ts: locked.now(), agent: holder.as_str(), task: queue.target.as_str() };
    locked.note(&[Line::start(act, mine.number, hold.idle_s)]);
    let mut report = told("started", &queue.target, &path, &mine);
    begun(Some(queue), &holder, &mut report);
    Ok(report)
}

fn done(context: &Context, note: &str, result: Option<&str>, file: Option<&Path>) -> Result<Report, Failure> {
    let holder = context.holder()?;
    let result = match (result, file) {
        (Some(result), _) => Some(result.as_bytes().to_vec()),
        (None, Some(file)) => Some(input::file(file, LARGEST)?),
        (None, None) => None,
    };
    if result.as_ref().is_some_and(|result| result.len() > LARGEST) {
        return Err(Failure::usage(format!("a result has at most {LARGEST} bytes")));
    }
    let (target, note) = find(context, note, &holder)?;
    let Some(locked) = context.place.locked(Absent::Empty)? else { return Err(no_place()) };
    let hold = match holds(&locked, &target, &holder)? {
        Ok(hold) => hold,
        Err(report) => return Ok(report),
    };
    // Looked up again, now under the lock: it may have moved on since.
    let Some(queue) = locked.queue(&target)? else { return Err(no_place()) };
    let same = |other: &&Note| other.unworked() == note.unworked();
    let Some(own) = queue.claimed.iter().filter(same).find(|own| own.is_worked_by(&holder)) else {
        return moved_on(&queue, &note, result.as_deref());
    };
    let nothing = format!("finished by {holder} at {}\n", locked.now());
    let path = locked.finish_note(&queue, own, result.as_deref(), nothing.as_bytes())?;
    let act = Act { ts: locked.now(), agent: holder.as_str(), task: queue.target.as_str() };
    locked.note(&[Line::finish(act, own.number, hold.idle_s)]);
    Ok(told("finished", &queue.target, &path, own))
}

/// The answer about a note that this holder does not work on, though it has the target. One that is finished just so
/// may have been finished by the very same call, cut short before it could say so.
fn moved_on(queue: &Queue, note: &Note, result: Option<&[u8]>) -> Result<Report, Failure> {
    let (target, number) = (&queue.target, note.number);
    let same = |other: &&Note| other.unworked() == note.unworked();
    if let Some(done) = queue.done()?.iter().find(same) {
        let path = queue.path_of(Stand::Done, done);
        let so = match result {
            Some(result) => queue.has_result(done, result)?,
            None => true,
        };
        return if so {
            Ok(told("already-finished", target, &path, done))
        } else {
            let path = path.to_string_lossy();
            let message = format!("note {number} of {target} is finished, with another result: {}", visible(&path));
            Err(Failure::error("already-finished", message))
        };
    }
    let message = if queue.waiting.iter().any(|other| same(&other)) {
        format!("note {number} of {target} was not begun: claim handover next {}", quoted(target.as_str()))
    } else {
        format!("another session works on note {number} of {target}")
    };
    Err(Failure::error("not-your-note", message))
}

/// The note that was meant: by its path, its file name or its number. One that this holder works on comes before others,
/// which are looked at so that a session that has lost its note hears what became of it.
fn find(context: &Context, text: &str, holder: &Holder) -> Result<(Target, Note), Failure> {
    let path = environment::directory().map_or_else(|_| PathBuf::from(text), |directory| directory.join(text));
    let stem = stem_and_file(context.place.path(), &path).map(|(stem, _)| stem);
    // The name alone says which note it is, also where the path to it is spelled in another way or has changed.
    let by_name = path.file_name().and_then(|name| Note::parse(&name.to_string_lossy()));
    let by_number = text.parse::<u64>().ok();
    let is_meant = |note: &&Note| match &by_name {
        Some(meant) => meant.unworked() == note.unworked(),
        None => by_number == Some(note.number),
    };
    let (mut own, mut others) = (Vec::new(), Vec::new());
    for queue in context.place.queues(None)? {
        if stem.as_ref().is_some_and(|stem| queue.target.stem() != *stem) {
            continue;
        }
        let done = queue.done()?;
        for note in queue.claimed.iter().chain(&queue.waiting).chain(&done).filter(is_meant) {
            let found = if note.is_worked_by(holder) { &mut own } else { &mut others };
            found.push((queue.target.clone(), note.clone()));
        }
    }
    let mut found = if own.is_empty() { others } else { own };
    match (found.pop(), found.is_empty()) {
        (Some(only), true) => Ok(only),
        (Some(_), false) => Err(Failure::usage(format!("several notes are called {}: give the path", visible(text)))),
        (None, _) => Err(Failure::error(
            "no-such-note",
            format!("no note is called {}: claim handover list names them", visible(text)),
        )),
    }
}

/// Who may work the notes of a target: those at work there, the asking holder first, and the age of its heartbeat.
struct Hold {
    at_work: Vec<String>,
    idle_s: i64,
}

/// Only who holds the target itself may work its notes; else what to answer.
fn holds(locked: &Locked, target: &Target, holder: &Holder) -> Result<Result<Hold, Report>, Failure> {
    let now = locked.now();
    let entries = locked.entries(Some(&target.reach()))?;
    if let Judgement::Refused(refusal) = rule::judge(&entries, target, Some(holder), Standing::Home, now) {
        locked.note(&[rule::note_refused_line(&refusal, target, holder, now)]);
        return Ok(Err(refusal::report(&refusal, target, Some(holder), now)));
    }
    let own = entries.iter().find_map(|entry| match &entry.record {
        Record::Claim(claim, claimed) if claim.holder == holder.as_str() && claimed.is(target) => Some(claim),
        _ => None,
    });
    let Some(own) = own else { return Ok(Err(not_held(target, holder, None, now))) };
    // Who shares the target. A claim on something around it or inside it is not one on the target itself.
    let others = entries.iter().filter_map(|entry| match &entry.record {
        Record::Claim(claim, claimed) if claimed.is(target) && entry.state(now).is_fresh() => Some(claim),
        _ => None,
    });
    let others = others.map(|claim| claim.holder.clone());
    let at_work = std::iter::once(holder.as_str().to_owned()).chain(others).collect();
    Ok(Ok(Hold { at_work, idle_s: now.since(own.heartbeat_at) }))
}

fn list(context: &Context, target: Option<&str>, all: bool) -> Result<Report, Failure> {
    let target = target.map(|text| context.target(text)).transpose()?;
    let holder = context.holder_if_known()?;
    let mut queues = context.place.queues(target.as_ref().map(Target::reach).as_ref())?;
    queues.retain(|queue| target.as_ref().is_none_or(|target| target.overlaps(&queue.target)));
    let mut report = Report::new(Exit::Done, "listed");
    let mut rows = vec![["NOTE", "TARGET", "FROM", "AGE", "STATE", "TEXT"].map(str::to_owned).to_vec()];
    let (mut notes, mut unreadable) = (Vec::new(), Vec::new());
    for queue in &queues {
        let finished = if all { queue.done()? } else { Vec::new() };
        let stands = [(Stand::Claimed, &queue.claimed), (Stand::Waiting, &queue.waiting), (Stand::Done, &finished)];
        for (stand, note) in stands.into_iter().flat_map(|(stand, notes)| notes.iter().map(move |note| (stand, note))) {
            let (bytes, written) = match queue.text(stand, note) {
                Ok(Some(text)) => text,
                Ok(None) => continue,
                // The others are shown all the same.
                Err(error) => {
                    unreadable.push(error);
                    continue;
                }
            };
            let age = context.now.since(written);
            let state = match stand {
                Stand::Waiting => "waiting",
                Stand::Claimed => "begun",
                Stand::Done => "done",
            };
            let yours = holder.as_ref().is_some_and(|holder| note.is_worked_by(holder));
            let text = String::from_utf8_lossy(&bytes);
            let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            rows.push(vec![
                note.number.to_string(),
                shortened(queue.target.as_str(), CELL),
                note.from.clone(),
                span(age),
                if yours { format!("{state} by you") } else { state.to_owned() },
                shortened(first, CELL),
            ]);
            notes.push(json!({"note": note.number, "target": queue.target.as_str(), "from": note.from, "age_s": age,
                "state": state, "yours": yours, "path": queue.path_of(stand, note).to_string_lossy(), "first_line": first}));
        }
    }
    if notes.is_empty() {
        let on = target.map(|target| format!(" on {target}")).unwrap_or_default();
        report.say(format!("No notes wait{on} in {}.", visible(&context.place.path().to_string_lossy())));
    } else {
        for line in aligned(&rows) {
            report.say(line);
        }
    }
    report.set("notes", Value::Array(notes));
    for error in unreadable {
        let flaw: Report = Failure::from(error).into();
        report.absorb(flaw);
        report.set("outcome", "error");
    }
    Ok(report)
}

/// Reminds a holder of what it began and did not finish: a `next` that was killed before it could print the path leaves
/// such a note, and it is not given out again, since another process of the same session may be at work on it.
fn begun(queue: Option<&Queue>, holder: &Holder, report: &mut Report) {
    let Some(queue) = queue else { return };
    let mut paths = Vec::new();
    for note in queue.claimed.iter().filter(|note| note.is_worked_by(holder)) {
        let path = queue.path_of(Stand::Claimed, note).to_string_lossy().into_owned();
        report.complain(format!("  you have begun note {}: claim handover done {}", note.number, quoted(&path)));
        paths.push(path);
    }
    if !paths.is_empty() {
        report.set("begun", paths);
    }
}

fn told(outcome: &str, target: &Target, path: &Path, note: &Note) -> Report {
    let path = path.to_string_lossy();
    let mut report = Report::new(Exit::Done, outcome);
    report.set("target", target.as_str());
    report.set("note", note.number);
    report.set("path", &*path);
    report.say(&*path);
    report
}

fn no_place() -> Failure {
    Failure::error("io", "the place disappeared while it was being used")
}
