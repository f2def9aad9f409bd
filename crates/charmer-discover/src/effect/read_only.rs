//! Selectors that serve only what reads, without the flags that would make it do more.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use charmer_core::{
    model::{Cli, Command, CommandPath, Effect, Flag},
    select::{CommandRule, FlagRule, Selector},
};

use super::writing_flag;

/// Ids of a command's own flags that are left out, and of its ancestors' flags.
type LeftOut = (BTreeSet<String>, BTreeSet<String>);

/// The selectors that let in the commands that `effect` calls reading, each without its writing flags. Commands with the
/// same flags to leave out share one. There is always at least one, because no selector at all would let in everything.
///
/// ```
/// use charmer_core::model::{Cli, Command, Flag, Syntax, ValueType};
/// use charmer_discover::effect::{classify, read_only_selectors};
/// let log = Command::new("log").flag(Flag::new("output").value_type(ValueType::Path));
/// let root = Command::new("nest").not_runnable().command(log).command(Command::new("rm"));
/// let cli = Cli::new(root, Syntax::getopt());
/// let selectors = read_only_selectors(&cli, |path, lineage| classify(lineage, path).effect);
/// assert_eq!(selectors.len(), 1);
/// ```
pub fn read_only_selectors(
    cli: &Cli,
    effect: impl Fn(&CommandPath, &[&Command]) -> Effect,
) -> Vec<Selector> {
    let mut groups: BTreeMap<LeftOut, HashSet<CommandPath>> = BTreeMap::new();
    cli.walk(&mut |path, lineage| {
        let Some((command, ancestors)) = lineage.split_last() else {
            return;
        };
        if effect(path, lineage) != Effect::Read {
            return;
        }
        let left_out = |flags: &mut dyn Iterator<Item = &Flag>| {
            flags
                .filter(|flag| writing_flag(command, flag).is_some())
                .map(|flag| flag.id.clone())
                .collect::<BTreeSet<_>>()
        };
        let own = left_out(&mut command.flags.iter().map(AsRef::as_ref));
        let inherited = left_out(
            &mut ancestors
                .iter()
                .flat_map(|ancestor| &ancestor.flags)
                .map(AsRef::as_ref),
        );
        groups
            .entry((own, inherited))
            .or_default()
            .insert(path.clone());
    });
    if groups.is_empty() {
        return vec![Selector::new(CommandRule::none())];
    }
    groups
        .into_iter()
        .map(|((own, inherited), paths)| {
            Selector::new(CommandRule::new(move |candidate| {
                paths.contains(candidate.path)
            }))
            .local_flags(FlagRule::new(move |flag| !own.contains(&flag.id)))
            .inherited_flags(FlagRule::new(move |flag| !inherited.contains(&flag.id)))
        })
        .collect()
}
