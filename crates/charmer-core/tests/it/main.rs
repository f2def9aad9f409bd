//! The crate from outside: the documents it was built from, and the properties that must always hold.

mod argv;
mod catalogue;
mod compact;
mod help;
mod lines;
mod linter;
mod outline;
mod pins;
mod reading;
mod schema;
mod search;
mod spec;
mod understand;
mod validation;
