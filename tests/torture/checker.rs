//! Is there an order of the calls that respects their times and in which every answer follows from the rule? (Wing and
//! Gong's search, with what was tried before remembered.) Each group of overlapping targets is a history of its own.

use std::collections::HashSet;

use super::model::{Call, State};

/// More than this many states are not looked at: then nothing is said, which a test takes for a failure.
const MOST: usize = 3_000_000;

/// What is said of a history.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// It can be explained.
    Explained,
    /// No order explains it. As far as the best attempt came: how many calls, the state there, and what comes next.
    Impossible { explained: usize, state: State, next: Vec<Call> },
    /// The search was given up.
    TooLarge,
}

impl Verdict {
    pub(crate) fn is_explained(&self) -> bool {
        matches!(self, Self::Explained)
    }
}

struct Search<'a> {
    calls: &'a [Call],
    seen: HashSet<(Vec<u64>, State)>,
    best: (usize, State, Vec<Call>),
}

/// Decides about the calls of one group.
pub(crate) fn check(calls: &[Call]) -> Verdict {
    let mut calls = calls.to_vec();
    calls.sort_by_key(|call| call.start);
    let mut search = Search { calls: &calls, seen: HashSet::new(), best: (0, State::new(), Vec::new()) };
    // Depth first, with a stack of its own: a history is longer than a test thread's stack is deep.
    let mut stack = vec![(vec![0_u64; calls.len().div_ceil(64)], State::new())];
    while let Some((done, state)) = stack.pop() {
        if search.seen.len() > MOST {
            return Verdict::TooLarge;
        }
        match search.expand(done, state) {
            None => return Verdict::Explained,
            Some(next) => stack.extend(next),
        }
    }
    let (explained, state, next) = search.best;
    Verdict::Impossible { explained, state, next }
}

impl Search<'_> {
    /// What can come next; `None` when nothing is left to explain.
    fn expand(&mut self, mut done: Vec<u64>, state: State) -> Option<Vec<(Vec<u64>, State)>> {
        let next = loop {
            let next = self.possible(&done);
            // What only looked and saw this is put here at once: it changes nothing.
            let looked: Vec<_> = next.iter().copied().filter(|index| state.shows(&self.calls[*index])).collect();
            if looked.is_empty() {
                break next;
            }
            looked.into_iter().for_each(|index| mark(&mut done, index));
        };
        if next.is_empty() {
            return None;
        }
        if !self.seen.insert((done.clone(), state.clone())) {
            return Some(Vec::new());
        }
        let explained = done.iter().map(|word| word.count_ones() as usize).sum();
        if explained >= self.best.0 {
            self.best = (explained, state.clone(), next.iter().map(|index| self.calls[*index].clone()).collect());
        }
        let mut states = Vec::new();
        // Pushed last, tried first: the call that ended first is the likeliest to have been first.
        let mut order = next;
        order.sort_by_key(|index| std::cmp::Reverse(self.calls[*index].end));
        for index in order {
            for after in state.after(&self.calls[index]).into_iter().rev() {
                let mut done = done.clone();
                mark(&mut done, index);
                states.push((done, after));
            }
        }
        Some(states)
    }

    /// The calls that are left and began before any other that is left had ended.
    fn possible(&self, done: &[u64]) -> Vec<usize> {
        let mut first_end = u64::MAX;
        let mut possible = Vec::new();
        for (index, call) in self.calls.iter().enumerate() {
            if call.start > first_end {
                break;
            }
            if done[index / 64] >> (index % 64) & 1 == 0 {
                first_end = first_end.min(call.end);
                possible.push(index);
            }
        }
        possible.retain(|index| self.calls[*index].start <= first_end);
        possible
    }
}

fn mark(done: &mut [u64], index: usize) {
    done[index / 64] |= 1 << (index % 64);
}
