//! Which commands and spells must be in the list of tools, and which must not, as people wish it.

use charmer_config::{ExposeRules, Source};
use charmer_core::{
    expose::Wish,
    model::Cli,
    select::{Candidate, CommandRule},
    tool::Tool,
};

use crate::policy::{globs, names_spell, unmatched_globs};

/// What `pin` and `hide` say, for all programs and spells.
#[derive(Debug, Clone)]
pub(crate) struct Wishes {
    rules: ExposeRules,
    pins: CommandRule,
    hides: CommandRule,
}

impl Wishes {
    pub(crate) fn new(rules: &ExposeRules) -> Self {
        Self {
            pins: globs(&rules.pin),
            hides: globs(&rules.hide),
            rules: rules.clone(),
        }
    }

    /// For a program's tool. What is said by name goes before what its selector says.
    pub(crate) fn of_command(&self, cli: &Cli, source: &Source, tool: &Tool) -> Wish {
        let Some(command) = cli.command(&tool.path) else {
            return Wish::Free;
        };
        let candidate = Candidate::new(&cli.root.name, &tool.path, command);
        let selector = tool.selector.and_then(|at| source.select.get(at));
        match (
            self.pins.matches(&candidate),
            self.hides.matches(&candidate),
        ) {
            (_, true) => Wish::Hide,
            (true, false) => Wish::Pin,
            (false, false) => selector.map(|selector| selector.expose).unwrap_or_default(),
        }
    }

    /// For a spell's tool.
    pub(crate) fn of_spell(&self, name: &str) -> Wish {
        match (
            names_spell(&self.pins, name),
            names_spell(&self.hides, name),
        ) {
            (_, true) => Wish::Hide,
            (true, false) => Wish::Pin,
            (false, false) => Wish::Free,
        }
    }

    /// What matches no command of a program, where no other program and no spell could have been meant.
    pub(crate) fn unmatched(&self, cli: &Cli) -> Vec<String> {
        let options = [("--pin", &self.rules.pin), ("--hide", &self.rules.hide)];
        unmatched_globs(cli, options, &[])
    }
}
