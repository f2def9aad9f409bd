//! The end of all reading: programs that are being asked are ended, and what they left on disk is removed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio_util::sync::CancellationToken;

use super::ProberState;

/// Stops every prober that has it among its options. Clones are one.
///
/// A reading that is dropped ends too, but only when the last of its tasks has come to a point where it can be dropped.
/// Whoever has to be gone in a moment does not wait for that.
#[derive(Debug, Clone, Default)]
pub struct ProbeStop(Arc<Stopping>);

#[derive(Default)]
struct Stopping {
    token: CancellationToken,
    probers: Mutex<Vec<RunningProber>>,
}

/// A prober, and what is cancelled when the last of it is gone.
struct RunningProber {
    /// Nobody yet where its folder is still being made.
    prober: Weak<ProberState>,
    gone: CancellationToken,
}

impl std::fmt::Debug for Stopping {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Stopping").field(&self.token).finish()
    }
}

impl ProbeStop {
    /// Ends what is being asked; nothing is asked afterwards, and no reading is complete. Returns when the programs are
    /// gone and the folders that they wrote to are removed, which takes long where they wrote many files.
    pub async fn end(&self) {
        self.0.token.cancel();
        let probers = std::mem::take(&mut *self.probers());
        for RunningProber { prober, gone } in probers {
            let Some(prober) = prober.upgrade() else {
                // Somebody is about to remove everything.
                gone.cancelled().await;
                continue;
            };
            prober.engine.finish().await;
            // In a thread that need not be waited for.
            let removed = tokio::task::spawn_blocking(move || prober.scratch.remove());
            let _ = removed.await;
        }
    }

    /// Returns true if the end was ordered.
    pub fn is_ordered(&self) -> bool {
        self.0.token.is_cancelled()
    }

    /// A token that is cancelled with all others.
    pub(super) fn token(&self) -> CancellationToken {
        self.0.token.child_token()
    }

    /// Takes on a prober before it makes its folder; `None` if it is too late, and nothing may be asked any more.
    pub(super) fn begin(&self) -> Option<Presence> {
        let mut probers = self.probers();
        // Looked at with the list in hand: whoever stops takes the list after the order is given.
        if self.is_ordered() {
            return None;
        }
        probers.retain(|running| !running.gone.is_cancelled());
        let presence = Presence::default();
        probers.push(RunningProber {
            prober: Weak::new(),
            gone: presence.0.clone(),
        });
        Some(presence)
    }

    /// Tells whom to end; `false` if it is too late: whoever stops waits until the prober is gone.
    pub(super) fn add(&self, prober: &Arc<ProberState>) -> bool {
        let mut probers = self.probers();
        if self.is_ordered() {
            return false;
        }
        let gone = &prober.presence.0;
        if let Some(running) = probers.iter_mut().find(|running| running.gone == *gone) {
            running.prober = Arc::downgrade(prober);
        }
        true
    }

    fn probers(&self) -> MutexGuard<'_, Vec<RunningProber>> {
        self.0
            .probers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// The last field of a prober: tells by its end that all others are gone.
#[derive(Default)]
pub(super) struct Presence(CancellationToken);

impl Drop for Presence {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
