//! Command lines in the place of a command's name, as assistants write them.

use charmer_core::{
    expose::Expose,
    model::{Command, Effect, Flag, Hints},
};
use serde_json::{Value, json};

use super::{tests::*, *};
use crate::Excluded;

/// A program with a flag of its own before its commands, and one that holds another.
fn ship() -> ToolSet {
    let list = Command::new("list")
        .usage("list [PATTERN]")
        .hints(Hints::new(Effect::Read))
        .flag(Flag::new("limit").short('n').pflag("int"))
        .flag(Flag::new("all").short('a'));
    let crew = Command::new("crew")
        .hints(Hints::new(Effect::Read))
        .command(Command::new("show").hints(Hints::new(Effect::Read)));
    let mut harbour = Flag::new("harbour").short('H').pflag("string");
    harbour.global = true;
    let root = Command::new("ship")
        .not_runnable()
        .flag(harbour)
        .command(list)
        .command(crew);
    served(root)
}

async fn ran(exposed: &Exposed, input: Value) -> Result<String, String> {
    let result = call(exposed, "run_read", input).await;
    match result.is_error {
        false => Ok(result.structured["stdout"]
            .as_str()
            .unwrap_or_default()
            .to_owned()),
        true => Err(result.structured["error"].to_string()),
    }
}

#[tokio::test]
async fn a_whole_command_line_is_its_command_with_its_arguments() {
    let index = Exposure::new(Expose::Index).apply(ship());
    for (line, argv) in [
        ("ship list --limit 3", "list --limit=3"),
        (
            "ship list -an3 'two words'",
            "list --limit=3 --all two words",
        ),
        ("ship -H oslo list", "list --harbour=oslo"),
        ("ship --harbour=oslo crew show", "crew show --harbour=oslo"),
        ("ship crew", "crew"),
        ("ship_list --all", "list --all"),
        ("list --all", "list --all"),
    ] {
        let expected = format!("ran {argv}");
        assert_eq!(
            ran(&index, json!({ "command": line })).await,
            Ok(expected),
            "{line}"
        );
    }
    let noted = call(&index, "run_read", json!({"command": "ship list -n 3"})).await;
    let notes = noted.structured["notes"].to_string();
    assert!(
        notes.contains("taken as `ship_list` with `limit`"),
        "{notes}"
    );
}

#[tokio::test]
async fn arguments_may_be_words_too_and_nothing_is_given_twice() {
    let index = Exposure::new(Expose::Index).apply(ship());
    for input in [
        json!({"command": "ship list", "arguments": ["-n", 3, "--all"]}),
        json!({"command": "ship list", "arguments": "-n 3 --all"}),
        json!({"command": "ship list", "args": ["-n3", "-a"]}),
        json!({"command": "ship list -n 3", "arguments": {"all": true}}),
        json!({"command": "ship list -n 3", "arguments": "--all"}),
    ] {
        let expected = Ok("ran list --limit=3 --all".to_owned());
        assert_eq!(ran(&index, input.clone()).await, expected, "{input}");
    }
    for (input, told) in [
        (
            json!({"command": "ship list -n 3", "arguments": {"limit": 4}}),
            "given twice",
        ),
        (
            json!({"command": "ship list", "args": [], "arguments": {}}),
            "no such key",
        ),
        (
            json!({"command": "ship list", "arguments": [["-a"]]}),
            "expected an object",
        ),
        (
            json!({"command": "ship list --al"}),
            "did you mean `--all`?",
        ),
    ] {
        let refused = ran(&index, input.clone()).await.expect_err("it is wrong");
        assert!(refused.contains(told), "{input}: {refused}");
    }
}

#[tokio::test]
async fn a_shell_is_never_played() {
    let index = Exposure::new(Expose::Index).apply(ship());
    for line in [
        "ship list | wc -l",
        "ship list > file",
        "ship list; ship crew",
        "ship list\nship crew",
        "ship list $HOME",
        "ship list `id`",
        "ship list $(id)",
        "ship list 'open",
    ] {
        let refused = ran(&index, json!({ "command": line })).await;
        let refused = refused.expect_err("there is none");
        assert!(
            refused.contains("there is no shell here"),
            "{line}: {refused}"
        );
        let words = json!({"command": "ship list", "arguments": &line["ship list".len()..]});
        ran(&index, words)
            .await
            .expect_err("there is none here either");
    }
    // In quotation marks it is a text like another.
    let quoted = ran(&index, json!({"command": "ship list '$(id) | wc'"})).await;
    assert_eq!(quoted, Ok("ran list $(id) | wc".to_owned()));
}

#[tokio::test]
async fn a_line_does_no_more_than_its_command_may() {
    let index = Exposure::new(Expose::Index).apply(shop(1));
    let refused = call(
        &index,
        "run_read",
        json!({"command": "shop list --report x"}),
    )
    .await;
    assert_eq!(code(&refused), "not_permitted");
    let refused = call(
        &index,
        "run_read",
        json!({"command": "shop wipe --limit 3"}),
    )
    .await;
    assert!(refused.is_error);
    let excluded = shop(1).excluding([Excluded::new("shop_drop", "deny")]);
    let index = Exposure::new(Expose::Index).apply(excluded);
    let refused = ran(&index, json!({"command": "shop drop --all"})).await;
    let refused = refused.expect_err("it is kept out");
    assert!(
        refused.contains("`shop_drop` is not offered: deny"),
        "{refused}"
    );
}

#[tokio::test]
async fn a_line_waits_until_all_commands_are_known() {
    let growing = Exposure::new(Expose::Index).growing(true).apply(ship());
    let run = growing.tools.get("run_read").expect("it is there");
    for input in [
        json!({"command": "ship crew show"}),
        json!({"command": "ship list", "arguments": {}}),
    ] {
        let input = input.as_object().expect("an object").clone();
        assert!(run.resolve(input).certain);
    }
    for input in [
        json!({"command": "ship crew shows"}),
        json!({"command": "ship list", "arguments": "--all"}),
    ] {
        let input = input.as_object().expect("an object").clone();
        assert!(!run.resolve(input).certain);
    }
}
