//! Output schemas: the converter held to its promise, by hand-written schemas, derived ones and random ones.

mod derived;
mod dialect;
mod handwritten;
mod limits;
mod random;

use charmer_core::schema::{Converter, OutputSchema};
use serde_json::Value;

/// A validator that nobody here wrote.
pub(crate) fn is_valid(schema: &Value, data: &Value) -> bool {
    jsonschema::options()
        .should_validate_formats(true)
        .build(schema)
        .expect("the schema is one")
        .is_valid(data)
}

/// Converts a schema both ways and holds the result to the dialect.
pub(crate) fn converted(schema: &Value) -> [OutputSchema; 2] {
    [false, true].map(|only_declared| {
        let output = Converter::new()
            .only_declared(only_declared)
            .convert(schema);
        let breaches = dialect::breaches(output.schema());
        assert!(
            breaches.is_empty(),
            "{breaches:#?}\nof {schema:#}\nto {:#}",
            output.schema()
        );
        output
    })
}

/// Holds that data which is valid under a schema is valid under the converted one.
pub(crate) fn assert_kept(schema: &Value, output: &OutputSchema, data: &Value) {
    assert!(is_valid(schema, data), "{data:#}\nis not of {schema:#}");
    let prepared = output.prepare(data.clone());
    let said = format!(
        "{data:#}\nas {prepared:#}\nof {schema:#}\nto {:#}",
        output.schema()
    );
    assert!(is_valid(output.schema(), &prepared), "not kept: {said}");
    assert_eq!(output.check(&prepared), [], "wrongly reported: {said}");
}
