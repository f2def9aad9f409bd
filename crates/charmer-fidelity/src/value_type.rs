//! The comparison of a flag's type with the truth.
//!
//! Strict where a caller would notice: a number that was taken for text is wrong, and so is a list that would be split
//! where the program does not split. Lenient where nobody can see it: `int64` against `int`, and which text an
//! application's own type takes.

use charmer_core::model::{Flag, FlagValue, Repetition, ValueType};

use super::TrueFlag;

/// Returns true if the type and repetition that were found are right for the true type.
pub(super) fn is_right(truth: &TrueFlag, found: &Flag) -> bool {
    let (value, repetition) = (&found.value_type, &found.repetition);
    let single = *repetition == Repetition::Single;
    let name = truth.value_type.as_deref().unwrap_or("bool");
    match name {
        // How often a switch counts is for `is_many` to say.
        "" | "bool" | "tristate" | "count" => {
            return matches!(value, ValueType::Bool | ValueType::Count) && single;
        }
        "any" => return true,
        _ => {}
    }
    if found.value == FlagValue::None {
        return false;
    }
    if truth.repeat.is_some() {
        return is_element(Some(name), value);
    }
    match name {
        "value" => true,
        "numeric" => is_element(Some(name), value) && single,
        "list" | "array" => !single && is_element(truth.element.as_deref(), value),
        "map" => matches!(value, ValueType::Map(_)) || !single,
        "bytes" | "version" => is_text(value) && single,
        "decimal" | "number" => *value == ValueType::Number && single,
        "integer" => is_whole(value) && single,
        _ => match ValueType::from_pflag(name) {
            Some((true_value, true_repetition)) => {
                is_same(&true_value, value) && is_repeated_as(&true_repetition, repetition)
            }
            None => is_text(value),
        },
    }
}

/// Tells whether several values can be given in truth, or a switch counts; `None` where nobody knows, and for a plain
/// switch that was found to be one: of those there are so many that they would hide the rest.
pub(super) fn is_many(truth: &TrueFlag, found: &Flag) -> Option<bool> {
    if truth.repeat.is_some() {
        return truth.repeat;
    }
    match truth.value_type.as_deref()? {
        "" | "bool" | "tristate" => (found.value_type == ValueType::Count).then_some(false),
        "count" => Some(true),
        "list" | "array" | "map" => Some(true),
        name => ValueType::from_pflag(name).map(|(_, repetition)| repetition != Repetition::Single),
    }
}

/// Returns true if several values can be given, or a switch counts, as it was found.
pub(super) fn is_found_many(found: &Flag) -> bool {
    found.repetition != Repetition::Single
        || matches!(found.value_type, ValueType::Map(_) | ValueType::Count)
}

/// Returns true if an element of a list has its true type; where that is not known, any type but a map's will do.
fn is_element(truth: Option<&str>, found: &ValueType) -> bool {
    match truth {
        None => !matches!(found, ValueType::Map(_)),
        Some("value") => true,
        Some("integer") => is_whole(found),
        Some("number") => *found == ValueType::Number,
        Some("numeric") => is_whole(found) || *found == ValueType::Number,
        Some(name) => match ValueType::from_pflag(name) {
            Some((element, Repetition::Single)) => is_same(&element, found),
            _ => is_text(found),
        },
    }
}

/// Returns true if one value has its true type. A wider range of the same kind is right: a renamed placeholder hides
/// the size.
fn is_same(truth: &ValueType, found: &ValueType) -> bool {
    match (truth, found) {
        (
            ValueType::Integer { min, max },
            ValueType::Integer {
                min: least,
                max: greatest,
            },
        ) => (*min < 0) == (*least < 0) && least <= min && greatest >= max,
        (ValueType::String, found) => {
            matches!(found, ValueType::String | ValueType::Path | ValueType::Char)
        }
        (truth, found) => truth == found,
    }
}

fn is_repeated_as(truth: &Repetition, found: &Repetition) -> bool {
    match truth {
        Repetition::Joined { delimiter } => match found {
            Repetition::Joined { delimiter: found } => found == delimiter,
            Repetition::Repeat { delimiter: found } => *found == Some(*delimiter),
            _ => false,
        },
        truth => truth == found,
    }
}

fn is_whole(value: &ValueType) -> bool {
    matches!(
        value,
        ValueType::Integer { .. } | ValueType::BigInteger { .. }
    )
}

/// Returns true if a value travels as text: neither a switch nor a number nor a map.
fn is_text(value: &ValueType) -> bool {
    !is_whole(value)
        && !matches!(
            value,
            ValueType::Bool | ValueType::Count | ValueType::Number | ValueType::Map(_)
        )
}

/// The type that was found, for people.
pub(super) fn described(found: &Flag) -> String {
    let value = match &found.value_type {
        ValueType::Integer { min, max } => format!("whole number {min} to {max}"),
        other => format!("{other:?}").to_lowercase(),
    };
    match &found.repetition {
        Repetition::Single => value,
        repetition => format!("{value}, {repetition:?}"),
    }
}
