//! The type of a property in a word or two, from its schema: `string[]`, `debug|info|warn`, `integer 0..255`.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use crate::{call::format, model::ValueType};

/// Types that a schema shows only by a pattern, and what they are called.
static FORMATS: LazyLock<Vec<(String, &str)>> = LazyLock::new(|| {
    let named = [
        (ValueType::Duration, "duration 1h30m"),
        (ValueType::Ip, "IP"),
        (ValueType::IpMask, "IP mask"),
        (ValueType::IpNet, "CIDR"),
        (ValueType::Hex, "hex"),
        (ValueType::Base64, "base64"),
        (ValueType::BigInteger { signed: true }, "whole number"),
        (ValueType::BigInteger { signed: false }, "whole number"),
    ];
    let pattern = |(value_type, name)| Some((format::pattern(&value_type)?, name));
    named.into_iter().filter_map(pattern).collect()
});

/// How long a pattern may be that nobody has a name for.
const PATTERN: usize = 60;

/// The type that a schema describes. Of its choices at most so many are told.
pub(super) fn kind(schema: &Map<String, Value>, choices: usize) -> String {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return one_of(values, choices);
    }
    if let Some(value) = schema.get("const") {
        return plain(value);
    }
    let name = match schema.get("type") {
        Some(Value::String(name)) => name.as_str(),
        Some(Value::Array(names)) => {
            let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
            return names.join("|");
        }
        _ => return any_of(schema, choices),
    };
    match name {
        "string" => text(schema),
        "integer" | "number" => number(name, schema),
        "array" => list(schema, choices),
        "object" => map(schema, choices),
        name => name.to_owned(),
    }
}

/// What a text must be, where a pattern of ours says so.
pub(super) fn format_of(schema: &Map<String, Value>) -> Option<&'static str> {
    let pattern = schema.get("pattern")?.as_str()?;
    let known = FORMATS.iter().find(|(known, _)| known == pattern);
    known.map(|(_, name)| *name)
}

/// A value as it is told: texts without quotation marks where they are plain words.
pub(super) fn plain(value: &Value) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:@%+~$".contains(c);
    match value.as_str() {
        Some(text) if !text.is_empty() && text.chars().all(is_plain) => text.to_owned(),
        _ => value.to_string(),
    }
}

fn one_of(values: &[Value], most: usize) -> String {
    let mut told: Vec<String> = values.iter().take(most).map(plain).collect();
    if values.len() > most {
        told.push(format!("… {} more", values.len() - most));
    }
    told.join("|")
}

fn any_of(schema: &Map<String, Value>, choices: usize) -> String {
    let options = ["anyOf", "oneOf"]
        .into_iter()
        .find_map(|key| schema.get(key));
    let options = options.and_then(Value::as_array).into_iter().flatten();
    let kinds: Vec<String> = options
        .filter_map(Value::as_object)
        .map(|option| kind(option, choices))
        .collect();
    match kinds.is_empty() {
        true => "any".to_owned(),
        false => kinds.join(" or "),
    }
}

fn text(schema: &Map<String, Value>) -> String {
    if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
        return match format_of(schema) {
            Some(name) => format!("string({name})"),
            None if pattern.len() <= PATTERN => format!("string /{pattern}/"),
            None => "string".to_owned(),
        };
    }
    match schema.get("format").and_then(Value::as_str) {
        Some(format) => format!("string({format})"),
        None => "string".to_owned(),
    }
}

fn number(name: &str, schema: &Map<String, Value>) -> String {
    match (schema.get("minimum"), schema.get("maximum")) {
        (Some(min), Some(max)) => format!("{name} {min}..{max}"),
        (Some(min), None) => format!("{name}>={min}"),
        (None, Some(max)) => format!("{name}<={max}"),
        (None, None) => name.to_owned(),
    }
}

fn list(schema: &Map<String, Value>, choices: usize) -> String {
    let items = schema.get("items").and_then(Value::as_object);
    let item = items.map_or_else(|| "any".to_owned(), |items| kind(items, choices));
    let item = match item.contains(['|', ' ']) {
        true => format!("({item})"),
        false => item,
    };
    let least = schema.get("minItems").and_then(Value::as_u64);
    let most = schema.get("maxItems").and_then(Value::as_u64);
    match (least, most) {
        (Some(least), Some(most)) if least == most => format!("{item}[{least}]"),
        (None | Some(0), None) => format!("{item}[]"),
        (least, most) => {
            let most = most.map(|most| most.to_string()).unwrap_or_default();
            format!("{item}[{}..{most}]", least.unwrap_or(0))
        }
    }
}

fn map(schema: &Map<String, Value>, choices: usize) -> String {
    match schema
        .get("additionalProperties")
        .and_then(Value::as_object)
    {
        Some(values) if !schema.contains_key("properties") => {
            format!("{{key: {}}}", kind(values, choices))
        }
        _ => "object".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn types_are_a_word_or_two() {
        let duration = format::pattern(&ValueType::Duration).expect("a pattern");
        let rows = [
            (json!({"type": "string"}), "string"),
            (
                json!({"type": "string", "enum": ["a", "b c", ""]}),
                r#"a|"b c"|"""#,
            ),
            (
                json!({"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}),
                "(a|b)[]",
            ),
            (
                json!({"type": "string", "pattern": duration}),
                "string(duration 1h30m)",
            ),
            (
                json!({"type": "integer", "minimum": 0, "maximum": 255}),
                "integer 0..255",
            ),
            (json!({"type": "integer", "minimum": 0}), "integer>=0"),
            (
                json!({"type": "array", "items":
                    {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2}}),
                "string[2][]",
            ),
            (
                json!({"type": "array", "items": {"type": "number"}, "maxItems": 3}),
                "number[0..3]",
            ),
            (
                json!({"type": "object", "additionalProperties": {"type": "integer"}}),
                "{key: integer}",
            ),
            (json!({"type": ["string", "null"]}), "string|null"),
            (
                json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}),
                "string or integer",
            ),
            (json!({}), "any"),
        ];
        for (schema, expected) in rows {
            let schema = schema.as_object().expect("an object");
            assert_eq!(kind(schema, 40), expected, "{schema:?}");
        }
        let many = json!({"enum": ["a", "b", "c", "d"]});
        assert_eq!(
            kind(many.as_object().expect("an object"), 2),
            "a|b|… 2 more"
        );
    }
}
