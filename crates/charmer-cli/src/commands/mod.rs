//! The commands of `charmer`, a file each.

pub(crate) mod call;
mod call_input;
mod call_options;
pub(crate) mod client_entry;
pub(crate) mod inspect;
mod inspect_json;
mod offer;
pub(crate) mod pages;
pub(crate) mod serve;
pub(crate) mod spell;
pub(crate) mod tools;
