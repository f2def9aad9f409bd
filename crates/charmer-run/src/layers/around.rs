//! A layer around a call path: what the ready-made layers share.

use std::sync::Arc;

use tower_layer::Layer;

#[cfg(feature = "hook-programs")]
use crate::hook_programs::{Explained, Judged};
#[cfg(feature = "jobs")]
use crate::jobs::Detach;
use crate::{Call, CallError, CallService, Hooks, Outcome};

#[cfg(feature = "approval")]
use super::Ask;
#[cfg(feature = "data")]
use super::Structure;
use super::{Audit, GivenData, RateLimit, Retry, Timeout};

/// Handles calls on their way to the path behind it.
pub trait Around: Send + Sync + 'static {
    /// Handles one call: hands it on, changed or not, or answers it.
    fn around(
        self: Arc<Self>,
        call: Call,
        inner: CallService,
    ) -> impl Future<Output = Result<Outcome, CallError>> + Send + 'static;
}

/// Makes `tower` layers of types that are [`Around`] a call path.
macro_rules! layers {
    ($($layer:ident)*) => {$(
        impl Layer<CallService> for $layer {
            type Service = CallService;

            fn layer(&self, inner: CallService) -> CallService {
                around(Arc::new(self.clone()), inner)
            }
        }
    )*};
}

layers!(Audit GivenData Hooks RateLimit Retry Timeout);
#[cfg(feature = "approval")]
layers!(Ask);
#[cfg(feature = "hook-programs")]
layers!(Explained Judged);
#[cfg(feature = "data")]
layers!(Structure);
#[cfg(feature = "jobs")]
layers!(Detach);

/// A call path with a layer around it.
fn around<L: Around>(layer: Arc<L>, inner: CallService) -> CallService {
    CallService::new(move |call| Arc::clone(&layer).around(call, inner.clone()))
}
