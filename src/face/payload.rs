//! One JSON value from an agent CLI, as much of it as can be had.
//!
//! Hosts are written in languages whose strings may hold half a surrogate pair, and hand it on as an escape that is no
//! text: `"\ud83d"`. In a file's name and in its content the host's own system makes U+FFFD of it, so that is what it is
//! read as. A byte order mark is no part of JSON, and passed over. What is broken beyond that still tells, up to where it
//! breaks, which moment it was meant for: a write that cannot be understood is one to be denied.

use std::{
    collections::VecDeque,
    fmt,
    io::{self, BufRead, BufReader, Read},
};

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// What came.
#[derive(Debug)]
pub(crate) enum Payload {
    Whole(Value),
    /// What stood before this error.
    Part(Value, serde_json::Error),
}

/// Reads one value, and not on to the end: some hosts never close what they write to.
pub(crate) fn read(source: impl BufRead) -> Payload {
    let mut value = Value::Null;
    // In runs of bytes: the parser asks for one at a time.
    let mut reader = serde_json::Deserializer::from_reader(BufReader::with_capacity(RUN, Mended::new(source)));
    match (Slot(&mut value)).deserialize(&mut reader) {
        Ok(()) => Payload::Whole(value),
        Err(error) => Payload::Part(value, error),
    }
}

/// Where a value is put while it is read, so that an error leaves what came before it.
struct Slot<'a>(&'a mut Value);

