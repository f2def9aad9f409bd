//! What a dry run tells: of programs and spells, on the command line and over the protocol.

use serde_json::{Value, json};

use crate::support::{Session, charmer, out, run, ship, works};

fn told(words: &[&str]) -> Value {
    serde_json::from_str(&works(words)).expect("it is JSON")
}

#[test]
fn a_dry_run_shows_the_command_line_and_who_allowed_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("charmer.yaml");
    let program = serde_json::to_string(&ship()).expect("text");
    let text = format!(
        "sources:\n  - binary: {program}\n    select:\n      - commands: {{allow: [sink]}}\n      - assume_effect: read\n"
    );
    std::fs::write(&file, text).expect("it can be written");
    let file = file.to_string_lossy();
    let plan = told(&[
        "call",
        "-c",
        &file,
        "ship_list",
        "--limit",
        "3",
        "--dry-run",
        "--json",
    ]);
    assert_eq!(plan["argv"], json!([ship(), "list", "--limit=3"]));
    assert_eq!(plan["effect"], "read");
    assert_eq!(plan["notes"], json!([]));
    let rule = plan["rule"].as_str().expect("text");
    assert!(
        rule.starts_with("entry 2 of `select` (") && rule.ends_with("charmer.yaml:5)"),
        "{rule}"
    );
    let plan = told(&[
        "call",
        "-c",
        &file,
        "--dry-run",
        "--json",
        "run_read",
        "ship_list",
    ]);
    let rule = plan["rule"].as_str().expect("text");
    assert!(
        rule.contains("its effect is read, as the file says ("),
        "{rule}"
    );
    // What would be refused is.
    let output = run(&["call", "-c", &file, "--dry-run", "run_read", "ship_sink"]);
    assert_eq!(output.status.code(), Some(1), "{}", out(&output));
    // The text for people has the same.
    let text = works(&[
        "call",
        "-b",
        &ship(),
        "--dry-run",
        "--allow",
        "list",
        "ship_list",
    ]);
    assert!(
        text.contains("; `--allow list`") && text.contains("nothing was run"),
        "{text}"
    );
}

#[test]
fn a_server_tells_it_as_structured_content() {
    let mut session = Session::start(&mut charmer(&["serve", &ship(), "--expose", "index"]));
    let input = json!({"command": "ship_sail", "arguments": {"port": "Oslo"}, "dry_run": true});
    let result = session.call("run_write", input);
    let plan = &result["structuredContent"];
    assert_eq!(plan["argv"], json!([ship(), "sail", "Oslo"]), "{result}");
    assert_eq!(plan["confinement"]["mode"], "none");
    assert!(result["isError"] != true, "{result}");
}

#[test]
fn a_spell_is_not_cast() {
    let home = tempfile::tempdir().expect("a folder");
    let spells = home.path().join("spells");
    std::fs::create_dir(&spells).expect("it can");
    let mark = home.path().join("mark");
    let text = format!(
        "name: touch\ndescription: Touch\ncommand: touch {}\npaths: [.]\n",
        mark.display()
    );
    std::fs::write(spells.join("touch.yaml"), text).expect("it can be written");
    let folder = spells.to_string_lossy();
    for words in [
        &[
            "spell",
            "cast",
            "touch",
            "--dry-run",
            "--json",
            "--spells",
            &folder,
        ][..],
        &[
            "call",
            "--spells",
            &folder,
            "--dry-run",
            "--json",
            "cast_spell",
            r#"{"spell_name": "touch"}"#,
        ],
        &[
            "call",
            "--spells",
            &folder,
            "run_write",
            r#"{"command": "touch", "dry_run": true}"#,
            "--json",
        ],
    ] {
        let plan = told(words);
        assert_eq!(plan["argv"], json!(["touch", mark]), "{words:?}");
        assert_eq!(
            plan["folder"],
            json!(home.path().canonicalize().expect("it is there"))
        );
        assert!(
            plan["rule"]
                .as_str()
                .is_some_and(|rule| rule.contains("touch.yaml")),
            "{plan}"
        );
        assert!(!mark.exists(), "{words:?}");
    }
    works(&["spell", "cast", "touch", "--spells", &folder]);
    assert!(mark.exists());
}
