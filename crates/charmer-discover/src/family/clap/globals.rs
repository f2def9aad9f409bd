//! Which flags are global: clap repeats them in the help of every descendant, without saying so.

use std::collections::HashMap;

use charmer_core::model::CommandPath;

use crate::{
    fact::{Fact, Origin},
    family::Sketches,
    flag_places::FlagPlaces,
    sketch::{CommandSketch, FlagScope, FlagSketch},
};

/// Marks the flags that a command and all its children list as global there, and as inherited below.
pub(super) fn mark(sketches: &mut Sketches) {
    let mut commands: Vec<&mut CommandSketch> = sketches.values_mut().collect();
    let paths: Vec<CommandPath> = commands
        .iter()
        .map(|command| command.path.clone())
        .collect();
    let mut children_of: HashMap<&[String], Vec<usize>> = HashMap::new();
    for (at, path) in paths.iter().enumerate() {
        // A command that could not be asked says nothing about its flags.
        if let Some((_, parents)) = path.words().split_last()
            && commands[at].usage.is_some()
        {
            children_of.entry(parents).or_default().push(at);
        }
    }
    for parent in 0..commands.len() {
        let Some(children) = children_of.get(paths[parent].words()) else {
            continue;
        };
        let places: HashMap<usize, FlagPlaces> = children
            .iter()
            .map(|&child| (child, FlagPlaces::of(&commands[child].flags)))
            .collect();
        let find = |child: usize, flag: &FlagSketch| places[&child].place(flag);
        for at in 0..commands[parent].flags.len() {
            let flag = commands[parent].flags[at].clone();
            let heirs: Vec<(usize, usize)> = children
                .iter()
                .filter_map(|&child| Some((child, find(child, &flag)?)))
                .filter(|&(child, at)| says_the_same(&commands[child].flags[at], &flag))
                .collect();
            let listed = children
                .iter()
                .filter(|&&child| find(child, &flag).is_some())
                .count();
            // A child may hide a global flag that means nothing to it, or have its own of that name.
            let everywhere = listed == children.len() || heirs.len() * 10 >= children.len() * 9;
            if !everywhere || heirs.is_empty() {
                continue;
            }
            let scope = |scope| Some(Fact::with(scope, Origin::Help, 60));
            let inherited = flag
                .scope
                .is_some_and(|scope| scope.value == FlagScope::Inherited);
            if !inherited {
                commands[parent].flags[at].scope = scope(FlagScope::Global);
            }
            for (child, at) in heirs {
                commands[child].flags[at].scope = scope(FlagScope::Inherited);
            }
        }
    }
}

/// Returns true if both are the same in all that help shows, so that the child's need not be kept.
fn says_the_same(one: &FlagSketch, other: &FlagSketch) -> bool {
    let text = |flag: &FlagSketch| flag.help.as_ref().map(|help| help.value.clone());
    let env = |flag: &FlagSketch| flag.env.as_ref().map(|env| env.value.clone());
    let default = |flag: &FlagSketch| flag.default.as_ref().map(|default| default.value.clone());
    one.long == other.long
        && one.short == other.short
        && one.placeholder == other.placeholder
        && text(one) == text(other)
        && env(one) == env(other)
        && default(one) == default(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(path: &str, flags: &[(&str, &str)]) -> CommandSketch {
        let mut sketch = CommandSketch::new(CommandPath::parse(path));
        sketch.usage = Some(Fact::new("kiln".into(), Origin::Usage));
        for (name, help) in flags {
            let mut flag = FlagSketch::long(*name);
            flag.help = Some(Fact::new((*help).to_owned(), Origin::Help));
            sketch.add_flag(flag);
        }
        sketch
    }

    fn scopes(command: &CommandSketch) -> Vec<Option<FlagScope>> {
        let flags = command.flags.iter();
        flags
            .map(|flag| flag.scope.as_ref().map(|scope| scope.value))
            .collect()
    }

    #[test]
    fn what_every_child_lists_too_is_global() {
        let commands = [
            command(
                "",
                &[("verbose", "More"), ("list", "List"), ("clay", "Root's")],
            ),
            command("fire", &[("verbose", "More"), ("clay", "Its own")]),
            command("fire low", &[("verbose", "More")]),
            command("glaze", &[("verbose", "More"), ("clay", "Its own")]),
        ];
        let mut sketches: Sketches = commands
            .into_iter()
            .map(|sketch| (sketch.path.clone(), sketch))
            .collect();
        mark(&mut sketches);
        let commands: Vec<CommandSketch> = sketches.into_values().collect();
        assert_eq!(scopes(&commands[0]), [Some(FlagScope::Global), None, None]);
        assert_eq!(scopes(&commands[1]), [Some(FlagScope::Inherited), None]);
        assert_eq!(scopes(&commands[2]), [Some(FlagScope::Inherited)]);
        assert_eq!(scopes(&commands[3]), [Some(FlagScope::Inherited), None]);
    }
}
