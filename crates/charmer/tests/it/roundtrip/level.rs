//! A random command with its subcommands.

use std::collections::HashSet;

use charmer::CommandPath;
use clap::ArgGroup;

use super::{
    dice::{Dice, Raw},
    spec::{Arity, Spec},
    words::COMMANDS,
};

#[derive(Debug, Clone)]
pub(super) struct Group {
    pub(super) members: Vec<String>,
    pub(super) required: bool,
    pub(super) multiple: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Level {
    pub(super) name: String,
    pub(super) args: Vec<Spec>,
    pub(super) conflicts: Option<(String, String)>,
    pub(super) group: Option<Group>,
    pub(super) subcommand_required: bool,
    pub(super) children: Vec<Level>,
}

/// Names that a command's descendants cannot use.
#[derive(Clone, Default)]
struct Inherited {
    longs: HashSet<String>,
    shorts: HashSet<char>,
    globals: usize,
}

impl Level {
    pub(super) fn root(raw: &Raw) -> Self {
        Self::new(raw, "app".to_owned(), Inherited::default())
    }

    fn new(raw: &Raw, name: String, mut inherited: Inherited) -> Self {
        let mut dice = Dice::new(&raw.dice);
        let mut ids = HashSet::new();
        let mut args = flags(&raw.flags, &mut inherited, &mut ids);
        args.extend(positionals(
            &raw.positionals,
            raw.children.is_empty(),
            &mut ids,
        ));

        let conflicts = dice.percent(25).then(|| conflict(&args, &mut dice));
        let group = dice.percent(20).then(|| Group {
            members: args
                .iter()
                .filter(|spec| !spec.required && !spec.last)
                .take(2 + dice.below(2))
                .map(|spec| spec.id.clone())
                .collect(),
            required: dice.percent(50),
            multiple: dice.percent(50),
        });
        let mut names = HashSet::new();
        let children = raw.children.iter().enumerate().map(|(at, child)| {
            let mut name = Dice::new(&child.dice[7..]).pick(&COMMANDS).to_owned();
            if !names.insert(name.clone()) {
                name.push_str(&at.to_string());
            }
            Self::new(child, name, inherited.clone())
        });
        Self {
            name,
            children: children.collect(),
            args,
            conflicts: conflicts.flatten(),
            group: group.filter(|group| !group.members.is_empty()),
            subcommand_required: !raw.children.is_empty() && dice.percent(30),
        }
    }

    pub(super) fn command(&self) -> clap::Command {
        let command = clap::Command::new(self.name.clone())
            .subcommand_required(self.subcommand_required)
            .args(self.args.iter().map(|spec| match &self.conflicts {
                Some((one, other)) if *one == spec.id => spec.arg().conflicts_with(other.clone()),
                _ => spec.arg(),
            }))
            .subcommands(self.children.iter().map(Self::command));
        command.groups(self.group.iter().map(|group| {
            ArgGroup::new("group")
                .args(group.members.iter().cloned())
                .required(group.required)
                .multiple(group.multiple)
        }))
    }

    pub(super) fn arg(&self, id: &str) -> Option<&Spec> {
        self.args.iter().find(|spec| spec.id == id)
    }

    /// The commands that lead to a path, the root first.
    pub(super) fn lineage(&self, path: &CommandPath) -> Vec<&Self> {
        let mut lineage = vec![self];
        for word in path.words() {
            let last = lineage[lineage.len() - 1];
            lineage.extend(last.children.iter().find(|child| child.name == *word));
        }
        lineage
    }

    /// Every name that a program could mistake a value for.
    pub(super) fn names(&self) -> Vec<String> {
        let longs = self.args.iter().filter_map(|spec| spec.long.as_ref());
        let shorts = self.args.iter().filter_map(|spec| spec.short);
        longs
            .flat_map(|long| [format!("--{long}"), format!("--{long}=v"), long.clone()])
            .chain(shorts.map(|short| format!("-{short}")))
            .chain(self.children.iter().map(|child| child.name.clone()))
            .collect()
    }

    /// It and the commands below it.
    pub(super) fn all(&self) -> Vec<&Self> {
        std::iter::once(self)
            .chain(self.children.iter().flat_map(Self::all))
            .collect()
    }
}

/// The global flags of a lineage, each with its depth.
pub(super) fn globals<'a>(lineage: &[&'a Level]) -> impl Iterator<Item = (usize, &'a Spec)> {
    lineage.iter().enumerate().flat_map(|(depth, level)| {
        let globals = level.args.iter().filter(|spec| spec.global);
        globals.map(move |spec| (depth, spec))
    })
}

/// Flags with names that are free.
fn flags(raw: &[[u16; 32]], inherited: &mut Inherited, ids: &mut HashSet<String>) -> Vec<Spec> {
    let mut own = inherited.clone();
    let mut specs: Vec<Spec> = raw.iter().map(Spec::flag).collect();
    for spec in &mut specs {
        spec.long.take_if(|long| !own.longs.insert(long.clone()));
        spec.short.take_if(|short| !own.shorts.insert(*short));
        if spec.is_positional() {
            let mut free = (0..).map(|at| format!("flag{at}"));
            spec.long = free.find(|long| own.longs.insert(long.clone()));
        }
        if spec.global {
            // clap finds the values of global arguments by id at every level, so the id is theirs alone.
            inherited.globals += 1;
            spec.id = format!("global{}", inherited.globals);
            inherited.longs.extend(spec.long.clone());
            inherited.shorts.extend(spec.short);
        }
        make_unique(&mut spec.id, ids);
    }
    specs
}

/// Positionals in an order that clap allows.
fn positionals(raw: &[[u16; 32]], childless: bool, ids: &mut HashSet<String>) -> Vec<Spec> {
    let mut specs: Vec<Spec> = Vec::new();
    for (at, numbers) in raw.iter().enumerate() {
        let mut spec = Spec::positional(numbers);
        let is_final = at + 1 == raw.len();
        spec.last &= is_final;
        let before_last = raw
            .get(at + 1)
            .is_some_and(|next| at + 2 == raw.len() && Spec::positional(next).last);
        if !is_final && !before_last {
            spec.arity = Arity::One;
        }
        spec.required &= match spec.last {
            true => childless,
            false => specs.iter().all(|earlier| earlier.required),
        };
        spec.defaulted &= !spec.required;
        spec.hyphens |= spec.last;
        specs.push(spec);
    }
    // `<SRC>... <DST>`
    if let [.., source] = &specs[..]
        && source.arity == Arity::Any
        && source.required
        && !source.last
        && source.delimiter
    {
        let mut target = source.clone();
        target.arity = Arity::One;
        specs.push(target);
    }
    for spec in &mut specs {
        spec.delimiter &= spec.arity != Arity::One;
        make_unique(&mut spec.id, ids);
    }
    specs
}

fn make_unique(id: &mut String, ids: &mut HashSet<String>) {
    while !ids.insert(id.clone()) {
        id.push('2');
    }
}

/// Two arguments that exclude each other.
fn conflict(args: &[Spec], dice: &mut Dice) -> Option<(String, String)> {
    let free: Vec<&Spec> = args
        .iter()
        .filter(|spec| !spec.global && !spec.last)
        .collect();
    if free.len() < 2 {
        return None;
    }
    let (one, other) = (dice.pick(&free), dice.pick(&free));
    // Two positionals that exclude each other can only be read in order.
    let sensible = one.id != other.id && !(one.is_positional() && other.is_positional());
    sensible.then(|| (one.id.clone(), other.id.clone()))
}
