//! Every way to add the bridge to a CLI: derive and builder, plain and inside a runtime, and everything that the
//! builder can say.

use std::{
    process::{Command, Stdio},
    sync::{Arc, Mutex},
};

use charmer::{ArgSpec, Bridge, CommandRule, Hints, Selector};
use serde_json::{Value, json};

use crate::client::{Client, example, text};

#[test]
fn derive_in_a_plain_main() {
    let mut client = Client::start("derive");
    let names: Vec<_> = client
        .tools()
        .iter()
        .map(|tool| tool["name"].clone())
        .collect();
    assert_eq!(names, ["todo_add", "todo_list"]);
    let result = client.call("todo_add", json!({"text": "write tests", "priority": 7}));
    assert_eq!(text(&result), "added \"write tests\" with priority 7");
    assert_eq!(
        result["structuredContent"],
        json!({"exitCode": 0, "stdout": "added \"write tests\" with priority 7\n"})
    );
    assert_eq!(
        text(&client.call("todo_list", json!({"verbose": true}))),
        "nothing to do, really"
    );
    assert!(client.close().success());
}

#[test]
fn builder_in_a_plain_main() {
    let mut client = Client::start("builder");
    assert_eq!(
        text(&client.call("greet", json!({"name": "-you-", "times": 2, "loud": true}))),
        "HELLO -you-!\nHELLO -you-!"
    );
    // The range is clap's own knowledge.
    let refused = client.call("greet", json!({"name": "x", "times": 11}));
    assert_eq!(refused["isError"], true);
    assert!(text(&refused).contains("11 is not in 1..=10"), "{refused}");
}

#[test]
fn derive_inside_a_runtime() {
    let mut client = Client::start("derive_tokio");
    assert_eq!(
        text(&client.call("timer_wait", json!({"millis": 1}))),
        "ring after 1 ms"
    );
    assert!(client.close().success());
}

#[test]
fn builder_inside_a_runtime() {
    let mut client = Client::start("builder_tokio");
    assert_eq!(
        text(&client.call("adder_add", json!({"numbers": [1, -5, 10]}))),
        "6"
    );
    assert!(client.close().success());
}

#[test]
fn the_cli_itself_still_works() {
    let run = |name: &str, args: &[&str]| {
        let output = Command::new(example(name))
            .args(args)
            .stdin(Stdio::null())
            .output()
            .expect("it was built");
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stdout).into_owned(),
        )
    };
    assert_eq!(
        run("derive", &["add", "x"]),
        (Some(0), "added \"x\" with priority 3\n".into())
    );
    assert_eq!(run("builder", &["you"]), (Some(0), "Hello you\n".into()));
    assert_eq!(run("derive_tokio", &["wait", "--millis=0"]).0, Some(0));
    assert_eq!(
        run("builder_tokio", &["add", "1", "2"]),
        (Some(0), "3\n".into())
    );
    let (code, help) = run("derive", &["--help"]);
    assert_eq!(code, Some(0));
    assert!(help.contains("mcp"), "{help}");
    let (code, help) = run("derive", &["mcp", "--help"]);
    assert_eq!(code, Some(0));
    assert!(help.contains("start") && help.contains("tools"), "{help}");
    assert_eq!(run("derive", &["mcp", "nonsense"]).0, Some(2));
    assert_eq!(run("derive", &["mcp"]).0, Some(2));
}

#[test]
fn tools_are_written_to_a_file_or_to_stdout() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |args: &[&str]| {
        let output = Command::new(example("derive"))
            .args(args)
            .current_dir(folder.path())
            .output()
            .expect("it was built");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("text")
    };
    assert_eq!(run(&["mcp", "tools"]), "Wrote 2 tools to mcp-tools.json\n");
    let written =
        std::fs::read_to_string(folder.path().join("mcp-tools.json")).expect("it was written");
    assert_eq!(run(&["mcp", "tools", "-o", "-"]), written);
    let written: Value = serde_json::from_str(&written).expect("JSON");

    let mut client = Client::start("derive");
    assert_eq!(written["tools"], Value::Array(client.tools()));

    let failed = Command::new(example("derive"))
        .args(["mcp", "tools", "-o", "no/such/folder/x"])
        .output()
        .expect("it was built");
    assert_eq!(failed.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&failed.stderr).contains("failed to write `no/such/folder/x`"),
        "{failed:?}"
    );
}

