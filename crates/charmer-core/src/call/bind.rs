//! JSON input bound to the model: every key known, every value of its type, every relation kept.
//!
//! All violations are collected, not only the first.

use std::{borrow::Cow, collections::HashSet};

use serde_json::{Map, Value};

use crate::{
    model::{Effect, Flag, FlagValue, GivenEffect, GroupKind, ValueType, effect_with},
    order,
    text::nearest,
    tool::{ARGS_KEY, FLAGS_KEY, Input, Layout, PositionalProperty, Tool},
};

use super::{
    bind_value::{BoundElement, apply_rules, bind_flag, check_length, list_text},
    format::expectation,
    violation::Violation,
};

/// The value that was given for one flag.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Given {
    /// A switch, on or off.
    Switch(bool),
    /// A switch, so many times.
    Count(u64),
    /// The flag without its optional value.
    Bare,
    /// Values: one list for each time the flag is written, or one list to be written as the flag's kind wants.
    Values(Vec<Vec<String>>),
}

impl Given {
    /// Returns true if anything is given: a switch that is off, or a count of none, is as good as absent.
    pub fn is_given(&self) -> bool {
        !matches!(self, Self::Switch(false) | Self::Count(0))
    }

    /// The effect that it adds to a call. A switch that is turned off has the value `false`.
    pub(crate) fn effect(&self, effect: &GivenEffect) -> Option<Effect> {
        match self {
            Self::Switch(false) => effect.values.get("false").copied().flatten(),
            Self::Values(values) => effect.given(&values.concat()),
            _ => self.is_given().then(|| effect.given::<&str>(&[])).flatten(),
        }
    }

    /// Returns true if a call with it only shows what it would do.
    pub(crate) fn previews(&self, flag: &Flag) -> bool {
        let Some(values) = &flag.previews else {
            return false;
        };
        match self {
            Self::Values(given) => {
                let mut given = given.iter().flatten().peekable();
                given.peek().is_some()
                    && given.all(|value| values.is_empty() || values.contains(value))
            }
            Self::Bare => match &flag.value {
                FlagValue::Optional { bare: Some(bare) } if !values.is_empty() => {
                    values.contains(bare)
                }
                _ => values.is_empty(),
            },
            _ => self.is_given() && values.is_empty(),
        }
    }
}

/// Input that fits its tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bound {
    /// The values given for flags, by place in [`Input::flags`].
    pub flags: Vec<(usize, Given)>,
    /// The values given for positionals, by place in [`Input::positionals`].
    pub positionals: Vec<(usize, Vec<String>)>,
    /// Positionals that are not known one by one.
    pub unlisted: Vec<String>,
    /// The text that the program reads from its standard input.
    pub stdin: Option<String>,
    /// The elements that a caller adds to a command line that an author wrote out.
    pub added: Vec<String>,
    /// Arguments that nobody declared, by name.
    pub open: Vec<(String, String)>,
    /// The folder that the caller wants the program to run in.
    pub folder: Option<String>,
    /// The caller says that the user agreed.
    pub confirmed: bool,
    /// The parts of the input that were [understood](super::understand) differently from how they were given.
    pub notes: Vec<String>,
}

impl Bound {
    /// The worst that a call of this tool with this input is known to do: the effect of the command with the positionals
    /// and the flags that are given or pinned. A preview reads, whatever else is given.
    pub fn effect(&self, tool: &Tool) -> Effect {
        let given = self.flags.iter();
        let given = given.filter_map(|(at, given)| Some((tool.input.flags.get(*at)?, given)));
        let pinned = tool.input.pinned.iter();
        let given = given.chain(pinned.map(|pin| (&pin.property, &pin.given)));
        if given
            .clone()
            .any(|(property, given)| given.previews(&property.flag))
        {
            return Effect::Read;
        }
        let positionals = self.positionals.iter().filter_map(|(at, values)| {
            let property = tool.input.positionals.get(*at)?;
            property.positional.effect.as_ref()?.given(values)
        });
        let command = positionals.fold(tool.help.effect, Effect::max);
        let command = given.clone().fold(command, |command, (property, given)| {
            property.lowered(command, given)
        });
        let flags = given.filter_map(|(property, given)| property.effect_of(given));
        effect_with(command, flags)
    }

    /// The arguments of a command that an author wrote out, by name.
    pub fn arguments<'b>(&'b self, input: &'b Input) -> impl Iterator<Item = (&'b str, &'b str)> {
        let declared = self.positionals.iter().flat_map(|(at, values)| {
            let property = input.positionals.get(*at).into_iter();
            property.flat_map(|property| {
                let key = property.key.as_str();
                values.iter().map(move |value| (key, value.as_str()))
            })
        });
        let open = self.open.iter();
        declared.chain(open.map(|(name, value)| (name.as_str(), value.as_str())))
    }
}

