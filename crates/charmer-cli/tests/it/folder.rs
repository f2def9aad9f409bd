//! Where programs run, and flags that are pinned from the command line.

use serde_json::{Value, json};

use crate::support::{Session, charmer, err, run, ship, works};

fn told(words: &[&str]) -> Value {
    serde_json::from_str(&works(words)).expect("it is JSON")
}

#[test]
fn the_first_folder_is_the_default_and_none_leads_out() {
    let home = tempfile::tempdir().expect("a folder");
    let home = home.path().canonicalize().expect("it is there");
    for name in ["one/sub", "two", "away"] {
        std::fs::create_dir_all(home.join(name)).expect("it can");
    }
    let [one, two] = ["one", "two"].map(|name| home.join(name).to_string_lossy().into_owned());
    let words = [
        "call",
        "-b",
        &ship(),
        "--folder",
        &one,
        "--folder",
        &two,
        "--json",
    ];
    let of = |input: &str| {
        let mut words = words.to_vec();
        words.extend(["run_write", input]);
        run(&words)
    };
    let folder = |input: &str| {
        let output = of(input);
        let plan: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
        plan["folder"].clone()
    };
    let asked = |folder: &str| {
        json!({"command": "ship_list", "dry_run": true, "folder": folder}).to_string()
    };
    assert_eq!(
        folder(r#"{"command": "ship_list", "dry_run": true}"#),
        json!(one)
    );
    assert_eq!(folder(&asked("sub")), json!(home.join("one/sub")));
    assert_eq!(folder(&asked(&two)), json!(two));
    for away in ["..", "../away", "/", "sub/../../away"] {
        let output = of(&asked(away));
        assert_eq!(output.status.code(), Some(1), "{away}");
    }
    let output = run(&["tools", &ship(), "--folder", "no such folder"]);
    assert_eq!(output.status.code(), Some(2), "{}", err(&output));
}

#[test]
fn the_argument_is_listed_only_where_there_is_a_choice() {
    let lists = |options: &[&str]| {
        let ship = ship();
        let mut words = vec!["serve", &ship, "--expose", "index"];
        words.extend(options);
        let mut session = Session::start(&mut charmer(&words));
        let answer = session.request("tools/list", json!({}));
        let tools = answer["result"]["tools"]
            .as_array()
            .expect("a list")
            .clone();
        let run = tools.iter().find(|tool| tool["name"] == "run_read");
        run.expect("it is there")["inputSchema"]["properties"]["folder"].is_object()
    };
    assert!(!lists(&[]));
    assert!(lists(&["--folder", "."]));
}

#[test]
fn the_old_key_of_the_file_works_and_warns() {
    let home = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(home.path().join("sea")).expect("it can");
    let file = home.path().join("charmer.yaml");
    let program = serde_json::to_string(&ship()).expect("text");
    for (key, warns) in [("directory", true), ("folder", false)] {
        let text = format!("sources: [{{binary: {program}, {key}: sea}}]");
        std::fs::write(&file, text).expect("it can be written");
        let file = file.to_string_lossy();
        let output = run(&["call", "-c", &file, "--dry-run", "--json", "ship_list"]);
        let plan: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
        assert_eq!(plan["folder"], json!(home.path().join("sea")));
        let said = err(&output);
        assert_eq!(
            said.contains("`directory` is called `folder` now"),
            warns,
            "{said}"
        );
        // It is the file's to say, and no caller's.
        let input = r#"{"command": "ship_list", "folder": "/", "dry_run": true}"#;
        let output = run(&["call", "-c", &file, "run_write", input]);
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn a_flag_is_pinned_from_the_command_line() {
    let plan = told(&[
        "call",
        "-b",
        &ship(),
        "--set",
        "fleet=north",
        "--set",
        "ship:cargo=tea",
        "--set",
        "cargo=a,b",
        "--dry-run",
        "--json",
        "ship_sail",
        "Oslo",
    ]);
    let expected = json!([
        ship(),
        "sail",
        "--cargo=tea",
        "--cargo=a,b",
        "--fleet=north",
        "Oslo"
    ]);
    assert_eq!(plan["argv"], expected);
    // It is out of a caller's reach.
    let output = run(&[
        "call",
        "-b",
        &ship(),
        "--set",
        "fleet=north",
        "ship_list",
        r#"{"fleet": "south"}"#,
    ]);
    assert_eq!(output.status.code(), Some(1));
    // The command line goes before the file.
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("charmer.yaml");
    let program = serde_json::to_string(&ship()).expect("text");
    std::fs::write(
        &file,
        format!("sources: [{{binary: {program}, set: {{--fleet: south}}}}]"),
    )
    .expect("it can");
    let file = file.to_string_lossy();
    let plan = told(&[
        "call",
        "-c",
        &file,
        "--set",
        "fleet=north",
        "--dry-run",
        "--json",
        "ship_list",
    ]);
    assert_eq!(plan["argv"], json!([ship(), "list", "--fleet=north"]));
    for (set, hint) in [
        ("fleeet=x", "did you mean `fleet`?"),
        ("boat:fleet=x", "there are `ship`"),
        ("ship:fleeet=x", "did you mean `fleet`?"),
        ("=x", "FLAG=VALUE"),
    ] {
        let output = run(&["tools", &ship(), "--set", set]);
        let said = err(&output);
        assert!(
            output.status.code() == Some(2) && said.contains(hint),
            "{said}"
        );
    }
    let entry = told(&[
        "serve",
        &ship(),
        "--set",
        "fleet=north",
        "--folder",
        "/",
        "--print-config",
    ]);
    let args = entry["mcpServers"]["ship"]["args"]
        .as_array()
        .expect("words");
    assert!(
        args.contains(&json!("--set=fleet=north")) && args.contains(&json!("--folder=/")),
        "{entry}"
    );
}
