//! What a tool call writes, in the forms that the hosts give it: paths, patches, and commands with a directory.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::scene::Scene;

/// Both trees next door are held by `b`; a write to either is denied for it, and any other is not.
fn held() -> Scene {
    let scene = Scene::new();
    scene.tree("third");
    scene.take("b", "sibling");
    scene.take("b", "third");
    scene
}

/// The trees that a denial names.
fn stopped(scene: &Scene, payload: &Value) -> Vec<&'static str> {
    let outcome = scene.hook(payload).outcome();
    let named = |tree: &&&str| outcome.stderr.contains(&format!("{} is claimed by b", scene.path(tree).display()));
    let trees: Vec<_> = ["sibling", "third"].iter().filter(named).copied().collect();
    assert_eq!(outcome.exit, if trees.is_empty() { 0 } else { 2 }, "{payload}: {outcome}");
    trees
}

#[test]
fn the_plain_writes_of_a_command_are_seen_and_nothing_else() {
    let scene = held();
    let third = scene.path("third");
    let third = third.to_str().unwrap();
    for (command, trees) in [
        ("echo x > ../sibling/a.md", &["sibling"][..]),
        ("echo x >> ~/sibling/a.md", &["sibling"]),
        ("cat > ../sibling/a.md <<'EOF'\ntext > ../third/a.md\nEOF", &["sibling"]),
        ("cd ../sibling && echo x > a.md", &["sibling"]),
        ("cd ../sibling; sed -i s/a/b/ a.md", &["sibling"]),
        ("(cd ../sibling && touch a.md); touch a.md", &["sibling"]),
        ("git -C ../sibling commit -m x", &["sibling"]),
        ("bash -c 'cp a.md ../sibling/'", &["sibling"]),
        ("sudo tee ../sibling/a.md <a.md", &["sibling"]),
        ("mv ../sibling/a.md ../third/", &["sibling", "third"]),
        ("for f in a b; do rm -f ../sibling/x ../third/x; done", &["sibling", "third"]),
        ("apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: ../sibling/a.md\n*** End Patch\nEOF", &["sibling"]),
        (&format!("cat {third}/a.md && cat ../sibling/a.md"), &[]),
        ("ls ../sibling 2>&1 | head >&2", &[]),
        ("echo '> ../sibling/a.md' # > ../sibling/a.md", &[]),
        ("git -C ../sibling status && git -C ../sibling log", &[]),
        ("cargo test 2>/dev/null >/dev/stdout", &[]),
        ("python3 -c \"open('../sibling/a.md', 'w')\"", &[]),
        ("echo x > \"$SOMEWHERE/a.md\"", &[]),
        ("sed -n 's/->/=>/p' ../sibling/a.md | awk '$1 > 2'", &[]),
        ("[[ a > ../sibling/a.md ]] && (( 1 > 0 ))", &[]),
        ("echo 'unclosed", &[]),
        ("", &[]),
    ] {
        assert_eq!(stopped(&scene, &scene.call("1", "Bash", &json!({"command": command}))), trees, "{command}");
    }
}

#[test]
fn a_shell_calls_own_directory_is_where_its_relative_paths_start() {
    let scene = held();
    let directory = |name: &str| scene.path(name).to_str().unwrap().to_owned();
    // (the fixture, where its call says where it runs)
    for (fixture, key) in [
        ("opencode/tool_execute_before-bash-workdir", "/tool_input/workdir"),
        ("gemini/BeforeTool-run_shell_command-dir_path", "/tool_input/dir_path"),
        ("codex/PreToolUse-Bash-workdir", "/cwd"),
        ("cursor/preToolUse-Shell", "/tool_input/working_directory"),
        ("crush/PreToolUse-bash", "/tool_input/working_dir"),
    ] {
        let mut payload = scene.payload(fixture);
        *payload.pointer_mut(key).unwrap() = json!(directory("third"));
        assert_eq!(stopped(&scene, &payload), ["third"], "{fixture}");
        *payload.pointer_mut(key).unwrap() = json!(directory("proj"));
        let outcome = scene.hook(&payload).outcome();
        assert_eq!(outcome.exit, 0, "{fixture}: {outcome}");
        if key != "/cwd" {
            *payload.pointer_mut(key).unwrap() = json!("../sibling");
            assert_eq!(stopped(&scene, &payload), ["sibling"], "{fixture}");
        }
    }
}

