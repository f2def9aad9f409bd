//! As whom calls run: the environment, folder, pinned flags, commands and bounds of each principal.

use std::fs;

use serde_json::{Value, json};

use super::{
    client::{Ask, HttpServer, Reply, folder, serve},
    names,
};
use crate::support::err;

const ANN: &str = "ann-may-do-everything";
const BOB: &str = "bob-may-do-everything";
const READER: &str = "reader-may-read";

const PEOPLE: &str = "
audit: {file: audit.jsonl}
log: {calls: true}
principals:
  ann:
    environment: {SHIP_SECRET: {file: 'secrets/{principal}'}, SHIP_TELLS: 1}
    folder: homes/{principal}
    set: {fleet: '{principal}'}
    deny: [crew dismiss]
  bob:
    environment: {SHIP_SECRET: 'the-word-of-{principal}'}
    allow: [list]
  '*':
    limits: {rate_limit: {calls: 1, per: 1h}}
";

fn start(words: &[&str]) -> HttpServer {
    let http = ["--http", "127.0.0.1:0", "--token-file", "tokens"];
    let server = HttpServer::start_with(PEOPLE, &[&http, words].concat());
    for part in ["secrets", "homes/ann"] {
        fs::create_dir_all(server.path(part)).expect("it is ours");
    }
    fs::write(server.path("secrets/ann"), "first-word-of-ann\n").expect("it is ours");
    server
}

fn text(reply: &Reply) -> String {
    let answer = reply.json();
    answer["result"]["content"][0]["text"].to_string()
}

fn call(server: &HttpServer, token: &str, tool: &str, input: Value) -> Reply {
    server.send(&Ask::call(tool, input).token(token))
}

#[test]
fn calls_run_with_the_environment_the_folder_and_the_flags_of_their_principal() {
    let mut server = start(&[]);
    let ran = call(&server, ANN, "ship_list", json!({}));
    let said = text(&ran);
    assert!(said.contains("--fleet") && said.contains("ann"), "{said}");
    assert!(said.contains("secret is [redacted]"), "{said}");
    assert!(said.contains("homes/ann"), "{said}");
    // The file is read again, and what it held before stays a secret.
    fs::write(server.path("secrets/ann"), "second-word-of-ann\n").expect("it is ours");
    let ran = call(&server, ANN, "ship_list", json!({}));
    assert!(text(&ran).contains("secret is [redacted]"), "{ran:?}");
    let input = json!({"port": "first-word-of-ann"});
    let echoed = call(&server, ANN, "ship_sail", input);
    assert!(!echoed.body.contains("first-word"), "{echoed:?}");
    // What is no file's is no secret, and is its own's alone.
    let ran = call(&server, BOB, "ship_list", json!({}));
    let said = text(&ran);
    assert!(said.contains("secret is the-word-of-bob"), "{said}");
    assert!(
        !said.contains("--fleet") && !said.contains("homes/"),
        "{said}"
    );
    // One that cannot be read runs nothing.
    fs::remove_file(server.path("secrets/ann")).expect("it was there");
    let ran = call(&server, ANN, "ship_list", json!({}));
    assert_eq!(ran.json()["result"]["isError"], true, "{ran:?}");
    assert!(
        text(&ran).contains("SHIP_SECRET") && !ran.body.contains("marked"),
        "{ran:?}"
    );
    assert!(!ran.body.contains("secrets/"), "{ran:?}");
    server.terminate();
    let (status, log) = server.wait();
    assert!(status.success(), "{log}");
    let audit = fs::read_to_string(server.path("audit.jsonl")).expect("a log");
    for told in [log, audit] {
        assert!(
            !told.contains("first-word") && !told.contains("second-word"),
            "{told}"
        );
    }
}

#[test]
fn a_pinned_flag_is_in_no_schema_and_cannot_be_given() {
    let server = start(&[]);
    let listed = |token: &str| {
        let listed = Ask::modern("tools/list", json!({})).token(token);
        server.send(&listed)
    };
    assert!(!listed(ANN).body.contains("fleet"));
    assert!(listed(BOB).body.contains("fleet"));
    for input in [json!({"fleet": "bob"}), json!({"--fleet": "bob"})] {
        let refused = call(&server, ANN, "ship_list", input);
        assert!(!refused.body.contains("marked"), "{refused:?}");
    }
    server.end();
}

