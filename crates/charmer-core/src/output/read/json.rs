//! JSON, strictly: no key twice, no number changed, nothing before, between or after but space.

use std::{cell::Cell, fmt};

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::{Format, number};

/// Reads one document or several that begin on lines of their own. A document that is a single value counts only when
/// it is `declared`.
pub(super) fn read(text: &str, declared: bool) -> Option<(Format, Value)> {
    let has_float = Cell::new(false);
    let mut reader = serde_json::Deserializer::from_str(text);
    let mut documents = Vec::new();
    loop {
        let value = Strict {
            has_float: &has_float,
        }
        .deserialize(&mut reader)
        .ok()?;
        let is_structure = value.is_object() || value.is_array();
        if !declared && !is_structure {
            return None;
        }
        documents.push(value);
        if reader.end().is_ok() {
            break;
        }
    }
    // Only these two need the text itself, and most output has neither.
    if (documents.len() > 1 || has_float.get()) && !is_faithful(text) {
        return None;
    }
    if documents.len() == 1 {
        return documents.pop().map(|document| (Format::Json, document));
    }
    Some((Format::JsonLines, Value::Array(documents)))
}

/// Whether every number of valid JSON is exact, and no document begins on the line that another ends on.
fn is_faithful(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    // Whether a document ended on this line.
    let mut ended = false;
    while at < bytes.len() {
        let byte = bytes[at];
        let begins = depth == 0 && !byte.is_ascii_whitespace() && !matches!(byte, b'}' | b']');
        if begins && ended {
            return false;
        }
        match byte {
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
            b'{' | b'[' => {
                depth += 1;
                at += 1;
                continue;
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                at += 1;
            }
            b'\n' => {
                ended = false;
                at += 1;
                continue;
            }
            b' ' | b'\t' | b'\r' | b',' | b':' => {
                at += 1;
                continue;
            }
            // The rest of `true`, `false` and `null`.
            _ => {
                at += bytes[at..]
                    .iter()
                    .take_while(|byte| byte.is_ascii_lowercase())
                    .count()
                    .max(1)
            }
        }
        ended = depth == 0;
    }
    true
}

/// A value in which no key stands twice.
#[derive(Clone, Copy)]
struct Strict<'f> {
    has_float: &'f Cell<bool>,
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        self.has_float.set(true);
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("a number that is not finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element_seed(self)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            let value = access.next_value_seed(self)?;
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
        read(text, false)
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
        assert_eq!(read("42\n", true), Some((Format::Json, json!(42))));
        assert_eq!(
            read("\"a\"\n\"b\"\n", true),
            Some((Format::JsonLines, json!(["a", "b"])))
        );
        assert_eq!(read("\"a\" \"b\"", true), None);
        assert_eq!(read("1 2", true), None);
        assert_eq!(read("", true), None);
    }
}
