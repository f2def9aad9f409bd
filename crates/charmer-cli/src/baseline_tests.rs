//! Pairs of files: whatever an included file alone refuses is refused by both together.

use std::{fs, path::Path};

use charmer_config::{Config, Expectation};
use charmer_core::model::{Cli, Command, Flag, Hints, Positional, Syntax};
use charmer_discover::Discovery;
use proptest::{prelude::*, sample};

use crate::{
    args::{Selection, Spells},
    assemble::{Assembler, Purpose},
    commands::expect::decide,
    policy::said,
    settings::Settings,
};

/// Keys of a source; those of one group are about one key, and a file has one of them.
const KEYS: [&[&str]; 9] = [
    &["", "read_only: true", "read_only: false"],
    &[
        "",
        "redirects: all",
        "redirects: [context]",
        "redirects: none",
    ],
    &[
        "",
        "set: {namespace: north}",
        "set: {-n: south}",
        "set: {context: x}",
        "set: {force: true}",
        "set: {all: true}",
    ],
    &["", "undone_by: {namespace: [all]}"],
    &[
        "",
        "select: [{commands: {allow: [list, load]}}]",
        "select: [{commands: {exclude: [sail]}, flags: {exclude: [--force]}}]",
        "select: [{commands: {allow: [load]}, assume_effect: read}, {commands: {exclude: [load]}}]",
        "select: [{commands: {allow_glob: ['crew/*']}, inherited_flags: none}, {commands: {allow: [list]}, flags: none}]",
        "select: [{commands: {allow: [sail]}, assume_effect: destroy}]",
        "select: [{validate: [{argument: namespace, pattern: '[a-m].*'}]}]",
        "select: [{commands: {allow: [load]}, stdin: true}]",
        "select: [{commands: {allow: [crew dismiss]}, confirm: --yes}, {commands: {exclude: [crew dismiss]}}]",
    ],
    &[
        "",
        "override: {sail: {effect: read}}",
        "override: {list: {exclude: true}}",
        "override: {load: {flags: {force: {exclude: true}}}}",
        "override: {load: {flags: {force: {effect: read}}}}",
        "override: {list: {flags: {context: {redirects: false}}}}",
        "override: {list: {effect: destroy}}",
        "override: {anchor: {add: true}}",
        "override: {list: {usage: 'list [PORT]'}}",
    ],
    &["", "preview: {load: --force}", "preview: {load: --dry-run}"],
    &["", "prints_secrets: [crew show]"],
    &["", "network: none", "network: tcp"],
];

/// Command lines of the program.
const LINES: [&str; 18] = [
    "list",
    "list --all",
    "list --context=x",
    "list --namespace=north",
    "list --namespace=south",
    "list --all-namespaces",
    "list port",
    "crew show",
    "crew dismiss",
    "crew dismiss --yes",
    "sail",
    "anchor",
    "load grain",
    "load --dry-run grain",
    "load --force grain",
    "load --context=x grain",
    "load --namespace=zoo grain",
    "load",
];

fn found() -> Discovery {
    let text = |name: &str| Flag::new(name).pflag("string");
    let namespace = text("namespace").short('n').help("The namespace");
    let all = Flag::new("all-namespaces").help("If present, --namespace is ignored");
    let context = text("context").help("The name of the kubeconfig context to use");
    let root = Command::new("ship")
        .not_runnable()
        .flag(context.global())
        .flag(namespace.global())
        .flag(all.global())
        .command(
            Command::new("list")
                .hints(Hints::reads())
                .flag(Flag::new("all")),
        )
        .command(
            Command::new("crew")
                .not_runnable()
                .command(Command::new("show").hints(Hints::reads()))
                .command(
                    Command::new("dismiss")
                        .hints(Hints::destroys())
                        .flag(Flag::new("yes")),
                ),
        )
        .command(Command::new("sail"))
        .command(
            Command::new("load")
                .hints(Hints::writes())
                .flag(Flag::new("force"))
                .flag(Flag::new("dry-run"))
                .positional(Positional::new("cargo").required()),
        );
    Discovery::of(Cli::new(root, Syntax::pflag()))
}

/// A file with these keys of its one source, in a folder; it is served under names that a test can have.
fn file(folder: &Path, name: &str, include: Option<&str>, keys: &[&str]) -> std::path::PathBuf {
    let program = std::env::current_exe().expect("a test has a path");
    let mut text = format!(
        "confine: names\nsources:\n  - binary: '{}'\n    prefix: ship\n",
        program.display()
    );
    for key in keys.iter().filter(|key| !key.is_empty()) {
        text.push_str(&format!("    {key}\n"));
    }
    if let Some(include) = include {
        text = format!("include: {include}\n{text}");
    }
    let file = folder.join(name);
    fs::write(&file, text).expect("it can be written");
    file
}

