//! The command line of `charmer add`, `remove` and `list`, which are about the clients on a machine.

use clap::{Args as ClapArgs, ValueEnum};

use super::{ServedArgs, Variable};

/// The owner of the servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeName {
    /// The person's, in every folder
    User,
    /// Those of the current folder, for whoever works in it
    Project,
}

/// Put a program into a client, so that its assistant can use it
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
It takes every option of `charmer serve`. The program is read first, so that the client's first list is whole; then the
client's own file gets one entry, and nothing else in it changes. Adding the same again changes nothing.

Clients: claude-code, claude-desktop, cursor, vscode, windsurf, zed, codex, gemini, copilot, goose, opencode, kiro,
lmstudio, cline, roo, kilo, continue, amp, qwen, junie, crush, warp; `all` means those that are on this machine.

Examples:
  charmer add git --to claude-code
  charmer add kubectl --to cursor --read-only
  charmer add gh --to cursor,vscode --env GH_TOKEN
  charmer add git --to cursor --dry-run        what would change in its file
  charmer add git --to zed --print             the entry, and where it goes
  charmer add --spells spells --to vscode --scope project")]
pub(crate) struct AddArgs {
    #[command(flatten)]
    pub(crate) served: ServedArgs,
    /// The clients; several with commas, or `all` for those that are on this machine
    #[arg(
        long,
        value_name = "CLIENT",
        value_delimiter = ',',
        help_heading = "Client"
    )]
    pub(crate) to: Vec<String>,
    /// What the server is called there; the names of the programs by default
    #[arg(long, value_name = "NAME", help_heading = "Client")]
    pub(crate) name: Option<String>,
    /// For you in every folder (user), or in a file of the current folder (project)
    #[arg(long, value_enum, default_value = "user", help_heading = "Client")]
    pub(crate) scope: ScopeName,
    /// Give the server this variable, with the value that it has now or with another; may be repeated
    #[arg(long = "env", value_name = "NAME[=VALUE]", help_heading = "Client")]
    pub(crate) variables: Vec<Variable>,
    /// Show what would change in the clients' files, and change nothing
    #[arg(long, help_heading = "Client")]
    pub(crate) dry_run: bool,
    /// Print the entry as the client's file has it and say where it goes, and change nothing
    #[arg(
        long,
        alias = "print-config",
        conflicts_with_all = ["dry_run", "link"],
        help_heading = "Client"
    )]
    pub(crate) print: bool,
    /// Print a link that adds the server when it is opened (cursor and vscode), and change nothing
    #[arg(long, conflicts_with = "dry_run", help_heading = "Client")]
    pub(crate) link: bool,
}

/// Take a server out of a client again
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
What `charmer add` put there goes, and the client's file is what it was before.

Examples:
  charmer remove git --from cursor
  charmer remove git --from all
  charmer remove git --from claude-code --scope project --dry-run")]
pub(crate) struct RemoveArgs {
    /// The name of the server, as `charmer list` shows it
    pub(crate) name: String,
    /// The clients; several with commas, or `all` for those that have it
    #[arg(long, value_name = "CLIENT", value_delimiter = ',', required = true)]
    pub(crate) from: Vec<String>,
    /// From your own file (user), or from that of the current folder (project)
    #[arg(long, value_enum, default_value = "user")]
    pub(crate) scope: ScopeName,
    /// Show what would change in the clients' files, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// List the clients on this machine, and the servers of charmer's that they have
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
It looks at files and starts nothing; `charmer doctor` starts each server as its client would.

Examples:
  charmer list
  charmer list --json | jq '.clients[].servers'")]
pub(crate) struct ListArgs {
    /// Print everything as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
