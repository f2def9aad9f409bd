//! Discovery on real processes.

#![cfg(unix)]

mod hostile;
mod probe;
mod support;
