//! Commands that run the command given to them, as words or as the text of a shell.

use super::options::{parse, parse_leading};
use super::scope::Scope;
use super::tools;
use super::walk::{Walk, assignment_of};
use super::word::{UNKNOWN, Word};

/// How many lines `xargs -I` is followed through.
const LINES: usize = 64;

/// A variable set for one command only.
pub(super) type Setting = (String, Option<Word>);

/// A command that runs the command given to it.
pub(super) struct Wrapper {
    names: &'static [&'static str],
    /// What the first argument has to be, where one program is several commands.
    verbs: &'static [&'static str],
    /// Options that take a value.
    values: &'static [&'static str],
    /// Operands of its own before the command.
    operands: usize,
    /// Whether `NAME=VALUE` may stand before the command.
    assigns: bool,
    /// Options that name the directory to run in.
    enters: &'static [&'static str],
    /// Options with which it runs nothing.
    idle: &'static [&'static str],
    /// Options whose value is the text of a command, for a shell to run.
    texts: &'static [&'static str],
    /// Options with which it starts somewhere else, and with another environment.
    leaves: &'static [&'static str],
    /// Whether the command may be spelled as a package with its version, `prettier@3`.
    versions: bool,
}

/// For `operands`, where all are its own and none is a command.
const ALL: usize = usize::MAX;

const PLAIN: Wrapper = Wrapper {
    names: &[],
    verbs: &[],
    values: &[],
    operands: 0,
    assigns: false,
    enters: &[],
    idle: &["--help", "--version"],
    texts: &[],
    leaves: &[],
    versions: false,
};

const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        names: &["sudo"],
        values: &[
            "-u",
            "-g",
            "-h",
            "-p",
            "-C",
            "-r",
            "-t",
            "-T",
            "-U",
            "-D",
            "-R",
            "--user",
            "--group",
            "--host",
            "--prompt",
            "--chdir",
            "--close-from",
            "--role",
            "--type",
            "--command-timeout",
            "--other-user",
            "--chroot",
        ],
        assigns: true,
        enters: &["-D", "--chdir"],
        idle: &["-l", "-v", "-V", "-k", "-K", "--list", "--validate", "--help", "--version"],
        leaves: &["-i", "--login"],
        ..PLAIN
    },
    Wrapper { names: &["doas"], values: &["-u", "-C", "-a"], idle: &["-C", "-L"], ..PLAIN },
    Wrapper {
        names: &["env", "genv"],
        values: &["-u", "-C", "-S", "--unset", "--chdir", "--split-string"],
        assigns: true,
        enters: &["-C", "--chdir"],
        texts: &["-S", "--split-string"],
        ..PLAIN
    },
    Wrapper { names: &["command"], idle: &["-v", "-V"], ..PLAIN },
    Wrapper { names: &["exec"], values: &["-a"], ..PLAIN },
    Wrapper { names: &["builtin", "nohup", "busybox", "toybox", "unbuffer", "setsid", "noglob", "nocorrect"], ..PLAIN },
    Wrapper { names: &["time", "gtime"], values: &["-f", "-o", "--format", "--output"], ..PLAIN },
    Wrapper {
        names: &["timeout", "gtimeout"],
        values: &["-s", "-k", "--signal", "--kill-after"],
        operands: 1,
        ..PLAIN
    },
    Wrapper { names: &["nice"], values: &["-n", "--adjustment"], ..PLAIN },
    Wrapper { names: &["ionice"], values: &["-c", "-n", "--class", "--classdata"], idle: &["-p", "--pid"], ..PLAIN },
    Wrapper { names: &["stdbuf", "gstdbuf"], values: &["-i", "-o", "-e", "--input", "--output", "--error"], ..PLAIN },
    Wrapper { names: &["caffeinate"], values: &["-t", "-w"], ..PLAIN },
    Wrapper {
        names: &["flock"],
        values: &["-w", "-E", "-c", "--timeout", "--conflict-exit-code", "--command"],
        operands: 1,
        texts: &["-c", "--command"],
        ..PLAIN
    },
    Wrapper {
        names: &["su", "runuser"],
        values: &["-c", "-g", "-G", "-s", "-u", "-w", "--command", "--group", "--supp-group", "--shell", "--user"],
        operands: ALL,
        texts: &["-c", "--command", "--session-command"],
        leaves: &["-", "-l", "--login"],
        ..PLAIN
    },
    Wrapper {
        names: &["script"],
        values: &[
            "-B",
            "-E",
            "-I",
            "-O",
            "-T",
            "-c",
            "-m",
            "-o",
            "--command",
            "--log-in",
            "--log-out",
            "--log-io",
            "--log-timing",
        ],
        operands: ALL,
        texts: &["-c", "--command"],
        ..PLAIN
    },
    Wrapper {
        names: &["npx", "bunx", "uvx"],
        values: &["-p", "-c", "--package", "--call", "--from", "--with"],
        texts: &["-c", "--call"],
        versions: true,
        ..PLAIN
    },
    Wrapper {
        names: &["npm", "pnpm", "yarn", "bundle", "bun"],
        verbs: &["exec", "dlx", "x"],
        values: &["-p", "-c", "--package", "--call"],
        texts: &["-c", "--call"],
        versions: true,
        ..PLAIN
    },
    Wrapper {
        names: &["uv", "poetry", "pdm", "pipx"],
        verbs: &["run"],
        values: &["-p", "--python", "--with", "--extra", "--group", "--spec"],
        ..PLAIN
    },
    // A module is called as the program that it installs.
    Wrapper { names: &["python", "python3"], verbs: &["-m"], ..PLAIN },
];

