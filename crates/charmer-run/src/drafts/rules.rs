//! The operator's rules on drafts: which calls become one, what may be applied, by whom, and how much is kept.

use std::time::Duration;

use charmer_core::model::Effect;

/// The one who may apply a draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applier {
    /// Whoever made the call, by the tool `draft`; a person as well.
    Assistant,
    /// A person only, by `charmer drafts apply` or by being asked.
    Person,
}

impl Applier {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Assistant => "assistant",
            Self::Person => "person",
        }
    }
}

/// The rules on drafts; see the module's documentation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DraftRules {
    /// Calls of this effect and worse are drafts, whatever their caller asked for; none, if it is not set.
    pub effect: Option<Effect>,
    /// The largest number of files that a draft which is applied may change.
    pub at_most: Option<usize>,
    /// Globs of paths, relative to a folder, that a draft which is applied must not change. Of several that match a path
    /// the last decides; one that begins with `!` is an exception.
    pub never: Vec<String>,
    /// The one who may apply drafts; if it is not set, the assistant those that it asked for, and a person those of a
    /// rule.
    pub apply: Option<Applier>,
    /// The number of bytes that a draft may take on disk.
    pub disk_bytes: u64,
    /// The number of bytes that a folder may hold of which a copy is made, where the system offers no view of it.
    pub copy_bytes: u64,
    /// The time that a draft is kept.
    pub lifetime: Duration,
}

impl Default for DraftRules {
    fn default() -> Self {
        Self {
            effect: None,
            at_most: None,
            // What is written there is run by others, later and unconfined. The samples are not.
            never: vec!["**/.git/hooks/**".into(), "!**/*.sample".into()],
            apply: None,
            disk_bytes: 1 << 30,
            copy_bytes: 256 << 20,
            lifetime: Duration::from_secs(3600),
        }
    }
}
