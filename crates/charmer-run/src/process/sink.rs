//! Where a stream of output goes: redacted first, then into bounded memory, and whole to disk once it is long.

use crate::{
    Progress, Spool,
    redact::{RedactedStream, Redactor},
    spool::SpoolFile,
};

use super::capture::{Capture, Captured};

/// How much of a piece's end is looked at for its last line.
const LINE_WINDOW: usize = 1024;

/// One stream.
pub(super) struct Sink {
    redacted: Option<RedactedStream>,
    capture: Capture,
    /// Output longer than this will be cut for the assistant, so it is spooled.
    long: u64,
    spool: Option<Spool>,
    file: Option<SpoolFile>,
    progress: Progress,
}

impl Sink {
    pub(super) fn new(
        capture_bytes: usize,
        shown: usize,
        spool: Option<Spool>,
        redactor: &Redactor,
        progress: Progress,
    ) -> Self {
        Self {
            redacted: redactor.stream(),
            capture: Capture::new(capture_bytes),
            long: shown.min(capture_bytes) as u64,
            spool,
            file: None,
            progress,
        }
    }

    pub(super) fn push(&mut self, piece: &[u8]) {
        match &mut self.redacted {
            Some(redacted) => {
                let safe = redacted.feed(piece);
                self.keep(&safe);
            }
            None => self.keep(piece),
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        if self.file.is_none()
            && self.capture.total() + bytes.len() as u64 > self.long
            && let Some(spool) = self.spool.take()
        {
            match spool.create() {
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

    pub(super) fn finish(mut self) -> Captured {
        if let Some(mut redacted) = self.redacted.take() {
            let rest = redacted.finish();
            self.keep(&rest);
        }
        let spool = self.file.map(|file| file.id().to_owned());
        Captured {
            spool,
            ..self.capture.finish()
        }
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
