//! The command line of `charmer`.

mod audit;
mod cache;
mod clients;
mod doctor;
mod drafts;
mod export;
mod file;
mod help;
mod profile;
mod spell;
mod variable;

use std::{path::PathBuf, time::Duration};

use charmer_config::ConfineMode;
use charmer_core::model::Network;
use charmer_server::HttpAddress;
use clap::{Args as ClapArgs, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::{principals::PrincipalSelection, set::SetFlag};

pub(crate) use audit::{AuditArgs, AuditCommand};
pub(crate) use cache::{CacheArgs, CacheCommand};
pub(crate) use clients::{AddArgs, ListArgs, RemoveArgs, ScopeName};
pub(crate) use doctor::DoctorArgs;
pub(crate) use drafts::{DraftsArgs, DraftsCommand};
pub(crate) use export::{
    BundleArgs, Destination, ExportArgs, ExportCommand, RegistryArgs, RegistryName, SkillArgs,
};
pub(crate) use file::{CheckArgs, InitArgs};
pub(crate) use profile::{ProfileArgs, ProfileCommand};
pub(crate) use spell::{CastArgs, SpellArgs, SpellCommand, Spells};
pub(crate) use variable::Variable;

const EXAMPLES: &str = "\
Examples:
  charmer tools cargo                     what an assistant would get of cargo
  charmer add cargo --to claude-code      put it into a client
  charmer add kubectl --to cursor --read-only
                                          only what changes nothing
  charmer list                            the clients here, and what they have
  charmer serve cargo                     serve it (a client's entry runs this)
  charmer inspect docker container ls     what was found out about a command, and from where
  charmer call cargo_tree --depth 1       try a tool as an assistant would
  charmer serve --spells spells           serve the commands that a folder of YAML files declares
  charmer init git gh                     write a charmer.yaml, which these read where no program is named
  charmer export mcpb git --read-only     a bundle that clients install in one step

Exit codes:
  0    it worked
  1    it failed: a tool's call ended in an error, a program could not be read, a file not written,
       `check` or `spell check` found a mistake, `doctor` a problem
  2    the command line or the configuration file is wrong, or a program is not there
  130  it was interrupted";

/// Turn command-line programs into MCP servers that an AI assistant can use safely
#[derive(Debug, Parser)]
#[command(
    name = "charmer",
    version,
    subcommand_required = true,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = EXAMPLES
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: CharmerCommand,
}

impl Args {
    /// The words of this process, or its end with what is wrong with them.
    pub(crate) fn of_process() -> Self {
        let matches = help::command().get_matches();
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum CharmerCommand {
    Add(AddArgs),
    Remove(RemoveArgs),
    List(ListArgs),
    Doctor(DoctorArgs),
    Serve(ServeArgs),
    Tools(ToolsArgs),
    Inspect(InspectArgs),
    Call(CallArgs),
    Drafts(DraftsArgs),
    Init(InitArgs),
    Check(CheckArgs),
    Spell(SpellArgs),
    Export(ExportArgs),
    Profile(ProfileArgs),
    Cache(CacheArgs),
    Audit(AuditArgs),
    /// Allow or deny the calls that wait for a person, at a terminal
    #[cfg(unix)]
    #[command(after_help = "\
Shows the calls of all servers of yours that wait, one after the other, as they come: the command line, where it runs and
with which rights, who asks, and what it would change. `ask` in charmer.yaml and --ask say which calls those are. While it
is open, calls that need a person are asked about here, and not in the client.

Examples:
  charmer approve
  charmer serve git --ask write")]
    Approve,
    /// Print a completion script for a shell
    #[command(after_help = "\
Examples:
  charmer completions bash > ~/.local/share/bash-completion/completions/charmer
  charmer completions zsh > ~/.zfunc/_charmer
  charmer completions fish > ~/.config/fish/completions/charmer.fish")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write all pages to a folder
    #[command(after_help = "\
Examples:
  charmer man | man -l -
  charmer man --out ~/.local/share/man/man1")]
    Man {
        /// Write a page for each command to this folder
        #[arg(long, short, value_name = "FOLDER")]
        out: Option<PathBuf>,
    },
    /// Ends the children of a server that was killed.
    #[command(hide = true)]
    Guardian {
        mark: String,
        spool: Option<PathBuf>,
    },
}

/// The layout of input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LayoutName {
    /// Every flag and argument a property of its own
    Flat,
    /// Flags under `flags`, arguments in a list `args`
    Nested,
}

/// The effort to have output as data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StructureName {
    /// Not at all: output is text
    Off,
    /// Output that is data beyond doubt is read as such
    Auto,
    /// Programs that can print JSON are asked to, too
    Force,
}

/// The form in which clients get results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ResultsName {
    /// The structured form where it says more, otherwise the text alone
    Auto,
    /// Always the structured form, beside the text
    Structured,
    /// Always the text alone
    Text,
}

