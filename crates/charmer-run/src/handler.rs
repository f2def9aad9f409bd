//! Commands that run inside the server instead of as a child.

use charmer_core::call::Prepared;
use serde::Serialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{Call, CallError, Outcome};

/// The call of a handler, and its input as it was bound and checked.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HandlerCall {
    /// The call.
    pub call: Call,
    /// Its input and the command line that a child would have got.
    pub prepared: Prepared,
}

impl HandlerCall {
    /// Tells a handler that its answer is no longer wanted.
    pub fn cancel(&self) -> &CancellationToken {
        &self.call.cancel
    }
}

/// The answer of a handler.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Reply {
    /// Text, as a child would have printed it.
    Text(String),
    /// Data.
    Data(Value),
}

/// Whatever can be written as JSON is an answer: text stays text, `()` and `None` are no text, all else is data.
///
/// ```
/// use charmer_run::Reply;
/// assert_eq!(Reply::from("done"), Reply::Text("done".into()));
/// assert_eq!(Reply::from(()), Reply::Text(String::new()));
/// assert_eq!(Reply::from([1, 2]), Reply::Data(serde_json::json!([1, 2])));
/// ```
///
/// # Panics
///
/// If it cannot be written as JSON, such as a map whose keys are no text.
impl<T: Serialize> From<T> for Reply {
    fn from(answer: T) -> Self {
        match serde_json::to_value(answer) {
            Ok(Value::String(text)) => Self::Text(text),
            Ok(Value::Null) => Self::Text(String::new()),
            Ok(data) => Self::Data(data),
            Err(error) => panic!("a handler's answer cannot be written as JSON: {error}"),
        }
    }
}

impl From<Reply> for Outcome {
    fn from(reply: Reply) -> Self {
        match reply {
            Reply::Text(text) => Self::success(text),
            Reply::Data(data) => Self {
                data: Some(data),
                ..Self::success("")
            },
        }
    }
}

/// A command that runs inside the server, on a thread where it may block. It cannot be killed: when its call is
/// cancelled or times out it is told through [`HandlerCall::cancel`], and what it answers later is dropped.
pub trait Handler: Send + Sync {
    /// Runs the command.
    fn handle(&self, call: HandlerCall) -> Result<Reply, CallError>;
}

impl<F> Handler for F
where
    F: Fn(HandlerCall) -> Result<Reply, CallError> + Send + Sync,
{
    fn handle(&self, call: HandlerCall) -> Result<Reply, CallError> {
        self(call)
    }
}
