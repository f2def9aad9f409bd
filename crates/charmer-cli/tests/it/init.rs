//! `charmer init`, and the charmer.yaml of the current folder.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Session, charmer, err, out, ship};

fn in_folder(folder: &Path, words: &[&str]) -> std::process::Output {
    let mut command = charmer(words);
    command.current_dir(folder).output().expect("it was built")
}

#[test]
fn a_file_is_written_checked_and_found_by_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = in_folder(folder.path(), &["init", &ship(), "--read-only"]);
    assert!(made.status.success(), "{}", err(&made));
    assert_eq!(out(&made), "charmer.yaml\n");
    for next in ["charmer check", "charmer tools", "charmer add"] {
        assert!(err(&made).contains(next), "{next}: {}", err(&made));
    }
    let checked = in_folder(folder.path(), &["check"]);
    assert!(
        checked.status.success(),
        "{}{}",
        out(&checked),
        err(&checked)
    );
    assert!(
        out(&checked).contains("charmer.yaml: no mistakes"),
        "{}",
        out(&checked)
    );

    let listed = in_folder(folder.path(), &["tools"]);
    assert!(
        err(&listed).contains("reading ./charmer.yaml"),
        "{}",
        err(&listed)
    );
    assert!(out(&listed).contains("ship_list"), "{}", out(&listed));
    assert!(
        !out(&listed).contains("ship_crew_dismiss"),
        "{}",
        out(&listed)
    );
    let looked = in_folder(folder.path(), &["inspect"]);
    assert!(out(&looked).contains("crew dismiss"), "{}", out(&looked));
    let called = in_folder(folder.path(), &["call", "ship_list"]);
    assert!(called.status.success(), "{}", err(&called));
    assert_eq!(err(&called).matches("reading ./charmer.yaml").count(), 1);
    let refused = in_folder(folder.path(), &["call", "ship_crew_dismiss", "x"]);
    assert_eq!(refused.status.code(), Some(2), "{}", out(&refused));

    // A client's configuration names the file, because it starts the server somewhere else.
    let entry = in_folder(folder.path(), &["serve", "--print-config"]);
    let entry: Value = serde_json::from_str(&out(&entry)).expect("it is JSON");
    let words = entry["mcpServers"]["ship"]["args"].to_string();
    assert!(
        words.contains("--config=") && words.contains("charmer.yaml"),
        "{words}"
    );
}

#[test]
fn a_file_is_not_replaced_by_accident() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("charmer.yaml"), "mine").expect("it can be written");
    let refused = in_folder(folder.path(), &["init", &ship()]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(err(&refused).contains("--force"), "{}", err(&refused));
    let text = || std::fs::read_to_string(folder.path().join("charmer.yaml")).expect("a file");
    assert_eq!(text(), "mine");
    assert!(
        in_folder(folder.path(), &["init", &ship(), "--force"])
            .status
            .success()
    );
    assert!(text().contains("- binary: "));
}

#[test]
fn init_asks_nobody_who_is_not_there() {
    let folder = tempfile::tempdir().expect("a folder");
    for (words, said) in [
        (&["init"][..], "charmer init git gh"),
        (&["init", "no-such-program-xyz"], "not on your PATH"),
        (
            &["init", "--spells", "nowhere"],
            "there is no folder of spells",
        ),
    ] {
        let refused = in_folder(folder.path(), words);
        assert_eq!(refused.status.code(), Some(2), "{words:?}");
        assert!(err(&refused).contains(said), "{words:?}: {}", err(&refused));
    }
    assert!(!folder.path().join("charmer.yaml").exists());
}

/// What `initialize` and `prompts/list` are answered with.
fn greeted(folder: &Path, words: &[&str]) -> (Value, usize) {
    let mut command = charmer(words);
    let mut session = Session::start(command.current_dir(folder));
    session.settle();
    let prompts = session.request("prompts/list", json!({}));
    let prompts = prompts["result"]["prompts"].as_array().map_or(0, Vec::len);
    (session.greeting.clone(), prompts)
}

#[test]
fn a_server_is_called_what_its_program_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let (greeting, prompts) = greeted(folder.path(), &["serve", &ship()]);
    let info = &greeting["serverInfo"];
    assert_eq!(
        (&info["name"], &info["version"]),
        (&"ship".into(), &"1.4.0".into()),
        "{info}"
    );
    assert!(
        info["title"]
            .as_str()
            .is_some_and(|title| title.contains("served by Charmer"))
    );
    assert_eq!(
        prompts, 0,
        "examples are prompts only when they are asked for"
    );
    assert!(greeted(folder.path(), &["serve", &ship(), "--prompts"]).1 > 0);

    let path = serde_json::to_string(&ship()).expect("a path");
    let text = format!(
        "server: {{name: fleet, version: 7, instructions: Mind the tide.}}\nprompts: true\nsources: [{{binary: {path}}}]"
    );
    std::fs::write(folder.path().join("charmer.yaml"), text).expect("it can be written");
    let (greeting, prompts) = greeted(folder.path(), &["serve"]);
    let info = &greeting["serverInfo"];
    assert_eq!(
        (&info["name"], &info["version"]),
        (&"fleet".into(), &"7".into()),
        "{info}"
    );
    let told = greeting["instructions"].as_str().expect("a text");
    assert!(
        told.starts_with("Mind the tide.\n\nRuns commands of ship."),
        "{told}"
    );
    assert!(prompts > 0);
}
