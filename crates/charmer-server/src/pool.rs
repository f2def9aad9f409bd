//! The threads that calls run on whose path may block, apart from the one that speaks with the client.
//!
//! Hooks, layers and validators are an author's own code, and may block. On threads of their own they can hold up each
//! other, but never the protocol: pings are answered and calls are cancelled all the same. Calls without such code
//! spare themselves the way to another thread and back. The threads start with the first call that needs them.
//!
//! A server over HTTP has a second runtime for them. One on stdio alone has one client, and a thread for each such call:
//! a program that has no other use for a runtime of many threads is spared the code of one.

#[cfg(not(feature = "http"))]
pub(crate) use single::CallPool;

#[cfg(feature = "http")]
pub(crate) use many::CallPool;

#[cfg(not(feature = "http"))]
mod single {
    use std::sync::{Arc, Mutex, PoisonError};

    use tokio::{runtime::Handle, sync::Semaphore};

    use crate::background::{self, Work};

    /// The number of calls that have a thread at once; others wait for one.
    const THREADS: usize = 64;

    /// See the module's documentation. Clones share the threads.
    #[derive(Debug, Clone)]
    pub(crate) struct CallPool(Arc<Semaphore>);

    impl Default for CallPool {
        fn default() -> Self {
            Self(Arc::new(Semaphore::new(THREADS)))
        }
    }

    impl CallPool {
        /// Runs a call on a thread of its own; without one to be had, on the caller's.
        pub(crate) fn run(&self, work: Work) {
            background::begin(on_a_thread(Arc::clone(&self.0), work));
        }
    }

    async fn on_a_thread(threads: Arc<Semaphore>, work: Work) {
        let permit = threads.acquire_owned().await;
        let runtime = Handle::current();
        // Whoever has a thread takes it.
        let work = Arc::new(Mutex::new(Some(work)));
        let take = |work: &Mutex<Option<Work>>| {
            let mut work = work.lock().unwrap_or_else(PoisonError::into_inner);
            work.take()
        };
        let given = Arc::clone(&work);
        let thread = std::thread::Builder::new()
            .name("charmer-call".into())
            .spawn(move || {
                let _permit = permit;
                if let Some(work) = take(&given) {
                    runtime.block_on(work);
                }
            });
        if let Err(error) = thread {
            tracing::warn!(%error, "calls share the protocol's thread");
            let work = take(&work);
            if let Some(work) = work {
                work.await;
            }
        }
    }
}

#[cfg(feature = "http")]
mod many {
    use std::{
        io,
        sync::{Arc, OnceLock},
    };

    use tokio::runtime::Runtime;

    use crate::background::{self, Work};

    /// See the module's documentation. Clones share the threads.
    #[derive(Debug, Clone, Default)]
    pub(crate) struct CallPool(Arc<OnceLock<io::Result<Background>>>);

    impl CallPool {
        /// Runs a call on the pool; without threads to be had, on the caller's runtime.
        pub(crate) fn run(&self, work: Work) {
            match self.0.get_or_init(Background::start) {
                Ok(pool) => background::begin_on(pool.runtime().handle(), work),
                Err(error) => {
                    tracing::warn!(%error, "calls share the protocol's thread");
                    background::begin(work)
                }
            };
        }
    }

    /// A runtime that can be dropped anywhere, and waits for nobody.
    #[derive(Debug)]
    struct Background(Option<Runtime>);

    impl Background {
        fn start() -> io::Result<Self> {
            tokio::runtime::Builder::new_multi_thread()
                .worker_threads(
                    // At least two: code of an author that blocks one must not stop all other calls.
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
}
