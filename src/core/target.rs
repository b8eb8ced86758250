//! What is claimed: a name or a path, the file name ("stem") that stands for it, and which targets overlap.
//!
//! Names are compared by their slug, because a false refusal costs a wait and a missed one costs the work. Paths arrive
//! here already made absolute and canonical (`host::paths` does that); here they are only compared, and never touched.

use std::{borrow::Cow, fmt};

use thiserror::Error;

/// The most characters that a name may have.
pub const LONGEST_NAME: usize = 200;
/// The most bytes that a path may have: Linux's own bound.
pub const LONGEST_PATH: usize = 4_096;
/// The most bytes of a name's slug. A letter may become several when it is transliterated, and a file name has 255.
const LONGEST_SLUG: usize = 200;
/// The most bytes of a path's slug that its stem keeps; the hash behind it tells paths apart.
const SLUG_IN_STEM: usize = 100;
/// Stands for a path's slug when the path has no letter or digit. No slug contains it.
const NO_SLUG: &str = "_";

/// How paths are spelled on a platform. Both are known everywhere, so that both can be tested anywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PathStyle {
    /// `/a/b`; letters of different case are different.
    Unix,
    /// `C:\a\b` or `\\server\share`; `/` is a separator too, and case does not matter.
    Windows,
}

impl PathStyle {
    /// The style of the platform that this program was built for.
    pub const HERE: Self = if cfg!(windows) { Self::Windows } else { Self::Unix };

    fn is_separator(self, character: char) -> bool {
        character == '/' || (self == Self::Windows && character == '\\')
    }

    /// Whether the text begins at a root: `/…`, and on Windows a drive or a backslash.
    #[must_use]
    pub fn is_absolute(self, text: &str) -> bool {
        let mut characters = text.chars();
        match (characters.next(), characters.next()) {
            (Some(first), _) if self.is_separator(first) => true,
            (Some(drive), Some(':')) => self == Self::Windows && drive.is_ascii_alphabetic(),
            _ => false,
        }
    }

    /// What stands between the parts of a path that is recorded.
    fn separator(self) -> char {
        if self == Self::Windows { '\\' } else { '/' }
    }

    /// How much of a path is a root that keeps the separator at its end, in bytes: `/`, or `C:\`.
    fn root_length(self, path: &str) -> usize {
        if self == Self::Windows && path.chars().nth(1) == Some(':') { 3 } else { 1 }
    }

    /// A path as people spell it: on Windows with backslashes and without the `\\?\` that canonicalising puts in front.
    #[must_use]
    pub fn plain(self, text: &str) -> String {
        let mut path = text.to_owned();
        if self == Self::Windows {
            path = path.replace('/', "\\");
            // Of the others, such as a volume's, nothing shorter is the same path.
            while let Some(rest) = path.strip_prefix(r"\\?\") {
                path = match (rest.strip_prefix(r"UNC\"), rest.chars().nth(1)) {
                    (Some(share), _) => format!(r"\\{share}"),
                    (None, Some(':')) if self.is_absolute(rest) => rest.to_owned(),
                    _ => break,
                };
            }
        }
        path
    }

    /// A path as a POSIX shell has it. On Windows such a shell (Git's, MSYS2's) writes a drive as `/c`; on Unix there is
    /// nothing to translate.
    #[must_use]
    pub fn from_shell(self, text: &str) -> Cow<'_, str> {
        let mut characters = text.chars();
        match (self, characters.next(), characters.next(), characters.next()) {
            (Self::Windows, Some('/'), Some(drive), None | Some('/')) if drive.is_ascii_alphabetic() => {
                Cow::Owned(format!("{drive}:/{}", text.get(3..).unwrap_or_default()))
            }
            _ => Cow::Borrowed(text),
        }
    }

    /// What decides which paths are the same. On Windows case does not matter, nor do dots and spaces at the end of a part,
    /// which the system leaves out, and a stream of a file (`file:stream`) is in that file.
    fn key(self, text: &str) -> String {
        if self == Self::Unix {
            return text.to_owned();
        }
        let (drive, rest) = match text.split_at_checked(2) {
            Some((drive, rest)) if drive.ends_with(':') => (drive, rest),
            _ => ("", text),
        };
        let parts = rest.split('\\').map(|part| {
            let file = part.split_once(':').map_or(part, |(file, _)| file);
            match file.trim_end_matches(['.', ' ']) {
                "" => part,
                shorter => shorter,
            }
        });
        format!("{drive}{}", parts.collect::<Vec<_>>().join("\\")).to_lowercase()
    }

