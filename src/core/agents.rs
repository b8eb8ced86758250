//! The hook protocols of the agent CLIs: a payload in, what it is about out; a verdict in, the host's own answer out.
//!
//! Every host that runs `claim hook` speaks a dialect of one idea: a JSON value on standard input tells of a session,
//! a moment in it and perhaps a tool call; an exit status, standard error and a JSON document on standard output say
//! whether the call may go on. The dialects are rows of one table ([`AGENTS`]), so that a new host is a row and a
//! fixture. The module is pure: what a payload says is all that it knows.
//!
//! # Telling the hosts apart
//!
//! By the payload alone. The environment lies (Gemini sets `CLAUDE_PROJECT_DIR` too) and so does the place of the
//! configuration (Cursor and Copilot load Claude's settings). The rows are tried in order; a payload that fits none is
//! `None`, which the hook answers with silence and exit 0. A host that speaks as Claude Code does is taken for it.
//!
//! # Answers
//!
//! | answer | host | exit | stderr | stdout |
//! |---|---|---|---|---|
//! | no objection | all, see Cursor below | 0 | empty | empty |
//! | denial | Claude Code, Codex, Gemini, Crush, goose | 2 | the reason | `{"decision":"block","reason":…,"hookSpecificOutput":{"hookEventName":…,"permissionDecision":"deny","permissionDecisionReason":…}}` |
//! | | Copilot | 2 | the reason | `{"permissionDecision":"deny","permissionDecisionReason":…,"hookSpecificOutput":{…as above…}}` |
//! | | Cursor | 2 | the reason | `{"permission":"deny","user_message":…,"agent_message":…}` |
//! | | Cline | 2 | the reason | `{"cancel":true,"errorMessage":…}` |
//! | | Windsurf, opencode, pi | 2 | the reason | empty |
//! | context | Claude Code, Codex, Gemini | 0 | empty | `{"hookSpecificOutput":{"hookEventName":…,"additionalContext":…}}` at a session's start and a prompt |
//! | | Copilot | 0 | empty | `{"additionalContext":…}` at a session's start; for its PascalCase events `hookSpecificOutput` too |
//! | | Cursor | 0 | empty | `{"additional_context":…}` at a session's start |
//! | | Cline | 0 | empty | `{"cancel":false,"contextModification":…}` at a task's start and a prompt |
//! | | opencode, pi | 0 | empty | the plain line, for the plugin to pass on, at a session's start and a prompt |
//! | | Crush, goose, Windsurf | 0 | empty | empty: nothing that they would hand to the model |
//!
//! Why both an exit status and a document: of the ways that were tried in Claude Code 2.1.197, Codex 0.171.0 and Gemini
//! 0.61.0, exit 2 with text on stderr denies in all three, and so does the document with both forms beside it; exit 2
//! with empty stderr lets the write through in two of them, and `hookSpecificOutput` without `decision` lets it through
//! in Gemini, where a document replaces the exit status. So a denial never has an empty stderr, and the first document
//! is the one that each of the three reads as a denial with any status. Its keys are all in Codex's schema, which
//! refuses unknown ones. Crush reads its `hookSpecificOutput`, goose its `decision`; both take exit 2 first.
//!
//! Every denial exits 2, also where the host looks at the document alone (Cline), so that a payload taken for another
//! host's is still denied: exit 2 denies in Claude Code, Codex, Gemini, Cursor, Copilot, Crush, goose and Windsurf.
//! Cursor and Copilot, which may run an entry written for Claude Code, are told apart by their payloads; were one of
//! them mistaken, exit 2 would still deny, and only the model would be told less.
//!
//! Cursor's permission events are the one exception to "no objection is silence": Cursor takes an empty answer there
//! for a broken hook and blocks the call (several reports of 2026, named in the fixtures' README), also for an entry of
//! Claude Code's settings, and a hook with nothing to say would lock every tool. There, and nowhere else, it is
//! `{"permission":"allow"}`. Cursor documents that as "go on"; that it skips a prompt of Cursor's own is not documented.
//!
//! A denial is given before a tool call only. At a turn's end exit 2 makes Codex and Gemini go on without end and text
//! on standard output is invalid in Codex, so nothing but silence is ever said there.
//!
//! # Not promised
//!
//! Whether a host fires its hook at all, or heeds it. Nor that text is clean: a reason is passed on as it comes.

mod answers;
mod documented;
mod reading;
mod recorded;
mod table;
mod tools;

#[cfg(test)]
mod answer_tests;
#[cfg(test)]
mod any_payload_tests;
#[cfg(test)]
mod fixture_tests;
#[cfg(test)]
mod payload_tests;

pub use answers::{Answer, Output, answer, hears};
pub use reading::recognise;
pub use table::AGENTS;

