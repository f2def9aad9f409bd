//! The state of rmcp's handshake.
//!
//! During its handshake rmcp ends the connection at any message that is not a request, so the
//! transport has to know when it may deliver others. Some requests are answered from within the
//! handshake and do not end it.

use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, GetMeta, JsonRpcError, JsonRpcMessage,
    ProtocolVersion, RequestId,
};

/// The state of rmcp, as seen from the messages that pass.
#[derive(Debug, Default)]
pub(super) enum LifeCycle {
    #[default]
    NotBegun,
    /// This request has begun it, unless rmcp answers that it does not support its version.
    BegunBy(RequestId),
    Begun,
}

impl LifeCycle {
    /// Returns true if anything but requests can be delivered.
    pub(super) fn has_begun(&self) -> bool {
        !matches!(self, Self::NotBegun)
    }

    /// Notes a message that is being delivered.
    pub(super) fn delivered(&mut self, message: &ClientJsonRpcMessage) {
        match (&self, message) {
            (Self::NotBegun, JsonRpcMessage::Request(request)) => {
                if begins_life_cycle(&request.request) {
                    *self = Self::BegunBy(request.id.clone());
                }
            }
            (Self::NotBegun, _) | (Self::Begun, _) => {}
            (Self::BegunBy(_), _) => *self = Self::Begun,
        }
    }

    /// Notes an error that is being sent.
    pub(super) fn sent_error(&mut self, error: &JsonRpcError) {
        if let Self::BegunBy(id) = self
            && error.id.as_ref() == Some(id)
            && error.error.code == ErrorCode::UNSUPPORTED_PROTOCOL_VERSION
        {
            *self = Self::NotBegun;
        }
    }
}

/// Returns true if rmcp leaves its handshake at this request: at `initialize`, or at one that carries the
/// metadata of the revisions that have no `initialize`.
fn begins_life_cycle(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        other => other
            .get_meta()
            .missing_required_keys(&ProtocolVersion::V_2026_07_28)
            .is_empty(),
    }
}
