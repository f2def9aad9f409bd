//! The file `charmer.yaml`: what people write who write no code.
//!
//! [`Config::parse`] turns its text into types, or into [`Diagnostics`]: every mistake with its line, its column, a
//! picture of the line and what to do. The types say what was written; their methods say what it means to
//! `charmer_run`: bounds, a redactor, and the layers around calls. Nothing here reads a file, the environment or the clock: the caller hands text in and
//! looks variables up.
//!
//! ```
//! use charmer_config::Config;
//!
//! let config = Config::parse(
//!     "limits: {timeout: 5m}\nsources:\n  - binary: kubectl\n    select:\n      - commands: {allow: [get, logs]}\n",
//!     "charmer.yaml",
//! )
//! .unwrap();
//! assert_eq!(config.limits().timeout.as_secs(), 300);
//!
//! let mistakes = Config::parse("limits: {timeuot: 5m}", "charmer.yaml").unwrap_err();
//! assert_eq!(mistakes[0].hint.as_deref(), Some("did you mean `timeout`?"));
//! ```
//!
//! Corrections of what was found out about single commands (types, required flags, descriptions, argument
//! specifications) are not part of the file yet; they will be a key of a source, beside `select`.
//!
//! The JSON Schema of the file is [`SCHEMA`]; editors find it through its first line,
//! `# yaml-language-server: $schema=...`.

mod config;
mod convert;
mod diagnostic;
mod layers;
mod parse;
mod read;
mod scalars;
mod selector;
mod source;
mod units;
mod values;
mod yaml;

pub use config::{Audit, Config, Limits, Log, Redact, Spool, SpoolSettings};
pub use convert::Warning;
pub use diagnostic::{Diagnostic, Diagnostics};
pub use layers::Layers;
pub use selector::{Check, CommandRule, Filter, FlagRule, RateLimit, Retry, Selector, Validation};
pub use source::{EnvironmentRules, Inherit, Origin, Source};
pub use values::{Pattern, Pinned, Secret};

/// The JSON Schema of the file, for editors.
pub const SCHEMA: &str = include_str!("../charmer.schema.json");
