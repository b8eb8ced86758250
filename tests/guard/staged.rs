//! `guard --staged` as a git hook calls it. Git is the real one, in the environment that it makes for its hooks.

use std::{fs, os::unix::fs::PermissionsExt as _, process::Output};

use crate::scene::Scene;
use crate::support::CLAIM;

/// A repository `main` with a linked worktree `linked`, whose pre-commit hook asks for everything that is staged, as the
/// session `a`, and keeps the answer.
fn repository() -> Scene {
    let scene = Scene::new();
    scene.repository("main");
    scene.git("main", &["worktree", "add", "-q", "../linked"]);
    let hook = scene.path("main/.git/hooks/pre-commit");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    // Where the paths' own tree is home there would be nothing to be seen but refusals; so home is elsewhere.
    let text = format!(
        "#!/bin/sh\nexec {CLAIM} --holder a --json guard --staged --home {} >~/answer\n",
        scene.path("proj").display()
    );
    fs::write(&hook, text).unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    scene
}

/// The paths that the last hook asked for, as seen from the home directory.
fn asked(scene: &Scene) -> Vec<String> {
    let answer: serde_json::Value = serde_json::from_slice(&fs::read(scene.path("answer")).unwrap()).unwrap();
    let home = format!("{}/", scene.sandbox.home().display());
    let target = |path: &serde_json::Value| path["target"].as_str().unwrap().strip_prefix(&home).unwrap().to_owned();
    let mut asked: Vec<String> = answer["paths"].as_array().unwrap().iter().map(target).collect();
    asked.sort();
    asked
}

/// Commits, which the hook stops because nothing covers the paths, and returns what it asked for.
fn committing(scene: &Scene, directory: &str, arguments: &[&str]) -> Vec<String> {
    let arguments = [&["commit", "-q", "-m", "change"], arguments].concat();
    let output = scene.git_command(directory, &arguments).output().unwrap();
    assert!(!output.status.success(), "the hook did not stop the commit");
    let asked = asked(scene);
    fs::remove_file(scene.path("answer")).unwrap();
    asked
}

#[test]
fn the_paths_that_a_commit_changes_are_asked_for() {
    for tree in ["main", "linked"] {
        let scene = repository();
        let at = |path: &str| format!("{tree}/{path}");
        scene.touch(&at("sub/new.md"));
        scene.touch(&at("untracked.md"));
        scene.git(tree, &["add", "sub"]);
        assert_eq!(committing(&scene, tree, &[]), [at("sub/new.md")], "a new file, in {tree}");
        assert_eq!(committing(&scene, &at("sub"), &[]), [at("sub/new.md")], "from a subdirectory, in {tree}");
        scene.git(tree, &["mv", "seed.md", "moved.md"]);
        scene.git(tree, &["rm", "-q", "-f", "sub/new.md"]);
        let asked = committing(&scene, tree, &[]);
        assert_eq!(asked, [at("moved.md"), at("seed.md")], "both names of a renamed file, in {tree}");
        scene.git(tree, &["reset", "-q", "--hard"]);
        scene.git(tree, &["rm", "-q", "seed.md"]);
        assert_eq!(committing(&scene, tree, &[]), [at("seed.md")], "a deleted file, in {tree}");
    }
}

#[test]
fn a_commit_of_what_was_not_staged_asks_for_just_that() {
    for tree in ["main", "linked"] {
        let scene = repository();
        let at = |path: &str| format!("{tree}/{path}");
        scene.touch(&at("staged.md"));
        scene.git(tree, &["add", "staged.md"]);
        fs::write(scene.path(&at("seed.md")), "changed\n").unwrap();
        // Git shows its hook an index of its own for each of these.
        assert_eq!(committing(&scene, tree, &["-a"]), [at("seed.md"), at("staged.md")], "-a in {tree}");
        assert_eq!(committing(&scene, tree, &["--", "seed.md"]), [at("seed.md")], "-- path in {tree}");
        assert_eq!(committing(&scene, tree, &["-i", "seed.md"]), [at("seed.md"), at("staged.md")], "-i in {tree}");
        assert_eq!(committing(&scene, tree, &[]), [at("staged.md")], "in {tree}");
    }
}

#[test]
fn a_commit_that_changes_no_path_still_writes_into_the_repository() {
    let scene = repository();
    assert_eq!(committing(&scene, "main", &["--allow-empty"]), ["main/.git"]);
    assert_eq!(committing(&scene, "main", &["--amend"]), ["main/.git"]);
}

#[test]
fn the_first_commit_of_a_repository_is_asked_for() {
    let scene = repository();
    fs::create_dir(scene.path("fresh")).unwrap();
    scene.git("fresh", &["init", "-q"]);
    scene.touch("fresh/a.md");
    scene.git("fresh", &["add", "."]);
    let hook = scene.path("fresh/.git/hooks/pre-commit");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::copy(scene.path("main/.git/hooks/pre-commit"), hook).unwrap();
    assert_eq!(committing(&scene, "fresh", &[]), ["fresh/a.md"]);
}

