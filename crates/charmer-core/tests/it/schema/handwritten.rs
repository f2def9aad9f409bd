//! Schemas as people write them, keyword by keyword.

use charmer_core::schema::{Converter, Dialect, Note, OutputSchema, convert};
use serde_json::{Value, json};

use super::{assert_kept, converted, is_valid};

/// The converted schema of a property.
fn property(schema: Value) -> Value {
    let schema = json!({"type": "object", "properties": {"x": schema}});
    let [output, _] = converted(&schema);
    output.schema()["properties"]["x"].clone()
}

fn has_note(output: &OutputSchema, pointer: &str, words: &str) -> bool {
    let fits = |note: &Note| note.pointer == pointer && note.message.contains(words);
    output.notes().iter().any(fits)
}

#[test]
fn references_are_written_out() {
    let schema = json!({
        "type": "object",
        "properties": {
            "new": {"$ref": "#/$defs/a~1b"},
            "old": {"$ref": "#/definitions/Old", "description": "Its own"},
            "chain": {"$ref": "#/$defs/first"},
            "narrowed": {"$ref": "#/$defs/number", "maximum": 3},
            "itself": {"$ref": "#"},
        },
        "$defs": {
            "a/b": {"type": "string", "description": "Slash"},
            "first": {"$ref": "#/$defs/second"}, "second": {"$ref": "#/$defs/a~1b"},
            "number": {"type": "number", "minimum": 1},
        },
        "definitions": {"Old": {"type": "integer", "description": "Not this"}},
    });
    let [output, _] = converted(&schema);
    let found = &output.schema()["properties"];
    let slash = json!({"type": "string", "description": "Slash"});
    assert_eq!(found["new"], slash);
    assert_eq!(found["chain"], slash);
    assert_eq!(
        found["old"],
        json!({"type": "integer", "description": "Its own"})
    );
    assert_eq!(
        found["narrowed"],
        json!({"type": "number", "minimum": 1, "maximum": 3})
    );
    assert_eq!(
        found["itself"]["properties"]["itself"]["properties"]["new"],
        slash
    );
    let data =
        json!({"itself": {"itself": {"itself": {"itself": {"new": "deep"}}}}, "narrowed": 2});
    assert_kept(&schema, &output, &data);
}

#[test]
fn beside_a_reference_of_an_old_draft_nothing_counts() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {"x": {"$ref": "#/definitions/X", "maximum": 3, "description": "Kept"}},
        "definitions": {"X": {"type": "number"}},
    });
    let [output, _] = converted(&schema);
    assert_eq!(
        output.schema()["properties"]["x"],
        json!({"type": "number", "description": "Kept"})
    );
    assert_kept(&schema, &output, &json!({"x": 5}));
}

#[test]
fn references_that_lead_nowhere_are_said_and_constrain_nothing() {
    for reference in [
        "#/$defs/Gone",
        "https://example.com/other.json",
        "other.json#/a",
        "#anchor",
        "#/$defs/own",
    ] {
        let schema = json!({
            "type": "object",
            "properties": {"x": {"$ref": reference, "description": "Still told"}, "y": {"$ref": reference, "type": "object"}},
            "$defs": {"own": {"$id": "https://example.com/own", "$ref": "#/$defs/Gone"}},
        });
        let output = convert(&schema);
        assert_eq!(
            output.schema()["properties"]["x"],
            json!({"description": "Still told"}),
            "{reference}"
        );
        assert_eq!(
            output.schema()["properties"]["y"],
            json!({"type": "object"}),
            "{reference}"
        );
        assert!(
            has_note(&output, "/properties/x/$ref", reference),
            "{:?}",
            output.notes()
        );
        for value in [json!(1), json!("a"), json!([null]), json!({})] {
            let data = output.prepare(json!({ "x": value }));
            assert!(output.check(&data).is_empty());
        }
    }
}

#[test]
fn references_that_only_lead_to_themselves_end() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/A"}, "c": {"$ref": "#/$defs/C"}},
        "$defs": {
            "A": {"$ref": "#/$defs/B"}, "B": {"allOf": [{"$ref": "#/$defs/A"}]},
            "C": {"anyOf": [{"$ref": "#/$defs/C"}, {"type": "string"}]},
        },
    });
    let [output, _] = converted(&schema);
    assert_eq!(output.schema()["properties"]["a"], json!({}));
    assert!(
        has_note(&output, "/$defs/B/allOf/0/$ref", "leads back to itself"),
        "{:?}",
        output.notes()
    );
    assert_eq!(convert(&json!({"$ref": "#"})).field(), Some("value"));
}

