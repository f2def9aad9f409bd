//! Messages on their way to a client.

use serde::Serialize;
use serde_json::Value;
use tokio::sync::oneshot;

use super::{RequestId, RpcAnswer, RpcError};

/// The request that a message belongs to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Addressee {
    /// It answers this request; nothing follows for it.
    Answer(RequestId),
    /// It is about this request, which is under way.
    About(RequestId),
    /// It belongs to none.
    Common,
}

/// A message as it is written: one line of JSON, without its end.
#[derive(Debug, Clone)]
#[cfg_attr(
    not(feature = "http"),
    expect(dead_code, reason = "over HTTP each request has a stream and a status")
)]
pub(crate) struct Outgoing {
    pub(crate) to: Addressee,
    pub(crate) json: Vec<u8>,
    /// The number of the error that it is, if it is one.
    pub(crate) error: Option<i32>,
}

/// The way the writing of a message went.
pub(crate) type WriteResult = Result<(), std::io::ErrorKind>;

/// Says when a message was written, or that it never will be.
pub(crate) type Written = oneshot::Receiver<WriteResult>;

/// The end of a transport at which messages go out, in the order in which they are sent.
pub(crate) trait Outlet: Send + Sync {
    /// Sends a message. `None` means that nothing is to be waited for.
    fn send(&self, message: Outgoing) -> Option<Written>;
}

impl Outgoing {
    /// The result of a request.
    pub(crate) fn answer(id: RequestId, answer: &RpcAnswer) -> Self {
        let mut json = Vec::with_capacity(answer.json().len() + 48);
        json.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
        write(&mut json, &id);
        json.extend_from_slice(br#","result":"#);
        json.extend_from_slice(answer.json().as_bytes());
        json.push(b'}');
        Self {
            to: Addressee::Answer(id),
            json,
            error: None,
        }
    }

    /// The error that answers a request.
    pub(crate) fn error(id: RequestId, error: &RpcError) -> Self {
        #[derive(Serialize)]
        struct Failed<'a> {
            jsonrpc: &'static str,
            id: &'a RequestId,
            error: &'a RpcError,
        }
        let mut json = Vec::new();
        let failed = Failed {
            jsonrpc: "2.0",
            id: &id,
            error,
        };
        write(&mut json, &failed);
        Self {
            to: Addressee::Answer(id),
            json,
            error: Some(error.code),
        }
    }

    pub(crate) fn notification(to: Addressee, method: &str, params: Option<Value>) -> Self {
        Self::call(to, None, method, params)
    }

    /// A request of the server's own.
    pub(crate) fn request(to: Addressee, id: i64, method: &str, params: Option<Value>) -> Self {
        Self::call(to, Some(id), method, params)
    }

    fn call(to: Addressee, id: Option<i64>, method: &str, params: Option<Value>) -> Self {
        #[derive(Serialize)]
        struct Called<'a> {
            jsonrpc: &'static str,
            #[serde(skip_serializing_if = "Option::is_none")]
            id: Option<i64>,
            method: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            params: Option<Value>,
        }
        let mut json = Vec::new();
        let called = Called {
            jsonrpc: "2.0",
            id,
            method,
            params,
        };
        write(&mut json, &called);
        Self {
            to,
            json,
            error: None,
        }
    }
}

fn write(json: &mut Vec<u8>, value: &impl Serialize) {
    serde_json::to_writer(json, value).expect("every key is a string, and memory does not fail");
}
