//! What a user of the file sees: mistakes as they are shown, files as they are understood, and the schema for editors.

mod ask;
mod bounds;
mod diagnostics;
mod linear;
mod meaning;
mod middleware;
mod output;
mod override_mistakes;
mod overrides;
mod schema;
