//! Tests of the transport as a client sees it: lines in, lines out.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::{
    io::{BufRead, BufReader, Cursor, PipeReader, PipeWriter},
    sync::Mutex,
};

use serde_json::{Value, json};

use super::*;
use crate::protocol::{Addressee, RequestId, RequestMethod, RpcAnswer};

mod bad_lines;
#[cfg(unix)]
mod claimed;
mod flow;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;

/// An output that can be read while it is written.
#[derive(Clone, Default)]
struct Recorded(Arc<Mutex<Vec<u8>>>);

impl Write for Recorded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Recorded {
    fn lines(&self) -> Vec<Value> {
        let bytes = self.0.lock().unwrap();
        assert!(bytes.is_empty() || bytes.ends_with(b"\n"));
        bytes
            .split_inclusive(|byte| *byte == b'\n')
            .map(|line| serde_json::from_slice(line).unwrap())
            .collect()
    }
}

/// Feeds the whole input, answers nothing, and gives back what was delivered and what was replied.
async fn exchange_with(
    options: StdioOptions,
    input: impl Into<Vec<u8>>,
) -> (Vec<ClientMessage>, Vec<Value>) {
    let written = Recorded::default();
    let shutdown = CancellationToken::new();
    let input = Cursor::new(input.into());
    let mut transport = StdioTransport::new(input, written.clone(), options, shutdown).unwrap();
    let mut delivered = Vec::new();
    while let Some(message) = transport.receive().await {
        delivered.push(message);
    }
    transport.close().await;
    (delivered, written.lines())
}

async fn exchange(input: impl Into<Vec<u8>>) -> (Vec<ClientMessage>, Vec<Value>) {
    exchange_with(StdioOptions::default(), input).await
}

/// The only reply to an input of which nothing is delivered.
async fn refusal(input: impl Into<Vec<u8>>) -> (Value, i64, String) {
    let (delivered, replies) = exchange(input).await;
    assert!(delivered.is_empty(), "{delivered:?}");
    let [reply] = replies.as_slice() else {
        panic!("one reply, not {replies:?}")
    };
    assert_eq!(reply["jsonrpc"], "2.0");
    let keys: Vec<_> = reply
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(keys, ["jsonrpc", "id", "error"]);
    (
        reply["id"].clone(),
        reply["error"]["code"].as_i64().unwrap(),
        reply["error"]["message"].as_str().unwrap().to_owned(),
    )
}

/// A transport over pipes, and the client's ends of them.
fn piped(options: StdioOptions) -> (StdioTransport, CancellationToken, PipeWriter, PipeReader) {
    let (input, to_server) = io::pipe().unwrap();
    let (from_server, output) = io::pipe().unwrap();
    let shutdown = CancellationToken::new();
    #[cfg(unix)]
    let transport = {
        use std::os::fd::OwnedFd;
        let (input, output) = (OwnedFd::from(input).into(), OwnedFd::from(output).into());
        StdioTransport::over_files(input, output, options, shutdown.clone()).unwrap()
    };
    #[cfg(not(unix))]
    let transport = StdioTransport::new(input, output, options, shutdown.clone()).unwrap();
    (transport, shutdown, to_server, from_server)
}

fn ping(id: impl Into<Value>) -> String {
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": "ping" }).to_string() + "\n"
}

fn call(id: i64) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": "x" } })
        .to_string()
        + "\n"
}

fn cancel(id: i64) -> String {
    let params = json!({ "requestId": id });
    json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }).to_string()
        + "\n"
}

fn answer(id: i64) -> Outgoing {
    Outgoing::answer(RequestId::Number(id), &RpcAnswer::empty())
}

/// A message that fills pipes.
fn megabyte() -> Outgoing {
    Outgoing {
        to: Addressee::Common,
        json: vec![b'x'; 1024 * 1024],
        error: None,
    }
}

/// Waits until a message has been written.
async fn written(sent: Option<Written>) -> Result<(), String> {
    match sent {
        None => Ok(()),
        Some(written) => match written.await {
            Ok(written) => written.map_err(|kind| kind.to_string()),
            Err(_) => Err("closed".into()),
        },
    }
}

fn id_of(message: &ClientMessage) -> Option<String> {
    match message {
        ClientMessage::Request(request) => Some(request.id.to_string()),
        _ => None,
    }
}
