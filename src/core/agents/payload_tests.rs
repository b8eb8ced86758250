//! What no recording shows: a session's edges, hosts that speak alike, arguments that do not fit, other spellings.

use serde_json::{Value, json};

use super::{AGENTS, Call, Event, Link, Tool, holder, holder_of, named, recognise};

fn call(payload: Value) -> Call {
    recognise(&payload).unwrap()
}

fn claude(event: &str, key: &str, value: &str) -> Event {
    call(json!({"session_id": "s", "hook_event_name": event, key: value})).event
}

fn claude_tool(name: &str, input: Value) -> Tool {
    call(json!({"session_id": "s", "cwd": "/p", "transcript_path": "/t.jsonl", "hook_event_name": "PreToolUse",
        "tool_name": name, "tool_input": input}))
    .tool
}

fn writes(paths: &[&str]) -> Tool {
    Tool::Write { paths: paths.iter().map(|path| (*path).into()).collect(), link: Link::Followed }
}

fn unreadable(tool: &str) -> Tool {
    Tool::Unreadable { tool: tool.into() }
}

#[test]
fn a_forked_or_resumed_session_may_carry_the_old_id() {
    for (source, continues) in
        [("startup", false), ("clear", false), ("compact", false), ("resume", true), ("fork", true)]
    {
        assert_eq!(claude("SessionStart", "source", source), Event::SessionStart { continues }, "{source}");
    }
    let pi =
        |event: &str, reason: &str| call(json!({"hook_event_name": event, "session_id": "s", "reason": reason})).event;
    assert_eq!(pi("session_start", "fork"), Event::SessionStart { continues: true });
    assert_eq!(pi("session_start", "reload"), Event::SessionStart { continues: false });
    assert_eq!(pi("session_fork", ""), Event::SessionStart { continues: true });
}

#[test]
fn a_session_ends_for_whatever_reason_but_not_when_an_extension_is_reloaded() {
    for reason in ["clear", "resume", "logout", "prompt_input_exit", "other", ""] {
        assert_eq!(claude("SessionEnd", "reason", reason), Event::SessionEnd, "{reason}");
    }
    let pi =
        |reason: &str| call(json!({"hook_event_name": "session_shutdown", "session_id": "s", "reason": reason})).event;
    assert_eq!(pi("quit"), Event::SessionEnd);
    assert_eq!(pi("reload"), Event::Other);
}

#[test]
fn a_sub_agent_speaks_for_its_root_session_and_does_not_end_it() {
    let opencode = |event: &str, parents: Value| {
        let mut payload = json!({"hook_event_name": event, "session_id": "child", "cwd": "/p", "tool_name": "write",
            "tool_input": {"filePath": "/s/a"}});
        payload.as_object_mut().unwrap().extend(parents.as_object().unwrap().clone());
        call(payload)
    };
    let both = json!({"root_session_id": "root", "parent_session_id": "middle"});
    let write = opencode("tool.execute.before", both.clone());
    assert_eq!(holder(&write).as_deref(), Some("opencode:root"));
    assert_eq!((write.subagent, write.tool), (true, writes(&["/s/a"])));
    let parent = opencode("tool.execute.before", json!({"parent_session_id": "middle"}));
    assert_eq!(holder(&parent).as_deref(), Some("opencode:middle"));
    for event in ["session.created", "session.deleted"] {
        assert_eq!(opencode(event, both.clone()).event, Event::Other, "{event}");
    }
    let itself = opencode("session.deleted", json!({"root_session_id": "child", "parent_session_id": null}));
    assert_eq!((itself.event, itself.subagent), (Event::SessionEnd, false));
    let disposed = opencode("server.instance.disposed", json!({}));
    assert_eq!(disposed.event, Event::SessionEnd);
}

