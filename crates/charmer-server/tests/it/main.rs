//! A server on pipes, with tools whose call paths are made for the test.

use std::{
    io::{BufRead, BufReader, PipeReader, PipeWriter, Write, pipe},
    thread::JoinHandle,
};

use charmer_core::{
    model::{Cli, Command, Syntax},
    tool::{CatalogueOptions, catalogue},
};
use charmer_run::{
    Call, CallError, CallService, Limits, Outcome, ServedTool, ToolSet, into_service,
    process::Engine,
};
use charmer_server::{Server, ServerInfo, ToolsHandle};
use serde_json::{Value, json};
use tower::service_fn;

/// Tools of these names, each with the same call path.
fn tools(names: &[&str], service: &CallService) -> ToolSet {
    let root = names
        .iter()
        .fold(Command::new("t").not_runnable(), |root, name| {
            root.command(Command::new(*name))
        });
    let found = catalogue(
        &Cli::new(root, Syntax::clap()),
        &CatalogueOptions::default(),
    );
    ToolSet::new(
        found
            .tools
            .into_iter()
            .map(|tool| ServedTool::new(tool, service.clone(), Limits::default())),
    )
}

fn service(answer: fn(&Call) -> Result<Outcome, CallError>) -> CallService {
    into_service(service_fn(move |call: Call| async move { answer(&call) }))
}

struct Client {
    to: PipeWriter,
    from: BufReader<PipeReader>,
    handle: ToolsHandle,
    server: JoinHandle<()>,
}

impl Client {
    fn start(tools: ToolSet) -> Self {
        let (from_client, to) = pipe().expect("a pipe");
        let (from, to_client) = pipe().expect("a pipe");
        let server = Server::new(ServerInfo::new("test", "1"), tools, Engine::default());
        let handle = server.tools();
        let server = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime");
            runtime
                .block_on(server.serve_streams(from_client, to_client))
                .expect("it serves");
        });
        Self {
            to,
            from: BufReader::new(from),
            handle,
            server,
        }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.to, "{message}").expect("the server reads");
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.from.read_line(&mut line).expect("the server writes");
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("not JSON: {line:?}"))
    }

    fn request(&mut self, id: i64, method: &str, params: Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.next()
    }

    fn initialize(&mut self) {
        let client = json!({"name": "t", "version": "0"});
        self.request(
            0,
            "initialize",
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}),
        );
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        // An answered request shows that the notification before it was handled.
        self.request(1, "ping", json!({}));
    }

    fn end(self) {
        drop(self.to);
        self.server.join().expect("the server ends without a panic");
    }
}

#[test]
fn a_panic_on_the_call_path_is_answered() {
    let mut client = Client::start(tools(&["a"], &service(|_| panic!("a hook went wrong"))));
    client.initialize();
    let answer = client.request(2, "tools/call", json!({"name": "t_a", "arguments": {}}));
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert_eq!(
        answer["result"]["structuredContent"]["error"]["code"],
        "internal"
    );
    assert!(client.request(3, "ping", json!({}))["result"].is_object());
    client.end();
}

#[test]
fn legacy_clients_are_told_of_changed_tools() {
    let path = service(|_| Ok(Outcome::success("ok")));
    let mut client = Client::start(tools(&["a"], &path));
    client.initialize();
    client.handle.replace(tools(&["a", "b"], &path));
    assert_eq!(client.next()["method"], "notifications/tools/list_changed");
    let listed = client.request(2, "tools/list", json!({}));
    assert_eq!(listed["result"]["tools"].as_array().map(Vec::len), Some(2));
    let called = client.request(3, "tools/call", json!({"name": "t_b"}));
    assert_eq!(called["result"]["content"][0]["text"], "ok");
    client.end();
}

#[test]
fn modern_clients_are_told_when_they_listen() {
    let path = service(|_| Ok(Outcome::success("ok")));
    let mut client = Client::start(tools(&["a"], &path));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let listen = json!({"notifications": {"toolsListChanged": true}, "_meta": meta});
    let acknowledged = client.request(1, "subscriptions/listen", listen);
    assert_eq!(
        acknowledged["method"], "notifications/subscriptions/acknowledged",
        "{acknowledged}"
    );
    // Listening begins after the acknowledgment; a change may come before it and must not be lost on the next one.
    let listed = client.request(2, "tools/list", json!({ "_meta": meta }));
    assert_eq!(
        listed["result"]["tools"].as_array().map(Vec::len),
        Some(1),
        "{listed}"
    );
    client.handle.replace(tools(&["a", "b"], &path));
    let told = client.next();
    assert_eq!(told["method"], "notifications/tools/list_changed", "{told}");
    assert!(
        told["params"]["_meta"].is_object(),
        "a modern notification names its subscription: {told}"
    );
    client.end();
}

#[test]
fn a_blocking_hook_does_not_hold_up_the_protocol() {
    let blocking = into_service(service_fn(|_: Call| async {
        std::thread::sleep(std::time::Duration::from_millis(400));
        Ok::<_, CallError>(Outcome::success("late"))
    }));
    let mut client = Client::start(tools(&["a"], &blocking));
    client.initialize();
    for id in 2..10 {
        client.send(
            &json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "t_a"}}),
        );
    }
    assert_eq!(client.request(10, "ping", json!({}))["id"], 10);
    client.end();
}

#[test]
fn both_forms_of_a_result_say_the_same() {
    let failing = service(|_| Err(CallError::refused("not today").hint("try tomorrow")));
    let mut client = Client::start(tools(&["a"], &failing));
    client.initialize();
    let answer = client.request(2, "tools/call", json!({"name": "t_a", "arguments": {}}));
    let result = &answer["result"];
    assert_eq!(
        result["content"],
        json!([{"type": "text", "text": "not today (try tomorrow)"}])
    );
    assert_eq!(
        result["structuredContent"],
        json!({"error": {"code": "not_permitted", "message": "not today", "hint": "try tomorrow"}})
    );
    client.end();
}
