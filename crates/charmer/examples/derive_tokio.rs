//! A derive-based CLI under `#[tokio::main]`: again one changed line.
//!
//! Try it: `cargo run -p charmer --example derive_tokio -- mcp tools -o -`

#![expect(clippy::print_stdout, reason = "a CLI prints")]

use std::time::Duration;

use clap::{Parser, Subcommand};

/// A kitchen timer
#[derive(Parser)]
#[command(name = "timer", version = "1.0.0")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Wait, then ring
    Wait {
        /// For how many milliseconds
        #[arg(long, default_value_t = 10)]
        millis: u64,
    },
}

#[tokio::main]
async fn main() {
    let Cli {
        command: Command::Wait { millis },
    } = charmer::parse();
    tokio::time::sleep(Duration::from_millis(millis)).await;
    println!("ring after {millis} ms");
}
