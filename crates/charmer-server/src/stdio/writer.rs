//! The writer thread: whole lines out, in the order in which they were queued.

use std::{
    collections::VecDeque,
    io::{BufWriter, Write},
    sync::Arc,
};

use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::queue::Queue;
use crate::protocol::WriteResult;

/// The number of bytes that are gathered into one system call. Longer lines are written as they are.
const WRITE_BUFFER: usize = 64 * 1024;

/// A line to write, newline included.
pub(super) struct OutgoingLine {
    pub(super) line: Vec<u8>,
    /// Told how the writing went.
    pub(super) done: oneshot::Sender<WriteResult>,
}

/// Writes until the outbox is closed and empty, then cancels `finished`. If the output fails, the
/// client is gone and the transport is dead: nothing more is received, and calls are told to stop.
pub(super) fn run(
    output: impl Write,
    outbox: Arc<Queue<OutgoingLine>>,
    shutdown: CancellationToken,
    finished: CancellationToken,
) {
    let finished = finished.drop_guard();
    let mut output = BufWriter::with_capacity(WRITE_BUFFER, output);
    while let Some(batch) = outbox.pop_all_blocking() {
        let written = batch
            .iter()
            .try_for_each(|(_, outgoing)| output.write_all(&outgoing.line))
            .and_then(|()| output.flush())
            .map_err(|error| error.kind());
        if let Err(kind) = written {
            tracing::debug!(%kind, "failed to write the output; taking the client as gone");
            shutdown.cancel();
            drop(finished);
            outbox.abort();
            // Dropping the buffer would write what is left of it once more.
            let _ = output.into_parts();
            tell(batch, written);
            return;
        }
        tell(batch, written);
    }
}

fn tell(batch: VecDeque<(usize, OutgoingLine)>, written: WriteResult) {
    for (_, outgoing) in batch {
        // A receiver that is gone did not want to know.
        let _ = outgoing.done.send(written);
    }
}
