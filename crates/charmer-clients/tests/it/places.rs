//! Where clients keep their files, on machines of every kind.

use std::{fs, path::Path};

use charmer_clients::{KnownClient, Machine, Platform, Scope};

use crate::support::entry;

fn client(id: &str) -> &'static KnownClient {
    KnownClient::find(id).expect("it is in the table")
}

/// The user's file as a path below the home folder.
fn user_file(id: &str, machine: &Machine) -> String {
    let path = client(id)
        .file(Scope::User, machine, Path::new("project"))
        .expect("every client has a file of the person's");
    let path = path.strip_prefix(&machine.home).unwrap_or(&path);
    path.to_string_lossy().replace('\\', "/")
}

#[test]
fn files_are_where_each_platform_keeps_them() {
    let home = tempfile::tempdir().expect("there is room");
    let mut text = String::new();
    for client in KnownClient::all() {
        let [linux, macos, windows] = Platform::ALL
            .map(|platform| user_file(client.id(), &Machine::new(platform, home.path())));
        let project = client.file(
            Scope::Project,
            &Machine::new(Platform::Linux, home.path()),
            Path::new("p"),
        );
        let project = project.map_or("-".to_owned(), |path| {
            path.to_string_lossy().replace('\\', "/")
        });
        text += client.id();
        let mut seen: Vec<String> = Vec::new();
        for path in [linux, macos, windows] {
            if !seen.contains(&path) {
                text += &format!(" | {path}");
                seen.push(path);
            }
        }
        text += &format!(" | {project}\n");
    }
    let expected = "\
claude-code | .claude.json | p/.mcp.json
claude-desktop | .config/Claude/claude_desktop_config.json | Library/Application Support/Claude/claude_desktop_config.json | AppData/Roaming/Claude/claude_desktop_config.json | -
cursor | .cursor/mcp.json | p/.cursor/mcp.json
vscode | .config/Code/User/mcp.json | Library/Application Support/Code/User/mcp.json | AppData/Roaming/Code/User/mcp.json | p/.vscode/mcp.json
windsurf | .codeium/windsurf/mcp_config.json | -
zed | .config/zed/settings.json | AppData/Roaming/Zed/settings.json | p/.zed/settings.json
codex | .codex/config.toml | p/.codex/config.toml
gemini | .gemini/settings.json | p/.gemini/settings.json
copilot | .copilot/mcp-config.json | p/.mcp.json
goose | .config/goose/config.yaml | AppData/Roaming/Block/goose/config/config.yaml | -
opencode | .config/opencode/opencode.json | p/opencode.json
kiro | .kiro/settings/mcp.json | p/.kiro/settings/mcp.json
lmstudio | .lmstudio/mcp.json | -
cline | .cline/data/settings/cline_mcp_settings.json | -
roo | .config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json | Library/Application Support/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json | AppData/Roaming/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json | p/.roo/mcp.json
kilo | .config/kilo/kilo.jsonc | p/kilo.jsonc
continue | .continue/config.yaml | -
amp | .config/amp/settings.json | p/.amp/settings.json
qwen | .qwen/settings.json | p/.qwen/settings.json
junie | .junie/mcp/mcp.json | p/.junie/mcp/mcp.json
crush | .config/crush/crush.json | p/crush.json
warp | .warp/.mcp.json | p/.warp/.mcp.json
";
    assert_eq!(text, expected);
}

#[test]
fn variables_move_files() {
    let home = tempfile::tempdir().expect("there is room");
    let machine = Machine::new(Platform::Linux, home.path())
        .variable(
            "XDG_CONFIG_HOME",
            home.path().join("settings").to_string_lossy(),
        )
        .variable(
            "CLAUDE_CONFIG_DIR",
            home.path().join("claude").to_string_lossy(),
        )
        .variable("CODEX_HOME", "")
        .variable(
            "CLINE_MCP_SETTINGS_PATH",
            home.path().join("cline.json").to_string_lossy(),
        );
    // What is there without the variable does not count.
    fs::write(home.path().join(".claude.json"), "{}").expect("it is written");
    assert_eq!(user_file("goose", &machine), "settings/goose/config.yaml");
    assert_eq!(user_file("claude-code", &machine), "claude/.claude.json");
    assert_eq!(user_file("codex", &machine), ".codex/config.toml");
    assert_eq!(user_file("cline", &machine), "cline.json");
    let relative = Machine::new(Platform::Linux, home.path()).variable("XDG_CONFIG_HOME", "here");
    assert_eq!(user_file("goose", &relative), ".config/goose/config.yaml");
}

#[test]
fn the_file_that_exists_is_used() {
    let home = tempfile::tempdir().expect("there is room");
    let machine = Machine::new(Platform::Linux, home.path());
    let make = |path: &str| {
        let path = home.path().join(path);
        fs::create_dir_all(path.parent().expect("it has one")).expect("it is made");
        fs::write(path, "").expect("it is written");
    };
    make(".config/opencode/opencode.jsonc");
    assert_eq!(
        user_file("opencode", &machine),
        ".config/opencode/opencode.jsonc"
    );
    make(".cache/lm-studio/mcp.json");
    assert_eq!(user_file("lmstudio", &machine), ".cache/lm-studio/mcp.json");
    // The folder of the extension is there, its file is not.
    let extension = ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings";
    fs::create_dir_all(home.path().join(extension)).expect("it is made");
    assert_eq!(
        user_file("cline", &machine),
        format!("{extension}/cline_mcp_settings.json")
    );
    make(".cline/data/settings/cline_mcp_settings.json");
    assert_eq!(
        user_file("cline", &machine),
        ".cline/data/settings/cline_mcp_settings.json"
    );

    let windows = Machine::new(Platform::Windows, home.path());
    let store = "AppData/Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude/claude_desktop_config.json";
    make("AppData/Local/Packages/Another_1/LocalCache/Roaming/Claude/claude_desktop_config.json");
    assert_eq!(
        user_file("claude-desktop", &windows),
        "AppData/Roaming/Claude/claude_desktop_config.json"
    );
    make(store);
    assert_eq!(user_file("claude-desktop", &windows), store);

    make("project/.github/mcp.json");
    let project = home.path().join("project");
    let copilot = client("copilot").file(Scope::Project, &machine, &project);
    assert_eq!(
        copilot.expect("it has one"),
        project.join(".github/mcp.json")
    );
}

