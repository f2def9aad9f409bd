//! The prober's side of its warden: a process that has taken its own rights away and runs programs as it is told.

use std::{
    collections::HashMap,
    ffi::OsString,
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{Child, ChildStdin, ChildStdout},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, mpsc},
    time::{Duration, Instant},
};

use charmer_run::{CallError, ErrorCode, process::start_companion};
use tokio::{io::AsyncWriteExt, process, sync::oneshot};
use tokio_util::sync::CancellationToken;

use super::{
    ShimCommand,
    wire::{self, Job, LINE, Order, Ran, Report},
};

/// How long it may take to report what it got.
const START: Duration = Duration::from_secs(10);
/// How long it may take to answer, beyond what the program may take, and to end.
const PATIENCE: Duration = Duration::from_secs(5);
/// How many bytes of its complaints are repeated.
const COMPLAINT: u64 = 1 << 10;

const ENDED: &str = "the sandbox is gone: its process ended";
const NONSENSE: &str = "the sandbox is gone: its process wrote nonsense";
const SILENT: &str = "the sandbox is gone: its process did not answer";

/// A warden. Dropping it ends it, with all that it runs, and waits for that.
#[derive(Debug)]
pub(super) struct Warden {
    process: Mutex<Child>,
    pipes: Mutex<Option<(ChildStdin, ChildStdout)>>,
    /// Made with the first program, because that comes with a runtime.
    link: OnceLock<Arc<Link>>,
}

impl Warden {
    /// Starts it and waits for its report, which takes a few milliseconds; or says why there is none.
    pub(super) fn start(shim: &ShimCommand, room: &Path) -> Result<(Self, Report), String> {
        let args: Vec<OsString> = shim.args.iter().cloned().chain([room.into()]).collect();
        let mut process = start_companion(&shim.program, &args, room)
            .map_err(|error| format!("`{}` cannot be started: {error}", shim.program.display()))?;
        let stdin = process.stdin.take().expect("it was piped");
        let stdout = process.stdout.take().expect("it was piped");
        let stderr = process.stderr.take().expect("it was piped");
        let warden = Self {
            process: Mutex::new(process),
            pipes: Mutex::new(None),
            link: OnceLock::new(),
        };
        // A thread, because reading from a pipe has no deadline. It ends with the process.
        let (tell, told) = mpsc::channel();
        let reading = std::thread::Builder::new().spawn(move || {
            let report = read_report(stdout).ok_or_else(|| {
                let mut said = Vec::new();
                let _ = stderr.take(COMPLAINT).read_to_end(&mut said);
                format!("the shim failed: {}", String::from_utf8_lossy(&said).trim())
            });
            let _ = tell.send(report);
        });
        let report = match reading {
            Ok(_) => told
                .recv_timeout(START)
                .unwrap_or_else(|_| Err("the shim failed: it does not report".into())),
            Err(error) => Err(format!("no thread to read its report with: {error}")),
        };
        match report {
            Ok((report, stdout)) => {
                *locked(&warden.pipes) = Some((stdin, stdout));
                Ok((warden, report))
            }
            Err(reason) => {
                warden.kill();
                Err(reason)
            }
        }
    }

    /// Runs a program. It ends early when that is cancelled; the answer comes when it has ended in any case.
    pub(super) async fn run(&self, job: Job, cancel: &CancellationToken) -> Ran {
        let patience = [job.timeout, job.grace, job.grace, PATIENCE];
        let patience = patience
            .into_iter()
            .fold(Duration::ZERO, Duration::saturating_add);
        let link = self.link(job.output)?;
        let (id, mut answer) = link.expect()?;
        let answered = async {
            link.tell(&Order::Run(id, job)).await;
            tokio::select! {
                answer = &mut answer => return answer,
                () = cancel.cancelled() => link.tell(&Order::Cancel(id)).await,
            }
            answer.await
        };
        match tokio::time::timeout(patience, answered).await {
            Ok(Ok(ran)) => ran,
            Ok(Err(_)) => Err(link.lost()),
            Err(_) => {
                // A program may have stopped it.
                link.lose(SILENT);
                self.kill();
                Err(link.lost())
            }
        }
    }

