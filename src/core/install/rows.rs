//! The rows of the table. What each rests on: Claude Code, Codex, Gemini CLI, opencode and pi were driven with these very
//! entries; the others follow their documentation.

use super::table::{Content, Entry, Extra, File, Hooks, Host, Nesting, Remains, Root, Shell};

/// How long a check before a write may take. Claim itself never waits for longer than 5 s; what is slower hangs.
const GUARD_S: u32 = 30;
const OTHER_S: u32 = 10;

const RESTART: Remains = Remains::Always("start new sessions: running ones have read their hooks already");
const SHARED: Remains = Remains::InProject(
    "this file is shared with whoever works on the project: without claim on their machine, their agents cannot write",
);

const fn before(event: &'static str, matcher: Option<&'static str>) -> Entry {
    Entry { event, matcher, before_writes: true, seconds: GUARD_S }
}

const fn at(event: &'static str) -> Entry {
    Entry { event, matcher: None, before_writes: false, seconds: OTHER_S }
}

/// Claude Code's form, which the others start from.
const GROUPS: Hooks = Hooks {
    document: &[],
    nesting: Nesting::Groups,
    has_type: true,
    command_key: "command",
    timeout: Some(("timeout", 1)),
    extra: &[],
    extra_before_writes: &[],
    shell: Shell::Posix,
    entries: &[],
};

const FLAT: Hooks = Hooks { nesting: Nesting::Flat, has_type: false, ..GROUPS };

const fn below_home(home: &'static str) -> Root {
    Root { variable: None, home }
}

const fn moved_by(variable: &'static str, below: &'static str, home: &'static str) -> Root {
    Root { variable: Some((variable, below)), home }
}

pub(super) const CLAUDE: Host = Host {
    name: "claude",
    title: "Claude Code",
    programs: &["claude"],
    directories: &[".claude"],
    user: moved_by("CLAUDE_CONFIG_DIR", "", ".claude"),
    files: &[File {
        user: "settings.json",
        project: ".claude/settings.json",
        sample: "claude/settings.json",
        content: Content::Hooks(&Hooks {
            entries: &[
                before("PreToolUse", Some("Write|Edit|MultiEdit|NotebookEdit|Bash|PowerShell")),
                at("SessionStart"),
                at("UserPromptSubmit"),
                at("Stop"),
                // All hooks at a session's end share 1.5 s, unless one in the settings asks for more.
                at("SessionEnd"),
            ],
            ..GROUPS
        }),
    }],
    remains: &[RESTART, SHARED],
};

pub(super) const CODEX: Host = Host {
    name: "codex",
    title: "Codex CLI",
    programs: &["codex"],
    directories: &[".codex"],
    user: moved_by("CODEX_HOME", "", ".codex"),
    files: &[File {
        user: "hooks.json",
        project: ".codex/hooks.json",
        sample: "codex/hooks.json",
        content: Content::Hooks(&Hooks {
            shell: Shell::Any,
            entries: &[
                before("PreToolUse", Some("apply_patch|Bash")),
                at("SessionStart"),
                at("UserPromptSubmit"),
                at("Stop"),
                // The most that Codex gives it.
                Entry { seconds: 3, ..at("SessionEnd") },
            ],
            ..GROUPS
        }),
    }],
    remains: &[
        Remains::Always("trust the hook: type /hooks in Codex; until then it is left out without a word"),
        Remains::Always(
            "let its shell reach the claims: claim doctor codex says which line its config.toml needs for that",
        ),
        RESTART,
        SHARED,
    ],
};

pub(super) const GEMINI: Host = Host {
    name: "gemini",
    title: "Gemini CLI",
    programs: &["gemini"],
    directories: &[".gemini"],
    user: moved_by("GEMINI_CLI_HOME", ".gemini", ".gemini"),
    files: &[File {
        user: "settings.json",
        project: ".gemini/settings.json",
        sample: "gemini/settings.json",
        content: Content::Hooks(&Hooks {
            timeout: Some(("timeout", 1000)),
            extra: &[("name", Extra::Text("claim"))],
            entries: &[
                before("BeforeTool", Some("write_file|replace|run_shell_command")),
                at("SessionStart"),
                at("BeforeAgent"),
                at("AfterAgent"),
                at("SessionEnd"),
            ],
            ..GROUPS
        }),
    }],
    remains: &[RESTART, SHARED, Remains::InProject("trust the folder in Gemini CLI: otherwise its hooks are left out")],
};

pub(super) const CURSOR: Host = Host {
    name: "cursor",
    title: "Cursor",
    programs: &["cursor", "cursor-agent"],
    directories: &[".cursor"],
    user: below_home(".cursor"),
    files: &[File {
        user: "hooks.json",
        project: ".cursor/hooks.json",
        sample: "cursor/hooks.json",
        content: Content::Hooks(&Hooks {
            document: &[("version", 1)],
            extra_before_writes: &[("failClosed", Extra::Yes)],
            shell: Shell::Any,
            entries: &[
                before(
                    "preToolUse",
                    Some(
                        "Write|Edit|MultiEdit|StrReplace|EditNotebook|Delete|ApplyPatch|Shell|Bash|edit_file|\
                         search_replace|delete_file|write_file|create_directory|move_file|run_terminal_cmd",
                    ),
                ),
                at("sessionStart"),
                at("stop"),
                at("sessionEnd"),
            ],
            ..FLAT
        }),
    }],
    remains: &[Remains::Always("restart Cursor, then look in its settings under Hooks: claim must be listed"), SHARED],
};

