//! The entry for a client's configuration that starts a server.
//!
//! Clients with a window start servers with a bare PATH and in another folder, so everything is written out: absolute
//! paths, the PATH of whoever asked, and the folder.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::{
    args::{LayoutName, ServeArgs, StructureName},
    settings::Settings,
    spells::Folder,
};

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
        let name = match layout {
            LayoutName::Flat => "flat",
            LayoutName::Nested => "nested",
        };
        option("layout", Some(name.to_owned()));
    }
    if let Some(structure) = selection.structure {
        let name = match structure {
            StructureName::Off => "off",
            StructureName::Auto => "auto",
            StructureName::Force => "force",
        };
        option("structure", Some(name.to_owned()));
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
