//! The key `select` of a source: which commands, which of their flags, and what stands around their calls.

use std::{sync::Arc, time::Duration};

use charmer_core::{
    expose::Visibility,
    model::{Effect, Network},
};
use charmer_run::layers::StructureMode;
use serde::{Serialize, Serializer, ser::SerializeMap};

use crate::{
    AskEntry, HookRules, Pattern, Position,
    expose::{is_free, write_visibility},
    output::write_optional_mode,
    units::{write_duration, write_optional_duration},
};

/// One entry of `select`; the first that matches a command decides.
///
/// ```
/// # use charmer_config::Config;
/// let text = "
/// sources:
///   - binary: kubectl
///     select:
///       - commands: {allow: [get, logs]}
///         flags: {exclude: [--raw]}
///         inherited_flags: {allow: [namespace]}
///         assume_effect: read
///         network: tcp
///         timeout: 30s
///         structure: force
///         max_items: 50
///         rate_limit: {calls: 10, per: 1m}
///         retry: {times: 2, wait: 1s}
///         validate:
///           - {argument: namespace, pattern: '[a-z0-9-]+', message: a name in lower case}
///         filter:
///           - {pattern: 'password: .*', replace: 'password: ***'}
///         hooks: {after: [./mask.py]}
/// ";
/// let config = Config::parse(text, "charmer.yaml").unwrap();
/// assert_eq!(config.sources[0].select[0].retry.as_ref().unwrap().times, 2);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SelectEntry {
    /// The commands that it speaks for; all of them if it is not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commands: Option<CommandSelection>,
    /// The flags of a command's own that can be reached.
    pub flags: FlagSelection,
    /// The flags of its ancestors that can be reached.
    pub inherited_flags: FlagSelection,
    /// The longest time that a call may run.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_optional_duration"
    )]
    pub timeout: Option<Duration>,
    /// The longest time that a program may take to end after it was asked to.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_optional_duration"
    )]
    pub grace: Option<Duration>,
    /// The maximum rate of calls of these commands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimitSettings>,
    /// The number of times that a call that failed is tried again; only for commands that read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetrySettings>,
    /// The maximum number of calls of one of these commands that run at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<usize>,
    /// A key; calls that share it run one after the other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serialize: Option<String>,
    /// The flag that answers a command's question; it becomes a required `confirm`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirm: Option<String>,
    /// A person answers a command's question: each call is asked about, and the flag that answers is given. It is the word
    /// `person` of the key `confirm`.
    #[serde(
        rename = "confirm",
        skip_serializing_if = "std::ops::Not::not",
        serialize_with = "write_person"
    )]
    pub confirmed_by_person: bool,
    /// The commands read standard input; they get a property `stdin` then.
    pub stdin: bool,
    /// The checks of arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub validate: Vec<Validation>,
    /// The replacements in output.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub filter: Vec<FilterSettings>,
    /// The programs that are asked about calls of these commands, within those of the source.
    #[serde(skip_serializing_if = "HookRules::is_empty")]
    pub hooks: HookRules,
    /// The calls of these commands that a person must allow.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ask: Vec<AskEntry>,
    /// The effort that it makes to have output as data.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_optional_mode"
    )]
    pub structure: Option<StructureMode>,
    /// The maximum number of items of a list that an assistant gets, where output is data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_items: Option<usize>,
    /// The commands are always tools of their own, or never.
    #[serde(skip_serializing_if = "is_free", serialize_with = "write_visibility")]
    pub expose: Visibility,
    /// The commands' effect: it is asserted of all of them, and chooses none. It was the key `effect` once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assume_effect: Option<Effect>,
    /// The network that the commands may reach beyond their process, whatever the source says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,
    /// Its place in the file.
    #[serde(skip)]
    pub position: Position,
    /// Its number among the entries of its file, from 0.
    #[serde(skip)]
    pub number: usize,
    /// The entry of an included file that holds as well.
    #[serde(skip)]
    pub baseline: Option<Arc<Self>>,
}

