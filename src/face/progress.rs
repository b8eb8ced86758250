//! Whom a waiter waits for: one line that is rewritten on a terminal and cleared at the end; elsewhere a plain line, and
//! another when somebody else is waited for. Nothing with `--json`, whose caller reads one object.

use std::time::Duration;

use unicode_width::UnicodeWidthChar as _;

use crate::{
    core::{
        duration::{exact, glance},
        target::Target,
        text::visible,
        time::Timestamp,
    },
    face::{report, waiting::Obstacle},
    host::{clock::Moment, terminal},
};

/// How often the live line is drawn anew.
const DRAW_EVERY: Duration = Duration::from_secs(1);
/// Back to the first column, and away with what is there.
const CLEAR: &str = "\r\u{1b}[K";

/// What was said so far.
pub(crate) struct Progress {
    quiet: bool,
    /// The width of the terminal, if there is one.
    columns: Option<usize>,
    target: String,
    budget: Duration,
    /// Who was named last.
    named: Option<String>,
    drawn: Option<Moment>,
}

impl Progress {
    pub(crate) fn new(quiet: bool, target: &Target, budget: Duration) -> Self {
        let columns = if quiet { None } else { terminal::columns() };
        Self { quiet, columns, target: target.to_string(), budget, named: None, drawn: None }
    }

    /// Says what is in the way, if that is news.
    pub(crate) fn show(&mut self, obstacle: &Obstacle, before: usize, waited: Duration, now: Timestamp) {
        if self.quiet {
            return;
        }
        let (name, line) = self.told(obstacle, now);
        let news = self.named.as_ref() != Some(&name);
        match self.columns {
            Some(columns) if news || self.drawn.is_none_or(|drawn| drawn.ago() >= DRAW_EVERY) => {
                let queue = if before == 0 { String::new() } else { format!(", {before} before you") };
                let (waited, budget) = (glance(waited.as_secs()), exact(self.budget.as_secs()));
                let line = format!("{line}{queue}; {waited} of {budget}");
                report::tell(&format!("{CLEAR}{}", cut(&line, columns.saturating_sub(1))));
                self.drawn = Some(Moment::now());
            }
            None if news => report::tell(&format!("{line}\n")),
            _ => {}
        }
        self.named = Some(name);
    }

    /// Who is waited for, and in which words.
    fn told(&self, obstacle: &Obstacle, now: Timestamp) -> (String, String) {
        let target = &self.target;
        match obstacle {
            Obstacle::Claim(refusal) => {
                let (by, holder) = (&refusal.by, visible(refusal.by.holder()));
                let title = by.title();
                let what = if title == *target { String::new() } else { format!("{title} is ") };
                let age = now.since(by.heartbeat()).max(0);
                let line = format!("claim: waiting for {target}: {what}claimed by {holder} (heartbeat {age}s ago)");
                (holder, line)
            }
            Obstacle::Ticket(ticket) => {
                let holder = ticket.asks.as_ref().map_or_else(String::new, |asked| visible(&asked.bid.holder));
                let line = format!("claim: waiting for {target}: {holder} is first in line");
                (holder, line)
            }
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.drawn.is_some() {
            report::tell(CLEAR);
        }
    }
}

/// As much of a line as fits into so many columns.
fn cut(line: &str, columns: usize) -> String {
    let mut used = 0_usize;
    line.chars()
        .take_while(|character| {
            used = used.saturating_add(character.width().unwrap_or(0));
            used <= columns
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn a_line_never_runs_over_the_edge() {
        assert_eq!(
            (cut("abcdef", 3), cut("名前x", 3), cut("abc", 0), cut("abc", 9)),
            ("abc".into(), "名".into(), String::new(), "abc".into())
        );
    }
}
