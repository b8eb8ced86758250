//! The queue by tables, and by properties over lines of any kind.

use proptest::prelude::*;
use serde_json::Map;

use super::*;
use crate::core::{
    claim::Claim,
    entry::plain_file,
    rule::{self, Request, Wish},
};

const NOW: Timestamp = Timestamp(100_000);

fn target(text: &str) -> Target {
    Target::recorded(text, PathStyle::Unix).unwrap()
}

fn holder(text: &str) -> Holder {
    Holder::new(text).unwrap()
}

/// (arrival, holder, target, age, shared)
type Row<'a> = (u64, &'a str, &'a str, i64, bool);

fn ticket(&(arrival, name, what, age, shared): &Row<'_>) -> Ticket {
    let bid = Bid { target: what.into(), holder: name.into(), shared, since: Timestamp(0) };
    let number = Number { arrival, mark: arrival * 7 };
    let (stem, renewed) = (target(what).stem(), Timestamp(NOW.0 - age));
    let ticket = Ticket::read(&stem, &number.file(), &bid.to_bytes(), renewed, PathStyle::Unix);
    assert!(ticket.asks.is_some());
    ticket
}

fn claim(what: &str, name: &str, shared: bool) -> Entry {
    let target = target(what);
    let claim = Claim {
        target: what.into(),
        holder: name.into(),
        purpose: "p".into(),
        taken_at: NOW,
        heartbeat_at: NOW,
        taken_from: None,
        ttl: None,
        shared,
        more: Map::new(),
    };
    Entry { file: plain_file(&target.stem()), record: Record::Claim(claim, target) }
}

