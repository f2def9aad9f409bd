//! Positional arguments: what is known of them, and what an author says of them.

use serde::{Deserialize, Serialize};

use super::{Choice, Command, GivenEffect, ValueType};

/// One positional argument.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Positional {
    /// Its name in the source; also the name of its property.
    pub id: String,
    /// The name that usage shows, where it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The type of one value.
    #[serde(default)]
    pub value_type: ValueType,
    /// The command refuses to run without it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// The ids of flags that stand in its place (`grep --regexp=X FILE`): with one of them given the program reads
    /// no value here, and needs none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced_by: Vec<String>,
    /// It takes more than one value.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub variadic: bool,
    /// The least number of values, where it is more than one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_values: Option<usize>,
    /// The greatest number of values of a variadic one, if there is any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_values: Option<usize>,
    /// It stands behind a `--` in the usage.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub last: bool,
    /// Its values may begin with `-` without a `--` before them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_hyphen: bool,
    /// Its values may be negative numbers without a `--` before them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_negative: bool,
    /// It names a command that the program finds at run time: the first value is that command's name, and
    /// whatever follows is passed on to it unread.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub external: bool,
    /// It is left out of help, and so of tools.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// A character at which the program splits each value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// The values that are accepted; empty for any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Choice>,
    /// The regular expression that a text must match, as far as an author published one. Whoever sets it checks it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Choices are compared without regard to case.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ignore_case: bool,
    /// The default: one text a value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub default: Vec<String>,
    /// The environment variable that sets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env: Option<String>,
    /// Its kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The effect that giving it has on a call, where somebody has said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<GivenEffect>,
}

impl Positional {
    /// An optional positional of any text.
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            ..Self::default()
        }
    }

    /// Sets the type of one value.
    #[must_use]
    pub fn value_type(mut self, value_type: ValueType) -> Self {
        self.value_type = value_type;
        self
    }

    /// Makes it required.
    #[must_use]
    pub fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// Makes it take any number of values.
    #[must_use]
    pub fn variadic(mut self) -> Self {
        self.variadic = true;
        self
    }

    /// Puts it behind a `--`.
    #[must_use]
    pub fn last(mut self) -> Self {
        self.last = true;
        self
    }

    /// Says what it is.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// The positionals of a command: listed, or as a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arguments {
    /// Each one, in order.
    Listed(Vec<Positional>),
    /// Only a usage pattern that could not be read with confidence.
    Pattern(String),
}

impl Default for Arguments {
    fn default() -> Self {
        Self::Listed(Vec::new())
    }
}

impl Arguments {
    /// The positionals that are known one by one.
    pub fn listed(&self) -> &[Positional] {
        match self {
            Self::Listed(positionals) => positionals,
            Self::Pattern(_) => &[],
        }
    }
}

/// An author's own words on a positional (`ArgSpec` of the bridge specification); they override what was inferred.
///
/// ```
/// use charmer_core::model::{ArgSpec, Command, ValueType};
/// let search = Command::new("search").usage("search [query]").with_arg_specs(&[
///     ArgSpec::new("query").description("Search query string").required(),
/// ]);
/// assert!(search.arguments.listed()[0].required);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ArgSpec {
    /// The positional's name.
    pub name: String,
    /// Its kind.
    #[serde(default)]
    pub description: Option<String>,
    /// `string`, `int`, `float`, `bool`, `path` or the name of a pflag type.
    #[serde(default, rename = "type")]
    pub value_type: Option<String>,
    /// The command refuses to run without it.
    #[serde(default)]
    pub required: bool,
    /// It takes any number of values.
    #[serde(default)]
    pub variadic: bool,
}

impl ArgSpec {
    /// A specification of an optional text.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// Says what it is.
    #[must_use]
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.description = Some(text.into());
        self
    }

    /// Names its type: `string`, `int`, `float`, `bool`, `path` or a pflag type.
    #[must_use]
    pub fn value_type(mut self, name: impl Into<String>) -> Self {
        self.value_type = Some(name.into());
        self
    }

    /// Makes it required.
    #[must_use]
    pub fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// Makes it take any number of values.
    #[must_use]
    pub fn variadic(mut self) -> Self {
        self.variadic = true;
        self
    }

    /// The type that [`value_type`](Self::value_type) names, `None` where it names none.
    pub(crate) fn parsed_type(&self) -> Option<ValueType> {
        let (value_type, _) = ValueType::named(self.value_type.as_deref()?)?;
        Some(value_type)
    }

    fn apply_to(&self, positional: &mut Positional) {
        positional.name = Some(self.name.clone());
        positional.required = self.required;
        positional.variadic = self.variadic;
        if let Some(text) = &self.description {
            positional.help = Some(text.clone());
        }
        if let Some(value_type) = self.parsed_type() {
            positional.value_type = value_type;
        }
    }
}

impl Command {
    /// Overrides what is known of the positionals: a spec with the name of one changes that one, another changes the
    /// one in its place, and those past the end are added. A pattern that could not be read is replaced whole.
    #[must_use]
    pub fn with_arg_specs(mut self, specs: &[ArgSpec]) -> Self {
        let mut positionals = match self.arguments {
            Arguments::Listed(listed) => listed,
            Arguments::Pattern(_) => Vec::new(),
        };
        for (index, spec) in specs.iter().enumerate() {
            let named = positionals
                .iter()
                .position(|p| p.id == spec.name || p.name.as_ref() == Some(&spec.name))
                .unwrap_or(index);
            while positionals.len() <= named {
                positionals.push(Positional::new(spec.name.clone()));
            }
            spec.apply_to(&mut positionals[named]);
        }
        self.arguments = Arguments::Listed(positionals);
        self
    }
}
