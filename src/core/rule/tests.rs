//! The rule against the design's sentences.
//!
//! `sentences` has one literal example for each of them; `table` every combination of one claim, one request and one
//! moment; `sequences` what holds after any sequence of requests at any clock; `lists` the three listings. What the
//! table and the sequences expect comes from `oracle`, which was written from the design and calls nothing of the rule.

mod lists;
mod oracle;
mod sentences;
mod sequences;
mod table;

use serde_json::{Map, Value};

use super::*;
use crate::core::target::PathStyle;

/// The changes without the trace lines that tell of them: a refusal changes nothing, and is told of.
fn unlogged(effects: &Effects) -> Effects {
    Effects { log: Vec::new(), ..effects.clone() }
}

/// Who clears away what outlived its session.
fn operator() -> Holder {
    Holder::new("operator").unwrap()
}

/// The paths of these tests with their stems. The stems were worked out apart from the program: the slug, a `.`, and
/// the 64-bit FNV-1a of the path.
const PATHS: [(&str, &str); 6] = [
    ("/", "_.af63a24c860189fe"),
    ("/opt", "opt.bc7c069c6e74b0a7"),
    ("/srv", "srv.9bef649c5c9d7b6b"),
    ("/srv/tree", "srv-tree.7b90f045243be5fc"),
    ("/srv/tree/leaf", "srv-tree-leaf.6e83d7107cddcdc1"),
    // Its slug begins with that of /srv/tree, and it is not below it.
    ("/srv/tree-two", "srv-tree-two.c528a4e94b83efab"),
];

/// The names of these tests with their stems; the first two are one target.
const NAMES: [(&str, &str); 3] = [("config", "config"), ("Config!", "config"), ("notes", "notes")];

/// The holders of these tests, with the part of a file name that stands for them: 64-bit FNV-1a again.
const HOLDERS: [(&str, &str); 4] = [
    ("ada", "e70bc0190530e13b"),
    ("bob", "004d4419134a0a54"),
    ("cyd", "f5c807190ccddb6f"),
    ("dan", "ca8d4218f4579e68"),
];

fn stem(target: &str) -> &'static str {
    let known = PATHS.iter().chain(&NAMES).find(|(text, _)| *text == target);
    known.unwrap_or_else(|| panic!("{target} has no stem in the tables")).1
}

/// The file of an exclusive claim, or of the first to share.
fn plain(target: &str) -> String {
    format!("{}.json", stem(target))
}

/// The file of a further holder who shares the target.
fn beside(target: &str, holder: &str) -> String {
    let (_, hash) = HOLDERS.iter().find(|(name, _)| *name == holder).unwrap();
    format!("{}+{hash}.json", stem(target))
}

/// What one claim file says, kept apart from the rule's own `Claim` so that its bytes can be expected, too.
#[derive(Debug, Clone, PartialEq)]
struct Text {
    target: String,
    holder: String,
    purpose: String,
    taken_at: i64,
    heartbeat_at: i64,
    taken_from: Option<String>,
    ttl_s: Option<i64>,
    shared: bool,
    more: Vec<(String, Value)>,
}

/// A claim taken at `heartbeat`, with a time to live of 60 s.
fn held(target: &str, holder: &str, heartbeat: i64) -> Text {
    Text {
        target: target.to_owned(),
        holder: holder.to_owned(),
        purpose: "as before".to_owned(),
        taken_at: heartbeat,
        heartbeat_at: heartbeat,
        taken_from: None,
        ttl_s: Some(60),
        shared: false,
        more: Vec::new(),
    }
}

impl Text {
    fn shared(mut self) -> Self {
        self.shared = true;
        self
    }

    fn taken_from(mut self, holder: &str) -> Self {
        self.taken_from = Some(holder.to_owned());
        self
    }

    /// Its file as the design lays it out.
    fn json(&self) -> String {
        let mut fields = vec![
            ("target", Value::from(&*self.target)),
            ("holder", Value::from(&*self.holder)),
            ("purpose", Value::from(&*self.purpose)),
            ("taken_at", Value::from(Timestamp(self.taken_at).to_string())),
            ("heartbeat_at", Value::from(Timestamp(self.heartbeat_at).to_string())),
        ];
        fields.extend(self.taken_from.as_deref().map(|holder| ("taken_from", Value::from(holder))));
        fields.extend(self.ttl_s.map(|seconds| ("ttl_s", Value::from(seconds))));
        fields.extend(self.shared.then_some(("shared", Value::from(true))));
        fields.extend(self.more.iter().map(|(key, value)| (&**key, value.clone())));
        let lines: Vec<_> = fields.iter().map(|(key, value)| format!("  \"{key}\": {value}")).collect();
        format!("{{\n{}\n}}\n", lines.join(",\n"))
    }

