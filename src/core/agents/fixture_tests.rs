//! Every payload in the fixtures' folder, and what it is about: written from the recordings and the hosts' documents.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Event, Link, Tool, holder, recognise};

/// The folder, which holds one folder for each agent.
pub(super) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/payloads")
}

/// `agent/FILE` of every fixture, with its payload.
#[expect(clippy::disallowed_methods, reason = "a test reads its fixtures")]
pub(super) fn fixtures() -> Vec<(String, Value)> {
    let mut found = Vec::new();
    for agent in std::fs::read_dir(folder()).unwrap().map(Result::unwrap) {
        if !agent.file_type().unwrap().is_dir() {
            continue;
        }
        for file in std::fs::read_dir(agent.path()).unwrap().map(Result::unwrap) {
            let name = file.file_name().into_string().unwrap();
            let name = name.strip_suffix(".json").unwrap_or_else(|| panic!("{name} is no JSON file"));
            let agent = agent.file_name().into_string().unwrap();
            let text = std::fs::read_to_string(file.path()).unwrap();
            found.push((format!("{agent}/{name}"), serde_json::from_str(&text).unwrap()));
        }
    }
    found.sort_by(|one, other| one.0.cmp(&other.0));
    found
}

/// file | session | moment | tool, whose arguments are a JSON list: the paths; the patch; the command and its directory.
const EXPECTED: &str = r#"
claude/PostToolUse-Agent | 58041c91-d08f-43ec-adc4-5d94d0867727 | after | other
claude/PostToolUse-Bash | 5da4fed1-f9b0-47da-8f18-477c3747d1fb | after | shell ["echo from-shell > ../sibling/shell.md; sh /home/u/probe.sh"]
claude/PostToolUse-Edit | 5da4fed1-f9b0-47da-8f18-477c3747d1fb | after | write ["/home/u/sibling/seed.md"]
claude/PostToolUse-NotebookEdit | 0210c9d9-7744-4b7e-b5ce-815a684abc54 | after | write ["/home/u/sibling/nb.ipynb"]
claude/PostToolUse-Write | 5da4fed1-f9b0-47da-8f18-477c3747d1fb | after | write ["/home/u/sibling/notes.md"]
claude/PostToolUseFailure-Bash | 206177b1-fbba-4e5c-bf08-e767dedb34b4 | after | shell ["exit 3"]
claude/PreToolUse-Agent | 58041c91-d08f-43ec-adc4-5d94d0867727 | before | other
claude/PreToolUse-Bash-subagent | 58041c91-d08f-43ec-adc4-5d94d0867727 | before | shell ["sh /home/u/probe.sh"]
claude/PreToolUse-Bash | 5da4fed1-f9b0-47da-8f18-477c3747d1fb | before | shell ["echo from-shell > ../sibling/shell.md; sh /home/u/probe.sh"]
claude/PreToolUse-Edit | 5da4fed1-f9b0-47da-8f18-477c3747d1fb | before | write ["/home/u/sibling/seed.md"]
claude/PreToolUse-NotebookEdit | 0210c9d9-7744-4b7e-b5ce-815a684abc54 | before | write ["/home/u/sibling/nb.ipynb"]
claude/PreToolUse-Write-after-cd | 0210c9d9-7744-4b7e-b5ce-815a684abc54 | before | write ["/home/u/sibling/sub/rel3.md"]
claude/PreToolUse-Write-subagent | 58041c91-d08f-43ec-adc4-5d94d0867727 | before | write ["/home/u/sibling/sub.md"]
claude/PreToolUse-Write | 5da4fed1-f9b0-47da-8f18-477c3747d1fb | before | write ["/home/u/sibling/notes.md"]
claude/SessionEnd | 5da4fed1-f9b0-47da-8f18-477c3747d1fb | end | other
claude/SessionStart | 5da4fed1-f9b0-47da-8f18-477c3747d1fb | start | other
claude/Stop | 5da4fed1-f9b0-47da-8f18-477c3747d1fb | turn-end | other
claude/SubagentStart | 58041c91-d08f-43ec-adc4-5d94d0867727 | other | other
claude/SubagentStop | 58041c91-d08f-43ec-adc4-5d94d0867727 | other | other
claude/UserPromptSubmit | 5da4fed1-f9b0-47da-8f18-477c3747d1fb | prompt | other
codex/PostToolUse-Bash | 01a22f72-3482-7ec1-9386-a878d714ca85 | after | shell ["echo from-shell > ../sibling/shell.md; sh /home/u/probe.sh"]
codex/PostToolUse-apply_patch-2 | 01a22f72-3482-7ec1-9386-a878d714ca85 | after | patch ["*** Begin Patch\n*** Update File: ../sibling/seed.md\n@@\n-seed line\n+edited line\n*** End Patch\n"]
codex/PostToolUse-apply_patch | 01a22f72-3482-7ec1-9386-a878d714ca85 | after | patch ["*** Begin Patch\n*** Add File: /home/u/sibling/notes.md\n+from the agent\n*** End Patch\n"]
codex/PreToolUse-Bash-code-mode | 01a22f83-b196-7560-8fe6-db5570c60f84 | before | shell ["sleep 6; echo waited"]
codex/PreToolUse-Bash-heredoc | 01a22f83-861d-7fd3-96a3-9d89fdd02328 | before | shell ["apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: /home/u/sibling/notes.md\n+from the agent\n*** End Patch\nEOF"]
codex/PreToolUse-Bash-subagent | 01a22f83-b196-7560-8fe6-db5570c60f84 | before | shell ["echo x > ../sibling/sub.md; sh /home/u/probe.sh"]
codex/PreToolUse-Bash-workdir | 01a22f83-9944-7610-9ebf-ef48494dfc8d | before | shell ["echo x > wd.md; pwd"]
codex/PreToolUse-Bash | 01a22f72-3482-7ec1-9386-a878d714ca85 | before | shell ["echo from-shell > ../sibling/shell.md; sh /home/u/probe.sh"]
codex/PreToolUse-apply_patch-2 | 01a22f72-3482-7ec1-9386-a878d714ca85 | before | patch ["*** Begin Patch\n*** Update File: ../sibling/seed.md\n@@\n-seed line\n+edited line\n*** End Patch\n"]
codex/PreToolUse-apply_patch-several-files | 01a22f83-9944-7610-9ebf-ef48494dfc8d | before | patch ["*** Begin Patch\n*** Add File: multi1.md\n+x\n*** Update File: seed.md\n*** Move to: ../sibling/moved.md\n@@\n-seed line\n+edited line\n*** Delete File: multi0.md\n*** End Patch\n"]
codex/PreToolUse-apply_patch-subagent | 01a22f83-b196-7560-8fe6-db5570c60f84 | before | patch ["*** Begin Patch\n*** Add File: ../sibling/subpatch.md\n+x\n*** End Patch\n"]
codex/PreToolUse-apply_patch | 01a22f72-3482-7ec1-9386-a878d714ca85 | before | patch ["*** Begin Patch\n*** Add File: /home/u/sibling/notes.md\n+from the agent\n*** End Patch\n"]
codex/PreToolUse-collaborationspawn_agent | 01a22f83-b196-7560-8fe6-db5570c60f84 | before | other
codex/SessionEnd | 01a22f72-3482-7ec1-9386-a878d714ca85 | end | other
codex/SessionStart | 01a22f72-3482-7ec1-9386-a878d714ca85 | start | other
codex/Stop | 01a22f72-3482-7ec1-9386-a878d714ca85 | turn-end | other
codex/SubagentStart | 01a22f83-b196-7560-8fe6-db5570c60f84 | other | other
codex/SubagentStop | 01a22f83-b196-7560-8fe6-db5570c60f84 | other | other
codex/UserPromptSubmit | 01a22f72-3482-7ec1-9386-a878d714ca85 | prompt | other
gemini/AfterAgent | a32a5937-1d16-4669-a639-1f0d3c491524 | turn-end | other
gemini/AfterTool-invoke_agent | 14c54be8-ae89-4314-bd9f-ae8e4143e9ad | after | other
gemini/AfterTool-replace | a32a5937-1d16-4669-a639-1f0d3c491524 | after | write ["/home/u/sibling/seed.md"]
gemini/AfterTool-run_shell_command | a32a5937-1d16-4669-a639-1f0d3c491524 | after | shell ["echo from-shell > ../sibling/shell.md; sh /home/u/probe.sh"]
gemini/AfterTool-write_file | a32a5937-1d16-4669-a639-1f0d3c491524 | after | write ["/home/u/sibling/notes.md"]
gemini/BeforeAgent | a32a5937-1d16-4669-a639-1f0d3c491524 | prompt | other
gemini/BeforeTool-invoke_agent | 14c54be8-ae89-4314-bd9f-ae8e4143e9ad | before | other
gemini/BeforeTool-replace | a32a5937-1d16-4669-a639-1f0d3c491524 | before | write ["/home/u/sibling/seed.md"]
gemini/BeforeTool-run_shell_command-dir_path | 14c54be8-ae89-4314-bd9f-ae8e4143e9ad | before | shell ["pwd; echo x > wd.md", "../sibling"]
gemini/BeforeTool-run_shell_command | a32a5937-1d16-4669-a639-1f0d3c491524 | before | shell ["echo from-shell > ../sibling/shell.md; sh /home/u/probe.sh"]
gemini/BeforeTool-write_file-relative | 14c54be8-ae89-4314-bd9f-ae8e4143e9ad | before | write ["../sibling/rel.md"]
gemini/BeforeTool-write_file | a32a5937-1d16-4669-a639-1f0d3c491524 | before | write ["/home/u/sibling/notes.md"]
gemini/PreCompress | a32a5937-1d16-4669-a639-1f0d3c491524 | other | other
gemini/SessionEnd | a32a5937-1d16-4669-a639-1f0d3c491524 | end | other
gemini/SessionStart | a32a5937-1d16-4669-a639-1f0d3c491524 | start | other
opencode/session_created | ses_dd08dbbb0ffeMEjK7LJNQb7gDL | start | other
opencode/session_idle | ses_dd08dbbb0ffeMEjK7LJNQb7gDL | turn-end | other
opencode/tool_execute_before-apply_patch | ses_dd07bb4f3ffeMb32ntxx1sr7Rh | before | patch ["*** Begin Patch\n*** Add File: ../sibling/notes.md\n+x\n*** Update File: ../sibling/seed.md\n@@\n-seed line\n+edited line\n*** End Patch"]
opencode/tool_execute_before-bash-workdir | ses_dd07bf527ffe25CZymZQxcXfkN | before | shell ["echo x > wd.md; pwd", "/home/u/sibling"]
opencode/tool_execute_before-bash | ses_dd08dbbb0ffeMEjK7LJNQb7gDL | before | shell ["echo from-shell > ../sibling/shell.md; sh /home/u/probe.sh"]
opencode/tool_execute_before-edit | ses_dd08dbbb0ffeMEjK7LJNQb7gDL | before | write ["/home/u/sibling/seed.md"]
opencode/tool_execute_before-read | ses_dd08dbbb0ffeMEjK7LJNQb7gDL | before | other
opencode/tool_execute_before-task | ses_dd07bf527ffe25CZymZQxcXfkN | before | other
opencode/tool_execute_before-write-relative | ses_dd07bf527ffe25CZymZQxcXfkN | before | write ["../sibling/rel.md"]
opencode/tool_execute_before-write | ses_dd08dbbb0ffeMEjK7LJNQb7gDL | before | write ["/home/u/sibling/notes.md"]
pi/session_shutdown | 01a22f72-2e81-734e-8cef-51b33fd0fae9 | end | other
pi/session_start | 01a22f72-2e81-734e-8cef-51b33fd0fae9 | start | other
pi/tool_call-bash | 01a22f72-2e81-734e-8cef-51b33fd0fae9 | before | shell ["echo from-shell > ../sibling/shell.md; sh /home/u/probe.sh"]
pi/tool_call-edit | 01a22f72-2e81-734e-8cef-51b33fd0fae9 | before | write ["../sibling/seed.md"]
pi/tool_call-write | 01a22f72-2e81-734e-8cef-51b33fd0fae9 | before | write ["/home/u/sibling/notes.md"]
cursor/afterFileEdit | c0f1 | after | write ["/home/u/sibling/seed.md"]
cursor/beforeMCPExecution-move_file | c0f1 | before | move ["a.md", "/home/u/sibling/a.md"]
cursor/beforeReadFile | c0f1 | other | other
cursor/beforeShellExecution | c0f1 | before | shell ["echo x > ../sibling/shell.md", "/home/u/proj"]
cursor/beforeSubmitPrompt | c0f1 | prompt | other
cursor/preToolUse-Delete | c0f1 | before | delete ["/home/u/sibling/notes.md"]
cursor/preToolUse-Read | c0f1 | before | other
cursor/preToolUse-Shell | c0f1 | before | shell ["echo x > wd.md", "/home/u/sibling"]
cursor/preToolUse-StrReplace | c0f1 | before | write ["/home/u/sibling/seed.md"]
cursor/preToolUse-Write | c0f1 | before | write ["/home/u/sibling/notes.md"]
cursor/preToolUse-Write-claude-settings | c0f1 | before | write ["/home/u/sibling/notes.md"]
cursor/preToolUse-no-tool-name | c0f1 | before | write ["/home/u/sibling/notes.md"]
cursor/sessionEnd | c0f1 | end | other
cursor/sessionStart | c0f1 | start | other
cursor/stop | c0f1 | turn-end | other
copilot/PreToolUse-Bash-pascal | 5f0c | before | shell ["echo x > ../sibling/shell.md"]
copilot/PreToolUse-Edit-patch-pascal | 5f0c | before | patch ["*** Begin Patch\n*** Update File: ../sibling/seed.md\n@@\n-seed line\n+edited line\n*** End Patch\n"]
copilot/PreToolUse-Write-pascal | 5f0c | before | write ["/home/u/sibling/notes.md"]
copilot/SessionEnd-pascal | 5f0c | end | other
copilot/SessionStart-pascal | 5f0c | start | other
copilot/Stop-pascal | 5f0c | turn-end | other
copilot/agentStop | 5f0c | turn-end | other
copilot/postToolUse-create | 5f0c | after | write ["/home/u/sibling/notes.md"]
copilot/preToolUse-apply_patch | 5f0c | before | patch ["*** Begin Patch\n*** Update File: ../sibling/seed.md\n@@\n-seed line\n+edited line\n*** End Patch\n"]
copilot/preToolUse-bash | 5f0c | before | shell ["echo x > ../sibling/shell.md"]
copilot/preToolUse-create | 5f0c | before | write ["/home/u/sibling/notes.md"]
copilot/preToolUse-create-text | 5f0c | before | write ["/home/u/sibling/notes.md"]
copilot/preToolUse-edit | 5f0c | before | write ["/home/u/sibling/seed.md"]
copilot/preToolUse-view | 5f0c | before | other
copilot/sessionEnd | 5f0c | end | other
copilot/sessionStart | 5f0c | start | other
copilot/sessionStart-resume | 5f0c | resume | other
copilot/subagentStop | 5f0c | other | other
copilot/userPromptSubmitted | 5f0c | prompt | other
crush/PreToolUse-bash | 313909e | before | shell ["echo x > wd.md", "/home/u/sibling"]
crush/PreToolUse-multiedit | 313909e | before | write ["/home/u/sibling/seed.md"]
crush/PreToolUse-view | 313909e | before | other
crush/PreToolUse-write | 313909e | before | write ["../sibling/notes.md"]
crush/SessionEnd | 313909e | end | other
crush/SessionStart | 313909e | start | other
crush/TurnEnd | 313909e | turn-end | other
goose/PostToolUse-developer__write | 20261101_3 | after | write ["../sibling/notes.md"]
goose/PreToolUse-developer__edit | 20261101_3 | before | write ["/home/u/sibling/seed.md"]
goose/PreToolUse-developer__shell | 20261101_3 | before | shell ["echo x > ../sibling/shell.md"]
goose/PreToolUse-developer__tree | 20261101_3 | before | other
goose/PreToolUse-developer__write | 20261101_3 | before | write ["../sibling/notes.md"]
goose/SessionEnd | 20261101_3 | end | other
goose/SessionStart | 20261101_3 | start | other
goose/Stop | 20261101_3 | turn-end | other
goose/UserPromptSubmit | 20261101_3 | prompt | other
windsurf/post_cascade_response | traj-1 | turn-end | other
windsurf/post_write_code | traj-1 | after | write ["/home/u/sibling/seed.md"]
windsurf/pre_mcp_tool_use-write_file | traj-1 | before | write ["/home/u/sibling/notes.md"]
windsurf/pre_read_code | traj-1 | other | other
windsurf/pre_run_command | traj-1 | before | shell ["echo x > ../sibling/shell.md", "/home/u/proj"]
windsurf/pre_user_prompt | traj-1 | prompt | other
windsurf/pre_write_code | traj-1 | before | write ["/home/u/sibling/seed.md"]
cline/PostToolUse-write_to_file | 1788000000000 | after | write ["../sibling/notes.md"]
cline/PreToolUse-execute_command | 1788000000000 | before | shell ["echo x > ../sibling/shell.md"]
cline/PreToolUse-read_file | 1788000000000 | before | other
cline/PreToolUse-write_to_file | 1788000000000 | before | write ["../sibling/notes.md"]
cline/TaskComplete | 1788000000000 | end | other
cline/TaskResume | 1788000000000 | resume | other
cline/TaskStart | 1788000000000 | start | other
cline/UserPromptSubmit | 1788000000000 | prompt | other
cline/agent_end | root_1 | turn-end | other
cline/agent_start | root_1 | start | other
cline/session_shutdown | root_1 | end | other
cline/session_shutdown-subagent | root_1 | other | other
cline/tool_call-editor | root_1 | before | write ["/home/u/sibling/notes.md"]
cline/tool_call-editor-subagent | root_1 | before | write ["/home/u/sibling/notes.md"]
cline/tool_call-run_commands | root_1 | before | shell ["cd ../sibling\necho x > a.md"]
"#;

