//! Verdict in, the host's own answer out. Which host is answered how, and why, is told in the parent module.

use serde_json::{Value, json};

use super::reading::same_name;
use super::{Call, Event};

/// What is to be said to a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Nothing: the host's own permission prompts stay as they are.
    NoObjection,
    /// The tool call must not run.
    Deny {
        /// Why, and what to do instead: the model reads it.
        reason: String,
    },
    /// Something for the model to know at a session's start or a prompt.
    Context {
        /// One line.
        line: String,
    },
}

/// What the hook process does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// For standard output, to the byte.
    pub stdout: String,
    /// For standard error, to the byte.
    pub stderr: String,
    /// The exit status.
    pub code: u8,
}

/// The document that goes with a denial.
#[derive(Debug)]
pub(super) enum Denial {
    /// None: the host reads the exit status and standard error.
    Bare,
    /// Both forms that Claude Code reads.
    Block,
    /// Copilot's.
    Permission,
    /// Cursor's.
    Flat,
    /// Cline's.
    Cancel,
}

/// How a line reaches the model.
#[derive(Debug)]
pub(super) enum ContextForm {
    /// Not at all.
    Unheard,
    /// As it is.
    Plain,
    /// In `hookSpecificOutput`.
    HookSpecific,
    /// Copilot's `additionalContext`.
    TopLevel,
    /// Cursor's `additional_context`.
    Flat,
    /// Cline's `contextModification`.
    Modification,
}

/// A denial must not be without text, or Codex and Gemini let the write through.
const NO_REASON: &str = "claim: this write is denied, and no reason was given";

/// The answer in the host's own form. A denial outside of `BeforeTool` and a line where the host has no use for one
/// come out as no objection.
pub fn answer(call: &Call, answer: &Answer) -> Output {
    match answer {
        Answer::Deny { reason } if call.event == Event::BeforeTool => deny(call, reason),
        Answer::Context { line } if !line.trim().is_empty() => {
            context(call, line).unwrap_or_else(|| no_objection(call))
        }
        _ => no_objection(call),
    }
}

/// Whether the host passes a line on to the model at this moment.
pub fn hears(call: &Call) -> bool {
    context(call, "").is_some()
}

fn no_objection(call: &Call) -> Output {
    let silence = Output { stdout: String::new(), stderr: String::new(), code: 0 };
    let waits_for_consent = call
        .event_name
        .as_deref()
        .is_some_and(|event| call.agent.needs_consent.iter().any(|listed| same_name(listed, event)));
    if waits_for_consent { Output { stdout: line_of(&json!({"permission": "allow"})), ..silence } } else { silence }
}

fn deny(call: &Call, reason: &str) -> Output {
    let reason = if reason.trim().is_empty() { NO_REASON } else { reason };
    let nested = json!({
        "hookEventName": call.event_name.as_deref().unwrap_or("PreToolUse"),
        "permissionDecision": "deny",
        "permissionDecisionReason": reason,
    });
    let document = match call.agent.denial {
        Denial::Bare => None,
        Denial::Block => Some(json!({"decision": "block", "reason": reason, "hookSpecificOutput": nested})),
        Denial::Permission => Some(json!({
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
            "hookSpecificOutput": nested,
        })),
        Denial::Flat => Some(json!({"permission": "deny", "user_message": reason, "agent_message": reason})),
        Denial::Cancel => Some(json!({"cancel": true, "errorMessage": reason})),
    };
    let newline = if reason.ends_with('\n') { "" } else { "\n" };
    Output { stdout: document.as_ref().map(line_of).unwrap_or_default(), stderr: format!("{reason}{newline}"), code: 2 }
}

/// `None` where the host would not pass the line on to the model.
fn context(call: &Call, line: &str) -> Option<Output> {
    let starts = matches!(call.event, Event::SessionStart { .. });
    if !starts && call.event != Event::Prompt {
        return None;
    }
    let nested = || json!({"hookEventName": call.event_name.as_deref(), "additionalContext": line});
    let stdout = match call.agent.context {
        ContextForm::Unheard => return None,
        ContextForm::Plain => format!("{}\n", line.trim_end()),
        ContextForm::HookSpecific => line_of(&json!({"hookSpecificOutput": nested()})),
        ContextForm::TopLevel if starts && call.event_name.is_some() => {
            line_of(&json!({"additionalContext": line, "hookSpecificOutput": nested()}))
        }
        ContextForm::TopLevel if starts => line_of(&json!({"additionalContext": line})),
        ContextForm::Flat if starts => line_of(&json!({"additional_context": line})),
        ContextForm::Modification => line_of(&json!({"cancel": false, "contextModification": line})),
        // At a prompt Copilot drops a command's output, and Cursor documents nothing for the model.
        ContextForm::TopLevel | ContextForm::Flat => return None,
    };
    Some(Output { stdout, stderr: String::new(), code: 0 })
}

fn line_of(document: &Value) -> String {
    format!("{document}\n")
}
