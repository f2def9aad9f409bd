//! A step that asks the person behind the assistant before anything is changed.
//!
//! Try it: `cargo run -p charmer --example asking -- mcp start`

#![expect(clippy::print_stdout, reason = "a CLI prints")]

use std::{fs, process::ExitCode};

use charmer::layers::Ask;
use charmer::{Bridge, Hints, Question};
use clap::{Arg, Command};

fn cli() -> Command {
    let file = || Arg::new("file").required(true);
    Command::new("archive")
        .about("Papers in files")
        .subcommand_required(true)
        .subcommand(Command::new("show").about("Shows a paper").arg(file()))
        .subcommand(Command::new("burn").about("Burns a paper").arg(file()))
}

/// Asks about every call that does not only read. What is asked about is in the key, so that an answer on one paper is
/// none on another.
fn ask() -> Ask {
    Ask::when(|call| {
        let asked = serde_json::Value::Object(call.input.clone());
        let question = || {
            let key = format!("{} {asked}", call.tool.name);
            Question::new(
                key,
                format!("{}: really do this with {asked}?", call.tool.name),
            )
        };
        (!call.tool.annotations.read_only).then(question)
    })
}

fn main() -> ExitCode {
    let bridge = Bridge::new(cli())
        .annotate("show", Hints::reads())
        .layer(ask());
    let matches = bridge.get_matches();
    let Some((command, given)) = matches.subcommand() else {
        return ExitCode::FAILURE;
    };
    let file = given.get_one::<String>("file").expect("it is required");
    let done = match command {
        "burn" => fs::remove_file(file).map(|()| "burnt".to_owned()),
        _ => fs::read_to_string(file),
    };
    match done {
        Ok(said) => {
            println!("{said}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}
