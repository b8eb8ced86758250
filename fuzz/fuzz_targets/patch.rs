//! The text of a patch: every file that comes back is spelled in it, none is empty, each comes once.

#![no_main]

use std::collections::HashSet;

use claim::core::patch;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let files = patch::files(text);
    assert!(files.iter().all(|file| !file.is_empty() && text.contains(&**file)), "{files:?}");
    assert_eq!(files.iter().collect::<HashSet<_>>().len(), files.len());
});
