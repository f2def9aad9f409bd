//! The words that lead to a command: `docker container ls` is `container ls` under the root `docker`.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The words from the root's first child down to a command; empty for the root itself.
///
/// The root's own name is not part of it, because a program may be called under any name.
///
/// ```
/// use charmer_core::model::CommandPath;
/// let path = CommandPath::parse("container ls");
/// assert_eq!(path.words(), ["container", "ls"]);
/// assert_eq!(path.glob_form(), "container/ls");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct CommandPath(Vec<String>);

impl CommandPath {
    /// The path of the root command.
    pub fn root() -> Self {
        Self::default()
    }

    /// A path from words separated by white space or slashes.
    pub fn parse(text: &str) -> Self {
        text.split(|c: char| c.is_whitespace() || c == '/')
            .filter(|word| !word.is_empty())
            .collect()
    }

    /// This path with one more word.
    #[must_use]
    pub fn child(&self, word: impl Into<String>) -> Self {
        let mut words = self.0.clone();
        words.push(word.into());
        Self(words)
    }

    /// The words, outermost first.
    pub fn words(&self) -> &[String] {
        &self.0
    }

    /// Returns true if this is the root.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The words joined by `/`, the form that globs are matched against.
    pub fn glob_form(&self) -> String {
        self.0.join("/")
    }
}

impl<S: Into<String>> FromIterator<S> for CommandPath {
    fn from_iter<I: IntoIterator<Item = S>>(words: I) -> Self {
        Self(words.into_iter().map(Into::into).collect())
    }
}

impl From<&str> for CommandPath {
    fn from(text: &str) -> Self {
        Self::parse(text)
    }
}

impl fmt::Display for CommandPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(" "))
    }
}