#[test]
fn optional_values_in_every_spelling() {
    for spelling in [
        json!({"type": ["string", "null"]}),
        json!({"type": ["null", "string"]}),
        json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
        json!({"oneOf": [{"type": "null"}, {"type": "string"}]}),
        json!({"type": "string", "nullable": true}),
        json!({"anyOf": [{"$ref": "#/$defs/Text"}, {"const": null}]}),
        json!({"anyOf": [{"$ref": "#/$defs/Text"}, {"enum": [null]}]}),
    ] {
        let schema = json!({
            "type": "object", "properties": {"x": spelling, "y": {"type": "integer"}}, "required": ["x", "y"],
            "$defs": {"Text": {"type": "string"}},
        });
        let [output, _] = converted(&schema);
        assert_eq!(
            output.schema()["properties"]["x"],
            json!({"type": "string"}),
            "{spelling}"
        );
        assert_eq!(output.schema()["required"], json!(["y"]), "{spelling}");
        assert_eq!(
            output.prepare(json!({"x": null, "y": 1})),
            json!({"y": 1}),
            "{spelling}"
        );
        if spelling.get("nullable").is_none() {
            assert_kept(&schema, &output, &json!({"x": null, "y": 1}));
        }
        assert_kept(&schema, &output, &json!({"x": "a", "y": 1}));
        // A null in the place of something that is required is a mistake, and stays to be seen.
        let data = output.prepare(json!({"x": "a", "y": null}));
        assert_eq!(
            output.check(&data)[0].to_string(),
            "/y is null where an integer is expected"
        );
    }
    assert_eq!(
        property(json!({"type": ["string", "null"], "enum": ["a", null], "default": null})),
        json!({"type": "string", "enum": ["a"]})
    );
}

#[test]
fn nulls_are_removed_deep_inside_and_only_where_they_stand_for_nothing() {
    let schema = json!({
        "type": "object",
        "properties": {
            "list": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
            "map": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Item"}},
            "values": {"type": "object", "additionalProperties": {"type": ["integer", "null"]}},
            "must": {"type": "null"},
            "any": true,
        },
        "required": ["must", "any"],
        "$defs": {"Item": {"type": "object", "properties": {"name": {"type": ["string", "null"]}}, "required": ["name"]}},
    });
    let data = json!({
        "list": [{"name": null}, {"name": "a"}, {"name": null, "extra": null}],
        "map": {"k": {"name": null}},
        "values": {"a": null, "b": 1},
        "must": null,
        "any": null,
    });
    let [output, _] = converted(&schema);
    assert_kept(&schema, &output, &data);
    assert_eq!(
        output.prepare(data),
        json!({
            "list": [{}, {"name": "a"}, {"extra": null}],
            "map": {"k": {}},
            "values": {"a": null, "b": 1},
            "must": null,
            "any": null,
        })
    );
}

#[test]
fn booleans_in_the_place_of_schemas() {
    assert_eq!(property(json!(true)), json!({}));
    let [output, _] =
        converted(&json!({"type": "object", "properties": {"never": false, "a": true}}));
    assert_eq!(
        *output.schema(),
        json!({"type": "object", "properties": {"a": {}}})
    );
    assert_eq!(
        property(json!({"type": "array", "items": false})),
        json!({"type": "array", "items": {}, "maxItems": 0})
    );
    assert_eq!(
        property(json!({"type": "array", "items": true})),
        json!({"type": "array", "items": {}})
    );
    let [output, _] = converted(&json!(true));
    assert_eq!(
        *output.schema(),
        json!({"type": "object", "properties": {"value": {}}, "required": ["value"]})
    );
    let [output, _] = converted(&json!(false));
    assert_eq!(output.schema()["properties"]["value"], json!({}));
    assert!(has_note(&output, "", "lets in no value"));
}

