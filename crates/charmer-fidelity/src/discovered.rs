//! The one place where this program meets the reader that it measures.

use std::path::Path;

use charmer_core::model::{Cli, Command, Syntax};
use charmer_discover::{DiscoverOptions, DiscoveryWarning, WantedPart, discover};

/// A program as it was read.
pub(crate) struct ProgramReading {
    pub(crate) cli: Cli,
    /// The parts that are missing in the reader's own words; none where it says that it has read everything.
    pub(crate) unread: Vec<String>,
}

/// The number of times that a program is read again when the reader says that it has not read everything: a machine
/// that does something else as well makes programs answer too late, and that says nothing about how they are
/// understood.
const TRIES: usize = 3;

/// Reads a program from outside, or these parts of one that is too large to be read whole; the error is a sentence on why it
/// could not be read.
pub(crate) fn discovered(program: &Path, parts: &[String]) -> Result<ProgramReading, String> {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let mut options = DiscoverOptions::default();
    let parts = parts.iter();
    options.wanted = parts
        .filter_map(|part| WantedPart::named(part, &name))
        .collect();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    let mut tried = 1;
    loop {
        let found = runtime
            .block_on(discover(program, &options))
            .map_err(|error| error.to_string())?;
        if found.complete || tried == TRIES {
            return Ok(ProgramReading {
                cli: found.cli,
                unread: unread(found.complete, &found.warnings),
            });
        }
        tried += 1;
    }
}

/// The parts that are missing: the reader's own words, and that it has none where that is so.
fn unread(complete: bool, warnings: &[DiscoveryWarning]) -> Vec<String> {
    let said = |warning: &DiscoveryWarning| format!("{}: {}", warning.path, warning.message);
    match (complete, warnings) {
        (true, _) => Vec::new(),
        (false, []) => vec!["the reading is incomplete, and nothing says why".to_owned()],
        (false, _) => warnings.iter().map(said).collect(),
    }
}

/// A program of which nothing was found.
pub(crate) fn nothing(name: &str) -> Cli {
    Cli::new(Command::new(name), Syntax::getopt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_incomplete_reading_is_never_silent() {
        assert_eq!(unread(true, &[]), Vec::<String>::new());
        assert_eq!(
            unread(false, &[]),
            ["the reading is incomplete, and nothing says why"]
        );
    }
}
