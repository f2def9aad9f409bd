#![doc = include_str!("../docs/library.md")]

mod assemble;
mod audit;
mod bridge;
mod clap_check;
#[cfg(feature = "clients")]
mod clients;
mod commands;
mod document;
mod log;
mod mcp;
mod selector;
mod serve;
mod source;
#[cfg(feature = "schemars")]
mod typed;

pub use assemble::Assembled;
pub use bridge::{Bridge, UnknownTool, WrongNames};
#[cfg(feature = "search")]
pub use charmer_core::expose::{Expose, Visibility};
#[cfg(feature = "schema")]
pub use charmer_core::schema::{Converter, Dialect, Mismatch, Note, OutputSchema};
pub use charmer_core::{
    model::{ArgSpec, CommandPath, Effect, Hints},
    select::{Candidate, CommandRule, FlagRule},
    tool::{Catalogue, Descriptions, Layout, Tool, Warning},
};
#[cfg(feature = "search")]
pub use charmer_run::Exposure;
#[cfg(feature = "data")]
pub use charmer_run::layers::StructureMode;
pub use charmer_run::{
    Answer, Answers, BadPattern, Call, CallError, CallResult, CallService, Caller, Client, Ended,
    ErrorCode, HookAnswer, Hooks, Limits, Outcome, Question, Redactor, Reply, Results, SpoolLimits,
    layers, process::ConcurrencyGroup,
};
pub use charmer_server::ServerInfo;
#[cfg(feature = "http")]
pub use charmer_server::{Caps, HttpOptions};
pub use log::Level;
pub use selector::Selector;
#[cfg(feature = "schemars")]
pub use {schemars, typed::output_schema};

use std::process::ExitCode;

/// The subcommand `mcp`, to be added to a CLI whose matches are then given to [`run`].
pub fn command() -> clap::Command {
    commands::command(commands::NAME)
}

/// Does what the subcommand of [`command`] asks for, if it was given; `None` means that the CLI goes on as usual.
///
/// ```no_run
/// use std::process::ExitCode;
/// use clap::{CommandFactory, FromArgMatches, Parser};
///
/// #[derive(Parser)]
/// struct Cli { name: Option<String> }
///
/// fn main() -> ExitCode {
///     let matches = Cli::command().subcommand(charmer::command()).get_matches();
///     if let Some(done) = charmer::run(&matches, &Cli::command()) { return done; }
///     let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
///     # let _ = cli.name;
///     ExitCode::SUCCESS
/// }
/// ```
pub fn run(matches: &clap::ArgMatches, command: &clap::Command) -> Option<ExitCode> {
    Bridge::new(command.clone()).run(matches)
}

/// Parses the command line like `clap::Parser::parse`, with the subcommand `mcp` added: the one line that a
/// derive-based CLI changes.
///
/// ```no_run
/// #[derive(clap::Parser)]
/// struct Cli { name: Option<String> }
///
/// fn main() {
///     let cli: Cli = charmer::parse();
///     # let _ = cli.name;
/// }
/// ```
pub fn parse<P: clap::Parser>() -> P {
    Bridge::new(P::command()).parse()
}

/// Parses the command line like `clap::Command::get_matches`, with the subcommand `mcp` added: the one line that a
/// builder-based CLI changes.
pub fn get_matches(command: clap::Command) -> clap::ArgMatches {
    Bridge::new(command).get_matches()
}
