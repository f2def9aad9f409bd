use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Value, json};

use super::*;
use crate::model::{FlagValue, Group, GroupKind, Repetition};

/// Descriptions without their examples, which are for those who write Rust.
fn in_one_line(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if let Some(Value::String(text)) = map.get_mut("description") {
                let first = text.split("\n\n").next().unwrap_or_default();
                *text = first.replace('\n', " ");
            }
            map.values_mut().for_each(in_one_line);
        }
        Value::Array(all) => all.iter_mut().for_each(in_one_line),
        _ => {}
    }
}

/// The schema as the types of the model have it, with the shorter ways.
fn schema() -> Value {
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is wanted")]
    struct SchemaOfTypes {
        syntax: Syntax,
        root: Command,
        hints: Hints,
        specs: Vec<ArgSpec>,
    }
    let generator: SchemaGenerator = SchemaSettings::draft2020_12().into_generator();
    let derived = generator.into_root_schema_for::<SchemaOfTypes>().to_value();
    let mut defs = derived["$defs"].clone();
    in_one_line(&mut defs);
    let mut defs = object(defs);
    let texts = json!({"type": ["string", "number", "boolean", "array", "null"],
        "description": "The default: one text, or one a value.", "items": {}});
    let effect = json!({"anyOf": [{"$ref": "#/$defs/Effect"}, {"$ref": "#/$defs/GivenEffect"}],
        "description": "What a call does with it that it would not do without it."});
    let kind = |text: &str| json!({"type": "string", "description": text});
    let choices = json!({"type": "array", "items": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/Choice"}]},
        "description": "The values that are accepted; empty for any."});
    let hints = object(defs.remove("Hints").expect("there are hints")["properties"].clone());

    let command = &mut defs["Command"];
    command["required"] = json!(["name"]);
    let properties = command["properties"].as_object_mut().expect("properties");
    properties.remove("hints");
    properties.extend(hints);
    properties.insert(
        "arguments".into(),
        json!({"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/Positional"}}, {"type": "string"}],
            "description": "Its positionals, or a pattern that could not be told apart; read from `usage` where it is missing."}),
    );
    properties.insert(
        "args".into(),
        json!({"type": "array", "items": {"$ref": "#/$defs/ArgSpec"},
            "description": "What is to be said of positionals beyond the usage line."}),
    );
    properties.insert(
        "output".into(),
        json!({"type": ["object", "boolean"], "description": "The JSON Schema of what a success prints."}),
    );
    properties["runnable"]["default"] = true.into();

    let flag = &mut defs["Flag"];
    flag.as_object_mut().expect("an object").remove("required");
    flag["anyOf"] = json!([{"required": ["long"]}, {"required": ["short"]}]);
    let properties = flag["properties"].as_object_mut().expect("properties");
    properties.insert(
        "type".into(),
        kind("The name of its type, in place of `value`, `value_type` and `repetition`: `bool`, `int`, `float`, `string`, `path`, `duration`, `count`, or another of pflag's."),
    );
    properties.insert(
        "bare".into(),
        kind("The value that it has when it stands alone."),
    );
    properties.insert("default".into(), texts.clone());
    properties.insert("choices".into(), choices.clone());
    properties.insert("effect".into(), effect.clone());

    let positional = &mut defs["Positional"];
    positional
        .as_object_mut()
        .expect("an object")
        .remove("required");
    positional["anyOf"] = json!([{"required": ["name"]}, {"required": ["id"]}]);
    let properties = positional["properties"]
        .as_object_mut()
        .expect("properties");
    properties.insert(
        "type".into(),
        kind("The name of its type, in place of `value_type`."),
    );
    properties.insert("default".into(), texts);
    properties.insert("choices".into(), choices);
    properties.insert("effect".into(), effect);

    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What a program says of itself",
        "description": "Printed by the hidden command `__charmer`, or written as NAME.charmer.yaml beside the program.",
        "type": "object",
        "required": ["charmer", "root"],
        "properties": {
            "charmer": {"const": 1, "description": "The version of this document."},
            "name": {"type": "string", "description": "The name for its server."},
            "version": {"type": "string", "description": "The version of the program."},
            "instructions": {"type": "string", "description": "Instructions for assistants."},
            "syntax": {"anyOf": [{"enum": ["clap", "cobra", "getopt"]}, {"$ref": "#/$defs/Syntax"}],
                "description": "How it reads its command line: as a framework does, or in full."},
            "root": {"$ref": "#/$defs/Command"},
        },
        "$defs": defs,
    })
}

/// `UPDATE_SCHEMA=1 cargo test -p charmer-core document` writes it anew.
#[test]
fn the_published_schema_is_that_of_the_types() {
    let derived = format!("{:#}\n", schema());
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/document.schema.json");
        std::fs::write(file, &derived).expect("it can be written");
    }
    let differs = || {
        let both = derived.lines().zip(DOCUMENT_SCHEMA.lines());
        both.enumerate()
            .find(|(_, (ours, published))| ours != published)
    };
    assert!(
        derived == DOCUMENT_SCHEMA,
        "see the comment above this test: {:?}",
        differs()
    );
}

