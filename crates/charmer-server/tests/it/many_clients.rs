//! Several clients of one server at once, each over a transport of rmcp's own in memory.

use std::sync::Arc;

use charmer_run::{
    Call, CallError, CallService, ErrorCode, Outcome, ToolSet, into_service, process::Engine,
};
use charmer_server::{Server, ServerInfo};
use rmcp::{RoleServer, transport::IntoTransport};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf, split},
    sync::mpsc,
    task::JoinHandle,
};
use tower::service_fn;

use crate::client::{service, tools};

const ROOM: usize = 64 << 10;

struct Client {
    to: WriteHalf<DuplexStream>,
    from: BufReader<ReadHalf<DuplexStream>>,
    served: JoinHandle<()>,
}

impl Client {
    async fn join(server: &Arc<Server>) -> Self {
        let (ours, theirs) = tokio::io::duplex(ROOM);
        let server = Arc::clone(server);
        let served = tokio::spawn(async move {
            let transport = IntoTransport::<RoleServer, _, _>::into_transport(split(theirs));
            server.serve_transport(transport).await.expect("it serves");
        });
        let (from, to) = split(ours);
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
