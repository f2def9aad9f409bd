//! A profile: the keys of a source that speak of its program, and three of its own.

use std::path::PathBuf;

use crate::{
    Origin, Profile,
    read::{Fields, Problems},
    versions::Versions,
    yaml::{Kind, Node, Quoted},
};

use super::source;

pub(crate) const PROFILE: &[&str] = &[
    "program",
    "versions",
    "asked_like",
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
    "json",
    "preview",
    "override",
];

pub(crate) fn profile(node: &Node, problems: &mut Problems<'_>) -> Option<Profile> {
    if matches!(node.kind, Kind::Null) {
        problems
            .add(0..0, "the file says nothing")
            .hint("begin with `program: NAME`");
        return None;
    }
    let fields = problems.fields(node, "profile", PROFILE)?;
    let programs = programs(&fields, problems)?;
    let origin = Origin::Binary(PathBuf::from(&programs[0]));
    Some(Profile {
        versions: fields
            .get("versions")
            .and_then(|node| versions(node, problems)),
        asked_like: fields
            .get("asked_like")
            .and_then(|node| problems.word(node, "asked_like")),
        source: source::body(node, &fields, origin, None, problems),
        programs,
    })
}

/// One name, or several.
pub(crate) fn programs(fields: &Fields<'_>, problems: &mut Problems<'_>) -> Option<Vec<String>> {
    let node = fields.require("program", problems)?;
    let names: Vec<String> = match &node.kind {
        Kind::List(_) => {
            let hint = "name the program, like `program: git`";
            let list = problems.list(node, "program", hint).iter();
            list.filter_map(|name| problems.word(name, "program"))
                .collect()
        }
        _ => problems.word(node, "program").into_iter().collect(),
    };
    (!names.is_empty()).then_some(names)
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
