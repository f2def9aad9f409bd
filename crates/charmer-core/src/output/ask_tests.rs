//! Flags that ask for JSON, and those that only look like it.

use super::*;
use crate::{
    model::{Cli, Syntax},
    tool::{CatalogueOptions, catalogue},
};

fn asked(flag: Flag) -> Option<PinValue> {
    let command = Command::new("list").flag(flag);
    json_flag(&[&command]).map(|request| request.value)
}

fn text(name: &str, help: &str) -> Flag {
    Flag::new(name).pflag("string").help(help)
}

#[test]
fn flags_that_choose_json_are_found() {
    let json = || Some(PinValue::Text("json".into()));
    for (flag, expected) in [
        (
            text(
                "output",
                "Format of results. One of: (json, yaml, path-as-json).",
            ),
            json(),
        ),
        (text("output", "One of 'yaml' or 'json'."), json()),
        (
            text(
                "output",
                "prints results in a format. Allowed values: table, json, yaml",
            ),
            json(),
        ),
        (text("format", "Print as: {json}"), json()),
        (
            text("format", "Pretty-print boats to JSON or with a Go template"),
            json(),
        ),
        (
            text(
                "format",
                "Template: 'table': a table 'json': as JSON 'TEMPLATE': a Go template",
            ),
            json(),
        ),
        (text("output-format", "").choices(["text", "json"]), json()),
        (
            text("format", "How to list the .ship files").choices(["text", "JSON"]),
            Some(PinValue::Text("JSON".into())),
        ),
        (
            text("format", "Pretty-print boats with a Go template"),
            Some(PinValue::Text("{{json .}}".into())),
        ),
        (
            Flag::new("json").help("Print JSON"),
            Some(PinValue::Switch(true)),
        ),
        (Flag::new("json"), Some(PinValue::Switch(true))),
        (
            Flag::new("json")
                .pflag("strings")
                .help("Output JSON with these fields")
                .choices(["id", "name"]),
            Some(PinValue::List(vec!["id".into(), "name".into()])),
        ),
    ] {
        assert_eq!(asked(flag.clone()), expected, "{flag:?}");
    }
}

#[test]
fn files_inputs_and_mentions_are_left_alone() {
    for flag in [
        text("output", "Write to a file, instead of STDOUT"),
        text(
            "output",
            "Where to put results, json or yaml by the ending of the path",
        ),
        text(
            "output",
            "The output location. Must be one of format [bin,json]",
        ),
        text("output", "Output mode. Use \"-o name\" for short output"),
        text("output", "Output format. One of: (jsonpath, name)"),
        text("output", "A name, for example boats.json"),
        text("output", "Output format").choices(["wide", "name"]),
        text("output", "json, yaml").value_type(ValueType::Path),
        text("format", "preferred file format (toml, yaml or json)"),
        text("format", "Format of the input: json or yaml"),
        text("format", "Format to write").choices(["toml", "json"]),
        text("format", "Format string for rows"),
        text("output-format", "Format, when used with `--check`").choices(["text", "json"]),
        text("json", "Input JSON - use instead of arguments"),
        text("json", "Sends this JSON"),
        Flag::new("json").help("Read inputs as JSON via STDIN"),
        Flag::new("json")
            .pflag("strings")
            .help("Output JSON with these fields"),
        Flag::new("use-json-log").help("Use json log format"),
    ] {
        assert_eq!(asked(flag.clone()), None, "{flag:?}");
    }
}

#[test]
fn the_nearest_flag_of_a_name_decides() {
    let root = Command::new("ship")
        .flag(text("output", "One of: json, yaml").global())
        .flag(text("format", "One of: json, yaml"));
    let plain = Command::new("list");
    let file = Command::new("save").flag(text("output", "Write to this file"));
    assert_eq!(
        json_flag(&[&root, &plain]).map(|request| request.flag.id.as_str()),
        Some("output")
    );
    assert_eq!(json_flag(&[&root, &file]), None);
    assert_eq!(json_flag(&[]), None);
}

#[test]
fn plain_fields_are_asked_for() {
    let asked = |fields: &[&str]| {
        let flag = Flag::new("json")
            .pflag("strings")
            .help("Output JSON with the specified fields")
            .choices(fields.iter().copied());
        let command = Command::new("list").flag(flag);
        json_flag(&[&command]).map(|request| request.value)
    };
    let list = |fields: &[&str]| {
        let fields = fields.iter().map(|&field| field.to_owned());
        Some(PinValue::List(fields.collect()))
    };
    assert_eq!(
        asked(&["id", "secretThings", "title"]),
        list(&["id", "title"])
    );
    assert_eq!(asked(&["weight", "size"]), list(&["weight", "size"]));
    assert_eq!(asked(&[]), None);
}

#[test]
fn json_is_not_asked_for_where_a_flag_shapes_what_is_printed() {
    let list = Command::new("list")
        .flag(text("output", "One of: (json, yaml, wide)"))
        .flag(Flag::new("show-labels").help("Print labels as the last column"))
        .flag(Flag::new("all"));
    let cli = Cli::new(list, Syntax::pflag());
    let tool = catalogue(&cli, &CatalogueOptions::default())
        .tools
        .remove(0);
    for (key, asks) in [("all", true), ("show-labels", false)] {
        let input = Map::from_iter([(key.to_owned(), true.into())]);
        assert_eq!(json_input(&tool.input, &input).is_some(), asks, "{key}");
    }
}

#[test]
fn what_somebody_has_said_is_given_as_its_flag_takes_it() {
    let said = |mut flag: Flag, value: &str| {
        flag.asks_for_json = Some(value.to_owned());
        asked(flag)
    };
    let list = PinValue::List(vec!["number".into(), "title".into()]);
    let fields = Flag::new("json").pflag("stringSlice");
    assert_eq!(said(fields, "number,title"), Some(list));
    assert_eq!(said(Flag::new("j"), ""), Some(PinValue::Switch(true)));
    let text = said(Flag::new("o").pflag("string"), "json,wide");
    assert_eq!(text, Some(PinValue::Text("json,wide".into())));
}
