//! Calls that end before their time: by a client that goes away, and by the order to end.

use std::{fs, path::Path};

use serde_json::json;

use super::{
    client::{Ask, HttpServer, Wire},
    eventually, list,
};

/// A call that waits, in the modern era or in a session, and the process that it runs in.
pub(crate) fn drift(server: &HttpServer, session: Option<&str>) -> (Wire, String) {
    let params = json!({"name": "ship_drift", "arguments": {}, "_meta": {"progressToken": 1}});
    let ask = match session {
        None => Ask::modern("tools/call", params),
        Some(session) => {
            let call = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params});
            Ask::in_session(session, &call)
        }
    };
    let mut wire = server.connect();
    wire.write(&ask.bytes());
    assert_eq!(wire.begin().status, 200);
    loop {
        let told = wire.event().expect("it reports");
        let message = told["params"]["message"].as_str().unwrap_or_default();
        if let Some((_, process)) = message.split_once("as process ") {
            return (wire, process.trim().to_owned());
        }
    }
}

fn runs(process: &str) -> bool {
    // One that has ended and was not waited for yet has no memory.
    let status = fs::read_to_string(Path::new("/proc").join(process).join("status"));
    status.is_ok_and(|status| status.contains("VmSize"))
}

#[test]
fn a_modern_client_that_closes_its_stream_cancels_and_a_legacy_one_does_not() {
    let server = HttpServer::start("http: {end_timeout: 0}");
    let (modern, cancelled) = drift(&server, None);
    let session = server.send(&Ask::initialize()).session();
    let (legacy, kept) = drift(&server, Some(&session));
    drop((modern, legacy));
    eventually(|| !runs(&cancelled));
    // The session goes on after its stream has gone, and so does the call.
    assert_eq!(server.send(&Ask::in_session(&session, &list())).status, 200);
    assert!(runs(&kept), "a disconnect is no cancellation");
    let params = json!({"requestId": 5});
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
    assert_eq!(server.send(&Ask::in_session(&session, &cancel)).status, 202);
    eventually(|| !runs(&kept));
    server.end();
}

#[test]
fn a_session_that_is_ended_takes_its_calls_with_it() {
    let server = HttpServer::start("http: {end_timeout: 0}");
    let session = server.send(&Ask::initialize()).session();
    let (_wire, process) = drift(&server, Some(&session));
    let end = Ask::new("DELETE").header("Mcp-Session-Id", &session);
    assert_eq!(server.send(&end).status, 204);
    eventually(|| !runs(&process));
    server.end();
}

#[test]
fn the_order_to_end_answers_running_calls_ends_streams_and_leaves_nothing() {
    let mut server = HttpServer::start("http: {end_timeout: 3s}");
    let session = server.send(&Ask::initialize()).session();
    let (mut modern, first) = drift(&server, None);
    let (mut legacy, second) = drift(&server, Some(&session));
    let mut news = server.connect();
    news.write(&Ask::new("GET").header("Mcp-Session-Id", &session).bytes());
    assert_eq!(news.begin().status, 200);
    let mut subscribed = server.connect();
    let notifications = json!({"notifications": {"toolsListChanged": true}});
    subscribed.write(&Ask::modern("subscriptions/listen", notifications).bytes());
    assert_eq!(subscribed.begin().status, 200);
    let known = || {
        let mut wire = server.connect();
        wire.write(&Ask::new("GET").at("/healthz").bytes());
        assert_eq!(wire.reply().status, 200);
        wire
    };
    let (mut idle, mut looking) = (known(), known());

    server.terminate();
    // The order takes a moment to arrive.
    loop {
        looking.write(&Ask::new("GET").at("/readyz").bytes());
        if looking.reply().json()["status"] == "ending" {
            break;
        }
    }
    // Who is connected already is told that nothing new is taken; nobody else gets in.
    idle.write(&Ask::call("ship_list", json!({})).bytes());
    let reply = idle.reply();
    assert_eq!(
        (reply.status, reply.header("connection")),
        (503, Some("close")),
        "{reply:?}"
    );
    for (wire, era) in [(&mut modern, "modern"), (&mut legacy, "legacy")] {
        let mut last = None;
        while let Some(event) = wire.event() {
            last = Some(event);
        }
        let last = last.unwrap_or_else(|| panic!("{era}: no answer"));
        assert_eq!(last["result"]["isError"], true, "{era}: {last}");
    }
    // Both end as streams do, not as connections that break.
    while news.event().is_some() {}
    while subscribed.event().is_some() {}
    let (status, said) = server.wait();
    assert!(status.success(), "{status}: {said}");
    assert!(!runs(&first) && !runs(&second), "a program is left");
}

#[test]
fn a_call_that_ends_in_time_is_answered_after_the_order_to_end() {
    let server_config = "http: {end_timeout: 2m}\nlimits: {timeout: 3s}";
    let mut server = HttpServer::start(server_config);
    let (mut wire, process) = drift(&server, None);
    server.terminate();
    let mut last = None;
    while let Some(event) = wire.event() {
        last = Some(event);
    }
    let last = last.expect("an answer").to_string();
    assert!(
        last.contains("timed out") || last.contains("timeout"),
        "{last}"
    );
    let (status, said) = server.wait();
    assert!(status.success() && !runs(&process), "{said}");
}
