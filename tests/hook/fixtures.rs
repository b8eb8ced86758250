//! Every payload of the fixtures through the program, with the trees of the fixtures really there: what is allowed, what
//! is denied and how, and what the session holds afterwards.

use std::{collections::BTreeSet, fs};

use serde_json::{Value, json};

use super::{ADVICE, block, started_in};
use crate::scene::Scene;
use crate::support::Run;

/// The calls that write: fixture | the paths that they write next door | and at home. Everything else writes nothing.
const WRITES: &str = "
claude/PreToolUse-Bash | sibling/shell.md |
claude/PreToolUse-Edit | sibling/seed.md |
claude/PreToolUse-NotebookEdit | sibling/nb.ipynb |
claude/PreToolUse-Write | sibling/notes.md |
claude/PreToolUse-Write-after-cd | sibling/sub/rel3.md |
claude/PreToolUse-Write-subagent | sibling/sub.md |
codex/PreToolUse-Bash | sibling/shell.md |
codex/PreToolUse-Bash-heredoc | sibling/notes.md |
codex/PreToolUse-Bash-subagent | sibling/sub.md |
codex/PreToolUse-Bash-workdir | sibling/wd.md |
codex/PreToolUse-apply_patch | sibling/notes.md |
codex/PreToolUse-apply_patch-2 | sibling/seed.md |
codex/PreToolUse-apply_patch-several-files | sibling/moved.md | proj/multi1.md proj/seed.md proj/multi0.md
codex/PreToolUse-apply_patch-subagent | sibling/subpatch.md |
gemini/BeforeTool-replace | sibling/seed.md |
gemini/BeforeTool-run_shell_command | sibling/shell.md |
gemini/BeforeTool-run_shell_command-dir_path | sibling/wd.md |
gemini/BeforeTool-write_file | sibling/notes.md |
gemini/BeforeTool-write_file-relative | sibling/rel.md |
opencode/tool_execute_before-apply_patch | sibling/notes.md sibling/seed.md |
opencode/tool_execute_before-bash | sibling/shell.md |
opencode/tool_execute_before-bash-workdir | sibling/wd.md |
opencode/tool_execute_before-edit | sibling/seed.md |
opencode/tool_execute_before-write | sibling/notes.md |
opencode/tool_execute_before-write-relative | sibling/rel.md |
pi/tool_call-bash | sibling/shell.md |
pi/tool_call-edit | sibling/seed.md |
pi/tool_call-write | sibling/notes.md |
cursor/beforeMCPExecution-move_file | sibling/a.md | proj/a.md
cursor/beforeShellExecution | sibling/shell.md |
cursor/preToolUse-Delete | sibling/notes.md |
cursor/preToolUse-Shell | sibling/wd.md |
cursor/preToolUse-StrReplace | sibling/seed.md |
cursor/preToolUse-Write | sibling/notes.md |
cursor/preToolUse-Write-claude-settings | sibling/notes.md |
cursor/preToolUse-no-tool-name | sibling/notes.md |
copilot/PreToolUse-Bash-pascal | sibling/shell.md |
copilot/PreToolUse-Edit-patch-pascal | sibling/seed.md |
copilot/PreToolUse-Write-pascal | sibling/notes.md |
copilot/preToolUse-apply_patch | sibling/seed.md |
copilot/preToolUse-bash | sibling/shell.md |
copilot/preToolUse-create | sibling/notes.md |
copilot/preToolUse-create-text | sibling/notes.md |
copilot/preToolUse-edit | sibling/seed.md |
crush/PreToolUse-bash | sibling/wd.md |
crush/PreToolUse-multiedit | sibling/seed.md |
crush/PreToolUse-write | sibling/notes.md |
goose/PreToolUse-developer__edit | sibling/seed.md |
goose/PreToolUse-developer__shell | sibling/shell.md |
goose/PreToolUse-developer__write | sibling/notes.md |
windsurf/pre_mcp_tool_use-write_file | sibling/notes.md |
windsurf/pre_run_command | sibling/shell.md |
windsurf/pre_write_code | sibling/seed.md |
cline/PreToolUse-execute_command | sibling/shell.md |
cline/PreToolUse-write_to_file | sibling/notes.md |
cline/tool_call-editor | sibling/notes.md |
cline/tool_call-editor-subagent | sibling/notes.md |
cline/tool_call-run_commands | sibling/a.md |
";

