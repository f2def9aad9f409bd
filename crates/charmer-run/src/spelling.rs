//! Tools by their names in every way that they are usually written.

use std::collections::{HashMap, hash_map::Entry};

use charmer_core::tool::Tool;

use crate::excluded::plain_name;

/// The places of tools by their names and by other words that call them, as [`plain_name`] writes both; none where a name
/// could mean several.
pub(crate) fn spellings<'t>(
    tools: impl Iterator<Item = &'t Tool> + Clone,
) -> HashMap<String, Option<usize>> {
    let mut own: HashMap<String, Option<usize>> = HashMap::new();
    let mut others = own.clone();
    fn add(known: &mut HashMap<String, Option<usize>>, name: &str, at: usize) {
        match known.entry(plain_name(name)) {
            Entry::Occupied(mut place) if *place.get() != Some(at) => drop(place.insert(None)),
            Entry::Occupied(_) => {}
            Entry::Vacant(place) => drop(place.insert(Some(at))),
        }
    }
    for (at, tool) in tools.enumerate() {
        add(&mut own, tool.name.as_str(), at);
        add(&mut own, &tool.words(), at);
        tool.other_words()
            .for_each(|name| add(&mut others, &name, at));
        // Without its program, where no other program has such a command.
        if !tool.path.is_root() {
            add(&mut others, &tool.path.to_string(), at);
        }
    }
    // A tool's own name is not taken from it by another's short name.
    others.extend(own);
    others
}

#[cfg(test)]
mod tests {
    use charmer_core::{
        model::{Cli, Command, Syntax},
        tool::{CatalogueOptions, catalogue},
    };

    use super::*;

    #[test]
    fn short_names_call_commands_that_have_no_such_name_themselves() {
        let called = |name: &str, aliases: &[&str]| {
            let mut command = Command::new(name);
            command.aliases = aliases.iter().map(ToString::to_string).collect();
            command
        };
        let root = Command::new("ship")
            .not_runnable()
            .command(called("build", &["b", "dock"]))
            .command(called("bench", &["b"]))
            .command(called("test", &["t"]))
            .command(called("dock", &[]));
        let tools = catalogue(
            &Cli::new(root, Syntax::clap()),
            &CatalogueOptions::default(),
        )
        .tools;
        let places = spellings(tools.iter().map(|tool| &**tool));
        let named = |name: &str| {
            let at = places.get(name).copied().flatten()?;
            Some(tools[at].name.as_str())
        };
        assert_eq!(named("ship_t"), Some("ship_test"));
        assert_eq!(named("ship_dock"), Some("ship_dock"));
        assert_eq!(named("ship_b"), None);
    }
}
