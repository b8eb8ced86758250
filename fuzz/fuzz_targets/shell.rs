//! The text of a shell command: whatever it is, only absolute paths come back, each once.

#![no_main]

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use claim::core::shell::{self, Start};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|command: &str| {
    let variables = [("CLAUDE_PROJECT_DIR", PathBuf::from("/work"))];
    let start = Start { directory: Path::new("/work"), home: Some(Path::new("/home/u")), variables: &variables };
    let paths: Vec<PathBuf> = shell::writes(command, &start).into_iter().map(|write| write.path).collect();
    assert!(paths.iter().all(|path| path.is_absolute()), "{paths:?}");
    assert_eq!(paths.iter().collect::<HashSet<_>>().len(), paths.len(), "{paths:?}");
});