pub(super) fn bind(input: &Input, given: &Map<String, Value>) -> Result<Bound, Vec<Violation>> {
    let mut binder = Binder {
        input,
        bound: Bound::default(),
        violations: Vec::new(),
    };
    match input.layout {
        Layout::Flat => {
            let own = input.template.as_ref().map(|template| template.keys());
            let own: Vec<&str> = own.into_iter().flatten().collect();
            let known: Vec<&str> = input
                .flags
                .iter()
                .map(|property| property.key.as_str())
                .chain(
                    input
                        .keyed_positionals()
                        .map(|(_, property)| property.key.as_str()),
                )
                .chain(input.pattern.iter().map(|(key, _)| key.as_str()))
                .chain(input.stdin.as_deref())
                .chain(own)
                .collect();
            binder.unknown_keys("", given, &known);
            binder.flags("", given);
            if let Some((key, _)) = &input.pattern {
                binder.unlisted(key, given);
            }
        }
        Layout::Nested => {
            let known: Vec<&str> = [FLAGS_KEY, ARGS_KEY]
                .into_iter()
                .chain(
                    input
                        .keyed_positionals()
                        .map(|(_, property)| property.key.as_str()),
                )
                .chain(input.stdin.as_deref())
                .collect();
            binder.unknown_keys("", given, &known);
            binder.nested_flags(given);
            binder.nested_args(given);
        }
    }
    binder.keyed_positionals(given);
    binder.stdin(given);
    match &input.template {
        Some(template) => binder.of_template(template, given),
        // A template has a place for each argument.
        None => binder.gaps(),
    }
    binder.groups();
    if binder.violations.is_empty() {
        Ok(binder.bound)
    } else {
        Err(binder.violations)
    }
}

pub(super) struct Binder<'a> {
    input: &'a Input,
    pub(super) bound: Bound,
    pub(super) violations: Vec<Violation>,
}

