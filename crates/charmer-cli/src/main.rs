//! The program `charmer`: serves any command-line program to AI assistants over MCP.

mod args;
mod ask;
mod assemble;
mod clients;
mod commands;
mod complete;
mod confine;
mod credentials;
mod excluded;
mod hooks;
mod identity;
mod instructions;
mod kept_list;
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

use args::{Args, Command};

fn main() -> ExitCode {
    // Before anything else: the process must still have one thread, and its words are not for the parser.
    let first = std::env::args_os().nth(1);
    if first.is_some_and(|word| word == read::SANDBOX) {
        return charmer_sandbox::run_confined();
    }
    let done = match Args::of_process().command {
        Command::Add(args) => commands::add::run(&args),
        Command::Remove(args) => commands::remove::run(&args),
        Command::List(args) => commands::list::run(&args),
        Command::Serve(args) => commands::serve::run(&args),
        Command::Tools(args) => commands::tools::run(&args),
        Command::Inspect(args) => commands::inspect::run(&args),
        Command::Call(args) => commands::call::run(&args),
        Command::Init(args) => commands::init::run(&args),
        Command::Check(args) => commands::check::run(&args),
        Command::Doctor(args) => commands::doctor::run(&args),
        Command::Spell(args) => commands::spell::run(&args),
        Command::Profile(args) => commands::profile::run(&args),
        Command::Export(args) => commands::export::run(&args),
        Command::Cache(args) => commands::cache::run(&args),
        Command::Audit(args) => commands::audit::run(&args),
        Command::Completions { shell } => commands::pages::completions(shell),
        Command::Man { out } => commands::pages::man(out.as_deref()),
        Command::Guardian { mark, spool } => {
            charmer_run::process::guard(&mark, spool.as_deref());
            Ok(ExitCode::SUCCESS)
        }
    };
    done.unwrap_or_else(|problem| {
        output::fail(&problem);
        ExitCode::from(problem.code)
    })
}
