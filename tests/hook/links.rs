//! A name that is itself a link: whether a call goes through it or takes its place.

use std::os::unix::fs::symlink;

use serde_json::json;

use crate::scene::Scene;

/// `sibling` is held by `b`. Links at home lead into it, and links in it lead home.
fn held() -> Scene {
    let scene = Scene::new();
    scene.touch("sibling/f");
    scene.touch("proj/f");
    for (link, leads_to) in [
        ("proj/in-file", "sibling/f"),
        ("proj/in-tree", "sibling/sub"),
        ("proj/in-nothing", "sibling/new"),
        ("sibling/out-file", "proj/f"),
        ("sibling/out-tree", "proj"),
    ] {
        symlink(scene.path(leads_to), scene.path(link)).unwrap();
    }
    scene.take("b", "sibling");
    scene
}

#[test]
fn a_command_that_replaces_a_link_is_judged_by_where_the_link_is() {
    let scene = held();
    for (command, denied) in [
        // At home, whatever it leads to.
        ("rm in-file in-tree in-nothing", false),
        ("mv in-file elsewhere", false),
        ("mv -T f in-tree", false),
        ("mv f in-nothing", false),
        ("ln -sfn f in-tree", false),
        ("sed -i s/a/b/ in-file", false),
        ("perl -pi -e s/a/b/ in-file", false),
        ("cp --remove-destination f in-file", false),
        ("install f in-file", false),
        ("touch -h in-file", false),
        ("find in-tree -delete", false),
        ("apply_patch '*** Delete File: in-file'", false),
        // Through it.
        ("echo > in-file", true),
        ("echo > in-nothing", true),
        ("tee in-file", true),
        ("cp f in-file", true),
        ("cp f in-tree", true),
        ("cp -a f in-file", true),
        ("mv f in-tree", true),
        ("ln -sf f in-tree", true),
        ("install f in-tree", true),
        ("touch in-file", true),
        ("sed -i --follow-symlinks s/a/b/ in-file", true),
        ("rm -rf in-tree/", true),
        ("rm -f in-tree/*", true),
        ("rm in-tree/f", true),
        // In the tree that is held, whatever it leads to.
        ("rm ../sibling/out-file", true),
        ("unlink ../sibling/out-tree", true),
        ("mv ../sibling/out-file .", true),
        ("mv f ../sibling/out-file", true),
        ("ln -sfn f ../sibling/out-tree", true),
        ("sed -i s/a/b/ ../sibling/out-file", true),
        ("cp -a f ../sibling/out-file", true),
        ("apply_patch '*** Delete File: ../sibling/out-file'", true),
        // And home again.
        ("echo > ../sibling/out-file", false),
        ("cp f ../sibling/out-tree", false),
        ("rm -rf ../sibling/out-tree/x", false),
    ] {
        let outcome = scene.shell("1", command).outcome();
        assert_eq!(outcome.exit, if denied { 2 } else { 0 }, "{command}: {outcome}");
    }
}

#[test]
fn a_tool_that_deletes_or_moves_is_too() {
    let scene = held();
    let cursor = |tool: &str, input: serde_json::Value| {
        let mut payload = scene.payload("cursor/preToolUse-Delete");
        (payload["tool_name"], payload["tool_input"]) = (json!(tool), input);
        scene.hook(&payload).outcome().exit
    };
    let at = |path: &str| json!({"path": scene.path(path)});
    assert_eq!(cursor("Delete", at("proj/in-file")), 0);
    assert_eq!(cursor("Delete", at("sibling/out-file")), 2);
    assert_eq!(cursor("Write", at("proj/in-file")), 2);
    assert_eq!(cursor("Write", at("sibling/out-file")), 0);
    let ends =
        |source: &str, destination: &str| json!({"source": scene.path(source), "destination": scene.path(destination)});
    // Some file servers resolve both ends, some do not.
    assert_eq!(cursor("move_file", ends("proj/in-file", "proj/x")), 2);
    assert_eq!(cursor("move_file", ends("sibling/out-file", "proj/x")), 2);
    assert_eq!(cursor("move_file", ends("proj/f", "proj/x")), 0);

    let patch = |lines: &str| {
        let mut payload = scene.payload("codex/PreToolUse-apply_patch");
        payload["tool_input"]["command"] = json!(format!("*** Begin Patch\n{lines}*** End Patch\n"));
        scene.hook(&payload).outcome().exit
    };
    assert_eq!(patch("*** Delete File: in-file\n"), 0);
    assert_eq!(patch("*** Delete File: ../sibling/out-file\n"), 2);
    assert_eq!(patch("*** Update File: in-file\n@@\n-a\n+b\n"), 2);
    assert_eq!(patch("*** Update File: in-file\n*** Move to: x\n@@\n-a\n+b\n"), 0);
    assert_eq!(patch("*** Update File: f\n*** Move to: in-file\n@@\n-a\n+b\n"), 2);
    assert_eq!(patch("*** Update File: f\n*** Move to: ../sibling/out-file\n@@\n-a\n+b\n"), 2);
}

#[test]
fn the_tree_that_is_claimed_is_the_one_that_the_link_is_in() {
    let scene = Scene::new();
    scene.tree("third");
    symlink(scene.path("sibling"), scene.path("third/link")).unwrap();
    symlink(scene.path("sibling"), scene.path("link")).unwrap();
    scene.shell("1", "rm ../third/link").check();
    assert_eq!(scene.held(), ["third by claude:1"]);
    scene.shell("1", "rm ../link").check();
    assert_eq!(scene.held(), ["link by claude:1", "third by claude:1"]);
    scene.shell("2", "echo > ../link/a.md").check();
    assert_eq!(scene.held(), ["link by claude:1", "sibling by claude:2", "third by claude:1"]);
}

#[test]
fn a_link_that_leads_round_in_a_circle_can_be_removed_and_not_written() {
    let scene = Scene::new();
    symlink("circle", scene.path("proj/circle")).unwrap();
    scene.shell("1", "rm circle").check();
    scene.shell("1", "echo > circle").denied_because("claim: cannot resolve");
}
