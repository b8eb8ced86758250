//! What the design says must come out, worked out from the files' text alone.
//!
//! It knows nothing of `Scene`, `Target::overlaps` or `State`: places come from the components of a path, ages from
//! subtraction. The sentences of the design are quoted where they decide something.

use super::*;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outcome {
    Claimed,
    Renewed,
    /// With the file of the claim that was taken over.
    TakenOver(String),
    Beat,
    /// With the text of the claim that goes.
    Released(String),
    Refused {
        by: String,
        more: usize,
    },
    /// With the file of another's stale claim.
    NotHeld(Option<String>),
    Misnamed(String),
}

/// An outcome and every change, the written file as text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer {
    pub(super) outcome: Outcome,
    pub(super) aside: Vec<String>,
    pub(super) clear: Vec<String>,
    /// File, text, replaces, durable.
    pub(super) write: Option<(String, String, bool, bool)>,
    pub(super) retire: Vec<String>,
}

impl Answer {
    fn nothing_but(outcome: Outcome) -> Self {
        Self { outcome, aside: vec![], clear: vec![], write: None, retire: vec![] }
    }

    /// What the rule answered, in the same words.
    pub(super) fn observed(decision: Decision) -> Self {
        let Decision { verdict, effects } = decision;
        assert!(effects.write.len() <= 1, "one request writes one claim");
        let text = |claim: &Claim| String::from_utf8(claim.to_bytes()).unwrap();
        let write = effects.write.first();
        // What is answered is what is written, not a claim that looks like it.
        if let Verdict::Claimed(claim) | Verdict::Renewed(claim) | Verdict::TakenOver(claim, _) | Verdict::Beat(claim) =
            &verdict
        {
            assert_eq!(Some(claim), write.map(|write| &write.claim));
        }
        let outcome = match verdict {
            Verdict::Claimed(_) => Outcome::Claimed,
            Verdict::Renewed(_) => Outcome::Renewed,
            Verdict::TakenOver(_, from) => Outcome::TakenOver(from.file),
            Verdict::Beat(_) => Outcome::Beat,
            Verdict::Released(claim) => Outcome::Released(text(&claim)),
            Verdict::Refused(refusal) => Outcome::Refused { by: refusal.by.file, more: refusal.more },
            Verdict::NotHeld(other) => Outcome::NotHeld(other.map(|entry| entry.file)),
            Verdict::Misnamed(entry) => Outcome::Misnamed(entry.file),
        };
        Self {
            outcome,
            aside: effects.aside,
            clear: effects.clear,
            write: write.map(|write| (write.file.clone(), text(&write.claim), write.replaces, write.durable)),
            retire: effects.retire,
        }
    }
}

/// A file of the claims directory: its name, its bytes, and when it was last changed.
pub(super) type File = (String, Vec<u8>, i64);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Same,
    Overlap,
    Apart,
}

#[derive(Debug, Clone)]
struct Seen {
    file: String,
    text: Option<Text>,
    modified: i64,
    place: Place,
    /// "A stem whose file names another target: an error."
    misnamed: bool,
}

impl Seen {
    fn new((file, bytes, modified): &File, asked: &str) -> Self {
        let text = Text::read(bytes);
        let stem_of_file = file.trim_end_matches(".json").split('+').next().unwrap();
        let misnamed = text.as_ref().is_some_and(|text| known_stem(&text.target) != Some(stem_of_file));
        let place = match &text {
            Some(text) if misnamed => place_of(&text.target, asked).max(Place::Overlap),
            Some(text) => place_of(&text.target, asked),
            None => place_by_name(stem_of_file, asked),
        };
        Self { file: file.clone(), text, modified: *modified, place, misnamed }
    }

    fn is_of(&self, holder: &str) -> bool {
        self.text.as_ref().is_some_and(|text| text.holder == holder)
    }

    fn is_shared(&self) -> bool {
        self.text.as_ref().is_some_and(|text| text.shared)
    }

    fn is_claim(&self) -> bool {
        self.text.is_some() && !self.misnamed
    }

    fn heartbeat(&self) -> i64 {
        self.text.as_ref().map_or(self.modified, |text| text.heartbeat_at)
    }

    /// "A heartbeat up to one TTL in the future is fresh; further ahead it is stale." "Its heartbeat the file's
    /// modification time", and nobody asked for another time to live than the 15 minutes there.
    fn is_fresh(&self, now: i64) -> bool {
        let ttl = self.text.as_ref().and_then(|text| text.ttl_s).unwrap_or(15 * 60);
        (i128::from(now) - i128::from(self.heartbeat())).abs() <= i128::from(ttl)
    }
}

