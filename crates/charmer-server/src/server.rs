//! One server for any number of clients: each is served until it goes away, and every child is ended before the server
//! ends itself.

use std::{
    io::{Read, Write},
    sync::Arc,
    sync::Once,
    time::Duration,
};

use charmer_run::{
    LOCAL, Permissions, Promotions, ToolSet, Transport as CallTransport, folder::Folders,
    process::Engine,
};
use thiserror::Error;
use tokio_util::sync::CancellationToken;

use crate::{
    ServerInfo, background,
    handler::ClientHandler,
    pages_and_prompts::MadeFromTools,
    pool::CallPool,
    protocol::ClientConversation,
    roots::Roots,
    state::StateSeal,
    stdio::{StdioOptions, StdioTransport},
    tools::{Patience, ToolsHandle},
};

/// The longest time that the children may take to end when the server does, beyond their own grace periods.
const SHUTDOWN: Duration = Duration::from_secs(5);

/// The reason why a server could not serve.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Standard input or output could not be taken over.
    #[error("failed to take over standard input and output: {0}")]
    Stdio(#[from] std::io::Error),
    /// Clients could not be let in any more.
    #[cfg(feature = "http")]
    #[error("failed to take connections: {0}")]
    Http(std::io::Error),
    /// There is no async runtime to be had.
    #[error("failed to start the async runtime: {0}")]
    Runtime(std::io::Error),
}

/// An MCP server. What its clients share is here; what belongs to one of them is in its handler.
#[derive(Debug)]
pub struct Server {
    info: Arc<ServerInfo>,
    tools: ToolsHandle,
    engine: Engine,
    patience: Patience,
    promotions: Option<Promotions>,
    #[cfg(feature = "jobs")]
    jobs: Option<charmer_run::jobs::Jobs>,
    folders: Folders,
    pool: CallPool,
    made_from_tools: MadeFromTools,
    /// The first client starts following what changes the list by itself: only then there is a runtime.
    following: Once,
    seal: StateSeal,
    stop: CancellationToken,
}

impl Server {
    /// A server of these tools. `engine` is the one that runs the tools' processes: they are waited for at the end.
    pub fn new(info: ServerInfo, tools: ToolSet, engine: Engine) -> Self {
        Self::with_handle(info, ToolsHandle::new(tools, true), engine)
    }

    /// A server whose tools are still being found out: [`ToolsHandle`] tells it of them. Until they are complete, a
    /// request for the list waits for two seconds and is then answered with what is known; a call of a tool that is not
    /// known yet waits longer, and its client is told how far it is.
    pub fn pending(info: ServerInfo, engine: Engine) -> Self {
        Self::with_handle(info, ToolsHandle::new(ToolSet::default(), false), engine)
    }

    fn with_handle(info: ServerInfo, tools: ToolsHandle, engine: Engine) -> Self {
        Self {
            info: Arc::new(info),
            tools,
            engine,
            patience: Patience::default(),
            promotions: None,
            #[cfg(feature = "jobs")]
            jobs: None,
            folders: Folders::default(),
            pool: CallPool::default(),
            made_from_tools: MadeFromTools::default(),
            following: Once::new(),
            seal: StateSeal::default(),
            stop: CancellationToken::new(),
        }
    }

    /// Sets how long requests wait for tools that are still being found out: those for a list, 2 seconds by default, and
    /// those about one tool, such as a call, 45 seconds by default.
    #[must_use]
    pub fn patience(mut self, lists: Duration, calls: Duration) -> Self {
        self.patience = Patience { lists, calls };
        self
    }

    /// Sets what the server says of itself, where that was not known when it was made.
    #[must_use]
    pub fn info(mut self, info: ServerInfo) -> Self {
        self.info = Arc::new(info);
        self
    }

    /// Tells clients when commands become tools of their own.
    #[must_use]
    pub fn promotions(mut self, promotions: Promotions) -> Self {
        self.promotions = Some(promotions);
        self
    }

    /// Sets the jobs that its calls can become: they end with the server, and clients that know tasks see them as such.
    #[cfg(feature = "jobs")]
    #[must_use]
    pub fn jobs(mut self, jobs: charmer_run::jobs::Jobs) -> Self {
        self.jobs = Some(jobs);
        self
    }

    /// Offers the examples in help texts as prompts. They are not by default: clients show each as a command of its own,
    /// and a large program has hundreds. Spells are prompts in any case.
    #[cfg(feature = "prompts")]
    #[must_use]
    pub fn example_prompts(mut self, offered: bool) -> Self {
        self.made_from_tools.examples = offered;
        self
    }

