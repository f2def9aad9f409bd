//! The one place where this program meets the reader that it measures.

use std::path::Path;

use charmer_core::model::{Cli, Command, Syntax};
use charmer_discover::{DiscoverOptions, discover};

/// What is found when a program is read from outside, or a sentence on why it could not be read.
pub(crate) fn discovered(program: &Path) -> Result<Cli, String> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    let found = runtime.block_on(discover(program, &DiscoverOptions::default()));
    found
        .map(|found| found.cli)
        .map_err(|error| error.to_string())
}

/// A program of which nothing was found.
pub(crate) fn nothing(name: &str) -> Cli {
    Cli::new(Command::new(name), Syntax::getopt())
}
