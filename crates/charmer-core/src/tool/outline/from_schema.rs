//! The properties of a tool that comes from no model, read from the JSON Schema that its author wrote.

use serde_json::{Map, Value};

use crate::tool::{
    kind::{PATTERN, TypeWord, format_of, plain},
    prose,
};

use super::told_properties::{Rank, ToldProperty, told_default};

/// The properties that a schema declares, in its order.
pub(super) fn properties_from_schema(schema: &Map<String, Value>) -> Vec<ToldProperty> {
    let object = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |key: &str| required.is_some_and(|keys| keys.iter().any(|k| k == key));
    let mut found = Vec::new();
    for (key, value) in object.into_iter().flatten() {
        let none = Map::new();
        let property = value.as_object().unwrap_or(&none);
        let text = property.get("description").and_then(Value::as_str);
        let mut within = properties_from_schema(property);
        if let Some(Value::Object(items)) = property.get("items") {
            within.extend(properties_from_schema(items));
        }
        found.push(ToldProperty {
            key: key.clone(),
            required: is_required(key),
            default: told_default(property.get("default")),
            help: prose::informative(
                key,
                text.unwrap_or_default(),
                &prose::KnownWords::from_schema(property),
            ),
            rank: Rank::Needed,
            within,
            kind: kind_from_schema(property),
        });
    }
    found
}

fn kind_from_schema(schema: &Map<String, Value>) -> TypeWord {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return TypeWord::OneOf(values.iter().map(plain).collect());
    }
    if let Some(value) = schema.get("const") {
        return TypeWord::Named(plain(value));
    }
    let name = match schema.get("type") {
        Some(Value::String(name)) => name.as_str(),
        Some(Value::Array(names)) => {
            let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
            return TypeWord::Named(names.join("|"));
        }
        _ => return any_of(schema),
    };
    match name {
        "string" => text(schema),
        "integer" | "number" => {
            TypeWord::number(name, schema.get("minimum"), schema.get("maximum"))
        }
        "array" => {
            let items = schema.get("items").and_then(Value::as_object);
            let item = items.map_or_else(|| TypeWord::named("any"), kind_from_schema);
            TypeWord::List {
                item: Box::new(item),
                least: schema.get("minItems").and_then(Value::as_u64),
                most: schema.get("maxItems").and_then(Value::as_u64),
            }
        }
        "object" => match schema.get("additionalProperties") {
            Some(Value::Object(values)) if !schema.contains_key("properties") => {
                TypeWord::Map(Box::new(kind_from_schema(values)))
            }
            _ => TypeWord::named("object"),
        },
        name => TypeWord::named(name),
    }
}

fn any_of(schema: &Map<String, Value>) -> TypeWord {
    let options = ["anyOf", "oneOf"]
        .into_iter()
        .find_map(|key| schema.get(key));
    let options = options.and_then(Value::as_array).into_iter().flatten();
    let options = options.filter_map(Value::as_object);
    let kinds: Vec<TypeWord> = options.map(kind_from_schema).collect();
    match kinds.is_empty() {
        true => TypeWord::named("any"),
        false => TypeWord::AnyOf(kinds),
    }
}

