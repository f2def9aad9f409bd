//! How a command line is written: at which level, in which order, attached or not, and what is refused.

use std::sync::Arc;

use charmer_core::{
    call::prepare,
    model::{
        Cli, Command, DoubleDash, Flag, FlagValue, LongValue, Positional, Repetition, Syntax,
        ValueType,
    },
    tool::{CatalogueOptions, Tool, catalogue},
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn tool(root: Command, syntax: Syntax) -> Arc<Tool> {
    catalogue(&Cli::new(root, syntax), &CatalogueOptions::default())
        .tools
        .pop()
        .expect("the command is a tool")
}

fn written(tool: &Tool, input: Value) -> Result<Vec<String>, String> {
    prepare(tool, input.as_object().expect("an object"))
        .map(|prepared| {
            prepared
                .argv
                .to_strings()
                .into_iter()
                .map(str::to_owned)
                .collect()
        })
        .map_err(|refusal| refusal.to_string())
}

fn assert_written(tool: &Tool, input: Value, expected: &[&str]) {
    assert_eq!(
        written(tool, input).as_deref(),
        Ok(&expected.iter().map(|e| (*e).to_owned()).collect::<Vec<_>>()[..])
    );
}

#[test]
fn flags_stand_at_the_level_that_owns_them() {
    let ps = Command::new("ps").flag(Flag::new("all").pflag("bool"));
    let docker = Command::new("docker")
        .not_runnable()
        .flag(Flag::new("context").pflag("string"))
        .flag(Flag::new("debug").pflag("bool").global())
        .command(
            Command::new("container")
                .not_runnable()
                .flag(Flag::new("x").pflag("int"))
                .command(ps),
        );
    let found = tool(docker, Syntax::pflag());
    assert_written(
        &found,
        json!({"all": true, "debug": true, "x": 1, "context": "c"}),
        &[
            "--context=c",
            "container",
            "--x=1",
            "ps",
            "--debug",
            "--all",
        ],
    );
}

#[test]
fn short_only_flags_follow_their_family() {
    let command = || Command::new("make").flag(Flag::short_only('j').value_type(ValueType::INT));
    assert_written(&tool(command(), Syntax::clap()), json!({"j": 4}), &["-j=4"]);
    assert_written(
        &tool(command(), Syntax::getopt()),
        json!({"j": -4}),
        &["-j-4"],
    );
    let text = Command::new("x").flag(Flag::short_only('m').value_type(ValueType::String));
    let found = tool(text, Syntax::getopt());
    assert_written(&found, json!({"m": ""}), &["-m", ""]);
    assert_written(&found, json!({"m": "-rf"}), &["-m-rf"]);
}

#[test]
fn booleans_that_are_on_are_turned_off() {
    let on = || Flag::new("color").pflag("bool").default_text("true");
    assert_written(
        &tool(Command::new("x").flag(on()), Syntax::pflag()),
        json!({"color": false}),
        &["--color=false"],
    );
    let mut negated = on();
    negated.negation = Some("no-color".into());
    assert_written(
        &tool(Command::new("x").flag(negated), Syntax::getopt()),
        json!({"color": false}),
        &["--no-color"],
    );
    let refused = written(
        &tool(Command::new("x").flag(on()), Syntax::getopt()),
        json!({"color": false}),
    );
    assert!(
        refused
            .expect_err("refused")
            .contains("no way to turn it off")
    );
}

#[test]
fn counts_repeat_within_a_limit() {
    let found = tool(
        Command::new("x").flag(Flag::new("verbose").short('v').pflag("count")),
        Syntax::pflag(),
    );
    assert_written(
        &found,
        json!({"verbose": 3}),
        &["--verbose", "--verbose", "--verbose"],
    );
    assert_written(&found, json!({"verbose": 0}), &[]);
    assert!(written(&found, json!({"verbose": 256})).is_err());
}

#[test]
fn lists_repeat_or_join_and_protect_their_delimiter() {
    let csv = tool(
        Command::new("x").flag(Flag::new("tags").pflag("stringSlice")),
        Syntax::pflag(),
    );
    assert_written(
        &csv,
        json!({"tags": ["a", "b,c", "d\"e", ""]}),
        &["--tags=a,\"b,c\",\"d\"\"e\",\"\""],
    );
    assert_written(&csv, json!({"tags": [""]}), &["--tags=\"\""]);
    assert!(written(&csv, json!({"tags": ["a\r\nb"]})).is_err());

    let joined = Flag::new("t")
        .value_type(ValueType::String)
        .repetition(Repetition::Joined { delimiter: ':' });
    let plain = tool(Command::new("x").flag(joined), Syntax::clap());
    assert_written(&plain, json!({"t": ["a", "b"]}), &["--t=a:b"]);
    assert!(
        written(&plain, json!({"t": ["a:b"]}))
            .expect_err("refused")
            .contains("no way to quote")
    );

    let repeated = Flag::new("t")
        .value_type(ValueType::String)
        .repetition(Repetition::Repeat {
            delimiter: Some(','),
        });
    let split = tool(Command::new("x").flag(repeated), Syntax::clap());
    assert_written(&split, json!({"t": ["a", "b"]}), &["--t=a", "--t=b"]);
    assert!(written(&split, json!({"t": ["a,b"]})).is_err());
}

#[test]
fn maps_are_pairs() {
    let found = tool(
        Command::new("x").flag(Flag::new("env").pflag("stringToString")),
        Syntax::pflag(),
    );
    assert_written(
        &found,
        json!({"env": {"A": "1", "B": "x=y"}}),
        &["--env=A=1,B=x=y"],
    );
    assert!(
        written(&found, json!({"env": {"A=B": "1"}}))
            .expect_err("refused")
            .contains("holds no `=`")
    );
    assert_written(&found, json!({"env": {}}), &[]);
    // pflag takes quotes for CSV only where it sees more than one `=`.
    assert_written(
        &found,
        json!({"env": {"A": "\"x\""}}),
        &["--env=\"A=\"\"x\"\"\",\"A=\"\"x\"\"\""],
    );
    // And it never does where the values are numbers.
    let numbers = tool(
        Command::new("x").flag(Flag::new("size").pflag("stringToInt")),
        Syntax::pflag(),
    );
    assert_written(&numbers, json!({"size": {"a\"b": 1}}), &["--size=a\"b=1"]);
    assert!(
        written(&numbers, json!({"size": {"a,b": 1}}))
            .expect_err("refused")
            .contains("no way to quote")
    );
}

#[test]
fn optional_values_are_attached_or_left_out() {
    let flag = |bare| {
        Flag::new("dry-run")
            .value_type(ValueType::String)
            .optional_value(bare)
    };
    let known = tool(
        Command::new("x").flag(flag(Some("client"))),
        Syntax::pflag(),
    );
    assert_written(&known, json!({"dry-run": "server"}), &["--dry-run=server"]);
    assert_written(&known, json!({"dry-run": ""}), &["--dry-run="]);
    let unknown = tool(Command::new("x").flag(flag(None)), Syntax::pflag());
    assert_written(&unknown, json!({"dry-run": ""}), &["--dry-run"]);
    assert_eq!(flag(None).value, FlagValue::Optional { bare: None });
}

#[test]
fn values_that_cannot_be_attached_are_never_flags() {
    let pair = || {
        Flag::new("pair")
            .value_type(ValueType::String)
            .repetition(Repetition::Fixed {
                count: 2,
                repeat: false,
            })
    };
    let found = tool(Command::new("x").flag(pair()), Syntax::clap());
    assert_written(&found, json!({"pair": ["a", "b"]}), &["--pair", "a", "b"]);
    assert_written(&found, json!({"pair": ["a", "-"]}), &["--pair", "a", "-"]);
    assert!(
        written(&found, json!({"pair": ["a", "-x"]}))
            .expect_err("refused")
            .contains("begin with `-`")
    );
    let mut allowed = pair();
    allowed.allow_hyphen = true;
    assert_written(
        &tool(Command::new("x").flag(allowed), Syntax::clap()),
        json!({"pair": ["a", "-x"]}),
        &["--pair", "a", "-x"],
    );
}

#[test]
fn a_word_in_the_first_place_is_refused_where_it_would_be_letters_of_flags() {
    let command = || {
        Command::new("x")
            .flag(Flag::new("all"))
            .positional(Positional::new("file").variadic())
    };
    let letters = tool(command(), Syntax::getopt().first_word_is_letters(true));
    let refusal = written(&letters, json!({"file": ["If", "program"]}));
    let refusal = refusal.expect_err("the first word would be `-I -f`");
    assert!(
        refusal.to_string().contains("letters of flags"),
        "{refusal}"
    );
    let behind = json!({"all": true, "file": ["If"]});
    assert_written(&letters, behind, &["--all", "If"]);
    let plain = tool(command(), Syntax::getopt());
    assert_written(&plain, json!({"file": ["If"]}), &["If"]);
}

#[test]
fn a_value_is_the_next_element_where_the_program_takes_it_only_there() {
    let separate = Syntax::getopt().long_value(LongValue::Separate);
    let text = |name: &str| Flag::new(name).value_type(ValueType::String);
    let with = |name, repetition| text(name).repetition(repetition);
    let command = Command::new("x")
        .flag(text("data"))
        .flag(with("header", Repetition::Repeat { delimiter: None }))
        .flag(with("range", Repetition::Joined { delimiter: ',' }))
        .flag(with("files", Repetition::Span { min: 1, max: None }))
        .flag(Flag::short_only('j').value_type(ValueType::String))
        .flag(text("colour").optional_value(None))
        .positional(Positional::new("url"));
    let found = tool(command, separate);
    assert_written(
        &found,
        json!({"data": "a=b", "header": ["a: b", "-"], "range": ["1", "2"], "url": "u"}),
        &[
            "--data", "a=b", "--header", "a: b", "--header", "-", "--range", "1,2", "u",
        ],
    );
    assert_written(&found, json!({"data": ""}), &["--data", ""]);
    // A letter takes its value as ever, and a value that may be left out has no other place.
    let input = json!({"j": "-4", "colour": "-x"});
    assert_written(&found, input, &["-j-4", "--colour=-x"]);
    // A list of one stands apart too, so it would take the positional.
    let input = json!({"files": ["a"], "url": "u"});
    assert_written(&found, input, &["u", "--files", "a"]);
    for input in [
        json!({"data": "-x"}),
        json!({"data": "--url"}),
        json!({"header": ["a", "--data"]}),
        json!({"range": ["-1", "2"]}),
        json!({"files": ["-x"]}),
    ] {
        let refused = written(&found, input.clone()).expect_err("refused");
        assert!(refused.contains("begin with `-`"), "{input}: {refused}");
    }
}

#[test]
fn a_greedy_flag_comes_last() {
    let greedy = Flag::new("files")
        .value_type(ValueType::String)
        .repetition(Repetition::Span { min: 1, max: None });
    let command = Command::new("x")
        .flag(greedy)
        .flag(Flag::new("all"))
        .positional(Positional::new("target"));
    let found = tool(command, Syntax::clap());
    let input = json!({"files": ["a", "b"], "all": true, "target": "t"});
    assert_written(&found, input, &["--all", "t", "--files", "a", "b"]);
    let input = json!({"files": ["a", "b"], "target": "-t"});
    assert_written(&found, input, &["--files", "a", "b", "--", "-t"]);
    // One value alone is attached, so it takes nothing else.
    let input = json!({"files": ["-a"], "target": "t"});
    assert_written(&found, input, &["--files=-a", "t"]);
}

#[test]
fn a_flag_without_its_value_stands_last_only_if_it_would_take_the_next_element() {
    let command = || {
        let short = Flag::new("short").pflag("string").optional_value(None);
        Command::new("x")
            .flag(short)
            .positional(Positional::new("target"))
    };
    let input = json!({"short": "", "target": "t"});
    for syntax in [Syntax::clap(), Syntax::getopt()] {
        assert_written(&tool(command(), syntax), input.clone(), &["t", "--short"]);
    }
    // Behind a word some programs read no flags any more, or read them for what follows: `git rev-parse --short HEAD`.
    for syntax in [Syntax::pflag(), Syntax::getopt().optional_is_attached()] {
        assert_written(&tool(command(), syntax), input.clone(), &["--short", "t"]);
    }
}

#[test]
fn a_positional_never_becomes_a_flag() {
    let command = || Command::new("x").usage("x [file] [more...]");
    let neutral = tool(command(), Syntax::clap());
    assert_written(
        &neutral,
        json!({"file": "-x", "more": ["--", "-"]}),
        &["--", "-x", "--", "-"],
    );
    assert_written(&neutral, json!({"file": "-"}), &["-"]);
    let meaningful = tool(command(), Syntax::pflag());
    for value in ["-x", "--", "--flag=value", "-abc"] {
        let refused = written(&meaningful, json!({ "file": value })).expect_err("refused");
        assert!(refused.contains("does not begin with `-`"), "{refused}");
    }
    assert_written(&meaningful, json!({"file": "–x"}), &["–x"]);
    assert_eq!(
        Syntax::pflag().double_dash(DoubleDash::Neutral).double_dash,
        DoubleDash::Neutral
    );
}

#[test]
fn what_stands_behind_dashes_is_a_list_of_its_own() {
    let found = tool(
        Command::new("exec").usage("exec POD -- COMMAND [args...]"),
        Syntax::pflag(),
    );
    assert_written(
        &found,
        json!({"pod": "p", "command": ["ls", "-l", "--"]}),
        &["p", "--", "ls", "-l", "--"],
    );
    assert!(written(&found, json!({"pod": "-p", "command": ["ls"]})).is_err());
    assert_written(
        &tool(
            Command::new("exec").usage("exec POD [-- COMMAND]"),
            Syntax::pflag(),
        ),
        json!({"pod": "p"}),
        &["p"],
    );
}

#[test]
fn a_positional_that_names_a_subcommand_is_protected_or_refused() {
    let command = || {
        Command::new("app")
            .usage("app [file]")
            .command(Command::new("list"))
    };
    let root = |syntax| {
        let found = catalogue(&Cli::new(command(), syntax), &CatalogueOptions::default());
        found.tools.into_iter().next().expect("the root is a tool")
    };
    assert_written(
        &root(Syntax::clap()),
        json!({"file": "list"}),
        &["--", "list"],
    );
    let refused = written(&root(Syntax::pflag()), json!({"file": "list"})).expect_err("refused");
    assert!(refused.contains("subcommand"), "{refused}");
}

#[test]
fn a_pattern_takes_words_and_no_flags() {
    let found = tool(
        Command::new("get").usage("get (TYPE [NAME | -l label] | TYPE/NAME ...)"),
        Syntax::pflag(),
    );
    assert_written(&found, json!({"args": ["pods", "web"]}), &["pods", "web"]);
    let refused =
        written(&found, json!({"args": ["pods", "--kubeconfig=evil"]})).expect_err("refused");
    assert!(refused.contains("`args[1]`"), "{refused}");
}

/// Reads one CSV record as Go's `encoding/csv` does, as far as our own writing needs it.
fn read_csv(text: &str) -> Vec<String> {
    let (mut fields, mut field, mut chars) = (Vec::new(), String::new(), text.chars().peekable());
    let mut quoted = false;
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => field.extend(chars.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(std::mem::take(&mut field)),
            _ => field.push(c),
        }
    }
    fields.push(field);
    fields
}

