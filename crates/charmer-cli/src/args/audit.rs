//! The command line of `charmer audit`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

/// Check the log of calls
#[derive(Debug, ClapArgs)]
pub(crate) struct AuditArgs {
    #[command(subcommand)]
    pub(crate) command: AuditCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Tell whether lines of an audit log were changed, removed or put in between
    #[command(after_help = "\
Each line has the digest of the line before it and of itself. Files that were moved aside (FILE.1, FILE.2 ...) are checked
too, the oldest first. Lines that were cut off at the end cannot be seen: compare the last digest with one that you keep
elsewhere. The exit code is 1 where the chain is broken.

Examples:
  charmer audit verify calls.jsonl
  charmer audit verify calls.jsonl --json | jq -r .last")]
    Verify {
        /// The audit log, as `audit: {file: ...}` in charmer.yaml names it
        file: PathBuf,
        /// Print what was found as JSON
        #[arg(long)]
        json: bool,
    },
}
