//! The four hints of the protocol, each set explicitly, unknown on the cautious side.

use serde_json::Value;

use crate::model::{Effect, Hints};

/// The annotations by which a client learns a tool's behaviour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Annotations {
    /// It changes nothing.
    pub read_only: bool,
    /// It may delete or overwrite.
    pub destructive: bool,
    /// Running it twice is the same as running it once.
    pub idempotent: bool,
    /// It reaches beyond this machine.
    pub open_world: bool,
}

impl Annotations {
    /// The hints that follow from what is known.
    pub fn new(hints: &Hints) -> Self {
        let read_only = hints.effect == Effect::Read;
        Self {
            read_only,
            destructive: matches!(hints.effect, Effect::Destroy | Effect::Unknown),
            idempotent: hints.idempotent.unwrap_or(read_only),
            open_world: hints.open_world.unwrap_or(true),
        }
    }

    /// The hints by the names that the protocol has for them. A `terse` list leaves out what a client assumes anyway:
    /// that a tool changes things, may delete, is not the same when it is run twice, and reaches beyond the machine.
    ///
    /// ```
    /// use charmer_core::{model::Hints, tool::Annotations};
    /// let reads = Annotations::new(&Hints::reads());
    /// assert_eq!(reads.told(true).collect::<Vec<_>>(), [("readOnlyHint", true)]);
    /// assert_eq!(reads.told(false).count(), 4);
    /// ```
    pub fn told(self, terse: bool) -> impl Iterator<Item = (&'static str, bool)> {
        let hints = [
            ("readOnlyHint", self.read_only, false),
            // Of what only reads, the next two say nothing.
            ("destructiveHint", self.destructive, !self.read_only),
            ("idempotentHint", self.idempotent, self.read_only),
            ("openWorldHint", self.open_world, true),
        ];
        let told = hints
            .into_iter()
            .filter(move |(_, value, assumed)| !terse || value != assumed);
        told.map(|(name, value, _)| (name, value))
    }

    /// All of them as JSON.
    pub fn to_json(self) -> Value {
        self.told_json(false)
    }

    pub(super) fn told_json(self, terse: bool) -> Value {
        let told = self
            .told(terse)
            .map(|(name, value)| (name.to_owned(), value.into()));
        Value::Object(told.collect())
    }
}
