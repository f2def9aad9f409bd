//! The schema for editors and the parser agree; the example shows every key.

use std::path::Path;

use charmer_run::process::Environment;
use charmer_spells::{Context, SCHEMA, Spell};
use jsonschema::Validator;
use serde_json::Value;

use crate::support::text;

const EXAMPLE: &str = include_str!("../../../../docs/spell.example.yaml");

fn validator() -> Validator {
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    jsonschema::validator_for(&schema).expect("the schema is one")
}

/// A file as an editor sees it.
fn as_json(yaml: &str) -> Value {
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(yaml, options).expect("the file is YAML")
}

fn is_taken(text: &str) -> bool {
    Spell::parse(text, "t.yaml", &Context::default())
        .mistakes
        .is_none()
}

#[test]
fn the_example_is_valid_names_the_schema_and_has_every_key() {
    let mut variables = Environment::empty();
    variables.set("HOME", "/home/somebody");
    let context = Context::default()
        .stem("search-notes")
        .variables(&variables);
    let read = Spell::parse(EXAMPLE, "search-notes.yaml", &context);
    assert!(
        read.mistakes.is_none() && read.advice.is_none(),
        "{:?} {:?}",
        read.mistakes,
        read.advice
    );
    assert!(validator().is_valid(&as_json(EXAMPLE)));
    let (first, _) = EXAMPLE.split_once('\n').expect("lines");
    let (_, path) = first.split_once("$schema=").expect("a reference");
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    assert_eq!(
        std::fs::read_to_string(docs.join(path)).expect("it is there"),
        SCHEMA
    );
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    for mapping in [&schema, &schema["$defs"]["arg"], &schema["$defs"]["output"]] {
        for key in mapping["properties"].as_object().expect("keys").keys() {
            assert!(
                EXAMPLE.contains(&format!("{key}:")),
                "`{key}` is not in the example"
            );
        }
    }
}

/// The blocks of a document that are YAML.
fn examples(document: &str) -> Vec<&str> {
    let blocks = document.split("```yaml\n").skip(1);
    let examples: Vec<&str> = blocks
        .filter_map(|block| block.split("```").next())
        .collect();
    assert!(!examples.is_empty(), "there are examples");
    examples
}

#[test]
fn the_examples_of_the_documentation_are_valid() {
    let mut variables = Environment::empty();
    variables.set("HOME", "/home/somebody");
    let context = Context::default().variables(&variables);
    let validator = validator();
    for document in [
        include_str!("../../../../docs/spells.md"),
        include_str!("../../../../README.md"),
    ] {
        for example in examples(document) {
            let read = Spell::parse(example, "t.yaml", &context);
            let said = read.mistakes.iter().chain(&read.advice).next();
            assert!(said.is_none(), "{}", said.expect("there is one"));
            assert!(validator.is_valid(&as_json(example)), "{example}");
        }
    }
}

