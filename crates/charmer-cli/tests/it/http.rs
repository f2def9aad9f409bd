//! `charmer serve --http` as clients of both eras use it, and as others try to abuse it.

mod client;
mod drafts;
mod jobs;
#[cfg(target_os = "linux")]
mod load;
mod principals;
mod rights;
mod safety;
mod stopping;

use serde_json::{Value, json};

use self::client::{Ask, HttpServer, Reply};

fn list() -> Value {
    json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
}

/// The names of the tools in an answer to `tools/list`.
fn names(reply: &Reply) -> Vec<String> {
    let answer = reply.json();
    let tools = answer["result"]["tools"].as_array();
    let tools = tools.unwrap_or_else(|| panic!("no tools: {answer}"));
    let name = |tool: &Value| tool["name"].as_str().unwrap_or_default().to_owned();
    tools.iter().map(name).collect()
}

#[test]
fn both_eras_list_and_call_over_one_connection() {
    let server = HttpServer::start("");
    let mut wire = server.connect();
    wire.write(&Ask::initialize().bytes());
    let begun = wire.reply();
    assert_eq!(begun.status, 200);
    assert_eq!(begun.json()["result"]["protocolVersion"], "2025-11-25");
    let session = begun.session();
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    wire.write(&Ask::in_session(&session, &initialized).bytes());
    assert_eq!(wire.reply().status, 202);
    wire.write(&Ask::in_session(&session, &list()).bytes());
    let legacy = names(&wire.reply());
    assert!(legacy.contains(&"ship_sail".into()), "{legacy:?}");
    let params = json!({"name": "ship_list", "arguments": {"limit": 3}});
    let call = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": params});
    wire.write(&Ask::in_session(&session, &call).bytes());
    let said = wire.reply().json()["result"]["content"][0]["text"].to_string();
    assert!(said.contains("--limit=3"), "{said}");

    wire.write(&Ask::modern("tools/list", json!({})).bytes());
    let reply = wire.reply();
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert_eq!(names(&reply), legacy);
    wire.write(&Ask::call("ship_sail", json!({"port": "oslo"})).bytes());
    let said = wire.reply().json()["result"]["content"][0]["text"].to_string();
    assert!(said.contains("oslo"), "{said}");
    wire.write(&Ask::modern("server/discover", json!({})).bytes());
    assert_eq!(wire.reply().status, 200);

    // A session that its client ends is gone.
    let end = Ask::new("DELETE").header("Mcp-Session-Id", &session);
    assert_eq!(server.send(&end).status, 204);
    assert_eq!(server.send(&Ask::in_session(&session, &list())).status, 404);
    server.end();
}

#[test]
fn operators_ask_for_health_without_a_token() {
    let mut server = HttpServer::with_tokens("");
    let ask = |path: &str| Ask::new("GET").at(path).without("Accept");
    assert_eq!(server.send(&ask("/healthz")).json()["status"], "ok");
    // It is ready when the program is read; until then it says so.
    let ready = loop {
        let reply = server.send(&ask("/readyz"));
        match reply.status {
            503 => assert_eq!(reply.json()["status"], "reading programs"),
            _ => break reply,
        }
    };
    assert_eq!(
        (ready.status, &ready.json()["status"]),
        (200, &json!("ready"))
    );
    let wrong = server.send(&Ask::new("POST").at("/healthz"));
    assert_eq!((wrong.status, wrong.header("allow")), (405, Some("GET")));
    assert_eq!(server.send(&ask("/healthz/")).status, 404);
    let stranger = ask("/healthz").header("Host", "evil.example");
    assert_eq!(server.send(&stranger).status, 403);
    server.terminate();
    assert!(server.wait().0.success());
}

#[test]
fn lines_of_the_log_are_json_and_have_the_id_of_the_audit_log() {
    let config = "log: {calls: true, format: json}\naudit: {file: calls.jsonl}";
    let mut server = HttpServer::start(config);
    assert_eq!(server.send(&Ask::call("ship_list", json!({}))).status, 200);
    server.terminate();
    let (status, said) = server.wait();
    assert!(status.success(), "{said}");
    let audit = std::fs::read_to_string(server.path("calls.jsonl")).expect("it is written");
    let audit: Value =
        serde_json::from_str(audit.lines().next().unwrap_or_default()).expect("JSON");
    let lines = said.lines().map(|line| {
        serde_json::from_str::<Value>(line).unwrap_or_else(|_| panic!("no JSON: {line}"))
    });
    let lines: Vec<Value> = lines.collect();
    let call = lines.iter().find(|line| line["tool"] == "ship_list");
    let call = call.unwrap_or_else(|| panic!("no line about the call: {said}"));
    assert_eq!(
        (&call["call"], &call["level"]),
        (&audit["id"], &json!("info"))
    );
    assert_eq!(call["transport"], "http");
}

