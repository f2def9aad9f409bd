//! The key `confine`: whether calls that are meant to read are run without the right to write, and where others may write.

use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer, ser::SerializeMap};

/// The key `confine`, at the top for every program or for one source: a mode, or a mapping. What a source does not set is
/// taken from the top.
///
/// ```
/// # use charmer_config::{Config, ConfineMode};
/// let text = "confine: names\nsources: [{binary: npm, confine: {mode: auto, writable: [~/.npm, build]}}]";
/// let config = Config::parse(text, "charmer.yaml").unwrap();
/// assert_eq!(config.confine.mode, Some(ConfineMode::Names));
/// let confine = config.sources[0].confine.over(&config.confine);
/// assert_eq!(confine.mode, Some(ConfineMode::Auto));
/// assert_eq!(confine.writable.len(), 2);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Confine {
    /// The authority on what a call that is meant to read can do.
    pub mode: Option<ConfineMode>,
    /// The only places that calls which may write can write to; anywhere, if it is empty.
    pub writable: Vec<PathBuf>,
}

/// The authority on what a call that is meant to read can do.
///
/// ```
/// # use charmer_config::{Config, ConfineMode};
/// let config = Config::parse("confine: off", "charmer.yaml").unwrap();
/// assert_eq!(config.confine.mode, Some(ConfineMode::Off));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConfineMode {
    /// The kernel: such a call runs without the right to write.
    Auto,
    /// The names of commands and flags alone.
    Names,
    /// Nobody: commands are labelled, and nothing is promised by that.
    Off,
}

impl ConfineMode {
    /// All of them with the words that people write for them.
    pub(crate) const NAMES: [(&'static str, Self); 3] = [
        ("auto", Self::Auto),
        ("names", Self::Names),
        ("off", Self::Off),
    ];

    /// The word that people write for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Names => "names",
            Self::Off => "off",
        }
    }
}

impl Confine {
    /// Returns the rules that hold where these go before `other`.
    #[must_use]
    pub fn over(&self, other: &Self) -> Self {
        let writable = match self.writable.is_empty() {
            true => &other.writable,
            false => &self.writable,
        };
        Self {
            mode: self.mode.or(other.mode),
            writable: writable.clone(),
        }
    }
}

impl Serialize for ConfineMode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl Serialize for Confine {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(mode) = self.mode {
            map.serialize_entry("mode", &mode)?;
        }
        if !self.writable.is_empty() {
            map.serialize_entry("writable", &self.writable)?;
        }
        map.end()
    }
}

/// Returns true if a path begins with `~`, which stands for the home folder.
pub(crate) fn is_of_home(path: &Path) -> bool {
    path.starts_with("~")
}

/// The path with `~` at its beginning replaced.
///
/// ```
/// # use charmer_config::expand_home;
/// let home = "/home/ann".as_ref();
/// assert_eq!(expand_home("~/.aws".as_ref(), home), std::path::Path::new("/home/ann/.aws"));
/// assert_eq!(expand_home("/etc/~".as_ref(), home), std::path::Path::new("/etc/~"));
/// ```
pub fn expand_home(path: &Path, home: &Path) -> PathBuf {
    match path.strip_prefix("~") {
        Ok(rest) => home.join(rest),
        Err(_) => path.to_owned(),
    }
}
