//! The supervisor of a child: it reads, waits, ends and collects, whether or not anybody still listens.

use std::{
    process::ExitStatus,
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncRead, AsyncReadExt},
    process::Child,
    sync::oneshot,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{Ended, Limits, Outcome};

use super::{
    capture::Capture,
    unix::{Group, signal_of},
};

/// How long output may still arrive after the child has ended: a descendant may hold the pipe open for ever.
const DRAIN: Duration = Duration::from_millis(100);
const CHUNK: usize = 64 << 10;

/// Every supervisor of a server, to be waited for before it ends.
#[derive(Debug, Clone, Default)]
pub struct Supervisors(TaskTracker);

impl Supervisors {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Waits until every child has been ended and collected. Calls must have been cancelled before.
    pub async fn finish(&self) {
        self.0.close();
        self.0.wait().await;
    }

    pub(super) fn supervise(
        &self,
        child: Child,
        limits: Limits,
        cancel: CancellationToken,
        answer: oneshot::Sender<Outcome>,
    ) {
        self.0.spawn(async move {
            let outcome = watch(child, &limits, &cancel).await;
            // Nobody may be listening any more; the child has been collected all the same.
            let _ = answer.send(outcome);
        });
    }
}

/// A stream that is read until it ends.
struct Stream<R> {
    reader: Option<R>,
    buffer: Vec<u8>,
    capture: Capture,
}

impl<R: AsyncRead + Unpin> Stream<R> {
    fn new(reader: Option<R>, limit: usize) -> Self {
        Self {
            reader,
            buffer: Vec::new(),
            capture: Capture::new(limit),
        }
    }

    /// Reads once; pends for ever when the stream has ended.
    async fn read(&mut self) {
        let Some(reader) = &mut self.reader else {
            return std::future::pending().await;
        };
        if self.buffer.is_empty() {
            self.buffer = vec![0; CHUNK];
        }
        match reader.read(&mut self.buffer).await {
            Ok(0) | Err(_) => self.reader = None,
            Ok(length) => self.capture.push(&self.buffer[..length]),
        }
    }

    fn ended(&self) -> bool {
        self.reader.is_none()
    }
}

async fn watch(mut child: Child, limits: &Limits, cancel: &CancellationToken) -> Outcome {
    let began = Instant::now();
    let group = Group::of(&child);
    let mut stdout = Stream::new(child.stdout.take(), limits.capture_bytes);
    let mut stderr = Stream::new(child.stderr.take(), limits.capture_bytes);

    let timeout = tokio::time::sleep(limits.timeout);
    tokio::pin!(timeout);
    let mut ended_by_us = None;
    let mut status = None;
    while status.is_none() {
        tokio::select! {
            waited = child.wait() => status = Some(waited),
            () = stdout.read() => {}
            () = stderr.read() => {}
            () = cancel.cancelled(), if ended_by_us.is_none() => {
                ended_by_us = Some(Ended::Cancelled);
                group.terminate();
                timeout.as_mut().reset((Instant::now() + limits.grace).into());
            }
            () = &mut timeout => {
                if ended_by_us.is_none() {
                    ended_by_us = Some(Ended::TimedOut);
                    group.terminate();
                    timeout.as_mut().reset((Instant::now() + limits.grace).into());
                } else {
                    group.kill();
                    // On systems without groups this ends the child itself.
                    let _ = child.start_kill();
                    timeout.as_mut().reset((Instant::now() + limits.grace).into());
                }
            }
        }
    }
    drain(&mut stdout, &mut stderr, DRAIN).await;
    // Whoever is left in the group outlived its leader: nothing of a call survives it.
    group.kill();
    drain(&mut stdout, &mut stderr, DRAIN).await;
    Outcome {
        ended: ended_by_us.unwrap_or_else(|| ended(status)),
        stdout: stdout.capture.finish(),
        stderr: stderr.capture.finish(),
        data: None,
        duration: began.elapsed(),
    }
}

async fn drain<A: AsyncRead + Unpin, B: AsyncRead + Unpin>(
    a: &mut Stream<A>,
    b: &mut Stream<B>,
    within: Duration,
) {
    if a.ended() && b.ended() {
        return;
    }
    let _ = tokio::time::timeout(within, async {
        while !(a.ended() && b.ended()) {
            tokio::select! {
                () = a.read() => {}
                () = b.read() => {}
            }
        }
    })
    .await;
}

fn ended(status: Option<std::io::Result<ExitStatus>>) -> Ended {
    match status {
        Some(Ok(status)) => match (status.code(), signal_of(status)) {
            (Some(code), _) => Ended::Exited(code),
            (None, Some(signal)) => Ended::Signalled(signal),
            (None, None) => Ended::Exited(-1),
        },
        // Its end could not be learned; that is not a success.
        _ => Ended::Exited(-1),
    }
}
