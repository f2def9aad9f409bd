//! What an assistant naturally gives: taken where it means one thing, noted, and refused where it means two.

use std::sync::Arc;

use charmer_core::{
    call::{prepare, understand},
    model::{Cli, Command, Flag, FlagValue, Positional, Repetition, Syntax, ValueType},
    select::{CommandRule, FlagRule, ToolSelector},
    tool::{CatalogueOptions, Layout, Pin, Pins, Tool, catalogue},
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().expect("an object")
}

fn tool_with(root: Command, options: &CatalogueOptions) -> Arc<Tool> {
    let cli = Cli::new(root, Syntax::pflag());
    catalogue(&cli, options).tools.pop().expect("a tool")
}

fn tool(root: Command) -> Arc<Tool> {
    tool_with(root, &CatalogueOptions::default())
}

/// The strict form of what was given, or why there is none.
fn strict(tool: &Tool, given: Value) -> Result<Value, String> {
    match understand(tool, &object(given)) {
        Ok(understood) => Ok(understood.input.into()),
        Err(refusal) => Err(refusal.to_string()),
    }
}

fn log() -> Command {
    let mut count = Flag::new("max-count").short('n').value_type(ValueType::INT);
    count.aliases.push("limit".into());
    Command::new("log")
        .flag(count)
        .flag(Flag::new("author").pflag("string"))
        .flag(Flag::new("all").short('a'))
        .flag(Flag::new("verbose").short('v').value_type(ValueType::Count))
        .flag(Flag::new("grep").pflag("stringArray"))
        .flag(Flag::new("stat").pflag("string").optional_value(None))
        .positional(Positional::new("revision-range"))
        .positional(Positional::new("path").variadic())
}

#[test]
fn a_key_in_any_spelling_is_its_property() {
    let log = tool(log());
    for key in [
        "n",
        "-n",
        "max_count",
        "maxCount",
        "MAX-COUNT",
        "--max-count",
        "limit",
        "--limit",
        "maxcount",
    ] {
        let understood = understand(&log, &object(json!({key: 2}))).expect(key);
        assert_eq!(json!(understood.input), json!({"max-count": 2}), "{key}");
        assert_eq!(
            understood.notes,
            [format!("`{key}` was taken as `max-count`")]
        );
    }
    let as_it_is = understand(&log, &object(json!({"max-count": 2}))).expect("it is strict");
    assert_eq!(as_it_is.notes, [""; 0]);
}

#[test]
fn what_turns_a_switch_off_is_its_property_and_is_written() {
    let mut edit = Flag::new("edit");
    edit.negation = Some("no-edit".into());
    let tool = tool(Command::new("revert").flag(edit));
    for key in ["no-edit", "no_edit", "--no-edit"] {
        let understood = understand(&tool, &object(json!({key: true}))).expect(key);
        assert_eq!(json!(understood.input), json!({"edit": false}), "{key}");
        assert_eq!(
            understood.notes,
            [format!("`{key}` was taken as `edit`: false")]
        );
    }
    let written = |given: Value| argv(&tool, &object(given)).join(" ");
    assert_eq!(written(json!({"edit": false})), "--no-edit");
    assert_eq!(written(json!({})), "");
    assert!(strict(&tool, json!({"no-edit": true, "edit": true})).is_err());
}

#[test]
fn a_value_of_another_type_is_taken_if_it_can_be_nothing_else() {
    let log = tool(log());
    for (given, expected) in [
        (json!({"max-count": "2"}), json!({"max-count": 2})),
        (json!({"max-count": [2]}), json!({"max-count": 2})),
        (json!({"author": 7}), json!({"author": "7"})),
        (
            json!({"author": u64::MAX}),
            json!({"author": "18446744073709551615"}),
        ),
        (json!({"all": "true"}), json!({"all": true})),
        (json!({"all": ["false"]}), json!({"all": false})),
        (json!({"verbose": true}), json!({"verbose": 1})),
        (json!({"grep": "a b"}), json!({"grep": ["a b"]})),
        (json!({"grep": [1, "x"]}), json!({"grep": ["1", "x"]})),
        (json!({"stat": true}), json!({"stat": ""})),
        (json!({"path": "src"}), json!({"path": ["src"]})),
        (
            json!({"n": "3", "a": "true"}),
            json!({"max-count": 3, "all": true}),
        ),
    ] {
        assert_eq!(strict(&log, given.clone()), Ok(expected), "{given}");
    }
    // Binding says what is wrong with these.
    for given in [
        json!({"max-count": "two"}),
        json!({"max-count": [1, 2]}),
        json!({"max-count": {"a": 1}}),
        json!({"all": "yes"}),
        json!({"all": 1}),
        json!({"author": null}),
        json!({"author": {"name": "x"}}),
        json!({"unheard-of": 1}),
    ] {
        assert_eq!(strict(&log, given.clone()), Ok(given));
    }
}

