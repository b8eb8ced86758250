//! The rule once more, small and by itself: what one call may answer in a state of one group of overlapping targets, and
//! which states it may leave. Nothing of the program is used here, so that a fault of its rule is not repeated.

/// A claim, as its file has it. Targets and holders are numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Held {
    pub(crate) target: usize,
    pub(crate) holder: usize,
    pub(crate) shared: bool,
    pub(crate) taken: i64,
    pub(crate) heartbeat: i64,
    pub(crate) ttl: i64,
}

impl Held {
    /// "A heartbeat up to one TTL in the future is fresh; further ahead it is stale."
    fn is_fresh(&self, now: i64) -> bool {
        (now - self.heartbeat).abs() <= self.ttl
    }
}

/// The targets: names that stand alone, and paths in one tree, by their text.
pub(crate) const TARGETS: [&str; 6] = ["alpha", "beta", "/tree", "/tree/a", "/tree/a/b", "/tree/c"];

/// Targets of one group may overlap; those of different groups never do, so that each group has a history of its own.
pub(crate) fn group(target: usize) -> usize {
    target.min(2)
}

/// "Paths overlap when one is the other or an ancestor of it."
pub(crate) fn overlap(one: usize, other: usize) -> bool {
    one == other || covers(one, other) || covers(other, one)
}

fn covers(above: usize, below: usize) -> bool {
    let (above, below) = (TARGETS[above], TARGETS[below]);
    above.starts_with('/') && below.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'))
}

/// What was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Take {
        shared: bool,
        ttl: i64,
    },
    Beat,
    Release,
    /// `release --stale`, as far as one group is concerned.
    Sweep,
    /// `guard --take`.
    Guard {
        ttl: i64,
    },
    /// One row of a `status`.
    Look,
}

/// What was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    Claimed(Held),
    Renewed(Held),
    TakenOver(Held, usize),
    Beat(Held),
    Released(Held),
    /// By which claim, and at what time that was judged.
    Refused(Held, i64),
    NotHeld,
    Swept(Vec<Held>, Option<i64>),
    /// A guard claimed what nobody held.
    Taken(Held),
    /// A guard found a claim of the asker's own.
    Covered,
    Seen(Held),
    /// It met a file that is no claim. No rule ever writes one.
    Damaged,
    /// It was killed, or failed: what it wanted was done, or a part of it, or nothing.
    Unknown,
}

/// One call: who asked for what, what came of it, and when it began and ended. `start` and `end` are of a clock that
/// never jumps; `from` and `until` are the same moments in the whole seconds of the claim files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) holder: usize,
    pub(crate) target: usize,
    pub(crate) verb: Verb,
    pub(crate) answer: Answer,
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) from: i64,
    pub(crate) until: i64,
}

/// The claims of one group, in order, and the latest time at which anything was decided: time does not run backwards
/// from one change to the next.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct State {
    pub(crate) claims: Vec<Held>,
    pub(crate) clock: i64,
}

impl State {
    pub(crate) fn new() -> Self {
        Self { claims: Vec::new(), clock: i64::MIN }
    }

    /// Whether the call only looked, and what it saw is here now: it may be put here without closing any other way.
    pub(crate) fn shows(&self, call: &Call) -> bool {
        match (&call.answer, call.verb) {
            (Answer::Seen(seen), _) => self.claims.contains(seen),
            // A guard looks without the lock, with a time that is a little older than what it sees.
            (Answer::Refused(by, _), Verb::Guard { .. }) => {
                self.claims.contains(by)
                    && by.holder != call.holder
                    && overlap(by.target, call.target)
                    && call.from - by.heartbeat <= by.ttl
            }
            _ => false,
        }
    }

