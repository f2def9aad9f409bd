//! A server that is all that its process does: a runtime of its own, and an orderly end when the process is told to end.

use std::time::Duration;

use crate::{ServeError, Server, background};

/// The time after which a server begins to listen for signals.
const SIGNALS_LATER: Duration = Duration::from_millis(20);

impl Server {
    /// Serves one client on standard input and output, until it goes away or the process is told to end. Must not be
    /// called inside an async runtime: it brings one of its own.
    pub fn run_stdio(self) -> Result<(), ServeError> {
        // One thread speaks with the client; calls run on others.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(ServeError::Runtime)?;
        let served = runtime.block_on(async {
            // Until there can be a child the usual end of a process is good enough, and the first answers come sooner.
            self.end_by_signal(SIGNALS_LATER);
            self.serve_stdio().await
        });
        // A handler that is still busy must not keep the process alive after its client has gone.
        runtime.shutdown_background();
        served
    }

    /// Stops the server when the process is told to end; signals are listened for after this time.
    fn end_by_signal(&self, after: Duration) {
        let stop = self.stop_token();
        background::begin(async move {
            tokio::time::sleep(after).await;
            ended_by_signal().await;
            stop.cancel();
        });
    }
}

#[cfg(feature = "http")]
impl Server {
    /// Serves any number of clients over HTTP, until the process is told to end. Must not be called inside an async
    /// runtime: it brings one of its own.
    pub fn run_http(
        self,
        listener: crate::HttpListener,
        options: crate::HttpOptions,
    ) -> Result<(), ServeError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .map_err(ServeError::Runtime)?;
        let served = runtime.block_on(async {
            self.end_by_signal(Duration::ZERO);
            self.serve_http(listener, options).await
        });
        runtime.shutdown_background();
        served
    }
}

/// Waits until the process is told to end: by Ctrl-C, or by whoever manages it.
#[cfg(unix)]
pub async fn ended_by_signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut terminate), Ok(mut hangup)) = (
        signal(SignalKind::terminate()),
        signal(SignalKind::hangup()),
    ) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = hangup.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}

/// Waits until the process is told to end.
#[cfg(not(unix))]
pub async fn ended_by_signal() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
