//! The `clap::Command`s that there are: the host's with the subcommand `mcp`, copies of it, and the parser of the subcommand.
//!
//! They are made, copied and parsed with here alone, and others look at them: the code that drops one comes along with each
//! module that may have to, and is large.

use std::{ffi::OsString, path::PathBuf, sync::Arc};

use charmer_core::model::DOCUMENT_COMMAND;
use clap::{Arg, ArgAction, ArgMatches, Command, builder::PossibleValuesParser, value_parser};

/// The subcommand's name unless it is renamed.
pub(crate) const NAME: &str = "mcp";
/// The hidden subcommand that a server starts to end its children should it be killed.
pub(crate) const GUARDIAN: &str = "guardian";
const TOOLS_FILE: &str = "mcp-tools.json";
/// The subcommand's purpose; it also marks it in a CLI that was handed over with it already added, and for whoever
/// reads the CLI from outside.
const ABOUT: &str = charmer_core::tool::BRIDGE_ABOUT;

const COMMANDS: &str = "\
Commands:
  start   Serve on standard input and output (this is what a client's configuration runs)
  tools   Write the tool definitions to mcp-tools.json, or to another file with -o FILE (- for stdout)";

#[cfg(feature = "clients")]
const MORE: (&str, &str) = (crate::clients::COMMANDS, "|add|remove|list");
#[cfg(not(feature = "clients"))]
const MORE: (&str, &str) = ("", "");

/// The subcommand as the host CLI sees it.
pub(crate) fn command(name: &str) -> Command {
    let (commands, names) = MORE;
    Command::new(name.to_owned())
        .about(ABOUT)
        .after_help(format!("{COMMANDS}{commands}"))
        .override_usage(format!("{name} <start|tools{names}> [OPTIONS]"))
        // The same command, because a host that adds it by hand adds one.
        .alias(DOCUMENT_COMMAND)
        .allow_external_subcommands(true)
        .disable_help_subcommand(true)
}

/// The host CLI with our subcommand, unless it was handed over with it already.
pub(crate) fn mounted(host: &Command, name: &str) -> Command {
    let mut host = host.clone();
    if host.find_subcommand(name).is_some_and(is_ours) {
        return host;
    }
    if !host.has_subcommands() {
        // Otherwise what the CLI requires of itself would be required of `mcp start` too.
        host = host.subcommand_negates_reqs(true);
    }
    host.subcommand(command(name))
}

fn is_ours(command: &Command) -> bool {
    command
        .get_about()
        .is_some_and(|about| about.to_string() == ABOUT)
}

/// Parses what stands behind the subcommand, in a second step.
pub(crate) fn parse_own(
    program: &str,
    name: &str,
    words: Vec<OsString>,
) -> Result<ArgMatches, clap::Error> {
    let given = std::iter::once(OsString::from(name)).chain(words);
    inner(program, name).try_get_matches_from_mut(given)
}

/// The second step's parser.
fn inner(program: &str, name: &str) -> Command {
    let output = Arg::new("output")
        .short('o')
        .long("output")
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .default_value(TOOLS_FILE)
        .help("Where to write; - for standard output");
    // Without search there is one way to show commands; what a client's file says stays understood.
    let expose = Arg::new("expose")
        .long("expose")
        .value_name("MODE")
        .value_parser(PossibleValuesParser::new(match cfg!(feature = "search") {
            true => ["all", "index", "auto"].as_slice(),
            false => &["all"],
        }))
        .hide(!cfg!(feature = "search"))
        .help("Which commands are tools: all, none but a few that find and run any (index), or as many as a budget buys (auto)");
    let results = Arg::new("results")
        .long("results")
        .value_name("FORM")
        .value_parser(["auto", "structured", "text"])
        .help("What clients get of results: always structured, text alone, or whichever says more (auto)");
    let prompts = Arg::new("prompts")
        .long("prompts")
        .action(ArgAction::SetTrue)
        .hide(!cfg!(feature = "prompts"))
        .help("Offer the examples in help as prompts");
    let command = Command::new(name.to_owned());
    #[cfg(feature = "clients")]
    let command = {
        let passed_on = [expose.clone(), results.clone(), prompts.clone()];
        command.subcommands(crate::clients::subcommands(program, name, passed_on))
    };
    command
        .bin_name(format!("{program} {name}"))
        .about(ABOUT)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(Command::new(GUARDIAN).hide(true).arg(Arg::new("mark").required(true))
                .arg(Arg::new("spool").value_parser(value_parser!(PathBuf))))
        .subcommand(Command::new("start").about("Serve on standard input and output").args([expose.clone(), results.clone(), prompts]).args(http_options()).after_help(format!(
            "Example entry for a client's configuration:\n  {{\"command\": \"{program}\", \"args\": [\"{name}\", \"start\"]}}"
        )))
        .subcommand(Command::new("tools").about("Write the tool definitions as JSON").args([output, expose, results]).after_help(format!(
            "Examples:\n  {program} {name} tools\n  {program} {name} tools -o - | jq '.tools[].name'"
        )))
}

/// The options of `start` that serve over HTTP.
#[cfg(feature = "http")]
fn http_options() -> [Arg; 2] {
    let address = Arg::new("http")
        .long("http")
        .value_name("ADDRESS")
        .value_parser(|text: &str| text.parse::<charmer_server::HttpAddress>())
        .help("Serve any number of clients over HTTP at this address, such as 127.0.0.1:8765, or unix:PATH");
    let tokens = Arg::new("token-file")
        .long("token-file")
        .value_name("FILE")
        .requires("http")
        .value_parser(value_parser!(PathBuf))
        .help("Let only clients in whose token is in this file: a line `name: token` for each, perhaps with [read] behind it");
    [address, tokens]
}

#[cfg(not(feature = "http"))]
fn http_options() -> [Arg; 0] {
    []
}

/// The host CLI with our subcommand, built: clap decides actions, parsers and global arguments only then.
pub(crate) fn built(host: &Command, name: &str) -> Arc<Command> {
    let mut built = mounted(host, name);
    built.build();
    Arc::new(built)
}

/// The same, pruned to the command of these words.
pub(crate) fn pruned(
    host: &Command,
    name: &str,
    words: &[String],
    child_env: &[OsString],
) -> Arc<Command> {
    let mut command = prune(mounted(host, name), words, child_env);
    command.build();
    Arc::new(command)
}

/// The command with its siblings reduced to their names: they must still be recognised, but nothing else of them.
fn prune(command: Command, words: &[String], child_env: &[OsString]) -> Command {
    let (next, rest) = words
        .split_first()
        .map_or((None, &[][..]), |(next, rest)| (Some(next.as_str()), rest));
    command
        .mut_args(|arg| {
            let set = arg
                .get_env()
                .is_some_and(|name| child_env.iter().any(|set| set == name));
            if set { arg.required(false) } else { arg }
        })
        .mut_subcommands(|child| {
            if next == Some(child.get_name()) {
                return prune(child, rest, child_env);
            }
            let mut stub = Command::new(child.get_name().to_owned()).aliases(
                child
                    .get_all_aliases()
                    .map(str::to_owned)
                    .collect::<Vec<_>>(),
            );
            if let Some(short) = child.get_short_flag() {
                stub = stub.short_flag(short);
            }
            if let Some(long) = child.get_long_flag() {
                stub = stub.long_flag(long.to_owned());
            }
            stub
        })
}

/// Parses a command line with a copy.
pub(crate) fn parse(command: &Command, argv: Vec<OsString>) -> Result<ArgMatches, clap::Error> {
    let program = OsString::from(command.get_name());
    let argv = std::iter::once(program).chain(argv);
    command.clone().try_get_matches_from_mut(argv)
}

/// The same, whatever is wrong with the command line.
pub(crate) fn parse_leniently(command: &Command, argv: Vec<OsString>) -> Option<ArgMatches> {
    let lenient = command.clone().ignore_errors(true);
    parse(&lenient, argv).ok()
}

/// Parses the command line of this process.
pub(crate) fn get_matches(host: &Command, name: &str) -> ArgMatches {
    mounted(host, name).get_matches()
}

/// Tells a person what was wrong with the command line, and ends the process.
pub(crate) fn exit_with(error: clap::Error, command: &Command) -> ! {
    error.format(&mut command.clone()).exit()
}

/// The arguments that an argument declares a conflict with.
pub(crate) fn conflicts<'c>(command: &'c Command, arg: &Arg) -> Vec<&'c Arg> {
    // For a global argument clap looks through the subcommands and panics at the name of a group, though it accepts
    // one when parsing; only conflicts at this level are of interest here.
    command.get_arg_conflicts_with(&arg.clone().global(false))
}
