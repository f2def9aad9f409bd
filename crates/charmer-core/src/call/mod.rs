//! From JSON input to an argv: bind, check, write, and check what was written.
//!
//! Every step can refuse and none can be skipped: [`bind`] and then [`write()`] is the only way to an [`Argv`].

mod argv;
mod bind;
mod bind_template;
mod bind_value;
pub(crate) mod format;
mod pin;
mod policy;
mod understand;
mod violation;
mod words;
mod write;
mod write_flag;
mod write_template;

pub use argv::{Argv, Element, ElementKind, MAX_ELEMENT_BYTES};
pub use bind::{Bound, Given};
pub use understand::{Understood, understand};
pub use violation::{Refusal, Violation};
pub use words::{WordsError, ends_flags, from_words, takes_value};

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
    write(tool, tool, bind(tool, input)?)
}

/// Binds input to a tool: the first half of [`prepare`], for whoever decides on values before they are written.
pub fn bind(tool: &Tool, input: &Map<String, Value>) -> Result<Bound, Refusal> {
    let bound = bind::bind(&tool.input, input).map_err(Refusal::Invalid)?;
    // Said before anybody looks at folders or programs for it; the finished command line is checked all the same.
    if let Some(template) = &tool.input.template {
        let mut added = bound.added.iter();
        added.try_for_each(|element| policy::may_be_added(template, element))?;
    }
    Ok(bound)
}

/// Writes the argv of input that was bound to `tool`, and checks every element of it against `permitted`: the tool as it
/// was offered. The two are one, unless somebody on the way changed what is called.
pub fn write(tool: &Tool, permitted: &Tool, mut bound: Bound) -> Result<Prepared, Refusal> {
    let argv = match &tool.input.template {
        Some(template) => {
            bound.stdin = write_template::stdin(&tool.input, template, &bound);
            write_template::write_template(&tool.input, template, &bound)
        }
        None => write::write(tool, &bound).map_err(|violation| vec![violation]),
    };
    let argv = argv.map_err(Refusal::Invalid)?;
    policy::check(permitted, &argv)?;
    Ok(Prepared { bound, argv })
}
