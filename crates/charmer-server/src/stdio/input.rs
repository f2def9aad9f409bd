//! Where messages come from: a pipe that the protocol's own thread reads, or a thread that reads anything else.

use std::{
    io::{self, Read},
    sync::Arc,
    thread,
};

use tokio_util::sync::CancellationToken;

#[cfg(target_os = "linux")]
use super::polled;
use super::{queue::Queue, reader};
use crate::message::Incoming;

/// Messages that were read and not delivered yet. They are taken as fast as they come, so this only has to cover the time
/// that one scheduling of a task takes.
const INBOX_ITEMS: usize = 64;

/// See the module's documentation.
pub(super) enum StdioInput {
    /// A thread that reads, and the queue that it fills.
    Thread(Arc<Queue<Incoming>>),
    #[cfg(target_os = "linux")]
    Polled(Box<polled::PolledInput>),
}

impl StdioInput {
    /// Reads from a file in the quickest way that it allows.
    #[cfg(unix)]
    pub(super) fn of_file(
        input: std::fs::File,
        max_line_bytes: usize,
        shutdown: CancellationToken,
    ) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(polled) = polled::PolledInput::new(&input, max_line_bytes, shutdown.clone()) {
            return Ok(Self::Polled(Box::new(polled)));
        }
        Self::thread(input, max_line_bytes, shutdown)
    }

    /// Starts a thread that reads.
    pub(super) fn thread(
        input: impl Read + Send + 'static,
        max_line_bytes: usize,
        shutdown: CancellationToken,
    ) -> io::Result<Self> {
        let inbox = Arc::new(Queue::new(INBOX_ITEMS, max_line_bytes));
        thread::Builder::new().name("charmer-stdin".into()).spawn({
            let inbox = Arc::clone(&inbox);
            move || reader::run(input, max_line_bytes, inbox, shutdown)
        })?;
        Ok(Self::Thread(inbox))
    }

    /// The next message or refusal; `None` when there will be no more. Cancel-safe.
    pub(super) async fn next(&mut self) -> Option<Incoming> {
        match self {
            Self::Thread(inbox) => inbox.pop().await,
            #[cfg(target_os = "linux")]
            Self::Polled(input) => input.next().await,
        }
    }

    /// Notices the end of an input that is not read at the moment. Never returns.
    pub(super) async fn watch_for_end(&mut self) {
        match self {
            // The thread does.
            Self::Thread(_) => std::future::pending().await,
            #[cfg(target_os = "linux")]
            Self::Polled(input) => input.watch_for_end().await,
        }
    }

    /// Lets the reader go.
    pub(super) fn abort(&self) {
        if let Self::Thread(inbox) = self {
            inbox.abort();
        }
    }
}
