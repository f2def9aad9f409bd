//! Any number of clients over HTTP, in both eras: the streamable transport at `/mcp`.
//!
//! ```text
//! bytes within deadlines --> guard (host, origin, path, who, media types, size)
//!     --> strict reader --> headers --> places (sessions, streams, calls) --> the same conversation as on stdio
//! ```
//!
//! Everything that a stranger could abuse is decided before the protocol sees a request.

mod caps;
mod connection;
mod events;
mod guard;
mod headers;
mod health;
mod listen;
mod options;
mod principal;
mod reply;
mod requests;
mod sessions;
mod streams;
mod tokens;

use std::{convert::Infallible, io, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode, Version, header};
use hyper::{body::Incoming as HyperBody, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use self::{
    caps::{Counted, Counts, Place},
    connection::{Connection, WatchedStream},
    listen::ListenerKind,
    principal::Principal,
    reply::{Inner, Rejection, ReplyBody},
    requests::AskedBy,
    sessions::Sessions,
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
};

const SESSION_HEADER: &str = "mcp-session-id";
const VERSION_HEADER: &str = "mcp-protocol-version";
/// The most that a header may take, in bytes.
const MOST_HEADER: usize = 64 << 10;
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
        let answered = self.admit_and_answer(request, connection).await;
        let (mut response, stream) =
            answered.unwrap_or_else(|rejection| (rejection.into_response(), None));
        if let Some(origin) = page {
            reply::share_with(&mut response, origin);
        }
        if ambiguous || self.stop.is_cancelled() {
            reply::close_after(&mut response);
        }
        response.map(|body| ReplyBody::new(body, stream, connection))
    }

    /// Answers a request, if the protocol gets to see it; with the place that its stream has, if the answer is one.
    async fn admit_and_answer(
        &self,
        request: Request<HyperBody>,
        connection: &Connection,
    ) -> Result<(Response<Inner>, Option<Place>), Rejection> {
        let (mut parts, body) = request.into_parts();
        if parts.version != Version::HTTP_11 {
            return Err(Rejection::bad_request("expected HTTP/1.1").closing());
        }
        guard::check_host(&parts, connection, &self.options)?;
        guard::check_origin(&parts.headers, connection, &self.options)?;
        if let Some(answer) = health::answer(&parts, &self.server, self.stop.is_cancelled()) {
            return answer.map(|answer| (answer, None));
        }
        if parts.uri.path() != guard::PATH {
            let message = format!("there is nothing here; the server is at {}", guard::PATH);
            return Err(Rejection::new(StatusCode::NOT_FOUND, message));
        }
        // Browsers ask without a token whether they may ask with one.
        if let Some(answer) = reply::preflight(&parts) {
            return Ok((answer, None));
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
        let mut bytes = Bytes::new();
        let method = parts.method.clone();
        if method == Method::POST {
            let request = Request::from_parts(parts, body);
            (parts, bytes) = guard::body(request, &self.options).await?;
        }
        let by = AskedBy {
            principal,
            session,
            headers: parts.headers,
        };
        if method != Method::POST {
            return self.without_message(&method, &by);
        }
        match read(&bytes).await {
            Some(Incoming::Message(message)) => self.with_message(message, by).await,
            Some(Incoming::Refused(refusal)) => Ok((reply::refused(&refusal), None)),
            None => Ok((reply::accepted(), None)),
        }
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
