//! While a command runs: its signals, its suspensions, its beats and its end.

use std::{
    io,
    sync::mpsc::{Receiver, RecvTimeoutError},
    time::Duration,
};

use crate::{
    core::{rhythm::GRACE, rule::Refusal, target::Target, time::Timestamp},
    face::{
        keeper::{Beaten, Keeper},
        report,
    },
    host::{
        clock::{self, Moment},
        process::{self, Heed, Running, State},
        signals::Received,
    },
};

/// What comes in.
pub(crate) enum Event {
    Signal(Received),
    Beat(Beaten),
}

/// Why the command ended.
pub(crate) enum Why {
    /// By itself, or by a signal that was meant for it.
    Itself,
    /// The claim is in other hands.
    Lost(Refusal, Timestamp),
    /// The claim could not be beaten.
    Unbeaten(String),
}

/// How the command ended.
pub(crate) struct Ended {
    pub(crate) code: u8,
    pub(crate) why: Why,
}

/// The end of a command that has been decided on.
struct Ending {
    why: Why,
    since: Moment,
    grace: Duration,
}

/// A signal that asks to end and came within the time, for which it sleeps.
pub(crate) fn interruption(events: &Receiver<Event>, time: Duration) -> Option<i32> {
    let asked = Moment::now();
    loop {
        match events.recv_timeout(time.saturating_sub(asked.ago())) {
            Ok(Event::Signal(received)) if process::asks_to_end(received.signal) => {
                return Some(received.signal);
            }
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) => return None,
            Err(RecvTimeoutError::Disconnected) => {
                clock::sleep(time);
                return None;
            }
        }
    }
}

/// Stays with the command until it has ended.
pub(crate) fn attend(child: &mut Running, keeper: &mut Keeper, events: &Receiver<Event>, target: &Target) -> Ended {
    let mut ending: Option<Ending> = None;
    let mut failed: Option<String> = None;
    loop {
        match child.state() {
            Ok(State::Ended(code)) => match ending {
                None => return Ended { code, why: Why::Itself },
                Some(ending) => return Ended { code, why: after(child, ending) },
            },
            Ok(State::Suspended) => {
                process::suspend_self();
                keeper.nudge();
            }
            Ok(State::Running) => {}
            Err(error) => return unknown(ending, &error),
        }
        if let Some(ending) = &ending
            && ending.since.ago() >= ending.grace
        {
            child.kill();
        }
        if keeper.is_stuck() && ending.is_none() {
            let why = Why::Unbeaten("the last beat does not come back".to_owned());
            ending = Some(end(child, why, keeper.grace()));
        }
        match events.recv_timeout(keeper.tick()) {
            Ok(Event::Signal(Received { signal, sent })) => match process::heed(signal, sent) {
                Heed::Look => {}
                Heed::PassOn => child.signal(signal),
                Heed::Resumed => {
                    child.signal(signal);
                    keeper.nudge();
                }
            },
            Ok(Event::Beat(beaten)) => match beaten {
                Beaten::Kept(_) => {
                    if failed.take().is_some() {
                        tell(&format!("{target} is beaten again"));
                    }
                }
                Beaten::Retaken(_) => tell(&format!("{target} was released elsewhere; it was free and is taken again")),
                Beaten::Failed(message) => {
                    if failed.as_ref() != Some(&message) {
                        tell(&format!("{target} could not be beaten, trying again: {message}"));
                    }
                    failed = Some(message);
                }
                Beaten::Lost(refusal, now) => {
                    ending.get_or_insert_with(|| end(child, Why::Lost(refusal, now), Duration::from_millis(GRACE)));
                }
                Beaten::Expired(message) => {
                    ending.get_or_insert_with(|| end(child, Why::Unbeaten(message), keeper.grace()));
                }
                Beaten::Over => {}
            },
            // The keeper has ended with the loss that it told of.
            Err(RecvTimeoutError::Disconnected) => clock::sleep(keeper.tick()),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Ends a command that cannot be kept under a claim because there is no thread for the beats.
pub(crate) fn without_beats(child: &mut Running, error: &io::Error) -> Ended {
    let ending = end(child, Why::Unbeaten(error.to_string()), Duration::from_millis(GRACE));
    loop {
        match child.state() {
            Ok(State::Ended(code)) => return Ended { code, why: after(child, ending) },
            Err(error) => return unknown(Some(ending), &error),
            Ok(_) if ending.since.ago() >= ending.grace => child.kill(),
            Ok(_) => {}
        }
        clock::sleep(Duration::from_millis(20));
    }
}

fn end(child: &mut Running, why: Why, grace: Duration) -> Ending {
    child.terminate();
    Ending { why, since: Moment::now(), grace }
}

/// How long something that was killed may take to be gone.
const GONE_WITHIN: Duration = Duration::from_secs(2);

/// Waits for what the command had started, which was asked to end with it and has no longer.
fn after(child: &mut Running, ending: Ending) -> Why {
    while child.leaves_family() {
        if ending.since.ago() >= ending.grace {
            child.kill();
        }
        if ending.since.ago() >= ending.grace.saturating_add(GONE_WITHIN) {
            tell("something that the command started cannot be ended");
            break;
        }
        clock::sleep(Duration::from_millis(20));
    }
    ending.why
}

/// The system has forgotten the command: it has ended, and nobody knows how.
fn unknown(ending: Option<Ending>, error: &io::Error) -> Ended {
    tell(&format!("it is not known how the command ended: {error}"));
    Ended { code: 1, why: ending.map_or(Why::Itself, |ending| ending.why) }
}

/// Says something beside the command, which has the terminal.
fn tell(line: &str) {
    report::tell(&format!("claim: {line}\n"));
}
