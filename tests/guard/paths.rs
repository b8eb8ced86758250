//! How `guard` understands paths: one file has one answer, however it is spelled, and what cannot be resolved is never
//! allowed.

use std::{
    fs,
    os::unix::{ffi::OsStrExt as _, fs::PermissionsExt as _, fs::symlink},
    process::Stdio,
};

use crate::scene::{Scene, without_privileges};

#[test]
fn one_file_has_one_answer_however_it_is_spelled() {
    let scene = Scene::new();
    scene.touch("sibling/sub/seed.md");
    scene.take("b", "sibling/sub/seed.md");
    symlink(scene.path("sibling"), scene.path("link")).unwrap();
    symlink("../sibling/sub/seed.md", scene.path("proj/inward.md")).unwrap();
    symlink("../sibling/sub", scene.path("proj/sub")).unwrap();
    for spelling in [
        "~/sibling/sub/seed.md",
        "~/sibling/sub/seed.md/",
        "~/sibling//sub/./seed.md",
        "~/sibling/sub/../sub/seed.md",
        "~/sibling/absent/../sub/seed.md",
        "~/link/sub/seed.md",
        "~/link/sub/../../link/sub/seed.md",
        "../sibling/sub/seed.md",
        "./../sibling/sub/seed.md",
        "inward.md",
        "sub/seed.md",
        // Behind a link `..` leads where the system goes, not where the text does.
        "sub/../sub/seed.md",
    ] {
        let outcome = scene.guard("a", &[spelling]).exit(75).stderr_some().check();
        assert!(outcome.stderr.starts_with("REFUSED: "), "{spelling}: {outcome}");
        scene.guard("b", &[spelling]).check();
    }
    for spelling in ["~/sibling/sub/", "~/sibling/sub/.", "~/link/sub/", "sub/", "sub"] {
        scene.guard("a", &[spelling]).exit(75).stderr_some().check();
    }
    let from_inside = scene.guard("a", &["seed.md"]).within(scene.path("link/sub"));
    from_inside.exit(75).stderr_some().check();
    // The shell's tilde, for callers that are no shell.
    scene.sandbox.by("a", ["guard", "~/sibling/sub/seed.md"]).exit(75).stderr_some().check();
}

#[test]
fn a_file_that_does_not_exist_yet_has_the_answer_that_it_will_have() {
    let scene = Scene::new();
    symlink(scene.path("sibling"), scene.path("link")).unwrap();
    symlink(scene.path("sibling/later"), scene.path("proj/dangling")).unwrap();
    scene.take("b", "sibling/later");
    for spelling in ["~/link/later", "~/link/later/deep/er", "../sibling/later", "dangling", "dangling/deep"] {
        scene.guard("a", &[spelling]).exit(75).stderr_some().check();
    }
    fs::create_dir_all(scene.path("sibling/later/deep")).unwrap();
    for spelling in ["~/link/later", "~/link/later/deep/er", "../sibling/later", "dangling", "dangling/deep"] {
        scene.guard("a", &[spelling]).exit(75).stderr_some().check();
    }
}

#[test]
fn a_link_out_of_the_own_tree_is_no_way_out() {
    let scene = Scene::new();
    symlink(scene.path("sibling"), scene.path("proj/vendored")).unwrap();
    scene.guard("a", &["vendored/a.md"]).exit(76).stderr_some().check();
    scene.guard("a", &["vendored/../a.md"]).exit(76).stderr_some().check();
    scene.take("b", "sibling");
    scene.guard("a", &["--take", "vendored/a.md"]).exit(75).stderr_some().check();
}

#[test]
fn names_that_differ_in_case_are_two_files_where_the_system_says_so() {
    let scene = Scene::new();
    scene.touch("sibling/sub/seed.md");
    scene.take("b", "sibling/sub/seed.md");
    let one_file = fs::symlink_metadata(scene.path("SIBLING")).is_ok();
    for spelling in ["~/SIBLING/sub/seed.md", "~/sibling/sub/SEED.md"] {
        scene.guard("a", &[spelling]).exit(if one_file { 75 } else { 76 }).stderr_some().check();
    }
}