impl SelectEntry {
    /// Returns true if two stand at one place of one file, as they do where a file includes another.
    pub fn is_same_entry(&self, other: &Self) -> bool {
        let place = |entry: &Self| (entry.number, entry.position.file.clone());
        place(self) == place(other)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it so")]
fn write_person<S: Serializer>(_: &bool, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str("person")
}

/// The key `commands`: exactly one rule.
///
/// Paths are written with or without the program's name. In globs levels are separated by `/`; `*` stays within a
/// level, `**` crosses them.
///
/// ```
/// # use charmer_config::{CommandSelection, Config};
/// let text = "sources: [{binary: docker, select: [{commands: {allow_glob: [container/*]}}]}]";
/// let config = Config::parse(text, "charmer.yaml").unwrap();
/// let rule = CommandSelection::AllowGlob(vec!["container/*".into()]);
/// assert_eq!(config.sources[0].select[0].commands, Some(rule));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CommandSelection {
    /// The commands at exactly these paths.
    Allow(Vec<String>),
    /// All but the commands at exactly these paths.
    Exclude(Vec<String>),
    /// The commands whose path matches one of these globs.
    AllowGlob(Vec<String>),
    /// All but the commands whose path matches one of these globs.
    ExcludeGlob(Vec<String>),
    /// The commands that have one of these words in their path.
    AllowContaining(Vec<String>),
    /// All but the commands that have one of these words in their path.
    ExcludeContaining(Vec<String>),
}

/// The keys `flags` and `inherited_flags`: `all`, `none`, or one list.
///
/// ```
/// # use charmer_config::{Config, FlagSelection};
/// let text = "sources: [{binary: git, select: [{flags: {exclude: [--exec]}, inherited_flags: none}]}]";
/// let selector = &Config::parse(text, "charmer.yaml").unwrap().sources[0].select[0];
/// assert_eq!(selector.flags, FlagSelection::Exclude(vec!["--exec".into()]));
/// assert_eq!(selector.inherited_flags, FlagSelection::None);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FlagSelection {
    /// Every flag.
    #[default]
    All,
    /// No flag.
    None,
    /// Only these flags.
    Allow(Vec<String>),
    /// All but these flags.
    Exclude(Vec<String>),
}

/// The key `rate_limit`: so many calls in so much time.
///
/// ```
/// # use charmer_config::Config;
/// let text = "sources: [{binary: gh, select: [{rate_limit: {calls: 10, per: 1m}}]}]";
/// let limit = Config::parse(text, "charmer.yaml").unwrap().sources[0].select[0].rate_limit.clone().unwrap();
/// assert_eq!((limit.calls, limit.per.as_secs()), (10, 60));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RateLimitSettings {
    /// The number of calls.
    pub calls: u32,
    /// In how much time.
    #[serde(serialize_with = "write_duration")]
    pub per: Duration,
}

/// The key `retry`: how often a call that failed is tried again. Only commands that read are.
///
/// ```
/// # use charmer_config::Config;
/// let text = "sources: [{binary: gh, select: [{assume_effect: read, retry: {times: 2, wait: 1s}}]}]";
/// assert!(Config::parse(text, "charmer.yaml").is_ok());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RetrySettings {
    /// The maximum number of tries beyond the first.
    pub times: u32,
    /// The time between two tries; a second if it is not set.
    #[serde(serialize_with = "write_duration")]
    pub wait: Duration,
}

/// An entry of `validate`.
///
/// ```
/// # use charmer_config::{Check, Config};
/// let text = "sources: [{binary: ls, select: [{validate: [{argument: args, max_items: 10}]}]}]";
/// let config = Config::parse(text, "charmer.yaml").unwrap();
/// assert_eq!(config.sources[0].select[0].validate[0].check, Check::MaxItems(10));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Validation {
    /// The argument, by its key in the tool's input or by a name of its flag; `args` for every positional.
    pub argument: String,
    /// The check that it must pass.
    pub check: Check,
    /// The message that an assistant gets if it does not hold.
    pub message: Option<String>,
}

/// A check of an argument: exactly one of the keys `pattern`, `forbid` and `max_items`.
///
/// ```
/// # use charmer_config::{Check, Config};
/// let text = "sources: [{binary: cat, select: [{validate: [{argument: file, forbid: '\\.\\.'}]}]}]";
/// let config = Config::parse(text, "charmer.yaml").unwrap();
/// assert!(matches!(config.sources[0].select[0].validate[0].check, Check::Forbid(_)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Check {
    /// The whole of every value matches this.
    Pattern(Pattern),
    /// No value has this anywhere.
    Forbid(Pattern),
    /// There are at most so many values.
    MaxItems(usize),
}

impl Serialize for Validation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("argument", &self.argument)?;
        match &self.check {
            Check::Pattern(pattern) => map.serialize_entry("pattern", pattern)?,
            Check::Forbid(pattern) => map.serialize_entry("forbid", pattern)?,
            Check::MaxItems(most) => map.serialize_entry("max_items", most)?,
        }
        if let Some(message) = &self.message {
            map.serialize_entry("message", message)?;
        }
        map.end()
    }
}

/// An entry of `filter`: what is replaced in output. `$1` stands for the first group, `$$` for a dollar.
///
/// What is kept on disk is not filtered, and not offered to the assistant then: secrets belong under `redact`.
///
/// ```
/// # use charmer_config::Config;
/// # use charmer_run::Outcome;
/// let text = "sources: [{binary: env, select: [{filter: [{pattern: '(KEY)=.*', replace: '$1=***'}]}]}]";
/// let config = Config::parse(text, "charmer.yaml").unwrap();
/// let filter = config.sources[0].select[0].filter[0].layer();
/// assert_eq!(filter.apply(Outcome::success("KEY=abc\nA=b")).stdout_text(), "KEY=***\nA=b");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FilterSettings {
    /// The pattern of what is replaced, wherever it stands.
    pub pattern: Pattern,
    /// The replacement; nothing if it is not set.
    pub replace: String,
}
