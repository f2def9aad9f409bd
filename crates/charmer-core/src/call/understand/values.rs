//! A value as the property's type wants it, where another type can mean nothing else.
//!
//! Nothing is taken that could have lost a digit on the way, and only what binding accepts is taken at all: otherwise the
//! caller is told of what was given.

use serde_json::{Map, Number, Value};

use crate::{
    call::format::to_text,
    model::{Choice, Flag, FlagValue, JsonKind, MapValue, Positional, Repetition, ValueType},
};

/// The most digits of a decimal that survive a floating-point number, whatever they are.
const EXACT_DIGITS: usize = 15;

/// The way a boolean came to be a text.
const BOOLEAN_AS_TEXT: &str = "the boolean was taken as text";

/// The way a value is read.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ValueReading {
    /// As it was given.
    AsItIs,
    /// As this value, and how that came.
    Taken(Value, &'static str),
    /// It could be read in two ways; what to give instead.
    TwoWays(String),
}

/// The type of one value.
#[derive(Clone, Copy)]
struct ValueKind<'a> {
    value_type: &'a ValueType,
    choices: &'a [Choice],
    ignore_case: bool,
}

impl ValueKind<'_> {
    fn takes(&self, value: &Value) -> bool {
        to_text(value, self.value_type, self.choices, self.ignore_case).is_ok()
    }

    fn is_text(&self) -> bool {
        let scalar = matches!(
            self.value_type,
            ValueType::Bool
                | ValueType::Integer { .. }
                | ValueType::Number
                | ValueType::Count
                | ValueType::Map(_)
                | ValueType::Json(_)
        );
        !scalar || (!self.choices.is_empty() && *self.value_type != ValueType::Bool)
    }

    /// The value in this type, if it can mean nothing else.
    fn read(&self, value: &Value) -> Option<(Value, &'static str)> {
        if self.takes(value) || matches!(self.value_type, ValueType::Json(_)) {
            return None;
        }
        let taken = match value {
            Value::Number(number) if self.is_text() => {
                (plain(number)?.into(), "the number was taken as text")
            }
            // Where any text will do, `true` may mean the flag alone and `false` none of it: `git switch -c true`.
            Value::Bool(yes) if self.is_text() && !self.choices.is_empty() => {
                (yes.to_string().into(), BOOLEAN_AS_TEXT)
            }
            Value::Bool(yes) if *self.value_type == ValueType::Count => {
                (u64::from(*yes).into(), "the boolean was taken as a number")
            }
            Value::String(text) => match self.value_type {
                ValueType::Bool => (boolean(text)?, "the text was taken as a boolean"),
                ValueType::Integer { .. } | ValueType::Count => {
                    (integer(text)?, "the text was taken as a number")
                }
                ValueType::Number => (decimal(text)?, "the text was taken as a number"),
                _ => return None,
            },
            Value::Array(items) => match &items[..] {
                [Value::Array(_)] => return None,
                [one] => {
                    let one = self.read(one).map_or_else(|| one.clone(), |(one, _)| one);
                    (one, "the list of one was taken as its value")
                }
                _ => return None,
            },
            Value::Null | Value::Object(_) | Value::Number(_) | Value::Bool(_) => return None,
        };
        self.takes(&taken.0).then_some(taken)
    }
}

/// A value of a flag. `quotes` says whether a value that holds the delimiter of a list can be written at all.
pub(super) fn of_flag(flag: &Flag, value: &Value, quotes: bool) -> ValueReading {
    let kind = ValueKind {
        value_type: &flag.value_type,
        choices: &flag.choices,
        ignore_case: flag.ignore_case,
    };
    if flag.value == FlagValue::None {
        return match flag.value_type {
            ValueType::Count => taken(kind.read(value)),
            _ => switch(value),
        };
    }
    if let ValueType::Map(inner) = flag.value_type {
        return map(inner, value);
    }
    match flag.repetition {
        // Several may be given, where the program's parser takes them.
        Repetition::Single if flag.may_repeat && value.is_array() => list(kind, None, false, value),
        Repetition::Single => {
            // The flag alone is what `true` means where a value may be left out.
            if let (FlagValue::Optional { bare }, Value::Bool(true)) = (&flag.value, value)
                && !kind.takes(value)
            {
                let alone = Value::from(bare.clone().unwrap_or_default());
                return match bare.is_none() || kind.takes(&alone) {
                    true => {
                        ValueReading::Taken(alone, "true was taken as the flag without a value")
                    }
                    false => ValueReading::AsItIs,
                };
            }
            // And `false` may be no flag at all, or a value of it.
            if matches!(flag.value, FlagValue::Optional { .. }) && value.is_boolean() {
                return ValueReading::AsItIs;
            }
            taken(kind.read(value))
        }
        Repetition::Repeat { delimiter } => list(kind, delimiter, quotes, value),
        Repetition::Joined { delimiter } => list(kind, Some(delimiter), quotes, value),
        Repetition::Fixed { repeat: false, .. } | Repetition::Span { .. } => {
            list(kind, None, false, value)
        }
        Repetition::Fixed {
            count,
            repeat: true,
        } => match value {
            Value::Array(items)
                if items.len() == count && !items.iter().any(|item| item.is_array()) =>
            {
                ValueReading::Taken(
                    vec![value.clone()].into(),
                    "the list was taken as a list of one list",
                )
            }
            _ => ValueReading::AsItIs,
        },
    }
}