pub(super) const COPILOT: Host = Host {
    name: "copilot",
    title: "GitHub Copilot CLI",
    programs: &["copilot"],
    directories: &[".copilot"],
    user: moved_by("COPILOT_HOME", "", ".copilot"),
    files: &[File {
        user: "hooks/claim.json",
        project: ".github/hooks/claim.json",
        sample: "copilot/claim.json",
        content: Content::Hooks(&Hooks {
            document: &[("version", 1)],
            has_type: true,
            command_key: "bash",
            timeout: Some(("timeoutSec", 1)),
            entries: &[
                // Releases that do not know a matcher here ask about every tool; claim has nothing to say of the others.
                before("preToolUse", Some("create|edit|str_replace_editor|apply_patch|bash|powershell")),
                at("sessionStart"),
                at("agentStop"),
                at("sessionEnd"),
            ],
            ..FLAT
        }),
    }],
    remains: &[
        RESTART,
        SHARED,
        Remains::InProject("Copilot's cloud agent runs it too, and cannot write unless claim is installed there"),
    ],
};

pub(super) const OPENCODE: Host = Host {
    name: "opencode",
    title: "opencode",
    programs: &["opencode"],
    directories: &[".config/opencode"],
    user: moved_by("XDG_CONFIG_HOME", "opencode", ".config/opencode"),
    files: &[File {
        user: "plugins/claim.js",
        project: ".opencode/plugins/claim.js",
        sample: "opencode/claim.js",
        content: Content::Whole {
            text: include_str!("../../../hooks/opencode/claim.js"),
            mark: "// claim for opencode:",
            executable: false,
        },
    }],
    remains: &[RESTART, SHARED],
};

pub(super) const PI: Host = Host {
    name: "pi",
    title: "pi",
    programs: &["pi"],
    directories: &[".pi"],
    user: moved_by("PI_CODING_AGENT_DIR", "", ".pi/agent"),
    files: &[File {
        user: "extensions/claim.ts",
        project: ".pi/extensions/claim.ts",
        sample: "pi/claim.ts",
        content: Content::Whole {
            text: include_str!("../../../hooks/pi/claim.ts"),
            mark: "// claim for pi:",
            executable: false,
        },
    }],
    remains: &[RESTART, SHARED],
};

pub(super) const CRUSH: Host = Host {
    name: "crush",
    title: "Crush",
    programs: &["crush"],
    directories: &[".config/crush"],
    user: moved_by("XDG_CONFIG_HOME", "crush", ".config/crush"),
    files: &[File {
        user: "crush.json",
        project: "crush.json",
        sample: "crush/crush.json",
        content: Content::Hooks(&Hooks {
            // Releases that know PreToolUse alone take any other event for an error in the whole file.
            entries: &[before("PreToolUse", Some("^(write|edit|multiedit|download|bash)$"))],
            ..FLAT
        }),
    }],
    remains: &[
        RESTART,
        SHARED,
        Remains::Always("Crush does not say when a session ends: its claims go stale after their time to live"),
    ],
};

pub(super) const GOOSE: Host = Host {
    name: "goose",
    title: "goose",
    programs: &["goose"],
    directories: &[".config/goose"],
    user: below_home(".agents/plugins/claim"),
    files: &[
        File {
            user: "hooks/hooks.json",
            project: ".agents/plugins/claim/hooks/hooks.json",
            sample: "goose/hooks/hooks.json",
            content: Content::Hooks(&Hooks {
                extra_before_writes: &[("on_failure", Extra::Text("block"))],
                entries: &[
                    before("PreToolUse", Some("(^|__)(write|edit|text_editor|shell)$")),
                    at("SessionStart"),
                    at("Stop"),
                    at("SessionEnd"),
                ],
                ..GROUPS
            }),
        },
        File {
            user: "plugin.json",
            project: ".agents/plugins/claim/plugin.json",
            sample: "goose/plugin.json",
            content: Content::Whole {
                text: include_str!("../../../hooks/goose/plugin.json"),
                mark: "\"name\": \"claim\"",
                executable: false,
            },
        },
    ],
    remains: &[RESTART, SHARED],
};

pub(super) const WINDSURF: Host = Host {
    name: "windsurf",
    title: "Windsurf",
    programs: &["windsurf"],
    directories: &[".codeium/windsurf"],
    user: below_home(".codeium/windsurf"),
    files: &[File {
        user: "hooks.json",
        project: ".windsurf/hooks.json",
        sample: "windsurf/hooks.json",
        content: Content::Hooks(&Hooks {
            timeout: None,
            shell: Shell::Any,
            entries: &[
                before("pre_write_code", None),
                before("pre_run_command", None),
                before("pre_mcp_tool_use", None),
                at("post_cascade_response"),
            ],
            ..FLAT
        }),
    }],
    remains: &[
        Remains::Always("restart Windsurf"),
        SHARED,
        Remains::Always("Windsurf does not say when a session ends: its claims go stale after their time to live"),
    ],
};

/// What every script for Cline has.
const CLINE_MARK: &str = "# claim for Cline:";

macro_rules! cline {
    ($name:literal) => {
        File {
            user: $name,
            project: concat!(".clinerules/hooks/", $name),
            sample: concat!("cline/", $name),
            content: Content::Whole {
                text: include_str!(concat!("../../../hooks/cline/", $name)),
                mark: CLINE_MARK,
                executable: true,
            },
        }
    };
}

pub(super) const CLINE: Host = Host {
    name: "cline",
    title: "Cline",
    programs: &["cline"],
    directories: &["Documents/Cline"],
    user: below_home("Documents/Cline/Hooks"),
    files: &[
        cline!("PreToolUse"),
        cline!("TaskStart"),
        cline!("TaskResume"),
        cline!("UserPromptSubmit"),
        cline!("TaskComplete"),
        cline!("TaskCancel"),
    ],
    remains: &[
        Remains::Always("switch hooks on in Cline's settings, and look in its Hooks tab: claim must be on"),
        SHARED,
    ],
};
