//! JSON input bound to the model: every key known, every value of its type, every relation kept.
//!
//! All violations are collected, not only the first.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::{
    model::{Choice, Flag, FlagValue, GroupKind, MapValue, Repetition, ValueType},
    text::nearest,
    tool::{ARGS_KEY, FLAGS_KEY, FlagProperty, Input, Layout, Rules},
};

use super::{
    format::{expectation, to_text},
    violation::Violation,
};

/// What was given for one flag.
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

/// Input that fits its tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bound {
    /// What was given for the flags, by place in [`Input::flags`].
    pub flags: Vec<(usize, Given)>,
    /// What was given for the positionals, by place in [`Input::positionals`].
    pub positionals: Vec<(usize, Vec<String>)>,
    /// Positionals that are not known one by one.
    pub unlisted: Vec<String>,
}

pub(super) fn bind(input: &Input, given: &Map<String, Value>) -> Result<Bound, Vec<Violation>> {
    let mut binder = Binder {
        input,
        bound: Bound::default(),
        violations: Vec::new(),
    };
    match input.layout {
        Layout::Flat => {
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
                .collect();
            binder.unknown_keys("", given, &known);
            binder.nested_flags(given);
            binder.nested_args(given);
        }
    }
    binder.keyed_positionals(given);
    binder.gaps();
    binder.groups();
    if binder.violations.is_empty() {
        Ok(binder.bound)
    } else {
        Err(binder.violations)
    }
}

