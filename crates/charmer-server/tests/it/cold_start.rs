//! Tools that are still being found out when a client asks for them.

use std::time::Duration;

use charmer_run::{CallService, Outcome, process::Engine};
use charmer_server::{Server, ServerInfo, ToolList};
use serde_json::{Value, json};

use crate::client::{Client, modern, service, tools};

/// Longer than any test, and shorter than any wait.
const FOREVER: Duration = Duration::from_secs(3600);
const AT_ONCE: Duration = Duration::ZERO;

fn start(patience: Duration) -> (Client, CallService) {
    let server = Server::pending(ServerInfo::new("test", "1"), Engine::default());
    let path = service(|_| Ok(Outcome::success("ok")));
    (Client::of(server.patience(patience, patience)), path)
}

fn names(answer: &Value) -> Vec<&str> {
    let tools = answer["result"]["tools"]
        .as_array()
        .unwrap_or_else(|| panic!("{answer}"));
    tools
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect()
}

#[test]
fn the_list_waits_for_a_set_that_is_complete() {
    let (mut client, path) = start(FOREVER);
    client.initialize();
    client.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}));
    // The protocol goes on meanwhile.
    assert_eq!(client.request(3, "ping", json!({}))["id"], 3);
    client.handle.grow(tools(&["a"], &path));
    assert_eq!(client.request(4, "ping", json!({}))["id"], 4);
    client.handle.replace(tools(&["a", "b"], &path));
    let listed = client.next();
    assert_eq!(
        (&listed["id"], names(&listed)),
        (&json!(2), vec!["t_a", "t_b"])
    );
    // It holds everything, so there is nothing to tell: the next line is the next answer.
    assert_eq!(client.request(5, "ping", json!({}))["id"], 5);
    client.end();
}

#[test]
fn impatience_gets_what_is_known_and_is_told_of_the_rest() {
    let (mut client, path) = start(AT_ONCE);
    client.handle.grow(tools(&["a"], &path));
    client.initialize();
    let listed = client.request(2, "tools/list", json!({}));
    assert_eq!(names(&listed), ["t_a"]);
    client.handle.replace(tools(&["a", "b"], &path));
    assert_eq!(client.next()["method"], "notifications/tools/list_changed");
    let listed = client.request(3, "tools/list", json!({}));
    assert_eq!(names(&listed), ["t_a", "t_b"]);
    client.end();
}

#[test]
fn growth_is_told_at_a_measured_pace() {
    let (mut client, path) = start(AT_ONCE);
    client.initialize();
    assert!(names(&client.request(2, "tools/list", json!({}))).is_empty());
    client.handle.grow(tools(&["a"], &path));
    assert_eq!(client.next()["method"], "notifications/tools/list_changed");
    // These come faster than a client could list; only the end of it is told at once.
    client.handle.grow(tools(&["a", "b"], &path));
    client.handle.grow(tools(&["a", "b", "c"], &path));
    assert_eq!(client.request(3, "ping", json!({}))["id"], 3);
    client.handle.replace(tools(&["a", "b", "c", "d"], &path));
    assert_eq!(client.next()["method"], "notifications/tools/list_changed");
    assert_eq!(client.request(4, "ping", json!({}))["id"], 4);
    client.end();
}

#[test]
fn modern_clients_wait_and_are_told_likewise() {
    let (mut client, path) = start(AT_ONCE);
    client.handle.grow(tools(&["a"], &path));
    let listen = json!({"notifications": {"toolsListChanged": true}, "_meta": modern()});
    client.request(1, "subscriptions/listen", listen);
    let listed = client.request(2, "tools/list", json!({"_meta": modern()}));
    assert_eq!(names(&listed), ["t_a"]);
    client.handle.replace(tools(&["a", "b"], &path));
    assert_eq!(client.next()["method"], "notifications/tools/list_changed");
    client.end();

    let (mut client, path) = start(FOREVER);
    let list =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": modern()}});
    client.send(&list);
    client.handle.replace(tools(&["a"], &path));
    assert_eq!(names(&client.next()), ["t_a"]);
    client.end();
}

