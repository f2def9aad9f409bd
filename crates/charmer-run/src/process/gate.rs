//! The gate that programs run through: a limit, a bounded queue behind it, and a prompt "busy" past that.
//!
//! Lanes limit single tools, or keep commands apart that must not overlap: a lane of one is a lock.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::{CallError, ErrorCode};

/// Calls that share a key, and how many of them may run at once.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ConcurrencyGroup {
    /// The name that they share.
    pub key: String,
    /// The maximum number of them that run at once.
    pub limit: usize,
}

impl ConcurrencyGroup {
    /// A lane in which so many may run at once.
    pub fn new(key: impl Into<String>, limit: usize) -> Self {
        Self {
            key: key.into(),
            limit: limit.max(1),
        }
    }

    /// A lane in which one runs after the other.
    pub fn serial(key: impl Into<String>) -> Self {
        Self::new(key, 1)
    }
}

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct Gate {
    /// Made with the first call: how many cores there are takes a while to find out.
    places: OnceLock<Arc<Semaphore>>,
    concurrency: Option<usize>,
    waiting: AtomicUsize,
    queue: Option<usize>,
    lanes: Mutex<HashMap<ConcurrencyGroup, Arc<Semaphore>>>,
}

/// The right to run; dropping it lets the next one in.
#[derive(Debug)]
pub(super) struct Pass {
    place: Option<OwnedSemaphorePermit>,
    _lane: Option<OwnedSemaphorePermit>,
}

impl Pass {
    /// Lets the next one in although this one still runs. Its lane stays its own.
    pub(super) fn give_place_back(&mut self) {
        self.place = None;
    }
}

impl Gate {
    pub(super) fn new(concurrency: Option<usize>, queue: Option<usize>) -> Self {
        Self {
            places: OnceLock::new(),
            concurrency,
            waiting: AtomicUsize::new(0),
            queue,
            lanes: Mutex::default(),
        }
    }

    /// The maximum number of runs at once: near four times the cores is where throughput peaks.
    fn concurrency(&self) -> usize {
        let by_cores =
            || 4 * std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        self.concurrency.unwrap_or_else(by_cores).max(1)
    }

    fn queue(&self) -> usize {
        self.queue.unwrap_or_else(|| 16 * self.concurrency())
    }

    fn places(&self) -> Arc<Semaphore> {
        Arc::clone(
            self.places
                .get_or_init(|| Arc::new(Semaphore::new(self.concurrency()))),
        )
    }

    /// Waits for a place, but not for longer than the call itself may take.
    pub(super) async fn enter(
        &self,
        concurrency_group: Option<&ConcurrencyGroup>,
        patience: Duration,
        cancel: &CancellationToken,
    ) -> Result<Pass, CallError> {
        let concurrency_group =
            concurrency_group.map(|concurrency_group| self.concurrency_group(concurrency_group));
        if let Some(pass) = self.try_enter(concurrency_group.as_ref()) {
            return Ok(pass);
        }
        let waiting = QueuePlace::enter(self)?;
        let entered = async {
            // The lane first: who waits for it must not hold a place that others could use.
            let concurrency_group = match concurrency_group {
                Some(concurrency_group) => concurrency_group.acquire_owned().await.ok(),
                None => None,
            };
            self.places().acquire_owned().await.ok().map(|place| Pass {
                place: Some(place),
                _lane: concurrency_group,
            })
        };
        let pass = tokio::select! {
            pass = entered => pass,
            () = cancel.cancelled() => {
                return Err(CallError::new(ErrorCode::Cancelled, "the call was cancelled before it began"));
            }
            () = tokio::time::sleep(patience) => None,
        };
        drop(waiting);
        pass.ok_or_else(|| busy(format!("no place to run became free within {patience:?}")))
    }

    fn try_enter(&self, concurrency_group: Option<&Arc<Semaphore>>) -> Option<Pass> {
        let concurrency_group = match concurrency_group {
            Some(concurrency_group) => {
                Some(Arc::clone(concurrency_group).try_acquire_owned().ok()?)
            }
            None => None,
        };
        let place = self.places().try_acquire_owned().ok()?;
        Some(Pass {
            place: Some(place),
            _lane: concurrency_group,
        })
    }

    fn concurrency_group(&self, concurrency_group: &ConcurrencyGroup) -> Arc<Semaphore> {
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(
            lanes
                .entry(concurrency_group.clone())
                .or_insert_with(|| Arc::new(Semaphore::new(concurrency_group.limit))),
        )
    }
}

/// A place in the queue.
struct QueuePlace<'a>(&'a Gate);

impl<'a> QueuePlace<'a> {
    fn enter(gate: &'a Gate) -> Result<Self, CallError> {
        let queue = gate.queue();
        if gate.waiting.fetch_add(1, Ordering::AcqRel) >= queue {
            gate.waiting.fetch_sub(1, Ordering::AcqRel);
            return Err(busy(format!("{queue} calls are waiting already")));
        }
        Ok(Self(gate))
    }
}

impl Drop for QueuePlace<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::AcqRel);
    }
}

fn busy(message: String) -> CallError {
    CallError::new(ErrorCode::Busy, message).hint("wait for running calls to end, then try again")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(60);

    async fn enter(
        gate: &Gate,
        concurrency_group: Option<&ConcurrencyGroup>,
    ) -> Result<Pass, CallError> {
        gate.enter(concurrency_group, PATIENCE, &CancellationToken::new())
            .await
    }

    #[tokio::test(start_paused = true)]
    async fn past_the_queue_a_call_is_told_at_once() {
        let gate = Arc::new(Gate::new(Some(1), Some(1)));
        let first = enter(&gate, None).await.expect("a place");
        let second = tokio::spawn({
            let gate = Arc::clone(&gate);
            async move { enter(&gate, None).await }
        });
        tokio::task::yield_now().await;
        let third = enter(&gate, None).await.expect_err("no room in the queue");
        assert_eq!(third.code, ErrorCode::Busy);
        drop(first);
        second
            .await
            .expect("no panic")
            .expect("the place that was left");
    }

    #[tokio::test(start_paused = true)]
    async fn waiting_ends_with_patience_and_with_cancellation() {
        let gate = Gate::new(Some(1), Some(10));
        let _held = enter(&gate, None).await.expect("a place");
        let late = gate
            .enter(None, Duration::from_secs(5), &CancellationToken::new())
            .await;
        assert_eq!(late.expect_err("too late").code, ErrorCode::Busy);
        let cancelled = CancellationToken::new();
        cancelled.cancel();
        let ended = gate.enter(None, PATIENCE, &cancelled).await;
        assert_eq!(ended.expect_err("cancelled").code, ErrorCode::Cancelled);
        assert_eq!(gate.waiting.load(Ordering::Acquire), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_lane_keeps_its_own_apart_and_leaves_others_alone() {
        let gate = Arc::new(Gate::new(Some(8), Some(8)));
        let concurrency_group = ConcurrencyGroup::serial("db");
        let first = enter(&gate, Some(&concurrency_group))
            .await
            .expect("a place");
        let second = tokio::spawn({
            let (gate, concurrency_group) = (Arc::clone(&gate), concurrency_group.clone());
            async move { enter(&gate, Some(&concurrency_group)).await.map(drop) }
        });
        tokio::task::yield_now().await;
        assert!(!second.is_finished());
        enter(&gate, Some(&ConcurrencyGroup::serial("other")))
            .await
            .expect("another concurrency_group");
        enter(&gate, None).await.expect("no concurrency_group");
        drop(first);
        second.await.expect("no panic").expect("its turn");
    }
}
