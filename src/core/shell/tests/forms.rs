//! The forms that commands come in: where they stand, what wraps them, how paths are spelled.

use std::path::Path;

use super::{check, writes};

#[test]
fn directories() {
    check(&[
        ("cd /s && touch a", &["/s/a"]),
        ("cd ../s; touch a", &["/home/u/s/a"]),
        ("cd /s\ntouch a", &["/s/a"]),
        ("cd /s || exit 1; touch a", &["/s/a"]),
        ("cd /s || { echo no; exit 1; }\ntouch a", &["/s/a"]),
        ("cd /s || touch missing", &["/home/u/proj/missing"]),
        ("cd /s || cd /t; touch a /abs", &["/abs"]),
        ("(cd /s && touch a); touch b", &["/s/a", "/home/u/proj/b"]),
        ("{ cd /s; touch a; }; touch b", &["/s/a", "/s/b"]),
        ("cd /s | touch a", &["/home/u/proj/a"]),
        ("cd /s & touch a", &["/home/u/proj/a"]),
        ("cd /s; cd sub && make > log & touch a", &["/s/sub/log", "/s/a"]),
        ("x=$(cd /s && touch a); touch b", &["/s/a", "/home/u/proj/b"]),
        ("cd \"$DIR\" && touch a /abs/b", &["/abs/b"]),
        ("cd \"$DIR\" && cd /s && touch a", &["/s/a"]),
        ("cd - && touch a", &[]),
        ("cd /s && cd - && touch a", &["/home/u/proj/a"]),
        ("cd && touch a", &["/home/u/a"]),
        ("cd ~/x && touch a", &["/home/u/x/a"]),
        ("cd -- /s && touch a", &["/s/a"]),
        ("cd /s* && touch a", &[]),
        ("pushd /s && touch a; popd; touch b", &["/s/a", "/home/u/proj/b"]),
        ("popd; touch a", &[]),
        ("if true; then cd /s; fi; touch a", &[]),
        ("if cd /s; then touch a; fi", &["/s/a"]),
        ("while true; do cd /s; touch a; done; touch b", &["/s/a"]),
        ("for d in a b; do (cd $d && touch x); done", &["/home/u/proj/a/x", "/home/u/proj/b/x"]),
        ("cd /s > log", &["/home/u/proj/log"]),
        ("env -C /s touch a; touch b", &["/s/a", "/home/u/proj/b"]),
        ("z proj && touch a", &[]),
        ("touch ./a/../b", &["/home/u/proj/b"]),
        ("touch ../../../../../a", &["/a"]),
    ]);
}

#[test]
fn compound_commands() {
    check(&[
        (
            "true && touch a || touch b; touch c & touch d",
            &["/home/u/proj/a", "/home/u/proj/b", "/home/u/proj/c", "/home/u/proj/d"],
        ),
        (
            "if [ -f x ]; then rm x; elif true; then rm y; else rm z; fi",
            &["/home/u/proj/x", "/home/u/proj/y", "/home/u/proj/z"],
        ),
        ("case $1 in a) rm a;; b|c) rm b;; esac", &["/home/u/proj/a", "/home/u/proj/b"]),
        ("for f in a.txt b.txt; do sed -i s/x/y/ \"$f\"; done", &["/home/u/proj/a.txt", "/home/u/proj/b.txt"]),
        ("for f in /s/*.txt; do rm \"$f\"; done", &["/s"]),
        ("for f in $(ls); do rm \"$f\"; done", &[]),
        ("for f in {a,b}.c; do touch $f; done", &["/home/u/proj/a.c", "/home/u/proj/b.c"]),
        ("for ((i=0; i<3; i++)); do touch x; done", &["/home/u/proj/x"]),
        ("until false; do touch x; done", &["/home/u/proj/x"]),
        ("f() { touch \"$1\"; }; f a; f b", &["/home/u/proj/a", "/home/u/proj/b"]),
        ("f() { rm x; }", &[]),
        ("function g { cd /s; }; g; touch a", &["/s/a"]),
        ("f() { f; }; f; touch a", &["/home/u/proj/a"]),
        ("! rm a", &["/home/u/proj/a"]),
        ("time rm a", &["/home/u/proj/a"]),
        ("coproc rm a", &["/home/u/proj/a"]),
        ("[[ -f $(tee a) ]] || touch b", &["/home/u/proj/a", "/home/u/proj/b"]),
        (
            "echo $(rm a) `rm b` \"$(rm c)\" \"`rm d`\"",
            &["/home/u/proj/a", "/home/u/proj/b", "/home/u/proj/c", "/home/u/proj/d"],
        ),
        ("echo \"$(a \"$(b \"$(rm deep)\")\")\"", &["/home/u/proj/deep"]),
        ("echo ${X:-$(rm a)}", &["/home/u/proj/a"]),
        ("make | tee >(grep x > errors) > all", &["/home/u/proj/errors", "/home/u/proj/all"]),
        ("echo '$(rm a)' '`rm b`'", &[]),
        ("touch a\nif then fi (\ntouch b", &["/home/u/proj/a"]),
        ("touch a\necho 'never closed\ntouch b", &["/home/u/proj/a"]),
    ]);
}

