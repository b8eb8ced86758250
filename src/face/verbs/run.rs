//! `claim run`: take the target, run a command, beat while it runs, release, and pass on how it ended.

use std::{
    ffi::OsString,
    path::Path,
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    time::Duration,
};

use clap::Args;

use crate::{
    core::{
        claim::Claim,
        holder::Holder,
        rule::{Decision, Refusal, Request, Verdict},
        runs::{self, Left, RunWish},
        target::Target,
        text::visible,
        time::Timestamp,
    },
    face::{
        context::Context,
        exit::{Exit, RefusedCode},
        failure::Failure,
        keeper::{Beaten, Keeper},
        notes, refusal,
        report::Report,
        running::{self, Event, Why},
        verbs::{misnamed, take::LONGEST_PURPOSE},
        waiting::{self, Answer, Asking, Outcome, Wait},
    },
    host::{chance, clock::Moment, process, signals::Signals},
    store::{Absent, Place},
};

#[derive(Debug, Args)]
#[command(
    override_usage = "claim run [OPTIONS] TARGET -- COMMAND...",
    after_help = "Example: claim run ~/notes --wait 10m -- make publish\n\
    The command sees CLAIM_HOLDER, CLAIM_TARGET and CLAIM_DIR.\n\
    Exit codes: the command's own (128+n when signal n ended it, 126 and 127 when it cannot be started),\n\
    75 REFUSED and not started, or the claim was lost and the command ended, 1 error, 2 usage"
)]
pub(crate) struct Arguments {
    /// A name such as shared-config, or a path: ./file, /tree
    target: Option<String>,
    /// Why, for whoever is refused [default: the command's name]
    #[arg(long, value_name = "TEXT")]
    purpose: Option<String>,
    /// Let the claim go stale after this time without a beat: 90s, 15m, 2h, 1d [default: $CLAIM_TTL, else 15m]
    #[arg(long, value_name = "DURATION")]
    ttl: Option<String>,
    /// If it is refused, wait in line for it, up to this time
    #[arg(long, value_name = "DURATION")]
    wait: Option<String>,
    /// Share the target with others who share it; refuse those who want it for themselves
    #[arg(long)]
    shared: bool,
    #[command(flatten)]
    refused: RefusedCode,
    /// What to run, with its arguments; nothing of it is read as an option of claim
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// What all steps of one run share.
#[derive(Clone)]
struct Hold {
    place: Place,
    target: Target,
    holder: Holder,
    purpose: Option<String>,
    otherwise: String,
    ttl: Option<crate::core::duration::Ttl>,
    shared: bool,
    mark: String,
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Result<Report, Failure> {
    let (target, command) = split(arguments)?;
    let target = context.target(&target)?;
    if arguments.purpose.as_ref().is_some_and(|purpose| purpose.len() > LONGEST_PURPOSE) {
        return Err(Failure::usage(format!("a purpose has at most {LONGEST_PURPOSE} bytes")));
    }
    let hold = Hold {
        place: context.place.clone(),
        holder: context.holder()?,
        purpose: arguments.purpose.clone(),
        otherwise: format!("runs {}", name_of(&command)),
        ttl: context.ttl(arguments.ttl.as_deref())?,
        shared: arguments.shared,
        mark: format!("{:016x}", chance::draw()),
        target,
    };
    let wait = context.wait(arguments.wait.as_deref())?;

    let (sender, events) = mpsc::channel();
    let deaf = |error| Failure::error("signals", format!("cannot listen for signals: {error}"));
    let signals = Signals::listen(sender.clone(), Event::Signal).map_err(deaf)?;
    let pause = |time: Duration| running::interruption(&events, time).or_else(|| signals.came());
    let asking = Asking {
        context,
        target: &hold.target,
        holder: &hold.holder,
        shared: hold.shared,
        decide: &|entries, now| hold.enter(entries, now),
        undo: &|_, entries, now| runs::leave(entries, &hold.request(), &hold.mark, now).1,
    };
    let since = Moment::now();
    let wait = wait.map(|budget| Wait { budget, pause: &pause });
    let Answer { now, waited, outcome } = waiting::ask(&asking, wait.as_ref())?;
    // A wait can have been long; what counts is when the claim was written.
    let since = if waited.is_some() { Moment::now() } else { since };
    let (claim, joined) = match outcome {
        Outcome::Decided(Verdict::Claimed(claim) | Verdict::TakenOver(claim, _), _) => (claim, false),
        Outcome::Decided(Verdict::Renewed(claim), _) => (claim, true),
        Outcome::Decided(Verdict::Refused(refusal), _) => {
            let report = refusal::report(&refusal, &hold.target, Some(&hold.holder), now);
            return Ok(refused(context, arguments, &hold, report, waited));
        }
        Outcome::Behind(first) => {
            let report = refusal::awaited(&first, &hold.target, now);
            return Ok(refused(context, arguments, &hold, report, waited));
        }
        Outcome::Decided(Verdict::Misnamed(entry), _) => return Err(misnamed(context, &entry, &hold.target)),
        Outcome::Decided(..) => return Err(Failure::error("internal", "run was answered as another verb")),
        Outcome::Interrupted(signal) => return Ok(waiting::interrupted(signal, &hold.target)),
    };

    if let Err(error) = signals.listen_for_child() {
        hold.leave()?;
        return Err(deaf(error));
    }
    if let Some(signal) = pause(Duration::ZERO) {
        hold.leave()?;
        return Ok(waiting::interrupted(signal, &hold.target));
    }
    let mut report = match process::start(&command, &hold.variables(context)) {
        Err(error) => {
            hold.leave()?;
            not_started(&command, &error)
        }
        Ok(mut child) => {
            // It came while the command was being started, and nobody can tell whether that got it too.
            if let Some(signal) = signals.came() {
                child.signal(signal);
            }
            let beats = hold.clone();
            let keeper = Keeper::start(
                &claim,
                since,
                move |over| beats.beat(over),
                move |beaten| drop(sender.send(Event::Beat(beaten))),
            );
            let ended = match keeper {
                Ok(mut keeper) => {
                    let ended = running::attend(&mut child, &mut keeper, &events, &hold.target);
                    keeper.stop();
                    ended
                }
                Err(error) => running::without_beats(&mut child, &error),
            };
            hold.finish(ended)
        }
    };
    report.set("target", hold.target.as_str());
    report.set("joined", joined);
    if let Some(waited) = waited {
        report.set("waited_s", waited);
    }
    context.hint(&hold.target, &mut report);
    Ok(report.refused_as(&arguments.refused))
}

/// The target and the command. `claim run -- -x -- COMMAND` is how a target is typed that looks like an option.
fn split(arguments: &Arguments) -> Result<(String, Vec<OsString>), Failure> {
    let missing = || Failure::usage("which target? claim run TARGET -- COMMAND...");
    if let Some(target) = &arguments.target {
        return Ok((target.clone(), arguments.command.clone()));
    }
    match arguments.command.as_slice() {
        [target, dashes, command @ ..] if dashes == "--" && !command.is_empty() => {
            let target = target.to_str().ok_or_else(|| Failure::usage("a target must be UTF-8"))?;
            Ok((target.to_owned(), command.to_vec()))
        }
        _ => Err(missing()),
    }
}

/// A command's own name. Its arguments can be anything, passwords too, and everybody can read a purpose.
fn name_of(command: &[OsString]) -> String {
    let name = command.first().map(|program| Path::new(program).file_name().unwrap_or(program).to_string_lossy());
    visible(&name.unwrap_or_default())
}

fn refused(context: &Context, arguments: &Arguments, hold: &Hold, mut report: Report, waited: Option<u64>) -> Report {
    if let Some(waited) = waited {
        report.set("waited_s", waited);
    }
    notes::tell(context, Some(&hold.target), &mut report);
    context.hint(&hold.target, &mut report);
    report.refused_as(&arguments.refused)
}

fn not_started(command: &[OsString], error: &process::NotStarted) -> Report {
    let mut report = Report::new(Exit::Command(error.code), "error");
    let program = command.first().map(|program| visible(&program.to_string_lossy())).unwrap_or_default();
    let message = format!("cannot start '{program}': {}", error.error);
    report.set("error", if error.code == 127 { "not-found" } else { "not-executable" });
    report.set("message", &*message);
    report.complain(format!("claim: {message}"));
    report
}

impl Hold {
    fn request(&self) -> Request<'_> {
        Request { target: &self.target, holder: &self.holder }
    }