#[test]
fn relative_paths_start_from_the_payloads_directory() {
    let scene = held();
    let mut payload = scene.call("1", "Write", &json!({"file_path": "a.md", "content": "x"}));
    assert_eq!(stopped(&scene, &payload), [""; 0]);
    payload["cwd"] = json!(scene.path("sibling/sub"));
    assert_eq!(stopped(&scene, &payload), ["sibling"]);
    // A relative one can only start from where the hook itself was started.
    payload["cwd"] = json!("../third");
    assert_eq!(stopped(&scene, &payload), ["third"]);
    payload.as_object_mut().unwrap().remove("cwd");
    payload["tool_input"]["file_path"] = json!("../sibling/a.md");
    assert_eq!(stopped(&scene, &payload), ["sibling"]);
}

#[test]
fn one_file_is_one_file_however_the_model_spells_it() {
    let scene = held();
    symlink(scene.path("sibling"), scene.path("link")).unwrap();
    symlink(scene.path("sibling"), scene.path("proj/inward")).unwrap();
    for path in [
        "../sibling/a.md",
        "../sibling/sub/../a.md",
        "./../sibling//a.md",
        "../link/a.md",
        "inward/a.md",
        "inward/sub/../a.md",
        "~/sibling/a.md",
        "~/link/new/deep.md",
        "../sibling/",
        "../sibling",
    ] {
        let payload = scene.call("1", "Write", &json!({"file_path": path}));
        assert_eq!(stopped(&scene, &payload), ["sibling"], "{path}");
    }
}

#[test]
fn every_file_of_a_patch_counts_and_one_that_is_refused_leaves_nothing_claimed() {
    let scene = held();
    scene.tree("free");
    let call = |lines: &[&str]| {
        let mut payload = scene.payload("codex/PreToolUse-apply_patch");
        let body: String = lines.iter().map(|line| format!("*** {line}\n@@\n-a\n+b\n")).collect();
        payload["tool_input"]["command"] = json!(format!("*** Begin Patch\n{body}*** End Patch\n"));
        payload
    };
    for (lines, trees) in [
        (&["Add File: a.md", "Update File: ../free/a.md", "Update File: ../sibling/a.md"][..], &["sibling"][..]),
        (&["Delete File: ../third/a.md", "Add File: ../free/a.md"], &["third"]),
        (&["Update File: a.md", "Move to: ../sibling/a.md"], &["sibling"]),
        (&["Update File: ../third/a.md", "Move to: ../sibling/a.md"], &["sibling", "third"]),
    ] {
        assert_eq!(stopped(&scene, &call(lines)), trees, "{lines:?}");
        assert_eq!(scene.held(), ["sibling by b", "third by b"], "{lines:?}");
    }
    let told = scene.hook(&call(&["Add File: ../free/a.md", "Add File: ../sibling/a.md"])).denied_because("REFUSED");
    assert!(!told.contains("UNCLAIMED"), "{told}");
    scene.hook(&call(&["Add File: a.md", "Update File: ../free/a.md", "Update File: ../free/b.md"])).check();
    let holder = scene.claim("free").1["holder"].as_str().unwrap().to_owned();
    let expected = [&*format!("free by {holder}"), &*format!("proj by {holder}, shared"), "sibling by b", "third by b"];
    assert_eq!(scene.held(), expected);
}

#[test]
fn two_sessions_that_want_the_same_two_trees_do_not_end_up_with_one_each() {
    let scene = Scene::new();
    scene.tree("third");
    scene.write("1", "sibling/a.md").check();
    let both = scene.shell("2", "touch ../third/a.md ../sibling/a.md");
    both.denied_because("REFUSED");
    assert_eq!(scene.held(), ["sibling by claude:1"]);
    scene.shell("1", "touch ../third/a.md ../sibling/a.md").check();
    assert_eq!(scene.held(), ["sibling by claude:1", "third by claude:1"]);
}

#[test]
fn a_write_whose_arguments_say_nothing_is_denied() {
    let scene = Scene::new();
    for (tool, input) in [
        ("Write", json!({})),
        ("Write", json!(null)),
        ("Write", json!([])),
        ("Write", json!("text")),
        ("Write", json!({"content": "x"})),
        ("Write", json!({"file_path": ""})),
        ("Write", json!({"file_path": null})),
        ("Write", json!({"file_path": 7})),
        ("Write", json!({"file_path": ["a.md"]})),
        ("Edit", json!({"path_to_file": "a.md"})),
        ("NotebookEdit", json!({"notebook_path": {}})),
    ] {
        scene.hook(&scene.call("1", tool, &input)).denied_because(&format!("what {tool} writes cannot be told"));
    }
    let mut payload = scene.call("1", "Write", &Value::Null);
    payload.as_object_mut().unwrap().remove("tool_input");
    scene.hook(&payload).denied_because("what Write writes cannot be told");
    // A patch that names no file is no patch of nothing.
    for patch in ["", "no patch at all", "*** Begin Patch\n*** End Patch\n", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n"] {
        let mut payload = scene.payload("codex/PreToolUse-apply_patch");
        payload["tool_input"]["command"] = json!(patch);
        scene.hook(&payload).denied_because("what apply_patch writes cannot be told");
    }
    assert_eq!(scene.held(), [""; 0]);
}

