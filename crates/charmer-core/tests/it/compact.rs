//! Tools as they are listed where room is short: fewer words, the same tool.

use std::{collections::HashSet, sync::Arc};

use charmer_core::{
    call::prepare,
    model::{Cli, Command, Effect, Flag, Group, GroupKind, Hints, Syntax, ValueType},
    tool::{
        Annotations, CatalogueOptions, Descriptions, Layout, Tool, ToolName, catalogue, compact,
        estimate_tokens, output_schema_with_data,
    },
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::linter::lint;

const FEWER: [Descriptions; 2] = [Descriptions::Short, Descriptions::None];

fn tools(root: Command, options: &CatalogueOptions) -> Vec<Arc<Tool>> {
    catalogue(&Cli::new(root, Syntax::pflag()), options).tools
}

fn nested() -> CatalogueOptions {
    let mut options = CatalogueOptions::default();
    options.layout = Layout::Nested;
    options
}

fn flags() -> Vec<Flag> {
    let mut env = Flag::new("chart").pflag("string").help("The chart to read. It is long. It is very long, so long that nobody has read it to its end, or would like to do so while it still rains.");
    env.env = Some("CHART".into());
    vec![
        Flag::new("best").help("If true, choose the best pier (default false)"),
        Flag::new("knot")
            .pflag("string")
            .choices(["bowline", "cleat"])
            .default_text("cleat")
            .help("The knot. One of: bowline, cleat. [default: cleat]"),
        Flag::new("wait")
            .pflag("duration")
            .default_text("5m0s")
            .help("How long to wait (default 5m0s)"),
        Flag::new("light").help("Show a light").default_text("true"),
        env,
    ]
}

fn harbour() -> Command {
    let mut moor = Command::new("moor")
        .about("Tie a ship to a pier\n\nPiers are numbered from the west.")
        .usage("moor SHIP")
        .examples("harbour moor Anna --best\nharbour moor Berta");
    for flag in flags() {
        moor = moor.flag(flag);
    }
    moor.hints.effect = Effect::Write;
    moor.groups = vec![Group {
        kind: GroupKind::Exclusive,
        members: vec!["best".into(), "wait".into()],
    }];
    Command::new("harbour")
        .not_runnable()
        .flag(
            Flag::new("at")
                .pflag("string")
                .global()
                .help("Which harbour"),
        )
        .command(moor)
}

#[test]
fn short_says_what_informs() {
    let tools = tools(harbour(), &CatalogueOptions::default());
    let listed = compact(&tools[0], Descriptions::Short, true).definition();
    assert_eq!(
        listed,
        json!({
            "name": "harbour_moor",
            "description": "Tie a ship to a pier. At most one of best, wait.\ne.g. harbour moor Anna --best",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "ship": {"type": "string"},
                    "best": {"type": "boolean", "description": "Choose the best pier"},
                    "knot": {"type": "string", "description": "The knot", "enum": ["bowline", "cleat"], "default": "cleat"},
                    "wait": {
                        "type": "string",
                        "description": "How long to wait (duration 1h30m)",
                        "pattern": "^-?([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$",
                        "default": "5m0s",
                    },
                    "light": {"type": "boolean", "description": "Show a light", "default": true},
                    "chart": {"type": "string", "description": "The chart to read. It is long."},
                },
                "required": ["ship"],
            },
            "annotations": {"destructiveHint": false},
        })
    );
}

#[test]
fn none_says_a_line() {
    let tools = tools(harbour(), &CatalogueOptions::default());
    let listed = compact(&tools[0], Descriptions::None, false).definition();
    assert_eq!(listed["description"], "Tie a ship to a pier");
    assert!(
        !listed["inputSchema"].to_string().contains("description"),
        "{listed}"
    );
    assert_eq!(
        listed["inputSchema"]["properties"]["at"],
        json!({"type": "string"})
    );
}

#[test]
fn full_is_as_it_was() {
    let tools = tools(harbour(), &CatalogueOptions::default());
    let full = compact(&tools[0], Descriptions::Full, false);
    assert_eq!(
        full.definition().to_string(),
        tools[0].definition().to_string()
    );
    assert_eq!(
        full.definition()["annotations"].as_object().map(Map::len),
        Some(4)
    );
}

