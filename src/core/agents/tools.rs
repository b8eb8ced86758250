//! A tool's arguments in: what the call writes.
//!
//! Where an argument may have several names all of them are tried, because hosts change theirs between releases and a
//! write that is not seen is worse than a name too many. A path that is there but is not a non-empty string makes the
//! whole call [`Tool::Unreadable`]: half of its writes are not enough. So does a shell tool's call without a command; what
//! cannot be known of a command that is there is let through.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{Agent, Tool};
use crate::core::write::Link;

/// How the arguments of a tool that writes are to be read.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// Paths, or else a patch.
    Write,
    /// The same, but its command `view` only reads.
    Editor,
    /// A patch, or else paths.
    Patch,
    /// Paths that are removed, and with them a link itself.
    Delete,
    /// `source` and `destination`. Some resolve both before they rename, some do not.
    Move,
    /// A shell command. These keys name its own directory.
    Shell(&'static [&'static str]),
}

/// Names under which one path stands in a tool's arguments. `file_path`, `filePath`, `path` and `notebook_path` are
/// recorded or documented; the others are those of Cursor's, Cline's and VS Code's tools.
const PATHS: &[&str] = &[
    "file_path",
    "filePath",
    "path",
    "notebook_path",
    "notebookPath",
    "target_file",
    "target_notebook",
    "absolutePath",
    "absolute_path",
    "dirPath",
];

/// Names under which several stand.
const PATH_LISTS: &[&str] = &["paths", "file_paths", "files"];

/// Lists of edits, each of which may name a file of its own.
const EDITS: &[&str] = &["edits", "replacements"];

/// Codex calls its patch `command`, opencode `patchText`, Cline and VS Code `input`.
const PATCHES: &[&str] = &["command", "patchText", "patch_text", "patch", "input"];

const COMMANDS: &[&str] = &["command", "cmd", "command_line", "commands"];

/// Arguments that only a tool that writes a file has.
const CONTENTS: &[&str] = &[
    "content",
    "contents",
    "file_text",
    "new_source",
    "new_string",
    "newString",
    "new_str",
    "newText",
    "new_text",
    "edits",
];

const PATCH_BEGINS: &str = "*** Begin Patch";

/// The tools of the reference MCP server for files that write, whatever a host puts before their names.
const FILE_SERVER_TOOLS: &[(&str, Kind)] = &[
    ("write_file", Kind::Write),
    ("edit_file", Kind::Write),
    ("create_directory", Kind::Write),
    ("move_file", Kind::Move),
];

/// `mcp__filesystem__write_file`, `mcp_filesystem_write_file`, `filesystem-write_file`... The server has to be named so:
/// many servers have a `write_file` that writes on another machine.
pub(super) fn file_server_kind(name: &str) -> Option<Kind> {
    let name = name.to_ascii_lowercase();
    FILE_SERVER_TOOLS
        .iter()
        .find(|(tool, _)| name.strip_suffix(tool).is_some_and(|server| server.contains("filesystem")))
        .map(|(_, kind)| *kind)
}

/// A call without a name, which Cursor is reported to send: its arguments tell what it does, as far as they can.
pub(super) fn nameless(agent: &Agent, payload: &Value) -> Tool {
    let Some(input) = agent.keys.calls.iter().find_map(|(_, key)| payload.pointer(key)) else {
        return Tool::Other;
    };
    let Some(input) = object(input) else {
        return patch_text(input).map_or(Tool::Other, Tool::Patch);
    };
    let has_any = |keys: &[&str]| keys.iter().any(|key| input.contains_key(*key));
    let input = Value::Object(input.clone());
    if has_patch(&input) || (has_any(PATHS) && has_any(CONTENTS)) {
        read("", Kind::Write, Some(&input))
    } else if has_any(COMMANDS) {
        read("", Kind::Shell(&["working_directory", "workdir", "dir_path", "cwd"]), Some(&input))
    } else {
        Tool::Other
    }
}

