//! The standing of a tool: whether the program is still the one that the tool was made from.

use std::{fmt, sync::Arc};

/// The verdict on a tool's program at a moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Standing {
    /// It is what the tool was made from.
    #[default]
    Current,
    /// It has changed, and is being read again.
    Changed,
    /// It has changed, and could not be read again for this reason.
    Lost(String),
}

/// Somebody who knows the standing of a tool. It is asked before each call, where nobody may wait, so it does no more
/// than look at files.
#[derive(Clone)]
pub struct StandingCheck(Arc<dyn Fn() -> Standing + Send + Sync>);

impl StandingCheck {
    /// Asks this function.
    pub fn new(check: impl Fn() -> Standing + Send + Sync + 'static) -> Self {
        Self(Arc::new(check))
    }

    /// The standing now.
    pub fn now(&self) -> Standing {
        (self.0)()
    }
}

impl fmt::Debug for StandingCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StandingCheck(..)")
    }
}
