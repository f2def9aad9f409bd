//! JSON, strictly: no key twice, no number changed, nothing before, between or after but space.

use std::{cell::Cell, fmt};

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Map, Number, Value, de::StrRead};

use super::{Format, ITEMS_KEY, number};

/// The values that were read, and the number of items of a list that were only counted.
#[derive(Debug, PartialEq)]
pub(super) struct Documents {
    pub(super) format: Format,
    pub(super) value: Value,
    pub(super) skipped: usize,
}

impl Documents {
    /// A reading from which nothing was left out.
    pub(super) fn whole(format: Format, value: Value) -> Self {
        Self {
            format,
            value,
            skipped: 0,
        }
    }
}

/// Reads one document or several that begin on lines of their own. A document that is a single value counts only when
/// it is `declared`. Of a list only as many items are made as can fit into `most` bytes; what is too long and no list
/// is not read.
pub(super) fn read(text: &str, declared: bool, most: usize) -> Option<Documents> {
    let state = JsonFindings::new(most);
    let mut documents = Vec::new();
    let mut skipped = 0;
    let mut rest = text;
    // Where the last document that was made ends.
    let mut made = 0;
    loop {
        let first = documents.is_empty();
        let structure = rest.trim_start().starts_with(['{', '[']);
        if !declared && !structure {
            return None;
        }
        let place = if first {
            ValuePlace::Root
        } else {
            ValuePlace::Inner
        };
        let length = if first || state.has_room() {
            let (value, length) = next(rest, |reader| state.at(place).deserialize(reader))?;
            documents.push(value);
            made = text.len() - rest.len() + length;
            length
        } else {
            skipped += 1;
            next(rest, |reader| IgnoredAny::deserialize(reader))?.1
        };
        rest = &rest[length..];
        let gap = rest.len() - rest.trim_start_matches(SPACE).len();
        if gap == rest.len() {
            break;
        }
        // Another one follows. What was cut inside of the first cannot be told from what is cut of the list.
        if !rest[..gap].contains('\n') || state.skipped.get() > 0 {
            return None;
        }
        state.is_list.set(true);
    }
    if state.has_float.get() && !has_exact_numbers(&text[..made]) {
        return None;
    }
    Some(match documents.len() + skipped {
        1 => Documents {
            format: Format::Json,
            value: documents.pop()?,
            skipped: state.skipped.get(),
        },
        _ => Documents {
            format: Format::JsonLines,
            value: Value::Array(documents),
            skipped,
        },
    })
}

/// The characters that are space in JSON.
const SPACE: [char; 4] = [' ', '\t', '\r', '\n'];

/// The first document of a text, and how long it is with the space before it.
fn next<'t, T>(
    text: &'t str,
    read: impl FnOnce(&mut serde_json::Deserializer<StrRead<'t>>) -> serde_json::Result<T>,
) -> Option<(T, usize)> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = read(&mut reader).ok()?;
    // The place of the reader is only to be had from a stream of values.
    let stream = reader.into_iter::<IgnoredAny>();
    Some((value, stream.byte_offset()))
}

/// Returns true if every number of valid JSON is exact.
fn has_exact_numbers(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'-' | b'0'..=b'9' => {
                let rest = &bytes[at..];
                let is_number =
                    |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
                let length = rest.iter().take_while(|byte| is_number(byte)).count();
                if number::exact(&text[at..at + length]).is_none() {
                    return false;
                }
                at += length;
            }
            _ => at += 1,
        }
    }
    true
}

/// Findings while values are made.
struct JsonFindings {
    has_float: Cell<bool>,
    /// The number of bytes that there is room for; what is made is counted at the least that it can be.
    room: Cell<usize>,
    /// There is a list that can be cut.
    is_list: Cell<bool>,
    /// The number of its items that were only counted.
    skipped: Cell<usize>,
}

impl JsonFindings {
    fn new(most: usize) -> Self {
        Self {
            has_float: Cell::new(false),
            room: Cell::new(most),
            is_list: Cell::new(false),
            skipped: Cell::new(0),
        }
    }

    fn at(&self, place: ValuePlace) -> UniqueKeys<'_> {
        UniqueKeys { state: self, place }
    }

    fn has_room(&self) -> bool {
        self.room.get() > 0
    }

    fn made(&self, bytes: usize) {
        self.room.set(self.room.get().saturating_sub(bytes));
    }

    /// Stops the reading of what is too long and cannot be cut: it need not be read to its end.
    fn go_on<E: Error>(&self) -> Result<(), E> {
        if self.has_room() || self.is_list.get() {
            Ok(())
        } else {
            Err(E::custom("too long"))
        }
    }
}

/// The place of a value in the document.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ValuePlace {
    /// It is the document.
    Root,
    /// It is the document's list of items.
    Items,
    Inner,
}

/// A value in which no key stands twice.
#[derive(Clone, Copy)]
struct UniqueKeys<'s> {
    state: &'s JsonFindings,
    place: ValuePlace,
}

