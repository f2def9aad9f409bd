//! The command line of `charmer profile`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

/// See and write profiles: what is known of programs and their help does not say
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
A profile says what commands and flags do to the world, whether a program needs the network, where its credentials are, and
which commands people use most. Charmer comes with some; your own stand in the folder `profiles` of CHARMER_CONFIG, or else
of charmer in your folder for configuration, and go before them.

Examples:
  charmer profile list
  charmer profile show git
  charmer profile new mytool > mytool.yaml
  charmer check mytool.yaml")]
pub(crate) struct ProfileArgs {
    #[command(subcommand)]
    pub(crate) command: ProfileCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProfileCommand {
    /// List the profiles that there are
    #[command(after_help = "\
Examples:
  charmer profile list
  charmer profile list --json | jq -r '.profiles[].program'")]
    List {
        /// Print everything as JSON
        #[arg(long)]
        json: bool,
    },
    /// Print a profile
    #[command(after_help = "\
Examples:
  charmer profile show git
  charmer profile show git --json | jq .override.reset")]
    Show {
        /// The name of the program
        name: String,
        /// Print it as JSON, with where it comes from
        #[arg(long)]
        json: bool,
    },
    /// Read a program, and print a profile to begin with: what is thought of it, and what nobody knows yet as questions
    #[command(after_help = "\
Examples:
  charmer profile new mytool > mytool.yaml
  charmer profile new ./target/debug/mytool")]
    New {
        /// The program, by name or path
        #[arg(value_name = "NAME")]
        program: PathBuf,
    },
}
