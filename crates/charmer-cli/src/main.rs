//! The program `charmer`: serves any command-line program to AI assistants over MCP.

mod approvals;
mod args;
mod ask;
mod assemble;
mod baseline;
#[cfg(unix)]
mod beneath;
mod clients;
mod commands;
mod complete;
mod confine;
mod credentials;
mod drafts;
mod excluded;
mod hooks;
mod identity;
mod instructions;
mod kept_list;
#[cfg(unix)]
mod meeting;
mod names;
mod output;
mod policy;
mod principals;
mod privileges;
mod problem;
mod profiles;
mod programs;
mod progress;
mod read;
mod refused;
mod rights;
mod rule;
mod runtime;
mod set;
mod settings;
mod sha256;
mod spells;
mod table;
mod tokens;
mod undone;
mod unread;
mod user_folders;
mod visibility_rules;
mod watched;
mod wrap;

use std::process::ExitCode;

use args::{Args, CharmerCommand};

fn main() -> ExitCode {
    // Before anything else: the process must still have one thread, and its words are not for the parser.
    let first = std::env::args_os().nth(1);
    if first.is_some_and(|word| word == read::SANDBOX) {
        return charmer_sandbox::run_confined();
    }
    let done = match Args::of_process().command {
        CharmerCommand::Add(args) => commands::add::run(&args),
        CharmerCommand::Remove(args) => commands::remove::run(&args),
        CharmerCommand::List(args) => commands::list::run(&args),
        CharmerCommand::Serve(args) => commands::serve::run(&args),
        CharmerCommand::Tools(args) => commands::tools::run(&args),
        CharmerCommand::Inspect(args) => commands::inspect::run(&args),
        CharmerCommand::Call(args) => commands::call::run(&args),
        CharmerCommand::Drafts(args) => commands::drafts::run(&args),
        CharmerCommand::Init(args) => commands::init::run(&args),
        CharmerCommand::Check(args) => commands::check::run(&args),
        CharmerCommand::Doctor(args) => commands::doctor::run(&args),
        CharmerCommand::Spell(args) => commands::spell::run(&args),
        CharmerCommand::Profile(args) => commands::profile::run(&args),
        CharmerCommand::Export(args) => commands::export::run(&args),
        CharmerCommand::Cache(args) => commands::cache::run(&args),
        CharmerCommand::Audit(args) => commands::audit::run(&args),
        #[cfg(unix)]
        CharmerCommand::Approve => commands::approve::run(),
        CharmerCommand::Completions { shell } => commands::pages::completions(shell),
        CharmerCommand::Man { out } => commands::pages::man(out.as_deref()),
        CharmerCommand::Guardian { mark, spool } => {
            charmer_run::process::guard(&mark, spool.as_deref());
            Ok(ExitCode::SUCCESS)
        }
    };
    done.unwrap_or_else(|problem| {
        output::fail(&problem);
        ExitCode::from(problem.code)
    })
}
