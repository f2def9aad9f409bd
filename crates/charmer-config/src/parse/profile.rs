//! A profile: the keys of a source that speak of its program, and a few of its own.

use std::path::PathBuf;

use crate::{
    Profile, SourceKind, UnlistedEntry,
    read::{Fields, Problems},
    versions::Versions,
    yaml::{Node, Quoted, YamlKind},
};

use super::source;

pub(crate) const PROFILE: &[&str] = &[
    "program",
    "versions",
    "asked_like",
    "unlisted",
    "unasked",
    "network",
    "credentials",
    "redirects",
    "undone_by",
    "helpers",
    "caches",
    "prints_secrets",
    "long_running",
    "common",
    "phrases",
    "repeated",
    "json",
    "preview",
    "override",
];

pub(crate) fn profile(node: &Node, problems: &mut Problems<'_>) -> Option<Profile> {
    if matches!(node.kind, YamlKind::Null) {
        problems
            .add(0..0, "the file says nothing")
            .hint("begin with `program: NAME`");
        return None;
    }
    let fields = problems.fields(node, "profile", PROFILE)?;
    let programs = programs(&fields, problems)?;
    let origin = SourceKind::Binary(PathBuf::from(&programs[0]));
    Some(Profile {
        versions: fields.read("versions", |node, _| versions(node, problems)),
        asked_like: fields.read("asked_like", |node, key| problems.word(node, key)),
        unlisted: fields
            .get("unlisted")
            .map(|node| unlisted(node, problems))
            .unwrap_or_default(),
        unasked: fields
            .get("unasked")
            .map(|node| problems.words(node, "unasked", "name the commands, like `[stash create]`"))
            .unwrap_or_default(),
        source: source::body(node, &fields, origin, None, problems),
        programs,
    })
}

/// One name, or several.
pub(crate) fn programs(fields: &Fields<'_>, problems: &mut Problems<'_>) -> Option<Vec<String>> {
    let node = fields.require("program", problems)?;
    let names: Vec<String> = match &node.kind {
        YamlKind::List(_) => {
            let hint = "name the program, like `program: git`";
            let list = problems.list(node, "program", hint).iter();
            list.filter_map(|name| problems.word(name, "program"))
                .collect()
        }
        _ => problems.word(node, "program").into_iter().collect(),
    };
    (!names.is_empty()).then_some(names)
}

fn unlisted(node: &Node, problems: &mut Problems<'_>) -> Vec<UnlistedEntry> {
    let hint = "say which commands take them, and list them as help would";
    let mut found = Vec::new();
    for entry in problems.list(node, "unlisted", hint) {
        let Some(fields) = problems.fields(entry, "unlisted", &["shown_by", "options"]) else {
            continue;
        };
        let shown_by = fields.require("shown_by", problems).map(|node| {
            let hint = "write what the help of such commands says, like `['<log-options>']`";
            problems.words(node, "shown_by", hint)
        });
        let options = fields
            .require("options", problems)
            .and_then(|node| rows(node, problems));
        if let (Some(shown_by), Some(options)) = (shown_by, options) {
            found.push(UnlistedEntry { shown_by, options });
        }
    }
    found
}

/// Options, a line for each.
fn rows(node: &Node, problems: &mut Problems<'_>) -> Option<Vec<String>> {
    let text = problems.word(node, "options")?;
    let rows = text.lines().map(str::trim).filter(|row| !row.is_empty());
    let rows: Vec<String> = rows.map(str::to_owned).collect();
    let is_option = |row: &&String| row.starts_with('-') && row.contains("  ");
    if let Some(row) = rows.iter().find(|row| !is_option(row)) {
        problems
            .add(
                node.span.clone(),
                format!("{} is no option and what it does", Quoted(row)),
            )
            .hint("write it like `-n, --count=<number>  How many`, with two spaces between");
        return None;
    }
    Some(rows)
}

fn versions(node: &Node, problems: &mut Problems<'_>) -> Option<Versions> {
    let text = problems.word(node, "versions")?;
    match text.parse() {
        Ok(versions) => Some(versions),
        Err(_) => {
            let message = format!("{} is no range of versions", Quoted(&text));
            problems
                .add(node.span.clone(), message)
                .hint("write it like `'>=2.30, <3'`");
            None
        }
    }
}
