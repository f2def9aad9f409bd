//! One property of an input as the model knows it: its type, its default, and what is said of it in words.
//!
//! Schemas and the descriptions of commands are both written from this, so that they say the same.

use std::borrow::Cow;

use serde_json::{Map, Number, Value};

use crate::{
    call::format,
    model::{Choice, FlagValue, JsonKind, MapValue, Repetition, ValueType},
    text::capitalize,
    tool::{
        ADDED_KEY, ARGS_KEY, ARGUMENTS_KEY, CONFIRM_KEY, CommandTemplate, FOLDER_KEY, FlagProperty,
        Input, Layout, PositionalProperty,
    },
};

/// The number of values that a property holds.
#[derive(Clone, Copy)]
pub(in crate::tool) enum ValueShape {
    One,
    List { min: usize, max: Option<usize> },
    Lists { count: usize },
}

/// A property as the model knows it: what its schema is written from, and what is told of its command.
pub(in crate::tool) struct Described<'a> {
    pub(in crate::tool) key: &'a str,
    pub(in crate::tool) required: bool,
    pub(in crate::tool) value_type: &'a ValueType,
    pub(in crate::tool) shape: ValueShape,
    help: Option<String>,
    choices: &'a [Choice],
    /// The regular expression that a text of it matches.
    pub(in crate::tool) pattern: Option<&'a str>,
    env: Option<&'a str>,
    notes: Vec<String>,
    default: Cow<'a, [String]>,
    subject: String,
}

impl<'a> Described<'a> {
    /// The flags of an input.
    pub(in crate::tool) fn flags(input: &'a Input) -> impl Iterator<Item = Self> {
        input.flags.iter().map(Self::flag)
    }

    /// The properties of an input that are not flags, in the order in which they are published.
    pub(in crate::tool) fn others(input: &'a Input) -> Vec<Self> {
        let stdin = input.stdin.iter().map(|key| Self::stdin(key));
        let positionals = input.keyed_positionals();
        let own = stdin.chain(positionals.map(|(_, property)| Self::positional(property)));
        let pattern = input.pattern.as_ref();
        match input.layout {
            Layout::Flat => {
                let list = pattern.map(|(key, pattern)| Self::list(key, pattern));
                let template = input.template.iter();
                let beside = template.flat_map(|template| Self::beside(template));
                own.chain(list).chain(beside).collect()
            }
            Layout::Nested => {
                let listed = pattern.is_some() || input.listed_positionals().next().is_some();
                let list = listed.then(|| Self::list(ARGS_KEY, &input.usage));
                list.into_iter().chain(own).collect()
            }
        }
    }

    /// A flag, or the confirmation that it stands for.
    fn flag(property: &'a FlagProperty) -> Self {
        let flag = &property.flag;
        let subject = flag.display_name();
        if property.confirms {
            let help = flag.help.as_deref().unwrap_or_default();
            return Self {
                value_type: &ValueType::Bool,
                required: flag.required,
                ..Self::text(
                    &property.key,
                    format!("Must be true to confirm what this does; gives `{subject}` {help}"),
                )
            };
        }
        let mut notes = Vec::new();
        match &flag.value {
            FlagValue::Optional { bare: Some(bare) } => {
                notes.push(format!("(given without a value it means {bare:?})"));
            }
            // Only where the schema allows a string at all.
            FlagValue::Optional { bare: None }
                if flag.repetition == Repetition::Single && is_text(&flag.value_type) =>
            {
                notes.push("(the empty string gives the flag without a value)".into());
            }
            _ => {}
        }
        let shape = match flag.repetition {
            Repetition::Single => ValueShape::One,
            Repetition::Repeat { .. } => ValueShape::List { min: 0, max: None },
            Repetition::Joined { .. } => ValueShape::List { min: 0, max: None },
            Repetition::Fixed {
                count,
                repeat: false,
            } => ValueShape::List {
                min: count,
                max: Some(count),
            },
            Repetition::Fixed {
                count,
                repeat: true,
            } => ValueShape::Lists { count },
            Repetition::Span { min, max } => ValueShape::List { min, max },
        };
        if flag.repetition == (Repetition::Joined { delimiter: ',' })
            && !matches!(flag.value_type, ValueType::Map(_))
        {
            notes.push("(comma-separated)".into());
        }
        let default = match flag.default.first() {
            // What can be turned off may be on unless somebody says so.
            None if flag.is_switch() && flag.negation.is_some() => Cow::Borrowed(&[][..]),
            first if flag.is_switch() => {
                Cow::Owned(vec![first.map_or("false", String::as_str).to_owned()])
            }
            _ => Cow::Borrowed(flag.default.as_slice()),
        };
        Self {
            key: &property.key,
            required: flag.required,
            value_type: &flag.value_type,
            shape,
            help: flag.help.clone(),
            choices: &flag.choices,
            pattern: None,
            env: flag.env.as_deref(),
            notes,
            default,
            subject,
        }
    }