use answers::{ContextForm, Denial};
use reading::{Keys, Mark};
use tools::Kind;

use crate::core::write::Link;

/// One agent CLI: a row of [`AGENTS`].
#[derive(Debug)]
pub struct Agent {
    /// The short name, which is also the prefix of its sessions' holder: `claude:<id>`.
    pub name: &'static str,
    /// Environment variables that carry the session id, the surest first. Those of the shell tool, and for Gemini and
    /// Crush, whose shell has none, those of the hook process.
    pub session_variables: &'static [&'static str],
    /// Environment variables of the hook process that name the directory of the project.
    pub project_variables: &'static [&'static str],
    /// Whether the shell tool's environment carries the id that the hook's payload has. Where it does not, the line at
    /// the session's start has to name the holder, or a plugin has to set it.
    pub shell_carries_session: bool,

    /// What gives a payload away: one of these groups holds, every mark of it.
    marks: &'static [&'static [Mark]],
    keys: Keys,
    /// The host's names of the moments. Case, `_`, `.` and `-` do not matter, and what is not listed is `Other`.
    events: &'static [(&'static [&'static str], Event)],
    /// For payloads that carry no event name: the first key that is there tells the moment.
    unnamed: &'static [(&'static str, Event)],
    /// The host's tools that write. Spelled as loosely as events; what is not listed is `Other`.
    tools: &'static [(&'static [&'static str], Kind)],
    denial: Denial,
    context: ContextForm,
    /// Events at which the host takes silence for a failed hook and blocks.
    needs_consent: &'static [&'static str],
}

/// What a hook was called about.
#[derive(Debug, Clone)]
pub struct Call {
    /// The host that sent the payload.
    pub agent: &'static Agent,
    /// The id of the session, of the root session where a sub-agent has one of its own.
    pub session: Option<String>,
    /// Whether a sub-agent is at work. It shares its session's claims, and its own start and end are `Event::Other`.
    pub subagent: bool,
    /// The directory that relative paths start from. Never the home: in Claude Code it moves with `cd`, in Codex it is
    /// the shell call's own directory.
    pub cwd: Option<String>,
    /// The first root of the workspace, where the host tells it.
    pub workspace_root: Option<String>,
    /// The moment.
    pub event: Event,
    /// The moment in the host's own words, when it gave one.
    pub event_name: Option<String>,
    /// The tool in the host's own words, when it gave one.
    pub tool_name: Option<String>,
    /// What the tool call writes. `Tool::Other` outside of `BeforeTool` and `AfterTool`.
    pub tool: Tool,
}

/// A moment in a session, whatever the host calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A session begins.
    SessionStart {
        /// It goes on from another one (fork) or an earlier one (resume), and the id may be the old one: with
        /// `--fork-session` Claude Code sends the old id here and the new one ever after.
        continues: bool,
    },
    /// A session is over.
    SessionEnd,
    /// The person has said something.
    Prompt,
    /// The agent has finished a turn and waits.
    TurnEnd,
    /// A tool is about to run.
    BeforeTool,
    /// A tool has run, well or not.
    AfterTool,
    /// Anything else.
    Other,
}

/// What a tool call writes, as far as its arguments say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tool {
    /// Files or directories, spelled as the host gave them: absolute or not, with whatever separators.
    Write {
        /// At least one.
        paths: Vec<String>,
        /// What becomes of a link that such a path names.
        link: Link,
    },
    /// The text of a patch in `apply_patch`'s form, which names its files itself.
    Patch(String),
    /// A shell command.
    Shell {
        /// Its text.
        command: String,
        /// Where it runs, when the call itself says so; else in the payload's `cwd`.
        directory: Option<String>,
    },
    /// A tool that writes, or runs commands, with arguments that do not say what. Such a call is to be denied.
    Unreadable {
        /// The host's name of the tool.
        tool: String,
    },
    /// A tool that does not write, or is not known to.
    Other,
}

/// The agent of that name, for a test that it is asked about each of its tools.
#[cfg(test)]
pub(super) fn named(name: &str) -> Option<&'static Agent> {
    AGENTS.iter().find(|agent| agent.name == name)
}

/// The names of the tools of an agent that write, for a test that a hook is called for each.
#[cfg(test)]
pub(super) fn writing_tools(agent: &Agent) -> Vec<&'static str> {
    agent.tools.iter().flat_map(|(names, _)| names.iter().copied()).collect()
}

/// The holder that a call speaks for, such as `claude:<id>`. `None` when the payload has no session id.
pub fn holder(call: &Call) -> Option<String> {
    call.session.as_deref().map(|session| holder_of(call.agent, session))
}

/// The holder of a session of an agent: the same from a payload's id and from an environment variable's.
pub fn holder_of(agent: &Agent, session: &str) -> String {
    format!("{}:{session}", agent.name)
}
