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

    /// The answer to a request, whatever else is told before it.
    fn answer(&mut self, id: u32) -> Value {
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
        }
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

#[test]
fn an_output_that_was_cut_is_read_in_parts_and_not_searched() {
    let mut client = Client::start(env!("CARGO_BIN_EXE_light"));
    client.call(1, "names_delete", json!({"name": "x".repeat(60_000)}));
    let cut = client.answer(1);
    let id = &cut["result"]["structuredContent"]["truncated"]["stdout"]["id"];
    let id = id.as_str().expect("an id").to_owned();
    client.send(json!({"id": 2, "method": "tools/list"}));
    let listed = client.answer(2);
    let tools = listed["result"]["tools"].as_array().expect("a list");
    let reader = tools.iter().find(|tool| tool["name"] == "read_output");
    let properties = &reader.expect("it is listed")["inputSchema"]["properties"];
    let keys: Vec<&String> = properties.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["id", "offset", "length"]);
    client.call(3, "read_output", json!({"id": id, "offset": 59_990}));
    let end = client.answer(3);
    let end = &end["result"]["content"][0]["text"];
    assert_eq!(end, "xxxxxxxxxx is gone");
    client.call(4, "read_output", json!({"id": id, "search": "gone"}));
    assert_eq!(client.answer(4)["result"]["isError"], true);
    client.send(json!({"id": 5, "method": "resources/templates/list"}));
    let templates = client.answer(5).to_string();
    assert!(
        templates.contains("spool://{id}{?offset,length}"),
        "{templates}"
    );
    let uri = format!("spool://{id}?grep=gone");
    client.send(json!({"id": 6, "method": "resources/read", "params": {"uri": uri}}));
    let refused = client.answer(6)["error"]["message"].to_string();
    assert!(
        refused.contains("there are `offset` and `length`"),
        "{refused}"
    );
    client.leave();
}
