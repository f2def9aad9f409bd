//! The transport over standard input and output: one JSON-RPC message a line.
//!
//! rmcp has a transport for this, but it leaves lines that it cannot read without an answer, so that
//! the client waits for ever, and lets running calls go on after the input has ended. This one
//! answers every line that asks for it, and tells the server to stop first.
//!
//! ```text
//! input --> lines, JSON, envelope --> receive() --> rmcp
//!                                     (ids in flight, life cycle)
//! output <-- send(), and refusals from receive()
//! ```
//!
//! A pipe is read by `receive` itself, and a short line that the client has room for is written by
//! `send` itself: to wake another thread takes longer than either. What must be waited for is queued,
//! and written by a thread; any other input is read by a thread. Both block in system calls and both
//! are detached: the end of the process ends them.
//!
//! Memory is bounded by the queues. A client that does not read its answers is not given new ones to
//! read: its requests wait while the outbox is full.
//!
//! Every decision on ids is taken in `receive`, because rmcp handles what it returns before anything
//! else: there a request, its cancellation and its answer cannot overtake each other.

use std::{
    io::{self, Read, Write},
    sync::Arc,
    thread,
    time::Duration,
};

use rmcp::{
    RoleServer,
    model::{ClientJsonRpcMessage, ErrorData, JsonRpcMessage, ServerJsonRpcMessage},
    transport::Transport,
};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

mod input;
mod lifecycle;
#[cfg(not(unix))]
#[path = "stdio/other.rs"]
mod os;
#[cfg(unix)]
#[path = "stdio/unix.rs"]
mod os;
#[cfg(target_os = "linux")]
mod polled;
mod queue;
mod reader;
#[cfg(test)]
mod tests;
mod writer;

use crate::{
    inflight::InFlight,
    message::{Incoming, LineRefusal},
};

use self::{
    input::StdioInput,
    lifecycle::LifeCycle,
    queue::Queue,
    writer::{Outgoing, WriteResult},
};

/// The limits of a [`StdioTransport`].
#[derive(Debug, Clone)]
pub(crate) struct StdioOptions {
    /// The longest line that is read, in bytes without its newline.
    pub(crate) max_line_bytes: usize,
    /// The number of lines that may wait to be written before requests have to wait.
    pub(crate) outbox_lines: usize,
    /// The number of bytes that may wait to be written before requests have to wait.
    pub(crate) outbox_bytes: usize,
    /// The time that closing waits for a client that does not read.
    pub(crate) drain_timeout: Duration,
}

impl Default for StdioOptions {
    fn default() -> Self {
        Self {
            max_line_bytes: 16 * 1024 * 1024,
            outbox_lines: 256,
            outbox_bytes: 32 * 1024 * 1024,
            drain_timeout: Duration::from_secs(2),
        }
    }
}

/// The reason why a message could not be sent.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StdioError {
    /// The transport was closed, or an earlier write failed.
    #[error("the output is closed")]
    Closed,
    /// The write failed.
    #[error("failed to write to the client: {0}")]
    Write(io::ErrorKind),
    /// The message is not representable as JSON.
    #[error("failed to write a message as JSON: {0}")]
    Serialize(#[from] serde_json::Error),
}

/// See the module's documentation.
pub(crate) struct StdioTransport {
    input: StdioInput,
    outbox: Arc<Queue<Outgoing>>,
    short_writes: Option<os::ShortWrites>,
    in_flight: InFlight,
    /// A message that was read and waits for space in the outbox. It is kept here because the future of `receive` may
    /// be dropped at any await.
    held: Option<Incoming>,
    life_cycle: LifeCycle,
    writer_finished: CancellationToken,
    shutdown: CancellationToken,
    drain_timeout: Duration,
}

impl StdioTransport {
    /// A transport over any two ends. `shutdown` is cancelled when the input ends or the output
    /// fails, before `receive` says so.
    ///
    /// # Errors
    /// When a thread cannot be started.
    pub(crate) fn new(
        input: impl Read + Send + 'static,
        output: impl Write + Send + 'static,
        options: StdioOptions,
        shutdown: CancellationToken,
    ) -> io::Result<Self> {
        let input = StdioInput::thread(input, options.max_line_bytes, shutdown.clone())?;
        Self::with_input(input, output, options, shutdown)
    }

    fn with_input(
        input: StdioInput,
        output: impl Write + Send + 'static,
        options: StdioOptions,
        shutdown: CancellationToken,
    ) -> io::Result<Self> {
        let outbox = Arc::new(Queue::new(options.outbox_lines, options.outbox_bytes));
        let writer_finished = CancellationToken::new();
        // Made before the thread, so that its drop lets the reader go if the thread cannot start.
        let transport = Self {
            input,
            outbox: Arc::clone(&outbox),
            short_writes: None,
            in_flight: InFlight::default(),
            held: None,
            life_cycle: LifeCycle::default(),
            writer_finished: writer_finished.clone(),
            shutdown: shutdown.clone(),
            drain_timeout: options.drain_timeout,
        };
        thread::Builder::new()
            .name("charmer-stdout".into())
            .spawn(move || writer::run(output, outbox, shutdown, writer_finished))?;
        Ok(transport)
    }

    /// A transport over the standard input and output of this process, which nothing else can use
    /// afterwards (on Unix: reading gives nothing, and printing goes to standard error).
    ///
    /// # Errors
    /// When the descriptors cannot be moved or a thread cannot be started.
    pub(crate) fn claim_stdio(
        options: StdioOptions,
        shutdown: CancellationToken,
    ) -> io::Result<Self> {
        let (input, output) = os::claim()?;
        #[cfg(unix)]
        return Self::over_files(input, output, options, shutdown);
        #[cfg(not(unix))]
        Self::new(input, output, options, shutdown)
    }

