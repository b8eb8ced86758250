//! How a refusal is told. Its first line has one shape, for people and for programs; then why, until when, and what to
//! do instead of going ahead.

use serde_json::json;

use crate::{
    core::{
        entry::{Entry, Record},
        holder::{Holder, UNKNOWN},
        queue::Ticket,
        rule::Refusal,
        target::{LONGEST_PATH, Target},
        text::{shortened, visible},
        time::Timestamp,
    },
    face::{
        exit::Exit,
        report::{Report, span, stale_in, state_word},
    },
};

/// The report of a refusal for `holder`, who asked for `target`.
pub(crate) fn report(refusal: &Refusal, target: &Target, holder: Option<&Holder>, now: Timestamp) -> Report {
    let mut report = Report::new(Exit::Refused, "refused");
    report.set("target", target.as_str());
    report.describe(&refusal.by, now);
    report.set("more", refusal.more);
    let lines = lines(refusal, target, holder, now);
    report.set("message", lines.join("\n"));
    for line in lines {
        report.complain(line);
    }
    report
}

/// The first line and the indented ones after it.
pub(crate) fn lines(refusal: &Refusal, target: &Target, holder: Option<&Holder>, now: Timestamp) -> Vec<String> {
    let by = &refusal.by;
    let age = now.since(by.heartbeat());
    let mut lines = vec![format!(
        "REFUSED: {} is claimed by {} (heartbeat {}s ago).",
        by.title(),
        visible(by.holder()),
        age.max(0)
    )];
    match &by.record {
        Record::Claim(claim, claimed) | Record::Misnamed(claim, Some(claimed)) => {
            lines.push(format!("  purpose: {}", visible(&claim.purpose)));
            if claimed.covers(target) {
                lines.push(format!("  it covers {target}"));
            } else if target.covers(claimed) {
                lines.push(format!("  it is inside {target}"));
            }
            if holder.is_some_and(|holder| claim.taken_from.as_deref() == Some(holder.as_str())) {
                lines.push(lost_line(by, now));
            }
        }
        Record::Misnamed(claim, None) => lines.push(format!("  purpose: {}", visible(&claim.purpose))),
        Record::Unreadable { reason, .. } => {
            lines.push(format!("  its file {} cannot be read: {}", visible(&by.file), visible(reason)));
        }
    }
    if age < 0 {
        lines.push(format!("  its heartbeat is {} ahead of this machine's clock", span(age.saturating_neg())));
    }
    lines.push(match state_word(by, now) {
        "fresh" | "unreadable" => format!("  goes stale in {} without a beat", span(stale_in(by, now))),
        "misnamed" => format!(
            "  its file {} bears a wrong name, as a copy does: if nobody is at work there, move it away",
            visible(&by.file)
        ),
        _ => "  it is stale: `claim take` may take it over, `claim release --stale` removes it".to_owned(),
    });
    if refusal.more > 0 {
        lines.push(format!("  and {} more in the way: claim status {}", refusal.more, quoted(target.as_str())));
    }
    // The queue of what is held: there whoever has it now, and whoever has it next, will look.
    lines.push(leave(by.claim().map_or(target.as_str(), |claim| &claim.target)));
    lines
}

/// The report for who is not first in line: nobody has the target, and somebody who waits for it comes first.
pub(crate) fn awaited(first: &Ticket, target: &Target, now: Timestamp) -> Report {
    let mut report = Report::new(Exit::Refused, "refused");
    report.set("target", target.as_str());
    if let Some(asked) = &first.asks {
        report.set(
            "awaited_by",
            json!({
                "target": asked.bid.target,
                "holder": asked.bid.holder,
                "since": asked.bid.since,
                "heartbeat_age_s": now.since(first.renewed),
            }),
        );
    }
    let lines = awaited_lines(first, target, now);
    report.set("message", lines.join("\n"));
    for line in lines {
        report.complain(line);
    }
    report
}

/// As [`lines`], with one other word: what the first in line has is a ticket and no claim yet.
pub(crate) fn awaited_lines(first: &Ticket, target: &Target, now: Timestamp) -> Vec<String> {
    let (what, who) = first
        .asks
        .as_ref()
        .map_or_else(|| (target.as_str(), UNKNOWN), |asked| (&*asked.bid.target, &*asked.bid.holder));
    let age = now.since(first.renewed).max(0);
    vec![
        format!("REFUSED: {} is awaited by {} (heartbeat {age}s ago).", visible(what), visible(who)),
        "  whoever waits for it comes first".to_owned(),
        format!("  wait in line: claim take {} 'purpose' --wait 10m", quoted(target.as_str())),
        leave(what),
    ]
}

fn leave(queue: &str) -> String {
    format!("  leave the work for later: claim handover add {} 'what is to be done'", quoted(queue))
}

/// Tells a holder who has what was its own.
pub(crate) fn lost_line(by: &Entry, now: Timestamp) -> String {
    format!("  it was yours: {}", taken_over(by, now))
}

/// Who took a claim over, and when.
pub(crate) fn taken_over(by: &Entry, now: Timestamp) -> String {
    let since = by.claim().map_or(now, |claim| claim.taken_at);
    format!("{} took it over {} ago, at {since}", visible(by.holder()), span(now.since(since)))
}

/// A text as one word of a POSIX shell.
pub(crate) fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+:@%,=".contains(c);
    if !text.is_empty() && !text.starts_with('-') && text.chars().all(plain) {
        text.to_owned()
    } else {
        // Uncut, so that what is shown can be typed.
        format!("'{}'", shortened(text, LONGEST_PATH).replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_target_is_quoted_where_a_shell_would_split_or_expand_it() {
        for (text, word) in [
            ("shared-config", "shared-config"),
            ("/home/u/proj", "/home/u/proj"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("$HOME", "'$HOME'"),
            ("~x", "'~x'"),
            ("-x", "'-x'"),
        ] {
            assert_eq!(quoted(text), word);
        }
    }
}
