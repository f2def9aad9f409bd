//! Schemas of outputs from Rust types, each made once.

use std::{
    any::TypeId,
    collections::HashMap,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use charmer_core::schema::{Converter, OutputSchema};
use schemars::{JsonSchema, generate::SchemaSettings};

/// The schema of a type as it is written by `serde`, in the dialect that every client accepts; made once for each type.
///
/// Doc comments become descriptions, and a field that may be `None` is not required: a null is left out of the data.
/// See [`charmer_core::schema`] for what becomes of everything else.
///
/// ```
/// use charmer::schemars::{self, JsonSchema};
///
/// #[derive(JsonSchema)]
/// struct Item {
///     /// What it is called
///     name: String,
///     size: Option<u32>,
/// }
///
/// let output = charmer::output_schema::<Vec<Item>>();
/// let item = &output.schema()["properties"]["items"]["items"];
/// assert_eq!(item["properties"]["name"]["description"], "What it is called");
/// assert_eq!(item["required"], serde_json::json!(["name"]));
/// ```
pub fn output_schema<T: JsonSchema + 'static>() -> Arc<OutputSchema> {
    static KNOWN: OnceLock<Mutex<HashMap<TypeId, Arc<OutputSchema>>>> = OnceLock::new();
    let known = || {
        let known = KNOWN.get_or_init(Mutex::default);
        // Nothing is half done in it at any time.
        known.lock().unwrap_or_else(PoisonError::into_inner)
    };
    let id = TypeId::of::<T>();
    if let Some(output) = known().get(&id) {
        return Arc::clone(output);
    }
    // Made outside of the lock: a type's schema is its author's code.
    let made = Arc::new(made::<T>());
    Arc::clone(known().entry(id).or_insert(made))
}

fn made<T: JsonSchema>() -> OutputSchema {
    let generator = SchemaSettings::draft2020_12().for_serialize();
    let schema = generator.into_generator().into_root_schema_for::<T>();
    // What a type writes is what it declares.
    Converter::new()
        .only_declared(true)
        .convert(&schema.to_value())
}

#[cfg(test)]
mod tests {
    use serde::Serialize;
    use serde_json::json;

    use super::*;

    #[derive(Serialize, JsonSchema)]
    #[serde(tag = "kind", rename_all = "lowercase")]
    enum Figure {
        Circle { radius: f64, label: Option<String> },
        Square { side: f64 },
    }

    #[test]
    fn a_type_has_one_schema_from_whatever_thread() {
        let here = output_schema::<Vec<Figure>>();
        let there = std::thread::spawn(output_schema::<Vec<Figure>>).join();
        assert!(Arc::ptr_eq(&here, &there.expect("it does not panic")));
        assert!(!Arc::ptr_eq(&here, &output_schema::<Figure>()));
    }

    #[test]
    fn what_a_type_writes_is_prepared_and_fits() {
        let output = output_schema::<Vec<Figure>>();
        let written = [
            Figure::Circle {
                radius: 1.0,
                label: None,
            },
            Figure::Square { side: 2.0 },
        ];
        let data = output.prepare(serde_json::to_value(written).expect("it is JSON"));
        assert_eq!(
            data,
            json!({"items": [{"kind": "circle", "radius": 1.0}, {"kind": "square", "side": 2.0}]})
        );
        assert_eq!(output.check(&data), []);
        // What only some of the alternatives have keeps its type.
        let found = output.check(&json!({"items": [{"kind": "square", "side": "2"}]}));
        assert_eq!(
            found[0].to_string(),
            "/items/0/side is a string where a number is expected"
        );
    }

    #[test]
    fn the_schema_is_that_of_what_is_written_not_of_what_is_read() {
        #[derive(Serialize, JsonSchema)]
        #[serde(rename_all(serialize = "camelCase"))]
        struct Row {
            is_new: bool,
            #[serde(skip_serializing)]
            #[expect(dead_code, reason = "it is there to be left out")]
            hidden: u8,
        }
        let output = output_schema::<Row>();
        assert_eq!(
            output.schema()["properties"],
            json!({"isNew": {"type": "boolean"}})
        );
    }
}