/// A value of a positional.
pub(super) fn of_positional(positional: &Positional, value: &Value) -> ValueReading {
    let kind = ValueKind {
        value_type: &positional.value_type,
        choices: &positional.choices,
        ignore_case: positional.ignore_case,
    };
    match positional.variadic {
        true => list(kind, positional.delimiter, false, value),
        false if positional.value_type == ValueType::Json(JsonKind::Array) => list_of(value),
        false => taken(kind.read(value)),
    }
}

/// A list of words of a command line.
pub(super) fn words(value: &Value) -> ValueReading {
    let kind = ValueKind {
        value_type: &ValueType::String,
        choices: &[],
        ignore_case: false,
    };
    list(kind, None, false, value)
}

/// On or off.
pub(super) fn switch(value: &Value) -> ValueReading {
    let kind = ValueKind {
        value_type: &ValueType::Bool,
        choices: &[],
        ignore_case: false,
    };
    taken(kind.read(value))
}

/// A list of whatever it holds.
pub(super) fn list_of(value: &Value) -> ValueReading {
    match value {
        Value::String(text) if is_written_list(text) => not_as_text(),
        Value::String(_) | Value::Number(_) | Value::Bool(_) => ValueReading::Taken(
            vec![value.clone()].into(),
            "the value was taken as a list of one",
        ),
        Value::Null | Value::Array(_) | Value::Object(_) => ValueReading::AsItIs,
    }
}

