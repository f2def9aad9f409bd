//! Pages and examples, from the help of a program that we made up.

use charmer_core::{
    model::{Cli, Command, Effect, Flag, Hints, Syntax},
    tool::{
        Annotations, Catalogue, CatalogueOptions, Layout, Pin, Pins, Tool, ToolName, all_examples,
        catalogue, choices_of, completion_line, examples, help_page,
    },
};
use proptest::prelude::*;

const SAIL: &str = r#"
  # Sail to a port.
  fleet sail bergen

  # Sail with cargo to a port of your choice
  fleet sail <port> --cargo=KIND --speed FAST

  # As the captain, which is not for assistants
  fleet sail bergen --captain=ann

  # From another sea
  fleet --sea=north sail bergen

  # With what a shell does
  fleet sail $(cat port)
  fleet sail bergen | tee log

  # Long
  $ fleet sail \
      --speed fast \
      "<port>"

  # Who is aboard
  fleet crew list {ship}
  fleet crew paint

  # In capitals, one an argument and one a word
  fleet sail PORT --note=SOS [--quietly] [mate] [flags]

  # For a port
  fleet sail HOME_PORT --note=MY_NOTE --cargo=FISH_

  # Once more
  fleet sail bergen
"#;

fn fleet() -> Cli {
    let mut captain = Flag::new("captain").pflag("string").help("Who commands it");
    captain.hidden = true;
    let speed = Flag::new("speed")
        .short('s')
        .pflag("string")
        .help("How fast")
        .choices(["fast", "slow"]);
    let sail = Command::new("sail")
        .about("Leave the harbour")
        .long_about("Leave the harbour.\n\nThe flag --captain says who commands.\n\nThe wind is watched; see --help.")
        .usage("sail PORT [--captain=NAME] [flags]")
        .hints(Hints::writes())
        .flag(speed)
        .flag(Flag::new("cargo").pflag("string").help("What is aboard").default_text("fish"))
        .flag(Flag::new("note").pflag("string"))
        .flag(captain)
        .examples(SAIL);
    let crew = Command::new("crew")
        .not_runnable()
        .command(
            Command::new("list")
                .about("Show a crew")
                .usage("list [SHIP]")
                .hints(Hints::reads()),
        )
        .command(Command::new("paint"));
    let root = Command::new("fleet")
        .not_runnable()
        .flag(Flag::new("sea").pflag("string").global())
        .command(sail)
        .command(crew);
    Cli::new(root, Syntax::pflag())
}

/// The tools without `crew paint`, with `--sea` pinned.
fn served(layout: Layout) -> Catalogue {
    let cli = fleet();
    let mut options = CatalogueOptions::default();
    options.layout = layout;
    options.exclude = vec!["crew paint".into()];
    options.pins = Pins::resolve(&cli, &[Pin::text("sea", "baltic")]).expect("it has the flag");
    catalogue(&cli, &options)
}

fn tool(layout: Layout) -> Tool {
    (*served(layout).tools[0]).clone()
}

#[test]
fn a_page_says_what_is_offered_and_nothing_else() {
    let page = help_page(&tool(Layout::Flat));
    for said in [
        "# fleet sail\n",
        "Tool: `fleet_sail`",
        "Effect: adds or changes",
        "The wind is watched",
        "- `port` (string, required)",
        "- `speed` (string): How fast\n  One of: fast, slow\n",
        "- `cargo` (string, default `fish`): What is aboard",
        "Sail to a port\n\n```\nfleet sail bergen\n```",
    ] {
        assert!(page.contains(said), "{said:?} in\n{page}");
    }
    for withheld in ["captain", "sea", "paint", "tee"] {
        assert!(!page.contains(withheld), "{withheld:?} in\n{page}");
    }
    let nested = help_page(&tool(Layout::Nested));
    assert!(
        nested.contains("- `flags` (object)\n  - `speed` (string)"),
        "{nested}"
    );
}

#[test]
fn a_tool_without_a_program_has_a_page() {
    let schema = serde_json::json!({
        "type": "object",
        "properties": {"where": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}},
        "required": ["where"],
    });
    let tool = Tool::custom(
        ToolName::exact("deploy").expect("a name"),
        "Deploys it.\n\nTwice.",
        schema.as_object().expect("an object").clone(),
        Annotations::new(&Hints::new(Effect::Unknown)),
    );
    assert_eq!(
        help_page(&tool),
        "# deploy\n\nTool: `deploy`\nEffect: not known, so it may delete or overwrite\n\n## What it does\n\n\
         Deploys it.\n\nTwice.\n\n## Arguments\n\n- `where` (array of string, required)\n  One of: a, b\n"
    );
    assert_eq!(choices_of(&tool, "where"), ["a", "b"]);
}

