//! An error reply that the transport writes itself, because there is no message that could be answered.

use serde::Serialize;

use crate::protocol::{RequestId, code};

/// The answer to a message that cannot be delivered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LineRefusal {
    id: Option<RequestId>,
    code: i32,
    message: String,
    /// The id of the refused request where it must not be answered under it.
    id_in_use: Option<RequestId>,
}

impl LineRefusal {
    fn new(id: Option<RequestId>, code: i32, message: String) -> Self {
        Self {
            id,
            code,
            message,
            id_in_use: None,
        }
    }

    /// -32700: it is not JSON.
    pub(crate) fn parse_error(id: Option<RequestId>, message: impl Into<String>) -> Self {
        Self::new(id, code::PARSE_ERROR, message.into())
    }

    /// -32600: it is JSON, but not a message.
    pub(crate) fn invalid_request(id: Option<RequestId>, message: impl Into<String>) -> Self {
        Self::new(id, code::INVALID_REQUEST, message.into())
    }

    /// -32602: a known method with parameters that it cannot have.
    pub(crate) fn invalid_params(id: Option<RequestId>, message: impl Into<String>) -> Self {
        Self::new(id, code::INVALID_PARAMS, message.into())
    }

    /// -32600 for a request under an id that is in use.
    pub(crate) fn id_in_use(id: RequestId) -> Self {
        let message = format!("the id {id} is in use by a request in flight");
        Self::invalid_request(Some(id), message).without_id()
    }

    /// Returns true if the message was understood, and only its parameters are wrong.
    #[cfg(feature = "http")]
    pub(crate) fn is_about_meaning(&self) -> bool {
        self.code == code::INVALID_PARAMS
    }

    /// The id of the request that it answers, if that is known.
    pub(crate) fn id(&self) -> Option<&RequestId> {
        self.id.as_ref()
    }

    /// Moves the id into the error's `data`. The client would take an answer under an id that is in flight for
    /// the answer of the request that runs under it.
    pub(crate) fn without_id(mut self) -> Self {
        self.id_in_use = self.id.take();
        self
    }

    /// The reply as one line. The id is written as `null` when there is none, as JSON-RPC says.
    pub(crate) fn to_line(&self) -> Vec<u8> {
        #[derive(Serialize)]
        struct Reply<'a> {
            jsonrpc: &'static str,
            id: &'a Option<RequestId>,
            error: Body<'a>,
        }
        #[derive(Serialize)]
        struct Body<'a> {
            code: i32,
            message: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            data: Option<Data<'a>>,
        }
        #[derive(Serialize)]
        struct Data<'a> {
            id: &'a RequestId,
        }
        let data = self.id_in_use.as_ref().map(|id| Data { id });
        let error = Body {
            code: self.code,
            message: &self.message,
            data,
        };
        let mut line = serde_json::to_vec(&Reply {
            jsonrpc: "2.0",
            id: &self.id,
            error,
        })
        .expect("strings and numbers serialize");
        line.push(b'\n');
        line
    }
}
