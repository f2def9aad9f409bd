//! JSON Schemas in the portable dialect: what every known client accepts, and nothing else.
//!
//! No references, no combinators, no type lists; every array has `items`, every enum is of strings, and a default
//! stands only where it is valid under the schema that it stands in.

mod described;

use serde_json::{Map, Value, json};

use crate::{
    call::format,
    model::{JsonKind, MapValue, ValueType},
};

pub(super) use self::described::{Described, ValueShape};

use self::described::exact;
use super::property::{FLAGS_KEY, Input, Layout};

/// The schema of a tool's input, and what had to be left out of it.
pub(super) fn input_schema(input: &Input) -> (Map<String, Value>, Vec<String>) {
    let mut warnings = Vec::new();
    let flags: Vec<Described<'_>> = Described::flags(input).collect();
    let mut others = Described::others(input);
    let schema = match input.layout {
        Layout::Flat => {
            others.extend(flags);
            object(&others, &mut warnings)
        }
        Layout::Nested => {
            let mut schema = object(&others, &mut warnings);
            if !flags.is_empty()
                && let Some(Value::Object(properties)) = schema.get_mut("properties")
            {
                let flags = object(&flags, &mut warnings);
                properties.shift_insert(0, FLAGS_KEY.into(), flags.into());
            }
            schema
        }
    };
    (schema, warnings)
}

/// The notes on what has to be left out of the schema of a tool's input, without writing it.
pub(super) fn schema_notes(input: &Input) -> Vec<String> {
    let mut notes = Vec::new();
    for described in Described::others(input)
        .iter()
        .chain(&Described::flags(input).collect::<Vec<_>>())
    {
        described.default_value(&mut notes);
    }
    notes
}

fn object(described: &[Described<'_>], warnings: &mut Vec<String>) -> Map<String, Value> {
    let properties: Map<String, Value> = described
        .iter()
        .map(|property| (property.key.to_owned(), property_schema(property, warnings)))
        .collect();
    let required = described.iter().filter(|property| property.required);
    let required: Vec<Value> = required.map(|property| property.key.into()).collect();
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties.into());
    if !required.is_empty() {
        schema.insert("required".into(), required.into());
    }
    schema
}

fn property_schema(described: &Described<'_>, warnings: &mut Vec<String>) -> Value {
    let element = element_schema(described);
    let mut schema = match (described.value_type, described.shape) {
        (ValueType::Map(_), _) | (_, ValueShape::One) => element,
        (_, ValueShape::List { min, max }) => bounded_list(element, min, max),
        (_, ValueShape::Lists { count }) => {
            bounded_list(bounded_list(element, count, Some(count)), 0, None)
        }
    };
    let default = described.default_value(warnings);
    let description = described.description(default.as_ref());
    if !description.is_empty() {
        // The type comes first, the description second: that is how people write schemas.
        schema.shift_insert(1, "description".into(), description.into());
    }
    if let Some(value) = default {
        schema.insert("default".into(), value);
    }
    Value::Object(schema)
}

fn bounded_list(items: impl Into<Value>, min: usize, max: Option<usize>) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("type".into(), "array".into());
    schema.insert("items".into(), items.into());
    // An empty list means that the flag is not given, so a least number of one says nothing.
    if min > 1 {
        schema.insert("minItems".into(), min.into());
    }
    if let Some(max) = max {
        schema.insert("maxItems".into(), max.into());
    }
    schema
}

fn element_schema(described: &Described<'_>) -> Map<String, Value> {
    let shown: Vec<&str> = described.choices().collect();
    let schema = match described.value_type {
        ValueType::Bool => json!({"type": "boolean"}),
        ValueType::Map(MapValue::Text) => {
            json!({"type": "object", "additionalProperties": {"type": "string"}})
        }
        ValueType::Map(MapValue::Integer) => {
            json!({"type": "object", "additionalProperties": {"type": "integer"}})
        }
        ValueType::Json(JsonKind::Array) => json!({"type": "array", "items": {}}),
        ValueType::Json(JsonKind::Object) => json!({"type": "object"}),
        _ if !shown.is_empty() => json!({"type": "string", "enum": shown}),
        ValueType::Integer { min, max } => {
            let mut schema = json!({"type": "integer"});
            let (min, max) = published_bounds(*min, *max);
            if let Some(min) = min {
                schema["minimum"] = exact(min);
            }
            if let Some(max) = max {
                schema["maximum"] = exact(max);
            }
            schema
        }
        ValueType::Number => json!({"type": "number"}),
        ValueType::Count => {
            json!({"type": "integer", "minimum": 0, "maximum": format::COUNT_LIMIT})
        }
        other => match described
            .pattern
            .map(str::to_owned)
            .or_else(|| format::pattern(other))
        {
            Some(pattern) => json!({"type": "string", "pattern": pattern}),
            None => json!({"type": "string"}),
        },
    };
    let Value::Object(schema) = schema else {
        unreachable!("each arm makes an object")
    };
    schema
}

/// The bounds of a whole number that are published. Wider ones cost tokens and overflow some clients; they are checked
/// all the same.
pub(super) fn published_bounds(min: i128, max: i128) -> (Option<i128>, Option<i128>) {
    let small = max < 1 << 16;
    (
        (min == 0 || (small && min < 0)).then_some(min),
        small.then_some(max),
    )
}

/// The schema of a result whose output is not declared.
pub fn output_schema() -> Map<String, Value> {
    output_schema_with_data(
        json!({"type": "object", "description": "Standard output as data, when it was read as such"}),
    )
}

/// The JSON pointer to the schema of the data in that of a result.
pub const DATA_POINTER: &str = "/properties/data";

/// The schema of a result whose standard output is data of the given schema.
pub fn output_schema_with_data(data: Value) -> Map<String, Value> {
    let schema = json!({
        "type": "object",
        "properties": {
            "stdout": {"type": "string", "description": "Standard output"},
            "stderr": {"type": "string", "description": "Standard error"},
            "exitCode": {"type": "integer", "description": "Exit code"},
            "data": data,
            "truncated": {
                "type": "object",
                "description": "What was cut: a stream's size in `bytes` and its `id` for read_output, or the `items` of data",
            },
            "error": {
                "type": "object",
                "description": "Why the call failed",
                "properties": {
                    "code": {"type": "string"},
                    "message": {"type": "string"},
                    "hint": {"type": "string"},
                },
            },
        },
    });
    let Value::Object(schema) = schema else {
        unreachable!("the literal is an object")
    };
    schema
}