#[test]
fn what_could_mean_two_things_is_refused_with_both() {
    let log = tool(log());
    for (given, one, other) in [
        (json!({"n": 2, "max-count": 2}), "`max-count`", "`n`"),
        (json!({"n": 2, "limit": 2}), "`n`", "`limit`"),
        (
            json!({"maxCount": 2, "max_count": 3}),
            "`maxCount`",
            "`max_count`",
        ),
        (json!({"args": ["a"], "path": ["b"]}), "`path`", "`args`"),
    ] {
        let refused = strict(&log, given).expect_err("two meanings");
        assert!(
            refused.contains(one) && refused.contains(other),
            "{refused}"
        );
    }
    // Null is nothing given.
    assert_eq!(
        strict(&log, json!({"n": null, "max-count": 2})),
        Ok(json!({"max-count": 2}))
    );
    let twins = tool(
        Command::new("x")
            .flag(Flag::new("dry-run"))
            .flag(Flag::new("dryrun")),
    );
    let refused = strict(&twins, json!({"dryRun": true})).expect_err("two flags");
    assert!(refused.contains("`dry-run`, `dryrun`"), "{refused}");
    assert_eq!(
        strict(&twins, json!({"--dryrun": true})),
        Ok(json!({"dryrun": true}))
    );
}

#[test]
fn a_letter_and_a_name_that_differ_by_case_or_dashes_stay_apart() {
    let odd = tool(
        Command::new("x")
            .flag(Flag::new("delete").short('d'))
            .flag(Flag::new("force").short('D'))
            .flag(Flag::new("count").short('n').value_type(ValueType::INT))
            .flag(Flag::new("n").pflag("string"))
            .flag(Flag::new("Foo").pflag("string"))
            .flag(Flag::new("foo").pflag("string"))
            .flag(Flag::new("args").pflag("string"))
            .positional(Positional::new("file").variadic()),
    );
    for (given, expected) in [
        (json!({"d": true}), json!({"delete": true})),
        (json!({"D": true}), json!({"force": true})),
        // A long name is its own key, and the dash says that the letter is meant.
        (json!({"n": "x"}), json!({"n": "x"})),
        (json!({"--n": "x"}), json!({"n": "x"})),
        (json!({"-n": 1}), json!({"count": 1})),
        (json!({"Foo": "x"}), json!({"Foo": "x"})),
        (json!({"--foo": "x"}), json!({"foo": "x"})),
        (json!({"args": "x"}), json!({"args": "x"})),
    ] {
        assert_eq!(strict(&odd, given.clone()), Ok(expected), "{given}");
    }
    let refused = strict(&odd, json!({"FOO": "x"})).expect_err("two flags");
    assert!(
        refused.contains("`Foo`") && refused.contains("`foo`"),
        "{refused}"
    );
    // No other case of a letter.
    assert_eq!(strict(&odd, json!({"N": 1})), Ok(json!({"N": 1})));
}

#[test]
fn what_is_withheld_or_pinned_stays_out_of_reach_in_every_spelling() {
    let mut config = Flag::new("config").short('c').pflag("string");
    config.aliases.push("conf".into());
    config.hidden = true;
    config.withheld = Some("it redirects the program".into());
    let root = Command::new("x")
        .flag(config)
        .flag(Flag::new("context").pflag("string"))
        .flag(Flag::new("raw").short('r').pflag("string"))
        .positional(Positional::new("config"));
    let cli = Cli::new(root, Syntax::pflag());
    let mut options = CatalogueOptions::default();
    options.pins = Pins::resolve(&cli, &[Pin::text("context", "staging")]).expect("it fits");
    options.selectors = vec![
        ToolSelector::new(CommandRule::all())
            .local_flags(FlagRule::exclude(["raw"]))
            .place("entry 1 of `select`"),
    ];
    let tool = catalogue(&cli, &options).tools.pop().expect("a tool");
    for (key, told) in [
        ("config", "it redirects the program"),
        ("--config", "it redirects the program"),
        ("c", "it redirects the program"),
        ("-c", "it redirects the program"),
        ("conf", "it redirects the program"),
        ("CONFIG", "it redirects the program"),
        ("context", "it is pinned"),
        ("--context", "it is pinned"),
        ("Context", "it is pinned"),
        ("raw", "entry 1 of `select` leaves it out"),
        ("r", "entry 1 of `select` leaves it out"),
    ] {
        let refused = strict(&tool, json!({key: "x"})).expect_err(key);
        assert!(refused.contains(told), "{key}: {refused}");
    }
    assert_eq!(
        strict(&tool, json!({"config_arg": "x"})),
        Ok(json!({"config_arg": "x"}))
    );
}

