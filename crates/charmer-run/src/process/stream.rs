//! One stream of a child, read until it ends. What is long is redacted and kept on another thread, so that the one that
//! reads it, which may be the one that speaks with the client, never works for long.

use std::{
    sync::{Arc, Mutex, TryLockError},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt},
    sync::oneshot,
};

use crate::begin_blocking;

use super::{
    capture::Captured,
    sink::{Kept, Sink},
};

/// The amount that is read at once where there is much.
const CHUNK: usize = 64 << 10;
/// The amount that is read at first. Most programs print less than a page, and memory that is asked for and given back
/// with every call costs more than to read twice.
const FIRST_CHUNK: usize = 4 << 10;
/// The number of bytes of a stream that are dealt with where they are read: the way to another thread and back costs
/// more than that.
const AT_ONCE: u64 = 64 << 10;
/// The number of bytes that may wait for the other thread. A program that prints quicker than it can be redacted has to
/// wait; and what waits when a call is ended has to be redacted before it can be answered.
const WAITING: usize = 256 << 10;
/// The number of milliseconds that a thread may take to put down what it holds.
const TRIES: usize = 20;

/// Either of the two streams of a child.
type Reader = Box<dyn AsyncRead + Send + Unpin>;

/// See the module's documentation.
pub(super) struct Stream {
    reader: Option<Reader>,
    buffer: Vec<u8>,
    sink: LinePlace,
    kept: Arc<Mutex<Kept>>,
    /// The bytes read while the sink was away.
    waiting: Vec<u8>,
    /// The number of bytes that were read.
    read: u64,
}

/// The place of the sink.
enum LinePlace {
    Here(Box<Sink>),
    Away(oneshot::Receiver<Box<Sink>>),
    /// Its thread panicked; what has been kept until then is still there.
    Lost,
}

impl Stream {
    pub(super) fn new(reader: Option<impl AsyncRead + Send + Unpin + 'static>, sink: Sink) -> Self {
        Self {
            reader: reader.map(|reader| Box::new(reader) as Reader),
            buffer: Vec::new(),
            kept: sink.kept(),
            sink: LinePlace::Here(Box::new(sink)),
            waiting: Vec::new(),
            read: 0,
        }
    }

    /// Reads once, or gets the sink back; pends for ever when the stream has ended.
    pub(super) async fn read(&mut self) {
        let has_room = self.waiting.len() < WAITING;
        match (&mut self.sink, &mut self.reader) {
            (LinePlace::Away(sink), Some(reader)) if has_room => {
                self.buffer.resize(CHUNK, 0);
                tokio::select! {
                    back = sink => self.came_back(back.ok()),
                    read = reader.read(&mut self.buffer) => self.take(read.unwrap_or(0)),
                }
            }
            (LinePlace::Away(sink), _) => {
                let back = sink.await;
                self.came_back(back.ok());
            }
            (_, Some(reader)) => {
                let is_long = self.read >= FIRST_CHUNK as u64;
                self.buffer
                    .resize(if is_long { CHUNK } else { FIRST_CHUNK }, 0);
                let read = reader.read(&mut self.buffer).await;
                self.take(read.unwrap_or(0));
            }
            (_, None) => std::future::pending().await,
        }
    }

    pub(super) fn ended(&self) -> bool {
        self.reader.is_none()
    }

    /// Takes what was read; nothing is the end.
    fn take(&mut self, length: usize) {
        if length == 0 {
            self.reader = None;
            return;
        }
        self.read += length as u64;
        match std::mem::replace(&mut self.sink, LinePlace::Lost) {
            LinePlace::Here(mut sink) if self.read <= AT_ONCE => {
                sink.push(&self.buffer[..length]);
                self.sink = LinePlace::Here(sink);
            }
            LinePlace::Here(sink) => {
                self.waiting.extend_from_slice(&self.buffer[..length]);
                self.send_away(sink);
            }
            LinePlace::Away(sink) => {
                self.waiting.extend_from_slice(&self.buffer[..length]);
                self.sink = LinePlace::Away(sink);
            }
            LinePlace::Lost => {}
        }
    }

    fn came_back(&mut self, sink: Option<Box<Sink>>) {
        match sink {
            Some(sink) if self.waiting.is_empty() => self.sink = LinePlace::Here(sink),
            Some(sink) => self.send_away(sink),
            None => self.sink = LinePlace::Lost,
        }
    }

    fn send_away(&mut self, mut sink: Box<Sink>) {
        let piece = std::mem::take(&mut self.waiting);
        self.sink = LinePlace::Away(begin_blocking(move || {
            sink.push(&piece);
            sink
        }));
    }

    /// Returns the captured output, within this time: what is not redacted until then is left out.
    pub(super) async fn finish(self, within: Duration) -> Captured {
        let Self {
            sink,
            waiting,
            kept,
            read,
            ..
        } = self;
        let finishing = async {
            let mut sink = match sink {
                LinePlace::Here(sink) if read <= AT_ONCE => return Some(sink.finish()),
                LinePlace::Here(sink) => sink,
                LinePlace::Away(sink) => sink.await.ok()?,
                LinePlace::Lost => return None,
            };
            let finished = begin_blocking(move || {
                sink.push(&waiting);
                sink.finish()
            });
            finished.await.ok()
        };
        match tokio::time::timeout(within, finishing).await {
            Ok(Some(captured)) => captured,
            Ok(None) | Err(_) => abandoned(&kept, read).await,
        }
    }
}

/// Returns what was kept of a stream whose sink is not done. Its thread may be writing to a disk that does not answer.
async fn abandoned(kept: &Mutex<Kept>, read: u64) -> Captured {
    tracing::warn!("an output could not be redacted in time, and is left out from there on");
    for _ in 0..TRIES {
        let taken = match kept.try_lock() {
            Ok(mut kept) => Some(kept.abandon(read)),
            Err(TryLockError::Poisoned(kept)) => Some(kept.into_inner().abandon(read)),
            Err(TryLockError::WouldBlock) => None,
        };
        if let Some(captured) = taken {
            return captured;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    Captured {
        total: read,
        ..Captured::default()
    }
}
