//! `charmer remove`: a server taken out of clients again.

use std::process::ExitCode;

use charmer_clients::{Chosen, RegisterError, Registrar};

use crate::{
    args::RemoveArgs,
    clients::{at_home, is_ours, machine},
    commands::{add::explained, client_entry::EntrySurroundings},
    output::print,
    problem::Problem,
};

pub(crate) fn run(args: &RemoveArgs) -> Result<ExitCode, Problem> {
    let chosen = Chosen::read(&args.from)?;
    let machine = machine();
    let here = EntrySurroundings::here()?;
    let registrar = Registrar::new(&machine, &here.folder, args.scope.scope(), &is_ours);
    let mut removed = 0;
    for client in chosen.on(&machine) {
        let done = match registrar.remove(client, &args.name, !args.dry_run) {
            // Of all clients, those that have it are meant.
            Err(
                RegisterError::NotThere { .. }
                | RegisterError::Scope(_)
                | RegisterError::NotOurs { .. },
            ) if chosen == Chosen::All => {
                continue;
            }
            // Nothing is to be named here, as it is where one is added.
            Err(error @ RegisterError::NotOurs { .. }) => {
                return Err(Problem::failed(error.to_string())
                    .hint("it stays as it is; `charmer list` shows which servers are charmer's"));
            }
            done => done.map_err(explained)?,
        };
        removed += 1;
        print(&match args.dry_run {
            true => done.diff,
            false => format!(
                "{}: `{}` removed from {}\n",
                client.title(),
                args.name,
                at_home(&done.file)
            ),
        })?;
    }
    if removed == 0 {
        return Err(Problem::failed(format!(
            "no client has a server `{}` of charmer's",
            args.name
        ))
        .hint("`charmer list` shows which servers each client has"));
    }
    Ok(ExitCode::SUCCESS)
}
