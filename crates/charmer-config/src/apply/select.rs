//! The rules of selectors, put into the model of their commands: the first that matches decides, as in the catalogue.

use std::collections::BTreeMap;

use charmer_core::{
    model::{Cli, Command, CommandPath, Flag, heirs},
    select::{self, Candidate, first_match},
    tool::can_be_tool,
};

use crate::{CommandSelection, FilePlace, FileWarning, SourceEntry};

use super::{
    ApplyReport, ModelMismatch, at_mut, canonical, correct::shown, mismatch::nearest_command,
};

/// The maximum number of commands that a message names.
const NAMED: usize = 3;

pub(super) fn apply(
    source: &SourceEntry,
    cli: &mut Cli,
    report: &mut ApplyReport,
    mismatches: &mut Vec<ModelMismatch>,
) {
    let rules = source.selectors();
    let mut chosen: Vec<(CommandPath, usize)> = Vec::new();
    let mut unconfirmed: BTreeMap<(usize, String), Vec<String>> = BTreeMap::new();
    let program = cli.root.name.as_str();
    cli.walk(&mut |path, lineage| {
        let command = *lineage.last().expect("a lineage ends with its command");
        if !can_be_tool(lineage) {
            return;
        }
        let candidate = Candidate::new(program, path, command);
        let Some((at, rule)) = first_match(&rules, &candidate) else {
            return;
        };
        chosen.push((path.clone(), at));
        // A correction's switch must be let in as well.
        let own = report.has(path, "confirm");
        let switch = match &command.confirm {
            Some(switch) if own => Some(switch),
            _ => source.select[at].confirm.as_ref(),
        };
        if let Some(switch) = switch
            && !is_let_in(rule, lineage, switch)
        {
            let commands = unconfirmed.entry((at, switch.clone())).or_default();
            commands.push(shown(program, path));
        }
    });
    for (path, at) in &chosen {
        let selector = &source.select[*at];
        let command = at_mut(cli, path).expect("it was just visited");
        report.current = selector.position.clone();
        if let Some(effect) = selector.assume_effect
            && !report.has(path, "effect")
        {
            command.hints.effect = effect;
            report.note(path, None, "effect");
        }
        if selector.stdin && !report.has(path, "stdin") {
            command.stdin = true;
            report.note(path, None, "stdin");
        }
        if let Some(switch) = &selector.confirm
            && !report.has(path, "confirm")
        {
            command.confirm = Some(switch.clone());
            report.note(path, None, "confirm");
        }
    }
    for ((at, switch), commands) in unconfirmed {
        mismatches.push(ModelMismatch::new(
            format!(
                "`confirm` names `{switch}`, which is no switch that entry {} of `select` lets in for {}",
                source.select[at].number + 1,
                some_of(&commands)
            ),
            "give these commands an entry of their own, without `confirm`, or let the flag in",
        )
        .at(FilePlace::of(["select", &source.select[at].number.to_string(), "confirm", &switch])));
    }
    warn(source, cli, &chosen, report);
}

/// Returns true if a flag is a switch of this name that is offered at all.
pub(super) fn can_confirm(flag: &Flag, switch: &str) -> bool {
    flag.is_switch() && !flag.hidden && flag.deprecated.is_none() && flag.is_named(switch)
}

fn is_let_in(rule: &select::ToolSelector, lineage: &[&Command], switch: &str) -> bool {
    let (leaf, ancestors) = heirs(lineage).split_last().expect("a lineage is not empty");
    let own = leaf.flags.iter();
    let inherited = ancestors
        .iter()
        .flat_map(|command| command.flags_beside_subcommands());
    let mut own = own.filter(|flag| rule.local_flags.matches(flag));
    let mut inherited = inherited.filter(|flag| rule.inherited_flags.matches(flag));
    own.any(|flag| can_confirm(flag, switch)) || inherited.any(|flag| can_confirm(flag, switch))
}

/// `a`, `b` and 7 more.
fn some_of(names: &[String]) -> String {
    let quoted: Vec<String> = names
        .iter()
        .take(NAMED)
        .map(|name| format!("`{name}`"))
        .collect();
    match names.len().saturating_sub(NAMED) {
        0 => quoted.join(", "),
        more => format!("{} and {more} more", quoted.join(", ")),
    }
}

/// Paths that name no command, and entries that speak for none.
fn warn(
    source: &SourceEntry,
    cli: &Cli,
    chosen: &[(CommandPath, usize)],
    report: &mut ApplyReport,
) {
    for (at, selector) in source.select.iter().enumerate() {
        // An entry stands here several times where a file includes another; it is told of once.
        if source.select[..at]
            .iter()
            .any(|one| one.is_same_entry(selector))
        {
            continue;
        }
        let place = selector.number + 1;
        let mut named = true;
        let entry = selector.number.to_string();
        let rule = match &selector.commands {
            Some(CommandSelection::Allow(paths)) => Some(("allow", paths)),
            Some(CommandSelection::Exclude(paths)) => Some(("exclude", paths)),
            _ => None,
        };
        if let Some((key, paths)) = rule {
            for path in paths {
                let written = super::without_program(cli, path);
                if canonical(&cli.root, written.words()).is_some() {
                    continue;
                }
                named = false;
                let hint = match nearest_command(cli, path) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "correct it, or remove it".to_owned(),
                };
                report.warnings.push(FileWarning {
                    message: format!(
                        "entry {place} of `select` names `{path}`, which `{}` does not have",
                        cli.root.name
                    ),
                    hint,
                    place: FilePlace::of(["select", &entry, "commands", key, path]),
                });
            }
        }
        let speaks = |chosen: usize| source.select[chosen].is_same_entry(selector);
        if named && !chosen.iter().any(|(_, chosen)| speaks(*chosen)) {
            report.warnings.push(FileWarning {
                message: format!("entry {place} of `select` speaks for no command"),
                hint: "correct its `commands`, or remove it; entries before it decide first"
                    .to_owned(),
                place: FilePlace::of(["select", &entry, "commands"]),
            });
        }
    }
}