#[test]
fn args_are_a_commands_positionals() {
    let copy = tool(
        Command::new("copy")
            .positional(Positional::new("from").required())
            .positional(Positional::new("to").required().value_type(ValueType::INT))
            .positional(Positional::new("more").variadic())
            .positional(Positional::new("command").variadic().last()),
    );
    for (given, expected) in [
        (json!(["a", "1"]), json!({"from": "a", "to": 1})),
        (
            json!(["a", 1, "b", "c"]),
            json!({"from": "a", "to": 1, "more": ["b", "c"]}),
        ),
        (
            json!(["a", 1, "--", "ls", "-la"]),
            json!({"from": "a", "to": 1, "command": ["ls", "-la"]}),
        ),
        (json!("a"), json!({"from": "a"})),
        (json!([]), json!({})),
        (json!(null), json!({})),
    ] {
        assert_eq!(
            strict(&copy, json!({"args": given})),
            Ok(expected),
            "{given}"
        );
    }
    // One word, or two?
    assert!(strict(&copy, json!({"args": "a b"})).is_err());
    let one = tool(Command::new("x").positional(Positional::new("file")));
    assert!(strict(&one, json!({"args": ["a", "b"]})).is_err());
    let unsure = tool(
        Command::new("x")
            .positional(Positional::new("from"))
            .positional(Positional::new("to").required()),
    );
    let refused = strict(&unsure, json!({"args": ["a"]})).expect_err("whose is it?");
    assert!(refused.contains("`from`, `to`"), "{refused}");
    assert_eq!(
        strict(&unsure, json!({"args": ["a", "b"]})),
        Ok(json!({"from": "a", "to": "b"}))
    );
    let none = tool(Command::new("x"));
    assert_eq!(
        strict(&none, json!({"args": ["a"]})),
        Ok(json!({"args": ["a"]}))
    );
}

#[test]
fn args_are_what_follows_the_positionals_that_have_been_named() {
    let run = tool(
        Command::new("run")
            .positional(Positional::new("image").required())
            .positional(Positional::new("command"))
            .positional(Positional::new("arg").variadic()),
    );
    for (given, expected) in [
        (
            json!({"image": "i", "command": "ls", "args": ["-la"]}),
            json!({"image": "i", "command": "ls", "arg": ["-la"]}),
        ),
        (
            json!({"image": "i", "args": ["ls", "-la"]}),
            json!({"image": "i", "command": "ls", "arg": ["-la"]}),
        ),
        (
            json!({"images": "i", "args": ["ls"]}),
            json!({"image": "i", "command": "ls"}),
        ),
    ] {
        assert_eq!(strict(&run, given.clone()), Ok(expected), "{given}");
    }
    // All of them, or those that follow? And one that is not the first leaves open what the list is.
    for given in [
        json!({"image": "i", "args": ["i", "ls"]}),
        json!({"command": "ls", "args": ["i", "-la"]}),
        json!({"image": "i", "arg": ["a"], "args": ["ls"]}),
    ] {
        assert!(strict(&run, given.clone()).is_err(), "{given}");
    }
}

