//! One message, strictly read: bytes in; a checked message, or the JSON-RPC error that answers them, out. Every transport
//! reads through here.

mod envelope;
mod refusal;
mod salvage;
mod typed;

pub(crate) use self::{
    envelope::{Incoming, read_message},
    refusal::LineRefusal,
    salvage::IdScanner,
};
