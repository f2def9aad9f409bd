//! The file as a whole, and the keys at its top that speak for every call.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use charmer_run::{Results, layers::StructureMode};
use serde::{Serialize, Serializer};

use crate::{
    AskEntry, Confine, Diagnostics, DraftSettings, ExposeRules, Finding, HookRules, HttpRules,
    Pattern, PrincipalRules, Secret, ServerRules, SourceEntry,
    output::{write_optional_mode, write_optional_results},
    parse,
    reading::TextRead,
    units::write_optional_duration,
};

/// The file `charmer.yaml`.
///
/// ```
/// # use charmer_config::Config;
/// let text = "
/// sources:
///   - binary: kubectl
///     set: {context: staging}
/// server: {name: cluster}
/// limits: {timeout: 2m, output: 20000}
/// structure: force
/// prompts: true
/// results: text
/// confine: auto
/// drafts: write
/// hooks: {before: [./policy.py]}
/// ask: destroy
/// redact: {environment: [KUBE_TOKEN]}
/// audit: {file: /var/log/charmer.jsonl}
/// spool: off
/// http: {session_timeout: 10m}
/// log: {calls: true}
/// ";
/// let config = Config::parse(text, "charmer.yaml").unwrap();
/// assert_eq!(config.sources.len(), 1);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Config {
    /// The file whose rules this one narrows. [`Config::load`] reads it, and what is loaded holds for both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include: Option<PathBuf>,
    /// The programs and spells that are served.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceEntry>,
    /// The name, version and instructions that clients are given.
    #[serde(skip_serializing_if = "is_default")]
    pub server: ServerRules,
    /// The limits on the time and size of calls where no selector says otherwise, and on how many run at once.
    #[serde(skip_serializing_if = "is_default")]
    pub limits: LimitSettings,
    /// The effort to have output as data where no selector says otherwise: `auto`, if it is not set.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_optional_mode"
    )]
    pub structure: Option<StructureMode>,
    /// The form in which clients get results: `auto`, if it is not set.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_optional_results"
    )]
    pub results: Option<Results>,
    /// The way commands are shown.
    #[serde(skip_serializing_if = "is_default")]
    pub expose: ExposeRules,
    /// The examples in the programs' help are offered as prompts. Spells are prompts in any case.
    #[serde(skip_serializing_if = "is_default")]
    pub prompts: bool,
    /// Calls that are meant to read are run without the right to write, where a source does not say it.
    #[serde(skip_serializing_if = "is_default")]
    pub confine: Confine,
    /// The rules of drafts: the calls that are drafts, what of them may be applied, and by whom.
    #[serde(skip_serializing_if = "is_default")]
    pub drafts: DraftSettings,
    /// The programs that are asked about every call, around those of its source.
    #[serde(skip_serializing_if = "HookRules::is_empty")]
    pub hooks: HookRules,
    /// The calls that a person must allow, where neither a selector nor a source says it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ask: Vec<AskEntry>,
    /// The secrets that must not be seen.
    #[serde(skip_serializing_if = "Redact::is_empty")]
    pub redact: Redact,
    /// The file that a line about every call is written to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit: Option<AuditSettings>,
    /// The amount of long output that is kept on disk.
    #[serde(skip_serializing_if = "is_default")]
    pub spool: SpoolKey,
    /// On which terms clients come in over HTTP.
    #[serde(skip_serializing_if = "is_default")]
    pub http: HttpRules,
    /// As whom the calls of each principal run, and what they may do.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub principals: BTreeMap<String, PrincipalRules>,
    /// The rules of the log.
    pub log: Log,
    /// Advice on the file although it is valid, such as on keys that have another name now.
    #[serde(skip)]
    pub advice: Option<Diagnostics>,
    /// The included file by itself: its hooks are asked within those of this one.
    #[serde(skip)]
    pub baseline: Option<Arc<Self>>,
}

impl Config {
    /// Reads the text of a file. The name is only shown.
    ///
    /// Every mistake that can be found is reported, not only the first; the text must be valid YAML for that.
    pub fn parse(text: &str, file_name: &str) -> Result<Self, Diagnostics> {
        parse::config(text, file_name, None)
    }

    /// Shows what was found out about a valid file later, such as names that its programs do not have, where it stands; with
    /// the advice that the file gets anyway. The folder is the one that holds the file.
    ///
    /// ```
    /// # use charmer_config::{Config, Finding, FilePlace};
    /// let text = "sources:\n  - binary: git\n    set: {colour: always}\n";
    /// let place = FilePlace::of(["sources", "0", "set", "colour"]);
    /// let finding = Finding::mistake(place, "there is no such flag").hint("did you mean `color`?");
    /// let shown = Config::diagnose(text, "charmer.yaml", None, &[finding]);
    /// assert_eq!((shown.mistakes.unwrap()[0].line, shown.advice), (3, None));
    /// ```
    pub fn diagnose(
        text: &str,
        file_name: &str,
        folder: Option<&Path>,
        findings: &[Finding],
    ) -> TextRead<()> {
        parse::diagnose(text, file_name, folder, findings)
    }