    /// Whether a target is meant as a path: absolute, or beginning `./` `../` `~/`, or one of `.` `..` `~`.
    #[must_use]
    pub fn is_path(self, text: &str) -> bool {
        self.is_absolute(text)
            || matches!(text, "." | ".." | "~")
            || ["..", ".", "~"].iter().any(|start| {
                text.strip_prefix(start).is_some_and(|rest| rest.starts_with(|next| self.is_separator(next)))
            })
    }
}

/// Why a text cannot be a target. All of them are usage errors.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TargetError {
    /// The empty text.
    #[error("a target cannot be empty")]
    Empty,
    /// A control character.
    #[error("a target cannot have control characters: '{}'", crate::core::text::visible(.0))]
    Control(String),
    /// A name without anything that a file name could be made of.
    #[error("the name '{}' has no letter or digit", crate::core::text::visible(.0))]
    NoLetter(String),
    /// A name of more than [`LONGEST_NAME`] characters.
    #[error("a name has at most {LONGEST_NAME} characters: '{}'", crate::core::text::visible(.0))]
    LongName(String),
    /// A name that is longer once it is spelled with the letters of a file name.
    #[error("the name '{}' is too long for a file name once its letters are transliterated: shorten it", crate::core::text::visible(.0))]
    LongSlug(String),
    /// A path of more than [`LONGEST_PATH`] bytes.
    #[error("a path has at most {LONGEST_PATH} bytes: '{}'", crate::core::text::visible(.0))]
    LongPath(String),
}

/// What is claimed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Target {
    text: String,
    /// What decides sameness: the slug of a name, the folded text of a path.
    key: String,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Name,
    Path(PathStyle),
}

impl Target {
    /// A name, such as `shared-config` or `team/config`.
    ///
    /// # Errors
    /// [`TargetError`] when it is empty, too long, has control characters, or neither letter nor digit.
    pub fn name(text: &str) -> Result<Self, TargetError> {
        check(text)?;
        if text.chars().count() > LONGEST_NAME {
            return Err(TargetError::LongName(text.to_owned()));
        }
        let key = slug::slugify(text);
        match key.len() {
            0 => Err(TargetError::NoLetter(text.to_owned())),
            1..=LONGEST_SLUG => Ok(Self { text: text.to_owned(), key, kind: Kind::Name }),
            _ => Err(TargetError::LongSlug(text.to_owned())),
        }
    }

    /// A path that is absolute and canonical already.
    ///
    /// # Errors
    /// [`TargetError`] when it is empty, too long or has control characters.
    pub fn path(text: &str, style: PathStyle) -> Result<Self, TargetError> {
        check(text)?;
        if text.len() > LONGEST_PATH {
            return Err(TargetError::LongPath(text.to_owned()));
        }
        let text = trimmed(text, style);
        Ok(Self { key: style.key(&text), text, kind: Kind::Path(style) })
    }

    /// The target as a claim file has it: an absolute path or a name.
    ///
    /// # Errors
    /// As [`Target::name`] and [`Target::path`].
    pub fn recorded(text: &str, style: PathStyle) -> Result<Self, TargetError> {
        if style.is_absolute(text) { Self::path(text, style) } else { Self::name(text) }
    }

    /// As it was claimed: the name as typed, the path as resolved.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What all spellings of one target have in common: the slug of a name, the folded text of a path.
    #[must_use]
    pub fn identity(&self) -> &str {
        &self.key
    }

    /// Whether it is a path.
    #[must_use]
    pub fn is_path(&self) -> bool {
        self.kind != Kind::Name
    }

    /// The file name without its ending: the slug of a name; for a path the slug, cut, then `.` and a hash of the whole.
    /// Slugs have no `.`, so a name and a path never share a stem.
    #[must_use]
    pub fn stem(&self) -> String {
        if self.is_path() { path_stem(&self.key) } else { self.key.clone() }
    }

