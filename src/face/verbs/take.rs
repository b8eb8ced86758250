//! `claim take`: claim a target, renew the claim, or take a stale one over.

use clap::Args;

use crate::{
    core::{
        claim::Claim,
        duration::glance,
        rule::{self, Request, Verdict, Wish},
        text::visible,
    },
    face::{
        context::Context,
        exit::Exit,
        failure::Failure,
        notes, refusal,
        report::{Report, span},
        verbs::misnamed,
    },
    store::Absent,
};

/// The most bytes of a purpose: enough for a paragraph, and always far below what a claim file may hold.
const LONGEST_PURPOSE: usize = 4_096;

/// Claim a target, renew your claim, or take over a stale one
#[derive(Debug, Args)]
#[command(after_help = "Example: claim take shared-config 'align the lint rule'\n\
    Exit codes: 0 claimed and verified, 1 error, 2 usage, 75 REFUSED")]
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
    let now = context.now;
    let (verdict, cleared) = context.place.change(Absent::Make, Some(&target.reach()), |entries| {
        let decision = rule::take(entries, &request, &wish, now);
        let cleared: Vec<_> =
            entries.iter().filter(|entry| decision.effects.clear.contains(&entry.file)).cloned().collect();
        ((decision.verdict, cleared), decision.effects)
    })?;

    let mut report = match verdict {
        Verdict::Claimed(claim) => done("claimed", "", &claim),
        Verdict::Renewed(claim) => done("renewed", "", &claim),
        Verdict::TakenOver(claim, from) => {
            let age = span(now.since(from.heartbeat()));
            let mut report =
                done("taken-over", &format!(" from {} (its heartbeat was {age} ago)", visible(from.holder())), &claim);
            report.set("taken_from_heartbeat_age_s", now.since(from.heartbeat()));
            report
        }
        Verdict::Refused(refusal) => refusal::report(&refusal, &target, Some(&holder), now),
        Verdict::Misnamed(entry) => return Err(misnamed(context, &entry, &target)),
        Verdict::Beat(_) | Verdict::Released(_) | Verdict::NotHeld(_) => {
            return Err(Failure::error("internal", "take was answered as another verb"));
        }
    };
    for entry in &cleared {
        let age = span(now.since(entry.heartbeat()));
        report.say(format!(
            "  cleared {}, stale: {} had it, heartbeat {age} ago",
            entry.title(),
            visible(entry.holder())
        ));
    }
    notes::tell_holder(context, &target, &mut report);
    context.hint(&target, &mut report);
    Ok(report)
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
