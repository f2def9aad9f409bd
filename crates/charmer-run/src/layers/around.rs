//! A layer around a call path: what the ready-made layers share.

use std::{
    fmt,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use tower::{Layer, Service};

#[cfg(feature = "hook-programs")]
use crate::hook_programs::{Explained, Judged};
use crate::{Call, CallError, CallService, Hooks, Outcome};

#[cfg(feature = "data")]
use super::Structure;
use super::{Ask, Audit, GivenData, RateLimit, Retry, Timeout};

/// Handles calls on their way to the path behind it.
pub trait Around: Send + Sync + 'static {
    /// Handles one call: hands it on, changed or not, or answers it.
    fn around(
        self: Arc<Self>,
        call: Call,
        inner: CallService,
    ) -> impl Future<Output = Result<Outcome, CallError>> + Send;
}

/// Makes `tower` layers of types that are [`Around`] a call path.
macro_rules! layers {
    ($($layer:ident)*) => {$(
        impl Layer<CallService> for $layer {
            type Service = Layered<Self>;

            fn layer(&self, inner: CallService) -> Layered<Self> {
                Layered::new(self, inner)
            }
        }
    )*};
}

layers!(Ask Audit GivenData Hooks RateLimit Retry Timeout);
#[cfg(feature = "hook-programs")]
layers!(Explained Judged);
#[cfg(feature = "data")]
layers!(Structure);

/// A call path with a layer around it.
pub struct Layered<L> {
    layer: Arc<L>,
    inner: CallService,
}

impl<L: Clone> Layered<L> {
    /// This layer around a call path.
    fn new(layer: &L, inner: CallService) -> Self {
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
    type Future = Pin<Box<dyn Future<Output = Result<Outcome, CallError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), CallError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> Self::Future {
        Box::pin(Arc::clone(&self.layer).around(call, self.inner.clone()))
    }
}