#[test]
fn names_and_settings_that_change_gits_listing_leave_nothing_out() {
    let scene = repository();
    for name in ["with space.md", "ümläut.md", "quo\"te.md", "-dash.md", "sub/below.md"] {
        scene.touch(&format!("main/{name}"));
    }
    scene.git("main", &["add", "."]);
    for (key, value) in [
        ("diff.relative", "true"),
        ("diff.noprefix", "true"),
        ("diff.renames", "copies"),
        ("diff.external", "false"),
        ("core.quotePath", "true"),
        ("diff.ignoreSubmodules", "all"),
        ("color.ui", "always"),
    ] {
        scene.git("main", &["config", key, value]);
    }
    let all = ["main/-dash.md", "main/quo\"te.md", "main/sub/below.md", "main/with space.md", "main/ümläut.md"];
    assert_eq!(committing(&scene, "main", &[]), all);
    // By hand, from below, where a setting would leave out what is above.
    let run = scene.sandbox.by("a", ["guard", "--staged", "--home", scene.path("proj").to_str().unwrap()]);
    let told = run.within(scene.path("main/sub")).exit(76).stderr_some().check().stderr;
    assert_eq!(told.matches("UNCLAIMED").count(), all.len(), "{told}");
}

#[test]
fn a_link_is_committed_and_not_what_it_leads_to() {
    let scene = repository();
    std::os::unix::fs::symlink("../proj/a.md", scene.path("main/link")).unwrap();
    std::os::unix::fs::symlink("../proj", scene.path("main/tree")).unwrap();
    scene.git("main", &["add", "."]);
    assert_eq!(committing(&scene, "main", &[]), ["main/link", "main/tree"]);
    // No claim can have such a name.
    scene.git("main", &["reset", "-q", "--hard"]);
    scene.touch("main/sub/tab\there.md");
    scene.git("main", &["add", "."]);
    assert_eq!(committing(&scene, "main", &[]), ["main/sub"]);
}

#[test]
fn a_changed_submodule_is_asked_for() {
    let scene = repository();
    scene.repository("library");
    scene.git("main", &["submodule", "--quiet", "add", "../library", "lib"]);
    assert_eq!(committing(&scene, "main", &[]), ["main/.gitmodules", "main/lib"]);
}

#[test]
fn a_staged_path_of_a_held_tree_is_refused_and_the_commit_is_not_made() {
    let scene = repository();
    let commit = |expected: bool| -> Output {
        let output = scene.git_command("main", &["commit", "-q", "-m", "change"]).output().unwrap();
        assert_eq!(output.status.success(), expected, "{output:?}");
        output
    };
    // In its own tree, as a hook is installed.
    let hook = scene.path("main/.git/hooks/pre-commit");
    fs::write(&hook, format!("#!/bin/sh\nexec {CLAIM} --holder a guard --staged\n")).unwrap();
    scene.touch("main/new.md");
    scene.git("main", &["add", "."]);
    scene.take("b", "main/new.md");
    let output = commit(false);
    assert!(String::from_utf8(output.stderr).unwrap().contains("is claimed by b"));
    scene.sandbox.by("b", ["release", "--all"]).stdout_any().check();
    // Another that is at home there too is not in the way.
    scene.share("b", "main");
    commit(true);
}

#[test]
fn the_environment_of_a_hook_does_not_mislead_it_about_other_repositories() {
    let scene = repository();
    scene.repository("other");
    scene.touch("linked/new.md");
    scene.git("linked", &["add", "."]);
    // In a linked worktree git sets GIT_DIR for its hook; what is home there is not read through it.
    let hook = scene.path("main/.git/hooks/pre-commit");
    let text = format!(
        "#!/bin/sh\ntest -n \"$GIT_DIR\" && {CLAIM} --holder a guard ~/linked/a.md ~/main/a.md || exit 1\n\
         {CLAIM} --holder a --json guard ~/other/a.md >~/answer; exit 1\n"
    );
    fs::write(&hook, text).unwrap();
    assert_eq!(committing(&scene, "linked", &[]), ["other/a.md"]);
}

#[test]
fn without_a_repository_there_is_no_yes() {
    let scene = Scene::new();
    let guard = || scene.guard("a", &["--staged"]).within(scene.sandbox.work());
    let outcome = guard().exit(1).stderr_some().check();
    assert!(outcome.stderr.contains("git"), "{outcome}");
    // Nor without git.
    guard().env("PATH", scene.path("proj")).exit(1).stderr_some().check();
    assert_eq!(guard().exit(1).json()["error"], "git");
    scene.guard("a", &["--staged", "a.md"]).exit(2).stderr_some().check();
}
