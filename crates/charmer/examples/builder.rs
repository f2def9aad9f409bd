//! A builder-based CLI in a plain `main`, with three added lines, marked below.
//!
//! Try it: `cargo run -p charmer --example builder -- mcp tools -o -`

#![expect(clippy::print_stdout, reason = "a CLI prints")]

use std::process::ExitCode;

use clap::{Arg, ArgAction, Command, value_parser};

fn cli() -> Command {
    Command::new("greet")
        .version("1.0.0")
        .about("Greets people")
        .arg(Arg::new("name").required(true).help("Whom to greet"))
        .arg(
            Arg::new("times")
                .long("times")
                .value_parser(value_parser!(u8).range(1..=10))
                .default_value("1"),
        )
        .arg(
            Arg::new("loud")
                .short('l')
                .long("loud")
                .action(ArgAction::SetTrue)
                .help("Shout"),
        )
        .subcommand_negates_reqs(true)
}

fn main() -> ExitCode {
    let matches = cli().subcommand(charmer::command()).get_matches(); // 1
    if let Some(done) = charmer::run(&matches, &cli()) {
        // 2
        return done; // 3
    }
    let name = matches
        .get_one::<String>("name")
        .map_or("nobody", String::as_str);
    for _ in 0..*matches.get_one::<u8>("times").unwrap_or(&1) {
        println!(
            "{}",
            if matches.get_flag("loud") {
                format!("HELLO {name}!")
            } else {
                format!("Hello {name}")
            }
        );
    }
    ExitCode::SUCCESS
}
