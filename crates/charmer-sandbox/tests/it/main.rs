//! The sandbox on real processes.

#![cfg(target_os = "linux")]

mod ends;
mod launch;
mod support;
