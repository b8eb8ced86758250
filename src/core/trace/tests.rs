//! One spelling, sealed, and total on whatever is in the file.

use proptest::prelude::*;

use super::*;

const TERMS: Terms = Terms { ttl_s: 900, shared: true };

fn act(agent: &str) -> Act<'_> {
    Act { ts: Timestamp::from_seconds(1_786_741_331), agent, task: "/srv/a \"b\" ä" }
}

fn blocker() -> Blocker<'static> {
    Blocker { holder: "session-b", idle_s: 41 }
}

/// One line of each form.
fn forms(agent: &str) -> Vec<Line> {
    let act = act(agent);
    vec![
        Line::claim(act, TERMS, None),
        Line::claim(act, TERMS, Some("session-b")).waited(4),
        Line::renew(act, 3, TERMS).waited(0),
        Line::beat(act, -3, TERMS),
        Line::release(act, 3, TERMS),
        Line::break_for_take(act, blocker(), TERMS),
        Line::break_stale(act, blocker(), TERMS),
        Line::skip(act, blocker(), false),
        Line::skip(act, blocker(), true).waited(9),
        Line::skip_release(act, blocker()),
        Line::skip_note(act, blocker()),
        Line::skip_in_queue(act, true, 60),
        Line::wait(act, Some(blocker()), true),
        Line::wait(act, None, false),
        Line::handover(act, 1),
        Line::start(act, u64::MAX, 3),
        Line::finish(act, 1, i64::MIN),
    ]
}

