//! The transport under rmcp's own loop.

use rmcp::{
    ErrorData as McpError, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
        PaginatedRequestParams, Tool,
    },
    service::RequestContext,
};

use super::*;

/// Lists one tool, which says its arguments again; called `wait`, it waits to be cancelled.
struct Echo;

impl ServerHandler for Echo {
    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, McpError> {
        let tool = Tool::new("echo", "says it again", Arc::default());
        Ok(ListToolsResult::with_all_items(vec![tool]))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, McpError> {
        if call.name == "wait" {
            context.ct.cancelled().await;
        }
        let arguments = serde_json::to_string(&call.arguments).unwrap();
        Ok(CallToolResult::success(vec![ContentBlock::text(arguments)]).into())
    }
}

/// Serves until the input ends.
async fn serve(transport: StdioTransport) {
    rmcp::serve_server(Echo, transport)
        .await
        .unwrap()
        .waiting()
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_legacy_session_under_rmcp() {
    let (transport, _, mut to_server, from_server) = piped(StdioOptions::default());
    let in_flight = transport.in_flight.clone();
    let server = tokio::spawn(serve(transport));
    let client = thread::spawn(move || {
        let mut replies = BufReader::new(from_server).lines();
        let mut next =
            || -> Value { serde_json::from_str(&replies.next().unwrap().unwrap()).unwrap() };
        let mut write = |text: &str| to_server.write_all(text.as_bytes()).unwrap();

        // What ends rmcp's handshake if it gets there.
        write("not json\n[]\n");
        write("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
        assert_eq!(next()["error"]["code"], -32700);
        assert_eq!(next()["error"]["code"], -32600);

        write(&ping(0));
        assert_eq!(next(), json!({ "jsonrpc": "2.0", "id": 0, "result": {} }));
        write(&(INITIALIZE.to_owned() + "\n"));
        let initialized = next();
        assert_eq!(initialized["id"], "init");
        assert_eq!(initialized["result"]["protocolVersion"], "2025-06-18");
        write("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");

        write("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n");
        assert_eq!(next()["result"]["tools"][0]["name"], "echo");
        let arguments = r#"{"z":18446744073709551615,"a":-9223372036854775808}"#;
        write(&format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"echo\",\"arguments\":{arguments}}}}}\n"
        ));
        assert_eq!(next()["result"]["content"][0]["text"], arguments);

        // A running call: its id is refused to others, and free again when it has been cancelled.
        write(
            "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":\"wait\"}}\n",
        );
        write(&call(5));
        assert_eq!(next()["error"]["data"], json!({ "id": 5 }));
        write(&cancel(404));
        write(&cancel(5));
        while in_flight.contains(&RequestId::Number(5)) {
            thread::sleep(Duration::from_millis(1));
        }
        write(&ping(6));
        assert_eq!(next()["id"], 6);
        drop(to_server);
        assert!(replies.next().is_none());
    });
    tokio::task::spawn_blocking(|| client.join())
        .await
        .unwrap()
        .unwrap();
    server.await.unwrap();
}

#[tokio::test]
async fn a_request_and_the_end_of_input_at_once_are_still_answered() {
    let (transport, _, mut to_server, mut from_server) = piped(StdioOptions::default());
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    to_server
        .write_all(format!("{INITIALIZE}\n{list}").as_bytes())
        .unwrap();
    drop(to_server);
    serve(transport).await;
    let mut text = String::new();
    from_server.read_to_string(&mut text).unwrap();
    assert_eq!(text.lines().count(), 2, "{text}");
}
