//! The facts gathered about a command while it is being read: a surer one may still replace each.

use std::collections::HashMap;

use charmer_core::model::{
    Arguments, Choice, CommandPath, DoubleDash, FlagValue, Group, Positional, Repetition,
    SingleDash, ValueType,
};

use crate::{
    fact::{Fact, Field, Origin},
    flags::Flags,
};

/// The maximum length of a flag's name in bytes. What is longer is a text that only begins like a flag, and command lines
/// with many of them could not be started.
const LONGEST_NAME: usize = 200;

/// A flag takes a value, of which type, and how often.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KindSketch {
    pub(crate) value: FlagValue,
    pub(crate) value_type: ValueType,
    pub(crate) repetition: Repetition,
}

impl KindSketch {
    /// A switch.
    pub(crate) const fn switch() -> Self {
        Self {
            value: FlagValue::None,
            value_type: ValueType::Bool,
            repetition: Repetition::Single,
        }
    }

    /// A flag that is counted.
    pub(crate) const fn count() -> Self {
        Self {
            value: FlagValue::None,
            value_type: ValueType::Count,
            repetition: Repetition::Single,
        }
    }

    /// A flag with one value of this type.
    pub(crate) const fn single(value_type: ValueType) -> Self {
        Self {
            value: FlagValue::Required,
            value_type,
            repetition: Repetition::Single,
        }
    }

    /// A flag that may be repeated, each time with one value of this type.
    pub(crate) const fn repeated(value_type: ValueType) -> Self {
        Self {
            value: FlagValue::Required,
            value_type,
            repetition: Repetition::Repeat { delimiter: None },
        }
    }

    /// The kind of a pflag type, `None` for an application's own.
    pub(crate) fn pflag(name: &str) -> Option<Self> {
        let (value_type, repetition) = ValueType::from_pflag(name)?;
        let value = match value_type {
            ValueType::Count => FlagValue::None,
            ValueType::Bool if repetition == Repetition::Single => FlagValue::None,
            _ => FlagValue::Required,
        };
        Some(Self {
            value,
            value_type,
            repetition,
        })
    }

    /// This kind with a value that may be left out.
    pub(crate) fn optional(mut self, bare: Option<String>) -> Self {
        self.value = FlagValue::Optional { bare };
        self
    }
}

/// The owner of a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FlagScope {
    /// The command's own.
    Own,
    /// The command's own, and every descendant takes it too.
    Global,
    /// An ancestor's, which this command takes too.
    Inherited,
}

/// The facts gathered about one flag.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FlagSketch {
    pub(crate) long: Option<String>,
    pub(crate) short: Option<char>,
    /// Other long names.
    pub(crate) aliases: Vec<String>,
    /// Other short names.
    pub(crate) short_aliases: Vec<char>,
    /// The long name of the flag that turns this switch off.
    pub(crate) negation: Option<String>,
    /// The placeholder of the value in the help.
    pub(crate) placeholder: Option<String>,
    /// The placeholder is the name of its type for sure, and not a word of the author's.
    pub(crate) named_type: bool,
    pub(crate) kind: Option<Fact<KindSketch>>,
    pub(crate) default: Option<Fact<Vec<String>>>,
    pub(crate) choices: Option<Fact<Vec<Choice>>>,
    /// Values that completion suggests, though others are taken too.
    pub(crate) suggestions: Vec<String>,
    pub(crate) required: Option<Fact<bool>>,
    pub(crate) scope: Option<Fact<FlagScope>>,
    pub(crate) deprecated: Option<Fact<String>>,
    pub(crate) env: Option<Fact<String>>,
    pub(crate) help: Option<Fact<String>>,
    /// Values that begin with `-` may follow as elements of their own.
    pub(crate) allow_hyphen: bool,
    /// The parser takes it again, though nobody says what becomes of the first value.
    pub(crate) may_repeat: bool,
    /// The way it takes its value where its long name has one dash.
    pub(crate) single_dash: Option<SingleDash>,
    /// It stands behind the positionals.
    pub(crate) behind_positionals: bool,
}

impl FlagSketch {
    /// Returns true if it is known to take no value.
    pub(crate) fn is_switch(&self) -> bool {
        let kind = self.kind.as_ref();
        kind.is_some_and(|kind| kind.value == KindSketch::switch())
    }

