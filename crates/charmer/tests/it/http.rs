//! A CLI that serves itself over HTTP.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
    time::Duration,
};

use serde_json::{Value, json};

use crate::client::example;

const PATIENCE: Duration = Duration::from_secs(60);

/// A server, which is ended with the test.
struct Serving(Child);

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The answer to a request of the modern era.
fn ask(address: &str, method: &str, mut params: Value) -> Value {
    let name = params["name"].as_str().map(str::to_owned);
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
    });
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream
        .set_read_timeout(Some(PATIENCE))
        .expect("it can be set");
    let name = name.map_or(String::new(), |name| format!("Mcp-Name: {name}\r\n"));
    let length = body.len();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept: */*\r\nContent-Type: application/json\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n{name}Content-Length: {length}\r\n\r\n"
    );
    stream
        .write_all(format!("{head}{body}").as_bytes())
        .expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    let (_, body) = answer.split_once("\r\n\r\n").expect("a header");
    serde_json::from_str(body).unwrap_or_else(|_| panic!("no JSON: {answer}"))
}

#[test]
fn a_cli_serves_itself_in_a_plain_main_and_inside_a_runtime() {
    for (name, tool, input, says) in [
        (
            "derive",
            "todo_add",
            json!({"text": "serve"}),
            "added \"serve\"",
        ),
        ("derive_tokio", "timer_wait", json!({"millis": 1}), "ring"),
    ] {
        let started = Command::new(example(name))
            .args(["mcp", "start", "--http", "127.0.0.1:0"])
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        let mut server = Serving(started.expect("it was built"));
        let stderr = server.0.stderr.take().expect("it is piped");
        let mut said = String::new();
        let mut lines = BufReader::new(stderr);
        lines.read_line(&mut said).expect("it is text");
        let address = said.trim_end().strip_prefix("listening on http://");
        let address = address.and_then(|address| address.strip_suffix("/mcp"));
        let address = address.unwrap_or_else(|| panic!("{name}: {said}"));
        let tools = ask(address, "tools/list", json!({}));
        assert_eq!(tools["result"]["tools"][0]["name"], tool, "{tools}");
        let called = ask(
            address,
            "tools/call",
            json!({"name": tool, "arguments": input}),
        );
        let text = called["result"]["content"][0]["text"].as_str();
        assert!(text.is_some_and(|text| text.contains(says)), "{called}");
    }
}

#[test]
fn an_address_for_everybody_needs_tokens_here_too() {
    let output = Command::new(example("derive"))
        .args(["mcp", "start", "--http", "0.0.0.0:0"])
        .output()
        .expect("it was built");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("--token-file"), "{said}");
}
