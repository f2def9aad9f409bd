//! Input against the model: what is wrong is said, all of it at once.

use std::sync::Arc;

use charmer_core::{
    call::{Refusal, prepare},
    model::{Cli, Command, Flag, Group, GroupKind, Positional, Repetition, Syntax, ValueType},
    tool::{CatalogueOptions, Layout, Tool, catalogue},
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn tool(command: Command) -> Arc<Tool> {
    laid_out(command, Layout::Flat)
}

fn laid_out(command: Command, layout: Layout) -> Arc<Tool> {
    let mut options = CatalogueOptions::default();
    options.layout = layout;
    catalogue(&Cli::new(command, Syntax::pflag()), &options)
        .tools
        .remove(0)
}

/// The violations of an input, as an assistant reads them.
fn violations(tool: &Tool, input: Value) -> Vec<String> {
    match prepare(tool, input.as_object().expect("an object")) {
        Ok(_) => Vec::new(),
        Err(Refusal::Invalid(violations)) => violations.iter().map(ToString::to_string).collect(),
        Err(other) => vec![other.to_string()],
    }
}

#[test]
fn every_violation_is_reported_at_once() {
    let found = tool(
        Command::new("app")
            .flag(Flag::new("limit").pflag("uint8"))
            .flag(
                Flag::new("format")
                    .pflag("string")
                    .choices(["json", "yaml"]),
            )
            .flag(Flag::new("wait").pflag("duration"))
            .flag(Flag::new("name").pflag("string").required())
            .flag(Flag::new("tags").pflag("intSlice"))
            .positional(Positional::new("file").required()),
    );
    let input = json!({
        "limit": 256, "format": "xml", "wait": "soon", "tags": [1, "two", 3.5], "verbos": true, "fromat": "json",
    });
    assert_eq!(
        violations(&found, input),
        [
            "`verbos`: expected a known property, found the boolean true (known: limit, format, wait, name, tags, file)",
            "`fromat`: expected a known property, found the string \"json\" (did you mean `format`?)",
            "`limit`: expected an integer from 0 to 255, found the number 256",
            "`format`: expected one of \"json\", \"yaml\", found the string \"xml\"",
            "`wait`: expected a duration such as \"30s\" or \"1h30m\", found the string \"soon\"",
            "`name`: expected a string, found nothing",
            "`tags[1]`: expected an integer, found the string \"two\"",
            "`tags[2]`: expected an integer, found the number 3.5",
            "`file`: expected a string, found nothing",
        ]
    );
}

#[test]
fn groups_hold() {
    let found = tool(
        Command::new("app")
            .flag(Flag::new("a"))
            .flag(Flag::new("b"))
            .flag(Flag::new("user").pflag("string"))
            .flag(Flag::new("password").pflag("string"))
            .group(Group::new(GroupKind::Exclusive, ["a", "b"]))
            .group(Group::new(GroupKind::OneOf, ["a", "b"]))
            .group(Group::new(GroupKind::Together, ["user", "password"])),
    );
    assert_eq!(violations(&found, json!({"a": true})), [""; 0]);
    assert_eq!(
        violations(&found, json!({"a": true, "b": true})),
        ["expected at most one of `a`, `b`"]
    );
    // Turned off is not given.
    assert_eq!(
        violations(&found, json!({"a": false})),
        ["expected at least one of `a`, `b`"]
    );
    assert_eq!(
        violations(&found, json!({"b": true, "user": "x"})),
        ["expected `password` as well, because `user` is given"]
    );
}

#[test]
fn numbers_stay_exact() {
    let found = tool(
        Command::new("app")
            .flag(Flag::new("i").pflag("int64"))
            .flag(Flag::new("u").pflag("uint64")),
    );
    for (input, expected) in [
        (json!({"i": i64::MAX}), "--i=9223372036854775807"),
        (json!({"i": i64::MIN}), "--i=-9223372036854775808"),
        (json!({"u": u64::MAX}), "--u=18446744073709551615"),
        (json!({"i": 5.0}), "--i=5"),
    ] {
        let prepared = prepare(&found, input.as_object().expect("an object")).expect("valid");
        assert_eq!(prepared.argv.to_strings(), [expected]);
    }
    for bad in [
        json!({"i": 1e300}),
        json!({"i": u64::MAX}),
        json!({"u": -1}),
        json!({"i": "5"}),
        json!({"i": true}),
    ] {
        assert_eq!(violations(&found, bad.clone()).len(), 1, "{bad}");
    }
}

#[test]
fn text_that_no_program_can_take_is_refused() {
    let found = tool(
        Command::new("app")
            .flag(Flag::new("text").pflag("string"))
            .usage("app [file]"),
    );
    assert!(violations(&found, json!({"text": "a\0b"}))[0].contains("without NUL"));
    assert!(violations(&found, json!({"file": "a\0b"}))[0].contains("without NUL"));
    // `--text=` belongs to the element too.
    let room = 131_071 - "--text=".len();
    assert_eq!(
        violations(&found, json!({"text": "x".repeat(room)})),
        [""; 0]
    );
    assert!(violations(&found, json!({"text": "x".repeat(room + 1)}))[0].contains("131072 bytes"));
    for fine in [
        "a\nb",
        "a\rb",
        "@file",
        "–dash",
        "--flag=value",
        "-x",
        "a[$(id)]",
        "é",
    ] {
        let input = json!({ "text": fine });
        let prepared = prepare(&found, input.as_object().expect("an object")).expect("valid");
        assert_eq!(prepared.argv.to_strings(), [format!("--text={fine}")]);
    }
    assert!(!violations(&found, json!({"__proto__": {}, "constructor": 1})).is_empty());
}

#[test]
fn positionals_are_read_in_order() {
    let found = tool(Command::new("app").usage("app [a] [b]"));
    assert_eq!(violations(&found, json!({"a": "x", "b": "y"})), [""; 0]);
    assert_eq!(
        violations(&found, json!({"b": "y"})),
        ["`a`: expected a value, because `b` is given (positionals are read in order)"]
    );
}

#[test]
fn the_nested_list_is_distributed_and_checked() {
    let command = || {
        Command::new("cp")
            .positional(Positional::new("src").required().variadic())
            .positional(Positional::new("dst").required().value_type(ValueType::INT))
            .positional(Positional::new("rest").variadic().last())
    };
    let found = laid_out(command(), Layout::Nested);
    let written = |input: Value| {
        let prepared = prepare(&found, input.as_object().expect("an object")).expect("valid");
        prepared
            .argv
            .to_strings()
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(written(json!({"args": ["a", "b", "3"]})), ["a", "b", "3"]);
    assert_eq!(
        written(json!({"args": ["a", "3"], "rest": ["-x"]})),
        ["a", "3", "--", "-x"]
    );
    assert_eq!(
        violations(&found, json!({"args": ["a", "b"]})),
        ["`args[1]`: expected an integer, found the string \"b\""]
    );
    assert_eq!(violations(&found, json!({"args": []})).len(), 2);
    assert_eq!(
        violations(&found, json!({"args": "a"})),
        ["`args`: expected an array of strings, found the string \"a\""]
    );
    assert_eq!(violations(&found, json!({"flags": 5})).len(), 3);
}

#[test]
fn arrays_of_fixed_length_are_counted() {
    let point = |repeat| {
        let repetition = Repetition::Fixed { count: 2, repeat };
        tool(
            Command::new("app").flag(
                Flag::new("at")
                    .value_type(ValueType::INT)
                    .repetition(repetition),
            ),
        )
    };
    assert_eq!(violations(&point(false), json!({"at": [1, 2]})), [""; 0]);
    assert_eq!(
        violations(&point(false), json!({"at": [1]})),
        ["`at`: expected 2 values, found 1"]
    );
    assert_eq!(
        violations(&point(true), json!({"at": [[1, 2], [3, 4]]})),
        [""; 0]
    );
    assert_eq!(
        violations(&point(true), json!({"at": [[1, 2], [3]]})),
        ["`at[1]`: expected 2 values, found 1"]
    );
}

#[test]
fn a_confirmation_must_be_given_and_true() {
    for layout in [Layout::Flat, Layout::Nested] {
        let command = Command::new("rm")
            .flag(Flag::new("yes").short('y').help("Do not ask"))
            .usage("rm <name>")
            .confirm("--yes");
        let found = laid_out(command, layout);
        let input = |confirm: Value| match layout {
            Layout::Flat => json!({"name": "x", "confirm": confirm}),
            Layout::Nested => json!({"args": ["x"], "flags": {"confirm": confirm}}),
        };
        let prepared =
            prepare(&found, input(json!(true)).as_object().expect("an object")).expect("valid");
        assert_eq!(prepared.argv.to_strings(), ["--yes", "x"]);
        assert!(violations(&found, input(json!(false)))[0].contains("expected true"));
        assert!(violations(&found, input(Value::Null))[0].contains("found nothing"));
        // The switch itself is not offered beside it.
        assert!(!violations(&found, json!({"yes": true, "name": "x", "confirm": true})).is_empty());
    }
}

#[test]
fn standard_input_is_a_text_of_its_own() {
    let found = tool(
        Command::new("apply")
            .flag(Flag::new("file").pflag("string"))
            .reads_stdin(),
    );
    let input = json!({"file": "-", "stdin": "a: 1\n\0 and more"});
    let prepared = prepare(&found, input.as_object().expect("an object")).expect("valid");
    assert_eq!(prepared.argv.to_strings(), ["--file=-"]);
    assert_eq!(prepared.bound.stdin.as_deref(), Some("a: 1\n\0 and more"));
    assert_eq!(
        violations(&found, json!({"stdin": 5})),
        ["`stdin`: expected a string, found the number 5"]
    );
}

/// Any JSON, valid for the tool or not.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        "\\PC{0,8}".prop_map(Value::from),
        "-{1,2}(secret|all|x)(=1)?".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::hash_map("\\PC{0,5}", inner, 0..4).prop_map(|map| json!(map)),
        ]
    })
}

