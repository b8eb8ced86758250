//! What the audit must find, and what it must not.

mod history;
mod model;
mod mutations;
mod situations;
mod whole;

use super::{Auditor, Directory, Report, audit};
use crate::core::time::Timestamp;
use crate::core::trace::{self, Line, TraceId};

/// A written trace line: file, number in it, text without the newline.
pub(super) type Written = (String, u64, String);

/// Writes lines as the program would, with a new file before each line of some positions.
#[derive(Clone)]
pub(super) struct Writer<'a> {
    rotations: &'a [usize],
    previous: Option<TraceId>,
    position: usize,
    file: usize,
    number: u64,
}

impl<'a> Writer<'a> {
    pub(super) fn new(rotations: &'a [usize]) -> Self {
        Self { rotations, previous: None, position: 0, file: 0, number: 0 }
    }

    pub(super) fn write(&mut self, line: &Line) -> Written {
        let rotated = self.rotations.contains(&self.position);
        self.position += 1;
        self.file += usize::from(rotated);
        self.number = if rotated { 1 } else { self.number + 1 };
        let previous = self.previous.as_ref();
        let text = if rotated { trace::next_in_new_file(previous, line) } else { trace::next(previous, line) };
        let id = text.split('"').nth(7).unwrap();
        self.previous = Some(TraceId::parse(id).unwrap());
        (format!("trace.{}", self.file), self.number, text.trim_end().to_owned())
    }
}

pub(super) fn write(lines: &[Line], rotations: &[usize]) -> Vec<Written> {
    let mut writer = Writer::new(rotations);
    lines.iter().map(|line| writer.write(line)).collect()
}

/// Goes on with an audit to the first line with a problem, or to the end.
pub(super) fn first_problems(
    mut auditor: Auditor,
    rest: impl IntoIterator<Item = Written>,
    directory: &Directory,
    now: i64,
) -> Vec<&'static str> {
    for (file, number, text) in rest {
        auditor.line(&file, number, text.as_bytes());
        if !auditor.report.is_clean() {
            return words(&auditor.report);
        }
    }
    words(&auditor.finish(directory, Timestamp::from_seconds(now)))
}

pub(super) fn check(written: &[Written], directory: &Directory, now: i64) -> Report {
    let lines = written.iter().map(|(file, number, text)| (file.as_str(), *number, text.as_bytes()));
    audit(lines, directory, Timestamp::from_seconds(now))
}

/// The stable words of all problems.
pub(super) fn words(report: &Report) -> Vec<&'static str> {
    report.problems().map(|finding| finding.kind.word()).collect()
}
