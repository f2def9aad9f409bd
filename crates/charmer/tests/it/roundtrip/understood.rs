//! What clap understood: from a command line, and inside a handler.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use charmer::{Bridge, CommandPath, Layout};
use clap::{ArgMatches, parser::ValueSource};

use super::{
    level::{Level, globals},
    meaning::{Key, Meaning, Meant, Scalar},
    spec::{Action, Arity, Spec, Type},
};

impl Spec {
    /// What clap has read for it on the command line.
    fn read(&self, matches: &ArgMatches) -> Option<Meaning> {
        let id = self.id.as_str();
        if matches.value_source(id) != Some(ValueSource::CommandLine) {
            return None;
        }
        self.in_effect(&match self.action {
            Action::On => Meaning::Switch(matches.get_flag(id)),
            Action::Off => Meaning::Switch(!matches.get_flag(id)),
            Action::Count => Meaning::Count(matches.get_count(id)),
            Action::Set | Action::Append => Meaning::Values(self.values(matches)),
        })
    }

    fn values(&self, matches: &ArgMatches) -> Vec<Vec<Scalar>> {
        fn typed<T: Clone + Send + Sync + 'static>(
            matches: &ArgMatches,
            id: &str,
            scalar: fn(T) -> Scalar,
        ) -> Vec<Vec<Scalar>> {
            let occurrences = matches.get_occurrences::<T>(id).into_iter().flatten();
            occurrences
                .map(|values| values.cloned().map(scalar).collect())
                .collect()
        }
        let id = self.id.as_str();
        match self.kind {
            Type::Text | Type::Choice => typed(matches, id, Scalar::Text),
            Type::Int => typed::<i64>(matches, id, |number| Scalar::Integer(number.into())),
            Type::Uint => typed::<u64>(matches, id, |number| Scalar::Integer(number.into())),
            Type::Byte => typed::<u8>(matches, id, |number| Scalar::Integer(number.into())),
            Type::Float => typed(matches, id, Scalar::Float),
            Type::Bool => typed(matches, id, Scalar::Bool),
            Type::Path => typed::<PathBuf>(matches, id, |path| {
                Scalar::Text(path.to_string_lossy().into_owned())
            }),
        }
    }

    /// The form in which meanings are compared: occurrences count only where they hold several values each.
    fn in_effect(&self, meaning: &Meaning) -> Option<Meaning> {
        match meaning {
            meaning if !meaning.is_given() => None,
            Meaning::Values(lists) if lists.iter().all(Vec::is_empty) => Some(Meaning::Bare),
            Meaning::Values(lists) if !matches!(self.arity, Arity::Fixed(_)) => {
                Some(Meaning::Values(vec![lists.concat()]))
            }
            other => Some(other.clone()),
        }
    }
}

/// What is meant, as [`read`] would give it.
pub(super) fn in_effect(lineage: &[&Level], meant: &Meant) -> Meant {
    let in_effect = |((depth, id), meaning): (&Key, &Meaning)| {
        let meaning = lineage[*depth].arg(id)?.in_effect(meaning)?;
        Some(((*depth, id.clone()), meaning))
    };
    meant.iter().filter_map(in_effect).collect()
}

pub(super) fn parse(root: &Level, argv: &[&str]) -> Result<ArgMatches, clap::Error> {
    root.command()
        .try_get_matches_from(std::iter::once("app").chain(argv.iter().copied()))
}

/// What clap has read at every level, or how it has gone astray.
pub(super) fn read(lineage: &[&Level], matches: &ArgMatches) -> Result<Meant, String> {
    let globals: Vec<(usize, &Spec)> = globals(lineage).collect();
    let mut found = Meant::new();
    let mut note = |owner: usize, spec: &Spec, matches: &ArgMatches| {
        let meaning = spec.read(matches);
        found.extend(meaning.map(|meaning| ((owner, spec.id.clone()), meaning)));
    };
    let mut matches = matches;
    for (depth, level) in lineage.iter().enumerate() {
        if depth > 0 {
            matches = matches
                .subcommand_matches(&level.name)
                .ok_or_else(|| format!("`{}` is not taken for a command", level.name))?;
        }
        for spec in level.args.iter().filter(|spec| !spec.global) {
            note(depth, spec, matches);
        }
        for id in matches.ids().map(clap::Id::as_str) {
            let known = id == "group"
                || level.arg(id).is_some()
                || globals.iter().any(|(_, spec)| spec.id == id);
            if !known {
                return Err(format!("`{id}` is there"));
            }
        }
    }
    for (owner, spec) in globals {
        note(owner, spec, matches);
    }
    match matches.subcommand_name() {
        Some(name) => Err(format!("`{name}` is taken for a command")),
        None => Ok(found),
    }
}

/// What the handlers were called with, by id.
pub(super) type Seen = Arc<Mutex<Vec<BTreeMap<String, Meaning>>>>;

/// A bridge whose every command only remembers what it was called with.
pub(super) fn bridge(root: &Level, layout: Layout) -> (Bridge, Seen) {
    let seen = Seen::default();
    let bridge = Bridge::new(root.command()).layout(layout).logger(|_, _| {});
    let bridge = with_handlers(bridge, CommandPath::root(), &[root], &seen);
    (bridge, seen)
}

fn with_handlers(bridge: Bridge, path: CommandPath, lineage: &[&Level], seen: &Seen) -> Bridge {
    let (leaf, ancestors) = lineage.split_last().expect("it begins with the root");
    let inherited = globals(ancestors).map(|(_, spec)| spec);
    let specs: Vec<Spec> = leaf.args.iter().chain(inherited).cloned().collect();
    let notes = Arc::clone(seen);
    let bridge = bridge.handler(path.clone(), move |matches| {
        let read = |spec: &Spec| Some((spec.id.clone(), spec.read(matches)?));
        let note = specs.iter().filter_map(read).collect();
        notes.lock().expect("nobody panics").push(note);
        Ok(())
    });
    leaf.children.iter().fold(bridge, |bridge, child| {
        let lineage = [lineage, &[child]].concat();
        with_handlers(bridge, path.child(child.name.as_str()), &lineage, seen)
    })
}
