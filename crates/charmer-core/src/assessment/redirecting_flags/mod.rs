//! Flags that change where a program connects, who it is, what it trusts, which configuration it loads or which program
//! it runs.
//!
//! They are left out of tools unless asked for, since whoever can set them can make a harmless command run anything.
//! Only names, help, usage and places are looked at; no program is known by name. What cannot be left out, because the
//! command is nothing without it, is judged by its values.

mod placeholder;
mod table;
#[cfg(test)]
mod tests;
pub(crate) mod values;

use crate::model::{Command, Flag, FlagValue, ValueType};
use serde::{Deserialize, Serialize};

pub(crate) use self::placeholder::placeholder;
use self::table::{
    BROAD_HELP, FlagTakes, JOBS, LEAF_HELP, Leaf, PLACEHOLDERS, ROWS, RUNNERS, SHORT_HELP,
};
pub use self::values::RefusedValue;
use crate::assessment::effect::{
    flags::names,
    words::{SentenceWord, kebab, mentions, words},
};

/// The part of a program that a flag redirects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RedirectKind {
    /// The server or machine that the program connects to.
    Connect,
    /// The identity under which the program acts.
    Identity,
    /// The way it makes sure of whom it talks to and what it takes in.
    Verification,
    /// The configuration that the program loads.
    Configuration,
    /// Another program that it runs.
    Program,
    /// The environment of what it runs.
    Environment,
}

/// The reason why a flag is left out by default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RedirectingFlag {
    /// The thing that it redirects.
    pub kind: RedirectKind,
    /// The danger in that, for people.
    pub reason: String,
    /// It stays all the same, because the command does not run without it.
    pub required: bool,
}

/// Tells whether a flag redirects its program. The lineage leads to the command that the flag stands at, the root
/// first.
///
/// ```
/// use charmer_core::model::{Command, Flag, ValueType};
/// use charmer_core::assessment::redirecting_flags::{RedirectKind, redirects};
/// let root = Command::new("nest").command(Command::new("run"));
/// let run = Command::new("run");
/// let user = Flag::new("user").value_type(ValueType::String);
/// let found = redirects(&[&root], &user).expect("at the root it is who the program acts as");
/// assert_eq!(found.kind, RedirectKind::Identity);
/// assert!(redirects(&[&root, &run], &user).is_none());
/// ```
pub fn redirects(lineage: &[&Command], flag: &Flag) -> Option<RedirectingFlag> {
    let (kind, reason) = judge(lineage, flag)?;
    let reason = if flag.required {
        format!("{reason}; it stays, because the command does not run without it")
    } else {
        reason.to_owned()
    };
    Some(RedirectingFlag {
        kind,
        reason,
        required: flag.required,
    })
}

/// Returns true if a flag makes a command run another program, wherever it stands.
pub(crate) fn runs_program(flag: &Flag) -> bool {
    let names = names(flag);
    ROWS.iter()
        .filter(|row| row.kind == RedirectKind::Program && matches!(row.leaf, Leaf::Always))
        .any(|row| row_names(row.names, &names) && takes(row.takes, flag))
}

fn judge(lineage: &[&Command], flag: &Flag) -> Option<(RedirectKind, &'static str)> {
    let names = names(flag);
    let help = words(flag.help.as_deref().unwrap_or_default());
    let owner = lineage.last();
    // A program without commands is one command: its `--file` is what it works on, not what all commands load.
    let broad = flag.global
        || owner.is_none_or(|owner| {
            !owner.commands.is_empty() && (lineage.len() < 2 || !owner.runnable)
        });
    for row in ROWS {
        if !row_names(row.names, &names)
            || !takes(row.takes, flag)
            || mentions(&help, row.unless)
            || !(row.only.is_empty() || mentions(&help, row.only))
        {
            continue;
        }
        // A program that is one of a few cannot be any program.
        if row.kind == RedirectKind::Program && !flag.choices.is_empty() {
            continue;
        }
        let speaks = broad
            || match row.leaf {
                Leaf::Always => true,
                Leaf::UnlessJob if row.kind == RedirectKind::Program => !is_for(lineage, RUNNERS),
                Leaf::UnlessJob => !is_for(lineage, JOBS),
                Leaf::IfHelp(phrases) => mentions(&help, phrases),
                Leaf::Never => false,
            };
        if speaks {
            return Some((row.kind, row.reason));
        }
    }
    if names.is_empty() {
        return short_only(owner.copied(), flag, broad)
            .filter(|(kind, _)| *kind != RedirectKind::Program || !is_for(lineage, RUNNERS));
    }
    by_help(flag, &help, if broad { BROAD_HELP } else { LEAF_HELP })
        .filter(|_| broad || !is_for(lineage, RUNNERS))
}