#[test]
fn hosts_that_speak_alike_are_told_apart() {
    let name = |payload: Value| recognise(&payload).map(|call| call.agent.name);
    let transcript = "/home/u/.claude/projects/-home-u-rollout-tool/5da4.jsonl";
    let rows = [
        // Claude Code may name the model at a start, and Codex names it there as well.
        (
            json!({"hook_event_name": "SessionStart", "session_id": "s", "model": "m", "transcript_path": transcript}),
            Some("claude"),
        ),
        (
            json!({"hook_event_name": "SessionEnd", "session_id": "s", "transcript_path": r"C:\Users\u\.codex\sessions\rollout-1.jsonl"}),
            Some("codex"),
        ),
        (json!({"hook_event_name": "SessionEnd", "session_id": "s", "transcript_path": null}), Some("codex")),
        (
            json!({"hook_event_name": "PreToolUse", "session_id": "s", "timestamp": "t", "permission_mode": "default"}),
            Some("claude"),
        ),
        (
            json!({"hook_event_name": "SessionStart", "session_id": "s", "timestamp": "t", "transcript_path": "/u/Code/transcripts/x.jsonl"}),
            Some("copilot"),
        ),
        (json!({"hook_event_name": "PreToolUse", "session_id": "s", "conversation_id": "c"}), Some("cursor")),
        (json!({"event": "PreToolUse", "session_id": "s", "cwd": "/p"}), Some("crush")),
        (json!({"event": "PreToolUse", "session_id": "s"}), Some("goose")),
        (json!({"event": "PreToolUse"}), None),
        (json!({"hook_event_name": "SomethingElse", "session_id": "s"}), None),
        (json!({"session_id": "s", "tool_name": "Write"}), None),
        (json!({}), None),
        (json!([]), None),
        (json!("PreToolUse"), None),
        (json!(null), None),
    ];
    for (payload, agent) in rows {
        assert_eq!(name(payload.clone()), agent, "{payload}");
    }
}

#[test]
fn paths_pass_as_they_are_under_any_of_their_names() {
    for key in ["file_path", "filePath", "path", "notebook_path"] {
        assert_eq!(claude_tool("Write", json!({key: r"C:\s\a b.md"})), writes(&[r"C:\s\a b.md"]), "{key}");
    }
    assert_eq!(
        claude_tool("MultiEdit", json!({"file_path": "/s/a", "edits": [{"old_string": "x"}]})),
        writes(&["/s/a"])
    );
    let several = json!({"replacements": [{"filePath": "/s/a"}, {"filePath": "/s/b"}, {"filePath": "/s/a"}]});
    assert_eq!(claude_tool("Edit", several), writes(&["/s/a", "/s/b"]));
    assert_eq!(claude_tool("Edit", json!({"files": ["/s/a", {"path": "/s/b"}]})), writes(&["/s/a", "/s/b"]));
}

#[test]
fn a_write_that_does_not_say_what_it_writes_is_unreadable() {
    for input in [
        json!(null),
        json!({}),
        json!("text"),
        json!(7),
        json!([]),
        json!({"file_path": 7}),
        json!({"file_path": ""}),
        json!({"file_path": null}),
        json!({"file_path": "/s/a", "path": ["/s/b"]}),
        json!({"file_path": "/s/a", "edits": [{"path": 7}]}),
        json!({"files": [7]}),
        json!({"command": "view", "content": "x"}),
    ] {
        assert_eq!(claude_tool("Write", input.clone()), unreadable("Write"), "{input}");
    }
    let codex =
        call(json!({"hook_event_name": "PreToolUse", "turn_id": "t", "tool_name": "apply_patch", "tool_input": {}}));
    assert_eq!(codex.tool, unreadable("apply_patch"));
    let words = call(json!({"hook_event_name": "PreToolUse", "turn_id": "t", "tool_name": "apply_patch",
        "tool_input": {"command": ["apply_patch", "*** Begin Patch"]}}));
    assert_eq!(words.tool, Tool::Patch("*** Begin Patch".into()));
    let nameless = call(
        json!({"hook_event_name": "preToolUse", "conversation_id": "c", "tool_input": {"path": 7, "contents": "x"}}),
    );
    assert_eq!(nameless.tool, unreadable(""));
}

