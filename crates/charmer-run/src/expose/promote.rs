//! Commands that become tools of their own while a server runs, because somebody asked for them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// How many commands become tools of their own at most.
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
pub struct Promotions(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// For each command what is cancelled when it is promoted.
    tokens: Mutex<HashMap<String, CancellationToken>>,
    count: watch::Sender<usize>,
}

impl Default for Promotions {
    fn default() -> Self {
        Self(Arc::new(Shared {
            tokens: Mutex::default(),
            count: watch::channel(0).0,
        }))
    }
}

impl Promotions {
    /// What is cancelled when a command is promoted: the same for a name, however often its tool is made.
    pub fn token(&self, name: &str) -> CancellationToken {
        let mut tokens = self.0.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.entry(name.to_owned()).or_default().clone()
    }

    /// Makes these commands tools of their own, as long as there are not too many of them: clients take only so many.
    pub fn promote<'n>(&self, names: impl IntoIterator<Item = &'n str>) {
        let mut new = 0;
        let room = MOST.saturating_sub(*self.0.count.borrow());
        for name in names {
            let token = self.token(name);
            if !token.is_cancelled() && new < room {
                token.cancel();
                new += 1;
            }
        }
        if new > 0 {
            self.0.count.send_modify(|count| *count += new);
        }
    }

    /// Changes whenever there are more of them.
    pub fn changes(&self) -> watch::Receiver<usize> {
        self.0.count.subscribe()
    }
}
