//! Holds a reading against the truth, command by command.

use std::collections::BTreeSet;

use charmer_core::model::{Cli, Command, Flag, GroupKind};

use super::{
    Report, TrueCommand, Truth,
    flag::{Measured, compare_flag, is_known},
    truth::is_added_by_parsers,
};

/// Compares what was found with what is true. Hidden and deprecated commands and flags need not be found, and it is no
/// mistake to find them.
pub fn compare(cli: &Cli, truth: &Truth) -> Report {
    let mut report = Report::default();
    judge_found(cli, truth, &mut report);
    let measured = Measured::of(truth);
    for (path, command) in &truth.commands {
        if !truth.is_expected(path) {
            continue;
        }
        let lineage = [path]
            .into_iter()
            .chain(&command.aliases)
            .find_map(|path| lineage(cli, path));
        if !path.is_empty() {
            report
                .command_recall
                .count(lineage.is_some(), || path.clone());
        }
        if let Some(lineage) = lineage {
            judge_command(path, command, &lineage, truth, &mut report);
            judge_flags(path, command, &lineage, &measured, &mut report);
        }
    }
    report
}

/// The commands that lead to a path, the root first; `None` where it was not found or is not shown.
fn lineage<'a>(cli: &'a Cli, path: &str) -> Option<Vec<&'a Command>> {
    let mut lineage = vec![&cli.root];
    for word in path.split_whitespace() {
        let child = lineage.last()?.child(word)?;
        if !is_shown(child) {
            return None;
        }
        lineage.push(child);
    }
    Some(lineage)
}

fn is_shown(command: &Command) -> bool {
    !command.hidden && command.deprecated.is_none()
}

/// Counts what was found by whether it exists.
fn judge_found(cli: &Cli, truth: &Truth, report: &mut Report) {
    cli.walk(&mut |path, lineage| {
        let shown = lineage.iter().all(|command| is_shown(command));
        if !shown || is_added_by_parsers(&path.to_string()) {
            return;
        }
        let Some(command) = lineage.last() else {
            return;
        };
        let true_path = truth.resolve(path.words());
        if !path.is_root() {
            // A page of help may be listed, but it cannot be called.
            let exists =
                true_path.is_some_and(|true_path| !(command.runnable && truth.is_topic(true_path)));
            report.command_precision.count(exists, || path.to_string());
        }
        let Some(true_command) = true_path.and_then(|path| truth.commands.get(path)) else {
            return;
        };
        judge_passed_on(&path.to_string(), true_command, lineage, truth, report);
        for flag in &command.flags {
            let added = matches!(flag.long.as_deref(), Some("help" | "version"));
            if flag.hidden || flag.deprecated.is_some() || added {
                continue;
            }
            report
                .flag_precision
                .count(is_known(flag, true_command), || {
                    place(&path.to_string(), &flag.display_name())
                });
        }
    });
}

/// Counts the flags that a command is offered from above although they hold there only: its program rejects them.
fn judge_passed_on(
    path: &str,
    true_command: &TrueCommand,
    lineage: &[&Command],
    truth: &Truth,
    report: &mut Report,
) {
    let Some((_, above)) = lineage.split_last() else {
        return;
    };
    let mut words: Vec<String> = Vec::new();
    for (depth, owner) in above.iter().enumerate() {
        if depth > 0 {
            words.push(owner.name.clone());
        }
        let Some(true_owner) = truth
            .resolve(&words)
            .and_then(|path| truth.commands.get(path))
        else {
            return;
        };
        for flag in owner.flags.iter().filter(|flag| flag.global) {
            let stays = true_owner
                .flags
                .iter()
                .any(|(name, own)| flag.is_named(name) && own.persistent == Some(false));
            if stays && !flag.hidden && flag.deprecated.is_none() {
                report
                    .flag_precision
                    .count(is_known(flag, true_command), || {
                        place(path, &flag.display_name())
                    });
            }
        }
    }
}

/// Counts what is known of a command itself: its other names, whether it runs, its groups.
fn judge_command(
    path: &str,
    truth: &TrueCommand,
    lineage: &[&Command],
    all: &Truth,
    report: &mut Report,
) {
    let Some(found) = lineage.last() else { return };
    if let Some(runnable) = truth.runnable {
        report.runnable.count(runnable == found.runnable, || {
            format!("{path}: {runnable}, found {}", found.runnable)
        });
    }
    if let Some(ends) = truth.options_end {
        let known = found.options_end_behind.is_some();
        report
            .options_end
            .count(ends == known, || format!("{path}: {ends}, found {known}"));
    }
    let word = path.rsplit(' ').next().unwrap_or_default();
    if all.commands.values().any(|command| !command.aliases.is_empty())
        && !path.is_empty()
        // Not where it was found only under an alias in another place.
        && found.is_called(word)
        && lineage.len() == path.split(' ').count() + 1
    {
        let expected: BTreeSet<String> = truth.alias_words(path, all).into_iter().collect();
        let given: BTreeSet<String> = found
            .aliases
            .iter()
            .chain([&found.name])
            .filter(|alias| *alias != word)
            .cloned()
            .collect();
        report.count_aliases(path, &expected, &given);
    }
    if all
        .commands
        .values()
        .any(|command| !command.groups.is_empty())
    {
        let expected: BTreeSet<String> = truth
            .groups
            .iter()
            .map(|group| group_text(group.kind, group.members.clone()))
            .collect();
        let given: BTreeSet<String> = found
            .groups
            .iter()
            .map(|group| {
                let name = |id: &String| {
                    let mut flags = lineage.iter().rev().flat_map(|command| &command.flags);
                    flags
                        .find(|flag| flag.id == *id)
                        .map_or_else(|| id.clone(), |flag| flag.display_name())
                };
                group_text(group.kind, group.members.iter().map(name).collect())
            })
            .collect();
        for group in expected.union(&given) {
            let right = expected.contains(group) && given.contains(group);
            report.groups.count(right, || {
                let what = if expected.contains(group) {
                    "missed"
                } else {
                    "made up"
                };
                format!("{path}: {group} {what}")
            });
        }
    }
}

fn group_text(kind: GroupKind, mut members: Vec<String>) -> String {
    members.sort();
    format!("{kind:?} {}", members.join(" ")).to_lowercase()
}

/// Counts the flags of a command that was found.
fn judge_flags(
    path: &str,
    truth: &TrueCommand,
    lineage: &[&Command],
    measured: &Measured,
    report: &mut Report,
) {
    let Some((own, above)) = lineage.split_last() else {
        return;
    };
    for (name, flag) in &truth.flags {
        if flag.hidden
            || flag.deprecated.is_some()
            || flag.inherited
            || matches!(name.as_str(), "--help" | "-h" | "--version")
        {
            continue;
        }
        let passed_on = above
            .iter()
            .rev()
            .flat_map(|command| command.flags.iter().filter(|flag| flag.global));
        // A flag is found by any of its names: which one help puts first is no news.
        let is_it = |found: &&Flag| {
            found.is_named(name) || flag.aliases.iter().any(|alias| found.is_named(alias))
        };
        let found = own
            .flags
            .iter()
            .chain(passed_on)
            .map(AsRef::as_ref)
            .find(|found| is_it(found) && !found.hidden && found.deprecated.is_none());
        let at = place(path, name);
        report.flag_recall.count(found.is_some(), || at.clone());
        if let Some(found) = found {
            compare_flag(&at, name, flag, found, measured, report);
        }
    }
}

/// The place of a flag, for people.
fn place(path: &str, flag: &str) -> String {
    if path.is_empty() {
        return flag.to_owned();
    }
    format!("{path} {flag}")
}
