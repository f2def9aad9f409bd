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

    /// Whether there are any.
    pub(crate) fn are_some(&self) -> bool {
        !self.rules.pin.is_empty() || !self.rules.hide.is_empty()
    }

    /// What matches no command of any program and no spell: most likely a typing error.
    pub(crate) fn unmatched(&self, clis: &[Cli], spells: &[String]) -> Vec<String> {
        let options = [("--pin", &self.rules.pin), ("--hide", &self.rules.hide)];
        let by_spell = |glob: &&String| {
            let rule = globs(std::slice::from_ref(*glob));
            spells.iter().any(|name| names_spell(&rule, name))
        };
        let given = options.iter().flat_map(|(_, globs)| globs.iter());
        let met: Vec<String> = given.filter(by_spell).cloned().collect();
        let mut unmatched = clis.iter().map(|cli| unmatched_globs(cli, options, &met));
        let Some(first) = unmatched.next() else {
            return Vec::new();
        };
        let rest: Vec<Vec<String>> = unmatched.collect();
        // The option and its glob, without the program that it does not match.
        let about = |warning: &str| warning.split(" matches no").next().map(str::to_owned);
        let in_all = |warning: &String| {
            let same = |other: &String| about(other) == about(warning);
            rest.iter().all(|of_one| of_one.iter().any(same))
        };
        first.into_iter().filter(in_all).collect()
    }
}
