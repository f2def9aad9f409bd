//! The four hints of the protocol, each set explicitly, unknown on the cautious side.

use serde_json::{Value, json};

use crate::model::{Effect, Hints};

/// What a client is told about a tool's behaviour.
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

    /// The hints as the protocol names them.
    pub fn to_json(self) -> Value {
        json!({
            "readOnlyHint": self.read_only,
            "destructiveHint": self.destructive,
            "idempotentHint": self.idempotent,
            "openWorldHint": self.open_world,
        })
    }
}