/// One row of the table, or a fixture that has none.
struct Fixture<'a> {
    agent: &'a str,
    name: &'a str,
    abroad: Vec<&'a str>,
    at_home: Vec<&'a str>,
}

fn fixtures() -> Vec<String> {
    let folder = format!("{}/tests/fixtures/payloads", env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for agent in fs::read_dir(folder).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_dir()) {
        for file in fs::read_dir(agent.path()).unwrap().map(Result::unwrap) {
            let (agent, file) = (agent.file_name().into_string().unwrap(), file.file_name().into_string().unwrap());
            found.push(format!("{agent}/{}", file.strip_suffix(".json").unwrap()));
        }
    }
    found
}

fn row(fixture: &str) -> Fixture<'_> {
    let (agent, name) = fixture.split_once('/').unwrap();
    let row = WRITES.lines().find(|line| line.split(" |").next() == Some(fixture));
    let mut columns = row.unwrap_or("").split('|').skip(1).map(|paths| paths.split_whitespace().collect());
    Fixture { agent, name, abroad: columns.next().unwrap_or_default(), at_home: columns.next().unwrap_or_default() }
}

impl Fixture<'_> {
    /// The hook on this fixture, as its host would start it.
    fn hook<'s>(&self, scene: &'s Scene) -> Run<'s> {
        fs::create_dir_all(scene.path(".cursor")).unwrap();
        let payload = self.payload(scene);
        let run = scene.hook(&payload).within(started_in(scene, self.agent, &payload));
        let (project, session) = (scene.path("proj"), payload["session_id"].as_str().unwrap_or_default().to_owned());
        match self.agent {
            "claude" => run.env("CLAUDE_PROJECT_DIR", project).env("CLAUDE_CODE_SESSION_ID", session),
            // Gemini says that it is Claude as well.
            "gemini" => run
                .env("GEMINI_PROJECT_DIR", &project)
                .env("GEMINI_SESSION_ID", session)
                .env("CLAUDE_PROJECT_DIR", project),
            _ => run,
        }
    }

    fn payload(&self, scene: &Scene) -> Value {
        scene.payload(&format!("{}/{}", self.agent, self.name))
    }

    /// The holder, by the session that the call belongs to, which is the root's where a sub-agent has one of its own.
    fn holder(&self, scene: &Scene) -> String {
        let payload = self.payload(scene);
        let keys = [
            "/sessionContext/rootSessionId",
            "/taskId",
            "/trajectory_id",
            "/conversation_id",
            "/sessionId",
            "/session_id",
        ];
        let session = keys.iter().find_map(|key| payload.pointer(key)?.as_str()).unwrap();
        format!("{}:{session}", self.agent)
    }

    fn event(&self, scene: &Scene) -> String {
        let payload = self.payload(scene);
        let event = ["hook_event_name", "event"].iter().find_map(|key| payload[key].as_str());
        // Copilot's camelCase payloads do not name theirs.
        event.unwrap_or("PreToolUse").to_owned()
    }

    /// What the host has to be given, where it takes silence for a broken hook: Cursor, before a call.
    fn consent(&self) -> &'static str {
        let asks = ["preToolUse", "beforeShellExecution", "beforeMCPExecution", "beforeReadFile"];
        if self.agent == "cursor" && asks.iter().any(|event| self.name.starts_with(event)) {
            "{\"permission\":\"allow\"}\n"
        } else {
            ""
        }
    }

    /// The document that the host reads as a denial. Some read the exit code and stderr alone.
    fn denial(&self, scene: &Scene, reason: &str) -> Option<Value> {
        let event = self.event(scene);
        let claude = block(&event, reason);
        match self.agent {
            "claude" | "codex" | "gemini" | "crush" | "goose" => Some(claude),
            "copilot" => Some(json!({
                "permissionDecision": "deny", "permissionDecisionReason": reason,
                "hookSpecificOutput": claude["hookSpecificOutput"],
            })),
            "cursor" => Some(json!({"permission": "deny", "user_message": reason, "agent_message": reason})),
            "cline" => Some(json!({"cancel": true, "errorMessage": reason})),
            "windsurf" | "opencode" | "pi" => None,
            other => panic!("{other} is not in the table"),
        }
    }

    /// The line at a session's start in the host's own form: of a host whose shell does not know its session, and that
    /// passes a line on at all.
    fn introduction(&self, scene: &Scene) -> String {
        let holder = self.holder(scene);
        let line = format!(
            "claim: this session's holder is {holder}: in shell commands write CLAIM_HOLDER={holder} before claim."
        );
        let document = match (self.agent, self.name) {
            ("gemini", "SessionStart") => json!({
                "hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": line},
            }),
            ("opencode", "session_created") | ("pi", "session_start") => return format!("{line}\n"),
            ("cursor", "sessionStart") => json!({"additional_context": line}),
            ("cline", "TaskStart" | "agent_start") => json!({"cancel": false, "contextModification": line}),
            _ => return self.consent().to_owned(),
        };
        format!("{document}\n")
    }
}