impl<'de> DeserializeSeed<'de> for UniqueKeys<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for UniqueKeys<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        self.state.made(4);
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        self.state.made(4);
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        self.state.made(1);
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        self.state.made(1);
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        self.state.made(1);
        self.state.has_float.set(true);
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("a number that is not finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        self.state.made(value.len() + 2);
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        self.state.made(value.len() + 2);
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let Self { state, place } = self;
        let can_be_cut = matches!(place, ValuePlace::Root | ValuePlace::Items);
        if can_be_cut {
            state.is_list.set(true);
        }
        let mut items = Vec::new();
        while !can_be_cut || state.has_room() {
            let Some(item) = access.next_element_seed(state.at(ValuePlace::Inner))? else {
                return Ok(Value::Array(items));
            };
            items.push(item);
            state.made(1);
            state.go_on()?;
        }
        while access.next_element::<IgnoredAny>()?.is_some() {
            state.skipped.set(state.skipped.get() + 1);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let Self { state, place } = self;
        let mut object = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            let place = match place {
                ValuePlace::Root if key == ITEMS_KEY => ValuePlace::Items,
                _ => ValuePlace::Inner,
            };
            state.made(key.len() + 4);
            let value = access.next_value_seed(state.at(place))?;
            state.go_on()?;
            if object.insert(key, value).is_some() {
                return Err(A::Error::custom("a key that stands twice"));
            }
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn auto(text: &str) -> Option<(Format, Value)> {
        whole(text, false)
    }

    fn whole(text: &str, declared: bool) -> Option<(Format, Value)> {
        let found = read(text, declared, usize::MAX)?;
        assert_eq!(found.skipped, 0);
        Some((found.format, found.value))
    }

    #[test]
    fn documents_are_read() {
        for (text, expected) in [
            ("{}", (Format::Json, json!({}))),
            (
                "  [1, {\"a\": null}]\n\n",
                (Format::Json, json!([1, {"a": null}])),
            ),
            (
                "{\"a\":1}\n{\"a\":2}\n",
                (Format::JsonLines, json!([{"a": 1}, {"a": 2}])),
            ),
            (
                "{\"a\":1}\r\n\r\n{\"a\":2}",
                (Format::JsonLines, json!([{"a": 1}, {"a": 2}])),
            ),
            (
                "[\n 1\n]\n[\n 2\n]\n",
                (Format::JsonLines, json!([[1], [2]])),
            ),
            (
                "{\"n\": 18446744073709551615, \"m\": -9223372036854775808, \"f\": 0.10}",
                (
                    Format::Json,
                    json!({"n": u64::MAX, "m": i64::MIN, "f": 0.1}),
                ),
            ),
            (
                "{\"a\\\"}\": \"]\\\\\"}\n{}",
                (Format::JsonLines, json!([{"a\"}": "]\\"}, {}])),
            ),
        ] {
            assert_eq!(auto(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_not_quite_json_is_text() {
        for text in [
            "",
            "42",
            "true",
            "\"text\"",
            "{\"a\":1} trailing",
            "{\"a\":1}\nDone.",
            "{\"a\":1} {\"a\":2}",
            "{\"a\":1}{\"a\":2}",
            "{\"a\":1}\n42",
            "{\"a\":1,\"a\":2}",
            "{\"a\":{\"b\":1,\"\\u0062\":2}}",
            "[1,]",
            "{a: 1}",
            "{\"n\": 1e400}",
            "{\"n\": 123456789012345678901234567890}",
            "{\"n\": NaN}",
            "[\"\\ud800\"]",
            "[2024-01-01] started",
            "[info] x",
        ] {
            assert_eq!(auto(text), None, "{text}");
        }
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(auto(&deep), None);
    }

    #[test]
    fn a_declared_value_may_be_a_single_one() {
        assert_eq!(whole("42\n", true), Some((Format::Json, json!(42))));
        assert_eq!(
            whole("\"a\"\n\"b\"\n", true),
            Some((Format::JsonLines, json!(["a", "b"])))
        );
        assert_eq!(whole("\"a\" \"b\"", true), None);
        assert_eq!(whole("1 2", true), None);
        assert_eq!(whole("", true), None);
    }
    #[test]
    fn of_a_long_list_only_the_beginning_is_made() {
        let items = |count: usize| (0..count).map(|n| json!({"n": n})).collect::<Value>();
        let list = items(1000).to_string();
        let object = json!({"kind": "List", "items": items(1000), "z": 1}).to_string();
        let lines: Vec<String> = (0..1000).map(|n| format!("{{\"n\": {n}}}")).collect();
        let lines = lines.join("\n");
        for (text, key) in [(list, None), (object, Some("items")), (lines, None)] {
            let found = read(&text, false, 100).expect("it is JSON");
            let made = key.map_or(&found.value, |key| &found.value[key]);
            let made = made.as_array().expect("a list").len();
            assert!((10..40).contains(&made), "{made}");
            assert_eq!(made + found.skipped, 1000);
            // Also what is only counted must be JSON.
            assert_eq!(read(&format!("{text}]"), false, 100), None);
        }
        // What cannot be cut is not read.
        let long = json!({"rows": items(1000)}).to_string();
        assert_eq!(read(&long, false, 100), None);
        assert!(read(&long, false, 100_000).is_some());
    }
}
