//! `claim complete`: what may stand at the cursor, for the completions of all shells. Hidden: people press Tab.
//!
//! The first line says what the shell adds by itself: `nothing`, `files`, `directories` or `commands`. Each further line
//! is a candidate, a tab, and what it is. Whatever cannot be known is not offered: nobody wants an error at Tab.

use std::{ffi::OsString, fmt::Write as _, path::Path};

use clap::Args;

use crate::{
    core::{
        entry::{Entry, Record},
        holder::Holder,
        target::{PathStyle, Target},
        text::{is_hidden, shortened},
    },
    face::{
        cli::Common,
        completing::{self, Offer, Question, Wanted, Which},
        context::Context,
        exit::Exit,
        report::Report,
    },
    host::{environment, folder, paths},
};

/// The most characters of what is said beside a candidate.
const ABOUT: usize = 60;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The word at the cursor
    #[arg(long, value_name = "WORD", require_equals = true, default_value = "")]
    word: OsString,
    /// The words before it, without the program
    #[arg(last = true, value_name = "WORDS")]
    before: Vec<OsString>,
}

pub(crate) fn run(arguments: &Arguments) -> Report {
    let before: Vec<String> = arguments.before.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let word = arguments.word.to_string_lossy();
    let Question { mut offers, wanted, fallback, lead, value, holder, directory } =
        completing::ask(&crate::face::command(), &before, &word);
    let common = Common { holder, json: false, dir: directory.map(Into::into) };
    if let Ok(context) = Context::new(common) {
        offers.extend(known(&context, wanted, &value));
    }
    if offers.is_empty() {
        offers = fallback;
    }
    let mut answer = String::from(match wanted {
        Wanted::File => "files\n",
        Wanted::Directory => "directories\n",
        Wanted::Program => "commands\n",
        Wanted::Nothing | Wanted::Holder | Wanted::Target(_) | Wanted::Note => "nothing\n",
    });
    for Offer { text, about } in offers {
        // What cannot be one line of this answer, or one word that means the same, is no help to anybody.
        if !text.is_empty() && !text.chars().any(is_hidden) {
            _ = writeln!(answer, "{lead}{text}\t{}", shortened(&about, ABOUT));
        }
    }
    Report::text(Exit::Done, "completed", answer)
}

fn known(context: &Context, wanted: Wanted, value: &str) -> Vec<Offer> {
    let holder = context.holder_if_known().ok().flatten();
    match wanted {
        Wanted::Nothing | Wanted::File | Wanted::Directory | Wanted::Program => Vec::new(),
        Wanted::Holder => holders(context),
        Wanted::Target(Which::Mine) => {
            let mine = |entry: &&Entry| holder.as_ref().is_some_and(|holder| entry.holder() == holder.as_str());
            claims(context).iter().filter(mine).filter_map(|entry| offer(context, entry, false)).collect()
        }
        Wanted::Target(Which::Claimed) => {
            let mut all: Vec<_> = claims(context).iter().filter_map(|entry| offer(context, entry, true)).collect();
            all.dedup_by(|one, other| one.text == other.text);
            all
        }
        Wanted::Target(Which::Free) if PathStyle::HERE.is_path(value) => free_paths(context, value),
        Wanted::Target(Which::Free) => free_names(context),
        Wanted::Target(Which::Noted) => noted(context),
        Wanted::Note => holder.map_or_else(Vec::new, |holder| begun(context, &holder)),
    }
}

/// The files that are claims.
fn claims(context: &Context) -> Vec<Entry> {
    let mut entries = context.place.listing().map(|listing| listing.entries).unwrap_or_default();
    entries.retain(|entry| matches!(entry.record, Record::Claim(..)));
    entries
}

fn offer(context: &Context, entry: &Entry, say_who: bool) -> Option<Offer> {
    let claim = entry.claim()?;
    let about = if say_who { &claim.holder } else { &claim.purpose };
    let stale = if entry.state(context.now).is_fresh() { "" } else { "stale: " };
    Some(Offer { text: claim.target.clone(), about: format!("{stale}{about}") })
}

