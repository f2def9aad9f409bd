//! From JSON input to an argv: bind, check, write, and check what was written.
//!
//! Every step can refuse and none can be skipped: [`prepare`] is the only way to an [`Argv`].

mod argv;
mod bind;
mod bind_value;
pub(crate) mod format;
mod pin;
mod policy;
mod violation;
mod write;
mod write_flag;

pub use argv::{Argv, Element, ElementKind, MAX_ELEMENT_BYTES};
pub use bind::{Bound, Given};
pub use violation::{Refusal, Violation};

pub(crate) use pin::bind_pin;

use serde_json::{Map, Value};

use crate::tool::Tool;

/// A call that may be run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Prepared {
    /// The input, value by value.
    pub bound: Bound,
    /// The command line, without the program.
    pub argv: Argv,
}

/// Binds input to a tool and writes its argv.
///
/// All violations are reported at once, so that a caller can mend them in one go.
pub fn prepare(tool: &Tool, input: &Map<String, Value>) -> Result<Prepared, Refusal> {
    let bound = bind::bind(&tool.input, input).map_err(Refusal::Invalid)?;
    let argv = write::write(tool, &bound).map_err(|violation| Refusal::Invalid(vec![violation]))?;
    policy::check(tool, &argv)?;
    Ok(Prepared { bound, argv })
}
