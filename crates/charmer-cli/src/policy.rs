//! From what was found out about a program to what is offered of it: effects, selection, and flags that stay out.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use charmer_config::{Applied, Declared, Mismatches};
use charmer_core::{
    model::{Cli, Command, CommandPath, Effect, Flag},
    select::{Candidate, CommandRule, FlagRule, Selector},
    text::nearest,
    tool::CatalogueOptions,
};
use charmer_discover::{Discovery, Judgement};
use charmer_spells::NameRule;
use serde::Serialize;

use crate::{args::Selection, problem::Problem, settings::Program};

/// A program, ready for its tools to be made.
#[derive(Debug, Clone)]
pub(crate) struct Prepared {
    /// The program, with everything that is known of its behaviour and without what stays out.
    pub(crate) cli: Cli,
    pub(crate) options: CatalogueOptions,
    /// What is declared of the output of commands.
    pub(crate) outputs: HashMap<CommandPath, Declared>,
    /// What is thought of its commands, and why.
    pub(crate) judgement: Judgement,
    pub(crate) left_out: Vec<LeftOut>,
    /// Whether only reading is offered.
    pub(crate) read_only: bool,
    /// What the configuration has set.
    pub(crate) applied: Vec<Applied>,
    pub(crate) warnings: Vec<String>,
}

/// A flag that is not offered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct LeftOut {
    /// The command that it belongs to.
    pub(crate) command: CommandPath,
    /// The flag's id.
    #[serde(skip)]
    pub(crate) id: String,
    /// The flag as people write it.
    pub(crate) flag: String,
    /// Why.
    pub(crate) reason: String,
}

/// Decides what is offered of a program.
pub(crate) fn prepare(
    found: &Discovery,
    program: &Program,
    selection: &Selection,
) -> Result<Prepared, Problem> {
    let source = &program.source;
    let mut cli = found.cli.clone();
    found.judgement.set_effects(&mut cli);
    // The file has the last word on what was inferred; a command that it adds is thought about as well.
    let report = source
        .apply(&mut cli)
        .map_err(|error| mismatch(program, &error))?;
    let judgement = match has_new_commands(&cli, &found.judgement) {
        true => {
            let judgement = Judgement::of(&cli);
            judgement.set_effects(&mut cli);
            judgement
        }
        false => found.judgement.clone(),
    };
    let mut warnings: Vec<String> = report.warnings.iter().map(ToString::to_string).collect();
    let read_only = selection.read_only || source.read_only;
    let pinned = source.catalogue_options(&cli);
    let mut options = pinned.map_err(|error| mismatch(program, &error))?;
    let left_out = leave_out_flags(&mut cli, program, selection, &judgement, read_only);
    warnings.extend(unmatched(&cli, selection, &found.cli));
    options.selectors = selectors(&cli, program, selection, read_only);
    let outputs = source.outputs(&cli);
    warnings.extend(lost_in_conversion(&cli, &outputs));
    Ok(Prepared {
        cli,
        options,
        outputs,
        judgement,
        left_out,
        read_only,
        applied: report.applied,
        warnings,
    })
}

/// What declared schemas say and clients are not shown.
fn lost_in_conversion(cli: &Cli, outputs: &HashMap<CommandPath, Declared>) -> Vec<String> {
    let schemas = outputs
        .iter()
        .filter_map(|(path, declared)| Some((path, declared.schema.as_ref()?)));
    let notes = schemas.flat_map(|(path, schema)| {
        let notes = schema.notes().iter();
        notes.map(move |note| format!("{} {path}: the schema of its output, {note}", cli.root.name))
    });
    let mut notes: Vec<String> = notes.collect();
    notes.sort();
    notes
}

/// What the file says of a program that the program does not have.
fn mismatch(program: &Program, error: &Mismatches) -> Problem {
    Problem::mistake(format!(
        "`{}` and the configuration do not fit: {error}",
        program.name()
    ))
    .hint(format!(
        "`charmer inspect {}` shows what it has",
        program.name()
    ))
}

fn has_new_commands(cli: &Cli, judgement: &Judgement) -> bool {
    let mut new = false;
    cli.walk(&mut |path, _| new |= judgement.command(path).is_none());
    new
}

impl Prepared {
    /// What a command's positionals must not match: they would show secrets where only reading is offered.
    pub(crate) fn secrets(&self, path: &CommandPath) -> Option<&str> {
        let thought = self.judgement.command(path).filter(|_| self.read_only)?;
        thought.secrets.as_deref()
    }
}

