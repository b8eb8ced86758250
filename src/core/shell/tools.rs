//! The table of commands that write files, and where in their arguments the files stand.
//!
//! A command that is not here is let through. To add one, name the options that take a value (so that the value is
//! not taken for a file), and say which operands are written.

use std::path::PathBuf;

use super::options::{Parsed, parse};
use super::scope::Base;
use super::special;
use super::word::Word;

/// Which operands are written.
#[derive(Clone, Copy)]
enum Operands {
    Nothing,
    First,
    Each,
    /// All but the first, which is a mode or an owner, unless `--reference` stands for it.
    AfterFirst,
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
    Special(fn(&[Word], &Base) -> Vec<PathBuf>),
}

struct Tool {
    names: &'static [&'static str],
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
    operands: Operands,
}

const BLANK: Tool = Tool {
    names: &[],
    values: &[],
    attached: &[],
    into: &[],
    enters: &[],
    idle: &["--help", "--version"],
    operands: Operands::Each,
};

const TOOLS: &[Tool] = &[
    Tool { names: &["rm", "grm", "rmdir", "unlink", "tee", "gtee", "sponge", "srm", "trash"], ..BLANK },
    Tool { names: &["shred"], values: &["-n", "-s", "--iterations", "--size", "--random-source"], ..BLANK },
    Tool { names: &["mkdir", "gmkdir", "mkfifo"], values: &["-m", "--mode"], ..BLANK },
    Tool { names: &["touch", "gtouch"], values: &["-d", "-t", "-r", "-A", "--date", "--reference"], ..BLANK },
    Tool { names: &["truncate", "gtruncate"], values: &["-s", "-r", "--size", "--reference"], ..BLANK },
    Tool {
        names: &["chmod", "chown", "chgrp", "gchmod", "gchown"],
        values: &["--from", "--reference"],
        operands: Operands::AfterFirst,
        ..BLANK
    },
    Tool {
        names: &["cp", "gcp"],
        values: &["-S", "-t", "--suffix", "--target-directory"],
        enters: &["-t", "--target-directory"],
        operands: Operands::Copied,
        ..BLANK
    },
    Tool {
        names: &["mv", "gmv"],
        values: &["-S", "-t", "--suffix", "--target-directory"],
        enters: &["-t", "--target-directory"],
        operands: Operands::Moved,
        ..BLANK
    },
    Tool {
        names: &["install", "ginstall"],
        values: &[
            "-m",
            "-o",
            "-g",
            "-S",
            "-t",
            "--mode",
            "--owner",
            "--group",
            "--suffix",
            "--target-directory",
            "--strip-program",
        ],
        enters: &["-t", "--target-directory"],
        operands: Operands::Copied,
        ..BLANK
    },
    Tool {
        names: &["ln", "gln"],
        values: &["-S", "-t", "--suffix", "--target-directory"],
        enters: &["-t", "--target-directory"],
        operands: Operands::Linked,
        ..BLANK
    },
    Tool { names: &["link", "ditto"], operands: Operands::Copied, ..BLANK },
    Tool {
        names: &["rsync"],
        values: &[
            "-e",
            "-f",
            "-B",
            "-T",
            "-M",
            "--rsh",
            "--exclude",
            "--include",
            "--filter",
            "--exclude-from",
            "--include-from",
            "--files-from",
            "--log-file",
            "--log-file-format",
            "--backup-dir",
            "--suffix",
            "--chmod",
            "--chown",
            "--bwlimit",
            "--port",
            "--password-file",
            "--temp-dir",
            "--partial-dir",
            "--compare-dest",
            "--copy-dest",
            "--link-dest",
            "--block-size",
            "--timeout",
            "--contimeout",
            "--max-size",
            "--min-size",
            "--max-delete",
            "--info",
            "--debug",
            "--rsync-path",
            "--out-format",
            "--usermap",
            "--groupmap",
            "--remote-option",
            "--modify-window",
            "--compress-level",
            "--skip-compress",
            "--sockopts",
            "--address",
        ],
        into: &["--log-file", "--backup-dir"],
        idle: &["-n", "--dry-run", "--list-only", "--help", "--version"],
        operands: Operands::Sent,
        ..BLANK
    },
    Tool {
        names: &["scp"],
        values: &["-P", "-i", "-o", "-F", "-c", "-J", "-l", "-S", "-X", "-D"],
        operands: Operands::Sent,
        ..BLANK
    },
    Tool { names: &["dd", "gdd"], operands: Operands::Special(special::dd), ..BLANK },
    Tool { names: &["sed", "gsed"], operands: Operands::Special(special::sed), ..BLANK },
    Tool { names: &["perl", "ruby"], operands: Operands::Special(special::perl), ..BLANK },
    Tool { names: &["awk", "gawk"], operands: Operands::Special(special::awk), ..BLANK },
    Tool { names: &["patch", "gpatch"], operands: Operands::Special(special::patch), ..BLANK },
    Tool { names: &["tar", "gtar", "bsdtar"], operands: Operands::Special(special::tar), ..BLANK },
    Tool {
        names: &["unzip"],
        values: &["-d", "-P", "-x"],
        enters: &["-d"],
        idle: &["-l", "-t", "-p", "-c", "-v", "-z", "-Z", "-h"],
        operands: Operands::Directory,
        ..BLANK
    },
    Tool {
        names: &["zip"],
        values: &["-b", "-P", "-t", "-x", "-i", "-n"],
        idle: &["-T", "-h", "-sf"],
        operands: Operands::First,
        ..BLANK
    },
    Tool {
        names: &["gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz"],
        values: &["-S", "--suffix", "-T", "--threads"],
        idle: &["-c", "-t", "-l", "--stdout", "--to-stdout", "--test", "--list", "--help", "--version"],
        ..BLANK
    },
    Tool { names: &["curl"], operands: Operands::Special(special::curl), ..BLANK },
    Tool { names: &["wget"], operands: Operands::Special(special::wget), ..BLANK },
    Tool {
        names: &["sort", "gsort"],
        values: &[
            "-k",
            "-t",
            "-S",
            "-T",
            "-o",
            "--key",
            "--field-separator",
            "--buffer-size",
            "--temporary-directory",
            "--output",
            "--parallel",
            "--compress-program",
            "--files0-from",
            "--batch-size",
            "--random-source",
        ],
        into: &["-o", "--output"],
        operands: Operands::Nothing,
        ..BLANK
    },
    Tool { names: &["ed", "red"], values: &["-p", "--prompt"], ..BLANK },
    Tool { names: &["ex", "vi", "vim", "nvim"], operands: Operands::Special(special::vim), ..BLANK },
];

