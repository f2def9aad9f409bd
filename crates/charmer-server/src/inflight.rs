//! Which request ids are in use, so that an id is not given out twice.
//!
//! rmcp keys everything by id: a second request under an id that is still running orphans the first
//! one and its cancellation token, and the first one's answer goes out as the second's.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};

use crate::background;

/// The time that the id of a cancelled call stays in use after its work has ended. rmcp drops the answer of such a
/// call, but knows it by its id alone: were the id free before that answer has passed, a new request of that id would
/// get it.
const AFTERMATH: Duration = Duration::from_secs(1);

/// The ids of requests that were delivered and are neither answered nor, if cancelled, finished.
/// Clones share one registry.
#[derive(Clone, Default)]
pub(crate) struct InFlight {
    entries: Arc<Mutex<HashMap<RequestId, InflightEntry>>>,
}

/// The state of a request in flight.
#[derive(Default)]
struct InflightEntry {
    /// Its work goes on for a while after it is cancelled (a process has to die).
    long: bool,
    cancelled: bool,
    finished: bool,
}

impl InflightEntry {
    /// A cancelled request gets no answer, so only the end of its work can free its id.
    fn is_over(&self) -> bool {
        self.cancelled && (self.finished || !self.long)
    }
}

/// Says that the work of a call has ended, when its last clone is dropped. It travels with the request, so that whoever
/// does the work need not know of ids.
#[derive(Clone)]
struct Working {
    _last: Arc<Ends>,
}

struct Ends {
    in_flight: InFlight,
    id: RequestId,
}

impl Drop for Ends {
    fn drop(&mut self) {
        let (in_flight, id) = (self.in_flight.clone(), self.id.clone());
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) if in_flight.is_cancelled(&id) => {
                let aftermath = async move {
                    tokio::time::sleep(AFTERMATH).await;
                    in_flight.finished(&id);
                };
                background::begin_on(&runtime, Box::pin(aftermath));
            }
            _ => in_flight.finished(&id),
        }
    }
}

impl InFlight {
    /// Enters a request that is about to be delivered. `false` means that its id is in use and
    /// that nothing was entered.
    #[must_use]
    pub(crate) fn enter(&self, id: &RequestId, request: &mut ClientRequest) -> bool {
        let mut entries = self.lock();
        if entries.contains_key(id) {
            return false;
        }
        let mut entry = InflightEntry::default();
        if let ClientRequest::CallToolRequest(call) = request {
            entry.long = true;
            let (in_flight, id) = (self.clone(), id.clone());
            call.extensions.insert(Working {
                _last: Arc::new(Ends { in_flight, id }),
            });
        }
        entries.insert(id.clone(), entry);
        true
    }

    /// Notes a message that goes out: an answer frees its id.
    pub(crate) fn sent(&self, message: &ServerJsonRpcMessage) {
        match message {
            JsonRpcMessage::Response(response) => self.answered(&response.id),
            JsonRpcMessage::Error(error) => error.id.iter().for_each(|id| self.answered(id)),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => {}
        }
    }

    /// Notes a message that is delivered: it may cancel a request.
    pub(crate) fn received(&self, message: &ClientJsonRpcMessage) {
        if let JsonRpcMessage::Notification(notification) = message
            && let ClientNotification::CancelledNotification(cancelled) = &notification.notification
            && let Some(id) = &cancelled.params.request_id
        {
            self.cancelled(id);
        }
    }

    /// The answer to a request is on its way out: the id is free.
    fn answered(&self, id: &RequestId) {
        self.lock().remove(id);
    }

    /// The client has cancelled a request. Its answer will not be seen, because rmcp drops it; the
    /// id of a tool call stays in use until its work has ended.
    fn cancelled(&self, id: &RequestId) {
        self.update(id, |entry| entry.cancelled = true);
    }

    /// The work of a tool call has ended: nothing of it can answer any more. Where it was not cancelled, its answer
    /// frees the id.
    fn finished(&self, id: &RequestId) {
        self.update(id, |entry| entry.finished = true);
    }

    /// Returns whether an id is in use.
    pub(crate) fn contains(&self, id: &RequestId) -> bool {
        self.lock().contains_key(id)
    }

    /// Returns true if no id is in use.
    #[cfg(feature = "http")]
    pub(crate) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    fn is_cancelled(&self, id: &RequestId) -> bool {
        self.lock().get(id).is_some_and(|entry| entry.cancelled)
    }

    fn update(&self, id: &RequestId, change: impl FnOnce(&mut InflightEntry)) {
        let mut entries = self.lock();
        if let Some(entry) = entries.get_mut(id) {
            change(entry);
            if entry.is_over() {
                entries.remove(id);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, InflightEntry>> {
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
        let mut work = call();
        assert!(ids.enter(&one, &mut work));
        assert!(!ids.enter(&one, &mut ping()));
        drop(work);
        assert!(ids.contains(&one));
        ids.answered(&one);
        assert!(ids.enter(&one, &mut ping()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_cancelled_call_keeps_its_id_until_its_work_ends_in_either_order() {
        let ids = InFlight::default();
        let one = RequestId::Number(1);
        let mut work = call();
        assert!(ids.enter(&one, &mut work));
        ids.cancelled(&one);
        assert!(!ids.enter(&one, &mut call()));
        drop(work);
        assert!(ids.contains(&one), "its answer may still be on its way");
        tokio::time::sleep(2 * AFTERMATH).await;
        assert!(!ids.contains(&one));

        let mut work = call();
        assert!(ids.enter(&one, &mut work));
        drop(work);
        ids.cancelled(&one);
        assert!(!ids.contains(&one));
    }

    #[test]
    fn a_cancelled_request_that_is_no_call_frees_its_id_at_once() {
        let ids = InFlight::default();
        let one = RequestId::String("one".into());
        assert!(ids.enter(&one, &mut ping()));
        ids.cancelled(&one);
        assert!(!ids.contains(&one));
        ids.cancelled(&one);
        ids.finished(&one);
    }

    #[test]
    fn a_number_and_the_string_of_its_digits_are_two_ids() {
        let ids = InFlight::default();
        assert!(ids.enter(&RequestId::Number(1), &mut ping()));
        assert!(ids.enter(&RequestId::String("1".into()), &mut ping()));
    }
}
