//! How commands are shown: each as a tool, through a few that stand for all, or both within a budget.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Session, charmer, err, out, run, ship, works};

/// The tools that stand for all commands, and that for drafts, where there are some.
const META: &[&str] = &[
    "search_commands",
    "describe_commands",
    "run_read",
    "run_write",
    #[cfg(target_os = "linux")]
    "draft",
];

fn serve(words: &[&str]) -> Session {
    let ship = ship();
    let words = [&["serve", ship.as_str()], words].concat();
    Session::start(&mut charmer(&words))
}

#[test]
fn a_small_program_is_shown_whole() {
    let mut session = serve(&[]);
    let names = session.settled_names();
    assert!(names.contains(&"ship_list".into()) && !names.contains(&META[0].into()));
    assert!(session.end().success());
    let mut all = serve(&["--expose", "all"]);
    assert_eq!(all.settled_names(), names);
    assert!(all.end().success());
}

#[test]
fn whatever_can_be_done_can_be_done_through_the_index() {
    let mut session = serve(&["--expose", "index"]);
    assert_eq!(session.settled_names(), *META);
    let found = session.call(
        "search_commands",
        json!({"query": "I want to be sailing to another prot"}),
    );
    let text = found["content"][0]["text"].as_str().expect("text");
    assert!(
        text.lines().any(|line| line.starts_with("ship_sail ")),
        "{text}"
    );
    assert!(found["structuredContent"].is_null(), "{found}");
    let described = session.call("describe_commands", json!({"commands": ["ship_sail"]}));
    let text = described["content"][0]["text"].as_str().expect("text");
    assert!(text.contains("port*") && text.contains("knots"), "{text}");

    let arguments = json!({"port": "Oslo", "knots": 5, "cargo": ["a b", "c"]});
    let direct = session.call("ship_sail", arguments.clone());
    let routed = json!({"command": "ship sail", "arguments": arguments});
    assert_eq!(session.call("run_write", routed.clone()), direct);
    let refused = session.call("run_read", routed);
    assert_eq!(
        refused["structuredContent"]["error"]["code"],
        "not_permitted"
    );
    let listed = session.call("run_read", json!({"command": "ship_list"}));
    assert_eq!(listed["isError"], false, "{listed}");
    // The help of a command that is not in the list is still there.
    let page = session.request("resources/read", json!({"uri": "help://ship/sail"}));
    assert!(page["result"]["contents"][0]["text"].is_string(), "{page}");
    assert!(session.end().success());
}

#[test]
fn a_call_that_was_routed_can_be_cancelled_and_fails_as_its_own() {
    let mut session = serve(&["--expose", "index", "--timeout", "300ms"]);
    let drift = session.call("run_write", json!({"command": "ship_drift"}));
    assert_eq!(
        drift["structuredContent"]["error"]["code"], "timeout",
        "{drift}"
    );
    let sink = session.call("run_write", json!({"command": "ship_sink"}));
    let said = [&sink["isError"], &sink["content"][0]["text"]];
    assert_eq!(
        said,
        [&json!(true), &json!("the ship has sunk\nexit code 3")]
    );
    assert!(session.end().success());
}

#[test]
fn a_budget_is_kept_and_explained() {
    // One fits as it is; of two not all is said, or not all of them are tools.
    let whole = works(&["tools", &ship(), "--budget", "1000"]);
    assert!(whole.contains("fit the budget of 1,000\n"), "{whole}");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("charmer.yaml");
    let path = serde_json::to_string(&ship()).expect("a path");
    let two = format!("sources: [{{binary: {path}}}, {{binary: {path}, prefix: boat}}]");
    fs::write(&file, two).expect("written");
    let two = format!("--config={}", file.to_string_lossy());
    let whole = works(&["tools", &two, "--budget", "1200"]);
    assert!(
        whole.contains("fit the budget of 1,200, with short descriptions"),
        "{whole}"
    );
    let words = ["tools", &two, "--budget", "1000", "--descriptions", "full"];
    let shown = works(&words);
    assert!(shown.contains("within the budget of 1,000"), "{shown}");
    assert!(shown.contains("with --expose all"), "{shown}");
    let counts = works(&[&words[..], &["--tokens", "--json"]].concat());
    let counts: Value = serde_json::from_str(&counts).expect("JSON");
    assert_eq!(
        (&counts["expose"], &counts["budget"]),
        (&json!("auto"), &json!(1000))
    );
    assert!(
        counts["tokens"].as_u64().expect("a number") <= 1000,
        "{counts}"
    );
    let shown: Vec<&str> = counts["tools"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|tool| tool["shown"].as_str())
        .collect();
    // And the tool for jobs.
    let meta = shown.iter().filter(|shown| **shown == "meta");
    assert_eq!(meta.count(), META.len() + 1);
    assert!(
        shown.contains(&"own") && shown.contains(&"found"),
        "{counts}"
    );
}

