//! The model of a command-line program: commands, flags, positionals and their types, as pure data.
//!
//! A source (a `clap::Command`, a probed binary, a YAML file) fills this in; everything to its right reads it.
//! All of it serializes, so that a model can be cached and compared.

mod argument;
mod command;
mod document;
mod effect;
mod flag;
mod network;
mod path;
mod shared;
mod syntax;
mod usage;
mod value_type;

pub use argument::{ArgSpec, Arguments, Positional};
pub use command::{Cli, Command, Group, GroupKind, Hints, Listing, heirs};
pub use document::{DOCUMENT_COMMAND, DOCUMENT_SCHEMA, Document, DocumentError};
pub use effect::{Effect, GivenEffect, effect_with};
pub use flag::{Choice, Flag, FlagValue, Repetition, SingleDash};
pub use network::Network;
pub use path::CommandPath;
pub use shared::{Pool, Shared};
pub use syntax::{DoubleDash, LongValue, ShortValue, Syntax};
pub use usage::parse_usage;
pub(crate) use usage::split_outside_brackets;
pub use value_type::{JsonKind, MapValue, ValueType};
