//! Random types as Rust has them: their schemas as `schemars` writes them, and their values as `serde` does.

use serde_json::{Map, Value, json};

use super::dice::Dice;

/// A type and the named types that it uses, also recursively.
pub(super) struct World {
    root: Type,
    named: Vec<Type>,
    /// Whether schemas are of draft-07.
    old: bool,
}

enum Type {
    Bool,
    Integer {
        format: &'static str,
        min: Option<i64>,
        max: Option<i64>,
    },
    Float,
    Text,
    Moment,
    Words(Vec<&'static str>),
    Unit,
    Anything,
    Optional(Box<Type>),
    List(Box<Type>),
    Map(Box<Type>),
    Tuple(Vec<Type>),
    Struct(Vec<Field>),
    /// A struct with others flattened into it; their fields have other names.
    Flattened(Vec<Field>, Vec<Vec<Field>>),
    Enum(Tagging, Vec<Variant>),
    Named(usize),
}

struct Field {
    key: String,
    value: Type,
    /// Left out when it is none (`skip_serializing_if`).
    skipped: bool,
}

#[derive(Clone, Copy)]
enum Tagging {
    Outside,
    Inside,
    Beside,
    Untagged,
}

struct Variant {
    name: &'static str,
    content: Content,
}

enum Content {
    Nothing,
    One(Type),
    Fields(Vec<Field>),
}

const KEYS: [&str; 7] = ["a", "b", "c", "d.e", "f g", "é", "items"];
const NAMES: [&str; 5] = ["One", "Two", "Three", "four-4", "5 five"];

impl World {
    pub(super) fn new(dice: &mut Dice, old: bool) -> Self {
        let count = dice.below(4);
        let named = (0..count).map(|_| structure(dice, count, 3)).collect();
        let root = if dice.one_in(4) {
            any_type(dice, count, 4)
        } else {
            structure(dice, count, 4)
        };
        Self { root, named, old }
    }

    pub(super) fn schema(&self) -> Value {
        let (definitions, draft) = if self.old {
            ("definitions", "http://json-schema.org/draft-07/schema#")
        } else {
            ("$defs", "https://json-schema.org/draft/2020-12/schema")
        };
        let mut schema = self.schema_of(&self.root);
        if schema == json!(true) || (self.old && schema.get("$ref").is_some()) {
            schema = json!({"allOf": [schema]});
        }
        schema["$schema"] = draft.into();
        schema["title"] = "Root".into();
        let named = self.named.iter().enumerate();
        let named: Map<String, Value> = named
            .map(|(n, t)| (format!("T/{n}"), self.schema_of(t)))
            .collect();
        schema[definitions] = named.into();
        schema
    }

    pub(super) fn value(&self, dice: &mut Dice) -> Value {
        self.value_of(&self.root, dice, 0)
    }

    fn schema_of(&self, which: &Type) -> Value {
        match which {
            Type::Bool => json!({"type": "boolean"}),
            Type::Integer { format, min, max } => {
                let mut schema = json!({"type": "integer", "format": format});
                min.map(|min| schema["minimum"] = min.into());
                max.map(|max| schema["maximum"] = max.into());
                schema
            }
            Type::Float => json!({"type": "number", "format": "double"}),
            Type::Text => json!({"type": "string"}),
            Type::Moment => json!({"type": "string", "format": "date-time"}),
            Type::Words(words) if words.len() % 2 == 0 => json!({"type": "string", "enum": words}),
            Type::Words(words) => {
                let each = words
                    .iter()
                    .map(|word| json!({"type": "string", "const": word, "description": "Told"}));
                json!({"oneOf": each.collect::<Vec<_>>()})
            }
            Type::Unit => json!({"type": "null"}),
            Type::Anything => json!(true),
            Type::Optional(inner) => optional(self.schema_of(inner)),
            Type::List(inner) => json!({"type": "array", "items": self.schema_of(inner)}),
            Type::Map(inner) => {
                json!({"type": "object", "additionalProperties": self.schema_of(inner)})
            }
            Type::Tuple(parts) => {
                let keyword = if self.old { "items" } else { "prefixItems" };
                let parts: Vec<Value> = parts.iter().map(|part| self.schema_of(part)).collect();
                json!({"type": "array", "minItems": parts.len(), "maxItems": parts.len(), keyword: parts})
            }
            Type::Struct(fields) => self.object(fields, None),
            Type::Flattened(fields, others) => {
                let mut schema = self.object(fields, None);
                let others = others.iter().map(|fields| self.object(fields, None));
                schema["allOf"] = others.collect();
                schema
            }
            Type::Enum(tagging, variants) => self.enumeration(*tagging, variants),
            Type::Named(number) => {
                let definitions = if self.old { "definitions" } else { "$defs" };
                json!({"$ref": format!("#/{definitions}/T~1{number}")})
            }
        }
    }

