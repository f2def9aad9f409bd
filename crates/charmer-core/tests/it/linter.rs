//! Holds tool definitions to the portable dialect: what every known client accepts.

use std::collections::HashSet;

use serde_json::Value;

const FORBIDDEN: [&str; 11] = [
    "$ref",
    "$schema",
    "$defs",
    "definitions",
    "prefixItems",
    "oneOf",
    "anyOf",
    "allOf",
    "not",
    "if",
    "const",
];

/// Every breach, with where it is.
pub(crate) fn lint(tools: &[Value]) -> Vec<String> {
    let mut found = Vec::new();
    let mut names = HashSet::new();
    for tool in tools {
        let name = tool["name"].as_str().unwrap_or_default();
        let valid = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if name.is_empty() || name.len() > 64 || !name.chars().all(valid) {
            found.push(format!("{name}: a name that clients reject"));
        }
        if !names.insert(name) {
            found.push(format!("{name}: twice"));
        }
        match tool["description"].as_str() {
            Some(text) if !text.is_empty() && text.len() <= 2048 => {}
            _ => found.push(format!("{name}: description missing or longer than 2 KB")),
        }
        for hint in [
            "readOnlyHint",
            "destructiveHint",
            "idempotentHint",
            "openWorldHint",
        ] {
            if !tool["annotations"][hint].is_boolean() {
                found.push(format!("{name}: {hint} is not set"));
            }
        }
        for schema in ["inputSchema", "outputSchema"] {
            if tool[schema]["type"] != "object" {
                found.push(format!("{name}: {schema} is no object"));
            }
            check(&tool[schema], &format!("{name}.{schema}"), &mut found);
        }
    }
    found
}

fn check(schema: &Value, at: &str, found: &mut Vec<String>) {
    let Some(object) = schema.as_object() else {
        found.push(format!("{at}: not an object"));
        return;
    };
    let mut breach = |what: &str| found.push(format!("{at}: {what}"));
    for key in FORBIDDEN {
        if object.contains_key(key) {
            breach(key);
        }
    }
    if !schema["type"].is_string() {
        breach("no single type");
    }
    if schema["type"] == "array" && !schema["items"].is_object() {
        breach("an array without items");
    }
    if let Some(values) = schema["enum"].as_array()
        && (schema["type"] != "string" || !values.iter().all(Value::is_string))
    {
        breach("an enum that is not of strings");
    }
    if let Some(pattern) = schema["pattern"].as_str()
        && regex::Regex::new(pattern).is_err()
    {
        breach("a pattern that does not compile");
    }
    if object.contains_key("format") {
        breach("a format");
    }
    if let Some(default) = object.get("default") {
        let mut bare = schema.clone();
        bare.as_object_mut().map(|bare| bare.remove("default"));
        if !jsonschema::is_valid(&bare, default) {
            breach(&format!(
                "default {default} is not valid under its own schema"
            ));
        }
    }
    let empty = serde_json::Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&empty);
    for key in schema["required"].as_array().into_iter().flatten() {
        if key.as_str().is_none_or(|key| !properties.contains_key(key)) {
            breach(&format!("requires {key}, which has no property"));
        }
    }
    for (key, inner) in properties {
        let valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
        if key.is_empty() || key.len() > 64 || !key.chars().all(valid) {
            found.push(format!("{at}: property key {key:?}"));
        }
        check(inner, &format!("{at}.{key}"), found);
    }
    for key in ["items", "additionalProperties"] {
        if let Some(inner) = object.get(key) {
            check(inner, &format!("{at}.{key}"), found);
        }
    }
}

#[test]
fn the_linter_finds_what_it_looks_for() {
    let bad = serde_json::json!({
        "name": "a b", "description": "", "annotations": {},
        "inputSchema": {"type": "object", "required": ["gone"], "properties": {
            "list": {"type": "array"},
            "either": {"type": ["string", "null"]},
            "n": {"type": "integer", "default": "x"},
            "é": {"$ref": "#/x"},
            "e": {"type": "integer", "enum": [1]},
        }},
        "outputSchema": {"type": "array", "items": {"type": "string"}},
    });
    assert_eq!(lint(&[bad]).len(), 15);
}
