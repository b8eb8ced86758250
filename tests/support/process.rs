//! Runs that are more than a command and its answer: fed, and started together.

use std::{
    fs::File,
    io::Write as _,
    process::{Child, Output, Stdio},
};

use super::{Outcome, Run, Sandbox};

impl Outcome {
    fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let exit = output.status.code();
        let exit = exit.unwrap_or_else(|| 128 + std::os::unix::process::ExitStatusExt::signal(&output.status).unwrap());
        Self { exit, stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

impl Run<'_> {
    /// Runs with these bytes on standard input.
    pub(crate) fn fed(&self, bytes: impl AsRef<[u8]>) -> Outcome {
        let mut child = self.started(Stdio::piped());
        // A program that has heard enough may close the pipe.
        drop(child.stdin.take().unwrap().write_all(bytes.as_ref()));
        Outcome::of(child.wait_with_output().unwrap())
    }

    fn started(&self, stdin: Stdio) -> Child {
        self.command().stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }
}

impl Sandbox {
    /// Runs all of them at once: while this test holds the machine-wide lock they are started, and none can change
    /// anything until all of them wait for it or are about to.
    pub(crate) fn together(&self, runs: &[Run<'_>]) -> Vec<Outcome> {
        let lock = File::options().read(true).write(true).open(self.place().join("lock")).unwrap();
        fs2::FileExt::lock_exclusive(&lock).unwrap();
        let children: Vec<Child> = runs.iter().map(|run| run.started(Stdio::null())).collect();
        fs2::FileExt::unlock(&lock).unwrap();
        children.into_iter().map(|child| Outcome::of(child.wait_with_output().unwrap())).collect()
    }
}
