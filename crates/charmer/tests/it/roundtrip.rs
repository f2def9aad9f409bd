//! Random CLIs and random input: what clap reads is what the caller meant, or the call is refused for a reason.
//!
//! The runs are the same every time. `PROPTEST_CASES=20000 cargo test -p charmer --test it roundtrip` explores further,
//! with a new seed.

mod dice;
mod encode;
mod level;
mod meaning;
mod right_refusals;
mod spec;
mod understood;
mod words;

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
};

use charmer::{Bridge, CommandPath, CommandRule, FlagRule, Layout, Selector};
use charmer_core::{
    call::{ElementKind, Prepared, Refusal, prepare, understand},
    tool::Tool,
};
use clap::Arg;
use proptest::{
    collection::vec,
    prelude::*,
    sample::{Index, select},
    test_runner::{Config, RngSeed, TestCaseError, TestRunner},
};
use serde_json::{Map, Value, json};

use self::{
    dice::raw,
    encode::{encode, is_offered, reversed},
    level::Level,
    meaning::{Meaning, meant},
    right_refusals::{excuse, pending},
    spec::Spec,
    understood::{bridge, in_effect, parse, read},
    words::{all_names, any_json},
};

fn runner(cases: u32) -> TestRunner {
    let mut config = Config {
        failure_persistence: None,
        ..Config::default()
    };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
        config.rng_seed = RngSeed::Fixed(20);
    }
    TestRunner::new(config)
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime starts")
}

fn count(cell: &Cell<usize>) {
    cell.set(cell.get() + 1);
}

fn layouts() -> impl Strategy<Value = Layout> {
    prop_oneof![Just(Layout::Flat), Just(Layout::Nested)]
}

/// Every command, but none of these flags.
fn without(flags: &[String]) -> Selector {
    let rule = FlagRule::exclude(flags);
    Selector::new(CommandRule::all())
        .local_flags(rule.clone())
        .inherited_flags(rule)
}

