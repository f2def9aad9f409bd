//! The examples of middleware, called over MCP: timeout, input validation, output filtering, logging, rate limiting,
//! and the audit log around them.

use std::{
    path::Path,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use charmer::{Bridge, Call, CallError, CommandRule, ErrorCode, Expose, Hints, Selector, Tool};
use clap::ArgMatches;
use serde_json::{Value, json};

use crate::client::{Client, example, text};

fn desk(settings: &[(&str, &Path)]) -> Client {
    let mut command = Command::new(example("middleware"));
    Client::start_with(
        command
            .args(["mcp", "start"])
            .envs(settings.iter().copied()),
    )
}

fn error(result: &Value) -> &Value {
    assert_eq!(result["isError"], true, "{result}");
    &result["structuredContent"]["error"]
}

#[test]
fn a_timeout_ends_the_program_and_keeps_what_it_said() {
    let result = desk(&[]).call("desk_wait", json!({"seconds": 50}));
    assert_eq!(error(&result)["code"], "timeout");
    assert_eq!(result["structuredContent"]["stdout"], "waiting\n");
}

#[test]
fn input_is_checked_before_anything_starts() {
    let mut client = desk(&[]);
    let papers = |count: usize| json!({"paper": vec!["bill"; count]});
    assert_eq!(text(&client.call("desk_file", papers(10))), "filed 10");
    let refused = client.call("desk_file", papers(11));
    assert_eq!(error(&refused)["code"], "not_permitted");
    assert_eq!(error(&refused)["hint"], "file them in two goes");
    assert!(refused["structuredContent"]["exitCode"].is_null());
}

#[test]
fn output_is_filtered_on_both_streams() {
    let result = desk(&[]).call("desk_keys", json!({}));
    let content = &result["structuredContent"];
    assert_eq!(content["stdout"], "house [REDACTED], car [REDACTED]\n");
    assert_eq!(content["stderr"], "[REDACTED] is missing\n");
    assert!(!result.to_string().contains("key-"), "{result}");
}

#[test]
fn calls_are_logged_before_and_after() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let mut client = desk(&[("DESK_LOG", &log)]);
    client.call("desk_file", json!({"paper": ["bill"]}));
    client.call("desk_file", json!({"paper": vec!["bill"; 11]}));
    let written = std::fs::read_to_string(&log).expect("it was written");
    let lines: Vec<&str> = written.lines().collect();
    assert!(
        lines[0] == r#"[desk] executing: desk_file {"paper":["bill"]}"#,
        "{written}"
    );
    assert_eq!(lines[1], "[desk] completed: desk_file (Exited(0))");
    assert_eq!(
        lines[3],
        "[desk] failed: desk_file (the drawer takes ten papers at a time)"
    );
}

#[test]
fn over_the_rate_an_assistant_is_told_when_to_come_back() {
    let mut client = desk(&[]);
    for _ in 0..3 {
        assert_eq!(text(&client.call("desk_ring", json!({}))), "ding");
    }
    let refused = client.call("desk_ring", json!({}));
    assert_eq!(error(&refused)["code"], "busy");
    let hint = error(&refused)["hint"].as_str().unwrap_or_default();
    assert!(hint.starts_with("try again after "), "{hint}");
    // Other commands have their own rates.
    assert_eq!(client.call("desk_keys", json!({}))["isError"], false);
}

#[test]
fn every_call_is_in_the_audit_log_when_the_server_has_ended() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("calls.jsonl");
    let mut client = desk(&[("DESK_AUDIT", &file)]);
    client.call("desk_keys", json!({}));
    client.call("desk_file", json!({"paper": vec!["bill"; 11]}));
    client.call("desk_wait", json!({"seconds": 50}));
    let unfinished = client.begin(
        "tools/call",
        json!({"name": "desk_wait", "arguments": {"seconds": 7}}),
    );
    assert!(!client.answered_within(unfinished, Duration::from_millis(100)));
    assert!(client.close().success());
    let written = std::fs::read_to_string(&file).expect("it was written");
    let lines: Vec<Value> = written
        .lines()
        .map(|line| serde_json::from_str(line).expect("every line is JSON"))
        .collect();
    assert_eq!(lines.len(), 4, "{written}");
    assert_eq!(
        (&lines[0]["argv"], &lines[0]["exitCode"]),
        (&json!(["keys"]), &json!(0))
    );
    assert_eq!(
        (&lines[1]["tool"], &lines[1]["outcome"]),
        (&json!("desk_file"), &json!("not_permitted"))
    );
    assert_eq!(
        (&lines[2]["argv"], &lines[2]["outcome"]),
        (&json!(["wait", "50"]), &json!("timeout"))
    );
    assert_eq!(lines[2]["stdoutBytes"], 8);
    // The client went away in the middle of the last one; a slow machine may have come to its timeout before.
    assert!(
        ["cancelled", "abandoned", "timeout"]
            .iter()
            .any(|outcome| lines[3]["outcome"] == *outcome),
        "{written}"
    );
}

