//! May this path be written? What `guard` and `hook` share: where home is, what is in the way, what has to be claimed.
//!
//! A path that may be written anyway takes no lock and writes nothing, unless a heartbeat is due: this runs before every
//! write of every agent.
//!
//! All paths of one write are looked at before anything is claimed for any of them. Two sessions whose writes touch the
//! same two trees would else end up with one tree each, both refused and each in the other's way.

use std::path::{Path, PathBuf};

use crate::{
    core::{
        claim::Claim,
        holder::Holder,
        queue::{self, Ask, Ticket},
        rule::{self, Effects, Judgement, Refusal, Request, Standing, Verdict, Wish},
        target::Target,
        text::visible,
        time::Timestamp,
        trace::Line,
        write::Write,
    },
    face::{
        context::Context,
        failure::Failure,
        waiting::{self, Asking, Outcome},
    },
    host::{
        clock,
        paths::{self, PathError},
        trees::{self, Home},
    },
    store::{self, Absent, Locked},
};

/// What is known about the session that wants to write.
pub(crate) struct Guard<'a> {
    pub(crate) context: &'a Context,
    /// Who writes; `None` judges as a stranger would.
    pub(crate) holder: Option<&'a Holder>,
    pub(crate) home: Option<Home>,
    /// Whether a foreign tree that nobody holds is claimed.
    pub(crate) take: bool,
    /// Whether a write at home leaves a shared claim on it, so that foreign writers see the owner at work.
    pub(crate) presence: bool,
}

/// Why a write may go on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Leave {
    /// It is in the writer's own tree.
    Home,
    /// A claim of the writer covers it.
    Covered,
    /// It is temporary, or a device, or what nobody may claim: the user's home directory or `/` itself.
    Free,
    /// This has just been claimed for it.
    Taken(Claim),
}

/// What is said of one path.
pub(crate) enum Said {
    Allowed(Leave, Target),
    Refused(Refusal, Target),
    /// Nobody has it, and somebody who waits for it comes first.
    Awaited(Ticket, Target),
    Unclaimed(Target),
    /// It cannot be judged: why, in words that name it, and its name.
    Failed(Failure, String),
}

impl Said {
    /// Whether the write must not be done, whatever is said of its other paths.
    pub(crate) fn stops(&self) -> bool {
        matches!(self, Self::Refused(..) | Self::Awaited(..) | Self::Failed(..))
    }
}

/// One path that a write changes.
struct Asked<'a> {
    /// As it was spelled.
    path: &'a Path,
    target: Result<Target, Failure>,
    /// Whether it is a stream of the process that writes.
    stream: bool,
}

/// What a write changes: one path, or two where reading does not tell whether a link is followed.
fn asked<'a>(write: &'a Write, base: &Path) -> Vec<Asked<'a>> {
    let path = write.path.as_path();
    if trees::is_stream(path) {
        return vec![Asked { path, target: paths::judged(path).map_err(Failure::from), stream: true }];
    }
    let of = |target: Result<Target, PathError>| Asked { path, target: target.map_err(Failure::from), stream: false };
    match paths::written(write, base) {
        Ok(written) => written.iter().map(|real| of(paths::judged(real))).collect(),
        Err(error) => vec![of(Err(error))],
    }
}

/// A path, looked at and nothing done.
struct Look {
    target: Target,
    /// The root of the home tree that it is in.
    home: Option<PathBuf>,
    judgement: Judgement,
    /// Who comes first, if its tree had to be claimed.
    awaited: Option<Ticket>,
    /// Whether it needs no claim of its own; asked only of what is unclaimed.
    free: bool,
}

impl Look {
    /// Whether something has to be claimed or beaten for it.
    fn asks_for_more(&self) -> bool {
        match &self.judgement {
            Judgement::Covered { due, .. } => *due,
            Judgement::Home => true,
            Judgement::Unclaimed => !self.free,
            Judgement::Refused(_) => false,
        }
    }
}