#[test]
fn mcp_mode_starts_the_server() {
    // `todo` alone would fail for want of a subcommand.
    let mut client = Client::start_with(Command::new(example("derive")).env("MCP_MODE", "true"));
    assert_eq!(client.tools().len(), 2);
    // The three-line form parses first, so it needs a command line that parses.
    let mut client = Client::start_with(
        Command::new(example("builder"))
            .arg("you")
            .env("MCP_MODE", "true"),
    );
    assert_eq!(text(&client.call("greet", json!({"name": "x"}))), "Hello x");
    // A child of a bridge is no bridge.
    let output = Command::new(example("derive"))
        .arg("list")
        .envs([("MCP_MODE", "true"), ("CHARMER_TOOL", "1")])
        .stdin(Stdio::null())
        .output()
        .expect("it was built");
    assert_eq!(output.stdout, b"nothing to do\n");
}

#[test]
fn the_builder_does_what_it_says() {
    let mut client = Client::spawn(
        Command::new(example("configured"))
            .args(["mcp", "start"])
            .env("LD_AUDIT_TEST", "x"),
    );
    let answer = client.initialize();
    assert_eq!(
        answer["result"]["serverInfo"],
        json!({"name": "pantry", "version": "2.1.0"})
    );
    assert_eq!(answer["result"]["instructions"], "List before you add.");

    let tools = client.tools();
    let names: Vec<_> = tools
        .iter()
        .map(|tool| tool["name"].as_str().expect("a name"))
        .collect();
    assert_eq!(
        names,
        [
            "food_list",
            "food_add",
            "food_remove",
            "food_watch",
            "food_empty",
            "food_import",
            "food_environment",
            "food_count"
        ]
    );
    let keys = |at: usize| -> Vec<&String> {
        tools[at]["inputSchema"]["properties"]
            .as_object()
            .expect("an object")
            .keys()
            .collect()
    };
    assert_eq!(keys(1), ["item", "db", "grams"]);
    assert_eq!(
        tools[1]["inputSchema"]["properties"]["item"]["description"],
        "What to add, in the singular"
    );
    assert_eq!(keys(2), ["name", "db"]);
    assert_eq!(
        tools[0]["annotations"],
        json!({"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false})
    );
    assert_eq!(tools[2]["annotations"]["destructiveHint"], true);
    assert_eq!(
        tools[0]["outputSchema"]["properties"]["data"]["properties"]["items"]["type"],
        "array"
    );

    // A hook changed the input, and the declared output became data.
    let list = client.call("food_list", json!({"db": "mine.db"}));
    assert_eq!(
        list["structuredContent"],
        json!({"exitCode": 0, "data": {"items": ["salt", "rice"], "db": "shared.db"}})
    );

    // Validation and conversion of single arguments.
    assert_eq!(
        text(&client.call("food_add", json!({"item": "rice", "grams": 91}))),
        "added 100 g of rice"
    );
    let refused = client.call("food_add", json!({"item": "Rice"}));
    assert!(
        text(&refused).contains("`item`: expected a name in lower case, found the string \"Rice\""),
        "{refused}"
    );
    assert_eq!(
        refused["structuredContent"]["error"]["hint"],
        "the pantry's door is to the left"
    );

    // A selector's own hook, and a flag that it takes away.
    let refused = client.call("food_remove", json!({"name": "salt"}));
    assert_eq!(
        refused["structuredContent"]["error"]["code"],
        "not_permitted"
    );
    let refused = client.call("food_remove", json!({"name": "rice", "force": true}));
    assert_eq!(
        refused["structuredContent"]["error"]["code"],
        "invalid_arguments"
    );

    // A failure of the program keeps its output.
    let failed = client.call("food_remove", json!({"name": "rice"}));
    assert_eq!(failed["isError"], true);
    assert_eq!(text(&failed), "removed rice\nexit code 3");
    assert_eq!(failed["structuredContent"]["exitCode"], 3);
    assert_eq!(failed["structuredContent"]["stdout"], "removed rice\n");

    // A handler in the server's own process, and one that panics.
    let counted = client.call("food_count", json!({"name": "flour"}));
    assert_eq!(
        counted["structuredContent"]["data"],
        json!({"name": "flour", "letters": 5})
    );
    let panicked = client.call("food_count", json!({"name": "boom"}));
    assert_eq!(panicked["structuredContent"]["error"]["code"], "internal");

    // A confirmation that must be given, and text to read.
    let refused = client.call("food_empty", json!({}));
    assert!(
        text(&refused)
            .contains("`confirm`: expected true, found nothing (it says that the user has agreed"),
        "{refused}"
    );
    assert_eq!(
        text(&client.call("food_empty", json!({"confirm": true}))),
        "emptied"
    );
    let imported = client.call("food_import", json!({"stdin": "rice\nsalt\n"}));
    assert_eq!(text(&imported), "imported rice\nimported salt");
    assert_eq!(
        text(&client.call("food_import", json!({}))),
        "exit code 0, no output"
    );

    // What children see.
    let seen = client.call("food_environment", json!({}));
    let seen: Value = serde_json::from_str(&text(&seen)).expect("JSON");
    assert_eq!(seen["env"]["MCP_MODE"], "true");
    assert_eq!(seen["env"]["PANTRY_MODE"], "assistant");
    assert_eq!(seen["env"]["LD_AUDIT_TEST"], Value::Null);
    assert_eq!(seen["marked"], true);
    assert!(client.close().success());
}

#[test]
fn the_nested_layout_calls_the_same() {
    let mut client = Client::start_with(
        Command::new(example("configured"))
            .args(["mcp", "start"])
            .env("PANTRY_NESTED", "1"),
    );
    assert_eq!(
        text(&client.call(
            "food_add",
            json!({"flags": {"grams": 10}, "args": ["rice"]})
        )),
        "added 10 g of rice"
    );
    let refused = client.call("food_add", json!({"flags": {"gram": 10}}));
    assert!(text(&refused).contains("`flags.gram`"), "{refused}");
}

fn small() -> clap::Command {
    clap::Command::new("app").subcommand(clap::Command::new("go").arg(clap::Arg::new("to")))
}

#[test]
#[should_panic(expected = "annotate names the command `gone`, which does not exist")]
fn a_developers_typing_error_panics() {
    Bridge::new(small())
        .annotate("gone", Hints::reads())
        .catalogue();
}

#[test]
#[should_panic(expected = "names `form`, which `go` does not have")]
fn an_argument_that_does_not_exist_panics() {
    Bridge::new(small())
        .validate("go", "form", |_| Ok(()))
        .catalogue();
}

#[test]
fn a_check_finds_all_names_that_do_not_exist_at_once() {
    let right = Bridge::new(small())
        .annotate("go", Hints::reads())
        .validate("go", "to", |_| Ok(()));
    assert_eq!(right.check(), Ok(()));
    let wrong = Bridge::new(small())
        .annotate("gone", Hints::reads())
        .stdin("went")
        .confirm("go", "yes")
        .validate("go", "form", |_| Ok(()))
        .convert("left", "to", Ok);
    let wrong = wrong.check().expect_err("none of them is there");
    let named = ["`gone`", "`went`", "`yes`", "`form`", "`left`"];
    for (mistake, name) in wrong.mistakes().iter().zip(named) {
        assert!(mistake.contains(name), "{mistake}");
    }
    assert_eq!(wrong.mistakes().len(), named.len());
}

#[test]
fn tools_and_calls_without_a_server() {
    let bridge = Bridge::new(small())
        .selector(Selector::new(CommandRule::allow(["go"])))
        .args("go", [ArgSpec::new("destination").required()])
        .handler("go", |matches| {
            Ok(format!(
                "to {}",
                matches.get_one::<String>("to").map_or("", String::as_str)
            ))
        });
    assert_eq!(bridge.catalogue().tools[0].definition()["name"], "app_go");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let result = runtime.block_on(
        bridge.call(
            "app_go",
            json!({"destination": "Rome"})
                .as_object()
                .cloned()
                .unwrap_or_default(),
        ),
    );
    assert_eq!(result.expect("it is known").text, "to Rome");
    let unknown = runtime.block_on(bridge.call("app_gone", serde_json::Map::new()));
    assert_eq!(
        unknown.expect_err("it is unknown").to_string(),
        "unknown tool `app_gone`"
    );
}

#[test]
fn output_is_parsed_and_calls_are_told_to_the_logger() {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&lines);
    let bridge = Bridge::new(small())
        .handler("go", |_| Ok("Rome, Paris".to_owned()))
        .parse_output(|_, raw| Some(json!({"cities": raw.split(", ").collect::<Vec<_>>()})))
        .logger(move |_, line| {
            let mut lines = log.lock().expect("nobody panics with it");
            lines.push(line.to_owned());
        });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let result = runtime.block_on(bridge.call("app_go", serde_json::Map::new()));
    assert_eq!(
        result.expect("it is known").structured["data"],
        json!({"cities": ["Rome", "Paris"]})
    );
    let lines = lines.lock().expect("nobody panics with it");
    assert!(
        lines.iter().any(|line| line.contains("app_go")),
        "{lines:?}"
    );
}
