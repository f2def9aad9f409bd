//! One flag: how it is written, what it takes and how often.

use serde::{Deserialize, Serialize};

use super::{GivenEffect, ValueType};

/// A flag takes a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FlagValue {
    /// A switch: given or not.
    None,
    /// It must have one.
    Required,
    /// It may have one, and then only with `=`.
    Optional {
        /// The value that it takes when it stands bare, if that is known.
        bare: Option<String>,
    },
}

/// The way a flag whose long name has one dash takes its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SingleDash {
    /// `-name value`, as `find`, `openssl` and `ip` do.
    Separate,
    /// `-std=value`.
    Equals,
    /// `-O2`, `-Xmx512m`: right behind the name.
    Glued,
}

/// The way several values are given to one flag.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Repetition {
    /// One value.
    #[default]
    Single,
    /// The flag is repeated, each time with one value.
    Repeat {
        /// A character at which the program would still split each value.
        delimiter: Option<char>,
    },
    /// The flag is given once, its values joined.
    Joined {
        /// The character between them.
        delimiter: char,
    },
    /// Each time the flag is given, exactly this many values follow as elements of their own.
    Fixed {
        /// The number of values.
        count: usize,
        /// The flag may be repeated.
        repeat: bool,
    },
    /// The flag is given once, and between `min` and `max` values follow as elements of their own.
    Span {
        /// The least number of values.
        min: usize,
        /// The greatest number of values; `None` for as many as there are.
        max: Option<usize>,
    },
}

/// One of the values that a flag or positional accepts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Choice {
    /// The value as it is written.
    pub value: String,
    /// Its meaning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// Other ways to write it; accepted, but not advertised.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Accepted, but not advertised.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
}

impl Choice {
    /// A choice without help.
    pub fn new(value: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            ..Self::default()
        }
    }
}

/// One flag of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Flag {
    /// Its name in the source; unique within its command.
    pub id: String,
    /// The long name, without dashes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long: Option<String>,
    /// The short name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short: Option<char>,
    /// Other long names that mean the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Other short names that mean the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub short_aliases: Vec<char>,
    /// The long name of the flag that turns this switch off (`no-color`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub negation: Option<String>,
    /// It takes a value.
    pub value: FlagValue,
    /// The type of one value.
    pub value_type: ValueType,
    /// The way several values are given.
    pub repetition: Repetition,
    /// The default: one text a value, none if it is not known or zero.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub default: Vec<String>,
    /// The values that are accepted; empty for any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Choice>,
    /// Choices are compared without regard to case.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ignore_case: bool,
    /// The command refuses to run without it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// Every descendant of its command takes it too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub global: bool,
    /// It is left out of help, and so of tools.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// The reason why it should not be used any more; a deprecated flag is left out of tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<String>,
    /// The environment variable that sets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env: Option<String>,
    /// The program's parser takes it more than once, though nobody knows whether all of its values count or
    /// only the last. It is one value to whoever reads the schema, and several are written if several are given; a
    /// switch is on or off, and is written as often as it is given.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_repeat: bool,
    /// A value that follows as its own element may begin with `-`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_hyphen: bool,
    /// The way it takes its value where its long name is written with one dash (`-name`); `None` for `--name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub single_dash: Option<SingleDash>,
    /// It stands behind the positionals, in the order in which a caller gives such flags: the expressions of
    /// `find`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub behind_positionals: bool,
    /// Its description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The effect that giving it has on a call, where somebody has said or judged it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<GivenEffect>,
    /// The values with which its command only shows what it would do, whatever else is given, where somebody has said so;
    /// empty if it does so however it is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previews: Option<Vec<String>>,
    /// It changes where its program connects, who it is, what it loads or which program it runs, where somebody has
    /// said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirects: Option<bool>,
    /// The value with which it makes its command print JSON, where somebody has said so; empty for a switch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asks_for_json: Option<String>,
    /// Its command prints secrets with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub prints_secrets: bool,
    /// The reason why it is hidden although its program shows it, where a rule of whoever serves it says so. A caller
    /// who asks for it is told; it is no part of what is known of the program, so it is not kept.
    #[serde(skip)]
    pub withheld: Option<String>,
}

impl Flag {
    /// A switch with this long name; the setters make it more.
    pub fn new(long: impl Into<String>) -> Self {
        let long = long.into();
        Self {
            id: long.clone(),
            long: Some(long),
            short: None,
            aliases: Vec::new(),
            short_aliases: Vec::new(),
            negation: None,
            value: FlagValue::None,
            value_type: ValueType::Bool,
            repetition: Repetition::Single,
            default: Vec::new(),
            choices: Vec::new(),
            ignore_case: false,
            required: false,
            global: false,
            hidden: false,
            deprecated: None,
            env: None,
            may_repeat: false,
            allow_hyphen: false,
            single_dash: None,
            behind_positionals: false,
            help: None,
            effect: None,
            previews: None,
            redirects: None,
            asks_for_json: None,
            prints_secrets: false,
            withheld: None,
        }
    }

