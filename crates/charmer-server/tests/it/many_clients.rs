//! Several clients of one server at once, each over a socket of its own.

use std::{os::unix::net::UnixStream as StdStream, sync::Arc};

use charmer_core::{
    model::{Cli, Command, Flag, Syntax},
    tool::{CatalogueOptions, catalogue},
};
use charmer_run::{
    Call, CallError, CallPath, CallService, ErrorCode, LOCAL, Limits, Outcome, SharedSteps, Spool,
    SpoolLimits, Target, ToolSet, into_service,
    process::{Engine, EngineOptions, Environment, Launcher},
};
use charmer_server::{Server, ServerInfo};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{
        UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::mpsc,
    task::JoinHandle,
};
use tower::service_fn;

use crate::client::{service, tools};

struct Client {
    to: OwnedWriteHalf,
    from: BufReader<OwnedReadHalf>,
    served: JoinHandle<()>,
}

impl Client {
    async fn join(server: &Arc<Server>) -> Self {
        Self::join_as(server, LOCAL).await
    }

    async fn join_as(server: &Arc<Server>, principal: &'static str) -> Self {
        let (ours, reader) = StdStream::pair().expect("sockets");
        let writer = reader.try_clone().expect("it can be opened twice");
        let server = Arc::clone(server);
        let served = tokio::spawn(async move {
            let served = server.serve_principal(principal, reader, writer);
            served.await.expect("it serves");
        });
        ours.set_nonblocking(true).expect("it can be set");
        let ours = UnixStream::from_std(ours).expect("a runtime");
        let (from, to) = ours.into_split();
        let mut client = Self {
            to,
            from: BufReader::new(from),
            served,
        };
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "0"},
        });
        client.request(0, "initialize", params).await;
        client
            .send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .await;
        // An answered request shows that the notification before it was handled.
        client.request(1, "ping", json!({})).await;
        client
    }

    async fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.to
            .write_all(line.as_bytes())
            .await
            .expect("the server reads");
    }

    async fn next(&mut self) -> Value {
        let mut line = String::new();
        self.from
            .read_line(&mut line)
            .await
            .expect("the server writes");
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("not JSON: {line:?}"))
    }

    async fn ask(&mut self, id: i64, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
            .await;
    }

    async fn request(&mut self, id: i64, method: &str, params: Value) -> Value {
        self.ask(id, method, params).await;
        self.next().await
    }

    /// The answer to a request, whatever is announced before it.
    async fn answer(&mut self, id: i64, method: &str, params: Value) -> Value {
        self.ask(id, method, params).await;
        loop {
            let message = self.next().await;
            if message["id"] == id {
                return message;
            }
        }
    }

    async fn list(&mut self, id: i64) -> Vec<String> {
        let listed = self.request(id, "tools/list", json!({})).await;
        let tools = listed["result"]["tools"].as_array();
        let tools = tools.unwrap_or_else(|| panic!("{listed}"));
        let names = tools.iter().filter_map(|tool| tool["name"].as_str());
        names.map(str::to_owned).collect()
    }

    async fn call(&mut self, id: i64, name: &str) -> Value {
        let answer = self
            .request(id, "tools/call", json!({ "name": name }))
            .await;
        answer["result"]["content"][0]["text"].clone()
    }

    /// Goes away, and waits until the server has noticed.
    async fn leave(self) {
        drop((self.to, self.from));
        self.served.await.expect("no panic");
    }
}

fn server(tools: ToolSet) -> Arc<Server> {
    let info = ServerInfo::new("test", "1");
    Arc::new(Server::new(info, tools, Engine::default()))
}

/// A call path that says when it has begun and waits until the call is cancelled.
fn waiting(begun: mpsc::UnboundedSender<()>) -> CallService {
    into_service(service_fn(move |call: Call| {
        let begun = begun.clone();
        async move {
            let _ = begun.send(());
            call.cancel.cancelled().await;
            let _ = begun.send(());
            Err::<Outcome, _>(CallError::new(ErrorCode::Cancelled, "cancelled"))
        }
    }))
}

#[tokio::test]
async fn every_client_lists_calls_and_is_told_of_changes() {
    let path = service(|_| Ok(Outcome::success("ok")));
    let server = server(tools(&["a"], &path));
    let mut clients = Vec::new();
    for _ in 0..4 {
        clients.push(Client::join(&server).await);
    }
    for client in &mut clients {
        assert_eq!(client.list(2).await, ["t_a"]);
        assert_eq!(client.call(3, "t_a").await, "ok");
    }
    server.tools().replace(tools(&["a", "b"], &path));
    for client in &mut clients {
        let told = client.next().await;
        assert_eq!(told["method"], "notifications/tools/list_changed");
        assert_eq!(client.list(4).await, ["t_a", "t_b"]);
        assert_eq!(client.call(5, "t_b").await, "ok");
    }
    for client in clients {
        client.leave().await;
    }
}

