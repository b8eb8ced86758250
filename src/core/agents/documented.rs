//! Rows made from documentation, published sources and reports, with no payload recorded here. They accept more spellings
//! than they may need to: `tests/fixtures/payloads/README.md` says what each rests on.

use super::answers::{ContextForm, Denial};
use super::reading::{Keys, Mark};
use super::table::{BLANK, CLAUDE_EVENT_NAMES, CLAUDE_KEYS, RESUME, START};
use super::tools::Kind;
use super::{Agent, Event};

pub(super) const CURSOR: Agent = Agent {
    name: "cursor",
    project_variables: &["CURSOR_PROJECT_DIR"],
    marks: &[
        &[Mark::Has("/cursor_version")],
        &[Mark::Has("/conversation_id")],
        &[Mark::Has("/workspace_roots")],
        &[Mark::Event(&[
            "preToolUse",
            "postToolUse",
            "postToolUseFailure",
            "beforeShellExecution",
            "afterShellExecution",
            "beforeMCPExecution",
            "afterMCPExecution",
            "beforeReadFile",
            "afterFileEdit",
            "beforeSubmitPrompt",
            "sessionStart",
            "sessionEnd",
            "stop",
        ])],
    ],
    keys: Keys {
        session: &["/conversation_id", "/session_id"],
        subagent: &[],
        workspace_root: &["/workspace_roots/0"],
        // Of the events that are a tool call themselves, the whole payload is the arguments.
        calls: &[("/tool_name", "/tool_input"), ("/hook_event_name", "")],
        ..CLAUDE_KEYS
    },
    events: &[
        (&["sessionStart"], START),
        (&["sessionEnd"], Event::SessionEnd),
        (&["beforeSubmitPrompt", "UserPromptSubmit"], Event::Prompt),
        (&["stop"], Event::TurnEnd),
        (&["preToolUse", "beforeShellExecution", "beforeMCPExecution"], Event::BeforeTool),
        (
            &["postToolUse", "postToolUseFailure", "afterShellExecution", "afterMCPExecution", "afterFileEdit"],
            Event::AfterTool,
        ),
    ],
    tools: &[
        (
            &[
                "Write",
                "Edit",
                "MultiEdit",
                "StrReplace",
                "EditNotebook",
                "WriteFile",
                "edit_file",
                "search_replace",
                "afterFileEdit",
                "MCP:write_file",
                "MCP:edit_file",
                "MCP:create_directory",
                "create_directory",
            ],
            Kind::Write,
        ),
        (&["Delete", "delete_file"], Kind::Delete),
        (&["MCP:move_file", "move_file"], Kind::Move),
        (&["ApplyPatch"], Kind::Patch),
        (
            &["Shell", "Bash", "run_terminal_cmd", "beforeShellExecution", "afterShellExecution"],
            Kind::Shell(&["working_directory", "cwd"]),
        ),
    ],
    denial: Denial::Flat,
    context: ContextForm::Flat,
    needs_consent: &["preToolUse", "beforeShellExecution", "beforeMCPExecution", "beforeReadFile"],
    ..BLANK
};

pub(super) const COPILOT: Agent = Agent {
    name: "copilot",
    session_variables: &["COPILOT_AGENT_SESSION_ID"],
    shell_carries_session: true,
    marks: &[
        &[Mark::Has("/toolName"), Mark::Has("/toolArgs")],
        &[Mark::Has("/sessionId"), Mark::Lacks("/hookName")],
        // Its PascalCase events are Claude Code's but for the time.
        &[
            Mark::Event(CLAUDE_EVENT_NAMES),
            Mark::Has("/timestamp"),
            Mark::Lacks("/permission_mode"),
            Mark::Lacks("/prompt_id"),
        ],
    ],
    keys: Keys {
        event: &["/hook_event_name", "/hookEventName"],
        session: &["/sessionId", "/session_id"],
        subagent: &["/agent_id", "/agentId"],
        calls: &[("/toolName", "/toolArgs"), ("/tool_name", "/tool_input"), ("/toolName", "/toolInput")],
        ..CLAUDE_KEYS
    },
    // Its camelCase payloads do not name their event.
    unnamed: &[
        ("/toolResult", Event::AfterTool),
        ("/error", Event::AfterTool),
        ("/toolName", Event::BeforeTool),
        ("/toolArgs", Event::BeforeTool),
        ("/source", START),
        ("/reason", Event::SessionEnd),
        ("/transformedPrompt", Event::Other),
        ("/prompt", Event::Prompt),
        ("/agentName", Event::Other),
        ("/stopReason", Event::TurnEnd),
    ],
    tools: &[
        (
            &[
                "Write",
                "Edit",
                "create",
                "str_replace_editor",
                // VS Code's agent, which shares the PascalCase payloads.
                "create_file",
                "insert_edit_into_file",
                "replace_string_in_file",
                "multi_replace_string_in_file",
                "edit_notebook_file",
                "create_directory",
                "editFiles",
            ],
            Kind::Editor,
        ),
        (&["apply_patch"], Kind::Patch),
        (&["Bash", "PowerShell", "run_in_terminal"], Kind::Shell(&[])),
    ],
    denial: Denial::Permission,
    context: ContextForm::TopLevel,
    ..BLANK
};