#[test]
fn what_is_left_out_can_still_be_given() {
    for options in [CatalogueOptions::default(), nested()] {
        let tools = tools(harbour(), &options);
        let listed = compact(&tools[0], Descriptions::Short, true);
        assert!(
            !listed.input_schema["properties"]
                .to_string()
                .contains("\"at\"")
        );
        let input = match options.layout {
            Layout::Flat => json!({"ship": "Anna", "at": "Cork"}),
            Layout::Nested => json!({"args": ["Anna"], "flags": {"at": "Cork"}}),
        };
        let argv = prepare(&listed, input.as_object().expect("an object"))
            .expect("a call")
            .argv;
        assert_eq!(argv.to_strings(), ["moor", "--at=Cork", "Anna"]);
    }
}

#[test]
fn an_object_of_flags_that_is_empty_then_is_left_out_too() {
    let root = Command::new("app")
        .not_runnable()
        .flag(Flag::new("dry").global())
        .command(Command::new("go").usage("go PLACE"));
    let tools = tools(root, &nested());
    let listed = compact(&tools[0], Descriptions::None, true);
    assert_eq!(
        listed.input_schema["properties"],
        json!({"args": {"type": "array", "description": "Usage pattern: PLACE", "items": {"type": "string"}}})
    );
}

#[test]
fn a_name_that_hides_the_command_is_explained() {
    let mut options = CatalogueOptions::default();
    options.prefix = Some("port".into());
    let tools = tools(harbour(), &options);
    let listed = compact(&tools[0], Descriptions::Short, false).definition();
    let description = listed["description"].as_str().expect("a text");
    assert!(
        description.starts_with("harbour moor: Tie a ship"),
        "{description}"
    );
    assert_eq!(listed.get("title"), None);
}

#[test]
fn an_authors_schema_is_trimmed_where_it_speaks_and_nowhere_else() {
    let schema = json!({
        "type": "object",
        "title": "kept, for it is no property's",
        "properties": {
            "title": {"type": "string", "title": "Title", "description": "What to write (default \"none\")", "default": "none"},
            "description": {"type": "object", "description": "How", "properties": {
                "examples": {"type": "array", "items": {"type": "boolean", "description": "If set, do it", "default": false}},
            }},
        },
    });
    let name = ToolName::exact("write").expect("a name");
    let mut tool = Tool::custom(
        name,
        "Writes",
        schema.as_object().expect("an object").clone(),
        Annotations::new(&Hints::reads()),
    );
    tool.output_schema = Arc::new(output_schema_with_data(
        json!({"type": "object", "properties": {"size": {"type": "integer", "description": "In bytes"}}}),
    ));
    let short = compact(&tool, Descriptions::Short, true).definition();
    assert_eq!(
        short["inputSchema"]["properties"],
        json!({
            "title": {"type": "string", "description": "What to write", "default": "none"},
            "description": {"type": "object", "description": "How", "properties": {
                "examples": {"type": "array", "items": {"type": "boolean", "description": "Do it"}},
            }},
        })
    );
    assert_eq!(short["annotations"], json!({"readOnlyHint": true}));
    // A declared output stays.
    assert_eq!(
        short["outputSchema"],
        json!({"type": "object", "properties": {"data": {"type": "object", "properties": {"size": {"type": "integer", "description": "In bytes"}}}}})
    );
    let none = compact(&tool, Descriptions::None, true).definition();
    assert_eq!(
        none["outputSchema"]["properties"]["data"]["properties"]["size"],
        json!({"type": "integer"})
    );
    assert_eq!(
        none["inputSchema"]["properties"]["description"]["type"],
        "object"
    );
}

#[test]
fn a_confirmation_is_always_asked_for() {
    let mut sink = Command::new("sink")
        .about("Sinks")
        .flag(Flag::new("yes").help("Do not ask"));
    sink.confirm = Some("--yes".into());
    let tools = tools(sink, &CatalogueOptions::default());
    let listed = compact(&tools[0], Descriptions::None, false);
    let told = &listed.input_schema["properties"]["confirm"]["description"];
    assert!(
        told.as_str()
            .is_some_and(|text| text.starts_with("Must be true to confirm")),
        "{told}"
    );
    assert_eq!(listed.input_schema["required"], json!(["confirm"]));
}