#[tokio::test]
async fn a_client_that_leaves_takes_only_its_own_calls_along() {
    let (begun, mut news) = mpsc::unbounded_channel();
    let path = waiting(begun);
    let server = server(tools(&["wait"], &path));
    let mut stays = Client::join(&server).await;
    let mut leaves = Client::join(&server).await;
    stays.ask(2, "tools/call", json!({"name": "t_wait"})).await;
    news.recv().await.expect("the first call has begun");
    leaves.ask(2, "tools/call", json!({"name": "t_wait"})).await;
    news.recv().await.expect("the second call has begun");
    leaves.leave().await;
    news.recv().await.expect("the second call was cancelled");
    // The other one's call goes on, and its client is served: only its own cancellation ends it.
    assert_eq!(stays.request(3, "ping", json!({})).await["id"], 3);
    assert!(news.try_recv().is_err());
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}});
    stays.send(&cancelled).await;
    news.recv().await.expect("the first call was cancelled");
    // A client can still come.
    let mut late = Client::join(&server).await;
    assert_eq!(late.list(2).await, ["t_wait"]);
    late.leave().await;
    stays.leave().await;
}

#[tokio::test]
async fn the_end_of_the_server_ends_every_client() {
    let (begun, mut news) = mpsc::unbounded_channel();
    let path = waiting(begun);
    let server = server(tools(&["wait"], &path));
    let mut clients = Vec::new();
    for _ in 0..3 {
        let mut client = Client::join(&server).await;
        client.ask(2, "tools/call", json!({"name": "t_wait"})).await;
        news.recv().await.expect("the call has begun");
        clients.push(client);
    }
    server.finish().await;
    for client in clients {
        client.served.await.expect("no panic");
    }
    for _ in 0..3 {
        news.recv().await.expect("the call was cancelled");
    }
}

/// This very test program, whose list of tests is longer than what a client is shown of it.
fn lister(engine: &Engine) -> ToolSet {
    let cli = Cli::new(Command::new("t").flag(Flag::new("list")), Syntax::pflag());
    let tool = catalogue(&cli, &CatalogueOptions::default())
        .tools
        .remove(0);
    let program = std::env::current_exe().expect("a test runs");
    let variables = Environment::inherit(std::env::vars_os());
    let launcher = Launcher::new(program, variables, None, engine.clone());
    let path = CallPath::new(tool, Target::Process(launcher));
    let served = path.limits(Limits::default().output_chars(60));
    let set = ToolSet::new([served.serve(&SharedSteps::default())]);
    set.with_spool(engine.spool().expect("it has one"))
}

#[tokio::test]
async fn an_output_that_was_cut_is_read_by_the_principal_that_made_it_and_by_nobody_else() {
    let mut options = EngineOptions::default();
    let spool = Spool::new(&std::env::temp_dir(), SpoolLimits::default());
    options.spool = Some(spool);
    let engine = Engine::new(options);
    let tools = lister(&engine);
    let server = Arc::new(Server::new(ServerInfo::new("test", "1"), tools, engine));
    let mut ada = Client::join_as(&server, "ada").await;
    let mut bob = Client::join_as(&server, "bob").await;
    let call = json!({"name": "t", "arguments": {"list": true}});
    let cut = ada.answer(2, "tools/call", call).await;
    let id = &cut["result"]["structuredContent"]["truncated"]["stdout"]["id"];
    let id = id
        .as_str()
        .unwrap_or_else(|| panic!("it was not cut: {cut}"));
    let read = json!({"name": "read_output", "arguments": {"id": id}});
    let unknown = json!({"name": "read_output", "arguments": {"id": "0"}});
    let text = |answer: Value| answer["result"]["content"][0]["text"].to_string();
    let own = text(ada.answer(3, "tools/call", read.clone()).await);
    assert!(own.contains("read_by_the_principal"), "{own}");
    let refused = text(bob.answer(3, "tools/call", read).await);
    let unknown = text(bob.answer(4, "tools/call", unknown).await);
    assert_eq!(refused.replace(id, "0"), unknown, "as if there were none");
    let uri = json!({"uri": format!("spool://{id}")});
    let refused = bob.answer(5, "resources/read", uri).await;
    assert!(refused["error"].is_object(), "{refused}");
    ada.leave().await;
    bob.leave().await;
}
