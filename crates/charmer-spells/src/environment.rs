//! The environment of a spell's program: a short list, what keeps it from waiting for a person, what the spell declares, and the
//! arguments.

use std::{
    env::{join_paths, split_paths},
    path::PathBuf,
};

use charmer_run::process::{Environment, MARK, MODE};
use serde_json::Value;

use crate::spell::Spell;

/// The variables of the server's environment that are handed on.
const KEPT: [&str; 6] = ["HOME", "USER", "LANG", "TZ", "TMPDIR", "PATH"];
/// Without these hardly a program starts on Windows.
#[cfg(windows)]
const KEPT_ALSO: &[&str] = &[
    "SystemRoot",
    "TEMP",
    "TMP",
    "USERPROFILE",
    "PATHEXT",
    "APPDATA",
    "LOCALAPPDATA",
];
#[cfg(not(windows))]
const KEPT_ALSO: &[&str] = &[];
/// The beginning of the name of an argument's variable.
pub(crate) const PREFIX: &str = "SPELL_ARG_";

/// The variable that holds an argument.
pub(crate) fn variable(argument: &str) -> String {
    format!("{PREFIX}{}", argument.to_ascii_uppercase())
}

/// Returns true if a variable is set by Charmer alone.
pub(crate) fn is_ours(name: &str) -> bool {
    name.starts_with(PREFIX) || name == MARK
}

/// The folders that programs are looked for in. Relative ones would be looked for wherever a program happens to stand.
pub(crate) fn search_path(variables: &Environment) -> Vec<PathBuf> {
    let path = variables.get("PATH").unwrap_or_default();
    split_paths(path)
        .filter(|entry| entry.is_absolute())
        .collect()
}

/// The environment that every call of every spell begins with.
pub(crate) fn base(variables: &Environment, mark: Option<&str>) -> Environment {
    let mut environment = Environment::empty();
    for (name, value) in variables.iter() {
        let kept = name.to_str().is_some_and(|name| {
            KEPT.contains(&name) || KEPT_ALSO.contains(&name) || name.starts_with("LC_")
        });
        if kept {
            environment.set(name, value);
        }
    }
    if environment.get("PATH").is_some() {
        // The entries come from a search path, so they can be one again.
        environment.set(
            "PATH",
            join_paths(search_path(variables)).unwrap_or_default(),
        );
    }
    let mut environment = environment.unattended::<&str>(&[]);
    environment.set(MODE, "true");
    if let Some(mark) = mark {
        environment.set(MARK, mark);
    }
    environment
}

/// The environment that every call of a spell begins with. It cannot set what is Charmer's own.
pub(crate) fn of_spell(spell: &Spell, base: &Environment) -> Environment {
    let mut environment = base.clone();
    for (name, value) in &spell.env {
        environment.set(name, value);
    }
    environment
}

/// A value as a variable holds it: text as it is, anything else as JSON.
pub(crate) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
