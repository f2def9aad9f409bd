//! One random argument, and what it is to clap.

use std::path::PathBuf;

use clap::{Arg, ArgAction, builder::PossibleValue};

use super::{
    dice::Dice,
    meaning::Meaning,
    words::{LONGS, POSITIONALS, SHORTS},
};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Action {
    On,
    Off,
    Count,
    Set,
    Append,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Type {
    Text,
    Int,
    Uint,
    Byte,
    Float,
    Bool,
    Path,
    Choice,
}

impl Type {
    fn any(dice: &mut Dice) -> Self {
        use Type::{Bool, Byte, Choice, Float, Int, Path, Text, Uint};
        dice.pick(&[Text, Text, Text, Int, Uint, Byte, Float, Bool, Path, Choice])
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Arity {
    One,
    Fixed(usize),
    Optional,
    UpToThree,
    Any,
}

/// A flag or, without a name, a positional.
#[derive(Clone)]
pub(super) struct Spec {
    pub(super) id: String,
    pub(super) long: Option<String>,
    pub(super) short: Option<char>,
    pub(super) action: Action,
    pub(super) kind: Type,
    pub(super) arity: Arity,
    /// What a bare flag of [`Arity::Optional`] means.
    pub(super) missing: bool,
    pub(super) delimiter: bool,
    pub(super) equals: bool,
    pub(super) hyphens: bool,
    pub(super) negatives: bool,
    pub(super) global: bool,
    pub(super) required: bool,
    pub(super) defaulted: bool,
    pub(super) last: bool,
    /// Decides on the values.
    pub(super) dice: Dice,
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

impl Spec {
    pub(super) fn flag(numbers: &[u16; 32]) -> Self {
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
        let kind = Type::any(&mut dice);
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

    pub(super) fn positional(numbers: &[u16; 32]) -> Self {
        use Arity::{Any, Fixed, One, UpToThree};
        let mut dice = Dice::new(&numbers[..16]);
        Self {
            id: dice.pick(&POSITIONALS).to_owned(),
            long: None,
            short: None,
            required: dice.percent(40),
            kind: Type::any(&mut dice),
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

    pub(super) fn is_positional(&self) -> bool {
        self.long.is_none() && self.short.is_none()
    }

    /// Whether it is a positional that is known by its place, not by the `--` before it.
    pub(super) fn is_placed(&self) -> bool {
        self.is_positional() && !self.last
    }

    /// A flag's names, with their dashes.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        let long = self.long.as_ref().map(|long| format!("--{long}"));
        let short = self.short.map(|short| format!("-{short}"));
        long.into_iter().chain(short)
    }

    pub(super) fn arg(&self) -> Arg {
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
            let count = match self.arity {
                Arity::Fixed(count) => count,
                _ => 1,
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

    /// Whether clap would go on reading values behind these.
    pub(super) fn stays_open(&self, meaning: &Meaning) -> bool {
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
    pub(super) fn is_detached(&self, meaning: &Meaning) -> bool {
        matches!(self.arity, Arity::Fixed(_))
            || self.is_positional()
            || self.stays_open(meaning)
            || (!self.delimiter && matches!(meaning, Meaning::Values(lists) if lists[0].len() > 1))
    }
}
