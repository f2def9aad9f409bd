//! What is looked at beside the servers: their commands, files, programs and folders, and the machine.

use std::{fs, path::Path};

use serde_json::{Value, json};

use super::{Home, about, faking, is};
use crate::support::{charmer, ship};

#[test]
fn a_command_that_is_gone_is_named_with_what_to_run() {
    let home = Home::new();
    let gone = home.path("gone").join("charmer");
    home.cursor(
        "ship",
        json!({"command": gone, "args": ["serve", ship(), "--read-only"]}),
    );
    let (code, findings) = home.findings(&[]);
    assert_eq!(code, Some(1), "{findings:#?}");
    is(
        &about(&findings, "command")[0],
        "problem",
        "there is no program at",
    );
    let run = findings[0]["run"].as_str().unwrap_or_default();
    assert!(run.contains("--read-only --name ship --to cursor"), "{run}");
    home.cursor(
        "ship",
        json!({"command": "charmer", "args": ["serve", ship()]}),
    );
    let (_, findings) = home.findings(&[]);
    is(
        &about(&findings, "command")[0],
        "problem",
        "not on the PATH that Cursor starts its servers with",
    );
    home.cursor(
        "ship",
        json!({"command": home.fake(), "args": ["serve", ship(), "--no-such-option"]}),
    );
    let (_, findings) = home.findings(&[]);
    let told = about(&findings, "command");
    assert!(
        told.iter()
            .any(|(level, said)| level == "problem" && said.contains("--no-such-option")),
        "{told:?}"
    );
}

#[test]
fn what_cannot_be_executed_is_told_with_chmod() {
    let home = Home::new();
    fs::write(home.path("charmer"), "#!/bin/sh\n").expect("written");
    fs::write(home.path("tool"), "#!/bin/sh\n").expect("written");
    let entry = json!({"command": home.path("charmer"), "args": ["serve", home.path("tool")]});
    home.cursor("ship", entry);
    let (code, findings) = home.findings(&[]);
    assert_eq!(code, Some(1), "{findings:#?}");
    for word in ["command", "program"] {
        is(&about(&findings, word)[0], "problem", "is not executable");
    }
    let runs = findings
        .iter()
        .filter_map(|finding| finding["run"].as_str());
    assert_eq!(
        runs.filter(|run| run.starts_with("chmod +x ")).count(),
        2,
        "{findings:#?}"
    );
}

#[test]
fn what_is_served_is_looked_at() {
    let home = Home::new();
    let look = |args: &[&str], word: &str| {
        let args: Vec<&str> = [&["serve"], args].concat();
        home.cursor("ship", json!({"command": home.fake(), "args": args}));
        let (_, findings) = home.findings(&[]);
        let found = about(&findings, word);
        found
            .into_iter()
            .next()
            .unwrap_or_else(|| panic!("{word}: {findings:#?}"))
    };
    let ship = ship();
    let path = |name: &str| home.path(name).to_string_lossy().into_owned();
    is(
        &look(&["/no/such/program"], "program"),
        "problem",
        "there is no program at `/no/such/program`",
    );
    is(
        &look(&["no-such-program-xyz"], "program"),
        "problem",
        "is not on the PATH",
    );
    is(&look(&[], "program"), "problem", "it serves nothing");
    is(
        &look(&[&ship, "--folder", &path("gone")], "folder"),
        "problem",
        "is not there",
    );
    is(
        &look(&[&ship, "--folder", &path("project")], "folder"),
        "ok",
        "project",
    );
    is(
        &look(&["--config", &path("gone.yaml")], "config"),
        "problem",
        "gone.yaml",
    );
    fs::write(
        home.path("bad.yaml"),
        "sources: [{binary: x}]\nsuorces: []\n",
    )
    .expect("written");
    is(
        &look(&["--config", &path("bad.yaml")], "config"),
        "problem",
        "line 2, column 1",
    );
    let log = |file: &str| {
        let text = json!({"sources": [{"binary": ship}], "audit": {"file": file}});
        fs::write(home.path("log.yaml"), text.to_string()).expect("written");
        look(&["--config", &path("log.yaml")], "audit")
    };
    is(&log("log.jsonl"), "ok", "log.jsonl");
    is(&log("gone/log.jsonl"), "problem", "there is no folder");
    is(&log("project"), "problem", "it is a folder");
    is(
        &look(&["--config", &path("log.yaml")], "config"),
        "ok",
        "is valid",
    );
    is(
        &look(&["--spells", &path("gone")], "spells"),
        "problem",
        "cannot be read",
    );
    fs::create_dir(home.path("spells")).expect("made");
    fs::write(home.path("spells/hello.yaml"), "descriptoin: Says hello.\n").expect("written");
    is(
        &look(&["--spells", &path("spells")], "spells"),
        "problem",
        "1 of the spells",
    );
    let spell =
        "name: hello\ndescription: Says hello.\ncommand: echo hello\neffect: read\npaths: [.]\n";
    fs::write(home.path("spells/hello.yaml"), spell).expect("written");
    is(
        &look(&["--spells", &path("spells")], "spells"),
        "ok",
        "1 can be served",
    );
}

