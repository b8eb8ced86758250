//! May this path be written? What `guard` and `hook` share: where home is, what is in the way, what has to be claimed.
//!
//! A path that may be written anyway takes no lock and writes nothing, unless a heartbeat is due: this runs before every
//! write of every agent.

use std::path::{Path, PathBuf};

use crate::{
    core::{
        holder::Holder,
        rule::{self, Judgement, Refusal, Request, Standing, Verdict, Wish},
        target::Target,
        text::visible,
    },
    face::{context::Context, failure::Failure},
    host::{
        paths,
        trees::{self, Home},
    },
    store::Absent,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leave {
    /// It is in the writer's own tree.
    Home,
    /// A claim of the writer covers it.
    Covered,
    /// It is temporary, or a device.
    Free,
    /// The tree has just been claimed.
    Taken,
}

/// What is said of one path.
pub(crate) enum Said {
    Allowed(Leave, Target),
    Refused(Refusal, Target),
    Unclaimed(Target),
    Failed(Failure, String),
}

impl Guard<'_> {
    /// Judges a write to `path`, relative to `base`, and claims or beats what that asks for.
    pub(crate) fn check(&self, path: &Path, base: &Path) -> Said {
        match self.judge(path, base) {
            Ok(said) => said,
            Err(failure) => Said::Failed(failure, visible(&path.to_string_lossy())),
        }
    }

    fn judge(&self, path: &Path, base: &Path) -> Result<Said, Failure> {
        let target = paths::path_target(path, base)?;
        let real = PathBuf::from(target.as_str());
        let real = real.as_path();
        if self.is_in_place(real) {
            return Err(Failure::error("inside-the-place", "the claims are changed by the verbs of claim alone"));
        }
        let home = self.home.as_ref().and_then(|home| home.root_for(real));
        let standing = if home.is_some() { Standing::Home } else { Standing::Abroad };
        let entries = self.context.place.look(&target.reach())?;
        match rule::judge(&entries, &target, self.holder, standing, self.context.now) {
            Judgement::Refused(refusal) => {
                if let Some(holder) = self.holder {
                    let shared = standing == Standing::Home;
                    let line = rule::refused_line(&refusal, &target, holder, shared, self.context.now);
                    self.context.place.note(&[line]);
                }
                Ok(Said::Refused(refusal, target))
            }
            Judgement::Covered { due: false, .. } => Ok(Said::Allowed(Leave::Covered, target)),
            Judgement::Covered { by, due: true } => self.beat(&by, target, standing),
            Judgement::Home => self.at_home(home.as_deref().unwrap_or(real), target),
            Judgement::Unclaimed if trees::is_free(real) => Ok(Said::Allowed(Leave::Free, target)),
            Judgement::Unclaimed => self.abroad(target),
        }
    }

    fn is_in_place(&self, path: &Path) -> bool {
        paths::resolve(self.context.place.path()).is_ok_and(|place| path.starts_with(place))
    }

    fn beat(&self, by: &Target, target: Target, standing: Standing) -> Result<Said, Failure> {
        let Some(holder) = self.holder else { return Ok(Said::Unclaimed(target)) };
        let request = Request { target: by, holder };
        let verdict = self.context.place.change(Absent::Empty, Some(&by.reach()), |entries| {
            let decision = rule::beat(entries, &request, self.context.now);
            (decision.verdict, decision.effects)
        })?;
        match verdict {
            Verdict::Refused(refusal) => Ok(Said::Refused(refusal, target)),
            Verdict::Beat(_) => Ok(Said::Allowed(Leave::Covered, target)),
            // Its own session released it between the look and the beat.
            _ if standing == Standing::Home => Ok(Said::Allowed(Leave::Home, target)),
            _ => self.abroad(target),
        }
    }

    fn at_home(&self, root: &Path, target: Target) -> Result<Said, Failure> {
        if let (true, Some(holder)) = (self.presence, self.holder) {
            let tree = paths::path_target(root, root)?;
            let verdict = match self.claim(holder, &tree, &target, true)? {
                // Where another holds a part of the tree the whole cannot be shared; what is written can.
                Verdict::Refused(_) if !tree.is(&target) => self.claim(holder, &target, &target, true)?,
                verdict => verdict,
            };
            if let Verdict::Refused(refusal) = verdict {
                return Ok(Said::Refused(refusal, target));
            }
        }
        Ok(Said::Allowed(Leave::Home, target))
    }

    fn abroad(&self, target: Target) -> Result<Said, Failure> {
        let (true, Some(holder)) = (self.take, self.holder) else { return Ok(Said::Unclaimed(target)) };
        let root = trees::root_of(Path::new(target.as_str()));
        let tree = match &root {
            Some(root) => paths::path_target(root, root)?,
            None => target.clone(),
        };
        match self.claim(holder, &tree, &target, false)? {
            Verdict::Refused(refusal) => Ok(Said::Refused(refusal, target)),
            _ => Ok(Said::Allowed(Leave::Taken, target)),
        }
    }

    fn claim(&self, holder: &Holder, tree: &Target, target: &Target, shared: bool) -> Result<Verdict, Failure> {
        let purpose = if shared { "at work here".to_owned() } else { format!("writes {target}") };
        let ttl = self.context.ttl(None)?;
        let wish = Wish { purpose: &purpose, ttl, shared };
        let request = Request { target: tree, holder };
        let verdict = self.context.place.change(Absent::Make, Some(&tree.reach()), |entries| {
            let decision = rule::take(entries, &request, &wish, self.context.now);
            (decision.verdict, decision.effects)
        })?;
        match verdict {
            Verdict::Misnamed(entry) => Err(crate::face::verbs::misnamed(self.context, &entry, tree)),
            verdict => Ok(verdict),
        }
    }
}
