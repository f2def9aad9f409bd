//! The entry for a client's configuration that starts a server.
//!
//! Clients with a window start servers with a bare PATH and in another folder, so everything is written out: absolute
//! paths, the PATH of whoever asked, and the folder.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::{Value, json};

use crate::{args::ServeArgs, settings::Settings, spells::Folder};

/// The entry, in the shape that most clients share.
pub(crate) fn entry(
    args: &ServeArgs,
    settings: &Settings,
    charmer: &Path,
    folder: &Path,
    search: Option<String>,
) -> Value {
    let mut entry = json!({
        "command": charmer.to_string_lossy(),
        "args": words(args, settings, folder),
        "cwd": folder.to_string_lossy(),
    });
    if let Some(search) = search {
        entry["env"] = json!({ "PATH": search });
    }
    // The client's surroundings may lead to another one, where nothing is accepted.
    let accepted = settings.spells.as_ref().and_then(Folder::accepted_in);
    if let Some(accepted) = accepted {
        entry["env"]["CHARMER_DATA"] = accepted.to_string_lossy().into();
    }
    json!({ "mcpServers": { server_name(settings): entry } })
}

/// What the server is called: as its programs are, and its spells.
pub(crate) fn server_name(settings: &Settings) -> String {
    let mut names: Vec<String> = Vec::new();
    for program in &settings.programs {
        let name = program.name();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if settings.spells.is_some() {
        names.push("spells".to_owned());
    }
    names.join("-")
}

/// The same command line, with absolute paths.
fn words(args: &ServeArgs, settings: &Settings, folder: &Path) -> Vec<String> {
    let shown = |path: PathBuf| path.to_string_lossy().into_owned();
    let selection = &args.selection;
    let mut words = vec!["serve".to_owned()];
    if !args.binaries.is_empty() {
        words.extend(
            settings
                .programs
                .iter()
                .map(|program| shown(program.path.clone())),
        );
    }
    let mut option = |name: &str, value: Option<String>| {
        words.push(match value {
            Some(value) => format!("--{name}={value}"),
            None => format!("--{name}"),
        });
    };
    if let Some(file) = &selection.config {
        let file = folder.join(file);
        option(
            "config",
            Some(shown(std::path::absolute(&file).unwrap_or(file))),
        );
    }
    if let Some(spells) = &args.spells.spells {
        let spells = folder.join(spells);
        option(
            "spells",
            Some(shown(std::path::absolute(&spells).unwrap_or(spells))),
        );
    }
    if args.spells.locked {
        option("locked", None);
    }
    for glob in &selection.allow {
        option("allow", Some(glob.clone()));
    }
    for glob in &selection.deny {
        option("deny", Some(glob.clone()));
    }
    if selection.read_only {
        option("read-only", None);
    }
    if selection.all_flags {
        option("all-flags", None);
    }
    for flag in &selection.with_flags {
        option("with-flag", Some(flag.clone()));
    }
    if let Some(layout) = selection.layout {
        option("layout", Some(value_name(&layout)));
    }
    if let Some(structure) = selection.structure {
        option("structure", Some(value_name(&structure)));
    }
    let showing = &args.showing;
    if let Some(mode) = showing.expose {
        option("expose", Some(value_name(&mode)));
    }
    if let Some(budget) = showing.budget {
        option("budget", Some(budget.to_string()));
    }
    if let Some(descriptions) = showing.descriptions {
        option("descriptions", Some(value_name(&descriptions)));
    }
    for glob in &showing.pin {
        option("pin", Some(glob.clone()));
    }
    for glob in &showing.hide {
        option("hide", Some(glob.clone()));
    }
    if showing.promote {
        option("promote", None);
    }
    if selection.refresh {
        option("refresh", None);
    }
    if let Some(timeout) = args.timeout {
        option(
            "timeout",
            Some(humantime::format_duration(timeout).to_string()),
        );
    }
    words
}

/// The value as the command line writes it.
fn value_name(value: &impl ValueEnum) -> String {
    let value = value.to_possible_value();
    value.map_or_else(String::new, |value| value.get_name().to_owned())
}
