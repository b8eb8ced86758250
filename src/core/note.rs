//! Handover notes: their numbers, their names, and which one is worked next.
//!
//! A note is a file that holds the text and nothing else. What must be known of it is in its name, which never changes
//! but for who works on it: `000007-session-a41-<author>-<text>.md` while it waits and when it is done, and
//! `000007-session-a41-<author>-<text>@<worker>.md` while somebody works on it. `<author>`, `<text>` and `<worker>` are
//! hashes. So one rename is one step, there is nothing to keep in step with it, and a crash between two steps cannot be.

use crate::core::{holder::Holder, target::hash};

/// The most bytes of a note, and of a result.
pub const LARGEST: usize = 1_024 * 1_024;

/// The most letters of the author's slug in a name.
const SLUG: usize = 40;

/// What a note's file name says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Its number in the queue of its target, from 1.
    pub number: u64,
    /// The author, as far as a file name can say it.
    pub from: String,
    author: u64,
    text: u64,
    worker: Option<u64>,
}

impl Note {
    /// A new note.
    #[must_use]
    pub fn new(number: u64, author: &Holder, text: &[u8]) -> Self {
        let mut from = slug::slugify(author.as_str());
        from.truncate(SLUG);
        Self { number, from, author: hash(author.as_str()), text: hash_of(text), worker: None }
    }

    /// Reads a file name. `None` for a file that is no note, such as a result.
    #[must_use]
    pub fn parse(file: &str) -> Option<Self> {
        let name = file.strip_suffix(".md")?;
        let (name, worker) = match name.split_once('@') {
            Some((name, worker)) => (name, Some(hexadecimal(worker)?)),
            None => (name, None),
        };
        let (name, text) = name.rsplit_once('-')?;
        let (name, author) = name.rsplit_once('-')?;
        let (number, from) = name.split_once('-')?;
        let well_formed = number.len() >= 6 && number.bytes().all(|byte| byte.is_ascii_digit());
        let number = number.parse().ok().filter(|_| well_formed)?;
        // A name that this program did not make may hold what a terminal would obey.
        let is_slug = from.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        if !is_slug {
            return None;
        }
        Some(Self { number, from: from.to_owned(), author: hexadecimal(author)?, text: hexadecimal(text)?, worker })
    }

    /// Its file name.
    #[must_use]
    pub fn file(&self) -> String {
        let worker = self.worker.map(|worker| format!("@{worker:016x}")).unwrap_or_default();
        format!("{}{worker}.md", self.base())
    }

    /// The names that its result can have: the first, unless an attempt to finish it that was cut short left another
    /// result there. Nothing is rewritten.
    pub fn result_files(&self) -> impl Iterator<Item = String> {
        let base = self.base();
        let more = (2_u64..).map({
            let base = base.clone();
            move |number| format!("{base}.result.{number}.md")
        });
        std::iter::once(format!("{base}.result.md")).chain(more)
    }

    fn base(&self) -> String {
        format!("{:06}-{}-{:016x}-{:016x}", self.number, self.from, self.author, self.text)
    }

    /// The same note, worked on by this holder.
    #[must_use]
    pub fn worked_by(&self, worker: &Holder) -> Self {
        Self { worker: Some(hash(worker.as_str())), ..self.clone() }
    }

    /// The same note, worked on by nobody.
    #[must_use]
    pub fn unworked(&self) -> Self {
        Self { worker: None, ..self.clone() }
    }

    /// Whether this holder wrote it.
    #[must_use]
    pub fn is_from(&self, holder: &Holder) -> bool {
        self.author == hash(holder.as_str())
    }

    /// Whether this holder works on it.
    #[must_use]
    pub fn is_worked_by(&self, holder: &Holder) -> bool {
        self.worker == Some(hash(holder.as_str()))
    }

    /// Whether it is the same text by the same author, whatever its number.
    #[must_use]
    pub fn is_again(&self, other: &Self) -> bool {
        (self.author, self.text, &self.from) == (other.author, other.text, &other.from)
    }
}

