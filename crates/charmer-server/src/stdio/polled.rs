//! Reading on the protocol's own thread, from a pipe that says when there is something to read.
//!
//! A reader thread would have to wake the protocol's with every message, which takes longer than to read it.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read},
    os::{
        fd::AsRawFd,
        unix::fs::{FileTypeExt, OpenOptionsExt},
    },
    time::Duration,
};

use charmer_run::begin_blocking;
use rustix::fs::OFlags;
use tokio::{io::Interest, net::unix::pipe::Receiver, sync::oneshot, task::coop::consume_budget};
use tokio_util::sync::CancellationToken;

use super::reader::{Content, LineEnd, Lines};
use crate::message::{Incoming, read_message};

/// Longer lines are parsed on another thread, so that pings and cancellations need not wait for it.
const LONG_LINE: usize = 64 * 1024;
/// The time between two looks at the input for its end while nothing is read from it.
const END_POLL: Duration = Duration::from_millis(50);

/// See the module's documentation.
pub(super) struct PolledInput {
    lines: Lines<Pipe>,
    /// A long line that is being parsed.
    parsing: Option<oneshot::Receiver<Option<Incoming>>>,
    ended: bool,
    shutdown: CancellationToken,
}

/// A pipe whose reads do not wait.
struct Pipe(Receiver);

impl Pipe {
    /// Opens a pipe once more, because the flags of the given descriptor are shared with whoever else has it: what is
    /// made non-blocking here would be for them, too. Fails for anything that is not a pipe.
    fn reopen(input: &File) -> io::Result<Self> {
        // Looked at before it is opened: a terminal would become that of this process.
        if !input.metadata()?.file_type().is_fifo() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let path = format!("/proc/self/fd/{}", input.as_raw_fd());
        let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
        let own = OpenOptions::new()
            .read(true)
            .custom_flags(flags)
            .open(path)?;
        Receiver::from_file(own).map(Self)
    }
}

impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.try_read(buffer)
    }
}

impl PolledInput {
    /// Takes an input that is a pipe; `None` if it is not.
    pub(super) fn new(
        input: &File,
        max_line_bytes: usize,
        shutdown: CancellationToken,
    ) -> Option<Self> {
        Some(Self {
            lines: Lines::new(Pipe::reopen(input).ok()?, max_line_bytes),
            parsing: None,
            ended: false,
            shutdown,
        })
    }

    /// The next message or refusal; `None` when the input has ended. Cancel-safe.
    pub(super) async fn next(&mut self) -> Option<Incoming> {
        loop {
            if let Some(parsing) = &mut self.parsing {
                let parsed = parsing.await;
                self.parsing = None;
                match parsed {
                    Ok(Some(incoming)) => return Some(incoming),
                    Ok(None) => {}
                    Err(error) => tracing::warn!(%error, "a long line could not be read"),
                }
            }
            if self.ended {
                return None;
            }
            match self.lines.advance() {
                Ok(ended) => {
                    if ended == LineEnd::Input {
                        self.end();
                    }
                    match self.lines.content() {
                        Content::TooLong(refusal) => return Some(Incoming::Refused(refusal)),
                        Content::Line(line) if line.len() > LONG_LINE => {
                            let line = line.to_vec();
                            self.parsing = Some(begin_blocking(move || read_message(&line)));
                        }
                        Content::Line(line) => {
                            if let Some(incoming) = read_message(line) {
                                return Some(incoming);
                            }
                            // Lines that say nothing must not keep others from their turn.
                            consume_budget().await;
                        }
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.wait().await,
                Err(error) => {
                    tracing::warn!(%error, "failed to read the input; taking it as ended");
                    self.end();
                }
            }
        }
    }

    /// Waits until there is something to read, or until it has ended.
    async fn wait(&mut self) {
        match self.lines.input().0.ready(Interest::READABLE).await {
            // Calls must stop as soon as nobody waits for them, also if there is something left to read.
            Ok(state) if state.is_read_closed() => self.shutdown.cancel(),
            Ok(_) => {}
            // The runtime is going down.
            Err(_) => self.end(),
        }
    }

    /// Waits for the end of the input without reading, and cancels the calls then; for as long as there is no room for
    /// what more requests would bring. Never returns.
    pub(super) async fn watch_for_end(&mut self) {
        loop {
            let state = self.lines.input().0.ready(Interest::READABLE).await;
            if state.map_or(true, |state| state.is_read_closed()) {
                self.shutdown.cancel();
                return std::future::pending().await;
            }
            tokio::time::sleep(END_POLL).await;
        }
    }

    fn end(&mut self) {
        self.ended = true;
        self.shutdown.cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A terminal that is opened by a process that leads its session would become its own.
    #[test]
    fn what_is_no_pipe_is_not_opened_again() {
        for path in ["/dev/ptmx", "/dev/null"] {
            let Ok(file) = File::open(path) else { continue };
            let error = Pipe::reopen(&file).err().map(|error| error.kind());
            assert_eq!(error, Some(io::ErrorKind::InvalidInput), "{path}");
        }
    }
}