/// Hides the flags that stay out: a hidden flag is in no schema, so no input can reach it. Marks those that write.
fn leave_out_flags(
    cli: &mut Cli,
    program: &Program,
    selection: &Selection,
    judgement: &Judgement,
    read_only: bool,
) -> Vec<LeftOut> {
    let named = FlagRule::allow(selection.with_flags.iter().cloned());
    let pinned = FlagRule::allow(program.source.set.keys().cloned());
    let mut left_out = Vec::new();
    let mut writing = Vec::new();
    cli.walk(&mut |path, lineage| {
        let command = *lineage.last().expect("a lineage is not empty");
        for flag in command.flags.iter().filter(|flag| !flag.hidden) {
            // A pinned flag is in no schema anyway, and it must be written.
            if pinned.matches(flag) {
                continue;
            }
            let brought_back = selection.all_flags
                || named.matches(flag)
                || program.source.redirects.lets_in(flag);
            let thought = judgement.command(path);
            let redirects = || {
                let reason = thought?.redirects.get(&flag.id);
                reason.filter(|_| !brought_back).cloned()
            };
            let writes = thought.and_then(|thought| thought.writes.get(&flag.id));
            if writes.is_some() {
                writing.push((path.clone(), flag.id.clone()));
            }
            if let Some(reason) = redirects().or_else(|| writes.filter(|_| read_only).cloned()) {
                left_out.push(LeftOut {
                    command: path.clone(),
                    id: flag.id.clone(),
                    flag: flag.display_name(),
                    reason,
                });
            }
        }
    });
    let mut set = |path: &CommandPath, id: &str, set: fn(&mut Flag)| {
        let command = cli.command_mut(path);
        let flags = command.into_iter().flat_map(|command| &mut command.flags);
        flags.filter(|flag| flag.id == id).for_each(set);
    };
    for (path, id) in &writing {
        set(path, id, |flag| flag.writes = true);
    }
    for out in &left_out {
        set(&out.command, &out.id, |flag| flag.hidden = true);
    }
    left_out
}

/// The file's selectors, within what the command line lets through.
fn selectors(
    cli: &Cli,
    program: &Program,
    selection: &Selection,
    read_only: bool,
) -> Vec<Selector> {
    let allow = (!selection.allow.is_empty()).then(|| globs(&selection.allow));
    let denied = Arc::new(denied(cli, &selection.deny));
    let let_through = move |candidate: &Candidate<'_>| {
        allow.as_ref().is_none_or(|allow| allow.matches(candidate))
            && !denied.contains(original(candidate.path, candidate.command))
            && (!read_only || candidate.command.hints.effect == Effect::Read)
    };
    let mut selectors = program.source.selectors();
    if selectors.is_empty() {
        selectors.push(Selector::default());
    }
    for selector in &mut selectors {
        let (inner, let_through) = (selector.commands.clone(), let_through.clone());
        selector.commands =
            CommandRule::new(move |candidate| inner.matches(candidate) && let_through(candidate));
    }
    selectors
}

/// The commands that are left out, whichever of their paths was named.
fn denied(cli: &Cli, patterns: &[String]) -> HashSet<CommandPath> {
    let mut denied = HashSet::new();
    if patterns.is_empty() {
        return denied;
    }
    let deny = globs(patterns);
    cli.walk(&mut |path, lineage| {
        let command = *lineage.last().expect("a lineage is not empty");
        if deny.matches(&Candidate::new(&cli.root.name, path, command)) {
            denied.insert(original(path, command).clone());
        }
    });
    denied
}

/// The path that a command is known by.
fn original<'c>(path: &'c CommandPath, command: &'c Command) -> &'c CommandPath {
    command.same_as.as_ref().unwrap_or(path)
}

/// What globs match, and everything below it. The program itself is not above its commands here: `s*` must not mean
/// everything because the program is called `ship`.
pub(crate) fn globs(patterns: &[String]) -> CommandRule {
    let rule = CommandRule::allow_glob(patterns.iter().map(|pattern| glob(pattern)));
    CommandRule::new(move |candidate| {
        let words = candidate.path.words();
        (words.len().min(1)..=words.len()).any(|length| {
            let above: CommandPath = words[..length].iter().cloned().collect();
            rule.matches(&Candidate::new(
                candidate.program,
                &above,
                candidate.command,
            ))
        })
    })
}

/// What spells are called where globs begin with a program's name: `spells/*`.
const SPELLS: &str = "spells";
/// Tools that reach only the spells that are offered, so that --allow need not name them.
const GENERAL: [&str; 2] = ["cast_spell", "list_spells"];