proptest! {
    #[test]
    fn csv_elements_survive(items in proptest::collection::vec("[a,\"\n =é-]{0,6}", 1..5)) {
        let found = tool(Command::new("x").flag(Flag::new("t").pflag("stringSlice")), Syntax::pflag());
        let argv = written(&found, json!({ "t": items })).expect("valid");
        prop_assert_eq!(argv.len(), 1);
        prop_assert_eq!(read_csv(argv[0].strip_prefix("--t=").expect("attached")), items);
    }

    #[test]
    fn a_value_that_stands_apart_is_whole_and_never_a_flag(value in "-{0,3}[a =\n]{0,3}\\PC{0,4}", last in "-{0,2}[a]{0,3}") {
        let command = Command::new("x")
            .flag(Flag::new("t").pflag("string"))
            .flag(Flag::new("u").pflag("string"))
            .flag(Flag::new("a"));
        let found = tool(command, Syntax::getopt().long_value(LongValue::Separate));
        let is_flag = |text: &str| text.len() > 1 && text.starts_with('-');
        let expected = (!is_flag(&value) && !is_flag(&last))
            .then(|| ["--t", &value, "--u", &last, "--a"].map(str::to_owned).to_vec());
        prop_assert_eq!(written(&found, json!({"t": value, "u": last, "a": true})).ok(), expected);
    }

    #[test]
    fn the_order_of_properties_does_not_matter(a: bool, b in "\\PC{0,5}", c: i64) {
        let found = tool(
            Command::new("x")
                .flag(Flag::new("a"))
                .flag(Flag::new("b").pflag("string"))
                .flag(Flag::new("c").pflag("int")),
            Syntax::pflag(),
        );
        let forward = written(&found, json!({"a": a, "b": b, "c": c}));
        let backward = written(&found, json!({"c": c, "b": b, "a": a}));
        prop_assert_eq!(forward, backward);
    }
}