    /// Reads such a file; `None` when it is not exactly a claim.
    fn read(bytes: &[u8]) -> Option<Self> {
        let fields: Map<String, Value> = serde_json::from_slice(bytes).ok()?;
        let text = |key| fields.get(key).and_then(Value::as_str).map(str::to_owned);
        let time = |key| Some(Timestamp::parse(fields.get(key)?.as_str()?)?.0);
        let known =
            ["target", "holder", "purpose", "taken_at", "heartbeat_at", "taken_from", "ttl_s", "shared"].as_slice();
        let read = Self {
            target: text("target")?,
            holder: text("holder").filter(|holder| !holder.is_empty())?,
            purpose: text("purpose")?,
            taken_at: time("taken_at")?,
            heartbeat_at: time("heartbeat_at")?,
            taken_from: text("taken_from"),
            ttl_s: fields.get("ttl_s").and_then(Value::as_i64),
            shared: fields.get("shared").is_some_and(|shared| *shared == Value::Bool(true)),
            more: fields.clone().into_iter().filter(|(key, _)| !known.contains(&&**key)).collect(),
        };
        read.ttl_s.is_none_or(|seconds| (1..=604_800).contains(&seconds)).then_some(read)
    }
}

fn target(text: &str) -> Target {
    Target::recorded(text, PathStyle::Unix).unwrap()
}

fn holder(name: &str) -> Holder {
    Holder::new(name).unwrap()
}

/// A file as the store finds it.
fn entry(file: &str, bytes: impl AsRef<[u8]>, modified: i64) -> Entry {
    Entry::read(file, bytes.as_ref(), Timestamp(modified), PathStyle::Unix)
}

/// A claim in the plain file of its target.
fn plainly(text: &Text) -> Entry {
    entry(&plain(&text.target), text.json(), 0)
}

/// A claim in the file of a further holder.
fn aside_of(text: &Text) -> Entry {
    entry(&beside(&text.target, &text.holder), text.json(), 0)
}

fn garbage(file: &str, modified: i64) -> Entry {
    entry(file, "{ half a cl", modified)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    Take,
    Beat,
    Release,
}

/// One request, as plain text.
#[derive(Debug, Clone, PartialEq)]
struct Ask {
    verb: Verb,
    target: &'static str,
    holder: &'static str,
    purpose: &'static str,
    ttl: Option<u64>,
    shared: bool,
}

impl Ask {
    fn new(verb: Verb, target: &'static str, holder: &'static str) -> Self {
        Self { verb, target, holder, purpose: "anew", ttl: None, shared: false }
    }

    fn shared(self) -> Self {
        Self { shared: true, ..self }
    }

    fn ttl(self, seconds: u64) -> Self {
        Self { ttl: Some(seconds), ..self }
    }

    /// Asks the rule.
    fn of(&self, entries: &[Entry], now: i64) -> Decision {
        let (target, holder, now) = (target(self.target), holder(self.holder), Timestamp(now));
        let request = Request { target: &target, holder: &holder };
        match self.verb {
            Verb::Take => {
                let ttl = self.ttl.map(|seconds| Ttl::new(seconds).unwrap());
                take(entries, &request, &Wish { purpose: self.purpose, ttl, shared: self.shared }, now)
            }
            Verb::Beat => beat(entries, &request, now),
            Verb::Release => release(entries, &request, now),
        }
    }
}

fn take_of(target: &'static str, holder: &'static str) -> Ask {
    Ask::new(Verb::Take, target, holder)
}

fn beat_of(target: &'static str, holder: &'static str) -> Ask {
    Ask::new(Verb::Beat, target, holder)
}

fn release_of(target: &'static str, holder: &'static str) -> Ask {
    Ask::new(Verb::Release, target, holder)
}

#[test]
fn the_stems_of_these_tests_are_those_of_the_program() {
    for (text, stem) in PATHS.iter().chain(&NAMES) {
        assert_eq!(target(text).stem(), *stem, "{text}");
    }
    for (holder, _) in HOLDERS {
        assert_eq!(shared_file(stem("/srv"), holder), beside("/srv", holder));
    }
}