    fn object(&self, fields: &[Field], tag: Option<(&str, &str)>) -> Value {
        let mut properties = Map::new();
        let mut required = Vec::new();
        if let Some((key, value)) = tag {
            properties.insert(key.into(), json!({"type": "string", "const": value}));
            required.push(key);
        }
        for field in fields {
            let mut schema = self.schema_of(&field.value);
            if let (true, Value::Object(map)) = (field.key == "a" && !self.old, &mut schema) {
                map.insert("description".into(), "A field".into());
                map.insert("default".into(), Value::Null);
            }
            properties.insert(field.key.clone(), schema);
            if !field.skipped {
                required.push(&field.key);
            }
        }
        json!({"type": "object", "properties": properties, "required": required})
    }

    fn enumeration(&self, tagging: Tagging, variants: &[Variant]) -> Value {
        let each = variants.iter().map(|variant| {
            let content = match &variant.content {
                Content::Nothing => None,
                Content::One(inner) => Some(self.schema_of(inner)),
                Content::Fields(fields) => Some(self.object(fields, None)),
            };
            let name = variant.name;
            match (tagging, content) {
                (Tagging::Outside, None) => json!({"type": "string", "enum": [name]}),
                (Tagging::Outside, Some(content)) => json!({
                    "type": "object", "properties": {name: content}, "required": [name],
                    "additionalProperties": false, "description": "A variant",
                }),
                (Tagging::Inside, _) => match &variant.content {
                    Content::Fields(fields) => self.object(fields, Some(("kind", name))),
                    _ => self.object(&[], Some(("kind", name))),
                },
                (Tagging::Beside, None) => self.object(&[], Some(("t", name))),
                (Tagging::Beside, Some(content)) => json!({
                    "type": "object", "required": ["t", "c"],
                    "properties": {"t": {"type": "string", "enum": [name]}, "c": content},
                }),
                (Tagging::Untagged, None) => json!({"type": "null"}),
                (Tagging::Untagged, Some(content)) => content,
            }
        });
        let each: Vec<Value> = each.collect();
        match tagging {
            Tagging::Untagged => json!({"anyOf": each}),
            _ => json!({"oneOf": each}),
        }
    }

    fn value_of(&self, which: &Type, dice: &mut Dice, depth: usize) -> Value {
        let deep = depth > 7;
        match which {
            Type::Bool => dice.one_in(2).into(),
            Type::Integer { min, max, .. } => {
                let choices = [min.unwrap_or(i64::MIN), max.unwrap_or(i64::MAX), 1, 7];
                (*dice.pick(&choices)).into()
            }
            Type::Float => dice
                .pick(&[json!(0.5), json!(3), json!(-1e300), json!(2.0)])
                .clone(),
            Type::Text => dice.pick(&["", "text", "é\n"]).to_owned().into(),
            Type::Moment => "2026-11-16T03:24:08+01:00".into(),
            Type::Words(words) => dice.pick(words).to_owned().into(),
            Type::Unit => Value::Null,
            Type::Anything => dice
                .pick(&[json!(null), json!([null]), json!({"a": null}), json!(3)])
                .clone(),
            Type::Optional(inner) => {
                if deep || dice.one_in(3) {
                    Value::Null
                } else {
                    self.value_of(inner, dice, depth + 1)
                }
            }
            Type::List(inner) => {
                let count = if deep { 0 } else { dice.below(3) };
                (0..count)
                    .map(|_| self.value_of(inner, dice, depth + 1))
                    .collect()
            }
            Type::Map(inner) => {
                let count = if deep { 0 } else { dice.below(3) };
                let entries = (0..count).map(|_| {
                    let key = dice.pick(&KEYS).to_string();
                    (key, self.value_of(inner, dice, depth + 1))
                });
                Value::Object(entries.collect())
            }
            Type::Tuple(parts) => parts
                .iter()
                .map(|part| self.value_of(part, dice, depth + 1))
                .collect(),
            Type::Struct(fields) => Value::Object(self.entries(fields, dice, depth)),
            Type::Flattened(fields, others) => {
                let mut all = self.entries(fields, dice, depth);
                for other in others {
                    all.extend(self.entries(other, dice, depth));
                }
                Value::Object(all)
            }
            Type::Enum(tagging, variants) => {
                let variant = dice.pick(variants);
                let content = match &variant.content {
                    Content::Nothing => None,
                    Content::One(inner) => Some(self.value_of(inner, dice, depth + 1)),
                    Content::Fields(fields) => {
                        Some(Value::Object(self.entries(fields, dice, depth)))
                    }
                };
                match (tagging, content) {
                    (Tagging::Outside, None) => variant.name.into(),
                    (Tagging::Outside, Some(content)) => json!({variant.name: content}),
                    (Tagging::Inside, content) => {
                        let mut all = match (&variant.content, content) {
                            (Content::Fields(_), Some(Value::Object(all))) => all,
                            _ => Map::new(),
                        };
                        all.insert("kind".into(), variant.name.into());
                        Value::Object(all)
                    }
                    (Tagging::Beside, None) => json!({"t": variant.name}),
                    (Tagging::Beside, Some(content)) => json!({"t": variant.name, "c": content}),
                    (Tagging::Untagged, content) => content.unwrap_or(Value::Null),
                }
            }
            Type::Named(number) => self.value_of(&self.named[*number], dice, depth + 1),
        }
    }

