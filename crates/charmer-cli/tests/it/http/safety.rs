//! The list of bad inputs, as far as it is about HTTP; each test has the number of its row.

use std::{
    io::Write,
    net::{Shutdown, TcpListener, TcpStream},
};

use serde_json::json;

use super::{
    client::{Ask, HttpServer, Wire, folder, serve},
    eventually, list,
};
use crate::support::err;

fn asked() -> Ask {
    Ask::modern("tools/list", json!({}))
}

#[test]
fn row_79_an_evil_host_is_refused() {
    let server = HttpServer::start("http: {allow_hosts: [tools.example, 'other.example:8443']}");
    let port = server.port;
    for (host, status) in [
        ("evil.example".into(), 403),
        (format!("evil.example:{port}"), 403),
        ("localhost.evil.example".into(), 403),
        ("127.0.0.1.evil.example".into(), 403),
        ("192.0.2.1".into(), 403),
        ("user@localhost".into(), 400),
        (String::new(), 400),
        ("other.example".into(), 403),
        ("other.example:8443".into(), 200),
        ("TOOLS.example".into(), 200),
        ("tools.example:99".into(), 200),
        (format!("127.0.0.1:{port}"), 200),
        (format!("localhost:{port}"), 200),
        (format!("[::1]:{port}"), 200),
    ] {
        let reply = server.send(&asked().header("Host", &host));
        assert_eq!(reply.status, status, "{host}: {reply:?}");
    }
    assert_eq!(server.send(&asked().without("Host")).status, 400);
    // Neither in two voices, nor in the line of the request.
    let mut twice = asked().bytes();
    let at = twice
        .windows(2)
        .position(|pair| pair == b"\r\n")
        .expect("a line")
        + 2;
    twice.splice(at..at, *b"Host: evil.example\r\n");
    let mut wire = server.connect();
    wire.write(&twice);
    assert_eq!(wire.reply().status, 400);
    assert_eq!(
        server.send(&asked().at("http://evil.example/mcp")).status,
        403
    );
    server.end();
}

#[test]
fn row_80_an_evil_origin_and_null_are_refused() {
    let server = HttpServer::start("http: {allow_origins: ['https://tools.example']}");
    let port = server.port;
    for (origin, status) in [
        ("http://evil.example".to_owned(), 403),
        ("null".into(), 403),
        (String::new(), 403),
        ("http://localhost".into(), 403),
        (format!("http://localhost:{}", port ^ 1), 403),
        (format!("https://localhost:{port}"), 403),
        (format!("http://localhost:{port}@evil.example"), 403),
        (format!("http://localhost:{port}.evil.example"), 403),
        ("https://tools.example.evil.example".into(), 403),
        ("http://tools.example".into(), 403),
        (format!("http://localhost:{port}"), 200),
        (format!("http://127.0.0.1:{port}"), 200),
        ("https://tools.example".into(), 200),
    ] {
        let reply = server.send(&asked().header("Origin", &origin));
        assert_eq!(reply.status, status, "{origin}: {reply:?}");
    }
    server.end();
}

#[test]
fn row_81_a_page_cannot_send_what_needs_no_leave() {
    let server = HttpServer::start("");
    let post = Ask::initialize();
    for kind in [
        "text/plain",
        "text/plain;charset=UTF-8",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
    ] {
        let reply = server.send(&post.clone().header("Content-Type", kind));
        assert_eq!(reply.status, 415, "{kind}");
    }
    server.end();
}