    /// The configuration as JSON, which is YAML too: parsing it gives the same configuration. Secrets are in it.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("every key is a string")
    }
}

/// The key `limits`. What is not set keeps its default.
///
/// ```
/// # use charmer_config::Config;
/// let text = "limits: {timeout: 30s, grace: 2s, capture: 8MiB, output: 40000, max_items: 200, concurrency: 8}";
/// let limits = Config::parse(text, "charmer.yaml").unwrap().limits;
/// assert_eq!(limits.capture, Some(8 << 20));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LimitSettings {
    /// The longest time that a program may run.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_optional_duration"
    )]
    pub timeout: Option<Duration>,
    /// The longest time that it may run as a job, where `timeout` does not say.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_optional_duration"
    )]
    pub job: Option<Duration>,
    /// The time after which a call becomes a job.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_optional_duration"
    )]
    pub background_after: Option<Duration>,
    /// The longest time that it may take to end after it was asked to.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_optional_duration"
    )]
    pub grace: Option<Duration>,
    /// The number of bytes of each stream that are kept in memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capture: Option<u64>,
    /// The maximum number of characters of each stream that an assistant gets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<usize>,
    /// The maximum size of a picture or a sound that an assistant gets as such, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media: Option<u64>,
    /// The maximum number of items of a list that an assistant gets, where output is data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_items: Option<usize>,
    /// The maximum number of programs that run at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<usize>,
    /// The number of calls that may wait for a place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<usize>,
}

/// The key `redact`: secrets that must not appear in output, logs, progress or on disk.
///
/// ```
/// # use charmer_config::Config;
/// let text = "redact: {values: [hunter2], environment: [GH_TOKEN], patterns: ['ghp_[A-Za-z0-9]+']}";
/// let redact = Config::parse(text, "charmer.yaml").unwrap().redact;
/// assert_eq!(redact.environment, ["GH_TOKEN"]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Redact {
    /// The secrets themselves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<Secret>,
    /// Environment variables whose values are secrets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<String>,
    /// Regular expressions of what secrets look like.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<Pattern>,
}

impl Redact {
    /// Returns true if nothing is secret.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty() && self.environment.is_empty() && self.patterns.is_empty()
    }
}

/// The key `audit`: one JSON line about every call.
///
/// ```
/// # use charmer_config::Config;
/// let text = "audit: {file: calls.jsonl, fail_closed: true}";
/// let audit = Config::parse(text, "charmer.yaml").unwrap().audit.unwrap();
/// assert!(audit.fail_closed);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AuditSettings {
    /// The file that lines are added to.
    pub file: PathBuf,
    /// A call is refused if its line cannot be written.
    pub fail_closed: bool,
    /// The size at which the file is moved aside, to `FILE.1`.
    pub rotate: Option<u64>,
    /// The number of files that are kept aside.
    pub keep: usize,
}

/// The key `spool`: what is kept on disk of output that was cut, for the tool `read_output`.
///
/// ```
/// # use charmer_config::{Config, SpoolKey};
/// assert_eq!(Config::parse("spool: off", "charmer.yaml").unwrap().spool, SpoolKey::Off);
/// assert!(matches!(Config::parse("spool: {size: 1MiB}", "charmer.yaml").unwrap().spool, SpoolKey::On(_)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpoolKey {
    /// Nothing is kept, and there is no `read_output`.
    Off,
    /// Within these bounds.
    On(SpoolSettings),
}

impl Default for SpoolKey {
    fn default() -> Self {
        Self::On(SpoolSettings::default())
    }
}

impl Serialize for SpoolKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Off => serializer.serialize_str("off"),
            Self::On(settings) => settings.serialize(serializer),
        }
    }
}

/// The amount that is kept on disk, and for how long. What is not set keeps its default.
///
/// ```
/// # use charmer_config::Config;
/// let config = Config::parse("spool: {size: 64MiB, files: 32, lifetime: 1h}", "charmer.yaml").unwrap();
/// assert_eq!(config.spool_limits().unwrap().files, 32);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SpoolSettings {
    /// The number of bytes of one stream that are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// The number of files that are kept; the oldest goes first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<usize>,
    /// The time that a file is kept.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_optional_duration"
    )]
    pub lifetime: Option<Duration>,
}

/// The key `log`.
///
/// ```
/// # use charmer_config::Config;
/// assert!(Config::parse("log: {calls: true}", "charmer.yaml").unwrap().log.calls);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Log {
    /// The beginning and the end of every call are logged.
    pub calls: bool,
    /// The form of the lines.
    #[serde(skip_serializing_if = "is_default")]
    pub format: LogFormat,
}

/// The form of the lines that a server logs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum LogFormat {
    /// Text for people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// Returns true if a section says nothing that is not so anyway.
fn is_default<T: Default + PartialEq>(section: &T) -> bool {
    *section == T::default()
}