fn taken(read: Option<(Value, &'static str)>) -> ValueReading {
    read.map_or(ValueReading::AsItIs, |(value, how)| {
        ValueReading::Taken(value, how)
    })
}

fn list(kind: ValueKind<'_>, delimiter: Option<char>, quotes: bool, value: &Value) -> ValueReading {
    let one = |value: &Value| {
        kind.read(value)
            .map_or_else(|| value.clone(), |(value, _)| value)
    };
    match value {
        Value::Array(items) => {
            // An element that is a list is wrong, of whatever length.
            let read = |item: &Value| match item.is_array() {
                true => None,
                false => kind.read(item),
            };
            let readings: Vec<_> = items.iter().map(read).collect();
            let Some(how) = readings.iter().flatten().map(|(_, how)| *how).next() else {
                return ValueReading::AsItIs;
            };
            let items = items.iter().zip(readings);
            let items = items.map(|(item, read)| read.map_or_else(|| item.clone(), |(one, _)| one));
            ValueReading::Taken(items.collect(), how)
        }
        Value::Null | Value::Object(_) => ValueReading::AsItIs,
        Value::String(text) if is_written_list(text) => not_as_text(),
        Value::String(text) if delimiter.is_some_and(|delimiter| text.contains(delimiter)) => {
            let delimiter = delimiter.expect("the text holds it");
            let parts: Vec<Value> = text.split(delimiter).map(Value::from).collect();
            let one = |part: &Value| kind.read(part).map_or_else(|| part.clone(), |(one, _)| one);
            let parts: Vec<Value> = parts.iter().map(one).collect();
            // As one value it must be possible to write it: where the program splits it in any case, it is several.
            let whole = quotes && kind.takes(value);
            match (whole, parts.iter().all(|part| kind.takes(part))) {
                (false, false) => ValueReading::AsItIs,
                (true, false) => list_of(value),
                (false, true) => ValueReading::Taken(
                    parts.into(),
                    "the text was taken as a list, as the program splits it",
                ),
                (true, true) => ValueReading::TwoWays(format!(
                    "an array, because `{delimiter}` may part two values or belong to one"
                )),
            }
        }
        scalar => {
            let one = one(scalar);
            match kind.takes(&one) {
                true => {
                    ValueReading::Taken(vec![one].into(), "the value was taken as a list of one")
                }
                false => ValueReading::AsItIs,
            }
        }
    }
}

/// Returns true if a text is a list in JSON: some models write one so, and somebody may mean the text itself.
fn is_written_list(text: &str) -> bool {
    text.trim_start().starts_with('[') && serde_json::from_str::<Value>(text).is_ok()
}

fn not_as_text() -> ValueReading {
    ValueReading::TwoWays("an array itself, not the text of one".into())
}

fn map(inner: MapValue, value: &Value) -> ValueReading {
    let value_type = match inner {
        MapValue::Text => ValueType::String,
        MapValue::Integer => ValueType::INT,
    };
    let kind = ValueKind {
        value_type: &value_type,
        choices: &[],
        ignore_case: false,
    };
    let Value::Object(entries) = value else {
        return ValueReading::AsItIs;
    };
    let mut how = None;
    let entries: Map<String, Value> = entries
        .iter()
        .map(|(key, value)| {
            let read = match (inner, value) {
                // What a name stands for is nothing that could be left out.
                (MapValue::Text, Value::Bool(yes)) => {
                    Some((yes.to_string().into(), BOOLEAN_AS_TEXT))
                }
                _ => kind.read(value).filter(|_| !value.is_array()),
            };
            how = how.or(read.as_ref().map(|(_, how)| *how));
            let value = read.map_or_else(|| value.clone(), |(value, _)| value);
            (key.clone(), value)
        })
        .collect();
    how.map_or(ValueReading::AsItIs, |how| {
        ValueReading::Taken(entries.into(), how)
    })
}

fn boolean(text: &str) -> Option<Value> {
    match text {
        "true" => Some(true.into()),
        "false" => Some(false.into()),
        _ => None,
    }
}

/// The whole number that a text is, written as it would be written back: no sign, no zero too many.
fn integer(text: &str) -> Option<Value> {
    let number: Number = match text.parse::<i64>() {
        Ok(number) => number.into(),
        Err(_) => text.parse::<u64>().ok()?.into(),
    };
    (number.to_string() == text).then(|| number.into())
}

/// The number that a text is, if none of its digits can be lost.
fn decimal(text: &str) -> Option<Value> {
    if let Some(whole) = integer(text) {
        return Some(whole);
    }
    let is_plain = text
        .bytes()
        .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-'));
    let number: Value = serde_json::from_str(text).ok().filter(|_| is_plain)?;
    (significant(text) <= EXACT_DIGITS).then_some(number)
}

/// A number as JSON has it, if none of its digits can have been lost: a whole one too large for its type, or a decimal
/// of too many digits, has been rounded before anybody saw it here.
fn plain(number: &Number) -> Option<String> {
    let text = number.to_string();
    let exact = number.is_i64()
        || number.is_u64()
        || significant(&text) <= EXACT_DIGITS && !text.contains(['e', 'E']);
    exact.then_some(text)
}

/// The number of significant digits.
fn significant(text: &str) -> usize {
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_start_matches('0').len()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text(value: Value) -> ValueReading {
        of_flag(&Flag::new("x").pflag("string"), &value, true)
    }

    fn whole(value: Value) -> ValueReading {
        of_flag(&Flag::new("x").value_type(ValueType::UINT), &value, true)
    }

    fn value(reading: ValueReading) -> Option<Value> {
        match reading {
            ValueReading::Taken(value, _) => Some(value),
            _ => None,
        }
    }

    #[test]
    fn numbers_keep_every_digit_or_are_not_taken() {
        for (number, written) in [
            (json!(u64::MAX), "18446744073709551615"),
            (json!(i64::MIN), "-9223372036854775808"),
            (json!(0.1), "0.1"),
            (json!(-1.5), "-1.5"),
            (json!(2.0), "2.0"),
        ] {
            assert_eq!(value(text(number)), Some(json!(written)));
        }
        // One too many for its type, and a decimal that was rounded while it was read.
        for given in ["18446744073709551616", "0.12345678901234567890", "1e300"] {
            let number: Value = serde_json::from_str(given).expect("a number");
            assert_eq!(text(number), ValueReading::AsItIs, "{given}");
        }
    }

    #[test]
    fn texts_of_whole_numbers_are_written_back_the_same() {
        for good in ["0", "7", "18446744073709551615"] {
            let taken = value(whole(json!(good))).expect("it is a number");
            assert_eq!(taken.to_string(), good);
        }
        for bad in [
            "",
            "-0",
            "+1",
            "007",
            " 7",
            "7 ",
            "0x7",
            "1e3",
            "7.0",
            "18446744073709551616",
            "-1",
        ] {
            assert_eq!(whole(json!(bad)), ValueReading::AsItIs, "{bad}");
        }
    }

    #[test]
    fn true_is_a_flag_without_its_value_where_that_may_be_left_out() {
        let stat = Flag::new("stat").pflag("string").optional_value(None);
        assert_eq!(value(of_flag(&stat, &json!(true), true)), Some(json!("")));
        assert_eq!(of_flag(&stat, &json!(false), true), ValueReading::AsItIs);
        let dry = Flag::new("dry-run")
            .pflag("string")
            .optional_value(Some("all"));
        assert_eq!(value(of_flag(&dry, &json!(true), true)), Some(json!("all")));
    }

    #[test]
    fn a_boolean_is_a_text_only_where_it_stands_for_nothing_else() {
        for given in [json!(true), json!(false), json!([true])] {
            assert_eq!(text(given.clone()), ValueReading::AsItIs, "{given}");
        }
        let list = Flag::new("x").pflag("stringArray");
        assert_eq!(of_flag(&list, &json!(true), true), ValueReading::AsItIs);
        let known = Flag::new("x").pflag("string").choices(["true", "auto"]);
        assert_eq!(
            value(of_flag(&known, &json!(true), true)),
            Some(json!("true"))
        );
        let map = Flag::new("x").pflag("stringToString");
        assert_eq!(
            value(of_flag(&map, &json!({"a": true}), true)),
            Some(json!({"a": "true"}))
        );
    }

    #[test]
    fn a_text_with_a_delimiter_is_split_only_where_nothing_else_can_be_meant() {
        let fields = Flag::new("json").pflag("stringSlice");
        assert!(matches!(
            of_flag(&fields, &json!("a,b"), true),
            ValueReading::TwoWays(_)
        ));
        assert_eq!(
            value(of_flag(&fields, &json!("a,b"), false)),
            Some(json!(["a", "b"]))
        );
        assert_eq!(
            value(of_flag(&fields, &json!("a"), true)),
            Some(json!(["a"]))
        );
        let known = fields.choices(["number", "title"]);
        assert_eq!(
            value(of_flag(&known, &json!("number,title"), true)),
            Some(json!(["number", "title"]))
        );
        assert_eq!(
            of_flag(&known, &json!("number,x"), true),
            ValueReading::AsItIs
        );
        let whole = Flag::new("n").pflag("intSlice");
        assert_eq!(
            value(of_flag(&whole, &json!("1,2"), true)),
            Some(json!([1, 2]))
        );
    }

    #[test]
    fn the_text_of_a_list_may_be_the_list_or_the_text() {
        let list = Flag::new("x").pflag("stringArray");
        for odd in ["[]", "[\"a\"]", " [1, 2]"] {
            let reading = of_flag(&list, &json!(odd), true);
            assert!(matches!(reading, ValueReading::TwoWays(_)), "{odd}");
        }
        assert_eq!(
            value(of_flag(&list, &json!("[a-z]"), true)),
            Some(json!(["[a-z]"]))
        );
    }

    #[test]
    fn nothing_is_made_of_nulls_and_objects() {
        let list = Flag::new("x").pflag("stringSlice");
        for odd in [
            json!(null),
            json!({"a": 1}),
            json!([null]),
            json!([[1]]),
            json!([{}]),
        ] {
            assert_eq!(text(odd.clone()), ValueReading::AsItIs, "{odd}");
            assert_eq!(whole(odd.clone()), ValueReading::AsItIs, "{odd}");
            assert_eq!(of_flag(&list, &odd, true), ValueReading::AsItIs, "{odd}");
        }
        assert_eq!(text(json!(["a", "b"])), ValueReading::AsItIs);
    }
}
