//! One file of the claims directory as it was found: a claim, bytes that are none, or a claim under a wrong name.
//!
//! A file name is `<stem>.json`. Several holders can share one target, so a shared claim that finds that name in use by
//! another holder is `<stem>+<hash of its holder>.json`; neither a slug nor a path's stem contains `+`.

use crate::core::{
    claim::{Claim, State},
    duration::Ttl,
    holder::UNKNOWN,
    target::{PathStyle, Target, hash},
    text::visible,
    time::Timestamp,
};

/// The ending of every claim file.
pub const ENDING: &str = ".json";

/// A file of the claims directory.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its name, with the ending.
    pub file: String,
    /// What is in it.
    pub record: Record,
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Record {
    /// A claim under its own name.
    Claim(Claim, Target),
    /// Bytes that are no claim. It counts as held by `unknown`, its heartbeat being the time of the last change.
    Unreadable {
        /// When the file was last written.
        modified: Timestamp,
        /// Why it could not be read as a claim.
        reason: String,
    },
    /// A claim whose target belongs into another file, such as a copy that a file synchroniser made.
    Misnamed(Claim, Option<Target>),
}

impl Entry {
    /// Understands the bytes of the file called `file`, last changed at `modified`.
    #[must_use]
    pub fn read(file: &str, bytes: &[u8], modified: Timestamp, style: PathStyle) -> Self {
        let record = match Claim::parse(bytes) {
            Err(error) => Record::Unreadable { modified, reason: error.to_string() },
            Ok(claim) => match Target::recorded(&claim.target, style) {
                Ok(target) if stem_of(file) == Some(&*target.stem()) => Record::Claim(claim, target),
                target => Record::Misnamed(claim, target.ok()),
            },
        };
        Self { file: file.to_owned(), record }
    }

    /// The claim in it, if there is one.
    #[must_use]
    pub fn claim(&self) -> Option<&Claim> {
        match &self.record {
            Record::Claim(claim, _) | Record::Misnamed(claim, _) => Some(claim),
            Record::Unreadable { .. } => None,
        }
    }

    /// Who holds it; `unknown` when that cannot be read.
    #[must_use]
    pub fn holder(&self) -> &str {
        self.claim().map_or(UNKNOWN, |claim| &claim.holder)
    }

    /// What it is called in a message: the claim's target, else the stem of its file. Safe for a terminal.
    #[must_use]
    pub fn title(&self) -> String {
        visible(self.claim().map_or_else(|| stem_of(&self.file).unwrap_or(&self.file), |claim| &claim.target))
    }

    /// The last sign of life: the claim's heartbeat, or the time of the last change of a file that is no claim.
    #[must_use]
    pub fn heartbeat(&self) -> Timestamp {
        match &self.record {
            Record::Claim(claim, _) | Record::Misnamed(claim, _) => claim.heartbeat_at,
            Record::Unreadable { modified, .. } => *modified,
        }
    }

    /// The time to live that applies; the default for a file that is no claim.
    #[must_use]
    pub fn time_to_live(&self) -> Ttl {
        self.claim().map_or(Ttl::DEFAULT, Claim::time_to_live)
    }

    /// Fresh, stale or of the future at `now`.
    #[must_use]
    pub fn state(&self, now: Timestamp) -> State {
        State::of(self.heartbeat(), self.time_to_live(), now)
    }

    /// Whether others may share it. A file that is no claim is taken for exclusive.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.claim().is_some_and(|claim| claim.shared)
    }
}

/// The stem that a file of this name stands for; `None` for a name without the ending of a claim file.
#[must_use]
pub fn stem_of(file: &str) -> Option<&str> {
    let stem = file.strip_suffix(ENDING)?;
    // Bytes: this is asked of every file in the directory, and a search for a character costs more to set up.
    match stem.bytes().position(|byte| byte == b'+') {
        Some(end) => stem.get(..end),
        None => Some(stem),
    }
}

/// The file of an exclusive claim, or of the first to share.
#[must_use]
pub fn plain_file(stem: &str) -> String {
    format!("{stem}{ENDING}")
}

/// The file of a further holder who shares the target.
#[must_use]
pub fn shared_file(stem: &str, holder: &str) -> String {
    format!("{stem}+{:016x}{ENDING}", hash(holder))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(target: &str) -> Vec<u8> {
        format!(
            r#"{{"target":"{target}","holder":"h","purpose":"p","taken_at":"2026-01-01T00:00:00Z","heartbeat_at":"2026-01-01T00:00:00Z"}}"#
        )
        .into_bytes()
    }

    fn read(file: &str, target: &str) -> Record {
        Entry::read(file, &bytes(target), Timestamp(0), PathStyle::Unix).record
    }

    #[test]
    fn a_claim_belongs_into_the_file_of_its_stem() {
        let path = Target::path("/a/b", PathStyle::Unix).unwrap().stem();
        for (file, target) in [
            ("shared-config.json", "shared-config"),
            ("shared-config.json", "Shared Config"),
            (&*shared_file("shared-config", "h"), "shared/config"),
            (&*plain_file(&path), "/a/b"),
            (&*shared_file(&path, "h"), "/a/b/"),
        ] {
            assert!(matches!(read(file, target), Record::Claim(..)), "{file} {target}");
        }
        for (file, target) in [
            ("other.json", "shared-config"),
            ("shared-config (conflicted copy).json", "shared-config"),
            (&*plain_file(&path), "/a/b-"),
            ("a-b.json", "/a/b"),
            ("x.json", "..."),
            ("x.json", ""),
        ] {
            assert!(matches!(read(file, target), Record::Misnamed(..)), "{file} {target}");
        }
    }

    #[test]
    fn a_file_that_is_no_claim_is_held_by_unknown_since_its_last_change() {
        let entry = Entry::read("t.json", b"", Timestamp(1_000), PathStyle::Unix);
        assert_eq!((entry.holder(), entry.heartbeat(), &*entry.title()), ("unknown", Timestamp(1_000), "t"));
        assert_eq!(entry.state(Timestamp(1_900)), State::Fresh);
        assert_eq!(entry.state(Timestamp(1_901)), State::Stale);
    }
}