/// Whom `me` waits for when it asks for `/t` from behind `own`, in order.
fn before<'a>(claims: &[Entry], rows: &'a [Row<'a>], own: Option<u64>, shared: bool) -> Vec<&'a str> {
    let tickets: Vec<Ticket> = rows.iter().map(ticket).collect();
    let (target, holder) = (target("/t"), holder("me"));
    let number = own.map(|arrival| Number { arrival, mark: arrival * 7 });
    let ask = Ask { target: &target, holder: &holder, shared, number };
    ahead(claims, &tickets, &ask, NOW)
        .iter()
        .map(|found| rows.iter().find(|row| ticket(row) == **found).map(|row| row.1).unwrap())
        .collect()
}

#[test]
fn whoever_came_first_and_still_lives_goes_first() {
    let line: &[Row<'_>] = &[(3, "c", "/t", 0, false), (1, "a", "/t", 0, false), (2, "b", "/t", 0, false)];
    assert_eq!(before(&[], line, None, false), ["a", "b", "c"]);
    assert_eq!(before(&[], line, Some(3), false), ["a", "b"]);
    assert_eq!(before(&[], line, Some(1), false), Vec::<&str>::new());
    for (age, waits) in [(0, true), (5, true), (6, false), (-5, true), (-6, false), (i64::MAX / 2, false)] {
        assert_eq!(!before(&[], &[(1, "a", "/t", age, false)], None, false).is_empty(), waits, "{age}");
    }
}

#[test]
fn only_what_overlaps_and_cannot_be_shared_is_waited_for() {
    for (row, shared, waits) in [
        ((1, "a", "/t", 0, false), false, true),
        ((1, "a", "/t/f", 0, false), false, true),
        ((1, "a", "/", 0, false), false, true),
        ((1, "a", "/u", 0, false), false, false),
        ((1, "a", "t", 0, false), false, false),
        ((1, "a", "/t", 0, true), false, true),
        ((1, "a", "/t", 0, false), true, true),
        ((1, "a", "/t", 0, true), true, false),
        ((1, "me", "/t", 0, false), false, false),
    ] {
        assert_eq!(!before(&[], &[row], None, shared).is_empty(), waits, "{row:?} {shared}");
    }
}

#[test]
fn a_ticket_that_waits_for_the_asker_does_not_hold_it_up() {
    let line: &[Row<'_>] = &[(1, "a", "/", 0, false)];
    assert_eq!(before(&[claim("/t/f", "me", false)], line, None, false), Vec::<&str>::new());
    assert_eq!(before(&[claim("/elsewhere", "me", true)], line, None, false), Vec::<&str>::new());
    assert_eq!(before(&[claim("/t/f", "other", false)], line, None, false), ["a"]);
    assert_eq!(before(&[claim("/u", "me", false)], &[(1, "a", "/t", 0, false)], None, false), ["a"]);
    // Both shared: the asker's claim is not what the ticket waits for.
    assert_eq!(before(&[claim("/u", "me", true)], &[(1, "a", "/", 0, true)], None, false), ["a"]);
}

#[test]
fn nor_does_one_that_waits_behind_a_ticket_that_waits_for_the_asker() {
    let line: &[Row<'_>] = &[(1, "b", "/", 0, false), (2, "d", "/t", 0, false), (3, "e", "/t/x", 0, false)];
    assert_eq!(before(&[claim("/u", "me", false)], line, None, false), Vec::<&str>::new());
    assert_eq!(before(&[claim("/u", "other", false)], line, None, false), ["b", "d", "e"]);
    // The last one waits for nobody but the asker's own claim, though the first of them is not on its way.
    let line: &[Row<'_>] = &[(1, "b", "/t/x", 0, false), (2, "d", "/t", 0, false)];
    assert_eq!(before(&[claim("/t/x/y", "me", false)], line, None, false), Vec::<&str>::new());
    assert_eq!(before(&[claim("/t/y", "me", false)], line, None, false), ["b"]);
}

#[test]
fn the_claims_that_matter_are_found_by_way_of_the_tickets() {
    let line: &[Row<'_>] = &[(1, "b", "/t/x", 0, false), (2, "d", "/t", 0, false), (3, "e", "/u/v", 0, false)];
    let tickets: Vec<Ticket> = line.iter().map(ticket).collect();
    let reaches = reaches(&tickets, &target("/t/o").reach());
    let reached = |what: &str| reaches.iter().any(|reach| reach.has(&target(what).stem()));
    assert!(reached("/t/x/y") && reached("/t") && reached("/") && !reached("/u/v") && !reached("name"));
}

#[test]
fn only_something_new_is_held_up() {
    let (what, who) = (target("/t"), holder("me"));
    let tickets = [ticket(&(1, "a", "/t", 0, false))];
    let request = Request { target: &what, holder: &who };
    let ask = Ask { target: &what, holder: &who, shared: false, number: None };
    let verdict = |claims: &[Entry]| {
        let decision = rule::take(claims, &request, &Wish::default(), NOW);
        admit(claims, &tickets, &ask, decision, NOW).map(|decision| decision.verdict).map_err(|ticket| ticket.file)
    };
    assert!(verdict(&[]).is_err());
    assert!(matches!(verdict(&[claim("/t", "me", false)]), Ok(Verdict::Renewed(_))));
    assert!(matches!(verdict(&[claim("/t", "b", false)]), Ok(Verdict::Refused(_))));
}

#[test]
fn a_file_that_is_no_ticket_is_in_nobodys_way() {
    let good = ticket(&(1, "a", "/t", 0, false));
    let bytes = Bid { target: "/t".into(), holder: "a".into(), shared: false, since: NOW }.to_bytes();
    let read = |stem: &str, file: &str, bytes: &[u8]| Ticket::read(stem, file, bytes, NOW, PathStyle::Unix).asks;
    assert!(read(&good.stem, &good.file, &bytes).is_some());
    for (stem, file, bytes) in [
        (&*good.stem, "1-7.json", &*bytes),
        (&good.stem, "x", &bytes),
        (&good.stem, "", &bytes),
        (&good.stem, &good.file, b"".as_slice()),
        (&good.stem, &good.file, b"{}"),
        (&good.stem, &good.file, &[0xff; 100_000]),
        ("other", &good.file, &bytes),
    ] {
        assert_eq!(read(stem, file, bytes), None, "{stem} {file}");
    }
}

#[test]
fn numbers_go_on_from_the_latest_and_never_overflow() {
    assert_eq!(next_arrival(&[]), 1);
    assert_eq!(next_arrival(&[ticket(&(7, "a", "/t", 900, false)), ticket(&(2, "b", "/u", 0, false))]), 8);
    let number = Number { arrival: u64::MAX, mark: u64::MAX };
    assert_eq!(Number::of(&number.file()), Some(number));
}

fn rows() -> impl Strategy<Value = Vec<(u64, String, String, i64, bool)>> {
    let holders = prop::sample::select(vec!["a", "b", "c", "d"]).prop_map(str::to_owned);
    let targets = prop::sample::select(vec!["/", "/t", "/t/f", "/t/f/g", "/u", "name"]).prop_map(str::to_owned);
    let row = (holders, targets, -7_i64..8, any::<bool>());
    prop::collection::vec(row, 1..8).prop_map(|rows| {
        let numbered = rows.into_iter().zip(1..);
        numbered.map(|((holder, target, age, shared), arrival)| (arrival, holder, target, age, shared)).collect()
    })
}

proptest! {
    /// However the living tickets overlap, the line moves: the earliest of them waits for no ticket, and nobody waits for
    /// a later one. So there is no circle, and every ticket is served once those before it are.
    #[test]
    fn the_line_always_moves(rows in rows(), held in prop::sample::select(vec!["/", "/t", "/u", "name"])) {
        let rows: Vec<Row<'_>> = rows.iter().map(|(n, h, t, age, s)| (*n, &**h, &**t, *age, *s)).collect();
        let tickets: Vec<Ticket> = rows.iter().map(ticket).collect();
        let mut living: Vec<&Asked> =
            tickets.iter().filter(|ticket| ticket.is_alive(NOW)).filter_map(|ticket| ticket.asks.as_ref()).collect();
        living.sort_by_key(|asked| asked.number);
        for claims in [Vec::new(), vec![claim(held, "a", false)]] {
            for (place, asked) in living.iter().enumerate() {
                let who = holder(&asked.bid.holder);
                let ask =
                    Ask { target: &asked.target, holder: &who, shared: asked.bid.shared, number: Some(asked.number) };
                let ahead = ahead(&claims, &tickets, &ask, NOW);
                prop_assert!(ahead.iter().all(|ticket| ticket.asks.as_ref().unwrap().number < asked.number));
                prop_assert!(place > 0 || ahead.is_empty());
            }
        }
    }

    #[test]
    fn no_bytes_and_no_name_panic(stem in ".*", file in ".*", bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _total = Ticket::read(&stem, &file, &bytes, NOW, PathStyle::Unix).is_alive(NOW);
        let _total = Number::of(&file);
    }
}
