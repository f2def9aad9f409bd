//! The torture CLI over MCP: a program sees exactly what was meant, or the call is refused with a reason.
//!
//! The table is written for the flat layout; a second server takes the same rows in the nested one.

mod nasty;
mod rows;

use std::{collections::HashMap, process::Command};

use charmer::Bridge;
use serde_json::{Map, Value, json};

use crate::client::{Client, example};

/// What must come of a call.
enum Expected {
    /// The program runs and prints this, beside its command.
    Sees(Value),
    /// It does not run, and the reason holds this text.
    Refused(&'static str),
}

use Expected::{Refused, Sees};

struct Row {
    command: &'static str,
    input: Value,
    expected: Expected,
}

/// The torture CLI, served.
struct Torture {
    client: Client,
    /// The tools by the command line that they stand for.
    tools: HashMap<String, Value>,
    /// The tool that the commands are run through, if they are not run by their own.
    through: Option<&'static str>,
    failures: Vec<String>,
}

impl Torture {
    fn start(layout: &str) -> Self {
        let mut client = Self::client(layout, "all", false);
        let listed = client.tools();
        let command_of = |tool: &Value| {
            tool["title"]
                .as_str()
                .unwrap_or_default()
                .replacen("torture ", "", 1)
        };
        let tools = listed
            .iter()
            .map(|tool| (command_of(tool), tool.clone()))
            .collect();
        Self {
            client,
            tools,
            through: None,
            failures: Vec::new(),
        }
    }

    /// The same with a few tools that stand for all commands: all of them are said to read, or none is.
    fn start_indexed(layout: &str, reads: bool) -> Self {
        let mut torture = Self::start(layout);
        torture.client = Self::client(layout, "index", reads);
        torture.through = Some(if reads { "run_read" } else { "run_write" });
        torture
    }

    fn client(layout: &str, expose: &str, reads: bool) -> Client {
        let mut command = Command::new(example("torture"));
        if reads {
            command.env("TORTURE_READS", "yes");
        }
        Client::start_with(
            command
                .args(["mcp", "start", "--expose", expose])
                // What the program saw is compared, in a shape that every result has.
                .args(["--results", "structured"])
                .env("TORTURE_LAYOUT", layout)
                .env("TORTURE_TOKEN", "t0ken")
                .env("TORTURE_REGION", "eu")
                .env("TORTURE_PEPPER", "from the environment")
                .env("TORTURE_COLOR", "true")
                .env("TORTURE_PLAIN", "false")
                .env_remove("TORTURE_UNSET"),
        )
    }

    fn name(&self, command: &str) -> String {
        let tool = self
            .tools
            .get(command)
            .unwrap_or_else(|| panic!("no tool for `{command}`"));
        tool["name"].as_str().expect("a tool has a name").to_owned()
    }

    /// Makes a call and notes down if something else came of it than was expected.
    fn check(&mut self, command: &str, input: Value, expected: &Expected) {
        let shown = format!("{command} {input}");
        let name = self.name(command);
        let result = match self.through {
            Some(tool) => {
                let routed = json!({"command": name, "arguments": input});
                self.client.call(tool, routed)
            }
            None => self.client.call(&name, input),
        };
        let content = &result["structuredContent"];
        let problem = match expected {
            Sees(expected) => {
                let printed = content["stdout"].as_str().unwrap_or_default();
                let seen: Value = serde_json::from_str(printed).unwrap_or_default();
                let mut wanted = expected.clone();
                wanted["command"] = command.into();
                (seen != wanted).then(|| format!("wanted {wanted}, got {content}"))
            }
            Refused(reason) => {
                let message = content["error"]["message"].as_str().unwrap_or_default();
                let code = content["error"]["code"].as_str().unwrap_or_default();
                let refused = result["isError"] == true
                    && ["invalid_arguments", "not_permitted"].contains(&code)
                    && message.len() > 10
                    && message.contains(reason);
                (!refused).then(|| format!("wanted a refusal with {reason:?}, got {content}"))
            }
        };
        self.failures
            .extend(problem.map(|problem| format!("{shown}: {problem}")));
    }

