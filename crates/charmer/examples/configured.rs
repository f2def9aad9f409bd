//! Everything that the builder can say: selectors, hooks, handlers, argument specs, output schemas, environment.
//!
//! Try it: `cargo run -p charmer --example configured -- mcp tools -o -`

#![expect(clippy::print_stdout, reason = "a CLI prints")]

use std::{process::ExitCode, time::Duration};

use charmer::{
    ArgSpec, Bridge, CallError, CommandRule, FlagRule, Hints, Layout, Limits, Selector, ServerInfo,
};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::{Value, json};

fn cli() -> Command {
    let name = || Arg::new("name").required(true);
    Command::new("pantry")
        .version("2.1.0")
        .about("Keeps track of what is in the pantry")
        .arg(
            Arg::new("db")
                .long("db")
                .global(true)
                .default_value("pantry.db")
                .help("The database"),
        )
        .arg(
            Arg::new("token")
                .long("token")
                .global(true)
                .help("The key to the pantry"),
        )
        .subcommand_required(true)
        .subcommand(Command::new("list").about("Lists everything as JSON"))
        .subcommand(
            Command::new("add").about("Adds something").arg(name()).arg(
                Arg::new("grams")
                    .long("grams")
                    .value_parser(value_parser!(u32))
                    .default_value("100"),
            ),
        )
        .subcommand(
            Command::new("remove")
                .about("Removes something")
                .arg(name())
                .arg(Arg::new("force").long("force").action(ArgAction::SetTrue)),
        )
        .subcommand(
            Command::new("watch")
                .about("Waits for somebody to take something")
                .arg(
                    Arg::new("seconds")
                        .long("seconds")
                        .value_parser(value_parser!(u64))
                        .default_value("60"),
                ),
        )
        .subcommand(
            Command::new("empty").about("Empties the pantry").arg(
                Arg::new("yes")
                    .long("yes")
                    .short('y')
                    .action(ArgAction::SetTrue)
                    .help("Do not ask"),
            ),
        )
        .subcommand(Command::new("import").about("Adds what it reads, a line each"))
        .subcommand(Command::new("environment").about("Shows what the program sees"))
        .subcommand(
            Command::new("count")
                .about("Counts, without a child process")
                .arg(name()),
        )
        .subcommand(Command::new("secret").about("Not for assistants"))
}

fn bridge() -> Bridge {
    Bridge::new(cli())
        .server_info(ServerInfo::new("pantry", "2.1.0").instructions("List before you add."))
        .prefix("food")
        .layout(if std::env::var_os("PANTRY_NESTED").is_some() { Layout::Nested } else { Layout::Flat })
        // The first selector that matches decides; what none matches is left out, and so is every flag that its
        // selector leaves out.
        .selector(
            Selector::new(CommandRule::allow(["remove"]))
                .local_flags(FlagRule::exclude(["force"]))
                .inherited_flags(FlagRule::allow(["db"]))
                .before(|call| match call.input.get("name").and_then(Value::as_str) {
                    Some("salt") => Err(CallError::refused("salt stays").hint("remove something else")),
                    _ => Ok(()),
                }),
        )
        .selector(
            Selector::new(CommandRule::allow(["watch"]))
                .inherited_flags(FlagRule::none())
                .limits(Limits::default().timeout(Duration::from_secs(30)).grace(Duration::from_millis(200))),
        )
        .selector(
            Selector::new(CommandRule::exclude(["secret"])).inherited_flags(FlagRule::exclude(["token"])),
        )
        .args("add", [ArgSpec::new("item").description("What to add, in the singular").required()])
        .annotate("list", Hints::reads().open_world(false))
        .annotate("remove", Hints::destroys())
        .confirm("empty", "--yes")
        .stdin("import")
        .output_schema("list", json!({"type": "object", "properties": {"items": {"type": "array", "items": {"type": "string"}}}}))
        .validate("add", "name", |value| match value.as_str() {
            Some(text) if text.chars().all(char::is_lowercase) => Ok(()),
            _ => Err("a name in lower case".into()),
        })
        .convert("add", "grams", |value| match value {
            Value::Number(number) => Ok(json!(number.as_u64().map(|grams| grams.div_ceil(10) * 10))),
            other => Ok(other),
        })
        .handler("count", |matches: &ArgMatches| {
            let name = matches.get_one::<String>("name").map_or("", String::as_str);
            if name == "boom" {
                panic!("a handler that panics is answered for");
            }
            Ok(json!({"name": name, "letters": name.chars().count()}))
        })
        .before(|call| {
            // What the program should always see, whatever the caller says.
            if call.tool.path.words() == ["list"] {
                call.input.insert("db".into(), "shared.db".into());
            }
        })
        .on_error(|_, error| error.hint("the pantry's door is to the left"))
        .env("PANTRY_MODE", "assistant")
        .timeout(Duration::from_secs(20))
}

fn main() -> ExitCode {
    let matches = bridge().get_matches();
    let db = |matches: &ArgMatches| matches.get_one::<String>("db").cloned().unwrap_or_default();
    match matches.subcommand() {
        Some(("list", _)) => println!("{}", json!({"items": ["salt", "rice"], "db": db(&matches)})),
        Some(("add", add)) => println!(
            "added {} g of {}",
            add.get_one::<u32>("grams").copied().unwrap_or_default(),
            add.get_one::<String>("name").map_or("", String::as_str),
        ),
        Some(("remove", remove)) => {
            println!(
                "removed {}",
                remove.get_one::<String>("name").map_or("", String::as_str)
            );
            return ExitCode::from(3);
        }
        Some(("empty", empty)) if !empty.get_flag("yes") => {
            print!("Empty the pantry? [y/N] ");
            return ExitCode::FAILURE;
        }
        Some(("empty", _)) => println!("emptied"),
        Some(("import", _)) => {
            for line in std::io::stdin().lines().map_while(Result::ok) {
                println!("imported {line}");
            }
        }
        Some(("watch", watch)) => {
            println!("watching as process {}", std::process::id());
            std::thread::sleep(Duration::from_secs(
                watch.get_one::<u64>("seconds").copied().unwrap_or(60),
            ));
        }
        Some(("environment", _)) => {
            let seen = ["MCP_MODE", "PANTRY_MODE", "LD_AUDIT_TEST", "HOME"]
                .map(|name| (name, std::env::var(name).ok()));
            let marked = std::env::var("CHARMER_TOOL").is_ok();
            println!(
                "{}",
                json!({"env": seen.into_iter().collect::<std::collections::BTreeMap<_, _>>(), "marked": marked})
            );
        }
        _ => println!("nothing"),
    }
    ExitCode::SUCCESS
}
