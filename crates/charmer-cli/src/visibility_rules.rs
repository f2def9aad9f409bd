//! Which commands and spells must be in the list of tools, and which must not, as people wish it.

use charmer_config::{ExposeRules, SourceEntry};
use charmer_core::{
    expose::Visibility,
    model::Cli,
    select::{Candidate, CommandRule},
    tool::Tool,
};

use crate::policy::{Unmatched, globs, names_spell, unmatched_globs};

/// The rules of `pin` and `hide`, for all programs and spells.
#[derive(Debug, Clone)]
pub(crate) struct VisibilityRules {
    rules: ExposeRules,
    pins: CommandRule,
    hides: CommandRule,
}

impl VisibilityRules {
    pub(crate) fn new(rules: &ExposeRules) -> Self {
        Self {
            pins: globs(&rules.pin),
            hides: globs(&rules.hide),
            rules: rules.clone(),
        }
    }

    /// For a program's tool. What is said by name goes before what its selector says.
    pub(crate) fn of_command(&self, cli: &Cli, source: &SourceEntry, tool: &Tool) -> Visibility {
        let Some(command) = cli.command(&tool.path) else {
            return Visibility::Free;
        };
        let candidate = Candidate::new(&cli.root.name, &tool.path, command);
        let selector = tool.selector.and_then(|at| source.select.get(at));
        match (
            self.pins.matches(&candidate),
            self.hides.matches(&candidate),
        ) {
            (_, true) => Visibility::Hide,
            (true, false) => Visibility::Pin,
            (false, false) => selector.map(|selector| selector.expose).unwrap_or_default(),
        }
    }

    /// For a spell's tool.
    pub(crate) fn of_spell(&self, name: &str) -> Visibility {
        match (
            names_spell(&self.pins, name),
            names_spell(&self.hides, name),
        ) {
            (_, true) => Visibility::Hide,
            (true, false) => Visibility::Pin,
            (false, false) => Visibility::Free,
        }
    }

    /// The patterns that match no command of a program.
    pub(crate) fn unmatched(&self, cli: &Cli) -> Vec<Unmatched> {
        unmatched_globs(
            cli,
            [("--pin", &self.rules.pin), ("--hide", &self.rules.hide)],
        )
    }

    /// The warnings about those that match no command of any program and no spell: most likely typing errors.
    pub(crate) fn warnings(&self, by_program: &[Vec<Unmatched>], spells: &[String]) -> Vec<String> {
        let Some((first, rest)) = by_program.split_first() else {
            return Vec::new();
        };
        let nowhere = |one: &&Unmatched| {
            let same = |other: &Unmatched| other.option == one.option && other.glob == one.glob;
            let rule = globs(std::slice::from_ref(&one.glob));
            rest.iter().all(|of_one| of_one.iter().any(same))
                && !spells.iter().any(|name| names_spell(&rule, name))
        };
        let unmatched = first.iter().filter(nowhere);
        unmatched.map(|one| one.warning.clone()).collect()
    }
}
