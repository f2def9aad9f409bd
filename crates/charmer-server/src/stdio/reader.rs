//! The reader thread: bounded lines in, messages and refusals out.

use std::{
    io::{self, BufRead, BufReader, Read},
    sync::Arc,
};

use rmcp::model::RequestId;
use tokio_util::sync::CancellationToken;

use super::{
    envelope::{self, Incoming},
    queue::Queue,
    refusal::Refusal,
    salvage::IdScanner,
};

/// What is read at once: most messages arrive whole in one system call.
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
        if ended == Ended::Input {
            shutdown.cancel();
        }
        let (incoming, bytes) = match lines.content() {
            Content::Line(line) => (envelope::read_line(line), line.len()),
            Content::TooLong(id) => {
                let message =
                    format!("the line is longer than the limit of {max_line_bytes} bytes");
                (
                    Some(Incoming::Refused(Refusal::invalid_request(id, message))),
                    0,
                )
            }
        };
        let pushed = match incoming {
            None => Ok(()),
            // The last message does not wait for space: nothing can follow it.
            Some(incoming) if ended == Ended::Input => inbox.push(incoming, bytes),
            Some(incoming) => inbox.push_blocking(incoming, bytes, shutdown),
        };
        if pushed.is_err() || ended == Ended::Input {
            return;
        }
    }
}

/// What ended a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    Newline,
    Input,
}

/// A line, or what is left of one.
enum Content<'a> {
    /// Without its newline.
    Line(&'a [u8]),
    /// Too long to be kept, with the id that was found in it.
    TooLong(Option<RequestId>),
}

/// Splits the input into lines of bounded length.
struct Lines<R> {
    input: BufReader<R>,
    max: usize,
    line: Vec<u8>,
    too_long: Option<IdScanner>,
    at_start: bool,
}

impl<R: Read> Lines<R> {
    fn new(input: R, max: usize) -> Self {
        Self {
            input: BufReader::with_capacity(READ_BUFFER, input),
            max,
            line: Vec::new(),
            too_long: None,
            at_start: true,
        }
    }

    /// Reads the next line.
    fn advance(&mut self) -> io::Result<Ended> {
        self.too_long = None;
        self.line.clear();
        self.line.shrink_to(KEPT_LINE);
        let with_newline = (self.max as u64).saturating_add(1);
        self.input
            .by_ref()
            .take(with_newline)
            .read_until(b'\n', &mut self.line)?;
        let ended = if self.line.pop_if(|last| *last == b'\n').is_some() {
            Ended::Newline
        } else if self.line.len() <= self.max {
            Ended::Input
        } else {
            self.discard_rest()?
        };
        if std::mem::take(&mut self.at_start) && self.line.starts_with(BYTE_ORDER_MARK) {
            self.line.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(ended)
    }

    /// What was read.
    fn content(&mut self) -> Content<'_> {
        match self.too_long.take() {
            Some(scanner) => Content::TooLong(scanner.finish()),
            None => Content::Line(&self.line),
        }
    }

    /// Reads past the rest of a line that is too long, looking only for the id.
    fn discard_rest(&mut self) -> io::Result<Ended> {
        let mut scanner = IdScanner::new();
        let start = self
            .line
            .strip_prefix(BYTE_ORDER_MARK)
            .filter(|_| self.at_start);
        scanner.feed(start.unwrap_or(&self.line));
        self.line = Vec::new();
        let ended = loop {
            let piece = match self.input.fill_buf() {
                Ok(piece) => piece,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if piece.is_empty() {
                break Ended::Input;
            }
            let newline = piece.iter().position(|byte| *byte == b'\n');
            scanner.feed(&piece[..newline.unwrap_or(piece.len())]);
            let used = newline.map_or(piece.len(), |at| at + 1);
            self.input.consume(used);
            if newline.is_some() {
                break Ended::Newline;
            }
        };
        self.too_long = Some(scanner);
        Ok(ended)
    }
}
