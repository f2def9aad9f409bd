//! The warden's own side: a process that takes its rights away and then runs programs for the prober that started it.
//!
//! It must begin before the process has started a second thread: the kernel gives a user namespace only to a process of
//! one. What it has lost, the programs that it starts have lost as well, at no further cost. Programs cannot speak for
//! it: they inherit none of its streams, and it is hidden from their `/proc`. They could end it; then no more is
//! learned of them.

use std::{
    collections::HashMap,
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{Arc, Mutex, PoisonError},
};

use charmer_run::{
    Limits,
    process::{Engine, EngineOptions, Environment, Launcher, Request, harden},
};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio_util::sync::CancellationToken;

use super::{
    os,
    wire::{self, Job, Order, Report},
};

/// More than ever run at once: the prober bounds them.
const PLACES: usize = 1 << 16;

/// How programs that run are ended, by their numbers.
type Running = Mutex<HashMap<u64, CancellationToken>>;

/// The warden's main. The words are those that follow [`ShimCommand`](super::ShimCommand)'s own. It reads orders from
/// standard input until that closes, and comes back with the code to end with.
///
/// ```no_run
/// use std::process::ExitCode;
///
/// // A program that is its own warden, started as `program __probe ...`.
/// fn main() -> ExitCode {
///     let mut words = std::env::args_os().skip(1);
///     if words.next().is_some_and(|word| word == "__probe") {
///         return charmer_discover::probe::shim(words);
///     }
///     ExitCode::SUCCESS
/// }
/// ```
pub fn shim(mut words: impl Iterator<Item = OsString>) -> ExitCode {
    let room = words.next();
    let room = room.ok_or_else(|| io::Error::other("the room is missing"));
    match room.and_then(|room| guard(Path::new(&room))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            #[expect(clippy::print_stderr, reason = "there is nobody else to tell")]
            {
                eprintln!("{reason}");
            }
            ExitCode::FAILURE
        }
    }
}

fn guard(room: &Path) -> io::Result<()> {
    // No streams but their own for programs, and no terminal to ask on. This always works: who was started by a prober
    // leads no group.
    let _ = harden();
    // Files come after the network: entering a namespace writes.
    let report = Report {
        network: os::leave_network(),
        files: os::keep_to(room),
    };
    os::limit();
    os::hide();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let (input, mut output) = os::streams()?;
        output.write_all(&wire::line(&report)).await?;
        serve(BufReader::new(input), output).await
    })
}

/// Obeys until there are no more orders, then ends what still runs.
async fn serve(
    mut orders: BufReader<impl AsyncRead + Unpin>,
    answers: impl AsyncWrite + Unpin + Send + 'static,
) -> io::Result<()> {
    let mut options = EngineOptions::default();
    options.concurrency = Some(PLACES);
    let engine = Engine::new(options);
    let answers = Arc::new(tokio::sync::Mutex::new(answers));
    let running = Arc::new(Running::default());
    let all = CancellationToken::new();
    let mut line = Vec::new();
    let ended = loop {
        line.clear();
        match orders.read_until(b'\n', &mut line).await {
            Ok(0) => break Ok(()),
            Ok(_) => {}
            Err(error) => break Err(error),
        }
        let mut numbers = running.lock().unwrap_or_else(PoisonError::into_inner);
        match serde_json::from_slice(&line) {
            Ok(Order::Run(id, job)) => {
                let cancel = all.child_token();
                numbers.insert(id, cancel.clone());
                let (engine, answers) = (engine.clone(), Arc::clone(&answers));
                let running = Arc::clone(&running);
                tokio::spawn(async move {
                    let answer = wire::answer(id, &run(job, engine, cancel).await);
                    forget(&running, id);
                    // Should nobody read it any more, the orders end as well.
                    let _ = answers.lock().await.write_all(&answer).await;
                });
            }
            Ok(Order::Cancel(id)) => {
                if let Some(cancel) = numbers.get(&id) {
                    cancel.cancel();
                }
            }
            Err(error) => break Err(error.into()),
        }
    };
    all.cancel();
    engine.finish().await;
    ended
}

fn forget(running: &Running, id: u64) {
    let mut numbers = running.lock().unwrap_or_else(PoisonError::into_inner);
    numbers.remove(&id);
}

async fn run(job: Job, engine: Engine, cancel: CancellationToken) -> wire::Ran {
    let mut environment = Environment::empty();
    for (name, value) in job.environment {
        environment.set(name.into_os(), value.into_os());
    }
    let directory = PathBuf::from(job.directory.into_os());
    let launcher = Launcher::new(
        job.program.into_os().into(),
        environment,
        Some(directory),
        engine,
    );
    let limits = Limits::default()
        .timeout(job.timeout)
        .grace(job.grace)
        .capture_bytes(job.output);
    let argv = job.argv.into_iter().map(wire::Word::into_os).collect();
    launcher.run(Request::new(argv, limits), cancel).await
}