fn event(text: &str) -> Event {
    match text {
        "start" => Event::SessionStart { continues: false },
        "resume" => Event::SessionStart { continues: true },
        "end" => Event::SessionEnd,
        "prompt" => Event::Prompt,
        "turn-end" => Event::TurnEnd,
        "before" => Event::BeforeTool,
        "after" => Event::AfterTool,
        "other" => Event::Other,
        _ => panic!("no such moment: {text}"),
    }
}

fn tool(text: &str) -> Tool {
    let (kind, arguments) = text.split_once(' ').unwrap_or((text, "[]"));
    let arguments: Vec<String> = serde_json::from_str(arguments).unwrap();
    match (kind, arguments.as_slice()) {
        ("other", []) => Tool::Other,
        ("write", [_, ..]) => Tool::Write { paths: arguments, link: Link::Followed },
        ("move", [_, _]) => Tool::Write { paths: arguments, link: Link::Either },
        ("delete", [_, ..]) => Tool::Write { paths: arguments, link: Link::Replaced },
        ("patch", [patch]) => Tool::Patch(patch.clone()),
        ("shell", [command]) => Tool::Shell { command: command.clone(), directory: None },
        ("shell", [command, directory]) => Tool::Shell { command: command.clone(), directory: Some(directory.clone()) },
        _ => panic!("no such tool: {text}"),
    }
}

