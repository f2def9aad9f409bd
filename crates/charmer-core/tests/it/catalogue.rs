//! Which commands become tools, under which names and keys, and what every definition must keep to.

use charmer_core::{
    model::{
        Choice, Cli, Command, CommandPath, Effect, Flag, Group, GroupKind, Hints, MapValue,
        Positional, Repetition, Syntax, ValueType,
    },
    select::{CommandRule, FlagRule, ToolSelector},
    tool::{BRIDGE_ABOUT, Catalogue, CatalogueOptions, Layout, catalogue},
};
use proptest::prelude::*;
use serde_json::json;

use crate::linter::lint;

fn names(found: &Catalogue) -> Vec<&str> {
    found.tools.iter().map(|tool| tool.name.as_str()).collect()
}

fn plain(root: Command) -> Catalogue {
    catalogue(
        &Cli::new(root, Syntax::pflag()),
        &CatalogueOptions::default(),
    )
}

#[test]
fn runnable_commands_become_tools_and_others_never() {
    let mut hidden = Command::new("hidden").command(Command::new("child"));
    hidden.hidden = true;
    let mut old = Command::new("old");
    old.deprecated = Some("use new".into());
    let root = Command::new("app")
        .not_runnable()
        .command(hidden)
        .command(old)
        .command(Command::new("help"))
        .command(Command::new("completion").command(Command::new("bash")))
        .command(Command::new("helper"))
        .command(
            Command::new("group")
                .not_runnable()
                .command(Command::new("leaf")),
        )
        .command(Command::new("both").command(Command::new("leaf")));
    assert_eq!(
        names(&plain(root)),
        ["app_helper", "app_group_leaf", "app_both", "app_both_leaf"]
    );
}

#[test]
fn a_prefix_replaces_the_programs_name() {
    let cli = Cli::new(
        Command::new("app")
            .not_runnable()
            .command(Command::new("go")),
        Syntax::pflag(),
    );
    for (prefix, expected) in [(None, "app_go"), (Some("my"), "my_go"), (Some(""), "go")] {
        let mut options = CatalogueOptions::default();
        options.prefix = prefix.map(str::to_owned);
        assert_eq!(names(&catalogue(&cli, &options)), [expected]);
    }
}

#[test]
fn collisions_and_long_names_are_resolved_with_a_warning() {
    let root = Command::new("app")
        .not_runnable()
        .command(Command::new("a").not_runnable().command(Command::new("b")))
        .command(Command::new("a_b"))
        .command(Command::new(
            "a-very-long-command-name-that-clients-would-cut",
        ));
    let found = plain(root);
    assert_eq!(found.tools[0].name.as_str(), "app_a_b");
    assert_ne!(found.tools[1].name.as_str(), "app_a_b");
    let warnings: Vec<String> = found.warnings.iter().map(ToString::to_string).collect();
    assert!(
        warnings
            .iter()
            .any(|warning| warning.starts_with("a_b: its tool is called `app_a_b_")),
        "{warnings:?}"
    );
    assert!(
        warnings
            .iter()
            .any(|warning| warning.contains("51 characters")),
        "{warnings:?}"
    );
}

#[test]
fn keys_that_clash_are_kept_apart() {
    let root = Command::new("app")
        .flag(Flag::new("verbose").help("the root's own"))
        .not_runnable()
        .command(
            Command::new("run")
                .flag(Flag::new("verbose").help("the command's own"))
                .flag(Flag::new("file").pflag("string"))
                .flag(Flag::new("größe").pflag("int"))
                .positional(Positional::new("file").required()),
        );
    let schema = &plain(root).tools[0].input_schema;
    let properties = schema["properties"].as_object().expect("an object");
    let keys: Vec<&str> = properties.keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        ["file_arg", "app_verbose", "verbose", "file", "gr__e"]
    );
    assert_eq!(properties["verbose"]["description"], "the command's own");
    assert_eq!(schema["required"], json!(["file_arg"]));
}

#[test]
fn a_pattern_that_cannot_be_read_becomes_a_list() {
    let root =
        Command::new("get").usage("get (TYPE[.VERSION] [NAME | -l label] | TYPE/NAME ...) [flags]");
    let found = plain(root);
    let args = &found.tools[0].input_schema["properties"]["args"];
    assert_eq!(args["type"], "array");
    assert!(
        args["description"]
            .as_str()
            .expect("text")
            .contains("(TYPE[.VERSION] [NAME | -l label]"),
        "{args}"
    );
}

