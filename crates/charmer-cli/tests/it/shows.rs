//! What `tools`, `inspect`, `completions`, `man` and `--print-config` show.

use serde_json::Value;

use crate::support::{err, run, ship, works};

#[test]
fn tools_are_a_table_with_sums() {
    let text = works(&["tools", &ship()]);
    for part in [
        "TOOL",
        "ship_list",
        "ship_crew_dismiss",
        "List the ships",
        "tools, about",
        "tokens",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains('\x1b'), "no colours for a pipe: {text}");
    let text = works(&[
        "tools",
        &ship(),
        "--allow",
        "crew",
        "--deny",
        "crew/dismiss",
    ]);
    assert!(
        text.contains("ship_crew_show") && !text.contains("ship_crew_dismiss"),
        "{text}"
    );
    assert!(!text.contains("ship_list"), "{text}");
}

#[test]
fn what_matches_nothing_is_warned_of() {
    let output = run(&["tools", &ship(), "--deny", "crew/dismis"]);
    assert!(output.status.success());
    assert!(
        err(&output).contains("did you mean `crew/dismiss`?"),
        "{}",
        err(&output)
    );
}

#[test]
fn a_program_is_named_as_the_file_knows_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let yard = folder.path().join("yard");
    std::fs::create_dir(&yard).expect("it can be made");
    let file_name = format!("myship{}", std::env::consts::EXE_SUFFIX);
    std::fs::copy(ship(), yard.join(&file_name)).expect("it can be copied");
    let file = folder.path().join("charmer.yaml");
    let text = format!("sources: [{{binary: ./yard/{file_name}, prefix: boat, layout: nested}}]");
    std::fs::write(&file, text).expect("it can be written");
    let file = file.to_string_lossy();
    // Neither is on the PATH, nor in the folder that this runs in.
    for name in ["myship", "boat", &format!("./yard/{file_name}")] {
        let shown = works(&["inspect", "-c", &file, name]);
        assert!(
            shown.contains("myship") && shown.contains("crew dismiss"),
            "{shown}"
        );
        let listed = works(&["tools", "--json", "-c", &file, name]);
        assert!(listed.contains("boat_crew_dismiss"), "{name}: {listed}");
        assert!(
            listed.contains(r#""flags":{"#),
            "as the file has it: {listed}"
        );
    }
    let output = run(&["inspect", "-c", &file, "hership"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn tools_go_to_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tools.json");
    let shown = works(&["tools", &ship(), "--json"]);
    assert_eq!(
        works(&["tools", &ship(), "--json", "-o", &file.to_string_lossy()]),
        ""
    );
    assert_eq!(
        std::fs::read_to_string(&file).expect("it was written"),
        shown
    );
    let tools: Value = serde_json::from_str(&shown).expect("it is JSON");
    let list = tools["tools"].as_array().expect("a list");
    let limit = list.iter().find(|tool| tool["name"] == "ship_list");
    let limit = &limit.expect("it is there")["inputSchema"]["properties"]["limit"];
    assert_eq!(
        (&limit["type"], &limit["default"]),
        (&"integer".into(), &10.into())
    );
}

#[test]
fn inspect_says_from_where_and_how_sure() {
    let text = works(&["inspect", &ship()]);
    for part in [
        "family",
        "cobra",
        "crew dismiss",
        "only a group",
        "times to find that out",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let text = works(&["inspect", &ship(), "list"]);
    for part in [
        "ship list",
        "List the ships",
        "-a, --all",
        "switch",
        "--limit",
        "integer",
        "%",
        "--fleet",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let json: Value = serde_json::from_str(&works(&["inspect", &ship(), "--json"])).expect("JSON");
    assert_eq!(
        (&json["family"], &json["complete"]),
        (&"cobra".into(), &true.into())
    );
    let commands = json["commands"].as_array().expect("a list");
    let list = commands
        .iter()
        .find(|command| command["path"] == serde_json::json!(["list"]));
    let list = list.expect("it is there");
    assert_eq!(list["tool"], "ship_list");
    assert!(
        list["flags"][1]["sources"]["type"]["sure"].as_u64() > Some(0),
        "{list}"
    );
}

#[test]
fn completions_and_manual_pages() {
    let script = works(&["completions", "bash"]);
    assert!(
        script.contains("_charmer") && script.contains("--read-only"),
        "{script}"
    );
    let page = works(&["man"]);
    assert!(
        page.contains(".TH charmer 1") && page.contains("serve"),
        "{page}"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let inside = folder.path().join("man1");
    works(&["man", "--out", &inside.to_string_lossy()]);
    let page = std::fs::read_to_string(inside.join("charmer-serve.1")).expect("it was written");
    assert!(page.contains("print\\-config"), "{page}");
    assert!(!inside.join("charmer-guardian.1").exists());
}

#[test]
fn the_entry_for_a_client_has_everything_written_out() {
    let words = [
        "serve",
        &ship(),
        "--allow",
        "crew,list",
        "--layout",
        "nested",
        "--timeout",
        "90s",
    ];
    let text = works(&[&words[..], &["--read-only", "--print-config"]].concat());
    let entry: Value = serde_json::from_str(&text).expect("it is JSON");
    let server = &entry["mcpServers"]["ship"];
    assert_eq!(server["command"], env!("CARGO_BIN_EXE_charmer"));
    let here = std::env::current_dir().expect("a folder");
    let given = serde_json::json!([
        "serve",
        ship(),
        "--allow=crew",
        "--allow=list",
        "--read-only",
        format!("--folder={}", here.display()),
        "--layout=nested",
        "--timeout=1m 30s",
    ]);
    assert_eq!(server["args"], given);
    let own = std::path::PathBuf::from(ship());
    let own = own.parent().expect("a folder").to_string_lossy();
    let path = server["env"]["PATH"].as_str().expect("text");
    assert!(path.starts_with(&*own), "{path}");
}
