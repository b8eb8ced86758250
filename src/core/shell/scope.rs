//! What a shell knows at one point of a command: its directory, and the few variables whose value is plain.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use rable::Node;

use super::Start;
use super::word::{UNKNOWN, Word};
use crate::core::{
    target::PathStyle,
    write::{Link, Write},
};

/// How many variables are kept, and how long a value may be: a scope is copied for every subshell.
const VARIABLES: usize = 256;
const VALUE: usize = 4096;

/// The directory that relative paths start from; without one, only absolute paths are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Base(pub(super) Option<PathBuf>);

impl Base {
    /// The path that `text` names from here. A `..` stays in it: where it leads is for the system to say, which follows
    /// links before it goes up.
    pub(super) fn join(&self, text: &str) -> Option<PathBuf> {
        if text.is_empty() || text.contains(UNKNOWN) || text.contains('\0') {
            return None;
        }
        let text = Path::new(&*PathStyle::HERE.from_shell(text)).to_owned();
        let path = match &self.0 {
            // Of no drive, where there are drives.
            _ if text.starts_with("/dev") => text,
            Some(directory) => directory.join(text),
            None if text.has_root() => text,
            None => return None,
        };
        // No system opens a longer path, and `cd a` over and over would make one.
        Some(path.components().collect()).filter(|path: &PathBuf| path.as_os_str().len() <= VALUE)
    }

    /// The path that a word names. Of a word with a glob in it, the directory before the glob is plain.
    pub(super) fn place(&self, word: &Word) -> Option<PathBuf> {
        let Some(literal) = word.before_pattern() else {
            return self.join(&word.text);
        };
        match literal.rfind('/') {
            Some(0) => self.join("/"),
            Some(end) => self.join(literal.get(..end)?),
            None => self.0.clone(),
        }
    }

    /// What a word says is written. What a glob matches stands in the directory before it, and `link/` is where it leads.
    pub(super) fn write(&self, word: &Word, link: Link) -> Option<Write> {
        // `mkdir link/` makes what it leads to, if that is not there, as `mkdir` of a directory does.
        let entered = link != Link::Made && (word.before_pattern().is_some() || is_directory(&word.text));
        Some(Write { path: self.place(word)?, link: if entered { Link::Followed } else { link } })
    }

    /// What several words say, those that are not plain left out.
    pub(super) fn writes<'w>(&self, words: impl IntoIterator<Item = &'w Word>, link: Link) -> Vec<Write> {
        words.into_iter().filter_map(|word| self.write(word, link)).collect()
    }

    /// Where one stands after `cd word` from here. Only `cd` goes up by the spelling of its path, as if there were no links.
    pub(super) fn change(&self, word: &Word) -> Self {
        Self(self.enter(word).0.as_deref().map(flatten))
    }

    /// The directory that a program is told to work in: a glob may match anything, so it leads nowhere known.
    pub(super) fn enter(&self, word: &Word) -> Self {
        Self(word.exact().and_then(|text| self.join(text)))
    }

    /// The directory as a whole.
    pub(super) fn into_list(self) -> Vec<Write> {
        self.0.into_iter().map(Write::through).collect()
    }
}

/// A path that can only be a directory's.
pub(super) fn is_directory(text: &str) -> bool {
    text.ends_with('/') || matches!(text, "." | "..") || text.ends_with("/.") || text.ends_with("/..")
}

fn flatten(path: &Path) -> PathBuf {
    let mut flat = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                flat.pop();
            }
            other => flat.push(other),
        }
    }
    flat
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Variable {
    value: Option<Word>,
    exported: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Scope<'tree> {
    pub(super) base: Base,
    /// Where the last `cd` came from, which `cd -` goes back to.
    previous: Base,
    pushed: Vec<Base>,
    variables: BTreeMap<String, Variable>,
    pub(super) functions: BTreeMap<String, &'tree Node>,
    /// `$1`, `$2`... of the function or `bash -c` that runs.
    arguments: Vec<Word>,
}

