//! `charmer audit verify`: the log that a server leaves is a chain, over the files that were moved aside.

use std::{fs, process::Output, thread};

use serde_json::{Value, json};

use crate::support::{Session, charmer, out};

fn run(words: &[&str]) -> Output {
    charmer(words).output().expect("it runs")
}

#[test]
fn a_log_is_a_chain_and_a_changed_line_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let spell = "name: greet\ndescription: Greets\ncommand: echo hello\npaths: [.]\n";
    fs::create_dir(at("spells")).expect("a folder");
    fs::write(at("spells/greet.yaml"), spell).expect("it can be written");
    let config = "audit: {file: calls.jsonl, rotate: 1KiB, keep: 9}\nsources: [{spells: spells}]\n";
    fs::write(at("charmer.yaml"), config).expect("it can be written");
    for _ in 0..8 {
        let called = run(&["call", "greet", "--config", &at("charmer.yaml")]);
        assert!(called.status.success(), "{called:?}");
    }

    let verified = run(&["audit", "verify", &at("calls.jsonl"), "--json"]);
    let found: Value = serde_json::from_str(&out(&verified)).expect("JSON");
    assert!(verified.status.success(), "{found}");
    assert_eq!(
        (&found["intact"], &found["lines"]),
        (&true.into(), &8.into())
    );
    assert!(fs::exists(at("calls.jsonl.1")).expect("it can be seen"));

    let older = fs::read_to_string(at("calls.jsonl.1")).expect("it can be read");
    fs::write(at("calls.jsonl.1"), older.replacen("greet", "other", 1)).expect("it can be written");
    let verified = run(&["audit", "verify", &at("calls.jsonl")]);
    assert_eq!(verified.status.code(), Some(1));
    assert!(
        out(&verified).contains("calls.jsonl.1:1: it was changed"),
        "{}",
        out(&verified)
    );

    let missing = run(&["audit", "verify", &at("nothing")]);
    assert_eq!(missing.status.code(), Some(1));
}

#[test]
fn several_servers_write_one_chain_while_it_is_moved_aside() {
    const SERVERS: usize = 3;
    const CALLS: usize = 8;
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let spell = "name: greet\ndescription: Greets\ncommand: echo hello\npaths: [.]\n";
    fs::create_dir(at("spells")).expect("a folder");
    fs::write(at("spells/greet.yaml"), spell).expect("it can be written");
    let config =
        "audit: {file: calls.jsonl, rotate: 1KiB, keep: 99}\nsources: [{spells: spells}]\n";
    fs::write(at("charmer.yaml"), config).expect("it can be written");
    let file = at("charmer.yaml");
    thread::scope(|scope| {
        for _ in 0..SERVERS {
            scope.spawn(|| {
                let mut server = Session::start(&mut charmer(&["serve", "-c", &file]));
                for _ in 0..CALLS {
                    let called = server.call("greet", json!({}));
                    assert_eq!(called["isError"], false, "{called}");
                }
                assert!(server.end().success());
            });
        }
    });
    let verified = run(&["audit", "verify", &at("calls.jsonl"), "--json"]);
    let found: Value = serde_json::from_str(&out(&verified)).expect("JSON");
    let lines = SERVERS * CALLS;
    assert_eq!(
        (&found["intact"], &found["lines"]),
        (&true.into(), &lines.into()),
        "{found}"
    );
    assert!(fs::exists(at("calls.jsonl.2")).expect("it can be seen"));
}