#[test]
fn what_is_meant_is_what_clap_reads() {
    let runtime = runtime();
    let (through, hard, no_place) = <(Cell<usize>, Cell<usize>, Cell<usize>)>::default();
    let refused = RefCell::new(BTreeMap::<&str, usize>::new());
    let strategy = (raw(2), layouts(), any::<bool>(), any::<Index>());
    let outcome = runner(640).run(&strategy, |(raw, layout, calm, pick)| {
        let root = Level::root(&raw);
        let (bridge, seen) = bridge(&root, layout);
        let assembled = bridge.assembled();
        if assembled.catalogue.tools.is_empty() {
            return Ok(());
        }
        let tool = pick.get(&assembled.catalogue.tools);
        let lineage = root.lineage(&tool.path);
        let meant = meant(&lineage, calm);
        let excuse = excuse(&lineage, &meant).or_else(|| pending(&lineage, &meant));
        let Some(input) = encode(tool, &lineage, &meant) else {
            let may = layout == Layout::Nested || excuse.is_some();
            prop_assert!(may, "{} has no place for {:#?}", tool.name, meant);
            count(&no_place);
            return Ok(());
        };

        let written = |input| prepare(tool, input).ok().map(|prepared| prepared.argv);
        let (prepared, again) = (written(&input), written(&reversed(&input)));
        let argv = prepared.as_ref().map(|argv| argv.to_strings());
        let again = again.as_ref().map(|argv| argv.to_strings());
        prop_assert_eq!(&argv, &again, "the order of keys matters: {:?}", input);

        let wanted = in_effect(&lineage, &meant);
        let understood = argv.as_ref().map(|argv| match parse(&root, argv) {
            Ok(matches) => read(&lineage, &matches),
            Err(error) => Err(error.to_string()),
        });
        let result = runtime
            .block_on(assembled.call(tool.name.as_str(), input.clone()))
            .expect("the tool is known");
        let case = || {
            let childless = |level: &&Level| Level {
                children: Vec::new(),
                ..(*level).clone()
            };
            let levels: Vec<Level> = lineage.iter().map(childless).collect();
            let input = Value::Object(input.clone());
            format!("command: {levels:#?}\ninput: {input}\nargv: {argv:?}\nclap: {understood:?}")
                + &format!("\nmeant: {wanted:?}\nanswer: {}", result.text)
        };
        let right = understood.as_ref() == Some(&Ok(wanted.clone()));
        if result.is_error {
            prop_assert!(
                !right,
                "refused, but clap would have read it right\n{}",
                case()
            );
            prop_assert!(excuse.is_some(), "refused without a reason\n{}", case());
            let mut refused = refused.borrow_mut();
            *refused.entry(excuse.unwrap_or_default()).or_default() += 1;
            return Ok(());
        }
        prop_assert!(right, "run, but misread\n{}", case());
        let leaf = lineage.len() - 1;
        let is_global = |depth: usize, id: &str| lineage[depth].arg(id).is_some_and(|it| it.global);
        let at_leaf: BTreeMap<String, Meaning> = wanted
            .iter()
            .filter(|((depth, id), _)| *depth == leaf || is_global(*depth, id))
            .map(|((_, id), meaning)| (id.clone(), meaning.clone()))
            .collect();
        let seen = std::mem::take(&mut *seen.lock().expect("nobody panics"));
        prop_assert_eq!(
            seen,
            vec![at_leaf],
            "the handler saw something else\n{}",
            case()
        );
        count(&through);
        if excuse.is_some() {
            count(&hard);
        }
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    let (through, hard, no_place) = (through.get(), hard.get(), no_place.get());
    let refused = refused.into_inner();
    let share = through * 100 / (through + refused.values().sum::<usize>());
    assert!(
        share >= 60,
        "only {share} % get through; the others: {refused:#?}"
    );
    assert!(
        no_place * 4 <= through,
        "{no_place} have no place in a schema"
    );
    assert!(
        hard * 20 >= through,
        "only {hard} of {through} have an excuse"
    );
}

#[test]
fn no_input_reaches_an_excluded_flag() {
    let runtime = runtime();
    let (called, run) = <(Cell<usize>, Cell<usize>)>::default();
    let names = all_names();
    let extra = vec((select(names.clone()), any_json(names)), 0..4);
    let strategy = (raw(2), layouts(), any::<Index>(), any::<u64>(), extra);
    let outcome = runner(640).run(&strategy, |(raw, layout, pick, excluded, extra)| {
        let root = Level::root(&raw);
        let flags = root
            .all()
            .into_iter()
            .flat_map(|level| &level.args)
            .filter(|spec| !spec.is_positional());
        let excluded: Vec<String> = flags
            .enumerate()
            .filter(|(at, _)| excluded >> (at % 64) & 3 == 3)
            .flat_map(|(_, spec)| spec.names())
            .collect();
        let (bridge, _) = bridge(&root, layout);
        let assembled = bridge.selector(without(&excluded)).assembled();
        if assembled.catalogue.tools.is_empty() {
            return Ok(());
        }
        let tool = pick.get(&assembled.catalogue.tools);
        let lineage = root.lineage(&tool.path);
        let mut meant = meant(&lineage, false);
        meant.retain(|key, _| is_offered(tool, key));
        let mut input = encode(tool, &lineage, &meant).unwrap_or_default();
        for (at, (key, value)) in extra.into_iter().enumerate() {
            match input.get_mut("flags") {
                Some(Value::Object(flags)) if at % 2 == 0 => flags.insert(key, value),
                _ => input.insert(key, value),
            };
        }

        let prepared = understood_call(tool, &input);
        let result = runtime
            .block_on(assembled.call(tool.name.as_str(), input.clone()))
            .expect("the tool is known");
        count(&called);
        let Ok(prepared) = prepared else {
            prop_assert!(result.is_error, "run without a command line: {:?}", input);
            return Ok(());
        };
        let argv = prepared.argv.to_strings();
        let again = understood_call(tool, &reversed(&input)).map(|prepared| prepared.argv);
        prop_assert_eq!(
            Some(&prepared.argv),
            again.as_ref().ok(),
            "the order of keys matters: {:?}",
            input
        );
        let flags = prepared
            .argv
            .elements()
            .iter()
            .take_while(|element| element.kind != ElementKind::DoubleDash);
        for flag in flags.filter(|element| element.kind == ElementKind::Flag) {
            let name = flag.text.split('=').next().unwrap_or_default();
            prop_assert!(
                !excluded.iter().any(|excluded| excluded == name),
                "{excluded:?} in {argv:?} for {input:?}"
            );
        }
        if result.is_error {
            return Ok(());
        }
        count(&run);
        let matches = parse(&root, &argv)
            .map_err(|error| TestCaseError::fail(format!("{argv:?}: {error}")))?;
        let read = read(&lineage, &matches).map_err(TestCaseError::fail)?;
        for (depth, id) in read.keys() {
            let mut names = lineage[*depth].arg(id).into_iter().flat_map(Spec::names);
            prop_assert!(
                !names.any(|name| excluded.contains(&name)),
                "clap reads {id} of {excluded:?} in {argv:?} for {input:?}"
            );
        }
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    let (called, run) = (called.get(), run.get());
    assert!(run * 10 >= called, "only {run} of {called} are run");
}

/// What a call path makes of input, without clap.
fn understood_call(tool: &Tool, input: &Map<String, Value>) -> Result<Prepared, Refusal> {
    prepare(tool, &understand(tool, input)?.input)
}

/// Clap's verdict can be switched off, so `prepare` alone must keep an excluded flag out, also where a positional may
/// begin with a dash.
#[test]
fn no_positional_smuggles_an_excluded_flag() {
    let secret = Arg::new("secret").long("secret");
    let file = Arg::new("file").allow_hyphen_values(true);
    let root = clap::Command::new("app").arg(secret).arg(file);
    let commands = [
        ("", root.clone().arg(Arg::new("rest").last(true))),
        ("sub", root.subcommand(clap::Command::new("sub"))),
    ];
    for (path, command) in commands {
        let selector = without(&["secret".to_owned()]);
        let catalogue = Bridge::new(command.clone()).selector(selector).catalogue();
        let tool = catalogue
            .for_path(&CommandPath::parse(path))
            .expect("it is a tool");
        let input = Map::from_iter([("file".to_owned(), json!("--secret=v"))]);
        let Ok(prepared) = understood_call(tool, &input) else {
            continue;
        };
        let argv = prepared.argv.to_strings();
        let matches = command.try_get_matches_from(std::iter::once("app").chain(argv.clone()));
        let reached = matches.is_ok_and(|matches| matches.contains_id("secret"));
        assert!(!reached, "{argv:?}");
    }
}
