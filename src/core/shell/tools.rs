//! The table of commands that write files, and where in their arguments the files stand.
//!
//! A command that is not here is let through. To add one, name the options that take a value (so that the value is
//! not taken for a file), say which operands are written, and what becomes of a link that stands there: try it.

mod files;
mod formatters;
mod makers;

use super::options::{Parsed, Style, parse_styled};
use super::scope::{Base, is_directory};
use super::word::Word;
use crate::core::write::{Link, Write};

/// Which operands are written.
#[derive(Clone, Copy)]
enum Operands {
    Nothing,
    First,
    Each,
    /// Each, and without one the directory the command works in.
    EachOrHere,
    /// All but the first, which is a mode or an owner, unless `--reference` stands for it.
    AfterFirst,
    /// The second, which is an output where the first is an input.
    Second,
    /// The last is the destination.
    Copied,
    /// The last is the destination, and the others disappear.
    Moved,
    /// As copied, and a single operand is linked to from the current directory.
    Linked,
    /// As copied, where `host:path` is elsewhere.
    Sent,
    /// The directory the command works in.
    Directory,
    Special(fn(&[Word], &Base) -> Vec<Write>),
}

struct Tool {
    names: &'static [&'static str],
    /// What the first argument has to be, where one program is several commands.
    verbs: &'static [&'static str],
    style: Style,
    /// Options that take a value, in the same word or the next.
    values: &'static [&'static str],
    /// Short options that take a value in the same word only.
    attached: &'static [&'static str],
    /// Options whose value is a file that is written, whatever the operands are.
    into: &'static [&'static str],
    /// Options that name the directory to work in, or to copy to.
    enters: &'static [&'static str],
    /// Options with which nothing is written.
    idle: &'static [&'static str],
    /// Options of which one is there, or the operands are only read.
    needs: &'static [&'static str],
    operands: Operands,
    /// What becomes of a link that an operand names.
    link: Link,
    /// Options with which something else becomes of it; the first that is there counts.
    links: &'static [(&'static [&'static str], Link)],
}

const BLANK: Tool = Tool {
    names: &[],
    verbs: &[],
    style: Style::Cluster,
    values: &[],
    attached: &[],
    into: &[],
    enters: &[],
    idle: &["--help", "--version"],
    needs: &[],
    operands: Operands::Each,
    link: Link::Followed,
    links: &[],
};

const TABLES: &[&[Tool]] = &[files::TOOLS, makers::TOOLS, formatters::TOOLS];

/// The files that this command plainly writes, started in `base` with these arguments.
pub(super) fn writes(name: &str, arguments: &[Word], base: &Base) -> Vec<Write> {
    let verb = arguments.first().map_or("", |word| word.text.as_str());
    let fits = |tool: &&Tool| tool.names.contains(&name) && (tool.verbs.is_empty() || tool.verbs.contains(&verb));
    let Some(tool) = TABLES.iter().copied().flatten().find(fits) else {
        return Vec::new();
    };
    let arguments = arguments.get(usize::from(!tool.verbs.is_empty())..).unwrap_or_default();
    let parsed = parse_styled(arguments, tool.values, tool.attached, tool.style);
    if let Operands::Special(writes) = tool.operands {
        return if parsed.has(tool.idle) { Vec::new() } else { writes(arguments, base) };
    }
    if parsed.has(tool.idle) {
        return Vec::new();
    }
    let mut writes = base.writes(parsed.values(tool.into), Link::Followed);
    if tool.needs.is_empty() || parsed.has(tool.needs) {
        writes.extend(operands(tool, &parsed, base));
    }
    writes
}

fn operands(tool: &Tool, parsed: &Parsed<'_>, base: &Base) -> Vec<Write> {
    let words: Vec<&Word> = parsed.operands.iter().copied().filter(|word| word.text != "-").collect();
    let directory = parsed.value(tool.enters);
    let here = || directory.map_or_else(|| base.clone(), |word| base.enter(word)).into_list();
    let link = tool.links.iter().find(|(options, _)| parsed.has(options)).map_or(tool.link, |(_, link)| *link);
    match tool.operands {
        Operands::Nothing | Operands::Special(_) => Vec::new(),
        Operands::First => base.writes(words.first().copied(), link),
        Operands::EachOrHere if words.is_empty() => here(),
        Operands::Each | Operands::EachOrHere => base.writes(words, link),
        Operands::AfterFirst => {
            // `chmod -x f` looks like an option and is a mode.
            let all = parsed.has(&["--reference", "-r", "-w", "-x", "-X", "-s", "-t"]);
            base.writes(words.into_iter().skip(usize::from(!all)), link)
        }
        Operands::Second => base.writes(words.get(1).copied(), link),
        Operands::Directory => here(),
        // `install -d` makes directories.
        Operands::Copied if tool.names.contains(&"install") && parsed.has(&["-d", "--directory"]) => {
            base.writes(words, Link::Followed)
        }
        Operands::Copied => copied(&words, directory, parsed, link, base),
        Operands::Moved => {
            let sources = if directory.is_some() { words.len() } else { words.len().saturating_sub(1) };
            let mut writes = base.writes(words.iter().copied().take(sources), Link::Replaced);
            writes.extend(copied(&words, directory, parsed, link, base));
            writes
        }
        Operands::Linked => match (words.as_slice(), directory) {
            ([target], None) => {
                let name = target.file_name().and_then(|name| base.join(name));
                name.map(|path| Write { path, link: Link::Replaced }).into_iter().collect()
            }
            _ => copied(&words, directory, parsed, link, base),
        },
        Operands::Sent => match words.split_last() {
            Some((last, [_, ..])) if !is_remote(last) => copied(&words, None, parsed, link, base),
            _ => Vec::new(),
        },
    }
}

fn copied(words: &[&Word], directory: Option<&Word>, parsed: &Parsed<'_>, link: Link, base: &Base) -> Vec<Write> {
    if let Some(directory) = directory {
        return destinations(words, directory, true, link, base);
    }
    match words.split_last() {
        Some((last, sources @ [_, ..])) => {
            let file = parsed.has(&["-T", "--no-target-directory"]);
            let inside = !file && (sources.len() > 1 || is_directory(&last.text));
            destinations(sources, last, inside, link, base)
        }
        _ => Vec::new(),
    }
}

/// What is written for each source: the file of its name inside a directory, where both are plain.
fn destinations(sources: &[&Word], destination: &Word, inside: bool, link: Link, base: &Base) -> Vec<Write> {
    if !inside || destination.exact().is_none() {
        return base.writes(Some(destination), link);
    }
    let Some(place) = base.place(destination) else {
        return Vec::new();
    };
    // No program looks for a directory a second time.
    let link = if link == Link::Entered { Link::Replaced } else { link };
    sources
        .iter()
        .map(|source| match source.file_name().filter(|name| !name.contains(':')) {
            Some(name) => Write { path: place.join(name), link },
            None => Write::through(place.clone()),
        })
        .collect()
}

/// `host:path` and `rsync://host/path`, but not `./a:b` or a Windows drive.
fn is_remote(word: &Word) -> bool {
    word.text.split_once(':').is_some_and(|(host, _)| host.chars().count() > 1 && !host.contains('/'))
}
