//! An invented clap program that is hard to read from outside, and that knows its own truth.
//!
//! With `CLAP_FIXTURE_TRUTH=1` it prints the tree that clap itself has, in the form of
//! `charmer_fidelity::Truth`. Otherwise it prints what clap parsed as one JSON object: the command, and every
//! argument that was given, with its values as they were typed; a switch is `true`, a count is a number.
//!
//! Try it: `cargo run -p charmer-fidelity --example clap_fixture -- fire spring -t 900 --tag a,b`

#![expect(clippy::print_stdout, reason = "an example's output is its purpose")]

mod cli;
mod truth;

use clap::{ArgAction, ArgMatches, parser::ValueSource};
use serde_json::{Map, Value, json};

fn main() {
    if std::env::var_os("CLAP_FIXTURE_TRUTH").is_some_and(|wanted| wanted == "1") {
        println!("{:#}", truth::of(cli::cli()));
        return;
    }
    let mut command = cli::cli();
    let matches = command.get_matches_mut();
    let (mut matches, mut command, mut path) = (&matches, &command, Vec::new());
    let mut given = Map::new();
    loop {
        collect(command, matches, &mut given);
        let Some((name, below)) = matches.subcommand() else {
            break;
        };
        path.push(name);
        let Some(child) = command.find_subcommand(name) else {
            // An external subcommand: whatever follows its name, unread.
            let rest = below.get_many::<std::ffi::OsString>("").unwrap_or_default();
            given.insert(
                "external".into(),
                rest.map(|word| word.to_string_lossy()).collect(),
            );
            break;
        };
        (matches, command) = (below, child);
    }
    println!("{}", json!({"command": path.join(" "), "arguments": given}));
}

/// Adds what the command line gave to a command.
fn collect(command: &clap::Command, matches: &ArgMatches, given: &mut Map<String, Value>) {
    for arg in command.get_arguments() {
        let id = arg.get_id().as_str();
        if matches.value_source(id) != Some(ValueSource::CommandLine) {
            continue;
        }
        let value = match arg.get_action() {
            ArgAction::SetTrue | ArgAction::SetFalse => json!(true),
            ArgAction::Count => json!(matches.get_count(id)),
            _ => matches
                .get_raw(id)
                .unwrap_or_default()
                .map(|value| value.to_string_lossy())
                .collect(),
        };
        given.insert(id.to_owned(), value);
    }
}
