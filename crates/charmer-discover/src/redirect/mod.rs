//! Flags that change where a program connects, who it is, what it trusts, which configuration it loads or which program
//! it runs.
//!
//! They are left out of tools unless asked for, since whoever can set them can make a harmless command run anything.
//! Only names, help and places are looked at; no program is known by name.

mod table;
#[cfg(test)]
mod tests;

use charmer_core::model::{Command, Flag, FlagValue, ValueType};
use serde::{Deserialize, Serialize};

use self::table::{BROAD_HELP, JOBS, LEAF_HELP, Leaf, ROWS, RUNNERS, Row, Takes};
use crate::effect::{
    flags::names,
    words::{Word, kebab, mentions, words},
};

/// What a flag redirects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RedirectKind {
    /// Where the program connects.
    Connect,
    /// Who it is.
    Identity,
    /// How it makes sure of whom it talks to and what it takes in.
    Verification,
    /// Which configuration it loads.
    Configuration,
    /// Which program it runs.
    Program,
    /// The environment of what it runs.
    Environment,
}

/// Why a flag is left out by default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Redirect {
    /// What it redirects.
    pub kind: RedirectKind,
    /// Why that matters, for people.
    pub reason: String,
    /// Whether it stays all the same, because the command does not run without it.
    pub required: bool,
}

/// Whether a flag redirects its program. The lineage leads to the command that the flag stands at, the root first.
///
/// ```
/// use charmer_core::model::{Command, Flag, ValueType};
/// use charmer_discover::redirect::{RedirectKind, redirects};
/// let root = Command::new("nest").command(Command::new("run"));
/// let run = Command::new("run");
/// let user = Flag::new("user").value_type(ValueType::String);
/// let found = redirects(&[&root], &user).expect("at the root it is who the program acts as");
/// assert_eq!(found.kind, RedirectKind::Identity);
/// assert!(redirects(&[&root, &run], &user).is_none());
/// ```
pub fn redirects(lineage: &[&Command], flag: &Flag) -> Option<Redirect> {
    let (kind, reason) = judge(lineage, flag)?;
    let reason = if flag.required {
        format!("{reason}; it stays, because the command does not run without it")
    } else {
        reason.to_owned()
    };
    Some(Redirect {
        kind,
        reason,
        required: flag.required,
    })
}

/// Whether a flag makes a command run another program, wherever it stands.
pub(crate) fn runs_program(flag: &Flag) -> bool {
    let names = names(flag);
    ROWS.iter()
        .filter(|row| row.kind == RedirectKind::Program && matches!(row.leaf, Leaf::Always))
        .any(|row| row_names(row, &names) && takes(row.takes, flag))
}

fn judge(lineage: &[&Command], flag: &Flag) -> Option<(RedirectKind, &'static str)> {
    let names = names(flag);
    let help = words(flag.help.as_deref().unwrap_or_default());
    let broad = lineage.len() < 2
        || flag.global
        || lineage
            .last()
            .is_some_and(|owner| !owner.runnable && !owner.commands.is_empty());
    for row in ROWS {
        if !row_names(row, &names) || !takes(row.takes, flag) || mentions(&help, row.unless) {
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
    if broad && names.is_empty() {
        return short_only(flag, &help);
    }
    by_help(flag, &help, if broad { BROAD_HELP } else { LEAF_HELP })
        .filter(|_| broad || !is_for(lineage, RUNNERS))
}

/// A flag with a letter only, which stands before all commands.
fn short_only(flag: &Flag, help: &[Word]) -> Option<(RedirectKind, &'static str)> {
    if !takes(Takes::Text, flag) {
        return None;
    }
    let silent = help.is_empty();
    match flag.short {
        Some('c')
            if silent
                || mentions(
                    help,
                    &["config", "configuration", "name value", "key value"],
                ) =>
        {
            Some((
                RedirectKind::Configuration,
                "it sets any part of the configuration, which can name programs to run",
            ))
        }
        Some('C') if silent || mentions(help, &["directory", "dir", "path", "folder"]) => Some((
            RedirectKind::Configuration,
            "it makes the program start in another directory, whose configuration it then loads",
        )),
        Some('Z') if mentions(help, &["unstable", "nightly", "nightly-only"]) => Some((
            RedirectKind::Configuration,
            "it switches on unstable behaviour, which can change what is run",
        )),
        _ => by_help(flag, help, BROAD_HELP).or_else(|| {
            mentions(help, &["configuration", "config", "configfile"])
                .then_some((RedirectKind::Configuration, "it changes the configuration"))
        }),
    }
}

fn by_help(
    flag: &Flag,
    help: &[Word],
    rules: &[(RedirectKind, &'static str, &[&str])],
) -> Option<(RedirectKind, &'static str)> {
    let text = takes(Takes::Text, flag);
    rules
        .iter()
        .filter(|(kind, ..)| text || *kind == RedirectKind::Verification)
        .filter(|(kind, ..)| flag.choices.is_empty() || *kind != RedirectKind::Program)
        .find(|(_, _, phrases)| mentions(help, phrases))
        .map(|(kind, reason, _)| (*kind, *reason))
}

fn row_names(row: &Row, names: &[String]) -> bool {
    names.iter().any(|name| {
        row.names.split_whitespace().any(|pattern| {
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

fn takes(takes: Takes, flag: &Flag) -> bool {
    takes == Takes::Anything
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

/// Whether the command that the flag stands at, or one above it, is called by one of these words.
fn is_for(lineage: &[&Command], jobs: &[&str]) -> bool {
    lineage.iter().skip(1).any(|command| {
        let name = kebab(&command.name);
        name.split('-')
            .next()
            .is_some_and(|verb| jobs.contains(&verb))
    })
}
