//! The type of a property in a word or two: `string[]`, `debug|info|warn`, `integer 0..255`.

use std::{fmt::Display, sync::LazyLock};

use serde_json::{Map, Value};

use crate::{
    call::format,
    model::{JsonKind, MapValue, ValueType},
};

use super::schema::{Described, ValueShape, published_bounds};

/// The longest time that a pattern may be that nobody has a name for.
pub(super) const PATTERN: usize = 60;

/// Texts of a certain form, and what that form is called.
const FORMATS: [(ValueType, &str); 8] = [
    (ValueType::Duration, "duration 1h30m"),
    (ValueType::Ip, "IP"),
    (ValueType::IpMask, "IP mask"),
    (ValueType::IpNet, "CIDR"),
    (ValueType::Hex, "hex"),
    (ValueType::Base64, "base64"),
    (ValueType::BigInteger { signed: true }, "whole number"),
    (ValueType::BigInteger { signed: false }, "whole number"),
];

/// The patterns that stand for these types in a schema.
static PATTERNS: LazyLock<Vec<(String, &str)>> = LazyLock::new(|| {
    let named = FORMATS.iter();
    named
        .filter_map(|(value_type, name)| Some((format::pattern(value_type)?, *name)))
        .collect()
});

/// A type as it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TypeWord {
    /// A name that stands for itself: `string`, `integer 0..255`.
    Named(String),
    /// One of these values.
    OneOf(Vec<String>),
    /// A list, of a least and a greatest number of items where there is one.
    List {
        item: Box<TypeWord>,
        least: Option<u64>,
        most: Option<u64>,
    },
    /// Values of this type, each under a key of the caller's.
    Map(Box<TypeWord>),
    /// Any of these types.
    AnyOf(Vec<TypeWord>),
}

impl TypeWord {
    /// The type of a property that the model knows.
    pub(super) fn of(described: &Described<'_>) -> Self {
        let element = Self::of_element(described);
        match (described.value_type, described.shape) {
            (ValueType::Map(_), _) | (_, ValueShape::One) => element,
            (_, ValueShape::List { min, max }) => element.listed(min, max),
            (_, ValueShape::Lists { count }) => element.listed(count, Some(count)).listed(0, None),
        }
    }

    fn of_element(described: &Described<'_>) -> Self {
        let choices: Vec<String> = described.choices().map(plain_text).collect();
        if !choices.is_empty() {
            return Self::OneOf(choices);
        }
        match described.value_type {
            ValueType::Bool => Self::named("boolean"),
            ValueType::Map(MapValue::Text) => Self::Map(Box::new(Self::named("string"))),
            ValueType::Map(MapValue::Integer) => Self::Map(Box::new(Self::named("integer"))),
            ValueType::Integer { min, max } => {
                let (min, max) = published_bounds(*min, *max);
                Self::number("integer", min, max)
            }
            ValueType::Count => Self::number("integer", Some(0), Some(format::COUNT_LIMIT)),
            ValueType::Number => Self::named("number"),
            ValueType::Json(JsonKind::Array) => Self::named("any").listed(0, None),
            ValueType::Json(JsonKind::Object) => Self::named("object"),
            other => match (format_name(other), described.pattern) {
                (Some(name), _) => Self::Named(format!("string({name})")),
                (None, Some(pattern)) if pattern.len() <= PATTERN => {
                    Self::Named(format!("string /{pattern}/"))
                }
                (None, _) => Self::named("string"),
            },
        }
    }

    /// A type that its name tells.
    pub(super) fn named(name: &str) -> Self {
        Self::Named(name.to_owned())
    }

    /// A number within bounds.
    pub(super) fn number<N: Display>(name: &str, min: Option<N>, max: Option<N>) -> Self {
        Self::Named(match (min, max) {
            (Some(min), Some(max)) => format!("{name} {min}..{max}"),
            (Some(min), None) => format!("{name}>={min}"),
            (None, Some(max)) => format!("{name}<={max}"),
            (None, None) => name.to_owned(),
        })
    }

    fn listed(self, min: usize, max: Option<usize>) -> Self {
        Self::List {
            item: Box::new(self),
            // An empty list means that nothing is given, so a least number of one says nothing.
            least: (min > 1).then_some(min as u64),
            most: max.map(|max| max as u64),
        }
    }