#[test]
fn annotations_are_explicit_and_cautious() {
    let root = Command::new("app")
        .not_runnable()
        .command(Command::new("unknown"))
        .command(Command::new("reads").hints(Hints::reads().title("Look")))
        .command(Command::new("writes").hints(Hints::writes().idempotent(true).open_world(false)))
        .command(Command::new("destroys").hints(Hints::new(Effect::Destroy)));
    let found = plain(root);
    let hints: Vec<_> = found
        .tools
        .iter()
        .map(|tool| tool.annotations.to_json())
        .collect();
    let expect = |read, destroy, idempotent, open| json!({"readOnlyHint": read, "destructiveHint": destroy, "idempotentHint": idempotent, "openWorldHint": open});
    assert_eq!(hints[0], expect(false, true, false, true));
    assert_eq!(hints[1], expect(true, false, true, true));
    assert_eq!(hints[2], expect(false, false, true, false));
    assert_eq!(hints[3], expect(false, true, false, true));
    assert_eq!(found.tools[1].title, "Look");
}

#[test]
fn descriptions_hold_path_text_relations_and_examples_within_2_kb() {
    let long = "It does one thing. ".repeat(200);
    let root = Command::new("app").not_runnable().command(
        Command::new("go")
            .about("Short")
            .long_about(long)
            .examples("  app go --a")
            .flag(Flag::new("a"))
            .flag(Flag::new("b"))
            .group(Group::new(GroupKind::Exclusive, ["a", "b"])),
    );
    let text = plain(root).tools[0].description.clone();
    assert!(text.len() <= 2048);
    assert!(text.starts_with("app go: It does one thing."));
    assert!(text.contains("At most one of `a`, `b`."));

    let root = Command::new("app")
        .not_runnable()
        .command(Command::new("go").about("Goes").examples("  app go now"));
    assert_eq!(
        plain(root).tools[0].description,
        "app go: Goes\n\nExamples:\n  app go now"
    );
}

#[test]
fn selectors_decide_in_order_and_take_flags_away() {
    let root = Command::new("app")
        .not_runnable()
        .flag(Flag::new("token").pflag("string").global())
        .command(
            Command::new("get")
                .flag(Flag::new("raw"))
                .flag(Flag::new("all")),
        )
        .command(Command::new("set").flag(Flag::new("force").required()))
        .command(Command::new("rm"));
    let mut options = CatalogueOptions::default();
    options.selectors = vec![
        ToolSelector::new(CommandRule::allow(["get"]))
            .local_flags(FlagRule::exclude(["raw"]))
            .inherited_flags(FlagRule::none()),
        ToolSelector::new(CommandRule::exclude(["rm"])).local_flags(FlagRule::none()),
    ];
    let found = catalogue(&Cli::new(root, Syntax::pflag()), &options);
    assert_eq!(names(&found), ["app_get", "app_set"]);
    let keys = |at: usize| -> Vec<String> {
        let schema = &found.tools[at].input_schema;
        schema["properties"]
            .as_object()
            .expect("an object")
            .keys()
            .cloned()
            .collect()
    };
    assert_eq!(keys(0), ["all"]);
    assert_eq!(keys(1), ["token"]);
    assert_eq!(
        [found.tools[0].selector, found.tools[1].selector],
        [Some(0), Some(1)]
    );
    assert!(
        found.warnings[0]
            .to_string()
            .contains("`--force` cannot be given, because the selector leaves it out"),
        "{:?}",
        found.warnings
    );
}

#[test]
fn the_model_survives_serialization() {
    let root = Command::new("app")
        .usage("app <file> [-- command]")
        .flag(
            Flag::new("color")
                .optional_value(Some("always"))
                .value_type(ValueType::String)
                .choices(["always"]),
        )
        .flag(Flag::new("map").pflag("stringToInt"))
        .command(Command::new("child").hints(Hints::reads()));
    let cli = Cli::new(root, Syntax::clap());
    let text = serde_json::to_string(&cli).expect("it serializes");
    assert_eq!(
        serde_json::from_str::<Cli>(&text).expect("it deserializes"),
        cli
    );
}

#[test]
fn excluded_commands_are_compared_whole() {
    let root = Command::new("app")
        .not_runnable()
        .command(Command::new("mcp").command(Command::new("start")))
        .command(Command::new("mcp-tools"))
        .command(
            Command::new("tools")
                .not_runnable()
                .command(Command::new("mcp")),
        );
    let mut options = CatalogueOptions::default();
    options.exclude = vec![CommandPath::parse("mcp")];
    assert_eq!(
        names(&catalogue(&Cli::new(root, Syntax::pflag()), &options)),
        ["app_mcp-tools", "app_tools_mcp"]
    );
}