#[test]
fn lists_searches_and_descriptions_hold_what_a_principal_may_run() {
    let server = start(&[]);
    let listed = |token: &str| {
        let listed = Ask::modern("tools/list", json!({})).token(token);
        names(&server.send(&listed))
    };
    let ann = listed(ANN);
    assert!(ann.contains(&"ship_sail".into()), "{ann:?}");
    assert!(!ann.contains(&"ship_crew_dismiss".into()), "{ann:?}");
    let bob = listed(BOB);
    assert!(bob.contains(&"ship_list".into()), "{bob:?}");
    assert!(!bob.contains(&"ship_sail".into()), "{bob:?}");
    // The level of a token goes on top of it.
    assert!(!listed(READER).contains(&"ship_sail".into()));
    let pages = Ask::modern("resources/list", json!({})).token(BOB);
    let pages = server.send(&pages).body;
    assert!(!pages.contains("/sail"), "{pages}");
    for (token, tool, input) in [
        (ANN, "ship_crew_dismiss", json!({"name": "jim"})),
        (BOB, "ship_sail", json!({"port": "oslo"})),
    ] {
        let refused = call(&server, token, tool, input);
        assert!(refused.body.contains("it is not for"), "{refused:?}");
    }
    server.end();

    let server = start(&["--expose", "index"]);
    let search = json!({"query": "sail to a port"});
    let found = text(&call(&server, ANN, "search_commands", search.clone()));
    assert!(found.contains("ship_sail"), "{found}");
    let found = text(&call(&server, BOB, "search_commands", search));
    assert!(!found.contains("ship_sail"), "{found}");
    let describe = json!({"commands": ["ship_list"]});
    let described = text(&call(&server, ANN, "describe_commands", describe.clone()));
    assert!(
        described.contains("limit") && !described.contains("fleet"),
        "{described}"
    );
    let described = text(&call(&server, BOB, "describe_commands", describe));
    assert!(described.contains("fleet"), "{described}");
    let run = json!({"command": "ship list"});
    let ran = text(&call(&server, ANN, "run_read", run));
    assert!(ran.contains("--fleet") && ran.contains("ann"), "{ran}");
    server.end();
}

#[test]
fn others_have_their_own_bounds() {
    let server = start(&[]);
    let first = call(&server, READER, "ship_list", json!({}));
    assert!(first.body.contains("marked"), "{first:?}");
    let second = call(&server, READER, "ship_list", json!({}));
    assert!(!second.body.contains("marked"), "{second:?}");
    let writer = call(&server, "writer-may-write", "ship_list", json!({}));
    assert!(writer.body.contains("marked"), "{writer:?}");
    server.end();
}

#[test]
fn a_name_that_could_mean_something_else_is_not_put_in() {
    let config = "\nprincipals: {'*': {set: {fleet: '{principal}'}}}\n";
    let server = HttpServer::with_tokens(config);
    fs::write(
        server.path("tokens"),
        "ann@ops: the-token\nann: other-token\n",
    )
    .expect("it is ours");
    let refused = call(&server, "the-token", "ship_list", json!({}));
    assert!(refused.body.contains("cannot stand for"), "{refused:?}");
    assert!(!refused.body.contains("marked"), "{refused:?}");
    let ran = call(&server, "other-token", "ship_list", json!({}));
    assert!(ran.body.contains("marked"), "{ran:?}");
    server.end();
}

#[test]
fn a_flag_that_no_program_has_is_a_mistake() {
    let folder = folder("\nprincipals: {ann: {set: {flet: x}}}\n");
    let words = ["--http", "127.0.0.1:0", "--token-file", "tokens"];
    let output = serve(&folder, &words).output().expect("it was built");
    assert!(!output.status.success());
    let said = err(&output);
    assert!(
        said.contains("the principal `ann`") && said.contains("fleet"),
        "{said}"
    );
}

