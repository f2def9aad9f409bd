//! Commands described in few words: nothing that a call needs is lost, whatever the room.

use std::sync::Arc;

use charmer_core::{
    model::{
        Choice, Cli, Command, Effect, Flag, Group, GroupKind, Hints, MapValue, Positional,
        Repetition, Syntax, ValueType,
    },
    tool::{
        Annotations, CatalogueOptions, Layout, Tool, ToolName, catalogue, estimate_tokens, outline,
        outline_input, outline_line, summary,
    },
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn tools(root: Command, layout: Layout) -> Vec<Arc<Tool>> {
    let mut options = CatalogueOptions::default();
    options.layout = layout;
    catalogue(&Cli::new(root, Syntax::pflag()), &options).tools
}

/// A harbour's program, with a bit of everything.
fn harbour() -> Command {
    let mut moor = Command::new("moor")
        .about("Tie a ship to a pier. It must be in the harbour.")
        .usage("moor SHIP [PIER]")
        .examples("# At the best pier\nharbour moor Anna --best\nharbour moor Anna 7")
        .flag(
            Flag::new("best")
                .short('b')
                .help("If true, choose the best pier"),
        )
        .flag(
            Flag::new("knot")
                .pflag("string")
                .choices(["bowline", "cleat"])
                .default_text("cleat")
                .help("The knot (one of bowline, cleat)"),
        )
        .flag(
            Flag::new("wait")
                .pflag("duration")
                .default_text("5m0s")
                .help("How long to wait (default 5m0s)"),
        )
        .flag(
            Flag::new("line")
                .pflag("stringArray")
                .required()
                .help("A line to use"),
        )
        .flag(Flag::new("mark").value_type(ValueType::Map(MapValue::Text)));
    moor.hints.effect = Effect::Write;
    moor.groups = vec![Group {
        kind: GroupKind::Exclusive,
        members: vec!["best".into(), "wait".into()],
    }];
    let list = Command::new("list")
        .about("List ships")
        .flag(Flag::new("all").help("Also those at sea"));
    Command::new("harbour")
        .not_runnable()
        .flag(
            Flag::new("chart")
                .pflag("string")
                .global()
                .help("The chart to read"),
        )
        .command(moor)
        .command(list)
}

#[test]
fn a_command_is_told_with_all_that_a_call_needs() {
    let tools = tools(harbour(), Layout::Flat);
    let told = outline(&[&tools[0], &tools[1]], 600);
    insta::assert_snapshot!(told, @r"
    harbour_moor [write] harbour moor: Tie a ship to a pier. It must be in the harbour.
     ship*: string
     pier: string
     best: boolean  Choose the best pier
     knot=cleat: bowline|cleat  The knot
     wait=5m0s: string(duration 1h30m)  How long to wait
     line*: string[]  A line to use
     mark: {key: string}
     At most one of best, wait.
     e.g. harbour moor Anna --best
     e.g. harbour moor Anna 7
    harbour_list [unknown] harbour list: List ships
     all: boolean  Also those at sea
    Also, as every harbour command:
     chart: string  The chart to read
    (* required; = default)
");
}

#[test]
fn a_command_is_described_without_its_schema() {
    for layout in [Layout::Flat, Layout::Nested] {
        for tool in tools(harbour(), layout) {
            let mut bare = (*tool).clone();
            bare.input_schema = Default::default();
            assert_eq!(outline(&[&bare], 600), outline(&[&tool], 600));
            assert_eq!(outline_input(&bare, 300), outline_input(&tool, 300));
        }
    }
}

#[test]
fn nested_input_is_told_as_it_is_nested() {
    let tools = tools(harbour(), Layout::Nested);
    insta::assert_snapshot!(outline(&[&tools[0]], 600), @r"
    harbour_moor [write] harbour moor: Tie a ship to a pier. It must be in the harbour.
     flags: object
      best: boolean  Choose the best pier
      knot=cleat: bowline|cleat  The knot
      wait=5m0s: string(duration 1h30m)  How long to wait
      line*: string[]  A line to use
      mark: {key: string}
     args: string[]  Usage pattern: SHIP [PIER]
     At most one of best, wait.
     e.g. harbour moor Anna --best
     e.g. harbour moor Anna 7
    Also, as every harbour command, in `flags`:
     chart: string  The chart to read
    (* required; = default)
");
}

#[test]
fn a_tool_without_a_program_is_told_from_its_schema() {
    let schema = json!({
        "type": "object",
        "required": ["to"],
        "properties": {
            "to": {"type": "string", "description": "Who gets it", "pattern": "^[a-z]+$"},
            "options": {"type": "object", "description": "How", "required": ["speed"], "properties": {
                "speed": {"type": "integer", "minimum": 1, "description": "In knots"},
                "colours": {"type": "array", "items": {"type": "string", "enum": ["red", "blue"]}},
            }},
            "stops": {"type": "array", "items": {"type": "object", "properties": {"port": {"type": "string"}}}},
            "note": {"type": ["string", "null"]},
        },
    });
    let name = ToolName::exact("send_flag").expect("a name");
    let tool = Tool::custom(
        name,
        "Sends a flag. Slowly.",
        schema.as_object().expect("an object").clone(),
        Annotations::new(&Hints::reads()),
    );
    assert_eq!(summary(&tool), "Sends a flag.");
    assert_eq!(outline_line(&tool), "send_flag [read] Sends a flag.");
    insta::assert_snapshot!(outline(&[&tool], 600), @r"
    send_flag [read] Sends a flag. Slowly.
     to*: string /^[a-z]+$/  Who gets it
     options: object  How
      speed*: integer>=1  In knots
      colours: (red|blue)[]
     stops: object[]
      port: string
     note: string|null
    (* required)
");
}

#[test]
fn the_longest_command_is_the_first_to_lose_words() {
    let help = "Says something that is long enough to be worth leaving out where there is no room";
    let mut big = Command::new("big").about("Does much");
    for at in 0..80 {
        big = big.flag(Flag::new(format!("switch-{at}")).help(help));
    }
    let small = Command::new("small")
        .about("Does little")
        .flag(Flag::new("only").help(help));
    let tools = tools(
        Command::new("app")
            .not_runnable()
            .command(big)
            .command(small),
        Layout::Flat,
    );
    let all: Vec<&Tool> = tools.iter().map(Arc::as_ref).collect();
    let told = outline(&all, 400);
    assert!(estimate_tokens(&told) <= 800, "{told}");
    assert!(told.contains(&format!(" only: boolean  {help}")), "{told}");
    assert!(told.contains(" switch-0, switch-1, "), "{told}");
    assert!(told.contains("switch-79: boolean\n"), "{told}");
    // With still less room, names that begin alike are written as one.
    let told = outline(&all, 200);
    assert!(told.contains(" switch-{0, 1, 2, "), "{told}");
    assert!(told.ends_with("(a-{b, c} = a-b, a-c)"), "{told}");
}

#[test]
fn what_commands_share_is_told_once() {
    let with_flags = |name: &str, own: &str| {
        let mut command = Command::new(name).about("Shows").flag(Flag::new(own));
        for shared in ["width", "height", "colour", "depth", "tilt"] {
            command = command.flag(Flag::new(shared).pflag("int").help(format!("The {shared}")));
        }
        command
    };
    let root = Command::new("app")
        .not_runnable()
        .command(with_flags("one", "first"))
        .command(with_flags("two", "second"));
    let tools = tools(root, Layout::Flat);
    let told = outline(&[&tools[0], &tools[1]], 600);
    assert_eq!(told.matches("The tilt").count(), 1, "{told}");
    assert!(
        told.contains("Also, as each of these app commands:\n width: integer  The width"),
        "{told}"
    );
    // Alone it has nobody to share with.
    assert!(!outline(&[&tools[0]], 600).contains("Also"));
}

fn any_flag() -> impl Strategy<Value = Flag> {
    let name = "[a-z]{1,8}(-[a-z]{1,6})?|(big|top)-[a-z]{1,6}";
    let help = proptest::option::of("[A-Za-z ,.()]{0,120}");
    (name, 0..8usize, help, any::<bool>(), any::<bool>()).prop_map(
        |(name, sort, help, required, global)| {
            let flag = Flag::new(name);
            let mut flag = match sort {
                0 => flag.pflag("int").default_text("7"),
                1 => flag.pflag("stringSlice"),
                2 => flag.pflag("string").choices(["red", "green", "blue"]),
                3 => flag.pflag("duration").default_text("1s"),
                4 => flag.pflag("stringToString"),
                5 => flag.pflag("string").repetition(Repetition::Fixed {
                    count: 2,
                    repeat: true,
                }),
                6 => flag.pflag("string").optional_value(None),
                _ => flag,
            };
            flag.help = help;
            flag.required = required && sort != 7;
            flag.global = global;
            flag
        },
    )
}

/// Every key of a schema, and those within.
fn keys(schema: &Value, found: &mut Vec<(String, bool, Vec<String>)>) {
    let Some(properties) = schema["properties"].as_object() else {
        return;
    };
    for (key, property) in properties {
        let required = schema["required"]
            .as_array()
            .is_some_and(|all| all.iter().any(|k| k == key));
        let choices = property["enum"].as_array().into_iter().flatten();
        let choices = choices
            .filter_map(|choice| choice.as_str().map(str::to_owned))
            .collect();
        found.push((key.clone(), required, choices));
        keys(property, found);
    }
}

/// `a-{b, c}` as `a-b, a-c`.
fn unfold(text: &str) -> String {
    let fold = regex::Regex::new(r"([a-z0-9]+[-_])\{([^{}:]*)\}").expect("a pattern");
    let replaced = fold.replace_all(text, |found: &regex::Captures<'_>| {
        let ends = found[2]
            .split(", ")
            .map(|end| format!("{}{end}", &found[1]));
        ends.collect::<Vec<_>>().join(", ")
    });
    replaced.into_owned()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_name_or_choice_or_requirement_is_lost_however_little_room_there_is(
        flags in proptest::collection::vec(any_flag(), 0..40),
        inherited in proptest::collection::vec(any_flag(), 0..10),
        budget in 0..800usize,
        nested in any::<bool>(),
    ) {
        let mut child = Command::new("child").about("Does it").usage("child ITEM [MORE...]");
        let mut root = Command::new("app").not_runnable();
        for flag in inherited.into_iter().filter(|flag| !flag.id.starts_with("big-") && !flag.id.starts_with("top-")) {
            if !root.flags.iter().any(|known| known.id == flag.id) {
                root = root.flag(flag.global());
            }
        }
        for flag in flags {
            if !child.flags.iter().any(|known| known.id == flag.id) {
                child = child.flag(flag);
            }
        }
        let layout = if nested { Layout::Nested } else { Layout::Flat };
        let tools = tools(root.command(child), layout);
        let told = outline(&[&tools[0]], budget);
        let mut all = Vec::new();
        keys(&Value::Object((*tools[0].input_schema).clone()), &mut all);
        for text in [told, outline_input(&tools[0], budget)] {
            let unfolded = unfold(&text);
            let lines: Vec<&str> = unfolded.lines().collect();
            for (key, required, choices) in &all {
                let mark = if *required { "*" } else { "" };
                let named = |line: &&&str| {
                    let names = line.split(": ").next().unwrap_or_default().split(", ");
                    let mut names = names.map(|name| name.trim().split('=').next().unwrap_or_default());
                    names.any(|name| name == format!("{key}{mark}") || name == format!("{key}{mark}:"))
                };
                // What holds all of them is named where what is shared is told.
                if key == "flags" && text.contains("in `flags`:") {
                    continue;
                }
                let line = lines.iter().find(named);
                prop_assert!(line.is_some(), "{key}{mark} is not in {text}");
                let line = line.expect("it is some");
                prop_assert!(choices.iter().all(|choice| line.contains(choice.as_str())), "{line}");
            }
        }
    }
}

#[test]
fn choices_are_cut_only_when_there_is_no_other_way() {
    let mut flag = Flag::new("format").pflag("string").help("How it looks");
    flag.choices = (0..60)
        .map(|at| Choice::new(format!("shape{at}")))
        .collect();
    let tools = tools(Command::new("show").flag(flag), Layout::Flat);
    assert!(outline(&[&tools[0]], 400).contains("|shape59"));
    assert!(outline(&[&tools[0]], 30).contains("|… 54 more"));
}

#[test]
fn a_thousand_inherited_flags_do_not_fill_the_answer() {
    let mut root = Command::new("app").not_runnable();
    for at in 0..1000 {
        root = root.flag(
            Flag::new(format!("store{}-option{at}", at % 20))
                .pflag("string")
                .global(),
        );
    }
    let child = Command::new("copy")
        .flag(Flag::new("store-a"))
        .flag(Flag::new("fast"));
    let tools = tools(root.command(child), Layout::Flat);
    let told = outline(&[&tools[0]], 600);
    assert!(estimate_tokens(&told) < 600, "{told}");
    assert!(told.contains(" store-a, fast: boolean\n"), "{told}");
    assert!(
        told.contains("store7-{option7, option27, … 48 more}"),
        "{told}"
    );
}

#[test]
fn positionals_stand_first_and_by_themselves() {
    let mut command = Command::new("copy").flag(Flag::new("mode").pflag("string"));
    command.arguments = charmer_core::model::Arguments::Listed(vec![
        Positional::new("from").required(),
        Positional::new("to"),
    ]);
    let tools = tools(command, Layout::Flat);
    assert_eq!(
        outline_input(&tools[0], 10),
        " from*: string\n to: string\n mode: string\n(* required)"
    );
}
