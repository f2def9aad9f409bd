//! Confined processes that wait for their next call.
//!
//! One runs one call at a time, with the same rights and for the same principal as before. Between two calls everything
//! that the first has left is ended and removed; where that fails, or where what was to be hidden has changed, it is
//! replaced. One that is idle for long ends.

use std::{
    collections::VecDeque,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use charmer_sandbox::{HiddenState, Rights, RightsReport, Room, Sandbox, SandboxCommand};
use tokio::sync::oneshot;

/// The time that one waits for its next call.
const IDLE: Duration = Duration::from_secs(60);
/// The maximum number of processes that wait.
const MOST_IDLE: usize = 8;
/// The longest time that everything that a call has left may take to go.
const CLEARING: Duration = Duration::from_secs(3);
/// The beginning of the names of calls' scratch folders.
const PREFIX: &str = "charmer-call-";

/// Confined processes for calls; see the module's documentation. Dropping it ends those that wait.
#[derive(Debug)]
pub struct ConfinedPool {
    command: SandboxCommand,
    scratch: PathBuf,
    shared: Arc<PoolState>,
    /// Whom the first report is told, until it has been.
    tell: Mutex<Option<fn(&RightsReport)>>,
}

#[derive(Debug)]
struct PoolState {
    idle: Mutex<VecDeque<Idle>>,
    /// The thread that processes go to whose calls are over: it may block.
    returns: Mutex<Option<Returns>>,
}

/// The way to that thread.
#[derive(Debug)]
struct Returns {
    sender: mpsc::Sender<Return>,
    thread: JoinHandle<()>,
}

/// One that waits, since when.
#[derive(Debug)]
struct Idle {
    process: PooledProcess,
    since: Instant,
}

/// One whose call is over, and whether nothing of that is left.
struct Return {
    process: PooledProcess,
    clean: bool,
}

/// A confined process, and for whom it is.
#[derive(Debug)]
struct PooledProcess {
    // Before the room, which must not go while something runs in it.
    sandbox: Sandbox,
    room: Room,
    /// The rights that were asked for; it has the room as well.
    rights: Arc<Rights>,
    principal: Arc<str>,
    hidden: HiddenState,
}

impl ConfinedPool {
    /// A pool of processes that are started like this and have their scratch folders in this folder.
    pub fn new(command: SandboxCommand, scratch: PathBuf) -> Self {
        Self {
            command,
            scratch,
            shared: Arc::new(PoolState {
                idle: Mutex::default(),
                returns: Mutex::default(),
            }),
            tell: Mutex::new(None),
        }
    }

    /// Sets whom to tell, once, what the first process could give away.
    #[must_use]
    pub fn report_to(self, tell: fn(&RightsReport)) -> Self {
        *locked(&self.tell) = Some(tell);
        self
    }

    /// Starts a process with these rights, and keeps it for the first call of this principal. Says what it could give
    /// away, or why there is none. It blocks for as long as that takes, which is a few milliseconds.
    pub fn prepare(
        &self,
        rights: &Arc<Rights>,
        principal: &Arc<str>,
    ) -> Result<RightsReport, String> {
        let process = self.start(rights, principal)?;
        let report = process.sandbox.report().clone();
        self.shared.keep(process);
        Ok(report)
    }

    /// Ends those that wait, and removes their scratch folders.
    pub fn end(&self) {
        let returns = locked(&self.shared.returns).take();
        if let Some(Returns { sender, thread }) = returns {
            // It ends when it has put away what it was given before.
            drop(sender);
            let _ = thread.join();
        }
        let idle = std::mem::take(&mut *locked(&self.shared.idle));
        drop(idle);
    }

    /// A process for a call: one that waits, or a new one.
    pub(super) async fn lease(
        self: &Arc<Self>,
        rights: &Arc<Rights>,
        principal: &Arc<str>,
    ) -> Result<Lease, String> {
        let process = match self.shared.take(rights, principal) {
            Some(process) => process,
            None => {
                let (pool, rights) = (Arc::clone(self), Arc::clone(rights));
                let principal = Arc::clone(principal);
                let start = move || pool.start(&rights, &principal);
                let started = tokio::task::spawn_blocking(start).await;
                started
                    .unwrap_or_else(|_| Err("the thread that was to start it panicked".into()))?
            }
        };
        Ok(Lease {
            process: Some(process),
            pool: Arc::clone(&self.shared),
            clean: false,
            once: false,
        })
    }

    /// A process for one call, which ends with it: nothing of what it sees is left mounted.
    #[cfg(all(feature = "drafts", target_os = "linux"))]
    pub(super) async fn lease_once(
        self: &Arc<Self>,
        rights: Rights,
        principal: &Arc<str>,
    ) -> Result<Lease, String> {
        let mut lease = self.lease(&Arc::new(rights), principal).await?;
        lease.once = true;
        Ok(lease)
    }

    fn start(&self, rights: &Arc<Rights>, principal: &Arc<str>) -> Result<PooledProcess, String> {
        let room = Room::new(&self.scratch, PREFIX).map_err(|error| {
            format!("no scratch folder in `{}`: {error}", self.scratch.display())
        })?;
        let mut kept = Rights::clone(rights);
        kept.folders.push(room.path().to_owned());
        // Looked at before it is hidden: what changes meanwhile shows at the next call.
        let by_name = HiddenState::of(&rights.hidden, &rights.shown, true);
        let hidden = HiddenState::of(&rights.hidden, &rights.shown, false);
        let sandbox = Sandbox::start(&self.command, &kept)?;
        if let Some(reason) = sandbox.report().missing() {
            return Err(reason);
        }
        if let Some(tell) = locked(&self.tell).take() {
            tell(sandbox.report());
        }
        let hidden = match sandbox.report().mounts {
            Ok(()) => hidden,
            Err(_) => by_name,
        };
        Ok(PooledProcess {
            sandbox,
            room,
            rights: Arc::clone(rights),
            principal: Arc::clone(principal),
            hidden,
        })
    }
}

impl Drop for ConfinedPool {
    fn drop(&mut self) {
        self.end();
    }
}

impl PoolState {
    fn take(&self, rights: &Arc<Rights>, principal: &Arc<str>) -> Option<PooledProcess> {
        loop {
            let process = {
                let mut idle = locked(&self.idle);
                let fits = |idle: &Idle| {
                    idle.process.rights == *rights && idle.process.principal == *principal
                };
                // The last that was used: the others may grow old.
                let at = idle.iter().rposition(fits)?;
                idle.remove(at)?.process
            };
            let Rights { hidden, shown, .. } = &*process.rights;
            if process.hidden.holds(hidden, shown) {
                return Some(process);
            }
            process.discard();
        }
    }

    fn keep(self: &Arc<Self>, process: PooledProcess) {
        let idle = Idle {
            process,
            since: Instant::now(),
        };
        locked(&self.idle).push_back(idle);
        // Somebody must see to it that it ends.
        drop(self.returns());
    }

    /// The way to the thread that puts processes away, which is started when it is first needed.
    fn returns(self: &Arc<Self>) -> Option<mpsc::Sender<Return>> {
        let mut returns = locked(&self.returns);
        if returns.is_none() {
            let (sender, receiver) = mpsc::channel();
            let shared = Arc::downgrade(self);
            let thread = std::thread::Builder::new().name("charmer-pool".into());
            let started = thread.spawn(move || {
                while let Some(process) = next_return(&receiver, &shared) {
                    let Some(shared) = shared.upgrade() else {
                        return;
                    };
                    if process.clean && process.process.room.empty().is_ok() {
                        locked(&shared.idle).push_back(Idle {
                            process: process.process,
                            since: Instant::now(),
                        });
                    }
                }
            });
            let thread = started.ok()?;
            *returns = Some(Returns { sender, thread });
        }
        returns.as_ref().map(|returns| returns.sender.clone())
    }

    /// Ends those that have waited long enough, or are too many. Returns how long until the next one.
    fn retire(&self) -> Duration {
        let mut retired = Vec::new();
        let mut idle = locked(&self.idle);
        while let Some(oldest) = idle.front() {
            let waits = IDLE.saturating_sub(oldest.since.elapsed());
            if !waits.is_zero() && idle.len() <= MOST_IDLE {
                return waits;
            }
            retired.extend(idle.pop_front());
        }
        drop(idle);
        drop(retired);
        IDLE
    }
}

/// Waits for a process to put away; `None` when there will be no more.
fn next_return(
    receiver: &mpsc::Receiver<Return>,
    shared: &std::sync::Weak<PoolState>,
) -> Option<Return> {
    loop {
        let waits = shared.upgrade()?.retire();
        match receiver.recv_timeout(waits) {
            Ok(process) => return Some(process),
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => return None,
        }
    }
}

impl PooledProcess {
    /// Ends it without making anybody wait.
    fn discard(self) {
        let thread = std::thread::Builder::new().name("charmer-discard".into());
        // Where there is no thread to be had, it is ended here.
        let _ = thread.spawn(move || drop(self));
    }
}

/// A confined process for one call. It goes back when it is dropped, if nothing of the call is left.
#[derive(Debug)]
pub(super) struct Lease {
    /// There until it is dropped.
    process: Option<PooledProcess>,
    pool: Arc<PoolState>,
    clean: bool,
    /// It ends with its call.
    once: bool,
}

impl Lease {
    pub(super) fn sandbox(&self) -> Option<&Sandbox> {
        self.process.as_ref().map(|process| &process.sandbox)
    }

    /// The folder that its programs may write to.
    pub(super) fn scratch(&self) -> Option<&Path> {
        self.process.as_ref().map(|process| process.room.path())
    }

    /// Ends whatever the call has left, whatever that did to get away.
    pub(super) async fn clear(&mut self) {
        if self.once {
            let process = self.process.take();
            // When this is over, nothing of it runs.
            let _ = tokio::task::spawn_blocking(move || drop(process)).await;
            return;
        }
        let Some(process) = &self.process else { return };
        let (tell, told) = oneshot::channel();
        process
            .sandbox
            .clear(Box::new(move |clean| _ = tell.send(clean)));
        let told = tokio::time::timeout(CLEARING, told).await;
        self.clean = matches!(told, Ok(Ok(true)));
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let Some(process) = self.process.take() else {
            return;
        };
        if self.once {
            return process.discard();
        }
        let clean = self.clean;
        match self.pool.returns() {
            // Nobody takes it when the pool is gone.
            Some(returns) => drop(returns.send(Return { process, clean })),
            None => process.discard(),
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
