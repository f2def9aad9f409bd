//! The supervisor of a child: it reads, waits, ends and collects, whether or not anybody still listens.

use std::{
    pin::Pin,
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::{io::AsyncWriteExt, process::ChildStdin, sync::oneshot};
use tokio_util::sync::CancellationToken;

use crate::{CallError, Ended, Outcome};

use super::{
    Request,
    engine::{Engine, EngineState},
    gate::Pass,
    os::Strays,
    running::{Members, Running},
    sink::Sink,
    stream::Stream,
};

/// The longest time that output may still arrive after the child has ended: a descendant may hold the pipe open for
/// ever.
const DRAIN: Duration = Duration::from_millis(100);
/// After the group has been killed only what is already in the pipe can still come.
const LAST_DRAIN: Duration = Duration::from_millis(20);
/// The time that a call that was ended waits for its output to be redacted. What takes longer is left out: an answer in
/// time is promised, all of the output is not.
const LAST_REDACTION: Duration = Duration::from_millis(300);

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
    let mut pass = pass;
    let work: Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(async move {
        let guardian = shared.guardian.as_ref();
        let id = unattended.group.id();
        let watched = guardian.and_then(|guardian| guardian.watch(id?));
        let outcome = watch(
            child,
            &unattended.group,
            request,
            &cancel,
            &shared,
            &mut pass,
        )
        .await;
        // From here on its id may belong to somebody else.
        unattended.collected();
        if let (Some(guardian), Some(watched)) = (guardian, watched) {
            guardian.release(watched);
        }
        drop(pass);
        // Nobody may be listening any more; the child has been collected all the same.
        let _ = answer.send(outcome);
    });
    engine.0.supervisors.spawn(work);
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

async fn watch(
    mut child: Running,
    group: &Members,
    request: Request,
    cancel: &CancellationToken,
    shared: &EngineState,
    pass: &mut Pass,
) -> Result<Outcome, CallError> {
    let began = Instant::now();
    let Request {
        stdin,
        limits,
        progress,
        principal,
        private,
        live,
        ..
    } = request;
    let sink = || {
        Sink::new(
            limits.capture_bytes,
            limits.output_chars,
            shared.spool.clone().filter(|_| !private),
            Arc::clone(&principal),
            (!private).then_some(&shared.redactor),
            progress.clone(),
        )
    };
    let (out, err) = (sink(), sink());
    live.show(|| [out.live(), err.live()]);
    live.start();
    let mut is_job = false;
    let mut stdout = Stream::new(child.stdout.take(), out);
    let mut stderr = Stream::new(child.stderr.take(), err);
    let feeding = feed(child.stdin.take(), stdin);
    tokio::pin!(feeding);
    let mut fed = false;

    // Set anew, never reset to an instant: a grace period without end would overflow one.
    let timeout = tokio::time::sleep(limits.timeout);
    tokio::pin!(timeout);
    let mut ended_by_us = None;
    let mut strays = Strays::default();
    let ended = loop {
        tokio::select! {
            ended = child.wait() => break ended,
            () = stdout.read() => {}
            () = stderr.read() => {}
            () = &mut feeding, if !fed => fed = true,
            // Jobs have a bound of their own: a few builds must not keep all other calls waiting.
            () = live.detached(), if !is_job => {
                is_job = true;
                pass.give_place_back();
            }
            () = cancel.cancelled(), if ended_by_us.is_none() => {
                ended_by_us = Some(Ended::Cancelled);
                strays = child.strays();
                group.terminate();
                timeout.set(tokio::time::sleep(limits.grace));
            }
            () = &mut timeout => {
                if ended_by_us.is_none() {
                    ended_by_us = Some(Ended::TimedOut);
                    strays = child.strays();
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
    if ended_by_us.is_some() {
        // Who ends a call does not want a part of it to go on.
        let _ = tokio::task::spawn_blocking(|| strays.kill()).await;
    }
    drain(&mut stdout, &mut stderr, LAST_DRAIN).await;
    let left = match ended_by_us {
        Some(_) => LAST_REDACTION,
        None => limits
            .timeout
            .saturating_sub(began.elapsed())
            .max(LAST_REDACTION),
    };
    let (stdout, stderr, ()) =
        tokio::join!(stdout.finish(left), stderr.finish(left), child.clear());
    let ended = ended?;
    Ok(Outcome {
        ended: ended_by_us.unwrap_or(ended),
        stdout,
        stderr,
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

async fn drain(a: &mut Stream, b: &mut Stream, within: Duration) {
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