/// The row of a command.
pub(super) fn wrapper(name: &str, arguments: &[Word]) -> Option<&'static Wrapper> {
    let verb = arguments.first().map_or("", |word| word.text.as_str());
    WRAPPERS
        .iter()
        .find(|wrapper| wrapper.names.contains(&name) && (wrapper.verbs.is_empty() || wrapper.verbs.contains(&verb)))
}

impl Walk {
    pub(super) fn wrapped(
        &mut self,
        name: &str,
        wrapper: &Wrapper,
        arguments: &[Word],
        settings: &[Setting],
        input: Option<&str>,
        scope: &mut Scope<'_>,
    ) -> Option<String> {
        let arguments = arguments.get(usize::from(!wrapper.verbs.is_empty())..).unwrap_or_default();
        let (parsed, mut start) = parse_leading(arguments, wrapper.values, &[]);
        if parsed.has(wrapper.idle) {
            return None;
        }
        let mut settings = settings.to_vec();
        while let Some((name, value)) =
            arguments.get(start).filter(|_| wrapper.assigns).and_then(|word| assignment_of(word, scope))
        {
            settings.push((name, value));
            start += 1;
        }
        let mut command = arguments.get(start.saturating_add(wrapper.operands)..).unwrap_or_default().to_vec();
        if wrapper.versions
            && let Some(package) = command.first_mut()
            && let Some((name, _)) = package.exact().and_then(|text| text.rsplit_once('@'))
            && !name.is_empty()
        {
            *package = Word::literal(name);
        }
        let everything = parse(arguments, wrapper.values, &[]);
        let leaves = parsed.has(wrapper.leaves)
            || (wrapper.operands == ALL
                && everything.operands.iter().any(|word| wrapper.leaves.contains(&&*word.text)));
        let mut outside = scope.clone();
        let inner = if leaves {
            outside = Scope::nowhere();
            &mut outside
        } else if let Some(directory) = parsed.value(wrapper.enters) {
            outside.change_directory(scope.base.enter(directory));
            &mut outside
        } else {
            scope
        };
        if let Some(text) = everything.value(wrapper.texts) {
            let rest = if wrapper.assigns { command.as_slice() } else { &[] };
            self.given(text, rest, &settings, inner);
        } else if !command.is_empty() {
            return self.run(&command, &settings, input, inner);
        }
        self.write(tools::writes(name, arguments, &inner.base));
        None
    }

    /// The text of a command, given to a shell or to `env -S`, which puts more words behind it.
    fn given(&mut self, text: &Word, more: &[Word], settings: &[Setting], scope: &Scope<'_>) {
        let mut child = scope.child();
        for (name, value) in settings {
            child.set(name, value.clone(), true);
        }
        let mut text = text.text.clone();
        for word in more {
            text.push_str(" '");
            text.push_str(&word.text.replace('\'', "'\\''"));
            text.push('\'');
        }
        self.text(&text, &child);
    }

    /// `xargs COMMAND WORD...`: what it reads stands behind these words, or wherever `-I` says. What that is, is plain only
    /// where it is printed by the same command.
    pub(super) fn repeated(
        &mut self,
        arguments: &[Word],
        settings: &[Setting],
        input: Option<&str>,
        scope: &Scope<'_>,
    ) {
        const VALUES: &[&str] = &[
            "-a",
            "-d",
            "-E",
            "-I",
            "-L",
            "-n",
            "-P",
            "-s",
            "-J",
            "-R",
            "-S",
            "--arg-file",
            "--delimiter",
            "--max-args",
            "--max-chars",
            "--max-lines",
            "--max-procs",
            "--process-slot-var",
        ];
        let (parsed, start) = parse_leading(arguments, VALUES, &["-e", "-i", "-l"]);
        let Some(command) = arguments.get(start..).filter(|command| !command.is_empty()) else {
            return;
        };
        let plain = input.filter(|text| {
            !text.contains(['\'', '"', '\\', UNKNOWN])
                && !parsed.has(&["-0", "-a", "-d", "--null", "--arg-file", "--delimiter"])
        });
        let mark = parsed.value(&["-I", "-J", "-i", "--replace"]).map(|word| word.text.clone());
        let mark = mark.or_else(|| parsed.has(&["-i", "--replace"]).then(|| "{}".to_owned()));
        let Some(mark) = mark else {
            let read = plain.map(|text| text.split_whitespace().map(Word::literal).collect());
            let mut words = command.to_vec();
            words.append(&mut read.unwrap_or_else(|| vec![Word::unknown()]));
            self.run(&words, settings, None, &mut scope.clone());
            return;
        };
        let read: Vec<Word> = plain
            .map(|text| text.lines().take(LINES).map(|line| Word::literal(line.trim_start())).collect())
            .unwrap_or_default();
        for line in if read.is_empty() { vec![Word::unknown()] } else { read } {
            let words: Vec<Word> = command
                .iter()
                .map(|word| {
                    if word.text.contains(&mark) {
                        Word::literal(&word.text.replace(&mark, &line.text))
                    } else {
                        word.clone()
                    }
                })
                .collect();
            self.run(&words, settings, None, &mut scope.clone());
        }
    }
}
