//! Pinned flags: in every command line, once, as they are pinned; in no schema; out of a caller's reach.

use charmer_core::{
    call::{ElementKind, prepare},
    model::{
        Cli, Command, CommandPath, Flag, Group, GroupKind, Positional, Repetition, Syntax,
        ValueType,
    },
    tool::{Catalogue, CatalogueOptions, Layout, Pin, PinError, PinValue, Pins, Tool, catalogue},
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn list(flag: &str, values: &[&str]) -> Pin {
    let values = values.iter().map(|value| (*value).to_owned()).collect();
    Pin::new(flag, PinValue::List(values))
}

fn switch(flag: &str, on: bool) -> Pin {
    Pin::new(flag, PinValue::Switch(on))
}

fn pinned(cli: &Cli, pins: &[Pin], layout: Layout) -> Catalogue {
    let mut options = CatalogueOptions::default();
    options.layout = layout;
    options.pins = Pins::resolve(cli, pins).unwrap_or_else(|errors| panic!("{errors:?}"));
    catalogue(cli, &options)
}

fn refused(cli: &Cli, pin: Pin) -> String {
    let errors = Pins::resolve(cli, &[pin]).expect_err("it cannot be pinned");
    let errors: Vec<String> = errors.iter().map(PinError::to_string).collect();
    errors.join("\n")
}

fn argv(tool: &Tool, input: Value) -> Result<String, String> {
    prepare(tool, input.as_object().expect("an object"))
        .map(|prepared| prepared.argv.to_strings().join(" "))
        .map_err(|refusal| refusal.to_string())
}

/// A program whose flags stand at three levels.
fn harbour() -> Cli {
    let load = Command::new("load")
        .flag(Flag::new("berth").short('b').pflag("int").required())
        .flag(Flag::new("dry").pflag("bool"))
        .flag(Flag::new("label").pflag("stringToString"))
        .flag(Flag::new("watch").pflag("string").optional_value(None))
        .flag(Flag::new("pilot").pflag("string"))
        .positional(Positional::new("cargo").variadic());
    let quay = Command::new("quay")
        .not_runnable()
        .flag(Flag::new("tide").pflag("string"))
        .command(load)
        .command(Command::new("list").flag(Flag::new("region").pflag("string")));
    let root = Command::new("harbour")
        .not_runnable()
        .flag(Flag::new("region").pflag("string"))
        .flag(Flag::new("verbose").short('v').pflag("count").global())
        .flag(Flag::new("tags").pflag("stringSlice").global())
        .flag(
            Flag::new("color")
                .pflag("bool")
                .default_text("true")
                .global(),
        )
        .command(quay)
        .command(Command::new("status"));
    Cli::new(root, Syntax::pflag())
}

fn tool<'c>(catalogue: &'c Catalogue, path: &str) -> &'c Tool {
    catalogue
        .for_path(&CommandPath::parse(path))
        .expect("the command is a tool")
}

#[test]
fn each_kind_is_written_at_the_level_that_owns_it() {
    let pins = [
        Pin::text("region", "north"),
        Pin::text("--tide", "low"),
        Pin::text("b", "7"),
        switch("watch", true),
        list("tags", &["a", "b,c"]),
        list("label", &["k=v"]),
        Pin::text("verbose", "2"),
        switch("color", false),
    ];
    let found = pinned(&harbour(), &pins, Layout::Flat);
    let load = tool(&found, "quay load");
    assert_eq!(
        argv(load, json!({"dry": true, "cargo": ["x"]})).as_deref(),
        Ok(
            "--region=north quay --tide=low load --berth=7 --watch --tags=a,\"b,c\" --label=k=v --verbose --verbose \
             --color=false --dry x"
        )
    );
    assert_eq!(
        argv(tool(&found, "status"), json!({})).as_deref(),
        Ok("--region=north status --tags=a,\"b,c\" --verbose --verbose --color=false")
    );
    let properties = load.input_schema["properties"].as_object().expect("keys");
    let keys: Vec<&String> = properties.keys().collect();
    assert_eq!(keys, ["cargo", "dry", "pilot"]);
    assert_eq!(load.input_schema.get("required"), None);
    let reach: Vec<(&str, usize)> = found
        .pins
        .iter()
        .map(|pin| (pin.flag.as_str(), pin.tools))
        .collect();
    assert_eq!(reach[..3], [("region", 3), ("--tide", 2), ("b", 1)]);
}

