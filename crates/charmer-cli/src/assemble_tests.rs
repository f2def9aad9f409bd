//! One path for every call: what stands on it sees the calls of programs and of spells, however they come.

use std::{fs, sync::Mutex};

use charmer_config::Config;
use charmer_core::{
    model::{Cli, Command, Flag, Hints, Syntax},
    tool::CommandTemplate,
};
use charmer_run::{Call, CallError, CallResult, Hooks, Step};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::args::{Selection, Spells};

use super::*;

/// Every way to a program: the tool's name and its input. The program itself is not there; the spell's is this test, which
/// does not know its arguments.
fn ways() -> [(&'static str, Value); 7] {
    let command = |name: &str| json!({"command": name, "arguments": {}});
    [
        ("ship_list", json!({})),
        ("run_read", command("ship_list")),
        ("run_write", command("ship_sail")),
        ("hail", json!({"who": "Ada"})),
        (
            "cast_spell",
            json!({"spell_name": "hail", "arguments": {"who": "Ada"}}),
        ),
        (
            "run_write",
            json!({"command": "hail", "arguments": {"who": "Ada"}}),
        ),
        (
            "run_write",
            json!({
                "command": "cast_spell",
                "arguments": {"spell_name": "hail", "arguments": {"who": "Ada"}},
            }),
        ),
    ]
}

/// Calls by every way, behind this step.
fn calls(
    step: impl Fn(&mut Call) -> Result<(), CallError> + Send + Sync + 'static,
) -> Vec<CallResult> {
    let project = tempfile::tempdir().expect("a folder");
    let spells = project.path().join("spells");
    fs::create_dir(&spells).expect("it can");
    let program = std::env::current_exe().expect("a test runs");
    let hail = format!(
        "name: hail\ndescription: Hails\ncommand: \"'{}'\"\npaths: [.]\nargs: [{{name: who}}]\nargv: ['--to={{{{who}}}}']\n",
        program.display()
    );
    fs::write(spells.join("hail.yaml"), hail).expect("it can");
    let spells = Spells {
        spells: Some(spells),
        ..Spells::default()
    };
    let mut settings =
        Settings::load(&[], &Selection::default(), &spells, None).expect("it is valid");
    // The process that confines calls is the program `charmer`, which this test is not.
    let text = "sources: [{binary: ship, confine: names}]";
    let config = Config::parse(text, "charmer.yaml").expect("it is valid");
    let source = config.sources[0].clone();
    let program = ServedProgram::new("/nowhere/ship".into(), source, &config, &settings.selection);
    settings
        .programs
        .push(program.expect("its profiles can be read"));
    let hooks = Hooks::new().before(step);
    let step: Step = Arc::new(move |inner| wrap(&hooks, inner));
    let shared = SharedSteps::default().step(step);
    let (assembler, _) = Assembler::behind(settings, Purpose::Call, shared);
    let list = Command::new("list")
        .hints(Hints::reads())
        .flag(Flag::new("all"));
    let root = Command::new("ship")
        .not_runnable()
        .command(list)
        .command(Command::new("sail").flag(Flag::new("all")));
    let found = Discovery::of(Cli::new(root, Syntax::pflag()));
    let programs = assembler.assemble(&[Some(found)]).expect("it can").tools;
    let tools = assembler.callable(&programs);
    let runtime = crate::runtime::new().expect("a runtime");
    let call = |(name, input): (&str, Value)| {
        let served = tools.get(name).expect("it is offered");
        let Value::Object(input) = input else {
            panic!("input is an object")
        };
        runtime.block_on(served.call(input, CancellationToken::new()))
    };
    ways().into_iter().map(call).collect()
}

fn codes(results: &[CallResult]) -> Vec<&str> {
    let codes = results
        .iter()
        .map(|result| &result.structured["error"]["code"]);
    codes
        .map(|code| code.as_str().unwrap_or_default())
        .collect()
}

#[test]
fn a_step_sees_every_call_once_and_can_refuse_it() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let tell = Arc::clone(&seen);
    let results = calls(move |call| {
        tell.lock()
            .expect("nobody panics")
            .push(call.tool.name.to_string());
        Err(CallError::refused("not today"))
    });
    assert_eq!(codes(&results), ["not_permitted"; 7]);
    assert!(
        results
            .iter()
            .all(|result| result.text.starts_with("not today"))
    );
    let seen = seen.lock().expect("nobody panics");
    let own = [
        "ship_list",
        "ship_list",
        "ship_sail",
        "hail",
        "hail",
        "hail",
        "hail",
    ];
    assert_eq!(*seen, own, "each by its own path, and never twice");
    // Without it they come as far as the program.
    let (not_there, unwilling) = ("not_started", "failed");
    let reached = [
        not_there, not_there, not_there, unwilling, unwilling, unwilling, unwilling,
    ];
    assert_eq!(codes(&calls(|_| Ok(()))), reached);
}

/// Makes a call write something that its tool does not offer.
fn plant(call: &mut Call) {
    let mut tool = Tool::clone(&call.tool);
    match &tool.input.template {
        Some(template) => {
            let mut planted = CommandTemplate::clone(template);
            planted.words.push("--evil".into());
            tool.input.template = Some(Arc::new(planted));
        }
        None => {
            let mut evil = tool.input.flags[0].clone();
            evil.key = "evil".into();
            evil.flag = Flag::new("evil").into();
            tool.input.flags.push(evil);
            call.input.insert("evil".into(), true.into());
        }
    }
    call.tool = Arc::new(tool);
}

#[test]
fn a_planted_element_is_caught_on_every_way() {
    let results = calls(|call| {
        plant(call);
        Ok(())
    });
    assert_eq!(codes(&results), ["not_permitted"; 7]);
    for result in &results {
        assert!(
            result.text.starts_with("refused to run it"),
            "{}",
            result.text
        );
    }
}

#[test]
fn what_the_author_of_a_spell_did_not_write_is_caught() {
    let shift = |change: fn(&mut CommandTemplate)| {
        let results = calls(move |call| {
            let mut tool = Tool::clone(&call.tool);
            if let Some(template) = &tool.input.template {
                let mut planted = CommandTemplate::clone(template);
                change(&mut planted);
                tool.input.template = Some(Arc::new(planted));
            }
            call.tool = Arc::new(tool);
            Ok(())
        });
        codes(&results)[3].to_owned()
    };
    assert_eq!(shift(|_| ()), "failed");
    let other = |template: &mut CommandTemplate| {
        template.elements = vec![charmer_core::tool::Template::new("--from={{who}}")];
    };
    assert_eq!(shift(other), "not_permitted");
    assert_eq!(
        shift(|template| template.json = vec!["--json".into()]),
        "not_permitted"
    );
}