#[test]
fn clients_are_found_by_file_folder_or_command() {
    let home = tempfile::tempdir().expect("there is room");
    let machine = Machine::new(Platform::Linux, home.path()).path([home.path().join("bin")]);
    let here = || {
        let clients = KnownClient::all()
            .iter()
            .filter(|client| client.is_here(&machine));
        clients.map(KnownClient::id).collect::<Vec<_>>()
    };
    assert!(here().is_empty(), "{:?}", here());
    fs::write(home.path().join(".claude.json"), "{}").expect("it is written");
    fs::create_dir(home.path().join(".cursor")).expect("it is made");
    fs::create_dir(home.path().join("bin")).expect("it is made");
    fs::write(home.path().join("bin/codex"), "").expect("it is written");
    fs::create_dir(home.path().join("bin/amp")).expect("it is made");
    assert_eq!(here(), ["claude-code", "cursor", "codex"]);
    let mut windows = machine.clone();
    windows.platform = Platform::Windows;
    fs::write(home.path().join("bin/gemini.cmd"), "").expect("it is written");
    assert!(client("gemini").is_here(&windows) && !client("gemini").is_here(&machine));
}

#[test]
fn a_client_without_project_files_says_so() {
    let machine = Machine::new(Platform::Linux, "/home/me");
    let error = client("windsurf")
        .file(Scope::Project, &machine, Path::new("."))
        .expect_err("it has none");
    assert!(
        error.to_string().contains("Windsurf") && error.to_string().contains("`user`"),
        "{error}"
    );
    let unknown = KnownClient::find("claud-code").expect_err("there is none");
    assert_eq!(unknown.nearest, Some("claude-code"));
    assert!(
        unknown.to_string().contains("did you mean `claude-code`?"),
        "{unknown}"
    );
    assert!(
        KnownClient::find("emacs")
            .expect_err("there is none")
            .to_string()
            .contains("windsurf")
    );
}

#[test]
fn the_table_says_all_that_documents_need() {
    for client in KnownClient::all() {
        assert!(client.next_step().ends_with('.'), "{}", client.id());
        assert!(
            client.note().is_empty() || client.note().ends_with('.'),
            "{}",
            client.id()
        );
        let locations = client.locations();
        for platform in Platform::ALL {
            let on = locations
                .iter()
                .filter(|location| location.platform == Some(platform));
            assert!(on.count() >= 1, "{} on {}", client.id(), platform.title());
        }
        assert_eq!(
            client.has_scope(Scope::Project),
            locations
                .iter()
                .any(|location| location.scope == Scope::Project)
        );
        for location in locations {
            // A variable of ours that was misspelt would never be passed in.
            for variable in location.path.split(['/', '\\', '%', '$']).filter(|part| {
                part.len() > 3
                    && part
                        .chars()
                        .all(|letter| letter.is_ascii_uppercase() || letter == '_')
            }) {
                assert!(
                    variable == "USERPROFILE" || Machine::VARIABLES.contains(&variable),
                    "{variable}"
                );
            }
        }
    }
    let windows = client("vscode").locations();
    assert!(
        windows
            .iter()
            .any(|location| location.path == r"%APPDATA%\Code\User\mcp.json")
    );
}

#[test]
fn links_carry_the_entry() {
    use base64::Engine;

    let link = client("cursor").link(&entry()).expect("it has links");
    let config = link
        .strip_prefix("cursor://anysphere.cursor-deeplink/mcp/install?name=git&config=")
        .expect("it is a link of Cursor's");
    let config = percent_encoding::percent_decode_str(config)
        .decode_utf8()
        .expect("it is text");
    let json = base64::engine::general_purpose::STANDARD
        .decode(&*config)
        .expect("it is base64");
    let json: serde_json::Value = serde_json::from_slice(&json).expect("it is JSON");
    assert_eq!(json["command"], "/opt/my tools/charmer");
    assert_eq!(json["env"]["TOKEN"], "a'b\"c\nd");

    let link = client("vscode").link(&entry()).expect("it has links");
    let json = link
        .strip_prefix("vscode:mcp/install?")
        .expect("it is a link of VS Code's");
    let json = percent_encoding::percent_decode_str(json)
        .decode_utf8()
        .expect("it is text");
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(json["name"], "git");
    assert_eq!(json["args"][1], "git");
    assert_eq!(client("zed").link(&entry()), None);
}

#[test]
fn values_of_variables_are_not_shown_by_debug() {
    let shown = format!("{:?}", entry());
    assert!(shown.contains("TOKEN") && !shown.contains("a'b"), "{shown}");
}