#[test]
fn args_are_positionals_where_something_else_is_called_so() {
    let test = tool(
        Command::new("test")
            .flag(Flag::new("args"))
            .positional(Positional::new("packages").variadic()),
    );
    assert_eq!(
        strict(&test, json!({"args": ["./..."]})),
        Ok(json!({"packages": ["./..."]}))
    );
    assert_eq!(
        strict(&test, json!({"args": ["true"]})),
        Ok(json!({"args": true}))
    );
    let script = |command: Positional| {
        tool(
            Command::new("run")
                .positional(command)
                .positional(Positional::new("args").variadic().last()),
        )
    };
    let required = script(Positional::new("command").required());
    assert_eq!(
        strict(&required, json!({"args": ["build", "--", "--watch"]})),
        Ok(json!({"command": "build", "args": ["--watch"]}))
    );
    // What the schema allows is what it says there.
    for given in [
        json!({"command": "build", "args": ["a", "--", "b"]}),
        json!({"args": ["--watch"]}),
    ] {
        assert_eq!(strict(&required, given.clone()), Ok(given));
    }
    let optional = script(Positional::new("command"));
    let given = json!({"args": ["a", "--", "b"]});
    assert_eq!(strict(&optional, given.clone()), Ok(given));
}

#[test]
fn args_need_no_dashes_where_nothing_can_stand_before_them() {
    let add = tool(Command::new("add").positional(Positional::new("pathspec").variadic().last()));
    for given in [json!(["a", "b"]), json!(["--", "a", "b"])] {
        assert_eq!(
            strict(&add, json!({"args": given})),
            Ok(json!({"pathspec": ["a", "b"]}))
        );
    }
    let log = tool(
        Command::new("log")
            .positional(Positional::new("revision"))
            .positional(Positional::new("path").variadic().last()),
    );
    // A second revision, or a path?
    for given in [
        json!({"args": ["a", "b"]}),
        json!({"revision": "a", "args": ["b"]}),
    ] {
        assert!(strict(&log, given.clone()).is_err(), "{given}");
    }
    let one = tool(Command::new("x").positional(Positional::new("file").last()));
    assert!(strict(&one, json!({"args": ["a", "b"]})).is_err());
}

#[test]
fn a_positional_is_known_by_what_people_call_it_if_only_one_fits() {
    let taken = |usage: &str, given: Value| strict(&tool(Command::new("x").usage(usage)), given);
    for (usage, given, expected) in [
        (
            "x <object>...",
            json!({"commit": "HEAD"}),
            json!({"object": ["HEAD"]}),
        ),
        (
            "x <pathspec>...",
            json!({"path": "x"}),
            json!({"pathspec": ["x"]}),
        ),
        (
            "x <pathspec>...",
            json!({"files": ["x", "y"]}),
            json!({"pathspec": ["x", "y"]}),
        ),
        (
            "x <branch-name>",
            json!({"branch": "b"}),
            json!({"branch-name": "b"}),
        ),
        (
            "x [<revision-range>] [<path>...]",
            json!({"commit": "a"}),
            json!({"revision-range": "a"}),
        ),
        (
            "x [<number-or-url>]",
            json!({"number": 5}),
            json!({"number-or-url": "5"}),
        ),
        // By the words of a pattern.
        (
            "x [<options>] <branch> | [<options>] [<branch>] -- <file>...",
            json!({"branchname": "b"}),
            json!({"args": ["b"]}),
        ),
        (
            "x [<commit>] [--] [<path>...] | --cached [<commit>] [--] [<path>...] | <blob> <blob>",
            json!({"commit": "HEAD"}),
            json!({"args": ["HEAD"]}),
        ),
        (
            "x [<commit>] [--] [<path>...] | <blob> <blob>",
            json!({"path": "src"}),
            json!({"args": ["--", "src"]}),
        ),
        (
            "x [<options>] <branch> | [<options>] [<branch>] -- <file>...",
            json!({"files": ["a", "b"], "branch": "b"}),
            json!({"args": ["b", "--", "a", "b"]}),
        ),
        // The nearest word, not each that it could stand for.
        (
            "x [-f] <tagname> [<commit> | <object>] | -d <tagname>...",
            json!({"tag": "v1"}),
            json!({"args": ["v1"]}),
        ),
        (
            "x [<repository> [<refspec>...]]",
            json!({"refspec": "main", "remote": "origin"}),
            json!({"args": ["origin", "main"]}),
        ),
        (
            "x (TYPE[.VERSION][.GROUP] [NAME | -l label] | TYPE[.VERSION][.GROUP]/NAME ...)",
            json!({"type": "pods", "name": "web"}),
            json!({"args": ["pods", "web"]}),
        ),
    ] {
        assert_eq!(taken(usage, given.clone()), Ok(expected), "{usage} {given}");
    }
    for (usage, given) in [
        // Nothing that the usage speaks of, a flag, no text.
        ("x <object>...", json!({"exclude": "HEAD"})),
        ("x <object>...", json!({"--commit": "HEAD"})),
        ("x <object>...", json!({"commit": true})),
    ] {
        assert_eq!(taken(usage, given.clone()), Ok(given));
    }
    // A word that comes too late, and one that is not alone: the usage says where they stand.
    for (usage, key) in [
        ("x [<commit>] [<path>...] | <blob> <blob>...", "path"),
        ("x <from> <to> | <other>@<thing> | <from> -d", "to"),
    ] {
        let refused = taken(usage, json!({key: "a"})).expect_err("not in its place");
        assert!(
            refused.contains("`args`") && refused.contains("usage: "),
            "{refused}"
        );
    }
    let refused = taken("x <branch> <commit>", json!({"revision": "a"})).expect_err("either");
    assert!(refused.contains("`branch`, `commit`"), "{refused}");
}

