//! Random CLIs and random input: what clap reads is what the caller meant, or the call is refused for a reason.
//!
//! The runs are the same every time. `PROPTEST_CASES=20000 cargo test -p charmer --test it roundtrip` explores further,
//! with a new seed.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, HashSet, VecDeque},
    path::PathBuf,
    sync::{Arc, Mutex},
};

use charmer::{Bridge, CommandPath, CommandRule, FlagRule, Layout, Selector, Tool};
use charmer_core::call::{ElementKind, prepare};
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, builder::PossibleValue, parser::ValueSource};
use proptest::{
    array::{uniform8, uniform32},
    collection::vec,
    prelude::*,
    test_runner::{Config, RngSeed, TestCaseError, TestRunner},
};
use serde_json::{Map, Value, json};

const LONGS: [&str; 11] = [
    "a", "ab", "a-b", "a_b", "name", "sub", "file", "flags", "args", "x-y_z", "no-a",
];
const SHORTS: [char; 5] = ['a', 'b', 'x', 'A', '5'];
const COMMANDS: [&str; 6] = ["sub", "name", "a", "a-b", "get", "args"];
const POSITIONALS: [&str; 6] = ["file", "name", "sub", "a", "flags", "rest"];
/// Texts that no program can take for anything else.
const CALM: [&str; 4] = ["v", "word1", "Zz9", "42"];
const NASTY: [&str; 25] = [
    "",
    "-",
    "--",
    "-x",
    "-5",
    "-a",
    "---",
    "--flag=value",
    "--a",
    "a,b",
    ",",
    "a=b",
    "=",
    "=x",
    "\"q\"",
    "'",
    "two words",
    "line\nbreak",
    "–dash",
    "—",
    "-a=b",
    "help",
    "--help",
    "-1e-5",
    "ü",
];

/// Numbers that decide; small ones stand for what is simple, so that shrinking leads there.
#[derive(Clone)]
struct Dice {
    left: VecDeque<u16>,
}

impl Dice {
    fn new(numbers: &[u16]) -> Self {
        Self {
            left: numbers.iter().copied().collect(),
        }
    }

    fn below(&mut self, end: usize) -> usize {
        let next = usize::from(self.left.pop_front().unwrap_or(0));
        (next * end) >> 16
    }

    fn percent(&mut self, chance: usize) -> bool {
        self.below(100) >= 100 - chance
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}

/// What a command is made from.
#[derive(Clone)]
struct Raw {
    dice: [u16; 8],
    flags: Vec<[u16; 32]>,
    positionals: Vec<[u16; 32]>,
    children: Vec<Raw>,
}

/// A failure shows the command; the numbers would only be noise.
impl std::fmt::Debug for Raw {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Raw")
    }
}

fn raw(depth: usize) -> BoxedStrategy<Raw> {
    let children = match depth {
        0 => Just(Vec::new()).boxed(),
        _ => vec(raw(depth - 1), 0..=2).boxed(),
    };
    let (flag, positional) = (uniform32(any::<u16>()), uniform32(any::<u16>()));
    (
        uniform8(any::<u16>()),
        vec(flag, 0..=4),
        vec(positional, 0..=3),
        children,
    )
        .prop_map(|(dice, flags, positionals, children)| Raw {
            dice,
            flags,
            positionals,
            children,
        })
        .boxed()
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Action {
    On,
    Off,
    Count,
    Set,
    Append,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Type {
    Text,
    Int,
    Uint,
    Byte,
    Float,
    Bool,
    Path,
    Choice,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Arity {
    One,
    Fixed(usize),
    Optional,
    UpToThree,
    Any,
}

/// A flag or, without a name, a positional.
#[derive(Clone)]
struct Spec {
    id: String,
    long: Option<String>,
    short: Option<char>,
    action: Action,
    kind: Type,
    arity: Arity,
    /// What a bare flag of [`Arity::Optional`] means.
    missing: bool,
    delimiter: bool,
    equals: bool,
    hyphens: bool,
    negatives: bool,
    global: bool,
    required: bool,
    defaulted: bool,
    last: bool,
    /// Decides on the values.
    dice: Dice,
}

impl std::fmt::Debug for Spec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (id, long, short) = (&self.id, &self.long, self.short);
        write!(
            f,
            "{id} (--{long:?} -{short:?}) {:?} {:?} {:?}",
            self.action, self.kind, self.arity
        )?;
        let settings = [
            ("missing", self.missing),
            ("delimiter", self.delimiter),
            ("equals", self.equals),
            ("hyphens", self.hyphens),
            ("negatives", self.negatives),
            ("global", self.global),
            ("required", self.required),
            ("defaulted", self.defaulted),
            ("last", self.last),
        ];
        settings
            .iter()
            .filter(|(_, set)| *set)
            .try_for_each(|(name, _)| write!(f, " {name}"))
    }
}

#[derive(Debug, Clone)]
struct Group {
    members: Vec<String>,
    required: bool,
    multiple: bool,
}

#[derive(Debug, Clone)]
struct Level {
    name: String,
    args: Vec<Spec>,
    conflicts: Option<(String, String)>,
    group: Option<Group>,
    subcommand_required: bool,
    children: Vec<Level>,
}

/// Names that a command's descendants cannot use.
#[derive(Clone, Default)]
struct Inherited {
    longs: HashSet<String>,
    shorts: HashSet<char>,
    globals: usize,
}

impl Level {
    fn new(raw: &Raw, name: &str, mut inherited: Inherited) -> Self {
        let mut dice = Dice::new(&raw.dice);
        let mut own = inherited.clone();
        let mut ids = HashSet::new();
        let mut args = Vec::new();
        for numbers in &raw.flags {
            let mut spec = Spec::flag(numbers);
            spec.long = spec.long.filter(|long| own.longs.insert(long.clone()));
            spec.short = spec.short.filter(|short| own.shorts.insert(*short));
            if spec.long.is_none() && spec.short.is_none() {
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
            while !ids.insert(spec.id.clone()) {
                spec.id.push('2');
            }
            args.push(spec);
        }
        args.extend(positionals(
            &raw.positionals,
            raw.children.is_empty(),
            &mut ids,
        ));

        let conflicts = dice.percent(25).then(|| {
            let free: Vec<&Spec> = args
                .iter()
                .filter(|spec| !spec.global && !spec.last)
                .collect();
            if free.len() < 2 {
                return None;
            }
            let (one, other) = (dice.below(free.len()), dice.below(free.len()));
            let (one, other) = (free[one], free[other]);
            // Two positionals that exclude each other can only be read in order.
            let sensible = one.id != other.id && !(one.is_positional() && other.is_positional());
            sensible.then(|| (one.id.clone(), other.id.clone()))
        });
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
            Self::new(child, &name, inherited.clone())
        });
        Self {
            name: name.to_owned(),
            children: children.collect(),
            args,
            conflicts: conflicts.flatten(),
            group: group.filter(|group| !group.members.is_empty()),
            subcommand_required: !raw.children.is_empty() && dice.percent(30),
        }
    }

    fn command(&self) -> clap::Command {
        let mut command = clap::Command::new(self.name.clone())
            .subcommand_required(self.subcommand_required)
            .args(self.args.iter().map(|spec| match &self.conflicts {
                Some((one, other)) if *one == spec.id => spec.arg().conflicts_with(other.clone()),
                _ => spec.arg(),
            }))
            .subcommands(self.children.iter().map(Self::command));
        if let Some(group) = &self.group {
            let members = group.members.iter().cloned();
            command = command.group(
                ArgGroup::new("group")
                    .args(members)
                    .required(group.required)
                    .multiple(group.multiple),
            );
        }
        command
    }

    /// The commands that lead to a path, the root first.
    fn lineage(&self, path: &CommandPath) -> Vec<&Self> {
        let mut lineage = vec![self];
        for word in path.words() {
            let last = lineage[lineage.len() - 1];
            lineage.extend(last.children.iter().find(|child| child.name == *word));
        }
        lineage
    }

    /// Every name that a program could mistake a value for.
    fn names(&self) -> Vec<String> {
        let longs = self.args.iter().filter_map(|spec| spec.long.as_ref());
        let shorts = self.args.iter().filter_map(|spec| spec.short);
        longs
            .flat_map(|long| [format!("--{long}"), format!("--{long}=v"), long.clone()])
            .chain(shorts.map(|short| format!("-{short}")))
            .chain(self.children.iter().map(|child| child.name.clone()))
            .collect()
    }

    fn all(&self) -> Vec<&Self> {
        std::iter::once(self)
            .chain(self.children.iter().flat_map(Self::all))
            .collect()
    }
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
        while !ids.insert(spec.id.clone()) {
            spec.id.push('2');
        }
    }
    specs
}