    /// The type in words. Of its choices at most so many are told.
    pub(super) fn told(&self, choices: usize) -> String {
        match self {
            Self::Named(name) => name.clone(),
            Self::OneOf(values) => {
                let mut told: Vec<String> = values.iter().take(choices).cloned().collect();
                if values.len() > choices {
                    told.push(format!("… {} more", values.len() - choices));
                }
                told.join("|")
            }
            Self::List { item, least, most } => {
                let item = item.told(choices);
                let item = match item.contains(['|', ' ']) {
                    true => format!("({item})"),
                    false => item,
                };
                match (least, most) {
                    (Some(least), Some(most)) if least == most => format!("{item}[{least}]"),
                    (None | Some(0), None) => format!("{item}[]"),
                    (least, most) => {
                        let most = most.map(|most| most.to_string()).unwrap_or_default();
                        format!("{item}[{}..{most}]", least.unwrap_or(0))
                    }
                }
            }
            Self::Map(value) => format!("{{key: {}}}", value.told(choices)),
            Self::AnyOf(kinds) => {
                let kinds: Vec<String> = kinds.iter().map(|kind| kind.told(choices)).collect();
                kinds.join(" or ")
            }
        }
    }
}

/// The name for the form of a text, where its type has one.
pub(super) fn format_name(value_type: &ValueType) -> Option<&'static str> {
    let known = FORMATS.iter().find(|(known, _)| known == value_type);
    known.map(|(_, name)| *name)
}

/// The name for the form that one of our own patterns asks for in a schema.
pub(super) fn format_of(schema: &Map<String, Value>) -> Option<&'static str> {
    let pattern = schema.get("pattern")?.as_str()?;
    let known = PATTERNS.iter().find(|(known, _)| known == pattern);
    known.map(|(_, name)| *name)
}

/// A value as it is told: texts without quotation marks where they are plain words.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => plain_text(text),
        value => value.to_string(),
    }
}

fn plain_text(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:@%+~$".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => Value::from(text).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        model::{Choice, Cli, Command, Flag, Repetition, Syntax},
        tool::{CatalogueOptions, catalogue},
    };

    use super::*;

    fn kind(flag: Flag) -> TypeWord {
        let cli = Cli::new(Command::new("app").flag(flag), Syntax::pflag());
        let tools = catalogue(&cli, &CatalogueOptions::default()).tools;
        let flag = Described::flags(&tools[0].input).next();
        TypeWord::of(&flag.expect("it has one flag"))
    }

    #[test]
    fn types_are_a_word_or_two() {
        let of = |value_type| Flag::new("x").value_type(value_type);
        let fixed = |count, repeat| Repetition::Fixed { count, repeat };
        let span = |min, max| Repetition::Span { min, max };
        let rows = [
            (Flag::new("x"), "boolean"),
            (Flag::new("x").pflag("string"), "string"),
            (of(ValueType::Path), "string"),
            (of(ValueType::Duration), "string(duration 1h30m)"),
            (
                of(ValueType::BigInteger { signed: true }),
                "string(whole number)",
            ),
            (of(ValueType::INT), "integer"),
            (of(ValueType::UINT), "integer>=0"),
            (of(ValueType::signed(8)), "integer -128..127"),
            (of(ValueType::unsigned(8)), "integer 0..255"),
            (of(ValueType::Number), "number"),
            (of(ValueType::Count), "integer 0..255"),
            (of(ValueType::Map(MapValue::Integer)), "{key: integer}"),
            (Flag::new("x").pflag("stringArray"), "string[]"),
            (
                Flag::new("x")
                    .pflag("stringSlice")
                    .choices(["a", "b c", ""]),
                r#"(a|"b c"|"")[]"#,
            ),
            (
                of(ValueType::String).repetition(fixed(2, true)),
                "string[2][]",
            ),
            (
                of(ValueType::Ip).repetition(fixed(2, false)),
                "string(IP)[2]",
            ),
            (
                of(ValueType::Number).repetition(span(1, Some(3))),
                "number[0..3]",
            ),
            (
                of(ValueType::Number).repetition(span(2, None)),
                "number[2..]",
            ),
        ];
        for (flag, expected) in rows {
            assert_eq!(kind(flag.clone()).told(40), expected, "{flag:?}");
        }
    }

    #[test]
    fn choices_that_are_not_advertised_or_too_many_are_left_out() {
        let mut flag = Flag::new("x").pflag("string").choices(["a", "b", "c", "d"]);
        let hidden = Choice {
            hidden: true,
            ..Choice::new("secret")
        };
        flag.choices.push(hidden);
        assert_eq!(kind(flag.clone()).told(4), "a|b|c|d");
        assert_eq!(kind(flag).told(2), "a|b|… 2 more");
    }
}
