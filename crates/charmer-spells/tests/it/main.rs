//! Spells from the outside: the format, casts, folders that change, trust.

// What is tested on top of the parser (symlinks, permissions, programs by their paths) is Unix's.
#![cfg(unix)]

mod bounds;
mod callers_text;
mod casting;
mod confining;
mod examples;
mod hostile_input;
mod live;
mod mistakes;
mod numbers;
mod schema;
mod shells;
mod support;
mod trusting;
