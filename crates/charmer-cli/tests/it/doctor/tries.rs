//! Servers that are started and spoken with.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};

use super::{Home, about, faking, is};
use crate::support::{err, out, ship};

/// Tries a server that behaves like this. Gives what is found about this.
fn tried(fake: &str, word: &str) -> (String, String) {
    // Where silence is waited for a busy machine may be silent before; then it gets more time.
    let patience: &[&str] = match fake {
        "hang" => &["2s"],
        "stay" | "mute" => &["2s", "10s", "60s"],
        _ => &["60s"],
    };
    let home = Home::new();
    home.cursor("ship", faking(&home, fake));
    let mut findings = Vec::new();
    for patience in patience {
        let code;
        (code, findings) = home.findings(&["--timeout", patience]);
        let failed = findings.iter().any(|finding| finding["level"] == "problem");
        assert_eq!(code, Some(failed.into()), "{fake}: {findings:#?}");
        let these = about(&findings, word);
        let too_soon = |(_, said): &(String, String)| fake == "mute" && said.contains("initialize");
        if these.len() == 1 && !too_soon(&these[0]) {
            return these[0].clone();
        }
    }
    panic!("{fake}, {word}: {findings:#?}");
}

#[test]
fn each_way_to_fail_is_told_apart() {
    is(
        &tried("hang", "start"),
        "problem",
        "did not answer `initialize` within 2s",
    );
    is(
        &tried("exit", "start"),
        "problem",
        "ended with exit code 7 instead of answering `initialize`",
    );
    is(&tried("flood", "start"), "problem", "printed without end");
    is(
        &tried("endless line", "start"),
        "problem",
        "printed without end",
    );
    is(
        &tried("junk", "output"),
        "problem",
        "a line that is no message to standard output",
    );
    is(&tried("junk", "legacy"), "ok", "2 tools");
    is(
        &tried("error", "legacy"),
        "problem",
        "with an error: cannot initialize",
    );
    is(
        &tried("error", "modern"),
        "problem",
        "with an error: cannot server/discover",
    );
    is(
        &tried("wordless", "legacy"),
        "problem",
        "names no revision under `protocolVersion`",
    );
    is(&tried("wordless", "modern"), "ok", "2026-07-28");
    is(
        &tried("empty", "start"),
        "problem",
        "an assistant gets nothing",
    );
    is(
        &tried("search", "start"),
        "problem",
        "`search_commands` with an error: the index is lost",
    );
    is(
        &tried("stay", "end"),
        "problem",
        "does not end when its client goes away",
    );
    is(
        &tried("mute", "start"),
        "problem",
        "did not answer `search_commands`",
    );
    is(&tried("fall", "end"), "warning", "ended with exit code 3");
}

#[test]
fn an_old_server_still_works_and_a_new_one_alone_does_not() {
    is(
        &tried("legacy", "legacy"),
        "ok",
        "speaks 2025-06-18, lists 2 tools, finds commands",
    );
    is(
        &tried("legacy", "modern"),
        "warning",
        "speaks the legacy era only",
    );
    is(&tried("modern", "modern"), "ok", "speaks 2026-07-28");
    is(
        &tried("modern", "legacy"),
        "problem",
        "there is no initialize",
    );
}

#[test]
fn another_charmer_is_pointed_out_by_its_version() {
    let home = Home::new();
    home.cursor("ship", faking(&home, ""));
    let (_, findings) = home.findings(&[]);
    assert_eq!(about(&findings, "command")[0].0, "ok", "{findings:#?}");
    home.cursor("ship", faking(&home, "old"));
    let (code, findings) = home.findings(&[]);
    is(
        &about(&findings, "command")[0],
        "warning",
        "`charmer 0.0.1`",
    );
    let run = findings[0]["run"].as_str().unwrap_or_default();
    assert!(
        run.starts_with("charmer add ") && run.contains("--name ship --to cursor"),
        "{run}"
    );
    assert_eq!(code, Some(0), "{findings:#?}");
}

#[test]
fn a_client_with_a_window_gives_a_bare_path_and_another_folder() {
    let home = Home::new();
    let notes = home.path("notes");
    let mut entry = faking(&home, "");
    entry["env"]["FAKE_NOTES"] = notes.to_string_lossy().into();
    let started = |client: fn(&Home, &str, Value)| {
        client(&home, "ship", entry.clone());
        let output = home
            .doctor(&["ship"])
            .env("OF_A_SHELL", "1")
            .output()
            .expect("it was built");
        assert!(out(&output).contains("✓ legacy"), "{}", out(&output));
        fs::remove_file(home.path(".cursor/mcp.json")).ok();
        let text = fs::read_to_string(&notes).expect("it was started");
        serde_json::from_str::<Value>(&text).expect("it is JSON")
    };
    let window = started(Home::cursor);
    assert_eq!(
        (&window["folder"], &window["path"]),
        (&"/".into(), &"/usr/bin:/bin:/usr/sbin:/sbin".into())
    );
    let names = window["names"].as_array().expect("a list");
    assert!(names.contains(&"HOME".into()) && names.contains(&"FAKE".into()));
    assert!(!names.contains(&"OF_A_SHELL".into()), "{names:?}");
    let shell = started(Home::claude_code);
    let folder = PathBuf::from(shell["folder"].as_str().expect("a path"));
    assert_eq!(
        folder.canonicalize().ok(),
        home.path("project").canonicalize().ok()
    );
    assert!(
        shell["names"]
            .as_array()
            .expect("a list")
            .contains(&"OF_A_SHELL".into())
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_that_hangs_does_not_outlive_its_trial() {
    let home = Home::new();
    let notes = home.path("notes");
    let mut entry = faking(&home, "hang");
    entry["env"]["FAKE_NOTES"] = notes.to_string_lossy().into();
    home.cursor("ship", entry);
    let (code, _) = home.findings(&["--timeout", "5s"]);
    assert_eq!(code, Some(1));
    let text = fs::read_to_string(&notes).expect("it was started");
    let notes: Value = serde_json::from_str(&text).expect("it is JSON");
    let process = format!("/proc/{}", notes["process"]);
    assert!(!PathBuf::from(&process).exists(), "{process} runs still");
}

#[test]
fn what_is_secret_stays_so() {
    let home = Home::new();
    let entry = json!({
        "command": home.fake(),
        "args": ["serve", ship(), "--set", "token=hidden-in-words", "--set=key=hidden-too"],
        "env": {"FAKE": "exit", "SECRET": "hunter2-of-entry"},
    });
    home.claude_code("ship", entry.clone());
    let mut junk = entry;
    junk["env"]["FAKE"] = "junk".into();
    home.cursor("ship", junk);
    for words in [&["--json"][..], &[]] {
        let output = home
            .doctor(words)
            .env("MY_API_TOKEN", "of-the-shell")
            .output()
            .expect("it was built");
        let text = out(&output) + &err(&output);
        for secret in ["hunter2", "hidden-in-words", "hidden-too", "of-the-shell"] {
            assert!(!text.contains(secret), "{secret}: {text}");
        }
        for shown in [
            "no luck with [redacted]",
            "token is [redacted]",
            "token=...",
        ] {
            assert!(text.contains(shown), "{shown}: {text}");
        }
        assert!(!text.contains("31mno luck"), "{text}");
    }
}
