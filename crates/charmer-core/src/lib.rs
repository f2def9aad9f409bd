//! The model of a command-line program, as data, and the pure functions on it.
//!
//! Nothing here does I/O, knows about async, or knows the MCP protocol. The way through the crate:
//!
//! 1. [`model`]: a [`Cli`](model::Cli) and its commands, flags and positionals;
//! 2. [`select`]: which commands and flags are offered at all;
//! 3. [`tool`]: the catalogue of tools, with names, descriptions, schemas and hints;
//! 4. [`call`]: JSON input bound to the model, checked, and turned into an argv.
//! 5. [`output`]: what a program printed, made fit for an assistant.
//! 6. [`expose`]: which tools are worth their tokens in a list.
//! 7. [`schema`]: schemas of outputs, converted to what every client accepts, and data checked against them.
//! 8. [`search`]: which tools answer a question.
//! 9. [`assessment`]: what commands and flags are thought to do, told from their names and help.
//!
//! ```
//! use charmer_core::{call, model::*, tool::{self, CatalogueOptions}};
//! use serde_json::json;
//!
//! let search = Command::new("search")
//!     .about("Search for items")
//!     .usage("search <query>")
//!     .flag(Flag::new("limit").pflag("int").default_text("10").help("Maximum results"));
//! let cli = Cli::new(search, Syntax::pflag());
//!
//! let catalogue = tool::catalogue(&cli, &CatalogueOptions::default());
//! let tool = &catalogue.tools[0];
//! assert_eq!(tool.name.as_str(), "search");
//!
//! let input = json!({"query": "golang cli", "limit": 5});
//! let argv = call::prepare(tool, input.as_object().unwrap()).unwrap().argv;
//! assert_eq!(argv.to_strings(), ["--limit=5", "golang cli"]);
//! ```

pub mod assessment;
pub mod call;
pub mod expose;
mod glob;
pub mod json;
pub mod model;
pub mod order;
pub mod output;
pub mod schema;
#[cfg(feature = "search")]
pub mod search;
pub mod select;
pub mod text;
pub mod tool;
