//! The crate from outside: the documents it was built from, and the properties that must always hold.

mod argv;
mod catalogue;
mod help;
mod linter;
mod pins;
mod reading;
mod schema;
mod spec;
mod validation;
