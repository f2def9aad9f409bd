//! An assistant's first try: input that means one thing is taken and noted, and an error is short and says which rule.

use serde_json::{Value, json};

use crate::support::{Session, charmer, ship};

/// The most tokens of an error.
const MOST: usize = 120;

fn tokens(text: &str) -> usize {
    let vocabulary = tiktoken_rs::o200k_base_singleton();
    vocabulary.encode_ordinary(text).len()
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().expect("text")
}

/// The command line that a call would run, and what is noted of it.
fn planned(session: &mut Session, command: &str, arguments: Value) -> (Value, Value) {
    let input = json!({"command": command, "arguments": arguments, "dry_run": true});
    let result = session.call("run_write", input);
    assert!(result["isError"] != true, "{arguments}: {result}");
    let mut argv = result["structuredContent"]["argv"].clone();
    argv.as_array_mut().expect("a list").remove(0);
    (argv, result["structuredContent"]["notes"].clone())
}

#[test]
fn what_means_one_thing_is_taken() {
    let mut session = Session::start(&mut charmer(&["serve", &ship(), "--expose", "index"]));
    for (command, arguments, expected) in [
        (
            "ship_list",
            json!({"limit": "3"}),
            json!(["list", "--limit=3"]),
        ),
        ("ship_list", json!({"a": "true"}), json!(["list", "--all"])),
        (
            "ship_list",
            json!({"--ALL": [true]}),
            json!(["list", "--all"]),
        ),
        (
            "ship_sail",
            json!({"port": 7, "k": 3}),
            json!(["sail", "--knots=3", "7"]),
        ),
        (
            "ship_sail",
            json!({"args": ["Oslo"], "Cargo": "tea"}),
            json!(["sail", "--cargo=tea", "Oslo"]),
        ),
    ] {
        let (argv, notes) = planned(&mut session, command, arguments.clone());
        assert_eq!(argv, expected, "{arguments}");
        assert_ne!(notes, json!([]), "{arguments}");
    }
    let (argv, notes) = planned(&mut session, "ship_list", json!({"limit": 3}));
    assert_eq!((argv, notes), (json!(["list", "--limit=3"]), json!([])));
}

#[test]
fn errors_are_short_and_name_the_nearest() {
    let mut session = Session::start(&mut charmer(&["serve", &ship(), "--expose", "index"]));
    let long = "ж".repeat(400);
    for (command, arguments, told) in [
        ("shpi_list", json!({}), "`ship_list`"),
        ("ship_lsit", json!({}), "`ship_list`"),
        ("ship_list", json!({"limt": 3}), "did you mean `limit`?"),
        ("ship_sail", json!({}), "`port`"),
        ("ship_sail", json!({"knots": "fast"}), "`port`"),
        ("ship_list", json!({"limit": 3, "LIMIT": 4}), "`LIMIT`"),
        (
            "ship_list",
            json!({&long: long, "limit": long}),
            "2 problems",
        ),
        (&long, json!({}), "no command"),
    ] {
        let input = json!({"command": command, "arguments": arguments});
        let result = session.call("run_write", input);
        assert_eq!(result["isError"], true, "{result}");
        let text = text(&result);
        assert!(text.contains(told), "{told}: {text}");
        assert!(tokens(text) <= MOST, "{}: {text}", tokens(text));
    }
}

#[test]
fn what_a_rule_excludes_is_refused_with_the_rule() {
    let refused = |words: &[&str], command: &str| {
        let mut session = Session::start(&mut charmer(words));
        let result = session.call("run_read", json!({"command": command}));
        assert_eq!(result["isError"], true, "{result}");
        let text = text(&result).to_owned();
        assert!(tokens(&text) <= MOST, "{text}");
        text
    };
    let ship = ship();
    let denied = refused(
        &["serve", &ship, "--expose", "index", "--deny", "crew"],
        "ship crew show",
    );
    assert!(
        denied.contains("`ship_crew_show` is not offered: `--deny crew`"),
        "{denied}"
    );
    let allowed = refused(
        &["serve", &ship, "--expose", "index", "--allow", "list"],
        "ship_sail",
    );
    assert!(allowed.contains("`--allow list`"), "{allowed}");
    let names = [
        "serve",
        &ship,
        "--expose",
        "index",
        "--read-only",
        "--confine",
        "names",
    ];
    let writes = refused(&names, "ship_crew_dismiss");
    assert!(
        writes.contains("only reading is offered by `--read-only`"),
        "{writes}"
    );

    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("charmer.yaml");
    let program = serde_json::to_string(&ship).expect("text");
    let config = format!(
        "sources:\n  - binary: {program}\n    select:\n      - commands: {{allow: [list]}}\n        flags: {{exclude: [limit]}}\n"
    );
    std::fs::write(&file, config).expect("it can be written");
    let file = file.to_string_lossy();
    let words = ["serve", "-c", &file, "--expose", "index"];
    let selected = refused(&words, "ship_sail");
    assert!(
        selected.contains("no entry of `select`") && selected.contains("charmer.yaml:4"),
        "{selected}"
    );
    let mut session = Session::start(&mut charmer(&words));
    for key in ["limit", "--limit", "LIMIT"] {
        let input = json!({"command": "ship_list", "arguments": {key: 3}});
        let result = session.call("run_write", input);
        let text = text(&result);
        assert!(
            text.contains("entry 1 of `select`") && text.contains("charmer.yaml:4"),
            "{text}"
        );
    }
}

#[test]
fn a_missing_confirmation_is_explained() {
    let home = tempfile::tempdir().expect("a folder");
    let spells = home.path().join("spells");
    std::fs::create_dir(&spells).expect("a folder");
    let spell = "name: wipe\ndescription: Wipe\ncommand: 'true'\npaths: [.]\nconfirm: true\n";
    std::fs::write(spells.join("wipe.yaml"), spell).expect("it can be written");
    let folder = spells.to_string_lossy();
    let mut session = Session::start(&mut charmer(&["serve", "--spells", &folder]));
    let result = session.call("wipe", json!({}));
    let told = text(&result);
    assert!(
        told.contains("`confirm` says that the user has agreed"),
        "{told}"
    );
    assert!(tokens(told) <= MOST, "{told}");
    let confirmed = session.call("wipe", json!({"confirm": "true"}));
    assert!(confirmed["isError"] != true, "{confirmed}");
}
