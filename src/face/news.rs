//! What a session is told at its start and at a prompt: one line, or nothing. Who is at work in its tree, which notes
//! wait there, what was taken over from it, and whether a target that it was refused has become free.

use crate::{
    core::{
        entry::Record,
        holder::Holder,
        rule::{self, Judgement, Standing},
        target::Target,
        text::visible,
    },
    face::{
        context::Context,
        failure::Failure,
        refusal::{self, quoted},
    },
    host::{paths, trees::Home},
    store::Absent,
};

/// The most of others, and of notes, that the line names.
const NAMED: usize = 5;

/// The line at a session's start. `named` when its shell cannot know which session it is, so that it must be told.
pub(crate) fn at_start(
    context: &Context,
    holder: &Holder,
    home: Option<Home>,
    named: bool,
) -> Result<Option<String>, Failure> {
    let mut parts = Vec::new();
    if let Some(home) = home {
        let home = paths::resolved_target(&home.root)?;
        parts.extend(others(context, holder, &home)?);
        let queues = context.place.queues(Some(&home.reach()))?;
        for queue in queues.iter().filter(|queue| !queue.waiting.is_empty() && home.overlaps(&queue.target)).take(NAMED)
        {
            let target = quoted(queue.target.as_str());
            let waiting = queue.waiting.len();
            let noun = if waiting == 1 { "handover note waits" } else { "handover notes wait" };
            parts.push(format!("{waiting} {noun} on {target} (claim handover list {target})"));
        }
    }
    parts.extend(lost(context, holder)?);
    parts.extend(freed(context, holder)?);
    if named {
        parts.push(format!(
            "this session's holder is {holder}: in shell commands write CLAIM_HOLDER={} before claim",
            quoted(holder.as_str())
        ));
    }
    Ok(line(&parts))
}

/// The line at a prompt.
pub(crate) fn at_prompt(context: &Context, holder: &Holder) -> Result<Option<String>, Failure> {
    let mut parts = lost(context, holder)?;
    parts.extend(freed(context, holder)?);
    Ok(line(&parts))
}

fn line(parts: &[String]) -> Option<String> {
    (!parts.is_empty()).then(|| format!("claim: {}.", parts.join("; ")))
}

fn others(context: &Context, holder: &Holder, home: &Target) -> Result<Option<String>, Failure> {
    let entries = context.place.look(&home.reach())?;
    let others: Vec<String> = entries
        .iter()
        .filter(|entry| entry.holder() != holder.as_str() && entry.state(context.now).is_fresh())
        .filter(|entry| matches!(&entry.record, Record::Claim(_, claimed) if claimed.overlaps(home)))
        .take(NAMED)
        .map(|entry| format!("{} in {}", visible(entry.holder()), entry.title()))
        .collect();
    Ok((!others.is_empty()).then(|| format!("others are at work here: {} (claim status)", others.join(", "))))
}

/// Claims of this session that others took over and are at work on.
fn lost(context: &Context, holder: &Holder) -> Result<Vec<String>, Failure> {
    let entries = context.place.listing()?.entries;
    let lost = rule::lost_by(&entries, holder).into_iter().filter(|entry| entry.state(context.now).is_fresh());
    Ok(lost
        .take(NAMED)
        .map(|entry| format!("{} was yours: {}", entry.title(), refusal::taken_over(entry, context.now)))
        .collect())
}

/// Targets that are free now and on which a note of this holder waits: each note is told of once.
fn freed(context: &Context, holder: &Holder) -> Result<Vec<String>, Failure> {
    let mut free = Vec::new();
    for queue in context.place.queues(None)? {
        let mut own = Vec::new();
        for note in queue.waiting.iter().filter(|note| note.is_from(holder)) {
            if !queue.was_told(note)? {
                own.push(note.clone());
            }
        }
        if own.is_empty() {
            continue;
        }
        let entries = context.place.look(&queue.target.reach())?;
        let judged = rule::judge(&entries, &queue.target, Some(holder), Standing::Abroad, context.now);
        if !matches!(judged, Judgement::Refused(_)) {
            free.push((queue, own));
        }
        // What the line has no room for is told of at the next prompt.
        if free.len() == NAMED {
            break;
        }
    }
    if free.is_empty() {
        return Ok(Vec::new());
    }
    // Noted down first: told twice would be a nuisance at every turn, and the note itself waits whatever is told.
    if let Some(locked) = context.place.locked(Absent::Empty)? {
        for (queue, own) in &free {
            for note in own {
                locked.mark_told(queue, note)?;
            }
        }
    }
    Ok(free
        .iter()
        .map(|(queue, _)| {
            let target = quoted(queue.target.as_str());
            format!("{target} is free now and your note waits there (claim take {target} 'purpose', then claim handover next {target})")
        })
        .collect())
}
