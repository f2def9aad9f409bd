//! A program as an included file alone would offer it, and what that leaves of it: whatever is refused there stays refused.
//!
//! The file's own keys are compared when they are read; this looks at the program itself, where two names can mean one
//! flag and a profile has its say.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    sync::Arc,
};

use charmer_core::{
    model::{CommandPath, Effect, Network},
    select::names_flag,
    tool::{Catalogue, catalogue},
};
use charmer_discover::Discovery;

use crate::{
    args::Selection,
    confine::Granted,
    policy::{LeftOut, PreparedProgram, prepare, withhold},
    problem::Problem,
    rule::placed,
    set,
    settings::ServedProgram,
};

/// A program as an included file alone would offer it.
pub(crate) struct Baseline {
    program: ServedProgram,
    prepared: PreparedProgram,
    catalogue: Catalogue,
    /// The file, for messages.
    file: String,
}

impl Baseline {
    /// There is none where the program's source narrows nothing.
    pub(crate) fn of(
        found: &Discovery,
        program: &ServedProgram,
        selection: &Selection,
    ) -> Result<Option<Self>, Problem> {
        let Some(program) = program.baseline.as_deref() else {
            return Ok(None);
        };
        let mut selection = selection.clone();
        if let Some(own) = &mut selection.principal
            && let Some(baseline) = own.baseline.take()
        {
            let (principal, set) = *baseline;
            selection.principal = Some(principal);
            selection.set = set;
        }
        let file = program.source.position.file.as_deref();
        let file = file.map_or_else(
            || "the included file".to_owned(),
            |file| format!("`{}`", file.display()),
        );
        let prepared = prepare(Cow::Borrowed(found), program, &selection)?;
        let program = set::pinned(program, &selection, found)?.into_owned();
        let catalogue = catalogue(&prepared.cli, &prepared.options);
        Ok(Some(Self {
            program,
            prepared,
            catalogue,
            file,
        }))
    }

    /// The commands that it offers.
    pub(crate) fn commands(&self) -> Arc<HashSet<CommandPath>> {
        let tools = self.catalogue.tools.iter();
        Arc::new(tools.map(|tool| tool.path.clone()).collect())
    }

    /// Refuses flags that the including file pins and a caller could not give, or that are pinned already.
    pub(crate) fn check_pins(&self, program: &ServedProgram) -> Result<(), Problem> {
        let known = &self.program.source.set;
        for (name, value) in &program.source.set {
            if known.get(name) == Some(value) {
                continue;
            }
            if let Some(why) = self.refuses_pin(name) {
                let place = placed(None, &program.source.position);
                return Err(Problem::mistake(format!(
                    "`set` of `{}`{place} pins `{name}`, and {why}",
                    program.name()
                ))
                .hint(format!("pin it in {}, or not at all", self.file)));
            }
        }
        Ok(())
    }

    /// The reason why a flag cannot be pinned by another file.
    fn refuses_pin(&self, name: &str) -> Option<String> {
        let file = &self.file;
        let mut why = None;
        self.prepared.cli.walk(&mut |path, lineage| {
            let Some(command) = lineage.last().filter(|_| why.is_none()) else {
                return;
            };
            let mut flags = command.flags.iter();
            let Some(flag) = flags.find(|flag| names_flag(name, flag)) else {
                return;
            };
            let mut pinned = self.program.source.set.keys();
            if let Some(pin) = pinned.find(|pin| names_flag(pin, flag)) {
                why = Some(format!("{file} pins `{pin}`, which is the same flag"));
            } else if flag.hidden {
                why = Some(format!("no caller could give it under {file}"));
            } else if flag
                .effect
                .as_ref()
                .and_then(|effect| effect.worst())
                .is_some_and(|worst| worst > Effect::Read)
            {
                why = Some("it changes what a command does".to_owned());
            } else if let Some(entry) = self.checked(path, flag) {
                why = Some(format!(
                    "entry {entry} of `select` in {file} has a rule for it"
                ));
            }
        });
        why
    }

    /// The entry that leaves a flag out for commands at or below a path, or says what its values look like.
    fn checked(&self, path: &CommandPath, flag: &charmer_core::model::Flag) -> Option<usize> {
        let tools = self.catalogue.tools.iter();
        let mut below = tools.filter(|tool| tool.path.words().starts_with(path.words()));
        below.find_map(|tool| {
            let entry = self.program.source.select.get(tool.selector?)?;
            let mut checks = entry.validate.iter();
            let is_checked = checks.any(|check| names_flag(&check.argument, flag));
            let mut offered = tool.input.flags.iter();
            let is_offered = offered.any(|offered| offered.flag.id == flag.id);
            (is_checked || !is_offered).then_some(entry.number + 1)
        })
    }

    /// Takes back what it does not grant.
    pub(crate) fn narrow(
        &self,
        networks: &mut HashMap<CommandPath, Granted>,
        reads_any: &mut HashSet<CommandPath>,
    ) {
        for (path, granted) in networks {
            if let Some(known) = self.prepared.networks.get(path)
                && let Some(stricter) = stricter(known.network, granted.network)
                && granted.network != Some(stricter)
            {
                *granted = Granted {
                    network: Some(stricter),
                    from: known.from.or(granted.from),
                };
            }
        }
        reads_any.retain(|path| self.prepared.reads_any.contains(path));
    }

    /// Withholds the flags that it withholds.
    pub(crate) fn withhold(&self, cli: &mut charmer_core::model::Cli, left_out: &mut Vec<LeftOut>) {
        for out in &self.prepared.left_out {
            let is_out = |known: &LeftOut| known.command == out.command && known.id == out.id;
            if !left_out.iter().any(is_out) {
                withhold(cli, out);
                left_out.push(out.clone());
            }
        }
    }
}

/// The network that two have in common; nothing is said where both are assumed.
fn stricter(one: Option<Network>, other: Option<Network>) -> Option<Network> {
    match (one, other) {
        (None | Some(Network::All), stricter) | (stricter, None | Some(Network::All)) => {
            stricter.or(one)
        }
        (one, other) if one == other => one,
        // Connections and sockets of this machine have nothing in common.
        _ => Some(Network::None),
    }
}

#[cfg(test)]
#[path = "baseline_tests.rs"]
mod tests;