#[test]
fn a_program_that_is_another_one_now_is_told() {
    use crate::support::write_script;
    let home = Home::new();
    let tool = home.path("tool");
    let help = |word: &str| format!("exec {} \"$@\" # {word}", ship());
    write_script(&tool, &help("one"));
    let entry = json!({"command": home.fake(), "args": ["serve", tool]});
    home.claude_code("ship", entry);
    let read = || {
        let words = ["tools", &tool.to_string_lossy()];
        let read = charmer(&words)
            .env_remove("XDG_CACHE_HOME")
            .env("HOME", home.folder.path())
            .output();
        assert!(read.expect("it was built").status.success());
    };
    read();
    is(
        &about(&home.findings(&[]).1, "program")[0],
        "ok",
        "has been read",
    );
    write_script(&tool, &help("two"));
    let (_, findings) = home.findings(&[]);
    is(
        &about(&findings, "program")[0],
        "warning",
        "has changed since it was read",
    );
    let run = findings.iter().find_map(|finding| finding["run"].as_str());
    assert_eq!(
        run,
        Some(&*format!("charmer tools {}", tool.display())),
        "{findings:#?}"
    );
}

#[test]
fn a_program_that_speaks_of_itself_otherwise_or_was_not_read_to_the_end_is_told() {
    use crate::support::write_script;
    let home = Home::new();
    let (tool, plugin) = (home.path("tool"), home.path("plugin"));
    fs::write(&plugin, "").expect("written");
    // The file stays the same; what it prints does not.
    write_script(
        &tool,
        &format!("cat {}; exec {} \"$@\"", plugin.display(), ship()),
    );
    home.claude_code(
        "ship",
        json!({"command": home.fake(), "args": ["serve", tool]}),
    );
    let mut read = charmer(&["tools", &tool.to_string_lossy()]);
    read.env_remove("XDG_CACHE_HOME").env("HOME", home.path(""));
    assert!(read.output().expect("it was built").status.success());
    is(
        &about(&home.findings(&[]).1, "program")[0],
        "ok",
        "has been read",
    );
    fs::write(&plugin, "with a plugin\n").expect("written");
    is(
        &about(&home.findings(&[]).1, "program")[0],
        "warning",
        "says something else of itself",
    );
    // As a reading leaves it that was cut short.
    let kept = fs::read_dir(home.path(".cache/charmer"))
        .expect("a cache")
        .flatten();
    let is_entry = |name: &str| name.ends_with(".json") && name.matches('.').count() == 1;
    let mut kept = kept.filter(|file| is_entry(&file.file_name().to_string_lossy()));
    let entry = kept.next().expect("an entry").path();
    fs::rename(&entry, entry.with_extension("journal")).expect("renamed");
    is(
        &about(&home.findings(&[]).1, "program")[0],
        "warning",
        "was not read to the end",
    );
}

#[test]
fn another_cache_than_the_shells_is_pointed_out() {
    let home = Home::new();
    home.cursor("ship", faking(&home, ""));
    let output = home
        .doctor(&["--json"])
        .env("XDG_CACHE_HOME", home.path("elsewhere"))
        .output();
    let json: Value =
        serde_json::from_slice(&output.expect("it was built").stdout).expect("it is JSON");
    let findings = json["findings"].as_array().expect("a list");
    is(
        &about(findings, "program")[0],
        "warning",
        "not where this shell does",
    );
    let told = findings
        .iter()
        .find(|finding| finding["about"] == "program")
        .expect("it is told");
    let run = told["run"].as_str().unwrap_or_default();
    assert!(run.ends_with("--env XDG_CACHE_HOME"), "{run}");
}

#[test]
fn a_file_that_nobody_can_read_is_a_problem() {
    let home = Home::new();
    home.cursor("ship", json!({}));
    fs::write(
        home.path(".cursor/mcp.json"),
        "{\"mcpServers\": {\n  \"x\": }",
    )
    .expect("written");
    let (code, findings) = home.findings(&[]);
    assert_eq!(code, Some(1), "{findings:#?}");
    is(&about(&findings, "file")[0], "problem", "mcp.json:2:");
    assert_eq!(findings[0]["where"]["client"], "cursor");
}

#[test]
fn a_cache_that_cannot_be_written_is_a_problem() {
    let home = Home::new();
    fs::write(home.path("file"), "").expect("written");
    let run = |name: &str, place: &Path| {
        let output = home
            .doctor(&["--json"])
            .env(name, place)
            .output()
            .expect("it was built");
        let json: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
        assert_eq!(output.status.code(), Some(1), "{json:#}");
        json["findings"].as_array().expect("a list").clone()
    };
    let findings = run("CHARMER_CACHE", &home.path("file/cache"));
    is(
        &about(&findings, "cache")[0],
        "problem",
        "file` is no folder",
    );
    let findings = run("TMPDIR", &home.path("file/spool"));
    is(
        &about(&findings, "spool")[0],
        "problem",
        "file` is no folder",
    );
}
