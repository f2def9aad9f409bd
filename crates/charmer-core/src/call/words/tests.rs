//! Words as input.

use std::sync::Arc;

use crate::{
    model::{Cli, Command, Flag, Syntax},
    tool::{CatalogueOptions, catalogue},
};
use serde_json::json;

use super::*;

fn tool(layout: Layout) -> Arc<Tool> {
    let command = Command::new("ship")
        .usage("ship <port> [cargo...]")
        .flag(Flag::new("all").short('a'))
        .flag(Flag::new("knots").pflag("int").short('k'))
        .flag(Flag::new("dry-run").pflag("string"))
        .flag(Flag::new("crew").pflag("stringArray"))
        .flag(Flag::new("decks").pflag("intSlice"))
        .flag(Flag::new("label").pflag("stringToString"));
    let options = CatalogueOptions {
        layout,
        ..CatalogueOptions::default()
    };
    Arc::clone(&catalogue(&Cli::new(command, Syntax::pflag()), &options).tools[0])
}

fn read(words: &[&str]) -> Result<Value, String> {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    from_words(&tool(Layout::Flat), &words)
        .map(Value::Object)
        .map_err(|error| format!("{error} {:?}", error.hint))
}

#[test]
fn values_have_the_types_of_the_schema() {
    let words = ["--all", "--knots", "12", "--dry_run=7", "Oslo"];
    assert_eq!(
        read(&words).expect("it is right"),
        json!({"all": true, "knots": 12, "dry-run": "7", "port": "Oslo"})
    );
    assert_eq!(
        read(&["-a", "false", "-k=-3", "Oslo"]).expect("it is right"),
        json!({"all": false, "knots": -3, "port": "Oslo"})
    );
    // Left to the tool, which says what it wants.
    assert_eq!(read(&["--knots", "many"]), Ok(json!({"knots": "many"})));
    let large = read(&["--knots", "18446744073709551615"]).expect("it is right");
    assert_eq!(large["knots"].to_string(), "18446744073709551615");
}

