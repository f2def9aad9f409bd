//! `charmer doctor`: servers tried as their clients would, with homes made for it.

mod looks;
mod tries;

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output},
};

use serde_json::{Map, Value, json};

use crate::support::{charmer, err, example, out, put, ship};

/// A home with clients in it.
struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        // Beside the programs, so that they can be linked.
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
        fs::create_dir(folder.path().join("project")).expect("made");
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A program that is called charmer and behaves as the variable FAKE says.
    fn fake(&self) -> String {
        let path = self.path(&format!("charmer{}", std::env::consts::EXE_SUFFIX));
        if !path.exists() {
            put(example("fake_server"), &path);
        }
        path.to_string_lossy().into_owned()
    }

    /// Gives Cursor, which is started from no shell, this server.
    fn cursor(&self, name: &str, entry: Value) {
        self.write(".cursor/mcp.json", name, entry);
    }

    /// Gives Claude Code, which is started from a shell, this server.
    fn claude_code(&self, name: &str, entry: Value) {
        self.write(".claude.json", name, entry);
    }

    fn write(&self, file: &str, name: &str, entry: Value) {
        let file = self.path(file);
        fs::create_dir_all(file.parent().expect("it has one")).expect("made");
        let servers = Map::from_iter([(name.to_owned(), entry)]);
        fs::write(file, json!({"mcpServers": servers}).to_string()).expect("written");
    }

    fn doctor(&self, words: &[&str]) -> Command {
        let mut command = charmer(&[&["doctor"], words].concat());
        command
            .env("HOME", self.folder.path())
            .current_dir(self.path("project"));
        for moved in [
            "XDG_CACHE_HOME",
            "XDG_CONFIG_HOME",
            "XDG_DATA_HOME",
            "CLAUDE_CONFIG_DIR",
            "CHARMER_CACHE",
        ] {
            command.env_remove(moved);
        }
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        self.doctor(words).output().expect("it was built")
    }

    /// What is found, as JSON, with the code that it ends with.
    fn findings(&self, words: &[&str]) -> (Option<i32>, Vec<Value>) {
        let output = self.run(&[&["--json"], words].concat());
        let json: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{}{}", out(&output), err(&output)));
        let findings = json["findings"].as_array().expect("a list").clone();
        let is_problem = |finding: &Value| finding["level"] == "problem";
        assert_eq!(json["ok"], !findings.iter().any(is_problem), "{json:#}");
        (output.status.code(), findings)
    }
}

/// The entry of a server that behaves like this.
fn faking(home: &Home, fake: &str) -> Value {
    json!({"command": home.fake(), "args": ["serve", ship()], "env": {"FAKE": fake}})
}

/// The findings about this, as level and message.
fn about(findings: &[Value], word: &str) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let these = findings.iter().filter(|finding| finding["about"] == word);
    these
        .map(|finding| (text(&finding["level"]), text(&finding["message"])))
        .collect()
}

fn is(found: &(String, String), level: &str, part: &str) {
    assert!(found.0 == level && found.1.contains(part), "{found:?}");
}

#[test]
fn a_server_that_works_is_well() {
    let home = Home::new();
    let folder = home.path("project");
    let entry = json!({"command": env!("CARGO_BIN_EXE_charmer"), "args": ["serve", ship(), "--folder", folder]});
    home.cursor("ship", entry.clone());
    home.claude_code("ship", entry);
    let (code, findings) = home.findings(&["ship"]);
    // It was not read before, which is no problem.
    assert_eq!(code, Some(0), "{findings:#?}");
    is(
        &about(&findings, "program")[0],
        "warning",
        "has not been read yet",
    );
    for era in ["legacy", "modern"] {
        for found in about(&findings, era) {
            is(&found, "ok", "finds commands, describes the first");
        }
    }
    let places: Vec<&Value> = findings
        .iter()
        .map(|finding| &finding["where"]["client"])
        .collect();
    assert!(places.contains(&&"cursor".into()) && places.contains(&&"claude-code".into()));
    for word in ["command", "folder", "cache", "spool"] {
        assert_eq!(about(&findings, word)[0].0, "ok", "{findings:#?}");
    }
    let read = charmer(&["tools", &ship()])
        .env_remove("XDG_CACHE_HOME")
        .env("HOME", home.folder.path())
        .output();
    assert!(read.expect("it was built").status.success());
    let (_, findings) = home.findings(&[]);
    for found in about(&findings, "program") {
        is(&found, "ok", "has been read");
    }
    let output = home
        .doctor(&[])
        .env("COLUMNS", "80")
        .output()
        .expect("it was built");
    let text = out(&output);
    assert!(text.contains("Cursor: ship (~/.cursor/mcp.json)"), "{text}");
    assert!(
        text.contains("✓ legacy") && text.contains("This machine"),
        "{text}"
    );
}

#[test]
fn a_name_that_no_client_has_is_a_mistake() {
    let home = Home::new();
    home.cursor("ship", faking(&home, ""));
    let output = home.run(&["shipp"]);
    assert_eq!(output.status.code(), Some(2), "{}", err(&output));
    let said = err(&output);
    assert!(
        said.contains("did you mean `ship`?") && said.contains("charmer list"),
        "{said}"
    );
}

#[test]
fn servers_of_others_are_tried_only_by_name() {
    let home = Home::new();
    let command = example("fake_server");
    home.cursor("other", json!({"command": command, "args": ["--quiet"]}));
    let (code, findings) = home.findings(&[]);
    assert_eq!(
        (code, about(&findings, "legacy").len()),
        (Some(0), 0),
        "{findings:#?}"
    );
    let (code, findings) = home.findings(&["other"]);
    assert_eq!(code, Some(0), "{findings:#?}");
    is(&about(&findings, "legacy")[0], "ok", "2 tools");
}

#[test]
fn whoever_has_no_server_yet_is_told_what_to_run() {
    let home = Home::new();
    let output = home.run(&[]);
    let text = out(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("charmer add PROGRAM --to CLIENT"), "{text}");
    assert!(
        text.contains("cache") && text.contains("sandbox") && text.contains("spool"),
        "{text}"
    );
}

#[test]
fn what_only_the_client_can_fill_in_is_told() {
    let home = Home::new();
    let mut entry = faking(&home, "");
    entry["env"]["PLACE"] = "${workspaceFolder}/x".into();
    home.cursor("ship", entry);
    let (_, findings) = home.findings(&[]);
    let told = about(&findings, "command");
    assert!(
        told.iter()
            .any(|(level, said)| level == "warning" && said.contains("Cursor fills in")),
        "{told:?}"
    );
}

#[test]
fn a_projects_own_servers_are_tried_too() {
    let home = Home::new();
    home.write("project/.cursor/mcp.json", "ship", faking(&home, ""));
    let (code, findings) = home.findings(&[]);
    assert_eq!(code, Some(0), "{findings:#?}");
    assert_eq!(findings[0]["where"]["scope"], "project");
    is(&about(&findings, "legacy")[0], "ok", "2 tools");
}
