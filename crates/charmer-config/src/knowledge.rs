//! Knowledge of a program that its help does not give: the keys that a source of `charmer.yaml` shares with a profile.

use std::collections::BTreeMap;

use serde::Serialize;

/// Knowledge of a program, beside the overrides of its commands.
///
/// ```
/// # use charmer_config::Config;
/// let text = "
/// sources:
///   - binary: ship
///     helpers: [ssh]
///     caches: [SHIP_CACHE]
///     prints_secrets: [config view --raw]
///     long_running: [build]
///     common: [status, log]
///     phrases: {log: [what happened lately]}
///     repeated: {load: [--tag]}
///     json: {status: --output json}
///     preview: {load: --dry-run}
/// ";
/// let config = Config::parse(text, "charmer.yaml").unwrap();
/// assert_eq!(config.sources[0].known.common, ["status", "log"]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Knowledge {
    /// The programs that it starts. Where they are listed, a call that reads and has network executes nothing else.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub helpers: Vec<String>,
    /// The variables that say where its caches are. For calls that read, they name a folder of ours that can be written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub caches: Vec<String>,
    /// The commands that print secrets, each with the flags without which it does not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prints_secrets: Vec<String>,
    /// The commands that take minutes, or go on until they are stopped.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub long_running: Vec<String>,
    /// The commands that people use most, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub common: Vec<String>,
    /// The way people ask for a command, by command.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub phrases: BTreeMap<String, Vec<String>>,
    /// The flags that keep every value when they are given again, by command; `'*'` is for every command that has them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub repeated: BTreeMap<String, Vec<String>>,
    /// The flags that make a command print JSON, by command; `'*'` is for every command that has them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub json: BTreeMap<String, String>,
    /// The flags, or the other command, that show what a command would do, by command; `'*'` is for every command that has
    /// them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub preview: BTreeMap<String, String>,
}

impl Knowledge {
    /// This, and where it says nothing, what another says: a list as a whole, a mapping entry by entry.
    #[must_use]
    pub fn over(mut self, base: &Self) -> Self {
        let lists = [
            (&mut self.helpers, &base.helpers),
            (&mut self.caches, &base.caches),
            (&mut self.prints_secrets, &base.prints_secrets),
            (&mut self.long_running, &base.long_running),
            (&mut self.common, &base.common),
        ];
        for (own, base) in lists {
            if own.is_empty() {
                own.clone_from(base);
            }
        }
        fill(&mut self.phrases, &base.phrases);
        fill(&mut self.repeated, &base.repeated);
        fill(&mut self.json, &base.json);
        fill(&mut self.preview, &base.preview);
        self
    }
}

/// Adds the entries whose keys are not there.
pub(crate) fn fill<V: Clone>(own: &mut BTreeMap<String, V>, base: &BTreeMap<String, V>) {
    for (key, value) in base {
        own.entry(key.clone()).or_insert_with(|| value.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_stands_and_the_rest_is_filled_in() {
        let list = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let one = |key: &str, value: &str| BTreeMap::from([(key.to_owned(), value.to_owned())]);
        let base = Knowledge {
            common: list(&["log", "diff"]),
            caches: list(&["CACHE"]),
            json: one("log", "--json"),
            ..Knowledge::default()
        };
        let own = Knowledge {
            common: list(&["status"]),
            json: one("status", "-o json"),
            ..Knowledge::default()
        };
        let both = own.over(&base);
        assert_eq!(both.common, ["status"]);
        assert_eq!(both.caches, ["CACHE"]);
        assert_eq!(both.json.len(), 2);
    }
}
