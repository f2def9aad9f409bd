//! The key `ask` of a file, a source or a selector: the calls that a person must allow.

use std::time::Duration;

use charmer_core::model::Effect;
use charmer_run::{AskRule, AskWay, AskWhen};
use serde::{Serialize, Serializer, ser::SerializeMap};

use crate::{Pattern, Position, units::format_duration};

/// The words of `when`.
pub(crate) const WHEN: &[(&str, AskWhen)] = &[
    ("always", AskWhen::Always),
    ("once", AskWhen::Once),
    ("never", AskWhen::Never),
];

/// One rule of the key `ask`; the first that matches a call decides. Those of a selector go before those of its source, and
/// these before those of the file.
///
/// ```
/// # use charmer_config::Config;
/// # use charmer_core::model::Effect;
/// let text = "
/// ask: destroy
/// sources:
///   - binary: git
///     ask:
///       - {command: push, argument: force, when: always, by: [terminal]}
///       - {effect: write, argument: message, pattern: 'wip.*', when: never}
///       - {effect: write, when: once, timeout: 2m}
/// ";
/// let config = Config::parse(text, "charmer.yaml").unwrap();
/// assert_eq!(config.ask[0].effect, Some(Effect::Destroy));
/// assert_eq!(config.sources[0].ask.len(), 3);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AskEntry {
    /// Only calls of this effect: or worse, where it asks; or milder, where it does not.
    pub effect: Option<Effect>,
    /// Only these commands and those below them, as globs; all, if it is empty.
    pub command: Vec<String>,
    /// Only calls that give this argument.
    pub argument: Option<String>,
    /// Only those of them that give it a value that matches this as a whole.
    pub pattern: Option<Pattern>,
    /// The frequency with which a person is asked.
    pub when: AskWhen,
    /// The ways to ask; whichever there is, if it is empty.
    pub by: Vec<AskWay>,
    /// The time that a person has.
    pub timeout: Option<Duration>,
    /// Where it stands in the file.
    pub position: Position,
}

impl AskEntry {
    /// A rule for every call.
    pub fn new(when: AskWhen) -> Self {
        Self {
            effect: None,
            command: Vec::new(),
            argument: None,
            pattern: None,
            when,
            by: Vec::new(),
            timeout: None,
            position: Position::default(),
        }
    }

    /// The same for whatever runs calls, without its commands. `said` names it to whoever is asked.
    pub fn rule(&self, said: String) -> AskRule {
        let mut rule = AskRule::new(self.when, said).by(self.by.iter().copied());
        if let Some(effect) = self.effect {
            rule = rule.effect(effect);
        }
        if let Some(timeout) = self.timeout {
            rule = rule.timeout(timeout);
        }
        let pattern = self.pattern.as_ref().map(Pattern::as_str);
        match &self.argument {
            Some(argument) => rule
                .argument(argument, pattern)
                .expect("the pattern was compiled when the file was read"),
            None => rule,
        }
    }
}

impl Serialize for AskEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(effect) = &self.effect {
            map.serialize_entry("effect", effect.name())?;
        }
        if !self.command.is_empty() {
            map.serialize_entry("command", &self.command)?;
        }
        if let Some(argument) = &self.argument {
            map.serialize_entry("argument", argument)?;
        }
        if let Some(pattern) = &self.pattern {
            map.serialize_entry("pattern", pattern)?;
        }
        let when = WHEN.iter().find(|(_, when)| *when == self.when);
        map.serialize_entry("when", when.map_or("always", |(word, _)| word))?;
        if !self.by.is_empty() {
            let by: Vec<&str> = self.by.iter().map(|way| way.as_str()).collect();
            map.serialize_entry("by", &by)?;
        }
        if let Some(timeout) = &self.timeout {
            map.serialize_entry("timeout", &format_duration(*timeout))?;
        }
        map.end()
    }
}
