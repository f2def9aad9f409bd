//! `charmer serve`, over MCP.

use std::process::Stdio;

use serde_json::json;

use crate::support::{Session, charmer, err, example, ship, works};

#[test]
fn a_program_is_served() {
    let mut session = Session::start(&mut charmer(&["serve", &ship()]));
    session.settle();
    let line = session.line("tools/list", json!({}));
    // Byte for byte what `charmer tools --json` prints.
    let printed = works(&["tools", &ship(), "--json"]);
    assert!(
        line.contains(printed.trim_end().trim_end_matches('}')),
        "{line}\n{printed}"
    );
    let result = session.call("ship_list", json!({"all": true, "limit": 5}));
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    assert!(
        text.starts_with(r#"["list", "--all", "--limit=5"]"#),
        "{result}"
    );
    let result = session.call("ship_sink", json!({}));
    let sunk = json!({
        "content": [{"type": "text", "text": "the ship has sunk\nexit code 3"}],
        "isError": true,
    });
    assert_eq!(result, sunk);
    assert!(session.end().success());
}

/// The tools with a schema for their results, and whether the results of these calls are structured: some text, a failure,
/// a refusal.
fn forms(words: &[&str]) -> (Vec<String>, [bool; 3]) {
    let ship = ship();
    let words = [&["serve", &ship], words].concat();
    let mut session = Session::start(&mut charmer(&words));
    session.settle();
    let list = session.request("tools/list", json!({}));
    let tools = list["result"]["tools"].as_array().expect("a list");
    let with_schema = tools
        .iter()
        .filter(|tool| tool["outputSchema"].is_object())
        .map(|tool| tool["name"].as_str().expect("a name").to_owned())
        .collect();
    let calls = [
        ("ship_list", json!({})),
        ("ship_sink", json!({})),
        ("ship_list", json!({"limit": "many"})),
    ];
    let structured = calls.map(|(tool, input)| {
        let result = session.call(tool, input);
        assert!(result["content"][0]["text"].is_string(), "{result}");
        result["structuredContent"].is_object()
    });
    assert!(session.end().success());
    (with_schema, structured)
}

#[test]
fn results_are_structured_where_that_says_more_or_as_it_was_asked_for() {
    let auto = forms(&[]);
    assert_eq!(auto, (vec![], [false, false, true]));
    assert_eq!(forms(&["--results", "auto"]), auto);
    assert_eq!(forms(&["--results", "structured"]), (vec![], [true; 3]));
    assert_eq!(forms(&["--results", "text"]), (vec![], [false; 3]));
    // Where each command is a tool, it has a schema for its results, which clients hold it to.
    let (all, structured) = forms(&["--expose", "all"]);
    assert!(all.contains(&"ship_list".to_owned()), "{all:?}");
    assert_eq!(structured, [true; 3]);
    let text = forms(&["--expose", "all", "--results", "text"]);
    assert_eq!(text, (vec![], [false; 3]));
}

#[test]
fn a_spells_results_are_structured_and_its_tool_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let spell = "name: greet\ndescription: Greets\ncommand: echo hello\npaths: [.]\n";
    std::fs::write(folder.path().join("greet.yaml"), spell).expect("written");
    let spells = folder.path().to_string_lossy();
    for (results, structured) in [("auto", true), ("structured", true), ("text", false)] {
        let words = ["serve", "--spells", &spells, "--results", results];
        let mut session = Session::start(&mut charmer(&words));
        let list = session.request("tools/list", json!({}));
        let tools = list["result"]["tools"].as_array().expect("a list");
        // What is told of drafts is the same in every result, and in no schema.
        for tool in tools.iter().filter(|tool| tool["name"] != "draft") {
            assert_eq!(tool["outputSchema"].is_object(), structured, "{tool}");
        }
        let cast = json!({"spell_name": "greet"});
        for result in [
            session.call("greet", json!({})),
            session.call("cast_spell", cast),
        ] {
            let stdout = &result["structuredContent"]["stdout"];
            assert_eq!(*stdout == "hello\n", structured, "{result}");
            assert_eq!(result["content"][0]["text"], "hello");
        }
        assert!(session.end().success());
    }
}

