//! The same commands, run by a real bash: what they change on the disk is what was said they would write.
#![expect(clippy::disallowed_methods, clippy::expect_used, reason = "this test is about what really happens to files")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::super::writes;

/// A command, and what it must be found to write, relative to the directory it starts in.
const CASES: &[(&str, &[&str])] = &[
    ("echo x > out", &["out"]),
    ("echo x >> old", &["old"]),
    ("echo x >| 'a b'", &["a b"]),
    ("{ echo x; echo y >&2; } &> both", &["both"]),
    ("exec 3<> rw; echo x >&3", &["rw"]),
    ("cat <<'EOF' > doc; echo x 2>&1\na > b\nEOF", &["doc"]),
    ("echo x | tee -a old > copy", &["old", "copy"]),
    ("cp old new", &["new"]),
    ("cp old other dir/", &["dir/old", "dir/other"]),
    ("cp -t dir old", &["dir/old"]),
    ("cp old{,.bak}", &["old.bak"]),
    ("cp -r dir/. tree", &["tree"]),
    ("mv old new", &["old", "new"]),
    ("mv -t dir old other", &["old", "other", "dir/old", "dir/other"]),
    ("rm -f old", &["old"]),
    ("rm dir/*", &["dir"]),
    ("rmdir empty", &["empty"]),
    ("mkdir -p a/b", &["a/b"]),
    ("mkdir -m 700 d", &["d"]),
    ("touch -d 2001-01-01 f", &["f"]),
    ("touch -r other old", &["old"]),
    ("ln -s /nowhere link", &["link"]),
    ("ln -s ../far/target", &["target"]),
    ("install -m 600 old dir/copy", &["dir/copy"]),
    ("install -d one two", &["one", "two"]),
    ("sed -i s/x/y/ old", &["old"]),
    ("sed -e s/x/y/ -i old", &["old"]),
    ("sed -n -i p old other", &["old", "other"]),
    ("perl -0777 -pi -e 's/x/y/' old", &["old"]),
    ("dd if=old of=image status=none", &["image"]),
    ("truncate -s 3 old", &["old"]),
    ("chmod 600 old", &["old"]),
    ("chmod -r old", &["old"]),
    ("sort -o sorted old", &["sorted"]),
    ("tar -cf made.tar dir", &["made.tar"]),
    ("tar czf made.tgz dir", &["made.tgz"]),
    ("find dir -type f -delete", &["dir"]),
    ("find dir -name inside -exec rm {} \\;", &["dir"]),
    ("cd dir && echo x > y", &["dir/y"]),
    ("(cd dir; touch y); touch z", &["dir/y", "z"]),
    ("pushd dir > log; touch y; popd >> log; touch z", &["log", "dir/y", "dir/log", "z"]),
    ("bash -c 'rm \"$1\"' _ old", &["old"]),
    ("bash <<< 'touch y'", &["y"]),
    ("env -C dir touch y", &["dir/y"]),
    ("timeout 5 nice -n 1 touch y", &["y"]),
    ("F=y; D=dir; touch $D/\"$F\"", &["dir/y"]),
    ("for f in old other; do rm \"$f\"; done", &["old", "other"]),
    ("f() { touch \"$1\"; }; f y", &["y"]),
    ("echo $(touch y) `touch z`", &["y", "z"]),
    ("echo x | tee >(cat > y) > z; wait $!; sleep 0.2", &["y", "z"]),
    ("touch $'tab\\there' it\\'s", &["tab\there", "it's"]),
    ("git init -q repo && git -C repo config user.name me", &["repo"]),
    ("git init -q . && touch .git/x", &["", ".git/x"]),
];

/// Everything under a directory: what it is, its mode, its content or target, and its time.
fn listing(root: &Path) -> BTreeMap<PathBuf, String> {
    let mut entries = BTreeMap::new();
    let mut waiting = vec![root.to_path_buf()];
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(&directory).expect("a directory that can be read") {
            let path = entry.expect("an entry").path();
            let data = path.symlink_metadata().expect("metadata");
            let kind = data.file_type();
            let state = if kind.is_dir() {
                waiting.push(path.clone());
                "directory".to_owned()
            } else {
                let content = if kind.is_file() { fs::read(&path).unwrap_or_default() } else { Vec::new() };
                format!("{:?} {:?} {:?} {content:?}", kind, data.permissions(), data.modified().ok())
            };
            entries.insert(path, state);
        }
    }
    entries
}

#[test]
fn what_bash_changes_is_what_was_found() {
    let mut wrong = Vec::new();
    for (command, expected) in CASES {
        let place = tempfile::tempdir().expect("a temporary directory");
        let root = place.path().canonicalize().expect("its real path");
        fs::create_dir_all(root.join("dir")).expect("dir");
        fs::create_dir(root.join("empty")).expect("empty");
        for file in ["old", "other", "dir/inside"] {
            fs::write(root.join(file), "x\n").expect("a file");
        }
        let past = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
        fs::File::options()
            .write(true)
            .open(root.join("other"))
            .and_then(|file| file.set_modified(past))
            .expect("a time");

        let before = listing(&root);
        let status = Command::new("bash")
            .args(["-c", command])
            .current_dir(&root)
            .env("HOME", &root)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .status()
            .expect("bash is needed for this test");
        assert!(status.success(), "{command}: {status}");
        let after = listing(&root);

        let expected: Vec<PathBuf> = expected.iter().map(|path| root.join(path).components().collect()).collect();
        let found = writes(command, &root, Some(&root));
        let changed: Vec<&PathBuf> =
            before.keys().chain(after.keys()).filter(|path| before.get(*path) != after.get(*path)).collect();
        // Each change lies at or below a path that was found, or is a directory made on the way to one, and each path
        // that was found has seen a change.
        let explained =
            changed.iter().all(|path| expected.iter().any(|root| path.starts_with(root) || root.starts_with(path)))
                && expected.iter().all(|root| changed.iter().any(|path| path.starts_with(root)));
        if found != expected || !explained {
            wrong.push(format!(
                "{command}\n    expected {expected:?}\n    found    {found:?}\n    changed  {changed:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), CASES.len(), wrong.join("\n"));
}