fn known_stem(target: &str) -> Option<&'static str> {
    PATHS.iter().chain(&NAMES).find(|(text, _)| *text == target).map(|(_, stem)| *stem)
}

/// "Paths overlap when one is the other or an ancestor of it." Names: "`Shared Config` and `shared-config` are one".
fn place_of(one: &str, other: &str) -> Place {
    let parts = |path: &str| path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    match (one.starts_with('/'), other.starts_with('/')) {
        (true, true) => {
            let (one, other) = (parts(one), parts(other));
            match one.iter().zip(&other).all(|(one, other)| one == other) {
                true if one.len() == other.len() => Place::Same,
                true => Place::Overlap,
                false => Place::Apart,
            }
        }
        (false, false) if known_stem(one).is_some() && known_stem(one) == known_stem(other) => Place::Same,
        _ => Place::Apart,
    }
}

/// Where an unreadable file may belong, going by its name. "A false refusal costs a wait, a missed one costs the work":
/// the slug of what is below begins with the slug of what is above, so such a file counts as below.
fn place_by_name(stem_of_file: &str, asked: &str) -> Place {
    let own = stem(asked);
    let above = PATHS.iter().any(|(path, stem)| *stem == stem_of_file && place_of(path, asked) == Place::Overlap);
    let (slug, slug_of_file) = (own.split('.').next().unwrap(), stem_of_file.rsplit_once('.').map(|(slug, _)| slug));
    let maybe_below = own.contains('.') && slug_of_file.is_some_and(|of_file| slug == "_" || of_file.starts_with(slug));
    if own == stem_of_file {
        Place::Same
    } else if above || maybe_below {
        Place::Overlap
    } else {
        Place::Apart
    }
}

pub(super) fn expected(files: &[File], ask: &Ask, now: i64) -> Answer {
    let mut seen: Vec<_> = files.iter().map(|file| Seen::new(file, ask.target)).collect();
    if let Some(wrong) = seen.iter().find(|seen| seen.misnamed && stem_part(&seen.file) == stem(ask.target)) {
        return Answer::nothing_but(Outcome::Misnamed(wrong.file.clone()));
    }
    seen.retain(|seen| seen.place != Place::Apart);
    // The plain file is the later one where a change of kind was cut short.
    let mut own: Vec<_> =
        seen.iter().filter(|seen| seen.place == Place::Same && seen.is_claim() && seen.is_of(ask.holder)).collect();
    own.sort_by_key(|seen| seen.file.len());
    match ask.verb {
        Verb::Take => take(&seen, &own, ask, now),
        Verb::Beat => beat(&seen, &own, ask, now),
        Verb::Release => release(&seen, &own, ask, now),
    }
}

fn stem_part(file: &str) -> &str {
    file.trim_end_matches(".json").split('+').next().unwrap()
}

/// "A conflict is a fresh claim of another holder on an overlapping target, unless both are shared."
fn conflict(seen: &[Seen], holder: &str, shared: bool, now: i64) -> Option<Outcome> {
    let both_shared = |seen: &&Seen| shared && seen.is_shared();
    let others = seen.iter().filter(|seen| !seen.is_of(holder));
    refusal(others.filter(|seen| !both_shared(seen) && seen.is_fresh(now)))
}

fn refusal<'a>(conflicts: impl Iterator<Item = &'a Seen>) -> Option<Outcome> {
    let mut conflicts: Vec<_> = conflicts.collect();
    conflicts.sort_by_key(|seen| (seen.place, seen.file.clone()));
    let by = conflicts.first()?.file.clone();
    Some(Outcome::Refused { by, more: conflicts.len() - 1 })
}