#[test]
fn a_bad_message_is_answered_with_400_and_its_id() {
    let server = HttpServer::start("");
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":4,"method":"ping","params":{}1{}}}"#,
        "[".repeat(200),
        "]".repeat(200)
    );
    for (body, code, id) in [
        ("nonsense", -32700, json!(null)),
        ("", -32700, json!(null)),
        (r#"{"jsonrpc":"2.0","id":7,"method":"#, -32700, json!(7)),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":1e400}}"#,
            -32700,
            json!(7),
        ),
        (
            r#"{"jsonrpc":"2.0","id":"a","method":"\ud800"}"#,
            -32700,
            json!("a"),
        ),
        (&deep, -32700, json!(4)),
        (
            r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#,
            -32600,
            json!(null),
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"ping","method":"x"}"#,
            -32600,
            json!(5),
        ),
        (
            r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
            -32600,
            json!(null),
        ),
        (
            r#"{"jsonrpc":"1.0","id":8,"method":"ping"}"#,
            -32600,
            json!(8),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            -32600,
            json!(null),
        ),
        ("7", -32600, json!(null)),
    ] {
        let reply = server.send(&Ask::post(body));
        assert_eq!(
            (reply.status, reply.code()),
            (400, code),
            "{body}: {reply:?}"
        );
        assert_eq!(reply.json()["id"], id, "{body}: {reply:?}");
        assert_eq!(reply.header("content-type"), Some("application/json"));
    }
    let reply = server.send(&Ask::post(b"{\"id\":3,\"method\":\"\xff\"}"));
    assert_eq!((reply.status, reply.code()), (400, -32700));
    // What is understood and cannot be done is an answer like any other.
    let wrong = json!({"jsonrpc": "2.0", "id": 9, "method": "tools/list", "params": {"cursor": 5}});
    let reply = server.send(&Ask::post(wrong.to_string()));
    assert_eq!((reply.status, reply.code()), (200, -32602), "{reply:?}");
    server.end();
}

#[test]
fn path_method_and_media_types_are_exact() {
    let server = HttpServer::start("");
    let ping = Ask::modern("tools/list", json!({}));
    for path in ["/", "/mcp/", "/mcp/x", "/MCP", "/x/mcp", "//mcp", "/%6dcp"] {
        assert_eq!(server.send(&ping.clone().at(path)).status, 404, "{path}");
    }
    for (name, value, status) in [
        ("Content-Type", "application/jsonx", 415),
        ("Content-Type", "text/plain", 415),
        ("Content-Type", "application/json; charset=utf-8", 200),
        ("Accept", "application/json", 406),
        ("Accept", "text/html", 406),
        ("Accept", "application/jsonx, text/event-stream", 406),
        ("Accept", "*/*", 200),
        ("Content-Encoding", "gzip", 415),
    ] {
        let reply = server.send(&ping.clone().header(name, value));
        assert_eq!(reply.status, status, "{name}: {value}: {reply:?}");
    }
    assert_eq!(server.send(&ping.clone().without("Accept")).status, 406);
    assert_eq!(server.send(&ping.without("Content-Type")).status, 415);
    for method in ["PUT", "PATCH", "OPTIONS", "HEAD"] {
        let mut wire = server.connect();
        wire.write(&Ask::new(method).bytes());
        let reply = wire.begin();
        assert_eq!(reply.status, 405, "{method}: {reply:?}");
        assert_eq!(reply.header("allow"), Some("POST, GET, DELETE"));
    }
    // Clients of the modern era have nothing but POST.
    for method in ["GET", "DELETE"] {
        let ask = Ask::new(method).header("MCP-Protocol-Version", "2026-07-28");
        assert_eq!(server.send(&ask).status, 405, "{method}");
    }
    server.end();
}

#[test]
fn what_the_revisions_ask_of_headers_is_answered_in_json() {
    let server = HttpServer::start("");
    let session = server.send(&Ask::initialize()).session();
    let unknown = Ask::in_session(&session, &list()).header("MCP-Protocol-Version", "1999-01-01");
    let reply = server.send(&unknown);
    assert_eq!((reply.status, reply.code()), (400, -32600), "{reply:?}");
    assert_eq!(reply.json()["id"], 2);
    let reply = server.send(&Ask::post(list().to_string()));
    assert_eq!((reply.status, reply.code()), (400, -32600), "{reply:?}");

    let modern = Ask::modern("tools/list", json!({}));
    let reply = server.send(&modern.clone().without("Mcp-Method"));
    assert_eq!((reply.status, reply.code()), (400, -32020), "{reply:?}");
    let reply = server.send(&modern.clone().header("Mcp-Method", "tools/call"));
    assert_eq!((reply.status, reply.code()), (400, -32020), "{reply:?}");
    let reply = server.send(&modern.header("MCP-Protocol-Version", "2025-11-25"));
    assert_eq!((reply.status, reply.code()), (400, -32020), "{reply:?}");
    let reply = server.send(&Ask::modern("no/such", json!({})));
    assert_eq!((reply.status, reply.code()), (404, -32601), "{reply:?}");
    let wrong_name = Ask::call("ship_list", json!({})).header("Mcp-Name", "ship_sail");
    let reply = server.send(&wrong_name);
    assert_eq!((reply.status, reply.code()), (400, -32020), "{reply:?}");
    server.end();
}

