//! The key `drafts`: which calls are proposals, what of them may be applied, and by whom.

use std::time::Duration;

use charmer_core::model::Effect;
use charmer_run::{Applier, DraftRules};
use serde::{Serialize, Serializer};

use crate::{Config, SourceEntry, units::write_optional_duration};

/// The key `drafts`: an effect, or a mapping. What is not set keeps its default.
///
/// ```
/// # use charmer_config::Config;
/// let text = "
/// drafts:
///   effect: write
///   at_most: 20 files
///   never: ['.git/hooks/**', '**/.env']
///   apply: person
/// ";
/// let drafts = Config::parse(text, "charmer.yaml").unwrap().drafts;
/// assert_eq!(drafts.at_most, Some(20));
/// let short = Config::parse("drafts: write", "charmer.yaml").unwrap().drafts;
/// assert_eq!(short.effect, drafts.effect);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DraftSettings {
    /// Calls of this effect and worse are drafts, whatever was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
    /// The largest number of files that a draft which is applied may change.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_files"
    )]
    pub at_most: Option<usize>,
    /// Globs of paths, relative to the folder, that a draft which is applied must not change; an exception begins with `!`,
    /// and the last that matches decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub never: Option<Vec<String>>,
    /// The one who applies drafts; if it is not set, the assistant those that it asked for, and a person those of a
    /// rule.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_applier"
    )]
    pub apply: Option<Applier>,
    /// The number of bytes that a draft may take on disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk: Option<u64>,
    /// The time that a draft is kept.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_optional_duration"
    )]
    pub lifetime: Option<Duration>,
}

/// The key `drafts` of a source: which of its calls are drafts, in the place of what the file says.
///
/// ```
/// # use charmer_config::Config;
/// let text = "
/// drafts: write
/// sources: [{binary: git}, {binary: kubectl, drafts: never}]
/// ";
/// let config = Config::parse(text, "charmer.yaml").unwrap();
/// assert!(config.drafted(Some(&config.sources[0])).is_some());
/// assert!(config.drafted(Some(&config.sources[1])).is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DraftedCalls {
    /// Those of this effect and worse.
    From(Effect),
    /// None, but for those that a caller wants to be some.
    Never,
}

impl DraftedCalls {
    /// The effect from which on calls are drafts, if there is one.
    pub fn effect(self) -> Option<Effect> {
        match self {
            Self::From(effect) => Some(effect),
            Self::Never => None,
        }
    }

    /// The word for it.
    pub(crate) fn name(self) -> &'static str {
        self.effect().map_or("never", Effect::name)
    }
}

impl Serialize for DraftedCalls {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl Config {
    /// The effect from which on calls of a source are drafts, whatever was asked for: the source's own word, or the file's.
    /// What an included file says holds as well.
    pub fn drafted(&self, source: Option<&SourceEntry>) -> Option<Effect> {
        let own = source.and_then(|source| source.drafts);
        let own = own.map_or(self.drafts.effect, DraftedCalls::effect);
        let base = self.baseline.as_deref().and_then(|base| {
            let source = source.and_then(|source| source.baseline.as_deref());
            base.drafted(source)
        });
        match (own, base) {
            (Some(own), Some(base)) => Some(own.min(base)),
            (own, base) => own.or(base),
        }
    }
}

/// The words for who applies drafts.
pub(crate) const APPLIERS: [(&str, Applier); 2] = [
    ("assistant", Applier::Assistant),
    ("person", Applier::Person),
];

impl DraftSettings {
    /// The same as rules.
    pub fn rules(&self) -> DraftRules {
        let mut rules = DraftRules::default();
        rules.effect = self.effect;
        rules.at_most = self.at_most;
        rules.apply = self.apply;
        if let Some(never) = &self.never {
            rules.never.clone_from(never);
        }
        rules.disk_bytes = self.disk.unwrap_or(rules.disk_bytes);
        rules.lifetime = self.lifetime.unwrap_or(rules.lifetime);
        rules
    }
}

fn write_files<S: Serializer>(count: &Option<usize>, serializer: S) -> Result<S::Ok, S::Error> {
    match count {
        Some(count) => serializer.serialize_str(&format!("{count} files")),
        None => serializer.serialize_none(),
    }
}

fn write_applier<S: Serializer>(who: &Option<Applier>, serializer: S) -> Result<S::Ok, S::Error> {
    match who {
        Some(who) => serializer.serialize_str(who.name()),
        None => serializer.serialize_none(),
    }
}