#[test]
fn every_row_is_a_fixture() {
    let fixtures: BTreeSet<String> = fixtures().into_iter().collect();
    let rows = WRITES.trim().lines().map(|line| line.split(" |").next().unwrap().to_owned());
    for row in rows {
        assert!(fixtures.contains(&row), "{row}");
    }
}

#[test]
fn where_nobody_is_in_the_way_every_fixture_is_allowed_in_silence_and_its_writer_holds_what_it_writes() {
    for name in fixtures() {
        let fixture = row(&name);
        let scene = Scene::new();
        let answer = fixture.introduction(&scene);
        // Said as it is on failure, since the table is long.
        let outcome = fixture.hook(&scene).outcome();
        assert_eq!((outcome.exit, &*outcome.stdout, &*outcome.stderr), (0, &*answer, ""), "{name}");
        let holder = fixture.holder(&scene);
        let mut expected = Vec::new();
        if !fixture.at_home.is_empty() {
            expected.push(format!("proj by {holder}, shared"));
        }
        if !fixture.abroad.is_empty() {
            expected.push(format!("sibling by {holder}"));
        }
        assert_eq!(scene.held(), expected, "{name}");
    }
}

#[test]
fn where_another_is_at_work_every_write_of_the_fixtures_is_denied_in_its_hosts_form() {
    for name in fixtures() {
        let fixture = row(&name);
        let scene = Scene::new();
        scene.take("b", "sibling");
        scene.age("sibling", 30);
        let outcome = fixture.hook(&scene).outcome();
        let held = scene.held();
        assert_eq!(held, ["sibling by b"], "{name}");
        if fixture.abroad.is_empty() {
            let answer = fixture.introduction(&scene);
            assert_eq!((outcome.exit, &*outcome.stdout, &*outcome.stderr), (0, &*answer, ""), "{name}");
            continue;
        }
        let reason: String = fixture.abroad.iter().map(|path| Scene::refusal("sibling", path)).collect();
        let reason = reason + ADVICE;
        let checked = fixture.hook(&scene).exit(2).stdout_any().stderr(reason).check();
        let reason = checked.stderr.trim_end_matches('\n');
        match fixture.denial(&scene, reason) {
            Some(document) => {
                assert_eq!(serde_json::from_str::<Value>(&checked.stdout).unwrap(), document, "{name}");
                assert!(checked.stdout.ends_with("}\n"), "{name}");
            }
            None => assert_eq!(checked.stdout, "", "{name}"),
        }
    }
}

#[test]
fn where_the_owner_is_at_work_every_write_of_the_fixtures_is_denied() {
    for name in fixtures() {
        let fixture = row(&name);
        let scene = Scene::new();
        scene.share("b", "sibling");
        let outcome = fixture.hook(&scene).outcome();
        assert_eq!(outcome.exit, if fixture.abroad.is_empty() { 0 } else { 2 }, "{name}: {outcome}");
        assert_eq!(scene.held(), ["sibling by b, shared"], "{name}");
    }
}

#[test]
fn whatever_the_moment_a_place_that_is_broken_denies_writes_alone() {
    for name in fixtures() {
        let fixture = row(&name);
        let scene = Scene::new();
        fs::write(scene.sandbox.place(), "not a directory").unwrap();
        let outcome = fixture.hook(&scene).outcome();
        if fixture.abroad.is_empty() {
            // What a session's start would say beside what it reads is no fault's to take away, nor needed.
            let answers = [fixture.consent().to_owned(), fixture.introduction(&scene)];
            assert_eq!((outcome.exit, &*outcome.stderr), (0, ""), "{name}: {outcome}");
            assert!(answers.contains(&outcome.stdout), "{name}: {outcome}");
        } else {
            assert_eq!(outcome.exit, 2, "{name}: {outcome}");
            assert!(outcome.stderr.contains("is not a directory"), "{name}: {outcome}");
        }
    }
}
