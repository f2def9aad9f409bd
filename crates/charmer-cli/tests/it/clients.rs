//! `charmer add`, `remove` and `list`, in a home folder of the test's own.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Output,
};

use serde_json::Value;

use crate::support::{Session, charmer, err, out, put, ship};

/// A home folder, and a folder to work in.
struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("work")).expect("it is new");
        Self { folder }
    }

    fn path(&self, below: &str) -> PathBuf {
        let home = self.folder.path().canonicalize().expect("it is there");
        home.join(below)
    }

    fn command(&self, words: &[&str]) -> std::process::Command {
        let mut command = charmer(words);
        command
            .env("HOME", self.path(""))
            .env("USERPROFILE", self.path(""))
            .env("APPDATA", self.path("roaming"))
            .env("PATH", self.path("bin"))
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("CODEX_HOME")
            .env_remove("CLAUDE_CONFIG_DIR")
            .current_dir(self.path("work"));
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().expect("it was built")
    }

    fn works(&self, words: &[&str]) -> String {
        let output = self.run(words);
        assert!(
            output.status.success(),
            "{words:?} {}{}",
            out(&output),
            err(&output)
        );
        out(&output)
    }

    /// Standard error of what does not work, and the exit code.
    fn fails(&self, words: &[&str]) -> (String, Option<i32>) {
        let output = self.run(words);
        assert!(!output.status.success(), "{words:?} {}", out(&output));
        (err(&output), output.status.code())
    }

    fn write(&self, below: &str, text: &str) {
        let path = self.path(below);
        fs::create_dir_all(path.parent().expect("it has one")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
    }

    fn read(&self, below: &str) -> String {
        fs::read_to_string(self.path(below)).expect("it is there")
    }
}

const CURSOR: &str = ".cursor/mcp.json";
const BEFORE: &str =
    "{\n  // mine\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"},\n  },\n}\n";