impl Spec {
    fn flag(numbers: &[u16; 32]) -> Self {
        use Arity::{Any, Fixed, One, Optional, UpToThree};
        let mut dice = Dice::new(&numbers[..16]);
        let long = dice.pick(&LONGS).to_owned();
        let short = dice.pick(&SHORTS);
        let (has_long, has_short) = dice.pick(&[(true, false), (true, true), (false, true)]);
        let id = if dice.percent(50) {
            format!("id-{long}")
        } else {
            long.clone()
        };
        let action = dice.pick(&[
            Action::Set,
            Action::On,
            Action::Set,
            Action::Append,
            Action::Count,
            Action::Off,
            Action::Set,
            Action::Append,
        ]);
        let valued = matches!(action, Action::Set | Action::Append);
        let kind = dice.kind();
        let arity = dice.pick(&[One, One, One, Fixed(2), Optional, UpToThree, Any, Fixed(3)]);
        let arity = if valued { arity } else { One };
        let global = dice.percent(20);
        let defaulted = dice.percent(15) && valued;
        Self {
            id,
            long: has_long.then_some(long),
            short: has_short.then_some(short),
            action,
            kind,
            arity,
            missing: dice.percent(50) && arity == Optional,
            delimiter: dice.percent(20) && valued,
            equals: dice.percent(20) && valued && !matches!(arity, Fixed(_)),
            hyphens: dice.percent(20) && valued,
            negatives: dice.percent(20) && valued,
            global,
            defaulted,
            required: dice.percent(20) && valued && !global && !defaulted,
            last: false,
            dice: Dice::new(&numbers[16..]),
        }
    }

    fn positional(numbers: &[u16; 32]) -> Self {
        use Arity::{Any, Fixed, One, UpToThree};
        let mut dice = Dice::new(&numbers[..16]);
        Self {
            id: dice.pick(&POSITIONALS).to_owned(),
            long: None,
            short: None,
            required: dice.percent(40),
            kind: dice.kind(),
            arity: dice.pick(&[One, One, Any, UpToThree, Fixed(2)]),
            last: dice.percent(25),
            action: Action::Set,
            hyphens: dice.percent(15),
            negatives: dice.percent(15),
            defaulted: dice.percent(15),
            delimiter: dice.percent(15),
            missing: false,
            equals: false,
            global: false,
            dice: Dice::new(&numbers[16..]),
        }
    }

    fn is_positional(&self) -> bool {
        self.long.is_none() && self.short.is_none()
    }

    fn arg(&self) -> Arg {
        let mut arg = Arg::new(self.id.clone()).global(self.global);
        if let Some(long) = &self.long {
            arg = arg.long(long.clone());
        }
        if let Some(short) = self.short {
            arg = arg.short(short);
        }
        arg = match self.action {
            Action::On => return arg.action(ArgAction::SetTrue),
            Action::Off => return arg.action(ArgAction::SetFalse),
            Action::Count => return arg.action(ArgAction::Count),
            Action::Set => arg.action(ArgAction::Set),
            Action::Append => arg.action(ArgAction::Append),
        };
        arg = match self.arity {
            Arity::One => arg,
            Arity::Fixed(count) => arg.num_args(count),
            Arity::Optional => arg.num_args(0..=1),
            Arity::UpToThree => arg.num_args(1..=3),
            Arity::Any => arg.num_args(1..),
        };
        arg = match self.kind {
            Type::Text => arg,
            Type::Int => arg.value_parser(clap::value_parser!(i64)),
            Type::Uint => arg.value_parser(clap::value_parser!(u64)),
            Type::Byte => arg.value_parser(clap::value_parser!(u8)),
            Type::Float => arg.value_parser(clap::value_parser!(f64)),
            Type::Bool => arg.value_parser(clap::value_parser!(bool)),
            Type::Path => arg.value_parser(clap::value_parser!(PathBuf)),
            Type::Choice => arg.value_parser([
                PossibleValue::new("one").alias("uno"),
                PossibleValue::new("two"),
                PossibleValue::new("three").hide(true),
            ]),
        };
        let example = match self.kind {
            Type::Text | Type::Path => "default",
            Type::Bool => "true",
            Type::Choice => "two",
            _ => "7",
        };
        if self.defaulted {
            let count = if let Arity::Fixed(count) = self.arity {
                count
            } else {
                1
            };
            arg = arg.default_values(vec![example; count]);
        }
        if self.missing {
            arg = arg.default_missing_value(example);
        }
        if self.delimiter {
            arg = arg.value_delimiter(',');
        }
        arg.require_equals(self.equals)
            .allow_hyphen_values(self.hyphens)
            .allow_negative_numbers(self.negatives)
            .required(self.required)
            .last(self.last)
    }