/// The network that programs may reach beyond their process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NetworkName {
    /// Nothing
    None,
    /// Other machines and this one by address, with the lookup of names
    Tcp,
    /// Sockets of daemons on this machine
    Socket,
    /// Everything
    All,
}

impl NetworkName {
    pub(crate) fn network(self) -> Network {
        match self {
            Self::None => Network::None,
            Self::Tcp => Network::Tcp,
            Self::Socket => Network::Socket,
            Self::All => Network::All,
        }
    }
}

/// The authority on what a call that is meant to read can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConfineName {
    /// The kernel: it runs without the right to write
    Auto,
    /// The names of commands and flags alone
    Names,
    /// Nobody
    Off,
}

impl ConfineName {
    pub(crate) fn mode(self) -> ConfineMode {
        match self {
            Self::Auto => ConfineMode::Auto,
            Self::Names => ConfineMode::Names,
            Self::Off => ConfineMode::Off,
        }
    }
}

/// The calls that a person must allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AskName {
    /// Those that may delete or overwrite something
    Destroy,
    /// Those, and all others that change something
    Write,
    /// Every call
    All,
}

/// The way commands are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExposeName {
    /// Each command is a tool
    All,
    /// A few tools find, describe and run any command
    Index,
    /// Both, within a budget
    Auto,
}

/// The length of the definitions of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DescriptionsName {
    /// Everything that is known
    Full,
    /// What informs
    Short,
    /// Names and types
    None,
}

/// The way commands are shown to an assistant.
#[derive(Debug, Clone, Default, ClapArgs)]
#[command(next_help_heading = "Exposure")]
pub(crate) struct Showing {
    /// Which commands are tools of their own: each (all), none but a few tools that find and run any command (index), or
    /// as many as the budget buys, beside those (auto, the default)
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) expose: Option<ExposeName>,
    /// How many tokens the list of tools may take in auto; 4000 by default
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u32).range(1000..=10_000_000))]
    pub(crate) budget: Option<u32>,
    /// How much the definitions of tools say; full where everything fits the budget and in all, short otherwise
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) descriptions: Option<DescriptionsName>,
    /// Make these commands and spells tools of their own, whatever the budget; written as for --allow
    #[arg(long, value_name = "GLOB", value_delimiter = ',')]
    pub(crate) pin: Vec<String>,
    /// Make these never tools of their own: they are found with search_commands
    #[arg(long, value_name = "GLOB", value_delimiter = ',')]
    pub(crate) hide: Vec<String>,
    /// Make commands that an assistant had described tools of their own, while the server runs
    #[arg(long)]
    pub(crate) promote: bool,
    /// Offer the examples in the programs' help as prompts, which many clients show as slash commands
    #[arg(long)]
    pub(crate) prompts: bool,
}

