//! What `guard --take` takes, and what counts as home.

use std::fs;

use crate::scene::Scene;

/// What a session from `proj` comes to hold by `guard --take` on a path, which must be allowed.
fn taken(scene: &Scene, path: &str) -> Vec<String> {
    scene.guard("a", &["--take", path]).stdout_any().check();
    let held = scene.held();
    scene.sandbox.by("a", ["release", "--all"]).stdout_any().check();
    held
}

#[test]
fn the_nearest_tree_is_taken_else_the_file_alone() {
    let scene = Scene::new();
    scene.tree("sibling/nested");
    scene.touch("plain/a.md");
    for (path, tree) in [
        ("~/sibling/a.md", "sibling"),
        ("~/sibling", "sibling"),
        ("~/sibling/.git/config", "sibling"),
        ("~/sibling/sub/deep/er/new.md", "sibling"),
        ("~/sibling/nested/a.md", "sibling/nested"),
        ("~/plain/a.md", "plain/a.md"),
        ("~/plain/new/er.md", "plain/new/er.md"),
        ("~/plain", "plain"),
        ("~/notes.md", "notes.md"),
    ] {
        assert_eq!(taken(&scene, path), [format!("{tree} by a")], "{path}");
    }
}

#[test]
fn the_home_directory_and_the_root_are_never_taken() {
    let scene = Scene::new();
    scene.tree("");
    assert_eq!(taken(&scene, "~/notes.md"), ["notes.md by a"]);
    assert_eq!(taken(&scene, "~/sibling/a.md"), ["sibling by a"]);
    // A link to the home directory is the home directory.
    let link = scene.sandbox.work().join("link");
    std::os::unix::fs::symlink(scene.sandbox.home(), &link).unwrap();
    scene.guard("a", &["--take", "~/notes.md"]).env("HOME", &link).stdout_any().check();
    assert_eq!(scene.held(), ["notes.md by a"]);
}

#[test]
fn a_session_started_in_the_home_directory_is_at_home_nowhere() {
    for repository in [false, true] {
        let scene = Scene::new();
        if repository {
            scene.tree("");
        }
        for directory in [scene.sandbox.home(), "/".into()] {
            scene.guard("a", &["~/notes.md"]).within(&directory).exit(76).stderr_some().check();
            scene.guard("a", &["~/proj/a.md"]).within(&directory).exit(76).stderr_some().check();
        }
    }
}

#[test]
fn a_session_is_at_home_in_the_whole_tree_that_it_was_started_in() {
    let scene = Scene::new();
    scene.tree("proj/nested");
    fs::create_dir_all(scene.path("proj/deep/er")).unwrap();
    scene.guard("a", &["~/proj/a.md"]).within(scene.path("proj/deep/er")).check();
    scene.guard("a", &["~/proj/nested/a.md"]).check();
    // From the nested tree the outer one is foreign.
    scene.guard("a", &["~/proj/a.md"]).within(scene.path("proj/nested")).exit(76).stderr_some().check();
    // Without any repository it is the directory itself.
    fs::create_dir_all(scene.path("plain/deep")).unwrap();
    scene.guard("a", &["~/plain/a.md"]).within(scene.path("plain")).check();
    scene.guard("a", &["~/plain/a.md"]).within(scene.path("plain/deep")).exit(76).stderr_some().check();
}

#[test]
fn home_can_be_named_but_never_as_everybodys() {
    let scene = Scene::new();
    scene.guard("a", &["--home", "../sibling/sub", "~/sibling/a.md"]).check();
    scene.guard("a", &["--home", "~/sibling", "a.md"]).exit(76).stderr_some().check();
    for nobodys in ["/", "~/", "~/absent"] {
        let outcome = scene.guard("a", &["--home", nobodys, "a.md"]).exit(2).stderr_some().check();
        assert!(outcome.stderr.contains("--home"), "{outcome}");
    }
}

#[test]
fn a_linked_worktree_of_the_own_repository_is_home() {
    let scene = Scene::new();
    scene.repository("main");
    scene.git("main", &["worktree", "add", "-q", "../linked"]);
    scene.git("main", &["worktree", "add", "-q", "../other"]);
    scene.guard("a", &["~/linked/a.md"]).within(scene.path("main")).check();
    scene.guard("a", &["~/main/a.md", "~/other/a.md"]).within(scene.path("linked")).check();
    scene.guard("a", &["~/main/.git/worktrees/linked/HEAD"]).within(scene.path("linked")).check();
    scene.guard("a", &["~/linked/a.md"]).exit(76).stderr_some().check();
    assert_eq!(taken(&scene, "~/linked/a.md"), ["linked by a"]);
    // Another repository is not made home by a clone of the same history.
    scene.git("main", &["clone", "-q", ".", "../clone"]);
    scene.guard("a", &["~/clone/a.md"]).within(scene.path("main")).exit(76).stderr_some().check();
}

#[test]
fn a_submodule_is_a_tree_of_its_own_to_others_and_home_to_the_tree_around_it() {
    let scene = Scene::new();
    scene.repository("library");
    scene.repository("main");
    scene.git("main", &["submodule", "--quiet", "add", "../library", "lib"]);
    assert_eq!(taken(&scene, "~/main/lib/a.md"), ["main/lib by a"]);
    assert_eq!(taken(&scene, "~/main/a.md"), ["main by a"]);
    scene.guard("a", &["~/main/lib/a.md"]).within(scene.path("main")).check();
    scene.guard("a", &["~/main/a.md"]).within(scene.path("main/lib")).exit(76).stderr_some().check();
    scene.guard("a", &["~/library/a.md"]).within(scene.path("main/lib")).exit(76).stderr_some().check();
    // Who is at work in the tree around it is in the way, and the other way about.
    scene.take("b", "main");
    scene.guard("a", &["--take", "~/main/lib/a.md"]).exit(75).stderr_some().check();
}

#[test]
fn of_a_bare_repository_the_file_alone_is_taken() {
    let scene = Scene::new();
    scene.git("", &["init", "-q", "--bare", "bare.git"]);
    assert_eq!(taken(&scene, "~/bare.git/config"), ["bare.git/config by a"]);
}

#[test]
fn the_whole_tree_is_refused_where_another_holds_a_part_of_it() {
    let scene = Scene::new();
    scene.take("b", "sibling/sub");
    scene.guard("a", &["--take", "~/sibling/a.md"]).exit(75).stderr_some().check();
    assert_eq!(scene.held(), ["sibling/sub by b"]);
}

#[test]
fn paths_of_one_tree_are_taken_once() {
    let scene = Scene::new();
    let claimed = "claimed: [HOME]/sibling by a; stale in 15m without a beat\n";
    scene.guard("a", &["--take", "~/sibling/a.md", "~/sibling/b.md", "a.md"]).stdout(claimed).check();
    assert_eq!(scene.held(), ["sibling by a"]);
    let trace = fs::read_to_string(scene.sandbox.place().join("trace.jsonl")).unwrap();
    assert_eq!(trace.lines().count(), 1, "{trace}");
}

#[test]
fn what_the_holder_asks_for_with_claim_ttl_is_what_a_taken_tree_gets() {
    let scene = Scene::new();
    scene.guard("a", &["--take", "~/sibling/a.md"]).env("CLAIM_TTL", "2m").stdout_any().check();
    assert_eq!(scene.claim("sibling").1["ttl_s"], 120);
    scene.guard("b", &["--take", "~/third.md"]).env("CLAIM_TTL", "soon").exit(2).stderr_some().check();
    assert_eq!(scene.held(), ["sibling by a"]);
}
