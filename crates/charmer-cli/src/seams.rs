//! What other modules decide about a program's commands and flags, one function each.

use charmer_config::Source;
use charmer_core::{
    model::{Cli, Command, CommandPath, Effect, Flag},
    tool::CatalogueOptions,
};
use charmer_discover::Discovery;

use crate::problem::Problem;

/// What a command does to the world, and why that is thought. What the model already says stands.
pub(crate) fn effect(lineage: &[&Command], _: &CommandPath) -> (Effect, Vec<String>) {
    let known = lineage
        .last()
        .map_or(Effect::Unknown, |command| command.hints.effect);
    (known, Vec::new())
}

/// Why a flag writes although its command reads.
pub(crate) fn writes(_: &Command, _: &Flag) -> Option<String> {
    None
}

/// Why a flag redirects its program: where it connects, who it is, what it loads or runs.
pub(crate) fn redirects(_: &[&Command], _: &Flag) -> Option<String> {
    None
}

/// Whether `charmer.yaml` brings a flag that redirects back.
pub(crate) fn brought_back(_: &Source, _: &Flag) -> bool {
    false
}

/// Whether `charmer.yaml` asks for commands that read only.
pub(crate) fn read_only(_: &Source) -> bool {
    false
}

/// Applies what `charmer.yaml` corrects, and says what of it has no place.
pub(crate) fn overrides(_: &Source, _: &Discovery, _: &mut Cli) -> Vec<String> {
    Vec::new()
}

/// Pins flags: in every command line, in no schema. A pin that would be lost must not be served without.
pub(crate) fn pins(source: &Source, _: &mut CatalogueOptions) -> Result<(), Problem> {
    match source.set.keys().next() {
        Some(flag) => Err(Problem::failed(format!(
            "the flag `{flag}` under `set` cannot be pinned yet"
        ))),
        None => Ok(()),
    }
}
