//! The same tests for both forms of the directory, on Unix where both can run.

#![cfg_attr(windows, expect(clippy::disallowed_methods, reason = "tests do what others would do to the files"))]

use std::{io::Write as _, path::Path};

use super::Kind;
use crate::{core::time::Timestamp, store::error::Error};

/// What both forms of the directory are held to on Unix, and elsewhere the one that there is.
macro_rules! both {
    ($($test:ident)*) => {
        #[cfg(unix)]
        mod unix { $(#[test] fn $test() { super::$test::<crate::store::folder::unix::Folder>(); })* }
        mod portable { $(#[test] fn $test() { super::$test::<crate::store::folder::portable::Folder>(); })* }
    };
}

trait Form: Sized {
    fn at(path: &Path) -> Self;
    fn write(&self, name: &str, text: &str);
    fn text(&self, name: &str) -> Result<Option<String>, Error>;
    fn put(&self, name: &str, into: &Self, new: &str) -> Result<(), Error>;
    fn replace(&self, name: &str, into: &Self, new: &str) -> Result<(), Error>;
    fn sub(&self, name: &str) -> Result<Option<Self>, Error>;
    fn make_sub(&self, name: &str) -> Self;
    fn kind(&self, name: &str) -> Option<Kind>;
    fn create(&self, name: &str) -> Result<std::fs::File, Error>;
    fn lockable(&self, name: &str) -> Result<std::fs::File, Error>;
    fn append(&self, name: &str) -> Result<std::fs::File, Error>;
    fn names(&self) -> Vec<String>;
    fn touch(&self, name: &str, modified: i64) -> bool;
    fn modified(&self, name: &str) -> i64;
    fn remove(&self, name: &str);
    fn remove_empty(&self, name: &str);
}

macro_rules! form {
    ($form:ty) => {
        impl Form for $form {
            fn at(path: &Path) -> Self {
                <$form>::make(path).unwrap()
            }
            fn write(&self, name: &str, text: &str) {
                self.create(name).unwrap().write_all(text.as_bytes()).unwrap();
            }
            fn text(&self, name: &str) -> Result<Option<String>, Error> {
                Ok(self.read(name, 100)?.map(|content| String::from_utf8(content.bytes).unwrap()))
            }
            fn put(&self, name: &str, into: &Self, new: &str) -> Result<(), Error> {
                <$form>::put(self, name, into, new)
            }
            fn replace(&self, name: &str, into: &Self, new: &str) -> Result<(), Error> {
                <$form>::replace(self, name, into, new)
            }
            fn sub(&self, name: &str) -> Result<Option<Self>, Error> {
                <$form>::sub(self, name)
            }
            fn make_sub(&self, name: &str) -> Self {
                <$form>::make_sub(self, name).unwrap()
            }
            fn kind(&self, name: &str) -> Option<Kind> {
                <$form>::kind(self, name).unwrap()
            }
            fn create(&self, name: &str) -> Result<std::fs::File, Error> {
                <$form>::create(self, name)
            }
            fn lockable(&self, name: &str) -> Result<std::fs::File, Error> {
                <$form>::lockable(self, name)
            }
            fn append(&self, name: &str) -> Result<std::fs::File, Error> {
                <$form>::append(self, name)
            }
            fn names(&self) -> Vec<String> {
                let mut names = <$form>::names(self, |_| true).unwrap();
                names.sort();
                names
            }
            fn touch(&self, name: &str, modified: i64) -> bool {
                <$form>::touch(self, name, Timestamp(modified)).unwrap()
            }
            fn modified(&self, name: &str) -> i64 {
                <$form>::read(self, name, 100).unwrap().unwrap().modified.0
            }
            fn remove(&self, name: &str) {
                <$form>::remove(self, name).unwrap();
            }
            fn remove_empty(&self, name: &str) {
                <$form>::remove_empty(self, name).unwrap();
            }
        }
    };
}
#[cfg(unix)]
form!(crate::store::folder::unix::Folder);
form!(crate::store::folder::portable::Folder);

both! {
    a_file_is_read_back_and_only_up_to_the_bound
    put_never_replaces_and_replace_does
    a_link_is_neither_read_opened_nor_entered
    making_twice_is_making_once
    a_file_is_touched_and_only_an_empty_directory_is_removed
    a_name_that_some_systems_have_a_device_for_is_a_file
}

fn link(to: &Path, from: &Path) {
    #[cfg(unix)]
    std::os::unix::fs::symlink(to, from).unwrap();
    #[cfg(windows)]
    if to.is_dir() {
        std::os::windows::fs::symlink_dir(to, from).unwrap();
    } else {
        std::os::windows::fs::symlink_file(to, from).unwrap();
    }
}

fn a_file_is_read_back_and_only_up_to_the_bound<F: Form>() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = F::at(&scratch.path().join("a/b"));
    folder.write("x", "text");
    folder.write("long", &"y".repeat(500));
    assert_eq!(folder.text("x").unwrap().as_deref(), Some("text"));
    assert_eq!(folder.text("long").unwrap().map(|text| text.len()), Some(101));
    assert_eq!(folder.text("absent").unwrap(), None);
    assert!(matches!(folder.create("x"), Err(Error::Io { .. })));
    assert_eq!(folder.names(), ["long", "x"]);
}

fn put_never_replaces_and_replace_does<F: Form>() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = F::at(scratch.path());
    let into = folder.make_sub("into");
    folder.write("new", "new");
    into.write("t", "old");
    assert!(folder.put("new", &into, "t").is_err());
    assert_eq!(
        (folder.text("new").unwrap().as_deref(), into.text("t").unwrap().as_deref()),
        (Some("new"), Some("old"))
    );
    folder.replace("new", &into, "t").unwrap();
    assert_eq!((folder.text("new").unwrap(), into.text("t").unwrap().as_deref()), (None, Some("new")));
    into.put("t", &folder, "free").unwrap();
    assert_eq!((folder.text("free").unwrap().as_deref(), into.kind("t")), (Some("new"), None));
}

fn a_link_is_neither_read_opened_nor_entered<F: Form>() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = F::at(scratch.path());
    folder.write("victim", "untouched");
    let elsewhere = folder.make_sub("elsewhere");
    link(&scratch.path().join("victim"), &scratch.path().join("link"));
    link(&scratch.path().join("elsewhere"), &scratch.path().join("door"));
    assert_eq!((folder.kind("link"), folder.kind("elsewhere")), (Some(Kind::Link), Some(Kind::Directory)));
    assert!(matches!(folder.text("link"), Err(Error::NotRegular { .. })));
    assert!(matches!(folder.text("elsewhere"), Err(Error::NotRegular { .. })));
    assert!(matches!(folder.lockable("link"), Err(Error::NotRegular { .. })));
    assert!(matches!(folder.append("link"), Err(Error::NotRegular { .. })));
    assert!(folder.create("link").is_err());
    assert!(matches!(folder.sub("door"), Err(Error::NotDirectory { .. })));
    assert!(matches!(folder.sub("victim"), Err(Error::NotDirectory { .. })));
    assert_eq!(folder.text("victim").unwrap().as_deref(), Some("untouched"));
    assert!(elsewhere.names().is_empty());
}

fn making_twice_is_making_once<F: Form>() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = F::at(scratch.path());
    folder.make_sub("sub").write("x", "kept");
    assert_eq!(folder.make_sub("sub").text("x").unwrap().as_deref(), Some("kept"));
    assert_eq!(F::at(scratch.path()).names(), ["sub"]);
}

