//! The file `charmer.yaml`: what people write who write no code.
//!
//! [`Config::parse`] turns its text into types, or into [`Diagnostics`]: every mistake with its line, its column, a
//! picture of the line and what to do. The types say what was written; their methods say what it means: to a program's
//! model ([`SourceEntry::apply`]), to its tools ([`SourceEntry::catalogue_options`]), and to `charmer_run` (bounds, a redactor, and
//! the layers around calls). Nothing here reads the environment or the clock, and only [`Config::load`] reads a file.
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
//! The JSON Schema of the file is [`SCHEMA`]; editors find it through its first line,
//! `# yaml-language-server: $schema=...`.

mod apply;
mod ask;
mod catalogue;
mod config;
mod confine;
mod convert;
mod diagnostic;
mod drafts;
mod expect;
mod expose;
mod hooks;
mod http;
mod knowledge;
mod layers;
mod load;
mod narrow;
mod output;
mod overrides;
mod parse;
mod place;
mod principals;
mod profile;
mod read;
pub mod reading;
mod scalars;
mod selector;
mod server;
mod source;
mod units;
mod values;
mod versions;
mod yaml;

pub use apply::{Applied, ApplyReport, Mismatches, ModelMismatch};
pub use ask::AskEntry;
pub use config::{
    AuditSettings, Config, LimitSettings, Log, LogFormat, Redact, SpoolKey, SpoolSettings,
};
pub use confine::{Confine, ConfineMode, expand_home};
pub use convert::FileWarning;
pub use diagnostic::{Diagnostic, Diagnostics};
pub use drafts::{DraftSettings, DraftedCalls};
pub use expect::Expectation;
pub use expose::ExposeRules;
pub use hooks::HookRules;
pub use http::{HttpCaps, HttpRules};
pub use knowledge::Knowledge;
pub use layers::Layers;
pub use load::LoadError;
pub use output::{Declared, OutputRules, SchemaRule};
pub use overrides::{ArgOverride, Bare, CommandOverride, FlagOverride, Repeat, TypeName};
pub use place::{FilePlace, Finding};
pub use principals::{BadPrincipalName, OTHERS, PrincipalLimits, PrincipalRules, PrincipalValue};
pub use profile::{Profile, UnlistedEntry};
pub use selector::{
    Check, CommandSelection, FilterSettings, FlagSelection, RateLimitSettings, RetrySettings,
    SelectEntry, Validation,
};
pub use server::ServerRules;
pub use source::{Completion, EnvironmentRules, Inherit, Redirects, SourceEntry, SourceKind};
pub use units::parse_duration;
pub use values::{Pattern, Pinned, Position, Secret};
pub use versions::{NoVersions, Versions};
pub use yaml::yaml_as_json;

/// The JSON Schema of the file, for editors.
pub const SCHEMA: &str = include_str!("../charmer.schema.json");
