//! The protocol itself: what its messages are, in which order they may come, and who is told what. Nothing here knows a tool,
//! and nothing a transport.
//!
//! ```text
//! a transport --> ClientMessage --> ClientConversation --> a handler's answer --> Outgoing --> Outlet, the transport's other end
//! ```
//!
//! It is written here and not taken from a crate of the protocol because all of one is in every program that is built with
//! it: clients of one era and the other, sampling, schemas of all messages. This is the part that a bridge needs.

mod answer;
mod conversation;
mod error;
mod id;
mod meta;
mod outgoing;
mod peer;
mod request;
mod version;

#[cfg(feature = "jobs")]
pub(crate) use self::meta::TASKS;
pub(crate) use self::{
    answer::RpcAnswer,
    conversation::ClientConversation,
    error::{RpcError, code},
    id::RequestId,
    meta::{ClientDetails, RequestMeta},
    outgoing::{Addressee, Outgoing, Outlet, WriteResult, Written},
    peer::{AskedClient, Peer},
    request::{
        CallParams, ChangeFilter, ClientMessage, ClientRequest, CompleteParams, Completed,
        Notification, RequestContext, RequestMethod, TaskAction,
    },
    version::Version,
};
