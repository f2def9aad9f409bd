//! Validation of data against a schema in the portable dialect.
//!
//! Written for that dialect alone, because a validator for all of JSON Schema would triple what the library adds to a
//! CLI. A keyword that the dialect does not have is not looked at.

use std::{collections::HashMap, fmt};

use regex_lite::Regex;
use serde_json::{Map, Number, Value};

use super::{
    format,
    number::{compare, is_whole},
    pointer,
};

/// The number of mismatches that are reported.
pub const MISMATCH_LIMIT: usize = 20;

/// Something in data that is not as its schema says.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mismatch {
    /// Its place in the data, as a JSON pointer; empty for the whole.
    pub pointer: String,
    /// The mistake. The value itself is not shown: it can be long, and secret.
    pub message: String,
}

impl Mismatch {
    pub(super) fn new(pointer: &str, message: impl Into<String>) -> Self {
        Self {
            pointer: pointer.to_owned(),
            message: message.into(),
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pointer.as_str() {
            "" => write!(f, "the data {}", self.message),
            pointer => write!(f, "{pointer} {}", self.message),
        }
    }
}

/// Returns the mismatches between data and a schema, at most [`MISMATCH_LIMIT`] of them; nothing where all is well.
///
/// ```
/// use charmer_core::schema::check;
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"size": {"type": "integer"}}, "required": ["size"]});
/// assert!(check(&schema, &json!({"size": 3, "more": true})).is_empty());
/// let found = check(&schema, &json!({"size": "3"}));
/// assert_eq!(found[0].to_string(), "/size is a string where an integer is expected");
/// ```
pub fn check(schema: &Value, data: &Value) -> Vec<Mismatch> {
    let mut checker = Checker {
        patterns: HashMap::new(),
        at: String::new(),
        found: Vec::new(),
    };
    checker.value(schema, data);
    checker.found
}

struct Checker<'a> {
    patterns: HashMap<&'a str, Option<Regex>>,
    at: String,
    found: Vec<Mismatch>,
}

impl<'a> Checker<'a> {
    fn report(&mut self, message: impl Into<String>) {
        if self.found.len() < MISMATCH_LIMIT {
            self.found.push(Mismatch::new(&self.at, message));
        }
    }

