//! The rule once more, written as plainly as possible: lists that are searched from end to end. It answers
//! requests, and it can tell whether a trace is one that could have happened.

use crate::core::audit::Record as Claim;
use crate::core::audit::{Directory, DirectoryEntry, NoteEntry, NoteState};
use crate::core::target::{PathStyle, Target};
use crate::core::time::Timestamp;
use crate::core::trace::{Act, Action, Blocker, Line, Terms};

pub(super) const HOLDERS: [&str; 5] = ["ant", "bee", "cat", "dog", "elk"];
pub(super) const TARGETS: [&str; 8] = ["notes", "settings", "/p", "/p/a", "/p/a/b", "/p/a-b", "/q/c", "/q/c/d"];

#[derive(Clone, Debug)]
struct Note {
    target: String,
    number: u64,
    state: NoteState,
    by: String,
}

#[derive(Clone, Default)]
pub(super) struct Model {
    pub(super) claims: Vec<Claim>,
    notes: Vec<Note>,
    pub(super) waits: Vec<(String, String, i64)>,
}

/// What a session can ask for, with the choices that the rule leaves open.
#[derive(Clone, Debug)]
pub(super) enum Ask {
    Take { terms: Terms, waited: Option<u64>, from: Option<String> },
    Beat,
    Release,
    Clear { of: String },
    Wait { shared: bool },
    GiveUp { shared: bool, waited: u64 },
    Add,
    Next { note: u64 },
    Done { note: u64 },
}

fn overlap(one: &str, other: &str) -> bool {
    let within = |inner: &str, outer: &str| inner.starts_with('/') && inner.starts_with(&format!("{outer}/"));
    one == other || within(one, other) || within(other, one)
}

fn age(claim: &Claim, now: i64) -> i64 {
    now - claim.heartbeat_at.seconds()
}

pub(super) fn fresh(claim: &Claim, now: i64) -> bool {
    age(claim, now).abs() <= i64::from(claim.ttl_s)
}

fn terms(claim: &Claim) -> Terms {
    Terms { ttl_s: claim.ttl_s, shared: claim.shared }
}

impl Model {
    fn own(&self, agent: &str, target: &str) -> Option<usize> {
        self.claims.iter().position(|claim| claim.holder == agent && claim.target == target)
    }

    /// Claims of others that overlap and are not shared with this request.
    pub(super) fn others(&self, agent: &str, target: &str, shared: bool) -> Vec<&Claim> {
        let against =
            |claim: &&Claim| claim.holder != agent && overlap(&claim.target, target) && !(shared && claim.shared);
        self.claims.iter().filter(against).collect()
    }

