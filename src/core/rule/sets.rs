//! What is asked of all claims at once: what is stale, what is one holder's, what one holder has lost.

use super::{Effects, log::Log};
use crate::core::{
    entry::{Entry, Record},
    holder::Holder,
    target::Target,
    time::Timestamp,
};

/// Every stale claim, whoever held it, with the changes that remove them: the way out for what outlived its session.
#[must_use]
pub fn release_stale(entries: &[Entry], holder: &Holder, now: Timestamp) -> (Vec<Entry>, Effects) {
    let log = Log { now, holder };
    let mut effects = Effects::default();
    let mut stale = Vec::new();
    for entry in entries.iter().filter(|entry| !entry.state(now).is_fresh()) {
        match entry.record {
            Record::Claim(..) => effects.clear.push(entry.file.clone()),
            Record::Unreadable { .. } => effects.aside.push(entry.file.clone()),
            Record::Misnamed(..) => continue,
        }
        effects.log.extend(log.broken(entry));
        stale.push(entry.clone());
    }
    (stale, effects)
}

/// Every claim of this holder, with the changes that remove them.
#[must_use]
pub fn release_all(entries: &[Entry], holder: &Holder, now: Timestamp) -> (Vec<Entry>, Effects) {
    let log = Log { now, holder };
    let mut effects = Effects::default();
    let mut released: Vec<(Entry, &Target)> = Vec::new();
    for entry in entries {
        if let Record::Claim(claim, target) = &entry.record
            && claim.holder == holder.as_str()
        {
            effects.clear.push(entry.file.clone());
            // Where a change of its kind was cut short, one claim has two files.
            if !released.iter().any(|(_, other)| other.is(target)) {
                effects.log.push(log.released(claim));
                released.push((entry.clone(), target));
            }
        }
    }
    (released.into_iter().map(|(entry, _)| entry).collect(), effects)
}

/// The targets that this holder has claims on, in the order of their files, each once.
#[must_use]
pub fn held_by(entries: &[Entry], holder: &Holder) -> Vec<Target> {
    let mut held: Vec<Target> = Vec::new();
    for entry in entries {
        if let Record::Claim(claim, target) = &entry.record
            && claim.holder == holder.as_str()
            && !held.iter().any(|other| other.is(target))
        {
            held.push(target.clone());
        }
    }
    held
}

/// The claims that were taken over from this holder and that it does not hold again.
#[must_use]
pub fn lost_by<'a>(entries: &'a [Entry], holder: &Holder) -> Vec<&'a Entry> {
    let held = held_by(entries, holder);
    entries
        .iter()
        .filter(|entry| match &entry.record {
            Record::Claim(claim, target) => {
                claim.taken_from.as_deref() == Some(holder.as_str()) && !held.iter().any(|own| own.is(target))
            }
            _ => false,
        })
        .collect()
}
