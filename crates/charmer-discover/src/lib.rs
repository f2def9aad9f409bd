//! Reads a command-line program from outside: its commands, flags, types and effects, each with where it was seen.

mod binary;
mod build;
mod busy;
pub mod cache;
mod discovery;
mod document;
mod fact;
mod family;
mod flag_places;
mod flags;
mod footing;
mod help;
mod journal;
mod manual;
mod plugins;
pub mod probe;
mod sketch;
mod walk;
mod wanted;

pub use build::{CommandOrigins, Provenance, Sources};
pub use discovery::{
    DiscoverError, DiscoverOptions, Discoverer, Discovery, DiscoveryWarning, Gap, Unlisted,
    discover,
};
pub use document::{Said, document_files};
pub use fact::{Fact, Origin, Source};
pub use footing::{Footing, Hold, Surroundings};
pub use journal::Journal;
pub use wanted::WantedPart;
