//! Commands that a program has and that cannot be called: a rule keeps them out, or they could not be read. Whoever asks
//! for one is told.

use std::{collections::HashMap, sync::Arc};

use crate::CallError;

/// A command that is not offered.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Excluded {
    /// The name that its tool would have.
    pub name: String,
    /// The reason why it is not offered, with the rule.
    pub why: String,
}

impl Excluded {
    /// A command that is not offered for this reason.
    pub fn new(name: impl Into<String>, why: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            why: why.into(),
        }
    }
}

/// The commands that are not offered, found by name, however it is written. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct ExcludedCommands {
    named: Arc<HashMap<String, Excluded>>,
    /// Sentences about what could not be read.
    unread: Arc<[String]>,
}

impl ExcludedCommands {
    pub(crate) fn new(excluded: impl IntoIterator<Item = Excluded>) -> Self {
        let excluded = excluded.into_iter();
        let named = excluded.map(|command| (plain_name(&command.name), command));
        Self {
            named: Arc::new(named.collect()),
            unread: Arc::default(),
        }
    }

    /// The same, and these.
    pub(crate) fn and(&self, more: impl IntoIterator<Item = Excluded>) -> Self {
        let known = self.named.values().cloned();
        Self {
            unread: Arc::clone(&self.unread),
            ..Self::new(known.chain(more))
        }
    }

    pub(crate) fn set_unread(&mut self, sentences: Vec<String>) {
        self.unread = sentences.into();
    }

    /// Sentences about what could not be read.
    #[cfg(feature = "search")]
    pub(crate) fn unread(&self) -> &[String] {
        &self.unread
    }

    /// Says why there is no command of a name, if a rule is the reason.
    pub(crate) fn refusal(&self, name: &str) -> Option<CallError> {
        let Excluded { name, why } = self.named.get(&plain_name(name))?;
        Some(CallError::refused(format!(
            "`{name}` is not offered: {why}"
        )))
    }
}

/// A name as it is compared: words may be separated by spaces, `/` or `_`.
pub(crate) fn plain_name(name: &str) -> String {
    let words = name.split(|c: char| c.is_whitespace() || matches!(c, '/' | '_'));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("_").to_lowercase()
}
