//! A [`Shape`] written in the portable dialect.

use serde_json::{Map, Value, json};

use super::{
    check, describe,
    note::SchemaNotes,
    nulls,
    shape::{ObjectShape, Others, Shape},
    union::Union,
};

/// The formats that clients know.
pub(super) const FORMATS: [&str; 8] = [
    "date-time",
    "date",
    "time",
    "uri",
    "email",
    "ipv4",
    "ipv6",
    "uuid",
];

/// The place of a schema within the one around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SchemaPlace {
    /// Of a declared property, where a null can be left out of the data.
    Property,
    /// Anywhere else, where a null has to stay.
    Element,
}

/// Writes shapes and notes what cannot be said.
pub(super) struct ShapeWriter {
    pub(super) union: Union,
    pub(super) notes: SchemaNotes,
}

impl ShapeWriter {
    /// The schema of a shape.
    pub(super) fn write(&mut self, shape: &Shape, place: SchemaPlace) -> Value {
        let mut schema = Map::new();
        let mut more = Vec::new();
        let null_counts = shape.null && place == SchemaPlace::Element;
        if shape.is_any() {
            // Nothing to say.
        } else if shape.types() != 1 || null_counts {
            if shape.is_never() {
                let message = "lets in no value; nothing is said here";
                self.notes.add(&shape.at, message);
            } else if shape.types() > 1 {
                let message = "can be of several types; nothing is said here";
                self.notes.add(&shape.at, message);
            } else {
                self.notes
                    .add(&shape.at, "can be null here; nothing is said");
            }
            let mut told = shape.clone();
            told.null &= null_counts || shape.types() == 0;
            let summary = describe::summary(&told);
            if !summary.is_empty() {
                more.push(format!("({summary})"));
            }
        } else {
            more = self.write_type(shape, &mut schema);
        }
        if let Some(description) = describe::description(shape, more) {
            let place = schema.len().min(1);
            schema.shift_insert(place, "description".into(), description.into());
        }
        let mut schema = Value::Object(schema);
        if let Some(default) = &shape.text.default {
            let mut default = default.clone();
            nulls::remove(&mut default, &schema);
            if !default.is_null() && check::check(&schema, &default).is_empty() {
                schema["default"] = default;
            }
        }
        schema
    }

    /// Writes the one type that a shape has, and gives back what is to be told in words.
    fn write_type(&mut self, shape: &Shape, schema: &mut Map<String, Value>) -> Vec<String> {
        let mut more = Vec::new();
        let mut put = |key: &str, value: Option<Value>| {
            value.map(|value| schema.insert(key.into(), value));
        };
        if shape.boolean {
            put("type", Some("boolean".into()));
        }
        if let Some(numbers) = &shape.number {
            let name = if numbers.integer { "integer" } else { "number" };
            put("type", Some(name.into()));
            put("minimum", numbers.min.clone().map(Value::Number));
            put("maximum", numbers.max.clone().map(Value::Number));
            let choices = numbers.choices.as_ref();
            if choices.is_some_and(|choices| choices.len() > 1) {
                more.push(format!("({})", describe::numbers(numbers)));
            }
        }
        if let Some(string) = &shape.string {
            put("type", Some("string".into()));
            let format = string.format.as_deref();
            let format = format.filter(|format| FORMATS.contains(format));
            match &string.choices {
                Some(choices) => {
                    let values: Vec<&str> = choices.iter().map(|c| c.value.as_str()).collect();
                    put("enum", Some(json!(values)));
                }
                None => {
                    put("minLength", string.min_length.map(Into::into));
                    put("maxLength", string.max_length.map(Into::into));
                    put("pattern", string.pattern.clone().map(Into::into));
                    put("format", format.map(Into::into));
                }
            }
            more = describe::of_string(string, format.is_some());
        }
        if let Some(array) = &shape.array {
            put("type", Some("array".into()));
            let items = array
                .items
                .as_ref()
                .map(|items| self.write(items, SchemaPlace::Element));
            put("items", Some(items.unwrap_or_else(|| json!({}))));
            put("minItems", (array.min > 0).then(|| array.min.into()));
            put("maxItems", array.max.map(Into::into));
            if let Some(tuple) = &array.tuple {
                more.push(format!("(in this order: {})", tuple.join("; ")));
            }
        }
        if let Some(object) = &shape.object {
            schema.insert("type".into(), "object".into());
            self.write_object(object, shape, schema);
        }
        more
    }

    fn write_object(
        &mut self,
        object: &ObjectShape,
        shape: &Shape,
        schema: &mut Map<String, Value>,
    ) {
        let mut properties = Map::new();
        let mut required = Vec::new();
        let mut unnamed = Vec::new();
        for property in &object.properties {
            if !is_key(&property.key) {
                let message = format!(
                    "the property {:?} has a key that clients reject and is left out",
                    property.key
                );
                self.notes.add(&shape.at, message);
                unnamed.push(property.shape.clone());
                continue;
            }
            let inner = self.write(&property.shape, SchemaPlace::Property);
            properties.insert(property.key.clone(), inner);
            if property.required && !property.shape.is_optional() {
                required.push(Value::from(property.key.as_str()));
            }
        }
        let others = match &object.others {
            Others::Of(shape) => {
                // What could not be declared is among the others now.
                unnamed.push(shape.clone());
                let others = self.union.of(unnamed);
                Some(self.write(&others, SchemaPlace::Element))
            }
            Others::Unsaid | Others::None => None,
        };
        if !properties.is_empty() {
            schema.insert("properties".into(), properties.into());
        }
        if !required.is_empty() {
            schema.insert("required".into(), required.into());
        }
        if let Some(others) = others.filter(|others| *others != json!({})) {
            schema.insert("additionalProperties".into(), others);
        }
    }
}

/// Returns true if clients take a property of this name.
pub(super) fn is_key(key: &str) -> bool {
    let valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    (1..=64).contains(&key.len()) && key.chars().all(valid)
}
