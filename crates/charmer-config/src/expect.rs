//! The key `expect` of a source: command lines that must, or must not, get through.

use serde::Serialize;

/// One entry of `expect`: a command line as people type it, without the program's name, and the decision that is expected.
/// `charmer check` compares it with the decision that a call would get; nothing is run.
///
/// ```
/// # use charmer_config::{Config, Expectation};
/// let text = "sources: [{binary: kubectl, expect: [{allow: get pods}, {deny: delete ns prod}]}]";
/// let config = Config::parse(text, "charmer.yaml").unwrap();
/// assert_eq!(config.sources[0].expect[1], Expectation::Deny("delete ns prod".into()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Expectation {
    /// The command line is run.
    Allow(String),
    /// The command line is refused, or its command is not offered.
    Deny(String),
}

impl Expectation {
    /// The key of the expected decision.
    pub fn key(&self) -> &'static str {
        match self {
            Self::Allow(_) => "allow",
            Self::Deny(_) => "deny",
        }
    }

    /// The command line.
    pub fn line(&self) -> &str {
        let (Self::Allow(line) | Self::Deny(line)) = self;
        line
    }
}
