//! How a client may begin, what each era asks of a request, and that each request is answered once or not at all.

use std::io::{Read, Write, pipe};

use charmer_run::{Call, CallError, ErrorCode, Outcome, into_service, process::Engine};
use charmer_server::{Server, ServerInfo};
use serde_json::{Value, json};
use tower::service_fn;

use crate::client::{Client, modern, service, tools};

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;

fn start() -> Client {
    Client::start(tools(&["a"], &service(|_| Ok(Outcome::success("ok")))))
}

/// A tool that waits to be cancelled.
fn waiting() -> Client {
    let path = into_service(service_fn(|call: Call| async move {
        call.cancel.cancelled().await;
        Err::<Outcome, _>(CallError::new(ErrorCode::Cancelled, "cancelled"))
    }));
    Client::start(tools(&["wait"], &path))
}

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_default()
}

#[test]
fn before_the_handshake_only_requests_are_heard_and_few_are_answered() {
    let mut client = start();
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    client.send(&json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
    assert_eq!(client.request(0, "ping", json!({}))["result"], json!({}));
    let early = client.request(1, "tools/list", json!({}));
    assert_eq!(code(&early), -32602, "{early}");
    let message = early["error"]["message"].as_str().expect("a text");
    assert!(message.contains("protocolVersion"), "{message}");
    let unknown = client.request(2, "no/such", json!({}));
    assert!(unknown["error"].is_object(), "{unknown}");
    client.initialize();
    assert_eq!(client.request(3, "tools/list", json!({}))["id"], 3);
    client.end();
}

#[test]
fn the_answer_to_a_handshake_says_what_there_is() {
    let info = ServerInfo::new("git", "2.39")
        .title("Git")
        .instructions("Look first.");
    let server = Server::new(
        info,
        tools(&["a"], &service(|_| Ok(Outcome::success("")))),
        Engine::default(),
    );
    let mut client = Client::of(server);
    let asked = json!({"protocolVersion": "2026-07-28", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}});
    let answer = client.request(1, "initialize", asked);
    let capabilities = json!({
        "completions": {},
        "prompts": {"listChanged": true},
        "resources": {"listChanged": true},
        "tools": {"listChanged": true},
    });
    assert_eq!(
        answer["result"],
        json!({
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities,
            "serverInfo": {"name": "git", "title": "Git", "version": "2.39"},
            "instructions": "Look first.",
        })
    );
    client.end();
}

#[test]
fn a_legacy_session_from_its_handshake_to_its_end() {
    let mut client = waiting();
    client.initialize();
    let listed = client.request(2, "tools/list", json!({}));
    assert_eq!(listed["result"]["tools"][0]["name"], "t_wait");
    assert!(listed["result"].get("resultType").is_none(), "{listed}");
    for method in ["subscriptions/listen", "logging/setLevel", "no/such"] {
        let params = json!({"notifications": {}, "level": "info"});
        assert_eq!(code(&client.request(3, method, params)), -32601, "{method}");
    }
    // A running call: its id is refused to others, and free again when it has been cancelled; it is not answered.
    let call =
        json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "t_wait"}});
    client.send(&call);
    client.send(&call);
    let refused = client.next();
    assert_eq!(refused["error"]["data"], json!({"id": 5}), "{refused}");
    assert_eq!(refused["id"], Value::Null);
    for id in [404, 5] {
        let cancelled = json!({"requestId": id});
        client.send(
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled}),
        );
    }
    loop {
        let answer = client.request(5, "ping", json!({}));
        if answer["id"] == 5 {
            assert_eq!(answer["result"], json!({}), "{answer}");
            break;
        }
        assert_eq!(answer["error"]["data"], json!({"id": 5}), "{answer}");
    }
    client.end();
}

#[test]
fn a_client_that_says_again_that_it_is_ready_is_told_of_changes_once() {
    let path = service(|_| Ok(Outcome::success("ok")));
    let mut client = Client::start(tools(&["a"], &path));
    client.initialize();
    for _ in 0..3 {
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    }
    client.request(2, "ping", json!({}));
    client.handle.replace(tools(&["a", "b"], &path));
    assert_eq!(client.next()["method"], "notifications/tools/list_changed");
    assert_eq!(client.request(3, "ping", json!({}))["id"], 3);
    client.end();
}

#[test]
fn a_modern_client_says_everything_with_each_request() {
    let mut client = start();
    let with = |meta: &Value| json!({ "_meta": meta });
    let discovered = client.request(0, "server/discover", with(&modern()));
    let result = &discovered["result"];
    assert_eq!(result["resultType"], "complete", "{discovered}");
    assert_eq!(result["ttlMs"], 0);
    assert_eq!(
        result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
        "test"
    );
    let versions = result["supportedVersions"].as_array().expect("a list");
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2025-11-25")));
    // A version that nobody speaks is refused, and begins nothing.
    let mut strange = modern();
    strange["io.modelcontextprotocol/protocolVersion"] = json!("2030-01-01");
    let refused = client.request(1, "tools/list", with(&strange));
    assert_eq!(code(&refused), -32022, "{refused}");
    assert_eq!(refused["error"]["data"]["requested"], "2030-01-01");
    let listed = client.request(2, "tools/list", with(&modern()));
    assert_eq!(listed["result"]["cacheScope"], "private", "{listed}");
    assert_eq!(listed["result"]["resultType"], "complete");
    let bare = client.request(3, "tools/list", json!({}));
    assert_eq!(code(&bare), -32602, "{bare}");
    let mut incomplete = modern();
    incomplete["io.modelcontextprotocol/clientCapabilities"] = json!("all");
    let bad = client.request(4, "tools/list", with(&incomplete));
    assert_eq!(code(&bad), -32602, "{bad}");
    for removed in [
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "initialize",
    ] {
        let gone = client.request(5, removed, with(&modern()));
        assert_eq!(code(&gone), -32601, "{removed}: {gone}");
    }
    let called = json!({"name": "t_a", "_meta": modern()});
    let called = client.request(6, "tools/call", called);
    assert_eq!(called["result"]["resultType"], "complete", "{called}");
    client.end();
}

#[test]
fn requests_of_both_eras_can_come_in_one_session() {
    let mut client = start();
    client.initialize();
    let modern = client.request(2, "tools/list", json!({"_meta": modern()}));
    assert_eq!(modern["result"]["resultType"], "complete", "{modern}");
    let legacy = client.request(3, "tools/list", json!({}));
    assert!(legacy["result"].get("resultType").is_none(), "{legacy}");
    client.end();
}

#[test]
fn a_request_and_the_end_of_input_at_once_are_still_answered() {
    let (from_client, mut to_server) = pipe().expect("a pipe");
    let (mut from_server, to_client) = pipe().expect("a pipe");
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let text = format!("not json\n{INITIALIZE}\n{list}");
    to_server.write_all(text.as_bytes()).expect("there is room");
    drop(to_server);
    let set = tools(&["a"], &service(|_| Ok(Outcome::success("ok"))));
    let server = Server::new(ServerInfo::new("test", "1"), set, Engine::default());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let served = server.serve_streams(from_client, to_client);
    runtime.block_on(served).expect("it serves");
    let mut text = String::new();
    from_server.read_to_string(&mut text).expect("text");
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(text.contains("t_a"), "{text}");
}