fn holders(context: &Context) -> Vec<Offer> {
    let mut holders: Vec<String> = claims(context).iter().map(|entry| entry.holder().to_owned()).collect();
    holders.sort_unstable();
    holders.dedup();
    holders.into_iter().map(|text| Offer { text, about: String::new() }).collect()
}

/// What is held now, mine included: nothing of it is left to be taken.
fn held(context: &Context) -> Vec<Target> {
    let target = |entry: Entry| match entry.record {
        Record::Claim(_, target) => Some(target),
        Record::Unreadable { .. } | Record::Misnamed(..) => None,
    };
    claims(context).into_iter().filter(|entry| entry.state(context.now).is_fresh()).filter_map(target).collect()
}

fn is_free(target: &Target, held: &[Target]) -> bool {
    !held.iter().any(|claimed| claimed.is(target) || claimed.covers(target))
}

/// What somebody left behind: stale claims, and targets with notes.
fn free_names(context: &Context) -> Vec<Offer> {
    let held = held(context);
    let free = |text: &str| Target::recorded(text, PathStyle::HERE).is_ok_and(|target| is_free(&target, &held));
    let mut offers: Vec<Offer> =
        claims(context).iter().filter_map(|entry| offer(context, entry, true)).chain(noted(context)).collect();
    offers.retain(|offer| free(&offer.text));
    offers.sort_by(|one, other| one.text.cmp(&other.text));
    offers.dedup_by(|one, other| one.text == other.text);
    offers
}

/// What is in the directory that is being typed. A directory is offered also when something inside it is held: one gets
/// through it to the rest.
fn free_paths(context: &Context, value: &str) -> Vec<Offer> {
    let Ok(here) = environment::directory() else { return Vec::new() };
    let is_separator = |character: char| character == '/' || (cfg!(windows) && character == '\\');
    let Some((above, begun)) = value.rfind(is_separator).and_then(|last| value.split_at_checked(last + 1)) else {
        return vec![Offer { text: format!("{value}/"), about: String::new() }];
    };
    let Ok(directory) = paths::path_target(Path::new(above), &here) else { return Vec::new() };
    let held = held(context);
    let mut offers = Vec::new();
    for (name, is_directory) in folder::names(Path::new(directory.as_str())) {
        if !name.starts_with(begun) || (name.starts_with('.') && !begun.starts_with('.')) {
            continue;
        }
        let text = format!("{above}{name}{}", if is_directory { "/" } else { "" });
        let free =
            held.is_empty() || paths::path_target(Path::new(&text), &here).is_ok_and(|target| is_free(&target, &held));
        if free {
            offers.push(Offer { text, about: String::new() });
        }
    }
    offers
}

fn noted(context: &Context) -> Vec<Offer> {
    let queues = context.place.queues(None).unwrap_or_default();
    queues
        .iter()
        .map(|queue| (queue, queue.waiting.len() + queue.claimed.len()))
        .filter(|(_, open)| *open > 0)
        .map(|(queue, open)| {
            let noun = if open == 1 { "note" } else { "notes" };
            Offer { text: queue.target.as_str().to_owned(), about: format!("{open} {noun}") }
        })
        .collect()
}

/// The notes that the holder has begun: by number, or by file where two have the same.
fn begun(context: &Context, holder: &Holder) -> Vec<Offer> {
    let queues = context.place.queues(None).unwrap_or_default();
    let mine: Vec<_> = queues
        .iter()
        .flat_map(|queue| queue.claimed.iter().map(move |note| (queue, note)))
        .filter(|(_, note)| note.is_worked_by(holder))
        .collect();
    mine.iter()
        .map(|(queue, note)| {
            let same = mine.iter().filter(|(_, other)| other.number == note.number).count();
            let text = if same > 1 { note.file() } else { note.number.to_string() };
            Offer { text, about: queue.target.as_str().to_owned() }
        })
        .collect()
}