#[test]
fn a_caller_that_names_it_is_refused_as_for_any_unknown_key() {
    for layout in [Layout::Flat, Layout::Nested] {
        let found = pinned(&harbour(), &[Pin::text("pilot", "anna")], layout);
        let input = match layout {
            Layout::Flat => json!({"berth": 1, "pilot": "eve"}),
            Layout::Nested => json!({"flags": {"berth": 1, "pilot": "eve"}}),
        };
        let refusal = argv(tool(&found, "quay load"), input).expect_err("it is pinned");
        assert!(
            refusal.contains("pilot`: expected a known property"),
            "{refusal}"
        );
    }
}

#[test]
fn the_outermost_of_a_name_is_pinned_and_the_others_are_gone() {
    let found = pinned(&harbour(), &[Pin::text("region", "north")], Layout::Flat);
    let list = tool(&found, "quay list");
    assert_eq!(
        argv(list, json!({})).as_deref(),
        Ok("--region=north quay list")
    );
    assert!(argv(list, json!({"region": "south"})).is_err());
    assert!(argv(list, json!({"harbour_region": "south"})).is_err());
}

#[test]
fn what_cannot_be_pinned_is_an_error() {
    let cli = harbour();
    assert_eq!(
        refused(&cli, Pin::text("regoin", "x")),
        "no command has the flag `regoin` that is pinned (did you mean `--region`?)"
    );
    assert_eq!(
        refused(&cli, Pin::text("berth", "seven")),
        "`--berth` of `quay load` cannot be pinned to this value: it takes an integer"
    );
    for (pin, part) in [
        (Pin::text("dry", "maybe"), "true or false"),
        (switch("pilot", true), "in quotes"),
        (list("pilot", &["a", "b"]), "one value"),
        (list("label", &["k"]), "key=value"),
        (list("tags", &[]), "at least one"),
        (Pin::text("pilot", "a\0b"), "NUL"),
    ] {
        let message = refused(&cli, pin);
        assert!(message.contains(part), "{message}");
    }
    // The value may be a secret.
    assert!(!refused(&cli, Pin::text("berth", "s3cret")).contains("s3cret"));
    let mut asks = harbour();
    let load = asks.command_mut(&CommandPath::parse("quay load"));
    load.expect("it is there").confirm = Some("--dry".into());
    assert!(refused(&asks, switch("dry", true)).contains("`confirm`"));
}

#[test]
fn a_negation_means_its_opposite() {
    let mut color = Flag::new("color").pflag("bool").default_text("true");
    color.negation = Some("no-color".into());
    let cli = Cli::new(Command::new("x").flag(color), Syntax::getopt());
    let found = pinned(&cli, &[switch("no-color", true)], Layout::Flat);
    assert_eq!(
        argv(&found.tools[0], json!({})).as_deref(),
        Ok("--no-color")
    );
}

#[test]
fn greedy_ones_stand_where_they_take_nothing_else() {
    let many = Flag::new("many")
        .value_type(ValueType::String)
        .repetition(Repetition::Span { min: 1, max: None });
    let root = Command::new("x")
        .flag(many)
        .positional(Positional::new("word"));
    let cli = Cli::new(root, Syntax::clap());
    let found = pinned(&cli, &[list("many", &["a", "b"])], Layout::Flat);
    assert_eq!(
        argv(&found.tools[0], json!({"word": "-w"})).as_deref(),
        Ok("--many a b -- -w")
    );
    assert!(refused(&cli, list("many", &["a", "-b"])).contains("does not begin with `-`"));
}

#[test]
fn relations_know_what_is_pinned() {
    let cli = |kind| {
        let root = Command::new("x")
            .flag(Flag::new("a").pflag("string"))
            .flag(Flag::new("b").pflag("string"))
            .flag(Flag::new("c").pflag("bool"))
            .positional(Positional::new("word"))
            .group(Group::new(kind, ["a", "b", "word"]));
        Cli::new(root, Syntax::pflag())
    };
    let a = [Pin::text("a", "1")];
    let keys = |found: &Catalogue| -> Vec<String> {
        let properties = found.tools[0].input_schema["properties"].as_object();
        properties.expect("keys").keys().cloned().collect()
    };
    let exclusive = pinned(&cli(GroupKind::Exclusive), &a, Layout::Flat);
    assert_eq!(keys(&exclusive), ["word", "c"]);
    let refusal = argv(&exclusive.tools[0], json!({"word": "w"})).expect_err("it is excluded");
    assert!(
        refusal.contains("at most one of `--a (which is always set)`, `word`"),
        "{refusal}"
    );
    let one_of = pinned(&cli(GroupKind::OneOf), &a, Layout::Flat);
    assert_eq!(argv(&one_of.tools[0], json!({})).as_deref(), Ok("--a=1"));
    assert!(!one_of.tools[0].description.contains("At least one"));
    let together = pinned(&cli(GroupKind::Together), &a, Layout::Flat);
    assert_eq!(
        together.tools[0].input_schema["required"],
        json!(["word", "b"])
    );
    let both = [Pin::text("a", "1"), Pin::text("b", "2")];
    let errors = Pins::resolve(&cli(GroupKind::Exclusive), &both).expect_err("they exclude");
    assert!(errors[0].to_string().contains("they exclude each other"));
    assert!(Pins::resolve(&cli(GroupKind::Together), &both).is_ok());
}

