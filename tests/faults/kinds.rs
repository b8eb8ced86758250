//! Which faults a system call can have.

use super::strace::Call;

/// What strace is told to do at one call: an `error=`, a `retval=` or a `signal=`.
pub(super) type Kind = String;

/// Calls about memory, threads, signals, terminals and the C library, which have nothing to do with the disk.
const APART: &[&str] = &[
    "brk",
    "dup2",
    "exit",
    "exit_group",
    "fcntl",
    "futex",
    "geteuid",
    "getpid",
    "getrandom",
    "gettid",
    "getuid",
    "ioctl",
    "madvise",
    "mmap",
    "mprotect",
    "munmap",
    "poll",
    "prctl",
    "prlimit64",
    "recvfrom",
    "restart_syscall",
    "rseq",
    "rt_sigaction",
    "rt_sigprocmask",
    "rt_sigreturn",
    "sched_getaffinity",
    "sched_yield",
    "sendto",
    "set_robust_list",
    "sigaltstack",
];

/// The faults to inject at this call; none where it cannot matter.
///
/// Every call fails in the ways that its kind fails in the field, and lies where a lie can be found out. A process that
/// is killed at a call has not made it; SIGTERM ends it right after, which differs only where something was changed.
pub(super) fn of(call: &Call) -> Vec<Kind> {
    let creates = call.arguments.contains("O_CREAT");
    let (errors, lies, signals): (&[&str], &[&str], &[&str]) = match call.name.as_str() {
        "open" | "openat" if creates => (&["ENOSPC", "EROFS", "EACCES", "EIO", "EINTR"], &[], &["KILL", "TERM"]),
        "open" | "openat" => (&["EACCES", "EIO", "EINTR", "EMFILE"], &[], &["KILL"]),
        "read" | "pread64" => (&["EIO", "EINTR"], &["0", "1"], &["KILL"]),
        "write" | "writev" | "pwrite64" => (&["ENOSPC", "EIO", "EINTR"], &["0", "1", "all"], &["KILL", "TERM"]),
        "fsync" | "fdatasync" => (&["EIO", "ENOSPC", "EINTR"], &["0"], &["KILL"]),
        "rename" | "renameat" | "link" | "linkat" => {
            (&["ENOSPC", "EROFS", "EACCES", "EIO", "EINTR"], &["0"], &["KILL", "TERM"])
        }
        // A file system that does not know the flag; what is done instead is faulted in a scenario of its own.
        "renameat2" => (&["ENOSPC", "EROFS", "EACCES", "EIO", "EINTR", "EINVAL", "ENOSYS"], &["0"], &["KILL", "TERM"]),
        "unlink" | "unlinkat" => (&["EROFS", "EACCES", "EIO", "EINTR"], &["0"], &["KILL", "TERM"]),
        "flock" => (&["EIO", "ENOLCK", "EINTR", "EAGAIN"], &["0"], &["KILL"]),
        "mkdir" | "mkdirat" => (&["ENOSPC", "EROFS", "EACCES", "EIO", "EINTR"], &["0"], &["KILL", "TERM"]),
        "chmod" | "fchmod" | "fchmodat" => (&["EROFS", "EPERM", "EIO", "EINTR"], &["0"], &["KILL", "TERM"]),
        "getdents64" => (&["EIO", "EINTR"], &[], &["KILL"]),
        "lseek" => (&["EIO", "EINTR"], &["0"], &[]),
        // To whoever only asks, an interruption is an error like any other.
        "stat" | "lstat" | "fstat" | "newfstatat" | "statx" | "access" | "faccessat" | "faccessat2" | "readlink"
        | "readlinkat" | "getcwd" => (&["EACCES", "EIO"], &[], &[]),
        "statfs" => (&["EACCES", "EIO", "ENOSYS"], &["0"], &[]),
        "utimensat" => (&["EROFS", "EACCES", "EIO", "EINTR"], &["0"], &["KILL"]),
        "pipe2" | "socketpair" => (&["EMFILE"], &[], &["KILL"]),
        "wait4" => (&["ECHILD", "EINTR"], &[], &["KILL"]),
        "close" => (&["EIO"], &[], &[]),
        "clone" | "clone3" => (&["EAGAIN"], &[], &["KILL"]),
        name if APART.contains(&name) => (&[], &[], &[]),
        name => panic!("the sweep does not know {name}({}): say which faults it has", call.arguments),
    };
    let lies = lies.iter().filter_map(|lie| match *lie {
        "all" => call.result.filter(|result| *result > 1).map(|result| result.to_string()),
        // Where it is the truth it is no lie.
        number => {
            (call.result.is_none_or(|result| result.to_string() != number) || number == "0").then(|| number.to_owned())
        }
    });
    let errors = errors.iter().map(|error| format!("error={error}"));
    let signals = signals.iter().map(|signal| format!("signal={signal}"));
    errors.chain(lies.map(|lie| format!("retval={lie}"))).chain(signals).collect()
}