impl Scope<'_> {
    pub(super) fn new(start: &Start<'_>) -> Self {
        let mut scope = Self { base: Base(Some(flatten(start.directory))), ..Self::default() };
        let home = start.home.map(|home| ("HOME", home));
        for (name, path) in home.into_iter().chain(start.variables.iter().map(|(name, path)| (*name, path.as_path()))) {
            scope.set(name, path.to_str().map(Word::literal), true);
        }
        scope
    }

    /// Where nothing is known.
    pub(super) fn nowhere() -> Self {
        Self::default()
    }

    /// Takes over what a text run in this shell has set. Its functions live no longer than its tree.
    pub(super) fn adopt(&mut self, inner: Scope<'_>) {
        let Scope { base, previous, pushed, variables, functions: _, arguments } = inner;
        (self.base, self.previous, self.pushed) = (base, previous, pushed);
        (self.variables, self.arguments) = (variables, arguments);
    }

    /// An exported variable.
    pub(super) fn exported(&self, name: &str) -> Option<Word> {
        self.variables
            .get(name)
            .filter(|variable| variable.exported)
            .map(|variable| variable.value.clone().unwrap_or_else(Word::unknown))
    }

    /// What a program started from here inherits: the directory and the exported variables.
    pub(super) fn child<'child>(&self) -> Scope<'child> {
        Scope {
            base: self.base.clone(),
            variables: self
                .variables
                .iter()
                .filter(|(_, variable)| variable.exported)
                .map(|(name, variable)| (name.clone(), variable.clone()))
                .collect(),
            ..Scope::default()
        }
    }

    /// The arguments of a function or of `bash -c`; one that is too long is kept as unknown, since a recursive function
    /// could double it at every call.
    pub(super) fn set_arguments(&mut self, words: &[Word]) -> Vec<Word> {
        let kept = words.iter().map(|word| if word.text.len() <= VALUE { word.clone() } else { Word::unknown() });
        std::mem::replace(&mut self.arguments, kept.collect())
    }

    pub(super) fn get(&self, name: &str) -> Option<Word> {
        match name {
            "PWD" => {
                return self.base.0.as_deref().and_then(Path::to_str).map(Word::literal);
            }
            "OLDPWD" => {
                return self.previous.0.as_deref().and_then(Path::to_str).map(Word::literal);
            }
            _ => {}
        }
        if let Ok(position) = name.parse::<usize>() {
            return position.checked_sub(1).and_then(|index| self.arguments.get(index)).cloned();
        }
        self.variables.get(name).and_then(|variable| variable.value.clone())
    }

    /// Sets a variable; `None` says that its value cannot be known.
    pub(super) fn set(&mut self, name: &str, value: Option<Word>, exported: bool) {
        let value = value.filter(|word| word.text.len() <= VALUE && !word.text.contains(UNKNOWN));
        if let Some(variable) = self.variables.get_mut(name) {
            variable.value = value;
            variable.exported |= exported;
        } else if self.variables.len() < VARIABLES && (value.is_some() || exported) && name.len() <= VALUE {
            self.variables.insert(name.to_owned(), Variable { value, exported });
        }
    }

    pub(super) fn home(&self) -> Option<Word> {
        self.get("HOME")
    }

    pub(super) fn change_directory(&mut self, base: Base) {
        self.previous = std::mem::replace(&mut self.base, base);
    }

    pub(super) fn back(&mut self) {
        std::mem::swap(&mut self.base, &mut self.previous);
    }

    pub(super) fn push_directory(&mut self, base: Base) {
        // A stack deeper than any person's is somebody's attempt to use up memory.
        if self.pushed.len() < VARIABLES {
            self.pushed.push(self.base.clone());
        }
        self.change_directory(base);
    }

    pub(super) fn pop_directory(&mut self) {
        let base = self.pushed.pop().unwrap_or_default();
        self.change_directory(base);
    }

    pub(super) fn swap_directory(&mut self) {
        let base = self.pushed.pop().unwrap_or_default();
        self.push_directory(base);
    }

    /// Joins the other way that control may have taken: what differs is no longer known.
    pub(super) fn merge(&mut self, other: &Self) {
        if self.base != other.base {
            self.base = Base(None);
        }
        if self.previous != other.previous {
            self.previous = Base(None);
        }
        if self.pushed != other.pushed {
            self.pushed.clear();
        }
        for (name, variable) in &mut self.variables {
            if other.variables.get(name) != Some(variable) {
                variable.value = None;
            }
        }
    }
}