#[test]
fn other_machines_do_not_get_the_servers_own_credentials_unless_that_is_said() {
    let words = ["--http", "0.0.0.0:0", "--token-file", "tokens"];
    for config in [
        "",
        "\nprincipals: {ann: {environment: {A: b}}, '*': {folder: .}}\n",
    ] {
        let folder = folder(config);
        let output = serve(&folder, &words).output().expect("it was built");
        assert_eq!(output.status.code(), Some(2), "{}", err(&output));
        let said = err(&output);
        assert!(said.contains("shared_credentials: true"), "{said}");
        assert!(said.contains("principals"), "{said}");
    }
    let shared = "\nhttp: {shared_credentials: true}\n";
    let server = HttpServer::start_with(shared, &words);
    assert!(
        server.said.contains("as the same person"),
        "{}",
        server.said
    );
    let ran = call(&server, ANN, "ship_list", json!({}));
    assert!(ran.body.contains("marked"), "{ran:?}");
    server.end();
}

#[test]
fn who_comes_later_and_has_no_credentials_is_refused() {
    let each = ["ann", "bob", "reader", "writer"];
    let each = each.map(|name| format!("  {name}: {{environment: {{SHIP_SECRET: x}}}}\n"));
    let config = format!("\nprincipals:\n{}", each.concat());
    let words = ["--http", "0.0.0.0:0", "--token-file", "tokens"];
    let server = HttpServer::start_with(&config, &words);
    let ran = call(&server, ANN, "ship_list", json!({}));
    assert!(ran.body.contains("marked"), "{ran:?}");
    fs::write(server.path("tokens"), "carol: the-token-of-carol\n").expect("it is ours");
    let refused = call(&server, "the-token-of-carol", "ship_list", json!({}));
    assert!(
        refused.body.contains("no credentials of its own"),
        "{refused:?}"
    );
    assert!(!refused.body.contains("marked"), "{refused:?}");
    server.end();
}

#[test]
fn spells_run_as_their_principal_and_only_those_that_are_for_it() {
    let spells = tempfile::tempdir().expect("a folder");
    for name in ["who", "other"] {
        let text = format!(
            "name: {name}\ndescription: Says who\ncommand: printenv SHIP_SECRET\npaths: [.]\n\
             effect: write\nconfine: false\n"
        );
        fs::write(spells.path().join(format!("{name}.yaml")), text).expect("it is ours");
    }
    let folder = serde_json::to_string(spells.path()).expect("a path");
    let config = format!(
        "\n  - spells: {folder}\nprincipals:\n  ann: {{environment: {{SHIP_SECRET: '{{principal}}-here'}}, deny: [other]}}\n"
    );
    let server = HttpServer::with_tokens(&config);
    let listed = |token: &str| {
        let listed = Ask::modern("tools/list", json!({})).token(token);
        names(&server.send(&listed))
    };
    let ann = listed(ANN);
    assert!(ann.contains(&"who".into()), "{ann:?}");
    for withheld in ["other", "cast_spell", "list_spells"] {
        assert!(listed(BOB).contains(&withheld.into()), "{withheld}");
        assert!(!ann.contains(&withheld.into()), "{withheld}");
    }
    let ran = call(&server, ANN, "who", json!({}));
    assert!(text(&ran).contains("ann-here"), "{ran:?}");
    for (tool, input) in [
        ("other", json!({})),
        ("cast_spell", json!({"spell_name": "other"})),
    ] {
        let refused = call(&server, ANN, tool, input);
        assert!(!refused.body.contains("ann-here"), "{refused:?}");
    }
    server.end();
}

#[test]
fn a_principal_can_have_caps_of_its_own() {
    let http = ["--http", "127.0.0.1:0", "--token-file", "tokens"];
    let people = "principals: {ann: {limits: {max_sessions: 1}}}\n";
    let server = HttpServer::start_with(people, &http);
    let begin = |token: &str| server.send(&Ask::initialize().token(token)).status;
    assert_eq!(
        [begin(ANN), begin(ANN), begin(BOB), begin(BOB)],
        [200, 429, 200, 200]
    );
    server.end();
}
