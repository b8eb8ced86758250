//! Rows whose payloads were recorded from the programs themselves: Claude Code 2.1.197, Codex CLI 0.171.0, Gemini CLI
//! 0.61.0, and by a plugin opencode 1.18.33 and pi 0.73.1. What those releases were not seen to send is marked.

use super::answers::{ContextForm, Denial};
use super::reading::{Keys, Mark};
use super::table::{BLANK, CLAUDE_EVENT_NAMES, CLAUDE_KEYS, ENVELOPE_KEYS, RESUME, START};
use super::tools::Kind;
use super::{Agent, Event};

pub(super) const CLAUDE: Agent = Agent {
    name: "claude",
    session_variables: &["CLAUDE_CODE_SESSION_ID"],
    project_variables: &["CLAUDE_PROJECT_DIR"],
    shell_carries_session: true,
    marks: &[&[Mark::Event(CLAUDE_EVENT_NAMES)]],
    tools: &[
        // MultiEdit is gone from 2.1, older releases have it.
        (&["Write", "Edit", "MultiEdit", "NotebookEdit"], Kind::Write),
        (&["Bash", "PowerShell"], Kind::Shell(&[])),
    ],
    denial: Denial::Block,
    context: ContextForm::HookSpecific,
    ..BLANK
};

pub(super) const CODEX: Agent = Agent {
    name: "codex",
    // The payload's id is the root session's; a sub-agent's thread is another.
    session_variables: &["CODEX_SESSION_ID", "CODEX_THREAD_ID"],
    shell_carries_session: true,
    // Claude Code may send a model at a session's start, and neither host sends a turn at its end.
    marks: &[
        &[Mark::Has("/turn_id")],
        &[Mark::FileName("/transcript_path", "rollout-")],
        &[Mark::Null("/transcript_path"), Mark::Has("/hook_event_name"), Mark::Lacks("/prompt_id")],
        &[Mark::Has("/model"), Mark::Has("/tool_name")],
    ],
    tools: &[
        (&["apply_patch", "Edit", "Write"], Kind::Patch),
        (&["Bash", "shell", "local_shell", "exec_command"], Kind::Shell(&["workdir"])),
    ],
    denial: Denial::Block,
    context: ContextForm::HookSpecific,
    ..BLANK
};

pub(super) const GEMINI: Agent = Agent {
    name: "gemini",
    session_variables: &["GEMINI_SESSION_ID"],
    project_variables: &["GEMINI_PROJECT_DIR"],
    marks: &[
        &[Mark::Event(&[
            "BeforeTool",
            "AfterTool",
            "BeforeAgent",
            "AfterAgent",
            "BeforeModel",
            "AfterModel",
            "BeforeToolSelection",
            "PreCompress",
        ])],
        // Copilot sends a time with its session events too.
        &[
            Mark::Event(&["SessionStart", "SessionEnd", "Notification"]),
            Mark::Has("/timestamp"),
            Mark::Contains("/transcript_path", ".gemini"),
        ],
    ],
    keys: Keys { subagent: &[], ..CLAUDE_KEYS },
    events: &[
        (&["SessionStart"], START),
        (&["SessionEnd"], Event::SessionEnd),
        (&["BeforeAgent"], Event::Prompt),
        (&["AfterAgent"], Event::TurnEnd),
        (&["BeforeTool"], Event::BeforeTool),
        (&["AfterTool"], Event::AfterTool),
    ],
    tools: &[
        (&["write_file", "replace"], Kind::Write),
        (&["run_shell_command"], Kind::Shell(&["dir_path", "directory"])),
    ],
    denial: Denial::Block,
    context: ContextForm::HookSpecific,
    ..BLANK
};

pub(super) const OPENCODE: Agent = Agent {
    name: "opencode",
    marks: &[&[Mark::Event(&[
        "session.created",
        "session.updated",
        "session.idle",
        "session.status",
        "session.error",
        "session.compacted",
        "session.deleted",
        "server.instance.disposed",
        "chat.message",
        "tool.execute.before",
        "tool.execute.after",
    ])]],
    keys: ENVELOPE_KEYS,
    events: &[
        (&["session.created"], START),
        (&["session.deleted", "server.instance.disposed"], Event::SessionEnd),
        (&["chat.message"], Event::Prompt),
        (&["session.idle"], Event::TurnEnd),
        (&["tool.execute.before"], Event::BeforeTool),
        (&["tool.execute.after"], Event::AfterTool),
    ],
    tools: &[
        (&["write", "edit", "multiedit"], Kind::Write),
        (&["apply_patch", "patch"], Kind::Patch),
        (&["bash"], Kind::Shell(&["workdir"])),
    ],
    context: ContextForm::Plain,
    ..BLANK
};

pub(super) const PI: Agent = Agent {
    name: "pi",
    // Not in 0.73.1's shell, unless an extension sets it.
    session_variables: &["PI_SESSION_ID"],
    marks: &[&[Mark::Event(&[
        "session_start",
        "session_switch",
        "session_fork",
        "session_shutdown",
        "input",
        "before_agent_start",
        "agent_start",
        "agent_end",
        "turn_start",
        "turn_end",
        "tool_call",
        "tool_result",
    ])]],
    keys: ENVELOPE_KEYS,
    events: &[
        (&["session_start"], START),
        (&["session_switch", "session_fork"], RESUME),
        (&["session_shutdown"], Event::SessionEnd),
        (&["input", "before_agent_start"], Event::Prompt),
        (&["agent_end"], Event::TurnEnd),
        (&["tool_call"], Event::BeforeTool),
        (&["tool_result"], Event::AfterTool),
    ],
    tools: &[(&["write", "edit"], Kind::Write), (&["bash"], Kind::Shell(&[]))],
    context: ContextForm::Plain,
    ..BLANK
};
