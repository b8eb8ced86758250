//! Two texts as targets: stems are file names of one component, overlap is symmetric, and a reach misses no overlap.

#![no_main]

use claim::core::target::{PathStyle, Target};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    // A line each, so that a seed can be written by hand.
    let Some(texts) = text.split_once('\n') else { return };
    for style in [PathStyle::Unix, PathStyle::Windows] {
        let read = |text: &str| Target::recorded(text, style).ok();
        let (Some(one), Some(other)) = (read(texts.0), read(texts.1)) else { continue };
        for target in [&one, &other] {
            let stem = target.stem();
            assert!(!stem.is_empty() && stem.len() <= 240, "{stem:?}");
            assert!(!stem.contains(['/', '\\', '\0', '+']) && !stem.starts_with('.'), "{stem:?}");
            let again = Target::recorded(target.as_str(), style).expect("what is recorded can be read");
            assert!(again.is(target) && again.stem() == stem, "{target:?} {again:?}");
        }
        assert_eq!(one.overlaps(&other), other.overlaps(&one));
        assert!(!one.is(&other) || one.stem() == other.stem());
        if one.overlaps(&other) {
            assert!(one.reach().has(&other.stem()) && other.reach().has(&one.stem()), "{one:?} {other:?}");
        }
    }
});
