//! JSON Schemas in the portable dialect: what every known client accepts, and nothing else.
//!
//! No references, no combinators, no type lists; every array has `items`, every enum is of strings, and a default
//! stands only where it is valid under the schema that it stands in.

use serde_json::{Map, Number, Value, json};

use crate::{
    call::format,
    model::{Choice, FlagValue, MapValue, Positional, Repetition, ValueType},
    text::capitalize,
};

use super::property::{ARGS_KEY, FLAGS_KEY, FlagProperty, Input, Layout};

/// The schema of a tool's input, and what had to be left out of it.
pub(super) fn input_schema(input: &Input) -> (Map<String, Value>, Vec<String>) {
    let mut warnings = Vec::new();
    let mut flags = Map::new();
    let mut required = Vec::new();
    for property in &input.flags {
        flags.insert(property.key.clone(), flag_schema(property, &mut warnings));
        if property.flag.required {
            required.push(Value::from(property.key.as_str()));
        }
    }
    let mut properties = Map::new();
    if let Some(key) = &input.stdin {
        let description = "What the command reads from its standard input";
        properties.insert(
            key.clone(),
            json!({"type": "string", "description": description}),
        );
    }
    let mut positionals_required = Vec::new();
    for (_, property) in input.keyed_positionals() {
        properties.insert(
            property.key.clone(),
            positional_schema(&property.positional, &mut warnings),
        );
        if property.positional.required {
            positionals_required.push(Value::from(property.key.as_str()));
        }
    }
    let has_list = input.pattern.is_some() || input.listed_positionals().next().is_some();
    let list = |pattern: &str| {
        let description = format!("Positional command line arguments\nUsage pattern: {pattern}");
        json!({"type": "array", "description": description, "items": {"type": "string"}})
    };
    match input.layout {
        Layout::Flat => {
            if let Some((key, pattern)) = &input.pattern {
                properties.insert(key.clone(), list(pattern));
            }
            properties.append(&mut flags);
            positionals_required.append(&mut required);
            (object(properties, positionals_required), warnings)
        }
        Layout::Nested => {
            let mut outer = Map::new();
            if !flags.is_empty() {
                outer.insert(FLAGS_KEY.into(), Value::Object(object(flags, required)));
            }
            if has_list {
                outer.insert(ARGS_KEY.into(), list(&input.usage));
            }
            outer.append(&mut properties);
            (object(outer, positionals_required), warnings)
        }
    }
}

fn object(properties: Map<String, Value>, required: Vec<Value>) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties.into());
    if !required.is_empty() {
        schema.insert("required".into(), required.into());
    }
    schema
}

fn flag_schema(property: &FlagProperty, warnings: &mut Vec<String>) -> Value {
    let flag = &property.flag;
    if property.confirms {
        let help = flag.help.as_deref().unwrap_or_default();
        let description = format!(
            "Must be true to confirm what this does; gives `{}` {help}",
            flag.display_name()
        );
        return json!({"type": "boolean", "description": description.trim_end()});
    }
    let mut notes = Vec::new();
    match &flag.value {
        FlagValue::Optional { bare: Some(bare) } => {
            notes.push(format!("(given without a value it means {bare:?})"));
        }
        // Only where the schema allows a string at all.
        FlagValue::Optional { bare: None }
            if flag.repetition == Repetition::Single && is_text(&flag.value_type) =>
        {
            notes.push("(the empty string gives the flag without a value)".into());
        }
        _ => {}
    }
    let shape = match flag.repetition {
        Repetition::Single => Shape::One,
        Repetition::Repeat { .. } => Shape::List { min: 0, max: None },
        Repetition::Joined { .. } => Shape::List { min: 0, max: None },
        Repetition::Fixed {
            count,
            repeat: false,
        } => Shape::List {
            min: count,
            max: Some(count),
        },
        Repetition::Fixed {
            count,
            repeat: true,
        } => Shape::Lists { count },
        Repetition::Span { min, max } => Shape::List { min, max },
    };
    if flag.repetition == (Repetition::Joined { delimiter: ',' })
        && !matches!(flag.value_type, ValueType::Map(_))
    {
        notes.push("(comma-separated)".into());
    }
    let switch = flag.value == FlagValue::None;
    let default = if switch && flag.value_type == ValueType::Bool {
        vec![
            flag.default
                .first()
                .map_or("false", |text| text.as_str())
                .to_owned(),
        ]
    } else {
        flag.default.clone()
    };
    property_schema(
        Described {
            help: flag.help.clone(),
            value_type: &flag.value_type,
            choices: &flag.choices,
            env: flag.env.as_deref(),
            notes,
            shape,
            default: &default,
            subject: flag.display_name(),
        },
        warnings,
    )
}

