//! One JSON value bound to one flag or positional: its rules, its shape, its elements.

use serde_json::Value;

use crate::{
    model::{Choice, Flag, FlagValue, MapValue, Repetition, ValueType},
    tool::{FlagProperty, Rules},
};

use super::{
    bind::Given,
    format::{expectation, to_text},
    violation::Violation,
};

/// The greatest number of times that a switch is written.
const MOST_TIMES: u64 = 9;

pub(super) fn apply_rules(
    rules: &Rules,
    value: &Value,
    path: &str,
) -> Result<Value, Vec<Violation>> {
    let refuse = |message: String| vec![Violation::new(path, message).found(value)];
    for validate in &rules.validate {
        validate(value).map_err(refuse)?;
    }
    match &rules.convert {
        Some(convert) => convert(value.clone()).map_err(refuse),
        None => Ok(value.clone()),
    }
}

pub(super) fn bind_flag(
    property: &FlagProperty,
    value: &Value,
    path: &str,
) -> Result<Given, Vec<Violation>> {
    let value = &apply_rules(&property.rules, value, path)?;
    let flag = &property.flag;
    let element = BoundElement {
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
            Value::Bool(false) if property.confirms => {
                let violation = Violation::new(path, "true").found(value);
                Err(vec![violation.hint("nothing is done without it")])
            }
            Value::Bool(on) => Ok(Given::Switch(*on)),
            other => match times(flag, other) {
                Some(times) => Ok(Given::Count(times)),
                None => Err(vec![Violation::new(path, "true or false").found(other)]),
            },
        };
    }
    if let ValueType::Map(inner) = flag.value_type {
        return map_entries(value, inner, path).map(|entries| Given::Values(vec![entries]));
    }
    match flag.repetition {
        Repetition::Single if value.as_str() == Some("") && takes_bare(flag) => Ok(Given::Bare),
        Repetition::Single if !(flag.may_repeat && value.is_array()) => {
            one(value, path).map(|text| Given::Values(vec![vec![text]]))
        }
        Repetition::Single | Repetition::Repeat { .. } => Ok(Given::Values(
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

/// The number of times that a switch is given that the program's parser takes more than once (`-vv`): as a number, or
/// as a list.
fn times(flag: &Flag, value: &Value) -> Option<u64> {
    let times = match value {
        Value::Number(number) => number.as_u64(),
        Value::Array(each) if each.iter().all(|one| *one == true) => each.len().try_into().ok(),
        _ => None,
    };
    times.filter(|times| flag.may_repeat && (1..=MOST_TIMES).contains(times))
}

/// Returns true if the empty string stands for the flag without a value: only where nothing else can say it.
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

pub(super) fn check_length(
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

pub(super) struct BoundElement<'a> {
    pub(super) value_type: &'a ValueType,
    pub(super) choices: &'a [Choice],
    pub(super) ignore_case: bool,
    /// A converter has spoken last: any scalar is taken as it is.
    pub(super) converted: bool,
}

impl BoundElement<'_> {
    pub(super) fn text(&self, value: &Value, path: &str) -> Result<String, Violation> {
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

    pub(super) fn list(&self, value: &Value, path: &str) -> Result<Vec<String>, Vec<Violation>> {
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
pub(super) fn list_text(
    value: &Value,
    element: &BoundElement<'_>,
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
