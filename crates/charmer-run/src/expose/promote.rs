//! Commands that become tools of their own while a server runs, because somebody asked for them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The maximum number of commands that become tools of their own.
const MOST: usize = 20;

/// The commands that became tools of their own. Clones speak of the same ones.
///
/// ```
/// use charmer_run::Promotions;
/// let promotions = Promotions::default();
/// let mut changes = promotions.changes();
/// promotions.promote(["docker_ps"]);
/// assert!(changes.has_changed().unwrap());
/// ```
#[derive(Debug, Clone)]
pub struct Promotions(Arc<PromotionState>);

#[derive(Debug)]
struct PromotionState {
    state: Mutex<PromotedNow>,
    changes: watch::Sender<usize>,
}

#[derive(Debug, Default)]
struct PromotedNow {
    /// For each command the token that is cancelled when it is promoted.
    tokens: HashMap<String, CancellationToken>,
    /// The number of tokens that were cancelled.
    promoted: usize,
}

impl PromotedNow {
    fn token(&mut self, name: &str) -> CancellationToken {
        self.tokens.entry(name.to_owned()).or_default().clone()
    }

    /// Returns whether this made the command a tool of its own.
    fn promote(&mut self, name: &str) -> bool {
        let token = self.token(name);
        if token.is_cancelled() || self.promoted == MOST {
            return false;
        }
        token.cancel();
        self.promoted += 1;
        true
    }
}

impl Default for Promotions {
    fn default() -> Self {
        Self(Arc::new(PromotionState {
            state: Mutex::default(),
            changes: watch::channel(0).0,
        }))
    }
}

impl Promotions {
    /// The token that is cancelled when a command is promoted: the same for a name, however often its tool is made.
    pub fn token(&self, name: &str) -> CancellationToken {
        self.state().token(name)
    }

    /// Makes these commands tools of their own, as long as there are not too many of them: clients take only so many.
    pub fn promote<'n>(&self, names: impl IntoIterator<Item = &'n str>) {
        // The lock is taken for each name, because the bound has to hold for calls that run side by side.
        let names = names.into_iter();
        let new = names.filter(|name| self.state().promote(name)).count();
        if new > 0 {
            self.0.changes.send_modify(|count| *count += new);
        }
    }

    /// Changes whenever there are more of them.
    pub fn changes(&self) -> watch::Receiver<usize> {
        self.0.changes.subscribe()
    }

    fn state(&self) -> MutexGuard<'_, PromotedNow> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Barrier, thread};

    use super::*;

    #[test]
    fn calls_side_by_side_promote_no_more_than_one_after_the_other() {
        const CALLS: usize = 8;
        let promotions = Promotions::default();
        // Every call has begun before the first one names a command.
        let begun = Barrier::new(CALLS);
        let names: Vec<String> = (0..CALLS * MOST).map(|at| format!("tool{at}")).collect();
        thread::scope(|scope| {
            for of_call in names.chunks(MOST) {
                let (promotions, begun) = (&promotions, &begun);
                scope.spawn(move || {
                    let mut wait = Some(begun);
                    promotions.promote(of_call.iter().map(|name| {
                        wait.take().map(Barrier::wait);
                        name.as_str()
                    }));
                });
            }
        });
        let promoted = names
            .iter()
            .filter(|name| promotions.token(name).is_cancelled());
        assert_eq!(promoted.count(), MOST);
        assert_eq!(*promotions.changes().borrow(), MOST);
    }
}