/// Which lines get through under a file; nothing, if it is refused.
fn decided(file: &Path) -> Option<Vec<bool>> {
    let selection = Selection {
        config: Some(file.to_owned()),
        ..Selection::default()
    };
    let settings = Settings::load(&[], &selection, &Spells::default(), None).ok()?;
    let found = found();
    let (assembler, _) = Assembler::new(settings, Purpose::Call);
    let tools = assembler.assemble(&[Some(&found)]).ok()?.tools;
    let cli = said(&found, &assembler.programs()[0]);
    let decide = |line: &&str| {
        let text = format!("sources: [{{binary: x, expect: [{{allow: '{line}'}}]}}]");
        let config = Config::parse(&text, "charmer.yaml").expect("it is valid");
        let line: &Expectation = &config.sources[0].expect[0];
        decide(&cli, &tools, line).is_met()
    };
    Some(LINES.iter().map(decide).collect())
}

fn keys() -> impl Strategy<Value = Vec<&'static str>> {
    let one = |group: &'static [&'static str]| {
        // Most keys are left out, or most pairs would be refused at once.
        prop_oneof![3 => Just(""), 1 => sample::select(group)]
    };
    KEYS.map(one).to_vec()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn what_the_included_file_refuses_both_refuse(base in keys(), own in keys(), further in keys()) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path();
        let base = file(path, "base.yaml", None, &base);
        let Some(alone) = decided(&base) else { return Ok(()) };
        for (name, include, keys) in [("team.yaml", "base.yaml", &own), ("one.yaml", "team.yaml", &further)] {
            let Some(both) = decided(&file(path, name, Some(include), keys)) else { break };
            for ((line, alone), both) in LINES.iter().zip(&alone).zip(&both) {
                prop_assert!(*alone || !*both, "`{line}` is let through by {name} alone: {own:?}, {further:?}");
            }
        }
    }
}

/// The decisions on a pair; the second file's keys, and the mistake that it is if it is one.
fn pair(base: &[&str], own: &[&str]) -> Result<Vec<&'static str>, String> {
    let folder = tempfile::tempdir().expect("a folder");
    file(folder.path(), "base.yaml", None, base);
    let own = file(folder.path(), "team.yaml", Some("base.yaml"), own);
    if let Err(error) = Config::load(&own) {
        return Err(error.to_string());
    }
    let decided = decided(&own).ok_or("the program does not fit")?;
    let lines = LINES.into_iter().zip(decided);
    Ok(lines
        .filter(|(_, met)| *met)
        .map(|(line, _)| line)
        .collect())
}

#[test]
fn both_choose_and_the_stricter_holds() {
    let only = pair(
        &["select: [{commands: {allow: [list, load]}}]"],
        &["select: [{commands: {allow: [list, sail]}, flags: none}]"],
    );
    let only = only.expect("it narrows");
    assert!(
        only.contains(&"list") && !only.contains(&"list --all"),
        "{only:?}"
    );
    assert!(
        !only
            .iter()
            .any(|line| line.starts_with("sail") || line.starts_with("load"))
    );

    let read_only = pair(&[], &["read_only: true"]).expect("it narrows");
    assert!(
        read_only.contains(&"list") && !read_only.contains(&"load grain"),
        "{read_only:?}"
    );

    let pinned = pair(&["set: {namespace: north}"], &["set: {all: true}"]);
    let pinned = pinned.expect("a caller could give it");
    assert!(
        pinned.contains(&"crew show") && !pinned.contains(&"list --all"),
        "{pinned:?}"
    );
}

#[test]
fn one_flag_under_two_names_is_one_flag() {
    for (base, own) in [
        ("set: {namespace: north}", "set: {-n: south}"),
        (
            "select: [{validate: [{argument: namespace, pattern: '[a-m].*'}]}]",
            "set: {namespace: south}",
        ),
        ("", "set: {context: x}"),
        (
            "select: [{flags: {exclude: [--force]}}]",
            "set: {force: true}",
        ),
    ] {
        let refused = pair(&[base], &[own]).expect_err(own);
        assert_eq!(refused, "the program does not fit", "{base} and {own}");
    }
}
