//! What holds for every text.

use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::{found, writes};

const TOKENS: &[&str] = &[
    "echo",
    "cat",
    "rm",
    "cp",
    "mv",
    "tee",
    "sed -i",
    "git",
    "-C",
    "commit",
    "cd",
    "/s",
    "../x",
    "a",
    "b.txt",
    "~",
    "~/x",
    "$HOME",
    "$F",
    "F=/x",
    "${F:-a}",
    "$(",
    ")",
    "`",
    "(",
    "{",
    "}",
    ";",
    "&&",
    "||",
    "|",
    "&",
    "\n",
    ">",
    ">>",
    "<<EOF",
    "\nEOF\n",
    "<<<",
    "2>&1",
    "&>",
    "<(",
    ">(",
    "'",
    "\"",
    "\\",
    "$'",
    "#",
    "if",
    "then",
    "else",
    "fi",
    "for",
    "in",
    "do",
    "done",
    "while",
    "case",
    "esac",
    ";;",
    "function",
    "f()",
    "bash -c",
    "sudo",
    "env",
    "find",
    "-exec",
    "{}",
    "\\;",
    "--",
    "-",
    "-i",
    "-t",
    "*",
    "?",
    "[",
    "{a,b}",
    "[[",
    "]]",
    "((",
    "))",
    "$((",
    "!",
    "apply_patch",
    "*** Add File: q\n",
    "é",
    "\u{fdd0}",
    "tar",
    "-xf",
    "dd",
    "of=",
    "perl",
    "-pi",
    "-e",
    "pushd",
    "popd",
    "export",
    "read",
    "unset",
    "=",
    "+=",
];

/// The ways in which a shell spells one literal path.
fn spelled(path: &str, style: usize) -> String {
    match style {
        0 => format!("'{}'", path.replace('\'', "'\\''")),
        1 => {
            let escaped = path.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "\\$").replace('`', "\\`");
            format!("\"{escaped}\"")
        }
        2 => path.chars().flat_map(|character| ['\\', character]).collect(),
        3 => format!("$'{}'", path.replace('\\', "\\\\").replace('\'', "\\'")),
        _ => path
            .chars()
            .map(|character| if character == '\'' { "\"'\"".to_owned() } else { format!("'{character}'") })
            .collect(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_survived(text in any::<String>(), directory in "/[a-z/.]{0,12}") {
        for path in writes(&text, Path::new(&directory), None) {
            prop_assert!(path.is_absolute());
        }
    }

    #[test]
    fn any_row_of_shell_tokens_is_survived(
        tokens in prop::collection::vec(prop::sample::select(TOKENS), 0..40),
        space in prop::sample::select(&["", " "][..]),
    ) {
        let found = found(&tokens.join(space));
        for (index, path) in found.iter().enumerate() {
            prop_assert!(path.is_absolute());
            prop_assert!(!found.iter().skip(index + 1).any(|other| other == path), "{path:?} twice");
        }
    }

    #[test]
    fn quoting_a_path_changes_nothing(
        path in "/s/[a-zA-Z0-9 _.,:;'\"$`\\\\*?{}()&|<>#~!=-]{0,12}x",
        style in 0..5usize,
        (before, after) in prop::sample::select(&[("echo > ", ""), ("rm -f ", ""), ("cp a ", ""), ("cd /; touch ", " && ls"),
            ("sudo tee ", " < in"), ("sed -i s/a/b/ ", ""), ("(touch ", ")"), ("if true; then touch ", "; fi")][..]),
    ) {
        let command = format!("{before}{}{after}", spelled(&path, style));
        prop_assert_eq!(found(&command), vec![PathBuf::from(&path)], "{}", command);
    }

    #[test]
    fn a_comment_at_the_end_changes_nothing(
        command in prop::sample::select(&["touch a", "cd /s && rm -r b", "echo x > c | tee d", "git -C e commit -m f", "ls", "(cd g; touch h)"][..]),
        comment in "[^\n\r\0]{0,40}",
    ) {
        prop_assert_eq!(found(&format!("{command} # {comment}")), found(command));
    }
}
