//! Where a stream of output goes: redacted first, then into bounded memory, and whole to disk once it is long.

use std::{
    borrow::Cow,
    sync::{Arc, Mutex, PoisonError, TryLockError},
    time::Duration,
};

use crate::{
    Progress, Spool,
    redact::{RedactedOutput, Redactor},
    spool::SpoolFile,
};

use super::capture::{Capture, Captured};

/// The number of bytes at a piece's end that are searched for its last line.
const LINE_WINDOW: usize = 1024;
/// The maximum number of milliseconds that somebody who looks on waits for a thread that writes to disk.
const TRIES: usize = 50;
/// The number of bytes of each end of a stream that are kept for whoever looks on after the program has ended, until what
/// came of it is known.
const LAST_SIGHT: usize = 64 << 10;

/// One stream on its way.
pub(super) struct Sink {
    /// None, if it is kept as it is.
    redacted: Option<RedactedOutput>,
    kept: Arc<Mutex<Kept>>,
}

/// The part of a stream that has arrived. Whoever waits for a [`Sink`] can take it before the sink is done.
pub(super) struct Kept {
    capture: Capture,
    /// The number of bytes that went into the sink.
    taken: u64,
    /// Output longer than this will be cut for the assistant, so it is spooled.
    long: u64,
    spool: Option<Spool>,
    /// Whom the spooled output belongs to.
    principal: Arc<str>,
    file: Option<SpoolFile>,
    progress: Progress,
    is_closed: bool,
    /// Somebody looks on: what was there last is kept when it is closed.
    is_shown: bool,
    last: Captured,
}

/// One stream of a run that goes on, for whoever looks on.
#[derive(Clone)]
pub(crate) struct LiveStream(Arc<Mutex<Kept>>);

impl Sink {
    pub(super) fn new(
        capture_bytes: usize,
        shown: usize,
        spool: Option<Spool>,
        principal: Arc<str>,
        redactor: Option<&Redactor>,
        progress: Progress,
    ) -> Self {
        let kept = Kept {
            capture: Capture::new(capture_bytes),
            taken: 0,
            long: shown.min(capture_bytes) as u64,
            spool,
            principal,
            file: None,
            progress,
            is_closed: false,
            is_shown: false,
            last: Captured::default(),
        };
        Self {
            redacted: redactor.map(Redactor::output),
            kept: Arc::new(Mutex::new(kept)),
        }
    }

    pub(super) fn kept(&self) -> Arc<Mutex<Kept>> {
        Arc::clone(&self.kept)
    }

    /// The stream, for whoever looks on.
    pub(super) fn live(&self) -> LiveStream {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.is_shown = true;
        LiveStream(self.kept())
    }

    pub(super) fn push(&mut self, piece: &[u8]) {
        let safe = match &mut self.redacted {
            Some(redacted) => redacted.feed(piece),
            None => Cow::Borrowed(piece),
        };
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.keep(&safe);
        kept.taken += piece.len() as u64;
    }

    pub(super) fn finish(mut self) -> Captured {
        let redacted = self.redacted.as_mut();
        let rest = redacted.map_or_else(Vec::new, RedactedOutput::finish);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.keep(&rest);
        kept.close()
    }
}

impl Kept {
    fn keep(&mut self, bytes: &[u8]) {
        if bytes.is_empty() || self.is_closed {
            return;
        }
        if self.file.is_none()
            && self.capture.total() + bytes.len() as u64 > self.long
            && let Some(spool) = self.spool.take()
        {
            match spool.create(&self.principal) {
                Ok(mut file) => {
                    self.capture.so_far().for_each(|part| file.write(part));
                    self.file = Some(file);
                }
                Err(error) => tracing::warn!(%error, "a long output could not be kept on disk"),
            }
        }
        if let Some(file) = &mut self.file {
            file.write(bytes);
        }
        self.capture.push(bytes);
        if self.progress.is_watched() {
            self.progress
                .report(bytes.len() as u64, last_line(bytes).as_deref());
        }
    }

    /// Returns what was kept; nothing is added any more.
    fn close(&mut self) -> Captured {
        self.is_closed = true;
        if self.is_shown {
            self.last = self.so_far(LAST_SIGHT);
        }
        let capture = std::mem::replace(&mut self.capture, Capture::new(0));
        Captured {
            spool: self.file.take().map(SpoolFile::into_spooled),
            ..capture.finish()
        }
    }

    /// Returns what was kept of so many bytes that were read, although the sink is not done with them.
    pub(super) fn abandon(&mut self, read: u64) -> Captured {
        let missing = read.saturating_sub(self.taken).max(1);
        if let Some(file) = &self.file {
            file.lose(missing);
        }
        let mut captured = self.close();
        captured.total += missing;
        captured
    }
}

impl Kept {
    /// The stream up to now, with at most so many bytes from each of its ends.
    fn so_far(&self, most: usize) -> Captured {
        Captured {
            spool: self.file.as_ref().map(SpoolFile::spooled),
            ..self.capture.ends(most)
        }
    }
}

impl LiveStream {
    /// The stream up to now, with at most so many bytes from each of its ends. Whoever asks does not wait for a disk that
    /// does not answer.
    #[cfg_attr(not(feature = "jobs"), expect(dead_code))]
    pub(crate) async fn so_far(&self, most: usize) -> Captured {
        for _ in 0..TRIES {
            match self.0.try_lock() {
                Ok(kept) if kept.is_closed => return kept.last.clone(),
                Ok(kept) => return kept.so_far(most),
                Err(TryLockError::Poisoned(_)) => break,
                Err(TryLockError::WouldBlock) => {}
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Captured::default()
    }
}

/// The last line that says something.
fn last_line(bytes: &[u8]) -> Option<String> {
    let window = &bytes[bytes.len().saturating_sub(LINE_WINDOW)..];
    let text = String::from_utf8_lossy(window);
    let text = charmer_core::output::clean(&text);
    text.lines()
        .rev()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LOCAL, SpoolLimits};

    #[test]
    fn what_is_not_redacted_in_time_is_missing_and_never_added() {
        let folder = tempfile::tempdir().expect("a folder");
        let spool = Spool::new(folder.path(), SpoolLimits::default());
        let principal = Arc::from(LOCAL);
        let redactor = Redactor::new(["hunter2"], [""; 0]).expect("no patterns");
        let (kept_on_disk, progress) = (Some(spool.clone()), Progress::default());
        let mut sink = Sink::new(1000, 5, kept_on_disk, principal, Some(&redactor), progress);
        sink.push(b"a line with hunter2\nand a beginning");
        let kept = sink.kept();
        let captured = kept.lock().expect("no panic").abandon(5000);
        sink.push(b" and an end\n");
        assert_eq!(sink.finish(), Captured::default());

        assert_eq!(captured.head, b"a line with [redacted]\n");
        assert!(captured.is_cut() && captured.total > 4900);
        let spooled = captured.spool.expect("it is long");
        let part = spool.read(spooled.hand_out(), LOCAL, 0, 100);
        let part = part.expect("it is kept").expect("it can be read");
        assert_eq!((&part.bytes, part.missing), (&captured.head, 4965));
    }
}