    /// Sets the folders that calls may run in, the first of them by default. A client that says which folders it works in
    /// narrows them, and never widens them; where there are none, its calls run in the client's, or else where the server
    /// does.
    #[must_use]
    pub fn folders(mut self, folders: Folders) -> Self {
        self.folders = folders;
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

    /// Serves one client on standard input and output until it goes away, then [finishes](Self::finish). From then on
    /// whatever else the process prints goes to standard error, so that nothing can get between the protocol's lines.
    pub async fn serve_stdio(self) -> Result<(), ServeError> {
        let calls = self.stop.child_token();
        let transport = StdioTransport::claim_stdio(StdioOptions::default(), calls.clone())?;
        let client = ConnectedClient::new(LOCAL, CallTransport::Stdio);
        self.serve(transport, client, calls).await;
        self.finish().await;
        Ok(())
    }

    /// Serves one client on any pair of streams until it goes away, then [finishes](Self::finish).
    pub async fn serve_streams(
        self,
        reader: impl Read + Send + 'static,
        writer: impl Write + Send + 'static,
    ) -> Result<(), ServeError> {
        let client = ConnectedClient::new(LOCAL, CallTransport::Stdio);
        let served = self.serve_on(client, reader, writer).await;
        self.finish().await;
        served
    }

    /// Serves a client whose calls belong to this principal, on any pair of streams, until it goes away: what is kept of
    /// their outputs, nobody else can read. Any number can be served at once; when one of them leaves, its calls are
    /// cancelled and those of the others go on.
    pub async fn serve_principal(
        &self,
        principal: impl Into<Arc<str>>,
        reader: impl Read + Send + 'static,
        writer: impl Write + Send + 'static,
    ) -> Result<(), ServeError> {
        let client = ConnectedClient::new(principal, CallTransport::Direct);
        self.serve_on(client, reader, writer).await
    }

    async fn serve_on(
        &self,
        client: ConnectedClient,
        reader: impl Read + Send + 'static,
        writer: impl Write + Send + 'static,
    ) -> Result<(), ServeError> {
        let calls = self.stop.child_token();
        let transport =
            StdioTransport::new(reader, writer, StdioOptions::default(), calls.clone())?;
        self.serve(transport, client, calls).await;
        Ok(())
    }

    /// Ends every client and every call, and waits until their processes have been ended and collected.
    pub async fn finish(&self) {
        self.stop.cancel();
        let patience = SHUTDOWN + self.longest_grace();
        let ending = async {
            #[cfg(feature = "jobs")]
            if let Some(jobs) = &self.jobs {
                jobs.end().await;
            }
            self.engine.finish().await;
        };
        if tokio::time::timeout(patience, ending).await.is_err() {
            tracing::warn!("some children did not end in time");
        }
    }

    /// The longest that a tool's program may take to end after it was asked to.
    pub(crate) fn longest_grace(&self) -> Duration {
        let tools = self.tools.current();
        let grace = tools.iter().map(|served| served.limits.grace).max();
        grace.unwrap_or_default()
    }

    /// Begins to follow what changes the list by itself; there must be a runtime.
    pub(crate) fn begin(&self) {
        self.following.call_once(|| self.follow());
    }

    /// Has everything put together that waits for a client to ask for it.
    #[cfg(feature = "http")]
    pub(crate) fn ask_for_tools(&self) {
        self.tools.be_asked();
    }

    /// The handler of a client's requests; `calls` is the token by which its calls are cancelled.
    pub(crate) fn handler(
        &self,
        client: ConnectedClient,
        calls: CancellationToken,
    ) -> ClientHandler {
        ClientHandler {
            info: Arc::clone(&self.info),
            tools: self
                .tools
                .view(self.patience, &client.principal, &client.permissions),
            pool: self.pool.clone(),
            made_from_tools: self.made_from_tools.clone(),
            spool: self.engine.spool().cloned(),
            #[cfg(feature = "jobs")]
            jobs: self.jobs.clone(),
            folders: self.folders.clone(),
            roots: Roots::default(),
            client,
            seal: self.seal.clone(),
            shutdown: calls,
        }
    }

    /// `calls` is the token by which every call of this client is cancelled: by the end of its input, and by stopping.
    async fn serve(
        &self,
        mut transport: StdioTransport,
        client: ConnectedClient,
        calls: CancellationToken,
    ) {
        self.begin();
        // However this ends, also by being dropped, nobody waits for these calls any more.
        let _ended = calls.clone().drop_guard();
        let handler = self.handler(client, calls.clone());
        let conversation = Arc::new(ClientConversation::new(handler, transport.outlet()));
        let received = |transport: Option<_>| transport.flatten();
        while let Some(message) = received(self.stop.run_until_cancelled(transport.receive()).await)
        {
            conversation.accept(message, None::<()>);
        }
        calls.cancel();
        // What is already answered, and what the calls that were cut off have to say, is still written.
        conversation.end(SHUTDOWN + self.longest_grace()).await;
        transport.close().await;
    }

    /// Tells clients of a new list when something is listed that was not before, until the server stops.
    fn follow(&self) {
        if let Some(spool) = self.engine.spool() {
            let (used, tools, stop) = (spool.used(), self.tools.clone(), self.stop.clone());
            background::begin(async move {
                if stop.run_until_cancelled(used.cancelled()).await.is_some() {
                    tools.list_again();
                }
            });
        }
        if let Some(promotions) = &self.promotions {
            let (mut changes, tools, stop) =
                (promotions.changes(), self.tools.clone(), self.stop.clone());
            background::begin(async move {
                while let Some(Ok(())) = stop.run_until_cancelled(changes.changed()).await {
                    tools.list_again();
                }
            });
        }
    }
}

/// A client: its principal, the way that its calls come in, and what they may do.
#[derive(Debug, Clone)]
pub(crate) struct ConnectedClient {
    pub(crate) principal: Arc<str>,
    pub(crate) transport: CallTransport,
    pub(crate) permissions: Permissions,
}

impl ConnectedClient {
    /// A client whose principal may do everything.
    fn new(principal: impl Into<Arc<str>>, transport: CallTransport) -> Self {
        Self {
            principal: principal.into(),
            transport,
            permissions: Permissions::all(),
        }
    }

    /// A client on HTTP.
    #[cfg(feature = "http")]
    pub(crate) fn http(principal: Arc<str>, permissions: Permissions) -> Self {
        Self {
            permissions,
            ..Self::new(principal, CallTransport::Http)
        }
    }
}
