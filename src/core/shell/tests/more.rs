//! Text that is run, words that are read, formatters, and what of git only reads.

use super::check;

#[test]
fn text_that_is_run() {
    check(&[
        ("eval 'rm /x'", &["/x"]),
        ("eval rm /x", &["/x"]),
        ("eval \"cd /s\"; touch a", &["/s/a"]),
        ("eval 'D=/a'; rm $D/b", &["/a/b"]),
        ("eval \"$(ssh-agent)\"; touch a", &["/home/u/proj/a"]),
        ("eval \"rm $X /y\"", &["/y"]),
        ("env -S 'rm /x'", &["/x"]),
        ("env -S 'rm -f' /x '/y z'", &["/x", "/y z"]),
        ("env -S'A=B rm /x'", &["/x"]),
        ("su -c 'rm a /x'", &["/home/u/proj/a", "/x"]),
        ("su root -c 'rm /x'", &["/x"]),
        ("su - -c 'rm a ~/b /x'", &["/x"]),
        ("su -l u --command='rm a /x'", &["/x"]),
        ("runuser -u u -c 'rm /x'", &["/x"]),
        ("sudo -i rm a /x", &["/x"]),
        ("sudo su -c 'tee /x'", &["/x"]),
        ("flock /s/lock -c 'rm /x'", &["/x"]),
        ("script -qc 'rm /x' /s/log", &["/x", "/s/log"]),
        ("script /s/log", &["/s/log"]),
        ("script", &["/home/u/proj/typescript"]),
        ("npx prettier --write a", &["/home/u/proj/a"]),
        ("npx -c 'rm /x'", &["/x"]),
        ("npx -y prettier@3 --write a; pnpm dlx eslint@9.1 --fix b", &["/home/u/proj/a", "/home/u/proj/b"]),
        ("npx prettier@3 --check a; npx @scope/tool --write a; npx @scope/tool@1 --write a", &[]),
        ("uvx ruff@0.9 format /s/a.py", &["/s/a.py"]),
        ("python -m black /s/a.py", &["/s/a.py"]),
        ("uv run python3 -m ruff check --fix /s", &["/s"]),
        ("python -m black --check /s; python -m pytest /s; python -m pip install -r /s/r; python3 -m venv /s", &[]),
        ("uv run ruff format /s/a.py", &["/s/a.py"]),
        ("uv pip install a b", &[]),
        ("pnpm exec eslint --fix a", &["/home/u/proj/a"]),
        ("npm run build", &[]),
        ("npm --prefix /s install; make -C /s install; cargo build --manifest-path /s/Cargo.toml", &[]),
    ]);
}

#[test]
fn what_xargs_runs() {
    check(&[
        ("find . -name '*.tmp' | xargs rm", &[]),
        ("find . | xargs -0 -n1 rm -f /x", &["/x"]),
        ("ls | xargs -I{} cp {} /s/", &["/s"]),
        ("ls | xargs cp -t /s", &["/s"]),
        ("ls | xargs -I % mv % /s/%.bak", &[]),
        ("ls | xargs -n 1 sh -c 'rm /x \"$1\"' _", &["/x"]),
        ("ls | xargs sed -i s/a/b/", &[]),
        ("echo a b | xargs rm", &["/home/u/proj/a", "/home/u/proj/b"]),
        ("echo a | xargs -I{} mv {} /s/{}", &["/home/u/proj/a", "/s/a"]),
        ("xargs rm <<< 'a b'", &["/home/u/proj/a", "/home/u/proj/b"]),
        ("xargs rm < list", &[]),
        ("git ls-files -m | xargs git -C /s add", &["/s"]),
        ("ls | xargs", &[]),
        ("ls | xargs tee /s/log", &["/s/log"]),
    ]);
}

#[test]
fn the_project_and_other_directories_that_are_known() {
    check(&[
        ("rm $CLAUDE_PROJECT_DIR/a \"${CLAUDE_PROJECT_DIR}/../s/b\"", &["/home/u/proj/a", "/home/u/s/b"]),
        ("bash -c 'rm $CLAUDE_PROJECT_DIR/a'", &["/home/u/proj/a"]),
        ("rm $GEMINI_PROJECT_DIR/a", &[]),
        ("cd /s; rm ~+/a ~-/b ~+", &["/s/a", "/home/u/proj/b", "/s"]),
        ("rm ~-/b", &[]),
        ("rm ~+x/b", &[]),
        ("rm '~+/b'", &["/home/u/proj/~+/b"]),
    ]);
}

#[test]
fn where_git_is_told_to_work() {
    check(&[
        ("GIT_DIR=/x/.git GIT_WORK_TREE=/x git commit -m y", &["/x", "/x/.git"]),
        ("export GIT_DIR=/x/.git GIT_WORK_TREE=/x; git add .", &["/x", "/x/.git"]),
        ("GIT_DIR=/x/.git; git add .", &["/home/u/proj"]),
        ("env GIT_WORK_TREE=/x git checkout -f", &["/x"]),
        ("GIT_WORK_TREE=$X git checkout -f", &[]),
        ("GIT_WORK_TREE=/x git --work-tree=/y checkout -f", &["/y"]),
        ("GIT_DIR=/x/.git git log", &[]),
        ("git submodule add https://h/x sub", &["/home/u/proj"]),
    ]);
}

