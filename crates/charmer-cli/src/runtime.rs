//! Async work of a command that ends by itself, or with Ctrl-C.

use charmer_server::ended_by_signal;
use tokio::runtime::Runtime;

use crate::problem::Problem;

/// A runtime for walks and calls.
pub(crate) fn new() -> Result<Runtime, Problem> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Problem::failed(format!("failed to start the async runtime: {error}")))
}

/// Waits for something that needs neither time nor input and output.
pub(crate) fn wait(what: impl Future<Output = ()>) {
    // Without one there is nothing to wait in, and what follows says so.
    if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().build() {
        runtime.block_on(what);
    }
}

/// Does the work, unless it is interrupted.
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T, Problem>>) -> Result<T, Problem> {
    new()?.block_on(async {
        tokio::select! {
            done = work => done,
            () = ended_by_signal() => Err(Problem::interrupted()),
        }
    })
}
