//! The agent CLIs that are known.

/// One agent CLI.
#[derive(Debug)]
pub struct Agent {
    /// Its name, which begins its sessions' holders.
    pub name: &'static str,
    /// The variables that carry the session's id in its shell tool, the most telling one first.
    pub session_variables: &'static [&'static str],
}

/// All of them.
pub static AGENTS: &[Agent] = &[
    Agent { name: "claude", session_variables: &["CLAUDE_CODE_SESSION_ID"] },
    Agent { name: "codex", session_variables: &["CODEX_SESSION_ID", "CODEX_THREAD_ID"] },
    Agent { name: "gemini", session_variables: &["GEMINI_SESSION_ID"] },
    Agent { name: "cursor", session_variables: &["CURSOR_CONVERSATION_ID"] },
    Agent { name: "copilot", session_variables: &["COPILOT_AGENT_SESSION_ID"] },
    Agent { name: "crush", session_variables: &["CRUSH_SESSION_ID"] },
    Agent { name: "amp", session_variables: &["AMP_CURRENT_THREAD_ID", "AGENT_THREAD_ID"] },
    Agent { name: "pi", session_variables: &["PI_SESSION_ID"] },
];
