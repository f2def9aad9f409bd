//! The command line of `charmer drafts`.

use clap::{Args as ClapArgs, Subcommand};

/// Look at changes that were proposed, and apply or drop them
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
A draft is what a command would change: it ran over a view of the folder, and the files are as they were. `charmer call
--draft`, run_write with `draft`, or `drafts: write` in charmer.yaml makes one. It goes after an hour, or with its server.

Examples:
  charmer drafts list
  charmer drafts show 3f9c1a20b7de
  charmer drafts apply 3f9c1a20b7de")]
pub(crate) struct DraftsArgs {
    #[command(subcommand)]
    pub(crate) command: DraftsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DraftsCommand {
    /// List the drafts, the oldest first
    #[command(after_help = "\
Examples:
  charmer drafts list
  charmer drafts list --json | jq -r '.[].id'")]
    List {
        /// Print everything as JSON
        #[arg(long)]
        json: bool,
    },
    /// Show what a draft changes
    #[command(after_help = "\
Examples:
  charmer drafts show 3f9c1a20b7de
  charmer drafts show 3f9c1a20b7de src/main.rs")]
    Show {
        /// Its id
        id: String,
        /// One of its files, whole
        path: Option<String>,
        /// Print everything as JSON
        #[arg(long, conflicts_with = "path")]
        json: bool,
    },
    /// Apply a draft: all of it, or nothing if a file has changed since
    #[command(after_help = "\
One whose applying was interrupted is finished.

Examples:
  charmer drafts apply 3f9c1a20b7de")]
    Apply {
        /// Its id
        id: String,
    },
    /// Drop a draft
    #[command(after_help = "\
One whose applying was interrupted is undone.

Examples:
  charmer drafts drop 3f9c1a20b7de")]
    Drop {
        /// Its id
        id: String,
    },
}