#[test]
fn values_that_are_listed() {
    assert_eq!(
        property(json!({"const": "a"})),
        json!({"type": "string", "enum": ["a"]})
    );
    assert_eq!(
        property(json!({"const": 3})),
        json!({"type": "integer", "minimum": 3, "maximum": 3})
    );
    assert_eq!(
        property(json!({"type": "integer", "enum": [5, 1, 3], "description": "How much"})),
        json!({"type": "integer", "description": "How much (5, 1, 3)", "minimum": 1, "maximum": 5})
    );
    assert_eq!(
        property(json!({"enum": ["a", 1]})),
        json!({"description": "(\"a\" or 1)"})
    );
    assert_eq!(property(json!({"const": true})), json!({"type": "boolean"}));
    assert_eq!(
        property(json!({"const": {"a": 1}})),
        json!({"type": "object"})
    );
}

#[test]
fn bounds_formats_patterns_defaults_and_examples() {
    for (schema, expected) in [
        (
            json!({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 10}),
            json!({"type": "integer", "minimum": 1, "maximum": 9}),
        ),
        (
            json!({"type": "number", "exclusiveMinimum": 0}),
            json!({"type": "number", "minimum": 0}),
        ),
        (
            json!({"type": "number", "minimum": 0, "exclusiveMinimum": true}),
            json!({"type": "number", "minimum": 0}),
        ),
        (
            json!({"type": "integer", "maximum": u64::MAX}),
            json!({"type": "integer"}),
        ),
        (
            json!({"type": "string", "format": "uri"}),
            json!({"type": "string", "format": "uri"}),
        ),
        (
            json!({"type": "string", "format": "regex"}),
            json!({"type": "string", "description": "(format: regex)"}),
        ),
        (
            json!({"type": "string", "pattern": "^a+$"}),
            json!({"type": "string", "pattern": "^a+$"}),
        ),
        (
            json!({"type": "string", "pattern": "^(?!a)"}),
            json!({"type": "string"}),
        ),
        (
            json!({"type": "integer", "default": 3}),
            json!({"type": "integer", "default": 3}),
        ),
        (
            json!({"type": "integer", "default": "3"}),
            json!({"type": "integer"}),
        ),
        (
            json!({"type": "string", "title": "A title"}),
            json!({"type": "string", "description": "A title"}),
        ),
        (
            json!({"type": "string", "examples": ["a", {}, 1]}),
            json!({"type": "string", "description": "(e.g., \"a\", 1)"}),
        ),
    ] {
        assert_eq!(property(schema.clone()), expected, "{schema}");
    }
    let default = json!({"type": "object", "properties": {"a": {"type": ["string", "null"]}}, "default": {"a": null}});
    assert_eq!(property(default)["default"], json!({}));
}

#[test]
fn what_cannot_be_said_is_noted_where_it_stood() {
    let output = convert(&json!({"type": "object", "properties": {
        "a/b": {"type": "string"},
        "n": {"type": "number", "multipleOf": 2, "not": {"const": 4}},
        "o": {"type": "object", "minProperties": 1, "additionalProperties": false, "unevaluatedProperties": false},
        "l": {"type": "array", "contains": {"type": "string"}, "uniqueItems": false},
        "e": {"anyOf": [{"type": "string"}, {"type": "array"}]},
    }}));
    for (pointer, words) in [
        ("", "\"a/b\" has a key that clients reject"),
        ("/properties/n/multipleOf", "left out"),
        ("/properties/n/not", "left out"),
        ("/properties/o/minProperties", "left out"),
        ("/properties/o/unevaluatedProperties", "left out"),
        ("/properties/o/additionalProperties", "no other properties"),
        ("/properties/l/contains", "left out"),
        ("/properties/e", "several types"),
    ] {
        assert!(
            has_note(&output, pointer, words),
            "{pointer} {words} {:#?}",
            output.notes()
        );
    }
    assert_eq!(output.notes().len(), 8);
    assert_eq!(
        output.notes()[0].to_string().split(':').next(),
        Some("#/properties/n/not")
    );
    assert_eq!(
        output.schema()["properties"]["e"],
        json!({"description": "(string or list)"})
    );
}

#[test]
fn a_key_that_cannot_be_declared_is_among_the_others() {
    let schema = json!({
        "type": "object", "properties": {"two words": {"type": ["string", "null"]}}, "required": ["two words"],
        "additionalProperties": {"type": "integer"},
    });
    let [output, _] = converted(&schema);
    assert_kept(&schema, &output, &json!({"two words": "a", "n": 1}));
    assert_kept(&schema, &output, &json!({"two words": null}));
}

