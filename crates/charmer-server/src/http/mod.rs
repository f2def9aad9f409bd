//! Any number of clients over HTTP, in both eras: the streamable transport at `/mcp`.
//!
//! ```text
//! bytes within deadlines --> guard (host, origin, path, who, media types, size)
//!     --> strict reader --> places (sessions, streams, calls) --> rmcp --> the same handler as on stdio
//! ```
//!
//! rmcp speaks the protocol; everything that a stranger could abuse is decided before it sees a request.

mod caps;
mod connection;
mod guard;
mod health;
mod listen;
mod options;
mod principal;
mod reply;
mod sessions;
mod streams;
mod tokens;

use std::{
    convert::Infallible,
    io,
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Version, header};
use http_body_util::Full;
use hyper::{body::Incoming as HyperBody, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::{
    model::{ClientJsonRpcMessage, ClientRequest, ProtocolVersion, RequestId},
    transport::{StreamableHttpServerConfig, StreamableHttpService},
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use self::{
    caps::{Counted, Counts, Place},
    connection::{Connection, WatchedStream},
    listen::ListenerKind,
    principal::Principal,
    reply::{Inner, Rejection, ReplyBody},
    sessions::{OwnSessions, Sessions},
    tokens::Tokens,
};
pub use self::{
    listen::{HttpAddress, HttpListener, ListenError},
    options::{Caps, HttpOptions},
    tokens::TokenFileError,
};
use crate::{
    ServeError, Server,
    message::{Incoming, LineRefusal, read_message},
    server::ConnectedClient,
};

const SESSION_HEADER: &str = "mcp-session-id";
const VERSION_HEADER: &str = "mcp-protocol-version";
/// The most that a header may take, in bytes.
const MOST_HEADER: usize = 64 << 10;
/// The time after which a client of the legacy era may ask again for a stream that broke off.
const RETRY: Duration = Duration::from_secs(3);
/// The time after which a stream on which nothing happens shows that it is alive.
const ALIVE: Duration = Duration::from_secs(15);
/// The longest time that connections may take to end when all that they wait for has been answered.
const CLOSING: Duration = Duration::from_secs(2);
/// The time that a pause is made when the system has no more descriptors.
const EXHAUSTED: Duration = Duration::from_millis(100);
/// The time between two looks whether the last call has ended.
const LOOK: Duration = Duration::from_millis(10);

impl Server {
    /// Serves any number of clients over HTTP until the server is stopped, then [finishes](Self::finish).
    ///
    /// When it is stopped, no new request is taken; calls that run may end by themselves for a while, and are cancelled
    /// then; what they answer is still written, and the streams end.
    pub async fn serve_http(
        self,
        listener: HttpListener,
        options: HttpOptions,
    ) -> Result<(), ServeError> {
        self.begin();
        // Nobody is kept waiting for what is not needed at first: clients come and go.
        self.ask_for_tools();
        let own_caps = options.own_caps.clone();
        let counts = Counts::new(options.caps, options.principal_caps, own_caps);
        let shared = Arc::new(HttpShared {
            stop: self.stop_token(),
            server: self,
            options,
            tokens: listener.tokens,
            counts,
            local: Arc::new(Principal::local()),
            sessions: Sessions::default(),
            calls: CancellationToken::new(),
            streams: CancellationToken::new(),
            connections: CancellationToken::new(),
        });
        let tasks = TaskTracker::new();
        let expiring = tokio::spawn(Arc::clone(&shared).expire());
        let accepted = match listener.kind {
            ListenerKind::Tcp(listener, _) => {
                let listener = tokio::net::TcpListener::from_std(listener)?;
                shared.accept_tcp(&listener, &tasks).await
            }
            #[cfg(unix)]
            ListenerKind::Unix(listener, path) => {
                let listener = tokio::net::UnixListener::from_std(listener)?;
                let accepted = shared.accept_unix(&listener, &tasks).await;
                drop(path);
                accepted
            }
        };
        shared.end(&tasks).await;
        expiring.abort();
        shared.server.finish().await;
        accepted.map_err(ServeError::Http)
    }
}

/// The state that all connections share.
struct HttpShared {
    server: Server,
    options: HttpOptions,
    tokens: Option<Tokens>,
    counts: Counts,
    /// Whoever is on this machine, where no token is asked for.
    local: Arc<Principal>,
    sessions: Sessions,
    /// Cancelled when the server is to end: nothing new is taken.
    stop: CancellationToken,
    /// Cancelled when calls that still run have had their time.
    calls: CancellationToken,
    /// Cancelled when all that was to be answered is: streams end.
    streams: CancellationToken,
    /// Cancelled when connections end.
    connections: CancellationToken,
}

/// A request that may be handed on.
struct Admitted {
    request: Request<Full<Bytes>>,
    principal: Arc<Principal>,
    /// The request's own id, if it is one that is answered.
    id: Option<RequestId>,
    /// The place of a session that it begins.
    session: Option<Place>,
    /// The place of a stream that it opens.
    stream: Option<Place>,
    /// Its client knows what events without a message are for.
    retry: Option<Duration>,
}

/// The decision on a request.
enum HttpDecision {
    HandOn(Box<Admitted>),
    Answer(Response<Inner>),
}

/// The place of a call; it travels with its request, and is free when the last of it is gone.
#[derive(Clone)]
struct CallPlace {
    _place: Arc<Place>,
}

impl HttpShared {
    async fn accept_tcp(
        self: &Arc<Self>,
        listener: &tokio::net::TcpListener,
        tasks: &TaskTracker,
    ) -> io::Result<()> {
        while let Some(accepted) = self.stop.run_until_cancelled(listener.accept()).await {
            match accepted {
                Ok((stream, _)) => {
                    // Answers are short, and waited for.
                    let _ = stream.set_nodelay(true);
                    let local = stream.local_addr().ok();
                    self.connect(stream, local, None, tasks);
                }
                Err(error) => pause(&error).await?,
            }
        }
        Ok(())
    }

    #[cfg(unix)]
    async fn accept_unix(
        self: &Arc<Self>,
        listener: &tokio::net::UnixListener,
        tasks: &TaskTracker,
    ) -> io::Result<()> {
        while let Some(accepted) = self.stop.run_until_cancelled(listener.accept()).await {
            match accepted {
                Ok((stream, _)) => {
                    // Who cannot be known is not let in.
                    if let Ok(peer) = stream.peer_cred() {
                        let user = Arc::new(Principal::of_user(peer.uid()));
                        self.connect(stream, None, Some(user), tasks);
                    }
                }
                Err(error) => pause(&error).await?,
            }
        }
        Ok(())
    }

    /// Serves a connection, beside all others.
    fn connect(
        self: &Arc<Self>,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        local: Option<std::net::SocketAddr>,
        user: Option<Arc<Principal>>,
        tasks: &TaskTracker,
    ) {
        match self.counts.take_for_anybody(Counted::Connections) {
            Ok(place) => {
                let connection = Arc::new(Connection::new(local, user, place));
                tasks.spawn(Arc::clone(self).serve_connection(stream, connection));
            }
            Err(full) => {
                tasks.spawn(connection::turn_away(stream, Rejection::full(full)));
            }
        }
    }

    async fn serve_connection(
        self: Arc<Self>,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        connection: Arc<Connection>,
    ) {
        let (header, write) = (self.options.header_timeout, self.options.write_timeout);
        let watched = WatchedStream::new(stream, &connection, header, write);
        let shared = Arc::clone(&self);
        let service = service_fn(move |request| {
            connection.answering();
            let (shared, connection) = (Arc::clone(&shared), Arc::clone(&connection));
            async move { Ok::<_, Infallible>(shared.answer(request, &connection).await) }
        });
        let serving = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.options.idle_timeout)
            .max_buf_size(MOST_HEADER)
            .serve_connection(TokioIo::new(watched), service);
        tokio::pin!(serving);
        // How a connection fails is its client's matter.
        tokio::select! {
            _ = serving.as_mut() => {}
            () = self.connections.cancelled() => {
                serving.as_mut().graceful_shutdown();
                let _ = tokio::time::timeout(CLOSING, serving).await;
            }
        }
    }

    async fn answer(
        self: Arc<Self>,
        request: Request<HyperBody>,
        connection: &Arc<Connection>,
    ) -> Response<ReplyBody> {
        // Where a body's length is said in pieces, some read another request behind it: there is none.
        let ambiguous = request.headers().contains_key(header::TRANSFER_ENCODING);
        let page = guard::page(request.headers(), connection, &self.options);
        let (mut response, stream) = match self.admit(request, connection).await {
            Ok(HttpDecision::HandOn(admitted)) => self.hand_on(*admitted).await,
            Ok(HttpDecision::Answer(response)) => (response, None),
            Err(rejection) => (rejection.into_response(), None),
        };
        if let Some(origin) = page {
            reply::share_with(&mut response, origin);
        }
        if ambiguous || self.stop.is_cancelled() {
            reply::close_after(&mut response);
        }
        response.map(|body| ReplyBody::new(body, stream, connection))
    }

    /// Decides whether the protocol gets to see a request.
    async fn admit(
        &self,
        request: Request<HyperBody>,
        connection: &Connection,
    ) -> Result<HttpDecision, Rejection> {
        let (mut parts, body) = request.into_parts();
        if parts.version != Version::HTTP_11 {
            return Err(Rejection::bad_request("expected HTTP/1.1").closing());
        }
        guard::check_host(&parts, connection, &self.options)?;
        guard::check_origin(&parts.headers, connection, &self.options)?;
        if let Some(answer) = health::answer(&parts, &self.server, self.stop.is_cancelled()) {
            return answer.map(HttpDecision::Answer);
        }
        if parts.uri.path() != guard::PATH {
            let message = format!("there is nothing here; the server is at {}", guard::PATH);
            return Err(Rejection::new(StatusCode::NOT_FOUND, message));
        }
        // Browsers ask without a token whether they may ask with one.
        if let Some(answer) = reply::preflight(&parts) {
            return Ok(HttpDecision::Answer(answer));
        }
        let principal = self.who(&parts.headers, connection)?;
        connection.used_by(&principal)?;
        if ![Method::POST, Method::GET, Method::DELETE].contains(&parts.method) {
            return Err(Rejection::method_not_allowed());
        }
        guard::check_media_types(&parts.method, &parts.headers)?;
        if self.stop.is_cancelled() {
            return Err(Rejection::ending());
        }
        let session = self.session_of(&parts.headers, &principal)?;
        let mut admitted = Admitted {
            request: Request::default(),
            id: None,
            session: None,
            stream: None,
            retry: knows_retry(parts.headers.get(VERSION_HEADER).map(HeaderValue::as_bytes)),
            principal,
        };
        let mut bytes = Bytes::new();
        if parts.method == Method::POST {
            let request = Request::from_parts(parts, body);
            (parts, bytes) = guard::body(request, &self.options).await?;
            let message = match read(&bytes).await {
                Some(Incoming::Message(message)) => *message,
                Some(Incoming::Refused(refusal)) => {
                    return Ok(HttpDecision::Answer(reply::refused(&refusal)));
                }
                None => return Ok(HttpDecision::Answer(reply::accepted())),
            };
            if let ClientJsonRpcMessage::Request(request) = &message {
                if session.is_some_and(|session| session.has_in_flight(&request.id)) {
                    let refusal = LineRefusal::id_in_use(request.id.clone());
                    return Ok(HttpDecision::Answer(reply::refused(&refusal)));
                }
                admitted.id = Some(request.id.clone());
                let place = self.places(&request.request, &mut admitted);
                let place =
                    place.map_err(|full| Rejection::full(full).of(Some(request.id.clone())))?;
                if let Some(place) = place {
                    let _place = Arc::new(place);
                    parts.extensions.insert(CallPlace { _place });
                }
            }
        } else if parts.method == Method::GET {
            let principal = &admitted.principal.name;
            admitted.stream = Some(self.counts.take(Counted::Streams, principal)?);
        }
        normalize(&mut parts.headers);
        admitted.request = Request::from_parts(parts, Full::new(bytes));
        Ok(HttpDecision::HandOn(Box::new(admitted)))
    }

    /// Returns the principal who makes a request.
    fn who(
        &self,
        headers: &HeaderMap,
        connection: &Connection,
    ) -> Result<Arc<Principal>, Rejection> {
        let Some(tokens) = &self.tokens else {
            let user = connection.user.as_ref().unwrap_or(&self.local);
            return Ok(Arc::clone(user));
        };
        let Some(token) = guard::bearer(headers) else {
            return Err(Rejection::unauthorized(
                "a token is needed: `Authorization: Bearer TOKEN`",
            ));
        };
        let known = tokens.whose(token);
        known.ok_or_else(|| Rejection::unauthorized("this token is not known here"))
    }

    /// The session that a request names, which must be its principal's.
    fn session_of(
        &self,
        headers: &HeaderMap,
        principal: &Principal,
    ) -> Result<Option<Arc<sessions::Session>>, Rejection> {
        let Some(name) = headers.get(SESSION_HEADER) else {
            return Ok(None);
        };
        let name = name.to_str().ok();
        let session = name.and_then(|name| self.sessions.of(name, &principal.name));
        session.map(Some).ok_or_else(Rejection::no_session)
    }

    /// Takes the places that a request needs; that of a call is returned.
    fn places(
        &self,
        request: &ClientRequest,
        admitted: &mut Admitted,
    ) -> Result<Option<Place>, caps::NoPlace> {
        let take = |counted| self.counts.take(counted, &admitted.principal.name);
        match request {
            ClientRequest::CallToolRequest(_) => return take(Counted::Calls).map(Some),
            ClientRequest::InitializeRequest(initialize) => {
                admitted.session = Some(take(Counted::Sessions)?);
                let version = initialize.params.protocol_version.as_str();
                admitted.retry = knows_retry(Some(version.as_bytes()));
            }
            ClientRequest::SubscriptionsListenRequest(_) => {
                admitted.stream = Some(take(Counted::Streams)?);
            }
            _ => {}
        }
        Ok(None)
    }

    /// Has the protocol answer a request.
    async fn hand_on(self: &Arc<Self>, admitted: Admitted) -> (Response<Inner>, Option<Place>) {
        let calls = self.calls.child_token();
        let own = OwnSessions {
            sessions: self.sessions.clone(),
            principal: Arc::clone(&admitted.principal.name),
            place: Mutex::new(admitted.session),
            calls: calls.clone(),
            retry: admitted.retry,
        };
        let mut config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_json_response(true)
            .with_sse_keep_alive(Some(ALIVE))
            .with_sse_retry(admitted.retry)
            .with_cancellation_token(self.streams.clone());
        config.max_request_body_bytes = usize::MAX;
        let shared = Arc::clone(self);
        let principal = admitted.principal;
        let handler = move || {
            let client =
                ConnectedClient::http(Arc::clone(&principal.name), principal.permissions.clone());
            Ok(shared.server.handler(client, calls.clone()))
        };
        let service = StreamableHttpService::new(handler, Arc::new(own), config);
        let ends_session = admitted.request.method() == Method::DELETE;
        let mut response = service.handle(admitted.request).await;
        // Clients take "accepted" for a session that has not ended.
        if ends_session && response.status() == StatusCode::ACCEPTED {
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        (reply::in_json(response, admitted.id).await, admitted.stream)
    }

    /// Ends sessions that nobody uses, as long as the server runs.
    async fn expire(self: Arc<Self>) {
        let timeout = self.options.session_timeout;
        let mut ticks = tokio::time::interval((timeout / 4).max(Duration::from_millis(10)));
        loop {
            ticks.tick().await;
            self.sessions.expire(timeout);
        }
    }

    /// Ends everything in its order: calls, streams, connections.
    async fn end(&self, tasks: &TaskTracker) {
        let calls_end = async {
            while self.counts.now(Counted::Calls) > 0 {
                tokio::time::sleep(LOOK).await;
            }
        };
        tokio::pin!(calls_end);
        let ended = tokio::time::timeout(self.options.end_timeout, calls_end.as_mut()).await;
        self.calls.cancel();
        if ended.is_err() {
            let grace = self.server.longest_grace() + CLOSING;
            let _ = tokio::time::timeout(grace, calls_end).await;
        }
        self.streams.cancel();
        self.connections.cancel();
        tasks.close();
        tasks.wait().await;
    }
}

/// Goes on after an error that passes.
async fn pause(error: &io::Error) -> io::Result<()> {
    // The client has gone meanwhile, or the process has no more descriptors: both pass.
    tracing::warn!(%error, "a connection was not taken");
    tokio::time::sleep(EXHAUSTED).await;
    Ok(())
}

/// A long message is read apart from others.
async fn read(bytes: &Bytes) -> Option<Incoming> {
    const LONG: usize = 64 << 10;
    if bytes.len() <= LONG {
        return read_message(bytes).or_else(|| empty(bytes));
    }
    let long = bytes.clone();
    let read = tokio::task::spawn_blocking(move || read_message(&long)).await;
    read.unwrap_or_else(|_| {
        let message = "the message could not be read: this is a bug";
        Some(Incoming::Refused(LineRefusal::invalid_request(
            None, message,
        )))
    })
}

/// The refusal of a body without anything in it.
fn empty(bytes: &[u8]) -> Option<Incoming> {
    let refusal = || LineRefusal::parse_error(None, "the body is empty");
    bytes
        .trim_ascii()
        .is_empty()
        .then(|| Incoming::Refused(refusal()))
}

/// Tells whether clients of this version expect events that only say how to come back.
fn knows_retry(version: Option<&[u8]>) -> Option<Duration> {
    let since = ProtocolVersion::V_2025_11_25.as_str().as_bytes();
    version.filter(|version| *version >= since).map(|_| RETRY)
}

/// Makes plain the headers that were judged before: rmcp reads them in other ways than we do.
fn normalize(headers: &mut HeaderMap) {
    let both = HeaderValue::from_static("application/json, text/event-stream");
    headers.insert(header::ACCEPT, both);
    if headers.contains_key(header::CONTENT_TYPE) {
        let json = HeaderValue::from_static("application/json");
        headers.insert(header::CONTENT_TYPE, json);
    }
    // Nobody behind has any use for a secret.
    headers.remove(header::AUTHORIZATION);
}
