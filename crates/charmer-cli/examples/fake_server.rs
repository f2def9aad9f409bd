//! An MCP server that behaves as `FAKE` says, for the tests of `charmer doctor`.
//!
//! Whatever it does ends by itself after ten minutes, so that a failed test leaves nothing for ever.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a server prints")]

use std::{
    io::{BufRead, Write},
    process::ExitCode,
    time::Duration,
};

use serde_json::{Value, json};

const FOR_EVER: Duration = Duration::from_secs(600);

fn main() -> ExitCode {
    let fake = std::env::var("FAKE").unwrap_or_default();
    if std::env::args().any(|word| word == "--version") {
        let version = match fake.as_str() {
            "old" => "0.0.1",
            _ => env!("CARGO_PKG_VERSION"),
        };
        println!("charmer {version}");
        return ExitCode::SUCCESS;
    }
    // Where it was started, and with which variables.
    if let Ok(file) = std::env::var("FAKE_NOTES") {
        let names: Vec<String> = std::env::vars().map(|(name, _)| name).collect();
        let notes = json!({
            "process": std::process::id(),
            "folder": std::env::current_dir().unwrap_or_default(),
            "path": std::env::var("PATH").unwrap_or_default(),
            "names": names,
        });
        let _ = std::fs::write(file, notes.to_string());
    }
    match fake.as_str() {
        "hang" => std::thread::sleep(FOR_EVER),
        "exit" => {
            let secret = std::env::var("SECRET").unwrap_or_default();
            let words: Vec<String> = std::env::args().collect();
            eprintln!(
                "\x1b[31mno luck\x1b[0m with {secret} and {}",
                words.join(" ")
            );
            return ExitCode::from(7);
        }
        "flood" => loop {
            if writeln!(std::io::stdout(), "spam").is_err() {
                return ExitCode::SUCCESS;
            }
        },
        "endless line" => {
            let piece = [b'x'; 1 << 16];
            while std::io::stdout().write_all(&piece).is_ok() {}
        }
        "junk" => println!(
            "Welcome! Your token is {}",
            std::env::var("SECRET").unwrap_or_default()
        ),
        _ => {}
    }
    for line in std::io::stdin().lock().lines() {
        let Ok(request) = serde_json::from_str::<Value>(&line.unwrap_or_default()) else {
            continue;
        };
        if request["id"].is_null() {
            continue;
        }
        if fake == "mute" && request["method"] == "tools/call" {
            std::thread::sleep(FOR_EVER);
        }
        let mut answer = json!({"jsonrpc": "2.0", "id": request["id"]});
        match reply(&fake, &request) {
            Ok(result) => answer["result"] = result,
            Err(message) => answer["error"] = json!({"code": -32601, "message": message}),
        }
        // A question of its own, which a client that offers nothing turns down.
        println!(
            "{}",
            json!({"jsonrpc": "2.0", "id": "own", "method": "roots/list"})
        );
        println!("{answer}");
    }
    match fake.as_str() {
        "stay" => std::thread::sleep(FOR_EVER),
        "fall" => return ExitCode::from(3),
        _ => {}
    }
    ExitCode::SUCCESS
}

/// The answer to a request, or the message of an error.
fn reply(fake: &str, request: &Value) -> Result<Value, String> {
    let method = request["method"].as_str().unwrap_or_default();
    let modern =
        request["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] == "2026-07-28";
    match (method, fake) {
        (_, "error") => Err(format!("cannot {method}")),
        (_, "legacy") if modern => Err(format!("there is no {method}")),
        (_, "modern") if !modern => Err(format!("there is no {method}")),
        ("initialize", "wordless") => Ok(json!({})),
        ("initialize", _) => Ok(json!({"protocolVersion": "2025-06-18"})),
        ("server/discover", _) => Ok(json!({"supportedVersions": ["2025-06-18", "2026-07-28"]})),
        ("tools/list", "empty") => Ok(json!({"tools": []})),
        // In two pages.
        ("tools/list", _) if request["params"]["cursor"].is_null() => {
            Ok(json!({"tools": [{"name": "search_commands"}], "nextCursor": "2"}))
        }
        ("tools/list", _) => Ok(json!({"tools": [{"name": "describe_commands"}]})),
        ("tools/call", fake) => {
            let failed = fake == "search" && request["params"]["name"] == "search_commands";
            let text = if failed {
                "the index is lost"
            } else {
                "ship_list [read] List the ships"
            };
            Ok(json!({"content": [{"type": "text", "text": text}], "isError": failed}))
        }
        _ => Err("nobody knows".into()),
    }
}
