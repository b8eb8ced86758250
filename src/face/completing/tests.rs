//! Where the cursor stands, on a command line with one of everything.

use clap::{Arg, ArgAction, Command, ValueHint};

use super::{Question, Wanted, Which, ask};

fn tree() -> Command {
    let target = || Arg::new("target").required(true);
    let mut tree = Command::new("claim")
        .arg(Arg::new("holder").long("holder").global(true))
        .arg(Arg::new("json").long("json").global(true).action(ArgAction::SetTrue))
        .arg(Arg::new("dir").long("dir").global(true).value_name("DIR"))
        .subcommand(Command::new("take").arg(target()).arg(Arg::new("purpose").required(true)))
        .subcommand(Command::new("release").arg(target()).arg(Arg::new("short").short('s')))
        .subcommand(Command::new("new-verb").arg(target()))
        .subcommand(Command::new("hidden").hide(true))
        .subcommand(Command::new("run").arg(target()).arg(Arg::new("command").num_args(1..).last(true)))
        .subcommand(
            Command::new("guard")
                .arg(Arg::new("paths").num_args(1..).value_hint(ValueHint::AnyPath))
                .arg(Arg::new("home").long("home").value_name("DIR")),
        )
        .subcommand(Command::new("install").arg(Arg::new("agent").value_parser(["claude", "codex"])))
        .subcommand(
            Command::new("handover")
                .subcommand(Command::new("next").arg(target()))
                .subcommand(Command::new("done").arg(Arg::new("note"))),
        );
    tree.build();
    tree
}

fn asked(line: &str) -> Question {
    let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    let (word, before) = words.split_last().unwrap();
    ask(&tree(), before, word)
}

fn texts(question: &Question) -> Vec<&str> {
    question.offers.iter().map(|offer| offer.text.as_str()).collect()
}

#[test]
fn what_comes_next_follows_from_the_words_before() {
    for (line, wanted) in [
        ("take ", Wanted::Target(Which::Free)),
        ("take sha", Wanted::Target(Which::Free)),
        ("--json take ", Wanted::Target(Which::Free)),
        ("--holder take release ", Wanted::Target(Which::Mine)),
        ("--holder=take release ", Wanted::Target(Which::Mine)),
        ("release -s release ", Wanted::Target(Which::Mine)),
        ("release --json ", Wanted::Target(Which::Mine)),
        ("release -- ", Wanted::Target(Which::Mine)),
        ("release x ", Wanted::Nothing),
        ("take x ", Wanted::Nothing),
        ("new-verb ", Wanted::Target(Which::Claimed)),
        ("handover next ", Wanted::Target(Which::Noted)),
        ("handover done ", Wanted::Note),
        ("run ", Wanted::Target(Which::Free)),
        ("run x ", Wanted::Nothing),
        ("run x -- ", Wanted::Program),
        ("guard ", Wanted::File),
        ("guard a b ", Wanted::File),
        ("guard --home ", Wanted::Directory),
        ("guard --home=", Wanted::Directory),
        ("take --dir ", Wanted::Directory),
        ("take --holder ", Wanted::Holder),
        ("--unknown ", Wanted::Nothing),
        ("nonsense ", Wanted::Nothing),
    ] {
        assert_eq!(asked(line).wanted, wanted, "{line}");
    }
}

#[test]
fn verbs_options_and_values_are_those_of_the_tree() {
    assert_eq!(
        texts(&asked("")),
        ["take", "release", "new-verb", "run", "guard", "install", "handover", "help"],
        "no hidden one"
    );
    assert_eq!(texts(&asked("handover ")), ["next", "done", "help"]);
    assert_eq!(texts(&asked("install ")), ["claude", "codex"]);
    assert_eq!(texts(&asked("guard --")), ["--home", "--holder", "--json", "--dir", "--help"]);
    assert_eq!(texts(&asked("guard -- --")), [""; 0], "behind -- there is no option");
    assert_eq!(texts(&asked("take x ")), [""; 0]);
}

#[test]
fn a_value_in_the_same_word_keeps_what_stands_before_it() {
    let question = asked("release --holder=me");
    assert_eq!((&*question.lead, &*question.value, question.wanted), ("--holder=", "me", Wanted::Holder));
    assert_eq!(asked("release --nonsense=me").wanted, Wanted::Nothing);
}

#[test]
fn who_asks_and_where_is_read_off_the_line() {
    for line in ["--holder me --dir /d release ", "release --dir=/d --holder=me "] {
        let question = asked(line);
        assert_eq!((question.holder.as_deref(), question.directory.as_deref()), (Some("me"), Some("/d")), "{line}");
    }
}

#[test]
fn options_are_offered_where_nothing_else_is_needed() {
    assert!(asked("release x ").fallback.iter().any(|offer| offer.text == "--holder"));
    assert!(asked("release ").fallback.is_empty(), "a target is needed");
    assert!(asked("release x y").fallback.is_empty(), "something else was begun");
}