#[test]
fn formatters_and_makers() {
    check(&[
        ("prettier --write a.ts /s/b.ts", &["/home/u/proj/a.ts", "/s/b.ts"]),
        ("prettier -w --config x.json a.ts", &["/home/u/proj/a.ts"]),
        ("prettier --check a.ts", &[]),
        ("gofmt -w -s a.go", &["/home/u/proj/a.go"]),
        ("gofmt -l a.go", &[]),
        ("goimports -local x --w a.go", &["/home/u/proj/a.go"]),
        ("rustfmt --edition 2024 a.rs", &["/home/u/proj/a.rs"]),
        ("rustfmt --check a.rs", &[]),
        ("cd /s && cargo fmt --all", &["/s"]),
        ("cargo fmt --check", &[]),
        ("black -l 100 a.py", &["/home/u/proj/a.py"]),
        ("black --check a.py", &[]),
        ("ruff format", &["/home/u/proj"]),
        ("ruff format --diff a.py", &[]),
        ("ruff check --fix --select I a.py", &["/home/u/proj/a.py"]),
        ("ruff check a.py", &[]),
        ("isort -c a.py", &[]),
        ("yq -i '.a = 1' a.yml", &["/home/u/proj/a.yml"]),
        ("yq e -i '.a = 1' a.yml", &["/home/u/proj/a.yml"]),
        ("yq '.a' a.yml", &[]),
        ("jq .a a.json", &[]),
        ("eslint --fix -c x.js a.js", &["/home/u/proj/a.js"]),
        ("eslint a.js -o /s/report", &["/s/report"]),
        ("clang-format -i --style=LLVM a.c", &["/home/u/proj/a.c"]),
        ("clang-format a.c", &[]),
        ("shfmt -i 4 -w a.sh", &["/home/u/proj/a.sh"]),
        ("shfmt -d a.sh", &[]),
        ("terraform fmt -recursive /s", &["/s"]),
        ("biome check --write", &["/home/u/proj"]),
        ("split -b 1M a /s/part.", &["/s/part."]),
        ("cd /s; split a; csplit a 10", &["/s/x", "/s/xx"]),
        ("csplit -f /s/p a 10", &["/s/p"]),
        ("fallocate -l 1M /s/f", &["/s/f"]),
        ("mktemp; mktemp -d; mktemp -t x.XXX; mktemp --tmpdir x.XXX", &[]),
        ("mktemp /s/x.XXXX", &["/s/x.XXXX"]),
        ("mktemp -d -p /s", &["/s/tmp.XXXXXXXXXX"]),
        ("mktemp --tmpdir=/s x.XXX", &["/s/x.XXX"]),
        ("uniq -c in /s/out", &["/s/out"]),
        ("uniq in", &[]),
        ("go build -o /s/bin ./cmd/x", &["/s/bin"]),
        ("go test -race -coverprofile=/s/c.out ./...", &["/s/c.out"]),
        ("go vet ./...", &[]),
        ("gcc -O2 -fno-common -o /s/a a.c", &["/s/a"]),
        ("g++ a.cc -o/s/a -lfoo", &["/s/a"]),
    ]);
}

#[test]
fn what_of_git_only_reads() {
    for command in [
        "symbolic-ref HEAD",
        "symbolic-ref --short -q HEAD",
        "config --get user.name",
        "config --get-regexp a b",
        "config get --all user.name",
        "config --global --list",
        "config -f /s/config user.name",
        "config --show-origin user.name",
        "config --type bool core.bare",
        "stash list",
        "stash show -p stash@{0}",
        "branch",
        "branch -vv",
        "branch --list 'x*'",
        "branch -r --sort -committerdate",
        "branch --sort -committerdate --format '%(refname)'",
        "branch --merged main",
        "branch -a --points-at HEAD",
        "tag -l 'v*'",
        "tag -n3 v1",
        "tag --sort -creatordate",
        "tag --contains HEAD",
        "tag -v v1",
        "remote",
        "remote -v",
        "remote show origin",
        "remote get-url origin",
        "worktree list --porcelain",
        "worktree prune -n",
        "notes show HEAD",
        "notes list",
        "notes --ref x show",
        "bisect log",
        "bisect view",
        "reflog",
        "reflog show HEAD",
        "submodule",
        "submodule status --recursive",
        "submodule summary",
        "sparse-checkout list",
        "replace -l",
        "am --show-current-patch=diff",
        "apply --stat x.diff",
        "commit --dry-run",
        "commit --short",
        "clean -ndx",
        "archive HEAD",
        "bundle verify b",
        "format-patch --stdout HEAD~1",
        "ls-files",
        "check-ignore x",
        "for-each-ref --format='%(refname)'",
    ] {
        check(&[(&format!("git {command}"), &[])]);
    }
    for command in [
        "symbolic-ref HEAD refs/heads/x",
        "symbolic-ref -d refs/x",
        "symbolic-ref -m why HEAD refs/heads/x",
        "config set user.name x",
        "stash -m x",
        "stash -- a",
        "branch -m new",
        "branch -f x HEAD",
        "branch -u origin/x",
        "tag -m x v1",
        "remote -v add x u",
        "notes --ref x add -m y",
        "bisect next",
        "submodule --quiet update",
        "worktree prune",
    ] {
        check(&[(&format!("git {command}"), &["/home/u/proj"])]);
    }
}
