//! Makes a call path always ready: what tower does in `poll_ready`, such as waiting for a permit, happens in the call.
//!
//! A path is cloned for each call and called at once. Without this, a layer that hands out permits in `poll_ready`
//! (`tower::limit::ConcurrencyLimit`) would panic, and one that looks at it (`tower::load_shed`) would shed everything.

use std::task::{Context, Poll};

use tower::{Service, ServiceExt, util::Oneshot};

use crate::Call;

/// See the module's documentation.
#[derive(Debug, Clone)]
pub(crate) struct Readied<S>(pub(crate) S);

impl<S: Service<Call> + Clone> Service<Call> for Readied<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = Oneshot<S, Call>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> Self::Future {
        self.0.clone().oneshot(call)
    }
}