    pub(crate) fn long(name: impl Into<String>) -> Self {
        Self {
            long: Some(name.into()),
            ..Self::default()
        }
    }

    /// Its id in the model: the long name, else the short one.
    pub(crate) fn id(&self) -> String {
        match (&self.long, self.short) {
            (Some(long), _) => long.clone(),
            (None, Some(short)) => short.to_string(),
            (None, None) => String::new(),
        }
    }

    /// The flag as it is written, for a command line of ours.
    pub(crate) fn written(&self) -> String {
        match (&self.long, self.short) {
            (Some(long), _) if self.single_dash.is_some() => format!("-{long}"),
            (Some(long), _) => format!("--{long}"),
            (None, Some(short)) => format!("-{short}"),
            (None, None) => String::new(),
        }
    }

    /// All its names with their dashes.
    pub(crate) fn names(&self) -> Vec<String> {
        let longs = self.long.iter().chain(&self.aliases);
        let shorts = self.short.iter().chain(&self.short_aliases);
        longs
            .map(|long| format!("--{long}"))
            .chain(shorts.map(|short| format!("-{short}")))
            .collect()
    }

    /// Returns true if both have a name in common.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (&self.long, &other.long) {
            (Some(a), Some(b)) => a == b || self.aliases.contains(b) || other.aliases.contains(a),
            _ => self.short.is_some() && self.short == other.short,
        }
    }

    /// Takes what the other knows better.
    pub(crate) fn merge(&mut self, other: Self) {
        fn learn<T>(field: &mut Option<Fact<T>>, other: Option<Fact<T>>) {
            if let Some(fact) = other {
                field.learn(fact);
            }
        }
        fn union<T: PartialEq>(list: &mut Vec<T>, other: Vec<T>) {
            for item in other {
                if !list.contains(&item) {
                    list.push(item);
                }
            }
        }
        self.long = self.long.take().or(other.long);
        self.short = self.short.or(other.short);
        self.negation = self.negation.take().or(other.negation);
        self.placeholder = self.placeholder.take().or(other.placeholder);
        union(&mut self.aliases, other.aliases);
        union(&mut self.short_aliases, other.short_aliases);
        union(&mut self.suggestions, other.suggestions);
        learn(&mut self.kind, other.kind);
        learn(&mut self.default, other.default);
        learn(&mut self.choices, other.choices);
        learn(&mut self.required, other.required);
        learn(&mut self.scope, other.scope);
        learn(&mut self.deprecated, other.deprecated);
        learn(&mut self.env, other.env);
        learn(&mut self.help, other.help);
        self.named_type |= other.named_type;
        self.allow_hyphen |= other.allow_hyphen;
        self.may_repeat |= other.may_repeat;
        self.single_dash = self.single_dash.or(other.single_dash);
        self.behind_positionals |= other.behind_positionals;
    }
}

/// A subcommand as its parent mentions it; whether it is there is only known when it has been asked itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ChildSketch {
    pub(crate) name: String,
    pub(crate) aliases: Vec<String>,
    pub(crate) about: Option<Fact<String>>,
    /// The heading that its parent's help page lists it under, which may be empty.
    pub(crate) listed: Option<Fact<String>>,
    /// Commands below it that its parent's page lists, which its own may leave out.
    pub(crate) below: Vec<ChildSketch>,
    /// Only its parent's word for it is to be had: it counts even if it cannot be asked.
    pub(crate) certain: bool,
    /// All that is known of it where its parent's page describes it in place, and it has no page of its own.
    pub(crate) told: Option<Box<CommandSketch>>,
}

impl ChildSketch {
    /// One that a list names without a word on it: it takes whatever its own help, if it has any, does not tell.
    pub(crate) fn named(parent: &CommandPath, name: &str, heading: &str) -> Self {
        let mut told = CommandSketch::new(parent.child(name));
        let any = Arguments::Listed(vec![Positional::new("args").variadic()]);
        told.arguments = Some(Fact::new(any, Origin::Convention));
        told.runnable = Some(Fact::new(true, Origin::Help));
        Self {
            name: name.to_owned(),
            listed: Some(Fact::new(heading.to_owned(), Origin::Help)),
            told: Some(Box::new(told)),
            ..Self::default()
        }
    }