#[test]
fn what_is_added_starts_and_what_is_removed_leaves_nothing() {
    let home = Home::new();
    home.write(CURSOR, BEFORE);
    let said = home.works(&["add", &ship(), "--to", "cursor", "--read-only"]);
    assert!(said.contains("`ship` added to ~"), "{said}");
    assert!(said.contains("switch the server on"), "{said}");
    let text = home.read(CURSOR);
    assert!(text.contains("// mine"), "{text}");
    let plain: String = text.lines().filter(|line| !line.contains("//")).collect();
    let plain = plain.replace(",  },}", "}}").replace("},  }", "}}");
    let file: Value =
        serde_json::from_str(&plain).unwrap_or_else(|error| panic!("{error} {plain}"));
    let entry = &file["mcpServers"]["ship"];
    let command = entry["command"].as_str().expect("it has one");
    assert!(Path::new(command).is_absolute());
    let args: Vec<&str> = entry["args"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let folder = format!("--folder={}", home.path("work").display());
    assert_eq!(args, ["serve", &ship(), "--read-only", &folder]);

    // As a client with a window would: nothing but what the entry says, in another folder.
    let mut client = std::process::Command::new(command);
    client
        .args(&args)
        .env_clear()
        .env("HOME", home.path(""))
        .current_dir("/");
    for (name, value) in entry["env"].as_object().expect("an object") {
        client.env(name, value.as_str().expect("text"));
    }
    let mut session = Session::start(client.stderr(std::process::Stdio::null()));
    assert!(session.settled_names().contains(&"ship_list".to_owned()));
    assert!(session.end().success());

    let again = home.works(&["add", &ship(), "--to", "cursor", "--read-only"]);
    assert!(again.contains("just so"), "{again}");
    assert_eq!(home.read(CURSOR), text);
    let said = home.works(&["remove", "ship", "--from", "cursor"]);
    assert!(said.contains("`ship` removed from"), "{said}");
    assert_eq!(home.read(CURSOR), BEFORE);
}

#[test]
fn a_dry_run_shows_the_difference_and_changes_nothing() {
    let home = Home::new();
    home.write(CURSOR, BEFORE);
    let diff = home.works(&["add", &ship(), "--to", "cursor,codex", "--dry-run"]);
    assert!(diff.contains("+    \"ship\": {"), "{diff}");
    assert!(diff.contains("+[mcp_servers.ship]"), "{diff}");
    assert_eq!(home.read(CURSOR), BEFORE);
    assert!(!home.path(".codex").exists());
}

#[test]
fn the_entry_is_printed_in_the_clients_own_shape() {
    let home = Home::new();
    let output = home.run(&["add", &ship(), "--to", "codex", "--print"]);
    assert!(
        out(&output).starts_with("[mcp_servers.ship]"),
        "{}",
        out(&output)
    );
    assert!(err(&output).contains(".codex"), "{}", err(&output));
    // As it was called before, and in the shape that most clients share.
    for words in [
        &["add", &ship(), "--print-config"][..],
        &["serve", &ship(), "--print-config"],
    ] {
        let text = home.works(words);
        let file: Value = serde_json::from_str(&text).expect("JSON");
        assert!(file["mcpServers"]["ship"]["command"].is_string(), "{text}");
    }
    assert!(!home.path(".codex").exists());
}

#[test]
fn links_are_for_clients_that_take_them() {
    let home = Home::new();
    let links = home.works(&["add", &ship(), "--to", "cursor,vscode", "--link"]);
    let lines: Vec<&str> = links.lines().collect();
    assert!(
        lines[0].starts_with("cursor://anysphere.cursor-deeplink/mcp/install?name=ship&config="),
        "{links}"
    );
    assert!(lines[1].starts_with("vscode:mcp/install?%7B"), "{links}");
    let (problem, code) = home.fails(&["add", &ship(), "--to", "zed", "--link"]);
    assert!(problem.contains("Zed takes no links"), "{problem}");
    assert_eq!(code, Some(2));
}

#[test]
fn all_are_those_that_are_here() {
    let home = Home::new();
    home.write(CURSOR, "");
    home.write(".gemini/settings.json", "{}\n");
    let said = home.works(&["add", &ship(), "--to", "all"]);
    assert!(
        said.contains("Cursor:") && said.contains("Gemini CLI:"),
        "{said}"
    );
    assert!(!said.contains("Zed"), "{said}");
    home.works(&["remove", "ship", "--from", "all"]);
    assert_eq!(home.read(".gemini/settings.json"), "{}\n");
    let (problem, _) = home.fails(&["remove", "ship", "--from", "all"]);
    assert!(problem.contains("charmer list"), "{problem}");
}

#[test]
fn without_a_client_those_that_are_here_are_named() {
    let home = Home::new();
    home.write(CURSOR, "");
    let (problem, code) = home.fails(&["add", &ship()]);
    assert!(problem.contains("--to cursor"), "{problem}");
    assert_eq!(code, Some(2));
    let (problem, code) = home.fails(&["add", &ship(), "--to", "curser"]);
    assert!(problem.contains("did you mean `cursor`?"), "{problem}");
    assert_eq!(code, Some(2));
}

#[test]
fn servers_of_others_are_left_alone() {
    let home = Home::new();
    home.write(CURSOR, BEFORE);
    let (problem, _) = home.fails(&["add", &ship(), "--to", "cursor", "--name", "other"]);
    assert!(
        problem.contains("is not ours") && problem.contains("--name"),
        "{problem}"
    );
    let (problem, _) = home.fails(&["remove", "other", "--from", "cursor"]);
    assert!(
        problem.contains("is not ours") && !problem.contains("--name"),
        "{problem}"
    );
    assert_eq!(home.read(CURSOR), BEFORE);
}

#[test]
fn what_is_no_command_or_stands_there_twice_is_left_alone_too() {
    let servers = [
        (
            CURSOR,
            "cursor",
            r#"{"mcpServers": {"x": {"url": "https://example.org/mcp"}}}"#,
        ),
        (CURSOR, "cursor", r#"{"mcpServers": {"x": null}}"#),
        (
            ".codex/config.toml",
            "codex",
            "[mcp_servers.x]\nurl = \"https://example.org/mcp\"\n",
        ),
        (
            ".continue/config.yaml",
            "continue",
            "mcpServers:\n  - name: x\n    url: https://example.org/mcp\n",
        ),
    ];
    for (file, client, text) in servers {
        let home = Home::new();
        home.write(file, text);
        let (problem, _) = home.fails(&["add", &ship(), "--to", client, "--name", "x"]);
        assert!(problem.contains("is not ours"), "{problem}");
        let (problem, _) = home.fails(&["remove", "x", "--from", client]);
        assert!(problem.contains("is not ours"), "{problem}");
        assert_eq!(home.read(file), text);
    }
    let home = Home::new();
    let twice = r#"{"mcpServers": {"x": {"command": "uvx"}, "x": {"command": "charmer", "args": ["serve", "x"]}}}"#;
    home.write(CURSOR, twice);
    home.fails(&["remove", "x", "--from", "cursor"]);
    assert_eq!(home.read(CURSOR), twice);
}

#[test]
fn a_file_that_cannot_be_understood_stays_as_it_is_and_so_do_all_others() {
    let home = Home::new();
    home.write(CURSOR, "{}");
    home.write(".gemini/settings.json", "{\n  \"a\": }\n");
    let (problem, _) = home.fails(&["add", &ship(), "--to", "cursor,gemini"]);
    assert!(problem.contains("settings.json:2:8"), "{problem}");
    assert!(problem.contains('^'), "{problem}");
    assert_eq!(home.read(".gemini/settings.json"), "{\n  \"a\": }\n");
    assert_eq!(home.read(CURSOR), "{}");
}

#[test]
fn only_the_variables_that_were_asked_for_are_written() {
    let home = Home::new();
    let words = [
        "add",
        &ship(),
        "--to",
        "cursor",
        "--print",
        "--env",
        "SHIP_TOKEN",
        "--env",
        "A=b=c",
    ];
    let output = home
        .command(&words)
        .env("SHIP_TOKEN", "t0ken")
        .env("SHIP_OTHER", "o")
        .env("PATH", "/somewhere/of/a/shell")
        .output()
        .expect("it was built");
    let file: Value = serde_json::from_str(&out(&output)).expect("JSON");
    let variables = file["mcpServers"]["ship"]["env"]
        .as_object()
        .expect("an object");
    let names: Vec<&String> = variables.keys().collect();
    assert_eq!(names, ["PATH", "SHIP_TOKEN", "A"]);
    assert_eq!(variables["SHIP_TOKEN"], "t0ken");
    assert_eq!(variables["A"], "b=c");
    let path = variables["PATH"].as_str().expect("text");
    assert!(!path.contains("/somewhere/of/a/shell"), "{path}");
    let own = Path::new(&ship())
        .parent()
        .expect("a folder")
        .display()
        .to_string();
    assert!(path.starts_with(&own), "{path}");
    let (problem, _) = home.fails(&["add", &ship(), "--to", "cursor", "--env", "NOT_SET_AT_ALL"]);
    assert!(problem.contains("--env NOT_SET_AT_ALL=VALUE"), "{problem}");
}

#[test]
fn a_project_has_a_file_of_its_own() {
    let home = Home::new();
    home.works(&[
        "add",
        &ship(),
        "--to",
        "claude-code,vscode",
        "--scope",
        "project",
    ]);
    assert!(home.read("work/.mcp.json").contains("\"mcpServers\""));
    assert!(home.read("work/.vscode/mcp.json").contains("\"servers\""));
    assert!(!home.path(".claude.json").exists());
    let (problem, _) = home.fails(&["add", &ship(), "--to", "windsurf", "--scope", "project"]);
    assert!(problem.contains("Windsurf"), "{problem}");
    home.works(&[
        "remove",
        "ship",
        "--from",
        "claude-code,vscode",
        "--scope",
        "project",
    ]);
    assert!(!home.path("work/.mcp.json").exists());
}

#[test]
fn of_all_clients_those_with_a_file_for_a_project_get_it() {
    let home = Home::new();
    home.write(CURSOR, "");
    home.write(".codeium/windsurf/mcp_config.json", "");
    home.works(&["add", &ship(), "--to", "all", "--scope", "project"]);
    assert!(home.read("work/.cursor/mcp.json").contains("ship"));
    assert_eq!(home.read(".codeium/windsurf/mcp_config.json"), "");
}

#[test]
fn a_secret_in_a_file_of_a_project_is_told() {
    let home = Home::new();
    let said = |scope: &str| {
        let ship = ship();
        let words = [
            "add", &ship, "--to", "cursor", "--env", "KEY=x", "--scope", scope,
        ];
        err(&home.run(&words))
    };
    assert!(said("project").contains("do not commit it"));
    assert!(!said("user").contains("commit"));
}

#[test]
fn a_charmer_of_another_name_knows_its_own_entries() {
    let home = Home::new();
    let renamed = home.path(&format!(
        "charmer-0.1.0-linux{}",
        std::env::consts::EXE_SUFFIX
    ));
    put(home.command(&[]).get_program(), &renamed);
    let run = |words: &[&str]| {
        let original = home.command(words);
        let mut command = std::process::Command::new(&renamed);
        command.args(words).current_dir(home.path("work"));
        for (name, value) in original.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let output = command.output().expect("it was copied");
        assert!(output.status.success(), "{words:?} {}", err(&output));
        out(&output)
    };
    run(&["add", &ship(), "--to", "cursor"]);
    assert!(run(&["add", &ship(), "--to", "cursor"]).contains("just so"));
    assert!(run(&["list"]).contains("ship"));
    run(&["remove", "ship", "--from", "cursor"]);
    assert!(!home.path(CURSOR).exists());
}

#[test]
fn the_list_says_who_has_what_and_whether_it_would_start() {
    let home = Home::new();
    home.write(CURSOR, BEFORE);
    home.works(&["add", &ship(), "--to", "cursor"]);
    home.works(&["add", &ship(), "--to", "cursor", "--name", "gone"]);
    let text = home.read(CURSOR).replacen("ship\",", "no-such-ship\",", 1);
    home.write(CURSOR, &text);
    let list: Value = serde_json::from_str(&home.works(&["list", "--json"])).expect("JSON");
    let cursor = &list["clients"][0];
    assert_eq!(cursor["client"], "cursor");
    assert_eq!(
        cursor["files"][0]["path"],
        home.path(CURSOR).display().to_string()
    );
    let servers = cursor["servers"].as_array().expect("a list");
    // The other one is nobody's business.
    assert_eq!(servers.len(), 2, "{list:#}");
    let starts: Vec<&Value> = servers.iter().map(|server| &server["starts"]).collect();
    assert!(
        starts.contains(&&Value::Bool(true)) && starts.contains(&&Value::Bool(false)),
        "{list:#}"
    );
    let said = home.works(&["list"]);
    assert!(
        said.contains("no-such-ship` is not there any more"),
        "{said}"
    );
}

#[test]
fn a_server_that_may_write_from_now_on_is_told() {
    let home = Home::new();
    home.works(&["add", &ship(), "--to", "cursor", "--read-only"]);
    let output = home.run(&["add", &ship(), "--to", "cursor"]);
    assert!(output.status.success(), "{}", err(&output));
    assert!(
        err(&output).contains("was read-only, and is not any more"),
        "{}",
        err(&output)
    );
    let output = home.run(&["add", &ship(), "--to", "cursor", "--read-only"]);
    assert!(!err(&output).contains("any more"), "{}", err(&output));
}

#[test]
fn a_program_of_a_version_manager_finds_it_in_its_entry() {
    let home = Home::new();
    let folder = Path::new(&ship()).parent().expect("a folder").to_owned();
    let entry = |root: &Path| {
        let mut command = home.command(&["add", &ship(), "--to", "cursor", "--print"]);
        let output = command
            .env("CARGO_HOME", root)
            .env("RUSTUP_HOME", "/rustup")
            .output();
        let output = output.expect("it was built");
        let file: Value = serde_json::from_str(&out(&output)).expect("JSON");
        file["mcpServers"]["ship"]["env"].clone()
    };
    assert_eq!(entry(&folder)["RUSTUP_HOME"], "/rustup");
    // Programs of nobody's need nothing of that.
    assert_eq!(entry(Path::new("/elsewhere"))["RUSTUP_HOME"], Value::Null);
}