    /// Whether both are the same target: names with the same slug, the same path.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        self.kind == other.kind && self.key == other.key
    }

    /// Whether a claim on one concerns the other: the same target, or paths of which one is an ancestor of the other.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.is(other) || self.covers(other) || other.covers(self)
    }

    /// What stands between the parts of its path; `None` for a name.
    #[must_use]
    pub fn separator(&self) -> Option<char> {
        match self.kind {
            Kind::Name => None,
            Kind::Path(style) => Some(style.separator()),
        }
    }

    /// Whether `other` is a path below this one.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        self.kind == other.kind
            && self.separator().is_some_and(|separator| {
                (other.key.strip_prefix(&*self.key)).is_some_and(|rest| {
                    !rest.is_empty() && (self.key.ends_with(separator) || rest.starts_with(separator))
                })
            })
    }

    /// The identities of the paths around this one, the nearest first.
    pub fn above(&self) -> impl Iterator<Item = &str> {
        let style = match self.kind {
            Kind::Name => None,
            Kind::Path(style) => Some(style),
        };
        style.into_iter().flat_map(move |style| {
            let root = style.root_length(&self.key);
            self.key.rmatch_indices(style.separator()).filter_map(move |(place, _)| {
                // Only a root keeps its separator.
                self.key.get(..if place < root { root } else { place }).filter(|above| *above != self.key)
            })
        })
    }

    /// Which file names can be claims on an overlapping target, so that a directory of thousands need not be read.
    #[must_use]
    pub fn reach(&self) -> Reach {
        let slug = self.is_path().then(|| cut_slug(&self.key));
        Reach { own: self.stem(), ancestors: self.above().map(path_stem).collect(), slug }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&crate::core::text::visible(&self.text))
    }
}

/// The stems that a target's claims, its ancestors' and its descendants' can have.
///
/// It may name a stem too many, never one too few: slugs are made letter by letter with one `-` for any run of other
/// characters, so the slug of a path below begins with the slug of the path above.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    own: String,
    ancestors: Vec<String>,
    slug: Option<String>,
}

impl Reach {
    /// The target's own stem.
    #[must_use]
    pub fn own(&self) -> &str {
        &self.own
    }

    /// Whether a claim with this stem can be on an overlapping target.
    #[must_use]
    pub fn has(&self, stem: &str) -> bool {
        stem == self.own
            || self.ancestors.iter().any(|ancestor| ancestor == stem)
            // Asked of every file in the directory: what begins with other letters is done with after a few of them.
            || self.slug.as_ref().is_some_and(|slug| {
                stem.starts_with(&**slug) && stem.rsplit_once('.').is_some_and(|(other, _hash)| other.starts_with(&**slug))
            })
    }
}

fn check(text: &str) -> Result<(), TargetError> {
    if text.is_empty() {
        Err(TargetError::Empty)
    } else if text.chars().any(char::is_control) {
        Err(TargetError::Control(text.to_owned()))
    } else {
        Ok(())
    }
}

/// Without trailing separators, which say nothing; a root keeps its own.
fn trimmed(text: &str, style: PathStyle) -> String {
    let mut path = style.plain(text);
    let root = style.root_length(&path);
    while path.len() > root && path.ends_with(|last| style.is_separator(last)) {
        path.pop();
    }
    path
}

fn path_stem(key: &str) -> String {
    let mut slug = cut_slug(key);
    if slug.is_empty() {
        slug.push_str(NO_SLUG);
    }
    // Digit by digit: formatting cost a guard 30,000 of its 590,000 instructions.
    slug.reserve(1 + 16);
    slug.push('.');
    let hash = hash(key);
    slug.extend((0..16).rev().filter_map(|digit| char::from_digit((hash >> (4 * digit)) as u32 & 0xf, 16)));
    slug
}

fn cut_slug(key: &str) -> String {
    let mut slug = slug::slugify(key);
    slug.truncate(SLUG_IN_STEM);
    slug
}

/// FNV-1a with 64 bits: the same on every machine and for ever, since the names of files depend on it. Two paths with
/// one stem would be told apart by the file's own `target`, and the second reported as an error.
#[must_use]
pub fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests;