    /// Takes what the other knows besides.
    fn merge(&mut self, other: Self) {
        for alias in other.aliases {
            if !self.aliases.contains(&alias) {
                self.aliases.push(alias);
            }
        }
        if let Some(about) = other.about {
            self.about.learn(about);
        }
        if let Some(listed) = other.listed {
            self.listed.learn(listed);
        }
        self.below.extend(other.below);
        self.certain |= other.certain;
        self.told = self.told.take().or(other.told);
    }
}

/// The facts gathered about one command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CommandSketch {
    pub(crate) path: CommandPath,
    /// The program's name as the usage line has it.
    pub(crate) program: Option<String>,
    pub(crate) aliases: Vec<String>,
    /// Other paths that call the same command.
    pub(crate) same_as: Vec<CommandPath>,
    pub(crate) usage: Option<Fact<String>>,
    pub(crate) about: Option<Fact<String>>,
    pub(crate) long_about: Option<Fact<String>>,
    pub(crate) examples: Option<Fact<String>>,
    pub(crate) runnable: Option<Fact<bool>>,
    pub(crate) deprecated: Option<Fact<String>>,
    pub(crate) arguments: Option<Fact<Arguments>>,
    pub(crate) flags: Flags,
    pub(crate) groups: Vec<Fact<Group>>,
    /// Its own flags cannot stand before a subcommand.
    pub(crate) excludes_subcommands: Option<Fact<bool>>,
    /// The number of positionals behind which it reads no options.
    pub(crate) options_end_behind: Option<Fact<usize>>,
    /// The meaning of `--`, where it is known to be something else than in the rest of the program.
    pub(crate) double_dash: Option<Fact<DoubleDash>>,
    pub(crate) children: Vec<ChildSketch>,
    /// Warnings for whoever reads `charmer inspect`.
    pub(crate) warnings: Vec<String>,
    /// It is another program, which takes no flags of the commands above it.
    pub(crate) stands_alone: bool,
    /// It has more flags than are read of a command, so that it is not asked about them.
    pub(crate) overfull: bool,
}

impl CommandSketch {
    pub(crate) fn new(path: CommandPath) -> Self {
        Self {
            path,
            ..Self::default()
        }
    }

    /// The flag that shares a name with this one.
    pub(crate) fn flag_mut(&mut self, like: &FlagSketch) -> Option<&mut FlagSketch> {
        self.flags
            .iter_mut()
            .find(|flag| flag.is_same(like))
            .map(|flag| &mut **flag)
    }

    /// Adds a flag, or what is new about one that is there.
    pub(crate) fn add_flag(&mut self, flag: FlagSketch) {
        match self.flag_mut(&flag) {
            Some(known) => known.merge(flag),
            None => self.flags.push(flag),
        }
    }

    /// Leaves out flags beyond the maximum number, and those with endless names; returns how many that were.
    pub(crate) fn bound_flags(&mut self, most: usize) -> usize {
        let before = self.flags.len();
        self.flags.truncate(most);
        self.flags.retain(|flag| {
            let mut names = flag.long.iter().chain(&flag.aliases).chain(&flag.negation);
            names.all(|name| name.len() <= LONGEST_NAME)
        });
        before - self.flags.len()
    }

    /// Adds children, or what is new about those that are there.
    pub(crate) fn add_children(&mut self, children: impl IntoIterator<Item = ChildSketch>) {
        // By name, because a program may list any number of them.
        let mut places: HashMap<String, usize> = HashMap::new();
        for (at, known) in self.children.iter().enumerate() {
            places.entry(known.name.clone()).or_insert(at);
        }
        for child in children {
            match places.get(&child.name) {
                Some(&at) => self.children[at].merge(child),
                None => {
                    places.insert(child.name.clone(), self.children.len());
                    self.children.push(child);
                }
            }
        }
    }

    /// Adds a child, or what is new about one that is there.
    pub(crate) fn add_child(&mut self, child: ChildSketch) {
        match self
            .children
            .iter_mut()
            .find(|known| known.name == child.name)
        {
            Some(known) => known.merge(child),
            None => self.children.push(child),
        }
    }
}
