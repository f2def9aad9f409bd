//! The keys about output as data: mistakes as a person sees them, schemas in files, and what they mean to tools.

use std::{fs, path::Path};

use charmer_config::{Config, LoadError, SchemaRule};
use charmer_core::{
    model::{Cli, Command, CommandPath, Syntax},
    tool::catalogue,
};
use insta::assert_snapshot;
use serde_json::json;

fn mistakes(text: &str) -> String {
    match Config::parse(text, "charmer.yaml") {
        Ok(config) => panic!("it was read: {config:?}"),
        Err(mistakes) => mistakes.to_string(),
    }
}

/// What is wrong with a file in this folder, whose path is not shown.
fn load(folder: &Path, text: &str) -> Result<Config, String> {
    let file = folder.join("charmer.yaml");
    fs::write(&file, text).expect("it can be written");
    Config::load(&file).map_err(|error| match error {
        LoadError::Invalid(mistakes) => mistakes
            .to_string()
            .replace(&folder.display().to_string(), "HOME"),
        error => panic!("{error}"),
    })
}

fn with_schema(schema: &str) -> String {
    format!(
        "sources:\n  - binary: ship\n    override:\n      list:\n        output: {{schema: {schema}}}\n"
    )
}

#[test]
fn unknown_values_come_with_a_suggestion() {
    assert_snapshot!(mistakes("structure: forced\nlimits: {max_items: many}\n"), @r"
    error: `structure` cannot be `forced`
     --> charmer.yaml:1:12
      |
    1 | structure: forced
      |            ^^^^^^
      |
      = help: did you mean `force`?

    error: `max_items` must be a whole number, and this is text
     --> charmer.yaml:2:21
      |
    2 | limits: {max_items: many}
      |                     ^^^^
    ");
    assert_snapshot!(
        mistakes("sources: [{binary: x, override: {a: {output: {format: jsonlines, shema: x.json}}}}]\n"),
        @r"
        error: `format` cannot be `jsonlines`
         --> charmer.yaml:1:55
          |
        1 | sources: [{binary: x, override: {a: {output: {format: jsonlines, shema: x.json}}}}]
          |                                                       ^^^^^^^^^
          |
          = help: did you mean `json_lines`?

        error: unknown key `shema`
         --> charmer.yaml:1:66
          |
        1 | sources: [{binary: x, override: {a: {output: {format: jsonlines, shema: x.json}}}}]
          |                                                                  ^^^^^
          |
          = help: did you mean `schema`?
        "
    );
}

#[test]
fn a_field_without_a_schema() {
    assert_snapshot!(
        mistakes("sources: [{binary: x, override: {a: {output: {format: json, field: y}}}}]\n"),
        @r"
        error: `field` is about the schema, and there is none
         --> charmer.yaml:1:61
          |
        1 | sources: [{binary: x, override: {a: {output: {format: json, field: y}}}}]
          |                                                             ^^^^^
          |
          = help: add `schema: ...`, or remove it
        "
    );
}

#[test]
fn the_type_null_must_be_quoted() {
    assert_snapshot!(mistakes(&with_schema("{type: [string, null]}")), @r#"
    error: this is nothing, and not the type `null`
     --> charmer.yaml:5:42
      |
    5 |         output: {schema: {type: [string, null]}}
      |                                          ^^^^
      |
      = help: put it in quotes: `"null"`
    "#);
}

#[test]
fn a_schema_is_read_from_a_file_beside_the_configuration() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::create_dir(folder.join("schemas")).expect("it can be made");
    let schema = json!({"type": "array", "items": {"type": "string"}});
    let file = folder.join("schemas/list.json");
    fs::write(&file, schema.to_string()).expect("it can be written");
    let config = load(folder, &with_schema("schemas/list.json")).expect("it is right");
    let output = config.sources[0].overrides["list"].output.as_ref();
    let output = output.expect("it is declared");
    let read = SchemaRule::File {
        path: file,
        json: Some(schema),
    };
    assert!(output.schema.as_ref() == Some(&read));

    // Written with or without the program's name, it is the command's.
    let list = Command::new("list");
    let mut cli = Cli::new(
        Command::new("ship").not_runnable().command(list),
        Syntax::pflag(),
    );
    let source = &config.sources[0];
    source.apply(&mut cli).expect("it fits");
    let options = source.catalogue_options(&cli).expect("it fits");
    let tools = catalogue(&cli, &options).tools;
    let data = &tools[0].output_schema["properties"]["data"];
    assert_eq!(data["properties"]["items"]["items"]["type"], "string");
    assert!(
        source
            .outputs(&cli)
            .contains_key(&CommandPath::parse("list"))
    );
}

#[test]
fn a_schema_file_that_cannot_be_used_is_shown_with_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("yaml.json"), "type: object\n").expect("it can be written");
    fs::write(folder.join("list.json"), "[]").expect("it can be written");
    let long = format!("{{\"a\": \"{}\"}}", "x".repeat(1 << 20));
    fs::write(folder.join("long.json"), long).expect("it can be written");
    let wrong = |name: &str| load(folder, &with_schema(name)).expect_err(name);
    assert_snapshot!(wrong("none.json"), @r"
    error: the schema `none.json` cannot be read: No such file or directory (os error 2)
     --> HOME/charmer.yaml:5:26
      |
    5 |         output: {schema: none.json}
      |                          ^^^^^^^^^
      |
      = help: correct the path; a relative one starts at `HOME`
    ");
    assert_snapshot!(wrong("yaml.json"), @r"
    error: the schema `yaml.json` is no JSON: expected ident at line 1 column 2
     --> HOME/charmer.yaml:5:26
      |
    5 |         output: {schema: yaml.json}
      |                          ^^^^^^^^^
      |
      = help: a schema's file is JSON; as YAML it can be written here, in the place of the path
    ");
    assert_snapshot!(wrong("list.json"), @r#"
    error: the schema `list.json` is no JSON Schema: it is not an object
     --> HOME/charmer.yaml:5:26
      |
    5 |         output: {schema: list.json}
      |                          ^^^^^^^^^
      |
      = help: a schema looks like `{"type": "object", "properties": {...}}`
    "#);
    assert!(wrong("long.json").contains("is larger than 1 MiB"));
    assert!(wrong(".").contains("the schema `.` is no file"));
}