    /// A value for it; `calm` keeps to what cannot be mistaken.
    fn meaning(&self, calm: bool, names: &[String]) -> Option<Meaning> {
        let mut dice = self.dice.clone();
        let given = dice.percent(60);
        let _stubborn = dice.below(100);
        match self.action {
            Action::On | Action::Off => return given.then(|| Meaning::Switch(dice.percent(80))),
            Action::Count => return given.then(|| Meaning::Count(dice.pick(&[1, 0, 2, 3, 255]))),
            Action::Set | Action::Append => {}
        }
        if !given && !self.required {
            return None;
        }
        let many = 1 + dice.below(3);
        let (occurrences, each) = match (self.arity, self.action) {
            (Arity::Optional, Action::Set) if !self.missing && dice.percent(40) => {
                return Some(Meaning::Bare);
            }
            // Only a list that is split can be attached.
            (_, Action::Set) if self.equals && !self.delimiter => (1, 1),
            (Arity::Fixed(count), Action::Append) => (many, count),
            (Arity::Fixed(count), _) => (1, count),
            (Arity::UpToThree | Arity::Any, Action::Set) => (1, many),
            (_, Action::Append) => (many, 1),
            (_, _) if self.delimiter => (1, many),
            _ => (1, 1),
        };
        let mut list = || {
            (0..each)
                .map(|_| self.scalar(&mut dice, calm, names))
                .collect()
        };
        let lists: Vec<Vec<Scalar>> = (0..occurrences).map(|_| list()).collect();
        // The empty text stands for the bare flag.
        let says_bare = self.arity == Arity::Optional
            && self.action == Action::Set
            && !self.missing
            && !self.delimiter;
        if says_bare && lists[0][0] == Scalar::Text(String::new()) {
            return Some(Meaning::Bare);
        }
        Some(Meaning::Values(lists))
    }

    fn scalar(&self, dice: &mut Dice, calm: bool, names: &[String]) -> Scalar {
        match self.kind {
            Type::Text | Type::Path if calm => Scalar::Text(dice.pick(&CALM).to_owned()),
            Type::Text | Type::Path => Scalar::Text(match dice.below(8) {
                0..=1 => dice.pick(&CALM).to_owned(),
                2..=5 => dice.pick(&NASTY).to_owned(),
                6 if !names.is_empty() => dice.pick(names),
                _ => "long ".repeat(dice.pick(&[10, 1000, 27_000])),
            }),
            Type::Int => Scalar::Integer(dice.pick(&[1, -5, i64::MAX.into(), i64::MIN.into(), 0])),
            Type::Uint => Scalar::Integer(dice.pick(&[1, u64::MAX.into(), 0, 42])),
            Type::Byte => Scalar::Integer(dice.pick(&[1, 255, 0])),
            Type::Float => {
                Scalar::Float(dice.pick(&[1.5, 0.0, -2.5, 1e300, 1e-7, -0.0, -1e-7, f64::MAX]))
            }
            Type::Bool => Scalar::Bool(dice.percent(50)),
            Type::Choice => Scalar::Text(dice.pick(&["one", "uno", "two", "three"]).to_owned()),
        }
    }

    /// Whether it is kept although it breaks a relation.
    fn is_stubborn(&self) -> bool {
        let mut dice = self.dice.clone();
        dice.below(2);
        dice.percent(15)
    }

    /// Whether clap would go on reading values behind these.
    fn stays_open(&self, meaning: &Meaning) -> bool {
        if self.is_positional() || self.equals || self.action != Action::Set {
            return false;
        }
        match (meaning, self.arity) {
            (Meaning::Bare, _) => true,
            // One value, or joined ones, can be attached.
            (Meaning::Values(lists), Arity::UpToThree) => {
                !self.delimiter && !matches!(lists[0].len(), 1 | 3)
            }
            (Meaning::Values(lists), Arity::Any) => !self.delimiter && lists[0].len() != 1,
            _ => false,
        }
    }

    /// Whether its values must stand for themselves, so that a dash in front shows.
    fn is_detached(&self, meaning: &Meaning) -> bool {
        matches!(self.arity, Arity::Fixed(_))
            || self.is_positional()
            || self.stays_open(meaning)
            || (!self.delimiter && matches!(meaning, Meaning::Values(lists) if lists[0].len() > 1))
    }

    /// What clap has read for it on the command line.
    fn read(&self, matches: &ArgMatches) -> Option<Meaning> {
        let id = self.id.as_str();
        if matches.value_source(id) != Some(ValueSource::CommandLine) {
            return None;
        }
        fn typed<T: Clone + Send + Sync + 'static>(
            matches: &ArgMatches,
            id: &str,
            scalar: impl Fn(&T) -> Scalar,
        ) -> Meaning {
            let occurrences = matches.get_occurrences::<T>(id).into_iter().flatten();
            Meaning::Values(
                occurrences
                    .map(|values| values.map(&scalar).collect())
                    .collect(),
            )
        }
        let meaning = match self.action {
            Action::On => Meaning::Switch(matches.get_flag(id)),
            Action::Off => Meaning::Switch(!matches.get_flag(id)),
            Action::Count => Meaning::Count(matches.get_count(id)),
            Action::Set | Action::Append => match self.kind {
                Type::Text | Type::Choice => {
                    typed(matches, id, |text: &String| Scalar::Text(text.clone()))
                }
                Type::Int => typed(matches, id, |number: &i64| {
                    Scalar::Integer((*number).into())
                }),
                Type::Uint => typed(matches, id, |number: &u64| {
                    Scalar::Integer((*number).into())
                }),
                Type::Byte => typed(matches, id, |number: &u8| Scalar::Integer((*number).into())),
                Type::Float => typed(matches, id, |number: &f64| Scalar::Float(*number)),
                Type::Bool => typed(matches, id, |yes: &bool| Scalar::Bool(*yes)),
                Type::Path => typed(matches, id, |path: &PathBuf| {
                    Scalar::Text(path.to_string_lossy().into_owned())
                }),
            },
        };
        self.in_effect(&meaning)
    }

    /// The form in which meanings are compared: occurrences count only where they hold several values each.
    fn in_effect(&self, meaning: &Meaning) -> Option<Meaning> {
        match meaning {
            Meaning::Switch(false) | Meaning::Count(0) => None,
            Meaning::Values(lists) if lists.iter().all(Vec::is_empty) => Some(Meaning::Bare),
            Meaning::Values(lists) if !matches!(self.arity, Arity::Fixed(_)) => {
                Some(Meaning::Values(vec![lists.concat()]))
            }
            other => Some(other.clone()),
        }
    }
}

