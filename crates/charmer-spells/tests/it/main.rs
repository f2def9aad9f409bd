//! Spells from the outside: the format, casts, folders that change, trust.

mod bounds;
mod casting;
mod confining;
mod examples;
mod live;
mod mistakes;
mod rows;
mod schema;
mod shells;
mod support;
mod trusting;
