//! Discovery on real processes.

#![cfg(unix)]

mod hostile;
mod probe;
mod support;
#[cfg(target_os = "linux")]
mod warden;
