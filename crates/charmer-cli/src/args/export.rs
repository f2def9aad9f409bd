//! The command line of `charmer export`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use super::{Selection, ServedArgs, Variable};

/// Write a bundle, an entry for the MCP registry or a skill, for others to install
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  charmer export mcpb git --read-only                     git.mcpb, which clients install in one step
  charmer export server-json git --name io.github.me/git  server.json, for the MCP registry
  charmer export skill git                                git/SKILL.md, for assistants that have a shell")]
pub(crate) struct ExportArgs {
    #[command(subcommand)]
    pub(crate) command: ExportCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ExportCommand {
    Mcpb(BundleArgs),
    ServerJson(RegistryArgs),
    Skill(SkillArgs),
}

/// Where it is written to.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct Destination {
    /// Where to write it; `-` for standard output
    #[arg(long, short, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,
    /// Replace what is there
    #[arg(long)]
    pub(crate) force: bool,
    /// Print what was written as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Write an MCPB bundle: charmer and the settings in one file, which clients such as Claude Desktop install
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
The bundle holds charmer for this platform, and the charmer.yaml of --config and the spells of --spells. Programs are not in
it: whoever installs it is asked where they are, which folder they work in, and for the variables of --env.

Examples:
  charmer export mcpb git --read-only
  charmer export mcpb gh --env GH_TOKEN --author 'Jo Doe' -o github.mcpb
  charmer export mcpb --config charmer.yaml -o team.mcpb")]
pub(crate) struct BundleArgs {
    #[command(flatten)]
    pub(crate) options: ServedArgs,
    /// A variable that the programs need: its value is asked for and kept as a secret, unless it is given; may be repeated
    #[arg(long = "env", value_name = "NAME[=VALUE]", help_heading = "Bundle")]
    pub(crate) variables: Vec<Variable>,
    /// The name of the bundle; by default that of the server
    #[arg(long, value_name = "NAME", help_heading = "Bundle")]
    pub(crate) name: Option<String>,
    /// Its version; by default that of the program, or charmer's where there are several
    #[arg(long, value_name = "VERSION", help_heading = "Bundle")]
    pub(crate) version: Option<String>,
    /// What it is for, in a sentence
    #[arg(long, value_name = "TEXT", help_heading = "Bundle")]
    pub(crate) description: Option<String>,
    /// Who has made it
    #[arg(
        long,
        value_name = "NAME",
        default_value = "Charmer",
        help_heading = "Bundle"
    )]
    pub(crate) author: String,
    #[command(flatten)]
    pub(crate) destination: Destination,
}

/// The registry that has charmer as a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RegistryName {
    /// npm, for `npx`
    Npm,
    /// PyPI, for `uvx`
    Pypi,
}

/// Write a server.json, by which the MCP registry knows a server
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
With --bundle and --url it is about a bundle that can be downloaded, and everything else stands in that. Without, it is about
charmer as a package, started with these programs and options.

Examples:
  charmer export server-json --name io.github.me/git --bundle git.mcpb --url https://example.com/git.mcpb
  charmer export server-json kubectl --read-only --name com.example/kubectl -o -")]
pub(crate) struct RegistryArgs {
    #[command(flatten)]
    pub(crate) options: ServedArgs,
    /// The name in the registry: a namespace that is yours, and the server's, as in io.github.OWNER/NAME
    #[arg(long, value_name = "NAMESPACE/NAME", help_heading = "Registry")]
    pub(crate) name: Option<String>,
    /// The version; by default that of the bundle or the program, or charmer's where there are several
    #[arg(long, value_name = "VERSION", help_heading = "Registry")]
    pub(crate) version: Option<String>,
    /// What it is for, in at most 100 characters
    #[arg(long, value_name = "TEXT", help_heading = "Registry")]
    pub(crate) description: Option<String>,
    /// The bundle that clients download, as `charmer export mcpb` has written it
    #[arg(long, value_name = "FILE", requires = "url", help_heading = "Registry")]
    pub(crate) bundle: Option<PathBuf>,
    /// The address that they download it from
    #[arg(
        long,
        value_name = "URL",
        requires = "bundle",
        help_heading = "Registry"
    )]
    pub(crate) url: Option<String>,
    /// Where clients get charmer from, without a bundle
    #[arg(
        long,
        value_enum,
        value_name = "REGISTRY",
        default_value = "npm",
        conflicts_with = "bundle",
        help_heading = "Registry"
    )]
    pub(crate) package: RegistryName,
    /// A variable that the programs need: its value is asked for and kept as a secret, unless it is given; may be repeated
    #[arg(
        long = "env",
        value_name = "NAME[=VALUE]",
        conflicts_with = "bundle",
        help_heading = "Registry"
    )]
    pub(crate) variables: Vec<Variable>,
    #[command(flatten)]
    pub(crate) destination: Destination,
}

/// Write a skill: which command to use when, for assistants that have a shell instead of MCP
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
It is a folder with a SKILL.md, and called as the folder is. What it says is advice: an assistant with a shell can run other
commands too. `charmer serve` is what keeps rules.

Examples:
  charmer export skill git
  charmer export skill kubectl --read-only -o ~/.claude/skills/kubectl
  charmer export skill docker --budget 4000 -o -")]
pub(crate) struct SkillArgs {
    /// The programs, by name or path; with --config, which of its programs (all by default)
    #[arg(value_name = "PROGRAM")]
    pub(crate) binaries: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) selection: Selection,
    /// How many tokens it may take, counted with a tokenizer (o200k)
    #[arg(
        long,
        value_name = "TOKENS",
        default_value_t = 2000,
        value_parser = clap::value_parser!(u32).range(500..=1_000_000)
    )]
    pub(crate) budget: u32,
    #[command(flatten)]
    pub(crate) destination: Destination,
}
