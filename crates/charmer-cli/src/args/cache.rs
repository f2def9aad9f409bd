//! The command line of `charmer cache`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

/// See and remove what is kept of programs that were read
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
A program is read once, and what was found is kept as long as the program is the same: its file, the links to it, the
package behind a script, what a wrapper runs, and its plugins. The folder is CHARMER_CACHE, or else charmer in the user's
folder for such files.

Examples:
  charmer cache show
  charmer cache show --json | jq '.programs[] | select(.state != \"current\")'
  charmer cache clear kubectl
  charmer cache clear")]
pub(crate) struct CacheArgs {
    #[command(subcommand)]
    pub(crate) command: CacheCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CacheCommand {
    /// Show which programs were read, and whether they are still the same
    #[command(after_help = "\
The state is current, incomplete (some commands did not answer), changed (it is read again at the next start), gone (the
program is not there any more) or begun (the next start goes on with reading it).

Examples:
  charmer cache show
  charmer cache show git --json")]
    Show {
        /// Only these programs, by name or path
        #[arg(value_name = "PROGRAM")]
        programs: Vec<PathBuf>,
        /// Print everything as JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove what is kept, so that programs are read anew at the next start
    #[command(after_help = "\
Examples:
  charmer cache clear
  charmer cache clear docker ./target/debug/mytool")]
    Clear {
        /// Only of these programs, by name or path
        #[arg(value_name = "PROGRAM")]
        programs: Vec<PathBuf>,
    },
}
