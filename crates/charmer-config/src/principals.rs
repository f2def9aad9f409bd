//! The key `principals`: as whom the calls of each client run, and what they may do.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc, time::Duration};

use charmer_run::Limits;
use serde::Serialize;
use thiserror::Error;

use crate::{
    Config, HttpCaps, Pinned, Position, RateLimitSettings, Secret, units::write_optional_duration,
};

/// The entry for all who have none of their own.
pub const OTHERS: &str = "*";

/// The placeholder for the principal's name in its entry.
const NAME: &str = "{principal}";

/// One entry of the key `principals`. `{principal}` in its values stands for the principal's name.
///
/// ```
/// # use charmer_config::{Config, Pinned};
/// let text = "
/// principals:
///   ann:
///     environment: {GH_TOKEN: {file: '/run/secrets/{principal}/gh'}, GH_HOST: example.org}
///     folder: /srv/{principal}
///     set: {as: '{principal}'}
///     allow: [get, logs]
///     deny: ['get secrets']
///     limits: {timeout: 30s, rate_limit: {calls: 10, per: 1m}}
///   '*': {deny: ['*']}
/// ";
/// let config = Config::parse(text, "charmer.yaml").unwrap();
/// let ann = config.principal("ann").unwrap().unwrap();
/// assert_eq!(ann.set["as"], Pinned::Text("ann".into()));
/// assert_eq!(config.principal("bob").unwrap().unwrap().deny, ["*"]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PrincipalRules {
    /// Variables that programs see beside those of their source, and in the place of such.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, PrincipalValue>,
    /// The folder that programs run in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// Flags that are in every command line and in no schema, in the place of those of the source.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, Pinned>,
    /// Globs of the only commands that are offered; all, if it is empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<String>,
    /// Globs of commands that are not offered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<String>,
    /// Bounds that are only ever tighter than those of the file.
    #[serde(skip_serializing_if = "PrincipalLimits::is_empty")]
    pub limits: PrincipalLimits,
    /// Its place in the file.
    #[serde(skip)]
    pub position: Position,
    /// The included file's rules for the same principal; everything but its `allow` is in here already.
    #[serde(skip)]
    pub baseline: Option<Arc<Self>>,
}

/// The value of a principal's variable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", untagged)]
#[non_exhaustive]
pub enum PrincipalValue {
    /// The value itself.
    Text(Secret),
    /// A file that holds it. It is read for every call, and what it holds is redacted.
    File {
        /// The file.
        file: PathBuf,
    },
}

/// The bounds of a principal's calls. What is not set is as the rest of the file says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PrincipalLimits {
    /// The longest time that a program may run.
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
    /// The number of bytes of each stream that are kept in memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capture: Option<u64>,
    /// The maximum number of characters of each stream that an assistant gets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<usize>,
    /// The maximum number of its calls that run at once; others wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<usize>,
    /// The maximum rate of its calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimitSettings>,
    /// The caps on its connections, sessions, streams and calls over HTTP.
    #[serde(flatten)]
    pub http: HttpCaps,
}

impl PrincipalLimits {
    /// Returns true if nothing is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Lowers bounds to these where they are higher.
    pub fn lower(&self, limits: &mut Limits) {
        limits.timeout = self.timeout.unwrap_or(Duration::MAX).min(limits.timeout);
        limits.grace = self.grace.unwrap_or(Duration::MAX).min(limits.grace);
        limits.output_chars = self.output.unwrap_or(usize::MAX).min(limits.output_chars);
        let capture = self.capture.map(usize::try_from);
        let capture = capture.and_then(Result::ok).unwrap_or(usize::MAX);
        limits.capture_bytes = capture.min(limits.capture_bytes);
    }
}

/// A principal whose name cannot be written in the place of `{principal}`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "the name `{0}` cannot stand for `{{principal}}`: only letters, digits, `-`, `_` and `.` can, and `-` and `.` not first"
)]
pub struct BadPrincipalName(pub String);

