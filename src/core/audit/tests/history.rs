//! Invents histories: five holders who ask for random things at random times, and are answered by the model.

use super::model::{Ask, HOLDERS, Model, TARGETS, fresh};
use crate::core::audit::Directory;
use crate::core::trace::{Line, Terms};

const TTLS: [u32; 3] = [60, 300, 900];

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % u64::try_from(bound).unwrap()).unwrap()
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// A history of at least so many lines, and the directory and time at its end.
pub(super) fn history(seed: u64, length: usize) -> (Vec<Line>, Directory, i64) {
    let mut random = Random(seed);
    let mut model = Model::default();
    let mut now = 1_786_000_000;
    let mut lines = Vec::new();
    while lines.len() < length {
        now += match random.below(100) {
            0..30 => 0,
            30..85 => i64::try_from(random.below(40)).unwrap(),
            85..96 => i64::try_from(random.below(1500)).unwrap(),
            96..98 => -i64::try_from(random.below(700)).unwrap(),
            _ => i64::try_from(random.below(9000)).unwrap(),
        };
        let mut agent = random.one_of(&HOLDERS).to_owned();
        let mut target = random.one_of(&TARGETS).to_owned();
        if !model.claims.is_empty() && random.chance(65) {
            let claim = &model.claims[random.below(model.claims.len())];
            target.clone_from(&claim.target);
            if random.chance(75) {
                agent.clone_from(&claim.holder);
            }
        }
        let shared = random.chance(35);
        let terms = Terms { ttl_s: random.one_of(&TTLS), shared };
        let blocked = model.others(&agent, &target, shared).iter().any(|claim| fresh(claim, now));
        let ask = match random.below(100) {
            0..24 => Ask::Take { terms, waited: None, from: None },
            24..40 => Ask::Beat,
            40..50 => Ask::Release,
            50..56 => match model.claims.iter().find(|claim| !fresh(claim, now)) {
                Some(claim) => {
                    target.clone_from(&claim.target);
                    Ask::Clear { of: claim.holder.clone() }
                }
                None => continue,
            },
            56..64 if blocked || model.waits.iter().any(|(_, what, _)| *what == target) => Ask::Wait { shared },
            64..74 if !model.waits.is_empty() => {
                let (who, what, began) = model.waits[random.below(model.waits.len())].clone();
                (agent, target) = (who, what);
                let waited = u64::try_from((now - began).max(0)).unwrap();
                if random.chance(50) {
                    Ask::GiveUp { shared, waited }
                } else {
                    Ask::Take { terms, waited: Some(waited), from: None }
                }
            }
            74..84 => Ask::Add,
            84..93 => {
                let possible = model.startable(&agent, &target, now);
                Ask::Next { note: if possible.is_empty() { 0 } else { random.one_of(&possible) } }
            }
            93..100 => {
                let possible = model.finishable(&agent, &target, now);
                Ask::Done { note: if possible.is_empty() { 0 } else { random.one_of(&possible) } }
            }
            _ => continue,
        };
        let anybody = Some(("", 0));
        lines.extend(model.ask(now, &agent, &target, &ask, anybody));
    }
    (lines, model.directory(), now)
}
