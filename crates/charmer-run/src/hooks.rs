//! Hooks before and after a run, as a layer.
//!
//! A hook before may change or refuse the call; a refusal starts nothing. A hook after may change what came of it.

use std::sync::Arc;

use tower::{Layer, Service};

use crate::{
    Call, CallError, CallService, ErrorCode, Outcome,
    layers::{Answer, Around, Layered},
};

/// Runs before a call; may change it, or refuse it with an error.
pub type Before = Arc<dyn Fn(&mut Call) -> Result<(), CallError> + Send + Sync>;
/// Runs after a call that got past the hooks before it; may change what came of it.
pub type After =
    Arc<dyn Fn(&Call, Result<Outcome, CallError>) -> Result<Outcome, CallError> + Send + Sync>;

/// The error of a hook before a call: nothing has run that could have failed, so text alone is a refusal.
fn as_refusal(mut error: CallError) -> CallError {
    if error.code == ErrorCode::Failed {
        error.code = ErrorCode::NotPermitted;
    }
    error
}

/// A layer of hooks: those before run in order, those after too.
#[derive(Clone, Default)]
pub struct Hooks {
    before: Vec<Before>,
    after: Vec<After>,
}

impl Hooks {
    /// No hooks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a hook that runs before.
    #[must_use]
    pub fn before(
        mut self,
        hook: impl Fn(&mut Call) -> Result<(), CallError> + Send + Sync + 'static,
    ) -> Self {
        self.before.push(Arc::new(hook));
        self
    }

    /// Adds a hook that runs after.
    #[must_use]
    pub fn after(
        mut self,
        hook: impl Fn(&Call, Result<Outcome, CallError>) -> Result<Outcome, CallError>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        self.after.push(Arc::new(hook));
        self
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.before.is_empty() && self.after.is_empty()
    }
}

impl std::fmt::Debug for Hooks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Hooks(before: {}, after: {})",
            self.before.len(),
            self.after.len()
        )
    }
}

impl Layer<CallService> for Hooks {
    type Service = Layered<Self>;

    fn layer(&self, inner: CallService) -> Layered<Self> {
        Layered::new(self, inner)
    }
}

impl Around for Hooks {
    fn around(self: Arc<Self>, mut call: Call, mut inner: CallService) -> Answer {
        Box::pin(async move {
            for before in &self.before {
                before(&mut call).map_err(as_refusal)?;
            }
            if self.after.is_empty() {
                return inner.call(call).await;
            }
            let seen = call.clone();
            let outcome = inner.call(call).await;
            let after = self.after.iter();
            after.fold(outcome, |outcome, after| after(&seen, outcome))
        })
    }
}
