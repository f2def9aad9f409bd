//! One server for one client: it serves until the client goes away, then ends every child before it ends itself.

use std::{
    io::{Read, Write},
    sync::Arc,
    time::Duration,
};

use charmer_run::{ToolSet, process::Engine};
use rmcp::service::{ServerInitializeError, serve_server_with_ct};
use thiserror::Error;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::{
    ServerInfo,
    handler::Handler,
    pool::CallPool,
    stdio::{StdioOptions, StdioTransport},
};

/// How long the children may take to end when the server does, beyond their own grace periods.
const SHUTDOWN: Duration = Duration::from_secs(5);

/// Why a server could not serve.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Standard input or output could not be taken over.
    #[error("failed to take over standard input and output: {0}")]
    Stdio(#[from] std::io::Error),
    /// The protocol failed in a way that left nothing to serve.
    #[error("failed to serve: {0}")]
    Protocol(String),
}

/// Replaces the tools of a running server; clients are told.
#[derive(Debug, Clone)]
pub struct ToolsHandle(Arc<watch::Sender<Arc<ToolSet>>>);

impl ToolsHandle {
    /// Serves these tools from now on. Calls that are under way are not disturbed.
    pub fn replace(&self, tools: ToolSet) {
        self.0.send_replace(Arc::new(tools));
    }
}

/// An MCP server.
#[derive(Debug)]
pub struct Server {
    info: ServerInfo,
    tools: ToolsHandle,
    engine: Engine,
    stop: CancellationToken,
}

impl Server {
    /// A server of these tools. `engine` is the one that runs the tools' processes: they are waited for at the end.
    pub fn new(info: ServerInfo, tools: ToolSet, engine: Engine) -> Self {
        let (sender, _) = watch::channel(Arc::new(tools));
        Self {
            info,
            tools: ToolsHandle(Arc::new(sender)),
            engine,
            stop: CancellationToken::new(),
        }
    }

    /// The handle that replaces the tools.
    pub fn tools(&self) -> ToolsHandle {
        self.tools.clone()
    }

    /// Ends the server, and every call, when it is cancelled.
    pub fn stop_token(&self) -> CancellationToken {
        self.stop.clone()
    }

    /// Serves one client on standard input and output, until it goes away. From then on whatever else the process
    /// prints goes to standard error, so that nothing can get between the protocol's lines.
    pub async fn serve_stdio(self) -> Result<(), ServeError> {
        let calls = self.stop.child_token();
        let transport = StdioTransport::claim_stdio(StdioOptions::default(), calls.clone())?;
        self.serve(transport, calls).await
    }

    /// Serves one client on any pair of streams.
    pub async fn serve_streams(
        self,
        reader: impl Read + Send + 'static,
        writer: impl Write + Send + 'static,
    ) -> Result<(), ServeError> {
        let calls = self.stop.child_token();
        let transport =
            StdioTransport::new(reader, writer, StdioOptions::default(), calls.clone())?;
        self.serve(transport, calls).await
    }

    /// `calls` is what every call is cancelled by: the end of the client's input cancels it, and so does stopping.
    async fn serve(
        self,
        transport: StdioTransport,
        calls: CancellationToken,
    ) -> Result<(), ServeError> {
        let handler = Handler {
            info: self.info,
            tools: self.tools.0.subscribe(),
            in_flight: transport.in_flight(),
            pool: CallPool::default(),
            shutdown: calls.clone(),
        };
        // At the end of its input the protocol loop ends by itself, after it has sent what is already answered; only
        // stopping cuts it short.
        let served = match serve_server_with_ct(handler, transport, self.stop.clone()).await {
            Ok(running) => running
                .waiting()
                .await
                .map(drop)
                .map_err(|error| ServeError::Protocol(error.to_string())),
            // A client that leaves before it has begun is no failure.
            Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
                Ok(())
            }
            Err(error) => Err(ServeError::Protocol(error.to_string())),
        };
        calls.cancel();
        let grace = self
            .tools
            .0
            .borrow()
            .iter()
            .map(|served| served.limits.grace)
            .max();
        let patience = SHUTDOWN + grace.unwrap_or_default();
        if tokio::time::timeout(patience, self.engine.finish())
            .await
            .is_err()
        {
            tracing::warn!("some children did not end in time");
        }
        served
    }
}
