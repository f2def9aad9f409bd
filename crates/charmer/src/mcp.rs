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
use clap::ArgMatches;
use serde_json::json;

use crate::{
    Bridge, Level,
    assemble::{BridgePurpose, assemble},
    bridge::Serving,
    commands::{GUARDIAN, parse_own},
    document, serve,
};

/// Returns true if the environment asks for a server. A child of a bridge sees `MCP_MODE` too, and must not start
/// another.
pub(crate) fn mode_is_set() -> bool {
    std::env::var_os(MODE).is_some_and(|value| value == "true") && std::env::var_os(MARK).is_none()
}

/// Looks at the raw command line before the host CLI parses it, so that what the host requires is not required to
/// start the server.
pub(crate) fn run_before_parsing(bridge: &Bridge) -> Option<u8> {
    if mode_is_set() {
        return Some(serve::start(bridge, &bridge.serving));
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
    let matches = match parse_own(program, &bridge.name, words) {
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
            write_tools(bridge, &serving(bridge, matches), target)
        }
        #[cfg(feature = "clients")]
        Some((asked @ ("add" | "remove" | "list"), matches)) => {
            crate::clients::run(bridge, asked, matches, &passed_on(matches))
        }
        Some((_, matches)) => serve::start(bridge, &serving(bridge, matches)),
        None => serve::start(bridge, &bridge.serving),
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

/// The wishes of the command line on how it is served.
fn serving(bridge: &Bridge, matches: &ArgMatches) -> Serving {
    let mut serving = bridge.serving.clone();
    let mode = matches.get_one::<String>("expose").map(String::as_str);
    serving.exposure.mode = match mode {
        Some("all") => Expose::All,
        Some("index") => Expose::Index,
        Some("auto") => Expose::Auto,
        _ => serving.exposure.mode,
    };
    let results = matches.get_one::<String>("results").map(String::as_str);
    serving.results = match results {
        Some("auto") => Some(Results::Auto),
        Some("structured") => Some(Results::Structured),
        Some("text") => Some(Results::Text),
        _ => serving.results,
    };
    #[cfg(feature = "http")]
    {
        let asked = matches.try_get_one::<charmer_server::HttpAddress>("http");
        serving.address = asked.ok().flatten().cloned();
        let tokens = matches.try_get_one::<PathBuf>("token-file");
        if let Some(tokens) = tokens.ok().flatten() {
            serving.http.token_file = Some(tokens.clone());
        }
    }
    // Only a server has prompts to offer.
    #[cfg(feature = "prompts")]
    {
        serving.example_prompts |= matches!(matches.try_get_one("prompts"), Ok(Some(true)));
    }
    serving
}

fn write_tools(bridge: &Bridge, serving: &Serving, target: &Path) -> u8 {
    let assembled = assemble(bridge, serving, BridgePurpose::Server);
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
