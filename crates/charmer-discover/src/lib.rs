//! Reads a command-line program from outside: its commands, flags, types and effects, each with where it was seen.

// Until the families use all of it.
#![allow(dead_code, unused_imports)]

mod binary;
mod build;
mod discovery;
mod fact;
mod family;
pub mod fidelity;
mod help;
pub mod probe;
mod sketch;
mod walk;

pub use build::{CommandOrigins, Provenance};
pub use discovery::{DiscoverError, DiscoverOptions, Discoverer, Discovery, Warning, discover};
pub use fact::{Fact, Origin, Source};
