//! What is offered of a program.

use charmer_config::{Config, Origin};
use charmer_core::{
    model::{Effect, Hints, Syntax},
    tool::catalogue,
};

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
    Discovery::of(Cli::new(root, Syntax::pflag()))
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
fn what_is_left_out_has_no_other_name() {
    let mut again = Command::new("ls");
    again.same_as = Some("ps".into());
    let root = Command::new("dock")
        .not_runnable()
        .command(Command::new("ps"))
        .command(Command::new("crane").not_runnable().command(again))
        .command(Command::new("sail"));
    let found = Discovery::of(Cli::new(root, Syntax::pflag()));
    let names = |deny: &[&str]| {
        let selection = Selection {
            deny: words(deny),
            ..Selection::default()
        };
        let prepared = prepare(&found, &program("[]"), &selection).expect("it fits");
        let made = catalogue(&prepared.cli, &prepared.options).tools;
        let names = made.iter().map(|tool| tool.name.to_string());
        names.collect::<Vec<String>>()
    };
    assert_eq!(names(&[]), ["dock_ps", "dock_sail"]);
    for deny in [["ps"], ["crane/ls"], ["crane"]] {
        assert_eq!(names(&deny), ["dock_sail"], "{deny:?}");
    }
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
    let select = "[{commands: {allow: [list]}}, {commands: {allow: [crew dismiss]}, confirm: --yes}, \
                  {commands: {allow: [sail]}, stdin: true}]";
    let (names, prepared) = tools(select, &selection);
    assert_eq!(names, ["ship_crew_dismiss", "ship_sail"]);
    let made = catalogue(&prepared.cli, &prepared.options);
    assert_eq!(made.tools[0].selector, Some(1));
    assert_eq!(made.tools[1].selector, Some(2));
    assert!(made.tools[0].input_schema["properties"]["confirm"].is_object());
    assert!(made.tools[1].input_schema["properties"]["stdin"].is_object());
    // A policy that cannot be enforced is refused.
    let lost = "[{commands: {allow: [sail]}, confirm: --yes}]";
    let refused = prepare(&found(), &program(lost), &selection);
    let problem = refused.expect_err("`sail` has no `--yes`").to_string();
    assert!(problem.contains("`--yes`"), "{problem}");
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

/// A program whose flags do more than they seem to.
fn harbour() -> Discovery {
    let text = |name: &str, help: &str| Flag::new(name).pflag("string").help(help);
    let mut context = text("context", "Name of the context to use");
    context.global = true;
    let mut server = text("server", "Address of the harbour's server");
    server.global = true;
    let log = Command::new("log")
        .about("Show what happened")
        .flag(text("output", "Write the log to this file"))
        .flag(text("since", "Only what is newer"));
    let get = Command::new("get")
        .about("Display one or many resources")
        .usage("get TYPE [NAME]");
    let root = Command::new("harbour")
        .not_runnable()
        .flag(context)
        .flag(server)
        .command(log)
        .command(get);
    Discovery::of(Cli::new(root, Syntax::pflag()))
}

fn keys(prepared: &Prepared) -> Vec<String> {
    let made = catalogue(&prepared.cli, &prepared.options);
    let properties = made.tools[0].input_schema["properties"].as_object();
    properties.expect("properties").keys().cloned().collect()
}

fn source(text: &str) -> Program {
    let config = Config::parse(&format!("sources: [{text}]"), "charmer.yaml");
    Program {
        path: "/bin/harbour".into(),
        source: config.expect("it is valid").sources.remove(0),
    }
}

#[test]
fn flags_that_redirect_stay_out_until_they_are_named() {
    let plain = source("{binary: harbour}");
    let mut selection = Selection::default();
    let prepared = prepare(&harbour(), &plain, &selection).expect("it fits");
    assert_eq!(keys(&prepared), ["output", "since"]);
    let out: Vec<_> = prepared
        .left_out
        .iter()
        .map(|out| out.flag.as_str())
        .collect();
    assert_eq!(out, ["--context", "--server"]);
    assert!(prepared.left_out.iter().all(|out| !out.reason.is_empty()));

    selection.with_flags = words(&["context"]);
    let prepared = prepare(&harbour(), &plain, &selection).expect("it fits");
    assert_eq!(keys(&prepared), ["context", "output", "since"]);
    selection.all_flags = true;
    let prepared = prepare(&harbour(), &plain, &selection).expect("it fits");
    assert_eq!(keys(&prepared), ["context", "server", "output", "since"]);
    let named = source("{binary: harbour, redirects: [server]}");
    let prepared = prepare(&harbour(), &named, &Selection::default()).expect("it fits");
    assert_eq!(keys(&prepared), ["server", "output", "since"]);
}

#[test]
fn read_only_takes_flags_that_write_away_and_forbids_secrets() {
    let only = source("{binary: harbour, read_only: true}");
    let prepared = prepare(&harbour(), &only, &Selection::default()).expect("it fits");
    assert_eq!(keys(&prepared), ["since"]);
    let get = CommandPath::parse("get");
    assert!(prepared.secrets(&get).is_some());
}

#[test]
fn a_pin_is_written_and_shown_nowhere_or_refused() {
    let pinned = source("{binary: harbour, set: {context: staging}}");
    let prepared = prepare(&harbour(), &pinned, &Selection::default()).expect("it fits");
    assert_eq!(keys(&prepared), ["output", "since"]);
    let made = catalogue(&prepared.cli, &prepared.options);
    let input = serde_json::Map::new();
    let call = charmer_core::call::prepare(&made.tools[0], &input).expect("no input is needed");
    assert_eq!(call.argv.to_strings(), ["log", "--context=staging"]);

    let lost = source("{binary: harbour, set: {contxt: staging}}");
    let problem = prepare(&harbour(), &lost, &Selection::default()).expect_err("a typing error");
    assert!(problem.to_string().contains("`--context`"), "{problem}");
}

#[test]
fn the_file_corrects_what_was_found() {
    let text =
        "{binary: harbour, override: {log: {effect: write, flags: {since: {required: true}}}}}";
    let prepared = prepare(&harbour(), &source(text), &Selection::default()).expect("it fits");
    let made = catalogue(&prepared.cli, &prepared.options);
    assert_eq!(
        made.tools[0].input_schema["required"],
        serde_json::json!(["since"])
    );
    assert!(!made.tools[0].annotations.read_only);
    let fields: Vec<_> = prepared
        .applied
        .iter()
        .map(|applied| applied.field)
        .collect();
    assert!(
        fields.contains(&"required") && fields.contains(&"effect"),
        "{fields:?}"
    );
}
