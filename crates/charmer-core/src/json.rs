//! Reading a line as JSON, strictly: duplicate keys are refused anywhere, nothing is guessed, and
//! integers of 64 bits stay exact.
//!
//! `serde_json::Value`'s own reader lets the last of two equal keys win. A check that looks at one
//! and a program that gets the other is how policies are circumvented.

use std::{cell::Cell, fmt};

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value, map::Entry};

/// The reason why a line is not acceptable JSON. Columns count bytes, from 1.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum JsonError {
    /// It is no text.
    #[error("invalid UTF-8 at column {column}")]
    Utf8 {
        /// The first byte that is none.
        column: usize,
    },
    /// It is no JSON.
    #[error("not valid JSON: {problem} at column {column}")]
    Syntax {
        /// The problem.
        problem: String,
        /// Where.
        column: usize,
    },
    /// An object has a key twice.
    #[error("duplicate key `{key}` at column {column}")]
    DuplicateKey {
        /// The key.
        key: String,
        /// Where it stands for the second time.
        column: usize,
    },
}

/// Reads one JSON value that fills the line.
pub fn parse(line: &[u8]) -> Result<Value, JsonError> {
    let text = std::str::from_utf8(line).map_err(|error| JsonError::Utf8 {
        column: error.valid_up_to() + 1,
    })?;
    let duplicate = Cell::new(None);
    let mut deserializer = serde_json::Deserializer::from_str(text);
    Strict {
        duplicate: &duplicate,
    }
    .deserialize(&mut deserializer)
    .and_then(|value| deserializer.end().map(|()| value))
    .map_err(|error| match duplicate.take() {
        Some(key) => JsonError::DuplicateKey {
            key,
            column: error.column(),
        },
        None => JsonError::Syntax {
            problem: problem(&error),
            column: error.column(),
        },
    })
}

/// serde_json's description without its position, in words that help where its own do not. It
/// exposes no code for these, so the tests hold its wording in place.
fn problem(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text
        .rsplit_once(" at line ")
        .map_or(text.as_str(), |(problem, _)| problem);
    match text {
        "number out of range" => "number out of range (beyond a 64-bit float)",
        "lone leading surrogate in hex escape" | "unexpected end of hex escape" => {
            "lone surrogate in a `\\u` escape"
        }
        "recursion limit exceeded" => "nested too deep (more than 127 levels)",
        other => other,
    }
    .to_owned()
}

/// Builds a `Value`, and leaves the key in `duplicate` when it fails because of one.
#[derive(Clone, Copy)]
struct Strict<'a> {
    duplicate: &'a Cell<Option<String>>,
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
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            match object.entry(key) {
                Entry::Vacant(place) => {
                    place.insert(members.next_value_seed(self)?);
                }
                Entry::Occupied(place) => {
                    self.duplicate.set(Some(place.key().clone()));
                    return Err(A::Error::custom("duplicate key"));
                }
            }
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    fn message(line: impl AsRef<[u8]>) -> String {
        parse(line.as_ref()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_read_is_what_was_written() {
        let text = r#"{"z":[-9223372036854775808,18446744073709551615,0.5,null,true],"a":{"é":"\ud83d\ude00"},"__proto__":{}}"#;
        let value = parse(text.as_bytes()).unwrap();
        assert_eq!(value.to_string(), text.replace("\\ud83d\\ude00", "😀"));
    }

    #[test]
    fn each_problem_is_named_with_its_column() {
        assert_eq!(
            message("{\"a\":nope}"),
            "not valid JSON: expected ident at column 7"
        );
        assert_eq!(
            message("[1,NaN]"),
            "not valid JSON: expected value at column 4"
        );
        assert_eq!(message(b"[\"\xff\"]"), "invalid UTF-8 at column 3");
        assert_eq!(
            message("[1e400]"),
            "not valid JSON: number out of range (beyond a 64-bit float) at column 6"
        );
        for (line, column) in [
            (r#"["\ud800"]"#, 9),
            (r#"["\ud800x"]"#, 9),
            (r#"["\udc00"]"#, 8),
            (r#"["\ud800\u0041"]"#, 14),
        ] {
            let expected =
                format!("not valid JSON: lone surrogate in a `\\u` escape at column {column}");
            assert_eq!(message(line), expected, "{line}");
        }
        assert_eq!(
            message("{} {}"),
            "not valid JSON: trailing characters at column 4"
        );
        assert!(message(r#"{"a":"#).starts_with("not valid JSON: EOF while parsing"));
    }

    #[test]
    fn depth_is_limited_whatever_it_is_made_of() {
        for open in ["[", "{\"a\":"] {
            let problem = message(open.repeat(100_000));
            assert!(
                problem.contains("nested too deep (more than 127 levels)"),
                "{problem}"
            );
        }
        assert!(parse(format!("{}{}", "[".repeat(127), "]".repeat(127)).as_bytes()).is_ok());
        assert!(parse(format!("{}{}", "[".repeat(128), "]".repeat(128)).as_bytes()).is_err());
    }

    #[test]
    fn a_duplicate_key_is_found_at_any_depth_and_however_it_is_written() {
        assert_eq!(
            message(r#"{"a":1,"a":2}"#),
            "duplicate key `a` at column 10"
        );
        assert!(message(r#"{"x":[{"b":1,"\u0062":1}]}"#).starts_with("duplicate key `b`"));
        assert!(parse(br#"{"a":{"a":1},"b":{"a":1}}"#).is_ok());
    }
}
