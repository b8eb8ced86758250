//! What the options common to all verbs resolve to: where the place is, what time it is, who asks.

use std::{path::PathBuf, time::Duration};

use crate::{
    core::{
        duration::{self, Ttl},
        holder::Holder,
        target::{PathStyle, Target},
        time::Timestamp,
    },
    face::{cli::Common, failure::Failure, report::Report},
    host::{clock, environment, identity, paths},
    store::Place,
};

/// Resolved once, before the verb runs.
pub(crate) struct Context {
    /// Where the claims are.
    pub(crate) place: Place,
    /// The time at which this command began, for what is only looked at. What is changed is decided by the time at which
    /// the lock was had.
    pub(crate) now: Timestamp,
    /// Whether the answer is one JSON object.
    pub(crate) json: bool,
    holder: Option<String>,
}

impl Context {
    /// Resolves the options.
    pub(crate) fn new(common: Common) -> Result<Self, Failure> {
        let place = match common.dir {
            Some(path) if path.as_os_str().is_empty() => return Err(Failure::usage("--dir: a path cannot be empty")),
            Some(path) if path.is_absolute() => path,
            Some(path) => environment::directory()?.join(path),
            None => environment::place()?,
        };
        Ok(Self { place: Place::at(place, clock::now), now: clock::now(), json: common.json, holder: common.holder })
    }

    /// The same, later.
    pub(crate) fn at_this_moment(&self) -> Self {
        Self { place: self.place.clone(), now: clock::now(), json: self.json, holder: self.holder.clone() }
    }

    /// Who asks.
    pub(crate) fn holder(&self) -> Result<Holder, Failure> {
        Ok(identity::holder(self.holder.as_deref())?.0)
    }

    /// What was given as `--holder`, for verbs that use it to choose rather than to act.
    pub(crate) fn holder_option(&self) -> Option<&str> {
        self.holder.as_deref()
    }

    /// Who asks, if that is known. What was given wrongly is an error also here.
    pub(crate) fn holder_if_known(&self) -> Result<Option<Holder>, Failure> {
        match identity::holder(self.holder.as_deref()) {
            Ok((holder, _)) => Ok(Some(holder)),
            Err(identity::IdentityError::Unknown | identity::IdentityError::Ambiguous(..)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The target that was typed.
    pub(crate) fn target(&self, text: &str) -> Result<Target, Failure> {
        // An absolute path and a name mean the same in every directory, also where the current one is gone.
        let directory = if PathStyle::HERE.is_path(text) && !PathStyle::HERE.is_absolute(text) {
            environment::directory()?
        } else {
            PathBuf::new()
        };
        Ok(paths::target(text, &directory)?)
    }

    /// A hint when a name was typed that is also a file here.
    pub(crate) fn hint(&self, target: &Target, report: &mut Report) {
        if target.is_path() {
            return;
        }
        let Ok(directory) = environment::directory() else { return };
        if paths::is_here(target.as_str(), &directory) {
            let hint = format!("'{target}' is taken as a name; to mean the file here, write ./{target}");
            report.complain(format!("hint: {hint}"));
            report.set("hint", hint);
        }
    }

    /// How long to wait for what is refused: the option, from no time at all to seven days.
    pub(crate) fn wait(&self, option: Option<&str>) -> Result<Option<Duration>, Failure> {
        let parsed = option.map(|text| duration::parse(text, 0, Ttl::MOST).map(Duration::from_secs)).transpose();
        parsed.map_err(|error| Failure::usage(format!("--wait: {error}")))
    }

    /// The time to live asked for: the option, else `$CLAIM_TTL`.
    pub(crate) fn ttl(&self, option: Option<&str>) -> Result<Option<Ttl>, Failure> {
        let (text, origin) = match option {
            Some(text) => (Some(text.to_owned()), "--ttl"),
            None => (environment::text("CLAIM_TTL")?, "CLAIM_TTL"),
        };
        text.map(|text| Ttl::parse(&text).map_err(|error| Failure::usage(format!("{origin}: {error}")))).transpose()
    }
}