/// Which commands and flags are offered, and how.
#[derive(Debug, Clone, Default, ClapArgs)]
pub(crate) struct Selection {
    /// Read settings from this file (`charmer.yaml`)
    #[arg(long, short, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Offer only commands and spells that match; a command stands for all commands below it
    #[arg(
        long,
        value_name = "GLOB",
        value_delimiter = ',',
        help_heading = "Selection",
        long_help = "Offer only commands and spells that match. Levels are separated by `/` or spaces; `*` stays within \
                     a level, `**` crosses them. A command stands for all commands below it. A spell goes by its \
                     name; `spells/*` are all of them. May be repeated, or list several with commas: \
                     `--allow get,logs,'rollout/*'`"
    )]
    pub(crate) allow: Vec<String>,
    /// Leave out commands and spells that match, whatever else says and by whichever of its names a command is called;
    /// written as for --allow
    #[arg(
        long,
        value_name = "GLOB",
        value_delimiter = ',',
        help_heading = "Selection"
    )]
    pub(crate) deny: Vec<String>,
    /// Offer only commands that are known to change nothing, without the flags that write, and spells that declare it
    #[arg(long, help_heading = "Selection")]
    pub(crate) read_only: bool,
    /// Offer also flags that change where a program connects, who it is or what it loads
    #[arg(
        long,
        help_heading = "Selection",
        long_help = "Offer also flags that change where a program connects, who it is, which configuration it loads or \
                     which program it runs. They are left out otherwise, because an assistant that can set them can \
                     get past everything else; `charmer inspect` lists them with the reason"
    )]
    pub(crate) all_flags: bool,
    /// Offer this one of those flags, or take any value of the argument of this name; may be repeated
    #[arg(
        long = "with-flag",
        value_name = "NAME",
        value_delimiter = ',',
        help_heading = "Selection"
    )]
    pub(crate) with_flags: Vec<String>,
    /// Pin a flag: it is in every command line of the commands that have it, and out of an assistant's reach; may be repeated
    #[arg(
        long,
        value_name = "[PROGRAM:]FLAG[=VALUE]",
        help_heading = "Selection",
        long_help = "Pin a flag, as `set` in the file does: it is in every command line of the commands that have it, and \
                     out of an assistant's reach. Without a program it is for each program that has such a flag, and a \
                     mistake where none has: `--set context=staging`, `--set kubectl:context=staging`. A switch needs no \
                     value; a flag that is named several times gets a list"
    )]
    pub(crate) set: Vec<SetFlag>,
    /// Run the programs in this folder; may be repeated, for several that an assistant can choose from
    #[arg(
        long = "folder",
        value_name = "DIR",
        help_heading = "Selection",
        long_help = "Run the programs in this folder. Of several the first is the default; `run_read` and `run_write` then \
                     take a `folder` that is one of them or beneath one, and nothing else. A client that says which \
                     folders it works in narrows them and never widens them. Without it, `charmer add` names the \
                     current folder; elsewhere calls run in the client's first folder, or else where charmer was started"
    )]
    pub(crate) folders: Vec<PathBuf>,
    /// What the programs may reach: nothing (none), tcp, daemons' sockets (socket) or all; all is assumed by default
    #[arg(
        long,
        value_enum,
        value_name = "WHAT",
        help_heading = "Confinement",
        long_help = "What the programs may reach beyond their process when they are confined: nothing, machines by address, sockets of \
                     daemons on this machine, or everything. Where nothing is said everything is assumed, and a call \
                     that is meant to read must be known to read as well. With none, run_read and --read-only take any \
                     command: what tries to write fails"
    )]
    pub(crate) network: Option<NetworkName>,
    /// Who keeps a call that is meant to read from writing: the kernel (auto, the default on Linux), or names alone
    #[arg(long, value_enum, value_name = "MODE", help_heading = "Confinement")]
    pub(crate) confine: Option<ConfineName>,
    /// Leave this file or folder of secrets within the programs' reach when they are confined; may be repeated
    #[arg(long = "credential", value_name = "PATH", help_heading = "Confinement")]
    pub(crate) credentials: Vec<PathBuf>,
    /// Have a person allow calls before they run: those that destroy, those that write as well, or all; nothing by default
    #[arg(
        long,
        value_enum,
        value_name = "WHAT",
        help_heading = "Confinement",
        long_help = "Have a person allow calls before they run: those that may delete or overwrite something (destroy), \
                     those that change anything (write), or all. Somebody who has `charmer approve` open in a terminal \
                     is asked there, otherwise the client shows a form; where neither is there, the call is refused. \
                     `ask` in charmer.yaml says it more finely"
    )]
    pub(crate) ask: Option<AskName>,
    /// How the input of tools is laid out
    #[arg(long, value_enum, help_heading = "Selection")]
    pub(crate) layout: Option<LayoutName>,
    /// Whether output becomes data: where it is that beyond doubt (auto), or also by asking for JSON (force), where a
    /// selector of the file or a spell sets nothing else; auto by default
    #[arg(long, value_enum, value_name = "MODE", help_heading = "Selection")]
    pub(crate) structure: Option<StructureName>,
    /// What an assistant gets of results: the structured form where it says more than text (auto, the default), always
    /// (structured), or never (text)
    #[arg(
        long,
        value_enum,
        value_name = "FORM",
        help_heading = "Selection",
        long_help = "What an assistant gets of results. Where a result has a structured form, most assistants show \
                     their model the JSON of it and nothing else, so text arrives with every line break escaped. With \
                     auto, the default, a result is structured only if output was read as data, if it is an answer of \
                     charmer's own (such as a refusal), or if its tool lists a schema for it; otherwise it is the text \
                     alone. structured gives both always, text the text alone. With `charmer call`, it prints what an \
                     assistant's model would read"
    )]
    pub(crate) results: Option<ResultsName>,
    /// Read the programs again, whatever was kept from the last time
    #[arg(long)]
    pub(crate) refresh: bool,
    /// The globs above that a spell meets, so that no command has to.
    #[arg(skip)]
    pub(crate) met_by_spells: Vec<String>,
    /// The selection of one principal, where all this is for one.
    #[arg(skip)]
    pub(crate) principal: Option<PrincipalSelection>,
}

