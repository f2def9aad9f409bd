//! What is offered of a program.

use charmer_config::{Config, Origin};
use charmer_core::{
    model::{Effect, Hints, Syntax},
    tool::catalogue,
};
use charmer_discover::Provenance;

use super::*;

fn found() -> Discovery {
    let reads = |name: &str| Command::new(name).hints(Hints::reads());
    let root = Command::new("ship")
        .not_runnable()
        .command(reads("list").flag(Flag::new("all")))
        .command(
            Command::new("crew")
                .not_runnable()
                .command(reads("show"))
                .command(
                    Command::new("dismiss")
                        .hints(Hints::destroys())
                        .flag(Flag::new("yes")),
                ),
        )
        .command(Command::new("sail"));
    let found = serde_json::json!({
        "cli": Cli::new(root, Syntax::pflag()),
        "family": "test",
        "provenance": Provenance::default(),
        "warnings": [],
        "spawned": 0,
        "complete": true,
    });
    serde_json::from_value(found).expect("it has all fields")
}

fn program(select: &str) -> Program {
    let text = match select {
        // A list that selects nothing is a mistake in the file.
        "[]" => "sources: [{binary: ship}]".to_owned(),
        select => format!("sources: [{{binary: ship, select: {select}}}]"),
    };
    let source = Config::parse(&text, "charmer.yaml")
        .expect("it is valid")
        .sources
        .remove(0);
    assert_eq!(source.origin, Origin::Binary("ship".into()));
    Program {
        path: "/bin/ship".into(),
        source,
    }
}

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|word| (*word).to_owned()).collect()
}

fn tools(select: &str, selection: &Selection) -> (Vec<String>, Prepared) {
    let prepared = prepare(&found(), &program(select), selection).expect("nothing is pinned");
    let made = catalogue(&prepared.cli, &prepared.options);
    let names = made.tools.iter().map(|tool| tool.name.as_str().to_owned());
    (names.collect(), prepared)
}

#[test]
fn everything_is_offered_by_default() {
    let (names, prepared) = tools("[]", &Selection::default());
    assert_eq!(
        names,
        [
            "ship_list",
            "ship_crew_show",
            "ship_crew_dismiss",
            "ship_sail"
        ]
    );
    assert!(prepared.warnings.is_empty() && prepared.left_out.is_empty());
}

#[test]
fn a_command_stands_for_those_below_it() {
    let mut selection = Selection {
        allow: words(&["crew", "list"]),
        deny: words(&["crew dismiss"]),
        ..Selection::default()
    };
    assert_eq!(tools("[]", &selection).0, ["ship_list", "ship_crew_show"]);
    selection.allow = words(&["ship/*"]);
    selection.deny = words(&["s*"]);
    // `crew` matches `ship/*`, and with it what is below; `s*` means `sail`, not all of `ship`.
    assert_eq!(
        tools("[]", &selection).0,
        ["ship_list", "ship_crew_show", "ship_crew_dismiss"]
    );
}

#[test]
fn only_what_is_known_to_read_is_read_only() {
    let selection = Selection {
        read_only: true,
        ..Selection::default()
    };
    assert_eq!(tools("[]", &selection).0, ["ship_list", "ship_crew_show"]);
    // The file knows better.
    let (names, prepared) = tools(
        "[{commands: {allow: [sail]}, effect: read}, {commands: {allow_glob: ['**']}}]",
        &selection,
    );
    assert_eq!(names, ["ship_list", "ship_crew_show", "ship_sail"]);
    let sail = prepared.cli.command(&CommandPath::parse("sail"));
    assert_eq!(sail.map(|command| command.hints.effect), Some(Effect::Read));
}

#[test]
fn selectors_keep_their_places_and_what_they_say() {
    let selection = Selection {
        deny: words(&["list"]),
        ..Selection::default()
    };
    let select = "[{commands: {allow: [list]}}, {commands: {allow: [crew dismiss, sail]}, confirm: --yes, stdin: true}]";
    let (names, prepared) = tools(select, &selection);
    assert_eq!(names, ["ship_crew_dismiss", "ship_sail"]);
    let made = catalogue(&prepared.cli, &prepared.options);
    assert!(made.tools.iter().all(|tool| tool.selector == Some(1)));
    assert!(made.tools[0].input_schema["properties"]["confirm"].is_object());
    assert!(made.tools[1].input_schema["properties"]["stdin"].is_object());
    assert_eq!(
        prepared.warnings,
        ["`confirm` names `--yes`, which is no switch of `sail`"]
    );
}

#[test]
fn what_matches_nothing_is_most_likely_a_typing_error() {
    let selection = Selection {
        deny: words(&["crew/dismis"]),
        with_flags: words(&["--al"]),
        ..Selection::default()
    };
    let warnings = tools("[]", &selection).1.warnings;
    assert_eq!(
        warnings,
        [
            "`--deny crew/dismis` matches no command of `ship`; did you mean `crew/dismiss`?",
            "`--with-flag --al` names no flag of `ship`; did you mean `--all`?",
        ]
    );
}

#[test]
fn a_pin_is_not_served_without() {
    let text = "sources: [{binary: ship, set: {context: staging}}]";
    let source = Config::parse(text, "charmer.yaml")
        .expect("it is valid")
        .sources
        .remove(0);
    let program = Program {
        path: "/bin/ship".into(),
        source,
    };
    assert!(prepare(&found(), &program, &Selection::default()).is_err());
}
