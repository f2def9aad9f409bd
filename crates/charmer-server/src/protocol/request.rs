//! Messages of a client, read and checked, and what is known of a request while it is answered.

use std::sync::Arc;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::{ClientDetails, Peer, RequestId, RequestMeta, RpcError};
use crate::inflight::InFlightRequest;

/// A message of a client.
#[derive(Debug)]
pub(crate) enum ClientMessage {
    Request(Box<ClientRequest>),
    Notification(Notification),
    /// The answer to a request of ours.
    Response {
        id: RequestId,
        result: Result<Value, RpcError>,
    },
}

/// A request whose parameters are those that its method has.
#[derive(Debug)]
pub(crate) struct ClientRequest {
    pub(crate) id: RequestId,
    pub(crate) method: String,
    pub(crate) asked: RequestMethod,
    pub(crate) meta: RequestMeta,
    /// Its entry among those that are in flight, which holds its id until it has ended.
    pub(crate) in_flight: Option<InFlightRequest>,
}

#[cfg(feature = "http")]
impl ClientRequest {
    /// The part of its parameters by which a request is routed, if its method has such a part.
    pub(crate) fn routed_by(&self) -> Option<&str> {
        match &self.asked {
            RequestMethod::CallTool(call) => Some(&call.name),
            RequestMethod::GetPrompt { name, .. } => Some(name),
            RequestMethod::ReadResource { uri } => Some(uri),
            RequestMethod::Task { id, .. } => Some(id),
            _ => None,
        }
    }
}

/// The thing that a request asks for.
#[derive(Debug)]
pub(crate) enum RequestMethod {
    /// The handshake of the legacy era.
    Initialize {
        version: String,
        client: Arc<ClientDetails>,
    },
    Discover,
    Ping,
    /// There is one page of each list, so that a cursor is always a wrong one.
    ListTools {
        cursor: Option<String>,
    },
    #[cfg_attr(not(feature = "prompts"), expect(dead_code, reason = "there are none"))]
    ListPrompts {
        cursor: Option<String>,
    },
    ListResources {
        cursor: Option<String>,
    },
    ListTemplates {
        cursor: Option<String>,
    },
    CallTool(CallParams),
    #[cfg_attr(not(feature = "prompts"), expect(dead_code, reason = "there are none"))]
    GetPrompt {
        name: String,
        arguments: Map<String, Value>,
    },
    ReadResource {
        uri: String,
    },
    Complete(CompleteParams),
    /// To be told of changes, in the modern era.
    Listen(ChangeFilter),
    #[cfg_attr(not(feature = "jobs"), expect(dead_code, reason = "jobs are tasks"))]
    Task {
        action: TaskAction,
        id: String,
    },
    /// Something that there is not.
    Unknown,
}

/// A tool, its arguments, and what was answered before.
#[derive(Debug, Default)]
pub(crate) struct CallParams {
    pub(crate) name: String,
    pub(crate) arguments: Map<String, Value>,
    /// Answers of a person or the client to the questions of the call before.
    pub(crate) responses: Option<Map<String, Value>>,
    /// The state that went out with those questions.
    pub(crate) state: Option<String>,
}

/// An argument that is to be completed.
#[derive(Debug)]
pub(crate) struct CompleteParams {
    pub(crate) of: Completed,
    pub(crate) argument: String,
    pub(crate) begun: String,
    /// The values of other arguments, as far as they are known.
    pub(crate) given: Map<String, Value>,
}

/// The thing whose argument is completed.
#[derive(Debug)]
pub(crate) enum Completed {
    /// The prompt of this name.
    Prompt(String),
    /// The resources of this template.
    Template(String),
}

/// The changes that a client wants to hear of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ChangeFilter {
    pub(crate) tools: bool,
    pub(crate) prompts: bool,
    pub(crate) resources: bool,
}

/// The thing to do with a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskAction {
    Get,
    Update,
    Cancel,
}

/// A message that nobody answers.
#[derive(Debug)]
pub(crate) enum Notification {
    /// The client is ready, in the legacy era.
    Initialized,
    /// It does not want the answer to this request any more.
    Cancelled(RequestId),
    /// It works in other folders than it said.
    RootsChanged,
    /// Something that nothing follows from here.
    Other,
}

/// The facts known of a request while it is answered.
#[derive(Clone)]
pub(crate) struct RequestContext {
    pub(crate) id: RequestId,
    /// Cancelled when its client does not want an answer any more.
    pub(crate) cancelled: CancellationToken,
    /// The token under which its client wants to hear of its progress.
    pub(crate) progress: Option<RequestId>,
    /// It is of the era that has no handshake.
    pub(crate) modern: bool,
    pub(crate) client: Option<Arc<ClientDetails>>,
    pub(crate) peer: Peer,
}

impl RequestContext {
    /// Returns true if its client is known to have something.
    pub(crate) fn client_has(&self, capability: fn(&ClientDetails) -> bool) -> bool {
        self.client.as_deref().is_some_and(capability)
    }
}
