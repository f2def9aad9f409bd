//! The one place where this program meets the reader that it measures.

use std::path::Path;

use charmer_core::model::{Cli, Command, Syntax};
use charmer_discover::{DiscoverOptions, Warning, discover};

/// A program as it was read.
pub(crate) struct Reading {
    pub(crate) cli: Cli,
    /// What the reader itself says is missing; none where it says that it has read everything.
    pub(crate) unread: Vec<String>,
}

/// How often a program is read again when the reader says that it has not read everything: a machine that does something
/// else as well makes programs answer too late, and that says nothing about how they are understood.
const TRIES: usize = 3;

/// What is found when a program is read from outside, or a sentence on why it could not be read.
pub(crate) fn discovered(program: &Path) -> Result<Reading, String> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    let mut tried = 1;
    loop {
        let found = runtime
            .block_on(discover(program, &DiscoverOptions::default()))
            .map_err(|error| error.to_string())?;
        if found.complete || tried == TRIES {
            let said = |warning: &Warning| format!("{}: {}", warning.path, warning.message);
            let unread = match found.complete {
                true => Vec::new(),
                false => found.warnings.iter().map(said).collect(),
            };
            return Ok(Reading {
                cli: found.cli,
                unread,
            });
        }
        tried += 1;
    }
}

/// A program of which nothing was found.
pub(crate) fn nothing(name: &str) -> Cli {
    Cli::new(Command::new(name), Syntax::getopt())
}
