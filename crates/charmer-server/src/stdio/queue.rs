//! A bounded queue between a blocking thread and async code, used once in each direction.
//!
//! A tokio channel would serve one direction, but not three things the transport needs: a limit in
//! bytes as well as in messages, taking everything that is queued in one go, and entering a message
//! synchronously so that answers leave in the order in which they were handed over.

use std::{
    collections::VecDeque,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// The time after which a blocked pusher looks whether the server is shutting down. A cancellation token cannot wake a
/// condition variable, and nobody waits for the thread that sleeps here.
const SHUTDOWN_POLL: Duration = Duration::from_millis(50);

/// The queue takes nothing more: one of its ends has gone.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Closed;

/// See the module's documentation.
pub(super) struct Queue<T> {
    state: Mutex<QueueState<T>>,
    max_items: usize,
    max_bytes: usize,
    item_blocking: Condvar,
    item_async: Notify,
    space_blocking: Condvar,
    space_async: Notify,
}

struct QueueState<T> {
    items: VecDeque<(usize, T)>,
    bytes: usize,
    closed: bool,
    // Waking a condition variable that nobody waits for is still a system call.
    popper_waits: bool,
    pusher_waits: bool,
}

impl<T> Queue<T> {
    /// The limits are where pushers begin to wait; one item may overshoot `max_bytes`, so that an
    /// item of any size gets through an empty queue.
    pub(super) fn new(max_items: usize, max_bytes: usize) -> Self {
        Self {
            state: Mutex::new(QueueState {
                items: VecDeque::new(),
                bytes: 0,
                closed: false,
                popper_waits: false,
                pusher_waits: false,
            }),
            max_items: max_items.max(1),
            max_bytes: max_bytes.max(1),
            item_blocking: Condvar::new(),
            item_async: Notify::new(),
            space_blocking: Condvar::new(),
            space_async: Notify::new(),
        }
    }

    /// Enters an item whether or not there is space. For callers whose number is bounded by
    /// something else.
    pub(super) fn push(&self, item: T, bytes: usize) -> Result<(), Closed> {
        self.enter(self.lock(), item, bytes)
    }

    /// Does something in the place of the blocking popper, if that has taken and done everything and waits for more:
    /// until `work` returns nothing is queued and nothing is taken.
    pub(super) fn while_idle<R>(&self, work: impl FnOnce() -> R) -> Option<R> {
        let state = self.lock();
        let idle = state.popper_waits && state.items.is_empty() && !state.closed;
        idle.then(work)
    }

    /// Enters an item when there is space; gives up when the queue is closed or `shutdown` begins.
    pub(super) fn push_blocking(
        &self,
        item: T,
        bytes: usize,
        shutdown: &CancellationToken,
    ) -> Result<(), Closed> {
        let mut state = self.lock();
        while self.is_full(&state) && !state.closed {
            if shutdown.is_cancelled() {
                return Err(Closed);
            }
            state.pusher_waits = true;
            state = self
                .space_blocking
                .wait_timeout(state, SHUTDOWN_POLL)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        self.enter(state, item, bytes)
    }

    /// The next item, or `None` when the queue is closed and empty. Cancel-safe; one caller at a time.
    pub(super) async fn pop(&self) -> Option<T> {
        loop {
            {
                let mut state = self.lock();
                if let Some((bytes, item)) = state.items.pop_front() {
                    state.bytes -= bytes;
                    self.announce_space(state);
                    return Some(item);
                }
                if state.closed {
                    return None;
                }
            }
            self.item_async.notified().await;
        }
    }

    /// Everything queued, at least one item, or `None` when the queue is closed and empty.
    pub(super) fn pop_all_blocking(&self) -> Option<VecDeque<(usize, T)>> {
        let mut state = self.lock();
        while state.items.is_empty() {
            if state.closed {
                return None;
            }
            state.popper_waits = true;
            state = self
                .item_blocking
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        let items = std::mem::take(&mut state.items);
        state.bytes = 0;
        self.announce_space(state);
        Some(items)
    }

    /// Waits until there is space, or until the queue is closed. Cancel-safe; one caller at a time.
    pub(super) async fn space(&self) {
        loop {
            {
                let state = self.lock();
                if state.closed || !self.is_full(&state) {
                    return;
                }
            }
            self.space_async.notified().await;
        }
    }

    /// Takes nothing more; what is queued is still handed out.
    pub(super) fn close(&self) {
        self.end(|_| ());
    }

    /// Takes nothing more, and forgets what is queued.
    pub(super) fn abort(&self) {
        self.end(|state| {
            state.items.clear();
            state.bytes = 0;
        });
    }

    fn end(&self, also: impl FnOnce(&mut QueueState<T>)) {
        let mut state = self.lock();
        state.closed = true;
        also(&mut state);
        drop(state);
        self.item_blocking.notify_all();
        self.space_blocking.notify_all();
        self.item_async.notify_one();
        self.space_async.notify_one();
    }

    fn enter(
        &self,
        mut state: MutexGuard<'_, QueueState<T>>,
        item: T,
        bytes: usize,
    ) -> Result<(), Closed> {
        if state.closed {
            return Err(Closed);
        }
        state.items.push_back((bytes, item));
        state.bytes += bytes;
        let wake = std::mem::take(&mut state.popper_waits);
        drop(state);
        if wake {
            self.item_blocking.notify_one();
        }
        self.item_async.notify_one();
        Ok(())
    }

    fn announce_space(&self, mut state: MutexGuard<'_, QueueState<T>>) {
        if self.is_full(&state) {
            return;
        }
        let wake = std::mem::take(&mut state.pusher_waits);
        drop(state);
        if wake {
            self.space_blocking.notify_one();
        }
        self.space_async.notify_one();
    }

    fn is_full(&self, state: &QueueState<T>) -> bool {
        state.items.len() >= self.max_items || state.bytes >= self.max_bytes
    }

    fn lock(&self) -> MutexGuard<'_, QueueState<T>> {
        // No code that can panic runs under the lock, so a poisoned state is still whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use std::{sync::Arc, thread};

    use super::*;

    #[test]
    fn a_full_queue_blocks_its_pusher_until_there_is_space() {
        let queue = Arc::new(Queue::new(1, usize::MAX));
        let shutdown = CancellationToken::new();
        queue.push_blocking(1, 0, &shutdown).unwrap();
        let pusher = {
            let queue = Arc::clone(&queue);
            let shutdown = shutdown.clone();
            thread::spawn(move || queue.push_blocking(2, 0, &shutdown))
        };
        thread::sleep(Duration::from_millis(20));
        assert!(!pusher.is_finished());
        assert_eq!(queue.pop_all_blocking().unwrap(), [(0, 1)]);
        assert_eq!(pusher.join().unwrap(), Ok(()));
        assert_eq!(queue.pop_all_blocking().unwrap(), [(0, 2)]);
    }

    #[test]
    fn bytes_count_as_well_as_items_but_any_item_fits_an_empty_queue() {
        let queue = Queue::new(usize::MAX, 10);
        let shutdown = CancellationToken::new();
        queue.push_blocking("huge", 1000, &shutdown).unwrap();
        shutdown.cancel();
        assert_eq!(queue.push_blocking("next", 1, &shutdown), Err(Closed));
    }

    #[test]
    fn shutdown_and_close_release_a_blocked_pusher() {
        for close in [false, true] {
            let queue = Arc::new(Queue::new(1, usize::MAX));
            let shutdown = CancellationToken::new();
            queue.push((), 0).unwrap();
            let pusher = {
                let queue = Arc::clone(&queue);
                let shutdown = shutdown.clone();
                thread::spawn(move || queue.push_blocking((), 0, &shutdown))
            };
            thread::sleep(Duration::from_millis(5));
            if close {
                queue.close();
            } else {
                shutdown.cancel();
            }
            assert_eq!(pusher.join().unwrap(), Err(Closed));
        }
    }

    #[tokio::test]
    async fn a_closed_queue_hands_out_what_it_holds_and_an_aborted_one_does_not() {
        let queue = Queue::new(8, 8);
        queue.push("kept", 1).unwrap();
        queue.close();
        assert_eq!(queue.push("late", 1), Err(Closed));
        assert_eq!(queue.pop().await, Some("kept"));
        assert_eq!(queue.pop().await, None);

        let queue = Queue::new(8, 8);
        queue.push("lost", 1).unwrap();
        queue.abort();
        assert_eq!(queue.pop().await, None);
        assert_eq!(queue.pop_all_blocking(), None);
    }
}
