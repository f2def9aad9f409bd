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
    assert_eq!(
        (&result["isError"], &result["structuredContent"]["exitCode"]),
        (&json!(true), &json!(3))
    );
    assert!(session.end().success());
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
