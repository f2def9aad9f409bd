//! The server as a client sees it: bad input is answered, running calls end when they should, nothing is left behind.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::client::{Client, example};

fn error_code(answer: &Value) -> i64 {
    answer["error"]["code"]
        .as_i64()
        .unwrap_or_else(|| panic!("no error: {answer}"))
}

/// The server must be as alive as before.
fn assert_alive(client: &mut Client) {
    assert_eq!(client.tools().len(), 2);
}

#[test]
fn lines_that_are_no_messages_are_answered_and_survived() {
    let mut client = Client::start("derive");
    let deep = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"x\",\"params\":{}{}}}\n",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let long = format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":\"{}\",\"id\":78}}\n",
        "x".repeat(17 << 20)
    );
    let rows: [(&[u8], Value, i64); 16] = [
        (b"this is not JSON\n", Value::Null, -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":71,\"method\":\"ping\",\xff}\n", json!(71), -32700),
        (deep.as_bytes(), json!(77), -32700),
        (long.as_bytes(), json!(78), -32600),
        (b"[{\"jsonrpc\":\"2.0\",\"id\":72,\"method\":\"ping\"}]\n", Value::Null, -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}\n", Value::Null, -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}\n", Value::Null, -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":79,\"method\":\"tools/call\",\"params\":{\"name\":\"todo_add\",\"arguments\":{\"priority\":1e400}}}\n", json!(79), -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":80,\"method\":\"tools/call\",\"params\":{\"name\":\"todo_add\",\"arguments\":{\"text\":\"\\ud800\"}}}\n", json!(80), -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":81,\"method\":\"tools/call\",\"params\":{\"name\":\"todo_add\",\"arguments\":{\"text\":\"a\",\"text\":\"b\"}}}\n", json!(81), -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":82,\"method\":\"tools/call\",\"params\":{\"name\":\"todo_add\",\"arguments\":[1]}}\n", json!(82), -32602),
        (b"{\"jsonrpc\":\"2.0\",\"id\":83,\"method\":\"tools/call\",\"params\":{\"arguments\":{}}}\n", json!(83), -32602),
        (b"{\"jsonrpc\":\"2.0\",\"id\":84,\"method\":\"tools/list\",\"params\":{\"cursor\":5}}\n", json!(84), -32602),
        (b"{\"jsonrpc\":\"2.0\",\"id\":85,\"method\":\"tools/list\",\"params\":{\"cursor\":\"x\"}}\n", json!(85), -32602),
        (b"{\"jsonrpc\":\"2.0\",\"id\":86,\"method\":\"no/such/method\"}\n", json!(86), -32601),
        (b"{\"jsonrpc\":\"2.0\",\"id\":87,\"method\":\"resources/subscribe\",\"params\":{\"uri\":\"tools://index\"}}\n", json!(87), -32601),
    ];
    for (line, id, code) in rows {
        client.send_raw(line);
        let answer = client.answer(id);
        assert_eq!(error_code(&answer), code, "{answer}");
        assert!(
            !answer["error"]["message"]
                .as_str()
                .unwrap_or_default()
                .is_empty(),
            "{answer}"
        );
        assert_alive(&mut client);
    }
    assert!(client.close().success());
}

#[test]
fn unknown_tools_are_invalid_params_and_near_names_are_named() {
    let mut client = Client::start("derive");
    let answer = client.request("tools/call", json!({"name": "todo_ad", "arguments": {}}));
    assert_eq!(error_code(&answer), -32602);
    assert_eq!(
        answer["error"]["message"],
        "unknown tool `todo_ad`; did you mean `todo_add`?"
    );
}

#[test]
fn ids_in_flight_are_not_given_out_twice() {
    let mut client = Client::start("configured");
    let id = client.begin(
        "tools/call",
        json!({"name": "food_watch", "arguments": {"seconds": 1}}),
    );
    client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"}));
    let refused = client.answer(Value::Null);
    assert_eq!(error_code(&refused), -32600);
    assert_eq!(client.answer(id)["result"]["isError"], false);
}

#[test]
fn a_call_before_initialize_is_refused_and_the_server_goes_on() {
    let mut client = Client::spawn(Command::new(example("derive")).args(["mcp", "start"]));
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}));
    let answer = client.request("tools/call", json!({"name": "todo_list", "arguments": {}}));
    assert!(error_code(&answer) < 0, "{answer}");
    client.initialize();
    assert_alive(&mut client);
}

#[test]
fn the_modern_era_needs_no_initialize() {
    let mut client = Client::spawn(Command::new(example("derive")).args(["mcp", "start"]));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let found = client.request("server/discover", json!({ "_meta": meta }));
    assert!(
        found["result"]["supportedVersions"]
            .as_array()
            .is_some_and(|versions| versions.contains(&json!("2026-07-28"))),
        "{found}"
    );
    let listed = client.request("tools/list", json!({ "_meta": meta }));
    assert_eq!(
        listed["result"]["tools"].as_array().map(Vec::len),
        Some(2),
        "{listed}"
    );
    assert_eq!(listed["result"]["resultType"], "complete");
    let called = client.request(
        "tools/call",
        json!({"name": "todo_list", "arguments": {}, "_meta": meta}),
    );
    assert_eq!(
        called["result"]["structuredContent"]["stdout"],
        "nothing to do\n"
    );
    assert!(client.close().success());
}

