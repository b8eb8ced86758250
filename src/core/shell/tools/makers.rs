//! Commands that edit files, and that make them of something else: editors, archives, downloads, compilers.

use super::super::options::Style;
use super::super::{downloads, special};
use super::{BLANK, Operands, Tool};
use crate::core::write::Link;

pub(super) const TOOLS: &[Tool] = &[
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
        link: Link::Either,
        ..BLANK
    },
    Tool {
        names: &["gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz"],
        values: &["-S", "--suffix", "-T", "--threads"],
        idle: &["-c", "-t", "-l", "--stdout", "--to-stdout", "--test", "--list", "--help", "--version"],
        link: Link::Replaced,
        ..BLANK
    },
    Tool { names: &["curl"], operands: Operands::Special(downloads::curl), ..BLANK },
    Tool { names: &["wget"], operands: Operands::Special(downloads::wget), ..BLANK },
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
    Tool {
        names: &["uniq", "guniq"],
        values: &["-f", "-s", "-w", "--skip-fields", "--skip-chars", "--check-chars"],
        operands: Operands::Second,
        ..BLANK
    },
    Tool { names: &["split", "gsplit"], operands: Operands::Special(special::split), ..BLANK },
    Tool { names: &["csplit", "gcsplit"], operands: Operands::Special(special::csplit), ..BLANK },
    Tool { names: &["mktemp", "gmktemp"], operands: Operands::Special(special::mktemp), ..BLANK },
    Tool { names: &["script"], operands: Operands::Special(special::script), ..BLANK },
    Tool {
        names: &["cc", "gcc", "g++", "c++", "clang", "clang++", "ld", "as", "rustc"],
        style: Style::Letter,
        values: &["-o"],
        into: &["-o"],
        operands: Operands::Nothing,
        ..BLANK
    },
    Tool {
        names: &["go"],
        verbs: &["build", "test"],
        style: Style::Word,
        values: &["-o", "-coverprofile", "-cpuprofile", "-memprofile"],
        into: &["-o", "-coverprofile", "-cpuprofile", "-memprofile"],
        operands: Operands::Nothing,
        ..BLANK
    },
    Tool { names: &["ed", "red"], values: &["-p", "--prompt"], ..BLANK },
    Tool { names: &["ex", "vi", "vim", "nvim"], operands: Operands::Special(special::vim), ..BLANK },
];
