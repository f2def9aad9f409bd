//! Commands that a rule keeps from being offered: which rule, for whoever asks for one.

use std::collections::HashSet;

use charmer_core::{
    model::{Cli, Command, CommandPath, Effect},
    select::{Candidate, first_match},
    tool::{Tool, ToolName, can_be_tool, effect_words},
};
use charmer_run::Excluded;

use crate::{
    args::Selection,
    policy::{PreparedProgram, globs, original, read_only_rule},
    rule::placed,
    settings::ServedProgram,
};

/// The commands of a program that are no tools, each with the rule.
pub(crate) fn excluded<'t>(
    prepared: &PreparedProgram,
    program: &ServedProgram,
    selection: &Selection,
    prefix: &str,
    tools: impl Iterator<Item = &'t Tool>,
) -> Vec<Excluded> {
    let offered: HashSet<&CommandPath> = tools
        .flat_map(|tool| std::iter::once(&tool.path).chain(&tool.help.paths))
        .collect();
    let mut excluded = Vec::new();
    let rules = ExclusionRules {
        prepared,
        program,
        selection,
    };
    prepared.cli.walk(&mut |path, lineage| {
        let runs = lineage
            .last()
            .is_some_and(|c| c.runnable || c.commands.is_empty());
        if path.is_root() || !runs || offered.contains(path) {
            return;
        }
        if let Some(why) = rules.why(&prepared.cli, path, lineage) {
            excluded.push(Excluded::new(ToolName::new(prefix, path).to_string(), why));
        }
    });
    excluded
}

struct ExclusionRules<'a> {
    prepared: &'a PreparedProgram,
    program: &'a ServedProgram,
    selection: &'a Selection,
}

impl ExclusionRules<'_> {
    /// The reason why a command is no tool, if a rule is known for it.
    fn why(&self, cli: &Cli, path: &CommandPath, lineage: &[&Command]) -> Option<String> {
        let command = *lineage.last()?;
        if let Some(step) = lineage.iter().find(|step| step.hidden) {
            return Some(format!("`{}` is hidden", step.name));
        }
        if let Some(reason) = lineage.iter().find_map(|step| step.deprecated.as_ref()) {
            return Some(format!("it is deprecated: {reason}"));
        }
        if !can_be_tool(lineage) {
            return Some("commands for help and completion are no tools".to_owned());
        }
        let one = Candidate::new(&cli.root.name, path, command);
        let original_path = original(path, command);
        let original = Candidate::new(&cli.root.name, original_path, command);
        let denies = |pattern: &&String| {
            let rule = globs(std::slice::from_ref(*pattern));
            rule.matches(&one) || rule.matches(&original)
        };
        if let Some(own) = &self.selection.principal {
            let allows = |allow: &Vec<String>| globs(allow).matches(&one);
            if own.deny.iter().any(|pattern| denies(&pattern)) || !own.allow_lists().all(allows) {
                return Some(format!("it is not for `{}`", own.name));
            }
        }
        if let Some(pattern) = self.selection.deny.iter().find(denies) {
            return Some(format!("`--deny {pattern}` leaves it out"));
        }
        if !self.selection.allow.is_empty() && !globs(&self.selection.allow).matches(&one) {
            return Some(format!(
                "`--allow {}` lets only others in",
                self.selection.allow.join(" --allow ")
            ));
        }
        let effect = command.hints.effect;
        let may_read = effect == Effect::Read || self.prepared.reads_any.contains(path);
        if self.prepared.read_only && !may_read {
            let does = match effect {
                Effect::Unknown => "it is not known to change nothing".to_owned(),
                known => format!("it {}", effect_words(known)),
            };
            return Some(format!(
                "{does}, and {}",
                read_only_rule(self.program, self.selection)
            ));
        }
        let selectors = self.program.source.selectors();
        let selected = selectors.is_empty() || first_match(&selectors, &one).is_some();
        (!selected).then(|| {
            let source = &self.program.source;
            let first = source.select.first().map(|entry| entry.position.clone());
            let place = placed(self.selection.config.as_deref(), &first.unwrap_or_default());
            format!("no entry of `select`{place} is for it")
        })
    }
}