pub(super) const CRUSH: Agent = Agent {
    name: "crush",
    session_variables: &["CRUSH_SESSION_ID"],
    project_variables: &["CRUSH_PROJECT_DIR"],
    marks: &[&[
        Mark::Has("/event"),
        Mark::Has("/cwd"),
        Mark::Lacks("/hook_event_name"),
        Mark::Lacks("/working_dir"),
        Mark::Lacks("/matcher_context"),
    ]],
    keys: Keys { event: &["/event"], subagent: &[], ..CLAUDE_KEYS },
    tools: &[(&["write", "edit", "multiedit", "download"], Kind::Write), (&["bash"], Kind::Shell(&["working_dir"]))],
    denial: Denial::Block,
    ..BLANK
};

pub(super) const GOOSE: Agent = Agent {
    name: "goose",
    marks: &[&[Mark::Has("/event"), Mark::Has("/session_id"), Mark::Lacks("/hook_event_name")]],
    keys: Keys { event: &["/event"], cwd: &["/working_dir"], subagent: &[], ..CLAUDE_KEYS },
    tools: &[
        (&["developer__write", "developer__edit", "write", "edit"], Kind::Write),
        (&["developer__text_editor"], Kind::Editor),
        (&["developer__shell", "shell"], Kind::Shell(&[])),
    ],
    denial: Denial::Block,
    ..BLANK
};

pub(super) const WINDSURF: Agent = Agent {
    name: "windsurf",
    marks: &[&[Mark::Has("/agent_action_name")]],
    keys: Keys {
        event: &["/agent_action_name"],
        session: &["/trajectory_id"],
        cwd: &["/tool_info/cwd"],
        subagent: &[],
        // The event is the tool, except for MCP's.
        calls: &[("/agent_action_name", "/tool_info"), ("/tool_info/mcp_tool_name", "/tool_info/mcp_tool_arguments")],
        ..CLAUDE_KEYS
    },
    events: &[
        (&["pre_user_prompt"], Event::Prompt),
        (&["post_cascade_response"], Event::TurnEnd),
        (&["pre_write_code", "pre_run_command", "pre_mcp_tool_use"], Event::BeforeTool),
        (&["post_write_code", "post_run_command", "post_mcp_tool_use"], Event::AfterTool),
    ],
    tools: &[
        (&["pre_write_code", "post_write_code", "write_file", "edit_file", "create_directory"], Kind::Write),
        (&["move_file"], Kind::Move),
        (&["pre_run_command", "post_run_command"], Kind::Shell(&["cwd"])),
    ],
    ..BLANK
};

pub(super) const CLINE: Agent = Agent {
    name: "cline",
    marks: &[
        &[Mark::Has("/clineVersion")],
        &[Mark::Has("/hookName")],
        &[Mark::Has("/preToolUse")],
        &[Mark::Has("/tool_call")],
        &[Mark::Has("/taskId"), Mark::Has("/workspaceRoots")],
    ],
    keys: Keys {
        event: &["/hookName"],
        session: &["/sessionContext/rootSessionId", "/taskId"],
        own_session: None,
        subagent: &["/parent_agent_id"],
        cwd: &["/cwd", "/workspaceRoots/0"],
        workspace_root: &["/workspaceRoots/0"],
        // The second form has text in place of every argument that is a list.
        calls: &[
            ("/tool_call/name", "/tool_call/input"),
            ("/preToolUse/toolName", "/preToolUse/parameters"),
            ("/tool_result/name", "/tool_result/input"),
            ("/postToolUse/toolName", "/postToolUse/parameters"),
        ],
    },
    events: &[
        (&["TaskStart", "agent_start"], START),
        (&["TaskResume", "agent_resume"], RESUME),
        (&["TaskComplete", "TaskCancel", "session_shutdown"], Event::SessionEnd),
        (&["UserPromptSubmit", "prompt_submit"], Event::Prompt),
        (&["agent_end", "agent_abort", "agent_error"], Event::TurnEnd),
        (&["PreToolUse", "tool_call"], Event::BeforeTool),
        (&["PostToolUse", "tool_result"], Event::AfterTool),
    ],
    unnamed: &[
        ("/preToolUse", Event::BeforeTool),
        ("/tool_call", Event::BeforeTool),
        ("/postToolUse", Event::AfterTool),
        ("/tool_result", Event::AfterTool),
    ],
    tools: &[
        (&["write_to_file", "replace_in_file", "new_rule", "editor"], Kind::Write),
        (&["apply_patch"], Kind::Patch),
        (&["execute_command", "run_commands", "bash"], Kind::Shell(&[])),
    ],
    denial: Denial::Cancel,
    context: ContextForm::Modification,
    ..BLANK
};

/// No command hooks and no payload: its shell tool tells who it is.
pub(super) const AMP: Agent = Agent {
    name: "amp",
    session_variables: &["AMP_CURRENT_THREAD_ID", "AGENT_THREAD_ID"],
    shell_carries_session: true,
    ..BLANK
};
