//! Tests of the tools and flags that are offered of a program.

use std::borrow::Cow;

use charmer_config::{Config, SourceKind};
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

fn parsed(text: &str, selection: &Selection) -> ServedProgram {
    let config = Config::parse(text, "charmer.yaml").expect("it is valid");
    let source = config.sources[0].clone();
    ServedProgram::new("/bin/program".into(), source, &config, selection)
        .expect("its profiles can be read")
}

fn program(select: &str) -> ServedProgram {
    let text = match select {
        // A list that selects nothing is a mistake in the file.
        "[]" => "sources: [{binary: ship}]".to_owned(),
        select => format!("sources: [{{binary: ship, select: {select}}}]"),
    };
    let program = parsed(&text, &Selection::default());
    assert_eq!(program.source.origin, SourceKind::Binary("ship".into()));
    program
}

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|word| (*word).to_owned()).collect()
}

fn tools(select: &str, selection: &Selection) -> (Vec<String>, PreparedProgram) {
    let prepared =
        prepare(Cow::Borrowed(&found()), &program(select), selection).expect("nothing is pinned");
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
        let prepared = prepare(Cow::Borrowed(&found), &program("[]"), &selection).expect("it fits");
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
        "[{commands: {allow: [sail]}, assume_effect: read}, {commands: {allow_glob: ['**']}}]",
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
    let refused = prepare(Cow::Borrowed(&found()), &program(lost), &selection);
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

#[test]
fn a_positional_does_not_take_the_name_of_a_flag_that_is_left_out() {
    let root = Command::new("harbour")
        .flag(
            Flag::new("file")
                .pflag("string")
                .help("Read config from a file"),
        )
        .positional(charmer_core::model::Positional::new("file").variadic());
    let found = Discovery::of(Cli::new(root, Syntax::getopt()));
    let prepared = prepare(
        Cow::Borrowed(&found),
        &source("{binary: harbour}"),
        &Selection::default(),
    );
    let prepared = prepared.expect("it fits");
    assert_eq!(prepared.left_out.len(), 1);
    assert_eq!(keys(&prepared), ["file_arg"]);
}

#[test]
fn a_positional_is_not_asked_for_where_a_flag_of_its_name_is_offered() {
    let found = |flag: Flag| {
        let url = charmer_core::model::Positional::new("url").required();
        let root = Command::new("harbour").flag(flag).positional(url);
        Discovery::of(Cli::new(root, Syntax::getopt()))
    };
    let required = |flag: Flag| {
        let plain = source("{binary: harbour}");
        let prepared =
            prepare(Cow::Borrowed(&found(flag)), &plain, &Selection::default()).expect("it fits");
        prepared.cli.root.arguments.listed()[0].required
    };
    assert!(!required(
        Flag::new("url").pflag("string").help("URL to work with")
    ));
    assert!(required(Flag::new("url").help("Show the URL")));
}

fn keys(prepared: &PreparedProgram) -> Vec<String> {
    let made = catalogue(&prepared.cli, &prepared.options);
    let properties = made.tools[0].input_schema["properties"].as_object();
    properties.expect("properties").keys().cloned().collect()
}

fn source(text: &str) -> ServedProgram {
    parsed(&format!("sources: [{text}]"), &Selection::default())
}

#[test]
fn flags_that_redirect_stay_out_until_they_are_named() {
    let plain = source("{binary: harbour}");
    let mut selection = Selection::default();
    let prepared = prepare(Cow::Borrowed(&harbour()), &plain, &selection).expect("it fits");
    assert_eq!(keys(&prepared), ["output", "since"]);
    let out: Vec<_> = prepared
        .left_out
        .iter()
        .map(|out| out.flag.as_str())
        .collect();
    assert_eq!(out, ["--context", "--server"]);
    assert!(prepared.left_out.iter().all(|out| !out.reason.is_empty()));

    selection.with_flags = words(&["context"]);
    let prepared = prepare(Cow::Borrowed(&harbour()), &plain, &selection).expect("it fits");
    assert_eq!(keys(&prepared), ["context", "output", "since"]);
    selection.all_flags = true;
    let prepared = prepare(Cow::Borrowed(&harbour()), &plain, &selection).expect("it fits");
    assert_eq!(keys(&prepared), ["context", "server", "output", "since"]);
    let named = source("{binary: harbour, redirects: [server]}");
    let prepared =
        prepare(Cow::Borrowed(&harbour()), &named, &Selection::default()).expect("it fits");
    assert_eq!(keys(&prepared), ["server", "output", "since"]);
}

#[test]
fn read_only_takes_flags_that_write_away_and_forbids_secrets() {
    let only = source("{binary: harbour, read_only: true}");
    let prepared =
        prepare(Cow::Borrowed(&harbour()), &only, &Selection::default()).expect("it fits");
    assert_eq!(keys(&prepared), ["since"]);
    let get = CommandPath::parse("get");
    assert!(prepared.secrets(&get).is_some());
}

#[test]
fn flags_for_all_commands_that_nobody_knows_stay_out_of_reading() {
    let found = || {
        let root = Command::new("harbour")
            .not_runnable()
            .flag(Flag::new("bare").help("Take the folder itself for a harbour"))
            .flag(Flag::new("no-pager"))
            .command(Command::new("log").about("Show what happened"));
        Discovery::of(Cli::new(root, Syntax::pflag()))
    };
    let plain = source("{binary: harbour}");
    let mut selection = Selection::default();
    let prepared = prepare(Cow::Borrowed(&found()), &plain, &selection).expect("it fits");
    assert_eq!(keys(&prepared), ["bare", "no-pager"]);
    selection.read_only = true;
    let prepared = prepare(Cow::Borrowed(&found()), &plain, &selection).expect("it fits");
    assert_eq!(keys(&prepared), ["no-pager"]);
    assert_eq!(prepared.left_out[0].flag, "--bare");
    selection.with_flags = words(&["bare"]);
    let prepared = prepare(Cow::Borrowed(&found()), &plain, &selection).expect("it fits");
    assert_eq!(keys(&prepared), ["bare", "no-pager"]);
}

#[test]
fn values_that_redirect_are_refused_until_their_argument_is_named() {
    let found = || {
        let root = Command::new("harbour").usage("harbour [OPTION]... [DBNAME [USERNAME]]");
        Discovery::of(Cli::new(root, Syntax::getopt()))
    };
    let plain = source("{binary: harbour}");
    let mut selection = Selection::default();
    let prepared = prepare(Cow::Borrowed(&found()), &plain, &selection).expect("it fits");
    let refused: Vec<_> = prepared.refused(&CommandPath::root()).collect();
    assert_eq!(refused.len(), 1);
    assert_eq!((&*refused[0].id, &*refused[0].argument), ("args", "dbname"));
    assert!(refused[0].message().contains("--with-flag dbname"));

    selection.with_flags = words(&["dbname"]);
    let prepared = prepare(Cow::Borrowed(&found()), &plain, &selection).expect("it fits");
    assert!(prepared.refused.is_empty() && prepared.warnings.is_empty());
    let named = source("{binary: harbour, redirects: [dbname]}");
    let prepared =
        prepare(Cow::Borrowed(&found()), &named, &Selection::default()).expect("it fits");
    assert!(prepared.refused.is_empty());
}

#[test]
fn a_pin_is_written_and_shown_nowhere_or_refused() {
    let pinned = source("{binary: harbour, set: {context: staging}}");
    let prepared =
        prepare(Cow::Borrowed(&harbour()), &pinned, &Selection::default()).expect("it fits");
    assert_eq!(keys(&prepared), ["output", "since"]);
    let made = catalogue(&prepared.cli, &prepared.options);
    let input = serde_json::Map::new();
    let call = charmer_core::call::prepare(&made.tools[0], &input).expect("no input is needed");
    assert_eq!(call.argv.to_strings(), ["log", "--context=staging"]);

    let lost = source("{binary: harbour, set: {contxt: staging}}");
    let problem = prepare(Cow::Borrowed(&harbour()), &lost, &Selection::default())
        .expect_err("a typing error");
    assert!(problem.to_string().contains("`--context`"), "{problem}");
}

#[test]
fn the_file_corrects_what_was_found() {
    let text =
        "{binary: harbour, override: {log: {effect: write, flags: {since: {required: true}}}}}";
    let prepared = prepare(
        Cow::Borrowed(&harbour()),
        &source(text),
        &Selection::default(),
    )
    .expect("it fits");
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

/// A program with a pin that other flags would undo.
fn cluster() -> Discovery {
    let mut namespace = Flag::new("namespace").pflag("string");
    namespace.global = true;
    let get = Command::new("get")
        .hints(Hints::reads())
        .flag(Flag::new("all-namespaces").help("Of every namespace"))
        .flag(Flag::new("raw").pflag("string").help("Raw URI to request"))
        .flag(Flag::new("zone").pflag("string").help("Of this zone"))
        .flag(Flag::new("all").help("All kinds"));
    let root = Command::new("cluster")
        .not_runnable()
        .flag(namespace)
        .command(get);
    Discovery::of(Cli::new(root, Syntax::pflag()))
}

#[test]
fn what_undoes_a_pin_is_withheld_and_told() {
    let text = "{binary: cluster, set: {namespace: a}, undone_by: {namespace: [zone, zoone]}}";
    let prepared = prepare(
        Cow::Borrowed(&cluster()),
        &source(text),
        &Selection::default(),
    )
    .expect("it fits");
    assert_eq!(keys(&prepared), ["all"]);
    let out: Vec<_> = prepared
        .left_out
        .iter()
        .map(|out| (out.flag.as_str(), out.reason.as_str()))
        .collect();
    assert_eq!(
        out,
        [
            ("--all-namespaces", "undoes the pinned `--namespace`"),
            ("--raw", "asks for anything, past the pinned `--namespace`"),
            ("--zone", "undoes the pinned `--namespace` (`undone_by`)"),
        ]
    );
    assert_eq!(
        prepared.warnings,
        [
            "cluster: `--namespace` is pinned, so what undoes it is withheld: `--all-namespaces`, `--raw`, `--zone`",
            "`undone_by` names `zoone`, which is no flag of `cluster`; did you mean `--zone`?",
        ]
    );
    // Who asks for one by its name gets it, and is told what it does.
    let selection = Selection {
        with_flags: words(&["raw"]),
        ..Selection::default()
    };
    let prepared = prepare(Cow::Borrowed(&cluster()), &source(text), &selection).expect("it fits");
    assert_eq!(keys(&prepared), ["raw", "all"]);
    let told = &prepared.warnings[1];
    assert!(told.contains("is offered: `--raw`"), "{told}");
}

#[test]
fn an_entry_of_undone_by_that_does_nothing_is_told() {
    for (keys, expected) in [
        (
            "undone_by: {namespace: [zone]}",
            "`undone_by` has an entry for `namespace` of `cluster`, which `set` does not pin: pin it there, or remove the \
             entry",
        ),
        (
            "set: {namespace: a}, undone_by: {namespcae: [zone]}",
            "`undone_by` has an entry for `namespcae`, which is no flag of `cluster`; did you mean `--namespace`?",
        ),
        (
            "set: {namespace: a}, undone_by: {all-namespaces: [zone]}",
            "`undone_by` has an entry for `all-namespaces` of `cluster`, which `set` does not pin: pin it there, or remove \
             the entry",
        ),
        (
            "undone_by: {namespace: [zoone]}",
            "`undone_by` names `zoone`, which is no flag of `cluster`; did you mean `--zone`?",
        ),
    ] {
        let text = format!("{{binary: cluster, redirects: all, {keys}}}");
        let prepared = prepare(
            Cow::Borrowed(&cluster()),
            &source(&text),
            &Selection::default(),
        )
        .expect("it fits");
        let told = &prepared.warnings;
        assert!(told.iter().any(|one| one == expected), "{keys}: {told:?}");
    }
    let right = "{binary: cluster, set: {namespace: a}, undone_by: {--namespace: [--zone]}}";
    let prepared = prepare(
        Cow::Borrowed(&cluster()),
        &source(right),
        &Selection::default(),
    )
    .expect("it fits");
    let told = prepared.warnings.join("\n");
    assert!(!told.contains("`undone_by`"), "{told}");
}

#[cfg(target_os = "linux")]
mod confined {
    use crate::args::{ConfineName, NetworkName};

    use super::*;

    fn only_reading(confine: Option<ConfineName>, network: Option<NetworkName>) -> Selection {
        Selection {
            read_only: true,
            confine,
            network,
            ..Selection::default()
        }
    }

    fn offered(found: &Discovery, text: &str, selection: &Selection) -> Vec<String> {
        let program = parsed(text, selection);
        let prepared = prepare(Cow::Borrowed(found), &program, selection).expect("it fits");
        let made = catalogue(&prepared.cli, &prepared.options).tools;
        made.iter().map(|tool| tool.name.to_string()).collect()
    }

    #[test]
    fn without_network_every_command_may_be_tried() {
        let text = "sources: [{binary: ship}]";
        let none = Some(NetworkName::None);
        let reading = ["ship_list", "ship_crew_show"];
        let all = offered(&found(), text, &only_reading(None, none));
        assert_eq!(all.len(), 4);
        for selection in [
            only_reading(None, None),
            only_reading(None, Some(NetworkName::Tcp)),
            only_reading(Some(ConfineName::Names), none),
        ] {
            assert_eq!(offered(&found(), text, &selection), reading);
        }
    }

    #[test]
    fn the_first_selector_of_a_command_decides_on_its_network() {
        let text = "sources: [{binary: ship, select: [{commands: {allow: [sail]}, network: all}, {network: none}]}]";
        let names = offered(&found(), text, &only_reading(None, None));
        assert_eq!(names, ["ship_list", "ship_crew_show", "ship_crew_dismiss"]);
    }

    #[test]
    fn flags_that_write_may_be_tried_and_flags_that_redirect_may_not() {
        let selection = only_reading(None, Some(NetworkName::None));
        let program = parsed("sources: [{binary: harbour}]", &selection);
        let prepared = prepare(Cow::Borrowed(&harbour()), &program, &selection).expect("it fits");
        assert_eq!(keys(&prepared), ["output", "since"]);
    }
}