fn document() -> Document {
    let mut limit = Flag::new("limit");
    limit.value = FlagValue::Required;
    limit.value_type = ValueType::unsigned(8);
    limit.default = vec!["10".into()];
    let mut secret = Flag::new("secret");
    secret.hidden = true;
    let mut colour = Flag::new("colour");
    colour.value = FlagValue::Optional {
        bare: Some("always".into()),
    };
    colour.value_type = ValueType::String;
    let labels = Flag {
        value: FlagValue::Required,
        value_type: ValueType::String,
        repetition: Repetition::Joined { delimiter: ',' },
        ..Flag::new("labels")
    };
    let list = Command::new("list")
        .about("List ships")
        .hints(Hints::reads().title("List"))
        .flag(limit)
        .flag(secret)
        .flag(labels)
        .group(Group::new(GroupKind::Exclusive, ["limit", "labels"]))
        .positional(
            Positional::new("port")
                .required()
                .value_type(ValueType::Path),
        );
    let mut ghost = Command::new("ghost");
    ghost.hidden = true;
    let odd = Command::new("odd")
        .usage("odd [a | -b]")
        .confirm("--yes")
        .reads_stdin();
    let root = Command::new("ship")
        .not_runnable()
        .flag(colour)
        .command(list)
        .command(ghost)
        .command(odd);
    let mut cli = Cli::new(root, Syntax::clap());
    cli.version = Some("1.2".into());
    let mut document = Document::new(cli, "clap");
    document.instructions = Some("Ask the harbour first.".into());
    document
        .outputs
        .insert("list".into(), json!({"type": "array"}));
    document
}

#[test]
fn what_is_written_is_read_again_without_what_is_hidden() {
    let document = document();
    let said = document.to_json();
    let schema: Value = serde_json::from_str(DOCUMENT_SCHEMA).expect("JSON");
    let faults: Vec<String> = jsonschema::validator_for(&schema)
        .expect("a schema")
        .iter_errors(&said)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{faults:?}");
    let read = Document::from_json(said.clone()).expect("a document");
    assert!(read.unknown.is_empty(), "{:?}", read.unknown);
    assert!(read.cli.command(&"ghost".into()).is_none());
    let list = read.cli.command(&"list".into()).expect("it is there");
    assert!(list.flags.iter().all(|flag| flag.id != "secret"));
    assert_eq!(read.outputs, document.outputs);
    assert_eq!(read.to_json(), said);
    // Apart from that it is the same.
    let mut shown = document.clone();
    shown.cli.root.commands.retain(|command| !command.hidden);
    shown.cli.root.commands[0].flags.retain(|flag| !flag.hidden);
    assert_eq!(read, shown);
}

#[test]
fn short_ways_mean_what_the_long_ones_do() {
    let said = json!({"charmer": 1, "syntax": "cobra", "root": {"name": "ship", "flags": [
        {"long": "labels", "type": "stringSlice", "default": ["a", "b"]},
        {"long": "verbose", "short": "v", "type": "count"},
        {"long": "force", "effect": "destroy"},
        {"long": "colour", "type": "string", "bare": "always", "choices": ["always", "never"]},
        {"long": "retries", "type": "int", "default": 3},
        {"long": "shape", "type": "ourOwn"},
    ], "commands": [
        {"name": "send", "usage": "ship send <file> [note...] [flags]", "effect": "write",
            "args": [{"name": "file", "type": "path", "description": "What to send"}]},
        {"name": "odd", "arguments": "[a | -b]"},
    ]}});
    let document = Document::from_json(said).expect("a document");
    let flags = &document.cli.root.flags;
    assert_eq!(flags[0].repetition, Repetition::Joined { delimiter: ',' });
    assert_eq!(flags[0].default, ["a", "b"]);
    assert_eq!(
        (&flags[1].value, &flags[1].value_type),
        (&FlagValue::None, &ValueType::Count)
    );
    assert_eq!(
        flags[2].effect.as_ref().and_then(|effect| effect.any),
        Some(Effect::Destroy)
    );
    assert_eq!(
        flags[3].value,
        FlagValue::Optional {
            bare: Some("always".into())
        }
    );
    assert_eq!(flags[3].choices[1].value, "never");
    assert_eq!(
        (flags[4].default[0].as_str(), &flags[4].value_type),
        ("3", &ValueType::INT)
    );
    assert_eq!(
        (&flags[5].value, &flags[5].value_type),
        (&FlagValue::Required, &ValueType::String)
    );
    let send = document.cli.command(&"send".into()).expect("it is there");
    let listed = send.arguments.listed();
    assert_eq!(listed[0].value_type, ValueType::Path);
    assert_eq!(listed[0].help.as_deref(), Some("What to send"));
    assert!(listed[1].variadic);
    let odd = document.cli.command(&"odd".into()).expect("it is there");
    assert_eq!(odd.arguments, Arguments::Pattern("[a | -b]".into()));
}