    fn value(&mut self, schema: &'a Value, data: &Value) {
        let Some(schema) = schema.as_object() else {
            return;
        };
        if self.found.len() >= MISMATCH_LIMIT {
            return;
        }
        let expected = schema.get("type").and_then(Value::as_str);
        if let Some(expected) = expected
            && !is_of_type(data, expected)
        {
            let message = format!(
                "is {} where {} is expected",
                with_article(type_of(data)),
                with_article(expected)
            );
            self.report(message);
            return;
        }
        match data {
            Value::Number(number) => self.number(schema, number),
            Value::String(text) => self.string(schema, text),
            Value::Array(elements) => self.array(schema, elements),
            Value::Object(entries) => self.object(schema, entries),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn number(&mut self, schema: &Map<String, Value>, number: &Number) {
        let bound = |key: &str| schema.get(key).and_then(Value::as_number);
        if let Some(min) = bound("minimum").filter(|min| compare(number, min).is_lt()) {
            self.report(format!("is less than {min}"));
        }
        if let Some(max) = bound("maximum").filter(|max| compare(number, max).is_gt()) {
            self.report(format!("is more than {max}"));
        }
    }

    fn string(&mut self, schema: &'a Map<String, Value>, text: &str) {
        if let Some(choices) = schema.get("enum").and_then(Value::as_array)
            && !choices.iter().any(|choice| choice.as_str() == Some(text))
        {
            self.report("is none of the values that are possible");
        }
        let bound = |key: &str| schema.get(key).and_then(Value::as_u64);
        let (min, max) = (bound("minLength"), bound("maxLength"));
        if min.is_some() || max.is_some() {
            let length = text.chars().count() as u64;
            if let Some(min) = min.filter(|min| length < *min) {
                self.report(format!("has fewer than {min} characters"));
            }
            if let Some(max) = max.filter(|max| length > *max) {
                self.report(format!("has more than {max} characters"));
            }
        }
        if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
            let compiled = self
                .patterns
                .entry(pattern)
                .or_insert_with(|| Regex::new(pattern).ok());
            if compiled.as_ref().is_some_and(|regex| !regex.is_match(text)) {
                self.report(format!("does not match {pattern:?}"));
            }
        }
        if let Some(name) = schema.get("format").and_then(Value::as_str)
            && !format::matches(name, text)
        {
            self.report(format!("is not of the format {name:?}"));
        }
    }

    fn array(&mut self, schema: &'a Map<String, Value>, elements: &[Value]) {
        let bound = |key: &str| schema.get(key).and_then(Value::as_u64);
        let length = elements.len() as u64;
        if let Some(min) = bound("minItems").filter(|min| length < *min) {
            self.report(format!("has fewer than {min} elements"));
        }
        if let Some(max) = bound("maxItems").filter(|max| length > *max) {
            self.report(format!("has more than {max} elements"));
        }
        let Some(items) = schema.get("items").filter(|items| says_something(items)) else {
            return;
        };
        for (number, element) in elements.iter().enumerate() {
            self.inner(&number.to_string(), items, element);
        }
    }

    fn object(&mut self, schema: &'a Map<String, Value>, entries: &Map<String, Value>) {
        let required = schema.get("required").and_then(Value::as_array);
        for key in required.into_iter().flatten().filter_map(Value::as_str) {
            if !entries.contains_key(key) {
                self.report(format!("lacks the property {key:?}"));
            }
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        let others = schema.get("additionalProperties");
        for (key, value) in entries {
            let declared = properties.and_then(|properties| properties.get(key));
            if let Some(schema) = declared.or(others).filter(|inner| says_something(inner)) {
                self.inner(key, schema, value);
            }
        }
    }

    fn inner(&mut self, key: &str, schema: &'a Value, data: &Value) {
        let length = self.at.len();
        pointer::push(&mut self.at, key);
        self.value(schema, data);
        self.at.truncate(length);
    }
}

fn says_something(schema: &Value) -> bool {
    schema.as_object().is_some_and(|schema| !schema.is_empty())
}

fn is_of_type(data: &Value, name: &str) -> bool {
    match name {
        "integer" => data.as_number().is_some_and(is_whole),
        "number" => data.is_number(),
        "null" | "boolean" | "string" | "array" | "object" => type_of(data) == name,
        _ => true,
    }
}

fn type_of(data: &Value) -> &'static str {
    match data {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn with_article(name: &str) -> String {
    match name {
        "null" => name.to_owned(),
        "integer" | "array" | "object" => format!("an {name}"),
        _ => format!("a {name}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn everything_that_is_wrong_is_said_with_where_it_is() {
        let schema = json!({"type": "object", "required": ["id"], "properties": {
            "n": {"type": "integer", "minimum": 1, "maximum": 5},
            "s": {"type": "string", "pattern": "^a", "minLength": 2, "maxLength": 3},
            "e": {"type": "string", "enum": ["x", "y"]},
            "d": {"type": "string", "format": "date"},
            "l": {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 3},
        }, "additionalProperties": {"type": "boolean"}});
        let said = |data: Value| -> Vec<String> {
            let found = check(&schema, &data);
            found.iter().map(ToString::to_string).collect()
        };
        assert!(
            said(
                json!({"id": true, "n": 5.0, "s": "aé", "e": "y", "d": "2026-11-16", "l": [1, 2.5]})
            )
            .is_empty()
        );
        assert_eq!(
            said(json!([])),
            ["the data is an array where an object is expected"]
        );
        assert_eq!(
            said(json!({"n": 1.5, "s": "b", "e": "z", "d": "now", "l": ["1"], "a/b": null})),
            [
                "the data lacks the property \"id\"",
                "/n is a number where an integer is expected",
                "/s has fewer than 2 characters",
                "/s does not match \"^a\"",
                "/e is none of the values that are possible",
                "/d is not of the format \"date\"",
                "/l has fewer than 2 elements",
                "/l/0 is a string where a number is expected",
                "/a~1b is null where a boolean is expected",
            ]
        );
        assert_eq!(
            said(json!({"id": true, "n": 6, "s": "abcd", "l": [1, 2, 3, 4]})),
            [
                "/n is more than 5",
                "/s has more than 3 characters",
                "/l has more than 3 elements"
            ]
        );
        assert_eq!(said(json!({"id": true, "n": 0})), ["/n is less than 1"]);
    }

    #[test]
    fn the_number_of_mismatches_is_bounded() {
        let schema = json!({"type": "array", "items": {"type": "string"}});
        let data = Value::Array(vec![json!(1); 100_000]);
        assert_eq!(check(&schema, &data).len(), MISMATCH_LIMIT);
    }
}
