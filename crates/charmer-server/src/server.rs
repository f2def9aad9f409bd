//! One server for one client: it serves until the client goes away, then ends every child before it ends itself.

use std::{
    io::{Read, Write},
    time::Duration,
};

use charmer_run::{Promotions, ToolSet, process::Engine};
use rmcp::service::{ServerInitializeError, serve_server_with_ct};
use thiserror::Error;
use tokio_util::sync::CancellationToken;

use crate::{
    ServerInfo,
    handler::Handler,
    pool::CallPool,
    shelf::Shelves,
    stdio::{StdioOptions, StdioTransport},
    tools::{PATIENCE, ToolsHandle},
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
    /// There is no async runtime to be had.
    #[error("failed to start the async runtime: {0}")]
    Runtime(std::io::Error),
}

/// An MCP server.
#[derive(Debug)]
pub struct Server {
    info: ServerInfo,
    tools: ToolsHandle,
    engine: Engine,
    patience: Duration,
    promotions: Option<Promotions>,
    stop: CancellationToken,
}

impl Server {
    /// A server of these tools. `engine` is the one that runs the tools' processes: they are waited for at the end.
    pub fn new(info: ServerInfo, tools: ToolSet, engine: Engine) -> Self {
        Self::with_handle(info, ToolsHandle::new(tools, true), engine)
    }

    /// A server whose tools are still being found out: [`ToolsHandle`] tells it of them. Until they are complete, a
    /// request for the list waits for a few seconds and is then answered with what is known; a call of a tool that is
    /// not known yet waits likewise.
    pub fn pending(info: ServerInfo, engine: Engine) -> Self {
        Self::with_handle(info, ToolsHandle::new(ToolSet::default(), false), engine)
    }

    fn with_handle(info: ServerInfo, tools: ToolsHandle, engine: Engine) -> Self {
        Self {
            info,
            tools,
            engine,
            patience: PATIENCE,
            promotions: None,
            stop: CancellationToken::new(),
        }
    }

    /// Sets how long requests wait for tools that are still being found out; 5 seconds by default.
    #[must_use]
    pub fn patience(mut self, time: Duration) -> Self {
        self.patience = time;
        self
    }

    /// Tells clients when commands become tools of their own.
    #[must_use]
    pub fn promotions(mut self, promotions: Promotions) -> Self {
        self.promotions = Some(promotions);
        self
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
            tools: self.tools.view(self.patience),
            in_flight: transport.in_flight(),
            pool: CallPool::default(),
            shelves: Shelves::default(),
            spool: self.engine.spool().cloned(),
            shutdown: calls.clone(),
        };
        if let Some(spool) = self.engine.spool() {
            let (used, tools, ended) = (spool.used(), self.tools.clone(), calls.clone());
            tokio::spawn(async move {
                if ended.run_until_cancelled(used.cancelled()).await.is_some() {
                    tools.list_again();
                }
            });
        }
        if let Some(promotions) = &self.promotions {
            let (mut changes, tools, ended) =
                (promotions.changes(), self.tools.clone(), calls.clone());
            tokio::spawn(async move {
                while let Some(Ok(())) = ended.run_until_cancelled(changes.changed()).await {
                    tools.list_again();
                }
            });
        }
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
            .current()
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
