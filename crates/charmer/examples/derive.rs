//! A derive-based CLI in a plain `main`: `Cli::parse()` became `charmer::parse()`, and nothing else changed.
//!
//! Try it: `cargo run -p charmer --example derive -- mcp tools -o -`

#![expect(clippy::print_stdout, reason = "a CLI prints")]

use clap::{Parser, Subcommand};

/// A to-do list
#[derive(Parser)]
#[command(name = "todo", version = "1.0.0")]
struct Cli {
    /// Print more
    #[arg(short, long, global = true)]
    verbose: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Add an item
    #[command(after_help = "Examples:\n  # Add something urgent\n  $ todo add <text> --priority 9")]
    Add {
        /// What is to be done
        text: String,
        /// How urgent it is
        #[arg(long, default_value_t = 3)]
        priority: u8,
    },
    /// List the items
    List,
}

fn main() {
    let cli: Cli = charmer::parse();
    match cli.command {
        Command::Add { text, priority } => println!("added {text:?} with priority {priority}"),
        Command::List if cli.verbose => println!("nothing to do, really"),
        Command::List => println!("nothing to do"),
    }
}
