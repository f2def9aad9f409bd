//! A file that people have, for every client: an entry goes in and out, and nothing else changes.

use charmer_clients::{KnownClient, ServerEntry};

use crate::support::{entry, file, promises};

/// Every client with its file, and the servers in it that are started over standard input and output.
const FIXTURES: &[(&str, &str, &[&str])] = &[
    (
        "claude-code",
        include_str!("../fixtures/claude-code.json"),
        &["postgres"],
    ),
    (
        "claude-desktop",
        include_str!("../fixtures/claude-desktop.json"),
        &["files", "weather"],
    ),
    (
        "cursor",
        include_str!("../fixtures/cursor.json"),
        &["browser"],
    ),
    (
        "vscode",
        include_str!("../fixtures/vscode.json"),
        &["tracker"],
    ),
    (
        "windsurf",
        include_str!("../fixtures/windsurf.json"),
        &["repository"],
    ),
    (
        "zed",
        include_str!("../fixtures/zed.json"),
        &["notes", "older"],
    ),
    (
        "codex",
        include_str!("../fixtures/codex.toml"),
        &["issue tracker"],
    ),
    (
        "gemini",
        include_str!("../fixtures/gemini.json"),
        &["calendar"],
    ),
    (
        "copilot",
        include_str!("../fixtures/copilot.json"),
        &["browser"],
    ),
    (
        "goose",
        include_str!("../fixtures/goose.yaml"),
        &["recipes"],
    ),
    (
        "opencode",
        include_str!("../fixtures/opencode.json"),
        &["everything"],
    ),
    (
        "kiro",
        include_str!("../fixtures/kiro.json"),
        &["cloud-docs"],
    ),
    (
        "lmstudio",
        include_str!("../fixtures/lmstudio.json"),
        &["python"],
    ),
    (
        "cline",
        include_str!("../fixtures/cline.json"),
        &["memory", "paused"],
    ),
    ("roo", include_str!("../fixtures/roo.json"), &["thinking"]),
    ("kilo", include_str!("../fixtures/kilo.jsonc"), &["browser"]),
    (
        "continue",
        include_str!("../fixtures/continue.yaml"),
        &["SQLite"],
    ),
    ("amp", include_str!("../fixtures/amp.json"), &["browser"]),
    (
        "qwen",
        include_str!("../fixtures/qwen.json"),
        &["formatter"],
    ),
    (
        "junie",
        include_str!("../fixtures/junie.json"),
        &["database"],
    ),
    (
        "crush",
        include_str!("../fixtures/crush.json"),
        &["filesystem"],
    ),
    ("warp", include_str!("../fixtures/warp.json"), &["errors"]),
];

#[test]
fn every_client_has_a_fixture() {
    let fixtures: Vec<_> = FIXTURES.iter().map(|(id, ..)| *id).collect();
    let clients: Vec<_> = KnownClient::all().iter().map(KnownClient::id).collect();
    assert_eq!(fixtures, clients);
}

#[test]
fn servers_of_others_are_read() {
    for (client, text, names) in FIXTURES {
        let entries = file(client, Some(text.as_bytes())).expect(client).entries();
        let found: Vec<_> = entries.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(found, *names, "{client}");
        for entry in entries {
            assert!(!entry.command.is_empty(), "{client} {entry:?}");
        }
    }
    let zed = file("zed", Some(include_bytes!("../fixtures/zed.json"))).expect("it can be read");
    assert_eq!(
        zed.entry("older"),
        Some(ServerEntry::new("older", "older-server").args(["--fast"]))
    );
    let codex =
        file("codex", Some(include_bytes!("../fixtures/codex.toml"))).expect("it can be read");
    assert_eq!(
        codex.entry("issue tracker"),
        Some(
            ServerEntry::new("issue tracker", "npx")
                .args(["-y", "tracker-server"])
                .env("TRACKER_KEY", "not-a-real-key")
        )
    );
}

