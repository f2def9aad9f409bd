//! A run while it goes on: the output so far, and whether its caller still waits for it. The step that keeps
//! [jobs](crate::path) looks on from outside; what runs the program, and the steps around it, say what they know.

use std::{
    fmt,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio_util::sync::CancellationToken;

#[cfg(feature = "jobs")]
use crate::process::Captured;
use crate::process::LiveStream;

/// See the module's documentation. By default nobody looks on, which costs nothing. Clones share everything.
#[derive(Clone, Default)]
pub struct LiveRun(Option<Arc<LiveState>>);

#[derive(Default)]
struct LiveState {
    started: CancellationToken,
    detached: CancellationToken,
    job: OnceLock<Arc<str>>,
    hidden: AtomicBool,
    waiting: AtomicBool,
    #[cfg(any(feature = "approval", feature = "jobs"))]
    held: AtomicBool,
    streams: Mutex<Option<[LiveStream; 2]>>,
}

/// The two streams of a program, as far as they have come.
#[cfg(feature = "jobs")]
#[derive(Debug, Clone, Default)]
pub(crate) struct SoFar {
    pub(crate) stdout: Captured,
    pub(crate) stderr: Captured,
}

impl LiveRun {
    /// A run that somebody looks at.
    #[cfg_attr(not(feature = "jobs"), expect(dead_code))]
    pub(crate) fn watched() -> Self {
        Self(Some(Arc::default()))
    }

    /// Keeps its output from whoever looks on, because a step has to look at it first.
    pub(crate) fn hide_output(&self) {
        if let Some(state) = &self.0 {
            state.hidden.store(true, Ordering::Relaxed);
        }
    }

    /// Says whether it waits for a person at this moment, and not for its program.
    pub fn waits_for_person(&self, yes: bool) {
        if let Some(state) = &self.0 {
            state.waiting.store(yes, Ordering::Relaxed);
        }
    }

    /// Says whether its caller must still be answered by it: a question to the client cannot come from a job.
    #[cfg(feature = "approval")]
    pub(crate) fn keeps_caller(&self, yes: bool) {
        if let Some(state) = &self.0 {
            state.held.store(yes, Ordering::Relaxed);
        }
    }

    /// Says that the program runs, or whatever is run in its place.
    pub(crate) fn start(&self) {
        if let Some(state) = &self.0 {
            state.started.cancel();
        }
    }

    /// Lets whoever looks on see these: standard output and standard error.
    pub(crate) fn show(&self, streams: impl FnOnce() -> [LiveStream; 2]) {
        if let Some(state) = &self.0 {
            *state.streams() = Some(streams());
        }
    }

    /// The job that it has become, if it has.
    pub fn job(&self) -> Option<&Arc<str>> {
        self.0.as_ref()?.job.get()
    }

    /// Waits until it becomes a job; for ever, if it does not.
    pub(crate) async fn detached(&self) {
        match &self.0 {
            Some(state) => state.detached.cancelled().await,
            None => std::future::pending().await,
        }
    }
}

#[cfg(feature = "jobs")]
impl LiveRun {
    /// Waits until its program runs.
    pub(crate) async fn started(&self) {
        match &self.0 {
            Some(state) => state.started.cancelled().await,
            None => std::future::pending().await,
        }
    }

    /// Says that it goes on as this job.
    pub(crate) fn detach(&self, job: &Arc<str>) {
        if let Some(state) = &self.0 {
            let _ = state.job.set(Arc::clone(job));
            state.detached.cancel();
        }
    }

    /// Returns true if it waits for a person.
    pub(crate) fn is_waiting(&self) -> bool {
        let state = self.0.as_ref();
        state.is_some_and(|state| state.waiting.load(Ordering::Relaxed))
    }

    /// Returns true if its caller must still be answered by it.
    pub(crate) fn is_kept(&self) -> bool {
        let state = self.0.as_ref();
        state.is_some_and(|state| state.held.load(Ordering::Relaxed))
    }

    /// Returns true if its output is for nobody yet.
    pub(crate) fn is_hidden(&self) -> bool {
        let state = self.0.as_ref();
        state.is_some_and(|state| state.hidden.load(Ordering::Relaxed))
    }

    /// The output so far, up to so many bytes from each end of a stream; none where it must be looked at first.
    pub(crate) async fn so_far(&self, most: usize) -> SoFar {
        let streams = self.0.as_ref().filter(|_| !self.is_hidden());
        let streams = streams.and_then(|state| state.streams().clone());
        let Some([stdout, stderr]) = streams else {
            return SoFar::default();
        };
        SoFar {
            stdout: stdout.so_far(most).await,
            stderr: stderr.so_far(most).await,
        }
    }
}

impl LiveState {
    fn streams(&self) -> std::sync::MutexGuard<'_, Option<[LiveStream; 2]>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for LiveRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LiveRun").field(&self.job()).finish()
    }
}