#[test]
fn they_agree() {
    let validator = validator();
    for keys in [
        "command: x",
        "command: x\nflags: []\npaths: []",
        "command: x\nflags: [-n, 5]\npaths: [., /tmp]\ntimeout: 300",
        "command: x\ntimeout: 5m",
        "command: x\ntimeout: '30'",
        "command: x\nargs: []\nargv: []",
        "command: x\nargs: [{name: a, type: integer, min: 1, max: 9}, {name: b, type: number, max: 0.5}]",
        "command: x\nargs: [{name: a, free: true}, {name: b, enum: [x], free: false}]\nargv: ['{{a}}']",
        "command: x\nnetwork: none\nconfine: false",
        "command: x\nargs: [{name: a}, {name: b, type: path, description: d}]\nargv: [1, '{{a}}', '']",
        "command: x\nargs: [{name: a, type: integer, default: 5}, {name: o, type: object, default: {a: [1]}}]",
        "command: x\nargs: [{name: a, enum: [x, 1], default: x, required: false}, {name: p, pattern: '[a-z]+'}]",
        "command: x\nenv: {A: b, B: 1}\nstdin: hello\neffect: destroy",
        "command: x\nconfirm: true\nshell: false\nconfine: true",
        "command: x\nstructure: off\nmax_items: 5\noutput: {format: yaml}",
        "command: x\nstructure: auto\noutput: {schema: {type: object}, dialect: full, field: x}",
        "command: x\nstructure: force\njson: [--output, json]",
        "command: x\njson: [--json]",
        "command: x\nstructure: false\noutput: {schema: a.json, format: table}",
    ] {
        let text = text("t", keys);
        assert!(is_taken(&text), "the parser refuses {keys}");
        assert!(
            validator.is_valid(&as_json(&text)),
            "the schema refuses {keys}"
        );
    }
    let mut refused: Vec<String> = [
        "flags: []",
        "command: ''",
        "command: [x]",
        "command: true",
        "command: x\nflags: -v",
        "command: x\nflags: [true]",
        "command: x\nflags: ['']",
        "command: x\npaths: .",
        "command: x\npaths: [null]",
        "command: x\ntimeout: 0",
        "command: x\ntimeout: 301",
        "command: x\ntimeout: 30 s",
        "command: x\nnetwork: off",
        "command: x\nargs: [{name: a, min: 1}]",
        "command: x\nargs: [{name: a, type: number, max: x}]",
        "command: x\nargs: [{name: a, pattern: a, free: true}]",
        "command: x\nargs: [{name: a, type: integer, free: true}]",
        "command: x\nargs: {}",
        "command: x\nargs: [a]",
        "command: x\nargs: [{type: string}]",
        "command: x\nargs: [{name: flags}]",
        "command: x\nargs: [{name: a b}]",
        "command: x\nargs: [{name: a, type: int}]",
        "command: x\nargs: [{name: a, enum: []}]",
        "command: x\nargs: [{name: a, wheel: round}]",
        "command: x\nargs: [{name: a, required: 1}]",
        "command: x\nargv: x",
        "command: x\nenv: {A b: c}",
        "command: x\nenv: {SPELL_ARG_A: c}",
        "command: x\nenv: {A: [b]}",
        "command: x\nstdin: true",
        "command: x\neffect: unknown",
        "command: x\nconfirm: yes",
        "command: x\nshell: 1",
        "command: x\nwheel: round",
        "command: x\nstructure: force",
        "command: x\nstructure: force\njson: []",
        "command: x\njson: --json",
        "command: x\njson: ['']",
        "command: x\nstructure: true",
        "command: x\nmax_items: 0",
        "command: x\noutput: json",
        "command: x\noutput: {}",
        "command: x\noutput: {format: text}",
        "command: x\noutput: {schema: []}",
        "command: x\noutput: {field: x}",
        "command: x\noutput: {schema: {type: object}, wheel: round}",
    ]
    .map(|keys| text("t", keys))
    .into();
    refused.extend(
        [
            "[]",
            "x",
            "{}",
            "name: cast_spell\ndescription: d\ncommand: c",
            "name: t\ncommand: c",
        ]
        .map(str::to_owned),
    );
    for text in refused {
        assert!(
            !validator.is_valid(&as_json(&text)),
            "the schema takes {text}"
        );
        assert!(!is_taken(&text), "the parser takes {text}");
    }
}

#[test]
fn input_schemas_are_portable_and_precise() {
    let project = crate::support::Project::new();
    project.spell(
        "t",
        "command: x\npaths: [.]\nflags: [-v]\nargs: [{name: n, type: integer, required: true}, {name: e, enum: [a, b], default: a}, {name: l, type: array}]",
    );
    let book = project.book();
    for served in book.tools() {
        let schema = Value::Object((*served.tool.input_schema).clone());
        assert_eq!(schema["type"], "object");
        let valid = jsonschema::validator_for(&schema).expect("a schema");
        if served.tool.name.as_str() == "t" {
            assert!(valid.is_valid(
                &serde_json::json!({"n": 1, "e": "b", "l": [1], "flags": ["-v"], "path": "."})
            ));
            for bad in [
                r#"{}"#,
                r#"{"n": "1"}"#,
                r#"{"n": 1, "e": "c"}"#,
                r#"{"n": 1, "flags": ["-x"]}"#,
                r#"{"n": 1, "x": 1}"#,
            ] {
                assert!(
                    !valid.is_valid(&serde_json::from_str(bad).expect("JSON")),
                    "{bad}"
                );
            }
        }
    }
}