    /// A positional that has a property of its own.
    fn positional(property: &'a PositionalProperty) -> Self {
        let positional = &property.positional;
        let name = positional.name.as_deref().unwrap_or(&positional.id);
        let help = positional
            .help
            .clone()
            .unwrap_or_else(|| format!("{} argument", capitalize(&name.replace(['_', '-'], " "))));
        let shape = if positional.variadic {
            ValueShape::List {
                min: positional
                    .min_values
                    .unwrap_or(usize::from(positional.required)),
                max: positional.max_values,
            }
        } else {
            ValueShape::One
        };
        let mut notes = Vec::new();
        if !positional.replaced_by.is_empty() {
            let needed = if positional.required {
                "needed"
            } else {
                "only"
            };
            let flags = positional.replaced_by.join("` or `");
            notes.push(format!("({needed} unless `{flags}` is given)"));
        }
        Self {
            key: &property.key,
            required: positional.required && positional.replaced_by.is_empty(),
            value_type: &positional.value_type,
            shape,
            help: Some(help),
            choices: &positional.choices,
            pattern: positional.pattern.as_deref(),
            env: positional.env.as_deref(),
            notes,
            default: Cow::Borrowed(&positional.default),
            subject: format!("`{name}`"),
        }
    }

    /// The properties beside the arguments of a command that an author wrote out.
    fn beside(template: &'a CommandTemplate) -> Vec<Self> {
        let mut all = Vec::new();
        if let Some(told) = &template.open {
            all.push(Self {
                value_type: &ValueType::Json(JsonKind::Object),
                ..Self::text(ARGUMENTS_KEY, told.as_str())
            });
        }
        if !template.addable.is_empty() {
            let help = "What is added to the command line, element by element";
            all.push(Self {
                shape: ValueShape::List { min: 0, max: None },
                choices: &template.addable,
                ..Self::text(ADDED_KEY, help)
            });
        }
        if let Some(first) = template.folders.first() {
            let folders = template.folders.join(", ");
            let help = format!("The folder to run in: {folders} or beneath; {first} by default");
            all.push(Self::text(FOLDER_KEY, help));
        }
        if template.confirm {
            let help = "Must be true: say so only if the user agreed to this run";
            all.push(Self {
                value_type: &ValueType::Bool,
                required: true,
                ..Self::text(CONFIRM_KEY, help)
            });
        }
        all
    }

    /// A list of positionals, with the pattern that they follow.
    fn list(key: &'a str, pattern: &str) -> Self {
        Self {
            shape: ValueShape::List { min: 0, max: None },
            ..Self::text(
                key,
                format!("Positional command line arguments\nUsage pattern: {pattern}"),
            )
        }
    }

    /// The text that a command reads from its standard input.
    fn stdin(key: &'a str) -> Self {
        Self::text(key, "What the command reads from its standard input")
    }

    fn text(key: &'a str, help: impl Into<String>) -> Self {
        Self {
            key,
            required: false,
            value_type: &ValueType::String,
            shape: ValueShape::One,
            help: Some(help.into()),
            choices: &[],
            pattern: None,
            env: None,
            notes: Vec::new(),
            default: Cow::Borrowed(&[]),
            subject: String::new(),
        }
    }

    /// The values that it is limited to, as far as they are advertised.
    pub(in crate::tool) fn choices(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let none = matches!(self.value_type, ValueType::Bool | ValueType::Map(_));
        let choices = if none { &[] } else { self.choices };
        let shown = choices.iter().filter(|choice| !choice.hidden);
        shown.map(|choice| choice.value.as_str())
    }

    /// All that is said of it in words. `default` is [`default_value`](Self::default_value): one that is not valid is
    /// told here.
    pub(in crate::tool) fn description(&self, default: Option<&Value>) -> String {
        let help = self.help.iter().map(|text| text.trim().to_owned());
        let mut parts: Vec<String> = help.collect();
        parts.extend(choice_help(self.choices));
        parts.extend(type_note(self.value_type).map(Into::into));
        parts.extend(self.notes.iter().cloned());
        parts.extend(self.env.map(|name| format!("[env: {name}]")));
        parts.retain(|part| !part.is_empty());
        if default.is_none() && !self.default.is_empty() && !is_zero(self.value_type, &self.default)
        {
            parts.push(format!("(default: {})", self.default.join(", ")));
        }
        parts.join(" ")
    }

    /// The default as JSON, where there is one that says something and is valid.
    pub(in crate::tool) fn default_value(&self, warnings: &mut Vec<String>) -> Option<Value> {
        default_value(
            self.value_type,
            self.choices,
            self.shape,
            &self.default,
            &self.subject,
            warnings,
        )
    }
}

