//! The text of a patch: every file that comes back is spelled in it, none is empty, each comes once.

#![no_main]

use std::collections::HashSet;

use claim::core::patch;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let files: Vec<_> = patch::files(text).into_iter().map(|write| write.path.into_os_string()).collect();
    let is_spelled = |file: &str| !file.is_empty() && text.contains(file);
    assert!(files.iter().all(|file| file.to_str().is_some_and(is_spelled)), "{files:?}");
    assert_eq!(files.iter().collect::<HashSet<_>>().len(), files.len());
});