/// Which spells --allow and --deny let through; all, if neither is given.
pub(crate) fn spell_rule(selection: &Selection) -> Option<NameRule> {
    if selection.allow.is_empty() && selection.deny.is_empty() {
        return None;
    }
    let allow = (!selection.allow.is_empty()).then(|| globs(&selection.allow));
    let deny = globs(&selection.deny);
    Some(NameRule::new(move |name| {
        let allowed = |allow: &CommandRule| GENERAL.contains(&name) || names_spell(allow, name);
        allow.as_ref().is_none_or(allowed) && !names_spell(&deny, name)
    }))
}

pub(crate) fn names_spell(rule: &CommandRule, name: &str) -> bool {
    let path: CommandPath = [name.to_owned()].into_iter().collect();
    rule.matches(&Candidate::new(SPELLS, &path, &Command::new(name)))
}

/// The globs of a selection that one of these spells meets.
pub(crate) fn met_by(selection: &Selection, names: &[String]) -> Vec<String> {
    let globs_given = selection.allow.iter().chain(&selection.deny);
    let met = globs_given.filter(|glob| {
        let rule = globs(std::slice::from_ref(*glob));
        let names = names.iter().map(String::as_str).chain(GENERAL);
        names.into_iter().any(|name| names_spell(&rule, name))
    });
    met.cloned().collect()
}

/// Whether there are spells, and --allow lets none through.
pub(crate) fn leaves_out_all(selection: &Selection, names: &[String]) -> bool {
    let allow = globs(&selection.allow);
    !selection.allow.is_empty()
        && !names.is_empty()
        && !names.iter().any(|name| names_spell(&allow, name))
}

/// What was asked for by name where there are only spells, and none is called that.
pub(crate) fn unmet(selection: &Selection) -> Vec<String> {
    let options = [("--allow", &selection.allow), ("--deny", &selection.deny)];
    let unmet = options.into_iter().flat_map(|(option, globs)| {
        let unmet = globs
            .iter()
            .filter(|glob| !selection.met_by_spells.contains(glob));
        unmet.map(move |glob| format!("`{option} {glob}` matches no spell"))
    });
    unmet.collect()
}

/// Levels may be separated by spaces, as people write commands.
fn glob(pattern: &str) -> String {
    let words: Vec<&str> = pattern.split_whitespace().collect();
    words.join("/").trim_matches('/').to_owned()
}

/// What was asked for by name and is not there: most likely a typing error.
fn unmatched(cli: &Cli, selection: &Selection, found: &Cli) -> Vec<String> {
    let options = [("--allow", &selection.allow), ("--deny", &selection.deny)];
    let unmatched = unmatched_globs(cli, options).into_iter();
    let unmatched = unmatched.filter(|one| !selection.met_by_spells.contains(&one.glob));
    let mut warnings: Vec<String> = unmatched.map(|one| one.warning).collect();
    for name in &selection.with_flags {
        let rule = FlagRule::allow([name.as_str()]);
        let mut flags: Vec<&Flag> = Vec::new();
        found.walk(&mut |_, lineage| {
            flags.extend(
                lineage
                    .last()
                    .into_iter()
                    .flat_map(|command: &&Command| &command.flags),
            );
        });
        if !flags.iter().any(|flag| rule.matches(flag)) {
            let names = flags.iter().filter_map(|flag| flag.long.as_deref());
            let near = nearest(name.trim_start_matches('-'), names);
            let near = near.map_or_else(String::new, |near| format!("; did you mean `--{near}`?"));
            warnings.push(format!(
                "`--with-flag {name}` names no flag of `{}`{near}",
                cli.root.name
            ));
        }
    }
    warnings
}

/// A glob of an option that matches no command of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unmatched {
    pub(crate) option: &'static str,
    pub(crate) glob: String,
    /// What is told of it.
    pub(crate) warning: String,
}

/// The globs of options that match no command.
pub(crate) fn unmatched_globs<const N: usize>(
    cli: &Cli,
    options: [(&'static str, &Vec<String>); N],
) -> Vec<Unmatched> {
    let mut unmatched = Vec::new();
    for (option, patterns) in options {
        for pattern in patterns {
            let rule = globs(std::slice::from_ref(pattern));
            let mut matched = false;
            let mut paths = Vec::new();
            cli.walk(&mut |path, lineage| {
                let command = *lineage.last().expect("a lineage is not empty");
                matched |= rule.matches(&Candidate::new(&cli.root.name, path, command));
                paths.push(path.glob_form());
            });
            if !matched {
                let near = nearest(&glob(pattern), paths.iter().map(String::as_str));
                let near =
                    near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
                unmatched.push(Unmatched {
                    option,
                    glob: pattern.clone(),
                    warning: format!(
                        "`{option} {pattern}` matches no command of `{}`{near}",
                        cli.root.name
                    ),
                });
            }
        }
    }
    unmatched
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;