fn a_file_is_touched_and_only_an_empty_directory_is_removed<F: Form>() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = F::at(scratch.path());
    let sub = folder.make_sub("sub");
    assert!(!sub.touch("x", 7));
    sub.write("x", "kept");
    assert!(sub.touch("x", 1_000_000_007));
    assert_eq!((sub.modified("x"), sub.text("x").unwrap().as_deref()), (1_000_000_007, Some("kept")));
    folder.remove_empty("sub");
    assert_eq!(folder.kind("sub"), Some(Kind::Directory));
    sub.remove("x");
    // Where what is open stays where it is, it must be closed.
    drop(sub);
    folder.remove_empty("sub");
    folder.remove_empty("sub");
    assert_eq!(folder.kind("sub"), None);
}

fn a_name_that_some_systems_have_a_device_for_is_a_file<F: Form>() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = F::at(scratch.path());
    let into = folder.make_sub("aux");
    for name in ["con.json", "nul", "com1.json"] {
        folder.write(name, name);
        assert_eq!(folder.text(name).unwrap().as_deref(), Some(name));
        folder.put(name, &into, name).unwrap();
        assert_eq!((folder.kind(name), into.text(name).unwrap().as_deref()), (None, Some(name)));
    }
    assert_eq!((folder.names(), into.names().len()), (vec!["aux".to_owned()], 3));
}

#[cfg(windows)]
mod held {
    type Portable = crate::store::folder::portable::Folder;

    #[test]
    fn nobody_can_exchange_it() {
        super::nobody_can_exchange_what_is_held_open::<Portable>();
    }

    #[test]
    fn a_reader_is_in_nobodys_way() {
        super::a_file_that_a_reader_has_open_for_a_moment_is_replaced_and_removed::<Portable>();
    }
}

#[cfg(windows)]
fn nobody_can_exchange_what_is_held_open<F: Form>() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = F::at(&scratch.path().join("place"));
    let sub = folder.make_sub("sub");
    let lock = folder.lockable("lock").unwrap();
    let path = |name: &str| scratch.path().join("place").join(name);
    assert!(std::fs::rename(path("lock"), path("other")).is_err());
    assert!(std::fs::remove_file(path("lock")).is_err());
    assert!(std::fs::rename(path("sub"), path("other")).is_err());
    assert!(std::fs::remove_dir(path("sub")).is_err());
    // Whoever tidies up leaves it to whoever has it open.
    folder.remove_empty("sub");
    assert_eq!(folder.names(), ["lock", "sub"]);
    drop((lock, sub));
    std::fs::rename(path("lock"), path("other")).unwrap();
    folder.remove_empty("sub");
    assert_eq!(folder.names(), ["other"]);
}

#[cfg(windows)]
fn a_file_that_a_reader_has_open_for_a_moment_is_replaced_and_removed<F: Form>() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = F::at(scratch.path());
    folder.write("claim", "old");
    folder.write("new", "new");
    let read_for_a_moment = || {
        let file = std::fs::File::open(scratch.path().join("claim")).unwrap();
        std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(50));
            drop(file);
        })
    };
    let reader = read_for_a_moment();
    folder.replace("new", &folder, "claim").unwrap();
    reader.join().unwrap();
    assert_eq!(folder.text("claim").unwrap().as_deref(), Some("new"));
    let reader = read_for_a_moment();
    folder.remove("claim");
    reader.join().unwrap();
    assert_eq!(folder.kind("claim"), None);
}
