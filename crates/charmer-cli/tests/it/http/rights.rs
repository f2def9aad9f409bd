//! Who may do what: tokens, their levels, the user of a socket, and what belongs to whom.

use std::{
    fs,
    os::unix::{fs::PermissionsExt, net::UnixStream},
};

use serde_json::{Value, json};

use super::{
    client::{Ask, HttpServer, TOKENS, Wire, folder, serve},
    names,
};
use crate::support::err;

fn text(answer: &Value) -> String {
    answer["result"]["content"][0]["text"].to_string()
}

#[test]
fn a_list_holds_what_its_principal_may_run_and_the_rest_is_refused() {
    let server = HttpServer::with_tokens("");
    let listed = |token: &str| {
        let listed = Ask::modern("tools/list", json!({})).token(token);
        names(&server.send(&listed))
    };
    let all = listed("ann-may-do-everything");
    for tool in ["ship_list", "ship_sail", "ship_crew_dismiss"] {
        assert!(all.contains(&tool.to_owned()), "{all:?}");
    }
    let writer = listed("writer-may-write");
    assert!(writer.contains(&"ship_sail".into()), "{writer:?}");
    assert!(!writer.contains(&"ship_crew_dismiss".into()), "{writer:?}");
    let reader = listed("reader-may-read");
    assert!(reader.contains(&"ship_list".into()), "{reader:?}");
    assert!(!reader.contains(&"ship_sail".into()), "{reader:?}");
    // So do resources: the help pages of tools.
    let pages = Ask::modern("resources/list", json!({})).token("reader-may-read");
    let pages = server.send(&pages).body;
    assert!(
        pages.contains("/list") && !pages.contains("/sail"),
        "{pages}"
    );

    let sail = Ask::call("ship_sail", json!({"port": "oslo"}));
    let dismiss = Ask::call("ship_crew_dismiss", json!({"name": "jim"}));
    for (token, ask, runs) in [
        ("reader-may-read", &sail, false),
        ("reader-may-read", &dismiss, false),
        ("writer-may-write", &sail, true),
        ("writer-may-write", &dismiss, false),
        ("ann-may-do-everything", &dismiss, true),
    ] {
        let reply = server.send(&ask.clone().token(token));
        let ran = reply.json()["result"]["isError"] == false;
        assert_eq!(ran, runs, "{token}: {reply:?}");
        if !runs {
            assert!(
                reply.body.contains("your token is for reading"),
                "{reply:?}"
            );
        }
    }
    server.end();
}

#[test]
fn a_search_and_a_description_hold_it_too() {
    let server = HttpServer::indexed("", &[]);
    let asked = |tool: &str, input: Value, token: &str| {
        text(&server.send(&Ask::call(tool, input).token(token)).json())
    };
    let search = json!({"query": "sail to a port"});
    let found = asked("search_commands", search.clone(), "ann-may-do-everything");
    assert!(found.contains("ship_sail"), "{found}");
    let found = asked("search_commands", search, "reader-may-read");
    assert!(!found.contains("ship_sail"), "{found}");
    let describe = json!({"commands": ["ship_sail", "ship_list"]});
    let described = asked("describe_commands", describe.clone(), "writer-may-write");
    assert!(described.contains("knots"), "{described}");
    let described = asked("describe_commands", describe, "reader-may-read");
    assert!(
        !described.contains("knots") && described.contains("limit"),
        "{described}"
    );
    // Under no other name, and through no other tool.
    for tool in ["run_read", "run_write", "ship_sail"] {
        let input = match tool {
            "ship_sail" => json!({"port": "oslo"}),
            _ => json!({"command": "ship sail", "arguments": {"port": "oslo"}}),
        };
        let reply = server.send(&Ask::call(tool, input).token("reader-may-read"));
        assert_ne!(
            reply.json()["result"]["isError"],
            false,
            "{tool}: {reply:?}"
        );
        assert!(!reply.body.contains("marked true"), "{tool}: {reply:?}");
    }
    let read = json!({"command": "ship list"});
    let ran = asked("run_read", read, "reader-may-read");
    assert!(ran.contains("marked true"), "{ran}");
    server.end();
}

