//! Words as input.

use std::sync::Arc;

use charmer_core::{
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
    let mut options = CatalogueOptions::default();
    options.layout = layout;
    Arc::clone(&catalogue(&Cli::new(command, Syntax::pflag()), &options).tools[0])
}

fn read(words: &[&str]) -> Result<Value, String> {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    from_words(&tool(Layout::Flat), &words)
        .map(Value::Object)
        .map_err(|problem| problem.to_string())
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
