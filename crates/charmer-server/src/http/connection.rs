//! One connection: its bytes within deadlines, its requests one after the other.
//!
//! hyper bounds how long a connection may wait for a request. What it does not see is here: a header that trickles in, and
//! a client that does not read what is written to it.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep},
};

use super::{
    caps::{NoPlace, Place},
    principal::Principal,
};

/// The facts known about a connection.
#[derive(Debug)]
pub(super) struct Connection {
    /// The address at which it came in, and that of a client that can use any name for it.
    pub(super) local: Option<std::net::SocketAddr>,
    /// The user at the other end, where the system says who it is.
    pub(super) user: Option<Arc<Principal>>,
    /// A request is being answered; between them a header is awaited.
    answering: AtomicBool,
    place: Mutex<Place>,
}

impl Connection {
    pub(super) fn new(
        local: Option<std::net::SocketAddr>,
        user: Option<Arc<Principal>>,
        place: Place,
    ) -> Self {
        Self {
            local,
            user,
            answering: AtomicBool::new(false),
            place: Mutex::new(place),
        }
    }

    /// A header has arrived.
    pub(super) fn answering(&self) {
        self.answering.store(true, Ordering::Release);
    }

    /// The answer has been written, or nobody wants it.
    pub(super) fn answered(&self) {
        self.answering.store(false, Ordering::Release);
    }

    /// Says whose requests come over it.
    pub(super) fn used_by(&self, principal: &Principal) -> Result<(), NoPlace> {
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        place.belongs_to(&principal.name)
    }
}

/// A stream that fails when its deadlines pass.
pub(super) struct WatchedStream<S> {
    stream: S,
    connection: Arc<Connection>,
    header_timeout: Duration,
    write_timeout: Duration,
    header: Option<Pin<Box<Sleep>>>,
    write: Option<Pin<Box<Sleep>>>,
}

impl<S> WatchedStream<S> {
    pub(super) fn new(
        stream: S,
        connection: &Arc<Connection>,
        header_timeout: Duration,
        write_timeout: Duration,
    ) -> Self {
        Self {
            stream,
            connection: Arc::clone(connection),
            header_timeout,
            write_timeout,
            header: None,
            write: None,
        }
    }

    /// Returns the result of a write, unless it has been waited for too long.
    fn in_time<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.write = None;
            return written;
        }
        let timeout = self.write_timeout;
        let deadline = self
            .write
            .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(Instant::now() + timeout)));
        ready!(deadline.as_mut().poll(cx));
        Poll::Ready(Err(late("the client does not read")))
    }
}

fn late(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, message)
}

impl<S: AsyncRead + Unpin> AsyncRead for WatchedStream<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        let read = Pin::new(&mut this.stream).poll_read(cx, buffer);
        if this.connection.answering.load(Ordering::Acquire) {
            this.header = None;
            return read;
        }
        if read.is_ready() && this.header.is_none() && buffer.filled().len() > before {
            let deadline = Instant::now() + this.header_timeout;
            this.header = Some(Box::pin(tokio::time::sleep_until(deadline)));
        }
        // Also where something was read: what trickles in is late all the same.
        if let Some(deadline) = &mut this.header
            && deadline.as_mut().poll(cx).is_ready()
        {
            return Poll::Ready(Err(late("the header took too long")));
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WatchedStream<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write(cx, bytes);
        this.in_time(cx, written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write_vectored(cx, slices);
        this.in_time(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let flushed = Pin::new(&mut this.stream).poll_flush(cx);
        this.in_time(cx, flushed)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let ended = Pin::new(&mut this.stream).poll_shutdown(cx);
        this.in_time(cx, ended)
    }
}

/// Tells a client that there is no room, without reading what it wants.
pub(super) async fn turn_away(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    rejection: super::reply::Rejection,
) {
    use http_body_util::BodyExt;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    /// The longest time that it may take to hear of it.
    const PATIENCE: Duration = Duration::from_secs(1);
    let response = rejection.into_response();
    let mut head = format!("HTTP/1.1 {}\r\n", response.status());
    for (name, value) in response.headers() {
        head += &format!("{name}: {}\r\n", value.to_str().unwrap_or_default());
    }
    let Ok(body) = response.into_body().collect().await;
    let body = body.to_bytes();
    head += &format!("content-length: {}\r\n\r\n", body.len());
    let told = async {
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(&body).await?;
        stream.shutdown().await?;
        // What is not read makes the system forget what was written.
        let mut ignored = [0; 4096];
        while stream.read(&mut ignored).await? > 0 {}
        io::Result::Ok(())
    };
    // It has gone, or takes too long: it has been told as well as can be.
    let _ = tokio::time::timeout(PATIENCE, told).await;
}
