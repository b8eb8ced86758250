//! `claim take`: claim a target, renew the claim, or take a stale one over.

use std::{sync::mpsc, time::Duration};

use clap::Args;

use crate::{
    core::{
        claim::Claim,
        duration::glance,
        entry::Entry,
        rule::{self, Effects, Request, Verdict, Wish},
        text::visible,
        time::Timestamp,
    },
    face::{
        context::Context,
        exit::{Exit, RefusedCode},
        failure::Failure,
        notes, refusal,
        report::{Report, ago},
        verbs::misnamed,
        waiting::{self, Answer, Asking, Outcome, Wait},
    },
    host::{clock, signals::Signals},
};

/// The most bytes of a purpose: enough for a paragraph, and always far below what a claim file may hold.
pub(super) const LONGEST_PURPOSE: usize = 4_096;

#[derive(Debug, Args)]
#[command(after_help = "Example: claim take shared-config 'align the lint rule'\n\
    Exit codes: 0 claimed and verified, 1 error, 2 usage, 75 REFUSED, 128+n ended by a signal while it waited")]
pub(crate) struct Arguments {
    /// A name such as shared-config, or a path: ./file, /tree
    target: String,
    /// Why, for whoever is refused
    purpose: String,
    /// Let the claim go stale after this time without a beat: 90s, 15m, 2h, 1d [default: $CLAIM_TTL, else 15m]
    #[arg(long, value_name = "DURATION")]
    ttl: Option<String>,
    /// Share the target with others who share it; refuse those who want it for themselves
    #[arg(long)]
    shared: bool,
    /// If it is refused, wait in line for it, up to this time: 90s, 15m, 2h, 1d
    #[arg(long, value_name = "DURATION")]
    wait: Option<String>,
    #[command(flatten)]
    refused: RefusedCode,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Result<Report, Failure> {
    let target = context.target(&arguments.target)?;
    let holder = context.holder()?;
    let ttl = context.ttl(arguments.ttl.as_deref())?;
    if arguments.purpose.len() > LONGEST_PURPOSE {
        return Err(Failure::usage(format!("a purpose has at most {LONGEST_PURPOSE} bytes")));
    }
    let request = Request { target: &target, holder: &holder };
    let wish = Wish { purpose: &arguments.purpose, ttl, shared: arguments.shared };
    let asking = Asking {
        context,
        target: &target,
        holder: &holder,
        shared: arguments.shared,
        decide: &|entries, now| rule::take(entries, &request, &wish, now),
        undo: &|verdict, entries, now| match verdict {
            // What the session held before it asked, it still holds.
            Verdict::Claimed(_) | Verdict::TakenOver(..) => rule::release(entries, &request, now).effects,
            _ => Effects::default(),
        },
    };
    let Answer { now, waited, outcome } = match context.wait(arguments.wait.as_deref())? {
        Some(budget) => {
            let pause = interruptible()?;
            waiting::ask(&asking, Some(&Wait { budget, pause: &pause }))?
        }
        None => waiting::ask(&asking, None)?,
    };
    let mut report = match outcome {
        Outcome::Decided(verdict, cleared) => decided(context, verdict, &cleared, &request, now)?,
        Outcome::Behind(first) => refusal::awaited(&first, &target, now),
        Outcome::Interrupted(signal) => return Ok(waiting::interrupted(signal, &target)),
    };
    if let Some(waited) = waited {
        report.set("waited_s", waited);
    }
    notes::tell_holder(context, &target, &mut report);
    context.hint(&target, &mut report);
    Ok(report.refused_as(&arguments.refused))
}

fn decided(
    context: &Context,
    verdict: Verdict,
    cleared: &[Entry],
    request: &Request<'_>,
    now: Timestamp,
) -> Result<Report, Failure> {
    let mut report = match verdict {
        Verdict::Claimed(claim) => done("claimed", "", &claim),
        Verdict::Renewed(claim) => done("renewed", "", &claim),
        Verdict::TakenOver(claim, from) => {
            let age = ago(now.since(from.heartbeat()));
            let how = format!(" from {} (its heartbeat was {age})", visible(from.holder()));
            let mut report = done("taken-over", &how, &claim);
            report.set("taken_from_heartbeat_age_s", now.since(from.heartbeat()));
            report
        }
        Verdict::Refused(refusal) => refusal::report(&refusal, request.target, Some(request.holder), now),
        Verdict::Misnamed(entry) => return Err(misnamed(context, &entry, request.target)),
        Verdict::Beat(_) | Verdict::Released(_) | Verdict::NotHeld(_) => {
            return Err(Failure::error("internal", "take was answered as another verb"));
        }
    };
    for entry in cleared {
        let age = ago(now.since(entry.heartbeat()));
        report.say(format!("  cleared {}, stale: {} had it, heartbeat {age}", entry.title(), visible(entry.holder())));
    }
    Ok(report)
}

/// Sleeps, and returns the number of a signal that asks to end.
fn interruptible() -> Result<impl Fn(Duration) -> Option<i32>, Failure> {
    let (sender, received) = mpsc::channel();
    let signals = Signals::listen(sender, |received| received.signal)
        .map_err(|error| Failure::error("signals", format!("cannot listen for signals: {error}")))?;
    Ok(move |time: Duration| match received.recv_timeout(time) {
        Ok(signal) => Some(signal),
        Err(mpsc::RecvTimeoutError::Timeout) => signals.came(),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            // Nothing is listened for where there are no signals.
            clock::sleep(time);
            None
        }
    })
}

fn done(outcome: &str, how: &str, claim: &Claim) -> Report {
    let mut report = Report::new(Exit::Done, outcome);
    let ttl = claim.time_to_live().seconds();
    report.set("target", &*claim.target);
    report.set("claim", serde_json::to_value(claim).unwrap_or_default());
    report.set("heartbeat_age_s", 0);
    report.set("stale_in_s", ttl);
    let shared = if claim.shared { ", shared" } else { "" };
    report.say(format!(
        "{outcome}: {}{how} by {}{shared}; stale in {} without a beat",
        visible(&claim.target),
        visible(&claim.holder),
        glance(ttl)
    ));
    report
}
