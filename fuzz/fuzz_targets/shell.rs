//! The text of a shell command: whatever it is, only absolute paths come back, each once.

#![no_main]

use std::{collections::HashSet, path::Path};

use claim::core::shell;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|command: &str| {
    let paths = shell::writes(command, Path::new("/work"), Some(Path::new("/home/u")));
    assert!(paths.iter().all(|path| path.is_absolute()), "{paths:?}");
    assert_eq!(paths.iter().collect::<HashSet<_>>().len(), paths.len(), "{paths:?}");
});
