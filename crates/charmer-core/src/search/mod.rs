//! Search over tools, offline and at once: a few words or a question in, the commands that answer it out.
//!
//! [`Index::new`] reads the tools once; [`Index::search`] answers. A question is understood as people ask it: words in
//! any order and form, with typing errors, other words for the same thing (`synonyms`, a table), phrases, program
//! names, which say where to look, and what people say who want a certain command (`common_phrases`, a table, and the phrases
//! that commands bring with them). What is found is ranked by how much of the question it answers and how much it is
//! about besides; among equals the plainer command wins.
//!
//! ```
//! use charmer_core::{model::*, search::Index, tool::{CatalogueOptions, catalogue}};
//!
//! let ship = Command::new("ship")
//!     .not_runnable()
//!     .command(Command::new("ls").about("List the cargo on board"))
//!     .command(Command::new("jettison").about("Remove cargo for good"));
//! let catalogue = catalogue(&Cli::new(ship, Syntax::pflag()), &CatalogueOptions::default());
//! let index = Index::new(catalogue.tools.iter().map(|tool| &**tool));
//!
//! let best = &index.search("how do I get rid of my crago?", 3)[0];
//! assert_eq!(catalogue.tools[best.at].name.as_str(), "ship_jettison");
//! ```

// Whether the numbers in these modules are right is decided by the questions of `tests/questions`, asked of real
// programs (`cargo test -p charmer-cli --test questions -- --ignored`). They depend on each other: whoever moves one
// asks all of them again.
mod asked;
mod common_phrases;
mod document;
mod index;
mod intent;
mod line;
mod phrase_index;
mod query;
mod rank;
mod reader;
mod same_commands;
mod synonyms;
mod typo;
mod vocabulary;
mod words;

pub use index::Index;

/// A tool that answers a question.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Hit {
    /// Its place among the tools that were read.
    pub at: usize,
    /// The quality of the answer; only the order means something.
    pub score: f32,
    /// The keys of its flags that the question speaks of, the best first, few.
    pub flags: Vec<String>,
    /// The places of other tools that are the same command under another name.
    pub also: Vec<usize>,
}