#[test]
fn a_line_of_usage_is_meant_only_with_its_flags() {
    let usage = "x [-f] <name> [<start>] | (-m | --move) [<old>] <new> | (-d | -D) <name>...";
    let branch = tool(
        Command::new("x")
            .usage(usage)
            .flag(Flag::new("force").short('f'))
            .flag(Flag::new("move").short('m'))
            .flag(Flag::new("delete").short('d')),
    );
    for (given, expected) in [
        (json!({"name": "a"}), json!({"args": ["a"]})),
        (
            json!({"name": "a", "start": "b"}),
            json!({"args": ["a", "b"]}),
        ),
        (
            json!({"m": true, "old": "a", "new": "b"}),
            json!({"move": true, "args": ["a", "b"]}),
        ),
        (
            json!({"delete": "true", "name": ["a", "b"]}),
            json!({"delete": true, "args": ["a", "b"]}),
        ),
    ] {
        assert_eq!(strict(&branch, given.clone()), Ok(expected), "{given}");
    }
    // Without the flag `x a b` would make `a`, and neither rename it nor delete both.
    for given in [
        json!({"old": "a", "new": "b"}),
        json!({"move": false, "old": "a", "new": "b"}),
        json!({"name": ["a", "b"]}),
    ] {
        let refused = strict(&branch, given.clone()).expect_err("another line");
        assert!(refused.contains("in its place"), "{given}: {refused}");
    }
}

#[test]
fn a_word_that_may_be_there_is_not_read_where_another_must_be() {
    let branch = tool(
        Command::new("x")
            .usage("x [-f] <name> [<start>] | [-l] [<pattern>...]")
            .flag(Flag::new("force").short('f'))
            .flag(Flag::new("list").short('l')),
    );
    let refused = strict(&branch, json!({"pattern": "a*"})).expect_err("it would make `a*`");
    assert!(
        refused.contains("`-l`") && refused.contains("read as `name`"),
        "{refused}"
    );
    for (given, expected) in [
        (
            json!({"list": true, "pattern": "a*"}),
            json!({"list": true, "args": ["a*"]}),
        ),
        (json!({"name": "a"}), json!({"args": ["a"]})),
        // More words than the other line has room for.
        (
            json!({"pattern": ["a", "b", "c"]}),
            json!({"args": ["a", "b", "c"]}),
        ),
    ] {
        assert_eq!(strict(&branch, given.clone()), Ok(expected), "{given}");
    }
}

#[test]
fn words_for_a_switch_are_for_the_positional_of_its_name() {
    for usage in ["x [<commit>...]", "x [<commit>...] | --abort <commit>"] {
        let merge = tool(
            Command::new("x")
                .usage(usage)
                .flag(Flag::new("abort"))
                .flag(Flag::new("commit")),
        );
        let named = strict(&merge, json!({"commit": "dev"})).expect("no switch is called dev");
        let all = strict(&merge, json!({"args": ["dev"]})).expect("its positionals");
        assert_eq!(named, all, "{usage}");
        for value in [json!(true), json!("false"), json!(1)] {
            let kept = strict(&merge, json!({"commit": value})).expect("left to binding");
            assert!(kept.get("commit").is_some(), "{usage} {value}");
        }
    }
}

