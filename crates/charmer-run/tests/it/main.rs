//! The engine on real processes. What a process did is read from procfs, so these tests are for Linux.
//!
//! No test depends on how quick a machine is: times are only compared with what a hang would take, but in
//! `clock`, whose tests are run alone.

#![cfg(target_os = "linux")]

mod clock;
mod dialogue;
mod environment;
mod lifecycle;
mod output;
#[cfg(feature = "sandbox")]
mod sandboxed;
mod secrets;
mod support;
mod trees;
