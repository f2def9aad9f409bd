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
    use std::{panic::resume_unwind, pin::Pin, sync::Arc};

    use tokio::{
        runtime::Handle,
        sync::{Semaphore, oneshot},
        task::JoinHandle,
    };

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
        pub(crate) fn spawn<T: Send + 'static>(
            &self,
            work: impl Future<Output = T> + Send + 'static,
        ) -> JoinHandle<T> {
            tokio::spawn(run(Arc::clone(&self.0), Box::pin(work)))
        }
    }

    async fn run<T: Send + 'static>(
        threads: Arc<Semaphore>,
        work: Pin<Box<dyn Future<Output = T> + Send>>,
    ) -> T {
        let permit = threads.acquire_owned().await;
        let (tell, told) = oneshot::channel();
        let (give, given) = std::sync::mpsc::channel();
        let runtime = Handle::current();
        let thread = std::thread::Builder::new()
            .name("charmer-call".into())
            .spawn(move || {
                let _permit = permit;
                if let Ok(work) = given.recv() {
                    // Nobody may be waiting any more.
                    let _ = tell.send(runtime.block_on(work));
                }
            });
        match thread {
            Ok(_) => match give.send(work) {
                Ok(()) => told.await.unwrap_or_else(|_| resume_unwind(Box::new(()))),
                // It takes one before it ends.
                Err(unsent) => unsent.0.await,
            },
            Err(error) => {
                tracing::warn!(%error, "calls share the protocol's thread");
                work.await
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