fn value_types() -> impl Strategy<Value = ValueType> {
    prop_oneof![
        Just(ValueType::Bool),
        Just(ValueType::INT),
        Just(ValueType::UINT),
        Just(ValueType::signed(8)),
        Just(ValueType::unsigned(16)),
        Just(ValueType::Number),
        Just(ValueType::String),
        Just(ValueType::Path),
        Just(ValueType::Char),
        Just(ValueType::Duration),
        Just(ValueType::Ip),
        Just(ValueType::IpNet),
        Just(ValueType::IpMask),
        Just(ValueType::Hex),
        Just(ValueType::Base64),
        Just(ValueType::Time),
        Just(ValueType::BigInteger { signed: true }),
        Just(ValueType::Count),
        Just(ValueType::Map(MapValue::Text)),
        Just(ValueType::Map(MapValue::Integer)),
    ]
}

fn repetitions() -> impl Strategy<Value = Repetition> {
    prop_oneof![
        Just(Repetition::Single),
        Just(Repetition::Repeat { delimiter: None }),
        Just(Repetition::Joined { delimiter: ',' }),
        Just(Repetition::Fixed {
            count: 2,
            repeat: false
        }),
        Just(Repetition::Fixed {
            count: 3,
            repeat: true
        }),
        Just(Repetition::Span {
            min: 1,
            max: Some(3)
        }),
        Just(Repetition::Span { min: 1, max: None }),
    ]
}

fn flags() -> impl Strategy<Value = Flag> {
    let text = "[\\PC]{0,12}";
    let defaults = proptest::collection::vec(
        prop_oneof!["[0-9]{1,3}", "true|false|1s|::1|ff", text],
        0..3,
    );
    let choices = proptest::collection::vec("[a-z]{1,4}", 0..3);
    (
        "\\PC{1,8}",
        value_types(),
        repetitions(),
        defaults,
        choices,
        any::<[bool; 4]>(),
        text,
    )
        .prop_map(
            |(
                name,
                value_type,
                repetition,
                default,
                choices,
                [optional, required, global, switch],
                help,
            )| {
                let mut flag = Flag::new(name);
                if !switch {
                    flag = flag.value_type(value_type).repetition(repetition);
                    flag.choices = choices.into_iter().map(Choice::new).collect();
                }
                if optional && !switch {
                    flag = flag.optional_value(None);
                }
                flag.default = default;
                flag.required = required;
                flag.global = global;
                flag.help(help)
            },
        )
}

proptest! {
    #[test]
    fn every_emitted_schema_is_portable(
        root in proptest::collection::vec(flags(), 0..5),
        leaf in proptest::collection::vec(flags(), 0..6),
        usage in "[\\PC]{0,30}",
        nested: bool,
    ) {
        let mut command = Command::new("leaf").usage(format!("leaf {usage}"));
        command.flags = leaf.into_iter().map(Into::into).collect();
        let mut app = Command::new("app").command(command);
        app.flags = root.into_iter().map(Into::into).collect();
        let mut options = CatalogueOptions::default();
        options.layout = if nested { Layout::Nested } else { Layout::Flat };
        let found = catalogue(&Cli::new(app, Syntax::pflag()), &options);
        let definitions: Vec<_> = found.tools.iter().map(|tool| tool.definition()).collect();
        prop_assert_eq!(lint(&definitions), Vec::<String>::new());
    }
}

#[test]
fn a_program_that_serves_itself_does_not_offer_that() {
    let tools = |group: Command| {
        let root = Command::new("app").not_runnable();
        let root = root.command(Command::new("go")).command(group);
        let found = catalogue(
            &Cli::new(root, Syntax::clap()),
            &CatalogueOptions::default(),
        );
        let names = found.tools.iter().map(|tool| tool.path.to_string());
        names.collect::<Vec<_>>()
    };
    let children = |group: Command, names: &[&str]| {
        let each = names.iter().map(|name| Command::new(*name));
        each.fold(group.not_runnable(), Command::command)
    };
    let ours = children(
        Command::new("assist").about(BRIDGE_ABOUT),
        &["start", "list"],
    );
    assert_eq!(tools(ours), ["go"]);
    let like_ours = children(Command::new("mcp"), &["start", "tools"]);
    assert_eq!(tools(like_ours), ["go"]);
    // One that is about servers of others is a command as any.
    let others = children(Command::new("mcp"), &["catalog", "start"]);
    assert_eq!(tools(others), ["go", "mcp catalog", "mcp start"]);
}
