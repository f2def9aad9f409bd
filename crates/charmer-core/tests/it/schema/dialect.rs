//! Holds the schema of an output to the portable dialect.
//!
//! Unlike that of an input it may say nothing of a value (`{}`), because a wrong type would be worse.

use serde_json::{Value, json};

use super::is_valid;

const KEYWORDS: [&str; 15] = [
    "type",
    "description",
    "default",
    "enum",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "items",
    "minItems",
    "maxItems",
    "properties",
    "required",
];
const TYPES: [&str; 6] = ["boolean", "integer", "number", "string", "array", "object"];
const FORMATS: [&str; 8] = [
    "date-time",
    "date",
    "time",
    "uri",
    "email",
    "ipv4",
    "ipv6",
    "uuid",
];

/// Every breach, with where it is.
pub(crate) fn breaches(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    if schema["type"] != "object" {
        found.push("the root is no object".into());
    }
    visit(schema, "", &mut found);
    found
}

fn visit(schema: &Value, at: &str, found: &mut Vec<String>) {
    let Some(map) = schema.as_object() else {
        found.push(format!("{at}: no object"));
        return;
    };
    let mut breach = |what: String| found.push(format!("{at}: {what}"));
    for key in map.keys() {
        if !KEYWORDS.contains(&key.as_str()) && key != "additionalProperties" {
            breach(format!("the keyword {key}"));
        }
    }
    let name = map
        .get("type")
        .map(|name| name.as_str().unwrap_or("a list"));
    if name.is_some_and(|name| !TYPES.contains(&name)) {
        breach(format!("the type {}", schema["type"]));
    }
    if name.is_none()
        && map
            .keys()
            .any(|key| key != "description" && key != "default")
    {
        breach("constraints without a type".into());
    }
    if name == Some("array") && !schema["items"].is_object() {
        breach("an array without items".into());
    }
    if let Some(values) = map.get("enum")
        && (name != Some("string")
            || !values
                .as_array()
                .is_some_and(|v| !v.is_empty() && v.iter().all(Value::is_string)))
    {
        breach("an enum that is not of strings".into());
    }
    if let Some(pattern) = schema["pattern"].as_str()
        && regex::Regex::new(pattern).is_err()
    {
        breach("a pattern that does not compile".into());
    }
    if let Some(format) = schema["format"].as_str()
        && !FORMATS.contains(&format)
    {
        breach(format!("the format {format}"));
    }
    if schema["description"]
        .as_str()
        .is_some_and(|text| text.len() > 2048)
    {
        breach("a description longer than 2 KB".into());
    }
    if let Some(default) = map.get("default")
        && !is_valid(schema, default)
    {
        breach(format!("the default {default}, which is not valid"));
    }
    let empty = serde_json::Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&empty);
    for key in schema["required"].as_array().into_iter().flatten() {
        if key.as_str().is_none_or(|key| !properties.contains_key(key)) {
            breach(format!("requires {key}, which has no property"));
        }
    }
    for (key, inner) in properties {
        let valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
        if key.is_empty() || key.len() > 64 || !key.chars().all(valid) {
            found.push(format!("{at}: the property key {key:?}"));
        }
        visit(inner, &format!("{at}.{key}"), found);
    }
    for key in ["items", "additionalProperties"] {
        if let Some(inner) = map.get(key) {
            visit(inner, &format!("{at}.{key}"), found);
        }
    }
}

#[test]
fn breaches_are_found() {
    let bad = json!({"type": "array", "$defs": {}, "items": {"type": ["string", "null"]}, "properties": {
        "é": {"type": "null"},
        "list": {"type": "array"},
        "either": {"anyOf": []},
        "n": {"type": "integer", "enum": [1], "default": "x"},
        "s": {"type": "string", "format": "odd", "pattern": "("},
        "bool": true,
    }, "required": ["gone"], "additionalProperties": false});
    assert_eq!(breaches(&bad).len(), 15, "{:#?}", breaches(&bad));
}