#[test]
fn the_value_of_a_flag_is_no_word_of_its_usage() {
    let usage =
        "x [-n] [-m <parent>] [--run <program>] [-S[<key>]] <commit>... | (--quit | --skip)";
    let pick = tool(
        Command::new("x")
            .usage(usage)
            .flag(Flag::new("mainline").short('m').pflag("string"))
            .flag(
                Flag::new("sign")
                    .short('S')
                    .pflag("string")
                    .optional_value(None),
            ),
    );
    assert_eq!(
        strict(&pick, json!({"commit": "abc"})),
        Ok(json!({"args": ["abc"]}))
    );
    for value in ["parent", "program"] {
        let given = json!({value: "1", "commit": "abc"});
        assert_ne!(
            strict(&pick, given),
            Ok(json!({"args": ["1", "abc"]})),
            "{value}"
        );
    }
}

#[test]
fn the_nested_layout_is_understood_as_well() {
    let mut options = CatalogueOptions::default();
    options.layout = Layout::Nested;
    let log = tool_with(log(), &options);
    for (given, expected) in [
        (
            json!({"flags": {"n": "2"}}),
            json!({"flags": {"max-count": 2}}),
        ),
        (json!({"maxCount": 2}), json!({"flags": {"max-count": 2}})),
        (json!({"args": "HEAD"}), json!({"args": ["HEAD"]})),
        (json!({"args": ["HEAD", 7]}), json!({"args": ["HEAD", "7"]})),
    ] {
        assert_eq!(strict(&log, given.clone()), Ok(expected), "{given}");
    }
    let twice = json!({"flags": {"max-count": 1}, "n": 2});
    assert!(strict(&log, twice).is_err());
}

/// Flags of every sort, with a strict value for each and the same in other forms.
fn samples() -> Vec<(Flag, Value, Vec<Value>)> {
    let text = |name: &str| Flag::new(name).pflag("string");
    vec![
        (
            text("some-text").short('t'),
            json!("7"),
            vec![json!(7), json!(["7"]), json!([7])],
        ),
        (
            Flag::new("whole-number")
                .short('w')
                .value_type(ValueType::INT),
            json!(i64::MIN),
            vec![json!(i64::MIN.to_string()), json!([i64::MIN])],
        ),
        (
            Flag::new("large-number").value_type(ValueType::UINT),
            json!(u64::MAX),
            vec![json!(u64::MAX.to_string()), json!([u64::MAX.to_string()])],
        ),
        (
            Flag::new("real-number").value_type(ValueType::Number),
            json!(-0.25),
            vec![json!("-0.25"), json!([-0.25])],
        ),
        (
            Flag::new("on-or-off").short('o'),
            json!(true),
            vec![json!("true"), json!([true])],
        ),
        (
            Flag::new("how-often").value_type(ValueType::Count),
            json!(1),
            vec![json!(true), json!("1")],
        ),
        (
            text("one-of").choices(["1", "true"]),
            json!("true"),
            vec![json!(true), json!([true])],
        ),
        (
            text("each-alone").repetition(Repetition::Repeat { delimiter: None }),
            json!(["a,b"]),
            vec![json!("a,b")],
        ),
        (
            Flag::new("all-joined").pflag("intSlice"),
            json!([5]),
            vec![json!(5), json!("5"), json!(["5"])],
        ),
        (
            text("may-be-bare").optional_value(None),
            json!(""),
            vec![json!(true)],
        ),
        (
            Flag::new("pairs").pflag("stringToString"),
            json!({"a": "1"}),
            vec![json!({"a": 1})],
        ),
    ]
}

fn spellings(flag: &Flag) -> Vec<String> {
    let long = flag.long.clone().expect("each has one");
    let mut words = long.split('-');
    let first = words.next().unwrap_or_default().to_owned();
    let camel = words.fold(first, |camel, word| {
        camel + &word[..1].to_uppercase() + &word[1..]
    });
    let short = flag
        .short
        .iter()
        .flat_map(|s| [format!("{s}"), format!("-{s}")]);
    [
        long.clone(),
        format!("--{long}"),
        long.replace('-', "_"),
        long.to_uppercase(),
        camel,
    ]
    .into_iter()
    .chain(short)
    .collect()
}

fn argv(tool: &Tool, input: &Map<String, Value>) -> Vec<String> {
    let prepared = prepare(tool, input).expect("it is strict");
    let elements = prepared.argv.to_strings();
    elements.into_iter().map(str::to_owned).collect()
}

