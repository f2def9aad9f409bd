//! A shorter time for some calls.
//!
//! tower's timeout drops the call, and with it what the program has said so far. This one only lowers the call's own
//! limit: the engine ends the program, and what it wrote until then is in the answer.

use std::{
    task::{Context, Poll},
    time::Duration,
};

use tower::{Layer, Service};

use crate::{Call, CallError, CallService, Outcome};

use super::Answer;

/// Lowers how long a call may take; a limit that is already lower stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeout(Duration);

impl Timeout {
    /// At most this long.
    pub fn new(timeout: Duration) -> Self {
        Self(timeout)
    }
}

impl Layer<CallService> for Timeout {
    type Service = TimeoutService;

    fn layer(&self, inner: CallService) -> TimeoutService {
        TimeoutService {
            timeout: self.0,
            inner,
        }
    }
}

/// A call path with a [`Timeout`].
#[derive(Debug, Clone)]
pub struct TimeoutService {
    timeout: Duration,
    inner: CallService,
}

impl Service<Call> for TimeoutService {
    type Response = Outcome;
    type Error = CallError;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), CallError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut call: Call) -> Answer {
        call.limits.timeout = call.limits.timeout.min(self.timeout);
        self.inner.call(call)
    }
}