/// The files that this command plainly writes, started in `base` with these arguments.
pub(super) fn writes(name: &str, arguments: &[Word], base: &Base) -> Vec<PathBuf> {
    let Some(tool) = TOOLS.iter().find(|tool| tool.names.contains(&name)) else {
        return Vec::new();
    };
    let parsed = parse(arguments, tool.values, tool.attached);
    if let Operands::Special(writes) = tool.operands {
        return if parsed.has(&["--help", "--version"]) { Vec::new() } else { writes(arguments, base) };
    }
    if parsed.has(tool.idle) {
        return Vec::new();
    }
    let mut paths = base.places(parsed.values(tool.into));
    paths.extend(operands(tool, &parsed, base));
    paths
}

fn operands(tool: &Tool, parsed: &Parsed<'_>, base: &Base) -> Vec<PathBuf> {
    let words: Vec<&Word> = parsed.operands.iter().copied().filter(|word| word.text != "-").collect();
    let directory = parsed.value(tool.enters);
    match tool.operands {
        Operands::Nothing | Operands::Special(_) => Vec::new(),
        Operands::First => base.places(words.first().copied()),
        Operands::Each => base.places(words),
        Operands::AfterFirst => {
            // `chmod -x f` looks like an option and is a mode.
            let all = parsed.has(&["--reference", "-r", "-w", "-x", "-X", "-s", "-t"]);
            base.places(words.into_iter().skip(usize::from(!all)))
        }
        Operands::Directory => directory.map_or_else(|| base.clone(), |word| base.enter(word)).into_list(),
        // `install -d` makes directories.
        Operands::Copied if tool.names.contains(&"install") && parsed.has(&["-d", "--directory"]) => base.places(words),
        Operands::Copied => copied(&words, directory, parsed, base),
        Operands::Moved => {
            let sources = if directory.is_some() { words.len() } else { words.len().saturating_sub(1) };
            let mut paths = base.places(words.iter().copied().take(sources));
            paths.extend(copied(&words, directory, parsed, base));
            paths
        }
        Operands::Linked => match (words.as_slice(), directory) {
            ([target], None) => target.file_name().and_then(|name| base.join(name)).into_iter().collect(),
            _ => copied(&words, directory, parsed, base),
        },
        Operands::Sent => match words.split_last() {
            Some((last, [_, ..])) if !is_remote(last) => copied(&words, None, parsed, base),
            _ => Vec::new(),
        },
    }
}

fn copied(words: &[&Word], directory: Option<&Word>, parsed: &Parsed<'_>, base: &Base) -> Vec<PathBuf> {
    if let Some(directory) = directory {
        return destinations(words, directory, true, base);
    }
    match words.split_last() {
        Some((last, sources @ [_, ..])) => {
            let file = parsed.has(&["-T", "--no-target-directory"]);
            let inside = !file && (sources.len() > 1 || is_directory(&last.text));
            destinations(sources, last, inside, base)
        }
        _ => Vec::new(),
    }
}

/// A destination that can only be a directory.
fn is_directory(text: &str) -> bool {
    text.ends_with('/') || matches!(text, "." | "..") || text.ends_with("/.") || text.ends_with("/..")
}

/// What is written for each source: the file of its name inside a directory, where both are plain.
fn destinations(sources: &[&Word], destination: &Word, inside: bool, base: &Base) -> Vec<PathBuf> {
    let Some(place) = base.place(destination) else {
        return Vec::new();
    };
    if !inside || destination.exact().is_none() {
        return vec![place];
    }
    sources
        .iter()
        .map(|source| {
            source.file_name().filter(|name| !name.contains(':')).map_or_else(|| place.clone(), |name| place.join(name))
        })
        .collect()
}

/// `host:path` and `rsync://host/path`, but not `./a:b` or a Windows drive.
fn is_remote(word: &Word) -> bool {
    word.text.split_once(':').is_some_and(|(host, _)| host.chars().count() > 1 && !host.contains('/'))
}
