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