#[test]
fn an_id_that_is_in_use_is_not_taken_twice_in_a_session() {
    let mut server = HttpServer::start("http: {end_timeout: 0}");
    let session = server.send(&Ask::initialize()).session();
    let params = json!({"name": "ship_drift", "arguments": {}, "_meta": {"progressToken": 1}});
    let call = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params});
    let mut first = server.connect();
    first.write(&Ask::in_session(&session, &call).bytes());
    assert_eq!(first.begin().status, 200);
    assert!(first.event().expect("it reports")["params"]["message"].is_string());
    let reply = server.send(&Ask::in_session(&session, &call));
    assert_eq!((reply.status, reply.code()), (400, -32600), "{reply:?}");
    assert_eq!(reply.json()["error"]["data"]["id"], 5);
    // Another session has ids of its own.
    let other = server.send(&Ask::initialize()).session();
    let ping = json!({"jsonrpc": "2.0", "id": 5, "method": "ping"});
    let reply = server.send(&Ask::in_session(&other, &ping));
    assert_eq!(reply.json()["result"], json!({}));
    server.terminate();
    let (status, said) = server.wait();
    assert!(status.success(), "{said}");
}

#[test]
fn an_unused_session_ends_and_one_in_use_does_not() {
    let server = HttpServer::start("http: {session_timeout: 300ms}");
    let unused = server.send(&Ask::initialize()).session();
    let used = server.send(&Ask::initialize()).session();
    let mut stream = server.connect();
    let news = Ask::new("GET")
        .header("Mcp-Session-Id", &used)
        .header("MCP-Protocol-Version", "2025-11-25");
    stream.write(&news.bytes());
    assert_eq!(stream.begin().status, 200);
    // An id of a session is no use of it, as long as the session is there to be asked for.
    let until = std::time::Instant::now() + crate::support::PATIENCE;
    loop {
        std::thread::sleep(std::time::Duration::from_millis(600));
        let reply = server.send(&Ask::in_session(&unused, &list()));
        if reply.status == 404 {
            assert_eq!(reply.code(), -32001);
            break;
        }
        assert!(std::time::Instant::now() < until, "it lives on");
    }
    assert_eq!(server.send(&Ask::in_session(&used, &list())).status, 200);
    server.end();
}

#[test]
fn places_are_limited_and_become_free() {
    let config = "http: {max_sessions: 2, max_streams: 1, max_calls: 1, end_timeout: 0}";
    let server = HttpServer::start(config);
    let first = server.send(&Ask::initialize()).session();
    let second = server.send(&Ask::initialize()).session();
    let full = server.send(&Ask::initialize());
    assert_eq!((full.status, full.header("retry-after")), (429, Some("1")));
    assert_eq!(full.json()["id"], 1);
    let end = Ask::new("DELETE").header("Mcp-Session-Id", &second);
    assert_eq!(server.send(&end).status, 204);
    assert_eq!(server.send(&Ask::initialize()).status, 200);

    let news = Ask::new("GET").header("Mcp-Session-Id", &first);
    let mut stream = server.connect();
    stream.write(&news.bytes());
    assert_eq!(stream.begin().status, 200);
    assert_eq!(server.send(&news).status, 429);
    let notifications = json!({"notifications": {"toolsListChanged": true}});
    let listen = Ask::modern("subscriptions/listen", notifications);
    assert_eq!(server.send(&listen).status, 429);
    drop(stream);
    eventually(|| {
        let mut stream = server.connect();
        stream.write(&news.bytes());
        stream.begin().status == 200
    });

    let (running, _) = stopping::drift(&server, None);
    let full = server.send(&Ask::call("ship_list", json!({})));
    assert_eq!((full.status, full.header("retry-after")), (429, Some("1")));
    // What is no call has its place.
    assert_eq!(
        server.send(&Ask::modern("tools/list", json!({}))).status,
        200
    );
    drop(running);
    eventually(|| server.send(&Ask::call("ship_list", json!({}))).status == 200);
    server.end();
}

/// Waits until something is so.
fn eventually(mut is_so: impl FnMut() -> bool) {
    let until = std::time::Instant::now() + crate::support::PATIENCE;
    while !is_so() {
        assert!(std::time::Instant::now() < until, "it never was so");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}
