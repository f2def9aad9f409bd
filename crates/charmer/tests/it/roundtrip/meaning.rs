//! What a caller means by a call: random values for random arguments.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    dice::Dice,
    level::Level,
    spec::{Action, Arity, Spec, Type},
    words::{CALM, NASTY},
};

#[derive(Debug, Clone)]
pub(super) enum Scalar {
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
    pub(super) fn json(&self) -> Value {
        match self {
            Self::Text(text) => json!(text),
            Self::Integer(number) => match i64::try_from(*number) {
                Ok(signed) => json!(signed),
                Err(_) => json!(u64::try_from(*number).expect("it fits one of the two")),
            },
            Self::Float(number) => json!(number),
            Self::Bool(yes) => json!(yes),
        }
    }

    pub(super) fn text(&self) -> String {
        match self.json() {
            Value::String(text) => text,
            other => other.to_string(),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Meaning {
    Switch(bool),
    Count(u8),
    Bare,
    /// A list each time it is given.
    Values(Vec<Vec<Scalar>>),
}

impl Meaning {
    pub(super) fn scalars(&self) -> Vec<&Scalar> {
        match self {
            Self::Values(lists) => lists.iter().flatten().collect(),
            _ => Vec::new(),
        }
    }

    pub(super) fn is_given(&self) -> bool {
        !matches!(self, Self::Switch(false) | Self::Count(0))
    }
}

impl Spec {
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
        let _given = dice.below(100);
        dice.percent(15)
    }
}

/// The depth of an argument's command, and its id.
pub(super) type Key = (usize, String);

/// What a caller means.
pub(super) type Meant = BTreeMap<Key, Meaning>;

pub(super) fn meant(lineage: &[&Level], calm: bool) -> Meant {
    let leaf = lineage.len() - 1;
    let mut meant = Meant::new();
    for (depth, level) in lineage.iter().enumerate() {
        for (id, meaning) in meant_at(level, depth == leaf, calm) {
            meant.insert((depth, id.to_owned()), meaning);
        }
    }
    meant
}

/// What is meant for one command: mostly what its relations allow.
fn meant_at(level: &Level, is_leaf: bool, calm: bool) -> BTreeMap<&str, Meaning> {
    let names = level.names();
    let mut meant = BTreeMap::new();
    let mut open = true;
    for spec in &level.args {
        let before_subcommand = !is_leaf && spec.is_positional() && !spec.required;
        let hopeless = (before_subcommand && (spec.last || spec.arity != Arity::One))
            || (spec.is_placed() && !open);
        let meaning = spec
            .meaning(calm, &names)
            .filter(|_| !hopeless || spec.is_stubborn());
        open &= !spec.is_placed() || meaning.is_some();
        meant.extend(meaning.map(|meaning| (spec.id.as_str(), meaning)));
    }
    let is_stubborn = |id: &str| level.arg(id).is_some_and(Spec::is_stubborn);
    let is_given =
        |meant: &BTreeMap<&str, Meaning>, id: &str| meant.get(id).is_some_and(Meaning::is_given);
    if let Some((one, other)) = &level.conflicts
        && is_given(&meant, one)
        && is_given(&meant, other)
    {
        // Also a required one: what conflicts with it lifts the requirement.
        if !is_stubborn(other) {
            meant.remove(other.as_str());
        } else if !is_stubborn(one) {
            meant.remove(one.as_str());
        }
    }
    if let Some(group) = level.group.as_ref().filter(|group| !group.multiple) {
        let mut members = group.members.clone();
        members.retain(|id| is_given(&meant, id));
        for extra in members.iter().skip(1).filter(|id| !is_stubborn(id)) {
            meant.remove(extra.as_str());
        }
    }
    meant
}
