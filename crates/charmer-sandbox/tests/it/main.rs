//! The sandbox on real processes.

#![cfg(target_os = "linux")]

mod attacks;
mod ends;
mod launch;
mod overlays;
mod support;
