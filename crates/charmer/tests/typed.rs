//! Outputs that are declared by Rust types: what is published, what is checked, and what becomes of a mismatch.
//!
//! `cargo test -p charmer --features schemars --test typed`

use std::collections::BTreeMap;

use charmer::{
    Bridge, CallResult, Reply,
    schemars::{self, JsonSchema},
};
use clap::{Arg, Command};
use serde::Serialize;
use serde_json::{Map, json};

/// A note.
#[derive(Serialize, JsonSchema)]
struct Note {
    /// What it says
    text: String,
    /// When it is due
    due: Option<String>,
    /// Who wrote how much of it
    shares: BTreeMap<String, u8>,
    state: State,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum State {
    Open,
    Done,
}

fn bridge() -> Bridge {
    let cli = Command::new("notes").subcommand(Command::new("list").arg(Arg::new("how")));
    let list = |matches: &clap::ArgMatches| {
        let how = matches.get_one::<String>("how").map(String::as_str);
        let notes = vec![
            Note {
                text: "tea".into(),
                due: None,
                shares: BTreeMap::from([("ann".into(), 7)]),
                state: State::Open,
            },
            Note {
                text: "rice".into(),
                due: Some("today".into()),
                shares: BTreeMap::new(),
                state: State::Done,
            },
        ];
        Ok(match how {
            Some("text") => Reply::Text("two notes".into()),
            Some("wrong") => Reply::Text(json!([{"text": 7}]).to_string()),
            Some("odd") => Reply::Data(json!([{"text": 7}])),
            Some("printed") => {
                Reply::Text(serde_json::to_string(&notes).expect("it can be written"))
            }
            _ => Reply::Data(serde_json::to_value(&notes).expect("it can be written")),
        })
    };
    Bridge::new(cli)
        .output::<Vec<Note>>("list")
        .handler("list", list)
}

async fn call(how: &str) -> CallResult {
    let mut input = Map::new();
    input.insert("how".into(), how.into());
    let answer = bridge().assembled().call("notes_list", input).await;
    answer.expect("there is such a tool")
}

#[test]
fn the_type_is_published() {
    let tools = bridge().catalogue().tools;
    let tool = tools.iter().find(|tool| tool.name.as_str() == "notes_list");
    let data = &tool.expect("a tool").output_schema["properties"]["data"];
    let note = &data["properties"]["items"]["items"];
    assert_eq!(note["description"], "A note.");
    assert_eq!(note["properties"]["due"]["type"], "string");
    assert_eq!(note["properties"]["state"]["enum"], json!(["open", "done"]));
    let share = &note["properties"]["shares"]["additionalProperties"];
    assert_eq!(share["type"], "integer");
    assert_eq!(note["required"], json!(["text", "shares", "state"]));
}

#[tokio::test]
async fn what_fits_is_data_without_nulls() {
    for how in ["data", "printed"] {
        let result = call(how).await;
        let items = &result.structured["data"]["items"];
        let first = json!({"text": "tea", "shares": {"ann": 7}, "state": "open"});
        assert_eq!(items[0], first, "{how}");
        assert_eq!(items[1]["due"], "today");
        assert!(!result.is_error);
    }
}

#[tokio::test]
async fn what_does_not_fit_is_said_and_delivered() {
    let wrong = r#"[{"text":7}]"#;
    for (how, printed) in [("text", "two notes"), ("wrong", wrong), ("odd", wrong)] {
        let result = call(how).await;
        assert!(result.is_error);
        assert_eq!(result.structured["error"]["code"], "output_mismatch");
        assert_eq!(result.structured["stdout"], printed);
        assert_eq!(result.structured.get("data"), None);
        assert!(result.text.starts_with(printed), "{}", result.text);
    }
    let wrong = call("wrong").await;
    let message = wrong.structured["error"]["message"].as_str();
    assert!(
        message.is_some_and(|m| m.contains("/items/0/text")),
        "{message:?}"
    );
}
