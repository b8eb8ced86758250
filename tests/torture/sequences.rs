//! Random sequences of verbs through the real program, each step compared with the pure rule: the same answer, and the
//! claims directory byte for byte as the rule's effects make it. Between the steps records age, are damaged, or come to
//! be where they do not belong. What fails is shrunk to the shortest sequence that fails.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::MetadataExt as _,
    time::{Duration, SystemTime},
};

use claim::core::{
    duration::Ttl,
    entry::{Entry, stem_of},
    holder::Holder,
    rule::{self, Effects, Request, Verdict, Wish},
    target::{PathStyle, Target},
    time::Timestamp,
};
use proptest::{prelude::*, test_runner::Config};

use super::workload::wall;
use crate::support::Sandbox;

/// Names that are one target and names that are not, and paths of one tree.
const TARGETS: [&str; 7] = ["shared-config", "Shared Config", "other", "/tree", "/tree/a", "/tree/a/b", "/tree/ab"];
const HOLDERS: [&str; 3] = ["a", "b", "c"];

#[derive(Debug, Clone)]
enum Step {
    Take {
        holder: usize,
        target: usize,
        shared: bool,
        ttl: Option<u64>,
    },
    Beat {
        holder: usize,
        target: usize,
    },
    Release {
        holder: usize,
        target: usize,
    },
    BeatAll {
        holder: usize,
    },
    ReleaseAll {
        holder: usize,
    },
    ReleaseStale {
        holder: usize,
    },
    /// Every record and every file becomes older by so many seconds.
    Age(i64),
    /// One file, by its number, gets these bytes and this age; or another name.
    Damage(usize, &'static str, u64),
    Misname(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let (holder, target) = (0..HOLDERS.len(), 0..TARGETS.len());
    let ttl = prop::option::of(prop::sample::select(vec![5_u64, 60, 900]));
    let one = (holder.clone(), target);
    prop_oneof![
        8 => (one.clone(), any::<bool>(), ttl)
            .prop_map(|((holder, target), shared, ttl)| Step::Take { holder, target, shared, ttl }),
        4 => one.clone().prop_map(|(holder, target)| Step::Beat { holder, target }),
        4 => one.prop_map(|(holder, target)| Step::Release { holder, target }),
        1 => holder.clone().prop_map(|holder| Step::BeatAll { holder }),
        1 => holder.clone().prop_map(|holder| Step::ReleaseAll { holder }),
        1 => holder.prop_map(|holder| Step::ReleaseStale { holder }),
        // Far from every edge, which a slow machine would cross; the edges are the pure rule's own tests.
        5 => prop::sample::select(vec![30, 300, 450, 2_000, -30, -450, -2_000]).prop_map(Step::Age),
        1 => (0..4_usize, prop::sample::select(vec!["", "{", "[]"]), prop::sample::select(vec![0_u64, 5_000]))
            .prop_map(|(file, bytes, age)| Step::Damage(file, bytes, age)),
        1 => (0..4_usize).prop_map(Step::Misname),
    ]
}

/// A claims directory: the bytes of each file and when it was changed.
type Directory = BTreeMap<String, (Vec<u8>, i64)>;

struct Scene(Sandbox);

impl Scene {
    fn directory(&self) -> Directory {
        let Ok(files) = fs::read_dir(self.0.place().join("claims")) else { return Directory::new() };
        files
            .map(|file| {
                let file = file.unwrap();
                let modified = file.metadata().unwrap().mtime();
                (file.file_name().into_string().unwrap(), (fs::read(file.path()).unwrap(), modified))
            })
            .collect()
    }

    fn text(&self, target: usize) -> String {
        let target = TARGETS[target];
        if target.starts_with('/') { format!("{}{target}", self.0.home().display()) } else { target.to_owned() }
    }

    fn target(&self, target: usize) -> Target {
        Target::recorded(&self.text(target), PathStyle::HERE).unwrap()
    }

    /// The path of the file with this number, if there is any.
    fn file(&self, number: usize) -> Option<std::path::PathBuf> {
        let directory = self.directory();
        let name = directory.keys().nth(number % directory.len().max(1))?;
        Some(self.0.place().join("claims").join(name))
    }

    fn age(&self, seconds: i64) {
        for (name, (bytes, modified)) in self.directory() {
            let path = self.0.place().join("claims").join(&name);
            let entry = Entry::read(&name, &bytes, Timestamp(modified), PathStyle::HERE);
            if let Some(claim) = entry.claim() {
                let mut claim = claim.clone();
                claim.taken_at = Timestamp(claim.taken_at.seconds() - seconds);
                claim.heartbeat_at = Timestamp(claim.heartbeat_at.seconds() - seconds);
                fs::write(&path, claim.to_bytes()).unwrap();
            }
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(u64::try_from(modified - seconds).unwrap());
            fs::File::options().append(true).open(path).unwrap().set_modified(time).unwrap();
        }
    }

    /// Performs the step; a verb is compared with what the rule says at a second of its run.
    fn perform(&self, step: &Step) -> Result<(), TestCaseError> {
        match step {
            Step::Age(seconds) => self.age(*seconds),
            Step::Damage(number, bytes, age) => {
                if let Some(path) = self.file(*number) {
                    fs::write(&path, bytes).unwrap();
                    let time = SystemTime::now() - Duration::from_secs(*age);
                    fs::File::options().append(true).open(path).unwrap().set_modified(time).unwrap();
                }
            }
            Step::Misname(number) => {
                let empty = self.0.file("misnamed");
                if let Some(path) = self.file(*number).filter(|_| !empty.exists()) {
                    fs::rename(path, empty).unwrap();
                }
            }
            verb => self.compare(verb)?,
        }
        Ok(())
    }

    fn compare(&self, step: &Step) -> Result<(), TestCaseError> {
        let before = self.directory();
        let (holder, words) = self.words(step);
        let first = wall();
        let outcome = self.0.by(HOLDERS[holder], &words).outcome();
        let last = wall();
        let after: BTreeMap<_, _> = self.directory().into_iter().map(|(name, (bytes, _))| (name, bytes)).collect();
        // A verb on one target reads the files whose names say that they may concern it, and no others: a claim under a
        // wrong name is `status`'s to find.
        let reach = match step {
            Step::Take { target, .. } | Step::Beat { target, .. } | Step::Release { target, .. } => {
                Some(self.target(*target).reach())
            }
            _ => None,
        };
        let within = |name: &str| stem_of(name).is_some_and(|stem| reach.as_ref().is_none_or(|reach| reach.has(stem)));
        let entries: Vec<_> = before
            .iter()
            .filter(|(name, _)| within(name))
            .map(|(name, (bytes, modified))| Entry::read(name, bytes, Timestamp(*modified), PathStyle::HERE))
            .collect();
        let expected: Vec<_> = (first..=last)
            .map(|now| {
                let (exit, effects) = self.expected(step, &entries, Timestamp(now));
                // What cannot be done for a file that is no claim is not done at all.
                (exit, performed(&before, &effects))
            })
            .collect();
        prop_assert!(
            expected.contains(&(outcome.exit, after.clone())),
            "{step:?}\n{outcome}\nfound {}\nexpected one of {:?}",
            shown(&after),
            expected.iter().map(|(exit, after)| (exit, shown(after))).collect::<Vec<_>>()
        );
        Ok(())
    }

    fn words(&self, step: &Step) -> (usize, Vec<String>) {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        match step {
            Step::Take { holder, target, shared, ttl } => {
                let mut words = words(&["take", &self.text(*target), "testing"]);
                words.extend(shared.then(|| "--shared".to_owned()));
                words.extend(ttl.map(|ttl| format!("--ttl={ttl}")));
                (*holder, words)
            }
            Step::Beat { holder, target } => (*holder, words(&["beat", &self.text(*target)])),
            Step::Release { holder, target } => (*holder, words(&["release", &self.text(*target)])),
            Step::BeatAll { holder } => (*holder, words(&["beat", "--all"])),
            Step::ReleaseAll { holder } => (*holder, words(&["release", "--all"])),
            Step::ReleaseStale { holder } => (*holder, words(&["release", "--stale"])),
            Step::Age(_) | Step::Damage(..) | Step::Misname(_) => unreachable!("no verb"),
        }
    }

    /// The exit code and the changes.
    fn expected(&self, step: &Step, entries: &[Entry], now: Timestamp) -> (i32, Effects) {
        let holder = |holder: &usize| Holder::new(HOLDERS[*holder]).unwrap();
        match step {
            Step::Take { holder: who, target, shared, ttl } => {
                let ttl = ttl.map(|ttl| Ttl::parse(&ttl.to_string()).unwrap());
                let wish = Wish { purpose: "testing", ttl, shared: *shared };
                let decision =
                    rule::take(entries, &Request { target: &self.target(*target), holder: &holder(who) }, &wish, now);
                (exit(&decision.verdict), decision.effects)
            }
            Step::Beat { holder: who, target } => {
                let decision =
                    rule::beat(entries, &Request { target: &self.target(*target), holder: &holder(who) }, now);
                (exit(&decision.verdict), decision.effects)
            }
            Step::Release { holder: who, target } => {
                let decision =
                    rule::release(entries, &Request { target: &self.target(*target), holder: &holder(who) }, now);
                (exit(&decision.verdict), decision.effects)
            }
            Step::BeatAll { holder: who } => {
                let holder = holder(who);
                let mut effects = Effects::default();
                let held = rule::held_by(entries, &holder);
                let lost = !rule::lost_by(entries, &holder).is_empty();
                let mut worst = if lost {
                    75
                } else if held.is_empty() {
                    3
                } else {
                    0
                };
                for target in held {
                    let decision = rule::beat(entries, &Request { target: &target, holder: &holder }, now);
                    worst = worst.max(exit(&decision.verdict));
                    effects.and(decision.effects);
                }
                (worst, effects)
            }
            Step::ReleaseAll { holder: who } => (0, rule::release_all(entries, &holder(who), now).1),
            Step::ReleaseStale { holder: who } => (0, rule::release_stale(entries, &holder(who), now).1),
            Step::Age(_) | Step::Damage(..) | Step::Misname(_) => unreachable!("no verb"),
        }
    }
}

/// As the design documents them.
fn exit(verdict: &Verdict) -> i32 {
    match verdict {
        Verdict::Refused(_) => 75,
        Verdict::NotHeld(_) => 3,
        Verdict::Misnamed(_) => 1,
        _ => 0,
    }
}

fn performed(before: &Directory, effects: &Effects) -> BTreeMap<String, Vec<u8>> {
    let mut after: BTreeMap<_, _> = before.iter().map(|(name, (bytes, _))| (name.clone(), bytes.clone())).collect();
    for gone in effects.aside.iter().chain(&effects.clear).chain(&effects.retire) {
        after.remove(gone);
    }
    after.extend(effects.write.iter().map(|write| (write.file.clone(), write.claim.to_bytes())));
    after
}

fn shown(directory: &BTreeMap<String, Vec<u8>>) -> String {
    directory.iter().map(|(name, bytes)| format!("{name}: {}\n", String::from_utf8_lossy(bytes))).collect()
}

proptest! {
    #![proptest_config(Config {
        cases: 20 * u32::try_from(super::more()).unwrap(),
        failure_persistence: None,
        max_shrink_iters: 300,
        ..Config::default()
    })]

    #[test]
    fn what_the_program_does_is_what_the_rule_says(steps in prop::collection::vec(step(), 1..40)) {
        let scene = Scene(Sandbox::new());
        for step in &steps {
            scene.perform(step)?;
        }
    }
}
