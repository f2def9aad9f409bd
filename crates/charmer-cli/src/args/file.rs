//! The command line of `charmer init` and `charmer check`, which are about files.

use std::path::PathBuf;

use clap::Args as ClapArgs;

/// Write a charmer.yaml to begin with, which says what is served and how
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
In a terminal it asks for what is not said. `serve`, `tools`, `inspect` and `call` read the charmer.yaml of the current
folder where no program is named.

Examples:
  charmer init git gh
  charmer init kubectl --read-only
  charmer init --spells spells")]
pub(crate) struct InitArgs {
    /// The programs, by name or path
    #[arg(value_name = "PROGRAM")]
    pub(crate) binaries: Vec<PathBuf>,
    /// Serve the spells of this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) spells: Option<PathBuf>,
    /// Serve only commands that are known to change nothing, and spells that declare it
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Replace a file that is there
    #[arg(long)]
    pub(crate) force: bool,
    /// The file
    #[arg(long, short, value_name = "FILE", default_value = "charmer.yaml")]
    pub(crate) output: PathBuf,
}

/// Say what is wrong in a charmer.yaml, in profiles or in spells, against the real programs
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Programs are read as for `serve`; no command is run, and the lines under `expect` are only decided. It ends with 0 if
everything is right, with 1 if something must be corrected, and with 2 if there is nothing to check.

Examples:
  charmer check
  charmer check charmer.yaml spells/deploy.yaml
  charmer check --json | jq '.files[].mistakes'")]
pub(crate) struct CheckArgs {
    /// A charmer.yaml, a profile, a spell, or a folder of spells; the charmer.yaml here by default, or else the spells in spells/
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print everything as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Read the programs again, whatever was kept from the last time
    #[arg(long)]
    pub(crate) refresh: bool,
}
