//! The entries of `sources`.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use charmer_core::tool::Layout;

use crate::{
    Completion, EnvironmentRules, Expectation, Inherit, Pinned, Redirects, Secret, SelectEntry,
    SourceEntry, SourceKind,
    read::{Fields, Problems},
    yaml::{Node, Quoted, YamlKind},
};

use super::{ask, confine, drafts, hooks, knowledge};

pub(super) const SOURCE: &[&str] = &[
    "binary",
    "spells",
    "prefix",
    "layout",
    "environment",
    "folder",
    "directory",
    "mcp_mode",
    "completion",
    "read_only",
    "redirects",
    "network",
    "credentials",
    "confine",
    "set",
    "undone_by",
    "hooks",
    "ask",
    "drafts",
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
    "select",
    "expect",
];
/// Those that a folder of spells has: what is permitted, and where it runs, its files say themselves.
const OF_SPELLS: &[&str] = &["spells", "read_only", "hooks", "ask", "drafts"];
pub(super) const EXPECTATION: &[&str] = &["allow", "deny"];
pub(super) const ENVIRONMENT: &[&str] = &["inherit", "set", "remove"];

pub(super) fn source(
    node: &Node,
    folder: Option<&Path>,
    problems: &mut Problems<'_>,
) -> Option<SourceEntry> {
    let fields = problems.fields(node, "source", SOURCE)?;
    let origin = fields
        .one_of(&["binary", "spells"], problems)
        .and_then(|(key, node)| {
            let path = PathBuf::from(problems.word(node, key)?);
            Some(match key {
                "spells" => SourceKind::Spells(path),
                _ => SourceKind::Binary(path),
            })
        });
    if matches!(origin, Some(SourceKind::Spells(_))) {
        let idle = SOURCE.iter().filter(|key| !OF_SPELLS.contains(key));
        for (key, (name, _)) in idle.filter_map(|key| Some((key, fields.entry(key)?))) {
            problems
                .add(
                    name.span.clone(),
                    format!("`{key}` has no meaning for spells"),
                )
                .hint("remove it: each spell's file says what is permitted and where it runs");
        }
    }
    let origin = origin.unwrap_or(SourceKind::Binary(PathBuf::new()));
    Some(body(node, &fields, origin, folder, problems))
}

/// Reads the keys beside the one that says where the tools come from.
pub(super) fn body(
    node: &Node,
    fields: &Fields<'_>,
    origin: SourceKind,
    folder: Option<&Path>,
    problems: &mut Problems<'_>,
) -> SourceEntry {
    SourceEntry {
        origin,
        prefix: fields.get("prefix").and_then(|node| prefix(node, problems)),
        layout: fields
            .get("layout")
            .and_then(|node| {
                let choices = [("flat", Layout::Flat), ("nested", Layout::Nested)];
                problems.choice(node, "layout", &choices)
            })
            .unwrap_or_default(),
        environment: fields
            .get("environment")
            .and_then(|node| environment(node, problems))
            .unwrap_or_default(),
        folder: run_folder(fields, problems),
        mcp_mode: fields
            .get("mcp_mode")
            .and_then(|node| problems.switch(node, "mcp_mode"))
            .unwrap_or(true),
        completion: fields
            .get("completion")
            .and_then(|node| {
                let choices = [
                    ("choices", Completion::Choices),
                    ("program", Completion::Program),
                ];
                problems.choice(node, "completion", &choices)
            })
            .unwrap_or_default(),
        set: fields
            .get("set")
            .map(|node| pinned(node, problems))
            .unwrap_or_default(),
        read_only: fields
            .get("read_only")
            .and_then(|node| problems.switch(node, "read_only"))
            .unwrap_or(false),
        redirects: fields
            .get("redirects")
            .and_then(|node| redirects(node, problems))
            .unwrap_or_default(),
        network: fields
            .get("network")
            .and_then(|node| confine::network(node, problems)),
        credentials: fields.get("credentials").map(|node| match &node.kind {
            // It has none.
            YamlKind::List(list) if list.is_empty() => Vec::new(),
            _ => confine::paths(node, "credentials", problems),
        }),
        confine: fields
            .get("confine")
            .and_then(|node| confine::confine(node, problems))
            .unwrap_or_default(),
        undone_by: fields
            .get("undone_by")
            .map(|node| undone_by(node, problems))
            .unwrap_or_default(),
        hooks: fields
            .get("hooks")
            .and_then(|node| hooks::hooks(node, problems))
            .unwrap_or_default(),
        ask: fields
            .get("ask")
            .map(|node| ask::ask(node, problems))
            .unwrap_or_default(),
        drafts: fields
            .get("drafts")
            .and_then(|node| drafts::of_source(node, problems)),
        known: knowledge::knowledge(fields, problems),
        overrides: fields
            .get("override")
            .map(|node| super::overrides::overrides(node, folder, problems))
            .unwrap_or_default(),
        select: selectors(fields, problems),
        position: problems.position(first_key(node).start),
        expect: fields
            .get("expect")
            .map(|node| expectations(node, problems))
            .unwrap_or_default(),
        baseline: None,
    }
}