#[test]
fn a_call_may_come_before_the_list() {
    let mut session = Session::start(&mut charmer(&["serve", &ship()]));
    let result = session.call("ship_crew_show", json!({"name": "Ada"}));
    assert_eq!(result["isError"], false, "{result}");
    assert!(session.end().success());
}

#[test]
fn several_programs_of_one_name_are_told_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let other = folder.path().join("harbour");
    std::fs::create_dir(&other).expect("it can be made");
    let other = other.join(example("ship").file_name().expect("a name"));
    std::fs::copy(ship(), &other).expect("it can be copied");
    let words = [
        "serve",
        &ship(),
        &other.to_string_lossy(),
        "--allow",
        "list",
    ];
    let output = charmer(&[&words[..], &["--print-config"]].concat())
        .output()
        .expect("it was built");
    assert!(output.status.success(), "{}", err(&output));
    let mut session = Session::start(charmer(&words).stderr(Stdio::null()));
    let names = session.settled_names();
    assert!(names.contains(&"ship_list".into()), "{names:?}");
    assert!(names.contains(&"harbour_ship_list".into()), "{names:?}");
    let result = session.call("harbour_ship_list", json!({}));
    assert_eq!(result["isError"], false, "{result}");
    assert!(session.end().success());
}

#[test]
fn the_file_is_obeyed() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("charmer.yaml");
    let program = serde_json::to_string(&ship()).expect("text");
    let text = format!(
        "sources:
  - binary: {program}
    prefix: boat
    environment: {{set: {{SHIP_SECRET: hunter22}}}}
    select:
      - commands: {{allow: [sail]}}
        validate: [{{argument: port, forbid: Atlantis, message: it has sunk}}]
      - commands: {{allow_glob: ['crew/*']}}
        rate_limit: {{calls: 1, per: 1h}}
      - commands: {{allow: [drift]}}
        timeout: 200ms
redact: {{values: [hunter22]}}
audit: {{file: calls.jsonl}}
spool: off
"
    );
    std::fs::write(&file, text).expect("it can be written");
    let mut session = Session::start(&mut charmer(&[
        "serve",
        "--config",
        &file.to_string_lossy(),
    ]));
    assert_eq!(
        session.settled_names(),
        [
            "boat_sail",
            "boat_crew_show",
            "boat_crew_dismiss",
            "boat_drift"
        ]
    );
    let result = session.call("boat_sail", json!({"port": "Oslo"}));
    assert!(
        result.to_string().contains("secret is [redacted]"),
        "{result}"
    );
    let result = session.call("boat_sail", json!({"port": "Atlantis"}));
    assert!(
        result.to_string().contains("it has sunk") && result["isError"] == true,
        "{result}"
    );
    // The rate limit is the selector's: its commands share it.
    assert_eq!(session.call("boat_crew_show", json!({}))["isError"], false);
    assert_eq!(
        session.call("boat_crew_dismiss", json!({"name": "Ada"}))["isError"],
        true
    );
    let result = session.call("boat_drift", json!({}));
    assert_eq!(
        result["structuredContent"]["error"]["code"], "timeout",
        "{result}"
    );
    assert!(session.end().success());
    // Beside the file, whatever was refused included.
    let log = std::fs::read_to_string(folder.path().join("calls.jsonl")).expect("it was written");
    assert!(
        log.contains("Atlantis") && !log.contains("hunter22"),
        "{log}"
    );
}

#[test]
fn a_program_that_cannot_be_read_ends_the_server_with_a_reason() {
    let mute = example("mute");
    let words = ["serve", &mute.to_string_lossy()];
    let child = charmer(&words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it was built");
    // Its input stays open: it ends by itself.
    let output = {
        let mut child = child;
        let stdin = child.stdin.take();
        let output = child.wait_with_output().expect("it ends");
        drop(stdin);
        output
    };
    assert_eq!(output.status.code(), Some(1));
    assert!(
        err(&output).contains("shows no help that could be read"),
        "{}",
        err(&output)
    );
}

#[test]
fn one_program_that_cannot_be_read_leaves_the_others() {
    let mute = example("mute");
    let words = ["serve", &mute.to_string_lossy(), &ship(), "--allow", "list"];
    let mut session = Session::start(charmer(&words).stderr(Stdio::null()));
    assert!(session.settled_names().contains(&"ship_list".into()));
    assert!(session.end().success());
}
