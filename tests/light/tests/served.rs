//! The server of a CLI that has the library as it comes, as a client sees it.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};

struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Client {
    /// Starts a server and shakes hands.
    fn start(program: &str) -> Self {
        let mut child = Command::new(program)
            .args(["mcp", "start"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut client = Self {
            child,
            input,
            output,
        };
        let info = json!({"name": "test", "version": "1"});
        let params =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info});
        client.send(json!({"id": 0, "method": "initialize", "params": params}));
        assert_eq!(client.receive()["id"], 0);
        client.send(json!({"method": "notifications/initialized"}));
        client
    }

    fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = json!("2.0");
        writeln!(self.input, "{message}").expect("it reads");
    }

    fn call(&mut self, id: u32, tool: &str, arguments: Value) {
        let params = json!({"name": tool, "arguments": arguments});
        self.send(json!({"id": id, "method": "tools/call", "params": params}));
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).expect("a message")
    }

    /// Goes away; the server ends with it.
    fn leave(self) {
        let Self {
            mut child, input, ..
        } = self;
        drop(input);
        assert!(child.wait().expect("it ends").success());
    }
}

#[test]
fn a_client_lists_calls_and_leaves() {
    let mut client = Client::start(env!("CARGO_BIN_EXE_light"));
    client.send(json!({"id": 1, "method": "tools/list"}));
    let listed = client.receive();
    assert_eq!(listed["result"]["tools"][0]["name"], "names_list");
    client.call(2, "names_list", json!({"limit": 2}));
    let called = client.receive();
    let shown = &called["result"]["content"][0]["text"];
    assert_eq!(shown, "[\"Ada\"] of Some(2)", "{called}");
    client.send(json!({"id": 3, "method": "resources/list", "params": {"cursor": null}}));
    assert!(client.receive()["result"]["resources"].is_array());
    client.send(json!({"id": 4, "method": "tools/call", "params": {"arguments": {}}}));
    assert_eq!(client.receive()["error"]["code"], -32602);
    // Prompts are a feature.
    client.send(json!({"id": 5, "method": "prompts/list"}));
    assert_eq!(client.receive()["error"]["code"], -32601);
    client.leave();
}

#[test]
fn a_hook_that_blocks_holds_up_neither_the_protocol_nor_another_call() {
    let folder = tempfile::tempdir().expect("a folder");
    let gate = folder.path().join("gate");
    let mut client = Client::start(env!("CARGO_BIN_EXE_hooked"));
    client.call(1, "hooked_show", json!({"word": gate}));
    client.send(json!({"id": 2, "method": "ping"}));
    assert_eq!(client.receive()["id"], 2);
    client.call(3, "hooked_show", json!({"word": "never"}));
    let refused = client.receive();
    assert_eq!(refused["id"], 3);
    assert_eq!(refused["result"]["content"][0]["text"], "not today");
    client.call(4, "hooked_show", json!({"word": "panic"}));
    let failed = client.receive();
    assert_eq!(failed["id"], 4);
    assert_eq!(failed["result"]["isError"], true, "{failed}");
    std::fs::write(&gate, "").expect("it can be written");
    let shown = client.receive();
    assert_eq!(shown["id"], 1);
    assert_eq!(shown["result"]["isError"], false, "{shown}");
    client.leave();
}