/// The folder that programs run in. The old name of the key, `directory`, was one of several words for one thing.
fn run_folder(fields: &Fields<'_>, problems: &mut Problems<'_>) -> Option<PathBuf> {
    let new = fields
        .get("folder")
        .map(|node| problems.word(node, "folder"));
    let Some((name, node)) = fields.entry("directory") else {
        return new?.map(PathBuf::from);
    };
    let old = problems.word(node, "directory");
    if new.is_some() {
        problems
            .add(
                name.span.clone(),
                "`directory` and `folder` cannot stand together",
            )
            .hint("remove `directory`: it is the old name of the same key");
    } else {
        problems
            .advise(name.span.clone(), "`directory` is called `folder` now")
            .hint("write `folder` in its place");
    }
    old.map(PathBuf::from)
}

fn selectors(fields: &Fields<'_>, problems: &mut Problems<'_>) -> Vec<SelectEntry> {
    let Some(node) = fields.get("select") else {
        return Vec::new();
    };
    let hint = "remove the key to serve every command";
    let entries = problems.list(node, "select", hint);
    let selectors: Vec<Option<SelectEntry>> = entries
        .iter()
        .enumerate()
        .map(|(number, entry)| {
            let selector = super::selector::selector(entry, problems)?;
            Some(SelectEntry { number, ..selector })
        })
        .collect();
    // Whoever stands behind an entry for all commands is never asked.
    let catch_all = |selector: &Option<SelectEntry>| {
        selector
            .as_ref()
            .is_some_and(|selector| selector.commands.is_none())
    };
    if let Some(place) = selectors.iter().position(catch_all)
        && place + 1 < entries.len()
        // An entry that could not be read as a mapping, or lost its rule to a mistake, was reported already.
        && !has_key(&entries[place], "commands")
    {
        let next = &entries[place + 1];
        problems
            .add(first_key(next), "no command gets to this entry")
            .hint("the one before it has no `commands`, so it decides for all: put it last");
    }
    selectors.into_iter().flatten().collect()
}

fn expectations(node: &Node, problems: &mut Problems<'_>) -> Vec<Expectation> {
    let hint = "add an entry like `- allow: get pods`, or remove the key";
    let entries = problems.list(node, "expect", hint).iter();
    let read = entries.filter_map(|entry| {
        let fields = problems.fields(entry, "expect", EXPECTATION)?;
        let (key, node) = fields.one_of(EXPECTATION, problems)?;
        let line = problems.word(node, key)?;
        Some(match key {
            "allow" => Expectation::Allow(line),
            _ => Expectation::Deny(line),
        })
    });
    read.collect()
}

pub(crate) fn has_key(node: &Node, key: &str) -> bool {
    match &node.kind {
        YamlKind::Map(entries) => entries
            .iter()
            .any(|(name, _)| matches!(&name.kind, YamlKind::Text(name) if name == key)),
        _ => false,
    }
}

/// The place of the first key of a mapping, where people say that it begins.
pub(super) fn first_key(node: &Node) -> std::ops::Range<usize> {
    match &node.kind {
        YamlKind::Map(entries) if !entries.is_empty() => entries[0].0.span.clone(),
        _ => node.span.clone(),
    }
}

fn prefix(node: &Node, problems: &mut Problems<'_>) -> Option<String> {
    let text = problems.text_of(node, "prefix")?;
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if text.len() > 40 || !text.chars().all(fits) {
        problems
            .add(
                node.span.clone(),
                format!("{} is no prefix for tools", Quoted(&text)),
            )
            .hint("use up to 40 letters, digits, `_` and `-`");
        return None;
    }
    Some(text)
}

fn environment(node: &Node, problems: &mut Problems<'_>) -> Option<EnvironmentRules> {
    let fields = problems.fields(node, "environment", ENVIRONMENT)?;
    let inherit = fields.get("inherit").and_then(|node| match &node.kind {
        YamlKind::Text(text) if text == "all" => Some(Inherit::All),
        YamlKind::List(list) if list.is_empty() => Some(Inherit::Only(Vec::new())),
        YamlKind::List(_) => Some(Inherit::Only(variables(node, "inherit", problems))),
        _ => {
            problems
                .wrong(node, "inherit", "`all` or a list of names")
                .hint("write `inherit: all` or `inherit: [PATH, HOME]`");
            None
        }
    });
    let mut set = BTreeMap::new();
    if let Some(node) = fields.get("set") {
        problems.hide(node);
        for (name, value) in entries(node, "set", "NAME: value", problems) {
            let name_text = variable(name, "set", problems);
            let value = match &value.kind {
                // `true` is what a program reads, whatever YAML takes it for.
                YamlKind::Bool(_) => Some(value.raw.clone()),
                _ => problems.text_of(value, name_text.as_deref().unwrap_or("set")),
            };
            if let (Some(name), Some(value)) = (name_text, value) {
                set.insert(name, Secret(value));
            }
        }
    }
    let remove = fields
        .get("remove")
        .map(|node| variables(node, "remove", problems));
    Some(EnvironmentRules {
        inherit: inherit.unwrap_or_default(),
        set,
        remove: remove.unwrap_or_default(),
    })
}

