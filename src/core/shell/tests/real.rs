//! The same commands, run by a real bash: what they change on the disk is what was said they would write.
#![expect(clippy::disallowed_methods, clippy::expect_used, reason = "this test is about what really happens to files")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{Link, writes, writes_in};

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
                let leads_to = fs::read_link(&path).ok();
                format!("{kind:?} {:?} {:?} {content:?} {leads_to:?}", data.permissions(), data.modified().ok())
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

/// Commands that meet a link: `lf` leads to the file `real/f`, `ld` to the directory `real/sub`, `ls` to `src`.
const LINKS: &[&str] = &[
    "rm lf",
    "rm ld",
    "rm -r ld",
    "rm -rf ld/ || true",
    "rm ld/x",
    "rm ld/*",
    "unlink lf",
    "mv lf x",
    "mv ld x",
    "mv src lf",
    "mv src ld",
    "mv -T src ld",
    "mv src ld/",
    "cp src lf",
    "cp src ld",
    "cp -f src lf",
    "cp -a src lf",
    "cp -a ls lf",
    "cp -r ls lf",
    "cp -P ls lf",
    "cp --remove-destination src lf",
    "cp -sf $PWD/src lf",
    "cp -lf src lf",
    "cp -b src lf",
    "ln -sf src lf",
    "ln -sf src ld",
    "ln -sfn src ld",
    "ln -sfT src ld",
    "ln -sfn src ld/",
    "ln -f src lf",
    "install src lf",
    "install src ld",
    "install -T src ld",
    "sed -i s/o/x/ lf",
    "sed -i --follow-symlinks s/o/x/ lf",
    "perl -pi -e s/o/x/ lf",
    "touch lf",
    "touch -h -d 2001-01-01 lf",
    "chmod 600 lf",
    "truncate -s 0 lf",
    "tee lf < src",
    "echo x > lf",
    "echo x >> lf",
    "dd if=src of=lf status=none",
    "sort -o lf src",
    "uniq src lf",
    "shred -n 1 -u lf",
    "gzip -f lf",
    "tar cf lf src",
    "tar cf a.tar src && tar xf a.tar -C ld",
    "find ld -delete",
    "find ld/ -delete || true",
    "find ld/ -type f -delete",
    "split -l 1 src ld/x",
];

#[test]
fn what_becomes_of_a_link_is_what_was_said() {
    let mut wrong = Vec::new();
    for command in LINKS {
        let place = tempfile::tempdir().expect("a temporary directory");
        let root = place.path().canonicalize().expect("its real path");
        let (real, here) = (root.join("real"), root.join("here"));
        fs::create_dir_all(real.join("sub")).expect("real/sub");
        fs::create_dir(&here).expect("here");
        for file in ["real/f", "real/sub/x", "here/src"] {
            fs::write(root.join(file), format!("or {file}\n")).expect("a file");
        }
        let links = [("lf", "../real/f"), ("ld", "../real/sub"), ("ls", "src")];
        for (link, leads_to) in links {
            std::os::unix::fs::symlink(leads_to, here.join(link)).expect("a link");
        }
        let past = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
        let file = fs::File::options().write(true).open(real.join("f"));
        file.and_then(|file| file.set_modified(past)).expect("a time");

        let said = writes_in(command, &here, None);
        let through = said.iter().any(|write| match write.link {
            Link::Followed | Link::Either => true,
            Link::Entered => write.path.is_dir(),
            Link::Made => !write.path.is_dir(),
            Link::Replaced => write.path.parent() != Some(here.as_path()),
        });
        let replaced = said.iter().any(|write| write.link != Link::Followed);
        let before = (listing(&here), listing(&real));
        let run = Command::new("bash").args(["-c", command]).current_dir(&here).stdin(Stdio::null()).output();
        let status = run.expect("bash is needed for this test").status;
        let after = (listing(&here), listing(&real));

        let led = before.1 != after.1;
        let itself = links.iter().any(|(link, _)| before.0.get(&here.join(link)) != after.0.get(&here.join(link)));
        let missed = (led && !through) || (itself && !replaced);
        let in_doubt = said.iter().any(|write| write.link == Link::Either);
        let too_much = !in_doubt && (led != through || (itself && through));
        if !status.success() || !(led || itself) || missed || too_much {
            wrong.push(format!("{command}: {status}, led {led}, itself {itself}\n    said {said:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), LINKS.len(), wrong.join("\n"));
}
