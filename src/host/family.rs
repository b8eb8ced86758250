//! What a command has started, and what that has started: asked of the system when a command must not go on.
//!
//! A shell that is asked to end does so, and leaves what it was running to go on writing. When the claim is lost that is
//! not good enough, so everything below the command is asked, and made, to end with it.
//!
//! # Limitations
//! Only on Linux, which says it in `/proc`. What has left the family before it is asked, as a daemon does, is not found.

/// One process, told from any later one with its number by when it started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Member {
    number: i32,
    started: u64,
}

#[cfg(target_os = "linux")]
mod linux {
    #![expect(clippy::disallowed_methods, reason = "only the system's own files say this")]

    use std::fs;

    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    use super::Member;

    /// Everything below a process, whatever its depth.
    pub(in crate::host) fn below(parent: Pid) -> Vec<Member> {
        let all: Vec<(Member, i32)> = fs::read_dir("/proc")
            .into_iter()
            .flatten()
            .filter_map(|entry| look(entry.ok()?.file_name().to_str()?.parse().ok()?))
            .collect();
        let mut family: Vec<Member> = Vec::new();
        let mut parents = vec![parent.as_raw_nonzero().get()];
        while let Some(parent) = parents.pop() {
            for (member, above) in &all {
                if *above == parent && !family.contains(member) {
                    family.push(*member);
                    parents.push(member.number);
                }
            }
        }
        family
    }

    /// A process and its parent's number. None for one that has ended, reaped or not.
    fn look(number: i32) -> Option<(Member, i32)> {
        let status = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
        // The name in brackets can hold anything; the rest is numbers, but for the state.
        let (_, rest) = status.rsplit_once(") ")?;
        let fields: Vec<&str> = rest.split(' ').collect();
        if matches!(*fields.first()?, "Z" | "X") {
            return None;
        }
        let (parent, started) = (fields.get(1)?.parse().ok()?, fields.get(19)?.parse().ok()?);
        Some((Member { number, started }, parent))
    }

    impl Member {
        pub(in crate::host) fn lives(self) -> bool {
            look(self.number).is_some_and(|(found, _)| found == self)
        }

        /// Sends a signal, to this process and to no other that has its number by now.
        pub(in crate::host) fn signal(self, signal: Signal) {
            let Some(pid) = Pid::from_raw(self.number) else { return };
            // Opened first and looked at then: what is open keeps its number.
            if let Ok(open) = pidfd_open(pid, PidfdFlags::empty())
                && self.lives()
            {
                _ = pidfd_send_signal(open, signal);
            }
        }
    }
}
#[cfg(target_os = "linux")]
pub(super) use linux::below;

#[cfg(all(unix, not(target_os = "linux")))]
mod unknown {
    use super::Member;

    pub(in crate::host) fn below(_parent: rustix::process::Pid) -> Vec<Member> {
        Vec::new()
    }

    impl Member {
        pub(in crate::host) fn lives(self) -> bool {
            false
        }

        pub(in crate::host) fn signal(self, _signal: rustix::process::Signal) {}
    }
}
#[cfg(all(unix, not(target_os = "linux")))]
pub(super) use unknown::below;
