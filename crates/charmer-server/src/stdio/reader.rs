//! From bytes to messages and refusals: bounded lines, and the thread that reads them from an input that cannot be polled.

use std::{
    io::{self, BufRead, BufReader, Read},
    sync::Arc,
};

use tokio_util::sync::CancellationToken;

use super::queue::Queue;
use crate::message::{IdScanner, Incoming, LineRefusal, read_message};

/// The number of bytes that are read at once: most messages arrive whole in one system call.
const READ_BUFFER: usize = 64 * 1024;
/// A line buffer that grew beyond this is given back after the line.
const KEPT_LINE: usize = 256 * 1024;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads until the input ends, or until nobody wants what is read. At the end `shutdown` is
/// cancelled and `inbox` closed, in this order, whatever the end is: calls must stop running as
/// soon as nobody waits for them, even if messages are still queued.
pub(super) fn run(
    input: impl Read,
    max_line_bytes: usize,
    inbox: Arc<Queue<Incoming>>,
    shutdown: CancellationToken,
) {
    struct AtEnd(Arc<Queue<Incoming>>, CancellationToken);
    impl Drop for AtEnd {
        fn drop(&mut self) {
            self.1.cancel();
            self.0.close();
        }
    }
    let end = AtEnd(inbox, shutdown);
    let AtEnd(inbox, shutdown) = &end;

    let mut lines = Lines::new(input, max_line_bytes);
    loop {
        let ended = match lines.advance() {
            Ok(ended) => ended,
            Err(error) => {
                tracing::warn!(%error, "failed to read the input; taking it as ended");
                return;
            }
        };
        if ended == LineEnd::Input {
            shutdown.cancel();
        }
        let (incoming, bytes) = match lines.content() {
            Content::Line(line) => (read_message(line), line.len()),
            Content::TooLong(refusal) => (Some(Incoming::Refused(refusal)), 0),
        };
        let pushed = match incoming {
            None => Ok(()),
            // The last message does not wait for space: nothing can follow it.
            Some(incoming) if ended == LineEnd::Input => inbox.push(incoming, bytes),
            Some(incoming) => inbox.push_blocking(incoming, bytes, shutdown),
        };
        if pushed.is_err() || ended == LineEnd::Input {
            return;
        }
    }
}

/// The end of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineEnd {
    Newline,
    Input,
}

/// A line, or what is left of one.
pub(super) enum Content<'a> {
    /// Without its newline.
    Line(&'a [u8]),
    /// Too long to be kept; the refusal has the id that was found in it.
    TooLong(LineRefusal),
}

/// Splits the input into lines of bounded length.
pub(super) struct Lines<R> {
    input: BufReader<R>,
    max: usize,
    line: Vec<u8>,
    too_long: Option<IdScanner>,
    at_start: bool,
    /// The line is only begun, because there was nothing more to read.
    begun: bool,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(input: R, max: usize) -> Self {
        Self {
            input: BufReader::with_capacity(READ_BUFFER, input),
            max,
            line: Vec::new(),
            too_long: None,
            at_start: true,
            begun: false,
        }
    }

    /// The input that is read from.
    pub(super) fn input(&mut self) -> &mut R {
        self.input.get_mut()
    }

    /// Reads the next line. Where the input would have to be waited for, that is an error, and the next call goes on with
    /// the same line.
    pub(super) fn advance(&mut self) -> io::Result<LineEnd> {
        if !std::mem::replace(&mut self.begun, true) {
            self.too_long = None;
            self.line.clear();
            self.line.shrink_to(KEPT_LINE);
        }
        let ended = self.read_on()?;
        self.begun = false;
        if std::mem::take(&mut self.at_start) && self.line.starts_with(BYTE_ORDER_MARK) {
            self.line.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(ended)
    }

    fn read_on(&mut self) -> io::Result<LineEnd> {
        if self.too_long.is_none() {
            let room = self.max.saturating_add(1) - self.line.len();
            self.input
                .by_ref()
                .take(room as u64)
                .read_until(b'\n', &mut self.line)?;
            if self.line.pop_if(|last| *last == b'\n').is_some() {
                return Ok(LineEnd::Newline);
            }
            if self.line.len() <= self.max {
                return Ok(LineEnd::Input);
            }
            let mut scanner = IdScanner::new();
            let start = self
                .line
                .strip_prefix(BYTE_ORDER_MARK)
                .filter(|_| self.at_start);
            scanner.feed(start.unwrap_or(&self.line));
            self.line = Vec::new();
            self.too_long = Some(scanner);
        }
        self.discard_rest()
    }

    /// A message as it was read.
    pub(super) fn content(&mut self) -> Content<'_> {
        match self.too_long.take() {
            Some(scanner) => {
                let message = format!("the line is longer than the limit of {} bytes", self.max);
                Content::TooLong(LineRefusal::invalid_request(scanner.finish(), message))
            }
            None => Content::Line(&self.line),
        }
    }

    /// Reads past the rest of a line that is too long, looking only for the id.
    fn discard_rest(&mut self) -> io::Result<LineEnd> {
        loop {
            let piece = match self.input.fill_buf() {
                Ok(piece) => piece,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if piece.is_empty() {
                return Ok(LineEnd::Input);
            }
            let newline = piece.iter().position(|byte| *byte == b'\n');
            if let Some(scanner) = &mut self.too_long {
                scanner.feed(&piece[..newline.unwrap_or(piece.len())]);
            }
            let used = newline.map_or(piece.len(), |at| at + 1);
            self.input.consume(used);
            if newline.is_some() {
                return Ok(LineEnd::Newline);
            }
        }
    }
}
