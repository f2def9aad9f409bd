//! Work that may block, on a thread beside those of the runtime.

use tokio::sync::oneshot;

/// Begins it. What it comes to never comes if it panics. Its type is forgotten: the code of a task is some kilobytes for
/// each type.
pub fn begin_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> oneshot::Receiver<T> {
    let (tell, told) = oneshot::channel();
    let work: Box<dyn FnOnce() + Send> = Box::new(move || {
        // Nobody may be waiting any more.
        let _ = tell.send(work());
    });
    tokio::task::spawn_blocking(work);
    told
}
