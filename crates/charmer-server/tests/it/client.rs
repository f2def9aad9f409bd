//! A client on pipes, and tools whose call paths are made for the test.

use std::{
    io::{BufRead, BufReader, PipeReader, PipeWriter, Write, pipe},
    thread::JoinHandle,
};

use charmer_core::{
    model::{Cli, Command, Syntax},
    tool::{CatalogueOptions, catalogue},
};
use charmer_run::{
    Call, CallError, CallService, Limits, Outcome, ServedTool, ToolSet, into_service,
    process::Engine,
};
use charmer_server::{Server, ServerInfo, ToolsHandle};
use serde_json::{Value, json};
use tower::service_fn;

/// Tools of these names, each with the same call path.
pub(crate) fn tools(names: &[&str], service: &CallService) -> ToolSet {
    let root = names
        .iter()
        .fold(Command::new("t").not_runnable(), |root, name| {
            root.command(Command::new(*name))
        });
    let found = catalogue(
        &Cli::new(root, Syntax::clap()),
        &CatalogueOptions::default(),
    );
    ToolSet::new(
        found
            .tools
            .into_iter()
            .map(|tool| ServedTool::new(tool, service.clone(), Limits::default())),
    )
}

pub(crate) fn service(answer: fn(&Call) -> Result<Outcome, CallError>) -> CallService {
    into_service(service_fn(move |call: Call| async move { answer(&call) }))
}

pub(crate) struct Client {
    to: PipeWriter,
    from: BufReader<PipeReader>,
    pub(crate) handle: ToolsHandle,
    server: JoinHandle<()>,
}

impl Client {
    pub(crate) fn start(tools: ToolSet) -> Self {
        let info = ServerInfo::new("test", "1");
        Self::of(Server::new(info, tools, Engine::default()).example_prompts(true))
    }

    pub(crate) fn of(server: Server) -> Self {
        let (from_client, to) = pipe().expect("a pipe");
        let (from, to_client) = pipe().expect("a pipe");
        let handle = server.tools();
        let server = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime");
            runtime
                .block_on(server.serve_streams(from_client, to_client))
                .expect("it serves");
        });
        Self {
            to,
            from: BufReader::new(from),
            handle,
            server,
        }
    }

    pub(crate) fn send(&mut self, message: &Value) {
        writeln!(self.to, "{message}").expect("the server reads");
    }

    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.from.read_line(&mut line).expect("the server writes");
        line
    }

    pub(crate) fn next(&mut self) -> Value {
        let line = self.line();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("not JSON: {line:?}"))
    }

    pub(crate) fn request(&mut self, id: i64, method: &str, params: Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.next()
    }

    pub(crate) fn initialize(&mut self) {
        let client = json!({"name": "t", "version": "0"});
        self.request(
            0,
            "initialize",
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}),
        );
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        // An answered request shows that the notification before it was handled.
        self.request(1, "ping", json!({}));
    }

    pub(crate) fn end(self) {
        drop(self.to);
        self.server.join().expect("the server ends without a panic");
    }
}

/// What a modern client says of itself in every request.
pub(crate) fn modern() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}
