//! The key `override` of a source: what is corrected or added where a program's own word is wrong or missing.

use std::collections::BTreeMap;

use charmer_core::model::{Effect, GivenEffect, Network, Repetition, ValueType};
use serde::{Serialize, Serializer};

use crate::{OutputRules, Position};

/// Overrides of one command. A field that is not set stays as it was found.
///
/// ```
/// # use charmer_config::Config;
/// let text = "
/// sources:
///   - binary: ship
///     override:
///       cargo load:
///         description: Loads cargo.
///         effect: write
///         args: [{name: berth, type: int, required: true}]
///         flags:
///           format: {enum: [table, json], default: table}
///           crane: {add: true, type: string}
///         output: {schema: {type: object, required: [berth]}}
/// ";
/// let config = Config::parse(text, "charmer.yaml").unwrap();
/// let load = &config.sources[0].overrides["cargo load"];
/// assert_eq!(load.flags["format"].choices.as_deref(), Some(&["table".into(), "json".into()][..]));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CommandOverride {
    /// Its place in the file.
    #[serde(skip)]
    pub position: Position,
    /// The command is added if the program does not show it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub add: bool,
    /// The program need not have it: another version has it, a plugin, or another program of the same profile.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// Its description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its usage line; its positionals are read from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<String>,
    /// Examples of its use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub examples: Option<String>,
    /// A title for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its effect on the world.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
    /// The network that it may reach beyond its process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,
    /// Running it twice is the same as running it once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// It reaches beyond this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_world: Option<bool>,
    /// It does something by itself, and is not only a place for subcommands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runnable: Option<bool>,
    /// It and its subcommands are left out; `false` brings back a hidden or deprecated one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclude: Option<bool>,
    /// It reads standard input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdin: Option<bool>,
    /// The flag that answers its question; it becomes a required `confirm`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirm: Option<String>,
    /// Its positionals, all of them and in order. One that was found keeps what its entry does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<Vec<ArgOverride>>,
    /// Its flags, by name, with or without dashes.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub flags: BTreeMap<String, FlagOverride>,
    /// The declaration of its output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputRules>,
}

/// Overrides of one positional: an entry of `args`.
///
/// ```
/// # use charmer_config::Config;
/// let text = "sources: [{binary: ship, override: {load: {args: [{name: cargo, variadic: true}]}}}]";
/// let config = Config::parse(text, "charmer.yaml").unwrap();
/// let args = config.sources[0].overrides["load"].args.as_deref().unwrap();
/// assert_eq!(args[0].variadic, Some(true));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ArgOverride {
    /// Its name.
    pub name: String,
    /// The type of one value.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub value_type: Option<TypeName>,
    /// Its kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The command refuses to run without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// It takes any number of values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variadic: Option<bool>,
    /// It stands behind a `--`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<bool>,
    /// The values that are accepted; an empty list for any.
    #[serde(rename = "enum", skip_serializing_if = "Option::is_none")]
    pub choices: Option<Vec<String>>,
    /// The default; an empty list for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Vec<String>>,
    /// The flags in whose company it is left out, because one of them says the same: `grep -e PATTERN`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<Vec<String>>,
    /// The effect that giving it has on a call, as for flags.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_effect"
    )]
    pub effect: Option<GivenEffect>,
}

/// Overrides of one flag: an entry of `flags`.
///
/// ```
/// # use charmer_config::{Bare, Config};
/// let text = "sources: [{binary: ship, override: {load: {flags: {--watch: {type: duration, bare: 1s}}}}}]";
/// let config = Config::parse(text, "charmer.yaml").unwrap();
/// let watch = &config.sources[0].overrides["load"].flags["--watch"];
/// assert_eq!(watch.bare, Some(Bare::Means("1s".into())));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FlagOverride {
    /// The flag is added if the program does not show it. Without a type it is a switch then.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub add: bool,
    /// The command need not have it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// The type of its value.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub value_type: Option<TypeName>,
    /// Its description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The command refuses to run without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// The values that are accepted; an empty list for any.
    #[serde(rename = "enum", skip_serializing_if = "Option::is_none")]
    pub choices: Option<Vec<String>>,
    /// The default; an empty list for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Vec<String>>,
    /// Its value can be left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bare: Option<Bare>,
    /// The way it takes several values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeat: Option<Repeat>,
    /// Its letter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short: Option<char>,
    /// The command's subcommands take it too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub global: Option<bool>,
    /// It is left out; `false` brings back a hidden or deprecated one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclude: Option<bool>,
    /// The effect that giving it has on a call: a word, or words by value (`'*'` for all others). Reading lowers what
    /// the command does without it, more raises it, `none` changes nothing; with `only-write` a command that destroys
    /// only writes.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_effect"
    )]
    pub effect: Option<GivenEffect>,
    /// It changes where the program connects, who it is, what it loads or which program it runs, and so stays out
    /// unless it is asked for; `false` where that is thought of it and wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirects: Option<bool>,
}