#[test]
fn a_bridge_tries_reads_again_and_writes_once() {
    let tries = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&tries);
    let handler = move |_: &ArgMatches| match count.fetch_add(1, Ordering::SeqCst) {
        0 | 1 => Err(CallError::new(ErrorCode::Busy, "not now")),
        _ => Ok("there"),
    };
    let cli = clap::Command::new("post")
        .subcommand(clap::Command::new("look"))
        .subcommand(clap::Command::new("send"));
    let bridge = Bridge::new(cli)
        .annotate("look", Hints::reads())
        .handler("look", handler.clone())
        .handler("send", handler)
        .selector(Selector::new(CommandRule::all()).retry(2, Duration::ZERO));
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let call = |tool: &str| {
        tries.store(0, Ordering::SeqCst);
        let result = runtime.block_on(bridge.call(tool, serde_json::Map::new()));
        let failed = result.expect("there is such a tool").is_error;
        (failed, tries.load(Ordering::SeqCst))
    };
    assert_eq!(call("post_look"), (false, 3));
    assert_eq!(call("post_send"), (true, 1));
}

/// The codes of calls of a host whose calls pass this hook: of its own tool, and through the tools for all commands.
fn codes(hook: impl Fn(&mut Call) -> Result<(), CallError> + Send + Sync + 'static) -> Vec<String> {
    let flag = clap::Arg::new("all")
        .long("all")
        .action(clap::ArgAction::SetTrue);
    let cli = clap::Command::new("post")
        .subcommand(clap::Command::new("look").arg(flag.clone()))
        .subcommand(clap::Command::new("send").arg(flag));
    let done = |_: &ArgMatches| Ok::<_, CallError>("done");
    let bridge = Bridge::new(cli)
        .annotate("look", Hints::reads())
        .handler("look", done)
        .handler("send", done)
        .expose(Expose::Index)
        .before(hook);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let call = |(tool, input): (&str, Value)| {
        let Value::Object(input) = input else {
            panic!("input is an object")
        };
        let result = runtime.block_on(bridge.call(tool, input));
        let result = result.expect("there is such a tool");
        let code = result.structured.get("error").map(|error| &error["code"]);
        code.and_then(Value::as_str).unwrap_or("none").to_owned()
    };
    let ways = [
        ("post_look", json!({})),
        ("run_read", json!({"command": "post_look"})),
        ("run_write", json!({"command": "post_send"})),
    ];
    ways.into_iter().map(call).collect()
}

#[test]
fn a_step_sees_the_calls_of_a_host_however_they_come() {
    assert_eq!(codes(|_| Ok(())), ["none"; 3]);
    let refused = codes(|_| Err(CallError::refused("not today")));
    assert_eq!(refused, ["not_permitted"; 3]);
}

#[test]
fn an_element_that_a_step_plants_in_a_call_of_a_host_is_caught() {
    let caught = codes(|call| {
        let mut tool = Tool::clone(&call.tool);
        let mut evil = tool.input.flags[0].clone();
        evil.key = "evil".into();
        evil.flag.long = Some("evil".into());
        tool.input.flags.push(evil);
        call.input.insert("evil".into(), true.into());
        call.tool = Arc::new(tool);
        Ok(())
    });
    assert_eq!(caught, ["not_permitted"; 3]);
}

/// A full disk is reported and fails no call, unless it is to.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_fails_calls_only_where_that_is_wanted() {
    let full = Path::new("/dev/full");
    let mut open = desk(&[("DESK_AUDIT", full)]);
    assert_eq!(
        text(&open.call("desk_file", json!({"paper": ["bill"]}))),
        "filed 1"
    );

    let mut closed = desk(&[("DESK_AUDIT", full), ("DESK_FAIL_CLOSED", Path::new("1"))]);
    let refused = closed.call("desk_file", json!({"paper": ["bill"]}));
    assert_eq!(error(&refused)["code"], "not_permitted");
    assert!(text(&refused).contains("No space left"), "{refused}");
}