#[test]
fn every_fixture_is_understood_and_none_is_unlisted() {
    let rows: Vec<Vec<&str>> =
        EXPECTED.trim().lines().map(|line| line.splitn(4, '|').map(str::trim).collect()).collect();
    let listed: BTreeSet<&str> = rows.iter().map(|row| row[0]).collect();
    assert_eq!(listed.len(), rows.len(), "a fixture is listed twice");
    let fixtures = fixtures();
    let found: BTreeSet<&str> = fixtures.iter().map(|(file, _)| file.as_str()).collect();
    assert_eq!(found, listed);

    for (file, payload) in &fixtures {
        let row = rows.iter().find(|row| row[0] == file).unwrap();
        let call = recognise(payload).unwrap_or_else(|| panic!("{file}: no host"));
        let (agent, name) = file.split_once('/').unwrap();
        assert_eq!(call.agent.name, agent, "{file}");
        assert_eq!(call.session.as_deref(), Some(row[1]), "{file}");
        assert_eq!(holder(&call), Some(format!("{agent}:{}", row[1])), "{file}");
        assert_eq!(call.event, event(row[2]), "{file}");
        assert_eq!(call.tool, tool(row[3]), "{file}");
        assert_eq!(call.subagent, name.to_ascii_lowercase().contains("subagent"), "{file}");
        let root = matches!(agent, "cursor" | "cline").then_some("/home/u/proj");
        assert_eq!(call.workspace_root.as_deref(), root, "{file}");
        let directory = match (agent, name) {
            ("claude", "PreToolUse-Write-after-cd") => Some("/home/u/sibling/sub"),
            ("codex", "PreToolUse-Bash-workdir") => Some("/home/u/sibling"),
            ("goose", name) if !name.contains("ToolUse") => None,
            ("cursor", name) if !name.starts_with("preToolUse") && name != "beforeShellExecution" => None,
            ("windsurf", name) if name != "pre_run_command" => None,
            _ => Some("/home/u/proj"),
        };
        assert_eq!(call.cwd.as_deref(), directory, "{file}");
    }
}
