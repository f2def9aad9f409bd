//! A shorter time for some calls.
//!
//! tower's timeout drops the call, and with it what the program has said so far. This one only lowers the call's own
//! limit: the engine ends the program, and what it wrote until then is in the answer.

use std::{sync::Arc, time::Duration};

use tower_service::Service;

use crate::{Call, CallError, CallService, Outcome};

use super::Around;

/// Lowers how long a call may take; a limit that is already lower stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeout(Duration);

impl Timeout {
    /// At most this long.
    pub fn new(timeout: Duration) -> Self {
        Self(timeout)
    }
}

impl Around for Timeout {
    async fn around(
        self: Arc<Self>,
        mut call: Call,
        mut inner: CallService,
    ) -> Result<Outcome, CallError> {
        call.limits.timeout = call.limits.timeout.min(self.0);
        inner.call(call).await
    }
}