#[test]
fn the_keys_stand_in_their_order() {
    let line = Line::skip(act("session-a"), blocker(), true).waited(9);
    let text = next(Some(&TraceId { sequence: 41, seal: 7 }), &line);
    let (start, end) = text.split_once("42-").unwrap();
    assert_eq!(start, r#"{"ts":"2026-08-14T21:02:11Z","trace_id":""#);
    assert_eq!(
        &end[16..],
        concat!(
            r#"","agent":"session-a","action":"skip","task":"/srv/a \"b\" ä","rule":"claim#3","#,
            r#""idle_s":41,"held_by":"session-b","shared":true,"waited_s":9}"#,
            "\n"
        )
    );
}

/// The published FNV-1a test vectors; the seal is part of the file format and must never change.
#[test]
fn the_hash_is_fnv() {
    assert_eq!(Digest::new().with(b""), Digest::new());
    let spread = |seed: u64| {
        let first = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let second = (first ^ (first >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        second ^ (second >> 31)
    };
    for (text, hash) in [("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)] {
        assert_eq!(Digest::new().with(text.as_bytes()).finish(), spread(hash));
    }
}

#[test]
fn every_form_reads_back_and_agrees_with_itself() {
    let mut previous = None;
    for (position, line) in forms("session-a").iter().enumerate() {
        let new_file = position % 5 == 4;
        let text = if new_file { next_in_new_file(previous.as_ref(), line) } else { next(previous.as_ref(), line) };
        let entry = parse(text.trim_end_matches('\n').as_bytes()).unwrap();
        assert_eq!(entry.line, *line);
        assert_eq!(entry.line.check(), Ok(()));
        assert_eq!(entry.id.sequence, u64::try_from(position).unwrap() + 1);
        assert_eq!(entry.continues, previous.filter(|_| new_file));
        assert!(entry.follows(previous.as_ref()));
        assert!(!entry.follows(Some(&TraceId { sequence: 9, seal: 9 })));
        assert_eq!(last_id(text.as_bytes()), Some(entry.id));
        previous = Some(entry.id);
    }
}

#[test]
fn the_longest_names_fit() {
    let agent = "🦀".repeat(MAX_HOLDER_CHARACTERS);
    let task = format!("/{}", "\"".repeat(MAX_TASK_BYTES - 1));
    let act = Act { task: &task, ..act(&agent) };
    let line = Line { held_by: Some(agent.clone()), ..Line::claim(act, TERMS, Some(&agent)) };
    let text = next_in_new_file(Some(&TraceId { sequence: u64::MAX, seal: u64::MAX }), &line);
    assert_eq!(parse(text.trim_end().as_bytes()).unwrap().line, line);
}

#[test]
fn faults_have_their_words() {
    let good = next(None, &Line::beat(act("session-a"), 3, TERMS)).trim_end().to_owned();
    let with = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        good.replacen(from, to, 1).into_bytes()
    };
    let long = "x".repeat(MAX_HOLDER_CHARACTERS + 1);
    let table: &[(FaultKind, Vec<u8>)] = &[
        (FaultKind::Torn, Vec::new()),
        (FaultKind::Torn, good.as_bytes()[..50].to_vec()),
        (FaultKind::Torn, vec![0; 300]),
        (FaultKind::Torn, good.split('ä').next().unwrap().bytes().chain([0xc3]).collect()),
        (FaultKind::NotATraceLine, b"hello".to_vec()),
        (FaultKind::NotATraceLine, b"[1]".to_vec()),
        (FaultKind::NotATraceLine, vec![0xff, b'{', b'}']),
        (FaultKind::NotATraceLine, with("\"idle_s\":3", "\"idle_s\":\"3\"")),
        (FaultKind::NotATraceLine, with("\"idle_s\":3", "\"idle_s\":3,\"idle_s\":3")),
        (FaultKind::NotATraceLine, with("\"ttl_s\":900", "\"ttl_s\":0")),
        (FaultKind::NotATraceLine, with("\"ttl_s\":900", "\"ttl_s\":604801")),
        (FaultKind::NotATraceLine, with("2026-08-14T", "2026-13-14T")),
        (FaultKind::NotATraceLine, with("\"trace_id\":\"1-", "\"trace_id\":\"01-")),
        (FaultKind::NotATraceLine, with("/srv/a \\\"b\\\" ä", "...")),
        (FaultKind::NotATraceLine, with("session-a", "")),
        (FaultKind::Content, with("\"idle_s\"", "\"purpose\":\"fix it\",\"idle_s\"")),
        (FaultKind::Content, with("session-a", &long)),
        (FaultKind::Content, with("session-a", "a\\u001b[2J")),
        (FaultKind::Content, with("/srv/a", "/srv/\\u0007a")),
        (FaultKind::Content, with("/srv/a", &format!("/{}", "a".repeat(MAX_TASK_BYTES)))),
        (FaultKind::Content, vec![b' '; MAX_LINE_BYTES + 1]),
        (FaultKind::UnknownAction, with("\"beat\"", "\"force\"")),
        (FaultKind::UnknownRule, with("claim#2", "claim#99")),
        (FaultKind::UnknownRule, with("claim#2", "rule 2")),
        (FaultKind::WrongFields, with("\"task\":", "\"continues\":")),
        (FaultKind::NotCanonical, with("\"idle_s\":3", "\"idle_s\": 3")),
        (FaultKind::NotCanonical, with("\"idle_s\":3", "\"idle_s\":3,\"note\":null")),
        (FaultKind::NotCanonical, with("21:02:11Z", "23:02:11+02:00")),
        (FaultKind::NotCanonical, with("claim#2", "claim#02")),
        (FaultKind::NotCanonical, with("session-a", "sessio\\u006e-a")),
        (FaultKind::NotCanonical, [good.as_bytes(), b"\0"].concat()),
        (FaultKind::NotCanonical, [good.as_bytes(), b"\r"].concat()),
    ];
    for (kind, bytes) in table {
        let fault = parse(bytes).unwrap_err();
        assert_eq!(fault.kind, *kind, "{fault} in {}", String::from_utf8_lossy(bytes));
        assert!(!fault.message.contains(char::is_control) && fault.message.len() < 1000);
    }
}

#[test]
fn a_rule_that_does_not_fit_the_action_is_a_fault() {
    for line in forms("session-a") {
        for rule in rules::RULES {
            let changed = Line { rule: rule.number, ..line.clone() };
            assert_eq!(
                changed.check().is_ok(),
                rule.number == line.rule || fits_two(&line, rule.number),
                "{changed:?}"
            );
        }
    }
}

/// The lines that say by nothing but the rule what they are about.
fn fits_two(line: &Line, other: u8) -> bool {
    match line.action {
        Action::BreakClaim => [4, 5].contains(&other),
        Action::Skip => line.held_by.is_some() && !line.shared && line.waited_s.is_none() && [3, 5, 8].contains(&other),
        _ => false,
    }
}

#[test]
fn the_rules_are_numbered_without_a_gap() {
    for (position, rule) in rules::RULES.iter().enumerate() {
        assert_eq!(usize::from(rule.number), position + 1);
        assert!(rule.statement.ends_with('.') && rule.statement.len() < 120, "{}", rule.statement);
        assert_eq!(rules::rule(rule.number), Some(rule));
    }
    for action in Action::ALL {
        assert!(rules::RULES.iter().any(|rule| rule.actions.contains(&action)));
        assert_eq!(Action::from_word(action.word()), Some(action));
    }
}

#[test]
fn the_appender_finds_the_last_whole_line() {
    let first = next(None, &Line::handover(act("a"), 1));
    let id = last_id(first.as_bytes());
    let second = next(id.as_ref(), &Line::handover(act("a"), 2));
    // Up to the closing brace.
    for cut in 0..second.len() - 2 {
        let file = [first.as_bytes(), &second.as_bytes()[..cut]].concat();
        assert_eq!(last_id(&file).unwrap().sequence, 1, "{cut}");
    }
    // Only the newline is missing: the line is whole, and the next one follows it.
    let file = format!("{first}{}", second.trim_end());
    assert_eq!(last_id(file.as_bytes()).unwrap().sequence, 2);
    assert_eq!(last_id(b""), None);
    assert_eq!(last_id(b"junk\n\njunk"), None);
    // A part of the file that begins in the middle of a line.
    assert_eq!(last_id(&format!("{first}{second}").as_bytes()[20..]).unwrap().sequence, 2);
}

proptest! {
    #[test]
    fn any_bytes_give_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(parse(&bytes).is_err());
        prop_assert_eq!(last_id(&bytes), None);
    }

    #[test]
    fn a_spoilt_line_gives_an_answer_and_never_the_same_line(
        form in 0_usize..17, at in 0_usize..400, byte in any::<u8>(), cut in any::<bool>(),
    ) {
        let line = forms("session-a").swap_remove(form);
        let original = parse(next(None, &line).trim_end().as_bytes()).unwrap();
        let mut bytes = next(None, &line).trim_end().as_bytes().to_vec();
        let at = at % bytes.len();
        if cut { bytes.truncate(at); } else if bytes[at] == byte { return Ok(()); } else { bytes[at] = byte; }
        if let Ok(entry) = parse(&bytes) {
            prop_assert_ne!(&entry, &original);
            prop_assert!(!cut && (!entry.follows(None) || entry.id.sequence != 1));
            // It is spelled as claim spells it, so it can be written again.
            let spelled = format!("\"trace_id\":\"{}\"", entry.id);
            prop_assert!(String::from_utf8(bytes).unwrap().contains(&spelled));
        }
    }

    #[test]
    fn names_of_any_kind_read_back(agent in "[^\\p{C}\\p{Zl}\\p{Zp}]{1,200}",
        task in "[a-z][^\\p{C}\\p{Zl}\\p{Zp}]{0,100}", idle_s in any::<i64>()) {
        let act = Act { task: &task, ..act(&agent) };
        let line = Line::beat(act, idle_s, TERMS);
        prop_assert_eq!(parse(next(None, &line).trim_end_matches('\n').as_bytes()).map(|entry| entry.line), Ok(line));
    }

    /// A claim file may name anybody: the line is one that can be read, and that the next one can follow.
    #[test]
    fn whatever_a_claim_file_says_the_line_is_a_trace_line(holder in any::<String>(), more in 0_usize..400) {
        let holder = format!("{holder}{}", "x".repeat(more));
        let from = Blocker { holder: &holder, idle_s: 901 };
        for line in [
            Line::skip(act("a"), from, false),
            Line::wait(act("a"), Some(from), false),
            Line::break_for_take(act("a"), from, TERMS),
            Line::claim(act("a"), TERMS, Some(&holder)),
        ] {
            let text = next(None, &line);
            prop_assert_eq!(parse(text.trim_end().as_bytes()).map(|entry| entry.line), Ok(line));
            prop_assert!(last_id(text.as_bytes()).is_some());
        }
    }

    #[test]
    fn an_id_has_one_spelling(sequence in 1_u64.., seal in any::<u64>()) {
        let id = TraceId { sequence, seal };
        prop_assert_eq!(TraceId::parse(&id.to_string()), Some(id));
        prop_assert_eq!(TraceId::parse(&format!("+{id}")), None);
        prop_assert_eq!(TraceId::parse(&format!("{sequence}-{seal:X}g")), None);
    }
}