fn is_text(value_type: &ValueType) -> bool {
    matches!(value_type, ValueType::String | ValueType::Path)
}

fn positional_schema(positional: &Positional, warnings: &mut Vec<String>) -> Value {
    let name = positional.name.as_deref().unwrap_or(&positional.id);
    let help = positional
        .help
        .clone()
        .unwrap_or_else(|| format!("{} argument", capitalize(&name.replace(['_', '-'], " "))));
    let shape = if positional.variadic {
        Shape::List {
            min: positional
                .min_values
                .unwrap_or(usize::from(positional.required)),
            max: positional.max_values,
        }
    } else {
        Shape::One
    };
    property_schema(
        Described {
            help: Some(help),
            value_type: &positional.value_type,
            choices: &positional.choices,
            env: positional.env.as_deref(),
            notes: Vec::new(),
            shape,
            default: &positional.default,
            subject: format!("`{name}`"),
        },
        warnings,
    )
}

#[derive(Clone, Copy)]
enum Shape {
    One,
    List { min: usize, max: Option<usize> },
    Lists { count: usize },
}

struct Described<'a> {
    help: Option<String>,
    value_type: &'a ValueType,
    choices: &'a [Choice],
    env: Option<&'a str>,
    notes: Vec<String>,
    shape: Shape,
    default: &'a [String],
    subject: String,
}

