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
        target::{PathStyle, Target},
        text::visible,
        trace::Line,
    },
    face::{
        context::Context,
        failure::Failure,
        waiting::{self, Asking, Outcome},
    },
    host::{
        paths,
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
    /// It is temporary, or a device.
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
    Failed(Failure, String),
}

impl Said {
    /// Whether the write must not be done, whatever is said of its other paths.
    pub(crate) fn stops(&self) -> bool {
        matches!(self, Self::Refused(..) | Self::Awaited(..) | Self::Failed(..))
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

impl Guard<'_> {
    /// Judges a write to all of `paths`, relative to `base`, and claims or beats what that asks for: nothing at all if
    /// one of them stands in the way. What is said is in the order of the paths.
    pub(crate) fn check(&self, paths: &[PathBuf], base: &Path) -> Vec<Said> {
        let looks: Vec<_> = paths.iter().map(|path| self.look(path, base)).collect();
        // Under the lock, which may take a while to get: once for all.
        let refused: Vec<&Look> = looks.iter().flatten().filter(|look| self.is_told_of(look)).collect();
        if !refused.is_empty() {
            self.context.place.note(|locked| {
                let lines: Result<Vec<_>, _> = refused.iter().map(|look| self.refused_lines(look, locked)).collect();
                lines.map(|lines| lines.concat())
            });
        }
        let failed = |failure, path: &Path| Said::Failed(failure, visible(&path.to_string_lossy()));
        let mut said: Vec<Said> = Vec::with_capacity(paths.len());
        for (path, look) in paths.iter().zip(&looks) {
            said.push(match look {
                Ok(look) => seen(look),
                Err(failure) => failed(failure.clone(), path),
            });
        }
        if said.iter().any(Said::stops) {
            return said;
        }
        for (index, ((path, look), said)) in paths.iter().zip(looks).zip(&mut said).enumerate() {
            // What was claimed for the path before may cover this one too.
            let look = if index == 0 { look } else { self.look(path, base) };
            *said = look.and_then(|look| self.act(&look)).unwrap_or_else(|failure| failed(failure, path));
            if said.stops() {
                // The others would wait for the same lock, and a hook that takes too long lets the write through.
                break;
            }
        }
        said
    }

    fn look(&self, path: &Path, base: &Path) -> Result<Look, Failure> {
        if trees::is_stream(path) {
            let target = Target::path(&path.to_string_lossy(), PathStyle::HERE).map_err(paths::PathError::from)?;
            return Ok(Look { target, home: None, judgement: Judgement::Unclaimed, awaited: None, free: true });
        }
        let target = paths::path_target(path, base)?;
        let real = Path::new(target.as_str());
        if self.is_in_place(real) {
            return Err(Failure::error("inside-the-place", "the claims are changed by the verbs of claim alone"));
        }
        let home = self.home.as_ref().and_then(|home| home.root_for(real));
        let entries = self.context.place.look(&target.reach())?;
        let judgement = rule::judge(&entries, &target, self.holder, standing(home.as_deref()), self.context.now);
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

    fn act(&self, look: &Look) -> Result<Said, Failure> {
        match &look.judgement {
            Judgement::Covered { by, due: true } => self.beat(by, look),
            Judgement::Home => self.at_home(look),
            Judgement::Unclaimed if !look.free => self.abroad(look.target.clone()),
            _ => Ok(seen(look)),
        }
    }

    fn is_in_place(&self, path: &Path) -> bool {
        paths::resolve(self.context.place.path()).is_ok_and(|place| path.starts_with(place))
    }

    fn beat(&self, by: &Target, look: &Look) -> Result<Said, Failure> {
        let target = look.target.clone();
        let Some(holder) = self.holder else { return Ok(Said::Unclaimed(target)) };
        let request = Request { target: by, holder };
        let verdict = self.context.place.change(Absent::Empty, Some(&by.reach()), |entries, now| {
            let decision = rule::beat(entries, &request, now);
            (decision.verdict, decision.effects)
        })?;
        match verdict {
            Verdict::Refused(refusal) => Ok(Said::Refused(refusal, target)),
            Verdict::Beat(_) => Ok(Said::Allowed(Leave::Covered, target)),
            // Its own session released it between the look and the beat.
            _ if look.home.is_some() => Ok(Said::Allowed(Leave::Home, target)),
            _ => self.abroad(target),
        }
    }

    /// The presence of a writer at home is no turn in a line: who waits for the tree does not stop its owner.
    fn at_home(&self, look: &Look) -> Result<Said, Failure> {
        let target = &look.target;
        if let (true, Some(holder), Some(root)) = (self.presence, self.holder, &look.home) {
            let tree = paths::path_target(root, root)?;
            let verdict = match self.be_present(holder, &tree)? {
                // Where another holds a part of the tree the whole cannot be shared; what is written can.
                Verdict::Refused(_) if !tree.is(target) => self.be_present(holder, target)?,
                verdict => verdict,
            };
            if let Verdict::Refused(refusal) = verdict {
                return Ok(Said::Refused(refusal, target.clone()));
            }
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

    fn abroad(&self, target: Target) -> Result<Said, Failure> {
        let (true, Some(holder)) = (self.take, self.holder) else { return Ok(Said::Unclaimed(target)) };
        let tree = tree_of(&target)?;
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
        match verdict {
            Verdict::Refused(refusal) => Ok(Said::Refused(refusal, target)),
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

/// How a write is judged, by the root of the home tree that it is in.
fn standing(home: Option<&Path>) -> Standing {
    if home.is_some() { Standing::Home } else { Standing::Abroad }
}

/// What is claimed for a write abroad: the tree that it is in, else the file alone.
fn tree_of(target: &Target) -> Result<Target, Failure> {
    match trees::root_of(Path::new(target.as_str())) {
        Some(root) => Ok(paths::path_target(&root, &root)?),
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
