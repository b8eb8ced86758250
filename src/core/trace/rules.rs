//! The numbered rules of the protocol, as the skill teaches them and as the trace cites them.
//!
//! The table is the one place where a number gets its meaning. It does not enforce anything itself; it says what
//! does. An advisory rule is kept by the agent or not at all.

use super::Action;

/// What makes it impossible, or at least loud, to break a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// The decision is made and carried out under the machine-wide lock.
    Lock,
    /// A file changes its place by a rename, which only one process can win.
    Rename,
    /// The agent's own tool call is denied by the hook, where it is installed.
    Hook,
}

/// One rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its number; a line cites it as `claim#<number>`.
    pub number: u8,
    /// The rule, as one sentence to the agent.
    pub statement: &'static str,
    /// What enforces it; nothing at all for an advisory rule.
    pub enforced_by: &'static [Means],
    /// The actions that may cite it; none when no line ever does.
    pub actions: &'static [Action],
}

/// Claim before a foreign write.
pub const CLAIM_FIRST: u8 = 1;
/// Keep it beaten.
pub const KEEP_ALIVE: u8 = 2;
/// A fresh claim of another refuses.
pub const REFUSED: u8 = 3;
/// Only a stale claim is taken over.
pub const TAKEOVER: u8 = 4;
/// Release what is yours, and nothing that is another's.
pub const RELEASE: u8 = 5;
/// Waiters are served in order of arrival.
pub const QUEUE: u8 = 6;
/// Queue a handover rather than route around.
pub const HAND_OVER: u8 = 7;
/// Only the holder works the notes.
pub const NOTES: u8 = 8;

/// All rules, by number, without a gap.
pub const RULES: &[Rule] = &[
    Rule {
        number: CLAIM_FIRST,
        statement: "Claim a target before you write to it outside your own tree.",
        enforced_by: &[Means::Hook],
        actions: &[Action::Claim],
    },
    Rule {
        number: KEEP_ALIVE,
        statement: "Keep your claim alive while you work: beat it before its time to live runs out.",
        enforced_by: &[],
        actions: &[Action::Renew, Action::Beat],
    },
    Rule {
        number: REFUSED,
        statement: "A fresh claim of another session on an overlapping target refuses you, unless both are shared.",
        enforced_by: &[Means::Lock, Means::Hook],
        actions: &[Action::Skip],
    },
    Rule {
        number: TAKEOVER,
        statement: "Only a stale claim is taken over, and the new claim says from whom.",
        enforced_by: &[Means::Lock],
        actions: &[Action::BreakClaim, Action::Claim],
    },
    Rule {
        number: RELEASE,
        statement: "Only its holder releases a claim, until it is stale; then `claim release --stale` clears it away.",
        enforced_by: &[Means::Lock],
        actions: &[Action::Release, Action::BreakClaim, Action::Skip],
    },
    Rule {
        number: QUEUE,
        statement: "Those who wait for a target get it in the order in which they came.",
        enforced_by: &[Means::Lock],
        actions: &[Action::Wait, Action::Skip],
    },
    Rule {
        number: HAND_OVER,
        statement: "When you are refused, queue a handover and go on with other work; never route around it.",
        enforced_by: &[],
        actions: &[Action::Handover],
    },
    Rule {
        number: NOTES,
        statement: "Only who holds the claim on a target starts and finishes its handovers, the oldest first.",
        enforced_by: &[Means::Lock, Means::Rename],
        actions: &[Action::Start, Action::Finish, Action::Skip],
    },
    Rule {
        number: 9,
        statement: "Claim no more than the work needs, and release it as soon as you are done.",
        enforced_by: &[],
        actions: &[],
    },
    Rule {
        number: 10,
        statement: "While you write in your own tree, a shared claim on it tells foreign writers so.",
        enforced_by: &[Means::Hook],
        actions: &[],
    },
    Rule {
        number: 11,
        statement: "The session is who claims: its sub-agents work under its claims.",
        enforced_by: &[],
        actions: &[],
    },
    Rule {
        number: 12,
        statement: "A conflicted copy in a synced folder means that two have written: stop and ask a person.",
        enforced_by: &[],
        actions: &[],
    },
    Rule {
        number: 13,
        statement: "Never edit or delete claims, tickets or the trace by hand; there is no force, only waiting.",
        enforced_by: &[],
        actions: &[],
    },
    Rule {
        number: 14,
        statement: "Before you stop, release and hand over the next safe action; when you return, look at what you still hold.",
        enforced_by: &[],
        actions: &[],
    },
];

/// The rule of that number, if there is one.
pub fn rule(number: u8) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.number == number)
}