/// The names of variables.
pub(super) fn variables(node: &Node, what: &str, problems: &mut Problems<'_>) -> Vec<String> {
    problems
        .list(node, what, "add the name of a variable, or remove the key")
        .iter()
        .filter_map(|element| variable(element, what, problems))
        .collect()
}

pub(super) fn variable(node: &Node, what: &str, problems: &mut Problems<'_>) -> Option<String> {
    let name = problems.word(node, what)?;
    if name.contains('=') || name.starts_with('$') || name.contains(char::is_whitespace) {
        problems
            .add(
                node.span.clone(),
                format!("`{what}` takes names of variables only"),
            )
            .hint("write the name alone, without `$`, `=` and a value");
        return None;
    }
    Some(name)
}

/// The entries of a mapping whose keys are free.
pub(super) fn entries<'n>(
    node: &'n Node,
    what: &str,
    example: &str,
    problems: &mut Problems<'_>,
) -> &'n [(Node, Node)] {
    let example = format!("add an entry like `{example}`");
    match &node.kind {
        YamlKind::Map(entries) => {
            if entries.is_empty() {
                problems
                    .add(node.span.clone(), format!("`{what}` is empty"))
                    .hint(example);
            }
            entries
        }
        _ => {
            problems.wrong(node, what, "a mapping").hint(example);
            &[]
        }
    }
}

fn redirects(node: &Node, problems: &mut Problems<'_>) -> Option<Redirects> {
    if matches!(node.kind, YamlKind::Text(_)) {
        let all = problems.choice(node, "redirects", &[("all", true), ("none", false)])?;
        return Some(if all { Redirects::All } else { Redirects::None });
    }
    let hint = "name the flags, like `redirects: [context]`, or write `all` or `none`";
    let names = problems.list(node, "redirects", hint);
    let names = names
        .iter()
        .filter_map(|element| flag(element, "redirects", problems));
    Some(Redirects::Only(names.collect()))
}

pub(super) fn pinned(node: &Node, problems: &mut Problems<'_>) -> BTreeMap<String, Pinned> {
    let mut set = BTreeMap::new();
    for (name, value) in entries(node, "set", "flag: value", problems) {
        let Some(flag) = flag(name, "set", problems) else {
            continue;
        };
        let value = match &value.kind {
            YamlKind::Bool(on) => Some(Pinned::Switch(*on)),
            YamlKind::List(_) => {
                let what = shortened(&flag);
                let list = problems.list(value, what, "add a value, or remove the flag");
                Some(Pinned::List(
                    list.iter()
                        .filter_map(|element| problems.text_of(element, what))
                        .collect(),
                ))
            }
            _ => problems.text_of(value, shortened(&flag)).map(Pinned::Text),
        };
        if let Some(value) = value {
            set.insert(flag, value);
        }
    }
    set
}

fn undone_by(node: &Node, problems: &mut Problems<'_>) -> BTreeMap<String, Vec<String>> {
    let mut undone_by = BTreeMap::new();
    for (name, value) in entries(node, "undone_by", "namespace: [all-namespaces]", problems) {
        let Some(pinned) = flag(name, "undone_by", problems) else {
            continue;
        };
        let hint = "name the flags that undo it, like `[all-namespaces, raw]`";
        let names = problems.list(value, shortened(&pinned), hint).iter();
        let names = names.filter_map(|element| flag(element, shortened(&pinned), problems));
        undone_by.insert(pinned.clone(), names.collect());
    }
    undone_by
}

/// The beginning of a name that the file gives, as mistakes name it: a name may be as long as the file, and each of the
/// mistakes below it would hold it.
pub(super) fn shortened(name: &str) -> &str {
    const MOST: usize = 60;
    name.char_indices()
        .nth(MOST)
        .map_or(name, |(end, _)| &name[..end])
}

/// The name of a flag, with or without dashes.
pub(super) fn flag(node: &Node, what: &str, problems: &mut Problems<'_>) -> Option<String> {
    let name = problems.word(node, what)?;
    let bare = name.trim_start_matches('-');
    if bare.is_empty()
        || name.starts_with("---")
        || name.contains('=')
        || name.contains(char::is_whitespace)
    {
        problems
            .add(
                node.span.clone(),
                format!("{} is no name of a flag", Quoted(&name)),
            )
            .hint("write the name alone, like `--namespace` or `namespace`");
        return None;
    }
    Some(name)
}
