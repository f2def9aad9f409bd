//! A layer around a call path: what the ready-made layers share.

use std::{
    fmt,
    sync::Arc,
    task::{Context, Poll},
};

use tower::Service;

use crate::{Call, CallError, CallService, Outcome};

use super::Answer;

/// Handles calls on their way to the path behind it.
pub trait Around: Send + Sync + 'static {
    /// Handles one call: hands it on, changed or not, or answers it.
    fn around(self: Arc<Self>, call: Call, inner: CallService) -> Answer;
}

/// A call path with a layer around it.
pub struct Layered<L> {
    layer: Arc<L>,
    inner: CallService,
}

impl<L: Clone> Layered<L> {
    /// This layer around a call path.
    pub(crate) fn new(layer: &L, inner: CallService) -> Self {
        Self {
            layer: Arc::new(layer.clone()),
            inner,
        }
    }
}

impl<L> Clone for Layered<L> {
    fn clone(&self) -> Self {
        Self {
            layer: Arc::clone(&self.layer),
            inner: self.inner.clone(),
        }
    }
}

impl<L: fmt::Debug> fmt::Debug for Layered<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Layered").field(&self.layer).finish()
    }
}

impl<L: Around> Service<Call> for Layered<L> {
    type Response = Outcome;
    type Error = CallError;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), CallError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> Answer {
        Arc::clone(&self.layer).around(call, self.inner.clone())
    }
}
