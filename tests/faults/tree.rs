//! Everything below a directory, as it is on the disk at one moment.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    sync::LazyLock,
    time::SystemTime,
};

use chrono::{DateTime, Utc};
use regex::Regex;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    Directory { mode: u32 },
    File { mode: u32, bytes: Vec<u8> },
}

impl Node {
    pub(super) fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::File { bytes, .. } => Some(bytes),
            Self::Directory { .. } => None,
        }
    }
}

const TRACE: &str = "place/trace.jsonl";

/// What stands where, by the path below the root.
#[derive(Debug, Clone, Default)]
pub(super) struct Tree {
    pub(super) nodes: BTreeMap<String, Node>,
    /// Apart, because it only grows, its lines are never the same twice, and a change stands without its line.
    pub(super) trace: Vec<u8>,
    modified: BTreeMap<String, SystemTime>,
}

impl Tree {
    /// Reads everything below `root`. Anything but files and directories fails: claim makes none.
    pub(super) fn read(root: &Path) -> Self {
        let mut tree = Self::default();
        let mut waiting: Vec<PathBuf> = vec![root.to_owned()];
        while let Some(directory) = waiting.pop() {
            for entry in fs::read_dir(&directory).unwrap() {
                let path = entry.unwrap().path();
                let status = fs::symlink_metadata(&path).unwrap();
                let mode = status.permissions().mode() & 0o7777;
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                let node = if status.is_dir() {
                    waiting.push(path);
                    Node::Directory { mode }
                } else {
                    assert!(status.is_file(), "{name} is neither a file nor a directory");
                    tree.modified.insert(name.clone(), status.modified().unwrap());
                    let bytes = fs::read(&path).unwrap();
                    if name == TRACE {
                        tree.trace = bytes;
                        continue;
                    }
                    Node::File { mode, bytes }
                };
                tree.nodes.insert(name, node);
            }
        }
        tree
    }

    /// Makes the disk so again, times of modification included.
    pub(super) fn restore(&self, root: &Path) {
        for entry in fs::read_dir(root).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
        }
        for (name, node) in &self.nodes {
            let path = root.join(name);
            let mode = match node {
                Node::Directory { mode } => {
                    fs::create_dir(&path).unwrap();
                    *mode
                }
                Node::File { mode, bytes } => {
                    fs::write(&path, bytes).unwrap();
                    fs::File::options().append(true).open(&path).unwrap().set_modified(self.modified[name]).unwrap();
                    *mode
                }
            };
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        }
        if !self.trace.is_empty() {
            fs::write(root.join(TRACE), &self.trace).unwrap();
        }
    }

    /// The same with every time from `since` on written as `[NOW]`: what two runs of one command have in common.
    pub(super) fn timeless(&self, since: DateTime<Utc>) -> Self {
        let mut tree = self.clone();
        for node in tree.nodes.values_mut() {
            if let Node::File { bytes, .. } = node {
                *bytes = timeless(bytes, since);
            }
        }
        tree
    }

    /// How many whole lines the trace has.
    pub(super) fn lines(&self) -> usize {
        let lines = self.trace.split_inclusive(|byte| *byte == b'\n');
        lines.filter(|line| line.ends_with(b"}\n") && serde_json::from_slice::<serde_json::Value>(line).is_ok()).count()
    }

    /// What stands in one directory.
    pub(super) fn within<'a>(&'a self, directory: &'a str) -> impl Iterator<Item = (&'a str, &'a Node)> {
        self.nodes.iter().filter_map(move |(name, node)| Some((name.strip_prefix(directory)?.strip_prefix('/')?, node)))
    }
}

static TIMES: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ").unwrap());

fn timeless(bytes: &[u8], since: DateTime<Utc>) -> Vec<u8> {
    let Ok(text) = str::from_utf8(bytes) else { return bytes.to_owned() };
    // A time that is still to come was not read from the clock of this run.
    let until = now();
    let replaced = TIMES.replace_all(text, |found: &regex::Captures<'_>| {
        let time = DateTime::parse_from_rfc3339(&found[0]).unwrap().to_utc();
        if time >= since && time <= until { "[NOW]".to_owned() } else { found[0].to_owned() }
    });
    replaced.into_owned().into_bytes()
}

/// The time by the clock that the program reads too.
pub(super) fn now() -> DateTime<Utc> {
    SystemTime::now().into()
}
