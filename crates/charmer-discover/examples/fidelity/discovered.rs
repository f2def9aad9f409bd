//! The one place where this example meets the reader that it measures.

use std::path::Path;

use charmer_core::model::Cli;

/// What is found when a program is read from outside, or a sentence on why it could not be read.
pub(crate) fn discovered(_program: &Path) -> Result<Cli, String> {
    // GAP: becomes `charmer_discover::discover(program, &DiscoverOptions::default())` on a runtime, and its `cli`.
    Err("reading programs from outside is not available in this build".to_owned())
}
