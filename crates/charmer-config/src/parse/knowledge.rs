//! The keys of a source that say what is known of its program.

use std::collections::BTreeMap;

use crate::{
    Knowledge,
    read::{Fields, Problems},
    yaml::{Node, Quoted, YamlKind},
};

use super::source::{entries, shortened, variables};

pub(super) fn knowledge(fields: &Fields<'_>, problems: &mut Problems<'_>) -> Knowledge {
    let mut list = |key: &'static str, example: &str| {
        let node = fields.get(key);
        node.map(|node| words(node, key, example, problems))
            .unwrap_or_default()
    };
    let helpers = list("helpers", "name the programs, like `[ssh, less]`");
    let prints_secrets = list("prints_secrets", "name the commands, like `[config view]`");
    let long_running = list("long_running", "name the commands, like `[build]`");
    let common = list("common", "name the commands, the most used first");
    let mut flags = |key: &'static str| {
        let node = fields.get(key);
        node.map(|node| by_command(node, key, problems))
            .unwrap_or_default()
    };
    let json = flags("json");
    let preview = flags("preview");
    Knowledge {
        helpers,
        caches: fields
            .get("caches")
            .map(|node| variables(node, "caches", problems))
            .unwrap_or_default(),
        prints_secrets,
        long_running,
        common,
        phrases: fields
            .get("phrases")
            .map(|node| phrases(node, problems))
            .unwrap_or_default(),
        repeated: fields
            .get("repeated")
            .map(|node| repeated(node, problems))
            .unwrap_or_default(),
        json,
        preview,
    }
}

/// A list of texts, none of which stands there twice.
fn words(node: &Node, key: &str, hint: &str, problems: &mut Problems<'_>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for element in problems.list(node, key, hint) {
        let Some(word) = problems.word(element, key) else {
            continue;
        };
        if found.contains(&word) {
            let message = format!("{} stands here twice", Quoted(&word));
            problems
                .add(element.span.clone(), message)
                .hint("remove one of them");
            continue;
        }
        found.push(word);
    }
    found
}

/// Flags by command, or flags for every command that has them.
fn by_command(node: &Node, key: &str, problems: &mut Problems<'_>) -> BTreeMap<String, String> {
    if matches!(node.kind, YamlKind::Text(_)) {
        let flags = problems.word(node, key);
        return flags
            .map(|flags| BTreeMap::from([("*".to_owned(), flags)]))
            .unwrap_or_default();
    }
    let mut found = BTreeMap::new();
    for (name, value) in entries(node, key, "get: --output json", problems) {
        let command = problems.word(name, key);
        let flags = problems.word(value, command.as_deref().map_or(key, shortened));
        if let (Some(command), Some(flags)) = (command, flags) {
            found.insert(command, flags);
        }
    }
    found
}

/// Lists of flags by command.
fn repeated(node: &Node, problems: &mut Problems<'_>) -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    for (name, value) in entries(node, "repeated", "load: [--tag]", problems) {
        let Some(command) = problems.word(name, "repeated") else {
            continue;
        };
        let hint = "name the flags, like `[--tag, -x]`";
        let flags = words(value, shortened(&command), hint, problems);
        found.insert(command, flags);
    }
    found
}

/// Phrases by command. A key may name several commands, and its phrases may be one text.
fn phrases(node: &Node, problems: &mut Problems<'_>) -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    for (name, value) in entries(node, "phrases", "log: [what happened lately]", problems) {
        let Some(commands) = problems.word(name, "phrases") else {
            continue;
        };
        let said = match &value.kind {
            YamlKind::Text(text) => told(text, value, problems),
            _ => {
                let hint = "write how people ask for it, like `[what happened lately]`";
                words(value, shortened(&commands), hint, problems)
            }
        };
        for command in commands.split(',').map(str::trim) {
            if command.is_empty() || found.insert(command.to_owned(), said.clone()).is_some() {
                let message = match command {
                    "" => "a command is missing between commas".to_owned(),
                    _ => format!("{} has phrases already", Quoted(command)),
                };
                problems
                    .add(name.span.clone(), message)
                    .hint("write each command once, like `status, log`");
            }
        }
    }
    found
}

/// The phrases of a text, none of which stands there twice.
fn told(text: &str, node: &Node, problems: &mut Problems<'_>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for phrase in text.split(';').map(str::trim) {
        if phrase.is_empty() || found.iter().any(|known| known == phrase) {
            let message = match phrase {
                "" => "a phrase is missing between semicolons".to_owned(),
                _ => format!("{} stands here twice", Quoted(phrase)),
            };
            problems
                .add(node.span.clone(), message)
                .hint("write each phrase once, like `what happened lately; latest changes`");
            continue;
        }
        found.push(phrase.to_owned());
    }
    found
}
