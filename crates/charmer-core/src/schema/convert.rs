//! The converter: any JSON Schema in, an [`OutputSchema`] out.

use serde_json::{Map, Value, json};

use super::{
    intersect,
    note::SchemaNotes,
    output::{Dialect, OutputSchema},
    read::SchemaReader,
    rebase,
    shape::{ObjectShape, Shape, ShapeProperty},
    union::Union,
    write::{SchemaPlace, ShapeWriter, is_key},
};

/// The field of a list that is an output by itself.
pub const LIST_FIELD: &str = "items";
/// The field of any other output that is not an object.
pub const VALUE_FIELD: &str = "value";

/// The way schemas are converted.
///
/// ```
/// use charmer_core::schema::Converter;
/// use serde_json::json;
///
/// let output = Converter::new().field("names").convert(&json!({"type": "array", "items": {"type": "string"}}));
/// assert_eq!(output.schema()["properties"]["names"]["items"]["type"], "string");
/// assert_eq!(output.field(), Some("names"));
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct Converter {
    dialect: Dialect,
    field: Option<String>,
    only_declared: bool,
}

impl Converter {
    /// Converts to the portable dialect.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the dialect.
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// Sets the field that a type is put under which is not an object; [`LIST_FIELD`] for lists and [`VALUE_FIELD`]
    /// for everything else by default, which is where data without a declared type stands too.
    pub fn field(mut self, name: impl Into<String>) -> Self {
        self.field = Some(name.into());
        self
    }

    /// Says that properties do not appear of which the schema says nothing, as is so with what a Rust type writes.
    ///
    /// That makes a difference where alternatives become one object. `{"kind": "circle", "radius": 1}` or
    /// `{"kind": "square", "side": 1}`: JSON Schema would let a square have a `radius`, and that could be anything, so
    /// nothing could be said of it.
    pub fn only_declared(mut self, yes: bool) -> Self {
        self.only_declared = yes;
        self
    }

    /// Converts a schema.
    pub fn convert(&self, schema: &Value) -> OutputSchema {
        let union = Union {
            only_declared: self.only_declared,
        };
        let mut reader = SchemaReader::new(schema, union);
        let mut shape = reader.read(schema, "");
        let mut notes = reader.notes;
        if speaks_of_objects(&shape) {
            let message = "says nothing of its type but has properties; it is taken for an object";
            notes.add("", message);
            shape = only_object(shape);
        }
        let field = (!shape.is_object()).then(|| self.field_for(&shape, &mut notes));
        let full = match (&field, self.dialect) {
            (_, Dialect::Portable) => None,
            (None, Dialect::Full) => Some(schema.clone()),
            (Some(field), Dialect::Full) => Some(wrapped(schema, field)),
        };
        if let Some(field) = &field {
            shape = under(field, shape);
        }
        let mut writer = ShapeWriter { union, notes };
        let portable = writer.write(&shape, SchemaPlace::Property);
        let notes = writer.notes.into_list();
        match full {
            None => OutputSchema {
                dialect: self.dialect,
                schema: portable,
                portable: None,
                field,
                notes,
                #[cfg(feature = "full-check")]
                full: super::full::FullCheck::default(),
            },
            // Nothing was lost.
            Some(full) => OutputSchema {
                dialect: self.dialect,
                schema: full,
                portable: Some(portable),
                field,
                notes: Vec::new(),
                #[cfg(feature = "full-check")]
                full: super::full::FullCheck::default(),
            },
        }
    }

    fn field_for(&self, shape: &Shape, notes: &mut SchemaNotes) -> String {
        let default = if shape.array.is_some() && shape.types() == 1 && !shape.null {
            LIST_FIELD
        } else {
            VALUE_FIELD
        };
        match &self.field {
            Some(name) if is_key(name) => name.clone(),
            Some(name) => {
                let message = format!("{name:?} is no key that clients take; it is {default:?}");
                notes.add("", message);
                default.to_owned()
            }
            None => default.to_owned(),
        }
    }
}

/// Converts a schema to the portable dialect; see [`Converter`] for what can be set.
pub fn convert(schema: &Value) -> OutputSchema {
    Converter::new().convert(schema)
}

/// Returns true if a schema says something of objects and nothing of anything else.
fn speaks_of_objects(shape: &Shape) -> bool {
    shape.null
        && shape.boolean
        && shape.number == Some(Box::default())
        && shape.string == Some(Box::default())
        && shape.array.as_ref().is_some_and(|array| array.is_any())
        && shape.object.as_ref().is_some_and(|object| !object.is_any())
}

fn only_object(shape: Shape) -> Shape {
    let object = Shape {
        object: Some(Box::default()),
        ..Shape::default()
    };
    intersect::both(shape, object)
}

/// An object with this shape as its only property.
fn under(field: &str, shape: Shape) -> Shape {
    let property = ShapeProperty {
        key: field.to_owned(),
        shape,
        required: true,
    };
    let mut object = ObjectShape::default();
    object.properties.push(property);
    Shape {
        object: Some(Box::new(object)),
        ..Shape::default()
    }
}

/// A schema in the full dialect as the only property of an object.
fn wrapped(schema: &Value, field: &str) -> Value {
    let mut properties = Map::new();
    let at = format!("/properties/{field}");
    properties.insert(field.to_owned(), rebase::rebased(schema, &at));
    let mut object = json!({"type": "object", "properties": properties, "required": [field]});
    if let Some(draft) = schema.get("$schema") {
        object["$schema"] = draft.clone();
    }
    object
}
