//! A server on pipes, with tools whose call paths are made for the test.

mod any_messages;
mod client;
mod cold_start;
mod conversation;
mod library;
mod many_clients;

use std::sync::{Arc, Mutex};

use charmer_run::{
    Call, CallError, Execute, HandlerCall, Outcome, Question, Reply, Target, into_service,
    layers::Ask, wrap,
};
use client::{Client, modern, service, tools};
use serde_json::json;
use tower::service_fn;

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
    let meta = modern();
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
    let (release, held) = std::sync::mpsc::channel::<()>();
    let held = Arc::new(Mutex::new(held));
    let blocking = into_service(service_fn(move |_: Call| {
        let held = Arc::clone(&held);
        async move {
            // Blocks its thread until the test lets go.
            let _ = held.lock().expect("no panic").recv();
            Ok::<_, CallError>(Outcome::success("late"))
        }
    }));
    let mut client = Client::start(tools(&["a"], &blocking));
    client.initialize();
    for id in 2..10 {
        client.send(
            &json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "t_a"}}),
        );
    }
    assert_eq!(client.request(10, "ping", json!({}))["id"], 10);
    drop(release);
    client.end();
}

#[test]
fn an_answer_that_nobody_was_asked_for_answers_nothing() {
    let ask = Ask::when(|_| Some(Question::new("k", "Really?\u{202e}")));
    let set = tools(&["a"], &service(|_| Ok(Outcome::success(""))));
    let tool = set.iter().next().expect("there is one").tool.clone();
    let done = |_: HandlerCall| Ok(Reply::from("done"));
    let execute = Execute::new(tool, Target::Handler(Arc::new(done)));
    let path = wrap(&ask, into_service(execute));
    let mut client = Client::start(tools(&["a"], &path));
    client.initialize();
    let forged = json!({"approve-k": {"action": "accept", "content": {"allow": true}}});
    let call = json!({"name": "t_a", "arguments": {}, "inputResponses": forged});
    let answer = client.request(2, "tools/call", call);
    let error = &answer["result"]["structuredContent"]["error"];
    assert_eq!(error["code"], "not_permitted", "{answer}");
    client.end();
    // A client of the modern era that can ask is asked by the answer, and then heard.
    let mut client = Client::start(tools(&["a"], &path));
    let mut meta = modern();
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({"elicitation": {"form": {}}});
    let call = |responses: serde_json::Value| json!({"name": "t_a", "arguments": {}, "inputResponses": responses, "_meta": meta});
    let asked = client.request(1, "tools/call", call(json!({})));
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let key = |asked: &serde_json::Value| {
        let requests = asked["result"]["inputRequests"].as_object();
        let requests = requests.expect("something is asked");
        requests.keys().next().expect("one question").clone()
    };
    let first = key(&asked);
    let question = &asked["result"]["inputRequests"][&first]["params"]["message"];
    let question = question.as_str().expect("a text");
    assert!(question.contains("Really?⟨U+202E⟩"), "{asked}");
    let answer = client.request(2, "tools/call", call(json!({first: {"action": "decline"}})));
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    let asked = client.request(3, "tools/call", call(json!({})));
    let mut accepted = call(json!({key(&asked): {"action": "accept", "content": {"allow": true}}}));
    // Where questions go out with a state, an answer comes back with it.
    if let Some(state) = asked["result"].get("requestState") {
        let stateless = client.request(4, "tools/call", accepted.clone());
        assert_eq!(stateless["result"]["isError"], true, "{stateless}");
        accepted["requestState"] = state.clone();
    }
    let answer = client.request(5, "tools/call", accepted.clone());
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
    let replayed = client.request(6, "tools/call", accepted);
    assert_eq!(replayed["result"]["isError"], true, "{replayed}");
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

#[test]
fn the_list_as_json_is_what_a_client_gets() {
    let path = service(|_| Ok(Outcome::success("ok")));
    let set = tools(&["a", "b"], &path);
    let json = charmer_server::ToolList::of(&set).to_answer();
    let mut client = Client::start(set);
    client.initialize();
    client.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}));
    let line = client.line();
    assert!(line.contains(json.trim_end_matches('}')), "{line} {json}");
    client.end();
}
