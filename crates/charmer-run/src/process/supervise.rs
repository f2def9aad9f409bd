//! The supervisor of a child: it reads, waits, ends and collects, whether or not anybody still listens.

use std::time::{Duration, Instant};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    process::ChildStdin,
    sync::oneshot,
};
use tokio_util::sync::CancellationToken;

use crate::{CallError, Ended, Outcome};

use super::{
    Request,
    engine::{Engine, Shared},
    gate::Pass,
    running::{Members, Running},
    sink::Sink,
};

/// How long output may still arrive after the child has ended: a descendant may hold the pipe open for ever.
const DRAIN: Duration = Duration::from_millis(100);
/// After the group has been killed only what is already in the pipe can still come.
const LAST_DRAIN: Duration = Duration::from_millis(20);
const CHUNK: usize = 64 << 10;

/// Watches over a child that has just been started, until it has been collected.
pub(super) fn supervise(
    engine: &Engine,
    child: Running,
    request: Request,
    cancel: CancellationToken,
    pass: Pass,
    answer: oneshot::Sender<Result<Outcome, CallError>>,
) {
    let shared = engine.0.clone();
    let unattended = Unattended {
        group: child.members(),
        collected: false,
    };
    engine.0.supervisors.spawn(async move {
        let id = unattended.group.id();
        if let (Some(guardian), Some(id)) = (&shared.guardian, id) {
            guardian.watch(id);
        }
        let outcome = watch(child, &unattended.group, request, &cancel, &shared).await;
        // From here on its id may belong to somebody else.
        unattended.collected();
        if let (Some(guardian), Some(id)) = (&shared.guardian, id) {
            guardian.release(id);
        }
        drop(pass);
        // Nobody may be listening any more; the child has been collected all the same.
        let _ = answer.send(outcome);
    });
}

/// Ends a group whose supervisor goes before it, with its runtime or in a panic.
struct Unattended {
    group: Members,
    collected: bool,
}

impl Unattended {
    /// It has been ended and collected. This takes the whole value, so that the supervisor holds it until then.
    fn collected(mut self) {
        self.collected = true;
    }
}

impl Drop for Unattended {
    fn drop(&mut self) {
        if !self.collected {
            self.group.kill();
        }
    }
}

/// A stream that is read until it ends.
struct Stream<R> {
    reader: Option<R>,
    buffer: Vec<u8>,
    sink: Sink,
}

impl<R: AsyncRead + Unpin> Stream<R> {
    fn new(reader: Option<R>, sink: Sink) -> Self {
        Self {
            reader,
            buffer: Vec::new(),
            sink,
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
            Ok(length) => self.sink.push(&self.buffer[..length]),
        }
    }

    fn ended(&self) -> bool {
        self.reader.is_none()
    }
}

async fn watch(
    mut child: Running,
    group: &Members,
    request: Request,
    cancel: &CancellationToken,
    shared: &Shared,
) -> Result<Outcome, CallError> {
    let began = Instant::now();
    let Request {
        stdin,
        limits,
        progress,
        ..
    } = request;
    let sink = || {
        Sink::new(
            limits.capture_bytes,
            limits.output_chars,
            shared.spool.clone(),
            &shared.redactor,
            progress.clone(),
        )
    };
    let mut stdout = Stream::new(child.stdout.take(), sink());
    let mut stderr = Stream::new(child.stderr.take(), sink());
    let feeding = feed(child.stdin.take(), stdin);
    tokio::pin!(feeding);
    let mut fed = false;

    // Set anew, never reset to an instant: a grace period without end would overflow one.
    let timeout = tokio::time::sleep(limits.timeout);
    tokio::pin!(timeout);
    let mut ended_by_us = None;
    let ended = loop {
        tokio::select! {
            ended = child.wait() => break ended,
            () = stdout.read() => {}
            () = stderr.read() => {}
            () = &mut feeding, if !fed => fed = true,
            () = cancel.cancelled(), if ended_by_us.is_none() => {
                ended_by_us = Some(Ended::Cancelled);
                group.terminate();
                timeout.set(tokio::time::sleep(limits.grace));
            }
            () = &mut timeout => {
                if ended_by_us.is_none() {
                    ended_by_us = Some(Ended::TimedOut);
                    group.terminate();
                } else {
                    group.kill();
                    // Where there is no group, this ends the child itself.
                    child.start_kill();
                }
                timeout.set(tokio::time::sleep(limits.grace));
            }
        }
    };
    // Who was ended by us gets no time to say more, and its descendants none to live on.
    if ended_by_us.is_none() {
        drain(&mut stdout, &mut stderr, DRAIN).await;
    }
    // Whoever is left in the group outlived its leader: nothing of a call survives it.
    group.kill();
    drain(&mut stdout, &mut stderr, LAST_DRAIN).await;
    let ended = ended?;
    Ok(Outcome {
        ended: ended_by_us.unwrap_or(ended),
        stdout: stdout.sink.finish(),
        stderr: stderr.sink.finish(),
        duration: began.elapsed(),
        ..Outcome::success("")
    })
}

/// Writes what the program is given to read. A program that stops reading has its reasons.
async fn feed(pipe: Option<ChildStdin>, bytes: Option<Vec<u8>>) {
    if let (Some(mut pipe), Some(bytes)) = (pipe, bytes) {
        let _ = pipe.write_all(&bytes).await;
        let _ = pipe.shutdown().await;
    }
}

async fn drain<A, B>(a: &mut Stream<A>, b: &mut Stream<B>, within: Duration)
where
    A: AsyncRead + Unpin,
    B: AsyncRead + Unpin,
{
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
