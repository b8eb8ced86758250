//! The rule: the claims as they are, a request and the time go in; a verdict and the changes that it wants come out.
//!
//! Pure and total. Who performs the changes, under the lock and with proof, is `store`. What the rule keeps true when
//! every change goes through it: the directory never holds two overlapping claims of different holders unless both are
//! shared, not even stale ones, so that no jump of the clock can make two of them fresh at once. A take therefore clears
//! the stale claims that stand in its way, also those on an ancestor or a descendant.

mod guard;
mod log;
mod sets;

pub use guard::{Judgement, Standing, is_due, judge};
pub use log::{note_refused_line, refused_line, wait_line, waited_line};
pub use sets::{held_by, lost_by, release_all, release_stale};

use self::log::Log;

use crate::core::{
    claim::Claim,
    duration::Ttl,
    entry::{Entry, Record, plain_file, shared_file, stem_of},
    holder::Holder,
    runs,
    target::{Reach, Target},
    time::Timestamp,
    trace::Line,
};

/// What take, beat and release answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// There was no claim, now there is.
    Claimed(Claim),
    /// The holder had it already.
    Renewed(Claim),
    /// Another's stale claim was replaced.
    TakenOver(Claim, Entry),
    /// The heartbeat was renewed.
    Beat(Claim),
    /// The holder's claim is to be removed.
    Released(Claim),
    /// Another holds it.
    Refused(Refusal),
    /// The holder has no such claim. If another's stale claim is there, that one.
    NotHeld(Option<Entry>),
    /// The file that belongs to the target holds a claim on another: nothing can be said.
    Misnamed(Entry),
}

/// Why a request was refused.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// The claim in the way; of several, one on the target itself before one on an ancestor or a descendant.
    pub by: Entry,
    /// How many more are in the way.
    pub more: usize,
}

/// The changes that a verdict wants, in the order of the fields.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Effects {
    /// Files that are no claims: moved to `unreadable/`, since nothing is lost.
    pub aside: Vec<String>,
    /// Claims to remove before the write: stale ones in the way, or the ones that are released.
    pub clear: Vec<String>,
    /// The claim files to write.
    pub write: Vec<Write>,
    /// The holder's own other file for the same target, removed once the write stands.
    pub retire: Vec<String>,
    /// The trace lines that tell of it, of a refusal too.
    pub log: Vec<Line>,
}

impl Effects {
    /// Adds what another decision of the same change wants.
    pub fn and(&mut self, other: Self) {
        self.aside.extend(other.aside);
        self.clear.extend(other.clear);
        self.write.extend(other.write);
        self.retire.extend(other.retire);
        self.log.extend(other.log);
    }
}

/// One claim file to write.
#[derive(Debug, Clone, PartialEq)]
pub struct Write {
    /// Its name.
    pub file: String,
    /// Its content.
    pub claim: Claim,
    /// Whether it replaces the file that was read. If not, a file that appears there meanwhile must win.
    pub replaces: bool,
    /// Whether it must survive a loss of power. A heartbeat need not: it only makes a claim look older than it is.
    pub durable: bool,
}

/// A verdict with the changes that it wants.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// What to answer once the changes are proved.
    pub verdict: Verdict,
    /// What to change.
    pub effects: Effects,
}

impl Decision {
    fn only(verdict: Verdict) -> Self {
        Self { verdict, effects: Effects::default() }
    }

    fn refused(refusal: Refusal, line: Line) -> Self {
        let effects = Effects { log: vec![line], ..Effects::default() };
        Self { verdict: Verdict::Refused(refusal), effects }
    }
}

/// Who asks for what.
#[derive(Debug, Clone, PartialEq)]
pub struct Request<'a> {
    /// What is asked for.
    pub target: &'a Target,
    /// Who asks.
    pub holder: &'a Holder,
}

/// What a take asks for beyond its target.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Wish<'a> {
    /// Why.
    pub purpose: &'a str,
    /// Another time to live than the default, or than the claim had.
    pub ttl: Option<Ttl>,
    /// Whether others may share the target.
    pub shared: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    Same,
    Overlap,
}

/// The claims that concern one request.
struct Scene<'a> {
    target: &'a Target,
    holder: Option<&'a Holder>,
    reach: Reach,
    entries: &'a [Entry],
}

impl<'a> Scene<'a> {
    /// Without a holder, everybody is another.
    fn new(entries: &'a [Entry], target: &'a Target, holder: Option<&'a Holder>) -> Self {
        Self { target, holder, reach: target.reach(), entries }
    }

    fn relation(&self, entry: &Entry) -> Option<Relation> {
        let own_file = stem_of(&entry.file) == Some(self.reach.own());
        match &entry.record {
            Record::Claim(_, target) if target.is(self.target) => Some(Relation::Same),
            Record::Claim(_, target) => target.overlaps(self.target).then_some(Relation::Overlap),
            Record::Misnamed(_, target) => {
                target.as_ref().is_some_and(|target| target.overlaps(self.target)).then_some(Relation::Overlap)
            }
            Record::Unreadable { .. } if own_file => Some(Relation::Same),
            // Which target it is cannot be read, but its name says that it may be one in the way.
            Record::Unreadable { .. } => {
                stem_of(&entry.file).is_some_and(|stem| self.reach.has(stem)).then_some(Relation::Overlap)
            }
        }
    }