impl Dice {
    fn kind(&mut self) -> Type {
        use Type::{Bool, Byte, Choice, Float, Int, Path, Text, Uint};
        self.pick(&[Text, Text, Text, Int, Uint, Byte, Float, Bool, Path, Choice])
    }
}

#[derive(Debug, Clone)]
enum Scalar {
    Text(String),
    Integer(i128),
    Float(f64),
    Bool(bool),
}

impl PartialEq for Scalar {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(one), Self::Text(other)) => one == other,
            (Self::Integer(one), Self::Integer(other)) => one == other,
            // The two zeros are different texts.
            (Self::Float(one), Self::Float(other)) => one.to_bits() == other.to_bits(),
            (Self::Bool(one), Self::Bool(other)) => one == other,
            _ => false,
        }
    }
}

impl Scalar {
    fn json(&self) -> Value {
        match self {
            Self::Text(text) => text.as_str().into(),
            Self::Integer(number) => {
                let signed = i64::try_from(*number).map(Value::from);
                signed.unwrap_or_else(|_| {
                    json!(u64::try_from(*number).expect("it fits one of the two"))
                })
            }
            Self::Float(number) => json!(number),
            Self::Bool(yes) => json!(yes),
        }
    }

    fn text(&self) -> String {
        match self.json() {
            Value::String(text) => text,
            other => other.to_string(),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Meaning {
    Switch(bool),
    Count(u8),
    Bare,
    /// A list each time it is given.
    Values(Vec<Vec<Scalar>>),
}

impl Meaning {
    fn scalars(&self) -> Vec<&Scalar> {
        match self {
            Self::Values(lists) => lists.iter().flatten().collect(),
            _ => Vec::new(),
        }
    }

    fn is_given(&self) -> bool {
        !matches!(self, Self::Switch(false) | Self::Count(0))
    }

    /// The value in the form that a schema asks for; `None` if that form cannot hold it.
    fn json(&self, schema: &Value) -> Option<Value> {
        let lists = match self {
            Self::Switch(on) => return Some(json!(on)),
            Self::Count(times) => return Some(json!(times)),
            Self::Bare => return Some(json!("")),
            Self::Values(lists) => lists,
        };
        let array = |list: &Vec<Scalar>| list.iter().map(Scalar::json).collect::<Vec<_>>();
        match (schema["type"].as_str()?, schema["items"]["type"].as_str()) {
            ("array", Some("array")) => Some(lists.iter().map(array).collect()),
            ("array", _) => Some(array(&lists.concat()).into()),
            _ => match &lists.concat()[..] {
                [one] => Some(one.json()),
                _ => None,
            },
        }
    }
}

/// What a caller means, by depth and id.
type Meant = BTreeMap<(usize, String), Meaning>;

fn meant(lineage: &[&Level], calm: bool) -> Meant {
    let mut meant = Meant::new();
    for (depth, level) in lineage.iter().enumerate() {
        let names = level.names();
        let mut all: Vec<(&Spec, Option<Meaning>)> = level
            .args
            .iter()
            .map(|spec| (spec, spec.meaning(calm, &names)))
            .collect();
        let given = |all: &[(&Spec, Option<Meaning>)], id: &str| {
            let found = all.iter().find(|(spec, _)| spec.id == id);
            found.is_some_and(|(_, meaning)| meaning.as_ref().is_some_and(Meaning::is_given))
        };
        let drop = |all: &mut Vec<(&Spec, Option<Meaning>)>, id: &str| {
            all.iter_mut()
                .filter(|(spec, _)| spec.id == id)
                .for_each(|(_, meaning)| *meaning = None);
        };
        let mut open = true;
        for (spec, meaning) in &mut all {
            let hopeless = depth + 1 < lineage.len() && (spec.last || spec.arity != Arity::One);
            if spec.is_positional() && hopeless && !spec.required && !spec.is_stubborn() {
                *meaning = None;
            }
            if spec.is_positional() && !spec.last {
                if !open && !spec.is_stubborn() {
                    *meaning = None;
                }
                open &= meaning.is_some();
            }
        }
        if let Some((one, other)) = &level.conflicts
            && given(&all, one)
            && given(&all, other)
        {
            // Also a required one: what conflicts with it lifts the requirement.
            let stubborn = |id: &String| {
                all.iter()
                    .any(|(spec, _)| spec.id == *id && spec.is_stubborn())
            };
            match (stubborn(one), stubborn(other)) {
                (_, false) => drop(&mut all, other),
                (false, true) => drop(&mut all, one),
                (true, true) => {}
            }
        }
        if let Some(group) = level.group.as_ref().filter(|group| !group.multiple) {
            let members = group.members.iter().filter(|id| given(&all, id));
            let extra: Vec<String> = members.skip(1).cloned().collect();
            for id in extra {
                if !all
                    .iter()
                    .any(|(spec, _)| spec.id == id && spec.is_stubborn())
                {
                    drop(&mut all, &id);
                }
            }
        }
        for (spec, meaning) in all {
            meant.extend(meaning.map(|meaning| ((depth, spec.id.clone()), meaning)));
        }
    }
    meant
}

/// Whether a tool has a property for an argument.
fn is_offered(tool: &Tool, (depth, id): &(usize, String)) -> bool {
    let input = &tool.input;
    input
        .flags
        .iter()
        .any(|property| property.owner == *depth && property.flag.id == *id)
        || input
            .positionals
            .iter()
            .any(|property| property.level == *depth && property.positional.id == *id)
}

/// A tool's input, or `None` if its schema has no place for what is meant.
fn encode(tool: &Tool, lineage: &[&Level], meant: &Meant) -> Option<Map<String, Value>> {
    if !meant.keys().all(|key| is_offered(tool, key)) {
        return None;
    }
    let nested = tool.input.layout == Layout::Nested;
    let properties = |schema: &Value| schema["properties"].clone();
    let outer = properties(&tool.definition()["inputSchema"]);
    let flag_schemas = if nested {
        properties(&outer["flags"])
    } else {
        outer.clone()
    };
    let mut flags = Map::new();
    let mut input = Map::new();
    for property in &tool.input.flags {
        if let Some(meaning) = meant.get(&(property.owner, property.flag.id.clone())) {
            flags.insert(
                property.key.clone(),
                meaning.json(&flag_schemas[&property.key])?,
            );
        }
    }
    let mut args = Vec::new();
    let mut shares = Vec::new();
    for property in &tool.input.positionals {
        let id = &property.positional.id;
        let meaning = meant.get(&(property.level, id.clone()));
        let spec = lineage[property.level]
            .args
            .iter()
            .find(|spec| spec.id == *id)?;
        if nested && !spec.last {
            let values = meaning.map(Meaning::scalars).unwrap_or_default();
            // There an element is what stands on a command line: where the program splits it, it is several values.
            if spec.delimiter && values.iter().any(|value| value.text().contains(',')) {
                return None;
            }
            shares.push((spec, property.positional.required, values.len()));
            args.extend(values.into_iter().map(|value| json!(value.text())));
        } else if let Some(meaning) = meaning {
            input.insert(property.key.clone(), meaning.json(&outer[&property.key])?);
        }
    }
    if nested {
        if !is_how_a_list_is_shared(&shares) {
            return None;
        }
        input.insert("flags".into(), flags.into());
        input.insert("args".into(), args.into());
    } else {
        input.append(&mut flags);
    }
    Some(input)
}

/// The nested layout's list is given out in order: one each, and to a variadic one what nobody behind it needs.
fn is_how_a_list_is_shared(shares: &[(&Spec, bool, usize)]) -> bool {
    let mut left: usize = shares.iter().map(|(.., share)| share).sum();
    for (at, (spec, required, share)) in shares.iter().enumerate() {
        let needed = shares[at + 1..]
            .iter()
            .filter(|(_, required, _)| *required)
            .count();
        let most = match spec.arity {
            Arity::One => 1,
            Arity::Fixed(count) => count,
            Arity::UpToThree => 3,
            _ => usize::MAX,
        };
        let expected = match spec.arity {
            Arity::One if *required => left.min(1),
            _ => left.saturating_sub(needed).min(most),
        };
        if *share != expected {
            return false;
        }
        left -= share;
    }
    left == 0
}

/// Why clap may be unable to say what is meant; `None` for what must get through.
fn excuse(lineage: &[&Level], meant: &Meant) -> Option<&'static str> {
    let leaf = lineage.len() - 1;
    for (depth, level) in lineage.iter().enumerate() {
        let given: Vec<(&Spec, &Meaning)> = level
            .args
            .iter()
            .filter_map(|spec| {
                meant
                    .get(&(depth, spec.id.clone()))
                    .map(|meaning| (spec, meaning))
            })
            .filter(|(_, meaning)| meaning.is_given())
            .collect();
        let is_given = |id: &String| given.iter().any(|(spec, _)| spec.id == *id);
        let lifted = |spec: &Spec| {
            let pair = level.conflicts.as_ref();
            pair.is_some_and(|(one, other)| {
                (*one == spec.id && is_given(other)) || (*other == spec.id && is_given(one))
            })
        };
        if level
            .conflicts
            .as_ref()
            .is_some_and(|(one, other)| is_given(one) && is_given(other))
        {
            return Some("a conflict");
        }
        if let Some(group) = &level.group {
            let count = group.members.iter().filter(|id| is_given(id)).count();
            if (group.required && count == 0) || (!group.multiple && count > 1) {
                return Some("a group");
            }
        }
        if level
            .args
            .iter()
            .any(|spec| spec.required && !is_given(&spec.id) && !lifted(spec))
        {
            return Some("a requirement");
        }
        let mut gap = false;
        for spec in level
            .args
            .iter()
            .filter(|spec| spec.is_positional() && !spec.last)
        {
            if gap && is_given(&spec.id) {
                return Some("a gap");
            }
            gap |= !is_given(&spec.id);
        }
        let has_last = level.args.iter().any(|spec| spec.last);
        let is_digit = |spec: &Spec| spec.short == Some('5');
        let has_digit = lineage.iter().any(|level| level.args.iter().any(is_digit));
        // Even behind `--` clap looks for a dash to tell where `<SRC>...` ends and `<DST>` begins.
        let places = level
            .args
            .iter()
            .filter(|spec| spec.is_positional() && !spec.last);
        let has_target = places
            .rev()
            .nth(1)
            .is_some_and(|spec| spec.arity != Arity::One);
        let is_command = |text: &str| {
            let mut children = level.children.iter();
            children.any(|child| child.name == text)
                || (!level.children.is_empty() && text == "help")
                // The bridge's own command makes the root a parent.
                || (level.name == "app" && ["help", "mcp"].contains(&text))
        };
        // Whether `--` may be written before a positional.
        let protects = |spec: &Spec| spec.last || (depth == leaf && !has_last && !has_target);
        for (spec, meaning) in &given {
            for scalar in meaning.scalars() {
                let text = scalar.text();
                if text.len() > 100_000 {
                    return Some("a text that is too long for a command line");
                }
                if text.contains(',') && spec.delimiter {
                    return Some("a delimiter");
                }
                if text.is_empty() && spec.kind == Type::Path {
                    return Some("an empty path, which clap does not take");
                }
                let protected = spec.is_positional() && protects(spec);
                let seen_as_number =
                    spec.negatives && matches!(scalar, Scalar::Integer(_)) && !has_digit;
                let allowed = seen_as_number || (spec.hyphens && !spec.is_positional());
                let dash = text.len() > 1 && text.starts_with('-');
                if dash && spec.is_detached(meaning) && !allowed && !protected {
                    return Some("a detached dash");
                }
                if is_command(&text) && spec.is_positional() && !protected {
                    return Some("the name of a command");
                }
            }
        }
        let mistakable = |spec: &Spec| spec.hyphens || spec.negatives;
        let digit = |spec: &Spec| spec.long.is_none() && spec.short == Some('5');
        if given.iter().any(|(spec, _)| digit(spec))
            && lineage
                .iter()
                .any(|level| level.args.iter().any(mistakable))
        {
            return Some("a flag that looks like a negative number");
        }
        let positional = |test: fn(&Spec) -> bool| {
            given
                .iter()
                .any(|(spec, _)| spec.is_positional() && !spec.last && test(spec))
        };
        let swallows = |spec: &Spec| spec.hyphens && spec.arity != Arity::One;
        if depth < leaf {
            if positional(|spec| spec.arity != Arity::One) {
                return Some("a list before a subcommand");
            }
            let local: Vec<_> = given
                .iter()
                .filter(|(spec, _)| !spec.is_positional() && !spec.global)
                .collect();
            let (open, closed): (Vec<_>, Vec<_>) = local
                .into_iter()
                .partition(|(spec, meaning)| spec.stays_open(meaning));
            if !open.is_empty() && (closed.is_empty() || open.iter().any(|(spec, _)| spec.hyphens))
            {
                return Some("an open flag before a subcommand");
            }
            if given.iter().any(|(spec, _)| spec.last) {
                return Some("dashes before a subcommand");
            }
            continue;
        }
        // Globals are written at the leaf.
        let inherited = lineage[..leaf]
            .iter()
            .enumerate()
            .flat_map(|(depth, level)| {
                let globals = level.args.iter().filter(|spec| spec.global);
                globals.filter_map(move |spec| Some((spec, meant.get(&(depth, spec.id.clone()))?)))
            });
        let open: Vec<&Spec> = inherited
            .chain(given.iter().copied())
            .filter(|(spec, meaning)| spec.stays_open(meaning))
            .map(|(spec, _)| spec)
            .collect();
        let hungry = open.iter().filter(|spec| spec.hyphens).count();
        let behind = given.iter().any(|(spec, _)| spec.last);
        let dashed = given.iter().any(|(spec, meaning)| {
            let needs_dashes = |text: String| text.starts_with('-') || is_command(&text);
            spec.is_positional()
                && meaning
                    .scalars()
                    .iter()
                    .any(|scalar| needs_dashes(scalar.text()))
        });
        let swallowing = given
            .iter()
            .any(|(spec, _)| spec.is_positional() && !spec.last && swallows(spec));
        if hungry > 1 || (hungry == 1 && (behind || dashed || swallowing)) {
            return Some("a flag that takes even flags for values");
        }
        if swallowing && has_last && (behind || !open.is_empty()) {
            return Some("a positional that takes even flags for values");
        }
    }
    None
}

/// What clap could say and the bridge refuses all the same, with a reason: rare forms, none of them run wrongly.
fn pending(lineage: &[&Level], meant: &Meant) -> Option<&'static str> {
    let leaf = lineage.len() - 1;
    let mut found = None;
    for ((depth, id), meaning) in meant {
        let level = lineage[*depth];
        let spec = level.args.iter().find(|spec| spec.id == *id)?;
        let written = if spec.global { leaf } else { *depth };
        let hyphened = |spec: &&Spec| spec.is_positional() && !spec.last && spec.hyphens;
        let given = |spec: &Spec| meant.contains_key(&(written, spec.id.clone()));
        let mut beside = lineage[written].args.iter().filter(hyphened);
        let group = level.group.as_ref().filter(|group| group.required);
        let in_required_group = group.is_some_and(|group| group.members.contains(id));

        if spec.long.is_none() && spec.short.is_some() && beside.clone().next().is_some() {
            found = Some("P1: `-a=v` beside a positional that takes hyphens");
        }
        if *meaning == Meaning::Bare && spec.delimiter {
            found = Some("P3: a bare flag whose value is a list");
        }
        if in_required_group && spec.global && *depth < leaf {
            found = Some("P4: a global flag where its required group does not see it");
        }
        if written == leaf && spec.hyphens && spec.stays_open(meaning) && beside.any(given) {
            found = Some("P5: `--` behind an open flag that takes hyphens");
        }
        let others = meant.iter().filter(|((_, other), _)| other != id);
        let mut open = others.filter(|((depth, id), meaning)| {
            let mut args = lineage[*depth].args.iter();
            args.any(|spec| spec.id == *id && spec.stays_open(meaning))
        });
        if written == leaf && spec.hyphens && spec.stays_open(meaning) && open.next().is_some() {
            found = Some("P6: an open flag that takes hyphens before another open one");
        }
    }
    found
}

/// What clap has read at every level, or how it has gone astray.
fn read(lineage: &[&Level], matches: &ArgMatches) -> Result<Meant, String> {
    let leaf = lineage.len() - 1;
    let mut found = Meant::new();
    let mut matches = matches;
    for (depth, level) in lineage.iter().enumerate() {
        if depth > 0 {
            matches = matches
                .subcommand_matches(&level.name)
                .ok_or_else(|| format!("`{}` is not taken for a command", level.name))?;
        }
        let here = level
            .args
            .iter()
            .filter(|spec| !spec.global)
            .map(|spec| (depth, spec));
        let globals = lineage.iter().enumerate().flat_map(|(depth, level)| {
            level
                .args
                .iter()
                .filter(|spec| spec.global)
                .map(move |spec| (depth, spec))
        });
        let globals: Vec<(usize, &Spec)> = globals.collect();
        for (owner, spec) in here.chain(globals.iter().copied().filter(|_| depth == leaf)) {
            let meaning = spec.read(matches);
            found.extend(meaning.map(|meaning| ((owner, spec.id.clone()), meaning)));
        }
        for id in matches.ids().map(clap::Id::as_str) {
            let known = id == "group"
                || level.args.iter().any(|spec| spec.id == id)
                || globals.iter().any(|(_, spec)| spec.id == id);
            if !known {
                return Err(format!("`{id}` is there"));
            }
        }
    }
    match matches.subcommand_name() {
        Some(name) => Err(format!("`{name}` is taken for a command")),
        None => Ok(found),
    }
}

fn in_effect(lineage: &[&Level], meant: &Meant) -> Meant {
    let specs =
        |(depth, id): &(usize, String)| lineage[*depth].args.iter().find(|spec| spec.id == *id);
    meant
        .iter()
        .filter_map(|(key, meaning)| Some((key.clone(), specs(key)?.in_effect(meaning)?)))
        .collect()
}

fn parse(root: &Level, argv: &[&str]) -> Result<ArgMatches, clap::Error> {
    root.command()
        .try_get_matches_from(std::iter::once("app").chain(argv.iter().copied()))
}

type Seen = Arc<Mutex<Vec<BTreeMap<String, Meaning>>>>;

/// A bridge whose every command only remembers what it was called with.
fn bridge(root: &Level, layout: Layout) -> (Bridge, Seen) {
    let seen = Seen::default();
    let mut bridge = Bridge::new(root.command()).layout(layout).logger(|_, _| {});
    fn add(mut bridge: Bridge, path: CommandPath, lineage: &[&Level], seen: &Seen) -> Bridge {
        let (leaf, ancestors) = lineage.split_last().expect("it begins with the root");
        let globals = ancestors
            .iter()
            .flat_map(|level| level.args.iter().filter(|spec| spec.global));
        let specs: Vec<Spec> = leaf.args.iter().chain(globals).cloned().collect();
        let notes = Arc::clone(seen);
        bridge = bridge.handler(path.clone(), move |matches| {
            let read = |spec: &Spec| Some((spec.id.clone(), spec.read(matches)?));
            notes
                .lock()
                .expect("nobody panics")
                .push(specs.iter().filter_map(read).collect());
            Ok(())
        });
        for child in &leaf.children {
            let lineage: Vec<&Level> = lineage.iter().copied().chain([child]).collect();
            bridge = add(bridge, path.child(child.name.as_str()), &lineage, seen);
        }
        bridge
    }
    bridge = add(bridge, CommandPath::root(), &[root], &seen);
    (bridge, seen)
}

fn runner(cases: u32) -> TestRunner {
    let mut config = Config {
        failure_persistence: None,
        ..Config::default()
    };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
        config.rng_seed = RngSeed::Fixed(20);
    }
    TestRunner::new(config)
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime starts")
}