fn property_schema(described: Described<'_>, warnings: &mut Vec<String>) -> Value {
    let Described {
        help,
        value_type,
        choices,
        env,
        notes,
        shape,
        default,
        subject,
    } = described;
    let element = element_schema(value_type, choices);
    let mut parts: Vec<String> = help
        .into_iter()
        .map(|text| text.trim().to_owned())
        .collect();
    parts.extend(choice_help(choices));
    parts.extend(type_note(value_type).map(Into::into));
    parts.extend(notes);
    parts.extend(env.map(|name| format!("[env: {name}]")));
    parts.retain(|part| !part.is_empty());

    let mut schema = match (value_type, shape) {
        (ValueType::Map(_), _) | (_, Shape::One) => element,
        (_, Shape::List { min, max }) => bounded_list(element, min, max),
        (_, Shape::Lists { count }) => {
            bounded_list(bounded_list(element, count, Some(count)), 0, None)
        }
    };
    let value = default_value(value_type, choices, shape, default, &subject, warnings);
    if value.is_none() && !default.is_empty() && !is_zero(value_type, default) {
        parts.push(format!("(default: {})", default.join(", ")));
    }
    if !parts.is_empty() {
        // The type comes first, the description second: that is how people write schemas.
        let rest: Vec<(String, Value)> = schema
            .iter()
            .skip(1)
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect();
        rest.iter()
            .for_each(|(key, _)| drop(schema.shift_remove(key)));
        schema.insert("description".into(), parts.join(" ").into());
        schema.extend(rest);
    }
    if let Some(value) = value {
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

fn element_schema(value_type: &ValueType, choices: &[Choice]) -> Map<String, Value> {
    let shown: Vec<Value> = choices
        .iter()
        .filter(|choice| !choice.hidden)
        .map(|choice| choice.value.as_str().into())
        .collect();
    let schema = match value_type {
        ValueType::Bool => json!({"type": "boolean"}),
        ValueType::Map(MapValue::Text) => {
            json!({"type": "object", "additionalProperties": {"type": "string"}})
        }
        ValueType::Map(MapValue::Integer) => {
            json!({"type": "object", "additionalProperties": {"type": "integer"}})
        }
        _ if !shown.is_empty() => json!({"type": "string", "enum": shown}),
        ValueType::Integer { min, max } => {
            let mut schema = json!({"type": "integer"});
            // Wider bounds cost tokens and overflow some clients; they are checked all the same.
            if *min == 0 {
                schema["minimum"] = 0.into();
            }
            if *max < 1 << 16 {
                if *min < 0 {
                    schema["minimum"] = exact(*min);
                }
                schema["maximum"] = exact(*max);
            }
            schema
        }
        ValueType::Number => json!({"type": "number"}),
        ValueType::Count => {
            json!({"type": "integer", "minimum": 0, "maximum": format::COUNT_LIMIT})
        }
        other => match format::pattern(other) {
            Some(pattern) => json!({"type": "string", "pattern": pattern}),
            None => json!({"type": "string"}),
        },
    };
    let Value::Object(schema) = schema else {
        unreachable!("each arm makes an object")
    };
    schema
}

fn type_note(value_type: &ValueType) -> Option<&'static str> {
    Some(match value_type {
        ValueType::Duration => "(format: Go duration string, e.g., '10s', '2h45m')",
        ValueType::Ip => "(format: IPv4 or IPv6 address)",
        ValueType::IpMask => "(format: IPv4 mask, e.g., '255.255.255.0' or 'ffffff00')",
        ValueType::IpNet => "(format: CIDR notation, e.g., '192.168.1.0/24')",
        ValueType::Hex => "(format: hexadecimal string)",
        ValueType::Base64 => "(format: base64 encoded string)",
        ValueType::BigInteger { .. } => "(format: a whole number in decimal digits)",
        ValueType::Count => "(incremental count)",
        ValueType::Map(_) => "(key=value pairs)",
        _ => return None,
    })
}

fn choice_help(choices: &[Choice]) -> Option<String> {
    let told: Vec<String> = choices
        .iter()
        .filter(|choice| !choice.hidden)
        .filter_map(|choice| {
            choice
                .help
                .as_ref()
                .map(|help| format!("{}: {}", choice.value, help.trim()))
        })
        .collect();
    (!told.is_empty()).then(|| format!("({})", told.join("; ")))
}

/// The default as JSON, where there is one that says something and is valid.
fn default_value(
    value_type: &ValueType,
    choices: &[Choice],
    shape: Shape,
    default: &[String],
    subject: &str,
    warnings: &mut Vec<String>,
) -> Option<Value> {
    if default.is_empty() || (*value_type != ValueType::Bool && is_zero(value_type, default)) {
        return None;
    }
    if let ValueType::Map(inner) = value_type {
        let mut entries = Map::new();
        for text in default {
            let Some((key, value)) = text.split_once('=') else {
                warnings.push(format!(
                    "{subject}: default entry {text:?} is no key=value pair and was skipped"
                ));
                continue;
            };
            let value = match inner {
                MapValue::Text => Some(Value::from(value)),
                MapValue::Integer => scalar(&ValueType::INT, &[], value),
            };
            match value {
                Some(value) => drop(entries.insert(key.to_owned(), value)),
                None => warnings.push(format!(
                    "{subject}: default entry {text:?} is no whole number and was skipped"
                )),
            }
        }
        return (!entries.is_empty()).then_some(Value::Object(entries));
    }
    match shape {
        Shape::One => scalar(value_type, choices, default.first()?),
        Shape::List { min, max } => {
            let mut items = Vec::new();
            for text in default {
                match scalar(value_type, choices, text) {
                    Some(item) => items.push(item),
                    None => warnings.push(format!(
                        "{subject}: default element {text:?} is not valid and was skipped"
                    )),
                }
            }
            let fits = items.len() >= min && max.is_none_or(|max| items.len() <= max);
            (!items.is_empty() && fits).then_some(Value::Array(items))
        }
        Shape::Lists { .. } => None,
    }
}

/// One default as JSON, if it is a valid value.
fn scalar(value_type: &ValueType, choices: &[Choice], text: &str) -> Option<Value> {
    let value = match value_type {
        ValueType::Bool => Value::Bool(text.parse().ok()?),
        _ if !choices.is_empty() => {
            return choices
                .iter()
                .find(|choice| {
                    choice.value == text || choice.aliases.iter().any(|alias| alias == text)
                })
                .filter(|choice| !choice.hidden)
                .map(|choice| choice.value.as_str().into());
        }
        ValueType::Integer { .. } | ValueType::Count => exact(text.parse().ok()?),
        ValueType::Number => Value::Number(Number::from_f64(text.parse().ok()?)?),
        _ => Value::from(text),
    };
    format::to_text(&value, value_type, choices, false)
        .is_ok()
        .then_some(value)
}

/// A whole number as JSON; one that JSON cannot hold exactly becomes null, which no schema accepts.
fn exact(number: i128) -> Value {
    i64::try_from(number)
        .map(Value::from)
        .or_else(|_| u64::try_from(number).map(Value::from))
        .unwrap_or(Value::Null)
}

fn is_zero(value_type: &ValueType, default: &[String]) -> bool {
    let [text] = default else {
        return default.is_empty();
    };
    match value_type {
        ValueType::Integer { .. } | ValueType::Count | ValueType::Number => text.parse() == Ok(0.0),
        ValueType::Duration => matches!(text.as_str(), "" | "0" | "0s"),
        ValueType::Ip | ValueType::IpNet | ValueType::IpMask => {
            matches!(text.as_str(), "" | "<nil>")
        }
        ValueType::Bool => text == "false",
        _ => text.is_empty(),
    }
}

/// The schema of a result whose output is not declared.
pub fn output_schema() -> Map<String, Value> {
    output_schema_with_data(
        json!({"type": "object", "description": "Standard output as data, when it was read as such"}),
    )
}

/// Where the schema of the data stands in that of a result.
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
