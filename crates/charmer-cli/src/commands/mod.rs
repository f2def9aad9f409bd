//! The commands of `charmer`, a file each.

pub(crate) mod add;
#[cfg(unix)]
pub(crate) mod approve;
pub(crate) mod audit;
pub(crate) mod cache;
pub(crate) mod call;
mod call_options;
pub(crate) mod check;
mod check_config;
mod check_profile;
pub(crate) mod client_entry;
pub(crate) mod doctor;
pub(crate) mod drafts;
pub(crate) mod expect;
pub(crate) mod export;
mod follow;
pub(crate) mod init;
pub(crate) mod inspect;
mod inspect_json;
pub(crate) mod list;
mod offer;
pub(crate) mod pages;
pub(crate) mod profile;
pub(crate) mod remove;
pub(crate) mod serve;
pub(crate) mod spell;
mod tool_groups;
pub(crate) mod tools;
