//! A tool that writes and that no matcher names would write without asking.

use regex::Regex;

use super::{Content, HOSTS};
use crate::core::agents;

/// Names that the table of payloads knows and that a hook of this host is never called with, or not by that name.
const ELSEWHERE: &[(&str, &[&str])] = &[
    // Its matcher goes by the names that payloads were recorded with.
    ("codex", &["Edit", "Write", "shell", "local_shell", "exec_command"]),
    // Moments of their own, which install does not use.
    ("cursor", &["beforeShellExecution", "afterShellExecution", "afterFileEdit"]),
    // Names of the other form of its payloads, and of VS Code's agent, which reads no matcher.
    (
        "copilot",
        &[
            "Write",
            "Edit",
            "Bash",
            "PowerShell",
            "create_file",
            "insert_edit_into_file",
            "replace_string_in_file",
            "multi_replace_string_in_file",
            "edit_notebook_file",
            "create_directory",
            "editFiles",
            "run_in_terminal",
        ],
    ),
];

#[test]
fn every_tool_that_writes_is_named_by_a_matcher() {
    let mut checked = 0;
    for host in HOSTS {
        let agent = agents::named(host.name).unwrap();
        let elsewhere = ELSEWHERE.iter().find(|(name, _)| *name == host.name).map_or(&[][..], |(_, names)| names);
        for file in host.files {
            let Content::Hooks(hooks) = &file.content else { continue };
            let matchers = hooks.matchers_before_writes();
            assert!(!matchers.is_empty(), "{} is not asked before writes", host.name);
            for tool in agents::writing_tools(agent).into_iter().filter(|tool| !elsewhere.contains(tool)) {
                let is_named = matchers
                    .iter()
                    .any(|matcher| matcher.is_none_or(|matcher| Regex::new(matcher).unwrap().is_match(tool)));
                assert!(is_named, "{}: {tool} would write without asking", host.name);
                checked += 1;
            }
        }
    }
    assert!(checked > 40, "{checked}");
}

#[test]
fn nothing_but_a_check_before_a_write_can_stand_in_the_way() {
    for host in HOSTS {
        for file in host.files {
            let Content::Hooks(hooks) = &file.content else { continue };
            for entry in hooks.entries {
                let command = hooks.command(entry);
                assert_eq!(entry.before_writes, command.contains("exit 2"), "{} {command}", host.name);
                assert_eq!(!entry.before_writes, command.contains("|| true"), "{} {command}", host.name);
                let is_before = entry.event.to_lowercase().trim_start_matches("pre").len() < entry.event.len();
                assert_eq!(
                    entry.before_writes,
                    is_before || entry.event == "BeforeTool",
                    "{} {}",
                    host.name,
                    entry.event
                );
            }
        }
    }
}
