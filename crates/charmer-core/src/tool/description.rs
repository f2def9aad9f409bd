//! The description of a tool: its path, its help, its examples and the relations between its flags, within 2 KB.

use crate::{
    model::{Command, GroupKind},
    text::shorten,
};

use super::property::Input;

/// Clients cut descriptions here.
const LIMIT: usize = 2048;

/// The description of a command. `words` is the full path with the program's name.
pub(super) fn describe(words: &[&str], command: &Command, input: &Input) -> String {
    let text = [&command.long_about, &command.about]
        .into_iter()
        .flatten()
        .map(|text| text.trim())
        .find(|text| !text.is_empty());
    let path = words.join(" ");
    let mut description = match (text, words.len() > 1) {
        (Some(text), true) => format!("{path}: {text}"),
        (Some(text), false) => text.to_owned(),
        (None, _) => format!("Runs `{path}`"),
    };
    let relations = relations(input);
    if !relations.is_empty() {
        // Relations decide whether a call is accepted, so they are the last to be cut.
        description = shorten(
            &description,
            LIMIT.saturating_sub(relations.len() + 2).max(LIMIT / 2),
        );
        description = format!("{description}\n\n{relations}");
    }
    if let Some(examples) = command
        .examples
        .as_deref()
        .map(str::trim_end)
        .filter(|text| !text.trim().is_empty())
    {
        description = format!("{description}\n\nExamples:\n{examples}");
    }
    shorten(&description, LIMIT)
}

/// One line a group.
pub(super) fn relations(input: &Input) -> String {
    let mut lines: Vec<String> = Vec::new();
    for (depth, level) in input.levels.iter().enumerate() {
        for group in &level.groups {
            let keys: Vec<String> = group
                .members
                .iter()
                .filter_map(|id| key_of(input, depth, id))
                .map(|key| format!("`{key}`"))
                .collect();
            let line = match group.kind {
                GroupKind::Exclusive if keys.len() > 1 => {
                    format!("At most one of {}.", keys.join(", "))
                }
                GroupKind::Together if keys.len() > 1 => {
                    format!("Together or not at all: {}.", keys.join(", "))
                }
                GroupKind::OneOf if !keys.is_empty() => {
                    format!("At least one of {}.", keys.join(", "))
                }
                _ => continue,
            };
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    lines.join(" ")
}

/// The key of the flag or positional with this id at this depth.
pub(super) fn key_of<'i>(input: &'i Input, depth: usize, id: &str) -> Option<&'i str> {
    let flag = input
        .flags
        .iter()
        .find(|property| property.owner == depth && property.flag.id == id);
    let positional = || {
        input
            .positionals
            .iter()
            .find(|property| property.level == depth && property.positional.id == id)
    };
    flag.map(|property| property.key.as_str())
        .or_else(|| positional().map(|property| property.key.as_str()))
}
