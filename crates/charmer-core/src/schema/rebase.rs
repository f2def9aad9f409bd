//! References of a schema that becomes a part of another one.

use serde_json::{Map, Value};

/// Keywords whose value is a map of schemas by name.
const NAMED: [&str; 6] = [
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "dependentSchemas",
    "dependencies",
];
/// Keywords whose value is data.
const DATA: [&str; 4] = ["const", "enum", "default", "examples"];

/// A schema whose references lead to the same places when it stands at this pointer. A part with a name of its own
/// (`$id`) is a document by itself, in which nothing changes.
pub(super) fn rebased(schema: &Value, at: &str) -> Value {
    let mut schema = schema.clone();
    if let Value::Object(map) = &mut schema {
        if map.get("$id").is_some_and(Value::is_string) {
            return schema;
        }
        // Which draft it is of can only be said at the root of a document.
        map.shift_remove("$schema");
        visit(map, at);
    }
    schema
}

fn visit(map: &mut Map<String, Value>, at: &str) {
    for (key, value) in map {
        match value {
            Value::String(reference) if key == "$ref" => {
                if let Some(pointer) = reference.strip_prefix('#')
                    && (pointer.is_empty() || pointer.starts_with('/'))
                {
                    *reference = format!("#{at}{pointer}");
                }
            }
            Value::Object(named) if NAMED.contains(&key.as_str()) => {
                named
                    .values_mut()
                    .for_each(|schema| visit_value(schema, at));
            }
            value if !DATA.contains(&key.as_str()) => visit_value(value, at),
            _ => {}
        }
    }
}

fn visit_value(value: &mut Value, at: &str) {
    match value {
        Value::Object(map) if !map.get("$id").is_some_and(Value::is_string) => visit(map, at),
        Value::Array(list) => list.iter_mut().for_each(|value| visit_value(value, at)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn references_move_with_their_schema_and_data_stays() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "properties": {"$ref": {"$ref": "#/$defs/A"}, "b": {"items": [{"$ref": "#"}, {"$ref": "#name"}]}},
            "const": {"$ref": "#/x"},
            "$defs": {"A": {"type": "string"}, "own": {"$id": "own", "$ref": "#/x"}},
        });
        assert_eq!(
            rebased(&schema, "/properties/data"),
            json!({
                "properties": {
                    "$ref": {"$ref": "#/properties/data/$defs/A"},
                    "b": {"items": [{"$ref": "#/properties/data"}, {"$ref": "#name"}]},
                },
                "const": {"$ref": "#/x"},
                "$defs": {"A": {"type": "string"}, "own": {"$id": "own", "$ref": "#/x"}},
            })
        );
    }
}
