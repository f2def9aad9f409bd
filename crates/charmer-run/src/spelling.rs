//! Tools by their names in every way that they are usually written.

use std::collections::{HashMap, hash_map::Entry};

use charmer_core::tool::Tool;

use crate::excluded::plain_name;

/// No command is more words deep, its program among them.
pub(crate) const DEEPEST: usize = 8;

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
    use std::sync::Arc;

    use charmer_core::{
        model::{Cli, Command, Syntax},
        tool::{CatalogueOptions, catalogue},
    };

    use super::*;
    use crate::{CallPath, HandlerCall, Reply, SharedSteps, Target, ToolSet};

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

    #[test]
    fn a_command_needs_its_program_where_two_have_it() {
        let of = |program: &str, commands: &[&str]| {
            let root = Command::new(program).not_runnable();
            let add = |root: Command, name: &&str| root.command(Command::new(*name));
            let cli = Cli::new(commands.iter().fold(root, add), Syntax::clap());
            catalogue(&cli, &CatalogueOptions::default()).tools
        };
        let tools = [of("ship", &["list", "dock"]), of("boat", &["list"])].concat();
        let places = spellings(tools.iter().map(|tool| &**tool));
        assert_eq!(places.get("dock"), Some(&Some(1)));
        assert_eq!(places.get("list"), Some(&None));
    }

    #[test]
    fn tools_are_named_as_lists_show_them_and_as_people_type_them() {
        let crew = Command::new("crew").command(Command::new("show"));
        let cli = Cli::new(Command::new("ship").command(crew), Syntax::pflag());
        let made = catalogue(&cli, &CatalogueOptions::default());
        let tools = ToolSet::new(made.tools.into_iter().map(|tool| {
            let says = |_: HandlerCall| Ok(Reply::Text(String::new()));
            CallPath::new(tool, Target::Handler(Arc::new(says))).serve(&SharedSteps::default())
        }));
        for (words, expected) in [
            ("ship_crew_show x", Some(("ship_crew_show", 1))),
            ("ship crew show x", Some(("ship_crew_show", 3))),
            ("ship crew --all show", Some(("ship_crew", 2))),
            // A whole name is that tool, whatever follows.
            ("ship_crew show", Some(("ship_crew", 1))),
            ("ship x", Some(("ship", 1))),
            ("boat crew", None),
        ] {
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            let found = tools.find_typed(&words);
            let found = found.map(|(served, count)| (served.tool.name.as_str(), count));
            assert_eq!(found, expected, "{words:?}");
        }
    }
}
