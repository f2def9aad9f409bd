//! Commands that belong together, as `charmer tools` shows them: those below one command, and those at the top of a
//! program.

use std::collections::HashMap;

use charmer_run::{Exposed, Shown};

/// The heading over the spells, which belong to no program.
const SPELLS: &str = "spells";

/// Commands whose command lines begin alike.
pub(crate) struct CommandGroup<'e> {
    /// The beginning of the command lines.
    name: String,
    /// The place of the program among those that are served.
    program: usize,
    pub(crate) commands: Vec<&'e Shown>,
}

impl CommandGroup<'_> {
    /// The name with the number of commands; where only some of them are listed, how many.
    pub(crate) fn title(&self, all: bool) -> String {
        let count = self.commands.len();
        let commands = if count == 1 { "command" } else { "commands" };
        let listed = self.commands.iter().filter(|shown| shown.place.is_own());
        match (all, listed.count()) {
            (true, _) | (false, 0) => format!("{} ({count} {commands})", self.name),
            (false, listed) => format!("{} ({count} {commands}, {listed} listed)", self.name),
        }
    }
}

/// The commands in groups: program by program, its own commands first. In a group those that are listed come first.
pub(crate) fn command_groups(exposed: &Exposed) -> Vec<CommandGroup<'_>> {
    let beginning = |shown: &'_ Shown| {
        let tool = &shown.tool;
        match tool.input.levels.is_empty() {
            true => (SPELLS.to_owned(), String::new()),
            false => {
                let word = tool.path.words().first().cloned();
                (tool.help.program.to_string(), word.unwrap_or_default())
            }
        }
    };
    let mut sizes: HashMap<(String, String), usize> = HashMap::new();
    for shown in &exposed.commands {
        *sizes.entry(beginning(shown)).or_default() += 1;
    }
    let mut programs: Vec<String> = Vec::new();
    let mut groups: Vec<CommandGroup<'_>> = Vec::new();
    for shown in &exposed.commands {
        let (program, word) = beginning(shown);
        if !programs.contains(&program) {
            programs.push(program.clone());
        }
        let at = programs.iter().position(|one| *one == program);
        // A command that nothing stands below is one of the program's own.
        let alone = word.is_empty() || sizes[&(program.clone(), word.clone())] == 1;
        let name = match alone {
            true => program,
            false => format!("{program} {word}"),
        };
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) => group.commands.push(shown),
            None => groups.push(CommandGroup {
                name,
                program: at.unwrap_or_default(),
                commands: vec![shown],
            }),
        }
    }
    for group in &mut groups {
        group.commands.sort_by_key(|shown| !shown.place.is_own());
    }
    groups.sort_by_key(|group| (group.program, group.name != programs[group.program]));
    groups
}