#[test]
fn what_cannot_be_read_is_said_with_its_place() {
    let fails = |said: Value| {
        Document::from_json(said)
            .expect_err("it is wrong")
            .to_string()
    };
    assert!(fails(json!([1])).contains("no document"));
    assert!(fails(json!({"root": {"name": "a"}})).contains("no document"));
    assert!(fails(json!({"charmer": 2, "root": {}})).contains("version 2"));
    assert!(fails(json!({"charmer": 1})).contains("root: it is missing"));
    assert!(
        fails(json!({"charmer": 1, "syntax": "x", "root": {"name": "a"}}))
            .contains("`x` is not known")
    );
    let nested = json!({"charmer": 1, "root": {"name": "a", "commands": [{"name": "b", "flags": [{"help": "x"}]}]}});
    assert!(fails(nested).contains("`a b`"));
    let wrong =
        json!({"charmer": 1, "root": {"name": "a", "flags": [{"long": "x", "required": "yes"}]}});
    let told = fails(wrong);
    assert!(told.contains("`x`") && told.contains("boolean"), "{told}");
    let mut deep = json!({"name": "a"});
    for _ in 0..40 {
        deep = json!({"name": "a", "commands": [deep]});
    }
    assert!(fails(json!({"charmer": 1, "root": deep})).contains("in one another"));
}

#[test]
fn keys_that_mean_nothing_are_named_and_lose_nothing() {
    let said = json!({"charmer": 1, "colour": 1, "root": {"name": "a", "efect": "read", "flags": [{"long": "x", "tpye": "int"}],
        "arguments": [{"name": "p", "sort": 1}]}});
    let document = Document::from_json(said).expect("a document");
    assert_eq!(document.unknown.len(), 4, "{:?}", document.unknown);
    assert!(document.unknown[1].contains("`efect` of the command `a`"));
    assert_eq!(document.cli.root.flags[0].id, "x");
}

#[test]
fn a_switch_may_mean_off_when_it_stands_alone() {
    let flag = |bare: &str| {
        let said = json!({"charmer": 1, "root": {"name": "shed", "flags": [
            {"long": "keep", "type": "bool", "bare": bare},
        ]}});
        let document = Document::from_json(said).expect("a document");
        document.cli.root.flags[0].value.clone()
    };
    assert_eq!(flag("true"), FlagValue::None);
    let bare = Some("false".to_owned());
    assert_eq!(flag("false"), FlagValue::Optional { bare });
}

#[test]
fn names_of_lists_that_many_programs_have_are_known() {
    let said = json!({"charmer": 1, "root": {"name": "shed", "flags": [{"long": "twig", "type": "list"}]}});
    let document = Document::from_json(said).expect("a document");
    let repetition = &document.cli.root.flags[0].repetition;
    assert_eq!(*repetition, Repetition::Repeat { delimiter: None });
}

#[test]
fn a_name_means_one_thing_and_can_be_written() {
    let read = |commands: Value| {
        let said = json!({"charmer": 1, "root": {"name": "ship", "commands": commands}});
        Document::from_json(said).map_err(|error| error.to_string())
    };
    for (commands, told) in [
        (
            json!([{"name": "a"}, {"name": "a"}]),
            "`a` stands there for two",
        ),
        (
            json!([{"name": "a", "aliases": ["b"]}, {"name": "b"}]),
            "`b` stands there for two",
        ),
        (json!([{"name": "a b"}]), "no word"),
        (json!([{"name": "a/b"}]), "no word"),
        (json!([{"name": "-a"}]), "no word"),
        (json!([{"name": "a\u{202e}b"}]), "no word"),
        (json!([{"name": "a\u{0}"}]), "no word"),
        (json!([{"name": "a", "aliases": ["b c"]}]), "no word"),
        (
            json!([{"name": "a", "flags": [{"long": "x"}, {"long": "x"}]}]),
            "`x` stands there for two",
        ),
        (
            json!([{"name": "a", "flags": [{"long": "x=1"}]}]),
            "no name of a flag",
        ),
    ] {
        let error = read(commands).expect_err(told);
        assert!(error.contains(told), "{error}");
    }
    let shown = read(json!([{"name": "a", "about": "Red\u{1b}[31m\u{202e}"}])).expect("a document");
    let about = shown.cli.root.commands[0]
        .about
        .clone()
        .expect("it has one");
    assert!(!about.contains(['\u{1b}', '\u{202e}']), "{about:?}");
}
