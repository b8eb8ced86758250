//! Reading the claims directory and performing what the rule wants.

use crate::{
    core::{
        claim::LARGEST,
        entry::{ENDING, Entry, stem_of},
        rule::Effects,
        target::{PathStyle, Reach},
        text::visible,
    },
    store::{checked, error::Error, folder::Folder},
};

/// Everything that is in the claims directory.
#[derive(Debug, Default)]
pub struct Listing {
    /// The claim files, in the order of their names.
    pub entries: Vec<Entry>,
    /// What could not be read, or is no claim file at all.
    pub flaws: Vec<Flaw>,
}

/// Something in the claims directory that cannot be taken for a claim, nor for none.
#[derive(Debug)]
pub struct Flaw {
    /// The name of the file.
    pub file: String,
    /// What is wrong with it.
    pub problem: String,
    /// The stable word for it.
    pub word: &'static str,
}

/// Reads everything, going on past what cannot be read.
pub(crate) fn list(claims: &Folder) -> Result<Listing, Error> {
    let mut listing = Listing::default();
    for file in names(claims, |_| true)? {
        if stem_of(&file).is_none() {
            let problem = format!(
                "{} does not end in {ENDING}: it is no claim",
                visible(&claims.path_of(&file).to_string_lossy())
            );
            listing.flaws.push(Flaw { file, problem, word: "not-a-claim" });
            continue;
        }
        match read(claims, &file) {
            Ok(Some(entry)) => listing.entries.push(entry),
            // It was released between listing and reading.
            Ok(None) => {}
            Err(error) => listing.flaws.push(Flaw { file, problem: error.to_string(), word: error.word() }),
        }
    }
    Ok(listing)
}

/// Reads the claims that can concern a target; what cannot be read there is an error, since nothing can be said then.
pub(crate) fn within(claims: &Folder, reach: Option<&Reach>) -> Result<Vec<Entry>, Error> {
    reached(claims, |stem| reach.is_none_or(|reach| reach.has(stem)))
}

/// As [`within`], for the stems that `wanted` says.
pub(crate) fn reached(claims: &Folder, wanted: impl Fn(&str) -> bool) -> Result<Vec<Entry>, Error> {
    let mut entries = Vec::new();
    for file in names(claims, |file| stem_of(file).is_some_and(&wanted))? {
        entries.extend(read(claims, &file)?);
    }
    Ok(entries)
}

/// Performs the changes, each proved. `beside` is where files are staged. Needs the lock.
pub(crate) fn perform(place: &Folder, claims: &Folder, effects: &Effects) -> Result<(), Error> {
    let bytes = effects.write.iter().map(|write| (write, write.claim.to_bytes())).collect::<Vec<_>>();
    if let Some((write, _)) = bytes.iter().find(|(_, bytes)| bytes.len() > LARGEST) {
        return Err(Error::Large { path: claims.path_of(&write.file), limit: LARGEST });
    }
    let mut writes = bytes.iter();
    // Staged first, because that is where a full disk shows: what stands in the way is only touched once the claim that
    // comes in its place is safely on the disk.
    let first = match writes.next() {
        Some((write, bytes)) => Some((write, checked::stage(place, bytes, write.durable)?)),
        None => None,
    };
    if !effects.aside.is_empty() {
        let unreadable = place.make_sub("unreadable")?;
        for file in &effects.aside {
            checked::set_aside(claims, file, &unreadable)?;
        }
    }
    for file in &effects.clear {
        checked::remove(claims, file)?;
    }
    if let Some((write, staged)) = first {
        staged.commit(claims, &write.file, write.replaces)?;
    }
    for (write, bytes) in writes {
        checked::stage(place, bytes, write.durable)?.commit(claims, &write.file, write.replaces)?;
    }
    for file in &effects.retire {
        checked::remove(claims, file)?;
    }
    Ok(())
}

fn names(claims: &Folder, wanted: impl Fn(&str) -> bool) -> Result<Vec<String>, Error> {
    let mut names = claims.names(wanted)?;
    names.sort_unstable();
    Ok(names)
}

fn read(claims: &Folder, file: &str) -> Result<Option<Entry>, Error> {
    let content = claims.read(file, LARGEST)?;
    Ok(content.map(|content| Entry::read(file, &content.bytes, content.modified, PathStyle::HERE)))
}