#[test]
fn a_root_without_a_type_is_an_object_if_it_speaks_of_one() {
    let [output, _] =
        converted(&json!({"properties": {"a": {"type": "string"}}, "required": ["a"]}));
    let expected =
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]});
    assert_eq!(*output.schema(), expected);
    assert!(has_note(&output, "", "taken for an object"));
}

#[test]
fn alternatives_are_open_unless_it_is_said_that_they_are_not() {
    let schema = json!({"oneOf": [
        {"type": "object", "properties": {"kind": {"const": "a"}, "x": {"type": "string"}}, "required": ["kind", "x"]},
        {"type": "object", "properties": {"kind": {"const": "b"}}, "required": ["kind"]},
    ]});
    let [strict, trusting] = converted(&schema);
    assert_eq!(strict.schema()["properties"]["x"], json!({}));
    assert_eq!(
        trusting.schema()["properties"]["x"],
        json!({"type": "string"})
    );
    assert_kept(&schema, &strict, &json!({"kind": "b", "x": 5}));
    let closed = json!({"oneOf": [
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false},
        {"type": "object", "properties": {"b": {"type": "integer"}}, "required": ["b"], "additionalProperties": false},
    ]});
    let [strict, _] = converted(&closed);
    assert_eq!(
        strict.schema()["properties"],
        json!({"a": {"type": "string"}, "b": {"type": "integer"}})
    );
}

#[test]
fn the_field_can_be_named() {
    let list = json!({"type": "array", "items": {"type": "string"}});
    let output = Converter::new().field("names").convert(&list);
    assert_eq!(output.prepare(json!(["a"])), json!({"names": ["a"]}));
    assert_eq!(output.schema()["required"], json!(["names"]));
    let output = Converter::new().field("two words").convert(&list);
    assert_eq!(output.field(), Some("items"));
    assert!(has_note(&output, "", "two words"));
    // An object needs none.
    assert_eq!(
        Converter::new()
            .field("x")
            .convert(&json!({"type": "object"}))
            .field(),
        None
    );
}

#[test]
fn the_full_dialect_passes_everything_through() {
    let full = Converter::new().dialect(Dialect::Full);
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object", "properties": {"x": {"$ref": "#/$defs/X"}, "n": {"type": ["integer", "null"]}},
        "required": ["x"], "$defs": {"X": {"oneOf": [{"const": 1}, {"const": "a"}]}},
    });
    let output = full.convert(&schema);
    assert_eq!(*output.schema(), schema);
    assert_eq!(output.notes(), []);
    let data = output.prepare(json!({"x": 1, "n": null}));
    assert_eq!(data, json!({"x": 1, "n": null}));
    assert!(output.check(&data).is_empty());
    assert_eq!(output.check(&json!({"n": null})).len(), 1);
    assert_eq!(output.check(&json!({"x": "a", "n": "b"}))[0].pointer, "/n");

    let list = full.convert(&json!({"type": "array", "items": {"$ref": "#/$defs/X"}, "$defs": {"X": {"type": "string"}}}));
    assert_eq!(
        list.schema()["properties"]["items"]["items"]["$ref"],
        "#/properties/items/$defs/X"
    );
    assert!(is_valid(list.schema(), &list.prepare(json!(["a"]))));
    assert!(!is_valid(list.schema(), &list.prepare(json!([1]))));
    assert_eq!(
        list.embedded("/properties/data")["properties"]["items"]["items"]["$ref"],
        "#/properties/data/properties/items/$defs/X"
    );
}

#[cfg(feature = "full-check")]
#[test]
fn the_full_dialect_is_checked_in_full_and_nothing_is_fetched() {
    let full = Converter::new().dialect(Dialect::Full);
    let output = full.convert(
        &json!({"type": "object", "properties": {"x": {"oneOf": [{"const": 1}, {"const": "a"}]}}}),
    );
    assert!(output.check(&json!({"x": "a"})).is_empty());
    let found = output.check(&json!({"x": "secret"}));
    assert_eq!(found[0].pointer, "/x");
    assert!(!found[0].message.contains("secret"), "{found:?}");
    // Nothing is fetched; what is left is checked as far as the portable dialect goes.
    let output = full.convert(&json!({
        "type": "object", "properties": {"x": {"$ref": "http://127.0.0.1:9/x"}, "y": {"type": "string"}},
    }));
    assert_eq!(
        output.check(&json!({"x": 1, "y": 2}))[0].to_string(),
        "/y is a number where a string is expected"
    );
}
