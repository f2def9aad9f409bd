//! Values that would redirect a program, of arguments that stay: a database's name that is a connection string.

use charmer_core::assessment::Assessment;
use charmer_core::model::{Cli, CommandPath};
use charmer_run::{BadPattern, layers::Validate};
use serde::Serialize;

use crate::{args::Selection, settings::ServedProgram};

/// Values that an argument cannot have, because they would redirect the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Refused {
    /// The command that it belongs to.
    pub(crate) command: CommandPath,
    /// The argument's id, or `args`.
    #[serde(skip)]
    pub(crate) id: String,
    /// The argument as `--with-flag` takes it.
    pub(crate) argument: String,
    /// The pattern that no value may match.
    pub(crate) pattern: String,
    /// The number of values that come before those that are meant.
    #[serde(skip)]
    pub(crate) behind: usize,
    /// The reason.
    pub(crate) reason: String,
}

impl Refused {
    /// The check that refuses them.
    pub(crate) fn check(&self) -> Result<Validate, BadPattern> {
        match self.behind {
            0 => Validate::forbid(&self.id, &self.pattern, self.message()),
            behind => Ok(Validate::at_most(&self.id, behind).message(self.message())),
        }
    }

    /// The values that are meant, for people.
    pub(crate) fn meant(&self) -> String {
        match (self.behind, self.pattern.as_str()) {
            (0, "") => "any value".to_owned(),
            (0, pattern) => pattern.to_owned(),
            (1, _) => "any behind the first".to_owned(),
            (behind, _) => format!("any behind the first {behind}"),
        }
    }

    /// The message to a caller.
    pub(crate) fn message(&self) -> String {
        let Self {
            argument, reason, ..
        } = self;
        format!(
            "this value of `{argument}` is not taken: {reason} (whoever serves the program can allow it with \
             `--with-flag {argument}`, or `redirects: [{argument}]` in charmer.yaml)"
        )
    }
}

/// The values that redirect, of arguments that nobody asked for by name.
pub(crate) fn refused_values(
    cli: &Cli,
    program: &ServedProgram,
    selection: &Selection,
    assessment: &Assessment,
    read_only: bool,
) -> Vec<Refused> {
    let mut refused = Vec::new();
    if selection.all_flags {
        return refused;
    }
    cli.walk(&mut |path, lineage| {
        let thought = assessment.command(path).map(|thought| &thought.refused);
        for value in thought.into_iter().flatten() {
            let mut named = selection.with_flags.iter();
            let asked_for = named.any(|name| name.trim_start_matches('-') == value.name)
                || program.redirects.lets_in_values_of(&value.name);
            // What is left out or pinned has no values, but a positional may be called as it is.
            let is_hidden = lineage.last().is_some_and(|command| {
                let mut flags = command.flags.iter();
                let mut positionals = command.arguments.listed().iter();
                flags.any(|flag| flag.id == value.argument && flag.hidden)
                    && !positionals.any(|positional| positional.id == value.argument)
            });
            if !asked_for && !is_hidden && (read_only || !value.read_only) {
                refused.push(Refused {
                    command: path.clone(),
                    id: value.argument.clone(),
                    argument: value.name.clone(),
                    pattern: value.pattern.clone(),
                    behind: value.behind,
                    reason: value.reason.clone(),
                });
            }
        }
    });
    refused
}
