//! One simple command, its words expanded: what it does to the shell, what it runs, and what it writes.

use super::find::Search;
use super::git;
use super::options::parse_leading;
use super::scope::{Base, Scope};
use super::tools;
use super::walk::{Walk, assignment_of};
use super::word::{UNKNOWN, Word};
use super::wrappers::{Setting, wrapper};
use crate::core::{patch, write::Write};

const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh", "mksh", "ash"];

impl Walk {
    /// Runs a command in the scope. The result is what it prints, where that is plain.
    pub(super) fn run(
        &mut self,
        words: &[Word],
        settings: &[Setting],
        input: Option<&str>,
        scope: &mut Scope<'_>,
    ) -> Option<String> {
        if !self.descend() {
            return None;
        }
        let output = self.named(words, settings, input, scope);
        self.ascend();
        output
    }

    fn named(
        &mut self,
        words: &[Word],
        settings: &[Setting],
        input: Option<&str>,
        scope: &mut Scope<'_>,
    ) -> Option<String> {
        let (first, arguments) = words.split_first()?;
        let full = first.exact()?;
        if let Some(body) = scope.functions.get(full).copied() {
            let outer = scope.set_arguments(arguments);
            let output = self.node(body, input, scope);
            scope.set_arguments(&outer);
            return output;
        }
        let name = full.rsplit('/').next().unwrap_or(full);
        let name = name.strip_suffix(".exe").unwrap_or(name);
        if let Some(wrapper) = wrapper(name, arguments) {
            return self.wrapped(name, wrapper, arguments, settings, input, scope);
        }
        if SHELLS.contains(&name) {
            self.shell(arguments, settings, input, scope);
            return None;
        }
        match name {
            "echo" | "pwd" | "cat" => return output_of(name, arguments, input, scope),
            "cd" | "chdir" => change_directory(arguments, scope),
            "pushd" | "popd" => push_directory(name, arguments, scope),
            // Jumps by a memory of its own.
            "z" | "zi" | "j" => scope.change_directory(Base(None)),
            "export" | "declare" | "typeset" | "local" | "readonly" => declare(name, arguments, scope),
            "unset" | "read" | "mapfile" | "readarray" | "getopts" => forget(arguments, scope),
            "printf" => {
                let (parsed, _) = parse_leading(arguments, &["-v"], &[]);
                forget(parsed.values(&["-v"]), scope);
            }
            "apply_patch" | "applypatch" => {
                let text = arguments.first().map(|word| word.text.as_str()).or(input).unwrap_or_default();
                let files = patch::files(text).into_iter();
                self.write(
                    files.filter_map(|file| {
                        Some(Write { path: scope.base.join(file.path.to_str()?)?, link: file.link })
                    }),
                );
            }
            "git" => {
                let variable = |name| inherited(name, settings, scope);
                let surroundings = git::Surroundings {
                    home: scope.home(),
                    git_directory: variable("GIT_DIR"),
                    work_tree: variable("GIT_WORK_TREE"),
                };
                self.write(git::writes(arguments, &scope.base, &surroundings));
            }
            "eval" => {
                let words: Vec<&str> = arguments.iter().map(|word| word.text.as_str()).collect();
                return self.here(&words.join(" "), scope);
            }
            "xargs" | "gxargs" => self.repeated(arguments, settings, input, scope),
            "find" | "gfind" => self.find(arguments, scope),
            _ => self.write(tools::writes(name, arguments, &scope.base)),
        }
        None
    }

    /// `bash -c TEXT NAME ARGUMENT...`, or a shell that reads its commands from a here-document.
    fn shell(&mut self, arguments: &[Word], settings: &[Setting], input: Option<&str>, scope: &Scope<'_>) {
        let (parsed, start) = parse_leading(arguments, &["-o", "-O", "+o", "+O", "--rcfile", "--init-file"], &[]);
        let operands = arguments.get(start..).unwrap_or_default();
        let mut child = scope.child();
        for (name, value) in settings {
            child.set(name, value.clone(), true);
        }
        if parsed.has(&["-c"]) {
            let Some((text, names)) = operands.split_first() else {
                return;
            };
            child.set_arguments(names.get(1..).unwrap_or_default());
            if text.before_pattern().is_none() {
                self.text(&text.text, &child);
            }
        } else if operands.is_empty() || parsed.has(&["-s"]) {
            child.set_arguments(operands);
            self.text(input.unwrap_or_default(), &child);
        }
    }

    /// `find START... -delete`, `-exec COMMAND`, `-fprint FILE`.
    fn find(&mut self, arguments: &[Word], scope: &Scope<'_>) {
        let search = Search::new(arguments);
        self.write(search.writes(&scope.base));
        for command in search.commands() {
            for start in &search.starts {
                let words: Vec<Word> = command
                    .iter()
                    .map(|word| if word.text == "{}" { Word::below(&start.text) } else { word.clone() })
                    .collect();
                self.run(&words, &[], None, &mut scope.clone());
            }
        }
    }
}

/// A variable that a program started here finds in its environment. One whose value is not plain is there all the same.
fn inherited(name: &str, settings: &[Setting], scope: &Scope<'_>) -> Option<Word> {
    match settings.iter().rfind(|(set, _)| set == name) {
        Some((_, value)) => Some(value.clone().unwrap_or_else(Word::unknown)),
        None => scope.exported(name),
    }
}

fn output_of(name: &str, arguments: &[Word], input: Option<&str>, scope: &Scope<'_>) -> Option<String> {
    match name {
        "pwd" => scope.get("PWD").map(|word| word.text),
        "cat" => {
            input.filter(|_| arguments.is_empty() || arguments.iter().all(|word| word.text == "-")).map(str::to_owned)
        }
        _ => {
            let text = arguments.iter().map(Word::exact).collect::<Option<Vec<_>>>()?.join(" ");
            // `echo -e` and backslashes mean different things to different shells.
            (!text.starts_with('-') && !text.contains('\\')).then(|| format!("{text}\n"))
        }
    }
}

fn change_directory(arguments: &[Word], scope: &mut Scope<'_>) {
    let (_, start) = parse_leading(arguments, &[], &[]);
    let target = match arguments.get(start) {
        Some(word) if word.text == "-" => return scope.back(),
        Some(word) if word.exact() == Some("") => return,
        Some(word) => scope.base.change(word),
        None => scope.home().map_or(Base(None), |home| scope.base.change(&home)),
    };
    scope.change_directory(target);
}

fn push_directory(name: &str, arguments: &[Word], scope: &mut Scope<'_>) {
    match (name, arguments) {
        ("popd", []) => scope.pop_directory(),
        ("pushd", []) => scope.swap_directory(),
        ("pushd", [word]) if !word.text.starts_with(['+', '-']) => {
            let base = scope.base.change(word);
            scope.push_directory(base);
        }
        _ => scope.change_directory(Base(None)),
    }
}

fn declare(name: &str, arguments: &[Word], scope: &mut Scope<'_>) {
    let exported =
        name == "export" || arguments.iter().any(|word| word.text.starts_with('-') && word.text.contains('x'));
    for word in arguments {
        if let Some((name, value)) = assignment_of(word, scope) {
            scope.set(&name, value, exported);
        } else if exported && let Some(value) = scope.get(&word.text) {
            scope.set(&word.text, Some(value), true);
        }
    }
}

fn forget<'word>(names: impl IntoIterator<Item = &'word Word>, scope: &mut Scope<'_>) {
    for word in names {
        if !word.text.contains(UNKNOWN) {
            scope.set(&word.text, None, false);
        }
    }
}