#[test]
fn a_shell_tool_without_a_command_is_unreadable() {
    for input in [json!(null), json!({}), json!("ls"), json!({"command": 7}), json!({"command": ["touch", 7]})] {
        assert_eq!(claude_tool("Bash", input.clone()), unreadable("Bash"), "{input}");
    }
    let empty = Tool::Shell { command: String::new(), directory: None };
    assert_eq!(claude_tool("Bash", json!({"command": ""})), empty);
}

#[test]
fn what_is_no_write_is_other() {
    for (name, input) in [
        ("Read", json!({"file_path": "/s/a"})),
        ("Unheard", json!({"file_path": "/s/a", "content": "x"})),
        ("mcp__github__write_file", json!({"path": "a"})),
        ("mcp__filesystem__read_file", json!({"path": "/s/a"})),
    ] {
        assert_eq!(claude_tool(name, input), Tool::Other, "{name}");
    }
    let input = json!({"sessionId": "s", "toolName": "create", "toolInput": {"path": "/s/a"}});
    assert_eq!(call(input).tool, writes(&["/s/a"]));
    let copilot = |command: &str| {
        call(json!({"sessionId": "s", "toolName": "str_replace_editor", "toolArgs": {"command": command, "path": "/s/a"}})).tool
    };
    assert_eq!((copilot("view"), copilot("create")), (Tool::Other, writes(&["/s/a"])));
}

#[test]
fn the_reference_file_server_s_tools_write() {
    for name in ["mcp__filesystem__write_file", "mcp_filesystem_edit_file", "filesystem-create_directory"] {
        assert_eq!(claude_tool(name, json!({"path": "/s/a"})), writes(&["/s/a"]), "{name}");
    }
    let ends = json!({"source": "a", "destination": "/s/a"});
    let moved = Tool::Write { paths: vec!["a".into(), "/s/a".into()], link: Link::Either };
    assert_eq!(claude_tool("mcp__filesystem__move_file", ends), moved);
    let half = json!({"source": "a"});
    assert_eq!(claude_tool("mcp__filesystem__move_file", half), unreadable("mcp__filesystem__move_file"));
}

#[test]
fn a_command_may_be_a_list() {
    let shell = |command: Value| match claude_tool("Bash", json!({"command": command})) {
        Tool::Shell { command, directory: None } => command,
        other => panic!("{other:?}"),
    };
    assert_eq!(shell(json!(["bash", "-lc", "echo x > a"])), "echo x > a");
    assert_eq!(shell(json!(["touch", "a b", "it's", ""])), r"touch 'a b' 'it'\''s' ''");
    assert_eq!(shell(json!([])), "");
    let cline = json!({"hookName": "PreToolUse", "preToolUse": {"toolName": "run_commands",
        "parameters": {"commands": "[\"cd a\",\"touch b\"]"}}});
    assert_eq!(call(cline).tool, Tool::Shell { command: "cd a\ntouch b".into(), directory: None });
}

#[test]
fn rows_do_not_share_names_or_variables() {
    let mut names: Vec<&str> = AGENTS.iter().map(|agent| agent.name).collect();
    names.sort_unstable();
    let expected = "amp claude cline codex copilot crush cursor gemini goose opencode pi windsurf";
    assert_eq!(names.join(" "), expected);
    let mut variables: Vec<&str> = AGENTS
        .iter()
        .flat_map(|agent| agent.session_variables.iter().chain(agent.project_variables))
        .copied()
        .collect();
    let count = variables.len();
    variables.sort_unstable();
    variables.dedup();
    assert_eq!(variables.len(), count);
    let codex = named("codex").unwrap();
    assert_eq!(codex.session_variables, ["CODEX_SESSION_ID", "CODEX_THREAD_ID"]);
    assert_eq!(holder_of(codex, "7"), "codex:7");
    assert!(named("Claude").is_none());
}