fn count(cell: &Cell<usize>) {
    cell.set(cell.get() + 1);
}

fn layouts() -> impl Strategy<Value = Layout> {
    prop_oneof![Just(Layout::Flat), Just(Layout::Nested)]
}

fn reversed(input: &Map<String, Value>) -> Map<String, Value> {
    let turn = |value: &Value| match value {
        Value::Object(inner) => Value::Object(reversed(inner)),
        other => other.clone(),
    };
    input
        .iter()
        .rev()
        .map(|(key, value)| (key.clone(), turn(value)))
        .collect()
}

#[test]
fn what_is_meant_is_what_clap_reads() {
    let runtime = runtime();
    let (through, refused) = <(Cell<usize>, Cell<usize>)>::default();
    let (hard, no_place) = <(Cell<usize>, Cell<usize>)>::default();
    let reasons = RefCell::new(BTreeMap::<&str, usize>::new());
    let strategy = (
        raw(2),
        layouts(),
        any::<bool>(),
        any::<prop::sample::Index>(),
    );
    let outcome = runner(640).run(&strategy, |(raw, layout, calm, pick)| {
        let root = Level::new(&raw, "app", Inherited::default());
        let (bridge, seen) = bridge(&root, layout);
        let assembled = bridge.assembled();
        if assembled.catalogue.tools.is_empty() {
            return Ok(());
        }
        let tool = pick.get(&assembled.catalogue.tools);
        let lineage = root.lineage(&tool.path);
        let meant = meant(&lineage, calm);
        let excuse = excuse(&lineage, &meant).or_else(|| pending(&lineage, &meant));
        let Some(input) = encode(tool, &lineage, &meant) else {
            let may = layout == Layout::Nested || excuse.is_some();
            prop_assert!(may, "{} has no place for {:#?}", tool.name, meant);
            count(&no_place);
            return Ok(());
        };

        let prepared = prepare(tool, &input);
        let argv = prepared
            .as_ref()
            .ok()
            .map(|prepared| prepared.argv.to_strings());
        let again = prepare(tool, &reversed(&input));
        let again = again
            .as_ref()
            .ok()
            .map(|prepared| prepared.argv.to_strings());
        prop_assert_eq!(&argv, &again, "the order of keys matters: {:?}", input);

        let wanted = in_effect(&lineage, &meant);
        let understood = argv.as_ref().map(|argv| match parse(&root, argv) {
            Ok(matches) => read(&lineage, &matches),
            Err(error) => Err(error.to_string()),
        });
        let result = runtime
            .block_on(assembled.call(tool.name.as_str(), input.clone()))
            .expect("the tool is known");
        let levels: Vec<Level> = lineage
            .iter()
            .map(|level| Level {
                children: Vec::new(),
                ..(*level).clone()
            })
            .collect();
        let case = || {
            let input = Value::Object(input.clone());
            format!("command: {levels:#?}\ninput: {input}\nargv: {argv:?}\nclap: {understood:?}")
                + &format!("\nmeant: {wanted:?}\nanswer: {}", result.text)
        };
        if result.is_error {
            let right = understood
                .as_ref()
                .is_some_and(|understood| understood.as_ref() == Ok(&wanted));
            prop_assert!(
                !right,
                "refused, but clap would have read it right\n{}",
                case()
            );
            prop_assert!(excuse.is_some(), "refused without a reason\n{}", case());
            count(&refused);
            *reasons
                .borrow_mut()
                .entry(excuse.unwrap_or_default())
                .or_insert(0) += 1;
            return Ok(());
        }
        prop_assert_eq!(
            understood.as_ref(),
            Some(&Ok(wanted.clone())),
            "run, but misread\n{}",
            case()
        );
        let leaf = lineage.len() - 1;
        let is_global = |depth: usize, id: &str| {
            lineage[depth]
                .args
                .iter()
                .any(|spec| spec.id == id && spec.global)
        };
        let at_leaf = wanted
            .iter()
            .filter(|((depth, id), _)| *depth == leaf || is_global(*depth, id));
        let at_leaf: BTreeMap<String, Meaning> = at_leaf
            .map(|((_, id), meaning)| (id.clone(), meaning.clone()))
            .collect();
        let seen = std::mem::take(&mut *seen.lock().expect("nobody panics"));
        prop_assert_eq!(
            seen,
            vec![at_leaf],
            "the handler saw something else\n{}",
            case()
        );
        count(&through);
        if excuse.is_some() {
            count(&hard);
        }
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    let (through, refused, no_place) = (through.get(), refused.get(), no_place.get());
    let share = through * 100 / (through + refused);
    assert!(
        share >= 60,
        "only {share} % get through; the others: {:#?}",
        reasons.borrow()
    );
    assert!(
        no_place * 4 <= through,
        "{no_place} have no place in a schema"
    );
    assert!(
        hard.get() * 20 >= through,
        "only {} of {through} have an excuse",
        hard.get()
    );
}

/// JSON of any kind, with keys and texts that mean something to somebody.
fn any_json(names: Vec<String>) -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        prop::sample::select(NASTY.to_vec()).prop_map(str::to_owned),
        prop::sample::select(CALM.to_vec()).prop_map(str::to_owned),
        prop::sample::select(names.clone()),
        "\\PC{0,8}",
        Just("nul\0".to_owned()),
    ];
    let scalar = prop_oneof![
        text.prop_map(Value::from),
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-3..300_i64).prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
    ];
    scalar.prop_recursive(2, 8, 3, move |inner| {
        let key = prop::sample::select(names.clone());
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((key, inner), 0..3)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

/// Every key and name that a random command can have.
fn all_names() -> Vec<String> {
    let longs = LONGS.iter().chain(&COMMANDS).chain(&POSITIONALS);
    longs
        .flat_map(|name| {
            [
                name.to_string(),
                format!("--{name}"),
                format!("--{name}=v"),
                format!("{name}_arg"),
                format!("app_{name}"),
            ]
        })
        .chain(SHORTS.iter().flat_map(|short| {
            [
                short.to_string(),
                format!("-{short}"),
                format!("-{short}=v"),
            ]
        }))
        .collect()
}

#[test]
fn no_input_reaches_an_excluded_flag() {
    let runtime = runtime();
    let (accepted, run, rejected) = <(Cell<usize>, Cell<usize>, Cell<usize>)>::default();
    let names = all_names();
    let extra = vec((prop::sample::select(names.clone()), any_json(names)), 0..4);
    let strategy = (
        raw(2),
        layouts(),
        any::<prop::sample::Index>(),
        any::<u64>(),
        extra,
    );
    let outcome = runner(640).run(&strategy, |(raw, layout, pick, excluded, extra)| {
        let root = Level::new(&raw, "app", Inherited::default());
        let flags = root
            .all()
            .into_iter()
            .flat_map(|level| &level.args)
            .filter(|spec| !spec.is_positional());
        let excluded: Vec<String> = flags
            .enumerate()
            .filter(|(at, _)| excluded >> (at % 64) & 3 == 3)
            .flat_map(|(_, spec)| {
                let long = spec.long.as_ref().map(|long| format!("--{long}"));
                long.into_iter()
                    .chain(spec.short.map(|short| format!("-{short}")))
            })
            .collect();
        let rule = FlagRule::exclude(excluded.clone());
        let (bridge, _) = bridge(&root, layout);
        let everything = Selector::new(CommandRule::all());
        let bridge = bridge.selector(everything.local_flags(rule.clone()).inherited_flags(rule));
        let assembled = bridge.assembled();
        if assembled.catalogue.tools.is_empty() {
            return Ok(());
        }
        let tool = pick.get(&assembled.catalogue.tools);
        let lineage = root.lineage(&tool.path);
        let mut meant = meant(&lineage, false);
        meant.retain(|key, _| is_offered(tool, key));
        let mut input = encode(tool, &lineage, &meant).unwrap_or_default();
        for (at, (key, value)) in extra.into_iter().enumerate() {
            match input.get_mut("flags") {
                Some(Value::Object(flags)) if at % 2 == 0 => flags.insert(key, value),
                _ => input.insert(key, value),
            };
        }

        let prepared = prepare(tool, &input);
        let result = runtime
            .block_on(assembled.call(tool.name.as_str(), input.clone()))
            .expect("the tool is known");
        let Ok(prepared) = prepared else {
            prop_assert!(result.is_error, "run without a command line: {:?}", input);
            count(&rejected);
            return Ok(());
        };
        count(&accepted);
        let argv = prepared.argv.to_strings();
        let again = prepare(tool, &reversed(&input)).map(|prepared| prepared.argv);
        prop_assert_eq!(
            Some(&prepared.argv),
            again.as_ref().ok(),
            "the order of keys matters: {:?}",
            input
        );
        let flags = prepared
            .argv
            .elements()
            .iter()
            .take_while(|element| element.kind != ElementKind::DoubleDash);
        for flag in flags.filter(|element| element.kind == ElementKind::Flag) {
            let name = flag.text.split('=').next().unwrap_or_default();
            prop_assert!(
                !excluded.iter().any(|excluded| excluded == name),
                "{excluded:?} in {argv:?} for {input:?}"
            );
        }
        if result.is_error {
            return Ok(());
        }
        count(&run);
        let matches = parse(&root, &argv)
            .map_err(|error| TestCaseError::fail(format!("{argv:?}: {error}")))?;
        let read = read(&lineage, &matches).map_err(TestCaseError::fail)?;
        for (depth, id) in read.keys() {
            let spec = lineage[*depth].args.iter().find(|spec| spec.id == *id);
            let long = spec
                .and_then(|spec| spec.long.as_ref())
                .map(|long| format!("--{long}"));
            let short = spec
                .and_then(|spec| spec.short)
                .map(|short| format!("-{short}"));
            let reached = long
                .into_iter()
                .chain(short)
                .any(|name| excluded.contains(&name));
            prop_assert!(
                !reached,
                "clap reads {id} of {excluded:?} in {argv:?} for {input:?}"
            );
        }
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    let (accepted, run, rejected) = (accepted.get(), run.get(), rejected.get());
    assert!(
        run * 10 >= accepted + rejected,
        "only {run} of {} are run",
        accepted + rejected
    );
}

/// Clap's verdict can be switched off, so `prepare` alone must keep an excluded flag out, also where a positional may
/// begin with a dash.
#[test]
fn no_positional_smuggles_an_excluded_flag() {
    let secret = Arg::new("secret").long("secret");
    let file = Arg::new("file").allow_hyphen_values(true);
    let root = clap::Command::new("app").arg(secret).arg(file);
    let commands = [
        ("", root.clone().arg(Arg::new("rest").last(true))),
        ("sub", root.subcommand(clap::Command::new("sub"))),
    ];
    for (path, command) in commands {
        let rule = FlagRule::exclude(["secret"]);
        let everything = Selector::new(CommandRule::all());
        let selector = everything.local_flags(rule.clone()).inherited_flags(rule);
        let catalogue = Bridge::new(command.clone()).selector(selector).catalogue();
        let tool = catalogue
            .for_path(&CommandPath::parse(path))
            .expect("it is a tool");
        let input = Map::from_iter([("file".to_owned(), json!("--secret=v"))]);
        let Ok(prepared) = prepare(tool, &input) else {
            continue;
        };
        let argv = prepared.argv.to_strings();
        let matches = command.try_get_matches_from(std::iter::once("app").chain(argv.clone()));
        let reached = matches.is_ok_and(|matches| matches.contains_id("secret"));
        assert!(!reached, "{argv:?}");
    }
}