    fn entries(&self, fields: &[Field], dice: &mut Dice, depth: usize) -> Map<String, Value> {
        let mut entries = Map::new();
        for field in fields {
            let value = self.value_of(&field.value, dice, depth + 1);
            if !(field.skipped && value.is_null()) {
                entries.insert(field.key.clone(), value);
            }
        }
        entries
    }
}

/// As `schemars` adds null to a schema.
fn optional(mut schema: Value) -> Value {
    match schema.get("type").cloned() {
        Some(Value::String(name)) if schema.get("allOf").is_none() && name != "null" => {
            schema["type"] = json!([name, "null"]);
            if let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut) {
                values.push(Value::Null);
            }
            schema
        }
        _ if schema == json!(true) => schema,
        _ => json!({"anyOf": [schema, {"type": "null"}]}),
    }
}

fn structure(dice: &mut Dice, named: usize, depth: usize) -> Type {
    match dice.below(4) {
        0 => {
            let all = [
                Tagging::Outside,
                Tagging::Inside,
                Tagging::Beside,
                Tagging::Untagged,
            ];
            let tagging = *dice.pick(&all);
            let count = 1 + dice.below(NAMES.len());
            let variants = NAMES[..count].iter().map(|name| Variant {
                name,
                content: match dice.below(3) {
                    0 => Content::Nothing,
                    1 => Content::One(any_type(dice, named, depth - 1)),
                    _ => Content::Fields(fields(dice, named, depth, "")),
                },
            });
            Type::Enum(tagging, variants.collect())
        }
        1 => {
            let count = 1 + dice.below(2);
            let others = (0..count).map(|n| fields(dice, named, depth, &format!("x{n}")));
            let others = others.collect();
            Type::Flattened(fields(dice, named, depth, ""), others)
        }
        _ => Type::Struct(fields(dice, named, depth, "")),
    }
}

fn fields(dice: &mut Dice, named: usize, depth: usize, prefix: &str) -> Vec<Field> {
    let mut fields = Vec::new();
    for key in KEYS {
        if dice.one_in(2) {
            let value = any_type(dice, named, depth.saturating_sub(1));
            let skipped = matches!(value, Type::Optional(_)) && dice.one_in(2);
            fields.push(Field {
                key: format!("{prefix}{key}"),
                value,
                skipped,
            });
        }
    }
    fields
}

fn any_type(dice: &mut Dice, named: usize, depth: usize) -> Type {
    let boxed = |dice: &mut Dice| Box::new(any_type(dice, named, depth - 1));
    match dice.below(if depth == 0 { 9 } else { 17 }) {
        0 => Type::Bool,
        1 => Type::Integer {
            format: "int8",
            min: Some(-128),
            max: Some(127),
        },
        2 => Type::Integer {
            format: "uint64",
            min: Some(0),
            max: None,
        },
        3 => Type::Float,
        4 => Type::Text,
        5 => Type::Moment,
        6 => Type::Words(NAMES[..1 + dice.below(NAMES.len())].to_vec()),
        7 => Type::Unit,
        8 => Type::Anything,
        9 | 10 => Type::Optional(boxed(dice)),
        11 => Type::List(boxed(dice)),
        12 => Type::Map(boxed(dice)),
        13 => Type::Tuple((0..1 + dice.below(3)).map(|_| *boxed(dice)).collect()),
        // A type contains itself only where a value can end.
        14 | 15 if named > 0 => {
            let inner = Box::new(Type::Named(dice.below(named)));
            match dice.below(3) {
                0 => Type::Optional(inner),
                1 => Type::List(inner),
                _ => Type::Map(inner),
            }
        }
        _ => structure(dice, named, depth),
    }
}
