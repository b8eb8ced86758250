//! `claim release`: give back what was claimed; or clear away what outlived its session, by the rule and never by force.

use clap::Args;

use crate::{
    core::{
        entry::Entry,
        holder::Holder,
        rule::{self, Request, Verdict},
        target::Target,
        text::visible,
        time::Timestamp,
    },
    face::{
        context::Context,
        exit::Exit,
        failure::Failure,
        notes, refusal,
        report::{Report, ago, described},
        verbs::{beat::not_held, misnamed},
    },
    store::Absent,
};

#[derive(Debug, Args)]
#[command(after_help = "Example: claim release shared-config\n\
    Exit codes: 0 released and verified, 1 error, 2 usage, 3 NOT HELD, 75 REFUSED (it is another's)")]
#[group(required = true, multiple = false)]
pub(crate) struct Arguments {
    /// What you claimed
    target: Option<String>,
    /// Release every claim of yours
    #[arg(long)]
    all: bool,
    /// Remove every stale claim, whoever held it; fresh ones stay: somebody is at work there
    #[arg(long)]
    stale: bool,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Result<Report, Failure> {
    let holder = context.holder()?;
    match &arguments.target {
        Some(text) => one(context, &context.target(text)?, &holder),
        None if arguments.stale => stale(context, &holder),
        None => all(context, &holder),
    }
}

fn one(context: &Context, target: &Target, holder: &Holder) -> Result<Report, Failure> {
    let request = Request { target, holder };
    let (verdict, now) = context.place.change(Absent::Empty, Some(&target.reach()), |entries, now| {
        let decision = rule::release(entries, &request, now);
        ((decision.verdict, now), decision.effects)
    })?;
    let mut report = match verdict {
        Verdict::Released(claim) => {
            let mut report = Report::new(Exit::Done, "released");
            report.set("target", &*claim.target);
            report.set("claim", serde_json::to_value(&claim).unwrap_or_default());
            report.set("held_s", now.since(claim.taken_at));
            report.say(format!("released: {}", visible(&claim.target)));
            report
        }
        Verdict::Refused(refusal) => refusal::report(&refusal, target, Some(holder), now),
        Verdict::NotHeld(other) => not_held(target, holder, other.as_ref(), now),
        Verdict::Misnamed(entry) => return Err(misnamed(context, &entry, target)),
        Verdict::Claimed(_) | Verdict::Renewed(_) | Verdict::TakenOver(..) | Verdict::Beat(_) => {
            return Err(Failure::error("internal", "release was answered as another verb"));
        }
    };
    notes::tell(context, Some(target), &mut report);
    context.hint(target, &mut report);
    Ok(report)
}

fn all(context: &Context, holder: &Holder) -> Result<Report, Failure> {
    let (released, lost, now) = context.place.change(Absent::Empty, None, |entries, now| {
        let (released, effects) = rule::release_all(entries, holder, now);
        let lost: Vec<Entry> = rule::lost_by(entries, holder).into_iter().cloned().collect();
        ((released, lost, now), effects)
    })?;
    let mut report = removed(&released, "released", now);
    if released.is_empty() {
        report.say(format!("No claims of {holder} in {}.", visible(&context.place.path().to_string_lossy())));
    }
    for entry in &lost {
        report.complain(format!("lost: {}", entry.title()));
        report.complain(refusal::lost_line(entry, now));
    }
    report.set("lost", lost.iter().map(|entry| described(entry, now)).collect::<Vec<_>>());
    Ok(report)
}

fn stale(context: &Context, holder: &Holder) -> Result<Report, Failure> {
    let (stale, now) = context.place.change(Absent::Empty, None, |entries, now| {
        let (stale, effects) = rule::release_stale(entries, holder, now);
        ((stale, now), effects)
    })?;
    let mut report = removed(&stale, "released", now);
    if stale.is_empty() {
        report.say(format!("No stale claims in {}.", visible(&context.place.path().to_string_lossy())));
    }
    Ok(report)
}

fn removed(entries: &[Entry], outcome: &str, now: Timestamp) -> Report {
    let mut report = Report::new(Exit::Done, outcome);
    for entry in entries {
        let age = ago(now.since(entry.heartbeat()));
        let held = visible(entry.holder());
        report.say(format!("{outcome}: {} (held by {held}, heartbeat {age})", entry.title()));
    }
    report.set("claims", entries.iter().map(|entry| described(entry, now)).collect::<Vec<_>>());
    report
}