    /// The lines of one request; none when it is answered without one or could not have happened. `hint` says who of
    /// several stands in the way: holder and age.
    pub(super) fn ask(
        &mut self,
        now: i64,
        agent: &str,
        target: &str,
        ask: &Ask,
        hint: Option<(&str, i64)>,
    ) -> Vec<Line> {
        let act = Act { ts: Timestamp::from_seconds(now), agent, task: target };
        let pick = |claims: &[&Claim]| -> Option<(String, i64)> {
            let hinted = claims.iter().find(|claim| Some((claim.holder.as_str(), age(claim, now))) == hint);
            hinted.or(claims.first()).map(|claim| (claim.holder.clone(), age(claim, now)))
        };
        let fresh_others = |shared: bool| -> Vec<&Claim> {
            self.others(agent, target, shared).into_iter().filter(|claim| fresh(claim, now)).collect()
        };
        match ask {
            Ask::Take { terms, waited, from } => {
                if waited.is_some_and(|waited| !self.waited(agent, target, now, waited)) {
                    return Vec::new();
                }
                let lines = match pick(&fresh_others(terms.shared)) {
                    Some((holder, idle_s)) => {
                        vec![Line::skip(act, Blocker { holder: &holder, idle_s }, terms.shared)]
                    }
                    None => self.grant(act, *terms, from.as_deref()),
                };
                self.end_wait(agent, target, now, *waited);
                ended(lines, *waited)
            }
            Ask::Beat => match self.own(agent, target) {
                Some(own) => {
                    let claim = &mut self.claims[own];
                    let line = Line::beat(act, age(claim, now), terms(claim));
                    claim.heartbeat_at = act.ts;
                    vec![line]
                }
                None => pick(&fresh_others(false))
                    .map(|(holder, idle_s)| Line::skip(act, Blocker { holder: &holder, idle_s }, false))
                    .into_iter()
                    .collect(),
            },
            Ask::Release => match self.own(agent, target) {
                Some(own) => {
                    let claim = self.claims.remove(own);
                    vec![Line::release(act, age(&claim, now), terms(&claim))]
                }
                None => pick(&self.others(agent, target, false))
                    .map(|(holder, idle_s)| Line::skip_release(act, Blocker { holder: &holder, idle_s }))
                    .into_iter()
                    .collect(),
            },
            Ask::Clear { of } => match self.own(of, target) {
                Some(other) if !fresh(&self.claims[other], now) => {
                    let claim = self.claims.remove(other);
                    let from = Blocker { holder: of, idle_s: age(&claim, now) };
                    vec![Line::break_stale(act, from, terms(&claim))]
                }
                _ => Vec::new(),
            },
            Ask::Wait { shared } => {
                let blocker = pick(&fresh_others(*shared));
                let blocker = blocker.as_ref().map(|(holder, idle_s)| Blocker { holder, idle_s: *idle_s });
                // Behind another waiter nobody need hold the target.
                let blocker = if hint.is_none() { None } else { blocker };
                self.waits.push((agent.to_owned(), target.to_owned(), now));
                vec![Line::wait(act, blocker, *shared)]
            }
            Ask::GiveUp { shared, waited } => {
                if !self.waited(agent, target, now, *waited) {
                    return Vec::new();
                }
                let blocker = pick(&fresh_others(*shared)).filter(|_| hint.is_some());
                self.end_wait(agent, target, now, Some(*waited));
                match blocker {
                    Some((holder, idle_s)) => {
                        vec![Line::skip(act, Blocker { holder: &holder, idle_s }, *shared).waited(*waited)]
                    }
                    None => vec![Line::skip_in_queue(act, *shared, *waited)],
                }
            }
            Ask::Add => {
                let number = 1 + u64::try_from(self.of(target).count()).unwrap();
                self.notes.push(Note {
                    target: target.to_owned(),
                    number,
                    state: NoteState::Queued,
                    by: String::new(),
                });
                vec![Line::handover(act, number)]
            }
            Ask::Next { note } | Ask::Done { note } => {
                let Some(own) = self.own(agent, target) else {
                    return pick(&self.others(agent, target, false))
                        .map(|(holder, idle_s)| Line::skip_note(act, Blocker { holder: &holder, idle_s }))
                        .into_iter()
                        .collect();
                };
                let idle_s = age(&self.claims[own], now);
                let starts = matches!(ask, Ask::Next { .. });
                let possible =
                    if starts { self.startable(agent, target, now) } else { self.finishable(agent, target, now) };
                if !possible.contains(note) {
                    return Vec::new();
                }
                let found = self.notes.iter_mut().find(|found| found.target == target && found.number == *note);
                let found = found.unwrap();
                if starts {
                    found.state = NoteState::Started;
                    agent.clone_into(&mut found.by);
                    vec![Line::start(act, *note, idle_s)]
                } else {
                    found.state = NoteState::Finished;
                    vec![Line::finish(act, *note, idle_s)]
                }
            }
        }
    }

    fn grant(&mut self, act: Act<'_>, wanted: Terms, from: Option<&str>) -> Vec<Line> {
        let now = act.ts.seconds();
        let stale: Vec<Claim> = self.others(act.agent, act.task, wanted.shared).into_iter().cloned().collect();
        self.claims.retain(|claim| !stale.contains(claim));
        let mut lines = Vec::new();
        for claim in &stale {
            let broken = Act { task: &claim.target, ..act };
            let from = Blocker { holder: &claim.holder, idle_s: age(claim, now) };
            lines.push(Line::break_for_take(broken, from, terms(claim)));
        }
        if let Some(own) = self.own(act.agent, act.task) {
            let claim = &mut self.claims[own];
            lines.push(Line::renew(act, age(claim, now), wanted));
            *claim = Claim { heartbeat_at: act.ts, ttl_s: wanted.ttl_s, shared: wanted.shared, ..claim.clone() };
            return lines;
        }
        let here: Vec<&str> =
            stale.iter().filter(|claim| claim.target == act.task).map(|claim| claim.holder.as_str()).collect();
        let from = from.filter(|from| here.contains(from)).or(here.last().copied());
        lines.push(Line::claim(act, wanted, from));
        self.claims.push(Claim {
            target: act.task.to_owned(),
            holder: act.agent.to_owned(),
            taken_at: act.ts,
            heartbeat_at: act.ts,
            taken_from: from.map(str::to_owned),
            ttl_s: wanted.ttl_s,
            shared: wanted.shared,
        });
        lines
    }

    fn of<'a>(&'a self, target: &'a str) -> impl Iterator<Item = &'a Note> {
        self.notes.iter().filter(move |note| note.target == target)
    }

    pub(super) fn startable(&self, agent: &str, target: &str, now: i64) -> Vec<u64> {
        let started: Vec<&Note> = self.of(target).filter(|note| note.state == NoteState::Started).collect();
        let lost = started.iter().filter(|note| note.by != agent && self.own(&note.by, target).is_none());
        let first = lost.map(|note| note.number).min();
        let mut possible: Vec<u64> = started.iter().filter(|note| note.by == agent).map(|note| note.number).collect();
        for note in started.iter().filter(|note| note.by != agent) {
            if self.own(&note.by, target).is_some_and(|own| !fresh(&self.claims[own], now)) {
                possible.push(note.number);
            }
        }
        let queued = self.of(target).filter(|note| note.state == NoteState::Queued);
        possible.extend(first.or(queued.map(|note| note.number).min()));
        possible
    }

