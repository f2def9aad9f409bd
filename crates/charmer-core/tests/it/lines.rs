//! Command lines that people write: arguments that are passed on, options that repeat, options in a positional's place.

use charmer_core::{
    call::prepare,
    model::{Cli, Command, DoubleDash, Flag, Positional, Syntax},
    tool::{CatalogueOptions, Layout, catalogue},
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// The command line of a program's only command, or why there is none.
fn line(root: Command, syntax: Syntax, layout: Layout, input: Value) -> Result<String, String> {
    let mut options = CatalogueOptions::default();
    options.layout = layout;
    let tools = catalogue(&Cli::new(root, syntax), &options).tools;
    let tool = tools.last().expect("the command is a tool");
    match prepare(tool, input.as_object().expect("an object")) {
        Ok(prepared) => Ok(prepared.argv.to_strings().join(" ")),
        Err(refusal) => Err(refusal.to_string()),
    }
}

fn flat(root: Command, input: Value) -> Result<String, String> {
    line(root, Syntax::pflag(), Layout::Flat, input)
}

/// `docker run`: it reads no options behind the image.
fn run() -> Command {
    let mut run = Command::new("p")
        .usage("p [OPTIONS] IMAGE [COMMAND] [ARG...]")
        .flag(Flag::new("interactive").short('i'))
        .flag(Flag::new("name").pflag("string"));
    run.options_end_behind = Some(1);
    run
}

#[test]
fn what_is_passed_on_may_begin_with_a_dash() {
    let input =
        json!({"image": "a", "command": "ls", "arg": ["-la", "--name=x", "-i"], "name": "n"});
    assert_eq!(
        flat(run(), input).as_deref(),
        Ok("--name=n a ls -la --name=x -i")
    );
    let only = json!({"image": "a", "command": "-x"});
    assert_eq!(flat(run(), only).as_deref(), Ok("a -x"));
    let nested = json!({"flags": {"interactive": true}, "args": ["a", "ls", "-la"]});
    let nested = line(run(), Syntax::pflag(), Layout::Nested, nested);
    assert_eq!(nested.as_deref(), Ok("--interactive a ls -la"));
}

#[test]
fn the_first_positional_is_no_option_all_the_same() {
    let told = flat(run(), json!({"image": "--privileged"})).expect_err("it would be one");
    assert!(told.contains("does not begin with `-`"), "{told}");
    let mut dashed = run();
    dashed.double_dash = Some(DoubleDash::Neutral);
    let input = json!({"image": "-x", "command": "-y"});
    assert_eq!(flat(dashed, input).as_deref(), Ok("-- -x -y"));
    // Options that are read behind the first two.
    let mut late = run();
    late.options_end_behind = Some(2);
    let told = flat(late.clone(), json!({"image": "a", "command": "-oX"}));
    assert!(told.is_err(), "{told:?}");
    let input = json!({"image": "a", "command": "ls", "arg": ["-oX"]});
    assert_eq!(flat(late, input).as_deref(), Ok("a ls -oX"));
}

#[test]
fn a_negative_number_stands_behind_dashes_where_they_only_end_the_flags() {
    let mut weigh = Command::new("p").usage("p AMOUNT").flag(Flag::new("all"));
    let input = || json!({"amount": "-5", "all": true});
    assert!(flat(weigh.clone(), input()).is_err());
    weigh.double_dash = Some(DoubleDash::Neutral);
    assert_eq!(flat(weigh, input()).as_deref(), Ok("--all -- -5"));
}

#[test]
fn dashes_that_a_pattern_shows_are_taken_as_they_stand() {
    let root = || Command::new("p").usage("p [<a> | <b>] -- <file>...");
    let args = |args: Value| flat(root(), json!({"args": args}));
    assert_eq!(
        args(json!(["x", "--", "-y", "--"])).as_deref(),
        Ok("x -- -y --")
    );
    assert!(args(json!(["x", "-y", "--"])).is_err());
    let undashed = Command::new("p").usage("p [<a> | <b>]");
    assert!(flat(undashed, json!({"args": ["x", "--", "y"]})).is_err());
}

fn search() -> Command {
    let mut pattern = Positional::new("pattern").required();
    pattern.replaced_by = vec!["regexp".into()];
    let mut regexp = Flag::new("regexp").pflag("string").short('e');
    regexp.may_repeat = true;
    Command::new("p")
        .flag(regexp)
        .positional(pattern)
        .positional(Positional::new("file").variadic())
}

#[test]
fn an_option_may_stand_in_a_positionals_place() {
    let asked = |input: Value| line(search(), Syntax::getopt(), Layout::Flat, input);
    let plain = json!({"pattern": "x", "file": ["f"]});
    assert_eq!(asked(plain).as_deref(), Ok("x f"));
    let replaced = json!({"regexp": "x", "file": ["f"]});
    assert_eq!(asked(replaced).as_deref(), Ok("--regexp=x f"));
    let both = asked(json!({"regexp": "x", "pattern": "y"})).expect_err("y would be a file");
    assert!(both.contains("`regexp` stands in its place"), "{both}");
    assert!(asked(json!({"file": ["f"]})).is_err());
    let nested = json!({"flags": {"regexp": "x"}, "args": ["f"]});
    let nested = line(search(), Syntax::getopt(), Layout::Nested, nested);
    assert_eq!(nested.as_deref(), Ok("--regexp=x f"));

    let tools = catalogue(
        &Cli::new(search(), Syntax::getopt()),
        &CatalogueOptions::default(),
    );
    let schema = Value::from((*tools.tools[0].input_schema).clone());
    assert!(schema.get("required").is_none(), "{schema}");
    let told = schema["properties"]["pattern"]["description"].to_string();
    assert!(told.contains("needed unless `regexp` is given"), "{told}");
    assert_eq!(schema["properties"]["regexp"]["type"], "string");
}

#[test]
fn several_values_of_an_option_that_may_repeat_are_all_written() {
    let asked = |input: Value| line(search(), Syntax::getopt(), Layout::Flat, input);
    let two = json!({"regexp": ["x", "y"]});
    assert_eq!(asked(two).as_deref(), Ok("--regexp=x --regexp=y"));
    let single = Command::new("p").flag(Flag::new("name").pflag("string"));
    assert!(flat(single, json!({"name": ["x", "y"]})).is_err());
}

#[test]
fn a_switch_that_may_repeat_is_written_as_often_as_it_is_given() {
    let command = |may_repeat| {
        let mut verbose = Flag::new("verbose").short('v');
        verbose.may_repeat = may_repeat;
        Command::new("p").flag(verbose)
    };
    for given in [json!(2), json!([true, true])] {
        let input = json!({"verbose": given});
        let written = flat(command(true), input.clone());
        assert_eq!(written.as_deref(), Ok("--verbose --verbose"));
        assert!(flat(command(false), input).is_err());
    }
    for given in [json!(0), json!(10), json!([true, false]), json!(-1)] {
        assert!(flat(command(true), json!({"verbose": given})).is_err());
    }
}

proptest! {
    /// Nothing that a caller passes on changes what stands before it, or becomes an option.
    #[test]
    fn only_offered_flags_stand_before_the_image(
        image in "[a-z-]{1,6}",
        arg in proptest::collection::vec("-{0,2}[a-z=]{0,8}", 0..5),
    ) {
        let input = json!({"image": image, "command": "c", "arg": arg, "interactive": true});
        if let Ok(line) = flat(run(), input) {
            let expected: Vec<String> = ["--interactive".into(), image.clone(), "c".into()]
                .into_iter()
                .chain(arg)
                .collect();
            prop_assert!(image == "-" || !image.starts_with('-'));
            prop_assert_eq!(line, expected.join(" "));
        }
    }
}
