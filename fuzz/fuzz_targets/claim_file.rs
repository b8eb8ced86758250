//! The bytes of a claim file: read without a panic, and what is read is written and read again as the same claim.

#![no_main]

use claim::core::{
    claim::Claim,
    entry::{Entry, Record},
    holder::Holder,
    rule::{self, Request, Wish},
    target::{PathStyle, Target},
    text::is_hidden,
    time::Timestamp,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(claim) = Claim::parse(bytes) {
        let again = Claim::parse(&claim.to_bytes()).expect("what is written can be read");
        assert_eq!(again, claim);
        assert_eq!(again.to_bytes(), claim.to_bytes());
    }
    let now = Timestamp(1_786_741_331);
    for style in [PathStyle::Unix, PathStyle::Windows] {
        let entry = Entry::read("t.json", bytes, now, style);
        assert!(!entry.title().chars().any(is_hidden) && entry.title().chars().count() <= 200);
        // Whatever is in the directory, the rule answers, and two holders never end up with the same exclusive target.
        let holder = Holder::new("asker").expect("a holder");
        let target = Target::name("t").expect("a target");
        let request = Request { target: &target, holder: &holder };
        let entries = [entry];
        let decision = rule::take(&entries, &request, &Wish::default(), now);
        let fresh = entries[0].state(now).is_fresh() && entries[0].holder() != "asker";
        let same = !matches!(entries[0].record, Record::Misnamed(..));
        if fresh && same {
            assert!(matches!(decision.verdict, rule::Verdict::Refused(_)));
        }
        drop(rule::beat(&entries, &request, now));
        drop(rule::release(&entries, &request, now));
        drop(rule::release_stale(&entries, &holder, now));
        drop(rule::judge(&entries, &target, None, rule::Standing::Abroad, now));
    }
});
