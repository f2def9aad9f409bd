//! Which request ids are in use, so that an id is not given out twice.
//!
//! rmcp keys everything by id: a second request under an id that is still running orphans the first
//! one and its cancellation token, and the first one's answer goes out as the second's.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use rmcp::model::{ClientRequest, RequestId};
use tokio_util::sync::CancellationToken;

use crate::Listing;

/// The ids of requests that were delivered and are neither answered nor, if cancelled, finished.
/// Clones share one registry.
#[derive(Clone, Default)]
pub(crate) struct InFlight {
    entries: Arc<Mutex<HashMap<RequestId, Entry>>>,
}

/// What is known of a request in flight.
struct Entry {
    /// Its work goes on for a while after it is cancelled (a process has to die).
    long: bool,
    cancelled: bool,
    finished: bool,
    /// What its answer lists, and what to cancel when that is written.
    listing: Option<(Listing, CancellationToken)>,
}

impl Entry {
    /// A cancelled request gets no answer, so only the end of its work can free its id.
    fn is_over(&self) -> bool {
        self.cancelled && (self.finished || !self.long)
    }
}

impl InFlight {
    /// Enters a request that is about to be delivered. `false` means that its id is in use and
    /// that nothing was entered.
    #[must_use]
    pub(super) fn enter(&self, id: &RequestId, request: &ClientRequest) -> bool {
        let mut entries = self.lock();
        if entries.contains_key(id) {
            return false;
        }
        let long = matches!(request, ClientRequest::CallToolRequest(_));
        entries.insert(
            id.clone(),
            Entry {
                long,
                cancelled: false,
                finished: false,
                listing: None,
            },
        );
        true
    }

    /// The answer to a request is on its way out: the id is free. Says what it is to list, if that is written already.
    pub(super) fn answered(&self, id: &RequestId) -> Option<(Listing, CancellationToken)> {
        self.lock().remove(id)?.listing
    }

    /// The answer to this request is going to list these tools; `written` is cancelled when the client has it.
    pub(crate) fn list(&self, id: &RequestId, listing: Listing, written: CancellationToken) {
        self.update(id, |entry| entry.listing = Some((listing, written)));
    }

    /// The client has cancelled a request. Its answer will not be seen, because rmcp drops it; the
    /// id of a tool call stays in use until [`InFlight::finished`].
    pub(super) fn cancelled(&self, id: &RequestId) {
        self.update(id, |entry| entry.cancelled = true);
    }

    /// The work of a tool call has ended: nothing of it can answer any more. To be called once for
    /// each call, whether it was cancelled or not; where it was not, its answer frees the id.
    pub(crate) fn finished(&self, id: &RequestId) {
        self.update(id, |entry| entry.finished = true);
    }

    /// Whether an id is in use.
    pub(crate) fn contains(&self, id: &RequestId) -> bool {
        self.lock().contains_key(id)
    }

    fn update(&self, id: &RequestId, change: impl FnOnce(&mut Entry)) {
        let mut entries = self.lock();
        if let Some(entry) = entries.get_mut(id) {
            change(entry);
            if entry.is_over() {
                entries.remove(id);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for InFlight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.lock().keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::{CallToolRequest, CallToolRequestParams, PingRequest};

    use super::*;

    fn call() -> ClientRequest {
        CallToolRequest::new(CallToolRequestParams::new("x")).into()
    }

    fn ping() -> ClientRequest {
        PingRequest::default().into()
    }

    #[test]
    fn an_answer_frees_the_id_and_the_end_of_the_work_alone_does_not() {
        let ids = InFlight::default();
        let one = RequestId::Number(1);
        assert!(ids.enter(&one, &call()));
        assert!(!ids.enter(&one, &ping()));
        ids.finished(&one);
        assert!(ids.contains(&one));
        ids.answered(&one);
        assert!(ids.enter(&one, &ping()));
    }

    #[test]
    fn a_cancelled_call_keeps_its_id_until_its_work_ends_in_either_order() {
        let ids = InFlight::default();
        let one = RequestId::Number(1);
        assert!(ids.enter(&one, &call()));
        ids.cancelled(&one);
        assert!(!ids.enter(&one, &call()));
        ids.finished(&one);
        assert!(!ids.contains(&one));

        assert!(ids.enter(&one, &call()));
        ids.finished(&one);
        ids.cancelled(&one);
        assert!(!ids.contains(&one));
    }

    #[test]
    fn a_cancelled_request_that_is_no_call_frees_its_id_at_once() {
        let ids = InFlight::default();
        let one = RequestId::String("one".into());
        assert!(ids.enter(&one, &ping()));
        ids.cancelled(&one);
        assert!(!ids.contains(&one));
        ids.cancelled(&one);
        ids.finished(&one);
    }

    #[test]
    fn a_number_and_the_string_of_its_digits_are_two_ids() {
        let ids = InFlight::default();
        assert!(ids.enter(&RequestId::Number(1), &ping()));
        assert!(ids.enter(&RequestId::String("1".into()), &ping()));
    }
}
