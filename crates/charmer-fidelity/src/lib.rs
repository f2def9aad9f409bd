//! The fidelity of a reading: a program's tree as it was found from outside, compared with the tree that it really has.
//!
//! ```
//! use charmer_core::model::{Cli, Command, Flag, Syntax};
//! use charmer_fidelity::{Truth, compare};
//!
//! let truth: Truth = serde_json::from_str(
//!     r#"{"": {"flags": {}}, "ls": {"flags": {"--depth": {"type": "int", "default": "3"}}}}"#,
//! )?;
//! let ls = Command::new("ls").flag(Flag::new("depth").pflag("int").default_text("4"));
//! let cli = Cli::new(Command::new("files").not_runnable().command(ls), Syntax::pflag());
//!
//! let report = compare(&cli, &truth);
//! assert_eq!(report.types.share(), 1.0);
//! assert_eq!(report.defaults.wrong, ["ls --depth: 3, found 4"]);
//! assert!(report.floors().is_err());
//! # Ok::<(), serde_json::Error>(())
//! ```

mod compare;
mod default;
mod flag;
mod known;
mod report;
mod table;
mod truth;
mod value_type;

#[cfg(test)]
mod tests;

pub use compare::compare;
pub use known::{Known, Verdict};
pub use report::{Report, Score};
pub use table::{TableRow, table};
pub use truth::{TrueCommand, TrueFlag, TrueGroup, Truth};