/// The effect of a flag with which a command that destroys only writes.
pub(crate) const ONLY_WRITE: &str = "only-write";

fn write_effect<S: Serializer>(
    effect: &Option<GivenEffect>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let effect = effect.clone().unwrap_or_default();
    if effect.lowers {
        return serializer.serialize_str(ONLY_WRITE);
    }
    let any = effect.any.map_or("none", Effect::name);
    if effect.values.is_empty() {
        return serializer.serialize_str(any);
    }
    let values = effect.values.iter();
    let name = |effect: Option<Effect>| effect.map_or("none", Effect::name);
    let values = values.map(|(value, effect)| (value.as_str(), name(*effect)));
    serializer.collect_map(values.chain([("*", any)]))
}

/// The key `bare`: whether a flag's value can be left out.
///
/// ```
/// # use charmer_config::Config;
/// let text = "sources: [{binary: ls, override: {ls: {flags: {color: {bare: always}, sort: {bare: false}}}}}]";
/// assert!(Config::parse(text, "charmer.yaml").is_ok());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Bare {
    /// `false`: it must have a value.
    No,
    /// `true`: it can stand without one.
    Yes,
    /// Text: it can stand without one, and means this then.
    Means(String),
}

impl Serialize for Bare {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::No => serializer.serialize_bool(false),
            Self::Yes => serializer.serialize_bool(true),
            Self::Means(text) => serializer.serialize_str(text),
        }
    }
}

/// The key `repeat`: how a flag takes several values.
///
/// ```
/// # use charmer_config::Config;
/// let text = "sources: [{binary: x, override: {x: {flags: {tag: {repeat: true}, columns: {repeat: comma}}}}}]";
/// assert!(Config::parse(text, "charmer.yaml").is_ok());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Repeat {
    /// `false`: it takes one.
    Never,
    /// `true`: the flag is repeated, each time with one value.
    Each,
    /// `comma`: the flag is given once, its values joined by commas.
    Comma,
}

impl Repeat {
    /// The same in the model's words.
    pub(crate) fn repetition(self) -> Repetition {
        match self {
            Self::Never => Repetition::Single,
            Self::Each => Repetition::Repeat { delimiter: None },
            Self::Comma => Repetition::Joined { delimiter: ',' },
        }
    }
}

impl Serialize for Repeat {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Never => serializer.serialize_bool(false),
            Self::Each => serializer.serialize_bool(true),
            Self::Comma => serializer.serialize_str("comma"),
        }
    }
}

/// The name of a type that is known to be one: those of pflag (`stringSlice`, `duration`), `path`, `enum` and a few more.
///
/// ```
/// # use charmer_config::Config;
/// let text = "sources: [{binary: x, override: {x: {flags: {depth: {type: int}}}}}]";
/// let config = Config::parse(text, "charmer.yaml").unwrap();
/// let flag = &config.sources[0].overrides["x"].flags["depth"];
/// assert_eq!(flag.value_type.as_ref().unwrap().as_str(), "int");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct TypeName(pub(crate) &'static str);

impl TypeName {
    /// Every name, the usual ones first.
    pub(crate) const ALL: &'static [&'static str] = &[
        "string",
        "path",
        "enum",
        "bool",
        "int",
        "uint",
        "float",
        "count",
        "duration",
        "time",
        "stringArray",
        "stringSlice",
        "stringToString",
        "stringToInt",
        "stringToInt64",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float32",
        "float64",
        "ip",
        "ipMask",
        "ipNet",
        "bytesHex",
        "bytesBase64",
        "char",
        "boolSlice",
        "intSlice",
        "int32Slice",
        "int64Slice",
        "uintSlice",
        "float32Slice",
        "float64Slice",
        "durationSlice",
        "ipSlice",
        "ipNetSlice",
        "strings",
        "ints",
        "uints",
        "bools",
        "file",
        "dir",
        "integer",
        "number",
        "boolean",
    ];

    /// The name.
    pub fn as_str(&self) -> &str {
        self.0
    }

    /// The type and repetition that it stands for; `enum` is text of which only some is accepted.
    pub fn meaning(&self) -> (ValueType, Repetition) {
        match self.0 {
            "enum" => (ValueType::String, Repetition::Single),
            name => ValueType::named(name).unwrap_or_default(),
        }
    }

    /// Returns true if a flag of this type takes no value.
    pub(crate) fn is_switch(&self) -> bool {
        matches!(self.meaning().0, ValueType::Bool | ValueType::Count)
            && self.meaning().1 == Repetition::Single
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_a_type_is_one_and_the_schema_has_it() {
        for name in TypeName::ALL {
            assert!(
                *name == "enum" || ValueType::named(name).is_some(),
                "{name}"
            );
        }
        let schema: serde_json::Value =
            serde_json::from_str(crate::SCHEMA).expect("the schema is JSON");
        assert_eq!(
            schema["$defs"]["type"]["enum"],
            serde_json::json!(TypeName::ALL)
        );
    }
}