fn is_text(value_type: &ValueType) -> bool {
    matches!(value_type, ValueType::String | ValueType::Path)
}

fn type_note(value_type: &ValueType) -> Option<&'static str> {
    Some(match value_type {
        ValueType::Duration => "(format: Go duration string, e.g., '10s', '2h45m')",
        ValueType::Ip => "(format: IPv4 or IPv6 address)",
        ValueType::IpMask => "(format: IPv4 mask, e.g., '255.255.255.0' or 'ffffff00')",
        ValueType::IpNet => "(format: CIDR notation, e.g., '192.168.1.0/24')",
        ValueType::Hex => "(format: hexadecimal string)",
        ValueType::Base64 => "(format: base64 encoded string)",
        ValueType::BigInteger { .. } => "(format: a whole number in decimal digits)",
        ValueType::Count => "(incremental count)",
        ValueType::Map(_) => "(key=value pairs)",
        _ => return None,
    })
}

fn choice_help(choices: &[Choice]) -> Option<String> {
    let told: Vec<String> = choices
        .iter()
        .filter(|choice| !choice.hidden)
        .filter_map(|choice| {
            choice
                .help
                .as_ref()
                .map(|help| format!("{}: {}", choice.value, help.trim()))
        })
        .collect();
    (!told.is_empty()).then(|| format!("({})", told.join("; ")))
}

fn default_value(
    value_type: &ValueType,
    choices: &[Choice],
    shape: ValueShape,
    default: &[String],
    subject: &str,
    warnings: &mut Vec<String>,
) -> Option<Value> {
    if default.is_empty() || (*value_type != ValueType::Bool && is_zero(value_type, default)) {
        return None;
    }
    if let ValueType::Map(inner) = value_type {
        let mut entries = Map::new();
        for text in default {
            let Some((key, value)) = text.split_once('=') else {
                warnings.push(format!(
                    "{subject}: default entry {text:?} is no key=value pair and was skipped"
                ));
                continue;
            };
            let value = match inner {
                MapValue::Text => Some(Value::from(value)),
                MapValue::Integer => scalar(&ValueType::INT, &[], value),
            };
            match value {
                Some(value) => drop(entries.insert(key.to_owned(), value)),
                None => warnings.push(format!(
                    "{subject}: default entry {text:?} is no whole number and was skipped"
                )),
            }
        }
        return (!entries.is_empty()).then_some(Value::Object(entries));
    }
    match shape {
        ValueShape::One => scalar(value_type, choices, default.first()?),
        ValueShape::List { min, max } => {
            let mut items = Vec::new();
            for text in default {
                match scalar(value_type, choices, text) {
                    Some(item) => items.push(item),
                    None => warnings.push(format!(
                        "{subject}: default element {text:?} is not valid and was skipped"
                    )),
                }
            }
            let fits = items.len() >= min && max.is_none_or(|max| items.len() <= max);
            (!items.is_empty() && fits).then_some(Value::Array(items))
        }
        ValueShape::Lists { .. } => None,
    }
}

/// One default as JSON, if it is a valid value.
fn scalar(value_type: &ValueType, choices: &[Choice], text: &str) -> Option<Value> {
    let value = match value_type {
        ValueType::Bool => Value::Bool(text.parse().ok()?),
        _ if !choices.is_empty() => {
            return choices
                .iter()
                .find(|choice| {
                    choice.value == text || choice.aliases.iter().any(|alias| alias == text)
                })
                .filter(|choice| !choice.hidden)
                .map(|choice| choice.value.as_str().into());
        }
        ValueType::Integer { .. } | ValueType::Count => exact(text.parse().ok()?),
        ValueType::Number => Value::Number(Number::from_f64(text.parse().ok()?)?),
        ValueType::Json(_) => serde_json::from_str(text).ok()?,
        _ => Value::from(text),
    };
    format::to_text(&value, value_type, choices, false)
        .is_ok()
        .then_some(value)
}

/// A whole number as JSON; one that JSON cannot hold exactly becomes null, which no schema accepts.
pub(super) fn exact(number: i128) -> Value {
    i64::try_from(number)
        .map(Value::from)
        .or_else(|_| u64::try_from(number).map(Value::from))
        .unwrap_or(Value::Null)
}

fn is_zero(value_type: &ValueType, default: &[String]) -> bool {
    let [text] = default else {
        return default.is_empty();
    };
    match value_type {
        ValueType::Integer { .. } | ValueType::Count | ValueType::Number => text.parse() == Ok(0.0),
        ValueType::Duration => matches!(text.as_str(), "" | "0" | "0s"),
        ValueType::Ip | ValueType::IpNet | ValueType::IpMask => {
            matches!(text.as_str(), "" | "<nil>")
        }
        ValueType::Bool => text == "false",
        _ => text.is_empty(),
    }
}
