//! The JSON that `charmer inspect --json` prints.

use charmer_core::model::{Command, CommandPath};
use charmer_discover::Said;
use serde_json::{Value, json};

use crate::commands::inspect::Inspected;

/// Everything about a program, or about one command and those below it.
pub(crate) fn json(inspected: &Inspected<'_>, from: &CommandPath) -> Value {
    let Inspected {
        program,
        found,
        prepared,
        catalogue,
        confinement,
        ..
    } = inspected;
    let granted = confinement.network_of(None);
    let below = |path: &CommandPath| path.words().starts_with(from.words());
    let mut commands = Vec::new();
    found.cli.walk(&mut |path, lineage| {
        if let Some(command) = lineage.last().filter(|_| below(path)) {
            commands.push(command_json(inspected, path, command));
        }
    });
    let found_notes = found
        .warnings
        .iter()
        .map(|note| (&note.path, &note.message));
    let made_notes = catalogue
        .warnings
        .iter()
        .map(|note| (&note.path, &note.message));
    let notes = found_notes
        .chain(made_notes)
        .filter(|(path, _)| below(path));
    let warnings: Vec<Value> = notes
        .map(|(path, message)| json!({"command": path.to_string(), "message": message}))
        .chain(
            prepared
                .warnings
                .iter()
                .map(|message| json!({"command": "", "message": message})),
        )
        .collect();
    let left_out: Vec<Value> = prepared
        .left_out
        .iter()
        .filter(|out| below(&out.command) || from.words().starts_with(out.command.words()))
        .map(|out| {
            json!({"command": out.command.to_string(), "flag": out.flag, "reason": out.reason})
        })
        .collect();
    let refused = prepared.refused.iter().filter(|one| below(&one.command));
    let refused: Vec<Value> = refused
        .map(|one| {
            json!({
                "command": one.command.to_string(),
                "argument": one.argument,
                "pattern": one.pattern,
                "behind": one.behind,
                "reason": one.reason,
            })
        })
        .collect();
    let missing: Vec<Value> = found
        .gaps()
        .map(|gap| json!({"command": gap.path.to_string(), "reason": gap.message, "gap": gap.gap}))
        .collect();
    json!({
        "program": found.cli.root.name,
        "version": found.cli.version,
        "file": program.to_string_lossy(),
        "family": found.family,
        "saidBy": found.said.as_ref().map(said_by),
        "spawned": found.spawned,
        "complete": found.complete,
        "missing": missing,
        "network": granted.word(),
        "networkFrom": granted.key(),
        "confine": confinement.mode,
        "profiles": inspected.profiles,
        "files": inspected.files(),
        "keptBy": inspected.kept_by,
        "hooks": hooks_json(inspected, &CommandPath::root()),
        "tools": catalogue.tools.len(),
        "commands": commands,
        "leftOut": left_out,
        "refusedValues": refused,
        "warnings": warnings,
    })
}

/// The hooks that are asked, each level by its keys in the file.
fn hooks_json(inspected: &Inspected<'_>, path: &CommandPath) -> Vec<Value> {
    let levels = inspected.hooks(path).into_iter();
    levels
        .map(|(level, rules)| {
            let mut json = serde_json::to_value(rules).unwrap_or_default();
            json["level"] = level.into();
            json
        })
        .collect()
}

/// The origin of the program's description: the program itself, or a file.
fn said_by(said: &Said) -> String {
    let file = said.file.as_ref().map(|file| file.display().to_string());
    file.unwrap_or_else(|| "program".to_owned())
}

fn command_json(inspected: &Inspected<'_>, path: &CommandPath, command: &Command) -> Value {
    let Inspected {
        found,
        prepared,
        catalogue,
        ..
    } = inspected;
    let origins = found.provenance.command(path);
    let flags: Vec<Value> = command
        .flags
        .iter()
        .map(|flag| {
            let mut json = serde_json::to_value(flag).unwrap_or_default();
            let sources = origins.and_then(|origins| origins.flags.get(&flag.id));
            json["sources"] = json!(sources);
            let mut left_out = prepared.left_out.iter();
            let out = left_out.find(|out| out.command == *path && out.id == flag.id);
            json["leftOut"] = json!(out.map(|out| &out.reason));
            json
        })
        .collect();
    let effect = prepared
        .cli
        .command(path)
        .map(|command| command.hints.effect);
    let granted = prepared.networks.get(path);
    json!({
        "path": path.words(),
        "about": command.about,
        "usage": command.usage,
        "aliases": command.aliases,
        "sameAs": command.same_as,
        "runnable": command.runnable,
        "deprecated": command.deprecated,
        "effect": effect,
        "evidence": prepared.assessment.command(path).map(|thought| &thought.evidence),
        "network": granted.map(|granted| granted.word()),
        "networkFrom": granted.and_then(|granted| granted.key()),
        "tool": catalogue.for_path(path).map(|tool| tool.name.as_str()),
        "rule": catalogue.for_path(path).map(|tool| inspected.rule(tool)),
        "hooks": hooks_json(inspected, path),
        "arguments": command.arguments,
        "groups": command.groups,
        "flags": flags,
        "sources": origins.map(|origins| &origins.fields),
    })
}