/// What a call of that tool writes.
pub(super) fn read(name: &str, kind: Kind, input: Option<&Value>) -> Tool {
    let unreadable = || Tool::Unreadable { tool: name.into() };
    let input = input.unwrap_or(&Value::Null);
    let Some(arguments) = object(input) else {
        return match kind {
            // Copilot hands a patch over as bare text.
            Kind::Write | Kind::Editor | Kind::Patch => patch_text(input).map_or_else(unreadable, Tool::Patch),
            Kind::Delete | Kind::Move | Kind::Shell(_) => unreadable(),
        };
    };
    match kind {
        Kind::Shell(directories) => match command(&arguments) {
            Some(command) => Tool::Shell { command, directory: directory(&arguments, directories) },
            None => unreadable(),
        },
        Kind::Editor if arguments.get("command").and_then(Value::as_str) == Some("view") => Tool::Other,
        Kind::Write | Kind::Editor => match paths(&arguments) {
            Ok(paths) if paths.is_empty() => patch(&arguments, true).map_or_else(unreadable, Tool::Patch),
            Ok(paths) => Tool::Write { paths, link: Link::Followed },
            Err(Misfit) => unreadable(),
        },
        Kind::Delete => match paths(&arguments) {
            Ok(paths) if !paths.is_empty() => Tool::Write { paths, link: Link::Replaced },
            _ => unreadable(),
        },
        Kind::Patch => match (patch(&arguments, false), paths(&arguments)) {
            (Some(patch), _) => Tool::Patch(patch),
            (None, Ok(paths)) if !paths.is_empty() => Tool::Write { paths, link: Link::Followed },
            _ => unreadable(),
        },
        Kind::Move => {
            let ends: Vec<String> =
                ["source", "destination"].iter().filter_map(|key| filled(arguments.get(*key)?)).collect();
            if ends.len() == 2 { Tool::Write { paths: ends, link: Link::Either } } else { unreadable() }
        }
    }
}

/// A path that is there but is none.
struct Misfit;

fn paths(arguments: &Map<String, Value>) -> Result<Vec<String>, Misfit> {
    let mut found = Vec::new();
    single_paths(arguments, &mut found)?;
    for list in PATH_LISTS.iter().filter_map(|key| present(arguments, key)) {
        match list {
            Value::Array(items) => {
                for item in items {
                    match item {
                        Value::Object(item) => single_paths(item, &mut found)?,
                        item => found.push(filled(item).ok_or(Misfit)?),
                    }
                }
            }
            one => found.push(filled(one).ok_or(Misfit)?),
        }
    }
    let edits = EDITS.iter().filter_map(|key| arguments.get(*key)?.as_array()).flatten();
    for edit in edits.filter_map(Value::as_object) {
        single_paths(edit, &mut found)?;
    }
    let mut seen = HashSet::new();
    found.retain(|path| seen.insert(path.clone()));
    Ok(found)
}

fn single_paths(arguments: &Map<String, Value>, found: &mut Vec<String>) -> Result<(), Misfit> {
    for value in PATHS.iter().filter_map(|key| present(arguments, key)) {
        found.push(filled(value).ok_or(Misfit)?);
    }
    Ok(())
}

fn patch(arguments: &Map<String, Value>, must_look_like_one: bool) -> Option<String> {
    PATCHES
        .iter()
        .filter_map(|key| match arguments.get(*key)? {
            // The words of a command, the patch among them.
            Value::Array(words) => words.iter().find_map(patch_text),
            value => filled(value),
        })
        .find(|text| !must_look_like_one || text.contains(PATCH_BEGINS))
}

fn has_patch(input: &Value) -> bool {
    input.as_object().is_some_and(|arguments| patch(arguments, true).is_some())
}

fn patch_text(input: &Value) -> Option<String> {
    filled(input).filter(|text| text.contains(PATCH_BEGINS))
}

/// The command as one text: a list is either words, of which a shell's own `-c` text is taken, or commands in a row. An
/// empty one is a command too, and does nothing.
fn command(arguments: &Map<String, Value>) -> Option<String> {
    let (key, value) = COMMANDS.iter().find_map(|key| Some((*key, present(arguments, key)?)))?;
    let value = match value {
        // Cline's older form of its list is the list's own JSON.
        Value::String(text) if key == "commands" => {
            serde_json::from_str(text).ok().filter(Value::is_array).unwrap_or_else(|| value.clone())
        }
        value => value.clone(),
    };
    let Value::Array(items) = &value else {
        return value.as_str().map(String::from);
    };
    let words: Vec<&str> = items.iter().map(Value::as_str).collect::<Option<_>>()?;
    Some(match (key, words.as_slice()) {
        ("commands", commands) => commands.join("\n"),
        (_, [_, flag, script, ..]) if matches!(*flag, "-c" | "-lc" | "-ic") => (*script).into(),
        (_, words) => words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
    })
}

fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./=:@%+,".contains(letter);
    if !word.is_empty() && word.chars().all(plain) { word.into() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

fn directory(arguments: &Map<String, Value>, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| filled(arguments.get(*key)?))
}

/// Arguments, which some hosts send as the text of a JSON object.
fn object(input: &Value) -> Option<Map<String, Value>> {
    match input {
        Value::Object(arguments) => Some(arguments.clone()),
        Value::String(text) => match serde_json::from_str(text) {
            Ok(Value::Object(arguments)) => Some(arguments),
            _ => None,
        },
        _ => None,
    }
}

fn present<'a>(arguments: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    arguments.get(key).filter(|value| !value.is_null())
}

fn filled(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(String::from)
}