impl Config {
    /// The entry of a principal, or else the one of all others, with its name put in.
    pub fn principal(&self, name: &str) -> Option<Result<PrincipalRules, BadPrincipalName>> {
        let own = self.principals.get(name).filter(|_| name != OTHERS);
        let rules = own.or_else(|| self.principals.get(OTHERS))?;
        Some(rules.of(name))
    }
}

impl PrincipalRules {
    /// The same with this name in the place of `{principal}`.
    fn of(&self, name: &str) -> Result<Self, BadPrincipalName> {
        if !self.names_principal() {
            return Ok(self.clone());
        }
        if !is_plain(name) {
            return Err(BadPrincipalName(name.to_owned()));
        }
        let mut rules = self.clone();
        rules.texts(&mut |text| *text = text.replace(NAME, name));
        if let Some(baseline) = &self.baseline {
            rules.baseline = Some(Arc::new(baseline.of(name)?));
        }
        Ok(rules)
    }

    /// Returns true if `{principal}` stands in it.
    fn names_principal(&self) -> bool {
        let mut named = false;
        self.clone().texts(&mut |text| named |= text.contains(NAME));
        named
    }

    /// Gives away every text that `{principal}` may stand in.
    fn texts(&mut self, each: &mut dyn FnMut(&mut String)) {
        let path = |path: &mut PathBuf, each: &mut dyn FnMut(&mut String)| {
            // It was text when it was read.
            let mut text = path.to_string_lossy().into_owned();
            each(&mut text);
            *path = text.into();
        };
        for value in self.environment.values_mut() {
            match value {
                PrincipalValue::Text(text) => each(&mut text.0),
                PrincipalValue::File { file } => path(file, each),
            }
        }
        if let Some(folder) = &mut self.folder {
            path(folder, each);
        }
        for value in self.set.values_mut() {
            match value {
                Pinned::Switch(_) => {}
                Pinned::Text(text) => each(text),
                Pinned::List(list) => list.iter_mut().for_each(&mut *each),
            }
        }
    }
}

/// Returns true if a name means nothing but itself in paths and command lines.
fn is_plain(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    !name.is_empty() && !name.starts_with(['.', '-']) && name.chars().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_put_in_only_where_it_means_nothing_else() {
        let text = "principals: {'*': {folder: '/srv/{principal}', environment: {HOME: '/h/{principal}'}}}";
        let config = Config::parse(text, "charmer.yaml").expect("it is right");
        for name in ["ann", "night-shift", "a.b_c", "_x", "7"] {
            let rules = config.principal(name).expect("an entry").expect(name);
            assert_eq!(rules.folder, Some(PathBuf::from(format!("/srv/{name}"))));
        }
        for name in [
            "",
            ".",
            "..",
            ".x",
            "-x",
            "a/b",
            "a@b",
            "a b",
            "a\n",
            "é",
            "{principal}",
        ] {
            let refused = config.principal(name).expect("an entry");
            assert_eq!(refused, Err(BadPrincipalName(name.into())));
        }
        // Where it is not written, any name will do.
        let config = Config::parse("principals: {'*': {deny: [sail]}}", "charmer.yaml");
        let config = config.expect("it is right");
        assert!(config.principal("bob@ops").expect("an entry").is_ok());
    }

    #[test]
    fn bounds_only_become_tighter() {
        let text = "principals: {ann: {limits: {timeout: 5s, output: 100000, grace: 1s, capture: 1MiB, max_calls: 3}}}";
        let config = Config::parse(text, "charmer.yaml").expect("it is right");
        let ann = config.principal("ann").expect("an entry").expect("a name");
        let mut limits = Limits::default();
        let output = limits.output_chars;
        ann.limits.lower(&mut limits);
        assert_eq!((limits.timeout.as_secs(), limits.output_chars), (5, output));
        assert_eq!((limits.grace.as_secs(), limits.capture_bytes), (1, 1 << 20));
        assert_eq!(ann.limits.http.max_calls, Some(3));
        assert_eq!(config.principal("bob"), None);
    }
}
