//! The subcommand `mcp`: `start` serves, `tools` writes the tool definitions.
//!
//! Its own subcommands are parsed in a second step, by a parser that knows nothing of the host CLI. So a global
//! `--output` or `--log-level` of the host can never clash with a flag of ours.

use std::{
    ffi::OsString,
    io::Write,
    path::{Path, PathBuf},
};

use charmer_core::{expose::Expose, model::DOCUMENT_COMMAND};
use charmer_run::{
    Results,
    process::{MARK, MODE, guard},
};
use clap::{Arg, ArgAction, ArgMatches, Command, builder::PossibleValuesParser, value_parser};
use serde_json::json;

use crate::{
    Bridge, Level,
    assemble::{BridgePurpose, assemble},
    document, serve,
};

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

/// Returns true if the environment asks for a server. A child of a bridge sees `MCP_MODE` too, and must not start
/// another.
pub(crate) fn mode_is_set() -> bool {
    std::env::var_os(MODE).is_some_and(|value| value == "true") && std::env::var_os(MARK).is_none()
}

/// Looks at the raw command line before the host CLI parses it, so that what the host requires is not required to
/// start the server.
pub(crate) fn run_before_parsing(bridge: &Bridge) -> Option<u8> {
    if mode_is_set() {
        return Some(serve::start(bridge));
    }
    let mut words = std::env::args_os().skip(1);
    let first = words.next()?;
    if first == DOCUMENT_COMMAND && words.len() == 0 {
        return Some(document::print(bridge));
    }
    (first == bridge.name.as_str()).then(|| run_words(bridge, words.collect()))
}

/// Does what the parsed command line asks for, if it is ours.
pub(crate) fn run(bridge: &Bridge, matches: &ArgMatches) -> Option<u8> {
    let Some((name, rest)) = matches.subcommand_matches(&bridge.name)?.subcommand() else {
        // Without a word behind it there is only one thing that it can mean, if it was called by its other name.
        let words: Vec<OsString> = std::env::args_os().skip(1).collect();
        return Some(match words == [DOCUMENT_COMMAND] {
            true => document::print(bridge),
            false => run_words(bridge, Vec::new()),
        });
    };
    let arguments = rest.get_raw("").into_iter().flatten().map(OsString::from);
    Some(run_words(
        bridge,
        std::iter::once(OsString::from(name))
            .chain(arguments)
            .collect(),
    ))
}

fn run_words(bridge: &Bridge, words: Vec<OsString>) -> u8 {
    let program = bridge
        .command
        .get_bin_name()
        .unwrap_or_else(|| bridge.command.get_name());
    let mut parser = inner(program, &bridge.name);
    let given = std::iter::once(OsString::from(bridge.name.as_str())).chain(words);
    let matches = match parser.try_get_matches_from_mut(given) {
        Ok(matches) => matches,
        Err(error) => {
            let failed = error.use_stderr();
            // A terminal that is gone cannot be told so.
            let _ = error.print();
            return if failed { 2 } else { 0 };
        }
    };
    match matches.subcommand() {
        Some((GUARDIAN, matches)) => {
            let mark = matches.get_one::<String>("mark").expect("it is required");
            let spool = matches.get_one::<PathBuf>("spool").map(PathBuf::as_path);
            guard(mark, spool);
            0
        }
        Some(("tools", matches)) => {
            let target = matches
                .get_one::<PathBuf>("output")
                .expect("it has a default");
            write_tools(&exposed_as(bridge, matches), target)
        }
        #[cfg(feature = "clients")]
        Some((asked @ ("add" | "remove" | "list"), matches)) => {
            crate::clients::run(bridge, asked, matches, &passed_on(matches))
        }
        Some((_, matches)) => serve::start(&exposed_as(bridge, matches)),
        None => serve::start(bridge),
    }
}

/// The options of `start` that an entry in a client's file is to have.
#[cfg(feature = "clients")]
fn passed_on(matches: &ArgMatches) -> Vec<String> {
    let given = |name: &str| matches.try_get_one::<String>(name).ok().flatten().cloned();
    let named = ["expose", "results"].into_iter();
    let named = named.filter_map(|name| Some(format!("--{name}={}", given(name)?)));
    let prompts = matches!(matches.try_get_one("prompts"), Ok(Some(true)));
    named
        .chain(prompts.then(|| "--prompts".to_owned()))
        .collect()
}

/// The bridge that shows its commands as the command line says.
fn exposed_as(bridge: &Bridge, matches: &ArgMatches) -> Bridge {
    let mut bridge = bridge.clone();
    let mode = matches.get_one::<String>("expose").map(String::as_str);
    bridge.exposure.mode = match mode {
        Some("all") => Expose::All,
        Some("index") => Expose::Index,
        Some("auto") => Expose::Auto,
        _ => bridge.exposure.mode,
    };
    let results = matches.get_one::<String>("results").map(String::as_str);
    bridge.results = match results {
        Some("auto") => Some(Results::Auto),
        Some("structured") => Some(Results::Structured),
        Some("text") => Some(Results::Text),
        _ => bridge.results,
    };
    #[cfg(feature = "http")]
    {
        let asked = matches.try_get_one::<charmer_server::HttpAddress>("http");
        bridge.address = asked.ok().flatten().cloned();
        let tokens = matches.try_get_one::<PathBuf>("token-file");
        if let Some(tokens) = tokens.ok().flatten() {
            bridge.http.token_file = Some(tokens.clone());
        }
    }
    // Only a server has prompts to offer.
    #[cfg(feature = "prompts")]
    {
        bridge.example_prompts |= matches!(matches.try_get_one("prompts"), Ok(Some(true)));
    }
    bridge
}

fn write_tools(bridge: &Bridge, target: &Path) -> u8 {
    let assembled = assemble(bridge, BridgePurpose::Server);
    for warning in &assembled.catalogue.warnings {
        (bridge.logger)(Level::Warn, &warning.to_string());
    }
    let definitions: Vec<_> = assembled
        .tools
        .listed()
        .map(|served| served.shown().definition())
        .collect();
    let count = definitions.len();
    let text = format!("{:#}\n", json!({ "tools": definitions }));
    let mut stdout = std::io::stdout();
    let written = if target == Path::new("-") {
        stdout.write_all(text.as_bytes())
    } else {
        std::fs::write(target, text)
            .and_then(|()| writeln!(stdout, "Wrote {count} tools to {}", target.display()))
    };
    match written {
        Ok(()) => 0,
        // Whoever read our output has seen enough.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => 0,
        Err(error) => {
            (bridge.logger)(
                Level::Error,
                &format!("failed to write `{}`: {error}", target.display()),
            );
            1
        }
    }
}