#[test]
fn a_path_that_cannot_be_resolved_is_denied() {
    let scene = Scene::new();
    symlink("circle", scene.path("proj/circle")).unwrap();
    scene.touch("proj/file");
    for path in ["circle", "circle/a.md", "file/below", &"x".repeat(300), "a\u{0}b", "../a\nb"] {
        scene.hook(&scene.call("1", "Write", &json!({"file_path": path}))).denied_because("claim: ");
    }
    scene.shell("1", "echo x > circle").denied_because("claim: ");
    assert_eq!(scene.held(), [""; 0]);
}

#[test]
fn the_claims_themselves_are_not_to_be_written() {
    let scene = Scene::new();
    scene.take("b", "sibling");
    let file = scene.sandbox.file(&scene.claim("sibling").0);
    let file = file.to_str().unwrap();
    scene.hook(&scene.call("1", "Write", &json!({"file_path": file}))).denied_because("verbs of claim");
    for command in [format!("rm {file}"), format!("cd {} && rm -rf claims", scene.sandbox.place().display())] {
        scene.shell("1", &command).denied_because("verbs of claim");
    }
    // Not by its owner either, and not where the place is in its own tree.
    scene.hook(&scene.call("b", "Edit", &json!({"file_path": file}))).denied_because("verbs of claim");
    let run = scene.write("1", "proj/place/claims/x.json").env("CLAIM_DIR", scene.path("proj/place"));
    run.denied_because("verbs of claim");
    scene.shell("1", &format!("cat {file}")).check();
}

#[test]
fn the_temporary_directory_and_devices_are_free() {
    let scene = Scene::new();
    std::fs::create_dir(scene.path("tmp")).unwrap();
    let shell = |command: &str| scene.shell("1", command).env("TMPDIR", scene.path("tmp"));
    shell("echo x > ~/tmp/a.md; echo x > /dev/null; echo x > /dev/stderr; make 2>/dev/fd/2").check();
    assert_eq!(scene.held(), [""; 0]);
    shell("echo x > ~/tmp/../sibling/a.md").check();
    assert_eq!(scene.held(), ["sibling by claude:1"]);
}

#[test]
fn the_home_directory_and_the_root_are_never_claimed() {
    let scene = Scene::new();
    scene.shell("1", "rm -f ~/*.o /*.o; mkdir -p ~; chmod 700 .. && cp a.md ~").check();
    assert_eq!(scene.held(), [""; 0]);
    scene.take("b", "sibling");
    scene.shell("1", "rm -rf ~").denied_because("sibling is claimed by b");
}

#[test]
fn a_directory_that_is_there_is_not_made() {
    let scene = Scene::new();
    scene.touch("bin/tool");
    symlink(scene.path("bin"), scene.path("link")).unwrap();
    // Whoever makes sure that it is there does not keep it from others: what is put there is claimed.
    scene.shell("1", "mkdir -p ~/bin ~/bin/ ~/link && cp a.md ~/bin/").check();
    assert_eq!(scene.held(), ["bin/a.md by claude:1"]);
    scene.shell("2", "mkdir -p ~/bin && cp b.md ~/bin/").check();
    scene.take("b", "sibling");
    scene.shell("1", "mkdir -p .. ../sibling/sub").check();
    for command in ["mkdir -p ../sibling/new", "mkdir ../sibling/sub && touch ../sibling/sub", "rm -r ../sibling/sub"] {
        scene.shell("1", command).denied_because("sibling is claimed by b");
    }
}

#[test]
fn a_command_with_very_many_paths_claims_their_tree_once() {
    let scene = Scene::new();
    let many = |directory: &str| (0..3_000).map(|number| format!(" {directory}/f{number}")).collect::<String>();
    for (directory, session) in [("../sibling", "1"), (".", "2")] {
        scene.shell(session, &format!("touch{}", many(directory))).check();
    }
    assert_eq!(scene.held(), ["proj by claude:2, shared", "sibling by claude:1"]);
    let trace = std::fs::read_to_string(scene.sandbox.place().join("trace.jsonl")).unwrap();
    assert_eq!(trace.lines().count(), 2, "{trace}");
}
