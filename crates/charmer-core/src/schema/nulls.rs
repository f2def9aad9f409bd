//! Nulls that stand for nothing, taken out of data.

use serde_json::{Map, Value};

/// Removes each null that stands in the place of an optional property: one that the schema declares and does not
/// require. Every other null is a value and stays: elements of lists, entries of maps, required properties.
///
/// The schema is one in the portable dialect, in which a property that may be null is not required.
///
/// ```
/// use charmer_core::schema::remove_nulls;
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {
///     "name": {"type": "string"},
///     "tags": {"type": "array", "items": {}},
/// }});
/// let mut data = json!({"name": null, "tags": ["a", null], "other": null});
/// remove_nulls(&mut data, &schema);
/// assert_eq!(data, json!({"tags": ["a", null], "other": null}));
/// ```
pub fn remove(data: &mut Value, schema: &Value) {
    match data {
        Value::Array(elements) => {
            let Some(items) = schema.get("items").filter(|items| has_parts(items)) else {
                return;
            };
            for element in elements {
                remove(element, items);
            }
        }
        Value::Object(entries) => remove_from_object(entries, schema),
        _ => {}
    }
}

fn remove_from_object(entries: &mut Map<String, Value>, schema: &Value) {
    let properties = schema.get("properties").and_then(Value::as_object);
    let others = schema.get("additionalProperties");
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |key: &str| {
        required.is_some_and(|required| required.iter().any(|name| name.as_str() == Some(key)))
    };
    let declared = |key: &str| properties.and_then(|properties| properties.get(key));
    if entries.values().any(Value::is_null) {
        entries
            .retain(|key, value| !value.is_null() || declared(key).is_none() || is_required(key));
    }
    for (key, value) in entries {
        if let Some(inner) = declared(key).or(others).filter(|inner| has_parts(inner)) {
            remove(value, inner);
        }
    }
}

fn has_parts(schema: &Value) -> bool {
    ["properties", "items", "additionalProperties"]
        .iter()
        .any(|key| schema.get(key).is_some())
}