#[test]
fn too_many_tokens_are_a_failure() {
    let ship = ship();
    works(&["tools", &ship, "--max-tokens", "4000"]);
    let output = run(&["tools", &ship, "--expose", "all", "--max-tokens", "500"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        out(&output).contains("ship_list"),
        "it is shown all the same"
    );
    assert!(err(&output).contains("more than 500"), "{}", err(&output));
}

#[test]
fn pins_and_hides_are_kept() {
    let mut session = serve(&["--expose", "index", "--pin", "crew/*"]);
    let names = session.settled_names();
    assert_eq!(names[..META.len()], *META);
    assert_eq!(names[META.len()..], ["ship_crew_show", "ship_crew_dismiss"]);
    assert!(session.end().success());
    let mut session = serve(&["--hide", "list"]);
    let names = session.settled_names();
    assert!(!names.contains(&"ship_list".into()) && names.contains(&"ship_sail".into()));
    assert!(session.end().success());
    let output = run(&["tools", &ship(), "--pin", "crwe"]);
    assert!(
        err(&output).contains("did you mean `crew`?"),
        "{}",
        err(&output)
    );
}

#[test]
fn a_file_says_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("charmer.yaml");
    let binary = json!(ship());
    let text = format!(
        "expose: {{mode: index, promote: true}}
sources:
  - binary: {binary}
    select:
      - commands: {{allow: [sail]}}
        expose: pin
      - commands: {{exclude: [sink]}}
"
    );
    fs::write(&file, text).expect("written");
    let file = file.to_string_lossy();
    let mut session = Session::start(&mut charmer(&["serve", "--config", &file]));
    assert_eq!(session.settled_names()[META.len()..], ["ship_sail"]);
    let sink = session.call("run_write", json!({"command": "ship_sink"}));
    assert_eq!(sink["structuredContent"]["error"]["code"], "not_permitted");
    // What was described becomes a tool, and the client is told.
    session.call("describe_commands", json!({"commands": ["ship_list"]}));
    session.told("notifications/tools/list_changed");
    assert_eq!(
        session.settled_names()[META.len()..],
        ["ship_list", "ship_sail"]
    );
    assert!(session.end().success());
}

#[test]
fn several_programs_and_spells_share_one_set() {
    let folder = tempfile::tempdir().expect("a folder");
    let spells = folder.path().join("spells");
    fs::create_dir(&spells).expect("a folder");
    let hello = "name: hello\ndescription: Greets the whole crew\ncommand: echo hello\npaths: [.]\neffect: read\n";
    fs::write(spells.join("hello.yaml"), hello).expect("written");
    let spells = spells.to_string_lossy();
    let mut session = serve(&["--spells", &spells, "--expose", "index"]);
    assert_eq!(session.settled_names(), *META);
    let found = session.call("search_commands", json!({"query": "greet the crew"}));
    let text = found["content"][0]["text"].as_str().expect("text");
    assert!(text.starts_with("hello [read] Greets"), "{text}");
    let cast = session.call("run_read", json!({"command": "hello"}));
    assert_eq!(cast["structuredContent"]["stdout"], "hello\n", "{cast}");
    // One that is written later is found as well.
    let bye = hello.replace("hello", "bye").replace("Greets", "Leaves");
    fs::write(folder.path().join("spells/bye.yaml"), bye).expect("written");
    let until = std::time::Instant::now() + crate::support::PATIENCE;
    loop {
        let cast = session.call("run_read", json!({"command": "bye"}));
        if cast["isError"] == false {
            break;
        }
        assert!(std::time::Instant::now() < until, "{cast}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(session.end().success());
}

#[test]
fn an_option_without_meaning_is_refused() {
    let ship = ship();
    for words in [
        &["--expose", "all", "--budget", "2000"][..],
        &["--expose", "index", "--budget", "2000"],
        &["--expose", "all", "--hide", "list"],
        &["--expose", "all", "--promote"],
        &["--budget", "999"],
        &["--expose", "some"],
    ] {
        let output = run(&[&["tools", ship.as_str()], words].concat());
        assert_eq!(output.status.code(), Some(2), "{words:?}");
    }
}

#[test]
fn an_audit_log_has_what_was_routed_and_what_was_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("charmer.yaml");
    let (binary, log) = (json!(ship()), folder.path().join("calls.jsonl"));
    let text = format!(
        "expose: index\naudit: {{file: {}}}\nsources: [{{binary: {binary}}}]\n",
        json!(log)
    );
    fs::write(&file, text).expect("written");
    let mut session = Session::start(&mut charmer(&[
        "serve",
        "--config",
        &file.to_string_lossy(),
    ]));
    session.call("run_read", json!({"command": "ship_list"}));
    session.call(
        "run_read",
        json!({"command": "ship_sail", "arguments": {"port": "Oslo"}}),
    );
    assert!(session.end().success());
    let log = fs::read_to_string(&log).expect("it was written");
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let tools: Vec<&str> = lines
        .iter()
        .filter_map(|line| line["tool"].as_str())
        .collect();
    assert_eq!(tools, ["ship_list", "run_read"], "{log}");
    assert!(log.contains("not_permitted"), "{log}");
}