#[test]
fn two_files_whose_slugs_are_one_are_two_files() {
    let scene = Scene::new();
    scene.take("b", "notes/a b");
    for (path, exit) in [("~/notes/a b", 75), ("~/notes/a-b", 76), ("~/notes/a/b", 76), ("~/notes/A b", 76)] {
        scene.guard("a", &[path]).exit(exit).stderr_some().check();
    }
}

#[test]
fn a_path_that_cannot_be_resolved_is_an_error_and_never_allowed() {
    let scene = Scene::new();
    scene.touch("proj/file");
    symlink("circle", scene.path("proj/circle")).unwrap();
    let long = "x".repeat(300);
    let deep = format!("{}a", "d/".repeat(2_500));
    // (the path, the code, what its message has)
    for (path, exit, cause) in [
        ("circle", 1, "circle"),
        ("circle/a.md", 1, "circle"),
        ("file/below", 1, "file/below"),
        ("file/../a.md", 1, "file"),
        (&*long, 2, "xxx"),
        (&*deep, 2, "path"),
        ("", 2, "required"),
        ("../a\nb", 2, "control"),
    ] {
        for take in [&[][..], &["--take"]] {
            let arguments = [take, &[path]].concat();
            let outcome = scene.guard("a", &arguments).exit(exit).stderr_some().check();
            assert!(outcome.stderr.contains(cause), "{path:?}: {outcome}");
        }
    }
    let mut command = scene.guard("a", &[]).command();
    command.arg(std::ffi::OsStr::from_bytes(b"caf\xe9")).stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("UTF-8"));
    assert!(scene.held().is_empty());
}