#[test]
fn row_82_large_bodies_are_read_to_the_limit_and_endless_ones_are_cut() {
    let server = HttpServer::start("");
    let padded = |bytes: usize| {
        let params = json!({"name": "ship_list", "arguments": {"limit": "x".repeat(bytes)}});
        Ask::modern("tools/call", params)
    };
    let reply = server.send(&padded(5 << 20));
    assert_eq!(reply.status, 200);
    assert_eq!(reply.json()["result"]["isError"], true);
    // Too large by its own word: it is not even waited for.
    let mut wire = server.connect();
    let head = Ask::post("")
        .head()
        .replace("Content-Length: 0", "Content-Length: 16777217");
    wire.write(head.as_bytes());
    let reply = wire.reply();
    assert_eq!(
        (reply.status, reply.header("connection")),
        (413, Some("close"))
    );
    // Without a word about its length.
    let mut wire = server.connect();
    let head = Ask::post("")
        .head()
        .replace("Content-Length: 0", "Transfer-Encoding: chunked");
    wire.write(head.as_bytes());
    let piece = format!("10000\r\n{}\r\n", " ".repeat(1 << 16));
    // The server stops reading at some point behind the limit.
    let sent = (0..1000)
        .take_while(|_| wire.try_write(piece.as_bytes()).is_ok())
        .count();
    assert!((256..1000).contains(&sent), "{sent} pieces");
    server.end();
}

#[test]
fn row_83_slow_headers_and_bodies_are_closed() {
    let config = "http: {header_timeout: 300ms, body_timeout: 300ms, idle_timeout: 1s}";
    let server = HttpServer::start(config);
    let whole = asked().bytes();
    let head = whole
        .windows(4)
        .position(|bytes| bytes == b"\r\n\r\n")
        .expect("a header")
        + 4;
    // Half a header.
    let mut wire = server.connect();
    wire.write(&whole[..head / 2]);
    assert!(wire.is_closed());
    // One that trickles in: each byte is in time, and all of them are not.
    let mut wire = server.connect();
    let late = whole[..head - 2].iter().position(|byte| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        wire.try_write(&[*byte]).is_err()
    });
    assert!(late.is_some() || wire.is_closed());
    // Half a body.
    let mut wire = server.connect();
    wire.write(&whole[..whole.len() - 5]);
    let reply = wire.reply();
    assert_eq!(
        (reply.status, reply.header("connection")),
        (408, Some("close"))
    );
    assert!(wire.is_closed());
    // Nothing at all, and nothing after an answer.
    assert!(server.connect().is_closed());
    let mut wire = server.connect();
    wire.write(&whole);
    assert_eq!(wire.reply().status, 200);
    assert!(wire.is_closed());
    server.end();
}

#[test]
fn row_84_ten_thousand_initializes_make_as_many_sessions_as_there_may_be() {
    let config = "http: {max_sessions: 40, per_principal: {max_sessions: 30}}";
    let server = HttpServer::start(config);
    let mut wire = server.connect();
    let initialize = Ask::initialize().bytes();
    let mut begun = 0;
    for _ in 0..10_000 {
        wire.write(&initialize);
        match wire.reply().status {
            200 => begun += 1,
            status => assert_eq!(status, 429),
        }
    }
    assert_eq!(begun, 30);
    server.end();
}

#[test]
fn row_85_a_client_does_not_choose_the_id_of_its_session() {
    let server = HttpServer::start("");
    let chosen = "00000000000000000000000000000000";
    let reply = server.send(&Ask::initialize().header("Mcp-Session-Id", chosen));
    assert_eq!((reply.status, reply.code()), (404, -32001), "{reply:?}");
    let reply = server.send(&Ask::in_session(chosen, &list()));
    assert_eq!(reply.status, 404);
    let ids = [(); 2].map(|()| server.send(&Ask::initialize()).session());
    assert_ne!(ids[0], ids[1]);
    for id in ids {
        assert!(
            id.len() >= 32 && id.chars().all(|c| c.is_ascii_hexdigit()),
            "{id}"
        );
    }
    server.end();
}

#[test]
fn row_86_a_session_is_nobody_elses() {
    let server = HttpServer::with_tokens("");
    let (ann, bob) = ("ann-may-do-everything", "bob-may-do-everything");
    let session = server.send(&Ask::initialize().token(ann)).session();
    let asks = [
        Ask::in_session(&session, &list()),
        Ask::in_session(
            &session,
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}),
        ),
        Ask::new("GET").header("Mcp-Session-Id", &session),
        Ask::new("DELETE").header("Mcp-Session-Id", &session),
    ];
    for ask in asks {
        let reply = server.send(&ask.token(bob));
        assert_eq!((reply.status, reply.code()), (404, -32001), "{reply:?}");
    }
    let own = Ask::in_session(&session, &list()).token(ann);
    assert_eq!(server.send(&own).status, 200);
    server.end();
}