impl Binder<'_> {
    fn unknown_keys(&mut self, prefix: &str, given: &Map<String, Value>, known: &[&str]) {
        for (key, value) in given {
            if known.contains(&key.as_str()) {
                continue;
            }
            let hint = match nearest(key, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if known.is_empty() => "this tool takes no arguments here".into(),
                None => known_keys(known),
            };
            self.violations.push(
                Violation::new(format!("{prefix}{key}"), "a known property")
                    .found(value)
                    .hint(hint),
            );
        }
    }

    fn flags(&mut self, prefix: &str, given: &Map<String, Value>) {
        let input = self.input;
        for (at, property) in input.flags.iter().enumerate() {
            let path = format!("{prefix}{}", property.key);
            let value = given.get(&property.key).filter(|value| !is_absent(value));
            let bound = value.and_then(|value| self.collect(bind_flag(property, value, &path)));
            match bound {
                Some(bound) => self.bound.flags.push((at, bound)),
                None if value.is_none() && property.confirms => self.violations.push(
                    Violation::new(path, "true")
                        .nothing_found()
                        .hint("it says that the user has agreed to this; ask first"),
                ),
                None if value.is_none() && property.flag.required => self.missing(
                    path,
                    expectation(&property.flag.value_type, &property.flag.choices),
                ),
                None => {}
            }
        }
        self.order_as_given(given);
    }

    /// Puts flags that stand behind the positionals in the order in which they were given, since there it means
    /// something (`find -name x -print`); but what does more than read stands behind what may still hold it back
    /// (`find -name x -delete`), since an object has no order that a caller can rely on. The others keep theirs.
    fn order_as_given(&mut self, given: &Map<String, Value>) {
        let input = self.input;
        let place = |(at, _): &(usize, Given)| {
            let property = &input.flags[*at];
            let behind = property.flag.behind_positionals;
            let place = || given.keys().position(|key| *key == property.key);
            behind.then(|| (property.flag.may_raise(), place()))
        };
        order::sort_by_key(&mut self.bound.flags, place);
    }

    fn nested_flags(&mut self, given: &Map<String, Value>) {
        let empty = Map::new();
        let flags = match given.get(FLAGS_KEY) {
            None | Some(Value::Null) => &empty,
            Some(Value::Object(flags)) => flags,
            Some(other) => {
                self.violations
                    .push(Violation::new(FLAGS_KEY, "an object of flags").found(other));
                return;
            }
        };
        let known: Vec<&str> = self
            .input
            .flags
            .iter()
            .map(|property| property.key.as_str())
            .collect();
        self.unknown_keys("flags.", flags, &known);
        self.flags("flags.", flags);
    }

    fn keyed_positionals(&mut self, given: &Map<String, Value>) {
        let input = self.input;
        for (at, property) in input.keyed_positionals() {
            let positional = &property.positional;
            let path = property.key.clone();
            // What an author declared is not given only if nothing is: an empty list is no text.
            let absent = |value: &Value| match input.template {
                Some(_) => value.is_null(),
                None => is_absent(value),
            };
            let Some(value) = given.get(&property.key).filter(|value| !absent(value)) else {
                // A program knows its defaults itself; a template has to be filled in.
                if input.template.is_some() && !positional.default.is_empty() {
                    let default = positional.default.clone();
                    self.bound.positionals.push((at, default));
                } else if positional.required && self.replacement(property).is_none() {
                    self.missing(
                        path,
                        expectation(&positional.value_type, &positional.choices),
                    );
                }
                continue;
            };
            if let Some(flag) = self.replacement(property) {
                let hint = format!("with `{flag}` the program would read it as what follows");
                let only = format!("nothing, because `{flag}` stands in its place");
                let violation = Violation::new(path, only).found(value);
                self.violations.push(violation.hint(hint));
                continue;
            }
            let element = BoundElement {
                value_type: &positional.value_type,
                choices: &positional.choices,
                ignore_case: positional.ignore_case,
                converted: property.rules.convert.is_some(),
            };
            let found = apply_rules(&property.rules, value, &path).and_then(|value| {
                if !positional.variadic {
                    return element
                        .text(&value, &path)
                        .map(|text| vec![text])
                        .map_err(|violation| vec![violation]);
                }
                let texts = element.list(&value, &path)?;
                check_length(
                    &path,
                    texts.len(),
                    positional.min_values.unwrap_or(0),
                    positional.max_values,
                )?;
                Ok(texts)
            });
            if let Some(values) = self.collect(found) {
                self.bound.positionals.push((at, values));
            }
        }
    }

    /// Distributes the nested layout's list over the positionals: each takes one, a variadic one what is left over.
    fn nested_args(&mut self, given: &Map<String, Value>) {
        let input = self.input;
        if input.pattern.is_some() {
            return self.unlisted(ARGS_KEY, given);
        }
        let items = match given.get(ARGS_KEY) {
            None | Some(Value::Null) => &[][..],
            Some(Value::Array(items)) => items,
            Some(other) => {
                self.violations
                    .push(Violation::new(ARGS_KEY, "an array of strings").found(other));
                return;
            }
        };
        let listed = input.listed_positionals();
        let listed: Vec<_> = listed
            .filter(|(_, property)| self.replacement(property).is_none())
            .collect();
        let required_after = |place: usize| {
            listed[place + 1..]
                .iter()
                .filter(|(_, property)| property.positional.required)
                .count()
        };
        let mut next = 0;
        for (place, (at, property)) in listed.iter().enumerate() {
            let positional = &property.positional;
            let left = items.len() - next;
            let share = if positional.variadic {
                left.saturating_sub(required_after(place))
                    .min(positional.max_values.unwrap_or(usize::MAX))
            } else if positional.required || left > required_after(place) {
                left.min(1)
            } else {
                0
            };
            if share == 0 {
                if positional.required {
                    self.missing(
                        format!("args[{next}]"),
                        format!(
                            "{} for `{}`",
                            expectation(&positional.value_type, &positional.choices),
                            property.key
                        ),
                    );
                }
                continue;
            }
            let mut values = Vec::with_capacity(share);
            for (index, item) in items.iter().enumerate().skip(next).take(share) {
                let path = format!("args[{index}]");
                let text = apply_rules(&property.rules, item, &path).and_then(|value| {
                    let element = BoundElement {
                        value_type: &positional.value_type,
                        choices: &positional.choices,
                        ignore_case: positional.ignore_case,
                        converted: property.rules.convert.is_some(),
                    };
                    list_text(&value, &element, positional.delimiter, &path)
                });
                values.extend(self.collect(text).into_iter().flatten());
            }
            next += share;
            self.bound.positionals.push((*at, values));
        }
        for (index, item) in items.iter().enumerate().skip(next) {
            self.violations.push(
                Violation::new(format!("args[{index}]"), "no further argument")
                    .found(item)
                    .hint(format!("usage: {}", input.usage)),
            );
        }
    }

    fn stdin(&mut self, given: &Map<String, Value>) {
        let Some(key) = &self.input.stdin else { return };
        match given.get(key) {
            None | Some(Value::Null) => {}
            // Unlike an argument it may hold anything, and be as long as a message may.
            Some(Value::String(text)) => self.bound.stdin = Some(text.clone()),
            Some(other) => self
                .violations
                .push(Violation::new(key, "a string").found(other)),
        }
    }

    fn unlisted(&mut self, key: &str, given: &Map<String, Value>) {
        let Some(value) = given.get(key).filter(|value| !is_absent(value)) else {
            return;
        };
        let element = BoundElement {
            value_type: &ValueType::String,
            choices: &[],
            ignore_case: false,
            converted: false,
        };
        if let Some(texts) = self.collect(element.list(value, key)) {
            self.bound.unlisted = texts;
        }
    }

    /// The key of a flag that was given in the place of a positional.
    fn replacement(&self, property: &PositionalProperty) -> Option<&str> {
        let given = self.bound.flags.iter();
        let mut given = given.filter(|(_, given)| given.is_given());
        given.find_map(|(at, _)| {
            let flag = &self.input.flags[*at];
            let replaces = flag.owner == property.level
                && property.positional.replaced_by.contains(&flag.flag.id);
            replaces.then_some(flag.key.as_str())
        })
    }

    /// A positional can only be reached if those before it are given.
    fn gaps(&mut self) {
        let given: HashSet<usize> = self.bound.positionals.iter().map(|(at, _)| *at).collect();
        let input = self.input;
        for (at, property) in input.positionals.iter().enumerate() {
            // A required one behind an optional one is read first wherever that is possible at all.
            let positional = &property.positional;
            if !given.contains(&at) || positional.last || positional.required {
                continue;
            }
            let gap = input.positionals[..at]
                .iter()
                .enumerate()
                .find(|(before, earlier)| {
                    earlier.level == property.level
                        && !given.contains(before)
                        && !earlier.positional.variadic
                        && self.replacement(earlier).is_none()
                });
            if let Some((_, earlier)) = gap.filter(|(_, earlier)| !earlier.positional.required) {
                self.violations.push(
                    Violation::new(
                        earlier.key.clone(),
                        format!("a value, because `{}` is given", property.key),
                    )
                    .hint("positionals are read in order"),
                );
            }
        }
    }

    fn groups(&mut self) {
        let input = self.input;
        for (depth, level) in input.levels.iter().enumerate() {
            for group in &level.groups {
                let mut members: Vec<(Cow<'_, str>, bool)> = Vec::new();
                for id in &group.members {
                    let flag = input
                        .flags
                        .iter()
                        .position(|p| p.owner == depth && p.flag.id == *id);
                    let positional = input
                        .positionals
                        .iter()
                        .position(|p| p.level == depth && p.positional.id == *id);
                    let mut pinned = input.pinned.iter();
                    if let Some(pinned) = pinned.find(|pinned| pinned.is_member(depth, id)) {
                        let name = format!("{} (which is always set)", pinned.property.key);
                        members.push((name.into(), pinned.given.is_given()));
                    } else if let Some(at) = flag {
                        let given = self
                            .bound
                            .flags
                            .iter()
                            .any(|(place, given)| *place == at && given.is_given());
                        members.push((input.flags[at].key.as_str().into(), given));
                    } else if let Some(at) = positional {
                        let given = self.bound.positionals.iter().any(|(place, _)| *place == at);
                        members.push((input.positionals[at].key.as_str().into(), given));
                    }
                }
                let quote = |wanted: bool| {
                    let keys = members.iter().filter(|(_, given)| *given == wanted);
                    keys.map(|(key, _)| format!("`{key}`")).collect::<Vec<_>>()
                };
                let (present, absent) = (quote(true), quote(false));
                let broken = match group.kind {
                    GroupKind::Exclusive if present.len() > 1 => {
                        format!("at most one of {}", present.join(", "))
                    }
                    GroupKind::Together if !present.is_empty() && !absent.is_empty() => {
                        format!(
                            "{} as well, because {} is given",
                            absent.join(", "),
                            present.join(", ")
                        )
                    }
                    GroupKind::OneOf if present.is_empty() && !absent.is_empty() => {
                        format!("at least one of {}", absent.join(", "))
                    }
                    _ => continue,
                };
                let violation = Violation::new("", broken);
                if !self.violations.contains(&violation) {
                    self.violations.push(violation);
                }
            }
        }
    }

    fn missing(&mut self, path: String, expected: String) {
        self.violations
            .push(Violation::new(path, expected).nothing_found());
    }

    fn collect<T>(&mut self, result: Result<T, Vec<Violation>>) -> Option<T> {
        result
            .map_err(|mut found| self.violations.append(&mut found))
            .ok()
    }
}

/// The first of the keys that are known, for a caller who is near none of them.
fn known_keys(known: &[&str]) -> String {
    const MOST: usize = 6;
    let more = match known.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let shown = &known[..known.len().min(MOST)];
    format!("known: {}{more}", shown.join(", "))
}

/// Null and empty collections mean that nothing is given; an empty string is a value.
fn is_absent(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(entries) => entries.is_empty(),
        _ => false,
    }
}
