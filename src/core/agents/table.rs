//! The hosts, one row each. The order is that of recognition: what is told by a key of its own comes before what is
//! told by the lack of one, and Claude Code, whose dialect several others copy, comes last.
//!
//! A new host is a row in `recorded` or `documented` that starts from [`BLANK`], its place in [`AGENTS`], and fixtures.

use super::answers::{ContextForm, Denial};
use super::documented::{AMP, CLINE, COPILOT, CRUSH, CURSOR, GOOSE, WINDSURF};
use super::reading::Keys;
use super::recorded::{CLAUDE, CODEX, GEMINI, OPENCODE, PI};
use super::{Agent, Event};

pub(super) const START: Event = Event::SessionStart { continues: false };
pub(super) const RESUME: Event = Event::SessionStart { continues: true };

/// Claude Code's moments, in its names, which Codex, Copilot, Crush and goose share.
pub(super) const CLAUDE_EVENTS: &[(&[&str], Event)] = &[
    (&["SessionStart"], START),
    (&["SessionEnd"], Event::SessionEnd),
    (&["UserPromptSubmit", "userPromptSubmitted"], Event::Prompt),
    (&["Stop", "StopFailure", "agentStop", "TurnEnd"], Event::TurnEnd),
    (&["PreToolUse"], Event::BeforeTool),
    (&["PostToolUse", "PostToolUseFailure"], Event::AfterTool),
];

/// What Claude Code and those that copy it call their events: enough to know the dialect by.
pub(super) const CLAUDE_EVENT_NAMES: &[&str] = &[
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "Stop",
    "StopFailure",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PermissionRequest",
    "PermissionDenied",
    "Notification",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "Setup",
    "CwdChanged",
    "FileChanged",
    "ErrorOccurred",
];

/// Where Claude Code's payload says what.
pub(super) const CLAUDE_KEYS: Keys = Keys {
    event: &["/hook_event_name"],
    session: &["/session_id"],
    own_session: None,
    subagent: &["/agent_id"],
    cwd: &["/cwd"],
    workspace_root: &[],
    calls: &[("/tool_name", "/tool_input")],
};

/// The envelope that our own plugins for opencode and pi send. A sub-agent has a session of its own in opencode, so the
/// plugin adds the root's; the recordings are older than that and have `session_id` alone.
pub(super) const ENVELOPE_KEYS: Keys = Keys {
    session: &["/root_session_id", "/parent_session_id", "/session_id"],
    own_session: Some("/session_id"),
    subagent: &[],
    workspace_root: &["/workspace_root"],
    ..CLAUDE_KEYS
};

/// Every agent CLI that is known.
pub static AGENTS: &[Agent] =
    &[CURSOR, WINDSURF, CLINE, CRUSH, GOOSE, OPENCODE, PI, GEMINI, CODEX, COPILOT, CLAUDE, AMP];

/// A row that says nothing, for the others to start from.
pub(super) const BLANK: Agent = Agent {
    name: "",
    session_variables: &[],
    project_variables: &[],
    shell_carries_session: false,
    marks: &[],
    keys: CLAUDE_KEYS,
    events: CLAUDE_EVENTS,
    unnamed: &[],
    tools: &[],
    denial: Denial::Bare,
    context: ContextForm::Unheard,
    needs_consent: &[],
};
