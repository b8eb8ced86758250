//! Formatters and fixers that rewrite the files they are given.

use super::super::options::Style;
use super::{BLANK, Operands, Tool};
use crate::core::write::Link;

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        names: &["gofmt", "gofumpt", "goimports"],
        style: Style::Word,
        values: &["-r", "-local", "-lang", "-modpath"],
        needs: &["-w"],
        ..BLANK
    },
    Tool { names: &["shfmt"], style: Style::Word, values: &["-i", "-ln", "-filename", "-ci"], needs: &["-w"], ..BLANK },
    Tool {
        names: &["clang-format"],
        style: Style::Word,
        values: &["-lines", "-offset", "-length"],
        needs: &["-i"],
        ..BLANK
    },
    Tool {
        names: &["rustfmt"],
        values: &["--edition", "--style-edition", "--config", "--config-path", "--color"],
        idle: &["--check", "--emit", "-h", "--help", "-V", "--version"],
        ..BLANK
    },
    Tool {
        names: &["cargo"],
        verbs: &["fmt"],
        idle: &["--check", "--manifest-path", "-h", "--help"],
        operands: Operands::Directory,
        ..BLANK
    },
    Tool {
        names: &["stylua"],
        values: &["-f", "-g", "-s", "--config-path", "--glob", "--stdin-filepath"],
        idle: &["-c", "--check", "--help", "--version"],
        ..BLANK
    },
    Tool {
        names: &["black"],
        values: &[
            "-l",
            "-t",
            "-W",
            "--line-length",
            "--target-version",
            "--config",
            "--include",
            "--exclude",
            "--extend-exclude",
            "--force-exclude",
            "--workers",
            "--required-version",
        ],
        idle: &["--check", "--diff", "-c", "--code", "-h", "--help", "--version"],
        ..BLANK
    },
    Tool {
        names: &["isort"],
        values: &[
            "-l",
            "--profile",
            "-w",
            "--line-length",
            "--settings-path",
            "--sp",
            "-s",
            "--skip",
            "-p",
            "--project",
        ],
        idle: &["-c", "--check", "--check-only", "--diff", "-d", "--stdout", "-h", "--help", "--version"],
        ..BLANK
    },
    Tool {
        names: &["ruff"],
        verbs: &["format"],
        values: RUFF,
        idle: &["--check", "--diff", "-h", "--help"],
        operands: Operands::EachOrHere,
        ..BLANK
    },
    Tool {
        names: &["ruff"],
        verbs: &["check"],
        values: RUFF,
        idle: &["--diff", "-h", "--help"],
        needs: &["--fix", "--fix-only", "--add-noqa"],
        into: &["-o", "--output-file"],
        operands: Operands::EachOrHere,
        ..BLANK
    },
    Tool {
        names: &["autopep8", "yapf", "autoflake"],
        values: &["--max-line-length", "--select", "--ignore", "--style", "--imports", "-e", "--exclude"],
        needs: &["-i", "--in-place"],
        ..BLANK
    },
    Tool {
        names: &["prettier"],
        values: &[
            "--config",
            "--ignore-path",
            "--parser",
            "--plugin",
            "--tab-width",
            "--print-width",
            "--log-level",
            "--trailing-comma",
            "--end-of-line",
            "--cache-location",
            "--stdin-filepath",
        ],
        needs: &["-w", "--write"],
        ..BLANK
    },
    Tool {
        names: &["eslint", "stylelint", "markdownlint"],
        values: &[
            "-c",
            "-f",
            "-o",
            "-p",
            "--config",
            "--ext",
            "--format",
            "--formatter",
            "--ignore-path",
            "--ignore-pattern",
            "--max-warnings",
            "--output",
            "--output-file",
            "--parser",
            "--plugin",
            "--rule",
            "--rulesdir",
            "--cache-location",
        ],
        into: &["-o", "--output-file"],
        needs: &["--fix"],
        ..BLANK
    },
    Tool {
        names: &["biome"],
        verbs: &["format", "lint", "check"],
        values: &["--config-path", "--max-diagnostics", "--diagnostic-level"],
        needs: &["--write", "--fix", "--apply"],
        operands: Operands::EachOrHere,
        ..BLANK
    },
    Tool {
        names: &["deno"],
        verbs: &["fmt"],
        values: &["-c", "--config", "--ext"],
        idle: &["--check", "-h", "--help"],
        operands: Operands::EachOrHere,
        ..BLANK
    },
    Tool {
        names: &["taplo"],
        verbs: &["fmt", "format"],
        values: &["-c", "-o", "--config", "--option"],
        idle: &["--check", "--diff", "-h", "--help"],
        ..BLANK
    },
    Tool {
        names: &["terraform", "tofu"],
        verbs: &["fmt"],
        style: Style::Word,
        idle: &["-check", "-write", "-help"],
        operands: Operands::EachOrHere,
        ..BLANK
    },
    Tool { names: &["yq"], verbs: &["e", "ea", "eval", "eval-all"], ..YQ },
    YQ,
];

const RUFF: &[&str] = &[
    "--config",
    "--line-length",
    "--target-version",
    "--select",
    "--ignore",
    "--extend-select",
    "--fixable",
    "--exclude",
    "--extend-exclude",
    "--output-format",
    "-o",
    "--output-file",
    "--cache-dir",
    "--stdin-filename",
    "--range",
];

const YQ: Tool = Tool {
    names: &["yq"],
    values: &["-I", "-o", "-p", "-s", "--indent", "--output-format", "--input-format", "--front-matter", "--split-exp"],
    needs: &["-i", "--inplace", "--in-place"],
    operands: Operands::AfterFirst,
    link: Link::Either,
    ..BLANK
};
