//! The sessions of clients of the legacy era: each belongs to a principal, there are only so many, and one that nobody
//! uses ends.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio_util::sync::CancellationToken;

use super::{caps::Place, streams::SessionStreams};
use crate::{
    handler::ClientHandler,
    inflight::InFlight,
    protocol::{ClientConversation, ClientMessage, Notification},
};

/// All sessions. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Sessions(Arc<Mutex<HashMap<Arc<str>, Arc<Session>>>>);

/// One session.
pub(super) struct Session {
    pub(super) conversation: Arc<ClientConversation>,
    pub(super) streams: SessionStreams,
    pub(super) in_flight: InFlight,
    /// Its client knows what events without a message are for.
    pub(super) retry: Option<Duration>,
    principal: Arc<str>,
    /// Cancelled when the session has ended: its calls are cancelled, too.
    calls: CancellationToken,
    use_: Mutex<Use>,
    _place: Place,
}

struct Use {
    /// The number of its streams that are open.
    streams: usize,
    last: Instant,
}

impl Session {
    pub(super) fn new(
        handler: ClientHandler,
        principal: Arc<str>,
        retry: Option<Duration>,
        place: Place,
    ) -> Self {
        let streams = SessionStreams::default();
        Self {
            calls: handler.shutdown.clone(),
            conversation: Arc::new(ClientConversation::new(handler, streams.clone())),
            streams,
            in_flight: InFlight::default(),
            retry,
            principal,
            use_: Mutex::new(Use {
                streams: 0,
                last: Instant::now(),
            }),
            _place: place,
        }
    }

    fn use_now(&self, streams: impl FnOnce(usize) -> usize) {
        let mut used = self.use_.lock().unwrap_or_else(PoisonError::into_inner);
        used.streams = streams(used.streams);
        used.last = Instant::now();
    }

    fn is_idle(&self, timeout: Duration) -> bool {
        let used = self.use_.lock().unwrap_or_else(PoisonError::into_inner);
        used.streams == 0 && used.last.elapsed() >= timeout && self.in_flight.is_empty()
    }

    /// Takes in a message that is not answered.
    pub(super) fn take_in(&self, message: ClientMessage) {
        self.use_now(|streams| streams);
        if let ClientMessage::Notification(Notification::Cancelled(id)) = &message {
            self.in_flight.cancel(id);
            self.streams.cancelled(id);
        }
        self.conversation.accept(message, None::<()>);
    }

    /// Says that one of its streams is open, as long as this is kept.
    pub(super) fn open_stream(self: &Arc<Self>) -> OpenStream {
        self.use_now(|streams| streams + 1);
        OpenStream(Arc::clone(self))
    }

    /// Ends it: its calls are cancelled, and its streams end.
    fn close(&self) {
        self.calls.cancel();
        self.streams.close();
    }
}

/// A stream of a session that is open.
pub(super) struct OpenStream(Arc<Session>);

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.0.use_now(|streams| streams - 1);
    }
}

impl Sessions {
    /// Begins a session, and returns its name, which nobody can guess; `None` where there is no randomness for one.
    pub(super) fn begin(&self, session: &Arc<Session>) -> Option<Arc<str>> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).ok()?;
        let name: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let name: Arc<str> = name.into();
        self.lock().insert(Arc::clone(&name), Arc::clone(session));
        Some(name)
    }

    /// The session of this name, if it is the principal's.
    pub(super) fn of(&self, name: &str, principal: &str) -> Option<Arc<Session>> {
        let sessions = self.lock();
        let session = sessions.get(name)?;
        (*session.principal == *principal).then(|| Arc::clone(session))
    }

    /// Ends the session of this name.
    pub(super) fn end(&self, name: &str) {
        let ended = self.lock().remove(name);
        if let Some(session) = ended {
            session.close();
        }
    }

    /// Ends sessions that nobody has used for so long.
    pub(super) fn expire(&self, timeout: Duration) {
        let idle: Vec<Arc<Session>> = {
            let mut sessions = self.lock();
            let extracted = sessions.extract_if(|_, session| session.is_idle(timeout));
            extracted.map(|(_, session)| session).collect()
        };
        for session in idle {
            session.close();
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Arc<str>, Arc<Session>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
