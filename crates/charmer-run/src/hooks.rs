//! Hooks before and after a run, as a layer.
//!
//! A hook before may change or refuse the call; a refusal starts nothing. A hook after may change what came of it.

use std::{
    sync::Arc,
    task::{Context, Poll},
};

use tower::{Layer, Service};

use crate::{Call, CallError, CallService, Outcome};

/// Runs before a call; may change it, or refuse it with an error.
pub type Before = Arc<dyn Fn(&mut Call) -> Result<(), CallError> + Send + Sync>;
/// Runs after a call that got past the hooks before it; may change what came of it.
pub type After =
    Arc<dyn Fn(&Call, Result<Outcome, CallError>) -> Result<Outcome, CallError> + Send + Sync>;

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
    type Service = HookService;

    fn layer(&self, inner: CallService) -> HookService {
        HookService {
            hooks: Arc::new(self.clone()),
            inner,
        }
    }
}

/// A call path with hooks around it.
#[derive(Debug, Clone)]
pub struct HookService {
    hooks: Arc<Hooks>,
    inner: CallService,
}

impl Service<Call> for HookService {
    type Response = Outcome;
    type Error = CallError;
    type Future = std::pin::Pin<Box<dyn Future<Output = Result<Outcome, CallError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), CallError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut call: Call) -> Self::Future {
        let hooks = Arc::clone(&self.hooks);
        let mut inner = self.inner.clone();
        Box::pin(async move {
            for before in &hooks.before {
                before(&mut call)?;
            }
            if hooks.after.is_empty() {
                return inner.call(call).await;
            }
            let seen = call.clone();
            let outcome = inner.call(call).await;
            hooks
                .after
                .iter()
                .fold(outcome, |outcome, after| after(&seen, outcome))
        })
    }
}
