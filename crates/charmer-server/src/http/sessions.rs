//! The sessions of clients of the legacy era: each belongs to a principal, there are only so many, and one that nobody
//! uses ends.

use std::{
    collections::HashMap,
    io,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
    time::{Duration, Instant},
};

use futures_util::Stream;
use rmcp::{
    RoleServer,
    model::{ClientJsonRpcMessage, RequestId, ServerJsonRpcMessage},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::{
        Transport, WorkerTransport,
        streamable_http_server::{
            SessionId, SessionManager,
            session::{
                ServerSseMessage,
                local::{
                    LocalSessionHandle, LocalSessionWorker, SessionConfig, SessionError,
                    create_local_session,
                },
            },
        },
    },
};
use tokio_util::sync::CancellationToken;

use super::caps::Place;
use crate::{inflight::InFlight, until_end::UntilEnd};

/// All sessions. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Sessions(Arc<Mutex<HashMap<SessionId, Arc<Session>>>>);

/// One session.
pub(super) struct Session {
    handle: LocalSessionHandle,
    principal: Arc<str>,
    in_flight: InFlight,
    use_: Mutex<Use>,
    _place: Place,
}

struct Use {
    /// How many of its streams are open.
    streams: usize,
    last: Instant,
}

impl Session {
    fn use_now(&self, streams: impl FnOnce(usize) -> usize) {
        let mut used = self.use_.lock().unwrap_or_else(PoisonError::into_inner);
        used.streams = streams(used.streams);
        used.last = Instant::now();
    }

    fn is_idle(&self, timeout: Duration) -> bool {
        let used = self.use_.lock().unwrap_or_else(PoisonError::into_inner);
        used.streams == 0 && used.last.elapsed() >= timeout && self.in_flight.is_empty()
    }

    /// Returns true if a request of this id is in flight.
    pub(super) fn has_in_flight(&self, id: &RequestId) -> bool {
        self.in_flight.contains(id)
    }
}

impl Sessions {
    /// The session of this name, if it is the principal's.
    pub(super) fn of(&self, name: &str, principal: &str) -> Option<Arc<Session>> {
        let sessions = self.lock();
        let session = sessions.get(name)?;
        (*session.principal == *principal).then(|| Arc::clone(session))
    }

    /// Ends sessions that nobody has used for so long; returns when to look again.
    pub(super) async fn expire(&self, timeout: Duration) {
        let idle: Vec<Arc<Session>> = {
            let mut sessions = self.lock();
            let extracted = sessions.extract_if(|_, session| session.is_idle(timeout));
            extracted.map(|(_, session)| session).collect()
        };
        for session in idle {
            // It has ended by itself where that fails.
            let _ = session.handle.close().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<Session>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The sessions as one request of a principal sees them.
pub(super) struct OwnSessions {
    pub(super) sessions: Sessions,
    pub(super) principal: Arc<str>,
    /// The place of the session that this request begins.
    pub(super) place: Mutex<Option<Place>>,
    /// Cancelled when the session that this request begins has ended.
    pub(super) calls: CancellationToken,
    /// Its client knows what events without a message are for.
    pub(super) retry: Option<Duration>,
}

impl OwnSessions {
    fn own(&self, id: &SessionId) -> Result<Arc<Session>, SessionError> {
        let session = self.sessions.of(id, &self.principal);
        session.ok_or(SessionError::SessionServiceTerminated)
    }
}

impl SessionManager for OwnSessions {
    type Error = SessionError;
    type Transport = UntilEnd<SessionTransport>;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), SessionError> {
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        let place = place.take().ok_or_else(|| {
            SessionError::Io(io::Error::other("no place was taken for a session"))
        })?;
        let id: SessionId = new_id()?.into();
        let mut config = SessionConfig::default();
        // Sessions end here, where it is known whether one is in use.
        config.keep_alive = None;
        config.sse_retry = self.retry;
        let (handle, worker) = create_local_session(Arc::clone(&id), config);
        let in_flight = InFlight::default();
        let session = Session {
            handle,
            principal: Arc::clone(&self.principal),
            in_flight: in_flight.clone(),
            use_: Mutex::new(Use {
                streams: 0,
                last: Instant::now(),
            }),
            _place: place,
        };
        self.sessions
            .lock()
            .insert(Arc::clone(&id), Arc::new(session));
        let transport = SessionTransport {
            inner: WorkerTransport::spawn(worker),
            in_flight,
        };
        Ok((id, UntilEnd::new(transport, self.calls.clone())))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, SessionError> {
        self.own(id)?.handle.initialize(message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, SessionError> {
        Ok(self.own(id).is_ok())
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), SessionError> {
        let Ok(session) = self.own(id) else {
            return Ok(());
        };
        self.sessions.lock().remove(id);
        match session.handle.close().await {
            Ok(()) | Err(SessionError::SessionServiceTerminated) => Ok(()),
            Err(error) => Err(error),
        }
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        mut message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        let session = self.own(id)?;
        if let ClientJsonRpcMessage::Request(request) = &mut message
            && !session.in_flight.enter(&request.id, &mut request.request)
        {
            return Err(SessionError::Io(io::Error::other("the id is in use")));
        }
        let receiver = session.handle.establish_request_wise_channel().await?;
        let at = receiver.http_request_id;
        session.handle.push_message(message, at).await?;
        Ok(Open::new(receiver.inner, session))
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), SessionError> {
        let session = self.own(id)?;
        session.use_now(|streams| streams);
        session.handle.push_message(message, None).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        let session = self.own(id)?;
        let receiver = session.handle.establish_common_channel().await?;
        Ok(Open::new(receiver.inner, session))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        let session = self.own(id)?;
        let receiver = session.handle.resume(last_event_id.parse()?).await?;
        Ok(Open::new(receiver.inner, session))
    }
}

/// A stream of a session that is open.
struct Open {
    events: tokio::sync::mpsc::Receiver<ServerSseMessage>,
    session: Arc<Session>,
}

impl Open {
    fn new(events: tokio::sync::mpsc::Receiver<ServerSseMessage>, session: Arc<Session>) -> Self {
        session.use_now(|streams| streams + 1);
        Self { events, session }
    }
}

impl Stream for Open {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.events.poll_recv(cx)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.session.use_now(|streams| streams - 1);
    }
}

/// The way between a session and the protocol; it sees which requests have been answered or cancelled.
pub(super) struct SessionTransport {
    inner: WorkerTransport<LocalSessionWorker>,
    in_flight: InFlight,
}

impl Transport<RoleServer> for SessionTransport {
    type Error = <WorkerTransport<LocalSessionWorker> as Transport<RoleServer>>::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.in_flight.sent(&message);
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let message = self.inner.receive().await?;
        self.in_flight.received(&message);
        Some(message)
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

/// A name that nobody can guess.
fn new_id() -> Result<String, SessionError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| SessionError::Io(io::Error::other(error)))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
