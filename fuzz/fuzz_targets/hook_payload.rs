//! What a host may say on standard input: recognised or not, and every answer to it is one that hosts can read.

#![no_main]

use std::path::Path;

use claim::core::{
    agents::{self, Answer, Event, Tool},
    patch,
    shell::{self, Start},
};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|bytes: &[u8]| {
    let Some(Ok(payload)) = serde_json::Deserializer::from_reader(bytes).into_iter::<Value>().next() else { return };
    let Some(call) = agents::recognise(&payload) else { return };
    drop(agents::holder(&call));
    _ = agents::hears(&call);
    match &call.tool {
        Tool::Patch(text) => drop(patch::files(text)),
        Tool::Shell { command, .. } => drop(shell::writes(command, &Start { directory: Path::new("/work"), home: None, variables: &[] })),
        _ => {}
    }
    let text = || "\u{7}\"\\\u{1b}[31m\u{2028}".to_owned();
    for given in [Answer::NoObjection, Answer::Deny { reason: text() }, Answer::Context { line: text() }] {
        let denied = matches!(given, Answer::Deny { .. }) && call.event == Event::BeforeTool;
        let output = agents::answer(&call, &given);
        assert_eq!(output.code, if denied { 2 } else { 0 });
        assert_eq!(output.stderr.is_empty(), !denied);
    }
});
