//! The transport over standard input and output: one JSON-RPC message a line.
//!
//! It answers every line that asks for it, also one that is no message, and tells the server to stop before it says that the
//! input has ended.
//!
//! ```text
//! input --> lines, JSON, envelope --> receive() --> a connection
//!                                     (ids in flight)
//! output <-- StdioOutlet::send(), and refusals from receive()
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
//! Every decision on ids is taken in `receive`: there a request, its cancellation and its answer cannot overtake each other.

use std::{
    io::{self, Read, Write},
    sync::Arc,
    thread,
    time::Duration,
};

use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

mod input;
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

use self::{input::StdioInput, queue::Queue, writer::OutgoingLine};
use crate::{
    inflight::InFlight,
    message::{Incoming, LineRefusal},
    protocol::{ClientMessage, Notification, Outgoing, Outlet, Written},
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

/// See the module's documentation.
pub(crate) struct StdioTransport {
    input: StdioInput,
    output: StdioOutlet,
    in_flight: InFlight,
    /// A message that was read and waits for space in the outbox. It is kept here because the future of `receive` may
    /// be dropped at any await.
    held: Option<Incoming>,
    writer_finished: CancellationToken,
    shutdown: CancellationToken,
    drain_timeout: Duration,
}

/// The output of a transport. Clones are the same one.
#[derive(Clone)]
pub(crate) struct StdioOutlet {
    outbox: Arc<Queue<OutgoingLine>>,
    short_writes: Option<Arc<os::ShortWrites>>,
}

impl StdioOutlet {
    /// Writes a line, or queues what cannot be written at once; then the writer says how it went.
    fn write(&self, mut line: Vec<u8>) -> Option<Written> {
        if let Some(output) = &self.short_writes {
            let written = self.outbox.while_idle(|| output.write(&line));
            line.drain(..written.unwrap_or(0));
            if line.is_empty() {
                return None;
            }
        }
        let (done, written) = oneshot::channel();
        let bytes = line.len();
        if self
            .outbox
            .push(OutgoingLine { line, done }, bytes)
            .is_err()
        {
            tracing::debug!("dropped a message: the output is closed");
        }
        Some(written)
    }
}

impl Outlet for StdioOutlet {
    fn send(&self, message: Outgoing) -> Option<Written> {
        let mut line = message.json;
        line.push(b'\n');
        self.write(line)
    }
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
            output: StdioOutlet {
                outbox: Arc::clone(&outbox),
                short_writes: None,
            },
            in_flight: InFlight::default(),
            held: None,
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
        transport.output.short_writes = short_writes.map(Arc::new);
        Ok(transport)
    }

    /// The end at which messages go out.
    pub(crate) fn outlet(&self) -> StdioOutlet {
        self.output.clone()
    }

    /// Decides what becomes of an incoming message: it is delivered, answered or dropped.
    fn admit(&mut self, incoming: Incoming) -> Option<ClientMessage> {
        let mut message = match incoming {
            Incoming::Message(message) => message,
            Incoming::Refused(refusal) => {
                let in_use = refusal.id().is_some_and(|id| self.in_flight.contains(id));
                self.refuse(&if in_use {
                    refusal.without_id()
                } else {
                    refusal
                });
                return None;
            }
        };
        match &mut message {
            ClientMessage::Request(request) => {
                request.in_flight = self.in_flight.enter(&request.id);
                if request.in_flight.is_none() {
                    self.refuse(&LineRefusal::id_in_use(request.id.clone()));
                    return None;
                }
            }
            ClientMessage::Notification(Notification::Cancelled(id)) => self.in_flight.cancel(id),
            _ => {}
        }
        Some(message)
    }

    fn refuse(&self, refusal: &LineRefusal) {
        drop(self.output.write(refusal.to_line()));
    }

    /// Waits until there is space for an answer.
    async fn space(&mut self) {
        let given_up = async {
            self.shutdown.cancelled().await;
            tokio::time::sleep(self.drain_timeout).await;
        };
        tokio::select! {
            biased;
            () = self.output.outbox.space() => {}
            () = self.input.watch_for_end() => {}
            // The client has gone without reading: what it would be answered need not wait for it.
            () = given_up => {}
        }
    }

    /// Lets the writer finish what is queued, for a limited time.
    async fn drain(&self) {
        self.output.outbox.close();
        if tokio::time::timeout(self.drain_timeout, self.writer_finished.cancelled())
            .await
            .is_err()
        {
            tracing::warn!("the client did not read everything that was written to it");
        }
    }
}

impl StdioTransport {
    /// The next message; `None` when there will be no more. Cancel-safe.
    pub(crate) async fn receive(&mut self) -> Option<ClientMessage> {
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
            let asks = match &self.held {
                None => return None,
                Some(Incoming::Refused(_) | Incoming::Message(ClientMessage::Request(_))) => true,
                Some(Incoming::Message(_)) => false,
            };
            if asks {
                self.space().await;
            }
            let incoming = self.held.take();
            if let Some(message) = incoming.and_then(|incoming| self.admit(incoming)) {
                return Some(message);
            }
        }
    }

    /// Reads no more, and has what is queued written, for a limited time.
    pub(crate) async fn close(&mut self) {
        self.input.abort();
        self.drain().await;
    }
}

impl Drop for StdioTransport {
    fn drop(&mut self) {
        self.input.abort();
        self.output.outbox.close();
    }
}