    fn done(self) {
        assert!(
            self.failures.is_empty(),
            "{} rows failed:\n{}",
            self.failures.len(),
            self.failures.join("\n")
        );
    }
}

/// The rows that both layouts can say.
fn table() -> Vec<Row> {
    let parts = [
        rows::flags_and_values(),
        rows::positionals(),
        rows::relations(),
        rows::types(),
        rows::trees(),
    ];
    parts.into_iter().flatten().collect()
}

#[test]
fn the_program_sees_what_was_meant() {
    let mut torture = Torture::start("flat");
    for row in table().into_iter().chain(rows::flat_only()) {
        torture.check(row.command, row.input, &row.expected);
    }
    torture.done();
}

#[test]
fn nasty_texts_arrive_everywhere() {
    let mut torture = Torture::start("flat");
    for row in nasty::rows() {
        torture.check(row.command, row.input, &row.expected);
    }
    torture.done();
}

/// Everything once more through a tool that stands for all.
fn through(reads: bool) {
    let mut torture = Torture::start_indexed("flat", reads);
    let listed = torture.client.tools();
    let names = listed.iter().filter_map(|tool| tool["name"].as_str());
    let names: Vec<&str> = names.collect();
    let run = torture.through.expect("it is indexed");
    assert!(names.starts_with(&["search_commands", "describe_commands"]));
    assert!(names.contains(&run), "{names:?}");
    let rows = table().into_iter().chain(rows::flat_only());
    for row in rows.chain(nasty::rows()) {
        torture.check(row.command, row.input, &row.expected);
    }
    torture.done();
    let mut torture = Torture::start_indexed("nested", reads);
    for row in rows::nested_only() {
        torture.check(row.command, row.input, &row.expected);
    }
    torture.done();
}

#[test]
fn through_run_write_the_program_sees_the_same() {
    through(false);
}

#[test]
fn through_run_read_the_program_sees_the_same() {
    through(true);
}

#[test]
fn the_nested_layout_means_the_same() {
    let flat = Torture::start("flat");
    let mut torture = Torture::start("nested");
    for row in table().into_iter().chain(nasty::rows()) {
        let properties =
            |torture: &Torture| torture.tools[row.command]["inputSchema"]["properties"].clone();
        let input = to_nested(&row.input, &properties(&flat), &properties(&torture));
        // Paths and types are told differently: a refusal is enough.
        let expected = match row.expected {
            Refused(_) => Refused(""),
            sees @ Sees(_) => sees,
        };
        torture.check(row.command, input, &expected);
    }
    torture.done();
}

#[test]
fn what_the_nested_layout_adds() {
    let mut torture = Torture::start("nested");
    for row in rows::nested_only() {
        torture.check(row.command, row.input, &row.expected);
    }
    torture.done();
}

/// The same input in the other layout.
fn to_nested(input: &Value, flat: &Value, nested: &Value) -> Value {
    let input = input.as_object().expect("it is an object");
    let mut flags = Map::new();
    let mut out = Map::new();
    for (key, value) in input {
        if nested["flags"]["properties"].get(key).is_some() || flat.get(key).is_none() {
            flags.insert(key.clone(), value.clone());
        } else if nested.get(key).is_some() {
            out.insert(key.clone(), value.clone());
        }
    }
    let text = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    let listed = flat
        .as_object()
        .expect("it is an object")
        .keys()
        .filter(|key| {
            nested["flags"]["properties"].get(key.as_str()).is_none()
                && nested.get(key.as_str()).is_none()
        });
    let mut args = Vec::new();
    for value in listed.filter_map(|key| input.get(key)) {
        match value {
            Value::Array(items) => args.extend(items.iter().map(text)),
            one => args.push(text(one)),
        }
    }
    if !flags.is_empty() {
        out.insert("flags".into(), flags.into());
    }
    if !args.is_empty() {
        out.insert("args".into(), args.into());
    }
    out.into()
}

/// One argument may have 131,071 bytes on Linux, a flag's name included; NUL cannot be in any.
#[test]
fn the_longest_values() {
    const LONGEST: usize = 131_071;
    let mut torture = Torture::start("flat");
    let text = torture.name("text");
    let prefix = "--value=".len();
    for (key, id, most) in [
        ("value", "value", LONGEST - prefix),
        ("text", "text", LONGEST),
        ("t", "brief", LONGEST - 3),
    ] {
        let result = torture.client.call(&text, json!({key: "x".repeat(most)}));
        let printed = json!({"command": "text", id: "x".repeat(most)})
            .to_string()
            .len()
            + 1;
        assert_eq!(
            result["isError"], false,
            "{key}: {}",
            result["structuredContent"]["error"]
        );
        assert_eq!(
            result["structuredContent"]["truncated"]["stdout"]["bytes"], printed,
            "{key}"
        );
        torture.check(
            "text",
            json!({key: "x".repeat(most + 1)}),
            &Refused("131072 bytes"),
        );
        torture.check("text", json!({key: "a\0b"}), &Refused("NUL"));
        torture.check("text", json!({key: "\0"}), &Refused("NUL"));
    }
    torture.check("lists", json!({"tag": ["a", "\0"]}), &Refused("NUL"));
    torture.check("last-only", json!({"words": ["a\0"]}), &Refused("NUL"));
    torture.check(
        "external",
        json!({"external_command": ["name", "\0"]}),
        &Refused("NUL"),
    );
    torture.done();
}

#[test]
fn what_is_listed() {
    let mut torture = Torture::start("flat");
    let listed = torture.client.tools();
    let mut names: Vec<&str> = listed
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert_eq!(
        names.len(),
        torture.tools.len(),
        "every tool stands for a command of its own"
    );
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), listed.len(), "names are unique");
    let valid = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    assert!(
        names
            .iter()
            .all(|name| name.len() <= 64 && name.chars().all(valid)),
        "{names:?}"
    );

    // The plain name belongs to the command whose words are joined; the others are told apart.
    assert_eq!(torture.name("a b"), "torture_a_b");
    for other in ["a_b", "a.b"] {
        assert!(
            torture.name(other).starts_with("torture_a_b_"),
            "{}",
            torture.name(other)
        );
    }
    // The user's own `mcp` is a tool, the bridge's is not.
    assert_eq!(torture.name("tools mcp"), "torture_tools_mcp");
    for absent in [
        "mcp",
        "mcp start",
        "mcp tools",
        "help",
        "secret",
        "secret open",
        "deep",
        "deep mid",
        "tools",
        "a",
        "",
    ] {
        assert!(!torture.tools.contains_key(absent), "{absent}");
    }
    for hidden in [
        "torture_secret",
        "torture_secret_open",
        "torture_mcp",
        "torture_mcp_start",
        "torture_help",
        "torture",
    ] {
        let answer = torture
            .client
            .request("tools/call", json!({"name": hidden, "arguments": {}}));
        assert!(answer["error"].is_object(), "{hidden}: {answer}");
    }
    let all = json!(listed).to_string();
    for hidden in ["unshown", "secret-open", "torture_secret"] {
        assert!(!all.contains(hidden), "{hidden} is listed");
    }
    let property =
        |command: &str, key: &str| torture.tools[command]["inputSchema"]["properties"][key].clone();
    assert_eq!(
        property("choices", "speed")["enum"],
        json!(["fast", "very-slow"]),
        "hidden and other names are not told"
    );
    assert_eq!(property("defaults", "uint")["default"], json!(u64::MAX));
    assert_eq!(property("defaults", "int")["default"], json!(i64::MIN));
    assert_eq!(property("flags", "effort")["default"], json!(2));
    assert_eq!(property("flags", "checks")["default"], json!(true));
    assert!(
        property("optional", "color")["description"]
            .to_string()
            .contains("always")
    );
    assert!(
        property("unicode", "gr__e")["description"]
            .to_string()
            .contains("Wie groß? ½ m")
    );
    assert!(
        torture.tools["unicode"]["description"]
            .to_string()
            .contains("大きさ")
    );
    let required = |command: &str| torture.tools[command]["inputSchema"]["required"].clone();
    assert_eq!(
        required("environment"),
        Value::Null,
        "the environment has the token"
    );
    assert_eq!(required("negates"), json!(["name"]));
    assert_eq!(required("negates now"), Value::Null);
    assert_eq!(required("rivals"), Value::Null);
    assert_eq!(required("deep mid leaf"), json!(["project"]));
}

