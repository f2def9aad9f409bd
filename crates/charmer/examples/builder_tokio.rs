//! A builder-based CLI under `#[tokio::main]`: again three added lines, marked below.
//!
//! Try it: `cargo run -p charmer --example builder_tokio -- mcp tools -o -`

#![expect(clippy::print_stdout, reason = "a CLI prints")]

use std::process::ExitCode;

use clap::{Arg, Command, value_parser};

fn cli() -> Command {
    Command::new("adder")
        .version("1.0.0")
        .subcommand_required(true)
        .subcommand(
            Command::new("add").about("Adds numbers").arg(
                Arg::new("numbers")
                    .num_args(1..)
                    .required(true)
                    .allow_negative_numbers(true)
                    .value_parser(value_parser!(i64)),
            ),
        )
}

#[tokio::main]
async fn main() -> ExitCode {
    let matches = cli().subcommand(charmer::command()).get_matches(); // 1
    if let Some(done) = charmer::run(&matches, &cli()) {
        // 2
        return done; // 3
    }
    let numbers = matches
        .subcommand_matches("add")
        .and_then(|add| add.get_many::<i64>("numbers"));
    println!("{}", numbers.into_iter().flatten().sum::<i64>());
    ExitCode::SUCCESS
}
