//! One command's corrections put into the model.

use charmer_core::{
    model::{Cli, Command, CommandPath, Flag, Shared},
    select::names_flag,
};

use crate::{CommandOverride, FilePlace};

use super::{
    ApplyReport, ModelMismatch,
    argument::{arguments, flag, new_flag},
    at_mut,
    select::can_confirm,
};

pub(super) fn command(
    cli: &mut Cli,
    path: &CommandPath,
    correction: &CommandOverride,
    report: &mut ApplyReport,
    mismatches: &mut Vec<ModelMismatch>,
) {
    let program = cli.root.name.clone();
    let shown = shown(&program, path);
    if at_mut(cli, path).is_none() {
        let (name, parent) = path.words().split_last().expect("the root is always there");
        let parent: CommandPath = parent.iter().map(String::as_str).collect();
        // A parent that could not be corrected was reported already.
        let Some(parent) = at_mut(cli, &parent) else {
            return;
        };
        parent.commands.push(Command::new(name.as_str()));
        report.note(path, None, "add");
    }
    let inherited = inherited_flags(cli, path);
    let command = at_mut(cli, path).expect("it was found or added");
    let mut note = |field| report.note(path, None, field);
    if let Some(text) = &correction.description {
        command.about = Some(text.clone());
        command.long_about = None;
        note("description");
    }
    if let Some(text) = &correction.usage {
        let rest = usage_of_arguments(&program, path, text);
        *command = std::mem::take(command).usage(format!("{} {rest}", leaf(&program, path)));
        note("usage");
    }
    if let Some(text) = &correction.examples {
        command.examples = Some(text.clone());
        note("examples");
    }
    if let Some(text) = &correction.title {
        command.hints.title = Some(text.clone());
        note("title");
    }
    if let Some(effect) = correction.effect {
        command.hints.effect = effect;
        note("effect");
    }
    if let Some(network) = correction.network {
        command.hints.network = Some(network);
        note("network");
    }
    if let Some(yes) = correction.idempotent {
        command.hints.idempotent = Some(yes);
        note("idempotent");
    }
    if let Some(yes) = correction.open_world {
        command.hints.open_world = Some(yes);
        note("open_world");
    }
    if let Some(yes) = correction.runnable {
        command.runnable = yes;
        note("runnable");
    }
    if let Some(yes) = correction.exclude {
        command.hidden = yes;
        if !yes {
            command.deprecated = None;
        }
        note("exclude");
    }
    if let Some(yes) = correction.stdin {
        command.stdin = yes;
        note("stdin");
    }
    if let Some(specs) = &correction.args {
        arguments(command, specs, path, report);
    }
    for (name, correction) in &correction.flags {
        let found = command.flags.iter().position(|flag| names_flag(name, flag));
        let at = match found {
            Some(at) => at,
            None => {
                let outer = inherited.iter().find(|(_, flag)| names_flag(name, flag));
                match outer {
                    // A copy at this command stands for the one of the ancestor.
                    Some((_, flag)) if flag.global => command.flags.push(flag.clone()),
                    Some((owner, flag)) if !correction.add && !correction.optional => {
                        let flag = flag.display_name();
                        mismatches.push(ModelMismatch::new(
                            format!("`override` names the flag `{flag}` of `{shown}`, which is one of `{owner}`"),
                            format!("correct it under `{owner}`"),
                        )
                        .at(FilePlace::of(["flags", name])));
                        continue;
                    }
                    _ if correction.add => {
                        command.flags.push(new_flag(name, correction).into());
                        report.note(
                            path,
                            Some(&command.flags[command.flags.len() - 1].id),
                            "add",
                        );
                    }
                    _ if correction.optional => continue,
                    _ => {
                        let known = command
                            .flags
                            .iter()
                            .chain(inherited.iter().map(|(_, flag)| flag));
                        let known = known.map(AsRef::as_ref);
                        let mismatch = ModelMismatch::no_flag("override", &shown, name, known);
                        mismatches.push(mismatch.at(FilePlace::of(["flags", name])));
                        continue;
                    }
                }
                command.flags.len() - 1
            }
        };
        flag(&mut command.flags[at], correction, path, report);
    }
    if let Some(switch) = &correction.confirm {
        let own = command.flags.iter();
        let outer = inherited.iter().map(|(_, flag)| flag);
        if own.chain(outer).any(|flag| can_confirm(flag, switch)) {
            command.confirm = Some(switch.clone());
            report.note(path, None, "confirm");
        } else {
            mismatches.push(
                ModelMismatch::new(
                    format!("`confirm` names `{switch}`, which is no switch of `{shown}`"),
                    "name the flag that answers the command's question, or remove `confirm`",
                )
                .at(FilePlace::of(["confirm", switch])),
            );
        }
    }
}

/// A command as people write it.
pub(super) fn shown(program: &str, path: &CommandPath) -> String {
    if path.is_root() {
        program.to_owned()
    } else {
        path.to_string()
    }
}

fn leaf<'p>(program: &'p str, path: &'p CommandPath) -> &'p str {
    path.words().last().map_or(program, String::as_str)
}

/// Returns the part of a usage line behind the command; the line may begin with the command's whole path, a part of it,
/// or with neither.
fn usage_of_arguments<'u>(program: &str, path: &CommandPath, usage: &'u str) -> &'u str {
    let full: Vec<&str> = std::iter::once(program)
        .chain(path.words().iter().map(String::as_str))
        .collect();
    let stripped = (0..full.len()).find_map(|from| {
        full[from..]
            .iter()
            .try_fold(usage.trim_start(), |rest, word| {
                let rest = rest.strip_prefix(word)?;
                let ends = rest.is_empty() || rest.starts_with(char::is_whitespace);
                ends.then(|| rest.trim_start())
            })
    });
    stripped.unwrap_or(usage).trim()
}

/// The flags of a command's ancestors, the nearest first, with whose they are.
fn inherited_flags(cli: &Cli, path: &CommandPath) -> Vec<(String, Shared<Flag>)> {
    let mut found = Vec::new();
    let mut command = &cli.root;
    for (depth, word) in path.words().iter().enumerate() {
        let owner: CommandPath = path.words()[..depth].iter().map(String::as_str).collect();
        let owner = shown(&cli.root.name, &owner);
        found.extend(
            command
                .flags
                .iter()
                .map(|flag| (owner.clone(), flag.clone())),
        );
        match command.commands.iter().find(|child| child.name == *word) {
            Some(child) => command = child,
            None => break,
        }
    }
    found.reverse();
    found
}