proptest! {
    #[test]
    fn whatever_is_taken_is_the_same_command_line_as_its_strict_form(
        picks in proptest::collection::vec(any::<Option<(prop::sample::Index, prop::sample::Index)>>(), 11),
        positionals in proptest::collection::vec("[a-z]{1,4}", 0..4),
        as_args: bool,
    ) {
        let samples = samples();
        let root = samples.iter().fold(Command::new("x"), |root, (flag, ..)| root.flag(flag.clone()));
        let tool = tool(root
            .positional(Positional::new("first"))
            .positional(Positional::new("others").variadic()));
        let (mut given, mut strict) = (Map::new(), Map::new());
        for ((flag, value, forms), pick) in samples.iter().zip(picks) {
            let Some((spelling, form)) = pick else { continue };
            let key = flag.long.clone().expect("each has one");
            strict.insert(key, value.clone());
            let forms: Vec<&Value> = forms.iter().chain([value]).collect();
            given.insert(spelling.get(&spellings(flag)).clone(), (*form.get(&forms)).clone());
        }
        if let [first, others @ ..] = &positionals[..] {
            strict.insert("first".into(), first.as_str().into());
            strict.insert("others".into(), others.to_vec().into());
            match (as_args, others) {
                (true, _) => drop(given.insert("args".into(), positionals.clone().into())),
                (false, [one]) => {
                    given.insert("FIRST".into(), vec![first.as_str()].into());
                    given.insert("others".into(), one.as_str().into());
                }
                (false, _) => {
                    given.insert("first".into(), first.as_str().into());
                    given.insert("others".into(), others.to_vec().into());
                }
            }
        }
        let understood = understand(&tool, &given).map_err(|r| TestCaseError::fail(r.to_string()))?;
        prop_assert_eq!(argv(&tool, &understood.input), argv(&tool, &strict));
        // What is strict is left alone, so that a second look changes nothing.
        let again = understand(&tool, &understood.input).expect("it is strict");
        prop_assert_eq!(&again.input, &understood.input);
        prop_assert!(again.notes.is_empty());
    }

    /// Whatever comes, nothing panics, and what binding takes as it is comes through unchanged.
    #[test]
    fn strict_input_is_never_changed(
        key in "(some-text|whole-number|on-or-off|each-alone|all-joined|pairs|first|others|args|zz)",
        value in any_value(),
    ) {
        let root = samples().iter().fold(Command::new("x"), |root, (flag, ..)| root.flag(flag.clone()));
        let tool = tool(root
            .positional(Positional::new("first"))
            .positional(Positional::new("others").variadic()));
        let given = Map::from_iter([(key, value)]);
        let understood = understand(&tool, &given);
        if prepare(&tool, &given).is_ok() {
            let understood = understood.expect("it is strict");
            prop_assert_eq!(understood.input, given);
            prop_assert!(understood.notes.is_empty());
        }
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z0-9,\" -]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::hash_map("[a-z]{1,3}", inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

#[test]
fn a_confirmation_has_one_name() {
    let mut wipe = Command::new("wipe").flag(Flag::new("yes").short('y'));
    wipe.confirm = Some("--yes".into());
    let tool = tool(wipe);
    assert_eq!(
        strict(&tool, json!({"confirm": "true"})),
        Ok(json!({"confirm": true}))
    );
    for key in ["yes", "y", "--yes"] {
        let refused = strict(&tool, json!({key: true})).expect_err("it is a person's word");
        assert!(refused.contains("once the user has agreed"), "{refused}");
    }
    let missing = prepare(&tool, &Map::new()).expect_err("it is required");
    assert!(
        missing.to_string().contains("the user has agreed"),
        "{missing}"
    );
    assert_eq!(tool.input.flags[0].flag.value, FlagValue::None);
}

#[test]
fn a_text_for_a_switch_may_be_for_an_ancestors_flag() {
    let log = Command::new("log")
        .flag(
            Flag::new("copies")
                .short('C')
                .pflag("string")
                .optional_value(None),
        )
        .flag(Flag::new("volume").short('v').pflag("string"));
    let root = Command::new("git")
        .not_runnable()
        .flag({
            let mut folder = Flag::short_only('C').pflag("string");
            folder.hidden = true;
            folder
        })
        .flag(Flag::new("version").short('v'))
        .command(log);
    let tool = tool(root);
    assert_eq!(strict(&tool, json!({"C": true})), Ok(json!({"copies": ""})));
    assert_eq!(
        strict(&tool, json!({"v": "a:b"})),
        Ok(json!({"volume": "a:b"}))
    );
    let refused = strict(&tool, json!({"C": "/x"})).expect_err("the folder, or copies?");
    assert!(refused.contains("`copies` or `-C`"), "{refused}");
}
