//! Drafts over HTTP: each belongs to its principal, and to another it does not exist.

use std::fs;

use serde_json::{Value, json};

use super::client::{Ask, HttpServer};
use crate::support::write_script;

const ANN: &str = "ann-may-do-everything";
const BOB: &str = "bob-may-do-everything";
const READER: &str = "reader-may-read";

#[test]
fn a_draft_is_its_principals_alone() {
    let place = tempfile::tempdir().expect("a folder");
    let (scribe, work) = (place.path().join("scribe"), place.path().join("work"));
    fs::create_dir(&work).expect("a folder");
    write_script(
        &scribe,
        r#"
case "$1" in -*|"") printf 'Usage: scribe TEXT\n\nWrites a text.\n'; exit;; esac
printf '%s\n' "$1" >text
"#,
    );
    let source = format!("  - binary: {}\n", scribe.display());
    let work = work.to_string_lossy();
    let server = HttpServer::indexed(&source, &["--folder", &work]);
    let call = |token: &str, tool: &str, input: Value| {
        let reply = server.send(&Ask::call(tool, input).token(token)).json();
        reply["result"].clone()
    };
    let write =
        |draft: Value| json!({"command": "scribe", "arguments": {"text": "hello"}, "draft": draft});
    let made = call(ANN, "run_write", write(json!(true)));
    let id = made["structuredContent"]["draft"]["id"].clone();
    assert!(id.is_string(), "{made}");
    for token in [BOB, READER] {
        for action in ["show", "apply", "drop"] {
            let refused = call(token, "draft", json!({"action": action, "id": id}));
            assert_ne!(refused["isError"], false, "{token} {action}: {refused}");
            assert!(!refused.to_string().contains("hello"), "{refused}");
        }
        let refused = call(token, "run_write", write(id.clone()));
        assert_ne!(refused["isError"], false, "{token}: {refused}");
    }
    let text = place.path().join("work/text");
    assert!(!text.exists());
    let applied = call(ANN, "draft", json!({"action": "apply", "id": id}));
    assert_eq!(applied["isError"], false, "{applied}");
    assert_eq!(fs::read_to_string(text).expect("it is there"), "hello\n");
    server.end();
}