/// Without the variable, the argument that it would have set is required.
#[test]
fn a_variable_that_is_not_set() {
    let mut client = Client::start_with(
        Command::new(example("torture"))
            .args(["mcp", "start"])
            .env_remove("TORTURE_TOKEN"),
    );
    let result = client.call("torture_environment", json!({}));
    assert_eq!(
        result["structuredContent"]["error"]["code"],
        "invalid_arguments"
    );
    let result = client.call(
        "torture_environment",
        json!({"token": "mine", "color": false}),
    );
    assert_eq!(result["isError"], false, "{result}");
}

#[test]
fn a_cli_with_an_mcp_of_its_own() {
    let own = clap::Command::new("tool").subcommand(
        clap::Command::new("mcp")
            .about("Ours")
            .arg(clap::Arg::new("verb")),
    );
    let bridge = Bridge::new(own.clone()).command_name("assist");
    let names = |bridge: &Bridge| -> Vec<String> {
        bridge
            .catalogue()
            .tools
            .iter()
            .map(|tool| tool.name.to_string())
            .collect()
    };
    assert_eq!(names(&bridge), ["tool", "tool_mcp"]);
    let mounted = bridge.mount();
    mounted.clone().debug_assert();
    assert!(
        mounted.find_subcommand("assist").is_some() && mounted.find_subcommand("mcp").is_some()
    );
    // Handed over with the bridge's command already added, that one is left out and the other stays.
    assert_eq!(
        names(&Bridge::new(mounted).command_name("assist")),
        ["tool", "tool_mcp"]
    );
}