/// A flag with a letter only: its help says what it is, or else the placeholder that the usage has for it.
fn short_only(
    owner: Option<&Command>,
    flag: &Flag,
    broad: bool,
) -> Option<(RedirectKind, &'static str)> {
    let letter = flag.short?;
    let placeholder = owner.and_then(|owner| placeholder(owner, letter));
    // Also where there is help, which may be a manual page's and speak of everything; `option` alone says less than help.
    let telling = |word: &&String| flag.help.is_none() || !word.starts_with("option");
    if let Some(placeholder) = placeholder.as_ref().filter(telling) {
        let names = [kebab(placeholder)];
        let mut rows = PLACEHOLDERS.iter();
        let row = rows.find(|(letters, _, _, row)| {
            (letters.is_empty() || letters.contains(letter)) && row_names(row, &names)
        });
        if let Some((_, kind, reason, _)) = row {
            return Some((*kind, *reason));
        }
    }
    if !takes(FlagTakes::Text, flag) {
        return None;
    }
    let said = [flag.help.as_deref(), placeholder.as_deref()];
    let said = words(&said.into_iter().flatten().collect::<Vec<_>>().join(" "));
    if !broad {
        return by_help(flag, &said, LEAF_HELP).or_else(|| by_help(flag, &said, SHORT_HELP));
    }
    let silent = said.is_empty();
    match letter {
        'c' if silent
            || mentions(
                &said,
                &["config", "configuration", "name value", "key value"],
            ) =>
        {
            Some((
                RedirectKind::Configuration,
                "it sets any part of the configuration, which can name programs to run",
            ))
        }
        'C' if silent || mentions(&said, &["directory", "dir", "path", "folder"]) => Some((
            RedirectKind::Configuration,
            "it makes the program start in another directory, whose configuration it then loads",
        )),
        'Z' if mentions(&said, &["unstable", "nightly", "nightly-only"]) => Some((
            RedirectKind::Configuration,
            "it switches on unstable behaviour, which can change what is run",
        )),
        _ => by_help(flag, &said, BROAD_HELP).or_else(|| {
            mentions(&said, &["configuration", "config", "configfile"])
                .then_some((RedirectKind::Configuration, "it changes the configuration"))
        }),
    }
}

fn by_help(
    flag: &Flag,
    help: &[SentenceWord],
    rules: &[(RedirectKind, &'static str, &[&str])],
) -> Option<(RedirectKind, &'static str)> {
    let text = takes(FlagTakes::Text, flag);
    rules
        .iter()
        .filter(|(kind, ..)| text || *kind == RedirectKind::Verification)
        .filter(|(kind, ..)| flag.choices.is_empty() || *kind != RedirectKind::Program)
        .find(|(_, _, phrases)| mentions(help, phrases))
        .map(|(kind, reason, _)| (*kind, *reason))
}

/// Returns true if a row's names, where `*` stands for any beginning or end, hold one of these.
pub(crate) fn row_names(row: &str, names: &[String]) -> bool {
    names.iter().any(|name| {
        row.split_whitespace().any(|pattern| {
            if let Some(end) = pattern.strip_prefix('*') {
                name.ends_with(end)
            } else if let Some(start) = pattern.strip_suffix('*') {
                name.starts_with(start)
            } else {
                name == pattern
            }
        })
    })
}

fn takes(takes: FlagTakes, flag: &Flag) -> bool {
    takes == FlagTakes::Anything
        || (!matches!(flag.value, FlagValue::None)
            && matches!(
                flag.value_type,
                ValueType::String
                    | ValueType::Path
                    | ValueType::Map(_)
                    | ValueType::Ip
                    | ValueType::IpNet
                    | ValueType::Hex
                    | ValueType::Base64
            ))
}

/// Returns true if the command that the flag stands at, or one above it, is called by one of these words.
fn is_for(lineage: &[&Command], jobs: &[&str]) -> bool {
    lineage.iter().skip(1).any(|command| {
        let name = kebab(&command.name);
        name.split('-')
            .next()
            .is_some_and(|verb| jobs.contains(&verb))
    })
}
