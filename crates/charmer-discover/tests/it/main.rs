//! Discovery on real processes.

#![cfg(unix)]

mod hostile;
mod probe;
#[cfg(target_os = "linux")]
mod sandbox;
mod support;
