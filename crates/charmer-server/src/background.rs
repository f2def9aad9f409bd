//! Work beside the protocol.

use std::pin::Pin;

use tokio::{runtime::Handle, sync::oneshot, task::JoinHandle};

/// Work whose type is forgotten: the code of a task is some kilobytes for each type.
pub(crate) type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Begins it on the runtime of its caller.
pub(crate) fn begin(work: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    begin_on(&Handle::current(), Box::pin(work))
}

/// Begins it on this runtime.
pub(crate) fn begin_on(runtime: &Handle, work: Work) -> JoinHandle<()> {
    runtime.spawn(work)
}

/// The same work, and what it comes to, which never comes if it panics.
pub(crate) fn with_answer<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> (Work, oneshot::Receiver<T>) {
    let (tell, told) = oneshot::channel();
    let work = async move {
        // Nobody may be waiting any more.
        let _ = tell.send(work.await);
    };
    (Box::pin(work), told)
}
