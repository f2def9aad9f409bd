//! The threads that calls run on whose path may block, apart from the one that speaks with the client.
//!
//! Hooks, layers and validators are an author's own code, and may block. On threads of their own they can hold up each
//! other, but never the protocol: pings are answered and calls are cancelled all the same. Calls without such code
//! spare themselves the way to another thread and back. The threads start with the first call that needs them.

use std::{
    io,
    sync::{Arc, OnceLock},
};

use tokio::{runtime::Runtime, task::JoinHandle};

/// See the module's documentation. Clones share the threads.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallPool(Arc<OnceLock<io::Result<Background>>>);

impl CallPool {
    /// Runs a call on the pool; without threads to be had, on the caller's runtime.
    pub(crate) fn spawn<F>(&self, work: F) -> JoinHandle<F::Output>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        match self.0.get_or_init(Background::start) {
            Ok(background) => background.runtime().spawn(work),
            Err(error) => {
                tracing::warn!(%error, "calls share the protocol's thread");
                tokio::spawn(work)
            }
        }
    }
}

/// A runtime that can be dropped anywhere, and waits for nobody.
#[derive(Debug)]
struct Background(Option<Runtime>);

impl Background {
    fn start() -> io::Result<Self> {
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(
                std::thread::available_parallelism().map_or(2, |cores| cores.get().clamp(2, 8)),
            )
            .thread_name("charmer-calls")
            .enable_all()
            .build()
            .map(|runtime| Self(Some(runtime)))
    }

    fn runtime(&self) -> &Runtime {
        self.0
            .as_ref()
            .expect("it is only taken when it is dropped")
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}