#[test]
fn wrappers_and_shells() {
    check(&[
        ("bash -c 'echo x > a'", &["/home/u/proj/a"]),
        ("bash -lc \"cd /s && touch a\"; touch b", &["/s/a", "/home/u/proj/b"]),
        ("bash -euo pipefail -c 'rm a'", &["/home/u/proj/a"]),
        ("/bin/sh -c 'rm \"$1\"' _ /s/x", &["/s/x"]),
        ("sh -c \"sh -c 'rm a'\"", &["/home/u/proj/a"]),
        ("bash -c \"cd $DIR && touch a; touch /abs\"", &["/abs"]),
        ("bash -c \"$COMMAND\"", &[]),
        ("bash <<'EOF'\ncd /s\nrm a\nEOF", &["/s/a"]),
        ("sh -s <<EOF\nrm /s/$NAME /s/b\nEOF", &["/s/b"]),
        ("bash <<< 'rm a'", &["/home/u/proj/a"]),
        ("cat <<'EOF' | bash\nrm a\nEOF", &["/home/u/proj/a"]),
        ("echo 'rm a' | sh", &["/home/u/proj/a"]),
        ("bash script.sh <<'EOF'\nrm a\nEOF", &[]),
        ("sudo rm a", &["/home/u/proj/a"]),
        ("sudo -u root -H env A=B nice -n 5 rm a", &["/home/u/proj/a"]),
        ("sudo bash -c 'echo 1 > /proc/x'", &["/proc/x"]),
        ("sudo -l", &[]),
        ("doas rm a", &["/home/u/proj/a"]),
        ("env -i A=1 B=2 rm a", &["/home/u/proj/a"]),
        ("A=1 B=2 rm a", &["/home/u/proj/a"]),
        ("command rm a; builtin cd /s; touch b", &["/home/u/proj/a", "/s/b"]),
        ("command -v rm", &[]),
        ("exec rm a", &["/home/u/proj/a"]),
        ("nohup rm a &", &["/home/u/proj/a"]),
        ("timeout -k 1 5s rm a", &["/home/u/proj/a"]),
        ("stdbuf -oL tee a", &["/home/u/proj/a"]),
        ("setsid -f rm a", &["/home/u/proj/a"]),
        ("flock -n /s/lock rm a", &["/home/u/proj/a"]),
        ("find . -name x -exec sh -c 'rm /s/y' \\;", &["/s/y"]),
    ]);
}

#[test]
fn spellings() {
    check(&[
        ("F=/x/y; echo > \"$F\"", &["/x/y"]),
        ("D=/a && cp x $D/b", &["/a/b"]),
        ("export D=/a; bash -c 'rm $D/b ${D}/c'", &["/a/b", "/a/c"]),
        ("D=/a; bash -c 'rm $D/b'", &[]),
        ("D=/a bash -c 'rm $D/b'", &["/a/b"]),
        ("D=/a rm $D/b", &[]),
        ("D=/a; D+=/b; rm $D/c", &["/a/b/c"]),
        ("D=$(pwd); rm $D/c", &["/home/u/proj/c"]),
        ("D=$(git rev-parse --show-toplevel); rm $D/c", &[]),
        ("D=/a; read D; rm $D/c", &[]),
        ("D=/a; if x; then D=/b; fi; rm $D/c", &[]),
        ("D='a b'; rm $D", &[]),
        ("D='a b'; rm \"$D\"", &["/home/u/proj/a b"]),
        ("D=/a; rm ${D:-/x}/b ${D%x}/c", &["/a/b"]),
        ("rm $HOME/a ~/b \"$HOME/c d\" $PWD/e", &["/home/u/a", "/home/u/b", "/home/u/c d", "/home/u/proj/e"]),
        ("rm ~ \"~/x\" ~other/y", &["/home/u", "/home/u/proj/~/x"]),
        ("rm /s/*.o", &["/s"]),
        ("rm *.o", &["/home/u/proj"]),
        ("rm /s/a?/b", &["/s"]),
        ("rm '/s/*.o'", &["/s/*.o"]),
        ("rm /s/$X/*.o", &[]),
        ("rm /s/*/$X", &["/s"]),
        ("mkdir -p src/{a,b}/c", &["/home/u/proj/src/a/c", "/home/u/proj/src/b/c"]),
        ("touch f{1..3}", &["/home/u/proj"]),
        ("touch '{a,b}'", &["/home/u/proj/{a,b}"]),
        ("dd of=~/x", &["/home/u/x"]),
        ("touch a a ./a", &["/home/u/proj/a"]),
        ("touch ''", &[]),
    ]);
}

#[test]
fn apply_patch() {
    check(&[
        (
            "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: /home/u/sibling/notes.md\n+from the agent\n*** End Patch\nEOF",
            &["/home/u/sibling/notes.md"],
        ),
        (
            "cd /s && apply_patch <<\"PATCH\"\n*** Begin Patch\n*** Update File: a.rs\n*** Move to: b.rs\n@@\n-x\n+y\n*** Delete File: c\n*** End Patch\nPATCH",
            &["/s/a.rs", "/s/b.rs", "/s/c"],
        ),
        ("apply_patch '*** Begin Patch\n*** Delete File: a\n*** End Patch'", &["/home/u/proj/a"]),
        (
            "apply_patch \"$(cat <<'EOF'\n*** Begin Patch\n*** Delete File: a\n*** End Patch\nEOF\n)\"",
            &["/home/u/proj/a"],
        ),
        ("cat <<'EOF' | apply_patch\n*** Begin Patch\n*** Delete File: a\n*** End Patch\nEOF", &["/home/u/proj/a"]),
        (
            "bash -lc \"apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: a\n*** End Patch\nEOF\"",
            &["/home/u/proj/a"],
        ),
        ("cat <<'EOF'\n*** Delete File: a\nEOF", &[]),
    ]);
}

#[test]
fn without_a_home_nothing_is_guessed() {
    let found = writes("cd; touch a; touch ~/b /c", Path::new("/p"), None);
    assert_eq!(found, [Path::new("/c")]);
}