#[test]
fn row_87_a_missing_a_wrong_and_a_near_bearer_are_refused() {
    let server = HttpServer::with_tokens("");
    for value in [
        None,
        Some(""),
        Some("Bearer"),
        Some("Bearer "),
        Some("Bearer wrong"),
        Some("Bearer ann-may-do-everythinG"),
        Some("Bearer ann-may-do-everythin"),
        Some("Bearer ann-may-do-everything2"),
        Some("Bearer ann"),
        Some("Bearer ann: ann-may-do-everything"),
        Some("Basic ann-may-do-everything"),
        Some("ann-may-do-everything"),
    ] {
        let ask = match value {
            Some(value) => asked().header("Authorization", value),
            None => asked(),
        };
        let reply = server.send(&ask);
        assert_eq!(reply.status, 401, "{value:?}: {reply:?}");
        assert_eq!(
            reply.header("www-authenticate"),
            Some("Bearer"),
            "{value:?}"
        );
    }
    let reply = server.send(&asked().header("Authorization", "bearer ann-may-do-everything"));
    assert_eq!(reply.status, 200);
    server.end();
}

#[test]
fn row_88_a_token_in_the_query_is_none() {
    let server = HttpServer::with_tokens("");
    for query in ["token", "access_token", "authorization", "bearer"] {
        let path = format!("/mcp?{query}=ann-may-do-everything");
        assert_eq!(server.send(&asked().at(&path)).status, 401, "{path}");
    }
    server.end();
}

#[test]
fn row_89_no_method_goes_without_a_token() {
    let server = HttpServer::with_tokens("");
    for method in ["OPTIONS", "GET", "DELETE", "PUT", "POST"] {
        let reply = server.send(&Ask::new(method).header("Mcp-Session-Id", "x"));
        assert_eq!(reply.status, 401, "{method}: {reply:?}");
    }
    server.end();
}

#[test]
fn row_90_a_length_that_is_said_twice_hides_no_second_request() {
    let server = HttpServer::start("");
    let hidden = Ask::call("ship_list", json!({}));
    let hidden = String::from_utf8(hidden.bytes()).expect("it is text");
    for lengths in [
        format!(
            "Content-Length: {}\r\nTransfer-Encoding: chunked",
            hidden.len() + 5
        ),
        format!(
            "Transfer-Encoding: chunked\r\nContent-Length: {}",
            hidden.len() + 5
        ),
    ] {
        let head = Ask::post("").head().replace("Content-Length: 0", &lengths);
        let mut wire = server.connect();
        wire.write(format!("{head}0\r\n\r\n{hidden}").as_bytes());
        let reply = wire.reply();
        assert_eq!(reply.status, 400, "{reply:?}");
        assert!(wire.is_closed(), "the second was read as a request");
    }
    for lengths in [
        "Content-Length: 5\r\nContent-Length: 6",
        "Content-Length: +5",
        "Transfer-Encoding: identity",
    ] {
        let head = Ask::post("").head().replace("Content-Length: 0", lengths);
        let mut wire = server.connect();
        wire.write(format!("{head}hello").as_bytes());
        assert_eq!(wire.begin().status, 400, "{lengths}");
    }
    server.end();
}

#[test]
fn row_91_an_address_for_everybody_needs_tokens() {
    let folder = folder("");
    for address in ["0.0.0.0:0", "[::]:0"] {
        let output = serve(&folder, &["--http", address])
            .output()
            .expect("it was built");
        assert_eq!(output.status.code(), Some(2), "{address}");
        let said = err(&output);
        assert!(
            said.contains("--token-file") || said.contains("failed to listen"),
            "{said}"
        );
    }
}

