//! What is said of confinement: by options, by the file, and by what is shown.

use serde_json::{Value, json};

use crate::support::{Session, charmer, err, run, ship, works};

/// A file that serves the fixture with these keys of its source.
fn file(folder: &tempfile::TempDir, keys: &str) -> String {
    let file = folder.path().join("charmer.yaml");
    let program = serde_json::to_string(&ship()).expect("text");
    let text = format!("sources:\n  - binary: {program}\n{keys}");
    std::fs::write(&file, text).expect("it can be written");
    file.to_string_lossy().into_owned()
}

#[test]
fn the_network_is_shown_with_who_has_said_it() {
    let text = works(&["tools", &ship()]);
    assert!(text.contains("ship: network: assumed; confine: "), "{text}");
    let text = works(&["tools", &ship(), "--network", "tcp", "--confine", "names"]);
    let told = "ship: network: tcp (--network); confine: names";
    assert!(text.contains(told), "{text}");

    let folder = tempfile::tempdir().expect("a folder");
    let keys = "    network: all\n    select: [{commands: {allow: [sail]}, network: none}, {stdin: false}]\n";
    let file = file(&folder, keys);
    let text = works(&["inspect", "ship", "-c", &file]);
    let told = "all (`sources`), none for entry 1 of `select`";
    assert!(text.contains(told), "{text}");
    let text = works(&["inspect", "ship", "sail", "-c", &file]);
    assert!(text.contains("none (`select`)"), "{text}");
    let json: Value = serde_json::from_str(&works(&["inspect", "ship", "--json", "-c", &file]))
        .expect("it is JSON");
    assert_eq!(
        (&json["network"], &json["networkFrom"]),
        (&json!("all"), &json!("sources"))
    );
    let commands = json["commands"].as_array().expect("commands");
    let sail = commands.iter().find(|one| one["path"] == json!(["sail"]));
    assert_eq!(sail.expect("it is there")["network"], "none");
    let words = ["tools", "--tokens", "--json", "-c", &file];
    let json: Value = serde_json::from_str(&works(&words)).expect("it is JSON");
    assert_eq!(json["programs"][0]["network"], "all");
}

#[test]
fn read_only_without_anybody_who_sees_to_it_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = file(&folder, "    confine: off\n");
    for words in [
        &["serve", &ship(), "--read-only", "--confine", "off"][..],
        &["tools", "-c", &file, "--read-only"],
    ] {
        let output = run(words);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        let text = err(&output);
        assert!(text.contains("--confine names"), "{text}");
    }
    works(&["tools", "-c", &file, "--read-only", "--confine", "names"]);
}

#[test]
fn the_entry_for_a_client_has_what_confines() {
    let words = [
        "serve",
        &ship(),
        "--network=socket",
        "--confine=names",
        "--credential=keys",
        "--credential=~/.netrc",
        "--print-config",
    ];
    let entry: Value = serde_json::from_str(&works(&words)).expect("it is JSON");
    let here = std::env::current_dir().expect("a folder");
    let keys = format!("--credential={}", here.join("keys").display());
    let folder = format!("--folder={}", here.display());
    let args = &entry["mcpServers"]["ship"]["args"];
    let given = json!([
        "serve",
        ship(),
        folder,
        "--network=socket",
        "--confine=names",
        keys,
        "--credential=~/.netrc",
    ]);
    assert_eq!(*args, given);
}

#[test]
fn the_old_name_of_a_key_works_and_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = file(&folder, "    select: [{effect: read}]\n");
    let config = file.as_str();
    for words in [
        &["tools", "-c", config][..],
        &["inspect", "ship", "-c", config],
        &["call", "-c", config, "ship_list"],
        &["serve", "-c", config],
    ] {
        let output = run(words);
        assert!(output.status.success(), "{words:?}: {}", err(&output));
        let told = err(&output);
        assert!(
            told.contains("write `assume_effect: read`"),
            "{words:?}: {told}"
        );
        assert!(told.contains("charmer.yaml:3:15"), "{told}");
    }
    let listed = works(&["tools", "-c", config, "--read-only"]);
    assert!(listed.contains("ship_sail"), "{listed}");
}

#[cfg(target_os = "linux")]
#[test]
fn without_network_everything_is_offered_as_reading() {
    let words = ["serve", &ship(), "--read-only", "--network", "none"];
    let mut session = Session::start(&mut charmer(&words));
    let names = session.settled_names();
    assert!(names.contains(&"ship_crew_dismiss".into()), "{names:?}");
    assert!(!names.contains(&"run_write".into()), "{names:?}");
    let listed = session.request("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().expect("tools");
    for tool in tools {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
    }
    assert!(session.end().success());

    let words = ["serve", &ship(), "--network", "none", "--expose", "index"];
    let mut session = Session::start(&mut charmer(&words));
    session.settled_names();
    let sail = json!({"command": "ship_sail", "arguments": {"port": "Oslo"}});
    let result = session.call("run_read", sail);
    assert_eq!(result["isError"], false, "{result}");
    assert!(session.end().success());
}
