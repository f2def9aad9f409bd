//! Which property a key means: by a name of its flag as it is typed, or by the same letters in another spelling.

use serde_json::Value;

use crate::{
    model::{Flag, FlagValue},
    tool::{Input, PositionalProperty},
};

/// No key is longer that means anything.
pub(super) const LONGEST: usize = 100;

/// The meaning of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meaning<'a> {
    /// The property of this key.
    Key(&'a str),
    /// One of these properties, and nobody can say which.
    Several(Vec<&'a str>),
    /// A flag that is not offered, by its name, and why.
    Withheld(String, String),
    /// Nothing that is known.
    Unknown,
}

/// Something that a key can mean.
#[derive(Debug, Clone)]
struct KeyMeaning<'a> {
    /// The property's key, or the flag that is not offered and why.
    target: Result<&'a str, (&'a Flag, String)>,
    /// The names that the program itself knows it by.
    flag: Option<&'a Flag>,
    /// Other names: the key, what usage calls it.
    others: Vec<&'a str>,
    /// It stands behind the command's own word, where a person would write it.
    at_leaf: bool,
}

/// The names of a tool's properties.
pub(super) struct KeyNames<'a> {
    candidates: Vec<KeyMeaning<'a>>,
    /// Keys that stand for nothing else, in no other spelling.
    fixed: Vec<&'a str>,
}

impl<'a> KeyNames<'a> {
    /// Every property of the flat layout.
    pub(super) fn new(input: &'a Input) -> Self {
        let mut names = Self::of_flags(input);
        let leaf = input.levels.len().saturating_sub(1);
        for (_, property) in input.keyed_positionals() {
            names.candidates.push(KeyMeaning {
                target: Ok(&property.key),
                flag: None,
                others: names_of(property).collect(),
                at_leaf: property.level == leaf,
            });
        }
        if let Some(template) = &input.template {
            template.keys().for_each(|key| names.fixed.push(key));
        }
        let pattern = input.pattern.iter().map(|(key, _)| key.as_str());
        names.fixed.extend(pattern.chain(input.stdin.as_deref()));
        names
    }

    /// The flags alone.
    pub(super) fn of_flags(input: &'a Input) -> Self {
        let leaf = input.levels.len().saturating_sub(1);
        let offered = input.flags.iter().map(|property| {
            // Who gives `yes` has not been told that it stands for a person's word.
            let target = match property.confirms {
                true => Err((
                    &*property.flag,
                    format!("give `{}: true` once the user has agreed", property.key),
                )),
                false => Ok(property.key.as_str()),
            };
            (target, &*property.flag, property.level)
        });
        let withheld = input.withheld.iter();
        let withheld = withheld.map(|held| {
            (
                Err((&*held.flag, held.why.clone())),
                &*held.flag,
                held.level,
            )
        });
        let pinned = input.pinned.iter().map(|pinned| {
            let property = &pinned.property;
            let why = "it is pinned, and always set".to_owned();
            (Err((&*property.flag, why)), &*property.flag, property.level)
        });
        let candidates = offered.chain(withheld).chain(pinned);
        let candidates = candidates.map(|(target, flag, level)| KeyMeaning {
            others: match target {
                Ok(key) => vec![key, flag.id.as_str()],
                Err(_) => Vec::new(),
            },
            target,
            flag: Some(flag),
            at_leaf: level == leaf,
        });
        let confirm = input.flags.iter().filter(|property| property.confirms);
        Self {
            candidates: candidates.collect(),
            fixed: confirm.map(|property| property.key.as_str()).collect(),
        }
    }

    /// Returns true if this is the key of a property, as the schema has it.
    pub(super) fn is_key(&self, key: &str) -> bool {
        let mut candidates = self.candidates.iter();
        self.fixed.contains(&key) || candidates.any(|candidate| candidate.target == Ok(key))
    }