    fn enter(&self, entries: &[crate::core::entry::Entry], now: Timestamp) -> Decision {
        let wish = RunWish {
            purpose: self.purpose.as_deref(),
            otherwise: &self.otherwise,
            ttl: self.ttl,
            shared: self.shared,
            mark: &self.mark,
        };
        runs::enter(entries, &self.request(), &wish, now)
    }

    /// What the command sees beyond its environment, so that claim commands in it agree.
    fn variables(&self, context: &Context) -> [(&'static str, OsString); 3] {
        [
            ("CLAIM_HOLDER", self.holder.as_str().into()),
            ("CLAIM_TARGET", self.target.as_str().into()),
            ("CLAIM_DIR", context.place.path().into()),
        ]
    }

    /// One beat. A claim that is merely gone is taken again in the same breath: while a command runs, nobody who waits
    /// comes before it.
    fn beat(&self, over: &AtomicBool) -> Beaten {
        let done = self.place.change(Absent::Make, Some(&self.target.reach()), |entries, now| {
            // Asked under the lock, so that no beat can bring back what the end of the run has released.
            if over.load(Ordering::SeqCst) {
                return ((None, false, now), crate::core::rule::Effects::default());
            }
            let beat = runs::beat(entries, &self.request(), &self.mark, now);
            match beat.verdict {
                Verdict::NotHeld(_) => {
                    let again = self.enter(entries, now);
                    ((Some(again.verdict), true, now), again.effects)
                }
                verdict => ((Some(verdict), false, now), beat.effects),
            }
        });
        match done {
            Ok((None, ..)) => Beaten::Over,
            Ok((Some(Verdict::Refused(refusal)), _, now)) => Beaten::Lost(refusal, now),
            Ok((Some(Verdict::Misnamed(entry)), ..)) => {
                Beaten::Failed(format!("{} is not the file of this target", visible(&entry.file)))
            }
            Ok((Some(verdict), again, _)) => match verdict {
                Verdict::Claimed(claim) | Verdict::TakenOver(claim, _) if again => Beaten::Retaken(claim),
                Verdict::Beat(claim) | Verdict::Renewed(claim) => Beaten::Kept(claim),
                _ => Beaten::Failed("it was answered as another verb".to_owned()),
            },
            Err(error) => Beaten::Failed(error.to_string()),
        }
    }

    fn leave(&self) -> Result<(Left, Timestamp), Failure> {
        let left = self.place.change(Absent::Empty, Some(&self.target.reach()), |entries, now| {
            let (left, effects) = runs::leave(entries, &self.request(), &self.mark, now);
            ((left, now), effects)
        })?;
        Ok(left)
    }

    /// Gives the claim back and says how it all ended. The claim is given back whatever happened, if it is there.
    fn finish(&self, ended: running::Ended) -> Report {
        let left = self.leave();
        let mut report = match (&ended.why, &left) {
            (Why::Lost(refusal, now), _) => self.lost(refusal, *now, true),
            // It was lost between the last beat and now, or while this process was stopped.
            (Why::Itself, Ok((Left::Refused(refusal), now))) => self.lost(refusal, *now, false),
            (Why::Itself, _) => Report::new(Exit::Command(ended.code), "ran"),
            (Why::Unbeaten(message), _) => {
                let message = format!(
                    "{} could not be beaten, so the command was ended before the claim could go stale: {message}",
                    self.target
                );
                Failure::error("unbeaten", message).into()
            }
        };
        report.set("command_exit", ended.code);
        report.set("kept", matches!(left, Ok((Left::Kept(_), _))));
        match left {
            Ok((Left::Kept(claim) | Left::Released(claim), _)) => {
                report.set("claim", serde_json::to_value::<Claim>(claim).unwrap_or_default());
            }
            Ok((Left::NotHeld, _)) if matches!(ended.why, Why::Itself) => {
                report.complain(format!("claim: {} was released elsewhere before the command ended", self.target));
            }
            Ok((Left::Misnamed(entry), _)) => {
                report.complain(format!(
                    "claim: {} was not released: {} holds a claim on another target",
                    self.target,
                    visible(&entry.file)
                ));
                report.fail();
            }
            Ok(_) => {}
            Err(failure) => {
                report.set("error", failure.word);
                report.complain(format!("claim: {} was not released: {}", self.target, failure.message));
                report.fail();
            }
        }
        report
    }

    fn lost(&self, refusal: &Refusal, now: Timestamp, ended: bool) -> Report {
        let mut report = refusal::report(refusal, &self.target, Some(&self.holder), now);
        report.set("outcome", "lost");
        let since = refusal.by.claim().map_or_else(|| refusal.by.heartbeat(), |claim| claim.taken_at);
        report.set("lost_since", since.to_string());
        let what = if ended { "the command was ended" } else { "the command had ended by then" };
        report.complain(format!("  {} has it since {since}; {what}", visible(refusal.by.holder())));
        report
    }
}
