//! Large, deep and hostile schemas: everything ends, and everything stays valid.

use charmer_core::schema::{NODE_LIMIT, NOTE_LIMIT, REPEAT_LIMIT, convert};
use serde_json::{Map, Value, json};

use super::{assert_kept, dialect};

/// How many schemas there are in a schema.
fn size(schema: &Value) -> usize {
    let parts = |key: &str| schema.get(key).into_iter().map(size).sum::<usize>();
    let properties = schema["properties"].as_object().into_iter().flatten();
    1 + properties.map(|(_, inner)| size(inner)).sum::<usize>()
        + parts("items")
        + parts("additionalProperties")
}

#[test]
fn a_hundred_levels_of_nesting() {
    let mut schema =
        json!({"type": "object", "properties": {"end": {"type": "integer"}}, "required": ["end"]});
    let mut data = json!({"end": 1});
    for _ in 0..100 {
        schema = json!({"type": "object", "properties": {"x": {"anyOf": [schema, {"type": "null"}]}}, "required": ["x"]});
        data = json!({ "x": data });
    }
    let output = convert(&schema);
    assert_eq!(output.notes(), []);
    assert_eq!(dialect::breaches(output.schema()), Vec::<String>::new());
    assert_kept(&schema, &output, &data);
    let end = format!("{}/properties/end", "/properties/x".repeat(100));
    assert_eq!(
        output.schema().pointer(&end),
        Some(&json!({"type": "integer"}))
    );
    // Through references as well.
    let mut schema = json!({"$ref": "#/$defs/T0"});
    let mut definitions = Map::new();
    for n in 0..100 {
        let next = json!({"anyOf": [{"$ref": format!("#/$defs/T{}", n + 1)}, {"type": "null"}]});
        definitions.insert(
            format!("T{n}"),
            json!({"type": "object", "properties": {"x": next}, "required": ["x"]}),
        );
    }
    definitions.insert(
        "T100".into(),
        json!({"type": "object", "properties": {"end": {"type": "integer"}}}),
    );
    schema["$defs"] = definitions.into();
    let output = convert(&schema);
    assert_eq!(output.notes(), []);
    assert_eq!(
        output.schema().pointer(&end),
        Some(&json!({"type": "integer"}))
    );
}

#[test]
fn deeper_levels_are_cut() {
    let mut schema = json!({"type": "string"});
    for _ in 0..500 {
        schema = json!({"type": "array", "items": schema});
    }
    let output = convert(&schema);
    assert!(
        output
            .notes()
            .iter()
            .any(|note| note.message.contains("beyond the size"))
    );
    let mut in_place = json!({"type": "string"});
    for _ in 0..500 {
        in_place = json!({"allOf": [in_place]});
    }
    assert_eq!(
        convert(&in_place).schema()["properties"]["value"],
        json!({})
    );
}

#[test]
fn ten_thousand_properties_choices_and_variants() {
    let properties: Map<String, Value> = (0..10_000)
        .map(|n| (format!("p{n}"), json!({"type": ["integer", "null"]})))
        .collect();
    let required: Vec<&String> = properties.keys().collect();
    let schema = json!({"type": "object", "properties": properties, "required": required});
    let output = convert(&schema);
    assert_eq!(output.notes(), []);
    assert_eq!(
        output.schema()["properties"]
            .as_object()
            .expect("it is there")
            .len(),
        10_000
    );
    let data: Map<String, Value> = (0..10_000)
        .map(|n| {
            (
                format!("p{n}"),
                if n % 2 == 0 { json!(n) } else { Value::Null },
            )
        })
        .collect();
    assert_eq!(
        output
            .prepare(Value::Object(data.clone()))
            .as_object()
            .expect("it is there")
            .len(),
        5_000
    );
    assert_kept(&schema, &output, &Value::Object(data));

    let words: Vec<Value> = (0..10_000)
        .map(|n| json!({"const": format!("w{n}"), "description": "Told"}))
        .collect();
    let output = convert(&json!({"type": "object", "properties": {"word": {"oneOf": words}}}));
    assert_eq!(
        output.schema()["properties"]["word"]["enum"]
            .as_array()
            .expect("it is there")
            .len(),
        10_000
    );
    assert_eq!(dialect::breaches(output.schema()), Vec::<String>::new());

    let variants: Vec<Value> = (0..10_000)
        .map(|n| json!({"type": "object", "properties": {"kind": {"const": format!("k{n}")}, format!("f{n}"): {"type": "string"}}, "required": ["kind"]}))
        .collect();
    let schema = json!({ "oneOf": variants });
    let output = convert(&schema);
    assert_eq!(
        output.schema()["properties"]["kind"]["enum"]
            .as_array()
            .expect("it is there")
            .len(),
        10_000
    );
    assert_eq!(dialect::breaches(output.schema()), Vec::<String>::new());
}

#[test]
fn references_that_double_at_every_step_are_bounded() {
    let mut definitions = Map::new();
    for n in 0..40 {
        let next = json!({"$ref": format!("#/$defs/D{}", n + 1)});
        definitions.insert(
            format!("D{n}"),
            json!({"type": "object", "properties": {"l": next, "r": next}, "required": ["l"]}),
        );
    }
    definitions.insert(
        "D40".into(),
        json!({"type": "object", "properties": {"end": {"type": "string"}}}),
    );
    let schema = json!({"$ref": "#/$defs/D0", "$defs": definitions});
    let output = convert(&schema);
    assert!(
        size(output.schema()) < 4 * REPEAT_LIMIT,
        "{}",
        size(output.schema())
    );
    assert!(output.notes().len() <= NOTE_LIMIT);
    assert!(
        output
            .notes()
            .iter()
            .any(|note| note.message.contains("often enough"))
    );
    assert_eq!(dialect::breaches(output.schema()), Vec::<String>::new());
    let mut data = json!({"end": "x"});
    for _ in 0..40 {
        data = json!({"l": data, "r": null});
        data.as_object_mut().expect("it is there").shift_remove("r");
    }
    assert_kept(&schema, &output, &data);

    // The same in one place: alternatives of alternatives.
    for keyword in ["anyOf", "allOf"] {
        let mut definitions = Map::new();
        for n in 0..40 {
            let next = json!({"$ref": format!("#/$defs/D{}", n + 1)});
            definitions.insert(format!("D{n}"), json!({keyword: [next, next]}));
        }
        definitions.insert(
            "D40".into(),
            json!({"type": "object", "properties": {"end": {"type": "string"}}}),
        );
        let output = convert(&json!({"$ref": "#/$defs/D0", "$defs": definitions}));
        assert!(size(output.schema()) < NODE_LIMIT);
    }
}

#[test]
fn types_that_all_contain_each_other_are_bounded() {
    let all: Map<String, Value> = (0..30)
        .map(|n| (format!("t{n}"), json!({"$ref": format!("#/$defs/T{n}")})))
        .collect();
    let definitions: Map<String, Value> = (0..30)
        .map(|n| {
            (
                format!("T{n}"),
                json!({"type": "object", "properties": all}),
            )
        })
        .collect();
    let schema = json!({"type": "object", "properties": all, "$defs": definitions});
    let output = convert(&schema);
    assert!(
        size(output.schema()) < 4 * REPEAT_LIMIT,
        "{}",
        size(output.schema())
    );
    assert_eq!(dialect::breaches(output.schema()), Vec::<String>::new());
    assert_kept(
        &schema,
        &output,
        &json!({"t1": {"t2": {"t1": {"t29": {"t1": {"t1": {"t3": {}}}}}}}}),
    );
}
