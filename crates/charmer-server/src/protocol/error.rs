//! Errors of the protocol, as JSON-RPC has them.

use serde::Serialize;
use serde_json::{Value, json};

use super::Version;

/// The numbers of errors.
pub(crate) mod code {
    /// It is not JSON.
    pub(crate) const PARSE_ERROR: i32 = -32700;
    /// It is JSON, but not a message that can come now.
    pub(crate) const INVALID_REQUEST: i32 = -32600;
    pub(crate) const METHOD_NOT_FOUND: i32 = -32601;
    pub(crate) const INVALID_PARAMS: i32 = -32602;
    pub(crate) const INTERNAL_ERROR: i32 = -32603;
    /// A header says another thing than the message.
    #[cfg(feature = "http")]
    pub(crate) const HEADER_MISMATCH: i32 = -32020;
    #[cfg(any(feature = "http", feature = "jobs"))]
    pub(crate) const MISSING_CAPABILITY: i32 = -32021;
    pub(crate) const UNSUPPORTED_VERSION: i32 = -32022;
}

/// The answer to a request that the protocol itself cannot fulfil. What a program says, be it an error, is no such thing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct RpcError {
    pub(crate) code: i32,
    pub(crate) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<Value>,
}

impl RpcError {
    pub(crate) fn new(code: i32, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// Adds what a program can read of it.
    pub(crate) fn data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    /// A known method with parameters that it cannot have.
    pub(crate) fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(code::INVALID_PARAMS, message)
    }

    /// A fault of the server's own.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(code::INTERNAL_ERROR, message)
    }

    pub(crate) fn unknown_method(method: &str) -> Self {
        let shown: String = method.chars().take(64).collect();
        Self::new(code::METHOD_NOT_FOUND, format!("unknown method `{shown}`"))
    }

    /// A request of a revision that is not spoken here.
    pub(crate) fn unsupported_version(asked: &str) -> Self {
        let supported = Version::ALL.map(Version::as_str);
        let message = format!("the protocol version {asked:?} is not supported");
        Self::new(code::UNSUPPORTED_VERSION, message)
            .data(json!({"requested": asked, "supported": supported}))
    }
}
