//! Small values that the file is made of: patterns, secrets, the values of pinned flags, and places.

use std::{fmt, path::Path, sync::Arc};

use charmer_run::layers::Validate;
use regex_lite::Regex;
use serde::{Serialize, Serializer};

/// The text of a regular expression that is known to be one.
///
/// ```
/// # use charmer_config::Config;
/// let config = Config::parse("redact: {patterns: ['ghp_\\w+']}", "charmer.yaml").unwrap();
/// assert_eq!(config.redact.patterns[0].as_str(), r"ghp_\w+");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Pattern(String);

impl Pattern {
    /// A pattern that may match anywhere.
    pub(crate) fn anywhere(text: &str) -> Result<Self, String> {
        Regex::new(text).map_err(|error| error.to_string())?;
        Ok(Self(text.to_owned()))
    }

    /// A pattern that must match the whole of a value.
    pub(crate) fn whole(text: &str) -> Result<Self, String> {
        Validate::pattern("", text, "").map_err(|error| error.reason)?;
        Ok(Self(text.to_owned()))
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns true if it matches where there is nothing.
    pub(crate) fn matches_empty(&self) -> bool {
        Regex::new(&self.0).is_ok_and(|regex| regex.is_match(""))
    }
}

/// Text that is not shown by accident: its `Debug` hides it. Serialising writes it out.
///
/// ```
/// # use charmer_config::Config;
/// let config = Config::parse("redact: {values: [hunter2]}", "charmer.yaml").unwrap();
/// assert_eq!(format!("{:?}", config.redact.values), "[Secret(..)]");
/// assert_eq!(config.redact.values[0].reveal(), "hunter2");
/// ```
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Secret(pub(crate) String);

impl Secret {
    /// The text itself.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// The value of a pinned flag. Numbers are kept as they were written: `1.10` stays `1.10`.
///
/// ```
/// # use charmer_config::{Config, Pinned};
/// let text = "sources: [{binary: kubectl, set: {context: staging, warnings-as-errors: true}}]";
/// let config = Config::parse(text, "charmer.yaml").unwrap();
/// let set = &config.sources[0].set;
/// assert_eq!(set["context"], Pinned::Text("staging".into()));
/// assert_eq!(set["warnings-as-errors"], Pinned::Switch(true));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pinned {
    /// A switch, on or off.
    Switch(bool),
    /// One value.
    Text(String),
    /// Several values.
    List(Vec<String>),
}

impl Serialize for Pinned {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Switch(on) => serializer.serialize_bool(*on),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(list) => list.serialize(serializer),
        }
    }
}

/// The place of an entry in the file. It is no part of what the entry says: two that say the same are equal, wherever they
/// stand.
///
/// ```
/// # use charmer_config::Config;
/// let text = "sources:\n  - binary: git\n    select:\n      - commands: {allow: [log]}\n";
/// let source = &Config::parse(text, "charmer.yaml").unwrap().sources[0];
/// assert_eq!((source.position.line, source.select[0].position.line), (2, 4));
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Position {
    /// The line, from 1; 0 for what stands in no file.
    pub line: usize,
    /// The file, if it is one that another includes.
    pub file: Option<Arc<Path>>,
}

impl PartialEq for Position {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Position {}
