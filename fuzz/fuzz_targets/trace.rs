//! The bytes of a trace: every line is read or called faulty, the audit never fails on it, and what it says is printable.

#![no_main]

use claim::core::{audit, text::is_hidden, time::Timestamp, trace};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for line in bytes.split(|byte| *byte == b'\n') {
        match trace::parse(line) {
            Ok(entry) => drop(entry.line.check()),
            Err(fault) => assert!(!fault.message.chars().any(is_hidden), "{:?}", fault.message),
        }
    }
    _ = trace::last_id(bytes);
    let lines = bytes.split(|byte| *byte == b'\n').enumerate();
    let lines = lines.map(|(number, line)| ("trace.jsonl", number as u64 + 1, line));
    let report = audit::audit(lines, &audit::Directory::default(), Timestamp(1_786_741_331));
    for finding in report.findings {
        assert!(!finding.message.chars().any(is_hidden), "{:?}", finding.message);
    }
});