    fn related(&self) -> impl Iterator<Item = (Relation, &'a Entry)> {
        self.entries.iter().filter_map(|entry| Some((self.relation(entry)?, entry)))
    }

    fn is_mine(&self, entry: &Entry) -> bool {
        self.holder.is_some_and(|holder| entry.claim().is_some_and(|claim| claim.holder == holder.as_str()))
    }

    /// My claims on the target itself: one, or two where a change of its kind was cut short.
    fn mine(&self) -> Vec<(&'a Entry, &'a Claim)> {
        let mut mine: Vec<_> = self
            .related()
            .filter(|(relation, entry)| *relation == Relation::Same && self.is_mine(entry))
            .filter_map(|(_, entry)| Some((entry, entry.claim()?)))
            .collect();
        mine.sort_by_key(|(entry, _)| entry.file.len());
        mine
    }

    /// The claims of others that stand against one of mine that is `shared` or not, fresh and stale ones alike.
    fn against(&self, shared: bool) -> Vec<(Relation, &'a Entry)> {
        self.related().filter(|(_, entry)| !(self.is_mine(entry) || shared && entry.is_shared())).collect()
    }

    fn refusal(&self, against: &[(Relation, &'a Entry)], now: Timestamp) -> Option<Refusal> {
        let mut fresh: Vec<_> = against.iter().filter(|(_, entry)| entry.state(now).is_fresh()).collect();
        fresh.sort_by_key(|(relation, entry)| (*relation == Relation::Overlap, entry.file.clone()));
        let (_, by) = fresh.first()?;
        Some(Refusal { by: (*by).clone(), more: fresh.len().saturating_sub(1) })
    }

    fn misnamed(&self) -> Option<Entry> {
        self.entries
            .iter()
            .find(|entry| {
                matches!(entry.record, Record::Misnamed(..)) && stem_of(&entry.file) == Some(self.reach.own())
            })
            .cloned()
    }
}

/// The claim that this holder has on the target.
pub(super) fn own<'a>(entries: &'a [Entry], request: &Request<'a>) -> Option<(&'a Entry, &'a Claim)> {
    Scene::new(entries, request.target, Some(request.holder)).mine().first().copied()
}

/// May this holder claim the target? Conflict: refused. Own: renewed. Another's, stale: taken over. Else: claimed.
#[must_use]
pub fn take(entries: &[Entry], request: &Request<'_>, wish: &Wish<'_>, now: Timestamp) -> Decision {
    let log = Log { now, holder: request.holder };
    let scene = Scene::new(entries, request.target, Some(request.holder));
    if let Some(entry) = scene.misnamed() {
        return Decision::only(Verdict::Misnamed(entry));
    }
    let against = scene.against(wish.shared);
    if let Some(refusal) = scene.refusal(&against, now) {
        let line = log.refused(&refusal, request.target, wish.shared);
        return Decision::refused(refusal, line);
    }

    // Nothing fresh is in the way. What is stale and in the way goes: by replacement, into unreadable/, or removed.
    let mine = scene.mine();
    let mut effects = Effects::default();
    let mut taken: Option<&Entry> = None;
    for (relation, entry) in &against {
        let readable = entry.claim().is_some();
        match relation {
            Relation::Same => {
                if taken.is_none_or(|other| other.heartbeat() < entry.heartbeat()) {
                    taken = Some(entry);
                }
                let list = if readable { &mut effects.clear } else { &mut effects.aside };
                list.push(entry.file.clone());
                effects.log.push(log.broken_for(entry, request.target));
            }
            // A file whose target cannot be read may not be in the way at all, and a misnamed one is nobody's to tidy.
            Relation::Overlap if matches!(entry.record, Record::Claim(..)) => {
                effects.clear.push(entry.file.clone());
                effects.log.push(log.broken_for(entry, request.target));
            }
            Relation::Overlap => {}
        }
    }

    let plain = plain_file(scene.reach.own());
    let occupied = |file: &str| entries.iter().any(|entry| entry.file == file);
    let file = match mine.first() {
        Some((entry, claim)) if claim.shared == wish.shared => entry.file.clone(),
        _ if !wish.shared => plain,
        _ if mine.iter().any(|(entry, _)| entry.file == plain) => plain,
        _ if !occupied(&plain) || effects.clear.contains(&plain) || effects.aside.contains(&plain) => plain,
        _ => shared_file(scene.reach.own(), request.holder.as_str()),
    };
    effects.retire = mine.iter().map(|(entry, _)| entry.file.clone()).filter(|other| *other != file).collect();

    let previous = mine.first().map(|(_, claim)| *claim);
    let mut claim = Claim {
        target: previous.map_or_else(|| request.target.as_str().to_owned(), |claim| claim.target.clone()),
        holder: request.holder.as_str().to_owned(),
        purpose: wish.purpose.to_owned(),
        taken_at: previous.map_or(now, |claim| claim.taken_at),
        heartbeat_at: now,
        taken_from: match previous {
            Some(claim) => claim.taken_from.clone(),
            None => taken.map(|entry| entry.holder().to_owned()),
        },
        ttl: wish.ttl.or(previous.and_then(|claim| claim.ttl)).filter(|ttl| *ttl != Ttl::DEFAULT),
        shared: wish.shared,
        more: previous.map(|claim| claim.more.clone()).unwrap_or_default(),
    };
    runs::keep(&mut claim);
    // A stale claim under the same name is replaced by one rename rather than removed first: there is no moment at which
    // the target looks free.
    let replaces = effects.clear.contains(&file) || mine.iter().any(|(entry, _)| entry.file == file);
    effects.clear.retain(|cleared| *cleared != file);
    effects.write.push(Write { file, claim: claim.clone(), replaces, durable: true });
    effects.log.push(match previous {
        Some(before) => log.renewed(&claim, before),
        None => log.claimed(&claim, claim.taken_from.as_deref()),
    });
    let verdict = match (previous, taken) {
        (Some(_), _) => Verdict::Renewed(claim),
        (None, Some(entry)) => Verdict::TakenOver(claim, entry.clone()),
        (None, None) => Verdict::Claimed(claim),
    };
    Decision { verdict, effects }
}

/// Is this holder still the one, and if so, alive? Never creates a claim.
#[must_use]
pub fn beat(entries: &[Entry], request: &Request<'_>, now: Timestamp) -> Decision {
    let log = Log { now, holder: request.holder };
    let scene = Scene::new(entries, request.target, Some(request.holder));
    if let Some(entry) = scene.misnamed() {
        return Decision::only(Verdict::Misnamed(entry));
    }
    let mine = scene.mine();
    let against = match mine.first() {
        Some((_, claim)) => scene.against(claim.shared),
        // Without a claim of one's own it is not known whether it would be shared: what others share is in nobody's
        // way then, unless it was taken from this very holder.
        None => scene
            .against(false)
            .into_iter()
            .filter(|(_, entry)| {
                !entry.is_shared()
                    || entry.claim().is_some_and(|claim| claim.taken_from.as_deref() == Some(request.holder.as_str()))
            })
            .collect(),
    };
    if let Some(refusal) = scene.refusal(&against, now) {
        let shared = mine.first().is_some_and(|(_, claim)| claim.shared);
        let line = log.refused(&refusal, request.target, shared);
        return Decision::refused(refusal, line);
    }
    let Some((entry, claim)) = mine.first() else {
        let other = against.into_iter().find(|(relation, _)| *relation == Relation::Same);
        return Decision::only(Verdict::NotHeld(other.map(|(_, entry)| entry.clone())));
    };
    let line = log.beaten(claim);
    let claim = Claim { heartbeat_at: now, ..(*claim).clone() };
    let write = Write { file: entry.file.clone(), claim: claim.clone(), replaces: true, durable: false };
    // What a change that was cut short left behind goes now. A later beat would take it for the claim, and tell a holder
    // whose exclusive claim was taken over meanwhile that all is well.
    let retire = mine.iter().skip(1).map(|(entry, _)| entry.file.clone()).collect();
    let effects = Effects { write: vec![write], retire, log: vec![line], ..Effects::default() };
    Decision { verdict: Verdict::Beat(claim), effects }
}

/// Own claim: to be removed. Another's, fresh or stale: refused. None: not held.
#[must_use]
pub fn release(entries: &[Entry], request: &Request<'_>, now: Timestamp) -> Decision {
    let log = Log { now, holder: request.holder };
    let scene = Scene::new(entries, request.target, Some(request.holder));
    if let Some(entry) = scene.misnamed() {
        return Decision::only(Verdict::Misnamed(entry));
    }
    let mine = scene.mine();
    if let Some((_, claim)) = mine.first() {
        let clear = mine.iter().map(|(entry, _)| entry.file.clone()).collect();
        let verdict = Verdict::Released((*claim).clone());
        let log = vec![log.released(claim)];
        return Decision { verdict, effects: Effects { clear, log, ..Effects::default() } };
    }
    let mut same: Vec<_> =
        scene.against(false).into_iter().filter(|(relation, _)| *relation == Relation::Same).collect();
    same.sort_by_key(|(_, entry)| (!entry.state(now).is_fresh(), entry.file.clone()));
    match same.first() {
        Some((_, by)) => {
            let line = log.release_refused(by, request.target);
            Decision::refused(Refusal { by: (*by).clone(), more: same.len().saturating_sub(1) }, line)
        }
        None => Decision::only(Verdict::NotHeld(None)),
    }
}

#[cfg(test)]
mod tests;