#[test]
fn row_92_idle_streams_take_as_many_places_as_there_are() {
    let config = "http: {max_streams: 20, max_connections: 60}";
    let server = HttpServer::start(config);
    let session = server.send(&Ask::initialize()).session();
    let news = Ask::new("GET").header("Mcp-Session-Id", &session).bytes();
    let mut open = Vec::new();
    let (mut streams, mut refused) = (0, 0);
    for _ in 0..10_000 {
        let mut wire = server.connect();
        // It may have been told already that there are too many connections.
        let _ = wire.try_write(&news);
        match wire.begin().status {
            200 => {
                streams += 1;
                open.push(wire);
            }
            status => {
                assert_eq!(status, 429);
                refused += 1;
                // Some stay, so that there are too many connections as well.
                if open.len() < 60 {
                    open.push(wire);
                }
            }
        }
    }
    assert_eq!((streams, refused), (20, 9_980));
    drop(open);
    eventually(|| server.send(&asked()).status == 200);
    server.end();
}

#[test]
fn a_client_that_does_not_read_is_let_go() {
    let server = HttpServer::start("http: {write_timeout: 300ms, max_calls: 1}");
    let stream = TcpStream::connect(("127.0.0.1", server.port)).expect("it listens");
    let mut wire = Wire::tcp(stream.try_clone().expect("it can be"));
    let asked = asked().bytes();
    // Requests whose answers fill every buffer on the way.
    let mut stream_in = stream.try_clone().expect("it can be");
    stream_in
        .set_write_timeout(Some(crate::support::PATIENCE))
        .expect("it can be set");
    let unread = (0..100_000)
        .take_while(|_| stream_in.write_all(&asked).is_ok())
        .count();
    assert!(unread < 100_000, "it was never let go");
    let _ = stream.shutdown(Shutdown::Both);
    assert!(wire.is_closed() || wire.try_write(b"x").is_err());
    assert_eq!(server.send(&self::asked()).status, 200);
    server.end();
}

#[test]
fn an_address_in_use_is_said() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("it has one").to_string();
    let folder = folder("");
    let output = serve(&folder, &["--http", &address])
        .output()
        .expect("it was built");
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains(&format!("failed to listen on {address}")));
}

#[test]
fn pages_of_origins_that_are_named_may_ask_and_read() {
    let server = HttpServer::with_tokens("http: {allow_origins: ['https://tools.example']}\n");
    let begin = |ask: &Ask| {
        let mut wire = server.connect();
        wire.write(&ask.bytes());
        wire.begin()
    };
    // Browsers ask without a token whether they may ask with one.
    let may = |origin: &str| {
        Ask::new("OPTIONS")
            .header("Origin", origin)
            .header("Access-Control-Request-Method", "POST")
            .header(
                "Access-Control-Request-Headers",
                "authorization, mcp-param-x, x-evil",
            )
    };
    let told = begin(&may("https://tools.example"));
    assert_eq!(told.status, 204, "{told:?}");
    let shared = Some("https://tools.example");
    assert_eq!(told.header("access-control-allow-origin"), shared);
    assert_eq!(told.header("vary"), Some("Origin"));
    let headers = told.header("access-control-allow-headers").expect("a list");
    assert!(
        headers.contains("authorization") && headers.contains("mcp-param-x"),
        "{headers}"
    );
    assert!(!headers.contains("x-evil"), "{headers}");
    // A stranger is told nothing, and nobody gets past the token.
    let strange = begin(&may("https://evil.example"));
    assert_eq!(strange.status, 403);
    assert_eq!(strange.header("access-control-allow-origin"), None);
    let unknown = begin(&Ask::initialize().header("Origin", "https://tools.example"));
    assert_eq!(unknown.status, 401);
    assert_eq!(unknown.header("access-control-allow-origin"), shared);
    let shown = unknown.header("access-control-expose-headers");
    assert!(shown.is_some_and(|shown| shown.contains("Mcp-Session-Id")));
    server.end();
}
