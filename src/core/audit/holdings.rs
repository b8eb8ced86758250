//! Who holds what at one point of the replay, indexed so that a long trace is not searched again for every line.

use std::collections::BTreeMap;

use super::record::is_fresh;
use crate::core::target::Target;
use crate::core::time::Timestamp;
use crate::core::trace::Terms;

/// How a claim came to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    pub taken_at: Timestamp,
    pub taken_from: Option<String>,
}

/// A claim as the trace tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Held {
    /// The target as last spelled.
    pub task: String,
    /// `None` when the line that put the claim down was not seen.
    pub origin: Option<Origin>,
    pub heartbeat: Timestamp,
    pub terms: Terms,
}

impl Held {
    pub(super) fn age(&self, now: Timestamp) -> i64 {
        now.since(self.heartbeat)
    }

    pub(super) fn is_fresh(&self, now: Timestamp) -> bool {
        is_fresh(self.age(now), self.terms.ttl_s)
    }
}

/// The claims on one target.
#[derive(Clone, Default)]
struct Claims {
    holders: BTreeMap<String, Held>,
    exclusive: usize,
}

/// A claim found: the identity of its target, its holder, the claim.
pub(super) type Found<'a> = (&'a str, &'a str, &'a Held);

/// All claims, by the identity of their target. A slug has no `/` in it, so names and paths cannot meet, and the
/// paths below a directory stand side by side.
#[derive(Clone, Default)]
pub(super) struct Holdings(BTreeMap<String, Claims>);

impl Holdings {
    pub(super) fn get(&self, target: &Target, holder: &str) -> Option<&Held> {
        self.0.get(target.identity())?.holders.get(holder)
    }

    pub(super) fn put(&mut self, target: &Target, holder: &str, held: Held) {
        self.take(target.identity(), holder);
        let claims = self.0.entry(target.identity().to_owned()).or_default();
        claims.exclusive = claims.exclusive.saturating_add(usize::from(!held.terms.shared));
        claims.holders.insert(holder.to_owned(), held);
    }

    pub(super) fn take(&mut self, identity: &str, holder: &str) -> Option<Held> {
        let claims = self.0.get_mut(identity)?;
        let held = claims.holders.remove(holder)?;
        claims.exclusive = claims.exclusive.saturating_sub(usize::from(!held.terms.shared));
        if claims.holders.is_empty() {
            self.0.remove(identity);
        }
        Some(held)
    }

    /// The claims on exactly this target.
    pub(super) fn on(&self, target: &Target) -> impl Iterator<Item = (&str, &Held)> {
        let claims = self.0.get(target.identity());
        claims.into_iter().flat_map(|claims| claims.holders.iter().map(|(holder, held)| (holder.as_str(), held)))
    }

    pub(super) fn all(&self) -> impl Iterator<Item = Found<'_>> {
        self.0.iter().flat_map(|(identity, claims)| found(identity, claims))
    }

    /// The claims of others, fresh or stale, that a claim of `agent` on `target` cannot stand beside.
    pub(super) fn against<'a>(
        &'a self,
        target: &Target,
        agent: &'a str,
        shared: bool,
    ) -> impl Iterator<Item = Found<'a>> {
        self.overlapping(target)
            .filter(move |(_, claims)| !shared || claims.exclusive > 0)
            .flat_map(|(identity, claims)| found(identity, claims))
            .filter(move |(_, holder, held)| *holder != agent && !(shared && held.terms.shared))
    }

    /// The claims of one holder that overlap `target`.
    pub(super) fn of<'a>(&'a self, holder: &'a str, target: &Target) -> impl Iterator<Item = &'a Held> {
        self.overlapping(target).filter_map(move |(_, claims)| claims.holders.get(holder))
    }

    fn overlapping<'a>(&'a self, target: &Target) -> impl Iterator<Item = (&'a str, &'a Claims)> {
        let identity = target.identity();
        let around = std::iter::once(identity).chain(target.above());
        let covering: Vec<_> = around.filter_map(|place| self.0.get_key_value(place)).collect();
        let below = target.separator().map(|separator| {
            if identity.ends_with(separator) { identity.to_owned() } else { format!("{identity}{separator}") }
        });
        let below = below.into_iter().flat_map(move |prefix| {
            let from = prefix.clone();
            self.0
                .range(from..)
                .take_while(move |(place, _)| place.starts_with(&prefix))
                .filter(move |(place, _)| place.as_str() != identity)
        });
        covering.into_iter().chain(below).map(|(place, claims)| (place.as_str(), claims))
    }
}

fn found<'a>(identity: &'a str, claims: &'a Claims) -> impl Iterator<Item = Found<'a>> {
    claims.holders.iter().map(move |(holder, held)| (identity, holder.as_str(), held))
}
