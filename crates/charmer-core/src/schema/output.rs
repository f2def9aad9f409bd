//! A declared output: its schema as it goes out, and what is done with data of it.

use serde_json::{Map, Value};

use super::{
    check::{self, Mismatch},
    note::Note,
    nulls, rebase,
};

/// In which dialect a schema goes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Dialect {
    /// The dialect that every known client accepts.
    #[default]
    Portable,
    /// JSON Schema as it was written, untouched.
    Full,
}

/// The schema of an output, ready to be published, and how data is made to fit it.
///
/// It is made once for each type or file and shared; nothing in it changes.
///
/// ```
/// use charmer_core::schema::convert;
/// use serde_json::json;
///
/// let output = convert(&json!({
///     "type": "array",
///     "items": {"type": "object", "properties": {"name": {"type": ["string", "null"]}}, "required": ["name"]},
/// }));
/// assert_eq!(output.schema()["properties"]["items"]["items"]["properties"]["name"]["type"], "string");
///
/// let data = output.prepare(json!([{"name": "a"}, {"name": null}]));
/// assert_eq!(data, json!({"items": [{"name": "a"}, {}]}));
/// assert!(output.check(&data).is_empty());
/// assert_eq!(output.check(&json!({"items": [1]})).len(), 1);
/// ```
#[derive(Debug, Clone)]
pub struct OutputSchema {
    pub(super) dialect: Dialect,
    /// As it goes out.
    pub(super) schema: Value,
    /// In the portable dialect; the same, unless another one goes out.
    pub(super) portable: Option<Value>,
    pub(super) field: Option<String>,
    pub(super) notes: Vec<Note>,
    #[cfg(feature = "full-check")]
    pub(super) full: super::full::FullCheck,
}

impl OutputSchema {
    /// The schema as it goes out, as a document of its own; its root is an object.
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// The schema as a part of another one, where it stands at this JSON pointer (`/properties/data`): references in
    /// it, which only the full dialect has, are made to lead to the same place from there.
    pub fn embedded(&self, at: &str) -> Value {
        match self.dialect {
            Dialect::Portable => self.schema.clone(),
            Dialect::Full => rebase::rebased(&self.schema, at),
        }
    }

    /// The dialect that it is written in.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The field that data is put under, where it is not an object by itself.
    pub fn field(&self) -> Option<&str> {
        self.field.as_deref()
    }

    /// The parts of the original that this does not say.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Data as it goes out: under its field, and without nulls that stand for nothing. The full dialect says where null
    /// may be, so there every null stays.
    pub fn prepare(&self, data: Value) -> Value {
        let mut data = match &self.field {
            Some(field) => Value::Object(Map::from_iter([(field.clone(), data)])),
            None => data,
        };
        if self.dialect == Dialect::Portable {
            nulls::remove(&mut data, &self.schema);
        }
        data
    }

    /// Returns the mismatches between [prepared](Self::prepare) data and the schema; nothing where all is well.
    ///
    /// A schema in the full dialect is checked in full with the cargo feature `full-check`, and without it as far as
    /// the portable dialect goes, which can miss something but reports nothing wrongly.
    pub fn check(&self, data: &Value) -> Vec<Mismatch> {
        let Some(portable) = &self.portable else {
            return check::check(&self.schema, data);
        };
        #[cfg(feature = "full-check")]
        if let Some(found) = self.full.check(&self.schema, data) {
            return found;
        }
        let mut data = data.clone();
        nulls::remove(&mut data, portable);
        check::check(portable, &data)
    }
}