/// The note that is worked next: what a lost holder left unfinished first, then the oldest that waits. What one of
/// `at_work` works on is not given out again, the asking holder included: two of its own processes may ask.
#[must_use]
pub fn next<'a>(waiting: &'a [Note], claimed: &'a [Note], at_work: &[&str]) -> Option<&'a Note> {
    let worked = |note: &&Note| at_work.iter().any(|holder| note.worker == Some(hash(holder)));
    let left = claimed.iter().filter(|note| !worked(note)).min_by_key(|note| note.number);
    left.or_else(|| waiting.iter().min_by_key(|note| note.number))
}

/// The number of a new note: one more than the highest so far.
#[must_use]
pub fn next_number<'a>(all: impl Iterator<Item = &'a Note>) -> u64 {
    all.map(|note| note.number).max().unwrap_or(0).saturating_add(1)
}

fn hexadecimal(text: &str) -> Option<u64> {
    (text.len() == 16).then(|| u64::from_str_radix(text, 16).ok()).flatten()
}

fn hash_of(bytes: &[u8]) -> u64 {
    // Bytes that are no text are told apart well enough by their replacement and their length.
    hash(&format!("{}:{}", bytes.len(), String::from_utf8_lossy(bytes)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn holder(text: &str) -> Holder {
        Holder::new(text).unwrap()
    }

    #[test]
    fn a_name_says_everything_and_is_read_back() {
        let note = Note::new(7, &holder("claude:58-041"), b"text");
        assert!(note.file().starts_with("000007-claude-58-041-"), "{}", note.file());
        for note in [note.clone(), note.worked_by(&holder("b")), Note::new(12_345_678, &holder("---"), b"")] {
            assert_eq!(Note::parse(&note.file()), Some(note));
        }
        assert!(note.is_from(&holder("claude:58-041")) && !note.is_from(&holder("claude-58-041")));
    }

    #[test]
    fn other_files_are_no_notes() {
        let note = Note::new(1, &holder("a"), b"x");
        let results: Vec<String> = note.result_files().take(3).collect();
        assert!(results[0].ends_with(".result.md") && results[1].ends_with(".result.2.md"), "{results:?}");
        let escape = format!("000001-\u{1b}[2J-{:016x}-{:016x}.md", 1, 2);
        assert!(Note::parse(&escape.replace("\u{1b}[2J", "a")).is_some());
        let others = ["", "x.md", ".md", "1-a-b-c.md", "000001-a.md", &escape].map(str::to_owned);
        for file in results.into_iter().chain(others).chain([format!("{}~", note.file())]) {
            assert_eq!(Note::parse(&file), None, "{file}");
        }
    }

    #[test]
    fn what_a_lost_holder_left_comes_first_then_the_oldest() {
        let (me, lost) = (holder("me"), holder("lost"));
        let note = |number| Note::new(number, &holder("a"), format!("{number}").as_bytes());
        let waiting = [note(3), note(2), note(9)];
        let number = |claimed: &[Note]| next(&waiting, claimed, &["me"]).map(|note| note.number);
        assert_eq!(number(&[]), Some(2));
        assert_eq!(number(&[note(5).worked_by(&lost), note(4).worked_by(&lost)]), Some(4));
        assert_eq!(number(&[note(1).worked_by(&me)]), Some(2));
        assert_eq!(next(&[], &[note(1).worked_by(&me)], &["me"]), None);
        // One who shares the target and is at work has not left its note.
        assert_eq!(next(&[], &[note(1).worked_by(&lost)], &["me", "lost"]), None);
        assert_eq!(next_number(waiting.iter()), 10);
        assert_eq!(next_number([].iter()), 1);
    }

    #[test]
    fn the_same_text_by_the_same_author_is_the_same_note_again() {
        let one = Note::new(1, &holder("a"), b"x");
        assert!(one.is_again(&Note::new(2, &holder("a"), b"x").worked_by(&holder("b"))));
        assert!(!one.is_again(&Note::new(1, &holder("b"), b"x")));
        assert!(!one.is_again(&Note::new(1, &holder("a"), b"x ")));
    }

    proptest! {
        #[test]
        fn any_name_is_read_without_panic_and_any_note_survives_its_name(file in any::<String>(),
                author in "[^\\p{C}]{1,80}", number in 1_u64..10_000_000, text in any::<Vec<u8>>()) {
            drop(Note::parse(&file));
            if let Ok(author) = Holder::new(&author) {
                let note = Note::new(number, &author, &text);
                prop_assert_eq!(Note::parse(&note.file()), Some(note));
            }
        }
    }
}