    /// A switch that has only a short name.
    pub fn short_only(short: char) -> Self {
        Self {
            long: None,
            short: Some(short),
            ..Self::new(short)
        }
    }

    /// Sets the short name.
    #[must_use]
    pub fn short(mut self, short: char) -> Self {
        self.short = Some(short);
        self
    }

    /// Makes it take a value of this type.
    #[must_use]
    pub fn value_type(mut self, value_type: ValueType) -> Self {
        self.value = if value_type == ValueType::Count {
            FlagValue::None
        } else {
            FlagValue::Required
        };
        self.value_type = value_type;
        self
    }

    /// Gives it the pflag type of this name (`stringSlice`, `duration`...); an unknown name is taken as text.
    #[must_use]
    pub fn pflag(mut self, name: &str) -> Self {
        let (value_type, repetition) = ValueType::from_pflag(name).unwrap_or_default();
        if name == "bool" {
            self.value = FlagValue::None;
            self.value_type = ValueType::Bool;
            return self;
        }
        self.repetition = repetition;
        self.value_type(value_type)
    }

    /// Makes the value optional; `bare` is what the flag means without one.
    #[must_use]
    pub fn optional_value(mut self, bare: Option<&str>) -> Self {
        self.value = FlagValue::Optional {
            bare: bare.map(Into::into),
        };
        self
    }

    /// Sets how several values are given.
    #[must_use]
    pub fn repetition(mut self, repetition: Repetition) -> Self {
        self.repetition = repetition;
        self
    }

    /// Sets the default from the text that a program prints: `10`, `5m0s`, or for lists and maps `[a,b]`.
    #[must_use]
    pub fn default_text(mut self, text: &str) -> Self {
        let many = self.repetition != Repetition::Single;
        self.default = match text
            .strip_prefix('[')
            .and_then(|inner| inner.strip_suffix(']'))
        {
            Some("") if many => Vec::new(),
            Some(inner) if many => inner
                .split(',')
                .map(|item| item.trim().to_owned())
                .collect(),
            _ => vec![text.to_owned()],
        };
        self
    }

    /// Restricts it to these values.
    #[must_use]
    pub fn choices<S: Into<String>>(mut self, values: impl IntoIterator<Item = S>) -> Self {
        self.choices = values.into_iter().map(Choice::new).collect();
        self
    }

    /// Makes it required.
    #[must_use]
    pub fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// Makes every descendant command take it.
    #[must_use]
    pub fn global(mut self) -> Self {
        self.global = true;
        self
    }

    /// Says what it does.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Gives its long name one dash.
    #[must_use]
    pub fn single_dash(mut self, takes: SingleDash) -> Self {
        self.single_dash = Some(takes);
        self
    }

    /// Puts it behind the positionals.
    #[must_use]
    pub fn behind_positionals(mut self) -> Self {
        self.behind_positionals = true;
        self
    }

    /// The way a person writes it: `--long` or `-long`, else `-s`.
    pub fn display_name(&self) -> String {
        match (&self.long, self.short) {
            (Some(long), _) if self.single_dash.is_some() => format!("-{long}"),
            (Some(long), _) => format!("--{long}"),
            (None, Some(short)) => format!("-{short}"),
            (None, None) => self.id.clone(),
        }
    }

    /// Returns true if its command does more with it than read.
    pub(crate) fn may_raise(&self) -> bool {
        self.effect.as_ref().is_some_and(GivenEffect::may_raise)
    }

    /// Returns true if it is on or off and takes no value.
    pub fn is_switch(&self) -> bool {
        self.value == FlagValue::None && self.value_type == ValueType::Bool
    }

    /// Returns true if a word as typed (`--name`, `-n`) names this flag, by any of its names. A name with one dash is
    /// also known with two, as people write it.
    pub fn is_named(&self, word: &str) -> bool {
        let single = word
            .strip_prefix('-')
            .filter(|_| self.single_dash.is_some());
        let names = || self.long.iter().chain(&self.aliases);
        if single.is_some_and(|word| names().any(|name| name == word)) {
            return true;
        }
        if let Some(long) = word.strip_prefix("--") {
            return self.long.as_deref() == Some(long)
                || self.aliases.iter().any(|alias| alias == long)
                || self.negation.as_deref() == Some(long);
        }
        let mut letters = word.strip_prefix('-').unwrap_or_default().chars();
        let (Some(letter), None) = (letters.next(), letters.next()) else {
            return false;
        };
        self.short == Some(letter) || self.short_aliases.contains(&letter)
    }
}
