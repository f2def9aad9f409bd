//! A pinned value bound to its flag, and what is written for it: once, when tools are made.

use serde_json::{Map, Value};

use crate::{
    model::{Flag, FlagValue, Repetition, Syntax, ValueType},
    tool::{FlagProperty, PinValue},
};

use super::{
    argv::{Argv, Element, MAX_ELEMENT_BYTES},
    bind::Given,
    bind_value::bind_flag,
    format::expectation,
    write_flag::write_flag,
};

/// Binds and writes a pinned flag; the error says which values the flag takes.
pub(crate) fn bind_pin(
    property: &FlagProperty,
    value: &PinValue,
    negated: bool,
    syntax: Syntax,
) -> Result<(Given, Vec<Element>), String> {
    let flag = &property.flag;
    let optional = matches!(flag.value, FlagValue::Optional { .. });
    let given = match value {
        PinValue::Switch(true) if optional && flag.value_type != ValueType::Bool => Given::Bare,
        _ => {
            let value = json(flag, value, negated)?;
            bind_flag(property, &value, &property.key).map_err(|violations| {
                let expected = violations.into_iter().map(|violation| violation.expected);
                expected.collect::<Vec<_>>().join("; ")
            })?
        }
    };
    let mut argv = Argv::default();
    write_flag(&mut argv, flag, &given, syntax, &property.key).map_err(
        |violation| match violation.hint {
            Some(hint) => format!("{} ({hint})", violation.expected),
            None => violation.expected,
        },
    )?;
    let elements = argv.elements().to_vec();
    let too_long =
        |element: &Element| element.text.len() > MAX_ELEMENT_BYTES || element.text.contains('\0');
    if elements.iter().any(too_long) {
        return Err(format!(
            "at most {MAX_ELEMENT_BYTES} bytes, none of them NUL"
        ));
    }
    Ok((given, elements))
}

/// The value as an input would hold it.
fn json(flag: &Flag, value: &PinValue, negated: bool) -> Result<Value, String> {
    let is_switch = flag.value == FlagValue::None;
    if is_switch {
        let counts = flag.value_type == ValueType::Count;
        return match value {
            PinValue::Switch(on) if counts => Ok(u8::from(*on).into()),
            PinValue::Switch(on) => Ok((*on != negated).into()),
            PinValue::Text(text) => match scalar(flag, text) {
                Value::Bool(on) => Ok((on != negated).into()),
                other => Ok(other),
            },
            PinValue::List(_) => Err(expectation(&flag.value_type, &flag.choices)),
        };
    }
    let texts: &[String] = match value {
        PinValue::Switch(on) if flag.value_type == ValueType::Bool => return Ok((*on).into()),
        PinValue::Switch(_) => {
            let expected = expectation(&flag.value_type, &flag.choices);
            return Err(format!(
                "{expected} (put `true` and `false` in quotes if they are meant as text)"
            ));
        }
        PinValue::Text(text) => std::slice::from_ref(text),
        PinValue::List(texts) => texts,
    };
    if let ValueType::Map(_) = flag.value_type {
        let mut entries = Map::new();
        for text in texts {
            let (key, value) = text
                .split_once('=')
                .ok_or_else(|| "entries like `key=value`".to_owned())?;
            let number = number(value);
            let value = match flag.value_type {
                ValueType::Map(crate::model::MapValue::Integer) => number.unwrap_or(value.into()),
                _ => value.into(),
            };
            entries.insert(key.to_owned(), value);
        }
        return Ok(entries.into());
    }
    let values: Vec<Value> = texts.iter().map(|text| scalar(flag, text)).collect();
    match (&flag.repetition, &values[..]) {
        (_, []) => Err("at least one value".into()),
        (Repetition::Single, [one]) => Ok(one.clone()),
        (Repetition::Single, _) => Err("one value, not a list".into()),
        (Repetition::Fixed { repeat: true, .. }, _) => Ok(vec![Value::from(values)].into()),
        _ => Ok(values.into()),
    }
}

/// A text that is a number.
fn number(text: &str) -> Option<Value> {
    let value = serde_json::from_str::<Value>(text).ok();
    value.filter(Value::is_number)
}

/// Text as the JSON value that a flag of this type is bound from.
fn scalar(flag: &Flag, text: &str) -> Value {
    let read = match flag.value_type {
        ValueType::Bool => text.parse().ok().map(Value::Bool),
        _ if !flag.choices.is_empty() => None,
        ValueType::Integer { .. } | ValueType::Number | ValueType::Count => number(text),
        _ => None,
    };
    read.unwrap_or_else(|| text.into())
}