    /// Every state that the call can have left, if it took place here and answered what it did.
    pub(crate) fn after(&self, call: &Call) -> Vec<Self> {
        let earliest = self.clock.max(call.from);
        let times = |known: Option<i64>| match known {
            Some(now) => {
                // Outside of the call there was no such moment.
                let moment = (earliest..=call.until).contains(&now).then_some(now);
                moment.map_or(earliest..earliest, |now| now..now + 1)
            }
            None => earliest..call.until + 1,
        };
        let mut states: Vec<Self> = match &call.answer {
            Answer::Claimed(new) | Answer::Renewed(new) | Answer::TakenOver(new, _) | Answer::Taken(new) => {
                times(Some(new.heartbeat)).filter_map(|now| self.taken(call, *new, now)).collect()
            }
            Answer::Beat(new) => times(Some(new.heartbeat))
                .filter_map(|now| {
                    let own = self.own(call)?;
                    let beaten = Held { heartbeat: now, ..own };
                    (beaten == *new && !self.conflicts(call, own.shared, now))
                        .then(|| self.with(&[own], &[beaten], now))
                })
                .collect(),
            Answer::Released(gone) => {
                let own = self.own(call).filter(|own| own == gone);
                own.map(|own| self.with(&[own], &[], earliest)).into_iter().collect()
            }
            Answer::Refused(by, now) => times(Some(*now))
                .filter(|now| self.refuses(call, by, *now))
                .map(|now| self.with(&[], &[], now))
                .collect(),
            Answer::NotHeld => {
                let lacks = self.own(call).is_none();
                let free = |now: &i64| match call.verb {
                    // Who lost what was shared is told so or told that nothing is held: either is true.
                    Verb::Beat => !self.others(call).any(|other| !other.shared && other.is_fresh(*now)),
                    _ => !self.others(call).any(|other| other.target == call.target),
                };
                times(None).filter(|now| lacks && free(now)).map(|now| self.with(&[], &[], now)).collect()
            }
            Answer::Swept(gone, now) => times(*now)
                .filter(|now| {
                    let stale: Vec<_> = self.stale(*now).collect();
                    stale.len() == gone.len() && gone.iter().all(|one| stale.contains(&one))
                })
                .map(|now| self.with(gone, &[], now))
                .collect(),
            Answer::Covered => {
                let own = self.claims.iter().copied().filter(|own| {
                    own.holder == call.holder && (own.target == call.target || covers(own.target, call.target))
                });
                own.flat_map(|own| self.guarded(call, own, times(None))).collect()
            }
            Answer::Seen(_) | Answer::Damaged => Vec::new(),
            Answer::Unknown => {
                let mut states = vec![self.clone()];
                states.extend(times(None).flat_map(|now| self.perhaps(call, now)));
                states
            }
        };
        states.sort_by(|one, other| (one.clock, &one.claims).cmp(&(other.clock, &other.claims)));
        states.dedup();
        states
    }

    fn own(&self, call: &Call) -> Option<Held> {
        let mut own = self.claims.iter().filter(|held| held.holder == call.holder && held.target == call.target);
        // A change of kind that was cut short leaves two files: the exclusive one counts.
        own.clone().find(|held| !held.shared).or_else(|| own.next()).copied()
    }

    fn others<'a>(&'a self, call: &'a Call) -> impl Iterator<Item = &'a Held> {
        self.claims.iter().filter(|held| held.holder != call.holder && overlap(held.target, call.target))
    }

    /// The claims of others that stand against one of the asker's, fresh or stale.
    fn against<'a>(&'a self, call: &'a Call, shared: bool) -> impl Iterator<Item = &'a Held> {
        self.others(call).filter(move |other| !(shared && other.shared))
    }

    /// "A conflict is a fresh claim of another holder on an overlapping target, unless both are shared."
    fn conflicts(&self, call: &Call, shared: bool, now: i64) -> bool {
        self.against(call, shared).any(|other| other.is_fresh(now))
    }

    fn stale(&self, now: i64) -> impl Iterator<Item = &Held> {
        self.claims.iter().filter(move |held| !held.is_fresh(now))
    }

    fn with(&self, gone: &[Held], new: &[Held], now: i64) -> Self {
        let mut claims: Vec<_> = self.claims.iter().filter(|held| !gone.contains(held)).chain(new).copied().collect();
        claims.sort_unstable();
        Self { claims, clock: now }
    }

    /// After a take that answered this claim.
    fn taken(&self, call: &Call, new: Held, now: i64) -> Option<Self> {
        let (shared, ttl) = match call.verb {
            Verb::Take { shared, ttl } => (shared, ttl),
            Verb::Guard { ttl } => (false, ttl),
            _ => return None,
        };
        if self.conflicts(call, shared, now) {
            return None;
        }
        let previous = self.own(call);
        let from: Vec<usize> =
            self.against(call, shared).filter(|other| other.target == call.target).map(|other| other.holder).collect();
        let fits = match &call.answer {
            Answer::Claimed(_) => previous.is_none() && from.is_empty(),
            Answer::Renewed(_) => previous.is_some(),
            Answer::TakenOver(_, holder) => previous.is_none() && from.contains(holder),
            _ => previous.is_none(),
        };
        let taken = previous.map_or(now, |previous| previous.taken);
        let expected = Held { target: call.target, holder: call.holder, shared, taken, heartbeat: now, ttl };
        (fits && new == expected).then(|| self.with(&self.cleared(call, shared), &[new], now))
    }