impl Guard<'_> {
    /// Judges all that is written, relative to `base`, and claims or beats what that asks for: nothing at all if one path
    /// stands in the way. What is said is in the order of the paths.
    pub(crate) fn check(&self, writes: &[Write], base: &Path) -> Vec<Said> {
        let asked: Vec<Asked<'_>> = writes.iter().flat_map(|write| asked(write, base)).collect();
        let place = paths::resolve(self.context.place.path()).map_err(Failure::from);
        let look = |asked: &Asked<'_>, now| self.look(asked, &place, now);
        let looks: Vec<_> = asked.iter().map(|asked| look(asked, self.context.now)).collect();
        // Under the lock, which may take a while to get: once for all.
        let refused: Vec<&Look> = looks.iter().flatten().filter(|look| self.is_told_of(look)).collect();
        if !refused.is_empty() {
            self.context.place.note(|locked| {
                let lines: Result<Vec<_>, _> = refused.iter().map(|look| self.refused_lines(look, locked)).collect();
                lines.map(|lines| lines.concat())
            });
        }
        let failed = |failure: Failure, asked: &Asked<'_>| {
            let path = visible(&asked.path.to_string_lossy());
            // What is wrong with a path names it already.
            let message = if asked.target.is_err() { failure.message } else { format!("{path}: {}", failure.message) };
            Said::Failed(Failure { message, ..failure }, path)
        };
        let mut said: Vec<Said> = Vec::with_capacity(asked.len());
        for (asked, look) in asked.iter().zip(&looks) {
            said.push(match look {
                Ok(look) => seen(look),
                Err(failure) => failed(failure.clone(), asked),
            });
        }
        if said.iter().any(Said::stops) {
            return said;
        }
        let mut held = Vec::new();
        for ((asked, first), said) in asked.iter().zip(looks).zip(&mut said) {
            let look = match first {
                Ok(first) if !first.asks_for_more() => continue,
                // What was claimed for a path before covers this one too.
                Ok(first) if is_covered(&first.target, &held) => {
                    let leave = if first.home.is_some() { Leave::Home } else { Leave::Covered };
                    *said = Said::Allowed(leave, first.target);
                    continue;
                }
                // It took a while, perhaps.
                Ok(_) if !held.is_empty() => look(asked, clock::now()),
                first => first,
            };
            let acted = look.and_then(|look| self.act(&look, &mut held));
            *said = acted.unwrap_or_else(|failure| failed(failure, asked));
            if said.stops() {
                // The others would wait for the same lock, and a hook that takes too long lets the write through.
                break;
            }
        }
        said
    }

    fn look(&self, asked: &Asked<'_>, place: &Result<PathBuf, Failure>, now: Timestamp) -> Result<Look, Failure> {
        let target = asked.target.clone()?;
        if asked.stream {
            return Ok(Look { target, home: None, judgement: Judgement::Unclaimed, awaited: None, free: true });
        }
        let real = Path::new(target.as_str());
        if real.starts_with(place.as_ref().map_err(Failure::clone)?) {
            return Err(Failure::error("inside-the-place", "the claims are changed by the verbs of claim alone"));
        }
        let home = match &self.home {
            Some(home) => home.root_for(real)?,
            None => None,
        };
        let entries = self.context.place.look(&target.reach())?;
        let judgement = rule::judge(&entries, &target, self.holder, standing(home.as_deref()), now);
        // Asked of the system only where it decides: a write at home, which is nearly every one, does not need it.
        let free = judgement == Judgement::Unclaimed && trees::is_free(real);
        let awaited = if judgement == Judgement::Unclaimed && !free { self.awaited(&target)? } else { None };
        Ok(Look { target, home, judgement, awaited, free })
    }

    /// Who waits for the tree that would have to be claimed.
    fn awaited(&self, target: &Target) -> Result<Option<Ticket>, Failure> {
        let (true, Some(holder)) = (self.take, self.holder) else { return Ok(None) };
        let tree = tree_of(target)?;
        let (entries, tickets) = self.context.place.look_at_line(&tree.reach())?;
        let ask = Ask { target: &tree, holder, shared: false, number: None };
        Ok(queue::ahead(&entries, &tickets, &ask, self.context.now).first().map(|first| (*first).clone()))
    }

    /// Whether the trace tells of what was found.
    fn is_told_of(&self, look: &Look) -> bool {
        self.holder.is_some() && (matches!(look.judgement, Judgement::Refused(_)) || look.awaited.is_some())
    }

    fn refused_lines(&self, look: &Look, locked: &Locked) -> Result<Vec<Line>, store::Error> {
        let (target, now, shared) = (&look.target, locked.now(), look.home.is_some());
        Ok(match (&look.judgement, &look.awaited, self.holder) {
            (Judgement::Refused(_), _, Some(holder)) => {
                let standing = standing(look.home.as_deref());
                let entries = locked.entries(Some(&target.reach()))?;
                // Whoever was in the way may have gone since the look, which took no lock.
                match rule::judge(&entries, target, Some(holder), standing, now) {
                    Judgement::Refused(refusal) => vec![rule::refused_line(&refusal, target, holder, shared, now)],
                    _ => Vec::new(),
                }
            }
            // A place in the line was to be had, and it was not waited for.
            (_, Some(_), Some(holder)) => vec![
                rule::wait_line(None, target, holder, shared, now),
                rule::waited_line(None, target, holder, shared, now, 0),
            ],
            _ => Vec::new(),
        })
    }

    /// Claims or beats what a path asks for, and adds it to what is `held`.
    fn act(&self, look: &Look, held: &mut Vec<Target>) -> Result<Said, Failure> {
        match &look.judgement {
            Judgement::Covered { by, due: true } => self.beat(by, look, held),
            Judgement::Home => self.at_home(look, held),
            Judgement::Unclaimed if !look.free => self.abroad(look.target.clone(), held),
            _ => Ok(seen(look)),
        }
    }

    fn beat(&self, by: &Target, look: &Look, held: &mut Vec<Target>) -> Result<Said, Failure> {
        let target = look.target.clone();
        let Some(holder) = self.holder else { return Ok(Said::Unclaimed(target)) };
        let request = Request { target: by, holder };
        let verdict = self.context.place.change(Absent::Empty, Some(&by.reach()), |entries, now| {
            let decision = rule::beat(entries, &request, now);
            (decision.verdict, decision.effects)
        })?;
        match verdict {
            Verdict::Refused(refusal) => Ok(Said::Refused(refusal, target)),
            Verdict::Beat(_) => {
                held.push(by.clone());
                Ok(Said::Allowed(Leave::Covered, target))
            }
            // Its own session released it between the look and the beat.
            _ if look.home.is_some() => Ok(Said::Allowed(Leave::Home, target)),
            _ => self.abroad(target, held),
        }
    }

    /// The presence of a writer at home is no turn in a line: who waits for the tree does not stop its owner.
    fn at_home(&self, look: &Look, held: &mut Vec<Target>) -> Result<Said, Failure> {
        let target = &look.target;
        if let (true, Some(holder), Some(root)) = (self.presence, self.holder, &look.home) {
            let tree = paths::resolved_target(root)?;
            let (verdict, shared) = match self.be_present(holder, &tree)? {
                // Where another holds a part of the tree the whole cannot be shared; what is written can.
                Verdict::Refused(_) if !tree.is(target) => (self.be_present(holder, target)?, target.clone()),
                verdict => (verdict, tree),
            };
            if let Verdict::Refused(refusal) = verdict {
                return Ok(Said::Refused(refusal, target.clone()));
            }
            held.push(shared);
        }
        Ok(Said::Allowed(Leave::Home, target.clone()))
    }

    fn be_present(&self, holder: &Holder, tree: &Target) -> Result<Verdict, Failure> {
        let wish = Wish { purpose: "at work here", ttl: self.context.ttl(None)?, shared: true };
        let request = Request { target: tree, holder };
        let verdict = self.context.place.change(Absent::Make, Some(&tree.reach()), |entries, now| {
            let decision = rule::take(entries, &request, &wish, now);
            (decision.verdict, decision.effects)
        })?;
        self.readable(verdict, tree)
    }

    fn abroad(&self, target: Target, held: &mut Vec<Target>) -> Result<Said, Failure> {
        let (true, Some(holder)) = (self.take, self.holder) else { return Ok(Said::Unclaimed(target)) };
        let tree = tree_of(&target)?;
        if trees::is_nobodys(Path::new(tree.as_str())) {
            return Ok(Said::Allowed(Leave::Free, target));
        }
        let purpose = format!("writes {target}");
        let wish = Wish { purpose: &purpose, ttl: self.context.ttl(None)?, shared: false };
        let request = Request { target: &tree, holder };
        let asking = Asking {
            context: self.context,
            target: &tree,
            holder,
            shared: false,
            decide: &|entries, now| rule::take(entries, &request, &wish, now),
            undo: &|_, _, _| Effects::default(),
        };
        let verdict = match waiting::ask(&asking, None)?.outcome {
            Outcome::Decided(verdict, _) => self.readable(verdict, &tree)?,
            Outcome::Behind(first) => return Ok(Said::Awaited(first, target)),
            Outcome::Interrupted(_) => return Err(Failure::error("internal", "nothing was waited for")),
        };
        if let Verdict::Refused(refusal) = verdict {
            return Ok(Said::Refused(refusal, target));
        }
        held.push(tree);
        match verdict {
            Verdict::Claimed(claim) | Verdict::TakenOver(claim, _) => Ok(Said::Allowed(Leave::Taken(claim), target)),
            // A claim of one's own on the very tree, made between the look and now.
            _ => Ok(Said::Allowed(Leave::Covered, target)),
        }
    }

    fn readable(&self, verdict: Verdict, tree: &Target) -> Result<Verdict, Failure> {
        match verdict {
            Verdict::Misnamed(entry) => Err(crate::face::verbs::misnamed(self.context, &entry, tree)),
            verdict => Ok(verdict),
        }
    }
}

