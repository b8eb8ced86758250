//! `claim beat`: the sign of life. It never creates a claim, so a holder that lost one learns it here.

use clap::Args;

use crate::{
    core::{
        duration::glance,
        entry::Entry,
        holder::Holder,
        rule::{self, Effects, Refusal, Request, Verdict},
        target::Target,
        text::visible,
        time::Timestamp,
    },
    face::{
        context::Context,
        exit::Exit,
        failure::Failure,
        refusal,
        report::{Report, span},
        verbs::misnamed,
    },
    store::Absent,
};

#[derive(Debug, Args)]
#[command(after_help = "Example: claim beat shared-config\n\
    Exit codes: 0 renewed and verified, 1 error, 2 usage, 3 NOT HELD, 75 REFUSED (it was taken over)")]
#[group(required = true, multiple = false)]
pub(crate) struct Arguments {
    /// What you claimed
    target: Option<String>,
    /// Beat every claim of yours
    #[arg(long)]
    all: bool,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Result<Report, Failure> {
    let holder = context.holder()?;
    match &arguments.target {
        Some(text) => one(context, &context.target(text)?, &holder),
        None => all(context, &holder),
    }
}

fn one(context: &Context, target: &Target, holder: &Holder) -> Result<Report, Failure> {
    let request = Request { target, holder };
    let (verdict, now) = context.place.change(Absent::Empty, Some(&target.reach()), |entries, now| {
        let decision = rule::beat(entries, &request, now);
        ((decision.verdict, now), decision.effects)
    })?;
    let mut report = told(context, verdict, target, holder, now)?;
    context.hint(target, &mut report);
    Ok(report)
}

fn all(context: &Context, holder: &Holder) -> Result<Report, Failure> {
    let (verdicts, lost, now) = context.place.change(Absent::Empty, None, |entries, now| {
        let mut effects = Effects::default();
        let verdicts: Vec<_> = rule::held_by(entries, holder)
            .into_iter()
            .map(|target| {
                let decision = rule::beat(entries, &Request { target: &target, holder }, now);
                effects.and(decision.effects);
                (target, decision.verdict)
            })
            .collect();
        let lost: Vec<Entry> = rule::lost_by(entries, holder).into_iter().cloned().collect();
        ((verdicts, lost, now), effects)
    })?;

    let mut report = Report::new(Exit::Done, "beat");
    let mut claims = Vec::new();
    for (target, verdict) in verdicts {
        let part = told(context, verdict, &target, holder, now)?;
        claims.push(report.absorb(part));
    }
    for entry in lost {
        let part = lost_report(entry, holder, now);
        claims.push(report.absorb(part));
    }
    if claims.is_empty() {
        let mut report = Report::new(Exit::NotHeld, "not-held");
        report.set("claims", claims);
        report.complain(format!("NOT HELD: {holder} has no claims."));
        return Ok(report);
    }
    let outcome = if report.exit() == Exit::Done { "beat" } else { "refused" };
    report.set("outcome", outcome);
    report.set("claims", claims);
    Ok(report)
}

fn lost_report(entry: Entry, holder: &Holder, now: Timestamp) -> Report {
    let target = entry.claim().and_then(|claim| {
        crate::core::target::Target::recorded(&claim.target, crate::core::target::PathStyle::HERE).ok()
    });
    match target {
        Some(target) => refusal::report(&Refusal { by: entry, more: 0 }, &target, Some(holder), now),
        None => Report::new(Exit::Done, "beat"),
    }
}

fn told(
    context: &Context,
    verdict: Verdict,
    target: &Target,
    holder: &Holder,
    now: Timestamp,
) -> Result<Report, Failure> {
    match verdict {
        Verdict::Beat(claim) => {
            let ttl = claim.time_to_live().seconds();
            let mut report = Report::new(Exit::Done, "beat");
            report.set("target", &*claim.target);
            report.set("claim", serde_json::to_value(&claim).unwrap_or_default());
            report.set("heartbeat_age_s", 0);
            report.set("stale_in_s", ttl);
            report.say(format!("beat: {}, stale in {} without the next", visible(&claim.target), glance(ttl)));
            Ok(report)
        }
        Verdict::Refused(refusal) => Ok(refusal::report(&refusal, target, Some(holder), now)),
        Verdict::NotHeld(other) => Ok(not_held(target, holder, other.as_ref(), now)),
        Verdict::Misnamed(entry) => Err(misnamed(context, &entry, target)),
        Verdict::Claimed(_) | Verdict::Renewed(_) | Verdict::TakenOver(..) | Verdict::Released(_) => {
            Err(Failure::error("internal", "beat was answered as another verb"))
        }
    }
}

/// The report that this holder has no claim there. `other` is somebody else's stale one.
pub(super) fn not_held(target: &Target, holder: &Holder, other: Option<&Entry>, now: Timestamp) -> Report {
    let mut report = Report::new(Exit::NotHeld, "not-held");
    report.set("target", target.as_str());
    report.complain(format!("NOT HELD: {holder} has no claim on {target}."));
    if let Some(entry) = other {
        report.describe(entry, now);
        let age = span(now.since(entry.heartbeat()));
        report.complain(format!("  {} has one that is stale (heartbeat {age} ago)", visible(entry.holder())));
        if entry.claim().is_some_and(|claim| claim.taken_from.as_deref() == Some(holder.as_str())) {
            report.complain(refusal::lost_line(entry, now));
        }
    }
    report.complain(format!("  to claim it: claim take {} 'purpose'", refusal::quoted(target.as_str())));
    report
}