#[test]
fn an_entry_goes_into_every_file_and_out_again() {
    for (client, text, _) in FIXTURES {
        let text = text.replace("\r\n", "\n");
        let unfinished = text.trim_end_matches('\n').to_owned();
        let variants = [
            text.replace('\n', "\r\n"),
            format!("\u{feff}{text}"),
            unfinished.replace('\n', "\r\n"),
            unfinished,
            text,
        ];
        for variant in variants {
            promises(client, Some(variant.as_bytes()), &entry());
            let plain = ServerEntry::new("plain", "x");
            promises(client, Some(variant.as_bytes()), &plain);
        }
    }
}

#[test]
fn an_entry_goes_into_the_place_of_one_that_starts_something_else() {
    for (client, text, names) in FIXTURES {
        for name in *names {
            let mut other = entry();
            other.name = (*name).to_owned();
            let after = promises(client, Some(text.as_bytes()), &other);
            assert!(after.contains("/opt/my tools/charmer"), "{client}: {after}");
            // What stands before and after the entry is as it was.
            let same = after
                .bytes()
                .zip(text.bytes())
                .take_while(|(a, b)| a == b)
                .count();
            let rest = after.bytes().rev().zip(text.bytes().rev());
            let same_end = rest.take_while(|(a, b)| a == b).count();
            let at = text.find(&format!("{name}\"")).or_else(|| text.find(*name));
            assert!(same >= at.unwrap_or(0), "{client} {name}: {after}");
            assert!(same_end > 1, "{client} {name}: {after}");
        }
    }
}

#[test]
fn a_file_in_a_clients_own_shape_is_what_it_reads() {
    for client in KnownClient::all() {
        for scope in [
            charmer_clients::Scope::User,
            charmer_clients::Scope::Project,
        ] {
            let text = client.entry_text(scope, &entry());
            let file = charmer_clients::ClientFile::from_bytes(
                client,
                scope,
                "config",
                Some(text.clone().into_bytes()),
            )
            .expect("what is written can be read");
            assert_eq!(file.entries(), [entry()], "{} {text}", client.id());
            let removed = file.remove("git").expect("it can be removed");
            assert_eq!(removed.after(), None, "{} {text}", client.id());
        }
    }
}

#[test]
fn an_entry_looks_as_its_neighbours_do() {
    let git = ServerEntry::new("git", "charmer").args(["serve", "git"]);
    let after = promises(
        "vscode",
        Some(include_bytes!("../fixtures/vscode.json")),
        &git,
    );
    let expected = r#"
			"url": "https://search.example/mcp/",
		}, // slow on Mondays
		"git": {
			"type": "stdio",
			"command": "charmer",
			"args": ["serve", "git"]
		},
	},
}
"#;
    assert!(after.ends_with(expected), "{after}");

    let after = promises("kilo", Some(include_bytes!("../fixtures/kilo.jsonc")), &git);
    let expected = r#"
      "timeout": 10000
    }, // used by the tests
    "git": {
      "type": "local",
      "command": ["charmer", "serve", "git"],
      "enabled": true
    }
  }
}
"#;
    assert!(after.ends_with(expected), "{after}");

    let after = promises(
        "goose",
        Some(include_bytes!("../fixtures/goose.yaml")),
        &git,
    );
    let expected = "    timeout: 300
    type: stdio
  git:
    name: git
    type: stdio
    cmd: charmer
    args:
      - serve
      - git
    enabled: true
    timeout: 300
GOOSE_TELEMETRY_ENABLED: false
";
    assert!(after.ends_with(expected), "{after}");

    let after = promises(
        "continue",
        Some(include_bytes!("../fixtures/continue.yaml")),
        &git,
    );
    let expected = "
      SQLITE_MODE: \"ro\"
  - name: git
    type: stdio
    command: charmer
    args:
      - serve
      - git
context:
";
    assert!(after.contains(expected), "{after}");

    let after = promises(
        "codex",
        Some(include_bytes!("../fixtures/codex.toml")),
        &git,
    );
    let expected = "
[tui]
notifications = true

[mcp_servers.git]
command = \"charmer\"
args = [\"serve\", \"git\"]
";
    assert!(after.ends_with(expected), "{after}");
}