/// Whether one of these claims is on this path or around it.
fn is_covered(path: &Target, held: &[Target]) -> bool {
    held.iter().any(|target| target.is(path) || target.covers(path))
}

/// How a write is judged, by the root of the home tree that it is in.
fn standing(home: Option<&Path>) -> Standing {
    if home.is_some() { Standing::Home } else { Standing::Abroad }
}

/// What is claimed for a write abroad: the tree that it is in, else the file alone.
fn tree_of(target: &Target) -> Result<Target, Failure> {
    match trees::root_of(Path::new(target.as_str()))? {
        Some(root) => Ok(paths::resolved_target(&root)?),
        None => Ok(target.clone()),
    }
}

/// What is said of a path for which nothing is done.
fn seen(look: &Look) -> Said {
    let target = look.target.clone();
    if let Some(first) = &look.awaited {
        return Said::Awaited(first.clone(), target);
    }
    match &look.judgement {
        Judgement::Refused(refusal) => Said::Refused(refusal.clone(), target),
        Judgement::Covered { .. } => Said::Allowed(Leave::Covered, target),
        Judgement::Home => Said::Allowed(Leave::Home, target),
        Judgement::Unclaimed if look.free => Said::Allowed(Leave::Free, target),
        Judgement::Unclaimed => Said::Unclaimed(target),
    }
}