    pub(super) fn finishable(&self, agent: &str, target: &str, now: i64) -> Vec<u64> {
        let at_work = |by: &str| self.own(by, target).is_some_and(|own| fresh(&self.claims[own], now));
        let started = self.of(target).filter(|note| note.state == NoteState::Started);
        started.filter(|note| note.by == agent || !at_work(&note.by)).map(|note| note.number).collect()
    }

    fn waiting(&self, agent: &str, target: &str, now: i64, waited: u64) -> Option<usize> {
        let matching = |began: i64| u64::try_from((now - began).max(0)).unwrap() == waited;
        let waits = self.waits.iter().enumerate();
        let own = waits.filter(|(_, (who, what, began))| who == agent && what == target && matching(*began));
        own.min_by_key(|(_, (_, _, began))| *began).map(|(position, _)| position)
    }

    fn waited(&self, agent: &str, target: &str, now: i64, waited: u64) -> bool {
        self.waiting(agent, target, now, waited).is_some()
    }

    fn end_wait(&mut self, agent: &str, target: &str, now: i64, waited: Option<u64>) {
        if let Some(wait) = waited.and_then(|waited| self.waiting(agent, target, now, waited)) {
            self.waits.remove(wait);
        }
    }

    pub(super) fn directory(&self) -> Directory {
        let claim_entry = |claim: &Claim| {
            let stem = Target::recorded(&claim.target, PathStyle::HERE).ok().unwrap().stem();
            let suffix = if claim.shared { format!("+{}", claim.holder) } else { String::new() };
            DirectoryEntry { file: format!("{stem}{suffix}.json"), claim: Some(claim.clone()) }
        };
        let note_entry = |note: &Note| NoteEntry {
            stem: Target::recorded(&note.target, PathStyle::HERE).ok().unwrap().stem(),
            number: note.number,
            state: note.state,
        };
        let mut claims: Vec<_> = self.claims.iter().map(claim_entry).collect();
        let mut notes: Vec<_> = self.notes.iter().map(note_entry).collect();
        claims.sort_by(|one, other| one.file.cmp(&other.file));
        notes.sort_by(|one, other| (&one.stem, one.number).cmp(&(&other.stem, other.number)));
        Directory { claims, notes: Some(notes) }
    }
}

fn ended(mut lines: Vec<Line>, waited: Option<u64>) -> Vec<Line> {
    let last = lines.pop();
    lines.extend(last.map(|line| match waited {
        Some(waited) => line.waited(waited),
        None => line,
    }));
    lines
}

/// Whether exactly these lines could have been written, and have left this directory.
pub(super) fn could_have_happened(lines: &[Line], directory: &Directory) -> bool {
    let mut model = Model::default();
    model.explains(lines) && model.directory() == *directory
}

impl Model {
    /// Whether exactly these lines could come next. A take and the claims broken for it are one request.
    pub(super) fn explains(&mut self, lines: &[Line]) -> bool {
        let mut rest = lines;
        while !rest.is_empty() {
            let taken = rest.iter().take_while(|line| line.action == Action::BreakClaim && line.rule == 4).count();
            let Some(line) = rest.get(taken) else { return false };
            let mut group = rest[..=taken].to_vec();
            rest = &rest[taken + 1..];
            let Some(ask) = request(line) else { return false };
            let hint = line.held_by.as_deref().zip(line.idle_s);
            let mut lines = self.ask(line.ts.seconds(), &line.agent, &line.task, &ask, hint);
            for lines in [&mut group, &mut lines] {
                let broken = taken.min(lines.len());
                lines[..broken]
                    .sort_by(|one, other| (&one.task, &one.taken_from).cmp(&(&other.task, &other.taken_from)));
            }
            if lines != group {
                return false;
            }
        }
        true
    }
}

/// The request that a line answers.
fn request(line: &Line) -> Option<Ask> {
    let shared = line.shared;
    Some(match (line.action, line.rule) {
        (Action::Claim | Action::Renew, _) => Ask::Take {
            terms: Terms { ttl_s: line.ttl_s?, shared },
            waited: line.waited_s,
            from: line.taken_from.clone(),
        },
        (Action::Beat, _) => Ask::Beat,
        (Action::Release, _) | (Action::Skip, 5) => Ask::Release,
        (Action::BreakClaim, _) => Ask::Clear { of: line.taken_from.clone()? },
        (Action::Wait, _) => Ask::Wait { shared },
        (Action::Skip, 8) => Ask::Next { note: 0 },
        (Action::Skip, _) => match line.waited_s {
            Some(waited) => Ask::GiveUp { shared, waited },
            None => Ask::Take { terms: Terms { ttl_s: 900, shared }, waited: None, from: None },
        },
        (Action::Handover, _) => Ask::Add,
        (Action::Start, _) => Ask::Next { note: line.note? },
        (Action::Finish, _) => Ask::Done { note: line.note? },
    })
}
