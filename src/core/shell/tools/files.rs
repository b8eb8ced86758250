//! Commands that make, copy, move and remove files.

use super::{BLANK, Operands, Tool};
use crate::core::write::Link;

pub(super) const TOOLS: &[Tool] = &[
    Tool { names: &["rm", "grm", "rmdir", "unlink", "srm", "trash"], link: Link::Replaced, ..BLANK },
    Tool { names: &["tee", "gtee", "sponge"], ..BLANK },
    Tool {
        names: &["shred"],
        values: &["-n", "-s", "--iterations", "--size", "--random-source"],
        links: &[(&["-u", "--remove"], Link::Either)],
        ..BLANK
    },
    Tool { names: &["mkdir", "gmkdir", "mkfifo"], values: &["-m", "--mode"], link: Link::Made, ..BLANK },
    Tool {
        names: &["touch", "gtouch"],
        values: &["-d", "-t", "-r", "-A", "--date", "--reference"],
        links: &[(&["-h", "--no-dereference"], Link::Replaced)],
        ..BLANK
    },
    Tool { names: &["truncate", "gtruncate"], values: &["-s", "-r", "--size", "--reference"], ..BLANK },
    Tool { names: &["fallocate"], values: &["-l", "-o", "--length", "--offset"], ..BLANK },
    Tool {
        names: &["chmod", "chown", "chgrp", "gchmod", "gchown"],
        values: &["--from", "--reference"],
        operands: Operands::AfterFirst,
        links: &[(&["-h", "--no-dereference"], Link::Replaced), (&["-R", "--recursive"], Link::Either)],
        ..BLANK
    },
    Tool {
        names: &["cp", "gcp"],
        values: &["-S", "-t", "--suffix", "--target-directory"],
        enters: &["-t", "--target-directory"],
        operands: Operands::Copied,
        links: &[
            (&["--remove-destination", "-b", "--backup", "-l", "--link", "-s", "--symbolic-link"], Link::Entered),
            // A source that is a link replaces what it is copied to, any other is written through it.
            (&["-a", "-d", "-P", "-r", "-R", "--archive", "--no-dereference", "--recursive"], Link::Either),
        ],
        ..BLANK
    },
    Tool {
        names: &["mv", "gmv"],
        values: &["-S", "-t", "--suffix", "--target-directory"],
        enters: &["-t", "--target-directory"],
        operands: Operands::Moved,
        link: Link::Entered,
        links: &[(&["-T", "--no-target-directory"], Link::Replaced)],
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
        link: Link::Entered,
        links: &[(&["-T", "--no-target-directory"], Link::Replaced)],
        ..BLANK
    },
    Tool {
        names: &["ln", "gln"],
        values: &["-S", "-t", "--suffix", "--target-directory"],
        enters: &["-t", "--target-directory"],
        operands: Operands::Linked,
        link: Link::Entered,
        links: &[(&["-n", "-h", "-T", "--no-dereference", "--no-target-directory"], Link::Replaced)],
        ..BLANK
    },
    Tool { names: &["link"], operands: Operands::Copied, link: Link::Replaced, ..BLANK },
    Tool { names: &["ditto"], operands: Operands::Copied, link: Link::Either, ..BLANK },
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
        link: Link::Entered,
        links: &[(&["--inplace", "-K", "--keep-dirlinks"], Link::Either)],
        ..BLANK
    },
    Tool {
        names: &["scp"],
        values: &["-P", "-i", "-o", "-F", "-c", "-J", "-l", "-S", "-X", "-D"],
        operands: Operands::Sent,
        ..BLANK
    },
];
