//! What can stand around calls: a timeout, a check of the input, a filter of the output, logging and a rate limit,
//! each in a few lines.
//!
//! Try it: `cargo run -p charmer --example middleware -- mcp start`

#![expect(clippy::print_stdout, reason = "a CLI prints")]
#![expect(clippy::print_stderr, reason = "a log has to go somewhere")]

use std::{fs::OpenOptions, io::Write, process::ExitCode, time::Duration};

use charmer::layers::{Filter, Timeout};
use charmer::{Bridge, Call, CallError, CommandRule, Hints, Hooks, Selector};
use clap::{Arg, ArgAction, Command, value_parser};
use serde_json::{Value, json};

fn cli() -> Command {
    Command::new("desk")
        .about("A desk with a few things on it")
        .subcommand_required(true)
        .subcommand(
            Command::new("wait").about("Waits for the post").arg(
                Arg::new("seconds")
                    .value_parser(value_parser!(u64))
                    .default_value("60"),
            ),
        )
        .subcommand(
            Command::new("file")
                .about("Files papers away")
                .arg(Arg::new("paper").action(ArgAction::Append).required(true)),
        )
        .subcommand(Command::new("keys").about("Shows which keys are in the drawer"))
        .subcommand(Command::new("ring").about("Rings the bell"))
}

fn bridge() -> Bridge {
    // Output filtering: what matches does not reach the assistant. For real secrets there is `Bridge::redact`, which
    // also keeps them out of progress, logs and files.
    let filter = Filter::new("key-[0-9]+", "[REDACTED]").expect("the pattern is a constant");

    let bridge = Bridge::new(cli())
        .annotate("keys", Hints::reads())
        // Logging: a hook before and one after. They run around every call, and see those that fail too.
        .layer(
            Hooks::new()
                .before(|call| {
                    log(&format!(
                        "executing: {} {}",
                        call.tool.name,
                        json!(call.input)
                    ));
                })
                .after(|call, outcome| {
                    match &outcome {
                        Ok(outcome) => {
                            log(&format!(
                                "completed: {} ({:?})",
                                call.tool.name, outcome.ended
                            ));
                        }
                        Err(error) => log(&format!("failed: {} ({error})", call.tool.name)),
                    }
                    outcome
                }),
        )
        .layer(filter)
        // Timeout: the program is ended, and what it said until then is kept. `Selector::timeout` does the same; as a
        // layer it can stand anywhere, and never gives a call more time than it had.
        .selector(
            Selector::new(CommandRule::allow(["wait"])).layer(Timeout::new(Duration::from_secs(2))),
        )
        // Input validation: a refusal starts nothing.
        .selector(Selector::new(CommandRule::allow(["file"])).before(at_most_ten_papers))
        // Rate limiting: beyond it, the assistant is told when to come back. And a command that reads may be tried
        // again when it fails.
        .selector(
            Selector::new(CommandRule::allow(["ring"])).rate_limit(3, Duration::from_secs(60)),
        )
        .selector(Selector::new(CommandRule::all()).retry(2, Duration::from_millis(100)));

    // And all of it on record, one JSON line a call.
    match std::env::var_os("DESK_AUDIT") {
        Some(file) => bridge.audit(file, std::env::var_os("DESK_FAIL_CLOSED").is_some()),
        None => bridge,
    }
}

fn at_most_ten_papers(call: &mut Call) -> Result<(), CallError> {
    match call.input.get("paper").and_then(Value::as_array) {
        Some(papers) if papers.len() > 10 => {
            Err(CallError::refused("the drawer takes ten papers at a time")
                .hint("file them in two goes"))
        }
        _ => Ok(()),
    }
}

/// Standard output belongs to the protocol, so that a log goes to standard error, or to a file.
fn log(line: &str) {
    let file = std::env::var_os("DESK_LOG");
    let file = file.and_then(|path| OpenOptions::new().create(true).append(true).open(path).ok());
    match file {
        Some(mut file) => drop(writeln!(file, "[desk] {line}")),
        None => eprintln!("[desk] {line}"),
    }
}

fn main() -> ExitCode {
    match bridge().get_matches().subcommand() {
        Some(("wait", wait)) => {
            println!("waiting");
            let seconds = wait.get_one("seconds").copied().unwrap_or(60);
            std::thread::sleep(Duration::from_secs(seconds));
        }
        Some(("file", file)) => {
            let papers = file.get_many::<String>("paper").unwrap_or_default();
            println!("filed {}", papers.count());
        }
        Some(("keys", _)) => {
            println!("house key-123, car key-456");
            eprintln!("key-789 is missing");
        }
        _ => println!("ding"),
    }
    ExitCode::SUCCESS
}