#[test]
fn a_required_flag_that_a_pin_takes_away_is_worth_a_warning() {
    let root = Command::new("x")
        .flag(Flag::new("a").pflag("string"))
        .flag(Flag::new("b").pflag("string").required())
        .group(Group::new(GroupKind::Exclusive, ["a", "b"]));
    let found = pinned(
        &Cli::new(root, Syntax::pflag()),
        &[Pin::text("a", "1")],
        Layout::Flat,
    );
    assert!(
        found.warnings[0].message.contains("`--b` cannot be given"),
        "{:?}",
        found.warnings
    );
}

#[test]
fn pins_of_another_program_leave_no_unpinned_tool() {
    let pins = Pins::resolve(&harbour(), &[Pin::text("pilot", "anna")]).expect("it fits");
    let other = Command::new("x").flag(Flag::new("pilot").pflag("int"));
    let mut options = CatalogueOptions::default();
    options.pins = pins;
    let found = catalogue(&Cli::new(other, Syntax::pflag()), &options);
    assert!(found.tools.is_empty());
    assert!(found.warnings[0].message.starts_with("it is no tool"));
}

/// Values that try to be more than they are.
fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{0,6}",
        "-{1,2}[a-z=]{0,8}",
        Just("--pilot=eve".to_owned()),
        Just("--region=south".to_owned()),
        Just("-v".to_owned()),
        Just("--".to_owned()),
        "\\PC{0,12}",
    ]
}

proptest! {
    #[test]
    fn pinned_elements_are_there_once_whatever_the_input(
        region in texts(),
        pilot in texts(),
        tags in proptest::collection::vec("[a-z,\"-]{0,5}", 1..4),
        count in 0u8..4,
        dry in any::<bool>(),
        cargo in proptest::collection::vec(texts(), 0..4),
        tide in texts(),
        nested in any::<bool>(),
    ) {
        let pins = [
            Pin::text("region", region.clone()),
            Pin::text("pilot", pilot.clone()),
            Pin::new("tags", PinValue::List(tags)),
            Pin::text("v", count.to_string()),
        ];
        let layout = if nested { Layout::Nested } else { Layout::Flat };
        let found = pinned(&harbour(), &pins, layout);
        let load = tool(&found, "quay load");
        let flags = json!({"dry": dry, "berth": 3, "tide": tide});
        let input = match layout {
            Layout::Nested => json!({"flags": flags, "args": cargo}),
            Layout::Flat => {
                let mut input = flags;
                input["cargo"] = json!(cargo);
                input
            }
        };
        let Ok(prepared) = prepare(load, input.as_object().expect("an object")) else {
            // A positional that would be read as a flag.
            prop_assert!(cargo.iter().any(|text| text.starts_with('-')));
            return Ok(());
        };
        let elements = prepared.argv.elements();
        let flags: Vec<&str> = elements
            .iter()
            .filter(|element| element.kind == ElementKind::Flag)
            .map(|element| element.text.as_str())
            .collect();
        let named = |name: &str| -> Vec<&str> {
            let is_it = |text: &&&str| text.split('=').next() == Some(name);
            flags.iter().filter(is_it).copied().collect()
        };
        prop_assert_eq!(named("--region"), [format!("--region={region}")]);
        prop_assert_eq!(named("--pilot"), [format!("--pilot={pilot}")]);
        prop_assert_eq!(named("--tags").len(), 1);
        prop_assert_eq!(named("--verbose").len(), usize::from(count));
        prop_assert_eq!(&elements[0].text, &format!("--region={region}"));
        for pinned in &load.input.pinned {
            let written = elements.iter().filter(|element| pinned.elements.contains(element));
            prop_assert_eq!(written.count(), pinned.elements.len());
        }
    }
}
