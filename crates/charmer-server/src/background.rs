//! Work beside the protocol that answers nobody.

use std::pin::Pin;

use tokio::{runtime::Handle, task::JoinHandle};

/// Begins it on the runtime of its caller. Its type is forgotten: the code of a task is some kilobytes for each type.
pub(crate) fn begin(work: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    begin_on(&Handle::current(), Box::pin(work))
}

/// Begins it on this runtime.
pub(crate) fn begin_on(
    runtime: &Handle,
    work: Pin<Box<dyn Future<Output = ()> + Send>>,
) -> JoinHandle<()> {
    runtime.spawn(work)
}