/// Serve programs on standard input and output, as a client's entry does
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  charmer serve cargo
  charmer serve kubectl gh --read-only
  charmer serve kubectl --allow get,logs,describe --timeout 2m
  charmer serve docker --expose index
  charmer serve docker --budget 2500 --pin ps,logs
  charmer serve --config charmer.yaml
  charmer serve --spells spells --locked
  charmer serve kubectl --set context=staging --read-only
  charmer serve git --folder ~/work/site --folder ~/work/tools
  charmer serve docker --deny '**/prune'
  charmer serve git --http 127.0.0.1:8765 --token-file tokens")]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub(crate) served: ServedArgs,
    /// Print the entry for a client's configuration instead of serving; `charmer add --print` does it for one client
    #[arg(long)]
    pub(crate) print_config: bool,
    /// Serve any number of clients over HTTP at this address, such as 127.0.0.1:8765, or on the socket unix:PATH
    #[arg(
        long,
        value_name = "ADDRESS",
        conflicts_with = "print_config",
        help_heading = "HTTP",
        long_help = "Serve any number of clients over HTTP, at the path /mcp of this address, instead of one on standard \
                     input and output. Port 0 takes a free one. An address that other machines can reach needs \
                     --token-file. `unix:PATH` is a socket that only this user can open. All else stands under \
                     `http` in charmer.yaml"
    )]
    pub(crate) http: Option<HttpAddress>,
    /// Let only clients in whose token is in this file: a line `name: token` for each, perhaps with [read] behind it
    #[arg(
        long,
        value_name = "FILE",
        requires = "http",
        help_heading = "HTTP",
        long_help = "Let only clients in that send `Authorization: Bearer TOKEN` with a token of this file. It has a line \
                     `name: token` for each of them; [read], [read, write] or [read, write, destroy] behind it says what \
                     that one may do, everything if it is not there. The file must be readable by its owner alone, and is \
                     read again when it changes"
    )]
    pub(crate) token_file: Option<PathBuf>,
}

/// What is served, and how: the options of `serve`, and of what puts a server into a client.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct ServedArgs {
    /// The programs, by name or path; with --config, which of its programs (all by default)
    #[arg(value_name = "PROGRAM")]
    pub(crate) binaries: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) selection: Selection,
    #[command(flatten)]
    pub(crate) showing: Showing,
    #[command(flatten)]
    pub(crate) spells: Spells,
    /// How long a call may run, such as 90, 90s or 5m, where a selector of the file sets nothing else; a spell runs no
    /// longer, whatever it says itself
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,
    /// After how long a call becomes a job, whose result is asked for with the tool `job` [default: 45s]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) background_after: Option<Duration>,
}

impl ServedArgs {
    /// Those of the options that mean the same on every machine: no programs, no paths.
    pub(crate) fn portable(&self) -> Self {
        let selection = Selection {
            config: None,
            folders: Vec::new(),
            credentials: Vec::new(),
            // It is about the reading that is done now.
            refresh: false,
            ..self.selection.clone()
        };
        Self {
            binaries: Vec::new(),
            selection,
            showing: self.showing.clone(),
            spells: Spells::default(),
            timeout: self.timeout,
            background_after: self.background_after,
        }
    }
}

/// Show the tools that an assistant would get
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  charmer tools cargo
  charmer tools kubectl --read-only
  charmer tools docker --json -o docker-tools.json
  charmer tools docker --expose all --tokens
  charmer tools --config charmer.yaml --max-tokens 4000 >/dev/null
  charmer tools --spells spells")]
