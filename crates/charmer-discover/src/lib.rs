//! Reads a command-line program from outside: its commands, flags, types and effects, each with where it was seen.

pub mod effect;
pub mod redirect;