#[test]
fn a_path_behind_a_closed_door_is_an_error_and_never_allowed() {
    let scene = Scene::new();
    fs::set_permissions(scene.sandbox.home().parent().unwrap(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir(scene.path("proj/closed")).unwrap();
    fs::set_permissions(scene.path("proj/closed"), fs::Permissions::from_mode(0o000)).unwrap();
    let guard = |path: &str| scene.guard("a", &[path]).through(without_privileges());
    // The door is what makes the difference: beside it the same user gets an answer.
    guard("a.md").check();
    guard("../sibling/a.md").exit(76).stderr_some().check();
    for path in ["closed/a.md", "closed/sub/a.md", "closed/../closed/a.md"] {
        let outcome = guard(path).exit(1).stderr_some().check();
        assert!(outcome.stderr.contains("closed"), "{outcome}");
    }
    fs::set_permissions(scene.path("proj/closed"), fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn the_temporary_directory_and_devices_are_free() {
    let scene = Scene::new();
    fs::create_dir(scene.path("tmp")).unwrap();
    symlink(scene.path("tmp"), scene.path("tmplink")).unwrap();
    let guard = |path: &str, temporary: &str| {
        scene.guard("a", &["--take", path]).env("TMPDIR", scene.path(temporary)).within(scene.path("proj"))
    };
    guard("~/tmp/a.md", "tmp").check();
    guard("~/tmp/deep/er/a.md", "tmp").check();
    // One directory under two names, whichever of them is asked about.
    guard("~/tmplink/a.md", "tmp").check();
    guard("~/tmp/a.md", "tmplink").check();
    // What a stream leads to is a matter of whoever writes it.
    for device in ["/dev/null", "/dev/shm/a", "/dev/stdout", "/dev/stderr", "/dev/fd/2", "/proc/self/fd/1"] {
        scene.guard("a", &["--take", device]).check();
    }
    assert!(!scene.sandbox.place().exists());
    for none in ["/dev/../etc/hosts", "/dev/fd/../../etc/hosts", "/proc/self/fd/../environ"] {
        scene.guard("a", &[none]).exit(76).stderr_some().check();
    }
    // A directory beside it, and a way out of it, are not free.
    scene
        .guard("a", &["~/tmp/../a.md", "~/tmp-other/a.md"])
        .env("TMPDIR", scene.path("tmp"))
        .exit(76)
        .stderr_some()
        .check();
    // What somebody claimed there is claimed.
    scene.take("b", "tmp/a.md");
    guard("~/tmp/a.md", "tmp").exit(75).stderr_some().check();
}

#[test]
fn a_temporary_directory_that_holds_everybodys_work_frees_nothing() {
    let scene = Scene::new();
    for temporary in ["/".into(), scene.sandbox.home(), scene.sandbox.home().parent().unwrap().to_owned()] {
        scene.guard("a", &["~/sibling/a.md"]).env("TMPDIR", &temporary).exit(76).stderr_some().check();
        scene.guard("a", &["/etc/hosts"]).env("TMPDIR", &temporary).exit(76).stderr_some().check();
    }
    // Nor does one that is not there.
    scene.guard("a", &["~/sibling/a.md"]).env("TMPDIR", scene.path("absent")).exit(76).stderr_some().check();
}

#[test]
fn the_claims_themselves_are_not_to_be_written() {
    let scene = Scene::new();
    scene.take("a", "sibling");
    symlink(scene.sandbox.place(), scene.path("proj/place")).unwrap();
    let file = scene.sandbox.file(&scene.claim("sibling").0);
    for path in [file.to_str().unwrap(), "place/claims/x.json", "place", "place/lock"] {
        let outcome = scene.guard("a", &["--take", path]).exit(1).stderr_some().check();
        assert!(outcome.stderr.contains("verbs of claim"), "{outcome}");
    }
    // Also where the place is inside of the own tree.
    let inside = scene.guard("a", &["place-here/claims/x.json"]).env("CLAIM_DIR", scene.path("proj/place-here"));
    inside.exit(1).stderr_some().check();
}

#[test]
fn a_guard_that_cannot_read_the_claims_does_not_say_yes() {
    let scene = Scene::new();
    // The place, or a claim file where the path's would be, is something else.
    let stem = scene.stem("proj/a.md");
    fs::create_dir(scene.sandbox.file(&stem)).unwrap();
    scene.guard("a", &["a.md"]).exit(1).stderr_some().check();
    scene.guard("a", &["b.md"]).check();
    fs::remove_dir(scene.sandbox.file(&stem)).unwrap();
    symlink("/etc/hosts", scene.sandbox.file(&stem)).unwrap();
    scene.guard("a", &["a.md"]).exit(1).stderr_some().check();
    let file = scene.path("a-file");
    fs::write(&file, "").unwrap();
    scene.guard("a", &["a.md"]).env("CLAIM_DIR", &file).exit(1).stderr_some().check();
    // A claim file that holds no claim refuses as long as it is fresh.
    fs::remove_file(scene.sandbox.file(&stem)).unwrap();
    scene.sandbox.write(&stem, "");
    let outcome = scene.guard("a", &["a.md"]).exit(75).stderr_some().check();
    assert!(outcome.stderr.contains("by unknown"), "{outcome}");
    scene.sandbox.age_bytes(&stem, 1_000);
    scene.guard("a", &["a.md"]).check();
}

#[test]
fn claims_that_come_and_go_never_make_it_fail() {
    let scene = Scene::new();
    let sibling = scene.path("sibling/a.md");
    let script =
        "i=0; while [ $i -lt 150 ]; do \"$1\" take \"$2\" p && \"$1\" release \"$2\" || exit 1; i=$((i+1)); done";
    let run = scene.sandbox.by("b", [""; 0]).through(["sh", "-c", script, "sh"]);
    let mut command = run.command();
    let mut child = command.arg(&sibling).stdout(Stdio::null()).spawn().unwrap();
    let mut seen = std::collections::BTreeSet::new();
    while child.try_wait().unwrap().is_none() {
        let outcome = scene.guard("a", &["../sibling/a.md"]).outcome();
        assert!([75, 76].contains(&outcome.exit), "{outcome}");
        seen.insert(outcome.exit);
    }
    assert!(child.wait().unwrap().success());
    assert_eq!(seen.len(), 2, "the race was not run: {seen:?}");
}
