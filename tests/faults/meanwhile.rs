//! What somebody else does while the command runs.

use std::{
    fs,
    os::unix::fs::MetadataExt as _,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use crate::support::Sandbox;

/// What that is.
#[derive(Clone, Copy)]
pub(crate) enum Meanwhile {
    Nothing,
    /// The lock is held when the command starts, and given back once it waits.
    Locked,
    /// `other` releases everything once the command waits in line, or has ended.
    Released,
}

/// Does it, and is done with it when it is dropped.
pub(super) struct Beside {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Beside {
    pub(super) fn new(meanwhile: Meanwhile, sandbox: &Sandbox) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&over);
        let until = move |reached: &dyn Fn() -> bool| {
            while !seen.load(Ordering::Relaxed) && !reached() {
                thread::sleep(Duration::from_millis(1));
            }
        };
        let place = sandbox.place();
        let thread = match meanwhile {
            Meanwhile::Nothing => None,
            Meanwhile::Locked => {
                // Held before the command is started.
                let file = fs::File::options().read(true).write(true).open(place.join("lock")).unwrap();
                fs2::FileExt::lock_exclusive(&file).unwrap();
                let inode = format!(":{} ", file.metadata().unwrap().ino());
                Some(thread::spawn(move || {
                    // The kernel lists who waits for a lock behind an arrow.
                    until(&|| {
                        let locks = fs::read_to_string("/proc/locks").unwrap_or_default();
                        locks.lines().any(|line| line.contains("->") && line.contains(&inode))
                    });
                    fs2::FileExt::unlock(&file).unwrap();
                }))
            }
            Meanwhile::Released => {
                let mut release = sandbox.by("other", ["release", "--all"]).command();
                Some(thread::spawn(move || {
                    until(&|| !tickets(place.clone()).is_empty());
                    let output = release.output().unwrap();
                    assert!(output.status.success(), "{output:?}");
                }))
            }
        };
        Self { over, thread }
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

/// The tickets in a place.
pub(super) fn tickets(place: PathBuf) -> Vec<PathBuf> {
    let entries = |directory: PathBuf| fs::read_dir(directory).into_iter().flatten().map(|entry| entry.unwrap().path());
    entries(place.join("waiting")).flat_map(entries).collect()
}