    /// What a take removes: the asker's own claim on the target, and what is stale and in the way.
    fn cleared(&self, call: &Call, shared: bool) -> Vec<Held> {
        let own = self.claims.iter().filter(|held| held.holder == call.holder && held.target == call.target);
        own.chain(self.against(call, shared)).copied().collect()
    }

    fn refuses(&self, call: &Call, by: &Held, now: i64) -> bool {
        if !self.claims.contains(by) || by.holder == call.holder || !overlap(by.target, call.target) {
            return false;
        }
        match call.verb {
            Verb::Take { shared, .. } => by.is_fresh(now) && !(shared && by.shared),
            Verb::Beat => by.is_fresh(now) && !(by.shared && self.own(call).is_some_and(|own| own.shared)),
            // "Another's → REFUSED", stale or not.
            Verb::Release => self.own(call).is_none() && by.target == call.target,
            Verb::Guard { .. } | Verb::Sweep | Verb::Look => false,
        }
    }

    /// What a guard may have done to the claim that covers its path: nothing, a beat, or a renewal.
    fn guarded(&self, call: &Call, own: Held, times: std::ops::Range<i64>) -> Vec<Self> {
        let mut states = vec![self.clone()];
        let Verb::Guard { ttl } = call.verb else { return Vec::new() };
        let judged = Call { target: own.target, ..call.clone() };
        for now in times.filter(|now| !self.conflicts(&judged, own.shared, *now)) {
            let beaten = Held { heartbeat: now, ..own };
            states.push(self.with(&[own], &[beaten], now));
            if own.target == call.target {
                states.push(self.with(&[own], &[Held { ttl, ..beaten }], now));
            }
        }
        states
    }

    /// Everything that a call whose end nobody saw may have done at this time.
    fn perhaps(&self, call: &Call, now: i64) -> Vec<Self> {
        match call.verb {
            Verb::Take { shared, ttl } => self.perhaps_taken(call, shared, ttl, now),
            Verb::Guard { ttl } => {
                let own = self.claims.iter().copied().filter(|own| {
                    own.holder == call.holder && (own.target == call.target || covers(own.target, call.target))
                });
                let mut states: Vec<_> = own.flat_map(|own| self.guarded(call, own, now..now + 1)).collect();
                states.extend(self.perhaps_taken(call, false, ttl, now));
                states
            }
            Verb::Beat => {
                let own = self.own(call).filter(|own| !self.conflicts(call, own.shared, now));
                own.map(|own| self.with(&[own], &[Held { heartbeat: now, ..own }], now)).into_iter().collect()
            }
            Verb::Release => self.own(call).map(|own| self.with(&[own], &[], now)).into_iter().collect(),
            Verb::Sweep => self.without_some(&self.stale(now).copied().collect::<Vec<_>>(), now),
            Verb::Look => Vec::new(),
        }
    }

    fn perhaps_taken(&self, call: &Call, shared: bool, ttl: i64, now: i64) -> Vec<Self> {
        if self.conflicts(call, shared, now) {
            return Vec::new();
        }
        let obstacles: Vec<_> = self.against(call, shared).copied().collect();
        let taken = self.own(call).map_or(now, |own| own.taken);
        let new = Held { target: call.target, holder: call.holder, shared, taken, heartbeat: now, ttl };
        let mut states = self.without_some(&obstacles, now);
        states.push(self.with(&self.cleared(call, shared), &[new], now));
        // Killed after the new file and before the old one of another kind was removed.
        states.push(self.with(&obstacles, &[new], now));
        states
    }

    /// Without every choice of these: a removal of several that was cut short.
    fn without_some(&self, some: &[Held], now: i64) -> Vec<Self> {
        (0..1_u32 << some.len())
            .map(|chosen| {
                let gone: Vec<_> =
                    some.iter().enumerate().filter(|(bit, _)| chosen >> bit & 1 == 1).map(|(_, held)| *held).collect();
                self.with(&gone, &[], now)
            })
            .collect()
    }
}