proptest! {
    #[test]
    fn no_input_panics_or_reaches_a_hidden_flag(
        values in proptest::collection::vec(any_json(), 10),
        layout in prop_oneof![Just(Layout::Flat), Just(Layout::Nested)],
    ) {
        let mut secret = Flag::new("secret").short('s');
        secret.hidden = true;
        let command = Command::new("app")
            .flag(secret)
            .flag(Flag::new("all"))
            .flag(Flag::new("text").pflag("string"))
            .flag(Flag::new("list").pflag("stringSlice"))
            .flag(Flag::new("map").pflag("stringToString"))
            .flag(Flag::new("pair").value_type(ValueType::String).repetition(Repetition::Fixed { count: 2, repeat: true }))
            .flag(Flag::new("opt").value_type(ValueType::String).optional_value(None))
            .positional(Positional::new("file"))
            .positional(Positional::new("more").variadic());
        let found = laid_out(command, layout);
        let keys = ["all", "text", "list", "map", "pair", "opt", "file", "more", "secret", "args"];
        let flat: serde_json::Map<String, Value> =
            keys.iter().map(|key| (*key).to_owned()).zip(values).collect();
        for input in [flat.clone(), json!({"flags": flat, "args": flat["args"]}).as_object().expect("an object").clone()] {
            if let Ok(prepared) = prepare(&found, &input) {
                let text = prepared.argv.to_strings();
                let dashes = text.iter().position(|element| *element == "--").unwrap_or(text.len());
                prop_assert!(!text[..dashes].iter().any(|element| element.starts_with("--secret") || element.starts_with("-s")));
            }
        }
    }
}