#[test]
fn lists_and_maps_grow() {
    let words = [
        "--crew", "a,b", "--crew=c", "--decks", "1", "--decks", "2", "--label", "x=1=2",
    ];
    assert_eq!(
        read(&words).expect("it is right"),
        json!({"crew": ["a,b", "c"], "decks": [1, 2], "label": {"x": "1=2"}})
    );
    assert_eq!(
        read(&["--decks", "[3,4]", "--label", r#"{"y":"z"}"#]).expect("it is right"),
        json!({"decks": [3, 4], "label": {"y": "z"}})
    );
}

#[test]
fn bare_words_are_positionals() {
    assert_eq!(
        read(&["Oslo", "tea", "--all", "-5", "--", "--silk"]).expect("it is right"),
        json!({"port": "Oslo", "cargo": ["tea", "-5", "--silk"], "all": true})
    );
    let nested = from_words(&tool(Layout::Nested), &["Oslo".into(), "--knots=2".into()]);
    assert_eq!(
        nested.map(Value::Object).ok(),
        Some(json!({"flags": {"knots": 2}, "args": ["Oslo"]}))
    );
}

#[test]
fn mistakes_say_what_to_do() {
    let told = |words: &[&str]| read(words).expect_err("it is wrong");
    assert!(told(&["--knotz", "3"]).contains("did you mean `--knots`?"));
    let all = told(&["--wheels", "3"]);
    assert!(
        all.contains("it takes --") && all.contains("--all"),
        "{all}"
    );
    assert!(told(&["--knots"]).contains("`--knots` needs a value"));
}

/// The input of a tool with letters, and of what stands behind `--`.
fn typed_as(command: Command, syntax: Syntax, words: &str) -> Result<Value, String> {
    let tool =
        Arc::clone(&catalogue(&Cli::new(command, syntax), &CatalogueOptions::default()).tools[0]);
    let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
    from_words(&tool, &words)
        .map(Value::Object)
        .map_err(|error| format!("{error} {:?}", error.hint))
}

fn ship() -> Command {
    let mut message = Flag::new("message").short('m').pflag("string");
    message.may_repeat = true;
    let colour = Flag::new("colour").pflag("string").optional_value(None);
    Command::new("ship")
        .usage("ship [port] [-- path...]")
        .flag(Flag::new("all").short('a'))
        .flag(Flag::new("tty").short('t'))
        .flag(Flag::new("verbose").short('v').pflag("count"))
        .flag(Flag::new("max").short('n').pflag("int"))
        .flag(Flag::new("name").pflag("string"))
        .flag(Flag::new("labels").pflag("stringSlice"))
        .flag(message)
        .flag(colour)
}

#[test]
fn letters_are_read_as_programs_read_them() {
    for (words, expected) in [
        ("-at -n5", json!({"all": true, "tty": true, "max": 5})),
        ("-an 5 Oslo", json!({"all": true, "max": 5, "port": "Oslo"})),
        ("-am text", json!({"all": true, "message": "text"})),
        ("-vv -v", json!({"verbose": 3})),
        ("-3", json!({"max": 3})),
        ("--colour Oslo", json!({"colour": "", "port": "Oslo"})),
        ("--colour=red", json!({"colour": "red"})),
        (
            "--labels a,b --labels c",
            json!({"labels": ["a", "b", "c"]}),
        ),
    ] {
        assert_eq!(
            typed_as(ship(), Syntax::getopt(), words),
            Ok(expected),
            "{words}"
        );
    }
    let told = typed_as(ship(), Syntax::getopt(), "-ax").expect_err("there is no x");
    assert!(told.contains("has no `--ax`"), "{told}");
}

#[test]
fn no_value_is_dropped() {
    let asked = |words: &str| typed_as(ship(), Syntax::getopt(), words);
    assert_eq!(
        asked("-m a -m b --message c"),
        Ok(json!({"message": ["a", "b", "c"]}))
    );
    let told = asked("--name a --name b").expect_err("it takes one");
    assert!(told.contains("`--name` is given twice"), "{told}");
    assert!(asked("-aa").is_err());
    assert!(asked("--all --all=false").is_err());
    // What stands between them may belong to the first.
    let told = asked("-m a Oslo -m b").expect_err("its place may matter");
    assert!(told.contains("`Oslo` stands between"), "{told}");
}

#[test]
fn what_stands_behind_dashes_goes_where_the_usage_has_them() {
    let asked = |words: &str| typed_as(ship(), Syntax::getopt(), words);
    assert_eq!(asked("-- --src"), Ok(json!({"path": ["--src"]})));
    assert_eq!(
        asked("Oslo -- src -x"),
        Ok(json!({"port": "Oslo", "path": ["src", "-x"]}))
    );
    let mut run = Command::new("p")
        .usage("p IMAGE [COMMAND] [ARG...]")
        .flag(Flag::new("all").short('a'));
    run.options_end_behind = Some(1);
    assert_eq!(
        typed_as(run, Syntax::pflag(), "-a img ls -la -- -a"),
        Ok(json!({"all": true, "image": "img", "command": "ls", "arg": ["-la", "--", "-a"]}))
    );
    let pattern = Command::new("p").usage("p [<a> | <b>] -- <file>...");
    assert_eq!(
        typed_as(pattern, Syntax::getopt(), "main -- src"),
        Ok(json!({"args": ["main", "--", "src"]}))
    );
}

#[test]
fn letters_are_only_read_together_where_programs_read_them_so() {
    let apart = |syntax: Syntax| {
        let command = Command::new("p")
            .flag(Flag::short_only('c'))
            .flag(Flag::short_only('o').pflag("string"));
        typed_as(command, syntax, "-cover")
    };
    assert_eq!(apart(Syntax::getopt()), Ok(json!({"c": true, "o": "ver"})));
    let mut syntax = Syntax::getopt();
    syntax.letters_together = false;
    assert!(apart(syntax).is_err());
}

#[test]
fn a_letter_is_the_commands_own_before_its_ancestors() {
    let commit = Command::new("commit").flag(Flag::new("change").short('c').pflag("stringArray"));
    let root = Command::new("p")
        .not_runnable()
        .flag(Flag::new("context").short('c').pflag("string"))
        .command(commit);
    let words = "-c a -c b";
    assert_eq!(
        typed_as(root, Syntax::pflag(), words),
        Ok(json!({"change": ["a", "b"]}))
    );
}

#[test]
fn a_word_that_is_needed_behind_an_optional_one_is_left_for_it() {
    let blame = || Command::new("p").usage("p [<rev>] -- <file>");
    let file = json!({"file": ["a.rs"]});
    assert_eq!(typed_as(blame(), Syntax::getopt(), "a.rs"), Ok(file));
    let both = json!({"rev": "main", "file": ["a.rs"]});
    assert_eq!(typed_as(blame(), Syntax::getopt(), "main a.rs"), Ok(both));
}

#[test]
fn what_follows_an_external_command_is_its_own() {
    let mut external = crate::model::Positional::new("external").variadic();
    external.external = true;
    let command = Command::new("ship")
        .flag(Flag::new("all").short('a'))
        .positional(external);
    let cli = Cli::new(command, Syntax::clap());
    let tool = Arc::clone(&catalogue(&cli, &CatalogueOptions::default()).tools[0]);
    let words: Vec<String> = ["-a", "load", "-b", "--all"].map(String::from).to_vec();
    let input = from_words(&tool, &words).map_err(|error| format!("{error} {:?}", error.hint));
    assert_eq!(
        input.map(Value::Object),
        Ok(json!({"all": true, "external": ["load", "-b", "--all"]}))
    );
}
