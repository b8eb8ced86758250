//! Texts made to hurt: each must come back, and what stands before the damage may still be found.

use std::path::PathBuf;

use super::found;

#[test]
fn deep_nesting_is_survived_in_every_form() {
    let openings = [
        "(",
        "( ",
        "$(",
        "\"$(",
        "`",
        "$((",
        "((",
        "{ ",
        "if ",
        "while ",
        "case a in (",
        "<(",
        "${a:-",
        "${",
        "\"${a:-\"",
        "[[ ( ",
        "[[ ! ",
        "! ",
        "f() ",
        "function f ",
        "time ",
        "a=(",
        "a[",
        "@(",
        "{a,",
        "'",
        "\"",
        "\\",
        "$'",
        "<<E ",
        "<<E;",
        "if a; then b; elif ",
        "coproc ",
        "for i in a; do ",
        "bash -c 'bash -c \"",
        "eval ",
        "sudo ",
        "env A=B ",
        "$[",
        "#",
    ];
    for opening in openings {
        for count in [40, 1_500, 8_000] {
            found(&opening.repeat(count));
        }
    }
    for (start, repeated, end) in [
        ("[[ ", "! ", "a ]]"),
        ("[[ ", "( ", "a ]]"),
        ("((", "- ", "1))"),
        ("((", "a=", "1))"),
        ("((", "a**", "1))"),
        ("[[ ", "a && ", "b ]]"),
        ("echo $((", "~", "1))"),
        ("cat <<E\n", "$(", "\nE"),
        ("cat <<E\n", "${a:-`", "\nE"),
        ("cat <<E\n", "$(a) ", "\nE"),
        ("echo ", "${a:-", "x"),
        ("echo ", "{a,b}", ""),
        ("F=a;", "F=$F$F;", "rm $F"),
    ] {
        for count in [40, 1_500, 6_000] {
            found(&format!("{start}{}{end}", repeated.repeat(count)));
        }
    }
}

#[test]
fn balanced_nesting_up_to_the_parsers_limits_is_survived() {
    for (open, close) in [
        ("(", ")"),
        ("{ ", "; }"),
        ("$(a ", ")"),
        ("if a; then ", "; fi"),
        ("\"$(a ", ")\""),
        ("<(a ", ")"),
        ("$(echo ')' ", ")"),
        ("$(echo \")\" ", ")"),
        ("$(echo \\) ", ")"),
        ("$(case a in a) ", ";; esac)"),
        ("$( # )\n", "\n)"),
    ] {
        for count in [10, 12, 90, 400, 2_000] {
            found(&format!("touch a\n{}b{}", open.repeat(count), close.repeat(count)));
        }
    }
}

#[test]
fn a_large_text_of_anything_comes_back() {
    const MEGABYTE: usize = 1 << 20;
    for piece in [
        "a",
        "a ",
        "a;",
        "a\n",
        "a|",
        "a&&",
        "a||",
        "$a ",
        "$(a) ",
        "`a` ",
        "'a' ",
        "> a ",
        "touch a\n",
        "{ a\n",
        "cd a\n",
        "F=a\n",
        "<<E\n",
        "{a,b}",
        "a=b ",
        "f() { a; }\n",
        "if a; then b; fi\n",
        "\u{fdd0}",
        "\0",
        "é",
        "()",
        "))",
    ] {
        found(&piece.repeat(MEGABYTE / 8 / piece.len()));
    }
    let body = "int f(int a) { return a > 3 && !b; } // it's `x`\n".repeat(MEGABYTE / 50);
    let command = format!("cat > /s/big.c <<'EOF'\n{body}EOF\ntouch b");
    assert_eq!(found(&command), ["/s/big.c", "/home/u/proj/b"].map(PathBuf::from));
}

#[test]
fn loops_in_loops_and_calls_in_calls_end() {
    let loops = "for i in 1 2 3 4 5 6 7 8 9; do ".repeat(9);
    let ends = "; done".repeat(9);
    assert_eq!(found(&format!("{loops}touch a{ends}")), [PathBuf::from("/home/u/proj/a")]);
    found("f() { f; f; f; }; f");
    found("f() { g; g; }; g() { f; f; }; f; g");
    found("f() { bash -c \"$1 $1\"; f \"$1 $1\"; }; f 'rm a;'");
}

#[test]
fn what_stands_before_too_deep_a_nest_is_found() {
    let nest = "$(".repeat(10_000);
    assert_eq!(found(&format!("touch a\n{nest}")), [PathBuf::from("/home/u/proj/a")]);
}

#[test]
fn what_is_too_deep_is_read_in_pieces() {
    for depth in [13, 200, 10_000] {
        let (open, close) = ("$(".repeat(depth), ")".repeat(depth));
        for (command, expected) in [
            (format!("echo {open}rm /s/a{close}"), &["/s/a"][..]),
            (format!("echo {open}ls{close} > /s/b"), &["/s/b"]),
            (format!("cd /s; echo {open}touch a{close}; rm b"), &["/s/a", "/s/b"]),
            (
                format!("touch a\n{open}{close}\necho > /s/b\nif x; then rm /s/c; fi"),
                &["/home/u/proj/a", "/s/b", "/s/c"],
            ),
            (format!("echo '{open}{close}' && sudo tee /s/a"), &["/s/a"]),
        ] {
            let expected: Vec<PathBuf> = expected.iter().map(PathBuf::from).collect();
            assert_eq!(found(&command), expected, "{depth} {}", command.replace(&open, "$(").replace(&close, ")"));
        }
    }
}

#[test]
fn a_document_may_be_as_deep_as_it_likes() {
    let nest = format!("{}{}", "$(".repeat(500), ")".repeat(500));
    let braces = format!("{}{}", "{\"a\":[".repeat(3_000), "]}".repeat(3_000)).repeat(20);
    for body in [nest, braces, "`x` $(y) <<z\n".repeat(20_000)] {
        for end in ["'EOF'", "\"EOF\"", "- 'EOF'"] {
            let command = format!("cat > /s/f <<{end}\n{body}\nrm /not\nEOF\ntouch a");
            assert_eq!(found(&command), ["/s/f", "/home/u/proj/a"].map(PathBuf::from), "{end} {}", command.len());
        }
    }
}

#[test]
fn what_stands_behind_many_commands_is_found() {
    let many = "echo a\n".repeat(40_000);
    assert_eq!(found(&format!("{many}rm /s/a")), [PathBuf::from("/s/a")]);
    let words = "a ".repeat(500);
    assert_eq!(
        found(&format!("for f in {words}; do touch /s/$f; done; rm b")),
        ["/s/a", "/home/u/proj/b"].map(PathBuf::from)
    );
}