    /// Returns the meaning of a key that is no property's own. A name as it is typed comes before the same letters in
    /// another spelling: `Foo` is `--Foo` if there is one, and `--foo` otherwise.
    pub(super) fn meaning(&self, key: &str, value: &Value) -> Meaning<'a> {
        // Dashes are not counted, and a note repeats the key.
        if key.len() > LONGEST {
            return Meaning::Unknown;
        }
        let typed = self.decide(value, |candidate| {
            let flag = candidate.flag.is_some_and(|flag| is_typed(flag, key));
            flag || key.starts_with("--") && candidate.others.contains(&&key[2..])
        });
        if typed != Meaning::Unknown {
            return typed;
        }
        let letters = fold(key);
        // One letter is a name of its own: `-D` is not `-d`.
        if letters.chars().nth(1).is_none() {
            return Meaning::Unknown;
        }
        self.decide(value, |candidate| {
            let long = candidate.flag.into_iter().flat_map(long_names);
            let mut names = long.chain(candidate.others.iter().copied());
            names.any(|name| fold(name) == letters)
        })
    }

    /// The key of the switch that a name turns off: `no-edit` is `edit`.
    pub(super) fn turned_off(&self, name: &str) -> Option<&'a str> {
        let letters = fold(Some(name).filter(|name| name.len() <= LONGEST)?);
        let negated = |one: &&KeyMeaning<'a>| {
            let negation = one.flag.and_then(|flag| flag.negation.as_deref());
            negation.is_some_and(|negation| fold(negation) == letters)
        };
        let mut meant = self.candidates.iter().filter(negated);
        let one = meant.next().filter(|_| meant.next().is_none())?;
        one.target.as_ref().ok().copied()
    }

    fn decide(&self, value: &Value, is_meant: impl Fn(&KeyMeaning<'a>) -> bool) -> Meaning<'a> {
        let all = self.candidates.iter().filter(|one| is_meant(one));
        let mut meant: Vec<&KeyMeaning<'a>> = all.collect();
        // Behind the command's word the program reads its own flags, whatever its ancestors call theirs. But a text for a
        // flag that needs none may be for an ancestor's that does: `git -C FOLDER log`, `git log -C`.
        let needs = |candidate: &&KeyMeaning<'a>| {
            let flag = candidate.flag;
            flag.is_some_and(|flag| flag.value == FlagValue::Required)
        };
        let (own, others): (Vec<_>, Vec<_>) = meant.iter().partition(|one| one.at_leaf);
        let misplaced = value.is_string() && !own.iter().any(needs) && others.iter().any(needs);
        if !own.is_empty() && !misplaced {
            meant = own;
        }
        match meant[..] {
            [] => Meaning::Unknown,
            [one] => match &one.target {
                Ok(key) => Meaning::Key(key),
                Err((flag, why)) => Meaning::Withheld(flag.display_name(), why.clone()),
            },
            _ => {
                let offered = meant.iter().filter_map(|one| one.target.as_ref().ok());
                let offered: Vec<&str> = offered.copied().collect();
                let mut withheld = meant.iter().filter_map(|one| one.target.as_ref().err());
                match (offered.is_empty(), withheld.next()) {
                    (true, Some((flag, why))) => {
                        Meaning::Withheld(flag.display_name(), why.clone())
                    }
                    (false, Some((flag, why))) => Meaning::Withheld(
                        format!("{}` or `{}", offered.join("` or `"), flag.display_name()),
                        format!("it could mean either, and of the second: {why}"),
                    ),
                    (_, None) => Meaning::Several(offered),
                }
            }
        }
    }
}

/// The names of a positional: its key, and what the program calls it.
pub(super) fn names_of(property: &PositionalProperty) -> impl Iterator<Item = &str> {
    let positional = &property.positional;
    [property.key.as_str(), positional.id.as_str()]
        .into_iter()
        .chain(positional.name.as_deref())
}

/// Returns true if a key is one of a flag's names as a person types them, with its dashes or without.
fn is_typed(flag: &Flag, key: &str) -> bool {
    let long = |name: &str| long_names(flag).any(|long| long == name);
    let letter = |name: &str| {
        let mut letters = name.chars();
        let first = letters.next().filter(|_| letters.next().is_none());
        first.is_some_and(|letter| {
            flag.short == Some(letter) || flag.short_aliases.contains(&letter)
        })
    };
    match (key.strip_prefix("--"), key.strip_prefix('-')) {
        (Some(name), _) => long(name),
        // Some programs take long names behind one dash.
        (None, Some(name)) => letter(name) || name.len() > 1 && long(name),
        (None, None) => letter(key) || long(key),
    }
}

fn long_names(flag: &Flag) -> impl Iterator<Item = &str> {
    let aliases = flag.aliases.iter().map(String::as_str);
    flag.long.as_deref().into_iter().chain(aliases)
}

/// A name by its letters and digits alone: `max-count`, `max_count`, `maxCount` and `--MAX-COUNT` are one.
pub(super) fn fold(name: &str) -> String {
    let letters = name.chars().filter(|c| !matches!(c, '-' | '_' | ' ' | '.'));
    letters.flat_map(char::to_lowercase).collect()
}
