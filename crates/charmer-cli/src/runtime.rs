//! Async work of a command that ends by itself, or when the process is told to end.
//!
//! Whatever a command is busy with, the order to end is heard: by a thread that does nothing else. Programs that are
//! being read are ended and their folders removed; parsing and judging, which nobody can interrupt, end with the process.

use std::{
    sync::{
        LazyLock, Once,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use charmer_server::ended_by_signal;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use crate::{
    output,
    problem::{INTERRUPTED, Problem},
    read,
};

/// The longest time that programs that are being read may take to end, and their folders to be removed. What is left of
/// those is removed by whoever reads a program next.
const PROBES_END: Duration = Duration::from_millis(500);
/// The longest time that a command may take to come to its end after it was told to. With the above it is less than a
/// second.
const COMMAND_ENDS: Duration = Duration::from_millis(700);

/// Cancelled when the process is told to end.
static STOP: LazyLock<CancellationToken> = LazyLock::new(CancellationToken::new);
/// The command ends in an order of its own when it is told to.
static ORDERLY: AtomicBool = AtomicBool::new(false);

/// The number of processors that one of our threads keeps busy with programs that it starts and whose help it reads: to
/// start one is less than a fifth of what the program takes. Each thread has memory of its own that no other can use.
const KEPT_BUSY: usize = 4;

/// A runtime for walks and calls.
pub(crate) fn new() -> Result<Runtime, Problem> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(processors.div_ceil(KEPT_BUSY))
        .enable_all()
        .build()
        .map_err(|error| Problem::failed(format!("failed to start the async runtime: {error}")))
}

/// A runtime for this thread alone.
fn small() -> std::io::Result<Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
}

/// A runtime for waiting, on this thread.
pub(crate) fn idle() -> Result<Runtime, Problem> {
    small().map_err(|error| Problem::failed(format!("failed to start the async runtime: {error}")))
}

/// Waits for something that needs neither time nor input and output.
pub(crate) fn wait(what: impl Future<Output = ()>) {
    // Without one there is nothing to wait in, and what follows says so.
    if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().build() {
        runtime.block_on(what);
    }
}

/// Does the work, unless the process is told to end.
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T, Problem>>) -> Result<T, Problem> {
    listen();
    let runtime = new()?;
    let done = runtime.block_on(async {
        tokio::select! {
            biased;
            () = STOP.cancelled() => None,
            done = work => Some(done),
        }
    });
    done.unwrap_or_else(|| {
        end_probes();
        // A parser that is still busy must not keep the process alive.
        runtime.shutdown_background();
        Err(Problem::interrupted())
    })
}

/// Waits until the process is told to end. From here on that is the command's own matter: it is not ended by force.
pub(crate) async fn stopped() {
    listen();
    ORDERLY.store(true, Ordering::Relaxed);
    STOP.cancelled().await;
}

/// Ends the programs that are being read, and removes what they wrote, as far as that is done in a moment.
pub(crate) fn end_probes() {
    if let Ok(runtime) = small() {
        runtime.block_on(async {
            let _ = tokio::time::timeout(PROBES_END, read::end()).await;
        });
        runtime.shutdown_background();
    }
}

/// Listens for the order to end. A command that is not gone soon after it, because it is busy with what cannot be
/// interrupted, is ended here.
fn listen() {
    static LISTENING: Once = Once::new();
    LISTENING.call_once(|| {
        let listener = std::thread::Builder::new().name("charmer-signals".into());
        let listener = listener.spawn(|| {
            let Ok(runtime) = small() else { return };
            runtime.block_on(async {
                ended_by_signal().await;
                STOP.cancel();
                tokio::time::sleep(COMMAND_ENDS).await;
            });
            if !ORDERLY.load(Ordering::Relaxed) {
                output::fail(&Problem::interrupted());
                std::process::exit(i32::from(INTERRUPTED));
            }
        });
        // Without it the process ends as processes do: signals are not caught.
        drop(listener);
    });
}
