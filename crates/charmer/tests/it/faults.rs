//! What only a whole server can show: its end, however it comes, its descriptors, its progress and its cut output.
//!
//! What processes did is read from procfs, so these tests are for Linux.

#![cfg(target_os = "linux")]

use std::{
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::client::{Client, example, text};

/// What only a hang takes longer than.
const HANG: Duration = Duration::from_secs(60);

fn server() -> Command {
    let mut command = Command::new(example("faulty"));
    command.args(["mcp", "start"]);
    command
}

/// A server that a shell has prepared.
fn server_after(preparation: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", &format!(r#"{preparation}; exec "$0" mcp start"#)])
        .arg(example("faulty"));
    command
}

fn eventually(what: &str, condition: impl Fn() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < HANG, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The state and the parent of a process.
fn stat(id: u32) -> Option<(String, u32)> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name in parentheses may hold anything.
    let mut fields = stat.rsplit(')').next()?.split_whitespace();
    Some((fields.next()?.to_owned(), fields.next()?.parse().ok()?))
}

fn is_alive(id: u32) -> bool {
    stat(id).is_some_and(|(state, _)| state != "Z" && state != "X")
}

fn processes() -> impl Iterator<Item = u32> {
    let listed = std::fs::read_dir("/proc").expect("procfs").flatten();
    listed.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Whoever carries a server's mark: its calls' programs and all that came of them.
fn marked(server: u32) -> Vec<u32> {
    let mark = format!("CHARMER_TOOL={server}-");
    let carries = |id: &u32| {
        let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        let mut vars = environment.split(|&byte| byte == 0);
        vars.any(|var| var.starts_with(mark.as_bytes()))
    };
    processes().filter(carries).collect()
}

fn children(server: u32) -> Vec<u32> {
    processes()
        .filter(|&id| stat(id).is_some_and(|(_, parent)| parent == server))
        .collect()
}

fn descriptors(server: u32) -> usize {
    let listed = std::fs::read_dir(format!("/proc/{server}/fd"));
    listed.expect("it runs").count()
}

/// In kB.
fn memory(server: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{server}/status")).expect("it runs");
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    resident
        .and_then(|kb| kb.trim().trim_end_matches(" kB").parse().ok())
        .expect("a number")
}

fn begin(client: &mut Client, tool: &str, arguments: Value) -> i64 {
    client.begin("tools/call", json!({"name": tool, "arguments": arguments}))
}

fn signal(which: &str, id: u32) {
    let sent = Command::new("kill").args([which, &id.to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
}

#[test]
fn what_the_server_was_started_with_does_not_reach_a_child() {
    // Portable shells know descriptors up to nine.
    let mut client = Client::start_with(&mut server_after("exec 9</dev/null 8</dev/null"));
    let before = format!("/proc/{}/fd/9", client.id());
    assert!(Path::new(&before).exists(), "the server itself has it");
    let seen = client.call("faulty_descriptors", json!({}));
    assert_eq!(text(&seen), "[0, 1, 2]");
    assert_eq!(text(&client.call("faulty_terminal", json!({}))), "false");
}

#[test]
fn a_secret_with_a_sequence_in_it_is_not_shown_by_a_second_reading_either() {
    let mut client = Client::start_with(&mut server());
    let said = "hun\x1b[0mter2 ".repeat(6000);
    let cut = client.call("faulty_say", json!({ "text": said }));
    let id = &cut["structuredContent"]["truncated"]["stdout"]["id"];
    let read = client.call("read_output", json!({"id": id, "length": 1200}));
    let found = client.call("read_output", json!({"id": id, "search": "hun"}));
    let id = id.as_str().expect("an id");
    let resource = json!({"uri": format!("spool://{id}?length=1200")});
    let resource = client.request("resources/read", resource);
    for result in [cut.clone(), read, found, resource] {
        let seen = result.to_string();
        assert!(
            seen.contains("[redacted]") && !seen.contains("hunter2"),
            "{seen}"
        );
    }
}

/// What has left its group and its session outlives the call, and goes with the server.
#[test]
fn a_killed_server_leaves_nobody_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut client = Client::start_with(server().env("TMPDIR", folder.path()));
    client.call("faulty_lines", json!({"count": 20_000}));
    let said = text(&client.call("faulty_daemonise", json!({})));
    let daemon: u32 = said["process ".len()..].parse().expect("a number");
    assert!(is_alive(daemon), "documented: it outlives its call");
    for _ in 0..3 {
        begin(&mut client, "faulty_tree", json!({"children": 4}));
    }
    let server = client.id();
    eventually("three trees and a daemon", || marked(server).len() == 16);
    let guardian = children(server)
        .into_iter()
        .find(|id| !marked(server).contains(id))
        .expect("a guardian");
    let victims = marked(server);
    // Dropping the client is `kill -9`.
    drop(client);
    eventually("everybody's end", || {
        !victims.iter().any(|&id| is_alive(id))
    });
    eventually("the guardian's end", || !is_alive(guardian));
    assert!(marked(server).is_empty());
    let left = std::fs::read_dir(folder.path())
        .expect("it is there")
        .count();
    assert_eq!(left, 0, "what was kept on disk goes too");
}

/// A guardian that was killed is replaced with the next call, and the new one knows what runs already.
#[test]
fn a_killed_guardian_is_replaced_before_the_next_call() {
    let mut client = Client::start_with(&mut server());
    begin(&mut client, "faulty_tree", json!({"children": 2}));
    let server = client.id();
    eventually("a tree", || marked(server).len() == 3);
    let guardian = |marked: &[u32]| {
        let mut others = children(server);
        others.retain(|id| !marked.contains(id) && is_alive(*id));
        others
    };
    let first = guardian(&marked(server));
    assert_eq!(first.len(), 1, "one guardian");
    signal("-KILL", first[0]);
    eventually("the guardian's end", || !is_alive(first[0]));
    begin(&mut client, "faulty_tree", json!({"children": 2}));
    eventually("another tree", || marked(server).len() == 6);
    let victims = marked(server);
    let second = guardian(&victims);
    assert!(second.len() == 1 && second != first, "{first:?} {second:?}");
    // Dropping the client is `kill -9`.
    drop(client);
    eventually("everybody's end", || {
        !victims.iter().any(|&id| is_alive(id))
    });
    eventually("the guardian's end", || !is_alive(second[0]));
}

#[test]
fn a_daemon_goes_with_a_server_that_ends_in_order() {
    let mut client = Client::start_with(&mut server());
    let said = text(&client.call("faulty_daemonise", json!({})));
    let daemon: u32 = said["process ".len()..].parse().expect("a number");
    assert!(client.close().success());
    eventually("the daemon's end", || !is_alive(daemon));
}

#[test]
fn a_terminated_server_ends_fifty_calls() {
    for hooked in [false, true] {
        let mut command = server();
        if hooked {
            command.env("FAULTY_HOOKED", "1");
        }
        let mut client = Client::start_with(&mut command);
        for _ in 0..50 {
            begin(&mut client, "faulty_sleep", json!({}));
        }
        let server = client.id();
        eventually("fifty calls", || marked(server).len() == 50);
        signal("-TERM", server);
        eventually("the server's end", || !is_alive(server));
        eventually("the end of the calls", || marked(server).is_empty());
    }
}

#[test]
fn a_client_that_leaves_ends_its_calls_and_its_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut client = Client::start_with(server().env("TMPDIR", folder.path()));
    client.call("faulty_lines", json!({"count": 20_000}));
    let spooled = || {
        std::fs::read_dir(folder.path())
            .expect("it is there")
            .count()
    };
    assert_eq!(spooled(), 1);
    for _ in 0..10 {
        begin(&mut client, "faulty_tree", json!({"children": 2}));
    }
    let server = client.id();
    eventually("ten trees", || marked(server).len() == 30);
    assert!(client.close().success());
    eventually("the end of the calls", || marked(server).is_empty());
    assert_eq!(spooled(), 0);
}

#[test]
fn a_server_out_of_descriptors_says_so_and_lives_on() {
    for hooked in ["", "FAULTY_HOOKED=1 && export FAULTY_HOOKED && "] {
        let mut client = Client::start_with(&mut server_after(&format!("{hooked}ulimit -n 40")));
        let mut calls: Vec<i64> = (0..40)
            .map(|_| begin(&mut client, "faulty_sleep", json!({})))
            .collect();
        // Those that run do not end by themselves, so whoever answers has found no descriptor.
        let began = Instant::now();
        let failed = loop {
            assert!(
                began.elapsed() < HANG,
                "forty calls fit into forty descriptors"
            );
            let answered =
                |client: &mut Client, id| client.answered_within(id, Duration::from_millis(50));
            if let Some(place) = calls.iter().position(|&id| answered(&mut client, id)) {
                break calls.swap_remove(place);
            }
        };
        let answer = client.answer(failed);
        let error = &answer["result"]["structuredContent"]["error"];
        assert_eq!(error["code"], "not_started", "{answer}");
        let message = error["message"].as_str().unwrap_or_default();
        assert!(message.contains("os error 24"), "{message}");
        for id in calls {
            client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
        }
        let server = client.id();
        eventually("the end of the calls", || marked(server).is_empty());
        let after = client.call("faulty_say", json!({"text": "still here"}));
        assert_eq!(text(&after), "still here");
        assert!(client.close().success());
    }
}

#[test]
fn after_many_calls_nothing_has_piled_up() {
    let mut client = Client::start_with(&mut server());
    let server = client.id();
    let mut calls = |count: usize| {
        for at in 0..count {
            let said = client.call("faulty_say", json!({"text": format!("call {at}")}));
            assert_eq!(text(&said), format!("call {at}"));
        }
    };
    calls(20);
    let before = (descriptors(server), memory(server));
    calls(1000);
    let zombies = children(server)
        .into_iter()
        .filter(|&id| stat(id).is_some_and(|(state, _)| state == "Z"));
    // The last one may not have been collected yet.
    assert!(zombies.count() <= 1);
    eventually("only the guardian", || children(server).len() == 1);
    eventually("descriptors as before", || descriptors(server) <= before.0);
    let grown = memory(server).saturating_sub(before.1);
    assert!(grown < 16_000, "{grown} kB");
}

#[test]
fn progress_grows_is_paced_tells_the_latest_line_and_stops_with_the_result() {
    let mut client = Client::start_with(&mut server());
    let server = client.id();
    let began = Instant::now();
    let id = client.begin(
        "tools/call",
        json!({
            "name": "faulty_lines", "arguments": {"count": 10_000, "pause": 50},
            "_meta": {"progressToken": "p1"},
        }),
    );
    while client.notes.len() < 3 {
        let early = client.answered_within(id, Duration::from_millis(100));
        assert!(!early, "it counts for minutes");
        assert!(began.elapsed() < HANG, "no progress");
    }
    // Its result comes when it is ended.
    for process in marked(server) {
        signal("-TERM", process);
    }
    let answer = client.answer(id);
    let took = began.elapsed();
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    let told = client.notes.len();
    assert!(!client.answered_within(id, Duration::from_millis(1500)));
    assert_eq!(client.notes.len(), told, "progress after the result");
    // At most two a second.
    assert!(told as u128 <= took.as_millis() / 500, "{told} in {took:?}");
    let (mut last, mut last_line) = (0.0, 0);
    for note in &client.notes {
        assert_eq!(note["method"], "notifications/progress");
        assert_eq!(note["params"]["progressToken"], "p1");
        let progress = note["params"]["progress"].as_f64().expect("a number");
        assert!(progress > last, "{note}");
        let message = note["params"]["message"].as_str().expect("a message");
        let line = message
            .strip_prefix("line ")
            .and_then(|rest| rest.strip_suffix(" of [redacted]"));
        let line: u32 = line.and_then(|line| line.parse().ok()).expect(message);
        assert!(line >= last_line, "{note}");
        (last, last_line) = (progress, line);
    }
}

#[test]
fn cut_output_can_be_read_on_by_place_and_by_search() {
    let mut client = Client::start_with(&mut server());
    let names = |client: &mut Client| -> Vec<_> {
        let tools = client.tools();
        tools.iter().map(|tool| tool["name"].clone()).collect()
    };
    let before = names(&mut client);
    let cut = client.call("faulty_lines", json!({"count": 20_000}));
    let whole: String = (1..=20_000)
        .map(|at| format!("line {at} of [redacted]\n"))
        .collect();
    // The tool that reads more is listed from now on, and was not before.
    assert!(!before.contains(&json!("read_output")));
    assert!(names(&mut client).contains(&json!("read_output")));
    let structured = &cut["structuredContent"];
    let stream = &structured["truncated"]["stdout"];
    assert_eq!(stream["bytes"], whole.len());
    let id = stream["id"].as_str().expect("an id");
    let shown = structured["stdout"].as_str().expect("text");
    assert!(shown.starts_with("line 1 of [redacted]\n") && shown.contains(id));
    assert!(shown.ends_with("line 20000 of [redacted]\n"));

    for length in [20_000, 40_000] {
        let (mut joined, mut offset) = (String::new(), 0);
        loop {
            let part = client.call(
                "read_output",
                json!({"id": id, "offset": offset, "length": length}),
            );
            assert!(part["structuredContent"]["truncated"].is_null(), "{offset}");
            let part = part["structuredContent"]["stdout"].as_str().expect("text");
            let Some((shown, more)) = part.rsplit_once("\n[bytes ") else {
                joined.push_str(part);
                break;
            };
            joined.push_str(shown);
            let next = more.rsplit(' ').next().expect("a word");
            offset = next.trim_end_matches(']').parse().expect("a number");
        }
        assert!(joined == whole, "{} of {} bytes", joined.len(), whole.len());
    }

    let found = client.call(
        "read_output",
        json!({"id": id, "search": "line 1234[56] ", "context": 1}),
    );
    let expected = [
        "12344-line 12344 of [redacted]",
        "12345:line 12345 of [redacted]",
        "12346:line 12346 of [redacted]",
        "12347-line 12347 of [redacted]",
        "[2 matching lines]",
    ];
    assert_eq!(text(&found), expected.join("\n"));
    let unknown = client.call("read_output", json!({"id": "../../etc/passwd"}));
    assert_eq!(unknown["isError"], true);

    // The same as a resource.
    let mut read = |uri: String| client.request("resources/read", json!({ "uri": uri }));
    let matching = read(format!("spool://{id}?grep=line%201234%5B56%5D%20"));
    let matching = &matching["result"]["contents"][0];
    assert_eq!(matching["mimeType"], "text/plain", "{matching}");
    let expected = [expected[1], expected[2], expected[4]].join("\n");
    assert_eq!(matching["text"], expected);
    let part = read(format!("spool://{id}?offset=21&length=20"));
    let part = part["result"]["contents"][0]["text"].as_str();
    assert!(
        part.is_some_and(|part| part.starts_with("line 2 of [redacted]")),
        "{part:?}"
    );
    assert_eq!(read("spool://0123".into())["error"]["code"], -32602);
    let template = "spool://{id}{?offset,length,grep}";
    let offered = client.request(
        "completion/complete",
        json!({"ref": {"type": "ref/resource", "uri": template}, "argument": {"name": "id", "value": ""}}),
    );
    assert_eq!(offered["result"]["completion"]["values"], json!([id]));
}

/// A program that asks fails at once or at its timeout, and the assistant learns what it asked and what answers it.
#[test]
fn a_question_is_named_with_the_flag_that_answers_it() {
    let mut client = Client::start_with(&mut server());
    for (input, code) in [(json!({}), "failed"), (json!({"patient": true}), "timeout")] {
        let asked = client.call("faulty_ask", input);
        assert_eq!(asked["structuredContent"]["error"]["code"], code, "{asked}");
        let hint = "it seems to wait for an answer: `Really? [y/N]`; give `yes`";
        assert_eq!(asked["structuredContent"]["error"]["hint"], hint);
        assert!(text(&asked).contains(hint), "{asked}");
    }
    assert_eq!(
        text(&client.call("faulty_ask", json!({"yes": true}))),
        "done"
    );
}