#[test]
fn examples_are_what_the_tool_can_do() {
    let tool = tool(Layout::Flat);
    let found = examples(&tool);
    let lines: Vec<(&str, &str)> = found
        .iter()
        .map(|example| (example.title.as_str(), example.command_line.as_str()))
        .collect();
    assert_eq!(
        lines,
        [
            ("Sail to a port", "fleet sail bergen"),
            (
                "Sail with cargo to a port of your choice",
                "fleet sail <port> --cargo=KIND --speed FAST"
            ),
            ("Long", "fleet sail --speed fast \"<port>\""),
            (
                "In capitals, one an argument and one a word",
                "fleet sail PORT --note=SOS [mate]"
            ),
            (
                "For a port",
                "fleet sail HOME_PORT --note=MY_NOTE --cargo=FISH_"
            ),
        ]
    );
    let places = |at: usize| -> Vec<(&str, bool, Option<&str>)> {
        let all = found[at].placeholders.iter();
        all.map(|p| (p.name.as_str(), p.required, p.key.as_deref()))
            .collect()
    };
    assert_eq!(places(0), []);
    assert_eq!(places(1), [("port", true, Some("port"))]);
    assert_eq!(
        places(3),
        [("port", true, Some("port")), ("mate", false, None)]
    );
    assert_eq!(
        places(4),
        [("home_port", true, None), ("my_note", true, Some("note"))]
    );
    assert_eq!(choices_of(&tool, "speed"), ["fast", "slow"]);
}

#[test]
fn an_example_is_of_the_tool_that_it_names() {
    let catalogue = served(Layout::Flat);
    let tools: Vec<&Tool> = catalogue.tools.iter().map(|tool| &**tool).collect();
    let found = all_examples(&tools);
    let crew: Vec<&str> = found
        .iter()
        .filter(|(at, _)| tools[*at].name.as_str() == "fleet_crew_list")
        .map(|(_, example)| example.command_line.as_str())
        .collect();
    assert_eq!(crew, ["fleet crew list {ship}"]);
    assert!(!found.iter().any(|(_, e)| e.command_line.contains("paint")));
    assert!(found.is_sorted_by_key(|(at, _)| *at));
}

#[test]
fn values_are_filled_in_and_what_may_be_left_out_is() {
    let tool = tool(Layout::Flat);
    let found = examples(&tool);
    let oslo = |name: &str| (name == "port").then_some("oslo's \"pier\"\n```");
    assert_eq!(
        found[3].filled(oslo).as_deref(),
        Ok(r#"fleet sail "oslo's \"pier\"\n```" --note=SOS"#)
    );
    // Its quotation marks are there already.
    assert_eq!(
        found[2].filled(oslo).as_deref(),
        Ok(r#"fleet sail --speed fast "oslo's \"pier\"\n```""#)
    );
    let missing = found[1].filled(|_| None).expect_err("a port is needed");
    assert_eq!(missing.name, "port");
    // A value is not read again for places.
    assert_eq!(
        found[3].filled(|_| Some("PORT<port>")).as_deref(),
        Ok(r#"fleet sail "PORT<port>" --note=SOS "PORT<port>""#)
    );
    let line = completion_line(&tool, &found[1], "port", "ber", |_| None).expect("a line");
    assert_eq!(line.words, ["sail", "--sea=baltic"]);
}

proptest! {
    #[test]
    fn a_value_never_leaves_its_line(value in "\\PC*|[\\x00-\\x20`'\"\u{2028}\u{85}]*") {
        let tool = tool(Layout::Flat);
        let line = examples(&tool)[3].filled(|_| Some(&value)).expect("it is given");
        let breaks = |c: char| c.is_control() || "\u{2028}\u{2029}".contains(c);
        prop_assert!(!line.contains(breaks));
        prop_assert!(line.starts_with("fleet sail ") && line.contains(" --note=SOS "));
    }

    #[test]
    fn any_text_is_read(text in "(fleet|#|\\$|<a>|\\{|\\}|\\[|\\]|'|\"|\\\\|\n| |--|-|sail|\\PC)*") {
        let mut tool = tool(Layout::Flat);
        tool.help.examples = Some(text);
        for example in examples(&tool) {
            prop_assert!(!example.command_line.contains('\n'));
            prop_assert!(example.filled(|_| Some("x")).is_ok());
        }
        help_page(&tool);
    }
}
