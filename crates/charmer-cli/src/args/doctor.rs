//! The command line of `charmer doctor`.

use std::time::Duration;

use clap::Args as ClapArgs;

use super::duration;

/// Try each server as its client would, and say what is wrong and what to run
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
It reads the clients' own files, starts what they name with the environment and in the folder that the client gives it,
speaks both eras of the protocol, lists, searches, and has a command described; nothing is run that could change anything.
It looks at the programs, folders and files that are served, and at cache, sandbox and spool of this machine.

It ends with 0 if all is well, with 1 if there is a problem, and with 2 if no client has a server of that name.

The JSON is {\"ok\": BOOL, \"findings\": [{\"where\": {\"client\", \"scope\", \"file\", \"server\"}, \"about\", \"level\", \"message\",
\"run\", \"stderr\"}], \"hint\"}; `level` is ok, warning or problem, `where` is empty for the machine, and what there is not is left out.
Values of environment variables are never in it.

Examples:
  charmer doctor
  charmer doctor git
  charmer doctor --json | jq '.findings[] | select(.level != \"ok\")'")]
pub(crate) struct DoctorArgs {
    /// Only the servers of this name, as `charmer list` shows it
    pub(crate) name: Option<String>,
    /// Print the findings as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// How long a server may take for an answer, such as 30 or 1m
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "20s")]
    pub(crate) timeout: Duration,
}