    /// A transport over two files, which goes without waking threads where they are pipes.
    #[cfg(unix)]
    fn over_files(
        input: std::fs::File,
        output: std::fs::File,
        options: StdioOptions,
        shutdown: CancellationToken,
    ) -> io::Result<Self> {
        let input = StdioInput::of_file(input, options.max_line_bytes, shutdown.clone())?;
        let short_writes = os::ShortWrites::new(&output);
        let mut transport = Self::with_input(input, output, options, shutdown)?;
        transport.short_writes = short_writes;
        Ok(transport)
    }

    /// Decides what becomes of an incoming message: it is delivered, answered or dropped.
    fn admit(&mut self, incoming: Incoming) -> Option<ClientJsonRpcMessage> {
        let mut message = match incoming {
            Incoming::Message(message) => *message,
            Incoming::Refused(refusal) => {
                let in_use = refusal.id().is_some_and(|id| self.in_flight.contains(id));
                self.refuse(if in_use {
                    refusal.without_id()
                } else {
                    refusal
                });
                return None;
            }
        };
        match &mut message {
            JsonRpcMessage::Request(request) => {
                if !self.in_flight.enter(&request.id, &mut request.request) {
                    self.refuse(LineRefusal::id_in_use(request.id.clone()));
                    return None;
                }
            }
            _ if !self.life_cycle.has_begun() => {
                tracing::debug!("dropped a message that came before the first request");
                return None;
            }
            message => self.in_flight.received(message),
        }
        self.life_cycle.delivered(&message);
        Some(message)
    }

    fn refuse(&self, refusal: LineRefusal) {
        if self.write(refusal.to_line()).is_err() {
            tracing::debug!("dropped an error reply: the output is closed");
        }
    }

    /// Writes a line, or queues what cannot be written at once; then the writer says how it went.
    fn write(
        &self,
        mut line: Vec<u8>,
    ) -> Result<Option<oneshot::Receiver<WriteResult>>, StdioError> {
        if let Some(output) = &self.short_writes {
            let written = self.outbox.while_idle(|| output.write(&line));
            line.drain(..written.unwrap_or(0));
            if line.is_empty() {
                return Ok(None);
            }
        }
        let (done, written) = oneshot::channel();
        let bytes = line.len();
        match self.outbox.push(Outgoing { line, done }, bytes) {
            Ok(()) => Ok(Some(written)),
            Err(queue::Closed) => Err(StdioError::Closed),
        }
    }

    /// Waits until there is space for an answer.
    async fn space(&mut self) {
        let given_up = async {
            self.shutdown.cancelled().await;
            tokio::time::sleep(self.drain_timeout).await;
        };
        tokio::select! {
            biased;
            () = self.outbox.space() => {}
            () = self.input.watch_for_end() => {}
            // The client has gone without reading: what it would be answered need not wait for it.
            () = given_up => {}
        }
    }

    /// Lets the writer finish what is queued, for a limited time.
    async fn drain(&self) {
        self.outbox.close();
        if tokio::time::timeout(self.drain_timeout, self.writer_finished.cancelled())
            .await
            .is_err()
        {
            tracing::warn!("the client did not read everything that was written to it");
        }
    }
}

impl Transport<RoleServer> for StdioTransport {
    type Error = StdioError;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), StdioError>> + Send + 'static {
        if let JsonRpcMessage::Error(error) = &message {
            self.life_cycle.sent_error(error);
        }
        self.in_flight.sent(&message);
        // Done here and not in the future: rmcp runs the futures side by side, and a progress
        // notification must not come after the result.
        let queued = serialize(&message).and_then(|line| self.write(line));
        async move {
            let Some(queued) = queued? else {
                return Ok(());
            };
            match queued.await {
                Ok(written) => written.map_err(StdioError::Write),
                Err(_) => Err(StdioError::Closed),
            }
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if self.held.is_none() {
                tokio::select! {
                    biased;
                    () = self.writer_finished.cancelled() => {}
                    incoming = self.input.next() => self.held = incoming,
                }
            }
            if self.writer_finished.is_cancelled() {
                return None;
            }
            match &self.held {
                None => {
                    if !self.life_cycle.has_begun() {
                        // rmcp does not close a transport that ends during the handshake, and the
                        // process may be gone before the replies to bad lines are written.
                        self.drain().await;
                    }
                    return None;
                }
                Some(Incoming::Refused(_)) => self.space().await,
                Some(Incoming::Message(message)) => {
                    if matches!(**message, JsonRpcMessage::Request(_)) {
                        self.space().await;
                    }
                }
            }
            let incoming = self.held.take();
            if let Some(message) = incoming.and_then(|incoming| self.admit(incoming)) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), StdioError> {
        self.input.abort();
        self.drain().await;
        Ok(())
    }
}

impl Drop for StdioTransport {
    fn drop(&mut self) {
        self.input.abort();
        self.outbox.close();
    }
}

/// A message as one line. A response that cannot be written becomes an error, because the client
/// waits for something under its id.
fn serialize(message: &ServerJsonRpcMessage) -> Result<Vec<u8>, StdioError> {
    let mut line = match (serde_json::to_vec(message), message) {
        (Ok(line), _) => line,
        (Err(error), JsonRpcMessage::Response(response)) => {
            let error =
                ErrorData::internal_error(format!("failed to write the result: {error}"), None);
            serde_json::to_vec(&ServerJsonRpcMessage::error(
                error,
                Some(response.id.clone()),
            ))?
        }
        (Err(error), _) => return Err(error.into()),
    };
    line.push(b'\n');
    Ok(line)
}