fn any_flag() -> impl Strategy<Value = Flag> {
    let help = proptest::option::of(
        "[A-Za-z ,.()|]{0,60}|If true, do it|One of: red, blue\\. \\(default red\\)",
    );
    ("[a-e]{1,2}", 0..8usize, help, any::<bool>()).prop_map(|(name, sort, help, required)| {
        let flag = Flag::new(name);
        let mut flag = match sort {
            0 => flag.pflag("int").default_text("7"),
            1 => flag.pflag("stringSlice"),
            2 => flag
                .pflag("string")
                .choices(["red", "blue"])
                .default_text("red"),
            3 => flag.pflag("duration").default_text("1s"),
            4 => flag.pflag("stringToInt"),
            5 => flag.value_type(ValueType::Count),
            6 => flag.pflag("ip"),
            _ => flag,
        };
        flag.help = help;
        flag.required = required;
        flag
    })
}

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(true)),
        Just(json!(3)),
        Just(json!(-300)),
        Just(json!("red")),
        Just(json!("1m30s")),
        Just(json!("10.0.0.1")),
        Just(json!(["red", "x"])),
        Just(json!([1])),
        Just(json!({"k": 1})),
        Just(json!({"k": "v"})),
        Just(json!(null)),
    ]
}

fn accepts(schema: &Map<String, Value>, input: &Value) -> bool {
    let schema = Value::Object(schema.clone());
    jsonschema::is_valid(&schema, input)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn fewer_words_accept_the_same_input(
        own in proptest::collection::vec(any_flag(), 0..6),
        inherited in proptest::collection::vec(any_flag(), 0..4),
        given in proptest::collection::btree_map("[a-e]{1,2}|item", any_value(), 0..6),
        layout in any::<bool>(),
    ) {
        let mut root = Command::new("app").not_runnable();
        let mut child = Command::new("child").about("Does it. Well.").usage("child [ITEM]");
        for flag in inherited {
            if !root.flags.iter().any(|known| known.id == flag.id) {
                root = root.flag(flag.global());
            }
        }
        for flag in own {
            if !child.flags.iter().any(|known| known.id == flag.id) {
                child = child.flag(flag);
            }
        }
        let options = if layout { CatalogueOptions::default() } else { nested() };
        let tools = tools(root.command(child), &options);
        let full = &tools[0];
        let given: Map<String, Value> = given.into_iter().collect();
        let wrap = |flags: Map<String, Value>| match layout {
            true => Value::Object(flags),
            false => json!({"flags": flags}),
        };
        for descriptions in FEWER {
            let listed = compact(full, descriptions, false);
            prop_assert_eq!(
                accepts(&full.input_schema, &wrap(given.clone())),
                accepts(&listed.input_schema, &wrap(given.clone()))
            );
            prop_assert_eq!(full.input_schema.get("required"), listed.input_schema.get("required"));
            let mut breaches = lint(&[listed.definition()]);
            breaches.retain(|breach| !breach.contains("Hint") && !breach.contains("outputSchema"));
            prop_assert_eq!(breaches, Vec::<String>::new());

            // What is left out may be anything; the rest is as it was.
            let fewer = compact(full, descriptions, true);
            prop_assert_eq!(full.input_schema.get("required"), fewer.input_schema.get("required"));
            let shared: HashSet<&str> = full.input.flags.iter()
                .filter(|flag| flag.owner == 0 && !flag.flag.required)
                .map(|flag| flag.key.as_str())
                .collect();
            let mut rest = given.clone();
            rest.retain(|key, _| !shared.contains(key.as_str()));
            prop_assert_eq!(
                accepts(&full.input_schema, &wrap(rest)),
                accepts(&fewer.input_schema, &wrap(given.clone()))
            );
            let size = |tool: &Tool| estimate_tokens(&tool.definition().to_string());
            prop_assert!(size(&fewer) <= size(&listed) && size(&listed) <= size(full));
        }
    }
}
