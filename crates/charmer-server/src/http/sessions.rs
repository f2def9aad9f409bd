//! The sessions of clients of the legacy era: each belongs to a principal, there are only so many, and one that nobody
//! uses ends.

use std::{
    collections::HashMap,
    convert::Infallible,
    io,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
    time::{Duration, Instant},
};

use futures_util::Stream;
use rmcp::{
    RoleServer,
    model::{ClientJsonRpcMessage, ClientNotification, RequestId, ServerJsonRpcMessage},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::{
        Transport,
        streamable_http_server::{
            SessionId, SessionManager,
            session::{ServerSseMessage, local::SessionError},
        },
    },
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{caps::Place, streams::SessionStreams};
use crate::{inflight::InFlight, until_end::UntilEnd};

/// All sessions. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Sessions(Arc<Mutex<HashMap<SessionId, Arc<Session>>>>);

/// The number of messages of a client that may wait until the protocol takes them.
const WAITING: usize = 16;

/// The messages of a client on their way to the protocol. They are boxed, because a channel keeps room for 32.
type ToProtocol = mpsc::Sender<Box<RxJsonRpcMessage<RoleServer>>>;

/// One session.
pub(super) struct Session {
    /// The way to the protocol, until the session is closed.
    incoming: Mutex<Option<ToProtocol>>,
    streams: SessionStreams,
    retry: Option<Duration>,
    principal: Arc<str>,
    in_flight: InFlight,
    use_: Mutex<Use>,
    _place: Place,
}

struct Use {
    /// The number of its streams that are open.
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

    /// Hands a message to the protocol.
    async fn push(&self, message: ClientJsonRpcMessage) -> Result<(), SessionError> {
        if let ClientJsonRpcMessage::Notification(notification) = &message
            && let ClientNotification::CancelledNotification(cancelled) = &notification.notification
            && let Some(id) = &cancelled.params.request_id
        {
            self.streams.cancelled(id);
        }
        let incoming = self.incoming.lock();
        let incoming = incoming.unwrap_or_else(PoisonError::into_inner).clone();
        let incoming = incoming.ok_or(SessionError::SessionServiceTerminated)?;
        let sent = incoming.send(Box::new(message)).await;
        sent.map_err(|_| SessionError::SessionServiceTerminated)
    }

    /// Ends it: the protocol sees that its client has gone.
    fn close(&self) {
        let mut incoming = self.incoming.lock().unwrap_or_else(PoisonError::into_inner);
        *incoming = None;
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
        let (incoming, from_client) = mpsc::channel(WAITING);
        let streams = SessionStreams::default();
        let in_flight = InFlight::default();
        let session = Session {
            incoming: Mutex::new(Some(incoming)),
            streams: streams.clone(),
            retry: self.retry,
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
            from_client,
            streams,
            in_flight,
        };
        Ok((id, UntilEnd::new(transport, self.calls.clone())))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, SessionError> {
        let session = self.own(id)?;
        let answered = session.streams.initialize();
        session.push(message).await?;
        let answer = answered.await;
        answer.map_err(|_| SessionError::SessionServiceTerminated)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, SessionError> {
        Ok(self.own(id).is_ok())
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), SessionError> {
        let Ok(session) = self.own(id) else {
            return Ok(());
        };
        self.sessions.lock().remove(id);
        session.close();
        Ok(())
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
        let events = session.streams.of_request(&message, session.retry);
        session.push(message).await?;
        Ok(OpenStream::new(events, session))
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), SessionError> {
        let session = self.own(id)?;
        session.use_now(|streams| streams);
        session.push(message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        let session = self.own(id)?;
        Ok(OpenStream::new(session.streams.standalone(), session))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        let session = self.own(id)?;
        let events = session.streams.resume(&last_event_id);
        let events = events.ok_or(SessionError::InvalidEventId)?;
        Ok(OpenStream::new(events, session))
    }
}

/// A stream of a session that is open.
struct OpenStream {
    events: mpsc::Receiver<ServerSseMessage>,
    session: Arc<Session>,
}

impl OpenStream {
    fn new(events: mpsc::Receiver<ServerSseMessage>, session: Arc<Session>) -> Self {
        session.use_now(|streams| streams + 1);
        Self { events, session }
    }
}

impl Stream for OpenStream {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.events.poll_recv(cx)
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.session.use_now(|streams| streams - 1);
    }
}

/// The way between a session and the protocol; it sees which requests have been answered or cancelled.
pub(super) struct SessionTransport {
    from_client: mpsc::Receiver<Box<RxJsonRpcMessage<RoleServer>>>,
    streams: SessionStreams,
    in_flight: InFlight,
}

impl Transport<RoleServer> for SessionTransport {
    type Error = Infallible;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        self.in_flight.sent(&message);
        // At once, so that no message overtakes another.
        self.streams.send(message);
        std::future::ready(Ok(()))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let message = self.from_client.recv().await?;
        self.in_flight.received(&message);
        Some(*message)
    }

    async fn close(&mut self) -> Result<(), Infallible> {
        self.from_client.close();
        Ok(())
    }
}

/// A name that nobody can guess.
fn new_id() -> Result<String, SessionError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| SessionError::Io(io::Error::other(error)))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
