//! May this path be written? The same rule for a single write: what is in the way refuses, what is covered may go on.

use super::{Refusal, Relation, Scene};
use crate::core::{
    claim::Claim,
    entry::{Entry, Record},
    holder::Holder,
    target::Target,
    time::Timestamp,
};

/// The longest that a claim in use goes without a beat, in seconds. A third of its time to live, if that is shorter.
/// Measured against the cost of a beat (a lock and a rename, about a millisecond): one in a minute is nothing, one at
/// every write would be as dear as taking the claim anew.
const BEAT_EVERY: u64 = 60;

/// Where a write goes, seen from the session that makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Into its own tree: judged as a shared claim would be, so that the sessions of one project do not stop each other.
    Home,
    /// Outside: judged as an exclusive claim would be.
    Abroad,
}

/// What is said of a write.
#[derive(Debug, Clone, PartialEq)]
pub enum Judgement {
    /// Another session is at work there.
    Refused(Refusal),
    /// The writer holds a claim on it or on a tree around it; `due` if that claim wants a beat.
    Covered {
        /// What the writer claimed.
        by: Target,
        /// Whether it was beaten too long ago, or has gone stale.
        due: bool,
    },
    /// It is in the writer's own tree, which it has no claim on.
    Home,
    /// Nothing is in the way and nothing covers it.
    Unclaimed,
}

/// Judges a write to `path`. Without a holder, everybody is another.
#[must_use]
pub fn judge(
    entries: &[Entry],
    path: &Target,
    holder: Option<&Holder>,
    standing: Standing,
    now: Timestamp,
) -> Judgement {
    let scene = Scene::new(entries, path, holder);
    if let Some(refusal) = scene.refusal(&scene.against(standing == Standing::Home), now) {
        return Judgement::Refused(refusal);
    }
    let mut covering: Vec<(&Claim, &Target)> = scene
        .related()
        .filter(|(relation, entry)| scene.is_mine(entry) && (*relation == Relation::Same || covers(entry, path)))
        .filter_map(|(_, entry)| match &entry.record {
            Record::Claim(claim, target) => Some((claim, target)),
            _ => None,
        })
        .collect();
    // The one that was beaten last says soonest that nothing is to be done.
    covering.sort_by_key(|(claim, _)| std::cmp::Reverse(claim.heartbeat_at));
    match covering.first() {
        Some((claim, target)) => Judgement::Covered { by: (*target).clone(), due: is_due(claim, now) },
        None if standing == Standing::Home => Judgement::Home,
        None => Judgement::Unclaimed,
    }
}

/// Whether a claim that is in use wants a beat.
#[must_use]
pub fn is_due(claim: &Claim, now: Timestamp) -> bool {
    let every = BEAT_EVERY.min(claim.time_to_live().seconds() / 3);
    // Ahead of the clock it is due as well: the beat puts the time right.
    u64::try_from(now.since(claim.heartbeat_at)).map_or(true, |age| age >= every.max(1))
}

fn covers(entry: &Entry, path: &Target) -> bool {
    matches!(&entry.record, Record::Claim(_, target) if target.covers(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::{duration::Ttl, entry::plain_file, target::PathStyle};

    const NOW: Timestamp = Timestamp(100_000);

    fn path(text: &str) -> Target {
        Target::path(text, PathStyle::Unix).unwrap()
    }

    fn entry(target: &str, holder: &str, age: i64, shared: bool) -> Entry {
        let claim = Claim {
            target: target.into(),
            holder: holder.into(),
            purpose: "p".into(),
            taken_at: Timestamp(NOW.0 - age),
            heartbeat_at: Timestamp(NOW.0 - age),
            taken_from: None,
            ttl: None,
            shared,
            more: serde_json::Map::new(),
        };
        let target = path(target);
        Entry { file: plain_file(&target.stem()), record: Record::Claim(claim, target) }
    }

    /// A claim that lies there: target, holder, age, shared.
    type Laid = (&'static str, &'static str, i64, bool);

    /// What is said of a write of `me` to `/t/f`: one word per judgement.
    fn said(entries: &[Entry], standing: Standing) -> &'static str {
        let me = Holder::new("me").unwrap();
        match judge(entries, &path("/t/f"), Some(&me), standing, NOW) {
            Judgement::Refused(_) => "refused",
            Judgement::Covered { due: false, .. } => "covered",
            Judgement::Covered { due: true, .. } => "due",
            Judgement::Home => "home",
            Judgement::Unclaimed => "unclaimed",
        }
    }

    #[test]
    fn a_write_is_judged_by_what_is_there_and_where_it_goes() {
        // (the claims there, at home, abroad)
        let table: &[(&[Laid], &str, &str)] = &[
            (&[], "home", "unclaimed"),
            (&[("/t", "b", 0, false)], "refused", "refused"),
            (&[("/t/f", "b", 0, false)], "refused", "refused"),
            (&[("/t/f/g", "b", 0, false)], "refused", "refused"),
            (&[("/t/g", "b", 0, false)], "home", "unclaimed"),
            (&[("/t", "b", 0, true)], "home", "refused"),
            (&[("/t", "b", 901, false)], "home", "unclaimed"),
            (&[("/t", "b", -900, false)], "refused", "refused"),
            (&[("/t", "b", -901, false)], "home", "unclaimed"),
            (&[("/t", "me", 0, false)], "covered", "covered"),
            (&[("/t", "me", 0, true)], "covered", "covered"),
            (&[("/t/f", "me", 59, false)], "covered", "covered"),
            (&[("/t/f", "me", 60, false)], "due", "due"),
            (&[("/t/f", "me", 5_000, false)], "due", "due"),
            (&[("/t/f", "me", -1, false)], "due", "due"),
            (&[("/t/f/g", "me", 0, false)], "home", "unclaimed"),
            (&[("/t", "me", 0, true), ("/t/f", "b", 0, true)], "covered", "refused"),
            (&[("/t", "me", 0, true), ("/t/f", "b", 0, false)], "refused", "refused"),
            (&[("/t", "me", 5_000, false), ("/t/f", "me", 0, false)], "covered", "covered"),
        ];
        for (claims, home, abroad) in table {
            let entries: Vec<Entry> = claims.iter().map(|(t, h, age, shared)| entry(t, h, *age, *shared)).collect();
            assert_eq!(said(&entries, Standing::Home), *home, "at home: {claims:?}");
            assert_eq!(said(&entries, Standing::Abroad), *abroad, "abroad: {claims:?}");
        }
    }

    #[test]
    fn a_stranger_owns_nothing() {
        let entries = [entry("/t", "b", 0, false)];
        assert!(matches!(judge(&entries, &path("/t/f"), None, Standing::Home, NOW), Judgement::Refused(_)));
        assert_eq!(judge(&[], &path("/t/f"), None, Standing::Abroad, NOW), Judgement::Unclaimed);
    }

    #[test]
    fn a_short_time_to_live_is_beaten_three_times_in_it() {
        let Entry { record: Record::Claim(mut claim, _), .. } = entry("/t", "me", 10, false) else { unreachable!() };
        for (ttl, due) in [(1, true), (29, true), (30, true), (33, false), (900, false)] {
            claim.ttl = Ttl::new(ttl);
            assert_eq!(is_due(&claim, NOW), due, "{ttl}");
        }
    }
}