struct Binder<'a> {
    input: &'a Input,
    bound: Bound,
    violations: Vec<Violation>,
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
                None => format!("known: {}", known.join(", ")),
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
                None if value.is_none() && property.flag.required => self.missing(
                    path,
                    expectation(&property.flag.value_type, &property.flag.choices),
                ),
                None => {}
            }
        }
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
            let Some(value) = given.get(&property.key).filter(|value| !is_absent(value)) else {
                if positional.required {
                    self.missing(
                        path,
                        expectation(&positional.value_type, &positional.choices),
                    );
                }
                continue;
            };
            let element = Element {
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
        let listed: Vec<_> = input.listed_positionals().collect();
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
                    let element = Element {
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

    fn unlisted(&mut self, key: &str, given: &Map<String, Value>) {
        let Some(value) = given.get(key).filter(|value| !is_absent(value)) else {
            return;
        };
        let element = Element {
            value_type: &ValueType::String,
            choices: &[],
            ignore_case: false,
            converted: false,
        };
        if let Some(texts) = self.collect(element.list(value, key)) {
            self.bound.unlisted = texts;
        }
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
                let mut members: Vec<(&str, bool)> = Vec::new();
                for id in &group.members {
                    let flag = input
                        .flags
                        .iter()
                        .position(|p| p.owner == depth && p.flag.id == *id);
                    let positional = input
                        .positionals
                        .iter()
                        .position(|p| p.level == depth && p.positional.id == *id);
                    if let Some(at) = flag {
                        let given = self
                            .bound
                            .flags
                            .iter()
                            .any(|(place, given)| *place == at && is_given(given));
                        members.push((&input.flags[at].key, given));
                    } else if let Some(at) = positional {
                        let given = self.bound.positionals.iter().any(|(place, _)| *place == at);
                        members.push((&input.positionals[at].key, given));
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
        self.violations.push(Violation {
            found: Some("nothing".into()),
            ..Violation::new(path, expected)
        });
    }

    fn collect<T>(&mut self, result: Result<T, Vec<Violation>>) -> Option<T> {
        result
            .map_err(|mut found| self.violations.append(&mut found))
            .ok()
    }
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

fn is_given(given: &Given) -> bool {
    !matches!(given, Given::Switch(false) | Given::Count(0))
}

fn apply_rules(rules: &Rules, value: &Value, path: &str) -> Result<Value, Vec<Violation>> {
    let refuse = |message: String| vec![Violation::new(path, message).found(value)];
    for validate in &rules.validate {
        validate(value).map_err(refuse)?;
    }
    match &rules.convert {
        Some(convert) => convert(value.clone()).map_err(refuse),
        None => Ok(value.clone()),
    }
}

fn bind_flag(property: &FlagProperty, value: &Value, path: &str) -> Result<Given, Vec<Violation>> {
    let value = &apply_rules(&property.rules, value, path)?;
    let flag = &property.flag;
    let element = Element {
        value_type: &flag.value_type,
        choices: &flag.choices,
        ignore_case: flag.ignore_case,
        converted: property.rules.convert.is_some(),
    };
    let one = |value: &Value, path: &str| {
        element
            .text(value, path)
            .map_err(|violation| vec![violation])
    };
    if flag.value == FlagValue::None {
        if flag.value_type == ValueType::Count {
            let count = one(value, path)?;
            return Ok(Given::Count(
                count.parse().expect("a count was checked to be a number"),
            ));
        }
        return match value {
            Value::Bool(on) => Ok(Given::Switch(*on)),
            other => Err(vec![Violation::new(path, "true or false").found(other)]),
        };
    }
    if let ValueType::Map(inner) = flag.value_type {
        return map_entries(value, inner, path).map(|entries| Given::Values(vec![entries]));
    }
    match flag.repetition {
        Repetition::Single if value.as_str() == Some("") && takes_bare(flag) => Ok(Given::Bare),
        Repetition::Single => one(value, path).map(|text| Given::Values(vec![vec![text]])),
        Repetition::Repeat { .. } => Ok(Given::Values(
            element
                .list(value, path)?
                .into_iter()
                .map(|text| vec![text])
                .collect(),
        )),
        Repetition::Joined { .. } => Ok(Given::Values(vec![element.list(value, path)?])),
        Repetition::Fixed {
            count,
            repeat: false,
        } => {
            let texts = element.list(value, path)?;
            check_length(path, texts.len(), count, Some(count))?;
            Ok(Given::Values(vec![texts]))
        }
        Repetition::Span { min, max } => {
            let texts = element.list(value, path)?;
            check_length(path, texts.len(), min, max)?;
            Ok(Given::Values(vec![texts]))
        }
        Repetition::Fixed {
            count,
            repeat: true,
        } => {
            let Value::Array(lists) = value else {
                return Err(vec![
                    Violation::new(path, format!("an array of arrays of {count}")).found(value),
                ]);
            };
            let mut occurrences = Vec::with_capacity(lists.len());
            for (at, list) in lists.iter().enumerate() {
                let path = format!("{path}[{at}]");
                let texts = element.list(list, &path)?;
                check_length(&path, texts.len(), count, Some(count))?;
                occurrences.push(texts);
            }
            Ok(Given::Values(occurrences))
        }
    }
}

/// Whether the empty string stands for the flag without a value: only where nothing else can say it.
fn takes_bare(flag: &Flag) -> bool {
    flag.value == FlagValue::Optional { bare: None }
}

fn map_entries(value: &Value, inner: MapValue, path: &str) -> Result<Vec<String>, Vec<Violation>> {
    let Value::Object(entries) = value else {
        return Err(vec![
            Violation::new(path, expectation(&ValueType::Map(inner), &[])).found(value),
        ]);
    };
    let value_type = match inner {
        MapValue::Text => ValueType::String,
        MapValue::Integer => ValueType::INT,
    };
    let mut texts = Vec::with_capacity(entries.len());
    let mut violations = Vec::new();
    for (key, value) in entries {
        let path = format!("{path}.{key}");
        if key.is_empty() || key.contains(['=', '\0']) {
            violations.push(Violation::new(
                path,
                "a key that is not empty and holds no `=`",
            ));
            continue;
        }
        match to_text(value, &value_type, &[], false) {
            Ok(text) => texts.push(format!("{key}={text}")),
            Err(expected) => violations.push(Violation::new(path, expected).found(value)),
        }
    }
    if violations.is_empty() {
        Ok(texts)
    } else {
        Err(violations)
    }
}

fn check_length(
    path: &str,
    length: usize,
    min: usize,
    max: Option<usize>,
) -> Result<(), Vec<Violation>> {
    if length >= min && max.is_none_or(|max| length <= max) {
        return Ok(());
    }
    let expected = match max {
        Some(max) if max == min => format!("{min} values"),
        Some(max) => format!("between {min} and {max} values"),
        None => format!("at least {min} values"),
    };
    Err(vec![Violation {
        found: Some(length.to_string()),
        ..Violation::new(path, expected)
    }])
}

struct Element<'a> {
    value_type: &'a ValueType,
    choices: &'a [Choice],
    ignore_case: bool,
    /// A converter has spoken last: any scalar is taken as it is.
    converted: bool,
}

impl Element<'_> {
    fn text(&self, value: &Value, path: &str) -> Result<String, Violation> {
        if self.converted {
            match value {
                Value::String(text) if !text.contains('\0') => return Ok(text.clone()),
                Value::Number(_) | Value::Bool(_) => return Ok(value.to_string()),
                _ => {}
            }
        }
        to_text(value, self.value_type, self.choices, self.ignore_case)
            .map_err(|expected| Violation::new(path, expected).found(value))
    }

    fn list(&self, value: &Value, path: &str) -> Result<Vec<String>, Vec<Violation>> {
        let Value::Array(items) = value else {
            let one = expectation(self.value_type, self.choices);
            return Err(vec![
                Violation::new(path, format!("an array, each element {one}")).found(value),
            ]);
        };
        let mut texts = Vec::with_capacity(items.len());
        let mut violations = Vec::new();
        for (at, item) in items.iter().enumerate() {
            match self.text(item, &format!("{path}[{at}]")) {
                Ok(text) => texts.push(text),
                Err(violation) => violations.push(violation),
            }
        }
        if violations.is_empty() {
            Ok(texts)
        } else {
            Err(violations)
        }
    }
}

/// An element of the nested layout's list: always a string in the schema, so numbers and booleans are read from text,
/// and one that the program splits is the values that it splits into.
fn list_text(
    value: &Value,
    element: &Element<'_>,
    delimiter: Option<char>,
    path: &str,
) -> Result<Vec<String>, Vec<Violation>> {
    let scalar = matches!(
        element.value_type,
        ValueType::Bool | ValueType::Integer { .. } | ValueType::Number | ValueType::Count
    );
    let one = |item: &Value| {
        let from_text = item
            .as_str()
            .and_then(|text| serde_json::from_str::<Value>(text).ok());
        // clap lists `true` and `false` as the choices of a boolean; they are no strings for that.
        let listed = !element.choices.is_empty() && *element.value_type != ValueType::Bool;
        let read = from_text.filter(|_| scalar && !listed);
        element
            .text(read.as_ref().unwrap_or(item), path)
            .map_err(|violation| {
                vec![
                    Violation {
                        found: None,
                        ..violation
                    }
                    .found(item),
                ]
            })
    };
    match (value.as_str(), delimiter) {
        (Some(text), Some(delimiter)) => text
            .split(delimiter)
            .map(|part| one(&part.into()))
            .collect(),
        _ => one(value).map(|text| vec![text]),
    }
}