#[test]
fn the_end_of_input_inside_a_message_ends_the_server() {
    let mut client = Client::start("derive");
    client.send_raw(b"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/li");
    assert!(client.close().success());
}

/// Everything that was asked before the end of input and takes no child is still answered.
#[test]
fn a_script_that_pipes_its_requests_in_gets_its_answers() {
    let input = concat!(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
        "\n",
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("input");
    std::fs::write(&path, input).expect("it is written");
    let output = Command::new(example("derive"))
        .args(["mcp", "start"])
        .stdin(std::fs::File::open(&path).expect("it is there"))
        .output()
        .expect("it was built");
    assert!(output.status.success());
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).lines().count(),
        2,
        "{output:?}"
    );
    assert!(output.stderr.is_empty(), "{output:?}");
}

#[cfg(target_os = "linux")]
mod processes {
    use super::*;

    /// The calls that this server runs; its guardian is no call.
    fn children_of(parent: u32) -> Vec<u32> {
        let listed = std::fs::read_dir("/proc").expect("procfs").flatten();
        let ids = listed.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        ids.filter(|id| {
            let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
            // The name in parentheses may hold anything; state and parent follow the last one.
            let fields = stat
                .rsplit(')')
                .next()
                .unwrap_or_default()
                .split_whitespace()
                .nth(1)
                .map(str::to_owned);
            let command =
                std::fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap_or_default();
            fields.and_then(|field| field.parse::<u32>().ok()) == Some(parent)
                && !command.contains("guardian")
        })
        .collect()
    }

    /// What only a hang takes longer than.
    const HANG: Duration = Duration::from_secs(60);

    fn is_gone(id: u32) -> bool {
        !std::path::Path::new(&format!("/proc/{id}")).exists()
    }

    fn eventually(what: &str, condition: impl Fn() -> bool) {
        let deadline = Instant::now() + HANG;
        while !condition() {
            assert!(Instant::now() < deadline, "never: {what}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn watching() -> (Client, i64, u32) {
        let mut client = Client::start("configured");
        let id = client.begin(
            "tools/call",
            json!({"name": "food_watch", "arguments": {"seconds": 600}}),
        );
        let server = client.id();
        // Not the guardian, and not a child that is still about to become the program.
        let watches = |id: &u32| {
            let words = std::fs::read_to_string(format!("/proc/{id}/cmdline"));
            words.is_ok_and(|words| words.contains("--seconds=600"))
        };
        let child = || children_of(server).into_iter().find(watches);
        eventually("a child", || child().is_some());
        let child = child().expect("it watches for ten minutes");
        (client, id, child)
    }

    #[test]
    fn a_cancelled_call_is_killed_and_not_answered() {
        let (mut client, id, child) = watching();
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 4711}}));
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
        eventually("the child's end", || is_gone(child));
        assert!(!client.answered_within(id, Duration::from_millis(300)));
        assert_eq!(client.tools().len(), 8);
    }

    #[test]
    fn the_end_of_input_kills_what_runs() {
        let (client, _, child) = watching();
        assert!(client.close().success());
        assert!(is_gone(child));
    }

    #[test]
    fn a_terminated_server_kills_what_runs() {
        let (client, _, child) = watching();
        let sent = Command::new("kill").arg(client.id().to_string()).status();
        assert!(sent.is_ok_and(|status| status.success()));
        eventually("the child's end", || is_gone(child));
        let server = client.id();
        drop(client);
        eventually("the server's end", || is_gone(server));
    }

    /// Answers pile up while nobody reads; the server must still end with its input, and kill what runs.
    #[test]
    fn a_client_that_stops_reading_does_not_hold_the_server() {
        use std::{io::Write, process::Stdio};
        let mut server = Command::new(example("derive"))
            .args(["mcp", "start"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it was built");
        let mut stdin = server.stdin.take().expect("it is piped");
        let feeder = std::thread::spawn(move || {
            let begin = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}"#;
            let _ = writeln!(stdin, "{begin}");
            for id in 1..2000 {
                if writeln!(
                    stdin,
                    r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#
                )
                .is_err()
                {
                    return;
                }
            }
        });
        std::thread::sleep(Duration::from_millis(300));
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", server.id())).expect("it runs");
        let peak = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .expect("a line");
        let peak: u64 = peak
            .trim()
            .trim_end_matches(" kB")
            .parse()
            .expect("a number");
        assert!(peak < 200_000, "{peak} kB");
        // Closing our end of its output is what a client that dies does.
        drop(server.stdout.take());
        let deadline = Instant::now() + HANG;
        while server.try_wait().expect("our child").is_none() {
            assert!(Instant::now() < deadline, "the server hangs");
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = feeder.join();
    }
}