    fn link(&self, most: usize) -> Result<&Link, CallError> {
        if let Some(link) = self.link.get() {
            return Ok(link);
        }
        let mut pipes = locked(&self.pipes);
        if let Some((stdin, stdout)) = pipes.take() {
            let failed =
                |error: std::io::Error| not_started(&format!("no pipe to the sandbox: {error}"));
            let stdin = process::ChildStdin::from_std(stdin).map_err(failed)?;
            let stdout = process::ChildStdout::from_std(stdout).map_err(failed)?;
            let link = Arc::new(Link {
                orders: tokio::sync::Mutex::new(Some(stdin)),
                waiting: Mutex::default(),
            });
            tokio::spawn(read_answers(Reading(Arc::clone(&link)), stdout, most));
            let _ = self.link.set(link);
        }
        self.link
            .get()
            .map(|link| &**link)
            .ok_or_else(|| not_started(ENDED))
    }

    fn kill(&self) {
        let _ = locked(&self.process).kill();
    }
}

impl Drop for Warden {
    fn drop(&mut self) {
        // This closes its standard input, which is its sign to end.
        locked(&self.pipes).take();
        if let Some(link) = self.link.get() {
            link.lose(ENDED);
        }
        let began = Instant::now();
        while matches!(locked(&self.process).try_wait(), Ok(None)) {
            if began.elapsed() > PATIENCE {
                self.kill();
            }
            std::thread::sleep(Duration::from_micros(500));
        }
    }
}

/// Its first line, if that is a report and nothing comes unasked behind it.
fn read_report(stdout: ChildStdout) -> Option<(Report, ChildStdout)> {
    let mut reader = BufReader::new(stdout);
    let mut line = Vec::new();
    reader
        .by_ref()
        .take(LINE)
        .read_until(b'\n', &mut line)
        .ok()?;
    let report = serde_json::from_slice(&line).ok()?;
    reader
        .buffer()
        .is_empty()
        .then(|| (report, reader.into_inner()))
}

/// What runs, and where orders go.
#[derive(Debug)]
struct Link {
    orders: tokio::sync::Mutex<Option<process::ChildStdin>>,
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    /// The number of the last program.
    last: u64,
    answers: HashMap<u64, oneshot::Sender<Ran>>,
    lost: Option<&'static str>,
}

impl Link {
    /// A number for a program, and where its answer will be. There is none without a warden.
    fn expect(&self) -> Result<(u64, oneshot::Receiver<Ran>), CallError> {
        let mut waiting = locked(&self.waiting);
        if let Some(reason) = waiting.lost {
            return Err(not_started(reason));
        }
        waiting.last += 1;
        let (send, answer) = oneshot::channel();
        let id = waiting.last;
        waiting.answers.insert(id, send);
        Ok((id, answer))
    }

    /// Sends an order. If nobody takes it, nobody answers, and that is noticed there.
    async fn tell(&self, order: &Order) {
        if let Some(orders) = &mut *self.orders.lock().await {
            let _ = orders.write_all(&wire::line(order)).await;
        }
    }

    fn answered(&self, id: u64, ran: Ran) {
        let answer = locked(&self.waiting).answers.remove(&id);
        if let Some(answer) = answer {
            let _ = answer.send(ran);
        }
    }

    /// From now on there is no warden. Whoever waits is told, and its standard input closed.
    fn lose(&self, reason: &'static str) {
        let mut waiting = locked(&self.waiting);
        waiting.lost.get_or_insert(reason);
        waiting.answers.clear();
        drop(waiting);
        // Should somebody be writing, it is closed with the warden.
        if let Ok(mut orders) = self.orders.try_lock() {
            orders.take();
        }
    }

    fn lost(&self) -> CallError {
        not_started(locked(&self.waiting).lost.unwrap_or(ENDED))
    }
}

/// The right to read answers: with it goes the link, be it that the warden ended or the runtime did.
struct Reading(Arc<Link>);

impl Drop for Reading {
    fn drop(&mut self) {
        self.0.lose(ENDED);
    }
}

async fn read_answers(link: Reading, stdout: process::ChildStdout, most: usize) {
    let mut reader = tokio::io::BufReader::new(stdout);
    loop {
        match wire::read_answer(&mut reader, most).await {
            Ok(Some((id, ran))) => link.0.answered(id, ran),
            Ok(None) => return,
            Err(error) => {
                let cut = error.kind() == std::io::ErrorKind::UnexpectedEof;
                return link.0.lose(if cut { ENDED } else { NONSENSE });
            }
        }
    }
}

fn not_started(reason: &str) -> CallError {
    CallError::new(ErrorCode::NotStarted, reason)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