#[test]
fn tokens_are_read_again_when_the_file_changes() {
    let server = HttpServer::with_tokens("");
    let status = |token: &str| {
        let listed = Ask::modern("tools/list", json!({})).token(token);
        server.send(&listed).status
    };
    assert_eq!(status("ann-may-do-everything"), 200);
    let file = server.path("tokens");
    fs::write(&file, "carol: the-token-of-carol\n").expect("it is ours");
    assert_eq!(status("ann-may-do-everything"), 401);
    assert_eq!(status("the-token-of-carol"), 200);
    // A file that is wrong changes nothing.
    fs::write(&file, "nonsense\n").expect("it is ours");
    assert_eq!(status("the-token-of-carol"), 200);
    fs::write(&file, TOKENS).expect("it is ours");
    assert_eq!(status("ann-may-do-everything"), 200);
    server.end();
}

#[test]
fn a_token_file_that_others_can_read_is_refused() {
    let folder = folder("");
    let tokens = folder.path().join("tokens");
    for mode in [0o644, 0o640, 0o660, 0o604] {
        fs::set_permissions(&tokens, fs::Permissions::from_mode(mode)).expect("it is ours");
        let words = ["--http", "127.0.0.1:0", "--token-file", "tokens"];
        let output = serve(&folder, &words).output().expect("it was built");
        assert_eq!(output.status.code(), Some(2), "{mode:o}");
        assert!(err(&output).contains("chmod 600"), "{}", err(&output));
    }
}

#[test]
fn a_socket_is_its_users_own_and_the_peers_user_is_the_principal() {
    let config = "audit: {file: audit.jsonl}";
    let mut server = HttpServer::start_with(config, &["--http", "unix:here.sock"]);
    let socket = server.path("here.sock");
    let mode = fs::metadata(&socket)
        .expect("it listens")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let mut wire = Wire::unix(UnixStream::connect(&socket).expect("it listens"));
    wire.write(
        &Ask::call("ship_list", json!({}))
            .header("Host", "anything")
            .bytes(),
    );
    let reply = wire.reply();
    assert_eq!(reply.json()["result"]["isError"], false, "{reply:?}");
    // Nobody takes a socket that is in use.
    let second = serve(&server.folder, &["--http", "unix:here.sock"]).output();
    assert!(err(&second.expect("it was built")).contains("another server"));
    server.terminate();
    let (status, said) = server.wait();
    assert!(status.success(), "{said}");
    assert!(!socket.exists(), "it is left behind");
    let audit = fs::read_to_string(server.path("audit.jsonl")).expect("it was written");
    let line: Value = serde_json::from_str(audit.lines().last().expect("a line")).expect("JSON");
    let user = std::process::Command::new("id")
        .arg("-un")
        .output()
        .expect("a command");
    let user = String::from_utf8_lossy(&user.stdout).trim().to_owned();
    assert_eq!(line["principal"], *user, "{line}");
    assert_eq!(line["transport"], "http", "{line}");
}

#[test]
fn calls_are_on_record_under_their_principals() {
    let mut server = HttpServer::with_tokens("audit: {file: audit.jsonl}");
    for token in ["ann-may-do-everything", "reader-may-read"] {
        let reply = server.send(&Ask::call("ship_list", json!({})).token(token));
        assert_eq!(reply.status, 200);
    }
    let refused = Ask::call("ship_sail", json!({"port": "oslo"})).token("reader-may-read");
    server.send(&refused);
    // Lines are written behind the answers; at its end it has written all of them.
    server.terminate();
    let (status, said) = server.wait();
    assert!(status.success(), "{said}");
    let audit = fs::read_to_string(server.path("audit.jsonl")).expect("it was written");
    let lines = audit
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let principals: Vec<Value> = lines.map(|line| line["principal"].clone()).collect();
    assert_eq!(principals.len(), 3, "{audit}");
    assert_eq!(principals[0], "ann");
    assert_eq!(principals[1..], ["reader", "reader"]);
    assert!(!audit.contains("may-do-everything"), "a token is on record");
}

#[test]
fn a_principal_has_places_of_its_own() {
    let config = "http: {per_principal: {max_sessions: 1}}";
    let server = HttpServer::with_tokens(config);
    let begin = |token: &str| server.send(&Ask::initialize().token(token)).status;
    assert_eq!(begin("ann-may-do-everything"), 200);
    assert_eq!(begin("ann-may-do-everything"), 429);
    assert_eq!(begin("bob-may-do-everything"), 200);
    server.end();
}