pub(crate) struct ToolsArgs {
    /// The programs, by name or path; with --config, which of its programs (all by default)
    #[arg(value_name = "PROGRAM")]
    pub(crate) binaries: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) selection: Selection,
    #[command(flatten)]
    pub(crate) showing: Showing,
    #[command(flatten)]
    pub(crate) spells: Spells,
    /// Print exactly what `tools/list` is answered with; with --tokens, the counts as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Count tokens with a tokenizer (o200k) instead of estimating them
    #[arg(long)]
    pub(crate) tokens: bool,
    /// Fail if the list and the instructions take more tokens than this, counted with the tokenizer
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<usize>,
    /// Write to a file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Show what was found out about a program: from where, and how sure that is
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  charmer inspect docker
  charmer inspect docker container ls
  charmer inspect kubectl --json | jq '.leftOut'")]
pub(crate) struct InspectArgs {
    /// The program, by name or path; with --config, one of its programs by its name there; may be left out where the file
    /// has only one
    #[arg(value_name = "PROGRAM")]
    pub(crate) binary: Option<PathBuf>,
    /// One of its commands; its root by default
    #[arg(value_name = "PATH")]
    pub(crate) path: Vec<String>,
    #[command(flatten)]
    pub(crate) selection: Selection,
    /// Print everything as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Call a tool as an assistant would, with the same checks and the same answer
#[derive(Debug, Clone, ClapArgs)]
#[command(after_help = "\
What follows the tool is its input: a JSON object, `-` for one on standard input, or words. Options of charmer's own may
stand among them, where the tool has none of that name. The program is the first word of the tool's name unless --binary,
--config or --spells says otherwise.

Examples:
  charmer call cargo_tree --depth 1
  charmer call git_log '{\"max-count\": 3, \"oneline\": true}'
  echo '{\"all\": true}' | charmer call docker_ps -
  charmer call --binary ./target/debug/mytool mytool_list --tag a --tag b
  charmer call kubectl_get pods --config charmer.yaml --json
  charmer call run_read --binary git git_status
  charmer call --dry-run git_push origin main
  charmer call --draft git_commit --all --message 'Fix the typo'
  charmer call --spells spells deploy --target test")]
pub(crate) struct CallArgs {
    /// The program that the tool belongs to; may be repeated
    #[arg(long = "binary", short, value_name = "PROGRAM")]
    pub(crate) binaries: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) selection: Selection,
    #[command(flatten)]
    pub(crate) spells: Spells,
    /// How long the call may run, such as 90, 90s or 5m
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,
    /// Print the structured result instead of the text
    #[arg(long)]
    pub(crate) json: bool,
    /// Show what would be run, where, with which rights and by which rule, and run nothing; before the tool's name where
    /// the tool has a --dry-run of its own
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Run it as a draft: nothing is changed until `charmer drafts apply`; with an id, go on with that draft
    #[arg(
        long,
        value_name = "ID",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        conflicts_with = "dry_run"
    )]
    pub(crate) draft: Option<String>,
    /// The tool, as `charmer tools` shows it or as its command is typed, and its input: JSON, `-`, or words such as `--all --limit 5 NAME`
    #[arg(
        value_names = ["TOOL", "INPUT"],
        required = true,
        num_args = 1..,
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub(crate) words: Vec<String>,
}

/// A duration as files take it, or with spaces, as people are used to.
fn duration(text: &str) -> Result<Duration, String> {
    let time = charmer_config::parse_duration(text);
    match time.map_or_else(|| humantime::parse_duration(text), Ok) {
        Ok(time) if time.is_zero() => Err("it must be longer than nothing".into()),
        Ok(time) => Ok(time),
        Err(error) => Err(format!("{error}; write it as 90, 90s, 5m or 1h30m")),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn durations_are_written_as_in_files() {
        assert_eq!(duration("1m 30s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("1m30s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("30"), Ok(Duration::from_secs(30)));
        assert!(duration("0s").is_err() && duration("soon").is_err());
    }

    #[test]
    fn what_follows_a_tool_is_its_input() {
        let words = ["charmer", "call", "--json", "x_y", "--json", "-", "z"];
        let CharmerCommand::Call(call) = Args::parse_from(words).command else {
            panic!("it is a call");
        };
        assert!(call.json);
        assert_eq!(call.words, ["x_y", "--json", "-", "z"]);
    }
}
