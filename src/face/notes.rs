//! Naming the notes that wait, wherever somebody looks at their target.

use serde_json::{Value, json};

use crate::{
    core::target::Target,
    face::{context::Context, exit::Exit, refusal::quoted, report::Report},
    store::Queue,
};

/// The queues with waiting notes on the target, on a tree around it or on something inside it; of everything without a
/// target. What cannot be read is told and never stands in the way of the answer.
fn queues(context: &Context, target: Option<&Target>, report: &mut Report) -> Vec<Queue> {
    let reach = target.map(Target::reach);
    match context.place.queues(reach.as_ref()) {
        Ok(mut queues) => {
            queues.retain(|queue| {
                let open = queue.waiting.len() + queue.claimed.len() > 0;
                open && target.is_none_or(|target| target.overlaps(&queue.target))
            });
            queues
        }
        Err(error) => {
            report.complain(format!("claim: the handover notes cannot be read: {error}"));
            Vec::new()
        }
    }
}

/// Adds a line, and the key `handovers`, when notes wait.
pub(crate) fn tell(context: &Context, target: Option<&Target>, report: &mut Report) {
    tell_with(context, target, "list", report);
}

/// The same for somebody who may work the notes, unless it was refused.
pub(crate) fn tell_holder(context: &Context, target: &Target, report: &mut Report) {
    let verb = if report.exit() == Exit::Done { "next" } else { "list" };
    tell_with(context, Some(target), verb, report);
}

fn tell_with(context: &Context, target: Option<&Target>, verb: &str, report: &mut Report) {
    let refused = report.exit() != Exit::Done;
    let queues = queues(context, target, report);
    if queues.is_empty() {
        return;
    }
    for queue in &queues {
        let line = line(queue, verb);
        if refused { report.complain(line) } else { report.say(line) }
    }
    report.set("handovers", queues.iter().map(described).collect::<Vec<_>>());
}

fn line(queue: &Queue, verb: &str) -> String {
    let (waiting, claimed) = (queue.waiting.len(), queue.claimed.len());
    let noun = |count| if count == 1 { "note" } else { "notes" };
    let waits = if waiting == 1 { "waits" } else { "wait" };
    let what = match (waiting, claimed) {
        (0, _) => format!("{claimed} {} on {} begun and not done", noun(claimed), queue.target),
        (_, 0) => format!("{waiting} {} {waits} on {}", noun(waiting), queue.target),
        _ => format!("{waiting} {} {waits} on {}, {claimed} begun", noun(waiting), queue.target),
    };
    format!("  {what}: claim handover {verb} {}", quoted(queue.target.as_str()))
}

fn described(queue: &Queue) -> Value {
    json!({"target": queue.target.as_str(), "waiting": queue.waiting.len(), "claimed": queue.claimed.len()})
}
