//! What each host is told, to the byte: the table of the parent module's documentation, and what the recordings say that
//! each of these does to a write.

use serde_json::Value;

use super::fixture_tests::fixtures;
use super::{Answer, Call, Event, Output, answer, recognise};

const REASON: &str = "REFUSED: \"a\" is claimed\n    wait";

fn call(file: &str) -> Call {
    let fixtures = fixtures();
    let (_, payload) = fixtures.iter().find(|(name, _)| name == file).unwrap();
    recognise(payload).unwrap()
}

fn deny(file: &str, reason: &str) -> Output {
    answer(&call(file), &Answer::Deny { reason: reason.into() })
}

fn context(file: &str) -> Output {
    answer(&call(file), &Answer::Context { line: "B is \"at work\" here".into() })
}

fn silence() -> Output {
    Output { stdout: String::new(), stderr: String::new(), code: 0 }
}

#[test]
fn a_denial_is_exit_2_with_its_reason_on_stderr_and_the_host_s_own_document() {
    let rows = [
        (
            "claude/PreToolUse-Write",
            r#"{"decision":"block","reason":R,"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":R}}"#,
        ),
        (
            "codex/PreToolUse-apply_patch",
            r#"{"decision":"block","reason":R,"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":R}}"#,
        ),
        (
            "gemini/BeforeTool-write_file",
            r#"{"decision":"block","reason":R,"hookSpecificOutput":{"hookEventName":"BeforeTool","permissionDecision":"deny","permissionDecisionReason":R}}"#,
        ),
        (
            "crush/PreToolUse-write",
            r#"{"decision":"block","reason":R,"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":R}}"#,
        ),
        (
            "goose/PreToolUse-developer__write",
            r#"{"decision":"block","reason":R,"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":R}}"#,
        ),
        (
            "copilot/preToolUse-create",
            r#"{"permissionDecision":"deny","permissionDecisionReason":R,"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":R}}"#,
        ),
        (
            "copilot/PreToolUse-Write-pascal",
            r#"{"permissionDecision":"deny","permissionDecisionReason":R,"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":R}}"#,
        ),
        ("cursor/preToolUse-Write", r#"{"permission":"deny","user_message":R,"agent_message":R}"#),
        ("cursor/beforeShellExecution", r#"{"permission":"deny","user_message":R,"agent_message":R}"#),
        ("cline/PreToolUse-write_to_file", r#"{"cancel":true,"errorMessage":R}"#),
        ("cline/tool_call-editor", r#"{"cancel":true,"errorMessage":R}"#),
        ("windsurf/pre_write_code", ""),
        ("opencode/tool_execute_before-write", ""),
        ("pi/tool_call-write", ""),
    ];
    for (file, document) in rows {
        let document = document.replace(":R", r#":"REFUSED: \"a\" is claimed\n    wait""#);
        let newline = if document.is_empty() { "" } else { "\n" };
        let expected = Output {
            stdout: format!("{document}{newline}"),
            stderr: "REFUSED: \"a\" is claimed\n    wait\n".into(),
            code: 2,
        };
        assert_eq!(deny(file, REASON), expected, "{file}");
    }
}

#[test]
fn a_denial_without_a_reason_still_says_something() {
    for reason in ["", " \n"] {
        let output = deny("codex/PreToolUse-apply_patch", reason);
        assert_eq!(output.code, 2);
        assert_eq!(output.stderr, "claim: this write is denied, and no reason was given\n");
    }
}

#[test]
fn context_reaches_the_model_in_the_host_s_own_form() {
    let rows = [
        (
            "claude/SessionStart",
            "{\"hookSpecificOutput\":{\"hookEventName\":\"SessionStart\",\"additionalContext\":L}}\n",
        ),
        (
            "claude/UserPromptSubmit",
            "{\"hookSpecificOutput\":{\"hookEventName\":\"UserPromptSubmit\",\"additionalContext\":L}}\n",
        ),
        (
            "codex/SessionStart",
            "{\"hookSpecificOutput\":{\"hookEventName\":\"SessionStart\",\"additionalContext\":L}}\n",
        ),
        (
            "gemini/SessionStart",
            "{\"hookSpecificOutput\":{\"hookEventName\":\"SessionStart\",\"additionalContext\":L}}\n",
        ),
        (
            "gemini/BeforeAgent",
            "{\"hookSpecificOutput\":{\"hookEventName\":\"BeforeAgent\",\"additionalContext\":L}}\n",
        ),
        ("cursor/sessionStart", "{\"additional_context\":L}\n"),
        ("copilot/sessionStart", "{\"additionalContext\":L}\n"),
        (
            "copilot/SessionStart-pascal",
            "{\"additionalContext\":L,\"hookSpecificOutput\":{\"hookEventName\":\"SessionStart\",\"additionalContext\":L}}\n",
        ),
        ("cline/TaskStart", "{\"cancel\":false,\"contextModification\":L}\n"),
        ("opencode/session_created", "B is \"at work\" here\n"),
        ("pi/session_start", "B is \"at work\" here\n"),
        // Nothing that these would hand to the model.
        ("copilot/userPromptSubmitted", ""),
        ("cursor/beforeSubmitPrompt", ""),
        ("crush/SessionStart", ""),
        ("goose/SessionStart", ""),
        ("windsurf/pre_user_prompt", ""),
        // Not a moment for it.
        ("claude/PreToolUse-Write", ""),
        ("claude/SessionEnd", ""),
        ("codex/Stop", ""),
    ];
    for (file, document) in rows {
        let stdout = document.replace(":L", r#":"B is \"at work\" here""#);
        assert_eq!(context(file), Output { stdout, ..silence() }, "{file}");
    }
    let nothing = answer(&call("pi/session_start"), &Answer::Context { line: " \n".into() });
    assert_eq!(nothing, silence());
}

#[test]
fn no_objection_is_silence_except_where_cursor_blocks_on_it() {
    let consent = Output { stdout: "{\"permission\":\"allow\"}\n".into(), ..silence() };
    let mut consents = Vec::new();
    for (file, payload) in fixtures() {
        let output = answer(&recognise(&payload).unwrap(), &Answer::NoObjection);
        if output == consent {
            consents.push(file);
        } else {
            assert_eq!(output, silence(), "{file}");
        }
    }
    let expected = [
        "cursor/beforeMCPExecution-move_file",
        "cursor/beforeReadFile",
        "cursor/beforeShellExecution",
        "cursor/preToolUse-Delete",
        "cursor/preToolUse-Read",
        "cursor/preToolUse-Shell",
        "cursor/preToolUse-StrReplace",
        "cursor/preToolUse-Write",
        "cursor/preToolUse-Write-claude-settings",
        "cursor/preToolUse-no-tool-name",
    ];
    assert_eq!(consents, expected);
}

#[test]
fn nothing_but_a_tool_call_is_ever_denied_and_a_turn_s_end_hears_nothing() {
    for (file, payload) in fixtures() {
        let call = recognise(&payload).unwrap();
        let denied = answer(&call, &Answer::Deny { reason: REASON.into() });
        if call.event == Event::BeforeTool {
            assert_eq!(denied.code, 2, "{file}");
            assert!(!denied.stderr.trim().is_empty(), "{file}");
        } else {
            assert_eq!((denied.code, denied.stderr.as_str()), (0, ""), "{file}");
        }
        if call.event == Event::TurnEnd {
            for answer_given in
                [Answer::NoObjection, Answer::Deny { reason: REASON.into() }, Answer::Context { line: "line".into() }]
            {
                assert_eq!(answer(&call, &answer_given), silence(), "{file}");
            }
        }
    }
}

/// What the recordings say that Claude Code, Codex and Gemini do with exit 2 and text on stderr.
#[test]
fn the_document_denies_in_whichever_of_the_three_reads_it() {
    for file in ["claude/PreToolUse-Write", "codex/PreToolUse-apply_patch", "gemini/BeforeTool-write_file"] {
        let document: Value = serde_json::from_str(&deny(file, REASON).stdout).unwrap();
        // `decision: block` with exit 0 denies in all three, `deny` in Gemini only.
        assert_eq!(document["decision"], "block");
        assert_eq!(document["reason"], REASON);
        // The form of the newer two; alone, Gemini lets the write through.
        assert_eq!(document["hookSpecificOutput"]["permissionDecision"], "deny");
        // Codex takes an unknown key for a broken hook, and lets the write through.
        let keys: Vec<&String> = document.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["decision", "reason", "hookSpecificOutput"]);
        let nested: Vec<&String> = document["hookSpecificOutput"].as_object().unwrap().keys().collect();
        assert_eq!(nested, ["hookEventName", "permissionDecision", "permissionDecisionReason"]);
    }
}
