//! The trace and its audit, as tests use them: what was done in a test must be what the trace says.

use std::fs;

use serde_json::{Map, Value};

use super::Sandbox;

impl Sandbox {
    /// Audits the place and expects no problem: the end of a test in which nobody broke a rule. Not for one that ages
    /// records ([`Sandbox::age`]): the audit finds exactly that.
    #[track_caller]
    pub(crate) fn audit(&self) -> Map<String, Value> {
        let answer = self.run(["audit"]).json();
        assert_eq!((&answer["outcome"], &answer["problems"]), (&"audited".into(), &Value::Array(Vec::new())));
        answer
    }

    /// Audits the place and expects problems: the word of each, with the file and line it stands in.
    #[track_caller]
    pub(crate) fn problems(&self) -> Vec<String> {
        let answer = self.run(["audit"]).exit(4).json();
        assert_eq!(answer["outcome"], "problems");
        let problems = answer["problems"].as_array().unwrap();
        assert!(!problems.is_empty());
        problems
            .iter()
            .map(|problem| {
                let line = problem["line"].as_u64().map(|line| format!(":{line}")).unwrap_or_default();
                format!("{} {}{line}", problem["problem"].as_str().unwrap(), problem["file"].as_str().unwrap())
            })
            .collect()
    }

    /// The lines of the newest trace file; none when there is no such file.
    pub(crate) fn trace(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.place().join("trace.jsonl")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// What the trace says was done: holder, action, target and rule of each line.
    pub(crate) fn acts(&self) -> Vec<String> {
        let text = |line: &Value, key: &str| line[key].as_str().unwrap().to_owned();
        let act = |line: &Value| ["agent", "action", "task", "rule"].map(|key| text(line, key)).join(" ");
        self.trace().iter().map(act).collect()
    }
}
