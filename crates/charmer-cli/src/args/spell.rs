//! The command line of `charmer spell`, and what other commands say of spells.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

/// Spells that are offered beside programs.
#[derive(Debug, Clone, Default, ClapArgs)]
pub(crate) struct Spells {
    /// Offer the spells of this folder: commands declared in YAML files. It stands for the file's own, if that has one
    #[arg(long, value_name = "FOLDER", help_heading = "Spells")]
    pub(crate) spells: Option<PathBuf>,
    /// Offer only spells whose content was accepted with `charmer spell trust`
    #[arg(long, help_heading = "Spells")]
    pub(crate) locked: bool,
}

/// Make, check and try spells: commands declared in YAML files, one command a file
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  charmer spell new deploy                a spell to begin with, in spells/deploy.yaml
  charmer spell check                     what is wrong with the spells here, for people and for CI
  charmer spell list                      those that would be served
  charmer spell cast deploy target=test   try one
  charmer serve --spells spells           serve them
  charmer spell trust                     accept them as they are now, for `charmer serve --spells spells --locked`")]
pub(crate) struct SpellArgs {
    /// The folder of spells
    #[arg(long, value_name = "FOLDER", default_value = "spells", global = true)]
    pub(crate) spells: PathBuf,
    #[command(subcommand)]
    pub(crate) command: SpellCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SpellCommand {
    /// Write a new spell, to be changed into what is wanted
    #[command(after_help = "\
Examples:
  charmer spell new deploy
  charmer spell new deploy --spells tools/spells")]
    New {
        /// Its name, which becomes the tool's: letters, digits, `_` and `-`
        name: String,
    },
    /// Say what is wrong or unwise in spells; ends with 1 if one of them cannot be served
    #[command(after_help = "\
Examples:
  charmer spell check
  charmer spell check spells/deploy.yaml
  charmer spell check --json --spells tools/spells")]
    Check {
        /// The files; all of the folder by default
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Print everything as JSON
        #[arg(long)]
        json: bool,
    },
    /// List the spells that would be served
    #[command(after_help = "\
Examples:
  charmer spell list
  charmer spell list --locked
  charmer spell list --json | jq '.problems'")]
    List {
        /// List only spells whose content was accepted with `charmer spell trust`
        #[arg(long)]
        locked: bool,
        /// Print exactly what the tool `list_spells` answers
        #[arg(long)]
        json: bool,
    },
    Cast(CastArgs),
    /// Accept spells as they are now, for servers that run with --locked
    #[command(after_help = "\
Look at the files before: a spell is a command that assistants will run. A spell that changes later is not run until
it is accepted again. Scripts that a spell runs are not part of it.

Examples:
  charmer spell trust
  charmer spell trust deploy
  charmer spell trust --forget deploy")]
    Trust {
        /// Names of spells or paths of their files; all of the folder by default
        #[arg(value_name = "SPELL")]
        spells_or_files: Vec<PathBuf>,
        /// Accept them no longer
        #[arg(long, requires = "spells_or_files")]
        forget: bool,
    },
}

/// Run a spell as an assistant would, with the same checks and the same answer
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  charmer spell cast weather city=Oslo
  charmer spell cast log --flag=--oneline --path services/api
  charmer spell cast deploy target=test --confirm --json")]
pub(crate) struct CastArgs {
    /// The spell
    pub(crate) name: String,
    /// Its arguments
    #[arg(value_name = "KEY=VALUE")]
    pub(crate) arguments: Vec<String>,
    /// Add this element to the command line, if the spell permits it; may be repeated
    #[arg(long = "flag", value_name = "ELEMENT", allow_hyphen_values = true)]
    pub(crate) flags: Vec<String>,
    /// Run in this folder, beneath one that the spell permits
    #[arg(long, value_name = "FOLDER")]
    pub(crate) path: Option<String>,
    /// Agree to a spell that wants to be confirmed
    #[arg(long)]
    pub(crate) confirm: bool,
    /// Run it only if its content was accepted with `charmer spell trust`
    #[arg(long)]
    pub(crate) locked: bool,
    /// Print the structured result instead of the text
    #[arg(long)]
    pub(crate) json: bool,
    /// Show what would be run, where, with which rights and by which rule, and run nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}
