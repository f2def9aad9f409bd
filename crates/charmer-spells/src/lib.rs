//! Spells: commands that a team declares in YAML files, one command a file, with strict rules on flags, folders,
//! arguments and time. An assistant can run those and nothing else.
//!
//! - [`Spell::parse`] reads a file; mistakes come with line, column and a picture.
//! - [`SpellBook`] is a folder of spells as tools; [`watch()`] keeps it current.
//! - [`Trust`] remembers what a person has accepted, for servers that run nothing else.
//! - [`check()`] and [`check_folder`] say what is wrong or unwise.
//!
//! Nothing here reads the process's environment: it is given in [`SpellOptions`]. Calls go through `charmer_run`, as those
//! of all other tools do. The JSON Schema of the format is [`SCHEMA`]; `docs/spell.example.yaml` shows every key.

mod advice;
mod args;
mod argv;
mod book;
mod bound;
mod caller_code;
mod cast;
mod check;
mod confine;
mod environment;
mod expand;
mod file;
mod files;
mod input;
mod interpreters;
mod load;
mod misuse;
mod options;
mod parse;
mod problem;
mod schema;
mod spell;
mod state;
mod switches;
mod tools;
mod trust;
mod watch;
mod words;
mod wrappers;
mod write;

pub use book::SpellBook;
pub use charmer_core::tool::Template;
pub use check::{SpellReport, check, check_folder};
pub use input::GivenArguments;
pub use options::{HiddenSecrets, NameRule, SpellAskRules, SpellOptions};
pub use problem::{Severity, SpellProblem};
pub use spell::{Arg, ArgPattern, ArgType, Context, Spell};
pub use trust::Trust;
pub use watch::{Watch, watch};
pub use words::split as split_words;
pub use write::{arguments, create, starter};

/// The JSON Schema of the format, for editors.
pub const SCHEMA: &str = include_str!("../spell.schema.json");