/// "conflict → REFUSED. Own claim → renewed (`taken_at` stays; purpose updated). Stale claim of another on the same
/// target → takeover, `taken_from` recorded. Else claimed."
fn take(seen: &[Seen], own: &[&Seen], ask: &Ask, now: i64) -> Answer {
    if let Some(refused) = conflict(seen, ask.holder, ask.shared, now) {
        return Answer::nothing_but(refused);
    }
    let both_shared = |seen: &&Seen| ask.shared && seen.is_shared();
    let in_the_way: Vec<_> =
        seen.iter().filter(|seen| !seen.is_of(ask.holder)).filter(|seen| !both_shared(seen)).collect();
    let names = |chosen: Vec<&&Seen>| chosen.into_iter().map(|seen| seen.file.clone()).collect::<Vec<_>>();
    let mut clear = names(in_the_way.iter().filter(|seen| seen.is_claim()).collect());
    // "Its bytes move to unreadable/", if it is the target's own file: another may not be in the way at all.
    let aside = names(in_the_way.iter().filter(|seen| seen.text.is_none() && seen.place == Place::Same).collect());
    let mut latest: Option<&Seen> = None;
    for seen in in_the_way.iter().filter(|seen| seen.place == Place::Same) {
        if latest.is_none_or(|latest| latest.heartbeat() < seen.heartbeat()) {
            latest = Some(seen);
        }
    }

    let plain = plain(ask.target);
    let stays =
        |file: &String| seen.iter().any(|seen| seen.file == *file) && !clear.contains(file) && !aside.contains(file);
    let is_own = |file: &String| own.iter().any(|seen| seen.file == *file);
    let file = match own.first() {
        Some(seen) if seen.is_shared() == ask.shared => seen.file.clone(),
        _ if ask.shared && stays(&plain) && !is_own(&plain) => beside(ask.target, ask.holder),
        _ => plain,
    };
    let retire: Vec<_> = own.iter().map(|seen| seen.file.clone()).filter(|other| *other != file).collect();
    let replaces = clear.contains(&file) || is_own(&file);
    clear.retain(|cleared| *cleared != file);

    let asked_ttl = ask.ttl.map(|seconds| i64::try_from(seconds).unwrap());
    let (outcome, mut text) = match (own.first(), latest) {
        (Some(seen), _) => (Outcome::Renewed, seen.text.clone().unwrap()),
        (None, latest) => {
            let mut text = held(ask.target, ask.holder, now);
            text.ttl_s = None;
            text.taken_from =
                latest.map(|seen| seen.text.as_ref().map_or("unknown".to_owned(), |text| text.holder.clone()));
            (latest.map_or(Outcome::Claimed, |seen| Outcome::TakenOver(seen.file.clone())), text)
        }
    };
    ask.purpose.clone_into(&mut text.purpose);
    text.heartbeat_at = now;
    text.shared = ask.shared;
    // "`ttl_s` when the holder asked for another TTL than the default."
    text.ttl_s = asked_ttl.or(text.ttl_s).filter(|seconds| *seconds != 900);
    Answer { outcome, aside, clear, write: Some((file, text.json(), replaces, true)), retire }
}

/// "own claim and no conflict → heartbeat renewed, even when it had gone stale. Conflict → REFUSED (it was taken over).
/// No own claim → NOT HELD. A beat never creates a claim."
fn beat(seen: &[Seen], own: &[&Seen], ask: &Ask, now: i64) -> Answer {
    if let Some(mine) = own.first() {
        return match conflict(seen, ask.holder, mine.is_shared(), now) {
            Some(refused) => Answer::nothing_but(refused),
            None => {
                let mut text = mine.text.clone().unwrap();
                text.heartbeat_at = now;
                Answer {
                    write: Some((mine.file.clone(), text.json(), true, false)),
                    retire: own.iter().skip(1).map(|seen| seen.file.clone()).collect(),
                    ..Answer::nothing_but(Outcome::Beat)
                }
            }
        };
    }
    // Who holds nothing may have meant to share, so what is shared is no conflict; "(it was taken over)" is one.
    let others: Vec<_> = seen
        .iter()
        .filter(|seen| !seen.is_of(ask.holder))
        .filter(|seen| {
            !seen.is_shared() || seen.text.as_ref().is_some_and(|text| text.taken_from.as_deref() == Some(ask.holder))
        })
        .cloned()
        .collect();
    Answer::nothing_but(conflict(&others, ask.holder, false, now).unwrap_or_else(|| {
        let there = others.iter().find(|seen| seen.place == Place::Same);
        Outcome::NotHeld(there.map(|seen| seen.file.clone()))
    }))
}

/// "own claim → removed. Another's → REFUSED, untouched. None → NOT HELD."
fn release(seen: &[Seen], own: &[&Seen], ask: &Ask, now: i64) -> Answer {
    if let Some(mine) = own.first() {
        let clear = own.iter().map(|seen| seen.file.clone()).collect();
        let text = mine.text.as_ref().unwrap().json();
        return Answer { clear, ..Answer::nothing_but(Outcome::Released(text)) };
    }
    let mut others: Vec<_> = seen.iter().filter(|seen| seen.place == Place::Same && !seen.is_of(ask.holder)).collect();
    // Somebody at work is named before a leftover.
    others.sort_by_key(|seen| (!seen.is_fresh(now), seen.file.clone()));
    Answer::nothing_but(match others.first() {
        Some(seen) => Outcome::Refused { by: seen.file.clone(), more: others.len() - 1 },
        None => Outcome::NotHeld(None),
    })
}