fn text(schema: &Map<String, Value>) -> TypeWord {
    let pattern = schema.get("pattern").and_then(Value::as_str);
    let format = match pattern {
        Some(_) => format_of(schema),
        None => schema.get("format").and_then(Value::as_str),
    };
    TypeWord::Named(match (format, pattern) {
        (Some(format), _) => format!("string({format})"),
        (None, Some(pattern)) if pattern.len() <= PATTERN => format!("string /{pattern}/"),
        (None, _) => "string".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::told_properties::properties;
    use super::*;
    use crate::{
        model::{
            Arguments, Choice, Cli, Command, Flag, MapValue, Positional, Repetition, Syntax,
            ValueType,
        },
        tool::{CatalogueOptions, Layout, catalogue},
    };

    #[test]
    fn types_are_a_word_or_two() {
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
            (json!({"type": "string", "format": "date"}), "string(date)"),
            (
                json!({"type": "string", "pattern": "^a+$"}),
                "string /^a+$/",
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
            assert_eq!(kind_from_schema(schema).told(40), expected, "{schema:?}");
        }
        let many = json!({"enum": ["a", "b", "c", "d"]});
        let many = kind_from_schema(many.as_object().expect("an object"));
        assert_eq!(many.told(2), "a|b|… 2 more");
    }

    /// A flag of every type, given in every way, with and without choices and defaults.
    fn every_flag() -> Vec<Flag> {
        let types = [
            ValueType::Bool,
            ValueType::INT,
            ValueType::UINT,
            ValueType::signed(16),
            ValueType::BigInteger { signed: false },
            ValueType::Number,
            ValueType::String,
            ValueType::Char,
            ValueType::Path,
            ValueType::Count,
            ValueType::Duration,
            ValueType::Ip,
            ValueType::IpMask,
            ValueType::IpNet,
            ValueType::Hex,
            ValueType::Base64,
            ValueType::Time,
            ValueType::Map(MapValue::Text),
            ValueType::Map(MapValue::Integer),
        ];
        let repetitions = [
            Repetition::Single,
            Repetition::Repeat { delimiter: None },
            Repetition::Joined { delimiter: ',' },
            Repetition::Fixed {
                count: 2,
                repeat: false,
            },
            Repetition::Fixed {
                count: 2,
                repeat: true,
            },
            Repetition::Span {
                min: 2,
                max: Some(4),
            },
        ];
        let mut flags = Vec::new();
        for value_type in types {
            for repetition in &repetitions {
                for default in ["", "7", "10s", "a=1", "true", "false"] {
                    let name = format!("flag-{}", flags.len());
                    let mut flag = Flag::new(name)
                        .value_type(value_type.clone())
                        .repetition(repetition.clone())
                        .help(format!("If set, ends it (default {default}). Then stops."));
                    flag.default = vec![default.to_owned(); 2];
                    flag.default.retain(|text| !text.is_empty());
                    flag.env = Some("FLAG".to_owned());
                    flag.required = default == "7";
                    flags.push(flag);
                }
            }
        }
        for repetition in [
            Repetition::Single,
            Repetition::Repeat {
                delimiter: Some(','),
            },
        ] {
            let mut flag = Flag::new(format!("choice-{}", flags.len()))
                .pflag("string")
                .repetition(repetition)
                .choices(["a", "b"])
                .help("One of a, b")
                .optional_value(Some("a"));
            flag.choices[0].help = Some("the first".to_owned());
            flag.choices.push(Choice {
                hidden: true,
                ..Choice::new("c")
            });
            flags.push(flag);
        }
        flags
    }

    #[test]
    fn a_model_and_the_schema_that_is_made_from_it_tell_the_same() {
        let listed = Arguments::Listed(vec![
            Positional::new("from_port").required(),
            Positional::new("to").variadic().help("Where to"),
            Positional::new("rest").variadic().last(),
        ]);
        let pattern = Arguments::Pattern("(NAME | -l LABEL)".to_owned());
        for layout in [Layout::Flat, Layout::Nested] {
            for arguments in [listed.clone(), pattern.clone()] {
                let mut command = Command::new("app");
                command.flags = every_flag().into_iter().map(Into::into).collect();
                command
                    .flags
                    .push(Flag::new("yes").help("Do not ask").into());
                command.confirm = Some("--yes".to_owned());
                command.stdin = true;
                command.arguments = arguments;
                let options = CatalogueOptions {
                    layout,
                    ..CatalogueOptions::default()
                };
                let tools = catalogue(&Cli::new(command, Syntax::pflag()), &options).tools;
                let told = properties(&tools[0]);
                let from_schema = properties_from_schema(&tools[0].input_schema);
                assert_same(&told, &from_schema);
            }
        }
    }

    fn assert_same(left: &[ToldProperty], right: &[ToldProperty]) {
        assert_eq!(left.len(), right.len());
        for (left, right) in left.iter().zip(right) {
            assert!(left.says_the_same(right), "{left:#?} {right:#?}");
            assert_same(&left.within, &right.within);
        }
    }
}
