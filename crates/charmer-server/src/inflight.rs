//! Which request ids are in use, so that no id stands for two requests at once.
//!
//! A second request under an id that is still running would get the first one's answer, or lose its own.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio_util::sync::CancellationToken;

use crate::protocol::RequestId;

/// The requests that were delivered and have not ended. Clones share one registry.
#[derive(Clone, Default)]
pub(crate) struct InFlight(Arc<Mutex<HashMap<RequestId, CancellationToken>>>);

/// A request in flight: its id is in use until this is dropped. It goes with the work, so that the id of a cancelled call is
/// free when its processes have ended, and not before.
pub(crate) struct InFlightRequest {
    all: InFlight,
    id: RequestId,
    cancelled: CancellationToken,
}

/// The end of a request.
pub(crate) struct Finished {
    /// Its client does not want an answer.
    pub(crate) was_cancelled: bool,
}

impl InFlight {
    /// Enters a request that is about to be delivered; `None` if its id is in use.
    #[must_use]
    pub(crate) fn enter(&self, id: &RequestId) -> Option<InFlightRequest> {
        let mut entries = self.lock();
        if entries.contains_key(id) {
            return None;
        }
        let cancelled = CancellationToken::new();
        entries.insert(id.clone(), cancelled.clone());
        Some(InFlightRequest {
            all: self.clone(),
            id: id.clone(),
            cancelled,
        })
    }

    /// Its client does not want the answer to a request any more.
    pub(crate) fn cancel(&self, id: &RequestId) {
        // Not under the lock: whoever is told may end the request at once.
        let cancelled = self.lock().get(id).cloned();
        if let Some(cancelled) = cancelled {
            cancelled.cancel();
        }
    }

    /// Returns true if an id is in use.
    pub(crate) fn contains(&self, id: &RequestId) -> bool {
        self.lock().contains_key(id)
    }

    /// Returns true if no id is in use.
    #[cfg(feature = "http")]
    pub(crate) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, CancellationToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl InFlightRequest {
    /// Cancelled when its client does not want an answer any more.
    pub(crate) fn cancelled(&self) -> CancellationToken {
        self.cancelled.clone()
    }

    /// Ends the request: its id is free for the next.
    pub(crate) fn finish(self) -> Finished {
        let cancelled = self.cancelled.clone();
        drop(self);
        Finished {
            was_cancelled: cancelled.is_cancelled(),
        }
    }
}

impl Drop for InFlightRequest {
    fn drop(&mut self) {
        self.all.lock().remove(&self.id);
    }
}

impl fmt::Debug for InFlightRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("InFlightRequest").field(&self.id).finish()
    }
}

impl fmt::Debug for InFlight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.lock().keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_in_use_until_its_request_has_ended() {
        let ids = InFlight::default();
        let one = RequestId::Number(1);
        let request = ids.enter(&one).expect("it is free");
        assert!(ids.enter(&one).is_none());
        assert!(!request.finish().was_cancelled);
        let request = ids.enter(&one).expect("it is free again");
        ids.cancel(&RequestId::Number(2));
        assert!(!request.cancelled().is_cancelled());
        ids.cancel(&one);
        assert!(request.cancelled().is_cancelled());
        assert!(ids.enter(&one).is_none(), "its work goes on for a while");
        assert!(request.finish().was_cancelled);
        assert!(!ids.contains(&one));
        drop(ids.enter(&one));
        assert!(!ids.contains(&one));
    }

    #[test]
    fn a_number_and_the_string_of_its_digits_are_two_ids() {
        let ids = InFlight::default();
        let (number, text) = (RequestId::Number(1), RequestId::String("1".into()));
        let both = (ids.enter(&number), ids.enter(&text));
        assert!(both.0.is_some() && both.1.is_some());
    }
}