#[test]
fn a_list_that_is_foretold_is_given_before_its_tools_are_there() {
    let (mut client, path) = start(FOREVER);
    client
        .handle
        .show_early(ToolList::of(&tools(&["a", "b"], &path)));
    client.initialize();
    let listed = client.request(2, "tools/list", json!({}));
    assert_eq!(names(&listed), ["t_a", "t_b"]);
    let params = json!({"name": "t_a", "arguments": {}});
    client.send(&json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": params}));
    assert_eq!(client.request(4, "ping", json!({}))["id"], 4);
    client.handle.replace(tools(&["a", "b"], &path));
    // The list was right, so nothing is told: the next line is the call's answer.
    assert_eq!(client.next()["id"], 3);
    let again = client.request(5, "tools/list", json!({}));
    assert_eq!(again["result"], listed["result"]);
    client.end();
}

#[test]
fn a_list_that_was_foretold_wrongly_is_taken_back() {
    let (mut client, path) = start(FOREVER);
    client
        .handle
        .show_early(ToolList::of(&tools(&["a"], &path)));
    let listen = json!({"notifications": {"toolsListChanged": true}, "_meta": modern()});
    client.request(1, "subscriptions/listen", listen);
    let listed = client.request(2, "tools/list", json!({"_meta": modern()}));
    assert_eq!(names(&listed), ["t_a"]);
    assert_eq!(listed["result"]["resultType"], "complete");
    client.handle.replace(tools(&["b"], &path));
    assert_eq!(client.next()["method"], "notifications/tools/list_changed");
    let listed = client.request(3, "tools/list", json!({"_meta": modern()}));
    assert_eq!(names(&listed), ["t_b"]);
    client.end();
}

#[test]
fn a_list_that_was_kept_is_the_list_that_was_made() {
    for bad in ["", "[", "{}", "[{}]", "[1]", "[] []"] {
        assert_eq!(ToolList::from_json(bad), None, "{bad:?}");
    }
    let path = service(|_| Ok(Outcome::success("ok")));
    let made = ToolList::of(&tools(&["a", "b"], &path));
    let kept = ToolList::from_json(made.as_json()).expect("a list");
    assert_eq!(kept, made);
    assert_eq!(kept.as_json(), made.as_json());
}

#[test]
fn a_call_waits_for_its_tool() {
    let (mut client, path) = start(FOREVER);
    client.initialize();
    let call = |id: i64, name: &str| {
        let params = json!({"name": name, "arguments": {}});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
    };
    client.send(&call(2, "t_a"));
    client.send(&call(3, "t_z"));
    assert_eq!(client.request(4, "ping", json!({}))["id"], 4);
    client.handle.grow(tools(&["a"], &path));
    // The one that is there now is called though more is expected.
    let lines = [client.next(), client.next()];
    let called = lines.iter().find(|line| line["id"] == 2);
    assert_eq!(
        called.map(|line| &line["result"]["content"][0]["text"]),
        Some(&json!("ok")),
        "{lines:?}"
    );
    // The one that is not there is refused when nothing more is expected.
    client.handle.settle();
    let refused = client.next();
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&json!(3), &json!(-32602)),
        "{refused}"
    );
    client.end();
}

#[test]
fn an_impatient_call_is_told_to_come_again() {
    let (mut client, _) = start(AT_ONCE);
    client.initialize();
    let refused = client.request(2, "tools/call", json!({"name": "t_a"}));
    let message = refused["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("try again"), "{refused}");
    client.end();
}

#[test]
fn a_call_that_waits_for_its_tool_tells_how_far_that_is() {
    let (mut client, path) = start(FOREVER);
    client.initialize();
    let params = json!({"name": "t_a", "arguments": {}, "_meta": {"progressToken": "how far"}});
    client.handle.reading("reading docker: 120 commands");
    client.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}));
    let told = client.next();
    assert_eq!(
        (&told["method"], &told["params"]["progressToken"]),
        (&json!("notifications/progress"), &json!("how far"))
    );
    assert_eq!(told["params"]["message"], "reading docker: 120 commands");
    client.handle.replace(tools(&["a"], &path));
    let lines = std::iter::repeat_with(|| client.next());
    let mut lines = lines.filter(|line| line["method"] != "notifications/progress");
    let called = lines.find(|line| line["id"] == 2).expect("an answer");
    assert_eq!(called["result"]["content"][0]["text"], "ok");
    drop(lines);
    client.end();
}

#[test]
fn patience_for_a_list_and_for_a_call_are_two() {
    let server = Server::pending(ServerInfo::new("test", "1"), Engine::default());
    let path = service(|_| Ok(Outcome::success("ok")));
    let mut client = Client::of(server.patience(AT_ONCE, FOREVER));
    client.initialize();
    let params = json!({"name": "t_a", "arguments": {}});
    client.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}));
    for (id, list) in [(3, "tools"), (4, "resources"), (5, "prompts")] {
        let listed = client.request(id, &format!("{list}/list"), json!({}));
        assert!(listed["result"][list].is_array(), "{listed}");
    }
    client.handle.replace(tools(&["a"], &path));
    let lines = std::iter::repeat_with(|| client.next());
    let mut calls = lines.filter(|line| line["id"] == 2);
    let called = calls.next().expect("an answer");
    assert_eq!(called["result"]["content"][0]["text"], "ok");
    drop(calls);
    client.end();
}

#[test]
fn a_waiting_list_does_not_outlive_the_client() {
    let (mut client, _) = start(FOREVER);
    client.initialize();
    client.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}));
    client.end();
}