impl<'de> DeserializeSeed<'de> for Slot<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Slot<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        *self.0 = value.into();
        Ok(())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        *self.0 = value.into();
        Ok(())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        *self.0 = value.into();
        Ok(())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        *self.0 = value.into();
        Ok(())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<(), E> {
        *self.0 = value.into();
        Ok(())
    }

    fn visit_string<E: Error>(self, value: String) -> Result<(), E> {
        *self.0 = value.into();
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        *self.0 = Value::Null;
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<(), A::Error> {
        *self.0 = Value::Array(Vec::new());
        let Value::Array(items) = self.0 else { return Ok(()) };
        loop {
            let mut item = Value::Null;
            let read = access.next_element_seed(Slot(&mut item));
            if !matches!(read, Ok(None)) {
                items.push(item);
            }
            if read?.is_none() {
                return Ok(());
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<(), A::Error> {
        *self.0 = Value::Object(Map::new());
        let Value::Object(fields) = self.0 else { return Ok(()) };
        while let Some(key) = access.next_key::<String>()? {
            let field = fields.entry(key).or_insert(Value::Null);
            *field = Value::Null;
            access.next_value_seed(Slot(field))?;
        }
        Ok(())
    }
}

const RUN: usize = 4096;
const MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

/// The bytes of a source without a byte order mark, and with every half of a surrogate pair replaced. It never looks
/// further ahead than what a string that is well formed still has to have.
struct Mended<R> {
    source: R,
    begun: bool,
    /// Read and not yet understood.
    ahead: VecDeque<u8>,
    /// Understood and not yet handed on.
    ready: VecDeque<u8>,
}

impl<R: BufRead> Mended<R> {
    fn new(source: R) -> Self {
        Self { source, begun: false, ahead: VecDeque::new(), ready: VecDeque::new() }
    }

    fn byte(&mut self) -> io::Result<Option<u8>> {
        if let Some(byte) = self.ahead.pop_front() {
            return Ok(Some(byte));
        }
        let byte = loop {
            match self.source.fill_buf() {
                Ok(bytes) => break bytes.first().copied(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        };
        self.source.consume(usize::from(byte.is_some()));
        Ok(byte)
    }

    /// The bytes that stand ahead while they are like these; what is unlike them stays ahead.
    fn take(&mut self, wanted: &[fn(u8) -> bool]) -> io::Result<Vec<u8>> {
        let mut taken = Vec::new();
        for is_like in wanted {
            match self.byte()? {
                Some(byte) if is_like(byte) => taken.push(byte),
                Some(byte) => {
                    self.ahead.push_front(byte);
                    break;
                }
                None => break,
            }
        }
        Ok(taken)
    }

    /// Understands what follows a backslash.
    fn escape(&mut self) -> io::Result<()> {
        let code = self.take(&ESCAPE)?;
        match unit(&code) {
            // Whatever else is escaped, also a backslash, is passed on unread.
            None if code.is_empty() => {
                let byte = self.byte()?;
                self.ready.extend(byte);
            }
            Some(0xd800..=0xdbff) => {
                let mut next = self.take(&PAIR)?;
                let pairs =
                    next.strip_prefix(b"\\").and_then(unit).is_some_and(|unit| (0xdc00..=0xdfff).contains(&unit));
                if pairs {
                    self.ready.extend(code);
                    self.ready.append(&mut next.into());
                } else {
                    self.ready.extend(REPLACEMENT);
                    while let Some(byte) = next.pop() {
                        self.ahead.push_front(byte);
                    }
                }
            }
            Some(0xdc00..=0xdfff) => self.ready.extend(REPLACEMENT),
            _ => self.ready.extend(code),
        }
        Ok(())
    }
}

const REPLACEMENT: &[u8] = b"ufffd";
const ESCAPE: [fn(u8) -> bool; 5] = [is_u, is_digit, is_digit, is_digit, is_digit];
const PAIR: [fn(u8) -> bool; 6] = [is_backslash, is_u, is_digit, is_digit, is_digit, is_digit];

fn is_backslash(byte: u8) -> bool {
    byte == b'\\'
}

fn is_u(byte: u8) -> bool {
    byte == b'u'
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}

/// The code unit that `uXXXX` stands for.
fn unit(code: &[u8]) -> Option<u16> {
    let digits = code.strip_prefix(b"u").filter(|digits| digits.len() == 4)?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

impl<R: BufRead> Read for Mended<R> {
    /// What is there already, up to the next escape; it never waits for more than one byte.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.begun {
            self.begun = true;
            let is: [fn(u8) -> bool; 3] = [|byte| byte == MARK[0], |byte| byte == MARK[1], |byte| byte == MARK[2]];
            let mark = self.take(&is)?;
            if mark != MARK {
                self.ready.extend(mark);
            }
        }
        if self.ready.is_empty() && self.ahead.is_empty() {
            let bytes = self.source.fill_buf()?;
            let plain = bytes.iter().position(|byte| *byte == b'\\').unwrap_or(bytes.len());
            let mut run = bytes.get(..plain).unwrap_or_default();
            let length = run.read(buffer)?;
            self.source.consume(length);
            if length > 0 {
                return Ok(length);
            }
        }
        if self.ready.is_empty()
            && let Some(byte) = self.byte()?
        {
            self.ready.push_back(byte);
            if byte == b'\\' {
                self.escape()?;
            }
        }
        self.ready.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn whole(text: &str) -> Value {
        match read(text.as_bytes()) {
            Payload::Whole(value) => value,
            Payload::Part(_, error) => panic!("{text}: {error}"),
        }
    }

    fn part(text: &str) -> Value {
        match read(text.as_bytes()) {
            Payload::Whole(value) => panic!("{text}: {value}"),
            Payload::Part(value, _) => value,
        }
    }

    #[test]
    fn a_half_pair_is_the_sign_for_what_is_no_character() {
        for (text, value) in [
            (r#""\ud83d""#, "\u{fffd}"),
            (r#""a\udc00b""#, "a\u{fffd}b"),
            (r#""\ud83d\ude00""#, "\u{1f600}"),
            (r#""\uD83D\uDE00\ud83d""#, "\u{1f600}\u{fffd}"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}\u{1f600}"),
            (r#""\ud83d\n""#, "\u{fffd}\n"),
            (r#""\ud83d\u0041""#, "\u{fffd}A"),
            (r#""\ud83d\\ude00""#, "\u{fffd}\\ude00"),
            (r#""\\ud83d""#, "\\ud83d"),
            (r#""\\\ud83d\"""#, "\\\u{fffd}\""),
            (r#""\u0041\/""#, "A/"),
        ] {
            assert_eq!(whole(text), json!(value), "{text}");
            assert_eq!(whole(&format!("\u{feff}{{{text}:{text}}}")), json!({value: value}), "{text}");
        }
    }

    #[test]
    fn what_stands_before_an_error_is_kept() {
        assert_eq!(part(r#"{"a":1,"b":{"c":[1,"x",nul"#), json!({"a": 1, "b": {"c": [1, "x", null]}}));
        assert_eq!(part(r#"{"a":"x","b":"y"#), json!({"a": "x", "b": null}));
        assert_eq!(part(r#"{"a":1,"a":x}"#), json!({"a": null}));
        assert_eq!(part(r#"{"a":"\ud8"}"#), json!({"a": null}));
        assert_eq!(part("\u{feff}"), json!(null));
        assert_eq!(part(""), json!(null));
        assert_eq!(part(&format!("{{\"a\":1,\"b\":{}", "[".repeat(1000)))["a"], json!(1));
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec((any::<String>(), inner), 0..5)
                    .prop_map(|fields| fields.into_iter().collect::<Map<_, _>>().into()),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_value_is_read_as_it_was_written(value in any_value()) {
            prop_assert_eq!(whole(&value.to_string()), value);
        }

        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let read = read(bytes.as_slice());
            let strict = serde_json::from_slice::<Value>(&bytes);
            if let (Ok(strict), Payload::Whole(value)) = (strict, read) {
                prop_assert_eq!(value, strict);
            }
        }
    }
}
